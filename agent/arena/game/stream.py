"""A table's numbered stream: every frame takes a number, private ones too, so that each recipient sees gaps."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from agent.openpoker.frames import Frame


def utc_now() -> datetime:
    """The time of day in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Stamp:
    """A frame's place in the stream of its table."""

    table_id: str
    hand_id: str | None
    table_seq: int
    hand_seq: int
    ts: str


class TableStream:
    """Numbers for one table, and the public events that a resync may ask for again."""

    def __init__(self, table_id: str, *, retained: int, now: Callable[[], datetime] = utc_now) -> None:
        self.table_id = table_id
        self.hand_id: str | None = None
        self.table_seq = 0
        self.hand_seq = 0
        self._now = now
        self._window: deque[Frame] = deque(maxlen=retained)

    def start_hand(self, hand_id: str) -> None:
        """Begin a hand: its first frame gets the hand's number 1."""
        self.hand_id, self.hand_seq = hand_id, 0

    def skip(self) -> None:
        """Use up a number that nobody receives."""
        self.table_seq += 1
        self.hand_seq += 1

    def next_stamp(self) -> Stamp:
        """The place of the next frame."""
        self.skip()
        return self.last_stamp()

    def last_stamp(self) -> Stamp:
        """The place of the newest frame, with the present time."""
        ts = self._now().isoformat(timespec="microseconds")
        return Stamp(self.table_id, self.hand_id, self.table_seq, self.hand_seq, ts)

    def retain(self, event: Frame) -> None:
        """Keep a public event for resyncs."""
        self._window.append(event)

    def events_after(self, table_seq: int) -> list[Frame]:
        """The public events newer than `table_seq`, as far back as they are kept, oldest first."""
        return [event for event in self._window if event["table_seq"] > table_seq]
