"""Equity: the share of the pot a hand wins at showdown, and how well that is known.

A tie of k hands counts 1/k for each. Rivers against one or two opponents are enumerated; everything else is
sampled until the trials are done, or earlier when the answer can no longer change the decision it is for.
Opponents hold random cards.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numba import njit

from agent.poker.cards import DECK, distinct
from agent.poker.evaluator import CARD_WORDS, TABLES, strength_of_sums
from agent.poker.spot import Street

MAX_OPPONENTS: Final = 8
_BATCH: Final = 500
_SURE: Final = 3.3
"""Standard errors between estimate and threshold at which sampling may stop: repeated looks need more than 1.96."""


@dataclass(frozen=True, slots=True)
class TrialsPerStreet:
    """How many trials a full-sized pot is worth on each street.

    `river` is for three and more opponents; against fewer the river is enumerated.
    """

    preflop: int = 1_000
    flop: int = 5_000
    turn: int = 3_000
    river: int = 3_000

    def for_pot(self, street: Street, pot_chips: int, big_blind_chips: int) -> int:
        """The trials for a pot of this size: all from ten big blinds up, in proportion below, never under a fifth.

        >>> TrialsPerStreet().for_pot(Street.FLOP, 100, 20)
        2500
        """
        full: int = getattr(self, street)
        share = min(1.0, max(0.2, pot_chips / (10 * big_blind_chips)))
        return max(1, round(full * share))


@dataclass(frozen=True, slots=True)
class EquityReport:
    """An equity and the trials behind it.

    `equity` = wins plus the shares of ties, in [0, 1]; `stderr` is its standard error (0 when exact) and
    `ci_low`..`ci_high` the 95 % interval. `trials` counts deals (sampled) or showdowns (enumerated). `cached` says
    that the report was worked out before; `elapsed_ms` is what it took then.
    """

    equity: float
    method: str
    opponents: int
    ranges: str
    trials_asked: int
    trials: int
    wins: int
    ties: int
    losses: int
    stderr: float
    ci_low: float
    ci_high: float
    stop_reason: str
    seed: int
    elapsed_ms: float | None = None
    cached: bool = False


@njit(cache=True, nogil=True)
def _sample(
    words: Any,
    masks: Any,
    hero: Any,
    deck: Any,
    board_left: int,
    shares: Any,
    trials: int,
    state: Any,
    card_words: Any,
    tables: Any,
) -> None:
    """Deal `trials` times; `shares[0]` counts losses, `shares[k]` deals in which hero shares with k - 1 others.

    `words`, `masks` are the sums over the known board, `hero` the two of hero's cards. Only the first cards of a
    Fisher-Yates shuffle are drawn, and the deck is never put back in order: any order is a fair start.
    """
    opponents = shares.shape[0] - 2
    size, needed = np.uint64(deck.shape[0]), board_left + 2 * opponents
    for _ in range(trials):
        for i in range(needed):
            # splitmix64; the high half of a 32 x 32 bit product maps it to a place, with a bias under 2^-26.
            state[0] += np.uint64(0x9E3779B97F4A7C15)
            z = state[0]
            z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            place = np.uint64(i) + (
                ((z ^ (z >> np.uint64(31))) >> np.uint64(32)) * (size - np.uint64(i)) >> np.uint64(32)
            )
            deck[i], deck[place] = deck[place], deck[i]
        board_words, board_masks = words, masks
        for i in range(board_left):
            board_words += card_words[deck[i], 0]
            board_masks += card_words[deck[i], 1]
        own = strength_of_sums(board_words + hero[0], board_masks + hero[1], tables)
        sharing = 1
        for i in range(board_left, needed, 2):
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


@njit(cache=True, nogil=True)
def _enumerate_river(words: Any, masks: Any, hero: Any, deck: Any, shares: Any, card_words: Any, tables: Any) -> None:
    """Count every holding of one opponent, or every ordered pair of disjoint holdings of two, into `shares`.

    Disjoint pairs come from totals: all pairs less those that share a card, which per-card counts give.
    """
    own = strength_of_sums(words + hero[0], masks + hero[1], tables)
    n = deck.shape[0]
    behind, level = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    for i in range(n):
        for j in range(i + 1, n):
            other = strength_of_sums(
                words + card_words[deck[i], 0] + card_words[deck[j], 0],
                masks + card_words[deck[i], 1] + card_words[deck[j], 1],
                tables,
            )
            if other < own:
                behind[i] += 1
                behind[j] += 1
            elif other == own:
                level[i] += 1
                level[j] += 1
    b, t, every = behind.sum() // 2, level.sum() // 2, n * (n - 1) // 2
    if shares.shape[0] == 3:
        shares[1], shares[2], shares[0] = b, t, every - b - t
    else:
        shares[1] = b * b - (behind * behind).sum() + b
        shares[2] = 2 * (b * t - (behind * level).sum())
        shares[3] = t * t - (level * level).sum() + t
        shares[0] = every * ((n - 2) * (n - 3) // 2) - shares[1] - shares[2] - shares[3]


def estimate_equity(
    hole: tuple[int, int],
    board: tuple[int, ...],
    opponents: int,
    *,
    trials: int,
    seed: int,
    decides_at: float | None = None,
    clock: Callable[[], float] | None = None,
) -> EquityReport:
    """The equity of `hole` on `board` (0, 3, 4 or 5 cards) against `opponents` random hands.

    `trials` bounds the sample. `decides_at` is the equity at which the decision turns: sampling stops once the
    estimate is clearly on one side of it. `clock` (seconds) fills `elapsed_ms`. The same arguments give the same
    report. Raises `ValueError` for repeated cards, other board sizes, and opponents outside 1..8.
    """
    if len(hole) != 2 or len(board) not in (0, 3, 4, 5):
        raise ValueError(f"equity needs two hole cards and a board of 0, 3, 4 or 5, got {len(hole)} and {len(board)}")
    if not 1 <= opponents <= MAX_OPPONENTS:
        raise ValueError(f"{opponents} opponents: expected 1 to {MAX_OPPONENTS}")
    if trials < 1:
        raise ValueError(f"{trials} trials: expected at least one")
    known = distinct((*hole, *board))
    started = clock() if clock else 0.0
    deck = np.array([card for card in DECK if card not in known], dtype=np.int64)
    hero, (words, masks) = CARD_WORDS[list(hole)].sum(axis=0), CARD_WORDS[list(board)].sum(axis=0)
    shares = np.zeros(opponents + 2, dtype=np.int64)
    if len(board) == 5 and opponents <= 2:
        _enumerate_river(words, masks, hero, deck, shares, CARD_WORDS, TABLES)
        report = _report(shares, "exact", int(shares.sum()), "enumerated", seed)
    else:
        report = _sampled(words, masks, hero, deck, 5 - len(board), shares, trials, seed, decides_at)
    return replace(report, elapsed_ms=1_000 * (clock() - started)) if clock else report


def _sampled(
    words: Any,
    masks: Any,
    hero: Any,
    deck: Any,
    board_left: int,
    shares: Any,
    trials: int,
    seed: int,
    decides_at: float | None,
) -> EquityReport:
    state = np.array([seed % 2**64], dtype=np.uint64)
    run = 0
    while run < trials:
        batch = trials - run if decides_at is None else min(_BATCH, trials - run)
        _sample(words, masks, hero, deck, board_left, shares, batch, state, CARD_WORDS, TABLES)
        run += batch
        report = _report(shares, "monte-carlo", trials, "trials", seed)
        if decides_at is not None and run < trials and abs(report.equity - decides_at) > _SURE * report.stderr > 0:
            return replace(report, stop_reason="decided")
    return report


def _report(shares: Any, method: str, asked: int, stop_reason: str, seed: int) -> EquityReport:
    """The report of a share count: `shares[k]` deals gave hero 1/k of the pot, `shares[0]` nothing."""
    total = int(shares.sum())
    share = np.array([0.0, *(1 / k for k in range(1, shares.shape[0]))])
    equity = float(shares @ share) / total
    variance = max(0.0, float(shares @ share**2) / total - equity**2)
    stderr = 0.0 if method == "exact" else math.sqrt(variance / total)
    # The normal interval collapses when every deal came out alike; then "rule of three" bounds what was not seen.
    slack = 3 / total if method != "exact" and variance == 0 else 1.96 * stderr
    return EquityReport(
        equity=equity,
        method=method,
        opponents=shares.shape[0] - 2,
        ranges="random",
        trials_asked=asked,
        trials=total,
        wins=int(shares[1]),
        ties=int(shares[2:].sum()),
        losses=int(shares[0]),
        stderr=stderr,
        ci_low=max(0.0, equity - slack),
        ci_high=min(1.0, equity + slack),
        stop_reason=stop_reason,
        seed=seed,
    )
