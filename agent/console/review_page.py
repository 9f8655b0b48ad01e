"""A page over the journal: it says that it reads, shows what it found, or says what to do where there is nothing to read."""

import logging
from collections.abc import Awaitable, Callable
from typing import Final

from nicegui import ui

from agent.console import showing
from agent.console.journal_access import Answer, ConsoleReader, JournalAccess
from agent.journal.schema import JournalError

_LOCKED: Final = "locked"

log = logging.getLogger(__name__)


async def begin() -> bool:
    """Deliver the frame of the page before the journal is asked, which may take a while; False for whoever has left by then."""
    showing.style_page()
    client = ui.context.client
    await client.connected()
    return client.has_socket_connection and not client.is_deleted


class Answered:
    """A place of a page that shows what the journal answers to one question after the other; only the latest one counts."""

    def __init__(self, access: JournalAccess, classes: str = "") -> None:
        self._access: Final = access
        self._asked = 0
        self.place: Final = ui.element("div").classes(f"answered {classes}")
        with self.place:
            ui.label("Reading the journal ...").classes("dim").props("role=status")

    async def show(self, question: Callable[[ConsoleReader], Answer], draw: Callable[[Answer], None]) -> bool:
        """Ask, and draw the answer in the place of the one before; whether there was one that still counts."""
        self._asked += 1
        asked = self._asked
        try:
            answer = await self._access.ask(question)
        except JournalError as error:
            problem = str(error)
            if asked == self._asked:
                self._redraw(lambda: _tell_problem(problem, lambda: self.show(question, draw)))
            return False
        if asked != self._asked:
            return False
        self._redraw(lambda: draw(answer))
        return True

    def _redraw(self, draw: Callable[[], None]) -> None:
        if self.place.is_deleted:
            return
        self.place.clear()
        with self.place:
            draw()


def _tell_problem(problem: str, again: Callable[[], Awaitable[object]]) -> None:
    with showing.section("The journal cannot be shown", "problem").props("role=alert"):
        for line in problem.splitlines():
            showing.text(line, "p")
        if _LOCKED in problem:
            showing.text("Another program holds the file. Try again in a moment.", "p")
        ui.button("Try again", icon="refresh", on_click=lambda: again()).props("no-caps outline")
