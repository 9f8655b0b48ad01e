"""What a check finds, and the surroundings that checks look at."""

import shutil
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from agent.settings import Settings

NETWORK_S: Final = 10.0
"""How long a check may wait for the venue."""


class Status(StrEnum):
    """How a check ended. Only a failure keeps the agent from playing well; a skipped check says nothing."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Finding:
    """The end of one check: what is so, why, what to do about it, and the figures behind it as plain values.

    `bot` is whose it is, where several are examined; None for what all of them share.
    """

    name: str
    status: Status
    what: str
    why: str = ""
    remedy: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    bot: str | None = None

    @property
    def title(self) -> str:
        """The check's name, after that of the bot when there are several."""
        return self.name if self.bot is None else f"{self.bot}: {self.name}"

    @property
    def holds(self) -> bool:
        """Whether checks that build on this one make sense."""
        return self.status in (Status.OK, Status.WARNING)

    def as_dict(self) -> dict[str, Any]:
        """The finding as plain values, for JSON."""
        return asdict(self)

    def without(self, hide: Callable[[str], str]) -> "Finding":
        """The finding after `hide` has taken the secrets out of every text."""
        what, why, remedy = hide(self.what), hide(self.why), hide(self.remedy)
        return Finding(self.name, self.status, what, why, remedy, _hidden(self.details, hide), self.bot)


def ok(name: str, what: str, **details: Any) -> Finding:
    """A check that found all well."""
    return Finding(name, Status.OK, what, details=details)


def warning(name: str, what: str, *, why: str, remedy: str, **details: Any) -> Finding:
    """A check that found something with which the agent plays all the same."""
    return Finding(name, Status.WARNING, what, why, remedy, details)


def failed(name: str, what: str, *, why: str, remedy: str, **details: Any) -> Finding:
    """A check that found something a person has to put right."""
    return Finding(name, Status.FAILED, what, why, remedy, details)


def skipped(name: str, what: str, *, why: str = "", remedy: str = "") -> Finding:
    """A check that was not made, and why."""
    return Finding(name, Status.SKIPPED, what, why, remedy)


def _utc_now() -> datetime:
    return datetime.now(UTC)


def _free_bytes(folder: Path) -> int:
    return shutil.disk_usage(folder).free


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the checks look at: the settings, the clock, the disk, and how long the venue is waited for.

    `takeover` lets the socket be tried even where that may end a running session of the same key.
    """

    settings: Settings = field(default_factory=Settings)
    takeover: bool = False
    network_s: float = NETWORK_S
    now: Callable[[], datetime] = _utc_now
    free_bytes: Callable[[Path], int] = _free_bytes


@dataclass(frozen=True, slots=True)
class Check:
    """A check by name, the names of those that have to hold before it makes sense, and the variables that it goes by.

    One `of_bot` is made for each bot where there are several.
    """

    name: str
    needs: tuple[str, ...]
    run: Callable[[Surroundings], Awaitable[Finding]]
    variables: frozenset[str] = frozenset()
    of_bot: bool = True


def _hidden(value: Any, hide: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return hide(value)
    if isinstance(value, Mapping):
        return {key: _hidden(inner, hide) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_hidden(inner, hide) for inner in value]
    return value
