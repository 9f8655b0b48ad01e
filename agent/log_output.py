"""Where the log goes: to the terminal, and to files that rotate; readable, or one JSON object a line.

Whoever logs only puts the record into a queue, without secrets; a thread of its own writes. A file that cannot be
written costs lines, never time, and is told of once.
"""

import contextlib
import copy
import errno
import json
import logging
import queue
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from datetime import UTC, datetime
from logging.handlers import QueueHandler, RotatingFileHandler
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.logging import RichHandler

from agent.redaction import Redaction, Secrets, extras
from agent.settings import Settings, SettingsError
from agent.terminal.text import plain

bot_name: ContextVar[str | None] = ContextVar("bot_name", default=None)
"""Whose lines these are, where several bots play in one process."""

QUEUE_RECORDS: Final = 10_000
CLOSING_S: Final = 5.0
BYTES_PER_MB: Final = 1_000_000
TALKATIVE_LIBRARIES: Final = ("httpx", "httpcore", "httpcore2", "httpx2", "openai", "websockets", "aiohttp", "numba")
_DISK_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})


def start_log(settings: Settings, console: Console, *, secrets: Iterable[str], level: str, to_file: bool) -> None:
    """Send the whole program's log where the settings say, from `level` on; replaces what was set up before.

    `secrets` are shown nowhere. `to_file` is whether `AGENT_LOG_FILE` is written: two programs must not rotate the same
    file; its folder is made. Raises `SettingsError` when it cannot be opened.
    """
    targets: list[logging.Handler] = [_console_handler(settings, console)]
    if to_file and settings.agent_log_file is not None:
        targets.append(_file_handler(settings, settings.agent_log_file, console))
    end_log()
    gate = _Gate(targets)
    redaction = Redaction(Secrets(secrets))
    for handler in (gate, *targets):
        handler.addFilter(redaction)
    logging.basicConfig(level=level, handlers=[gate], force=True)
    for library in TALKATIVE_LIBRARIES:
        logging.getLogger(library).setLevel(logging.WARNING)


def end_log() -> None:
    """Write what is queued and take our handlers off, where a log was started.

    Not left to `basicConfig`: that closes them while it holds a lock for which their writer waits in turn.
    """
    root = logging.getLogger()
    for gate in [handler for handler in root.handlers if isinstance(handler, _Gate)]:
        root.removeHandler(gate)
        gate.close()


class JsonLines(logging.Formatter):
    """One JSON object a line: ts (RFC 3339, UTC), level, logger, message, the record's extras, and the exception."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as one line; an extra whose name is taken gets an underscore behind it."""
        line: dict[str, Any] = {
            "ts": _time(record),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        trace = record.exc_text or (self.formatException(record.exc_info) if record.exc_info else None)
        line |= {name: text for name, text in (("exception", trace), ("stack", record.stack_info)) if text}
        line |= {f"{name}_" if name in line else name: value for name, value in extras(record).items()}
        return json.dumps(line, default=str)


class ReadableLines(logging.Formatter):
    """A line for people: time in UTC and level unless `stamped` elsewhere, logger, message; a traceback below it.

    Messages quote what strangers send: no line break or control character of theirs works here.
    """

    def __init__(self, *, stamped: bool = True) -> None:
        super().__init__()
        self._stamped = stamped

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the base class names it so
        """The line without a traceback."""
        bot, message = getattr(record, "bot", None), record.message
        shown = message if message.isprintable() else plain(message).plain
        line = f"{record.name}: {f'{bot}: ' if bot else ''}{shown}"
        return f"{_time(record)} {record.levelname:7} {line}" if self._stamped else line


class ConsoleLines(logging.Handler):
    """Writes formatted records to a console as they are: no wrapping, no markup."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._console = console

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record; nobody can be told where the console itself is gone."""
        with contextlib.suppress(OSError, ValueError):
            self._console.out(self.format(record), highlight=False)


class RotatingFile(RotatingFileHandler):
    """A log file that rotates at `max_bytes`, with `kept` older ones beside it: `agent.log.1` is the latest of them.

    `tell` hears of a file that cannot be written, once until it can be written again.
    """

    def __init__(self, path: Path, *, max_bytes: int, kept: int, tell: Callable[[str], None]) -> None:
        super().__init__(
            path, maxBytes=max_bytes, backupCount=kept, encoding="utf-8", errors="backslashreplace", delay=True
        )
        self._tell, self._is_told, self._failed = tell, False, False

    def open_now(self) -> None:
        """Open the file before the first line; raises `OSError`."""
        self.stream = self._open()

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record, or lose it."""
        self._failed = False
        super().emit(record)
        self._is_told = self._is_told and self._failed

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the base class names it so
        """Tell of the failure, and let go of the file: the next record opens it again."""
        error = sys.exc_info()[1]
        self._failed = True
        stream, self.stream = self.stream, None
        if stream is not None:
            with contextlib.suppress(OSError, ValueError):
                stream.close()
        if not self._is_told:
            self._is_told = True
            why = getattr(error, "strerror", None) or error
            self._tell(f"The log file {self.baseFilename} cannot be written ({why}); play goes on without it.")


class _Gate(QueueHandler):
    """The root logger's only handler: it queues records, and a thread hands them to the targets.

    A queue that is full loses records; how many is told with the next one that it takes.
    """

    def __init__(self, targets: Sequence[logging.Handler], *, capacity: int = QUEUE_RECORDS) -> None:
        # A finalizer may log in the middle of a `put`: the bounded `Queue` would then wait for itself, this one not.
        self._records: queue.SimpleQueue[logging.LogRecord | None] = queue.SimpleQueue()
        super().__init__(self._records)
        self._targets, self._capacity, self._lost = targets, capacity, 0
        self._writer = threading.Thread(target=self._write_all, name="log", daemon=True)
        self._writer.start()

    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        """A copy with the bot's name: the redaction has already made plain values of everything in it."""
        record, bot = copy.copy(record), bot_name.get()
        if bot is not None:
            vars(record).setdefault("bot", bot)
        return record

    def enqueue(self, record: logging.LogRecord) -> None:
        """Queue a record without waiting."""
        if self._records.qsize() >= self._capacity:
            self._lost += 1
            return
        if self._lost:
            lost, self._lost = self._lost, 0
            self._records.put(_loss(lost))
        self._records.put(record)

    def close(self) -> None:
        """Write what is queued and close the targets; what a stuck disk does not take in `CLOSING_S` is lost."""
        super().close()
        if self._writer.is_alive():
            self._records.put(None)
            self._writer.join(CLOSING_S)

    def _write_all(self) -> None:
        while (record := self._records.get()) is not None:
            for target in self._targets:
                # A record that one target stumbles over must not end the log.
                with contextlib.suppress(Exception):
                    if record.levelno >= target.level:
                        target.handle(record)
        for target in self._targets:
            with contextlib.suppress(OSError):
                target.close()


def _console_handler(settings: Settings, console: Console) -> logging.Handler:
    if settings.agent_log_format == "json":
        handler: logging.Handler = ConsoleLines(console)
        handler.setFormatter(JsonLines())
    elif console.is_terminal:
        handler = RichHandler(console=console, show_path=False, markup=False, rich_tracebacks=False)
        handler.setFormatter(ReadableLines(stamped=False))
    else:
        handler = ConsoleLines(console)
        handler.setFormatter(ReadableLines())
    return handler


def _file_handler(settings: Settings, path: Path, console: Console) -> RotatingFile:
    handler = RotatingFile(
        path,
        max_bytes=settings.agent_log_file_mb * BYTES_PER_MB,
        kept=settings.agent_log_files_kept,
        tell=lambda text: console.print(text, style="red", markup=False),
    )
    handler.setFormatter(JsonLines() if settings.agent_log_format == "json" else ReadableLines())
    try:
        path.absolute().parent.mkdir(parents=True, exist_ok=True)
        handler.open_now()
    except OSError as error:
        # A path that can never work is a mistake in the settings; a full disk is bad luck and no reason not to play.
        if error.errno not in _DISK_FULL:
            raise SettingsError(f"AGENT_LOG_FILE: '{path}' cannot be written: {error.strerror}") from None
    return handler


def _loss(count: int) -> logging.LogRecord:
    text = f"{count:,} log records were lost: they came faster than they could be written"
    return logging.LogRecord(__name__, logging.WARNING, __file__, 0, text, None, None)


def _time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
