"""A table of the journal on a page: one element, however many rows it has, whose texts the browser shows as text."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from nicegui.element import Element

from agent.console.cells import Cell, Heading, Kind, Row
from agent.poker.cards import RANKS, SUIT_SYMBOLS, SUITS, CardError, parse_cards
from agent.terminal.text import name_text, plain

_KIND_CLASSES: Final[Mapping[Kind, str]] = {"text": "word", "number": "number", "cards": "held"}
_MOST: Final = 200
"""Characters of a text that a table shows."""
_LONG: Final = 20
"""Characters from which on a text may be broken anywhere: somebody's name may be one endless word."""


class RecordsTable(Element, component="assets/records.js"):
    """A table that scrolls by itself where it is wider than the page; `label` says what it holds."""

    def __init__(self, headings: Sequence[Heading], rows: Iterable[Row], label: str) -> None:
        super().__init__()
        columns = [_column(heading) for heading in headings]
        self.props["label"] = label
        self.props["headings"] = [
            {"text": heading.text, "classes": column} for heading, column in zip(headings, columns, strict=True)
        ]
        self.props["rows"] = [_told(row, columns) for row in rows]


def _told(row: Row, columns: Sequence[str]) -> dict[str, Any]:
    if len(row.cells) == 1 < len(columns):
        return {"across": plain(row.cells[0].text).plain}
    cells = [_cell(cell, column) for cell, column in zip(row.cells, columns, strict=True)]
    return {"marked": row.marked, "cells": cells}


def _cell(cell: Cell, column: str) -> dict[str, Any]:
    kind = "words" if cell.kind == "text" and len(cell.text) > _LONG else _KIND_CLASSES[cell.kind]
    told: dict[str, Any] = {"classes": f"{column} {kind} {cell.tone}"}
    if cell.kind == "cards" and (cards := _cards(cell.text)):
        return {**told, "cards": cards}
    text = cell.text or ("-" if cell.kind == "cards" else "")
    return {**told, "text": name_text(text, _MOST).plain, "href": cell.href}


def _cards(text: str) -> list[dict[str, str]]:
    """The cards as they are drawn; none for text that is no cards."""
    try:
        found = parse_cards(text)
    except CardError:
        return []
    return [{"text": RANKS[card >> 2] + SUIT_SYMBOLS[card & 3], "suit": SUITS[card & 3]} for card in found]


def _column(heading: Heading) -> str:
    return " ".join(name for name, holds in (("spare", heading.spare), ("number", heading.number)) if holds)
