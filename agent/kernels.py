"""The compiled kernels, made ready before a clock runs."""

import time
from collections.abc import Callable
from typing import Final

from agent.poker.cards import parse_cards
from agent.poker.equity import Effort, estimate_equity

# Warmed before the first turn: the compiled kernels differ by nothing but the board that they are given.
_WARM_UP_BOARDS: Final = ("", "7h2cKs", "7h2cKs3d", "7h2cKs3d9c")


def warm_up(tell: Callable[[str], None]) -> None:
    """Compile the equity kernels, or load them from the compile cache, before a clock runs."""
    started = time.perf_counter()
    hole = parse_cards("AsKd")
    for board in map(parse_cards, _WARM_UP_BOARDS):
        for opponents in (1, 2):
            # Before the flop a table stands in for the enumeration, which takes seconds there.
            for method in ("exact" if board else "auto", "monte-carlo"):
                estimate_equity((hole[0], hole[1]), board, opponents, Effort(trials=1, method=method))
    if time.perf_counter() - started > 1:
        tell(f"Compiled the equity kernels in {time.perf_counter() - started:.1f} s; the next start has them ready.")
