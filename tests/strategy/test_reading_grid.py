import numpy as np

from agent.poker.ranges import CLASSES, COMBOS, Range, grid, parse_range
from agent.terminal.ranges import grid_text


def test_the_grid_has_thirteen_lines_with_pairs_on_the_diagonal() -> None:
    rows = grid_text(grid(Range.random())).plain.splitlines()

    assert len(rows) == 13
    assert [row[5 * place : 5 * place + 2] for place, row in enumerate(rows)] == [name * 2 for name in "AKQJT98765432"]
    assert all(name in "\n".join(rows) for name in CLASSES)


def test_shades_tell_the_weight_beside_the_heaviest_class() -> None:
    text = grid_text(grid(parse_range("AA:0.8,KK:0.4,QQ:0.2,JJ:0.05"))).plain

    assert "AA █" in text
    assert "KK ▒" in text
    assert "QQ ░" in text
    assert "JJ  " in text


def test_an_empty_range_has_no_shades() -> None:
    assert not set("░▒▓█") & set(grid_text(grid(Range(np.zeros(len(COMBOS))))).plain)
