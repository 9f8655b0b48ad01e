"""A range in the terminal: the 13 x 13 grid of hand classes, pairs on the diagonal, suited above, offsuit below."""

from typing import Final

import numpy as np
from rich.text import Text

from agent.poker.ranges import CLASSES, Weights

SIDE: Final = 13
GRID_WIDTH: Final = 5 * SIDE - 1
"""Characters of a line of the grid."""

_SHADES: Final = " ░▒▓█"
"""From never to as often as the heaviest class; a character, so that it is seen without colours too."""
_STYLES: Final = ("dim", "cyan", "green", "yellow", "bold red")


def grid_text(weights: Weights) -> Text:
    """A line a row, each class with a shade for its weight beside that of the heaviest class, five steps.

    `weights` is 13 x 13, as `agent.poker.ranges.grid` gives it. What is below an eighth of the heaviest has no shade, and a
    range without any holding no shades at all.

    >>> from agent.poker.ranges import grid, parse_range
    >>> grid_text(grid(parse_range("AA,AK:0.5"))).plain.splitlines()[0][:14]
    'AA █ AKs▒ AQs '
    """
    steps = np.rint(weights / (weights.max() or 1.0) * (len(_SHADES) - 1)).astype(int).ravel()
    shown = Text(no_wrap=True)
    for place, name in enumerate(CLASSES):
        step = int(steps[place])
        shown.append(f"{name:<3}{_SHADES[step]}", style=_STYLES[step])
        if place + 1 < len(CLASSES):
            shown.append("\n" if place % SIDE == SIDE - 1 else " ")
    return shown


def levels_grid(levels: str) -> Weights | None:
    """The grid of a range that is kept as a digit for each class (`RangeWords.levels`); None for any other text.

    >>> float(levels_grid("9" + "0" * 168).max())
    9.0
    """
    if len(levels) != len(CLASSES) or not (levels.isascii() and levels.isdigit()):
        return None
    return np.array([float(level) for level in levels]).reshape(SIDE, SIDE)
