"""Questions about all 1,326 holdings at once: their equity against a range, and how strong they are now.

Answers are arrays in the order of `agent.poker.ranges.COMBOS`, with a mask of the holdings that the known cards leave
possible; the others have value 0.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from agent.poker.boards import rank_holdings, weigh_every_holding
from agent.poker.cards import DECK
from agent.poker.equity import check_cards, relative_weights
from agent.poker.evaluator import CARD_WORDS, TABLES
from agent.poker.ranges import COMBOS, Range
from agent.poker.report import CRUMBS
from agent.poker.small_hands import holding_codes


@dataclass(frozen=True, slots=True)
class PerHolding:
    """One value in [0, 1] for each holding; `possible` tells for which it means something. Both have shape (1326,)."""

    values: npt.NDArray[np.float64]
    possible: npt.NDArray[np.bool_]


def equity_of_every_holding(opponent: Range, board: tuple[int, ...], *, dead: tuple[int, ...] = ()) -> PerHolding:
    """The exact equity of each holding against a range on a flop, turn or river.

    A holding that leaves the opponent none of their own is not possible. Raises `ValueError` for impossible cards and
    for a board of fewer than three.
    """
    check_cards(board, dead)
    if not board:
        raise ValueError("before the flop there are too many boards for all holdings at once; ask hand by hand")
    live = np.logical_not(np.isin(COMBOS, [*board, *dead]).any(axis=1))
    sums = np.zeros((int(live.sum()), 3))
    known, gone = np.array(board, dtype=np.int64), np.array(dead, dtype=np.int64)
    weights = relative_weights(opponent)[live]
    weigh_every_holding(known, gone, COMBOS[live], weights, sums, CARD_WORDS, TABLES)
    boards = math.comb(len(DECK) - len(board) - len(dead) - 2, 5 - len(board))
    return _spread(live, sums, boards * float(weights.sum()))


def strength_percentiles(board: tuple[int, ...], *, dead: tuple[int, ...] = ()) -> PerHolding:
    """The share of opposing holdings that each holding beats as things stand, ties counting half; from a flop on.

    Opposing holdings are all that share no card with it; cards to come are not looked at.
    """
    check_cards(board, dead)
    codes = holding_codes(board)
    live = np.logical_and(codes > 0, ~np.isin(COMBOS, list(dead)).any(axis=1))
    sums = np.zeros((int(live.sum()), 3))
    rank_holdings(codes[live], COMBOS[live], np.ones(len(sums)), sums)
    return _spread(live, sums, float(len(sums)))


def _spread(live: npt.NDArray[np.bool_], sums: npt.NDArray[np.float64], most: float) -> PerHolding:
    """Values of the live holdings from their (lost, won, shared), put in their places among all.

    `most` is what a holding would meet if nothing were in its way.
    """
    totals = sums.sum(axis=1)
    meets = totals > CRUMBS * most
    values, possible = np.zeros(len(COMBOS)), np.zeros(len(COMBOS), dtype=np.bool_)
    places = np.flatnonzero(live)[meets]
    values[places] = np.clip((sums[meets, 1] + sums[meets, 2] / 2) / totals[meets], 0.0, 1.0)
    possible[places] = True
    return PerHolding(values, possible)
