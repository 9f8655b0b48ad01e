"""Intervals: how well a mean or a share is known from a few independent blocks."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, stdev
from typing import Final

LEVEL: Final = 0.95
_MOST_DEGREES: Final = 2_000


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with the ends of its interval; the ends are None where one block says nothing about the next."""

    estimate: float
    low: float | None
    high: float | None

    @property
    def half_width(self) -> float | None:
        """Half the distance between the ends."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2


def mean_interval(values: Sequence[float], level: float = LEVEL) -> Interval:
    """The mean of independent values with its t interval; `ValueError` for no values.

    >>> found = mean_interval([1.0, 2.0, 3.0])
    >>> found.estimate, round(found.low, 3), round(found.high, 3)
    (2.0, -0.484, 4.484)
    """
    if not values:
        raise ValueError("no values: an interval needs at least one")
    if len(values) == 1:
        return Interval(values[0], None, None)
    mean = fmean(values)
    half = t_quantile(len(values) - 1, level) * stdev(values) / math.sqrt(len(values))
    return Interval(mean, mean - half, mean + half)


def running_intervals(values: Iterable[float], level: float = LEVEL) -> Iterator[Interval]:
    """The `mean_interval` of the first value, of the first two, and so on. Source: Welford 1962, the running variance."""
    mean, squares = 0.0, 0.0
    for number, value in enumerate(values, 1):
        step = value - mean
        mean += step / number
        squares += step * (value - mean)
        if number == 1:
            yield Interval(mean, None, None)
        else:
            half = t_quantile(number - 1, level) * math.sqrt(squares / (number - 1) / number)
            yield Interval(mean, mean - half, mean + half)


def share_interval(hits: int, trials: int, level: float = LEVEL) -> Interval:
    """A share with Wilson's interval, which holds for few hits too; `ValueError` for no trials.

    >>> found = share_interval(0, 10)
    >>> found.estimate, found.low, round(found.high, 4)
    (0.0, 0.0, 0.2775)
    """
    if trials < 1 or not 0 <= hits <= trials:
        raise ValueError(f"{hits} of {trials}: no share")
    z = NormalDist().inv_cdf((1 + level) / 2)
    share, weight = hits / trials, z * z / trials
    middle = (share + weight / 2) / (1 + weight)
    half = z * math.sqrt(share * (1 - share) / trials + weight / (4 * trials)) / (1 + weight)
    return Interval(share, max(0.0, middle - half) if hits else 0.0, min(1.0, middle + half) if hits < trials else 1.0)


def t_quantile(degrees: int, level: float = LEVEL) -> float:
    """The t for which Student's distribution holds `level` between -t and t.

    >>> [round(t_quantile(degrees), 3) for degrees in (1, 4, 30, 10**6)]
    [12.706, 2.776, 2.042, 1.96]
    """
    if degrees < 1 or not 0 < level < 1:
        raise ValueError(f"{degrees} degrees of freedom, level {level}: expected 1 or more, and a share")
    if degrees > _MOST_DEGREES:
        return NormalDist().inv_cdf((1 + level) / 2)
    low, high = 0.0, math.pi / 2
    for _ in range(60):
        angle = (low + high) / 2
        low, high = (angle, high) if _held(angle, degrees) < level else (low, angle)
    return math.sqrt(degrees) * math.tan(low)


def _held(angle: float, degrees: int) -> float:
    """The part between -t and t, for t = sqrt(degrees) tan(angle). Source: Abramowitz and Stegun 26.7.3 and 26.7.4."""
    square, is_odd = math.cos(angle) ** 2, degrees % 2
    term = math.cos(angle) if is_odd else 1.0
    total = term if degrees > 1 else 0.0
    for step in range(2 + is_odd, degrees - 1, 2):
        term *= square * (step - 1) / step
        total += term
    part = math.sin(angle) * total
    return 2 / math.pi * (angle + part) if is_odd else part
