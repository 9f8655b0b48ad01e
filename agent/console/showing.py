"""What the pages of the journal are made of: texts and lists in which a stranger's words can only be read.

Text becomes the text of an element, never markup; what works unseen in it is spelled out, and its direction stays its own.
"""

import json
from collections.abc import Iterable
from typing import Final

from nicegui import ui
from nicegui.element import Element
from nicegui.elements.mixins.text_element import TextElement

from agent.console.felt import cards_html
from agent.console.markup import markup
from agent.console.page import ASSETS
from agent.console.range_picture import range_element
from agent.poker.cards import CardError, parse_cards
from agent.poker.range_words import RangeWords
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


def style_page() -> None:
    """Give a page of the journal its looks."""
    ui.add_css(ASSETS / "review.css")


def text(content: str, tag: str = "span", classes: str = "") -> TextElement:
    """Anybody's text in one line."""
    shown = TextElement(tag=tag, text=plain(content).plain)
    shown.props["dir"] = "auto"
    return shown.classes(classes)


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
        try:
            is_copied = await ui.run_javascript(_COPY.format(text=json.dumps(content)), timeout=_COPY_WITHIN_S)
        except TimeoutError:
            return
        ui.notify("Copied." if is_copied else "The browser does not let pages copy here.", position="bottom")

    ui.button(title, icon="content_copy", on_click=copy).props("flat dense no-caps size=sm")


def show_ranges(ranges: Iterable[tuple[str, RangeWords]]) -> None:
    """Whose range, and the range as a grid, the darker the likelier."""
    with ui.element("div").classes("range-figures"):
        for who, words in ranges:
            with ui.element("figure"):
                ui.html(markup(range_element(words)))
                with ui.element("figcaption"):
                    text(who, "strong")
                    text(words.text)
