"""Lists in terminals of several widths."""

from pathlib import Path

import pytest

from agent.journal.reader import Reader
from agent.journal.writer import Journal
from agent.terminal.logs import render_decisions

from .samples import RUN, decision, hand
from .test_terminal_logs import Screen, show_hands


@pytest.mark.parametrize("width", [72, 80, 100, 120])
def test_a_list_leaves_columns_out_and_cuts_none(tmp_path: Path, width: int) -> None:
    path = tmp_path / "journal.db"
    with Journal(path, RUN) as journal:
        journal.decision(decision(pot_chips=1_234_567, source="repaired"))
        journal.hand(hand(pot_chips=1_234_567, net_chips=-1_000_000, position="BTN/BB"))
    screen = Screen(width)
    with Reader(path) as reader:
        show_hands(screen, reader)
        render_decisions(screen.console, reader.decisions())
    assert "…" not in screen.text
    assert max(map(len, screen.text.splitlines())) <= width
    assert "A♠ K♦ 7♥ 2♣ K♠ 3♦ 9♣ 1,234,567 -1,000,000" in " ".join(screen.text.split())
