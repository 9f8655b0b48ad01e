"""Once-only turns: which prompts may be answered, with what, and what became of the answer.

A turn is the pair (hand_id, turn_token). It is answered once; an answer that could not be sent, or that the
server may have lost, is sent again with the same id and payload, so that the server can tell it is the same.
"""

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from agent.openpoker import frames
from agent.openpoker.hand import Prompt
from agent.poker.spot import Action, Spot

TurnKey = tuple[str, str]
FLOOR_SUFFIX: Final = "-floor"
REJECTS_PER_TURN: Final = 8
"""The venue warns at ten rejects in five seconds: a turn that it rejects so often is left to it."""


class Stage(StrEnum):
    """How far a turn has come."""

    HELD = "held"
    OPEN = "open"
    CHOSEN = "chosen"
    SENT = "sent"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    MISSED = "missed"


@dataclass(frozen=True, slots=True)
class Turn:
    """One request to act. `received_at` (monotonic seconds) starts the server's clock; `id` names the answer."""

    key: TurnKey
    id: str
    spot: Spot
    received_at: float


@dataclass(slots=True)
class _Record:
    turn: Turn
    stage: Stage = Stage.OPEN
    frame: dict[str, Any] | None = None
    sent_at: float | None = None
    resent: int = 0
    fell_back: bool = False


@dataclass(slots=True)
class Turns:
    """The turns of the present hand. `_first_seen` outlives dropped turns: the server's clock runs on."""

    _records: dict[TurnKey, _Record] = field(default_factory=dict)
    _first_seen: dict[TurnKey, float] = field(default_factory=dict)
    _rejects: Counter[TurnKey] = field(default_factory=Counter)

    def begin(self, prompt: Prompt, spot: Spot, *, turn_id: str, now: float) -> Turn | None:
        """The turn to decide for a prompt, or None when it is known already.

        A rejected answer opens the turn again, a few times. Neither redelivery nor another token for the same turn moves
        the deadline.
        """
        key = (prompt.hand_id, prompt.turn_token)
        known = self._records.get(key)
        if known and (known.stage not in (Stage.REJECTED, Stage.HELD) or self._rejects[key] >= REJECTS_PER_TURN):
            return None
        self._records = {k: record for k, record in self._records.items() if k[0] == prompt.hand_id}
        self._first_seen = {k: at for k, at in self._first_seen.items() if k[0] == prompt.hand_id}
        self._rejects = Counter({k: times for k, times in self._rejects.items() if k[0] == prompt.hand_id})
        pending = [
            self._first_seen[k]
            for k, record in self._records.items()
            if record.stage not in (Stage.ACCEPTED, Stage.MISSED)
        ]
        turn = Turn(key, turn_id, spot, self._first_seen.setdefault(key, min([now, *pending])))
        self._records[key] = _Record(turn)
        return turn

    def hold(self, turn: Turn) -> None:
        """Do not decide `turn` yet: the next `begin` for its prompt does."""
        self._records[turn.key].stage = Stage.HELD

    def unanswered(self, prompt: Prompt) -> dict[str, Any] | None:
        """The answer chosen for this prompt that the server has not confirmed; after a resync it is sent as it is."""
        record = self._records.get((prompt.hand_id, prompt.turn_token))
        return record.frame if record and record.stage in (Stage.CHOSEN, Stage.SENT) else None

    def choose(self, turn: Turn, action: Action) -> dict[str, Any] | None:
        """The frame that answers `turn`; None when the turn was answered or dropped in the meantime."""
        record = self._records.get(turn.key)
        if record is None or record.stage is not Stage.OPEN:
            return None
        record.frame, record.stage = self._answer(turn, action, turn.id), Stage.CHOSEN
        return record.frame

    def fall_back(self, turn_id: str | None) -> dict[str, Any] | None:
        """The floor action as a second answer to a rejected turn, under a new id; None when there is none left."""
        record = self._find(turn_id)
        floor = record.turn.spot.legal.floor if record else None
        if record is None or record.stage is not Stage.REJECTED or record.fell_back or floor is None:
            return None
        record.fell_back = True
        record.frame = self._answer(record.turn, floor, f"{record.turn.id}{FLOOR_SUFFIX}")
        record.stage = Stage.CHOSEN
        return record.frame

    def adopt(self, turn: Turn, frame: dict[str, Any]) -> dict[str, Any]:
        """Answer `turn` with the frame that an earlier run chose for it, as it is."""
        record = self._records[turn.key]
        record.frame, record.stage = frame, Stage.CHOSEN
        return frame

    def turn_id(self, answer_id: str) -> str | None:
        """The id of the turn that this answer belongs to: a second answer has an id of its own."""
        record = self._find(answer_id)
        return record.turn.id if record else None

    def sent(self, frame: frames.Frame, now: float) -> None:
        """Note that `frame` went out."""
        record = self._find(frame.get("client_action_id"))
        if record and record.stage is Stage.CHOSEN:
            record.stage = Stage.SENT
        if record:
            record.sent_at = now

    def settle(self, turn_id: str | None, stage: Stage) -> str | None:
        """Note the server's answer; the id of the turn that it settles, None when that is no news.

        What was accepted stays accepted, and a turn that has passed cannot be refused any more: a late reject is about
        one of the identical answers that were sent beside.
        """
        record = self._find(turn_id)
        if record is None or record.stage in (stage, Stage.ACCEPTED):
            return None
        if record.stage is Stage.MISSED and stage is Stage.REJECTED:
            return None
        record.stage = stage
        self._rejects[record.turn.key] += stage is Stage.REJECTED
        return record.turn.id

    def is_over(self, answer_id: str | None) -> bool:
        """Whether the turn of this answer was settled for good."""
        record = self._find(answer_id)
        return record is not None and record.stage in (Stage.ACCEPTED, Stage.MISSED)

    def overdue(self, now: float, wait_s: float) -> tuple[dict[str, Any], int] | None:
        """The answer whose ack is late, and how often it was sent again; the sending now counts as one more."""
        for record in self._records.values():
            if record.stage is Stage.SENT and record.sent_at is not None and now - record.sent_at >= wait_s:
                record.sent_at, record.resent = now, record.resent + 1
                return record.frame or {}, record.resent
        return None

    def close(self) -> list[str]:
        """Close the turns whose answer nobody has confirmed: the server has acted in their place. Their ids."""
        closed = [r for r in self._records.values() if r.stage in (Stage.CHOSEN, Stage.SENT, Stage.REJECTED)]
        for record in closed:
            record.stage = Stage.MISSED
        return [record.turn.id for record in closed]

    def drop_open(self, *, but: TurnKey | None = None, but_hand: str | None = None) -> list[Turn]:
        """Forget the turns that nobody has answered yet: the server has moved on. The forgotten ones.

        One turn, or those of one hand, may be left out of it.
        """
        unanswered = [r.turn for r in self._records.values() if r.stage in (Stage.OPEN, Stage.HELD)]
        dropped = [turn for turn in unanswered if turn.key != but and turn.key[0] != but_hand]
        for turn in dropped:
            del self._records[turn.key]
        return dropped

    @staticmethod
    def _answer(turn: Turn, action: Action, answer_id: str) -> dict[str, Any]:
        hand_id, token = turn.key
        return frames.action(action, hand_id=hand_id, turn_token=token, client_action_id=answer_id)

    def _find(self, answer_id: str | None) -> _Record | None:
        records = list(self._records.values())
        if answer_id is None:
            return next((r for r in reversed(records) if r.stage is Stage.SENT), None)
        return next((r for r in records if r.frame and r.frame["client_action_id"] == answer_id), None)
