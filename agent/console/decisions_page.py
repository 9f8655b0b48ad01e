"""The page of all decisions: what was to decide, who did, and what it brought."""

from collections.abc import Sequence
from typing import Final

from starlette.requests import Request

from agent.console import addresses, figures
from agent.console.cells import Cell, Heading, Row, number_cell
from agent.console.journal_access import ConsoleReader, JournalAccess
from agent.console.page import Page
from agent.console.record_list import Listing, show_list
from agent.console.records_table import RecordsTable
from agent.journal.filters import Filter
from agent.journal.reader import NO_DECISIONS, DecisionLine
from agent.terminal.text import SHORT_ID_CHARS, action_text, chips, milliseconds, utc

_HEADINGS: Final = (
    Heading("Decision"),
    Heading("Street"),
    Heading("Cards"),
    Heading("Board", spare=True),
    Heading("To call", number=True, spare=True),
    Heading("Pot", number=True, spare=True),
    Heading("Choice"),
    Heading("Rule"),
    Heading("Decided by"),
    Heading("Model", spare=True),
    Heading("Took", number=True, spare=True),
    Heading("Net", number=True),
    Heading("Time (UTC)", spare=True, number=True),
)


def page(access: JournalAccess) -> Page:
    """The page of this journal."""
    listing = Listing(
        path="/decisions",
        find=_find,
        draw=_draw,
        cursor=lambda line: line.id,
        nothing=NO_DECISIONS,
        no_match="No decision matches these filters.",
    )

    async def build(request: Request) -> None:
        await show_list(access, listing, request.query_params)

    return Page(listing.path, "Decisions", "psychology", build)


def _find(reader: ConsoleReader, limit: int, where: Filter, before: str | None) -> list[DecisionLine]:
    return reader.decisions(limit, where, before)


def _draw(lines: Sequence[DecisionLine]) -> None:
    RecordsTable(_HEADINGS, map(_row, lines), "Decisions, the newest first").classes("linked")


def _row(line: DecisionLine) -> Row:
    return Row(
        (
            Cell(line.id[-SHORT_ID_CHARS:], addresses.decision_url(line.id), tone="strong"),
            Cell(line.street),
            Cell(line.hole_cards, kind="cards"),
            Cell(line.board, kind="cards"),
            number_cell(chips(line.to_call_chips)),
            number_cell(chips(line.pot_chips)),
            Cell(action_text(line.action, line.raise_to_chips), tone="strong"),
            Cell(line.rule_choice),
            Cell(line.source),
            Cell(line.model or "-"),
            number_cell(milliseconds(line.elapsed_ms)),
            number_cell(chips(line.net_chips, signed=True), figures.sign_of(line.net_chips)),
            number_cell(utc(line.at, "%m-%d %H:%M:%S")),
        )
    )
