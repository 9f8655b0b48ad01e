"""An examination in the terminal: a line a check, and below it why and what to do."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, Protocol

from rich.table import Table
from rich.text import Text

from agent.terminal.text import plain

_MARKS: Final = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "failed": ("✗", "bold red"), "skipped": ("-", "dim")}
_PLURALS: Final = {"ok": "well", "warning": "to look at", "failed": "failed", "skipped": "not made"}
_NAME_WIDTH: Final = 11


class Told(Protocol):
    """What a finding says."""

    @property
    def name(self) -> str:
        """The check's name."""
        ...

    @property
    def status(self) -> str:
        """How it ended: ok, warning, failed or skipped."""
        ...

    @property
    def what(self) -> str:
        """What is so."""
        ...

    @property
    def why(self) -> str:
        """Why we think so; may be empty."""
        ...

    @property
    def remedy(self) -> str:
        """What to do; may be empty."""
        ...


def told(finding: Told) -> Table:
    """A finding: mark, name and what is so; then why, and after an arrow what to do."""
    mark, style = _MARKS[finding.status]
    table = Table.grid(padding=(0, 1))
    table.add_column(width=1)
    table.add_column(width=_NAME_WIDTH)
    table.add_column()
    quiet = "dim" if finding.status == "skipped" else ""
    table.add_row(Text(mark, style), plain(finding.name, quiet), plain(finding.what, quiet or _weight(finding.status)))
    if finding.why:
        table.add_row("", "", plain(finding.why, quiet, lines=True))
    if finding.remedy:
        table.add_row("", "", Text.assemble(("→ ", style), plain(finding.remedy)))
    return table


def _weight(status: str) -> str:
    return "bold" if status in ("failed", "warning") else ""


def heading(bot: str) -> Text:
    """What stands above the findings of one bot, where several are examined."""
    return Text.assemble("\n", plain(bot, "bold"))


def conclusion(statuses: Sequence[str]) -> Text:
    """How many checks ended how.

    >>> conclusion(["ok", "ok", "failed"]).plain
    '3 checks: 2 well, 1 failed'
    """
    counts = Counter(statuses)
    ends = ", ".join(f"{counts[status]} {word}" for status, word in _PLURALS.items() if counts[status])
    return Text(f"{len(statuses)} checks: {ends}", style="red" if counts["failed"] else "green")
