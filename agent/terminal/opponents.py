"""Whom bots have met, in the terminal: how each plays, with the counts behind it; as a table, and as JSON for programs."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from agent.journal.reader import NO_OPPONENTS, OpponentLine
from agent.strategy.opponents import Acquaintance
from agent.strategy.statistics import PRIORS, Count
from agent.terminal.tables import Column, print_table
from agent.terminal.text import name_text, utc

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
    print_table(console, _COLUMNS, players)
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


def _rate(name: str) -> Callable[[Met], Text]:
    return lambda player: _share(player.known.statistics.count(name))


def _share(count: Count) -> Text:
    return Text("-" if count.rate is None else f"{count.rate:.0%} of {count.chances:,}")


_COLUMNS: Final[Sequence[Column[Met]]] = (
    Column("name", lambda player: name_text(player.line.opponent.name, NAME_SHOWN_CHARS), is_cut=True),
    Column("hands", lambda player: Text(f"{player.known.statistics.hands:,}"), "right"),
    Column("confidence", lambda player: Text(f"{player.known.statistics.confidence:.0%}"), "right", from_width=75),
    Column("VPIP", _rate("vpip"), "right"),
    Column("PFR", _rate("pfr"), "right"),
    Column("3-bet", _rate("three_bet"), "right", from_width=90),
    Column("aggression", _rate("aggression"), "right", from_width=70),
    Column("WTSD", _rate("wtsd"), "right", from_width=100),
    Column("showdowns", lambda player: Text(f"{player.known.shown.showdowns:,}"), "right", from_width=100),
    Column("last met (UTC)", lambda player: Text(utc(player.line.opponent.updated_at, "%m-%d %H:%M")), "right", 120),
    Column("bot", lambda player: name_text(player.line.bot, NAME_SHOWN_CHARS), "right", from_width=135),
)
