"""Odds in the terminal: a table with one row a player, and what the first hand has made or may become."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from agent.poker.cards import format_cards
from agent.poker.report import EquityReport
from agent.terminal.text import cards, plain


def render_odds(
    console: Console,
    names: Sequence[str],
    reports: Sequence[EquityReport],
    board: tuple[int, ...],
    classes: Mapping[str, float],
) -> None:
    """Print the equity of each player, and how often the first one's hand ends in which class."""
    if board:
        console.print(Text("Board ").append_text(cards(format_cards(board))))
    table = Table(box=SIMPLE_HEAD)
    for title in ("hand", "win", "tie", "lose", "equity", "95 % interval"):
        table.add_column(title, justify="left" if title == "hand" else "right")
    for name, report in zip(names, reports, strict=True):
        exact = report.stderr == 0 and report.method != "monte-carlo"
        interval = "exact" if exact else f"{100 * report.ci_low:.2f} to {100 * report.ci_high:.2f} %"
        values = (
            "-" if v is None else f"{100 * v:.2f} %" for v in (report.win, report.tie, report.lose, report.equity)
        )
        table.add_row(cards(name) if _are_cards(name) else plain(name), *values, interval)
    console.print(table)
    first = reports[0]
    took = f" in {first.elapsed_ms:,.2f} ms" if first.elapsed_ms is not None else ""
    deals = f", {first.trials:,} deals" if first.trials else ""
    console.print(f"{first.method}{deals}{took}, stopped: {first.stop_reason}, seed {first.seed}")
    if classes:
        ends = ", ".join(f"{name} {100 * share:.1f} %" for name, share in classes.items() if share)
        console.print(Text("The first hand ends as: ").append(ends))


def _are_cards(name: str) -> bool:
    return len(name) == 4 and name[1] in "cdhs" and name[3] in "cdhs"


def odds_json(names: Sequence[str], reports: Sequence[EquityReport]) -> dict[str, Any]:
    """The players in their order, as plain values."""
    keys = (
        "equity",
        "win",
        "tie",
        "lose",
        "stderr",
        "ci_low",
        "ci_high",
        "method",
        "trials",
        "elapsed_ms",
        "stop_reason",
        "seed",
    )
    players = [
        {"hand": name, **{key: getattr(report, key) for key in keys}}
        for name, report in zip(names, reports, strict=True)
    ]
    return {"players": players}
