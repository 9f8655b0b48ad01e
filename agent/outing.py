"""An outing: how long a bot stays at the venue, by hands, time, chips and the hours of the day."""

import re
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from typing import Final

_HOURS: Final = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)-([01]?\d|2[0-3]):([0-5]\d)")


@dataclass(frozen=True, slots=True)
class QuietHours:
    """A part of each day, in local time, in which no seat is wanted; it may pass midnight."""

    begins: time
    ends: time

    def contains(self, now: datetime) -> bool:
        """Whether `now` is quiet.

        >>> night = quiet_hours("23:00-06:30")
        >>> night.contains(datetime(2026, 9, 20, 23, 30)), night.contains(datetime(2026, 9, 20, 6, 30))
        (True, False)
        """
        clock = now.time()
        if self.begins < self.ends:
            return self.begins <= clock < self.ends
        return clock >= self.begins or clock < self.ends

    def seconds_left(self, now: datetime) -> float:
        """How long it stays quiet; 0 when it is not.

        >>> quiet_hours("23:00-06:30").seconds_left(datetime(2026, 9, 20, 6, 0))
        1800.0
        """
        if not self.contains(now):
            return 0.0
        end = datetime.combine(now.date(), self.ends, now.tzinfo)
        return ((end if end > now else end + timedelta(days=1)) - now).total_seconds()


def quiet_hours(text: str) -> QuietHours:
    """The hours in text such as `02:00-06:30`; `ValueError` for any other text."""
    found = _HOURS.fullmatch(text.strip())
    hours = [int(number) for number in found.groups()] if found else []
    if not hours or hours[:2] == hours[2:]:
        raise ValueError(f"{text!r} are no quiet hours: expected two different times of day such as 02:00-06:30")
    return QuietHours(time(hours[0], hours[1]), time(hours[2], hours[3]))


@dataclass(frozen=True, slots=True)
class Limits:
    """When an outing is over. `stop_loss_chips` and `stop_win_chips` are positive; None does not limit."""

    hands: int | None = None
    minutes: float | None = None
    stop_loss_chips: int | None = None
    stop_win_chips: int | None = None
    quiet: QuietHours | None = None


@dataclass(slots=True)
class Outing:
    """What was played so far, from `began` on (seconds of a monotonic clock), against the limits."""

    limits: Limits
    began: float
    hands: int = field(default=0, init=False)
    net_chips: int = field(default=0, init=False)

    def hand_over(self, net_chips: int | None) -> None:
        """Count a hand; a result that is not known changes no chips."""
        self.hands += 1
        self.net_chips += net_chips or 0

    def end(self, now: float) -> str | None:
        """Why the outing is over for good; None while it goes on."""
        limits = self.limits
        if limits.hands is not None and self.hands >= limits.hands:
            return f"{self.hands:,} hands are played"
        if limits.minutes is not None and now - self.began >= 60 * limits.minutes:
            return f"{limits.minutes:g} minutes have passed"
        if limits.stop_loss_chips is not None and self.net_chips <= -limits.stop_loss_chips:
            return f"{-self.net_chips:,} chips are lost"
        if limits.stop_win_chips is not None and self.net_chips >= limits.stop_win_chips:
            return f"{self.net_chips:,} chips are won"
        return None
