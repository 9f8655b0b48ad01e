"""Whom bots have met, in the terminal: how each plays, with the counts behind it; as a table, and as JSON for programs."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from agent.journal.reader import NO_OPPONENTS, OpponentLine
from agent.strategy.opponents import Acquaintance
from agent.strategy.statistics import PRIORS, Count
from agent.terminal.text import plain, utc

NAME_SHOWN_CHARS: Final = 24

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Met:
    """A player who was met, with what is known of them."""

    line: OpponentLine
    known: Acquaintance


def met(lines: Sequence[OpponentLine]) -> list[Met]:
    """What the journal holds of players, understood; a line that says nothing usable is left out and told in the log."""
    found = []
    for line in lines:
        told = {"statistics": line.opponent.statistics, "shown": line.opponent.shown}
        try:
            found.append(Met(line, Acquaintance.from_dict(told)))
        except ValueError as error:
            log.warning("what the journal holds of %.200r is left out: %s", line.opponent.name, error)
    return found


def render_opponents(console: Console, players: Sequence[Met], *, filtered: bool = False) -> None:
    """Print the players as a table, or why there are none; `filtered` tells that not all were asked for."""
    if not players:
        console.print(Text("Nobody of that name was met." if filtered else NO_OPPONENTS))
        return
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    table.add_column("name", no_wrap=True)
    shown = [column for column in _COLUMNS if console.width >= column.from_width]
    for column in shown:
        table.add_column(column.title, justify="right", no_wrap=True)
    for player in players:
        table.add_row(_name(player.line.opponent.name), *(Text(column.cell(player)) for column in shown))
    console.print(table)
    console.print(Text("Rates are as seen, of so many chances; play weighs them by confidence.", style="dim"))


def opponents_json(players: Sequence[Met]) -> list[dict[str, Any]]:
    """The players as JSON can hold them: for each statistic how often, of how often, and the rate that play reckons with."""
    return [
        {
            "bot": player.line.bot,
            "name": player.line.opponent.name,
            "updated_at": player.line.opponent.updated_at.isoformat(),
            "hands": player.known.statistics.hands,
            "confidence": round(player.known.statistics.confidence, 4),
            "statistics": {
                name: {
                    "times": player.known.statistics.count(name).times,
                    "chances": player.known.statistics.count(name).chances,
                    "shrunk": round(player.known.statistics.shrunk(name), 4),
                }
                for name in PRIORS
            },
            "shown": player.known.shown.as_dict(),
        }
        for player in players
    ]


@dataclass(frozen=True, slots=True)
class _Column:
    """A column; consoles narrower than `from_width` leave it out."""

    title: str
    cell: Callable[[Met], str]
    from_width: int = 0


def _name(name: str) -> Text:
    """The name as it can be shown, in one line of bounded length."""
    shown = plain(name)
    shown.truncate(NAME_SHOWN_CHARS, overflow="ellipsis")
    return shown


def _rate(name: str) -> Callable[[Met], str]:
    return lambda player: _share(player.known.statistics.count(name))


def _share(count: Count) -> str:
    return "-" if count.rate is None else f"{count.rate:.0%} of {count.chances:,}"


_COLUMNS: Final = (
    _Column("hands", lambda player: f"{player.known.statistics.hands:,}"),
    _Column("confidence", lambda player: f"{player.known.statistics.confidence:.0%}"),
    _Column("VPIP", _rate("vpip")),
    _Column("PFR", _rate("pfr")),
    _Column("3-bet", _rate("three_bet"), 90),
    _Column("aggression", _rate("aggression")),
    _Column("WTSD", _rate("wtsd"), 100),
    _Column("showdowns", lambda player: f"{player.known.shown.showdowns:,}", 100),
    _Column("last met (UTC)", lambda player: utc(player.line.opponent.updated_at, "%m-%d %H:%M"), 120),
    _Column("bot", lambda player: plain(player.line.bot).plain, 135),
)
