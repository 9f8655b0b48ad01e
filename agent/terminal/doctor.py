"""The doctor's findings in the terminal: a line each, and below it why and what to do."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from agent.terminal.text import plain

_MARKS: Final = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "failed": ("✗", "red"), "skipped": ("–", "dim")}
_COUNTED: Final = (("ok", "ok"), ("warning", "to look at"), ("failed", "failed"), ("skipped", "not checked"))


def render_findings(console: Console, findings: Sequence[Mapping[str, Any]]) -> None:
    """Print every finding with its reason and remedy, and how many of each kind there are."""
    table = Table.grid(padding=(0, 2))
    for finding in findings:
        mark, style = _MARKS[finding["status"]]
        table.add_row(Text(mark, style=style), plain(finding["name"], "bold"), _told(finding))
    console.print(Padding(table, (0, 0, 1, 0)))
    counts = Counter(finding["status"] for finding in findings)
    console.print(", ".join(f"{counts[status]} {words}" for status, words in _COUNTED if counts[status]))


def _told(finding: Mapping[str, Any]) -> Text:
    if finding["status"] == "skipped":
        return plain(f"{finding['what']}: {finding['why']}", "dim")
    told = plain(finding["what"])
    if finding["why"]:
        told.append("\n").append_text(plain(f"because {finding['why']}", "dim", lines=True))
    if finding["remedy"]:
        told.append("\n").append_text(plain(f"to do: {finding['remedy']}", "cyan", lines=True))
    return told
