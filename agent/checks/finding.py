"""A finding: what a check has found, and what to do about it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any


class Status(StrEnum):
    """How a check ended. A warning does not keep the agent from playing, a failure does or soon will."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Finding:
    """What the check `name` found: `what` in a few words, `why` we think so, and the `remedy`.

    `details` are plain values for programs; their names carry the units.
    """

    name: str
    status: Status
    what: str
    why: str = ""
    remedy: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)

    def without(self, hide: Callable[[str], str]) -> "Finding":
        """The finding with `hide` applied to every text in it."""
        details = {key: hide(value) if isinstance(value, str) else value for key, value in self.details.items()}
        return replace(self, what=hide(self.what), why=hide(self.why), remedy=hide(self.remedy), details=details)

    def as_dict(self) -> dict[str, Any]:
        """The finding as plain values."""
        return {
            "name": self.name,
            "status": str(self.status),
            "what": self.what,
            "why": self.why,
            "remedy": self.remedy,
            "details": dict(self.details),
        }


def fine(name: str, what: str, **details: Any) -> Finding:
    """All is well."""
    return Finding(name, Status.OK, what, details=details)


def warning(name: str, what: str, *, why: str, remedy: str, **details: Any) -> Finding:
    """The agent can play, but somebody should look at it."""
    return Finding(name, Status.WARNING, what, why, remedy, details)


def failed(name: str, what: str, *, why: str, remedy: str, **details: Any) -> Finding:
    """The agent cannot play, or not as it is meant to."""
    return Finding(name, Status.FAILED, what, why, remedy, details)


def skipped(name: str, why: str) -> Finding:
    """Not checked, and why not."""
    return Finding(name, Status.SKIPPED, "not checked", why)
