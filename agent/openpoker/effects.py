"""What a session asks of whoever holds the socket, one value for each thing to do or to tell."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from agent.openpoker.table import HandSummary
from agent.openpoker.turns import Turn


@dataclass(frozen=True, slots=True)
class Send:
    """Put this frame on the socket."""

    frame: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Decide:
    """Think about this turn; the answer goes to `Session.choose`."""

    turn: Turn


@dataclass(frozen=True, slots=True)
class Abandon:
    """Stop thinking about this turn: the server has moved on."""

    turn: Turn


@dataclass(frozen=True, slots=True)
class Settled:
    """The server's word on an answer: accepted, or rejected with a code."""

    turn_id: str
    accepted: bool
    code: str | None = None


@dataclass(frozen=True, slots=True)
class HandOver:
    """A hand has ended."""

    summary: HandSummary


@dataclass(frozen=True, slots=True)
class Reconnect:
    """Drop the socket and dial again; more slowly where the venue has refused the connection, most slowly for the key."""

    reason: str
    refused: Literal["connection", "key"] | None = None


@dataclass(frozen=True, slots=True)
class Ask:
    """Read `active-game` or `season` over REST; the answer goes to `Session.learned_*`."""

    what: str


@dataclass(frozen=True, slots=True)
class Stop:
    """We are done: left as asked, or for a reason that trying again cannot mend."""

    reason: str
    failed: bool = False


Effect = Send | Decide | Abandon | Settled | HandOver | Reconnect | Ask | Stop
Effects = Sequence[Effect]
