"""A client's season entry: chips off the table, its open socket if any, and the answers it may ask for again."""

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from agent.arena.game.records import ClientStats, HandRecord
from agent.openpoker.frames import Frame

if TYPE_CHECKING:
    from agent.arena.game.table import Table

REMEMBERED_ANSWERS: Final = 64


@dataclass(frozen=True, slots=True)
class Answer:
    """An accepted action: what was asked, and the acknowledgement that it got."""

    request: Frame
    ack: Frame


@dataclass(frozen=True, slots=True)
class PlayedHand:
    """A hand that a client was dealt into: its seat there, and when it ended."""

    ended_at: datetime
    seat: int
    record: HandRecord


@dataclass(slots=True, eq=False)
class Account:
    """One client across tables and connections.

    `deliver` hands a frame to its open socket, None while it has none. `table` is where it sits, `chips` lie off it. `rebuys` and
    `hands` count this season; no rebuy is possible before `next_rebuy_at`. `stats`,
    `rejections` by code and `history` go on for ever. `cut_at` is when its socket was last cut over an action, by the
    loop's clock, until its next action.
    """

    name: str
    agent_id: str
    chips: int
    deliver: Callable[[Frame], None] | None = None
    table: "Table | None" = None
    is_registered: bool = False
    auto_rebuy: bool = False
    rebuys: int = 0
    next_rebuy_at: datetime | None = None
    cut_at: float | None = None
    hands: int = 0
    hands_won: int = 0
    stats: ClientStats = field(default_factory=ClientStats)
    rejections: Counter[str] = field(default_factory=Counter)
    answers: dict[str, Answer] = field(default_factory=dict)
    history: deque[PlayedHand] = field(default_factory=deque)

    @property
    def is_connected(self) -> bool:
        """Whether a socket of this client is open."""
        return self.deliver is not None

    def send(self, frame: Frame) -> None:
        """Hand `frame` to the client; lost while it has no socket, as on the wire."""
        if self.deliver is not None:
            self.deliver(frame)

    def remember(self, action_id: str, answer: Answer) -> None:
        """Keep an answer for retries; the oldest gives way."""
        self.answers[action_id] = answer
        while len(self.answers) > REMEMBERED_ANSWERS:
            del self.answers[next(iter(self.answers))]

    def has_answered(self, turn_token: Any) -> bool:
        """Whether an action of this client was already accepted for that turn."""
        return any(answer.request.get("turn_token") == turn_token for answer in self.answers.values())

    def begin_season(self, chips: int) -> None:
        """Forget the old season's entry; `join_lobby` makes a new one."""
        self.chips, self.is_registered, self.auto_rebuy = chips, False, False
        self.rebuys, self.next_rebuy_at, self.hands, self.hands_won = 0, None, 0, 0
