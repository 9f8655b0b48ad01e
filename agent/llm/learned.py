"""What was learned about models, kept in one small file, so that no run pays for the same refusals again.

The file is shared: several processes may write it, one after the other, and each puts a whole new file in the place of
the old one, with its lesson beside those of the others. It holds addresses without user, password and query, model names and names of parameters, and nothing else.
"""

import contextlib
import datetime as dt
import fcntl
import json
import logging
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, cast

from agent.llm.fault import shown_url
from agent.llm.request_shape import LEAST_MAX_TOKENS, MOST_MAX_TOKENS, RUNGS, TOKEN_LIMITS, Lesson, TokenLimit

log = logging.getLogger(__name__)

GOOD_FOR: Final = dt.timedelta(days=14)
"""How long a lesson holds; providers change, so that an older one is learned anew."""

_FORMAT: Final = "what models accept, 1"
# Writing takes a few milliseconds; who holds the file for longer hangs, and no turn waits for that.
_LONGEST_WAIT_S: Final = 0.5
_LOOK_EVERY_S: Final = 0.002


def _utc_now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


class Learned:
    """The lessons in the file at `path`, which need not exist.

    A file that cannot be read, or that is another program's, is left as it is and said so once; the lessons then last
    as long as the process.
    """

    def __init__(self, path: Path, *, clock: Callable[[], dt.datetime] = _utc_now) -> None:
        self._path = path
        self._clock = clock
        self._is_told = False

    def lesson_for(self, base_url: str, model: str) -> Lesson | None:
        """What was learned about a model at an address in the last 14 days, None when nothing was."""
        entry = (self._read() or {}).get(_key(base_url, model))
        return _lesson(entry) if entry is not None and self._is_fresh(entry) else None

    def remember(self, base_url: str, model: str, lesson: Lesson) -> None:
        """Keep a lesson; it holds from now on, for this process and those that start later."""
        try:
            # A link to the file stays one.
            path = Path(os.path.realpath(self._path))
            with _alone(path.parent):
                self._write(path, _key(base_url, model), lesson)
        except OSError as error:
            self._tell(f"cannot be written ({type(error).__name__})")

    def _write(self, path: Path, key: str, lesson: Lesson) -> None:
        entries = self._read()
        if entries is None:
            return
        entries = {key: entry for key, entry in entries.items() if self._is_fresh(entry)}
        entries[key] = {
            "learned_at": self._clock().isoformat(timespec="seconds"),
            "structured": lesson.structured,
            "token_limit": lesson.token_limit,
            "dropped": sorted(lesson.dropped),
            "least_tokens": lesson.least_tokens,
            "most_tokens": lesson.most_tokens,
        }
        _replace(path, json.dumps({"format": _FORMAT, "models": entries}, indent=2) + "\n")

    def _read(self) -> dict[str, Any] | None:
        """The entries of the file, none when there is no file, None when it is not to be touched."""
        try:
            # What is no file, such as a pipe, might be read for ever.
            if self._path.exists() and not self._path.is_file():
                self._tell("is no file")
                return None
            content = json.loads(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            self._tell(f"cannot be read ({type(error).__name__})")
            return None
        if not isinstance(content, dict) or content.get("format") != _FORMAT:
            self._tell("is no file of ours")
            return None
        models = content.get("models")
        return models if isinstance(models, dict) else {}

    def _is_fresh(self, entry: Any) -> bool:
        try:
            age = self._clock() - dt.datetime.fromisoformat(entry["learned_at"])
        except (TypeError, KeyError, ValueError, OverflowError):
            return False
        # What is learned tomorrow, by a clock that was wrong, would hold for ever.
        return dt.timedelta(0) <= age < GOOD_FOR

    def _tell(self, problem: str) -> None:
        if not self._is_told:
            self._is_told = True
            log.warning(
                "%s %s: what models accept is learned anew in every run; delete it or set LLM_LEARNED_PATH",
                self._path,
                problem,
            )


def _key(base_url: str, model: str) -> str:
    return f"{shown_url(base_url)} {model}"


def _lesson(entry: dict[str, Any]) -> Lesson | None:
    """The lesson of an entry, None when a part of it is missing or not what it should be."""
    structured, limit, dropped = entry.get("structured"), entry.get("token_limit"), entry.get("dropped")
    least_tokens, most_tokens = entry.get("least_tokens"), entry.get("most_tokens", 0)
    is_whole = (
        structured in RUNGS
        and limit in TOKEN_LIMITS
        and isinstance(dropped, list)
        and all(isinstance(name, str) for name in dropped)
        and _is_cap(least_tokens)
        and _is_cap(most_tokens)
    )
    if not is_whole:
        return None
    rung = next(rung for rung in RUNGS if rung == structured)
    names = frozenset(cast("list[str]", dropped))
    return Lesson(rung, cast("TokenLimit", limit), names, cast("int", least_tokens), cast("int", most_tokens))


def _is_cap(value: object) -> bool:
    """Whether a value is a cap that the settings would take too, or 0, which stands for none."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return is_number and (value == 0 or LEAST_MAX_TOKENS <= cast("int", value) <= MOST_MAX_TOKENS)


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold off other processes that keep lessons in `folder`, as long as they do not hang; needs no file for it."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        gives_up_s = time.monotonic() + _LONGEST_WAIT_S
        while not _locked(handle) and time.monotonic() < gives_up_s:
            time.sleep(_LOOK_EVERY_S)
        yield
    finally:
        os.close(handle)


def _locked(handle: int) -> bool:
    """Whether the folder is ours now; where a file system knows no locks, it always is."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return not isinstance(error, BlockingIOError)
    return True


def _replace(path: Path, text: str) -> None:
    """Put `text` in the place of the file in one step, so that no reader ever sees half of it."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
