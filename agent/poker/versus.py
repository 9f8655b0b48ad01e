"""Hero's equity against every single holding: one vector from which the equity against any range is an average."""

import numpy as np
import numpy.typing as npt

from agent.poker.boards import count_each
from agent.poker.equity import check_cards
from agent.poker.evaluator import CARD_WORDS, TABLES
from agent.poker.ranges import COMBOS, holding_any

Equities = npt.NDArray[np.float64]


def equity_versus_each(hole: tuple[int, int], board: tuple[int, ...]) -> Equities:
    """The equity of `hole` against each of the 1,326 holdings on a flop, turn or river, by `ranges.combo_index`.

    Exact, a tie counts a half; NaN for holdings that share a card with hero or the board.

    >>> from agent.poker.cards import parse_cards
    >>> from agent.poker.ranges import combo_index
    >>> hole, board = parse_cards("AsKd"), parse_cards("7h2cKs9d4h")
    >>> equities = equity_versus_each((hole[0], hole[1]), board)
    >>> [float(equities[combo_index(*parse_cards(text))]) for text in ("AcKc", "QhQs", "7c7d")]
    [0.5, 1.0, 0.0]
    """
    check_cards(board, (), hole)
    if len(board) < 3:
        raise ValueError(f"a board of {len(board)} cards: expected 3 to 5")
    possible = np.flatnonzero(~holding_any((*hole, *board)))
    sums = np.zeros((possible.size, 2), dtype=np.int64)
    cards = np.ascontiguousarray(COMBOS[possible])
    count_each(np.array(hole), np.array(board), cards, sums, CARD_WORDS, TABLES)
    result = np.full(len(COMBOS), np.nan)
    result[possible] = sums[:, 0] / sums[:, 1]
    return result
