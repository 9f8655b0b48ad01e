"""Exact equity against up to five opponents with random hands, without dealing them.

For one complete board, the holdings that an opponent may have are the edges of a graph on the live cards: behind
hero (weight 1), level (weight x) or ahead (weight 0). Hands of k opponents are k disjoint edges, so the matching count
M_k(x) of `agent.poker.matchings` is the polynomial whose coefficient of x^j counts the deals in which hero ties
with j others and beats the rest. It is evaluated at whole x and interpolated, all in whole numbers.

Boards come by kind, as in `agent.poker.exact`: by ranks alone where no suit has three cards, and with the cards of
one suit told apart where it has. At most one suit can have three of five, so these kinds are disjoint. On a board,
live cards that stand alike towards all others form one class, which leaves small matrices.
"""

from dataclasses import dataclass
from math import comb, factorial, perm
from typing import Any, Final

import numpy as np
from numba import njit

from agent.poker.cards import DECK, distinct
from agent.poker.exact import (
    BOARD_TABLES,
    off_suit_counts,
    place_cards,
    popcount,
    remove_cards,
    strength_by_ranks,
    take_ranks,
    ways_to_take,
)
from agent.poker.matchings import MAX_PAIRS, count_matchings

_BEHIND: Final = 1
_LEVEL: Final = 2
_ALL_LEVEL: Final = 0x2AAAAAAAAAAA
"""How a card stands with those of each class is a code of two bits a class, 46 in all, that say who is ahead."""

_MOST_CLASSES: Final = 23
"""Thirteen ranks and, where a suit has three cards on the board, ten more cards of the suit."""

_NODES: Final = np.array([0, 1, -1, 2, -2, 3], dtype=np.int64)
"""Where M_k is evaluated: small numbers, because M_5 grows with their fifth power."""


@dataclass(frozen=True, slots=True)
class MultiwayCount:
    """All equally likely deals of a board to come and one hand for each opponent in turn, counted.

    `shares[0]` are the deals that hero loses, `shares[n]` those in which n hands, hero's among them, share the pot.
    The counts are exact; before the flop they exceed 64 bits.
    """

    opponents: int
    shares: tuple[int, ...]

    @property
    def total(self) -> int:
        """All deals."""
        return sum(self.shares)

    @property
    def wins(self) -> int:
        """The deals that hero wins alone."""
        return self.shares[1]

    @property
    def ties(self) -> int:
        """The deals in which hero shares the pot."""
        return sum(self.shares[2:])

    @property
    def equity(self) -> float:
        """Hero's share of the pot on average, in [0, 1]; one of n winners gets 1/n."""
        # Fractions of 60, the least common multiple of 1 to 6, keep the division to one rounding.
        parts = sum(60 // n * count for n, count in enumerate(self.shares) if n)
        return parts / (60 * self.total)


def exact_multiway(
    hole: tuple[int, int], board: tuple[int, ...], opponents: int, dead: tuple[int, ...] = ()
) -> MultiwayCount:
    """How `hole` fares on `board` (0, 3, 4 or 5 cards) against `opponents` (1 to 5) random hands, `dead` cards out.

    >>> from agent.poker.cards import parse_cards
    >>> exact_multiway((50, 51), parse_cards("2c3d7h8s9c"), 2).total == 990 * 903
    True
    """
    return exact_multiways(hole, board, opponents, dead)[-1]


def exact_multiways(
    hole: tuple[int, int], board: tuple[int, ...], most_opponents: int, dead: tuple[int, ...] = ()
) -> tuple[MultiwayCount, ...]:
    """The counts against 1, 2, ... `most_opponents` opponents, for the price of the last; see `exact_multiway`.

    Raises `ValueError` for repeated cards, other board sizes, other numbers of opponents, and too few live cards.
    """
    if len(hole) != 2 or len(board) not in (0, 3, 4, 5):
        raise ValueError(f"equity needs two hole cards and a board of 0, 3, 4 or 5, got {len(hole)} and {len(board)}")
    if not 1 <= most_opponents <= MAX_PAIRS:
        raise ValueError(f"{most_opponents} opponents: expected 1 to {MAX_PAIRS}")
    live, to_come = len(DECK) - len(distinct((*hole, *board, *dead))), 5 - len(board)
    if live < to_come + 2 * most_opponents:
        raise ValueError(f"{live} live cards are too few for {to_come} to come and {most_opponents} hands")
    sets = np.zeros((most_opponents + 1, most_opponents + 2), dtype=np.int64)
    own, known, gone = (np.array(cards, dtype=np.int64) for cards in (hole, board, dead))
    count_multiway(own, known, gone, sets, BOARD_TABLES)
    return tuple(_in_turn(sets[n], n, live, to_come) for n in range(1, most_opponents + 1))


def _in_turn(sets: Any, opponents: int, live: int, to_come: int) -> MultiwayCount:
    """Deals of one hand after the other, from the counted sets of hands; what is not counted is lost."""
    orders = factorial(opponents)
    shares = [orders * int(count) for count in sets[1 : opponents + 2]]
    total = comb(live, to_come) * perm(live - to_come, 2 * opponents) // 2**opponents
    return MultiwayCount(opponents, (total - sum(shares), *shares))


@njit(cache=True, nogil=True)
def count_multiway(hole: Any, board: Any, dead: Any, sets: Any, t: Any) -> None:
    """Add to `sets[k, n]` the boards with k opponents' hands, in no order, on which hero shares with n - 1 others.

    The cards are int64 arrays. `sets` is (opponents + 1, opponents + 2), int64, enough for all 6 * 10^18 sets of a
    preflop board and five hands; losses are not counted.
    """
    to_come = 5 - board.shape[0]
    live, live_suits = np.full(13, 4), np.full(4, 0x1FFF)
    for cards in (hole, board, dead):
        remove_cards(cards, live, live_suits)
    board_suits, hole_suits = np.zeros(4, dtype=np.int64), np.zeros(4, dtype=np.int64)
    words, hole_words = place_cards(board, board_suits, t), place_cards(hole, hole_suits, t)
    _without_flush(words, hole_words, board_suits, live, live_suits, to_come, sets, t)
    for suit in range(4):
        alike = _suits_alike(suit, board_suits, hole_suits, live_suits)
        if alike:
            _with_flush(
                words, hole_words, board_suits[suit], hole_suits[suit], live, live_suits[suit], to_come, alike, sets, t
            )


@njit(cache=True)
def _suits_alike(suit: int, board_suits: Any, hole_suits: Any, live_suits: Any) -> int:
    """How many suits have the same known cards as this one; 0 unless it is the first of them, which stands for all."""
    alike = 0
    for other in range(4):
        if (
            board_suits[other] == board_suits[suit]
            and hole_suits[other] == hole_suits[suit]
            and live_suits[other] == live_suits[suit]
        ):
            if other < suit:
                return 0
            alike += 1
    return alike


@njit(cache=True)
def _without_flush(
    words: Any, hole_words: Any, board_suits: Any, live: Any, live_suits: Any, to_come: int, sets: Any, t: Any
) -> None:
    """Count the boards on which no suit has three cards, by their ranks."""
    left, off_suit = np.empty(13, dtype=np.int64), np.empty(13, dtype=np.int64)
    for i in range(t.starts[to_come], t.starts[to_come + 1]):
        ways = ways_to_take(live, i, to_come, t)
        if ways:
            for suit in range(4):
                off_suit_counts(live, live_suits[suit], off_suit)
                needed = 3 - popcount(board_suits[suit])
                ways -= _suited_ways(off_suit, live_suits[suit], i, to_come, needed, t)
        if ways:
            take_ranks(live, i, to_come, left, t)
            own = strength_by_ranks(words + t.words[i] + hole_words, t)
            _count_board(words + t.words[i], own, 0, 0, 0, left, ways, sets, t)


@njit(cache=True)
def _suited_ways(off_suit: Any, live_suit: int, combination: int, size: int, needed: int, t: Any) -> Any:
    """In how many ways `size` cards of a rank combination are live with `needed` or more of one suit among them."""
    # The coefficient of s^j in a product over the ranks: each rank gives its card of the suit (s) or does not.
    ways = np.zeros(size + 2, dtype=np.int64)
    ways[0] = 1
    for d in range(size):
        rank, times = t.ranks[combination, d], t.times[combination, d]
        if times:
            without = t.choose[off_suit[rank], times]
            including = t.choose[off_suit[rank], times - 1] if live_suit >> rank & 1 else 0
            for j in range(size, -1, -1):
                ways[j + 1] += ways[j] * including
                ways[j] *= without
    return ways[max(needed, 0) :].sum()


@njit(cache=True)
def _with_flush(
    words: Any,
    hole_words: Any,
    board_suit: int,
    hole_suit: int,
    live: Any,
    live_suit: int,
    to_come: int,
    alike: int,
    sets: Any,
    t: Any,
) -> None:
    """Count the boards with three or more cards of one suit, `alike` times."""
    left, off_suit, on_board = np.empty(13, dtype=np.int64), np.empty(13, dtype=np.int64), popcount(board_suit)
    off_suit_counts(live, live_suit, off_suit)
    for suited in range(max(0, 3 - on_board), to_come + 1):
        others = to_come - suited
        flush = on_board + suited + popcount(hole_suit) >= 5
        for m in range(t.mask_starts[suited], t.mask_starts[suited + 1]):
            mask = t.masks[m]
            if mask & ~live_suit:
                continue
            suit_board, suit_left = board_suit | mask, live_suit & ~mask
            for i in range(t.starts[others], t.starts[others + 1]):
                ways = ways_to_take(off_suit, i, others, t)
                if ways:
                    take_ranks(off_suit, i, others, left, t)
                    all_words = words + t.mask_words[mask] + t.words[i]
                    own = t.by_flush[suit_board | hole_suit] if flush else strength_by_ranks(all_words + hole_words, t)
                    _count_board(all_words, own, suit_board, on_board + suited, suit_left, left, alike * ways, sets, t)


@njit(cache=True)
def _count_board(
    words: Any, own: int, suit_board: int, on_board: int, suit_left: int, left: Any, ways: int, sets: Any, t: Any
) -> None:
    """Add one kind of board, `ways` times; hero's strength on it is `own`.

    A flush suit has the ranks `suit_board`, `on_board` in number, on the board and `suit_left` among the live cards;
    `left` are the numbers of other live cards by rank. Without a flush suit these are 0 and all live cards.
    """
    ranks, suited = np.empty(_MOST_CLASSES, dtype=np.int64), np.empty(_MOST_CLASSES, dtype=np.int64)
    sizes, count = np.empty(_MOST_CLASSES, dtype=np.int64), 0
    for in_suit in range(2):
        for rank in range(13):
            size = suit_left >> rank & 1 if in_suit else left[rank]
            if size:
                ranks[count], suited[count], sizes[count] = rank, in_suit, size
                count += 1
    codes = np.zeros(count, dtype=np.int64)
    for a in range(count):
        # A lone card makes no pair with its own kind.
        for b in range(a + (sizes[a] == 1), count):
            if on_board + suited[a] + suited[b] >= 5:
                other = t.by_flush[suit_board | suited[a] << ranks[a] | suited[b] << ranks[b]]
            else:
                other = strength_by_ranks(words + t.rank_words[ranks[a]] + t.rank_words[ranks[b]], t)
            code = _BEHIND * (other < own) + _LEVEL * (other == own)
            codes[a] |= code << 2 * b
            codes[b] |= code << 2 * a
    _share(codes, sizes, _unite(codes, sizes, count), ways, sets)


@njit(cache=True)
def _unite(codes: Any, sizes: Any, count: int) -> Any:
    """Unite the classes whose cards stand alike with all others and with each other: the first class of each union.

    The codes and sizes of these classes become those of their unions.
    """
    firsts, unions = np.empty(count, dtype=np.int64), 0
    for a in range(count):
        u = 0
        while u < unions and not _are_alike(a, firsts[u], codes, sizes):
            u += 1
        if u < unions:
            b = firsts[u]
            codes[b] = codes[b] & ~(3 << 2 * b) | _code(codes, b, a) << 2 * b
            sizes[b] += sizes[a]
        else:
            firsts[unions] = a
            unions += 1
    return firsts[:unions]


@njit(cache=True, inline="always")
def _code(codes: Any, a: int, b: int) -> Any:
    """How a card of one class stands with another card of a class."""
    return codes[a] >> 2 * b & 3


@njit(cache=True, inline="always")
def _are_alike(a: int, b: int, codes: Any, sizes: Any) -> Any:
    """Whether the cards of two classes stand alike with all others, and with each other as among themselves."""
    both = _code(codes, a, b)
    return (
        (codes[a] ^ codes[b]) & ~(3 << 2 * a | 3 << 2 * b) == 0
        and (sizes[a] == 1 or _code(codes, a, a) == both)
        and (sizes[b] == 1 or _code(codes, b, b) == both)
    )


@njit(cache=True)
def _share(codes: Any, sizes: Any, classes: Any, ways: int, sets: Any) -> None:
    """Add the coefficients of M_1(x) ... M_k(x), `ways` times; `classes` are the ones to count with."""
    count, pairs, level_cards = classes.shape[0], sets.shape[0] - 1, 0
    numbers = np.empty(count)
    for a in range(count):
        numbers[a] = sizes[classes[a]]
        if codes[classes[a]] & _ALL_LEVEL:
            level_cards += sizes[classes[a]]
    # Each tie takes two cards that can tie, which bounds the degree.
    nodes = min(pairs, level_cards // 2) + 1
    weights, values = np.empty((count, count)), np.empty((pairs + 1, nodes), dtype=np.int64)
    for i in range(nodes):
        for a in range(count):
            for b in range(count):
                code = _code(codes, classes[a], classes[b])
                weights[a, b] = (code == _BEHIND) + _NODES[i] * (code == _LEVEL)
        count_matchings(weights, numbers, values[:, i])
    for k in range(1, pairs + 1):
        _to_coefficients(values[k])
        for j in range(min(nodes, k + 1)):
            sets[k, j + 1] += ways * values[k, j]


@njit(cache=True)
def _to_coefficients(values: Any) -> None:
    """Turn values at the first nodes into the coefficients of the polynomial with whole coefficients, in place."""
    # Newton's divided differences are whole as well; multiplied out from the last node to the first.
    n = values.shape[0]
    for step in range(1, n):
        for i in range(n - 1, step - 1, -1):
            values[i] = (values[i] - values[i - 1]) // (_NODES[i] - _NODES[i - step])
    for start in range(n - 2, -1, -1):
        for i in range(start, n - 1):
            values[i] -= _NODES[start] * values[i + 1]
