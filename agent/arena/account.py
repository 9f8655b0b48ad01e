"""A client's season entry: chips off the table, its open socket if any, and the answers it may ask for again."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from agent.arena.records import ClientStats
from agent.openpoker.frames import Frame

REMEMBERED_ANSWERS: Final = 64


@dataclass(frozen=True, slots=True)
class Answer:
    """An accepted action: what was asked, and the acknowledgement that it got."""

    request: Frame
    ack: Frame


@dataclass(slots=True)
class Account:
    """One client across tables and connections.

    `deliver` hands a frame to its open socket, None while it has none. `chips` lie off the table.
    """

    name: str
    agent_id: str
    chips: int
    deliver: Callable[[Frame], None] | None = None
    is_registered: bool = False
    auto_rebuy: bool = False
    stats: ClientStats = field(default_factory=ClientStats)
    answers: dict[str, Answer] = field(default_factory=dict)

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
