"""What the pages of the journal are made of: texts, lists and tables in which a stranger's words can only be read.

Text becomes the text of an element, never markup; what works unseen in it is spelled out, and its direction stays its own.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import quote, urlencode

from nicegui import ui
from nicegui.element import Element
from nicegui.elements.mixins.text_element import TextElement

from agent.console.felt import cards_html
from agent.console.page import ASSETS
from agent.poker.cards import CardError, parse_cards
from agent.terminal.text import plain

_COPY: Final = """
    const text = {text};
    try {{
      if (navigator.clipboard) await navigator.clipboard.writeText(text);
      else {{
        const area = Object.assign(document.createElement("textarea"), {{ value: text }});
        document.body.append(area);
        area.select();
        document.execCommand("copy");
        area.remove();
      }}
      return true;
    }} catch {{ return false; }}
"""
_COPY_WITHIN_S: Final = 5.0

Tone = Literal["", "good", "bad", "dim", "strong"]
Kind = Literal["text", "number", "cards"]

_KIND_CLASSES: Final[Mapping[Kind, str]] = {"text": "words", "number": "number", "cards": "held"}


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table. With `href` it is a link; `kind` says whether it is a number or cards (`AsKd`), `tone` how it looks."""

    text: str
    href: str | None = None
    kind: Kind = "text"
    tone: Tone = ""


@dataclass(frozen=True, slots=True)
class Heading:
    """The heading of a column; a `spare` one is left out where there is little room."""

    text: str
    spare: bool = False
    number: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table, or with one cell a line across it."""

    cells: tuple[Cell, ...]
    marked: bool = False


def style_page() -> None:
    """Give a page of the journal its looks."""
    ui.add_css(ASSETS / "review.css")


def text(content: str, tag: str = "span", classes: str = "") -> TextElement:
    """Anybody's text in one line."""
    return TextElement(tag=tag, text=plain(content).plain).props("dir=auto").classes(classes)


def say(shown: TextElement, content: str) -> None:
    """Put another text in the place of the one that is shown."""
    shown.text = plain(content).plain


def block(content: str, classes: str = "") -> TextElement:
    """Anybody's text with its lines."""
    shown = TextElement(tag="pre", text=plain(content, lines=True).plain)
    return shown.props("dir=auto tabindex=0").classes(f"told {classes}")


def heading(content: str, level: int = 2, classes: str = "") -> TextElement:
    """A heading of a part of the page."""
    return text(content, f"h{level}", classes)


def link(content: str, href: str, classes: str = "") -> TextElement:
    """A link within the console."""
    shown = text(content, "a", classes)
    shown.props["href"] = href
    return shown


def section(title: str, classes: str = "", copied: str | None = None) -> Element:
    """A part of the page with its heading; it is filled inside `with`. `copied` is what its button copies, if it has one."""
    part = ui.element("section").classes(f"panel {classes}")
    with part, ui.element("div").classes("panel-head"):
        heading(title)
        if copied is not None:
            copy_button(f"Copy {title.lower()}", copied)
    return part


def pairs(told: Iterable[tuple[str, str]], classes: str = "") -> Element:
    """Names and what they are."""
    shown = ui.element("dl").classes(f"pairs {classes}")
    with shown:
        for name, value in told:
            text(name, "dt")
            text(value, "dd")
    return shown


def table(headings: Sequence[Heading], rows: Iterable[Row], label: str) -> Element:
    """A table that scrolls by itself where it is wider than the page."""
    place = ui.element("div").classes("wide")
    with place:
        drawn = ui.element("table").classes("records")
        drawn.props["aria-label"] = label
    with drawn:
        with ui.element("thead"), ui.element("tr"):
            for head in headings:
                text(head.text, "th", _column(head)).props("scope=col")
        with ui.element("tbody"):
            for row in rows:
                _row(row, headings)
    return place


def cards(told: str, none: str = "-") -> Element:
    """Cards as they lie on the table; text that is no cards as it stands."""
    try:
        found = parse_cards(told)
    except CardError:
        return text(told)
    return ui.html(cards_html(found), tag="span").classes("small-cards") if found else text(none)


def copy_button(title: str, content: str) -> None:
    """A button that copies a text as it is, with all that is not seen in it."""

    async def copy() -> None:
        is_copied = await ui.run_javascript(_COPY.format(text=json.dumps(content)), timeout=_COPY_WITHIN_S)
        ui.notify("Copied." if is_copied else "The browser does not let pages copy here.", position="bottom")

    ui.button(title, icon="content_copy", on_click=copy).props("flat dense no-caps size=sm")


def url(path: str, *parts: str, **query: str | int | None) -> str:
    """An address within the console; parts of the path may be any text, and what is None or empty is left out of the query.

    >>> url("/hands", "a/b", run="r 1", step=None)
    '/hands/a%2Fb?run=r+1'
    """
    given = urlencode({name: value for name, value in query.items() if value not in (None, "")})
    return "/".join((path, *(quote(part, safe="") for part in parts))) + (f"?{given}" if given else "")


def hand_url(hand_id: str, run_id: str, step: int | None = None) -> str:
    """Where a hand is replayed."""
    return url("/hands", hand_id, run=run_id, step=step)


def decision_url(decision_id: str) -> str:
    """Where a decision is shown whole."""
    return url("/decisions", decision_id)


def _row(row: Row, headings: Sequence[Heading]) -> None:
    with ui.element("tr").classes("marked" if row.marked else ""):
        if len(row.cells) == 1 < len(headings):
            text(row.cells[0].text, "th", "across").props(f"colspan={len(headings)} scope=rowgroup")
            return
        for cell, head in zip(row.cells, headings, strict=True):
            _cell(cell, _column(head))


def _cell(cell: Cell, column: str) -> None:
    classes = f"{column} {_KIND_CLASSES[cell.kind]} {cell.tone}"
    if cell.href is None and cell.kind != "cards":
        text(cell.text, "td", classes)
        return
    with ui.element("td").classes(classes):
        if cell.href is not None:
            link(cell.text, cell.href)
        else:
            cards(cell.text)


def _column(head: Heading) -> str:
    return " ".join(name for name, holds in (("spare", head.spare), ("number", head.number)) if holds)
