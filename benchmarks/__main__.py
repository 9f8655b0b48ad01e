"""Run the benchmarks, all or those that are named (`python -m benchmarks decision match`), and print one table each."""

import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from benchmarks import arena, decision_path, equity, evaluation, journal
from benchmarks.measure import Row


def _in_folder(rows: Callable[[Path], Iterable[Row]]) -> Callable[[], Iterator[Row]]:
    """The rows of a part that needs a folder, in one that is gone afterwards."""

    def run() -> Iterator[Row]:
        with tempfile.TemporaryDirectory() as folder:
            yield from rows(Path(folder))

    return run


PARTS: Final[Mapping[str, tuple[str, Callable[[], Iterable[Row]]]]] = {
    "equity": ("Equity of AsKd, one thread unless it says two", equity.rows),
    "decision": ("A decision before, beside and beyond the model", _in_folder(decision_path.rows)),
    "match": ("Matches in process, one core unless it says two", evaluation.rows),
    "journal": ("A journal of 100,000 decisions", _in_folder(journal.rows)),
    "arena": ("The arena in one process, its clients in a second one", arena.rows),
}


def main(names: list[str]) -> None:
    """Measure and print, with the machine named."""
    unknown = [name for name in names if name not in PARTS]
    if unknown:
        sys.exit(f"no benchmark is called {unknown[0]!r}: choose from {', '.join(PARTS)}")
    console = Console(highlight=False, width=110)
    console.print(f"{_processor()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    for name in names or PARTS:
        title, measured = PARTS[name]
        with console.status(f"{name}: some minutes" if name in ("arena", "journal") else name):
            rows = list(measured())
        _print(console, title, rows)


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    names = [line for line in info.read_text().splitlines() if line.startswith("model name")] if info.exists() else []
    return names[0].partition(":")[2].strip() if names else platform.machine()


def _print(console: Console, title: str, rows: list[Row]) -> None:
    table = Table(title=title, box=SIMPLE_HEAD, title_justify="left")
    for name in ("what", "figure", "beside it"):
        table.add_column(name, justify="left" if name == "what" else "right")
    for row in rows:
        table.add_row(row.what, row.figure, row.beside)
    console.print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
