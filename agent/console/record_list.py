"""A page with a list of the journal: filters above it, the newest first, and links to what comes after."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from nicegui import ui

from agent.console import addresses, showing
from agent.console.filter_form import FilterForm
from agent.console.filter_query import asked_in, filter_from
from agent.console.journal_access import ConsoleReader, JournalAccess
from agent.console.review_page import Answered, begin
from agent.journal.filters import Filter

_BEFORE: Final = "before"
PAGE_LINES: Final = 50

Line = TypeVar("Line")


@dataclass(frozen=True, slots=True)
class Listing(Generic[Line]):
    """What is listed at `path`: `find` reads so many lines after a cursor, `draw` shows them, `cursor` is where one stands."""

    path: str
    find: Callable[[ConsoleReader, int, Filter, str | None], Sequence[Line]]
    draw: Callable[[Sequence[Line]], None]
    cursor: Callable[[Line], str]
    nothing: str
    no_match: str


async def show_list(access: JournalAccess, listing: Listing[Line], query: Mapping[str, str]) -> None:
    """Fill the page with the list that the query of its address asks for."""
    if not await begin():
        return
    found: Answered

    async def changed(asked: Mapping[str, str]) -> None:
        ui.navigate.history.replace(addresses.url(listing.path, **asked))
        await show(asked, None)

    async def show(asked: Mapping[str, str], before: str | None) -> None:
        def ask(reader: ConsoleReader) -> Sequence[Line]:
            return listing.find(reader, PAGE_LINES + 1, reader.meant(filter_from(asked)), before)

        await found.show(ask, lambda lines: _draw(listing, lines, asked, before))

    asked = asked_in(query)
    before = asked.pop(_BEFORE, None)
    FilterForm(asked, changed)
    found = Answered(access)
    await show(asked, before)


def _draw(listing: Listing[Line], lines: Sequence[Line], asked: Mapping[str, str], before: str | None) -> None:
    """The lines of a page; one more than it holds shows that there are more."""
    shown = lines[:PAGE_LINES]
    if not shown:
        nothing = listing.nothing if not asked and before is None else listing.no_match
        showing.text(nothing, "p", "nothing").props("role=status")
    else:
        listing.draw(shown)
    with ui.element("nav").classes("pager").props('aria-label="Pages of the list"'):
        if before is not None:
            showing.link("Newest", addresses.url(listing.path, **asked))
        if len(lines) > PAGE_LINES:
            older = addresses.url(listing.path, **asked, before=listing.cursor(shown[-1]))
            showing.link("Older", older).props("rel=next")
