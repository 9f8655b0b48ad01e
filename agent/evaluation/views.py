"""Matches in the terminal and on a page: tables of both players, and the running difference as a panel."""

from itertools import accumulate
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from agent.evaluation.chart import Panel
from agent.evaluation.freezeout import FreezeoutResult
from agent.evaluation.intervals import Interval, share_interval
from agent.evaluation.match import Side
from agent.evaluation.outcome import STYLE, MatchResult
from agent.terminal.text import plain

_FIGURES: Final = (
    "bb/100, all-ins by equity",
    "95 % interval",
    "bb/100 as dealt",
    "Busts",
    "VPIP",
    "PFR",
    "WTSD",
    "Aggression factor",
    "Decided by",
)


def render_match(console: Console, result: MatchResult) -> None:
    """Print both players side by side, and the difference between them."""
    plan = result.plan
    table = Table("", box=SIMPLE_HEAD)
    for name in (plan.a, plan.b):
        table.add_column(plain(name), justify="right")
    columns = _figures(result, result.a_bb_per_100, result.a), _figures(result, result.b_bb_per_100, result.b)
    for label, a, b in zip(_FIGURES, *columns, strict=True):
        table.add_row(label, a, b)
    console.print(table)
    console.print(plain(_headline(result)))
    differed = "" if plan.is_duel else f"; {100 * result.differing_share:.1f} % of the hands differed"
    console.print(
        f"{plan.seats} seats, {plan.stack_bb:,} bb in every hand, seed {plan.seed}, "
        f"{_counted(len(result.blocks), 'block')}{differed}"
    )


def render_freezeout(console: Console, result: FreezeoutResult) -> None:
    """Print how often the player came in at each place."""
    table = Table(box=SIMPLE_HEAD)
    table.add_column("place")
    table.add_column("times", justify="right")
    for place in range(1, len(result.plan.opponents) + 2):
        table.add_row(str(place), f"{result.places.count(place):,}")
    console.print(table)
    console.print(plain(_freezeout_headline(result)))
    console.print(
        plain(f"Against {', '.join(result.plan.opponents)}; seed {result.plan.seed}, {_counted(result.hands, 'hand')}")
    )


def match_panel(result: MatchResult) -> Panel:
    """The running difference of a match."""
    return Panel(_headline(result), "hands of each player", "difference in bb/100", tuple(result.running()))


def freezeout_panel(result: FreezeoutResult) -> Panel:
    """The running share of first places."""
    won = accumulate(place == 1 for place in result.places)
    points = tuple((number, share_interval(hits, number)) for number, hits in enumerate(won, 1))
    return Panel(_freezeout_headline(result), "tournaments", "share of first places", points, mark=result.fair_share)


def _headline(result: MatchResult) -> str:
    plan, difference = result.plan, result.difference_bb_per_100
    known = "one block has no interval" if difference.half_width is None else f"± {difference.half_width:.1f}"
    return f"{plan.a} against {plan.b}: {difference.estimate:+z.1f} bb/100 {known} ({result.hands:,} hands each)"


def _freezeout_headline(result: FreezeoutResult) -> str:
    won = result.first_places
    return (
        f"{result.plan.player} came first in {result.places.count(1):,} of {_counted(len(result.places), 'freeze-out')}: "
        f"{100 * won.estimate:.1f} %, {_ends(won, 100)} %; an equal would in {100 * result.fair_share:.1f} %"
    )


def _ends(interval: Interval, factor: float = 1.0) -> str:
    if interval.low is None or interval.high is None:
        return "unknown"
    sign = "" if factor == 100 else "+"
    return f"{factor * interval.low:{sign}z.1f} to {factor * interval.high:{sign}z.1f}"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _figures(result: MatchResult, won: Interval, side: Side) -> tuple[str, ...]:
    """The cells of one player, in the order of `_FIGURES`."""
    dealt = 100 * side.dealt_net_chips / result.plan.big_blind_chips / side.hands
    rates = [side.statistics.count(name).rate for name in STYLE]
    factor = side.statistics.aggression_factor
    return (
        f"{won.estimate:+z.1f}",
        _ends(won),
        f"{dealt:+z.1f}",
        f"{side.busts:,}",
        *("-" if rate is None else f"{100 * rate:.1f} %" for rate in rates),
        "-" if factor is None else f"{factor:.2f}",
        ", ".join(f"{source} {times:,}" for source, times in side.sources.items()),
    )
