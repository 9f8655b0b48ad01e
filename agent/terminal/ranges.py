"""A range in the terminal: the 13 x 13 grid of hand classes, pairs on the diagonal, suited above, offsuit below."""

from typing import Final

import numpy as np
from rich.text import Text

from agent.poker.ranges import CLASSES, Range, grid

_SHADES: Final = " ░▒▓█"
"""From never to as often as the heaviest class; a character, so that it is seen without colours too."""
_STYLES: Final = ("dim", "cyan", "green", "yellow", "bold red")
_SIDE: Final = 13


def grid_text(range_: Range) -> Text:
    """A line a row, each class with a shade for its mean weight beside that of the heaviest class, five steps.

    What is below an eighth of the heaviest has none, and a range without any holding no shades at all.

    >>> from agent.poker.ranges import parse_range
    >>> grid_text(parse_range("AA,AK:0.5")).plain.splitlines()[0][:14]
    'AA █ AKs▒ AQs '
    """
    weights = grid(range_)
    steps = np.rint(weights / (weights.max() or 1.0) * (len(_SHADES) - 1)).astype(int).ravel()
    shown = Text(no_wrap=True)
    for place, name in enumerate(CLASSES):
        step = int(steps[place])
        shown.append(f"{name:<3}{_SHADES[step]}", style=_STYLES[step])
        shown.append("\n" if place % _SIDE == _SIDE - 1 else " ")
    return shown
