"""Tables as plain values: their headings and rows, worked out without a page to show them on."""

from dataclasses import dataclass
from typing import Literal

Tone = Literal["", "good", "bad", "dim", "strong"]
Kind = Literal["text", "number", "cards"]


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


def number_cell(told: str, tone: Tone = "") -> Cell:
    """A number in its column."""
    return Cell(told, kind="number", tone=tone)
