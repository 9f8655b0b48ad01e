"""A weighted range in few words: how wide it is and which hands carry it, for people and for prompts."""

from collections.abc import Collection
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

import numpy as np

from agent.poker.ranges import CLASS_SIZES, CLASSES, Range, class_runs, grid, holding_any, parse_range

MOST_PARTS: Final = 6
TOLD: Final = 0.75
_ANY_TWO: Final = 0.995


@dataclass(frozen=True, slots=True)
class RangeWords:
    """A range as it is told.

    `share` is how wide it is, in [0, 1]: 1 when all holdings are as likely as the likeliest one. `hands` names the likeliest
    classes until they hold `TOLD` of the range; where this takes more than `MOST_PARTS` parts of the notation, the heaviest,
    and dots for the rest; "random" for any two cards. `levels` has a digit for each of the 169 classes, row by row as in the grid, from 0 for never to 9
    for as likely as the likeliest.
    """

    share: float
    hands: str
    levels: str

    @property
    def is_any_two(self) -> bool:
        """Whether nothing is known: every holding is as likely as any other."""
        return self.share >= _ANY_TWO

    @property
    def text(self) -> str:
        """In one line.

        >>> range_words(parse_range("QQ+,AKs")).text
        'about 1.7 %: QQ+,AKs'
        """
        percent = f"{100 * self.share:.{1 if self.share < 0.095 else 0}f} %"
        return "any two cards" if self.is_any_two else f"about {percent}: {self.hands}"


def range_words(range_: Range, known: Collection[int] = ()) -> RangeWords:
    """The range in words, where the `known` cards are elsewhere; nothing at all where no holding is possible.

    >>> words = range_words(parse_range("QQ+,AKs,72o:0.2"))
    >>> words.hands, round(words.share, 3), words.levels[:3]
    ('QQ+,AKs', 0.018, '990')
    """
    possible = np.where(holding_any(known), 0.0, 1.0)
    weights = range_.weights * possible
    heaviest = float(weights.max())
    if not heaviest:
        return RangeWords(0.0, "", "0" * len(CLASSES))
    among = grid(Range(possible)).ravel()
    likely = np.divide(grid(Range(weights)).ravel(), among, out=np.zeros(len(CLASSES)), where=among > 0)
    likely /= likely.max()
    share = float(weights.sum() / heaviest / possible.sum())
    # Of classes that are as likely all are named or none.
    order = np.argsort(-likely, kind="stable")
    held = np.cumsum(likely[order] * among[order] * CLASS_SIZES[order])
    least = likely[order][min(len(order) - 1, int(np.searchsorted(held, TOLD * held[-1])))]
    chosen = {name for name, weight in zip(CLASSES, likely.tolist(), strict=True) if weight >= least > 0}
    levels = "".join(str(round(9 * weight)) for weight in likely.tolist())
    return RangeWords(share, "random" if share >= _ANY_TWO else _hands(chosen, Range(weights)), levels)


def _hands(chosen: AbstractSet[str], range_: Range) -> str:
    """The classes in the notation, its heaviest parts where it would be long."""
    parts = tuple(class_runs(chosen))
    if len(parts) <= MOST_PARTS:
        return ",".join(parts)
    weight = {part: float(range_.weights[parse_range(part).weights > 0].sum()) for part in parts}
    heaviest = sorted(parts, key=lambda part: -weight[part])[:MOST_PARTS]
    return ",".join(part for part in parts if part in heaviest) + ",.."
