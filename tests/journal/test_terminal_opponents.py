"""What people see of those who were met, and what programs get as JSON."""

import json
from dataclasses import replace

import pytest

from agent.journal.reader import OpponentLine
from agent.terminal.opponents import Met, met, opponents_json, render_opponents

from .samples import opponent
from .test_terminal_logs import HOSTILE, Screen


def players(*names: str) -> list[Met]:
    return met([OpponentLine("Heron", opponent(name)) for name in names or ("Otter",)])


def test_a_player_is_one_line_with_the_chances_behind_each_rate() -> None:
    screen = Screen()
    render_opponents(screen.console, players())
    assert screen.lines[0] == "name hands confidence VPIP PFR 3-bet aggression WTSD showdowns last met (UTC) bot"
    assert screen.lines[2] == "Otter 38 49% 32% of 38 16% of 37 - - - 2 09-14 09:47 Heron"


def test_a_narrow_terminal_keeps_the_columns_that_matter_most() -> None:
    screen = Screen(width=80)
    render_opponents(screen.console, players())
    assert screen.lines[0] == "name hands confidence VPIP PFR aggression"


def test_an_empty_list_says_what_to_do() -> None:
    screen = Screen()
    render_opponents(screen.console, [])
    render_opponents(screen.console, [], filtered=True)
    assert screen.lines == [
        "Nobody was met yet. `poker-agent demo` seats some.",
        "Nobody of that name was met.",
    ]


def test_names_cannot_reach_the_terminal_s_controls_nor_fill_it() -> None:
    screen = Screen()
    render_opponents(screen.console, players(HOSTILE, "x" * 200, "\n" * 200))
    assert "[bold red]all in[/]" in screen.text
    assert not set(screen.text) & set("\x1b\x07\r\b\u202e\u2066\u200b\U000e0041\ud83d")
    assert "x" * 23 + "…" in screen.text
    assert len(screen.lines) == 6
    screen.text.encode()


def test_a_very_long_bot_s_name_costs_no_column() -> None:
    screen = Screen()
    render_opponents(screen.console, met([OpponentLine("b" * 5_000, opponent())]))
    assert screen.lines[-2].endswith("09-14 09:47 " + "b" * 23 + "…")


def test_json_holds_counts_and_the_rate_that_play_reckons_with() -> None:
    told = opponents_json(players())
    assert json.loads(json.dumps(told)) == told
    (otter,) = told
    assert (otter["bot"], otter["name"], otter["hands"]) == ("Heron", "Otter", 38)
    assert otter["confidence"] == pytest.approx(38 / 78, abs=1e-4)
    # (12 + 15 * .32) / (38 + 15)
    assert otter["statistics"]["vpip"] == {"times": 12, "chances": 38, "shrunk": 0.317}
    assert otter["statistics"]["wtsd"] == {"times": 0, "chances": 0, "shrunk": 0.3}
    assert otter["shown"] == {"showdowns": 2, "early": 0.25, "late": -0.125}
    assert otter["updated_at"] == "2026-09-14T09:47:35.262893+00:00"


def test_what_says_nothing_usable_is_left_out_and_told(caplog: pytest.LogCaptureFixture) -> None:
    broken = replace(opponent("Stoat"), statistics={"luck": [1, 1]})
    found = met([OpponentLine("Heron", broken), OpponentLine("Heron", opponent())])
    assert [player.line.opponent.name for player in found] == ["Otter"]
    assert "'Stoat' is left out: luck is no statistic" in caplog.text
