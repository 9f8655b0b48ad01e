"""Tables, titles and pairs of name and value, as all commands print them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from rich.box import SIMPLE_HEAD
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

from agent.terminal.text import plain

Line = TypeVar("Line")


@dataclass(frozen=True, slots=True)
class Column(Generic[Line]):
    """A column of a list; consoles narrower than `from_width` leave it out."""

    title: str
    cell: Callable[[Line], Text]
    justify: JustifyMethod = "left"
    from_width: int = 0


def print_table(console: Console, columns: Sequence[Column[Line]], lines: Sequence[Line]) -> None:
    """Print a row for each line, with the columns that the console has room for."""
    shown = [column for column in columns if console.width >= column.from_width]
    table = plain_table()
    for column in shown:
        table.add_column(column.title, justify=column.justify, no_wrap=True)
    for line in lines:
        table.add_row(*(column.cell(line) for column in shown))
    console.print(table)


def plain_table() -> Table:
    """A table with a line below its head and no other."""
    return Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)


def print_title(console: Console, title: str) -> None:
    """Print a title with an empty line before it."""
    console.print()
    console.print(Text(title, style="bold"))


def print_pairs(console: Console, pairs: Sequence[tuple[str, Text]]) -> None:
    """Print names and values below one another; names may be anybody's text."""
    grid = Table.grid(padding=(0, 2))
    for name, value in pairs:
        grid.add_row(plain(name, "dim"), value)
    console.print(grid)
