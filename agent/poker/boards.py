"""Exact equity against weighted ranges on a flop, turn or river: every board, every holding, one after the other.

Where holdings have weights of their own, boards cannot be counted by kinds. Two opponents are still no product of
their ranges: for every board the disjoint pairs of losing and tying holdings follow from totals and from totals per
card, A * B - sum over cards of A_c * B_c, plus what identical holdings were taken out once too often.
"""

from typing import Any

import numpy as np
from numba import njit

from agent.poker.evaluator import strength_of_sums


@njit(cache=True, inline="always")
def _bit(card: Any) -> Any:
    return np.uint64(1) << np.uint64(card)


@njit(cache=True)
def _boards(board: Any, blocked: Any) -> Any:
    """All cards to come: (n, 5 - len(board)) rows of cards that are not `blocked` (a bit set)."""
    live = np.array([card for card in range(52) if not (blocked >> np.uint64(card)) & np.uint64(1)])
    n, to_come = live.shape[0], 5 - board.shape[0]
    if to_come == 0:
        return np.empty((1, 0), dtype=np.int64)
    if to_come == 1:
        return live.reshape((n, 1))
    rows, row = np.empty((n * (n - 1) // 2, 2), dtype=np.int64), 0
    for i in range(n):
        for j in range(i + 1, n):
            rows[row, 0], rows[row, 1] = live[i], live[j]
            row += 1
    return rows


@njit(cache=True)
def _known(hole: Any, board: Any, dead: Any, card_words: Any) -> Any:
    """The bit set of all known cards, and the two sums over the board."""
    known, words, masks = np.uint64(0), np.uint64(0), np.uint64(0)
    for card in board:
        known |= _bit(card)
        words += card_words[card, 0]
        masks += card_words[card, 1]
    for cards in (hole, dead):
        for card in cards:
            known |= _bit(card)
    return known, words, masks


@njit(cache=True, inline="always")
def _completed(rows: Any, row: int, words: Any, masks: Any, card_words: Any) -> Any:
    """The bit set of the cards to come in a row, and the sums over the whole board."""
    used = np.uint64(0)
    for i in range(rows.shape[1]):
        card = rows[row, i]
        used |= _bit(card)
        words += card_words[card, 0]
        masks += card_words[card, 1]
    return used, words, masks


@njit(cache=True)
def _prepared(cards: Any, card_words: Any) -> Any:
    """Bit sets, sums (two) and rank pairs (0 to 168, of which 91 differ) of holdings (n, 2)."""
    n = cards.shape[0]
    bits, words, masks = np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.uint64)
    pairs = np.empty(n, dtype=np.int64)
    for i in range(n):
        a, b = cards[i, 0], cards[i, 1]
        bits[i] = _bit(a) | _bit(b)
        words[i] = card_words[a, 0] + card_words[b, 0]
        masks[i] = card_words[a, 1] + card_words[b, 1]
        pairs[i] = 13 * max(a >> 2, b >> 2) + min(a >> 2, b >> 2)
    return bits, words, masks, pairs


@njit(cache=True)
def _strengths(holdings: Any, words: Any, masks: Any, by_pair: Any, result: Any, card_words: Any, tables: Any) -> None:
    """The strengths of all prepared holdings on a whole board.

    By ranks there are 91 pairs to look up, and not even these when the board before had the same ranks, which
    `by_pair` (170) remembers in its last place. Where a suit has three on the board, its flushes are put in.
    """
    ranks = words >> np.uint64(16)
    if by_pair[169] != ranks:
        by_pair[169] = ranks
        for high in range(13):
            for low in range(high + 1):
                # Any suits do: only the ranks are looked up.
                key = words + card_words[4 * high, 0] + card_words[4 * low, 0]
                by_pair[13 * high + low] = tables[1][
                    ((key >> np.uint64(16)) + tables[0][key >> np.uint64(51)]) & np.uint64(0xFFFF)
                ]
    pairs = holdings[3]
    for i in range(pairs.shape[0]):
        result[i] = by_pair[pairs[i]]
    if (words + np.uint64(0x5555)) & np.uint64(0x8888):
        _put_flushes_in(holdings[2], words, masks, result, tables)


@njit(cache=True)
def _put_flushes_in(hand_masks: Any, words: Any, masks: Any, result: Any, tables: Any) -> None:
    """The strengths of the holdings that make a flush in the suit of which the board has three to five."""
    suit = np.uint64(0)
    while (words >> (np.uint64(4) * suit)) & np.uint64(15) < np.uint64(3):
        suit += np.uint64(1)
    missing = np.uint64(5) - ((words >> (np.uint64(4) * suit)) & np.uint64(15))
    lane, on_board = np.uint64(16) * suit, (masks >> (np.uint64(16) * suit)) & np.uint64(0x1FFF)
    for i in range(hand_masks.shape[0]):
        held = (hand_masks[i] >> lane) & np.uint64(0x1FFF)
        # `held & (held - 1)` is not zero for two cards of the suit, `held` for one.
        if missing == 0 or (held if missing == 1 else held & (held - np.uint64(1))):
            result[i] = tables[2][on_board | held]


@njit(cache=True, nogil=True)
def weigh_one(
    hole: Any, board: Any, dead: Any, opponent: Any, part: Any, sums: Any, card_words: Any, tables: Any
) -> None:
    """Add to `sums` (lost, won, shared) the weight of each holding of one opponent on each board.

    `part` = (first, step) takes every step-th board from the first on, so that threads can share the boards.
    `opponent` is (cards (n, 2), weights (n,)), free of the known cards.
    """
    cards, weights = opponent
    holdings, by_pair = _prepared(cards, card_words), np.zeros(170, dtype=np.uint64)
    bits, strengths = holdings[0], np.empty(cards.shape[0], dtype=np.int64)
    known, known_words, known_masks = _known(hole, board, dead, card_words)
    own_words = card_words[hole[0], 0] + card_words[hole[1], 0]
    own_masks = card_words[hole[0], 1] + card_words[hole[1], 1]
    rows = _boards(board, known)
    for row in range(part[0], rows.shape[0], part[1]):
        used, words, masks = _completed(rows, row, known_words, known_masks, card_words)
        own = strength_of_sums(words + own_words, masks + own_masks, tables)
        _strengths(holdings, words, masks, by_pair, strengths, card_words, tables)
        won = shared = everything = 0.0
        for i in range(strengths.shape[0]):
            # Sums without branches: which way a comparison goes is a coin toss for the processor.
            weight = weights[i] * ((bits[i] & used) == 0)
            won += weight * (strengths[i] < own)
            shared += weight * (strengths[i] == own)
            everything += weight
        sums[0] += everything - won - shared
        sums[1] += won
        sums[2] += shared


@njit(cache=True, nogil=True)
def count_each(hole: Any, board: Any, cards: Any, sums: Any, card_words: Any, tables: Any) -> None:
    """Add to `sums` (n, 2) = (won or half shared, met) the boards on which hero meets each of `cards` (n, 2).

    A board counts 2 when hero wins it, 1 when it is shared, and each board that a holding can meet counts 2 in `met`.
    """
    holdings, by_pair = _prepared(cards, card_words), np.zeros(170, dtype=np.uint64)
    bits, strengths = holdings[0], np.empty(cards.shape[0], dtype=np.int64)
    known, known_words, known_masks = _known(hole, board, np.empty(0, dtype=np.int64), card_words)
    own_words = card_words[hole[0], 0] + card_words[hole[1], 0]
    own_masks = card_words[hole[0], 1] + card_words[hole[1], 1]
    rows = _boards(board, known)
    for row in range(rows.shape[0]):
        used, words, masks = _completed(rows, row, known_words, known_masks, card_words)
        own = strength_of_sums(words + own_words, masks + own_masks, tables)
        _strengths(holdings, words, masks, by_pair, strengths, card_words, tables)
        for i in range(strengths.shape[0]):
            meets = np.int64((bits[i] & used) == 0)
            sums[i, 0] += meets * (np.int64(strengths[i] < own) + np.int64(strengths[i] <= own))
            sums[i, 1] += 2 * meets


@njit(cache=True, nogil=True)
def weigh_two(
    hole: Any, board: Any, dead: Any, opponents: Any, twins: Any, part: Any, sums: Any, card_words: Any, tables: Any
) -> None:
    """Add to `sums` the weight of the boards that hero loses, wins, shares with one and shares with both.

    `part` and `opponents`, of which there are two, are `weigh_one`'s; `twins[i]` is the second's weight of the first's i-th holding. Class 0
    holds what is behind hero, class 1 what is level, class 2 what is ahead and, once all is entered, everything.
    """
    first = _prepared(opponents[0][0], card_words)
    second = _prepared(opponents[1][0], card_words)
    by_pair, no_twins = np.zeros(170, dtype=np.uint64), np.zeros(opponents[1][0].shape[0])
    strengths = np.empty(max(twins.shape[0], no_twins.shape[0]), dtype=np.int64)
    totals, same = np.empty((2, 3, 53)), np.empty(3)
    known, known_words, known_masks = _known(hole, board, dead, card_words)
    own_words = card_words[hole[0], 0] + card_words[hole[1], 0]
    own_masks = card_words[hole[0], 1] + card_words[hole[1], 1]
    rows = _boards(board, known)
    for row in range(part[0], rows.shape[0], part[1]):
        used, words, masks = _completed(rows, row, known_words, known_masks, card_words)
        own = strength_of_sums(words + own_words, masks + own_masks, tables)
        totals[:], same[:] = 0.0, 0.0
        _strengths(first, words, masks, by_pair, strengths, card_words, tables)
        _sort_out(0, opponents[0], first[0], strengths, own, used, twins, totals, same)
        _strengths(second, words, masks, by_pair, strengths, card_words, tables)
        _sort_out(1, opponents[1], second[0], strengths, own, used, no_twins, totals, same)
        won, level = _disjoint(totals, 0, 0) + same[0], _disjoint(totals, 1, 1) + same[1]
        one_level = _disjoint(totals, 0, 1) + _disjoint(totals, 1, 0)
        for player in range(2):
            for card in range(53):
                totals[player, 2, card] += totals[player, 0, card] + totals[player, 1, card]
        everything = _disjoint(totals, 2, 2) + same[0] + same[1] + same[2]
        sums[0] += everything - won - one_level - level
        sums[1] += won
        sums[2] += one_level
        sums[3] += level


@njit(cache=True)
def _sort_out(
    player: int, opponent: Any, bits: Any, strengths: Any, own: Any, used: Any, twins: Any, totals: Any, same: Any
) -> None:
    """Enter a player's holdings into the totals (2, 3, 53) by class and card, place 52 holding the class as a whole.

    `same` gets, by class, the weight of both players holding the very same cards.
    """
    cards, weights = opponent
    for i in range(weights.shape[0]):
        if not bits[i] & used:
            group = int(strengths[i] >= own) + int(strengths[i] > own)
            totals[player, group, cards[i, 0]] += weights[i]
            totals[player, group, cards[i, 1]] += weights[i]
            totals[player, group, 52] += weights[i]
            same[group] += weights[i] * twins[i]


@njit(cache=True, fastmath=True)
def _disjoint(totals: Any, first: int, second: int) -> Any:
    """The weight of the pairs of holdings of two classes that share no card, identical pairs not yet put right.

    `fastmath` lets the sum be vectorised; its order is of no meaning.
    """
    meeting = 0.0
    for card in range(52):
        meeting += totals[0, first, card] * totals[1, second, card]
    return totals[0, first, 52] * totals[1, second, 52] - meeting


@njit(cache=True, nogil=True)
def weigh_every_holding(
    board: Any, dead: Any, holdings: Any, weights: Any, sums: Any, card_words: Any, tables: Any
) -> None:
    """Add to `sums` (n, 3) = (lost, won, shared) of each of `holdings` (n, 2) against one opponent's `weights` (n,).

    For every board the holdings are sorted by strength; what is behind a holding is then a running total, less the
    running totals under its own two cards.
    """
    n, nothing = holdings.shape[0], np.empty(0, dtype=np.int64)
    prepared, by_pair = _prepared(holdings, card_words), np.zeros(170, dtype=np.uint64)
    strengths = np.empty(n, dtype=np.int64)
    known, known_words, known_masks = _known(nothing, board, dead, card_words)
    rows = _boards(board, known)
    for row in range(rows.shape[0]):
        used, words, masks = _completed(rows, row, known_words, known_masks, card_words)
        _strengths(prepared, words, masks, by_pair, strengths, card_words, tables)
        for i in range(n):
            if prepared[0][i] & used:
                strengths[i] = -1
        rank_holdings(strengths, holdings, weights, sums)


@njit(cache=True, nogil=True)
def rank_holdings(strengths: Any, holdings: Any, weights: Any, sums: Any) -> None:
    """Add to `sums` (n, 3) = (lost, won, shared) the weight of what each holding meets; strengths below 0 are out.

    Weakest first, with running totals under every card, and in place 52 as a whole.
    """
    order = np.argsort(strengths)
    n, begin = order.shape[0], 0
    behind, level, everything = np.zeros(53), np.empty(53), np.zeros(53)
    while begin < n and strengths[order[begin]] < 0:
        begin += 1
    for k in range(begin, n):
        _carry(everything, holdings, weights, order[k])
    while begin < n:
        end = begin
        level[:] = 0.0
        while end < n and strengths[order[end]] == strengths[order[begin]]:
            _carry(level, holdings, weights, order[end])
            end += 1
        for k in range(begin, end):
            i = order[k]
            a, b = holdings[i, 0], holdings[i, 1]
            won = behind[52] - behind[a] - behind[b]
            # Hero's own holding stands under both of its cards, so it was taken out once too often.
            shared = level[52] - level[a] - level[b] + weights[i]
            sums[i, 0] += everything[52] - everything[a] - everything[b] + weights[i] - won - shared
            sums[i, 1] += won
            sums[i, 2] += shared
        behind += level
        begin = end


@njit(cache=True, inline="always")
def _carry(totals: Any, holdings: Any, weights: Any, i: int) -> None:
    totals[holdings[i, 0]] += weights[i]
    totals[holdings[i, 1]] += weights[i]
    totals[52] += weights[i]
