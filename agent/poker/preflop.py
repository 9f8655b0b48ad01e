"""Equity before the flop against random hands, from a table of exact values by class and number of opponents.

`row_of` works the values out again; `agent.poker.preflop_table` holds what it found.
"""

from collections.abc import Mapping
from typing import Final

from agent.poker.cards import parse_cards
from agent.poker.multiway import exact_multiways
from agent.poker.preflop_table import PREFLOP_EQUITIES
from agent.poker.ranges import class_of, combo_index
from agent.poker.report import EquityReport

TABLE_OPPONENTS: Final = len(PREFLOP_EQUITIES["AA"])
"""Against how many random hands the table knows the equity."""


def preflop_equity(hole: tuple[int, int], opponents: int) -> EquityReport | None:
    """The exact equity of a hand against 1 to 5 random ones; None where the table has no column for so many."""
    rows = PREFLOP_EQUITIES[class_of(combo_index(*hole))]
    if opponents > len(rows):
        return None
    equity, win, tie = rows[opponents - 1]
    return EquityReport(
        equity=equity,
        win=win,
        tie=tie,
        lose=1.0 - win - tie,
        method="table",
        opponents=opponents,
        ranges="random",
        trials_asked=0,
        trials=0,
        wins=None,
        ties=None,
        losses=None,
        stderr=0.0,
        ci_low=equity,
        ci_high=equity,
        stop_reason="known",
        seed=0,
    )


def example_of(name: str) -> tuple[int, int]:
    """One holding of a class.

    >>> example_of("AKs") == parse_cards("AcKc")
    True
    """
    suits = "cc" if name.endswith("s") else "cd"
    first, second = parse_cards(f"{name[0]}{suits[0]}{name[1]}{suits[1]}")
    return first, second


Row = tuple[tuple[float, float, float], ...]


def row_of(name: str, most_opponents: int = 5) -> Row:
    """A row of the table worked out: (equity, win, tie) of a class against 1 to `most_opponents` hands, to 12 decimals."""
    found = exact_multiways(example_of(name), (), most_opponents)
    return tuple((round(f.equity, 12), round(f.wins / f.total, 12), round(f.ties / f.total, 12)) for f in found)


def table_source(rows: Mapping[str, Row]) -> str:
    """The text of the module `agent.poker.preflop_table` with these rows."""
    lines = [" ".join([name, *(f"{value:.12f}" for triple in row for value in triple)]) for name, row in rows.items()]
    return _TABLE_HEAD + "\n".join(lines) + _TABLE_FOOT


_TABLE_HEAD: Final = '''"""Exact equity before the flop: a line a class, with (equity, win, tie) against 1, 2, ... random hands.

Worked out by `poker-agent preflop-table`; not edited by hand.
"""

from typing import Final

Row = tuple[tuple[float, float, float], ...]

_LINES: Final = """
'''

_TABLE_FOOT: Final = '''
"""


def _row(numbers: list[float]) -> Row:
    return tuple((numbers[i], numbers[i + 1], numbers[i + 2]) for i in range(0, len(numbers), 3))


PREFLOP_EQUITIES: Final = {
    name: _row([float(number) for number in numbers]) for name, *numbers in map(str.split, _LINES.strip().splitlines())
}
'''
