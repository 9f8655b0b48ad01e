"""How strong seven cards are: two table look-ups instead of 21 five-card hands.

Every card has one 64-bit word: a 48-bit key of its rank above four 4-bit counters of suits. The words of seven
cards add up to a number that tells at once whether five share a suit (a counter reached five) and, in its upper
bits, which ranks are there. The rank keys are chosen so that all 49,205 rank combinations fall on different
places of a 65,536-entry table, moved apart by a displacement per row ("hash and displace").

A strength is an integer in 1..4824, the number of distinct seven-card results; a higher one wins and equal ones
split. `category` and `agent.poker.hands` put it in words.
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt
from numba import njit

from agent.poker.cards import DECK

Words = npt.NDArray[np.uint64]

RANK_KEYS: Final[Words] = np.array(
    [
        0x8306BDF37923,
        0xF35196BBC153,
        0x24E7A4F608ED,
        0xF2DAB0AED2AD,
        0x4FD42FA03FCD,
        0x6C5F1F45DE79,
        0xD3E4513345EF,
        0x68C1464C41CB,
        0x8CB22C02A4D1,
        0x070E1D3215F3,
        0xC0E63C2EDD97,
        0x89C3C29AD67F,
        0x54694C3AD14B,
    ],
    dtype=np.uint64,
)

# Two words a card: what is added up, and its rank bit in the 16-bit lane of its suit.
CARD_WORDS: Final[Words] = np.array(
    [[(int(RANK_KEYS[c >> 2]) << 16) | 1 << 4 * (c & 3), 1 << 16 * (c & 3) + (c >> 2)] for c in DECK], dtype=np.uint64
)

CATEGORIES: Final = (
    "high card",
    "pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
)

_ROWS: Final = 1 << 13
_PLACES: Final = 1 << 16
_ROW_SHIFT: Final = np.uint64(51)
_COLUMN_SHIFT: Final = np.uint64(16)
_COLUMN_MASK: Final = np.uint64(0xFFFF)
_COUNTER_BIAS: Final = np.uint64(0x3333)
_COUNTER_FULL: Final = np.uint64(0x8888)
_LANE_MASK: Final = np.uint64(0x1FFF)


@njit(cache=True)
def _straight_top(mask: int) -> int:
    """The rank that tops the best straight of a 13-bit rank mask, -1 for none; the ace also counts as one."""
    for top in range(12, 3, -1):
        if (mask >> (top - 4)) & 0x1F == 0x1F:
            return top
    return 3 if mask & 0x100F == 0x100F else -1


@njit(cache=True)
def _flush_code(mask: int) -> int:
    """An ordered code for five or more cards of one suit: category, then ranks from high to low."""
    top = _straight_top(mask)
    if top >= 0:
        return 8 << 20 | top << 16
    code, taken = 5, 0
    for rank in range(12, -1, -1):
        if taken < 5 and mask >> rank & 1:
            code, taken = code << 4 | rank, taken + 1
    return code


@njit(cache=True)
def _highest(counts: Any, at_least: int, other_than: int) -> int:
    """The highest rank that is there `at_least` times, `other_than` aside; -1 for none."""
    for rank in range(12, -1, -1):
        if counts[rank] >= at_least and rank != other_than:
            return rank
    return -1


@njit(cache=True)
def _shape(counts: Any) -> tuple[int, int, int, int]:
    """Straights aside: the category of seven cards, the one or two ranks that make it (-1: none), how many kickers."""
    quads = _highest(counts, 4, -1)
    if quads >= 0:
        return 7, quads, -1, 1
    trips = _highest(counts, 3, -1)
    pair = _highest(counts, 2, trips)
    if trips >= 0:
        return (6, trips, pair, 0) if pair >= 0 else (3, trips, -1, 2)
    second = _highest(counts, 2, pair)
    if pair >= 0:
        return (2, pair, second, 1) if second >= 0 else (1, pair, -1, 3)
    return 0, -1, -1, 5


@njit(cache=True)
def _ranks_code(counts: Any) -> int:
    """An ordered code for seven cards by how many there are of each rank, suits aside: category, then five ranks."""
    code, first, second, kickers = _shape(counts)
    mask = 0
    for rank in range(13):
        mask |= (counts[rank] > 0) << rank
    top = _straight_top(mask)
    if top >= 0 and code < 6:
        return 4 << 20 | top << 16
    places = 5
    for named in (first, second):
        if named >= 0:
            code, places = code << 4 | named, places - 1
    for rank in range(12, -1, -1):
        if kickers > 0 and counts[rank] > 0 and rank != first and rank != second:
            code, places, kickers = code << 4 | rank, places - 1, kickers - 1
    return code << 4 * places


@njit(cache=True)
def _rank_combinations(keys: Any) -> Any:
    """(hash word, code) of each way in which seven cards spread over thirteen ranks."""
    found = np.empty((49_205, 2), dtype=np.uint64)
    counts = np.zeros(13, dtype=np.int64)
    filled, left, rank = 0, 7, 0
    while rank >= 0:
        if rank == 13 or left == 0:
            if left == 0:
                word = np.uint64(0)
                for r in range(13):
                    word += keys[r] * np.uint64(counts[r])
                found[filled, 0], found[filled, 1] = word << np.uint64(16), np.uint64(_ranks_code(counts))
                filled += 1
            rank -= 1
        else:
            take = min(4, left)
            counts[rank], left, rank = take, left - take, rank + 1
            continue
        while rank >= 0 and counts[rank] == 0:
            rank -= 1
        if rank >= 0:
            counts[rank], left, rank = counts[rank] - 1, left + 1, rank + 1
    return found[:filled]


@njit(cache=True)
def _displace(rows: Any, columns: Any, order: Any, starts: Any) -> Any:
    """A displacement a row, fullest rows first, so that no two entries share a place; -1 marks failure."""
    taken = np.zeros(_PLACES, dtype=np.bool_)
    displacement = np.full(_ROWS, -1, dtype=np.int64)
    for row in order:
        for shift in range(_PLACES):
            fits = True
            for i in range(starts[row], starts[row + 1]):
                if taken[(columns[i] + shift) & 0xFFFF]:
                    fits = False
                    break
            if fits:
                for i in range(starts[row], starts[row + 1]):
                    taken[(columns[i] + shift) & 0xFFFF] = True
                displacement[row] = shift
                break
    return displacement


def _build_tables() -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.uint16], npt.NDArray[np.uint16], tuple[int, ...]]:
    combinations = _rank_combinations(RANK_KEYS)
    combinations = combinations[np.argsort(combinations[:, 0] >> _ROW_SHIFT, kind="stable")]
    rows = (combinations[:, 0] >> _ROW_SHIFT).astype(np.int64)
    columns = (combinations[:, 0] >> _COLUMN_SHIFT & _COLUMN_MASK).astype(np.int64)
    starts = np.searchsorted(rows, np.arange(_ROWS + 1))
    displacement = _displace(rows, columns, np.argsort(-np.diff(starts), kind="stable"), starts)
    if (displacement < 0).any():
        raise AssertionError("the rank keys leave no room in the strength table")

    flush_masks = [mask for mask in range(1 << 13) if mask.bit_count() >= 5]
    flush_codes = np.array([_flush_code(mask) for mask in flush_masks], dtype=np.uint64)
    codes = np.unique(np.concatenate([combinations[:, 1], flush_codes]))
    by_ranks = np.zeros(_PLACES, dtype=np.uint16)
    by_ranks[(columns + displacement[rows]) & 0xFFFF] = np.searchsorted(codes, combinations[:, 1]) + 1
    by_flush = np.zeros(1 << 13, dtype=np.uint16)
    by_flush[flush_masks] = np.searchsorted(codes, flush_codes) + 1
    firsts = tuple(int(np.searchsorted(codes, np.uint64(c << 20))) + 1 for c in range(len(CATEGORIES)))
    return displacement.astype(np.uint16), by_ranks, by_flush, firsts


_displacements, _by_ranks, _by_flush, _CATEGORY_FIRST = _build_tables()
Tables = tuple[npt.NDArray[np.uint16], npt.NDArray[np.uint16], npt.NDArray[np.uint16]]
TABLES: Final[Tables] = (_displacements, _by_ranks, _by_flush)
STRONGEST: Final = int(_by_flush.max())


@njit(cache=True, inline="always")
def strength_of_sums(words: Any, masks: Any, tables: Any) -> Any:
    """The strength of seven cards whose `CARD_WORDS` columns add up to `words` and `masks`."""
    full = (words + _COUNTER_BIAS) & _COUNTER_FULL
    if full:
        lane = np.uint64(0)
        while not (full >> (np.uint64(4) * lane)) & np.uint64(8):
            lane += np.uint64(1)
        # Five of a suit leave no room for four of a kind or a full house, so the flush is the best hand.
        return tables[2][(masks >> (np.uint64(16) * lane)) & _LANE_MASK]
    return tables[1][((words >> _COLUMN_SHIFT) + tables[0][words >> _ROW_SHIFT]) & _COLUMN_MASK]


@njit(cache=True, nogil=True)
def strengths(hands: Any, card_words: Any, tables: Any) -> Any:
    """The strengths of many hands: `hands` has shape (n, 7), dtype int64; the result (n,), uint16."""
    result = np.empty(hands.shape[0], dtype=np.uint16)
    for i in range(hands.shape[0]):
        words, masks = np.uint64(0), np.uint64(0)
        for j in range(7):
            words += card_words[hands[i, j], 0]
            masks += card_words[hands[i, j], 1]
        result[i] = strength_of_sums(words, masks, tables)
    return result


def strength(cards: tuple[int, ...]) -> int:
    """The strength of seven distinct cards, 1 (worst) to `STRONGEST` (a royal flush).

    >>> from agent.poker.cards import parse_cards
    >>> strength(parse_cards("AsKsQsJsTs2c3d")) == STRONGEST
    True
    """
    if len(cards) != 7:
        raise ValueError(f"strength needs seven cards, got {len(cards)}")
    return int(strengths(np.array([cards], dtype=np.int64), CARD_WORDS, TABLES)[0])


def category(value: int) -> int:
    """The index in `CATEGORIES` of a strength: 0 high card to 8 straight flush."""
    return int(np.searchsorted(_CATEGORY_FIRST, value, side="right")) - 1
