"""Tables, titles and pairs of name and value, as all commands print them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

from agent.terminal.text import plain

_GAP: Final = 2
_LEAST_OF_A_NAME: Final = 8

Line = TypeVar("Line")


@dataclass(frozen=True, slots=True)
class Column(Generic[Line]):
    """A column of a list; consoles narrower than `from_width` leave it out.

    Where the columns do not fit, those go first that ask for the most; 0 stays. `is_cut` is for names, which may lose their end.
    """

    title: str
    cell: Callable[[Line], Text]
    justify: JustifyMethod = "left"
    from_width: int = 0
    is_cut: bool = False


def print_table(console: Console, columns: Sequence[Column[Line]], lines: Sequence[Line]) -> None:
    """Print a row for each line, with the columns that the console has room for, whole but for names."""
    shown = [
        (column, [column.cell(line) for line in lines]) for column in columns if console.width >= column.from_width
    ]
    while _excess(console, shown) > 0 and (widest := max(column.from_width for column, _ in shown)):
        last = max(place for place, (column, _) in enumerate(shown) if column.from_width == widest)
        del shown[last]
    excess = _excess(console, shown)
    table = plain_table()
    for column, cells in shown:
        table.add_column(column.title, justify=column.justify, no_wrap=True)
        if column.is_cut and excess > 0:
            room = max(_LEAST_OF_A_NAME, _width(column, cells) - excess)
            for cell in cells:
                cell.truncate(room, overflow="ellipsis")
    for row in zip(*(cells for _, cells in shown), strict=True):
        table.add_row(*row)
    console.print(table)


def _excess(console: Console, shown: Sequence[tuple[Column[Line], Sequence[Text]]]) -> int:
    """How much wider than the console the columns are."""
    between = _GAP * (len(shown) - 1)
    return sum(_width(column, cells) for column, cells in shown) + between - console.width


def _width(column: Column[Line], cells: Sequence[Text]) -> int:
    return max([cell_len(column.title), *(cell.cell_len for cell in cells)])


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
