"""Run every benchmark and print one table each."""

import os
import platform
import tempfile
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from benchmarks import arena, decision_path, equity, evaluation
from benchmarks.measure import Row


def main() -> None:
    """Measure and print, with the machine named."""
    console = Console(highlight=False, width=110)
    console.print(f"{_processor()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    with console.status("equity"):
        rows = list(equity.rows())
    _print(console, "Equity of AsKd, one thread unless it says two", rows)
    with tempfile.TemporaryDirectory() as folder, console.status("decision path"):
        rows = list(decision_path.rows(Path(folder)))
    _print(console, "Decision path without the model", rows)
    with console.status("matches"):
        rows = list(evaluation.rows())
    _print(console, "Matches in process, one core unless it says two", rows)
    with console.status("arena under load, then 50,000 hands: some minutes"):
        rows = list(arena.rows())
    _print(console, "The arena in one process, its clients in a second one", rows)


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
    main()
