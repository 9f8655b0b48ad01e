"""The figures of many hands, as `logs stats` prints them."""

from dataclasses import replace

from agent.journal.stories import Habit, JournalStatistics, ModelUse, Winnings
from agent.terminal.stats import ALARM, render_statistics, statistics_json

from .samples import AT
from .test_terminal_logs import HOSTILE, Screen

WON = Winnings(3_200, 7_936, 12.4, 4.3, 20.5, 8.1, 1.0, 15.2)
FEW = Winnings(1, -20, None, None, None, None, None, None)
MODEL = ModelUse(
    "openai/gpt-5-mini", 120, 115, {"late": 4, "misread": 1}, 812.5, 2_400.0, 140_000, 3_600, 0.0421, 23, 46
)
NOTHING = Winnings(0, 0, None, None, None, None, None, None)
FOUND = JournalStatistics(
    total=WON,
    by_position={"BTN": WON, "SB": FEW},
    by_street={"flop": WON},
    by_source={"llm": WON},
    by_model={"openai/gpt-5-mini": WON},
    by_prompt={"default": WON},
    by_opponent={f"Player {number}": FEW for number in range(12)},
    habits=(Habit("vpip", 1_600, 3_200, 0.15, 0.35, True), Habit("pfr", 576, 3_200, 0.12, 0.30, False)),
    decisions=120,
    sources={"llm": 110, "rule": 10},
    prompts={"default": 120},
    decision_p50_ms=845.25,
    decision_p95_ms=2_450.0,
    models=(MODEL,),
    first_at=AT,
    last_at=AT,
)


def lines_of(found: JournalStatistics, *, width: int = 160, opponents: int = 10) -> list[str]:
    screen = Screen(width=width)
    render_statistics(screen.console, found, opponents=opponents)
    return screen.lines


def test_the_net_is_told_with_its_interval_and_its_sample() -> None:
    assert lines_of(FOUND)[:5] == [
        "hands 3,200",
        "time 2026-09-14 09:47:35 UTC to 2026-09-14 09:47:35 UTC",
        "net +7,936 chips",
        "won +12.4 bb/100, 95 % interval +4.3 to +20.5",
        "all-ins valued by equity +8.1 bb/100, 95 % interval +1.0 to +15.2",
    ]


def test_groups_have_rates_and_intervals_where_there_are_hands_enough() -> None:
    lines = lines_of(FOUND)
    position = lines.index("By position")
    assert lines[position + 3 : position + 5] == [
        "BTN 3,200 +7,936 +12.4 +4.3 to +20.5 +8.1 +1.0 to +15.2",
        "SB 1 -20 - - - -",
    ]


def test_so_many_opponents_are_shown_as_were_asked_for() -> None:
    assert sum(line.startswith("Player ") for line in lines_of(FOUND)) == 10
    assert sum(line.startswith("Player ") for line in lines_of(FOUND, opponents=3)) == 3
    assert "By opponent in the hand" not in lines_of(FOUND, opponents=0)


def test_an_alarm_is_marked_and_explained() -> None:
    lines = lines_of(FOUND, width=400)
    assert "VPIP 50% 1,600 3,200 15% to 35% ! alarm" in lines
    assert "PFR 18% 576 3,200 12% to 30%" in lines
    assert ALARM in lines


def test_without_an_alarm_nothing_is_explained() -> None:
    assert not any(ALARM[:30] in line for line in lines_of(replace(FOUND, habits=FOUND.habits[1:]), width=400))


def test_decisions_are_told_by_source_and_time() -> None:
    lines = lines_of(FOUND)
    assert lines[lines.index("120 decisions") + 1 :][:2] == [
        "decided by llm 110 (92%), rule 10 (8%)",
        "took 845 ms in the middle, 2,450 ms at the 95th percentile",
    ]


def test_models_are_told_with_time_cost_failures_and_disagreement() -> None:
    lines = lines_of(FOUND)
    assert lines[-3:] == [
        "openai/gpt-5-mini 120 115 5 812 ms 2,400 ms 140,000 3,600 $0.0421",
        "openai/gpt-5-mini: played otherwise than the rule 23 of 115 (20%), the policy 46 of 115 (40%)",
        "openai/gpt-5-mini failed: late 4, misread 1",
    ]


def test_an_unknown_cost_is_not_shown_as_nothing() -> None:
    dear = replace(FOUND, models=(replace(MODEL, usd=None, latency_p50_ms=None),))
    assert "openai/gpt-5-mini 120 115 5 - 2,400 ms 140,000 3,600 unknown" in lines_of(dear)


def test_no_hands_and_no_decisions_are_said_in_a_sentence() -> None:
    empty = replace(FOUND, total=NOTHING, decisions=0)
    assert lines_of(empty) == ["No hand and no decision matches these filters."]


def test_names_of_strangers_are_text() -> None:
    screen = Screen(width=2_000)
    hostile = replace(FOUND, by_opponent={HOSTILE: WON}, models=(replace(MODEL, model=HOSTILE, failures={HOSTILE: 1}),))
    render_statistics(screen.console, hostile, opponents=10)
    assert screen.text.count("[bold red]all in[/]") == 5
    assert not set(screen.text) & set("\x1b\x07\r\b\u202e\u2066\u200b\U000e0041\ud83d")


def test_very_long_names_fill_no_screen_and_stand_whole_in_json() -> None:
    name = "x" * 5_000
    long = replace(
        FOUND,
        by_model={name: WON},
        by_prompt={name: WON},
        by_opponent={name: WON},
        models=(replace(MODEL, model=name),),
    )
    lines = [line for line in lines_of(long) if "x" * 20 in line]
    assert len(lines) == 6
    assert all(line.startswith("x" * 39 + "…") for line in lines)
    told = statistics_json(long)
    assert (told["models"][0]["model"], list(told["by_opponent"])) == (name, [name])


def test_json_holds_all_of_it() -> None:
    told = statistics_json(FOUND)
    assert (told["total"]["net_chips"], len(told["by_opponent"])) == (7_936, 12)
    assert told["habits"][0]["is_alarming"] is True


def test_in_eighty_columns_names_lose_their_end_and_figures_nothing() -> None:
    long = replace(MODEL, model="a-provider/a-model-with-a-very-long-name-2026-11", usd=None)
    named = replace(FOUND, models=(long,), by_model={long.model: WON})
    lines = [line for line in lines_of(named, width=80) if line.startswith("a-provider/") and "…" in line]
    assert len(lines) == 4
    assert lines[0].endswith("… 3,200 +7,936 +12.4 +4.3 to +20.5")
    assert lines[1].endswith("… 120 115 5 812 ms 2,400 ms unknown")
    assert lines[2].startswith("a-provider/a-model-with-a-very-long-nam…: played otherwise than the rule 23 of")
    assert lines[3] == "a-provider/a-model-with-a-very-long-nam… failed: late 4, misread 1"
