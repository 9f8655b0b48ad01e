"""Pictures of figures as SVG: the net hand by hand with its band, equity by street, and an interval on a line.

Colours are those of the page, by class; each picture is told in words as well.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from xml.etree.ElementTree import Element, SubElement

from agent.journal.stories import CurvePoint

_WIDTH: Final = 800.0
_HEIGHT: Final = 260.0
_LEFT: Final = 84.0
_BOTTOM: Final = 28.0
_TOP: Final = 12.0
_STEPS: Final = (1.0, 2.0, 2.5, 5.0, 10.0)
_TICKS: Final = 5


@dataclass(frozen=True, slots=True)
class EquityPoint:
    """What was known at a decision, each a share in [0, 1] or unknown: against any hands, against the ranges read, the price."""

    street: str
    random: float | None
    ranges: float | None
    required: float | None


def net_chart(curve: Sequence[CurvePoint]) -> Element:
    """The net in big blinds over hands, with the band of its 95 % interval; at least one point is needed."""
    last = curve[-1]
    picture = _picture("net-chart", _WIDTH, _HEIGHT, _net_words(last))
    low = min(0.0, *(point.low_bb for point in curve))
    high = max(0.0, *(point.high_bb for point in curve))
    ticks = nice_ticks(low, high, _TICKS)
    low, high = min(low, ticks[0]), max(high, ticks[-1])

    def place(hands: float, net_bb: float) -> tuple[float, float]:
        across = (_WIDTH - _LEFT - 10) * hands / last.hands
        up = (_HEIGHT - _TOP - _BOTTOM) * (net_bb - low) / ((high - low) or 1.0)
        return round(_LEFT + across, 1), round(_HEIGHT - _BOTTOM - up, 1)

    for tick in ticks:
        _, y = place(0, tick)
        _line(picture, "grid-line zero" if tick == 0 else "grid-line", (_LEFT, y), (_WIDTH - 10, y))
        _label(picture, f"{tick:+,.10g}" if tick else "0", _LEFT - 6, y + 4, "end")
    for hands in nice_ticks(0, last.hands, 6)[1:]:
        if hands <= last.hands:
            _label(picture, f"{hands:,.10g}", place(hands, 0)[0], _HEIGHT - 8, "middle")
    _label(picture, "hands", _LEFT, _HEIGHT - 8, "start")
    upper = [place(point.hands, point.high_bb) for point in curve]
    lower = [place(point.hands, point.low_bb) for point in reversed(curve)]
    SubElement(picture, "polygon", {"class": "band", "points": _points([*upper, *lower])})
    middle = [place(0, 0), *(place(point.hands, point.net_bb) for point in curve)]
    SubElement(picture, "polyline", {"class": "net-line", "points": _points(middle)})
    x, y = middle[-1]
    SubElement(picture, "circle", {"class": "net-end", "cx": f"{x}", "cy": f"{y}", "r": "3.5"})
    return picture


def equity_chart(points: Sequence[EquityPoint]) -> Element:
    """Equity at each decision of a hand, beside the price of a call."""
    width, height, left = 340.0, 150.0, 34.0
    told = "; ".join(_equity_words(point) for point in points)
    picture = _picture("equity-chart", width, height, f"Equity by street: {told}")

    def place(number: int, share: float) -> tuple[float, float]:
        across = (width - left - 24) * (number + 0.5) / len(points)
        return round(left + across, 1), round(10 + (height - 38) * (1 - min(1.0, max(0.0, share))), 1)

    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        _, y = place(0, share)
        _line(picture, "grid-line", (left, y), (width - 8, y))
        _label(picture, f"{share:.0%}", left - 4, y + 4, "end")
    for number, point in enumerate(points):
        if number == 0 or point.street != points[number - 1].street:
            _label(picture, point.street, place(number, 0)[0], height - 8, "middle")
        if point.required:
            x, y = place(number, point.required)
            _line(picture, "price-line", (x - 12, y), (x + 12, y))
    for kind in ("random", "ranges"):
        placed = [(number, getattr(point, kind)) for number, point in enumerate(points)]
        known = [place(number, share) for number, share in placed if share is not None]
        SubElement(picture, "polyline", {"class": f"{kind}-line", "points": _points(known)})
        for x, y in known:
            SubElement(picture, "circle", {"class": f"{kind}-dot", "cx": f"{x}", "cy": f"{y}", "r": "3.5"})
    return picture


def interval_bar(middle: float, low: float, high: float, reach: float) -> Element:
    """An interval on a line from `-reach` to `reach`, with zero in its middle."""
    picture = _picture("interval-bar", 400, 20, f"{low:+,.1f} to {high:+,.1f}")

    def place(value: float) -> float:
        return round(200 + 194 * max(-1.0, min(1.0, value / (reach or 1.0))), 1)

    _line(picture, "grid-line zero", (200, 2), (200, 18))
    _line(picture, "interval", (place(low), 10), (place(high), 10))
    SubElement(picture, "circle", {"class": "net-end", "cx": f"{place(middle)}", "cy": "10", "r": "4.5"})
    return picture


def nice_ticks(low: float, high: float, most: int) -> list[float]:
    """Round numbers in equal steps from `low` to `high`, at most about `most` of them; zero is one if it lies between.

    >>> nice_ticks(-130, 420, 5)
    [-200.0, 0.0, 200.0, 400.0]
    """
    rough = (high - low) / most or 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    step = power * next(step for step in _STEPS if step * power >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.floor(high / step + 1e-9)
    return [number * step for number in range(first, last + 1)]


def _net_words(last: CurvePoint) -> str:
    return (
        f"Net {last.net_bb:+,.1f} big blinds after {last.hands:,} hands, "
        f"95 % interval {last.low_bb:+,.1f} to {last.high_bb:+,.1f}"
    )


def _equity_words(point: EquityPoint) -> str:
    told = (("any hands", point.random), ("the ranges read", point.ranges), ("price of a call", point.required or None))
    return f"{point.street} " + ", ".join(f"{name} {share:.0%}" for name, share in told if share is not None)


def _picture(name: str, width: float, height: float, words: str) -> Element:
    picture = Element("svg", {"class": f"chart {name}", "viewBox": f"0 0 {width:g} {height:g}", "role": "img"})
    picture.set("aria-label", words)
    return picture


def _line(picture: Element, name: str, start: tuple[float, float], end: tuple[float, float]) -> None:
    ends = {"x1": start[0], "y1": start[1], "x2": end[0], "y2": end[1]}
    SubElement(picture, "line", {"class": name, **{key: f"{value:g}" for key, value in ends.items()}})


def _label(picture: Element, words: str, x: float, y: float, anchor: str) -> None:
    SubElement(picture, "text", {"x": f"{x:g}", "y": f"{y:g}", "text-anchor": anchor}).text = words


def _points(places: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in places)
