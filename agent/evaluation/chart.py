"""Charts of a match as SVG: the running estimate after each block, with its band, one panel a match.

Written without a plotting library: a line, a band and two axes need none, and every browser shows them.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from agent.evaluation.intervals import Interval

WIDTH: Final = 860
HEIGHT: Final = 340
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 20, 40, 50
_FONT: Final = 'font-family="sans-serif" font-size="12"'
_BAND_FROM: Final = 3
"""Blocks before the band is drawn: two of them leave it so wide that nothing else could be seen."""


@dataclass(frozen=True, slots=True)
class Panel:
    """A running estimate. `points` are what was played until then, and the estimate; `mark` is the level to compare with."""

    title: str
    x_label: str
    y_label: str
    points: tuple[tuple[int, Interval], ...]
    mark: float = 0.0


@dataclass(frozen=True, slots=True)
class _Scale:
    """From values to places on the page, along one axis."""

    least: float
    most: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """The place of a value, kept inside the axis."""
        inside = min(self.most, max(self.least, value))
        return self.start + (inside - self.least) / (self.most - self.least) * (self.end - self.start)


def svg(panels: Sequence[Panel]) -> str:
    """The document; `ValueError` without a panel, or for a panel without points."""
    if not panels or not all(panel.points for panel in panels):
        raise ValueError("nothing to draw: a chart needs a panel, and a panel needs points")
    height = HEIGHT * len(panels)
    body = "\n".join(
        f'<g transform="translate(0 {HEIGHT * place})">\n{_panel(panel)}\n</g>' for place, panel in enumerate(panels)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}">\n'
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>\n{body}\n</svg>\n'
    )


def ticks(least: float, most: float, wanted: int = 6) -> list[float]:
    """Round values between two ends, about as many as wanted.

    >>> ticks(-12, 31)
    [-10.0, 0.0, 10.0, 20.0, 30.0]
    """
    rough = (most - least) / wanted
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough)
    return [number * step for number in range(math.ceil(least / step), math.floor(most / step) + 1)]


def _panel(panel: Panel) -> str:
    x = _Scale(0, panel.points[-1][0], _LEFT, WIDTH - _RIGHT)
    y = _Scale(*_extent(panel), HEIGHT - _BOTTOM, _TOP)
    return "\n".join((*_frame(panel, x, y), *_band(panel, x, y), _line(panel, x, y)))


def _extent(panel: Panel) -> tuple[float, float]:
    """The values to show: the band once it has settled, and the mark."""
    later = panel.points[len(panel.points) // 4 :]
    values = [panel.mark, *(interval.estimate for _, interval in panel.points[len(panel.points) // 10 :])]
    values += [end for _, interval in later for end in (interval.low, interval.high) if end is not None]
    least, most = min(values), max(values)
    room = 0.05 * (most - least) or 1.0
    return least - room, most + room


def _frame(panel: Panel, x: _Scale, y: _Scale) -> Iterable[str]:
    yield f'<text x="{_LEFT}" y="24" font-family="sans-serif" font-size="15">{escape(panel.title)}</text>'
    for value in ticks(y.least, y.most):
        yield f'<line x1="{x.start}" y1="{y(value):.1f}" x2="{x.end}" y2="{y(value):.1f}" stroke="#ddd"/>'
        yield f'<text x="{x.start - 8}" y="{y(value) + 4:.1f}" text-anchor="end" {_FONT}>{value:g}</text>'
    for value in ticks(x.least, x.most):
        yield f'<text x="{x(value):.1f}" y="{y.start + 18}" text-anchor="middle" {_FONT}>{value:,.0f}</text>'
    yield (
        f'<line x1="{x.start}" y1="{y(panel.mark):.1f}" x2="{x.end}" y2="{y(panel.mark):.1f}" '
        'stroke="#555" stroke-dasharray="5 4"/>'
    )
    middle = (x.start + x.end) / 2
    yield f'<text x="{middle}" y="{y.start + 38}" text-anchor="middle" {_FONT}>{escape(panel.x_label)}</text>'
    down = (y.start + y.end) / 2
    yield (
        f'<text x="16" y="{down}" text-anchor="middle" transform="rotate(-90 16 {down})" {_FONT}>'
        f"{escape(panel.y_label)}</text>"
    )


def _band(panel: Panel, x: _Scale, y: _Scale) -> Iterable[str]:
    known = [
        (at, interval.low, interval.high)
        for at, interval in panel.points[_BAND_FROM - 1 :]
        if interval.low is not None and interval.high is not None
    ]
    if len(known) > 1:
        above = [f"{x(at):.1f},{y(high):.1f}" for at, _, high in known]
        below = [f"{x(at):.1f},{y(low):.1f}" for at, low, _ in reversed(known)]
        yield f'<polygon points="{" ".join((*above, *below))}" fill="#4878a8" fill-opacity="0.25"/>'


def _line(panel: Panel, x: _Scale, y: _Scale) -> str:
    places = [f"{x(at):.1f},{y(interval.estimate):.1f}" for at, interval in panel.points]
    if len(places) == 1:
        at, interval = panel.points[0]
        return f'<circle cx="{x(at):.1f}" cy="{y(interval.estimate):.1f}" r="3" fill="#1f4e79"/>'
    return f'<polyline points="{" ".join(places)}" fill="none" stroke="#1f4e79" stroke-width="1.8"/>'
