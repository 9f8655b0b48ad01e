"""What the policy made of a turn, as `logs show` prints it."""

from dataclasses import replace

from agent.poker.range_words import range_words
from agent.poker.ranges import parse_range
from agent.terminal.decision import render_decision
from agent.terminal.ranges import GRID_WIDTH

from .samples import decision
from .test_terminal_logs import Screen, story

TIGHT, WIDE = range_words(parse_range("QQ+,AKs")), range_words(parse_range("22+,A2s+,K9s+,QTs+,JTs"))
POLICY = {
    "choice": "call",
    "equity": 0.4312,
    "reason": "worth +120 chips against folding",
    "ranges": {
        "2": {"share": TIGHT.share, "hands": TIGHT.hands, "levels": TIGHT.levels},
        "4": {"share": WIDE.share, "hands": WIDE.hands, "levels": WIDE.levels},
    },
}


def policy_lines(screen: Screen, **changes: object) -> list[str]:
    """The lines of the section, as wide as they were printed."""
    advised = replace(decision(), policy={**POLICY, **changes}, names={"0": "Heron", "2": "Otter"})
    render_decision(screen.console, story(decision=advised))
    lines = [line.rstrip() for line in screen.text.splitlines()]
    return lines[lines.index("Policy") + 1 : lines.index("Model")]


def test_the_policy_s_advice_is_told_with_the_ranges_it_read() -> None:
    lines = policy_lines(Screen())
    assert [" ".join(line.split()) for line in lines[:5]] == [
        "recommends call",
        "equity 43.1% against the ranges below",
        "reason worth +120 chips against folding",
        "seat 2 (BB, Otter): about 1.7 %: QQ+,AKs",
        f"seat 4: {WIDE.text}",
    ]


def test_ranges_stand_side_by_side_where_the_console_is_wide_enough() -> None:
    wide = [line for line in policy_lines(Screen(width=2 * GRID_WIDTH + 3)) if line.startswith("AA ")]
    narrow = [line for line in policy_lines(Screen(width=2 * GRID_WIDTH + 2)) if line.startswith("AA ")]
    assert [line.count("AA █") for line in wide] == [2]
    assert [line.count("AA █") for line in narrow] == [1, 1]


def test_a_grid_has_thirteen_rows_in_which_shades_tell_the_weight() -> None:
    lines = policy_lines(Screen(width=100), ranges={"2": POLICY["ranges"]["2"]})  # type: ignore[index]
    grid = lines[lines.index("seat 2 (BB, Otter)") + 1 :][:13]
    assert grid[0].startswith("AA █ AKs█ AQs  AJs")
    assert grid[1].startswith("AKo  KK █ KQs")
    assert grid[-1].endswith("22")


def test_what_the_policy_recommends_is_marked_in_the_menu() -> None:
    screen = Screen()
    policy_lines(screen)
    assert "rule policy call Call 40 40 -" in screen.lines


def test_equity_that_the_policy_did_not_need_is_not_shown_as_zero() -> None:
    assert "equity      not worked out" in policy_lines(Screen(), equity=None)


def test_a_range_that_cannot_be_drawn_is_still_told() -> None:
    lines = policy_lines(Screen(), ranges={"2": {"share": 0.5, "hands": "22+", "levels": "9" * 168}})
    assert "seat 2 (BB, Otter): about 50 %: 22+" in lines
    assert not any("█" in line for line in lines)
