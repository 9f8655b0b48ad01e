"""What was learned about models, kept in one small file, so that no run pays for the same refusals again.

The file is shared: several processes may write it, each puts a whole new file in the place of the old one, and the last
one wins. It holds addresses without user, password and query, model names and names of parameters, and nothing else.
"""

import datetime as dt
import json
import logging
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, cast

from agent.llm.fault import shown_url
from agent.llm.request_shape import RUNGS, Lesson, TokenLimit

log = logging.getLogger(__name__)

GOOD_FOR: Final = dt.timedelta(days=14)
"""How long a lesson holds; providers change, so that an older one is learned anew."""

_FORMAT: Final = "what models accept, 1"
_LIMITS: Final = ("max_tokens", "max_completion_tokens")


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
        entries = self._read()
        if entries is None:
            return
        entries = {key: entry for key, entry in entries.items() if self._is_fresh(entry)}
        entries[_key(base_url, model)] = {
            "learned_at": self._clock().isoformat(timespec="seconds"),
            "structured": lesson.structured,
            "token_limit": lesson.token_limit,
            "dropped": sorted(lesson.dropped),
            "least_tokens": lesson.least_tokens,
        }
        try:
            _replace(self._path, json.dumps({"format": _FORMAT, "models": entries}, indent=2) + "\n")
        except OSError as error:
            self._tell(f"cannot be written ({type(error).__name__})")

    def _read(self) -> dict[str, Any] | None:
        """The entries of the file, none when there is no file, None when it is not to be touched."""
        try:
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
        except (TypeError, KeyError, ValueError):
            return False
        return age < GOOD_FOR

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
    least_tokens = entry.get("least_tokens")
    is_whole = (
        structured in RUNGS
        and limit in _LIMITS
        and isinstance(dropped, list)
        and all(isinstance(name, str) for name in dropped)
        and isinstance(least_tokens, int)
        and 0 <= least_tokens <= 100_000
    )
    if not is_whole:
        return None
    rung = next(rung for rung in RUNGS if rung == structured)
    return Lesson(rung, cast("TokenLimit", limit), frozenset(cast("list[str]", dropped)), cast("int", least_tokens))


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
