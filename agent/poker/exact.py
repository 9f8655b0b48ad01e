"""Exact equity by counting kinds of boards instead of boards.

Suits matter only where a flush is possible, and on five board cards at most one suit can have three. So the boards
to come are counted twice over:

* by ranks alone, as if there were no flushes: 6,175 rank combinations stand for two million preflop boards, each
  with the number of ways in which live cards make it;
* suit by suit, the boards with three or more of that suit: there the result by ranks is taken out again and the
  true one put in, for the players whom the flush concerns.

The opponent with random cards is counted in the same way, by rank pairs and, in a flush suit, by single cards.
All counts are whole numbers, so the equities are exact.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from agent.poker.evaluator import RANK_KEYS, TABLES

Counts = npt.NDArray[np.int64]

MAX_TO_COME: Final = 5
_SIZES: Final = range(MAX_TO_COME + 1)


class BoardTables(NamedTuple):
    """What the kernels look up.

    Cards to come are grouped by how many come. Rows `starts[m]` to `starts[m + 1]` are the rank combinations of m
    cards: their different `ranks`, how often each comes (`times`, both (n, 5), filled up with zero times) and their
    summed `words`. Entries `mask_starts[j]` to `mask_starts[j + 1]` of `masks` are the sets of j different ranks;
    `mask_words` sums the words of every rank set. `choose[n, k]` counts the ways to take k of n cards, n <= 4.
    """

    displacements: npt.NDArray[np.uint16]
    by_ranks: npt.NDArray[np.uint16]
    by_flush: npt.NDArray[np.uint16]
    rank_words: npt.NDArray[np.uint64]
    ranks: Counts
    times: Counts
    words: npt.NDArray[np.uint64]
    starts: Counts
    masks: Counts
    mask_words: npt.NDArray[np.uint64]
    mask_starts: Counts
    choose: Counts


def _build_tables() -> BoardTables:
    rank_words = RANK_KEYS << np.uint64(16)
    by_size = [[c for c in map(Counter, _rank_choices(m)) if max(c.values(), default=0) <= 4] for m in _SIZES]
    combinations = [combination for group in by_size for combination in group]
    ranks, times = np.zeros((2, len(combinations), MAX_TO_COME), dtype=np.int64)
    for i, combination in enumerate(combinations):
        ranks[i, : len(combination)] = list(combination.keys())
        times[i, : len(combination)] = list(combination.values())
    masks = [[mask for mask in range(1 << 13) if mask.bit_count() == j] for j in _SIZES]
    bits = (np.arange(1 << 13)[:, None] >> np.arange(13)) & 1
    return BoardTables(
        *TABLES,
        rank_words=rank_words,
        ranks=ranks,
        times=times,
        words=(times.astype(np.uint64) * rank_words[ranks]).sum(axis=1),
        starts=np.cumsum([0, *map(len, by_size)]),
        masks=np.array([mask for group in masks for mask in group], dtype=np.int64),
        mask_words=(bits.astype(np.uint64) * rank_words).sum(axis=1),
        mask_starts=np.cumsum([0, *map(len, masks)]),
        choose=np.array([[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 2, 1, 0, 0], [1, 3, 3, 1, 0], [1, 4, 6, 4, 1]]),
    )


def _rank_choices(size: int) -> Iterator[tuple[int, ...]]:
    return combinations_with_replacement(range(13), size)


BOARD_TABLES: Final = _build_tables()


@njit(cache=True, inline="always")
def strength_by_ranks(words: Any, t: Any) -> Any:
    """The strength that the ranks alone give; `words` sums seven rank words."""
    return t.by_ranks[((words >> np.uint64(16)) + t.displacements[words >> np.uint64(51)]) & np.uint64(0xFFFF)]


@njit(cache=True, inline="always")
def ways_to_take(live: Any, combination: int, size: int, t: Any) -> int:
    """In how many ways `size` cards of the ranks of a combination come from the `live` ones (13 counts)."""
    ways = 1
    for d in range(size):
        ways *= t.choose[live[t.ranks[combination, d]], t.times[combination, d]]
    return ways


@njit(cache=True, inline="always")
def take_ranks(live: Any, combination: int, size: int, left: Any, t: Any) -> None:
    """What `left` remains of the `live` cards once the cards of a combination are taken."""
    left[:] = live
    for d in range(size):
        left[t.ranks[combination, d]] -= t.times[combination, d]


@njit(cache=True, inline="always")
def off_suit_counts(live: Any, live_suit: int, off_suit: Any) -> None:
    """The live cards outside a suit, by rank."""
    for rank in range(13):
        off_suit[rank] = live[rank] - (live_suit >> rank & 1)


@njit(cache=True, inline="always")
def popcount(mask: int) -> int:
    """How many ranks a rank set holds."""
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


@njit(cache=True)
def remove_cards(cards: Any, live: Any, live_suits: Any) -> None:
    """Take cards out of the live ones: out of their numbers by rank and out of the rank sets of the suits."""
    for card in cards:
        live[card >> 2] -= 1
        live_suits[card & 3] &= ~(1 << (card >> 2))


@njit(cache=True)
def place_cards(cards: Any, suits: Any, t: Any) -> Any:
    """The summed rank words of some cards; `suits` gets their rank set in each suit."""
    words = np.uint64(0)
    for card in cards:
        words += t.rank_words[card >> 2]
        suits[card & 3] |= 1 << (card >> 2)
    return words


@njit(cache=True, inline="always")
def _share(strengths: Any, ways: int, counts: Any) -> None:
    """Credit `ways` boards to the strongest: `counts[player, n]` are boards that n players share."""
    if strengths.shape[0] == 2 and strengths[0] != strengths[1]:
        counts[int(strengths[1] > strengths[0]), 1] += ways
        return
    best, sharing = strengths[0], 0
    for strength in strengths:
        if strength > best:
            best = strength
    for strength in strengths:
        sharing += strength == best
    for player in range(strengths.shape[0]):
        if strengths[player] == best:
            counts[player, sharing] += ways


@njit(cache=True, nogil=True)
def count_hands(hands: Any, board: Any, dead: Any, counts: Any, t: Any) -> None:
    """Add to `counts` (players, players + 1) the boards on which each of the hands wins alone or shares with others.

    `hands` is (players, 2), `board` holds 0, 3, 4 or 5 cards, `dead` cards are out of the deck; int64, all distinct.
    """
    players, to_come = hands.shape[0], 5 - board.shape[0]
    live, live_suits, off_suit = np.full(13, 4), np.full(4, 0x1FFF), np.empty(13, dtype=np.int64)
    remove_cards(board, live, live_suits)
    remove_cards(dead, live, live_suits)
    board_suits, hand_suits = np.zeros(4, dtype=np.int64), np.zeros((players, 4), dtype=np.int64)
    board_words = place_cards(board, board_suits, t)
    hand_words, strengths = np.empty(players, dtype=np.uint64), np.empty(players, dtype=np.int64)
    for player in range(players):
        remove_cards(hands[player], live, live_suits)
        hand_words[player] = place_cards(hands[player], hand_suits[player], t)

    for i in range(t.starts[to_come], t.starts[to_come + 1]):
        ways = ways_to_take(live, i, to_come, t)
        if ways:
            for player in range(players):
                strengths[player] = strength_by_ranks(board_words + t.words[i] + hand_words[player], t)
            _share(strengths, ways, counts)
    for suit in range(4):
        if popcount(board_suits[suit]) + to_come < 3:
            continue
        off_suit_counts(live, live_suits[suit], off_suit)
        _correct_hands(
            board_words,
            board_suits[suit],
            hand_words,
            hand_suits[:, suit],
            off_suit,
            live_suits[suit],
            to_come,
            counts,
            t,
        )


@njit(cache=True)
def _correct_hands(
    board_words: Any,
    board_suit: int,
    hand_words: Any,
    hand_suit: Any,
    off_suit: Any,
    live_suit: int,
    to_come: int,
    counts: Any,
    t: Any,
) -> None:
    """Put the flushes of one suit into the counts of `count_hands`."""
    players, on_board, most_held = hand_words.shape[0], popcount(board_suit), 0
    flushes, strengths = np.zeros(players, dtype=np.int64), np.empty(players, dtype=np.int64)
    for player in range(players):
        most_held = max(most_held, popcount(hand_suit[player]))
    for suited in range(max(0, 5 - on_board - most_held), to_come + 1):
        others = to_come - suited
        for m in range(t.mask_starts[suited], t.mask_starts[suited + 1]):
            mask = t.masks[m]
            if mask & ~live_suit or not _flushes(board_suit | mask, on_board + suited, hand_suit, flushes, t):
                continue
            for i in range(t.starts[others], t.starts[others + 1]):
                ways = ways_to_take(off_suit, i, others, t)
                if ways:
                    words = board_words + t.mask_words[mask] + t.words[i]
                    for player in range(players):
                        strengths[player] = strength_by_ranks(words + hand_words[player], t)
                    _share(strengths, -ways, counts)
                    for player in range(players):
                        strengths[player] = max(strengths[player], flushes[player])
                    _share(strengths, ways, counts)


@njit(cache=True)
def _flushes(suit_board: int, on_board: int, hand_suit: Any, flushes: Any, t: Any) -> bool:
    """Whether anybody has a flush on a board with these ranks of the suit; `flushes` gets the strengths, 0 for none."""
    found = False
    for player in range(hand_suit.shape[0]):
        makes_it = on_board + popcount(hand_suit[player]) >= 5
        flushes[player] = t.by_flush[suit_board | hand_suit[player]] if makes_it else 0
        found |= makes_it
    return found


@njit(cache=True, nogil=True)
def count_strengths(hole: Any, board: Any, dead: Any, counts: Any, t: Any) -> None:
    """Add to `counts` (one place a strength) the boards on which a hand ends with each strength.

    The arguments are those of `count_hands`, with the two cards of `hole` for the hands.
    """
    to_come = 5 - board.shape[0]
    live, live_suits, off_suit = np.full(13, 4), np.full(4, 0x1FFF), np.empty(13, dtype=np.int64)
    for cards in (hole, board, dead):
        remove_cards(cards, live, live_suits)
    suits = np.zeros(4, dtype=np.int64)
    words = place_cards(board, suits, t)
    on_board = np.array([popcount(suits[suit]) for suit in range(4)])
    words += place_cards(hole, suits, t)
    for i in range(t.starts[to_come], t.starts[to_come + 1]):
        counts[strength_by_ranks(words + t.words[i], t)] += ways_to_take(live, i, to_come, t)
    for suit in range(4):
        off_suit_counts(live, live_suits[suit], off_suit)
        own = popcount(suits[suit]) - on_board[suit]
        for suited in range(max(0, 5 - own - on_board[suit]), to_come + 1):
            others = to_come - suited
            for m in range(t.mask_starts[suited], t.mask_starts[suited + 1]):
                mask = t.masks[m]
                if not mask & ~live_suits[suit]:
                    for i in range(t.starts[others], t.starts[others + 1]):
                        ways = ways_to_take(off_suit, i, others, t)
                        counts[strength_by_ranks(words + t.mask_words[mask] + t.words[i], t)] -= ways
                        counts[t.by_flush[suits[suit] | mask]] += ways


@njit(cache=True, nogil=True)
def count_against_random(hole: Any, board: Any, dead: Any, counts: Any, t: Any) -> None:
    """Add to `counts` (losses, wins, ties) every board and every holding of one opponent.

    The arguments are those of `count_hands`, with the two cards of `hole` for the hands.
    """
    to_come = 5 - board.shape[0]
    live, live_suits = np.full(13, 4), np.full(4, 0x1FFF)
    left, off_suit = np.empty(13, dtype=np.int64), np.empty(13, dtype=np.int64)
    for cards in (hole, board, dead):
        remove_cards(cards, live, live_suits)
    board_suits, hole_suits = np.zeros(4, dtype=np.int64), np.zeros(4, dtype=np.int64)
    board_words, hole_words = place_cards(board, board_suits, t), place_cards(hole, hole_suits, t)
    wins = ties = total = 0
    for i in range(t.starts[to_come], t.starts[to_come + 1]):
        ways = ways_to_take(live, i, to_come, t)
        if ways:
            take_ranks(live, i, to_come, left, t)
            words = board_words + t.words[i]
            w, e, n = _against_pairs(words, strength_by_ranks(words + hole_words, t), left, t)
            wins, ties, total = wins + ways * w, ties + ways * e, total + ways * n
    for suit in range(4):
        if popcount(board_suits[suit]) + to_come < 3:
            continue
        off_suit_counts(live, live_suits[suit], off_suit)
        w, e = _correct_random(
            board_words, board_suits[suit], hole_words, hole_suits[suit], off_suit, live_suits[suit], to_come, t
        )
        wins, ties = wins + w, ties + e
    counts[0] += total - wins - ties
    counts[1] += wins
    counts[2] += ties


@njit(cache=True, inline="always")
def _against_pairs(words: Any, own: int, left: Any, t: Any) -> tuple[int, int, int]:
    """Wins, ties and all holdings of the `left` cards by rank pairs, against strength `own`."""
    wins = ties = total = 0
    for first in range(13):
        if left[first] == 0:
            continue
        with_first = words + t.rank_words[first]
        for second in range(first, 13):
            n = left[first] * (left[first] - 1) // 2 if second == first else left[first] * left[second]
            other = strength_by_ranks(with_first + t.rank_words[second], t)
            wins, ties, total = wins + n * (other < own), ties + n * (other == own), total + n
    return wins, ties, total


@njit(cache=True)
def _correct_random(
    board_words: Any,
    board_suit: int,
    hole_words: Any,
    hole_suit: int,
    off_suit: Any,
    live_suit: int,
    to_come: int,
    t: Any,
) -> tuple[int, int]:
    """The wins and ties that the flushes of one suit add to the counts of `count_against_random`."""
    wins, ties, left, on_board = 0, 0, np.empty(13, dtype=np.int64), popcount(board_suit)
    for suited in range(max(0, 3 - on_board), to_come + 1):
        others = to_come - suited
        own_flushes = on_board + suited + popcount(hole_suit) >= 5
        for m in range(t.mask_starts[suited], t.mask_starts[suited + 1]):
            mask = t.masks[m]
            if mask & ~live_suit:
                continue
            suit_board, suit_left = board_suit | mask, live_suit & ~mask
            flush = t.by_flush[suit_board | hole_suit] if own_flushes else 0
            for i in range(t.starts[others], t.starts[others + 1]):
                ways = ways_to_take(off_suit, i, others, t)
                if ways:
                    take_ranks(off_suit, i, others, left, t)
                    words = board_words + t.mask_words[mask] + t.words[i]
                    own = strength_by_ranks(words + hole_words, t)
                    w, e = _flush_changes(words, own, flush, suit_board, on_board + suited, suit_left, left, t)
                    wins, ties = wins + ways * w, ties + ways * e
    return wins, ties


@njit(cache=True, inline="always")
def _changed(own: int, own_true: int, other: int, other_true: int) -> tuple[int, int]:
    """What a flush changes between two hands: (wins, ties) with it less those by ranks alone."""
    return int(other_true < own_true) - int(other < own), int(other_true == own_true) - int(other == own)


@njit(cache=True)
def _flush_changes(
    words: Any, own: int, flush: int, suit_board: int, on_board: int, suit_left: int, left: Any, t: Any
) -> tuple[int, int]:
    """The changes on one board with `on_board` (3 to 5) cards of the suit, over the opponents whom a flush concerns.

    `suit_left` are the ranks of the suit that an opponent may hold, `left` the numbers of other cards by rank.
    With three on the board an opponent needs two of the suit, with four one, with five none; a flush of our own
    concerns everybody.
    """
    wins, ties = 0, 0
    true = flush if flush else own
    for first in range(13):
        with_first, in_suit = words + t.rank_words[first], suit_board | 1 << first
        if suit_left >> first & 1:
            for second in range(first + 1, 13):
                if suit_left >> second & 1:
                    other = strength_by_ranks(with_first + t.rank_words[second], t)
                    w, e = _changed(own, true, other, t.by_flush[in_suit | 1 << second])
                    wins, ties = wins + w, ties + e
            if on_board >= 4 or flush:
                for second in range(13):
                    if left[second]:
                        other = strength_by_ranks(with_first + t.rank_words[second], t)
                        w, e = _changed(own, true, other, t.by_flush[in_suit] if on_board >= 4 else other)
                        wins, ties = wins + left[second] * w, ties + left[second] * e
        if left[first] and (on_board == 5 or flush):
            for second in range(first, 13):
                n = left[first] * (left[first] - 1) // 2 if second == first else left[first] * left[second]
                other = strength_by_ranks(with_first + t.rank_words[second], t)
                w, e = _changed(own, true, other, t.by_flush[suit_board] if on_board == 5 else other)
                wins, ties = wins + n * w, ties + n * e
    return wins, ties
