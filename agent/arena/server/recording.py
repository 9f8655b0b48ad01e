"""What an arena writes down: every client's session as lines of JSON, and all hands as PHH.

One thread writes, so that a slow disk holds up no table. A disk that fails is logged once, and costs the recording
but no hand.
"""

import json
import logging
import queue
import re
import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any, Final

from agent.arena.game.phh import PhhFile
from agent.arena.game.records import HandRecord
from agent.openpoker.frames import Frame

log = logging.getLogger("agent.arena")

HANDS_FILE: Final = "hands.phhs"
_MAX_WAITING: Final = 100_000
# A file and its next line; None for the line closes the file.
_Line = tuple[str, Mapping[str, Any] | None]


class Recorder:
    """Writes into `folder`, which is made when missing; close it to have everything on disk.

    `clock` is in seconds. `lost` counts the lines and hands that could not be written. `OSError` when nothing can
    be written there from the beginning.
    """

    def __init__(self, folder: Path, clock: Callable[[], float]) -> None:
        _check_writable(folder)
        self.lost = 0
        self._folder = folder
        self._clock = clock
        # Sessions of an earlier run stay: numbers go on from theirs.
        self._sessions = max(map(_number, folder.glob("*.jsonl")), default=0)
        self._open: dict[str, IO[str]] = {}
        self._hands: PhhFile | None = None
        self._waiting: queue.Queue[_Line | HandRecord | None] = queue.Queue(_MAX_WAITING)
        self._thread = threading.Thread(target=self._write, name="arena-recorder", daemon=True)
        self._thread.start()

    def session(self, name: str) -> "SessionRecorder":
        """A recorder for the next connection of a client: `NAME-N.jsonl`, N counting all connections of the folder."""
        self._sessions += 1
        safe = re.sub(r"[^A-Za-z0-9_-]", "_", name)
        return SessionRecorder(self, f"{safe}-{self._sessions}.jsonl", self._clock)

    def put(self, item: _Line | HandRecord) -> None:
        """Queue a hand, or a line for a file; what does not fit in the queue is lost and counted."""
        try:
            self._waiting.put_nowait(item)
        except queue.Full:
            self.lost += 1

    def close(self) -> None:
        """Write what is queued and close the files."""
        self._waiting.put(None)
        self._thread.join()

    def _write(self) -> None:
        while (item := self._waiting.get()) is not None:
            self._try(self._write_one, item)
            if self._waiting.empty():
                for file in self._open.values():
                    self._try(file.flush)
        closing = [file.close for file in self._open.values()]
        for close in [*closing, self._hands.close] if self._hands is not None else closing:
            self._try(close)

    def _write_one(self, item: _Line | HandRecord) -> None:
        if isinstance(item, HandRecord):
            self._hands = self._hands or PhhFile(self._folder / HANDS_FILE)
            self._hands.append(item)
            return
        name, line = item
        if line is None:
            if name in self._open:
                self._open.pop(name).close()
            return
        if name not in self._open:
            self._open[name] = (self._folder / name).open("w", encoding="utf-8")
        self._open[name].write(json.dumps(line) + "\n")

    def _try(self, step: Callable[..., Any], *given: Any) -> None:
        try:
            step(*given)
        except OSError as error:
            if not self.lost:
                log.error("recording in %s fails: %s", self._folder, error)
            self.lost += 1


def _number(file: Path) -> int:
    """The N of a session's `NAME-N.jsonl`; 0 for anything else."""
    number = file.stem.rpartition("-")[2]
    return int(number) if file.is_file() and number.isascii() and number.isdecimal() else 0


def _check_writable(folder: Path) -> None:
    """Make the folder when it is missing; `OSError` names one that takes no file."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise OSError(f"{folder} is no folder to record in: {error.strerror}") from error


class SessionRecorder:
    """One connection as its client sees it: `{"t": seconds, "dir": "in" | "out", "msg": frame}` a line."""

    def __init__(self, recorder: Recorder, file: str, clock: Callable[[], float]) -> None:
        self._recorder = recorder
        self._file = file
        self._clock = clock
        self._began = clock()
        self._is_over = False

    def sent(self, frame: Frame) -> None:
        """The server's frame goes in to the client."""
        self._put("in", frame)

    def received(self, frame: Frame) -> None:
        """The client's message came out of it."""
        self._put("out", frame)

    def close(self) -> None:
        """The connection is over: free its file. What a late timer still sends is not recorded."""
        self._is_over = True
        self._recorder.put((self._file, None))

    def _put(self, direction: str, frame: Frame) -> None:
        if self._is_over:
            return
        line = {"t": round(self._clock() - self._began, 3), "dir": direction, "msg": frame}
        self._recorder.put((self._file, line))
