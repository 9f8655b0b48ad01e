import json

import pytest

from agent.evaluation.freezeout import FreezeoutPlan, FreezeoutResult, _next, _place
from agent.evaluation.registry import UnknownContender

PLAN = FreezeoutPlan("house:regular:regular", ("station:beginner", "maniac:novice"), seed=3)


def test_a_tournament_is_the_same_whenever_it_is_played() -> None:
    played = [PLAN.play(index) for index in range(4)]
    assert [PLAN.play(index) for index in reversed(range(4))] == played[::-1]
    assert all(one["hands"] > 0 for one in played)


def test_places_are_those_of_the_table() -> None:
    result = FreezeoutResult(PLAN, tuple(PLAN.play(index)["place"] for index in range(12)), hands=100)
    assert set(result.places) <= {1, 2, 3}
    assert len(set(result.places)) > 1
    told = result.as_dict(seconds=2.0)
    assert told["tournaments"] == 12
    assert sum(told["places"]) == 12
    assert told["first_places"] == told["places"][0]
    assert told["ci_low"] < told["first_share"] < told["ci_high"]
    assert told["fair_share"] == pytest.approx(1 / 3)


def test_who_only_folds_does_not_come_first() -> None:
    # A maniac against nine blinds: whoever never plays is blinded away.
    plan = FreezeoutPlan("house:0/0/0/0:master", ("maniac:master",) * 2, stack_chips=400, hands_per_level=3)
    assert sum(plan.play(index)["place"] == 1 for index in range(10)) < 5


def test_of_two_who_go_out_in_a_hand_the_larger_stack_comes_first() -> None:
    before, after = {0: 500, 1: 900, 2: 2_000}, {0: 0, 1: 0, 2: 3_400}
    assert (_place(0, before, after), _place(1, before, after)) == (3, 2)


def test_the_button_goes_to_the_next_player_who_is_left() -> None:
    table = dict.fromkeys((0, 2, 5))
    assert [_next(table, button) for button in (0, 1, 2, 5)] == [2, 2, 5, 0]  # type: ignore[arg-type]


def test_what_is_no_tournament_is_refused() -> None:
    with pytest.raises(UnknownContender):
        FreezeoutPlan("nobody").look_up_names()
    with pytest.raises(UnknownContender):
        FreezeoutPlan("equity", ("sharks",)).look_up_names()
    with pytest.raises(ValueError, match="0 opponents"):
        FreezeoutPlan("equity", ())


def test_a_plan_survives_as_plain_values_and_what_is_none_is_refused() -> None:
    assert FreezeoutPlan.from_dict(json.loads(json.dumps(PLAN.as_dict()))) == PLAN
    for told, message in (
        ({"kind": "freezeout"}, "player is missing"),
        ({**PLAN.as_dict(), "opponents": "maniac"}, "opponents: 'maniac': expected a list"),
        ({**PLAN.as_dict(), "stack_chips": 0}, "stack_chips: 0: expected a whole number from 1"),
    ):
        with pytest.raises(ValueError, match=message):
            FreezeoutPlan.from_dict(told)


def test_what_is_no_result_of_a_tournament_is_refused() -> None:
    PLAN.check({"place": 3, "hands": 1})
    for told, message in (
        ({}, "place is missing"),
        ({"place": 4, "hands": 1}, "place: 4: expected a whole number from 1 up to 3"),
        ({"place": 1, "hands": 0}, "hands: 0: expected a whole number from 1"),
    ):
        with pytest.raises(ValueError, match=message):
            PLAN.check(told)
