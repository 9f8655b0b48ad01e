"""One client's line: what becomes of its frames where faults strike. Without clock and socket.

Whoever owns the socket sends what `outgoing` returns. A frame may be replaced, said twice or not at all; it is
never changed in place, for others may be sent the same one.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum, auto

from agent.arena.faults import distortion
from agent.arena.faults.arrivals import Arrivals
from agent.arena.faults.plan import FaultDice, FaultName
from agent.openpoker.frames import Frame


@dataclass(frozen=True, slots=True)
class Delivery:
    """A frame to send `after_s` seconds from now. What is due at the same moment keeps its order.

    A frame with a longer wait than those after it is overtaken by them: only `delay_frame` makes one.
    """

    frame: Frame
    after_s: float = 0.0


class Cut(StrEnum):
    """Whether the socket is cut, and if so before or after the message is handled."""

    NONE = auto()
    BEFORE = auto()
    AFTER = auto()


class Line:
    """The two directions of one connection, from `connected` on, with the faults that `dice` let happen on it."""

    def __init__(self, dice: FaultDice) -> None:
        self._dice = dice
        self._arrivals = Arrivals(dice)
        self._slowness_s = dice.seconds(FaultName.SLOW_SERVER) if dice.strikes(FaultName.SLOW_SERVER) else 0.0
        self._own_name: str | None = None
        self._is_leaving = False
        self._was_prompted = False
        self._held: list[Delivery] = []
        self._statements: Mapping[str, Callable[[Frame], list[Frame]]] = {
            "action_ack": self._acknowledged,
            "your_turn": self._prompted,
            "resync_response": self._resynced,
            "table_joined": self._seated,
            "player_left": self._left,
            "error": self._refused,
        }

    def outgoing(self, frame: Frame) -> list[Delivery]:
        """What is sent where the server says `frame`, in order; `connected` is only ever slow."""
        if not self._dice.has_faults:
            return [Delivery(frame)]
        if frame["type"] == "connected":
            self._own_name = frame["name"]
            return [Delivery(frame, self._slowness_s)]
        return self._in_order(self._arrivals.announce(frame))

    def incoming(self, frame: Frame) -> Cut:
        """What a client's message does to its line."""
        match frame["type"]:
            case "leave_table":
                self._is_leaving = True
            case "action" if self._dice.strikes(FaultName.CUT_BEFORE_ACTION):
                return Cut.BEFORE
            case "action" if self._dice.strikes(FaultName.CUT_AFTER_ACTION):
                return Cut.AFTER
        return Cut.NONE

    def flush(self) -> list[Delivery]:
        """What is held back for frames that may not come; for the server to send once it falls silent."""
        held, self._held = self._held, []
        return [*held, *self._transmitted(self._arrivals.flush())]

    def _in_order(self, frames: list[Frame]) -> list[Delivery]:
        """The deliveries, or those held back before at their end, or none while they are held back in their turn."""
        sent = self._transmitted(frames)
        if not sent:
            return []
        if not self._held and self._dice.strikes(FaultName.REORDER_FRAMES):
            self._held = sent
            return []
        held, self._held = self._held, []
        return [*sent, *held]

    def _transmitted(self, frames: list[Frame]) -> list[Delivery]:
        return [
            delivery
            for frame in frames
            for stated in self._stated(frame)
            for disguised in self._disguised(stated)
            for delivery in self._sent(disguised)
        ]

    def _stated(self, frame: Frame) -> list[Frame]:
        """What the server says where it would say `frame`."""
        was_prompted, self._was_prompted = self._was_prompted, frame["type"] == "your_turn"
        if frame["type"] == "table_state" and was_prompted:
            return self._shown_to_actor(frame)
        stated = self._statements.get(frame["type"])
        return stated(frame) if stated is not None else [frame]

    def _shown_to_actor(self, snapshot: Frame) -> list[Frame]:
        opponents = distortion.connected_opponents(snapshot)
        if not opponents or not self._dice.strikes(FaultName.FLIP_DISCONNECTED):
            return [snapshot]
        seat = self._dice.generator(FaultName.FLIP_DISCONNECTED).choice(opponents)
        return [snapshot, distortion.with_disconnected(snapshot, seat)]

    def _acknowledged(self, ack: Frame) -> list[Frame]:
        return [] if self._dice.strikes(FaultName.LOST_ACK) else [ack]

    def _prompted(self, prompt: Frame) -> list[Frame]:
        return [prompt, prompt] if self._dice.strikes(FaultName.DUPLICATE_PROMPT) else [prompt]

    def _resynced(self, resync: Frame) -> list[Frame]:
        if resync["snapshot"] is not None and self._dice.strikes(FaultName.NULL_SNAPSHOT):
            return [distortion.without_snapshot(resync)]
        if resync["role"] == "player" and self._dice.strikes(FaultName.SPECTATOR_RESYNC):
            return [distortion.for_spectator(resync)]
        return [resync]

    def _seated(self, joined: Frame) -> list[Frame]:
        self._is_leaving = False
        return [joined]

    def _left(self, left: Frame) -> list[Frame]:
        if not self._is_leaving or left["name"] != self._own_name:
            return [left]
        self._is_leaving = False
        is_closed = self._dice.strikes(FaultName.LATE_TABLE_CLOSED)
        return [distortion.closed_instead_of_left(left) if is_closed else left]

    def _refused(self, error: Frame) -> list[Frame]:
        if error["code"] == "not_at_table":
            self._is_leaving = False
        if error["code"] != "already_seated":
            return [error]
        if self._dice.strikes(FaultName.ALREADY_SEATED_NOWHERE):
            return [distortion.seated_nowhere(error)]
        if "table_id" in error and self._dice.strikes(FaultName.ALREADY_SEATED_IN_DETAILS):
            return [distortion.seated_in_details(error)]
        return [error]

    def _disguised(self, frame: Frame) -> list[Frame]:
        """The frame as it is spelled, and a stranger that may follow it."""
        spelled = distortion.with_unknown_fields(frame) if self._dice.strikes(FaultName.UNKNOWN_FIELDS) else frame
        if _has_snapshot(spelled) and self._dice.strikes(FaultName.WRONG_HASH):
            spelled = distortion.with_wrong_hash(spelled, self._dice.generator(FaultName.WRONG_HASH))
        if not self._dice.strikes(FaultName.UNKNOWN_FRAMES):
            return [spelled]
        return [spelled, distortion.unknown_frame(frame, self._dice.generator(FaultName.UNKNOWN_FRAMES))]

    def _sent(self, frame: Frame) -> list[Delivery]:
        if self._dice.strikes(FaultName.DROP_FRAME):
            return []
        after_s = self._slowness_s
        if self._dice.strikes(FaultName.DELAY_FRAME):
            after_s += self._dice.seconds(FaultName.DELAY_FRAME)
        delivery = Delivery(frame, after_s)
        return [delivery, delivery] if self._dice.strikes(FaultName.DUPLICATE_FRAME) else [delivery]


def _has_snapshot(frame: Frame) -> bool:
    """Whether the frame states the hash of a snapshot."""
    return frame["type"] == "table_state" or (frame["type"] == "resync_response" and frame["snapshot"] is not None)
