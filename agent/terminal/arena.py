"""A serving arena in the terminal: where it listens, how fast it deals, and how its clients fare."""

from collections.abc import Iterable, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from agent.arena.modes import Format
from agent.arena.report import ArenaReport, ClientReport
from agent.arena.settings import ArenaSettings
from agent.terminal.text import chips, plain

_COLUMNS = ("client", "hands", "score", "rebuys", "turns", "missed", "rejected", "double")


def welcome(settings: ArenaSettings, ws_url: str, api_url: str) -> Group:
    """Where to connect, and what is played there."""
    blinds = f"{settings.small_blind_chips}/{settings.big_blind_chips} no-limit hold'em"
    game = blinds if settings.format is Format.CASH else f"freeze-outs of {settings.starting_stack_chips:,} chips"
    return Group(
        Text(f"WebSocket  {ws_url}"),
        Text(f"REST       {api_url}"),
        Text(f"{game}, up to {settings.tables} tables of {settings.seats}, seed {settings.seed}. Ctrl-C ends."),
    )


def standing(report: ArenaReport) -> Group:
    """The arena in one line, the faults that happened, and a table of its clients."""
    speed = (
        f"{report.hands:,} hands in {report.seconds:,.0f} s, {report.hands_per_s:.1f} hands/s, {report.tables} tables"
    )
    if report.action_ms_p99 is not None:
        speed += f", actions handled in {report.action_ms_p50} ms (median), {report.action_ms_p99} ms (99th percentile)"
    lines = [Text(speed)]
    if report.faults:
        lines.append(Text("faults: " + ", ".join(f"{name} {count:,}" for name, count in report.faults.items())))
    return Group(*lines, _clients(report.clients) if report.clients else Text("no client has connected yet"))


def listing(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> Table:
    """Rows of names and their meanings."""
    table = Table(box=SIMPLE_HEAD)
    for title in titles:
        table.add_column(title, no_wrap=title == titles[0])
    for row in rows:
        table.add_row(*(plain(str(value)) for value in row))
    return table


def _clients(clients: tuple[ClientReport, ...]) -> Table:
    table = Table(box=SIMPLE_HEAD)
    for name in _COLUMNS:
        table.add_column(name, justify="left" if name == "client" else "right")
    for client in sorted(clients, key=lambda client: -client.score):
        style = "" if client.seated else "dim"
        figures = (client.rebuys, client.turns, client.missed, client.rejected, client.repeated)
        table.add_row(
            plain(client.name), f"{client.hands:,}", chips(client.score), *(f"{n:,}" for n in figures), style=style
        )
    return table
