"""Ranges made wider or narrower: for players whose ranges are known only about."""

from functools import cache

import numpy as np

from agent.poker.ranges import BEST_FIRST, CLASS_SIZES, CLASSES, Range, grid
from agent.strategy.charts.tables import SEATS, Classes, as_range, chart, classes


def resized(range_: Range, share: float) -> Range:
    """The range with weak hands taken out or the next best put in, until it holds `share` percent of all holdings.

    Which hands come first is taken from the opening charts: what is opened from earlier seats, then the equity.
    """
    return as_range(resized_classes(grid(range_).ravel(), share))


def resized_classes(weights: Classes, share: float) -> Classes:
    """`resized` for weights by class."""
    missing = share / 100 * CLASS_SIZES.sum() - float(weights @ CLASS_SIZES)
    order = np.array(_first_to_play() if missing > 0 else _first_to_play()[::-1])
    room = (np.maximum(0.0, 1 - weights) if missing > 0 else weights)[order] * CLASS_SIZES[order]
    taken = np.clip(abs(missing) - (np.cumsum(room) - room), 0.0, room)
    changed = weights.copy()
    changed[order] += np.copysign(taken, missing) / CLASS_SIZES[order]
    return np.maximum(changed, 0.0)


def scaled(weights: Classes, factor: float) -> Classes:
    """The best part of a range, this many times as large."""
    return weights if factor == 1 else resized_classes(weights, factor * share_of(weights))


def share_of(weights: Classes) -> float:
    """The weighted part of all holdings that weights by class hold, in percent."""
    return 100 * float(weights @ CLASS_SIZES) / float(CLASS_SIZES.sum())


@cache
def _first_to_play() -> tuple[int, ...]:
    """The places of all classes, the most playable first."""
    charts = [classes(text) for seat in (*SEATS[:-1], "HU") for text in chart("opening")[seat].values()]
    opened = np.mean(charts, axis=0)
    strength = {name: rank for rank, name in enumerate(BEST_FIRST)}
    return tuple(sorted(range(len(CLASSES)), key=lambda place: (-opened[place], strength[CLASSES[place]])))
