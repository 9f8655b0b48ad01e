"""How strong five to seven cards are when there need not be seven, and how many holdings beat a hand on its board.

`agent.poker.evaluator` looks up the strength of exactly seven cards; on a flop a hand has five and on a turn six.
Here a hand is read from five bit masks: the ranks that are there at least once, twice, three and four times, and
the ranks of each suit. Fewer cards than five (a board alone) are read the same way.

A code is an ordered integer, a higher one wins and equal ones split: the index of the category in `CATEGORIES`,
then three masks of 13 rank bits each. Two masks hold the ranks that make the hand, the one that counts more first;
the last holds the kickers. Masks with equally many bits compare like ranks from the highest down.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from numba import njit

from agent.poker.cards import distinct
from agent.poker.ranges import COMBOS, combo_index

Codes = npt.NDArray[np.int64]

_CATEGORY_SHIFT: Final = 39
_KICKER_BITS: Final = 13


@njit(cache=True, inline="always")
def _with_card(once: int, twice: int, thrice: int, four: int, suits: int, card: int) -> tuple[int, int, int, int, int]:
    """The masks with one card more; `suits` has a lane of 16 bits a suit."""
    bit = 1 << (card >> 2)
    four, thrice, twice, once = four | thrice & bit, thrice | twice & bit, twice | once & bit, once | bit
    return once, twice, thrice, four, suits | bit << 16 * (card & 3)


@njit(cache=True)
def _count(mask: int) -> int:
    count = 0
    while mask:
        mask, count = mask & mask - 1, count + 1
    return count


@njit(cache=True)
def _highest(mask: int, n: int) -> int:
    """The mask with its `n` highest bits only, or all if it has fewer."""
    for _ in range(_count(mask) - n):
        mask &= mask - 1
    return mask


@njit(cache=True)
def _straight_top(ranks: int) -> int:
    """The bit of the rank that tops the best straight in a mask of 13 rank bits, 0 for none; the ace is also low."""
    low = ranks << 1 | ranks >> 12
    return _highest(low & low >> 1 & low >> 2 & low >> 3 & low >> 4, 1) << 3


@njit(cache=True)
def _code(category: int, first: int, second: int, kickers: int) -> int:
    return ((category << 13 | first) << 13 | second) << 13 | kickers


@njit(cache=True)
def _read(once: int, twice: int, thrice: int, four: int, suits: int) -> int:
    """The code of up to seven cards; among so few a flush leaves no room for four of a kind or a full house."""
    for lane in range(4):
        flush = suits >> 16 * lane & 0x1FFF
        if _count(flush) >= 5:
            top = _straight_top(flush)
            return _code(8, top, 0, 0) if top else _code(5, _highest(flush, 5), 0, 0)
    if four:
        return _code(7, four, 0, _highest(once & ~four, 1))
    trips, top = _highest(thrice, 1), _straight_top(once)
    if trips and twice & ~trips:
        return _code(6, trips, _highest(twice & ~trips, 1), 0)
    if top:
        return _code(4, top, 0, 0)
    if trips:
        return _code(3, trips, 0, _highest(once & ~trips, 2))
    pairs = _highest(twice, 2)
    number = _count(pairs)
    return _code(number, pairs, 0, _highest(once & ~pairs, 5 - 2 * number))


@njit(cache=True, nogil=True)
def codes_of(hands: Any) -> Any:
    """The codes of many hands: `hands` has shape (n, up to 7), dtype int64; the result (n,), int64."""
    result = np.empty(hands.shape[0], dtype=np.int64)
    for i in range(hands.shape[0]):
        once, twice, thrice, four, suits = 0, 0, 0, 0, 0
        for card in hands[i]:
            once, twice, thrice, four, suits = _with_card(once, twice, thrice, four, suits, card)
        result[i] = _read(once, twice, thrice, four, suits)
    return result


@njit(cache=True, nogil=True)
def straight_tops(hands: Any) -> Any:
    """The bit of the rank that tops the best straight of each hand, suits aside, 0 for none; shapes as in `codes_of`."""
    result = np.empty(hands.shape[0], dtype=np.int64)
    for i in range(hands.shape[0]):
        ranks = 0
        for card in hands[i]:
            ranks |= 1 << (card >> 2)
        result[i] = _straight_top(ranks)
    return result


@njit(cache=True, nogil=True)
def _codes_on(board: Any, combos: Any) -> Any:
    """The code of every combo with the board, 0 for those that hold a board card."""
    result = np.zeros(combos.shape[0], dtype=np.int64)
    once, twice, thrice, four, suits = 0, 0, 0, 0, 0
    for card in board:
        once, twice, thrice, four, suits = _with_card(once, twice, thrice, four, suits, card)
    for i in range(combos.shape[0]):
        high, low = combos[i]
        if not (suits >> 16 * (high & 3) + (high >> 2) | suits >> 16 * (low & 3) + (low >> 2)) & 1:
            a, b, c, d, e = _with_card(once, twice, thrice, four, suits, high)
            a, b, c, d, e = _with_card(a, b, c, d, e, low)
            result[i] = _read(a, b, c, d, e)
    return result


@njit(cache=True, nogil=True)
def _compare(codes: Any, combos: Any, own: int) -> tuple[int, int, int]:
    """How many live combos share no card with combo `own` and have a higher, the same and a lower code."""
    higher, same, lower = 0, 0, 0
    first, second = combos[own]
    for i in range(combos.shape[0]):
        high, low = combos[i]
        if codes[i] and first != high and first != low and second != high and second != low:
            higher += codes[i] > codes[own]
            same += codes[i] == codes[own]
            lower += codes[i] < codes[own]
    return higher, same, lower


def code_of(cards: tuple[int, ...]) -> int:
    """The code of up to seven distinct cards.

    >>> from agent.poker.cards import parse_cards
    >>> code_of(parse_cards("Ah2c3d4s5h")) < code_of(parse_cards("2c3d4s5h6h"))
    True
    """
    return int(codes_of(np.array([cards], dtype=np.int64))[0])


def categories(codes: Codes) -> Codes:
    """For each code the index in `CATEGORIES`."""
    return codes >> _CATEGORY_SHIFT


def without_kickers(codes: Codes) -> Codes:
    """The codes cut down to what makes the hand: category and ranks, kickers aside; nothing (0) for a high card."""
    return codes >> _KICKER_BITS


def holding_codes(board: tuple[int, ...]) -> Codes:
    """The codes of all 1,326 holdings (in the order of `COMBOS`) on three to five cards; 0 where one holds a card."""
    return np.asarray(_codes_on(np.array(dealt(board), dtype=np.int64), COMBOS))


def dealt(board: tuple[int, ...], hole: tuple[int, ...] = ()) -> tuple[int, ...]:
    """Hole cards and board together, once it is certain that they are distinct and the board is a flop or more."""
    if not 3 <= len(board) <= 5:
        raise ValueError(f"a board of {len(board)} cards: expected 3 (flop), 4 (turn) or 5 (river)")
    return distinct((*hole, *board))


@dataclass(frozen=True, slots=True)
class Nutness:
    """How a hand stands now against every holding that the cards unseen can make: numbers of holdings."""

    beaten_by: int
    ties: int
    beats: int

    @property
    def holdings(self) -> int:
        """All holdings of two unseen cards: 1,081 on the flop, 1,035 on the turn, 990 on the river."""
        return self.beaten_by + self.ties + self.beats

    @property
    def is_nuts(self) -> bool:
        """Whether no holding that is still possible beats it."""
        return self.beaten_by == 0

    @property
    def percentile(self) -> float:
        """The share of holdings it beats, ties counted half, in [0, 1]."""
        return (self.beats + self.ties / 2) / self.holdings

    def __str__(self) -> str:
        """The standing in words.

        >>> str(Nutness(beaten_by=0, ties=2, beats=988))
        'the nuts (2 of 990 holdings tie)'
        >>> str(Nutness(beaten_by=99, ties=3, beats=888))
        'ahead of 89.8 % of holdings (99 of 990 beat it, 3 tie)'
        """
        if self.is_nuts:
            return "the nuts" + (f" ({self.ties} of {self.holdings} holdings tie)" if self.ties else "")
        ties = f", {self.ties} tie" if self.ties else ""
        return f"ahead of {100 * self.percentile:.1f} % of holdings ({self.beaten_by} of {self.holdings} beat it{ties})"


def nutness(hole: tuple[int, int], board: tuple[int, ...]) -> Nutness:
    """How many holdings of the unseen cards beat, tie and lose to these hole cards on a flop, turn or river as it lies.

    >>> from agent.poker.cards import parse_cards
    >>> str(nutness(parse_cards("AsKs"), parse_cards("QsJsTs2c3d")))
    'the nuts'
    """
    dealt(board, hole)
    return Nutness(*_compare(holding_codes(board), COMBOS, combo_index(*hole)))
