"""A page with a list of the journal: filters above it, the newest first, and links to what comes after."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from nicegui import ui

from agent.console import addresses, showing
from agent.console.filter_form import FilterForm
from agent.console.filter_query import filter_from, query_of
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
    await begin()
    found: Answered

    async def changed(where: Filter) -> None:
        ui.navigate.history.replace(_address(listing.path, where))
        await show(where, None)

    async def show(where: Filter, before: str | None) -> None:
        def ask(reader: ConsoleReader) -> Sequence[Line]:
            return listing.find(reader, PAGE_LINES + 1, reader.by_number(where), before)

        await found.show(ask, lambda lines: _draw(listing, lines, where, before))

    where = filter_from(query)
    FilterForm(where, changed)
    found = Answered(access)
    await show(where, query.get(_BEFORE) or None)


def _draw(listing: Listing[Line], lines: Sequence[Line], where: Filter, before: str | None) -> None:
    """The lines of a page; one more than it holds shows that there are more."""
    shown = lines[:PAGE_LINES]
    if not shown:
        nothing = listing.nothing if where == Filter() and before is None else listing.no_match
        showing.text(nothing, "p", "nothing").props("role=status")
    else:
        listing.draw(shown)
    with ui.element("nav").classes("pager").props('aria-label="Pages of the list"'):
        if before is not None:
            showing.link("Newest", _address(listing.path, where))
        if len(lines) > PAGE_LINES:
            showing.link("Older", _address(listing.path, where, listing.cursor(shown[-1]))).props("rel=next")


def _address(path: str, where: Filter, before: str | None = None) -> str:
    query = "&".join(part for part in (query_of(where), addresses.url("", before=before)[1:]) if part)
    return f"{path}?{query}" if query else path
