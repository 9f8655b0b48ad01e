"""The page of all hands: each with its number in its run, what we held and did, and what it brought."""

from collections.abc import Sequence
from typing import Final

from starlette.requests import Request

from agent.console import addresses, figures
from agent.console.cells import Cell, Heading, Row, number_cell
from agent.console.journal_access import ConsoleReader, JournalAccess, NumberedHand, Taken
from agent.console.page import Page
from agent.console.record_list import Listing, show_list
from agent.console.records_table import RecordsTable
from agent.journal.filters import Filter
from agent.journal.reader import NO_HANDS
from agent.journal.records import RunRecord
from agent.terminal.text import chips, utc

_HEADINGS: Final = (
    Heading("Hand", number=True),
    Heading("Cards"),
    Heading("Board"),
    Heading("What we did"),
    Heading("Net", number=True),
    Heading("bb", number=True, spare=True),
    Heading("Pot", number=True, spare=True),
    Heading("Position", spare=True),
    Heading("Time (UTC)", spare=True, number=True),
)

ListedHand = tuple[NumberedHand, RunRecord]


def page(access: JournalAccess) -> Page:
    """The page of this journal."""
    listing = Listing(
        path="/hands",
        find=listed,
        draw=draw,
        cursor=lambda listed: listed[0].line.cursor,
        nothing=NO_HANDS,
        no_match="No hand matches these filters.",
    )

    async def build(request: Request) -> None:
        await show_list(access, listing, request.query_params)

    return Page(listing.path, "Hands", "style", build)


def rows_of(hands: Sequence[ListedHand]) -> list[Row]:
    """The hands as rows; each run begins with a line that names it."""
    rows, run_id = list[Row](), ""
    for hand, run in hands:
        if run.id != run_id:
            run_id = run.id
            rows.append(Row((Cell(_run_words(run)),)))
        rows.append(_row(hand))
    return rows


def listed(reader: ConsoleReader, limit: int, where: Filter, before: str | None) -> list[ListedHand]:
    """A page of hands with their numbers and runs."""
    lines = reader.hands(limit, where, before)
    runs = reader.runs(line.run_id for line in lines)
    return [(hand, runs[hand.line.run_id]) for hand in reader.numbered(lines)]


def draw(hands: Sequence[ListedHand]) -> None:
    """The hands as a table."""
    RecordsTable(_HEADINGS, rows_of(hands), "Hands, the newest first").classes("linked")


def _run_words(run: RunRecord) -> str:
    return f"Run of {utc(run.started_at, '%Y-%m-%d %H:%M')} · {run.bot} · {run.model or 'no model'} · {run.prompt_set}"


def taken_words(taken: Sequence[Taken]) -> str:
    """What was played and by whom; who it was is told once where it was always the same.

    >>> taken_words([Taken("call", None, 20, "llm"), Taken("fold", None, 90, "llm")])
    'call 20, fold (llm)'
    >>> taken_words([Taken("call", None, 20, "llm"), Taken("raise", 90, 0, "rule")])
    'call 20 (llm), raise to 90 (rule)'
    """
    sources = {one.source for one in taken}
    if len(sources) == 1:
        return f"{', '.join(one.words for one in taken)} ({sources.pop()})"
    return ", ".join(f"{one.words} ({one.source})" for one in taken) or "no decision"


def _row(numbered: NumberedHand) -> Row:
    hand = numbered.line.hand
    is_known = hand.net_chips is not None and hand.big_blind_chips > 0
    return Row(
        (
            Cell(f"#{numbered.number}", addresses.hand_url(hand.hand_id, numbered.line.run_id), "number", "strong"),
            Cell(hand.hole_cards, kind="cards"),
            Cell(hand.board, kind="cards"),
            Cell(taken_words(numbered.taken)),
            number_cell(chips(hand.net_chips, signed=True), figures.sign_of(hand.net_chips)),
            number_cell(f"{(hand.net_chips or 0) / hand.big_blind_chips:+.1f}" if is_known else "-"),
            number_cell(chips(hand.pot_chips)),
            Cell(hand.position or "-"),
            number_cell(utc(hand.at, "%m-%d %H:%M:%S")),
        )
    )
