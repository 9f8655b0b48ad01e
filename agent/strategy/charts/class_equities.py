"""Exact equities between the 169 classes of hands, all in before the flop, with the removal of cards counted.

`equities_against` works a row out; `class_equities.txt` holds what it found: a line a class in the order of
`CLASSES`, with its equity against every class from itself on, in millionths.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from itertools import permutations
from typing import Final

import numpy as np
import numpy.typing as npt

from agent.poker.exact import BOARD_TABLES, count_hands
from agent.poker.preflop import example_of
from agent.poker.ranges import CLASS_OF_COMBO, CLASSES, COMBOS, combo_index

Matrix = npt.NDArray[np.float64]

FILE: Final = "class_equities.txt"
_NOTHING: Final = np.zeros(0, dtype=np.int64)


@cache
def class_equities() -> Matrix:
    """The equity of every class (row) against every other (column), 169 x 169, from the stored table."""
    text = files("agent.strategy.charts").joinpath(FILE).read_text(encoding="ascii")
    upper = np.zeros((len(CLASSES), len(CLASSES)))
    for place, line in enumerate(text.splitlines()):
        upper[place, place:] = [int(number) / 1e6 for number in line.split()[1:]]
    below = np.tril_indices(len(CLASSES), -1)
    upper[below] = 1 - upper.T[below]
    upper.setflags(write=False)
    return upper


@cache
def class_pairs() -> Matrix:
    """In how many ways two players can hold each pair of classes, 169 x 169; all together 1,326 x 1,225."""
    first, second = COMBOS.T
    shared = np.zeros((len(COMBOS), len(COMBOS)), dtype=bool)
    for own in (first, second):
        for other in (first, second):
            shared |= own[:, np.newaxis] == other
    of_class = np.equal(CLASS_OF_COMBO, np.arange(len(CLASSES))[:, np.newaxis]).astype(np.float64)
    pairs = np.asarray(of_class @ ~shared @ of_class.T)
    pairs.setflags(write=False)
    return pairs


def equities_against(name: str) -> list[float]:
    """The row of the table for a class, worked out: its equity against every class from itself on.

    Suits are alike, so one holding stands for its whole class.
    """
    own = example_of(name)
    swaps = [swap for swap in permutations(range(4)) if {card & ~3 | swap[card & 3] for card in own} == set(own)]
    known: dict[int, float] = {}
    row = []
    for place in range(CLASSES.index(name), len(CLASSES)):
        total, ways = 0.0, 0
        for cards in COMBOS[np.equal(CLASS_OF_COMBO, place)].tolist():
            if set(cards) & set(own):
                continue
            kind = min(combo_index(*(card & ~3 | swap[card & 3] for card in cards)) for swap in swaps)
            if kind not in known:
                known[kind] = _equity(own, tuple(COMBOS[kind].tolist()))
            total, ways = total + known[kind], ways + 1
        row.append(total / ways)
    return row


def _equity(own: tuple[int, int], other: tuple[int, ...]) -> float:
    counts = np.zeros((2, 3), dtype=np.int64)
    count_hands(np.array([own, other], dtype=np.int64), _NOTHING, _NOTHING, counts, BOARD_TABLES)
    boards = counts[0, 1] + counts[0, 2] + counts[1, 1]
    return float((counts[0, 1] + counts[0, 2] / 2) / boards)


def table_text(rows: Mapping[str, list[float]]) -> str:
    """The text of `class_equities.txt` with these rows."""
    return "".join(f"{name} {' '.join(str(round(1e6 * value)) for value in row)}\n" for name, row in rows.items())
