"""Lists of the journal in the terminal: hands and decisions; as tables for people, as JSON for programs."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from agent.journal.plain import as_plain
from agent.journal.reader import NO_DECISIONS, NO_HANDS, DecisionLine, HandLine
from agent.terminal.tables import Column, print_table
from agent.terminal.text import (
    action_text,
    cards,
    chips,
    milliseconds,
    name_text,
    net,
    plain,
    short_id,
    source_text,
    utc,
)

NO_MATCH: Final = "No {} matches these filters."


def render_hands(
    console: Console, hands: Sequence[HandLine], numbers: Sequence[int], *, filtered: bool = False
) -> None:
    """Print the hands as a table, each with its number in its run, or why there are none.

    `filtered` tells that not all were asked for.
    """
    if hands:
        print_table(console, (_number_column(hands, numbers), *_HAND_COLUMNS), hands)
    else:
        console.print(Text(NO_MATCH.format("hand") if filtered else NO_HANDS))


def render_decisions(console: Console, decisions: Sequence[DecisionLine], *, filtered: bool = False) -> None:
    """Print the decisions as a table, or why there are none; `filtered` tells that not all were asked for."""
    if decisions:
        print_table(console, _DECISION_COLUMNS, decisions)
    else:
        console.print(Text(NO_MATCH.format("decision") if filtered else NO_DECISIONS))


def hands_json(hands: Sequence[HandLine], numbers: Sequence[int]) -> list[dict[str, Any]]:
    """The hands as JSON can hold them, each with its number in its run and the `cursor` after which the next page begins."""
    return [
        {
            "run_id": line.run_id,
            "number": number,
            **as_plain(line.hand),
            "decisions": line.decisions,
            "cursor": line.cursor,
        }
        for line, number in zip(hands, numbers, strict=True)
    ]


def decisions_json(decisions: Sequence[DecisionLine]) -> list[dict[str, Any]]:
    """The decisions of a list as JSON can hold them, each with the `cursor` after which the next page begins."""
    return [{**as_plain(line), "cursor": line.id} for line in decisions]


def _number_column(hands: Sequence[HandLine], numbers: Sequence[int]) -> Column[HandLine]:
    """The number by which `logs hand` and the console find a hand in its run."""
    known = {line.cursor: number for line, number in zip(hands, numbers, strict=True)}
    return Column("#", lambda line: Text(f"#{known[line.cursor]}"), "right")


def _day_and_clock(at: datetime) -> Text:
    return Text(utc(at, "%m-%d %H:%M:%S"))


_HAND_COLUMNS: Final[Sequence[Column[HandLine]]] = (
    Column("hand", lambda line: short_id(line.hand.hand_id)),
    Column("time (UTC)", lambda line: _day_and_clock(line.hand.at), from_width=60),
    Column("position", lambda line: plain(line.hand.position or "-"), from_width=70),
    Column("cards", lambda line: cards(line.hand.hole_cards)),
    Column("board", lambda line: cards(line.hand.board)),
    Column("pot", lambda line: Text(chips(line.hand.pot_chips)), "right"),
    Column("net", lambda line: net(line.hand.net_chips), "right"),
    Column("decisions", lambda line: Text(str(line.decisions)), "right", from_width=95),
    Column("seen", lambda line: Text("whole" if line.hand.complete else "in part"), from_width=105),
    Column("table", lambda line: short_id(line.hand.table_id), from_width=115),
)

_DECISION_COLUMNS: Final[Sequence[Column[DecisionLine]]] = (
    Column("id", lambda line: short_id(line.id)),
    Column("time (UTC)", lambda line: _day_and_clock(line.at), from_width=60),
    Column("hand", lambda line: short_id(line.hand_id), from_width=135),
    Column("street", lambda line: plain(line.street)),
    Column("cards", lambda line: cards(line.hole_cards)),
    Column("board", lambda line: cards(line.board), from_width=115),
    Column("pot", lambda line: Text(chips(line.pot_chips)), "right", from_width=90),
    Column("to call", lambda line: Text(chips(line.to_call_chips)), "right", from_width=100),
    Column("choice", lambda line: plain(action_text(line.action, line.raise_to_chips))),
    Column("source", lambda line: source_text(line.source)),
    Column("model", lambda line: name_text(line.model or "-"), from_width=155),
    Column("latency", lambda line: Text(milliseconds(line.elapsed_ms)), "right", from_width=125),
    Column("net", lambda line: net(line.net_chips), "right"),
)
