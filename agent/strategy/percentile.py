"""Where each of the 1,326 holdings stands: the order of strength that the reading of ranges cuts.

Before the flop holdings stand by the equity of their class against a few random hands. On a board they stand by the
share of opposing holdings that they beat now; on flop and turn draws stand higher, by how likely they come in.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from agent.poker.batch import strength_percentiles
from agent.poker.cards import RANKS, SUITS
from agent.poker.preflop_table import PREFLOP_EQUITIES
from agent.poker.ranges import CLASS_OF_COMBO, CLASSES, COMBOS

Values = npt.NDArray[np.float64]
Masks = npt.NDArray[np.int64]

PREFLOP_OPPONENTS: Final = 3
"""Against so many random hands the order before the flop is taken: one flatters small pairs and bare high cards."""

_BOARDS_KEPT: Final = 512
_FLUSH_OUTS: Final = 9
_RANK_OUTS: Final = 4
_UNSEEN: Final = {3: 47, 4: 46}

_RANK_MASKS: Final[Masks] = np.bitwise_or.reduce(1 << (COMBOS >> 2), axis=1)
_CARD_BITS: Final[Masks] = np.bitwise_or.reduce(1 << COMBOS, axis=1)
_SUITS: Final[Masks] = np.array([np.equal(COMBOS & 3, suit).sum(axis=1) for suit in range(len(SUITS))])


def without(cards: Iterable[int]) -> npt.NDArray[np.bool_]:
    """Which of the holdings hold none of these cards."""
    known = sum(1 << card for card in cards)
    return np.asarray(np.equal(_CARD_BITS & known, 0))


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """The order of all holdings, those of equal strength together.

    `level` (1326,) is the place of each among the `levels` kinds of strength, 0 the strongest. `possible` tells which
    holdings the board leaves; the others have a level that means nothing. `among_all` are the fractions of `top_fractions`
    in a range of any two cards.
    """

    level: Masks
    levels: int
    possible: npt.NDArray[np.bool_]
    among_all: Values = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "among_all", self.top_fractions(np.ones(len(self.level))))

    def top_fractions(self, weights: Values) -> Values:
        """For each holding the share of a range, weighted so, that stands above it, its equals half: 0 the top, 1 the bottom.

        `weights` (1326,) have to leave something possible.
        """
        mass = np.bincount(self.level, weights * self.possible, self.levels)
        above = np.cumsum(mass) - mass / 2
        return np.asarray((above / mass.sum())[self.level])


def standing(values: Values, possible: npt.NDArray[np.bool_]) -> Standing:
    """The order that values give, the highest first."""
    ranked, level = np.unique(-values.round(9), return_inverse=True)
    return Standing(level, len(ranked), possible)


@lru_cache(_BOARDS_KEPT)
def strengths(board: tuple[int, ...], draw_bonus: float) -> Values:
    """How strong each holding is on a flop, turn or river, from 0 to 1; 0 where it holds a card of the board.

    A draw that comes in with chance q moves a holding q * `draw_bonus` of its way to the top.
    """
    now = strength_percentiles(board)
    values = now.values + draw_bonus * _draw_chances(board) * (1.0 - now.values) if len(board) < 5 else now.values
    values = np.where(now.possible, values, 0.0)
    values.setflags(write=False)
    return values


@lru_cache(_BOARDS_KEPT)
def standing_on(board: tuple[int, ...], draw_bonus: float) -> Standing:
    """The order of the holdings on a flop, turn or river; `ValueError` for another board."""
    return standing(strengths(board, draw_bonus), without(board))


def _preflop_strengths() -> Values:
    by_class = np.array([PREFLOP_EQUITIES[name][PREFLOP_OPPONENTS - 1][0] for name in CLASSES])
    return np.asarray(by_class[CLASS_OF_COMBO])


PREFLOP_STANDING: Final = standing(_preflop_strengths(), np.ones(len(COMBOS), dtype=np.bool_))
"""The order of the holdings before the flop."""

PREFLOP_TOP: Final = PREFLOP_STANDING.among_all
"""For each holding the share of all that stand above it before the flop."""


def _draw_chances(board: tuple[int, ...]) -> Values:
    """How likely each holding is to complete a flush or a straight by the river that the board alone does not."""
    on_board = np.bincount([card & 3 for card in board], minlength=len(SUITS))
    has_flush_draw = ((_SUITS + on_board[:, np.newaxis] == 4) & (_SUITS > 0)).any(axis=0)
    ranks = int(np.bitwise_or.reduce([1 << (card >> 2) for card in board]))
    outs = _STRAIGHT_OUTS[_RANK_MASKS | ranks] & ~_STRAIGHT_OUTS[ranks]
    cards = _FLUSH_OUTS * has_flush_draw + _RANK_OUTS * _BIT_COUNTS[outs]
    missed = 1.0 - cards / _UNSEEN[len(board)]
    return np.asarray(1.0 - missed ** (5 - len(board)))


def _straight_outs() -> Masks:
    """For every set of ranks (13 bits) the ranks that would complete a straight; none where there is one already."""
    masks = np.arange(1 << len(RANKS))
    low = masks << 1 | masks >> 12
    has_straight = (low & low >> 1 & low >> 2 & low >> 3 & low >> 4) > 0
    outs = np.zeros_like(masks)
    for rank in range(len(RANKS)):
        outs |= (has_straight[masks | 1 << rank] & ~has_straight) << rank
    return outs


_STRAIGHT_OUTS: Final = _straight_outs()
_BIT_COUNTS: Final = np.array([mask.bit_count() for mask in range(1 << len(RANKS))])
