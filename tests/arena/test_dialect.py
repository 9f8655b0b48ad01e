"""Dialects: each switch changes what it names, hashes follow, and the default changes nothing."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.arena.wire.dialect import Dialect
from agent.openpoker.frames import Frame, hash_matches, legal_actions, whole_chips
from tests.arena import frames
from tests.arena.frames import EVERY_KIND, NewFrame

DIALECTS = st.builds(
    Dialect,
    call_amount_null=st.booleans(),
    folded_stay_in_hand=st.booleans(),
    winners_net=st.booleans(),
    offer_with_nulls=st.booleans(),
    raise_bounds_null=st.booleans(),
    whole_board=st.booleans(),
    float_chips=st.booleans(),
    all_in_verb=st.sampled_from(["all_in", "raise"]),
    all_in_amount=st.sampled_from(["zero", "absent"]),
    connected_season_mode=st.booleans(),
    low_balance_code=st.sampled_from(["insufficient_funds", "insufficient_season_chips"]),
    auto_action_reason=st.sampled_from([None, "timeout", "auto_fold"]),
    split_outcome_kind=st.sampled_from(["win", "split"]),
    gone_table=st.sampled_from(["null_snapshot", "table_not_found"]),
    resync_hash=st.booleans(),
)
ANY_FRAME = st.sampled_from((frames.CONNECTED, *EVERY_KIND))

GONE = {**frames.resync_response(110), "role": "spectator", "replayed_events": [], "snapshot": None}
ALL_IN = {"amount": 0, "stack": 0, "contribution_delta": 1_980}


def changed(frame: Frame, **switches: Any) -> dict[str, Any]:
    """The fields that a dialect changes, with their new values; None for those it leaves out."""
    spelled = Dialect(**switches).respell(frame)
    keys = {
        key
        for key in frame.keys() | spelled.keys()
        if (key in frame, frame.get(key)) != (key in spelled, spelled.get(key))
    }
    return {key: spelled.get(key) for key in keys}


# All switches


@given(ANY_FRAME)
def test_the_default_dialect_returns_the_frame_itself(frame: NewFrame) -> None:
    assert Dialect().respell(frame) is frame


@given(DIALECTS, ANY_FRAME)
def test_no_frame_is_changed_in_place(dialect: Dialect, frame: NewFrame) -> None:
    before = copy.deepcopy(frame)
    dialect.respell(frame)
    assert frame == before


@given(DIALECTS, ANY_FRAME)
def test_hashes_follow_what_is_said(dialect: Dialect, frame: NewFrame) -> None:
    spelled = dialect.respell(frame)
    assert hash_matches(spelled) is not False
    assert hash_matches(spelled.get("snapshot") or {}) is not False


@given(DIALECTS, ANY_FRAME)
def test_a_respelled_frame_keeps_its_place_and_is_json(dialect: Dialect, frame: NewFrame) -> None:
    spelled = json.loads(json.dumps(dialect.respell(frame)))
    for key in ("type", "table_id", "hand_id", "table_seq", "hand_seq", "ts"):
        assert spelled.get(key) == frame.get(key)


@given(DIALECTS)
def test_an_offer_is_legal_in_every_dialect(dialect: Dialect) -> None:
    prompt = frames.your_turn(40)
    assert legal_actions(dialect.respell(prompt)["valid_actions"]) == legal_actions(prompt["valid_actions"])


@given(DIALECTS)
def test_chips_are_the_same_number_in_every_dialect(dialect: Dialect) -> None:
    spelled = dialect.respell(frames.snapshot(30))
    assert [whole_chips(seat["stack"]) for seat in spelled["seats"]] == [1_980, 0, 2_350, 0, 1_490, 0]


def test_every_switch_is_described_with_its_default() -> None:
    described = {name: default for name, default, meaning in Dialect.describe() if meaning.endswith(".")}
    assert len(described) == 16
    assert described["call_amount_null"] is True
    assert described["all_in_verb"] == "all_in"


@pytest.mark.parametrize(
    ("switch", "allowed"),
    [
        ("all_in_verb", "all_in or raise"),
        ("all_in_amount", "zero or absent"),
        ("low_balance_code", "insufficient_funds or insufficient_season_chips"),
        ("gone_table", "null_snapshot or table_not_found"),
    ],
)
def test_words_that_no_server_says_are_refused(switch: str, allowed: str) -> None:
    with pytest.raises(ValueError, match=f"{switch} = 'bet': expected {allowed}"):
        Dialect(**{switch: "bet"})  # type: ignore[arg-type]  # what is refused here


# Each switch


def test_a_call_states_the_chips_it_added() -> None:
    assert changed(frames.player_action(60), call_amount_null=False) == {"amount": 30}


def test_a_fold_states_no_amount_in_any_dialect() -> None:
    assert changed(frames.player_action(60, "fold"), call_amount_null=False) == {}


def test_a_folded_player_is_out_of_the_hand() -> None:
    spelled = Dialect(folded_stay_in_hand=False).respell(frames.snapshot(30))
    assert [seat["in_hand"] for seat in spelled["seats"]] == [True, False, True, False, False, False]
    assert spelled["seats"][4]["folded"] is True


def test_winners_state_their_payout() -> None:
    (winner,) = changed(frames.hand_result(80), winners_net=False)["winners"]
    assert winner["amount"] == 370


def test_an_offer_leaves_its_nulls_out() -> None:
    assert changed(frames.your_turn(40), offer_with_nulls=False) == {
        "valid_actions": [
            {"action": "fold"},
            {"action": "call", "amount": 30},
            {"action": "raise", "min": 80, "max": 2_000},
        ]
    }


def test_bounds_of_a_raise_that_is_not_offered_are_left_out() -> None:
    prompt = {**frames.your_turn(40), "min_raise": None, "max_raise": None}
    assert changed(prompt, raise_bounds_null=False) == {"min_raise": None, "max_raise": None}
    spelled = Dialect(raise_bounds_null=False).respell(frames.snapshot(30, min_raise_to=None, max_raise_to=None))
    assert {"min_raise_to", "max_raise_to"}.isdisjoint(spelled)


def test_bounds_of_a_raise_that_is_offered_stay() -> None:
    assert changed(frames.your_turn(40), raise_bounds_null=False) == {}


@pytest.mark.parametrize(
    ("board", "told"),
    [
        (["2h", "7h", "Kc"], ["2h", "7h", "Kc"]),
        (["2h", "7h", "Kc", "9s"], ["9s"]),
        (["2h", "7h", "Kc", "9s", "Ad"], ["Ad"]),
    ],
)
def test_a_street_tells_its_new_cards_alone(board: list[str], told: list[str]) -> None:
    spelled = Dialect(whole_board=False).respell(frames.community_cards(70, "turn", *board))
    assert spelled["cards"] == told


def test_chips_are_floats_and_nothing_else_is() -> None:
    spelled = Dialect(float_chips=True).respell(frames.snapshot(30))
    assert json.dumps([spelled["pot"], spelled["to_call"], spelled["seats"][0]["bet"]]) == "[80.0, 30.0, 20.0]"
    assert json.dumps(spelled["hero"]["valid_actions"]) == '[{"action": "fold"}, {"action": "call", "amount": 30.0}]'
    assert json.dumps([spelled["actor_seat"], spelled["seats"][2]["seat"], spelled["table_seq"]]) == "[0, 2, 30]"
    assert spelled["state_hash"] != frames.snapshot(30)["state_hash"]


def test_stacks_by_seat_and_unknown_amounts_are_spelled_as_floats_and_nulls() -> None:
    result = Dialect(float_chips=True).respell(frames.hand_result(80))
    assert json.dumps(result["final_stacks"]) == '{"0": 2190.0, "2": 2220.0, "4": 1490.0}'
    assert Dialect(float_chips=True).respell(frames.player_action(60))["amount"] is None


def test_an_all_in_above_the_price_is_a_raise() -> None:
    shove = frames.player_action(60, "all_in", **ALL_IN)
    assert changed(shove, all_in_verb="raise") == {"action": "raise", "amount": 1_980}
    assert shove["amount_mode"] == "incremental"


@pytest.mark.parametrize(("null", "amount"), [(True, None), (False, 30)])
def test_an_all_in_that_only_calls_is_a_call(null: bool, amount: int | None) -> None:
    shove = frames.player_action(60, "all_in", amount=0, stack=0, contribution_delta=30)
    assert changed(shove, all_in_verb="raise", call_amount_null=null) == {"action": "call", "amount": amount}


def test_an_all_in_leaves_its_amount_out() -> None:
    assert "amount" not in Dialect(all_in_amount="absent").respell(frames.player_action(60, "all_in", **ALL_IN))
    (action,) = changed(frames.hand_result(80), all_in_amount="absent")["actions"]
    assert action == {"seat": 2, "action": "all_in", "street": "preflop"}


def test_a_greeting_tells_the_season_mode() -> None:
    assert changed(frames.CONNECTED, connected_season_mode=True) == {"season_mode": True}


def test_a_low_balance_goes_by_its_other_code() -> None:
    assert changed(frames.LOW_BALANCE, low_balance_code="insufficient_season_chips") == {
        "code": "insufficient_season_chips"
    }
    assert changed(frames.NOT_AT_TABLE, low_balance_code="insufficient_season_chips") == {}


@pytest.mark.parametrize("reason", [None, "auto_fold"])
def test_an_automatic_action_has_another_reason(reason: str | None) -> None:
    automatic = frames.player_action(60, "fold", reason="timeout")
    assert changed(automatic, auto_action_reason=reason) == {"reason": reason}


def test_an_ordinary_action_has_no_reason() -> None:
    assert changed(frames.player_action(60), auto_action_reason="auto_fold") == {}


def test_a_split_pot_has_another_outcome() -> None:
    result = frames.hand_result(80)
    split = {**result, "winners": 2 * result["winners"]}
    assert changed(split, split_outcome_kind="split") == {"outcome_kind": "split"}
    assert changed(result, split_outcome_kind="split") == {}


def test_a_gone_table_is_told_by_an_error() -> None:
    dialect = Dialect(gone_table="table_not_found")
    assert dialect.respell(GONE) == {
        "type": "error",
        "code": "table_not_found",
        "message": "there is no such table",
    }
    assert dialect.respell(frames.resync_response(110)) == frames.resync_response(110)


def test_a_resync_states_a_hash_over_all_of_it() -> None:
    spelled = Dialect(resync_hash=True).respell(frames.resync_response(110))
    assert hash_matches(spelled) is True


def test_replayed_events_and_the_snapshot_of_a_resync_are_respelled() -> None:
    spelled = Dialect(float_chips=True, call_amount_null=False).respell(frames.resync_response(110))
    assert json.dumps(spelled["replayed_events"][1]["amount"]) == "30.0"
    assert json.dumps(spelled["snapshot"]["pot"]) == "80.0"
