"""The orders in which a table's newcomers become known to one client.

As a rule the event comes first and the snapshot after it. Live clients also saw the snapshot first, and a newcomer
whom the prompt listed, then the snapshot showed, and only then the event announced. What changes places also
changes numbers, so that numbers keep growing and no client has a reason to ignore a frame.
"""

from dataclasses import dataclass
from enum import StrEnum, auto
from typing import Final

from agent.arena.faults.distortion import with_newcomer, without_newcomer
from agent.arena.faults.plan import FaultDice, FaultName
from agent.openpoker.frames import Frame

_PLACE: Final = ("table_seq", "hand_seq", "ts")
_ENDS_THE_HAND: Final = frozenset({"hand_result", "hand_start"})


class Stage(StrEnum):
    """How far a newcomer has become known whose announcement is kept back.

    `AFTER_SNAPSHOT`: the next snapshot goes first, and the two exchange their numbers. `UNSEEN`: snapshots show an
    empty seat until a prompt lists the newcomer, or the hand is over. `SHOWN`: the announcement follows at the first
    number that the client gets no frame for.
    """

    AFTER_SNAPSHOT = auto()
    UNSEEN = auto()
    SHOWN = auto()


@dataclass(frozen=True, slots=True)
class Arrival:
    """An announcement (`player_joined` or one's own `table_joined`) that is kept back."""

    event: Frame
    stage: Stage


class Arrivals:
    """Keeps back one announcement at a time where `roster_order` strikes."""

    def __init__(self, dice: FaultDice) -> None:
        self._dice = dice
        self._arrival: Arrival | None = None
        self._is_playing = False
        self._last_number = 0

    def announce(self, frame: Frame) -> list[Frame]:
        """What goes out now that `frame` is due."""
        told = self._told(frame)
        if frame["type"] == "table_state":
            self._is_playing = frame["street"] != "idle"
        self._last_number = max(self._last_number, frame.get("table_seq") or 0)
        return told

    def flush(self) -> list[Frame]:
        """The announcement that waits for a snapshot, without it; one that waits for its number is due later."""
        arrival = self._arrival
        if arrival is None or arrival.stage is not Stage.AFTER_SNAPSHOT:
            return []
        self._arrival = None
        return [arrival.event]

    def _told(self, frame: Frame) -> list[Frame]:
        arrival = self._arrival
        if arrival is None:
            return self._told_first(frame)
        if _is_settled_by(frame, arrival):
            self._arrival = None
            return [frame]
        match arrival.stage:
            case Stage.AFTER_SNAPSHOT:
                self._arrival = None
                return _exchanged(arrival.event, frame) if frame["type"] == "table_state" else [arrival.event, frame]
            case Stage.UNSEEN:
                return [self._told_unseen(frame, arrival.event)]
            case Stage.SHOWN:
                return self._told_late(frame, arrival.event)

    def _told_first(self, frame: Frame) -> list[Frame]:
        if frame["type"] not in ("player_joined", "table_joined") or not self._dice.strikes(FaultName.ROSTER_ORDER):
            return [frame]
        stage = Stage.AFTER_SNAPSHOT
        if self._is_playing and frame["type"] == "player_joined":
            stage = self._dice.generator(FaultName.ROSTER_ORDER).choice((Stage.AFTER_SNAPSHOT, Stage.UNSEEN))
        self._arrival = Arrival(frame, stage)
        return []

    def _told_unseen(self, frame: Frame, joined: Frame) -> Frame:
        if frame["type"] == "table_state":
            return without_newcomer(frame, joined["seat"])
        if frame["type"] == "your_turn":
            self._arrival = Arrival(joined, Stage.SHOWN)
            return with_newcomer(frame, joined)
        if frame["type"] in _ENDS_THE_HAND:
            self._arrival = Arrival(joined, Stage.SHOWN)
        return frame

    def _told_late(self, frame: Frame, joined: Frame) -> list[Frame]:
        number, in_hand = frame.get("table_seq"), frame.get("hand_seq")
        if number is None or in_hand is None or in_hand < 2 or number - 1 <= self._last_number:
            return [frame]
        self._arrival = None
        place = {"hand_id": frame["hand_id"], "table_seq": number - 1, "hand_seq": in_hand - 1, "ts": frame["ts"]}
        return [{**joined, **place}, frame]


def _is_settled_by(frame: Frame, arrival: Arrival) -> bool:
    """Whether nothing is left to announce: the newcomer has left, or a resync tells everything anyhow."""
    if arrival.stage is Stage.AFTER_SNAPSHOT:
        return False
    has_left = frame["type"] == "player_left" and frame["seat"] == arrival.event["seat"]
    return has_left or frame["type"] in ("resync_response", "table_closed")


def _exchanged(first: Frame, second: Frame) -> list[Frame]:
    """The two frames in the other order, each at the other's place in the stream, which no hash covers."""
    places = [{key: frame[key] for key in _PLACE} for frame in (first, second)]
    return [{**second, **places[0]}, {**first, **places[1]}]
