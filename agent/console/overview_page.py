"""The first page: whether the bot runs, where it sits, what it has won, who decides, how the models fare; live."""

import time
from typing import Final

from nicegui import events, ui
from starlette.requests import Request

from agent.console import addresses, showing
from agent.console.journal_access import ConsoleReader, JournalAccess
from agent.console.overview_parts import PARTS, Overview, Part, pulse_of, read_overview
from agent.console.page import Page
from agent.console.review_page import Answered, begin
from agent.journal.filters import Filter
from agent.journal.schema import JournalError

POLL_S: Final = 3.0
_REST: Final = 10
"""For so many times as long as an answer took, the page then leaves the journal alone."""
_LONGEST_POLL_S: Final = 15.0
_SCOPES: Final = {"all": "All hands", "run": "This run", "24h": "24 hours", "7d": "7 days"}
_WATCH: Final = """
    const tell = () => emitEvent("journal-watched", !document.hidden);
    document.addEventListener("visibilitychange", tell);
    if (document.hidden) tell();
"""


def page(access: JournalAccess) -> Page:
    """The page of this journal."""

    async def build(request: Request) -> None:
        if await begin():
            await _LivePage(access, request.query_params.get("scope") or "all").start()

    return Page("/overview", "Overview", "dashboard", build)


class _ShownPart:
    """A part on the page; it is drawn again only when what it shows has changed."""

    def __init__(self, part: Part) -> None:
        self._part: Final = part
        self._shown: object = None
        with showing.section(part.title, f"overview-{part.name}"):
            self._place: Final = ui.element("div")

    def show(self, overview: Overview) -> None:
        """Show what this part shows of it."""
        shown = self._part.shows(overview)
        if shown != self._shown:
            self._shown = shown
            self._place.clear()
            with self._place:
                self._part.draw(overview)


class _LivePage:
    """The page of one browser; it asks again every few seconds while somebody sees it, and draws what is new."""

    def __init__(self, access: JournalAccess, scope: str) -> None:
        self._access: Final = access
        self._scope: Final = scope
        self._mark: tuple[object, ...] = ()
        self._overview: Overview | None = None
        self._pulse = ("", "")
        self._parts = list[_ShownPart]()
        with ui.element("nav").classes("scopes").props('aria-label="Of which hands"'):
            for name, title in _SCOPES.items():
                link = showing.link(title, addresses.url("/overview", scope=None if name == "all" else name))
                link.props("aria-current=true" if name == scope else "")
        self._stale: Final = showing.text("", "p", "bad stale").props("role=alert")
        self._stale.visible = False
        self._answered: Final = Answered(access)
        self._timer: Final = ui.timer(POLL_S, self._poll, immediate=False)

    async def start(self) -> None:
        """Show what is there, and watch from then on."""
        ui.on("journal-watched", self._watched)
        ui.run_javascript(_WATCH)
        await self._answered.show(self._read, self._draw)

    async def _watched(self, event: events.GenericEventArguments) -> None:
        self._timer.active = bool(event.args)
        if self._timer.active:
            await self._poll()

    async def _poll(self) -> None:
        began = time.monotonic()
        try:
            overview = await self._access.ask(self._news)
        except JournalError as error:
            # What is shown stays, and is told to be old; the next time may go better.
            self._tell_stale(str(error) if self._parts else "")
            self._timer.interval = POLL_S
            return
        self._tell_stale("")
        if overview is not None and self._parts:
            self._show(overview)
        elif overview is not None:
            await self._answered.show(lambda _: overview, self._draw)
        self._timer.interval = min(max(POLL_S, _REST * (time.monotonic() - began)), _LONGEST_POLL_S)

    def _tell_stale(self, problem: str) -> None:
        """Say that what is shown is not what the journal says now, and why; nothing once it is."""
        self._stale.visible = bool(problem)
        showing.say(self._stale, f"This is what was last read. {problem}" if problem else "")

    def _news(self, reader: ConsoleReader) -> Overview | None:
        """The overview if the journal has changed, or if its silence has come to mean something else."""
        is_aging = self._overview is not None and pulse_of(self._overview) != self._pulse
        return self._read(reader) if is_aging or reader.mark() != self._mark else None

    def _read(self, reader: ConsoleReader) -> Overview:
        if self._scope not in _SCOPES:
            raise JournalError(f"{self._scope!r} is no choice of hands: there are {', '.join(_SCOPES)}.")
        self._mark = reader.mark()
        run = reader.latest_run()
        since = None if self._scope in ("all", "run") else self._scope
        where = Filter(since=since, run=(run.id if run else "") if self._scope == "run" else None)
        return read_overview(reader, where, run)

    def _draw(self, overview: Overview) -> None:
        self._parts = []
        with ui.element("div").classes("overview"):
            for is_aside in (True, False):
                with ui.element("div").classes("overview-column"):
                    self._parts += [_ShownPart(part) for part in PARTS if part.aside is is_aside]
        self._show(overview)

    def _show(self, overview: Overview) -> None:
        self._overview, self._pulse = overview, pulse_of(overview)
        for part in self._parts:
            part.show(overview)
