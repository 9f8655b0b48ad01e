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
from agent.poker.cards import distinct
from agent.poker.deals import RandomDeals, RangedDeals, Stream, random_state
from agent.poker.evaluator import CARD_WORDS, TABLES
from agent.poker.exact import BOARD_TABLES, count_against_random
from agent.poker.matchings import MAX_PAIRS
from agent.poker.multiway import exact_multiway
from agent.poker.preflop import preflop_equity
from agent.poker.ranges import COMBOS, Range
from agent.poker.report import EquityReport, Method, exact_report, sampled_report

Cards = npt.NDArray[np.int64]

MAX_OPPONENTS: Final = 8
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
        if self.trials < 1 or self.threads < 1:
            raise ValueError(f"{self.trials} trials on {self.threads} threads: expected at least one of each")
        if self.error is not None and not self.error > 0:
            raise ValueError(f"a standard error of {self.error} is not above zero")


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
    distinct([card for cards in (*hands, board, dead) for card in cards])


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
        if not ranges and not board and not dead and effort.method == "auto":
            known = preflop_equity(hole, count)
            if known is not None:
                return known
        forced = effort.method == "exact"
        cost = exact_cost_ns(board, count, ranges)
        if cost < math.inf and (forced or cost <= sample_cost_ns(effort.trials, count + 1)):
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
    return exact_report(_weighed(own, known, gone, ranges, threads), ranges="weighted", whole=False)


def _weighed(own: Cards, known: Cards, gone: Cards, ranges: tuple[Range, ...], threads: int) -> list[float]:
    """The weights that hero loses, wins and shares with one or two, over all boards; each thread takes its part of them."""
    holdings = [(COMBOS[range_.weights > 0], range_.weights[range_.weights > 0]) for range_ in ranges]
    sums = np.zeros((threads, len(ranges) + 2))

    def weigh(thread: int) -> None:
        part = (thread, threads)
        if len(ranges) == 1:
            weigh_one(own, known, gone, holdings[0], part, sums[thread], CARD_WORDS, TABLES)
        else:
            twins = ranges[1].weights[ranges[0].weights > 0]
            weigh_two(own, known, gone, (holdings[0], holdings[1]), twins, part, sums[thread], CARD_WORDS, TABLES)

    if threads == 1:
        weigh(0)
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(weigh, range(threads)))
    total: list[float] = sums.sum(axis=0).tolist()
    return total


def sample(streams: Sequence[Stream], effort: Effort, *, ranges: str) -> list[EquityReport]:
    """The reports of every counted player, from as many streams of deals as there are threads.

    The first player's error and threshold end the sampling.
    """
    run, reason = 0, "trials"
    with ThreadPoolExecutor(len(streams)) as pool:
        while run < effort.trials:
            batch = _next_batch(run, effort)
            parts = [batch // len(streams) + (i < batch % len(streams)) for i in range(len(streams))]
            if batch < _PARALLEL_FROM:
                parts = [batch]
            if len(parts) == 1:
                streams[0].run(batch)
            else:
                list(pool.map(lambda stream, part: stream.run(part), streams, parts))
            run += batch
            counts = np.sum([stream.counts for stream in streams], axis=0)
            first = sampled_report(
                counts[0].tolist(), ranges=ranges, asked=effort.trials, stop_reason="", seed=effort.seed
            )
            if run < effort.trials and (found := _reason_to_stop(first, effort)):
                reason = found
                break
    return [
        sampled_report(row.tolist(), ranges=ranges, asked=effort.trials, stop_reason=reason, seed=effort.seed)
        for row in counts
    ]


def _next_batch(run: int, effort: Effort) -> int:
    """How many deals before the next look: all at once where nothing can end the sample early, else twice as many."""
    left = effort.trials - run
    if effort.error is None and effort.deadline is None and effort.decides_at is None:
        return left
    return min(left, max(_BATCH, run))


def _reason_to_stop(report: EquityReport, effort: Effort) -> str:
    if effort.decides_at is not None and abs(report.equity - effort.decides_at) > SURE * report.stderr > 0:
        return "decided"
    if effort.error is not None and 0 < report.stderr <= effort.error:
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


def sample_cost_ns(trials: int, players: int) -> float:
    """About what a sample takes."""
    return trials * (_TRIAL_NS + _SHOWDOWN_NS * players)
