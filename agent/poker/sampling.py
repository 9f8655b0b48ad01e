"""Monte Carlo kernels: deals drawn at random, for opponents with random cards and for players with ranges.

Every stream of random numbers is a splitmix64 sequence of its own, so that results repeat bit for bit whatever
else runs. Cards are drawn without bias that could be seen: the high half of a 32 x 32 bit product maps a number to a
place, which misses evenness by less than 2^-26.
"""

from typing import Any

import numpy as np
from numba import njit

from agent.poker.evaluator import strength_of_sums


@njit(cache=True, inline="always")
def _next(state: Any) -> Any:
    """The next 64 random bits of a splitmix64 stream; `state` is a one-element array that moves on."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit(cache=True, inline="always")
def _below(limit: Any, state: Any) -> Any:
    """A random number from 0 to `limit` - 1."""
    return ((_next(state) >> np.uint64(32)) * np.uint64(limit)) >> np.uint64(32)


@njit(cache=True, nogil=True)
def sample_against_random(
    words: Any,
    masks: Any,
    hero: Any,
    deck: Any,
    to_come: int,
    shares: Any,
    trials: int,
    state: Any,
    card_words: Any,
    tables: Any,
) -> None:
    """Deal `trials` times; `shares[0]` counts losses, `shares[k]` deals in which hero shares with k - 1 others.

    `words`, `masks` are the sums over the known board, `hero` the two sums of hero's cards, `deck` the live cards;
    there are `len(shares) - 2` opponents. Only the first cards of a Fisher-Yates shuffle are drawn, and the deck is
    never put back in order: any order is a fair start. A lost deal is not played to its end.
    """
    needed = to_come + 2 * (shares.shape[0] - 2)
    for _ in range(trials):
        for i in range(needed):
            place = np.uint64(i) + _below(deck.shape[0] - i, state)
            deck[i], deck[place] = deck[place], deck[i]
        board_words, board_masks = words, masks
        for i in range(to_come):
            board_words += card_words[deck[i], 0]
            board_masks += card_words[deck[i], 1]
        own = strength_of_sums(board_words + hero[0], board_masks + hero[1], tables)
        sharing = 1
        for i in range(to_come, needed, 2):
            other = strength_of_sums(
                board_words + card_words[deck[i], 0] + card_words[deck[i + 1], 0],
                board_masks + card_words[deck[i], 1] + card_words[deck[i + 1], 1],
                tables,
            )
            if other > own:
                sharing = 0
                break
            if other == own:
                sharing += 1
        shares[sharing] += 1


@njit(cache=True)
def alias_table(weights: Any, keep: Any, alias: Any) -> None:
    """Prepare draws in proportion to `weights` in constant time (Walker's alias method, Vose's construction).

    Place i keeps i with probability `keep[i]`, else it gives `alias[i]`.
    """
    n, total = weights.shape[0], weights.sum()
    small, large = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    smalls = larges = 0
    for i in range(n):
        keep[i], alias[i] = weights[i] * n / total, i
        if keep[i] < 1.0:
            small[smalls] = i
            smalls += 1
        else:
            large[larges] = i
            larges += 1
    while smalls and larges:
        smalls -= 1
        less, more = small[smalls], large[larges - 1]
        alias[less] = more
        keep[more] -= 1.0 - keep[less]
        if keep[more] < 1.0:
            larges -= 1
            small[smalls] = more
            smalls += 1
    for rest in (small[:smalls], large[:larges]):
        for i in rest:
            # What is left over differs from one by rounding only.
            keep[i] = 1.0


@njit(cache=True, inline="always")
def _place(player: int, keep: Any, alias: Any, size: Any, state: Any) -> Any:
    """A random place of a player's alias table."""
    bits = _next(state)
    place = ((bits >> np.uint64(32)) * np.uint64(size)) >> np.uint64(32)
    if np.float64(bits & np.uint64(0xFFFFFFFF)) >= keep[player, place] * 4294967296.0:
        return np.uint64(alias[player, place])
    return place


@njit(cache=True, inline="always")
def _draw_card(used: Any, state: Any) -> Any:
    """A card that is not in use yet."""
    while True:
        card = _below(52, state)
        if not (used >> card) & np.uint64(1):
            return card


@njit(cache=True, nogil=True)
def sample_ranges(
    ranges: Any,
    randoms: int,
    blocked: Any,
    board_sums: Any,
    to_come: int,
    counts: Any,
    limits: Any,
    state: Any,
    card_words: Any,
    tables: Any,
) -> int:
    """Deal until `limits[0]` deals fit or `limits[1]` were tried; how many fitted.

    `ranges` are the players with ranges as alias tables (keep, alias: (p, n)), the sizes (p,) of those and the
    holdings behind them (bits, words, masks: (p, n)); then come `randoms` players with any cards. `blocked` is the
    bit set of board and dead cards, `board_sums` the two sums over the board. `counts[player, k]` gets the deals in
    which a player shares the pot with k - 1 others, `counts[player, 0]` those that are lost.

    All holdings of a deal are thrown away when two of them meet, which makes the deals that fit exactly as frequent
    as the product of the weights; players with any cards always fit and are dealt from what is left.
    """
    keep, alias, sizes, bits, words, masks = ranges
    ranged = sizes.shape[0]
    hand_words, hand_masks = np.empty(ranged + randoms, dtype=np.uint64), np.empty(ranged + randoms, dtype=np.uint64)
    strengths, fitted = np.empty(ranged + randoms, dtype=np.int64), 0
    for _ in range(limits[1]):
        used, fits = blocked, True
        for player in range(ranged):
            place = _place(player, keep, alias, sizes[player], state)
            if used & bits[player, place]:
                fits = False
                break
            used |= bits[player, place]
            hand_words[player], hand_masks[player] = words[player, place], masks[player, place]
        if fits:
            for player in range(ranged, ranged + randoms):
                used, hand_words[player], hand_masks[player] = _deal(
                    2, used, np.uint64(0), np.uint64(0), state, card_words
                )
            used, all_words, all_masks = _deal(to_come, used, board_sums[0], board_sums[1], state, card_words)
            for player in range(ranged + randoms):
                strengths[player] = strength_of_sums(
                    all_words + hand_words[player], all_masks + hand_masks[player], tables
                )
            _count(strengths, counts)
            fitted += 1
            if fitted == limits[0]:
                break
    return fitted


@njit(cache=True, inline="always")
def _deal(cards: int, used: Any, words: Any, masks: Any, state: Any, card_words: Any) -> Any:
    """Some cards off the rest of the deck: the used cards with them, and the sums with them."""
    for _ in range(cards):
        card = _draw_card(used, state)
        used |= np.uint64(1) << card
        words += card_words[card, 0]
        masks += card_words[card, 1]
    return used, words, masks


@njit(cache=True, inline="always")
def _count(strengths: Any, counts: Any) -> None:
    """Enter one deal: who shares the pot with how many, and who has lost."""
    best, sharing = strengths[0], 0
    for player in range(strengths.shape[0]):
        if strengths[player] > best:
            best, sharing = strengths[player], 1
        else:
            sharing += strengths[player] == best
    for player in range(strengths.shape[0]):
        counts[player, sharing if strengths[player] == best else 0] += 1
