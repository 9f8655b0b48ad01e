"""The equity engine beside its peers: OMPEval (C++, in pokerfast), eval7 (compiled) and pokerkit (Python)."""

import importlib
import os
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from statistics import median
from time import perf_counter

import eval7
from pokerfast import equity as ompeval
from pokerkit import StandardHighHand

from agent.poker import preflop_table
from agent.poker.cards import DECK, format_card, format_cards, parse_cards
from agent.poker.equity import Effort, estimate_equity
from agent.poker.players import equities
from agent.poker.ranges import Range, parse_range
from benchmarks.measure import Row, median_seconds

HOLE = parse_cards("AsKd")
HERO = (HOLE[0], HOLE[1])
FLOP = parse_cards("7h2cKs")
LOOP_S = 1.0
TIGHT = parse_range("22+,A2s+,K9s+,Q9s+,J9s+,T9s,98s,ATo+,KJo+,QJo:0.5")
EXACT = Effort(method="exact")


def rows() -> Iterator[Row]:
    """Every figure in one run: ours, and the peer's time over ours."""
    yield from _boards()
    yield from _preflop()
    yield from _weighted()
    yield from _six_way()
    yield from _loops()
    yield from _start()


def _milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:.3f} ms" if seconds < 0.02 else f"{1e3 * seconds:,.0f} ms"


def _beside(peer: str, seconds: float, ours: float) -> str:
    return f"{seconds / ours:,.1f} x {peer} ({_milliseconds(seconds)})"


def _boards() -> Iterator[Row]:
    """Heads-up against a random hand, exact: medians over 50 random boards of the median of 15 runs each."""
    rng = random.Random(50)
    for street, cards in (("flop", 3), ("turn", 4), ("river", 5)):
        ours, theirs = [], []
        for _ in range(50):
            dealt = rng.sample(DECK, 2 + cards)
            hand, board = (dealt[0], dealt[1]), tuple(dealt[2:])
            ours.append(median_seconds(partial(estimate_equity, hand, board, 1, EXACT), 15))
            names = [format_cards(hand), "random"]
            theirs.append(median_seconds(partial(ompeval.equity, names, format_cards(board)), 15))
        mine, other = median(ours), median(theirs)
        yield Row(f"{street}, 1 random hand, exact, 50 boards", _milliseconds(mine), _beside("OMPEval", other, mine))


def _preflop() -> Iterator[Row]:
    players = [Range.of_hand(*HERO), Range.of_hand(*parse_cards("QhQc"))]
    ours = median_seconds(partial(equities, players, (), EXACT), 25)
    theirs = median_seconds(partial(ompeval.equity, ["AsKd", "QhQc"]), 25)
    yield Row("preflop, AsKd and QhQc, exact", _milliseconds(ours), _beside("OMPEval", theirs, ours))
    ours = median_seconds(partial(estimate_equity, HERO, (), 1, EXACT))
    theirs = median_seconds(partial(ompeval.equity, ["AsKd", "random"]), 1)
    yield Row("preflop, 1 random hand, exact", _milliseconds(ours), _beside("OMPEval", theirs, ours))


def _weighted() -> Iterator[Row]:
    share = f"{TIGHT.share:.0f} % range"
    for what, board, opponents in (
        (f"flop, a weighted {share}, exact", FLOP, [TIGHT]),
        ("flop, 2 random hands, exact", FLOP, 2),
        (f"flop, two weighted {share}s, exact", FLOP, [TIGHT, TIGHT]),
        ("flop, 5 random hands, exact", FLOP, 5),
        ("turn, 5 random hands, exact", (*FLOP, 5), 5),
        ("river, 5 random hands, exact", (*FLOP, 5, 30), 5),
    ):
        seconds = median_seconds(partial(estimate_equity, HERO, board, opponents, EXACT), 25)
        yield Row(what, _milliseconds(seconds), "no peer enumerates it")
    for count in (4, 6):
        players, trials = [Range.of_hand(*HERO), *[TIGHT] * (count - 1)], 1_000_000
        effort = Effort(trials=trials, threads=2, method="monte-carlo")
        rate = trials / median_seconds(partial(equities, players, FLOP, effort))
        yield Row(f"flop, {count} players with weighted ranges, 2 threads", f"{rate / 1e6:.1f} M trials/s")


def _six_way() -> Iterator[Row]:
    """Time to a standard error of 0.1 percentage points against five random hands, both with two threads."""
    effort = Effort(trials=10**9, error=0.001, threads=2, method="monte-carlo")
    names = ["AsKd", *["random"] * 5]
    for street, board in (("flop", FLOP), ("preflop", ())):
        ours = median_seconds(partial(estimate_equity, HERO, board, 5, effort))
        theirs = median_seconds(
            partial(ompeval.equity, names, format_cards(board), exact=False, stdev=effort.error, threads=2)
        )
        yield Row(f"{street}, 5 random hands, to 0.1 %", _milliseconds(ours), _beside("OMPEval", theirs, ours))


def _loops() -> Iterator[Row]:
    """The usual ways in Python: a loop over dealt hands that a library compares."""
    sampled = Effort(trials=400_000, method="monte-carlo")
    for street, board in (("flop", FLOP), ("preflop", ())):
        rate = sampled.trials / median_seconds(partial(estimate_equity, HERO, board, 5, sampled))
        loop = _loop_rate(board, 5, _eval7_trial)
        beside = f"{rate / loop:,.0f} x eval7 in a loop ({loop:,.0f}/s)"
        yield Row(f"{street}, 5 random hands, sampled, 1 thread", f"{rate / 1e6:.1f} M trials/s", beside)
    ours = median_seconds(partial(estimate_equity, HERO, FLOP, 1, EXACT), 50)
    loop = 5_000 / _loop_rate(FLOP, 1, _pokerkit_trial)
    beside = f"{loop / ours:,.0f} x pokerkit's 5,000 trials ({loop:.1f} s)"
    yield Row("flop, 1 random hand, exact", _milliseconds(ours), beside)


Trial = Callable[[tuple[int, ...], list[int]], object]


def _loop_rate(board: tuple[int, ...], opponents: int, trial: Trial) -> float:
    deck, rng, trials = [card for card in DECK if card not in (*HERO, *board)], random.Random(1), 0
    began = perf_counter()
    while perf_counter() - began < LOOP_S:
        dealt = rng.sample(deck, 5 - len(board) + 2 * opponents)
        trial((*board, *dealt[: 5 - len(board)]), dealt[5 - len(board) :])
        trials += 1
    return trials / (perf_counter() - began)


_EVAL7 = [eval7.Card(format_card(card)) for card in DECK]


def _eval7_trial(board: tuple[int, ...], dealt: list[int]) -> object:
    known = [_EVAL7[card] for card in board]
    own = eval7.evaluate([*known, _EVAL7[HERO[0]], _EVAL7[HERO[1]]])
    return all(
        own >= eval7.evaluate([*known, _EVAL7[a], _EVAL7[b]]) for a, b in zip(dealt[::2], dealt[1::2], strict=True)
    )


def _pokerkit_trial(board: tuple[int, ...], dealt: list[int]) -> object:
    text = format_cards(board)
    own = StandardHighHand.from_game(format_cards(HERO), text)
    hands = [format_cards(pair) for pair in zip(dealt[::2], dealt[1::2], strict=True)]
    return all(own >= StandardHighHand.from_game(hand, text) for hand in hands)


_FIRST_CALL = """
import time; began = time.perf_counter()
from agent.poker.equity import estimate_equity
estimate_equity((51, 45), (22, 0, 47), 1)
print(time.perf_counter() - began)
"""


def _start() -> Iterator[Row]:
    """A process of its own: import and first answer, with the compile cache warm and with none."""

    def seconds(**environ: str) -> float:
        done = subprocess.run(  # noqa: S603, our own interpreter and text
            [sys.executable, "-c", _FIRST_CALL],
            env={**os.environ, **environ},
            capture_output=True,
            text=True,
            check=True,
        )
        return float(done.stdout)

    yield Row("import and first flop, compile cache warm", f"{median_seconds(seconds, 3):.2f} s with the process")
    with tempfile.TemporaryDirectory() as empty:
        yield Row("import and first flop, nothing compiled yet", f"{seconds(NUMBA_CACHE_DIR=empty):.1f} s")
    yield Row("load the preflop table", _milliseconds(median_seconds(partial(importlib.reload, preflop_table))))
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    yield Row("memory of such a process, at most", f"{peak:.0f} MB")
