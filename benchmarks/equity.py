"""Equity kernels, beside the usual way in Python: pokerkit's objects from strings in a loop."""

import random
from collections.abc import Iterator
from time import perf_counter

from pokerkit import StandardHighHand

from agent.poker.cards import DECK, format_cards, parse_cards
from agent.poker.equity import estimate_equity
from benchmarks.measure import Row, median_seconds

SPOTS = (("preflop", "", 1), ("preflop", "", 5), ("flop", "7h2cKs", 1), ("flop", "7h2cKs", 5), ("turn", "7h2cKs3d", 1))
TRIALS = 500_000
NAIVE_SECONDS = 1.0


def rows() -> Iterator[Row]:
    """Trials a second for AsKd against random hands, and how many times the naive way that is."""
    hole = parse_cards("AsKd")
    for street, board, opponents in SPOTS:
        known = parse_cards(board)

        def run(known: tuple[int, ...] = known, opponents: int = opponents) -> object:
            return estimate_equity((hole[0], hole[1]), known, opponents, trials=TRIALS, seed=1)

        rate, naive = TRIALS / median_seconds(run), _naive_rate(known, opponents)
        what = f"{street}, {opponents} opponent{'s' if opponents > 1 else ''}, sampled"
        yield Row(what, f"{rate / 1e6:.1f} M trials/s", f"{rate / naive:,.0f} x pokerkit from strings ({naive:,.0f}/s)")
    river = parse_cards("7h2cKs3d9c")
    for opponents in (1, 2):

        def enumerate_river(opponents: int = opponents) -> object:
            return estimate_equity((hole[0], hole[1]), river, opponents, trials=1, seed=1)

        yield Row(
            f"river, {opponents} opponent{'s' if opponents > 1 else ''}, enumerated",
            f"{1e6 * median_seconds(enumerate_river, 50):.0f} µs",
        )


def _naive_rate(board: tuple[int, ...], opponents: int) -> float:
    """Trials a second of the same question asked with pokerkit hands built from text."""
    hole = parse_cards("AsKd")
    deck = [card for card in DECK if card not in (*hole, *board)]
    rng, trials, began = random.Random(1), 0, perf_counter()
    while perf_counter() - began < NAIVE_SECONDS:
        dealt = rng.sample(deck, 5 - len(board) + 2 * opponents)
        full = format_cards((*board, *dealt[: 5 - len(board)]))
        rest = dealt[5 - len(board) :]
        own = StandardHighHand.from_game(format_cards(hole), full)
        others = [StandardHighHand.from_game(format_cards(rest[i : i + 2]), full) for i in range(0, len(rest), 2)]
        _ = all(own >= other for other in others)
        trials += 1
    return trials / (perf_counter() - began)
