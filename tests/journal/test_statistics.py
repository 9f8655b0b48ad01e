"""The figures of a journal, against sums done by hand."""

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from statistics import stdev

import pytest

from agent.journal.filters import Filter
from agent.journal.reader import Reader
from agent.journal.records import HandPlayer
from agent.journal.stories import Winnings
from agent.journal.writer import Journal

from .samples import AT, FIRST, POLICY, RUN, decision, hand

Z = 1.959963984540054

FAILED = replace(FIRST, error="nothing came", failure="timeout", latency_ms=4_000.0, cost_usd=None, prompt_tokens=None)
HAIKU = replace(FIRST, asked="anthropic/claude-haiku", model="claude-haiku", latency_ms=600.0, cost_usd=0.002)


def table(*names: str) -> tuple[HandPlayer, ...]:
    return tuple(HandPlayer(seat, name, None, 2000, 0) for seat, name in enumerate(("Heron", *names)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Four hands: +200 by the model, -40 by the rule after a failure, an all-in that was lucky, and one of unknown net."""
    path = tmp_path / "journal.db"
    with Journal(path, RUN) as journal:
        journal.decision(decision(hand_id="h1", street="preflop", source="rule", attempts=()))
        journal.decision(replace(decision(hand_id="h1", street="river"), elapsed_ms=100.0))
        journal.decision(replace(decision(hand_id="h2", source="rule", attempts=(FAILED,)), elapsed_ms=4_100.0))
        differs = decision(hand_id="h3", street="turn", attempts=(FAILED, HAIKU))
        agrees = {**POLICY, "choice": "raise_75"}
        journal.decision(replace(differs, prompt_set="coach", rule_choice="raise_75", policy=agrees))
        at = [AT + timedelta(minutes=number) for number in range(4)]
        journal.hand(hand("h1", at=at[0], net_chips=200, players=table("Otter", "Stoat"), position="BTN"))
        journal.hand(hand("h2", at=at[1], net_chips=-40, players=table("Otter"), position="BB"))
        journal.hand(hand("h3", at=at[2], net_chips=2_000, adjusted_net_chips=600.0, players=table("Lynx")))
        journal.hand(hand("h4", at=at[3], net_chips=None, complete=False, players=table("Lynx")))
    return path


def winnings(*net_bb: float, adjusted: Sequence[float] | None = None) -> tuple[float, ...]:
    """Hands, net in chips of a big blind of 20, rate with its ends, and the same of the adjusted nets."""
    found = [float(len(net_bb)), 20 * sum(net_bb)]
    for values in (net_bb, adjusted or net_bb):
        mean, half = sum(values) / len(values), Z * stdev(values) / math.sqrt(len(values))
        found += [100 * mean, 100 * (mean - half), 100 * (mean + half)]
    return tuple(found)


def told(found: Winnings) -> tuple[float | None, ...]:
    return (
        found.hands,
        found.net_chips,
        found.bb_per_100,
        found.low,
        found.high,
        found.adjusted_bb_per_100,
        found.adjusted_low,
        found.adjusted_high,
    )


def test_the_net_has_a_rate_with_its_interval_and_one_with_all_ins_by_equity(path: Path) -> None:
    with Reader(path) as reader:
        total = reader.statistics().total
    assert told(total) == pytest.approx(winnings(10, -2, 100, adjusted=(10, -2, 30)))


def test_hands_are_grouped_by_what_they_had(path: Path) -> None:
    with Reader(path) as reader:
        found = reader.statistics()
    assert {name: group.net_chips for name, group in found.by_position.items()} == {"BTN": 2_200, "BB": -40}
    assert list(found.by_position) == ["BTN", "BB"]
    assert {name: group.net_chips for name, group in found.by_street.items()} == {
        "river": 200,
        "flop": -40,
        "turn": 2_000,
    }
    assert {name: group.net_chips for name, group in found.by_source.items()} == {"llm": 2_200, "rule": 160}
    assert {name: group.net_chips for name, group in found.by_prompt.items()} == {"default": 160, "coach": 2_000}
    assert {name: group.net_chips for name, group in found.by_model.items()} == {
        "openai/gpt-5-mini": 2_160,
        "anthropic/claude-haiku": 2_000,
    }
    assert {name: (group.hands, group.net_chips) for name, group in found.by_opponent.items()} == {
        "Otter": (2, 160),
        "Lynx": (1, 2_000),
        "Stoat": (1, 200),
    }


def test_one_hand_has_no_rate(path: Path) -> None:
    with Reader(path) as reader:
        group = reader.statistics().by_opponent["Stoat"]
    assert told(group) == (1, 200, None, None, None, None, None, None)


def test_decisions_are_counted_by_source_and_timed(path: Path) -> None:
    with Reader(path) as reader:
        found = reader.statistics()
    assert (found.decisions, found.sources) == (4, {"rule": 2, "llm": 2})
    assert found.prompts == {"default": 3, "coach": 1}
    assert (found.decision_p50_ms, found.decision_p95_ms) == (845.25, 4_100.0)
    assert (found.first_at, found.last_at) == (AT, AT + timedelta(minutes=3))


def test_models_are_told_apart_by_what_they_did(path: Path) -> None:
    with Reader(path) as reader:
        gpt, haiku = reader.statistics().models
    assert (gpt.model, gpt.questions, gpt.answered, gpt.failures) == ("openai/gpt-5-mini", 3, 1, {"timeout": 2})
    assert (gpt.latency_p50_ms, gpt.latency_p95_ms) == (4_000.0, 4_000.0)
    assert (gpt.prompt_tokens, gpt.completion_tokens, gpt.usd) == (1_204, 93, 0.00041)
    # The river was raised against the call of rule and policy; of the turn they thought as the model did.
    assert (gpt.differed, gpt.differed_from_policy) == (1, 1)
    assert (haiku.questions, haiku.answered, haiku.usd) == (1, 1, 0.002)
    assert (haiku.differed, haiku.differed_from_policy) == (0, 0)


def test_a_filter_leaves_the_figures_of_what_it_lets_through(path: Path) -> None:
    with Reader(path) as reader:
        found = reader.statistics(Filter(prompt="coach"))
    assert (found.total.hands, found.total.net_chips, found.decisions) == (1, 2_000, 1)
    assert list(found.by_opponent) == ["Lynx"]
    assert [use.model for use in found.models] == ["anthropic/claude-haiku", "openai/gpt-5-mini"]


def test_a_hand_that_never_ended_counts_its_decisions_but_wins_nothing(tmp_path: Path) -> None:
    with Journal(tmp_path / "journal.db", RUN) as journal:
        journal.decision(replace(decision(hand_id="h9"), prompt_set="minimal"))
    with Reader(tmp_path / "journal.db") as reader:
        found = reader.statistics()
    assert (found.decisions, found.prompts, found.models[0].questions) == (1, {"minimal": 1}, 1)
    assert (found.total.hands, found.by_prompt, found.by_street, found.by_model) == (0, {}, {}, {})


def test_an_empty_journal_has_figures_without_numbers(tmp_path: Path) -> None:
    Journal(tmp_path / "journal.db", RUN).close()
    with Reader(tmp_path / "journal.db") as reader:
        found = reader.statistics()
        assert reader.net_curve() == []
    assert (found.total.hands, found.total.bb_per_100, found.decisions, found.decision_p50_ms) == (0, None, 0, None)
    assert (found.models, found.first_at) == ((), None)


@pytest.mark.parametrize(
    ("times", "chances", "alarms"),
    [
        (25, 100, False),
        (60, 100, True),
        (59, 99, False),
        (40, 100, False),
        (46, 100, True),
        (5, 100, True),
        (0, 100, True),
    ],
)
def test_a_habit_alarms_with_enough_chances_when_its_interval_is_outside_of_the_band(
    tmp_path: Path, times: int, chances: int, alarms: bool
) -> None:
    with Journal(tmp_path / "journal.db", RUN) as journal:
        for number in range(chances):
            journal.hand(hand(f"h{number}", habits={"vpip": (int(number < times), 1), "c_bet": (1, 1)}))
    with Reader(tmp_path / "journal.db") as reader:
        habits = {habit.name: habit for habit in reader.statistics().habits}
    vpip = habits["vpip"]
    assert (vpip.times, vpip.chances, vpip.is_alarming) == (times, chances, alarms)
    assert not habits["pfr"].is_alarming
    assert set(habits) == {"vpip", "pfr", "three_bet", "aggression", "wtsd", "won_at_showdown"}


def test_the_curve_ends_with_the_last_hand_and_has_no_more_points_than_asked_for(path: Path, tmp_path: Path) -> None:
    with Reader(path) as reader:
        curve = reader.net_curve()
    assert [(point.at, point.hands, point.net_bb) for point in curve] == [
        (AT, 1, 10),
        (AT + timedelta(minutes=1), 2, 8),
        (AT + timedelta(minutes=2), 3, 108),
    ]
    half = Z * stdev([10, -2, 100]) * math.sqrt(3)
    assert (curve[2].low_bb, curve[2].high_bb) == pytest.approx((108 - half, 108 + half))
    assert (curve[0].low_bb, curve[0].high_bb) == (10, 10)

    with Journal(tmp_path / "many.db", RUN) as journal:
        for number in range(103):
            journal.hand(hand(f"h{number}", at=AT + timedelta(minutes=number), net_chips=20))
    with Reader(tmp_path / "many.db") as reader:
        thinned = reader.net_curve(points=10)
    assert len(thinned) <= 10
    assert (thinned[-1].hands, thinned[-1].net_bb) == (103, 103)
    assert [point.net_bb for point in thinned] == [point.hands for point in thinned]
