"""Equity of a hand: the share of the pot it wins at showdown, against random hands or ranges.

What can be enumerated for no more than the sample would cost is enumerated; before the flop against random hands a
table knows the answer; everything else is sampled until the trials are done, the error is small enough, the time is
up, or the answer can no longer change the decision it is for.
"""

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from agent.poker.boards import weigh_one, weigh_two
from agent.poker.cards import DECK, distinct
from agent.poker.deals import RandomDeals, RangedDeals, Stream, random_state
from agent.poker.evaluator import CARD_WORDS, TABLES
from agent.poker.exact import BOARD_TABLES, count_against_random
from agent.poker.matchings import MAX_PAIRS
from agent.poker.multiway import exact_multiway
from agent.poker.preflop import preflop_equity
from agent.poker.ranges import COMBOS, Range
from agent.poker.report import METHODS, EquityReport, Method, exact_report, real_weights, sampled_report

Cards = npt.NDArray[np.int64]

MAX_OPPONENTS: Final = 8
MOST_TRIALS: Final = 10**12
_NO_CARDS: Final = np.empty(0, dtype=np.int64)
SURE: Final = 3.3
"""Standard errors between estimate and threshold at which sampling may stop: repeated looks need more than 1.96."""

_BATCH: Final = 500
_PARALLEL_FROM: Final = 20_000

# Nanoseconds of one thread, measured once: they only choose between two right ways.
_EXACT_RANDOM_NS: Final = {0: 65e6, 3: 150e3, 4: 15e3, 5: 8e3}
_HOLDING_NS: Final = 3.0
_MULTIWAY_NS: Final = {3: (4e6, 5e6, 7e6, 10e6), 4: (200e3, 300e3, 400e3, 500e3), 5: (40e3, 50e3, 60e3, 70e3)}
"""By cards on the board, against 2 to 5 opponents."""

_TRIAL_NS: Final = 40.0
_SHOWDOWN_NS: Final = 20.0


@dataclass(frozen=True, slots=True)
class Effort:
    """How far an equity is to be worked out; whichever limit comes first ends the sampling.

    `trials` bounds the sample, `error` is the standard error aimed at, `deadline` a time of `clock` (seconds),
    `decides_at` the equity at which a decision turns; one batch of 500 deals is drawn in any case. `threads` share
    the sample; the same seed and threads give the same result bit for bit. `method` forces an enumeration or a sample.
    """

    trials: int = 100_000
    error: float | None = None
    deadline: float | None = None
    decides_at: float | None = None
    seed: int = 0
    threads: int = 1
    method: Method = "auto"
    clock: Callable[[], float] | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.trials <= MOST_TRIALS or self.threads < 1:
            raise ValueError(
                f"{self.trials} trials on {self.threads} threads: expected one of each or more, and no more than "
                f"{MOST_TRIALS:,} trials"
            )
        if self.error is not None and not 0 < self.error < math.inf:
            raise ValueError(f"a standard error of {self.error} is not above zero")
        if self.method not in METHODS:
            raise ValueError(f"the method {self.method!r} is none of {', '.join(METHODS)}")
        if self.deadline is not None and (self.clock is None or math.isnan(self.deadline)):
            raise ValueError("a deadline is a time of a clock, which has to be given too")
        if self.decides_at is not None and math.isnan(self.decides_at):
            raise ValueError("the equity at which a decision turns must be a number")


def estimate_equity(
    hole: tuple[int, int],
    board: tuple[int, ...],
    opponents: int | Sequence[Range],
    effort: Effort | None = None,
    *,
    dead: tuple[int, ...] = (),
) -> EquityReport:
    """The equity of `hole` on `board` (0, 3, 4 or 5 cards) against 1 to 8 opponents: a number of random hands, or ranges.

    Raises `ValueError` for repeated cards, other board sizes, other numbers of opponents, and ranges that leave no
    possible deal.
    """
    effort = effort or Effort()
    if isinstance(opponents, np.integer):
        opponents = int(opponents)
    count = opponents if isinstance(opponents, int) else len(opponents)
    check_cards(board, dead, hole)
    if not 1 <= count <= MAX_OPPONENTS:
        raise ValueError(f"{count} opponents: expected 1 to {MAX_OPPONENTS}")
    ranges: tuple[Range, ...] = ()
    if not isinstance(opponents, int) and not all(range_.is_random for range_ in opponents):
        ranges = tuple(range_.without((*hole, *board, *dead)) for range_ in opponents)
    started = effort.clock() if effort.clock else 0.0
    report = _found(hole, board, dead, count, ranges, effort)
    if not isinstance(opponents, int):
        report = replace(report, ranges="; ".join(range_.text for range_ in opponents))
    return replace(report, elapsed_ms=1_000 * (effort.clock() - started)) if effort.clock else report


def check_cards(board: Sequence[int], dead: Sequence[int], *hands: Sequence[int]) -> None:
    """Refuse boards that cannot be and cards that come twice."""
    if len(board) not in (0, 3, 4, 5):
        raise ValueError(f"a board has 0, 3, 4 or 5 cards, got {len(board)}")
    if any(len(hand) != 2 for hand in hands):
        raise ValueError("a hand has two cards")
    known = distinct([card for cards in (*hands, board, dead) for card in cards])
    if known and not 0 <= min(known) <= max(known) < len(DECK):
        raise ValueError("cards are numbers from 0 (2c) to 51 (As)")


def _found(
    hole: tuple[int, int],
    board: tuple[int, ...],
    dead: tuple[int, ...],
    count: int,
    ranges: tuple[Range, ...],
    effort: Effort,
) -> EquityReport:
    """The report by the best way there is; `ranges` is empty where all opponents hold random cards."""
    if effort.method != "monte-carlo":
        # Against one hand an enumeration that is asked for is made; against more it takes seconds to learn the same.
        if not ranges and not board and not dead and (effort.method == "auto" or count > 1):
            known = preflop_equity(hole, count)
            if known is not None:
                return known
        forced = effort.method == "exact"
        cost = exact_cost_ns(board, count, ranges)
        if cost < math.inf and (forced or cost <= sample_cost_ns(effort, count + 1)):
            return _enumerated(hole, board, dead, count, ranges, effort.threads)
        if forced:
            raise ValueError(_no_enumeration(board, count, ranges))
    streams: list[Stream] = [
        RangedDeals((Range.of_hand(*hole), *ranges), board, dead, random_state(effort.seed, i))
        if ranges
        else RandomDeals(hole, board, dead, count, random_state(effort.seed, i))
        for i in range(effort.threads)
    ]
    return sample(streams, effort, ranges="random")[0]


def _enumerated(
    hole: tuple[int, int],
    board: tuple[int, ...],
    dead: tuple[int, ...],
    count: int,
    ranges: tuple[Range, ...],
    threads: int,
) -> EquityReport:
    """The report of an enumeration that is known to exist."""
    if not ranges and count > 1:
        return exact_report(exact_multiway(hole, board, count, dead).shares, ranges="random")
    own, known = np.array(hole, dtype=np.int64), np.array(board, dtype=np.int64)
    gone = np.array(dead, dtype=np.int64) if dead else _NO_CARDS
    if not ranges:
        counts = np.zeros(3, dtype=np.int64)
        count_against_random(own, known, gone, counts, BOARD_TABLES)
        return exact_report(counts.tolist(), ranges="random")
    return _weighed(own, known, gone, ranges, threads)


def _weighed(own: Cards, known: Cards, gone: Cards, ranges: tuple[Range, ...], threads: int) -> EquityReport:
    """The report over all boards against one or two ranges; each thread takes its part of the boards."""
    holdings = [(COMBOS[r.weights > 0], relative_weights(r)[r.weights > 0]) for r in ranges]
    sums = np.zeros((threads, len(ranges) + 2))

    def weigh(thread: int) -> None:
        part = (thread, threads)
        if len(ranges) == 1:
            weigh_one(own, known, gone, holdings[0], part, sums[thread], CARD_WORDS, TABLES)
        else:
            twins = relative_weights(ranges[1])[ranges[0].weights > 0]
            weigh_two(own, known, gone, (holdings[0], holdings[1]), twins, part, sums[thread], CARD_WORDS, TABLES)

    if threads == 1:
        weigh(0)
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(weigh, range(threads)))
    live = len(DECK) - len(own) - len(known) - len(gone)
    to_come = 5 - len(known)
    most = math.comb(live, to_come) * math.prod(float(weights.sum()) for _, weights in holdings)
    shares = real_weights(sums.sum(axis=0).tolist(), most)
    dealt = len(holdings[0][0]) if len(ranges) == 1 else disjoint_pairs(holdings[0][0], holdings[1][0])
    return exact_report(shares, ranges="weighted", deals=dealt * math.comb(live - 2 * len(ranges), to_come))


def relative_weights(range_: Range) -> npt.NDArray[np.float64]:
    """The weights with 1 for the largest: only their proportions mean something, and these stay within reach of floats."""
    largest = max(float(range_.weights.max()), float(np.finfo(np.float64).tiny))
    return np.asarray(range_.weights / largest)


def disjoint_pairs(first: Cards, second: Cards) -> int:
    """How many pairs of holdings (n, 2), one of each list, share no card."""
    counts = [np.bincount(holdings.ravel(), minlength=len(DECK)) for holdings in (first, second)]
    # COMBOS lists the higher card first, so that the same holding is the same number here.
    same = len(np.intersect1d(first @ (len(DECK), 1), second @ (len(DECK), 1)))
    return len(first) * len(second) - int(counts[0] @ counts[1]) + same


def sample(streams: Sequence[Stream], effort: Effort, *, ranges: str) -> list[EquityReport]:
    """The reports of every counted player, from as many streams of deals as there are threads.

    The first player's error and threshold end the sampling.
    """
    asked, reason, began = 0, "trials", effort.clock() if effort.clock and effort.deadline else 0.0
    with ThreadPoolExecutor(len(streams)) as pool:
        while asked < effort.trials:
            batch = _next_batch(asked, began, effort)
            _deal(streams, batch, pool)
            asked += batch
            counts = np.sum([stream.counts for stream in streams], axis=0)
            if int(counts[0].sum()) < asked:
                reason = "the ranges rarely fit together"
                break
            first = sampled_report(counts[0].tolist(), ranges=ranges, asked=0, stop_reason="", seed=effort.seed)
            if asked < effort.trials and (found := _reason_to_stop(first, effort)):
                reason = found
                break
    return [
        sampled_report(row.tolist(), ranges=ranges, asked=effort.trials, stop_reason=reason, seed=effort.seed)
        for row in counts
    ]


def _deal(streams: Sequence[Stream], batch: int, pool: ThreadPoolExecutor) -> None:
    """One batch, shared by the streams where it is large enough to be worth the threads."""
    if batch < _PARALLEL_FROM or len(streams) == 1:
        streams[0].run(batch)
        return
    parts = [batch // len(streams) + (i < batch % len(streams)) for i in range(len(streams))]
    list(pool.map(lambda stream, part: stream.run(part), streams, parts))


def _next_batch(asked: int, began: float, effort: Effort) -> int:
    """How many deals before the next look: all at once where nothing can end the sample early, else as many as so far.

    Before a deadline no more than fit at the pace so far.
    """
    left = effort.trials - asked
    if effort.error is None and effort.deadline is None and effort.decides_at is None:
        return left
    batch = max(_BATCH, asked)
    if effort.deadline is not None and effort.clock is not None and asked:
        now = effort.clock()
        pace = asked / max(now - began, 1e-9)
        batch = max(_BATCH, min(batch, int(pace * max(0.0, effort.deadline - now))))
    return min(left, batch)


def _reason_to_stop(report: EquityReport, effort: Effort) -> str:
    # When every deal came out alike, the rule of three says how much may have been missed.
    error = report.stderr or 3 / report.trials / 1.96
    if effort.decides_at is not None and abs(report.equity - effort.decides_at) > SURE * error:
        return "decided"
    if effort.error is not None and error <= effort.error:
        return "error reached"
    if effort.deadline is not None and effort.clock is not None and effort.clock() >= effort.deadline:
        return "deadline"
    return ""


def _no_enumeration(board: tuple[int, ...], count: int, ranges: tuple[Range, ...]) -> str:
    whom = f"{count} range{'s' if count > 1 else ''}" if ranges else f"{count} random hands"
    return f"there is no enumeration against {whom} {'on this board' if board else 'before the flop'}; sample instead"


def exact_cost_ns(board: tuple[int, ...], count: int, ranges: tuple[Range, ...]) -> float:
    """About what an enumeration takes; infinite where there is none."""
    if not ranges:
        if count == 1:
            return _EXACT_RANDOM_NS[len(board)]
        return _MULTIWAY_NS[len(board)][count - 2] if board and count <= MAX_PAIRS else math.inf
    if not board or count > 2:
        return math.inf
    boards = (1081, 46, 1)[len(board) - 3]
    return boards * (200 + _HOLDING_NS * count * sum(range_.combos for range_ in ranges))


def sample_cost_ns(effort: Effort, players: int) -> float:
    """About what a sample takes: as many deals as its error can need, and no longer than until its deadline."""
    trials = effort.trials if effort.error is None else min(effort.trials, deals_for(effort.error))
    cost = trials * (_TRIAL_NS + _SHOWDOWN_NS * players)
    if effort.deadline is not None and effort.clock is not None:
        cost = min(cost, 1e9 * max(0.0, effort.deadline - effort.clock()))
    return cost


def deals_for(error: float) -> int:
    """How many deals at most bring the standard error down to `error`: a share of the pot varies by a half at most."""
    return math.ceil(0.25 / error**2) + _BATCH
