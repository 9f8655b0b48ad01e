"""How often something may happen: sliding windows over a clock that is passed in."""

from collections import deque
from collections.abc import Callable
from enum import StrEnum
from typing import Final

Clock = Callable[[], float]

FLOOD_WINDOW_S: Final = 5.0
FLOOD_WARNING_AT: Final = 10
FLOOD_KICK_AT: Final = 20


class Window:
    """At most `limit` events in any `seconds`, by `clock` in seconds; a limit of None allows everything."""

    def __init__(self, limit: int | None, seconds: float, clock: Clock) -> None:
        self._limit = limit
        self._seconds = seconds
        self._clock = clock
        self._recent: deque[float] = deque()

    def allows_another(self) -> bool:
        """Whether an event now is within the limit; it counts only when it is."""
        if self._limit is None:
            return True
        now = self._clock()
        while self._recent and self._recent[0] <= now - self._seconds:
            self._recent.popleft()
        if len(self._recent) >= self._limit:
            return False
        self._recent.append(now)
        return True

    @property
    def retry_after_s(self) -> float:
        """How long until one more is allowed; 0 when it is now."""
        if self._limit is None or len(self._recent) < self._limit:
            return 0.0
        return max(0.0, self._recent[0] + self._seconds - self._clock())


class Flood(StrEnum):
    """What a refused action leads to."""

    WARNING = "flood_warning"
    KICK = "flood_kick"


class FloodWatch:
    """Counts a client's refused actions: ten in five seconds are warned about, twenty cost the seat."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._refused: deque[float] = deque()

    def refused(self) -> Flood | None:
        """Count one more refused action; the count begins again after a kick."""
        now = self._clock()
        self._refused.append(now)
        while self._refused[0] <= now - FLOOD_WINDOW_S:
            self._refused.popleft()
        if len(self._refused) >= FLOOD_KICK_AT:
            self._refused.clear()
            return Flood.KICK
        return Flood.WARNING if len(self._refused) == FLOOD_WARNING_AT else None
