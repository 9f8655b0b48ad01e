"""A page of the console, and the frame that every page stands in: skip link, menu, colours, the part that is its own."""

import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from nicegui import ui
from starlette.responses import RedirectResponse

ASSETS: Final = Path(__file__).parent / "assets"
_THEMES: Final = (("auto", "brightness_auto"), ("light", "light_mode"), ("dark", "dark_mode"))


@dataclass(frozen=True, slots=True)
class Page:
    """A page: where it is found, what it is called, and how it is built, each time that somebody opens it.

    `build` may be a coroutine function; its parameters are those of the path (`/hand/{hand_id}`) and of the query. A page that is
    not `in_menu` is reached by links alone.
    """

    path: str
    title: str
    icon: str
    build: Callable[..., Any]
    in_menu: bool = True


def open_pages(pages: Sequence[Page]) -> None:
    """Make the pages answer; the first one is also found at `/`."""
    ui.add_css(ASSETS / "console.css", shared=True)
    ui.add_head_html(f"<script>{(ASSETS / 'console.js').read_text('utf-8')}</script>", shared=True)
    for page in pages:
        ui.page(page.path, title=f"{page.title} - poker-agent")(_framed(page, pages))
    ui.page("/")(lambda: RedirectResponse(pages[0].path))


def _framed(page: Page, pages: Sequence[Page]) -> Callable[..., Any]:
    """What builds the page inside its frame; it takes the parameters of the page's own builder."""

    @functools.wraps(page.build)
    async def build(*args: Any, **kwargs: Any) -> None:
        with _frame(page, pages):
            built = page.build(*args, **kwargs)
            if inspect.isawaitable(built):
                await built

    return build


@contextmanager
def _frame(page: Page, pages: Sequence[Page]) -> Iterator[None]:
    ui.colors(primary="#1565c0", positive="#1b7a3d", negative="#b3261e", dark="#1a222b", dark_page="#10151b")
    header = ui.header().classes("console-header")
    content = ui.element("div").classes("console-content").props("tabindex=-1")
    with header:
        ui.link("Skip to the content", f"#{content.html_id}").classes("skip-link")
        with ui.element("nav").props('aria-label="Pages"'):
            for other in pages:
                if other.in_menu:
                    link = ui.link(target=other.path).classes("console-tab")
                    if other is page:
                        link.props("aria-current=page")
                    with link:
                        ui.icon(other.icon).props("aria-hidden=true")
                        ui.label(other.title)
        _theme_switch()
    with content:
        ui.label(page.title).classes("sr-only").props("role=heading aria-level=1")
        yield


def _theme_switch() -> None:
    """A button that goes through the colours; the browser keeps the choice (see console.js)."""
    switch = ui.element("button").classes("theme-switch")
    switch.props('type=button data-theme-switch title="Colours: automatic, light or dark" aria-label="Change colours"')
    with switch:
        for name, icon in _THEMES:
            ui.icon(icon).classes(f"theme-{name}").props("aria-hidden=true")
