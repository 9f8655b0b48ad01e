"""A client's line: each fault happens as named, and nothing else is touched."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.arena.faults.line import Cut, Delivery, Line
from agent.arena.faults.plan import FaultDice, FaultName, FaultPlan
from agent.openpoker.frames import hash_matches
from tests.arena import frames
from tests.arena.frames import EVERY_KIND, TABLE_ID, NewFrame
from tests.arena.lines import all_hashes_match, kinds, line_of, numbers, plan_of, sent, status_of

LEAVE = {"type": "leave_table"}
ACTION = {"type": "action", "action": "call"}
ON_THE_LINE = tuple(FaultName(name) for name in set(FaultName) - {FaultName.WRONG_HASH})


# Without faults, and what holds for all of them


@given(st.lists(st.sampled_from((frames.CONNECTED, *EVERY_KIND)), max_size=12))
def test_a_line_without_faults_sends_every_frame_itself_at_once(told: list[NewFrame]) -> None:
    line = Line(FaultDice(FaultPlan()))
    for frame in told:
        (delivery,) = line.outgoing(frame)
        assert delivery.frame is frame
        assert delivery.after_s == 0.0
    assert line.flush() == []
    assert line.incoming(ACTION) is Cut.NONE


@given(st.lists(st.sampled_from(EVERY_KIND), max_size=20), st.integers(0, 10**6), st.floats(0.1, 1))
def test_every_hash_is_right_unless_it_is_to_be_wrong(told: list[NewFrame], seed: int, rate: float) -> None:
    line = Line(FaultDice(plan_of(*ON_THE_LINE, rate=rate, seed=seed)))
    line.incoming(LEAVE)
    out = [delivery.frame for frame in told for delivery in line.outgoing(frame)]
    assert all(map(all_hashes_match, [*out, *(delivery.frame for delivery in line.flush())]))


@given(st.lists(st.sampled_from(EVERY_KIND), max_size=20), st.integers(0, 10**6))
def test_no_frame_is_changed_in_place(told: list[NewFrame], seed: int) -> None:
    before = copy.deepcopy(told)
    line = Line(FaultDice(plan_of(*FaultName, rate=0.7, seed=seed)))
    for frame in told:
        line.outgoing(frame)
    assert told == before


@given(st.lists(st.sampled_from(EVERY_KIND), max_size=20), st.integers(0, 10**6))
def test_everything_sent_is_json_with_a_type(told: list[NewFrame], seed: int) -> None:
    line = Line(FaultDice(plan_of(*FaultName, rate=0.7, seed=seed)))
    for frame in sent(line, *told):
        assert json.loads(json.dumps(frame))["type"]


@given(st.lists(st.sampled_from(EVERY_KIND), max_size=20), st.integers(0, 10**6))
def test_the_same_seed_and_frames_give_the_same_deliveries(told: list[NewFrame], seed: int) -> None:
    first, second = (Line(FaultDice(plan_of(*FaultName, rate=0.5, seed=seed), "Heron", 1)) for _ in range(2))
    assert [first.outgoing(frame) for frame in told] == [second.outgoing(frame) for frame in told]


def test_a_greeting_is_never_disturbed() -> None:
    line = Line(FaultDice(plan_of(*(set(FaultName) - {FaultName.SLOW_SERVER}))))
    assert line.outgoing(frames.CONNECTED) == [Delivery(frames.CONNECTED)]


# Frames on their way


@pytest.mark.parametrize("frame", EVERY_KIND, ids=kinds(EVERY_KIND))
def test_a_dropped_frame_is_never_sent(frame: NewFrame) -> None:
    line = line_of("drop_frame")
    assert line.outgoing(frame) == []
    assert line.flush() == []


def test_a_duplicated_frame_is_sent_twice_with_the_same_number() -> None:
    assert numbers(sent(line_of("duplicate_frame"), frames.player_action(60))) == [60, 60]


def test_a_reordered_frame_goes_after_the_next_one() -> None:
    line = line_of("reorder_frames")
    assert line.outgoing(frames.your_turn(40)) == []
    assert numbers(sent(line, frames.snapshot(41))) == [41, 40]


def test_the_frames_after_a_reordered_pair_are_reordered_in_their_turn() -> None:
    told = [frames.player_action(number) for number in range(1, 5)]
    assert numbers(sent(line_of("reorder_frames"), *told)) == [2, 1, 4, 3]


def test_a_frame_that_nothing_follows_is_flushed_once() -> None:
    line = line_of("reorder_frames")
    line.outgoing(frames.your_turn(40))
    assert line.flush() == [Delivery(frames.your_turn(40))]
    assert line.flush() == []


def test_a_held_frame_waits_for_one_that_is_really_sent() -> None:
    line = line_of("reorder_frames", "lost_ack")
    line.outgoing(frames.your_turn(40))
    assert line.outgoing(frames.ack(41)) == []
    assert numbers(sent(line, frames.player_action(42))) == [42, 40]


def test_a_delayed_frame_is_due_later() -> None:
    line = line_of(delay_frame=2.5)
    assert line.outgoing(frames.your_turn(40)) == [Delivery(frames.your_turn(40), 2.5)]


@given(st.lists(st.sampled_from(EVERY_KIND), max_size=12))
def test_a_slow_server_sends_everything_in_order_and_equally_late(told: list[NewFrame]) -> None:
    line = Line(FaultDice(plan_of(slow_server=0.25)))
    deliveries = [delivery for frame in (frames.CONNECTED, *told) for delivery in line.outgoing(frame)]
    assert deliveries == [Delivery(frame, 0.25) for frame in (frames.CONNECTED, *told)]


def test_a_slow_server_is_slow_on_some_connections_and_there_for_every_frame() -> None:
    plan = plan_of("slow_server", rate=0.5)
    lines = [Line(FaultDice(plan, number)) for number in range(100)]
    waits = [{delivery.after_s for frame in EVERY_KIND for delivery in line.outgoing(frame)} for line in lines]
    assert waits.count({0.0}) + waits.count({0.5}) == 100
    assert 30 < waits.count({0.5}) < 70
    assert plan.happened == {FaultName.SLOW_SERVER: waits.count({0.5})}


# Turns


def test_a_lost_ack_loses_the_ack_alone() -> None:
    told = [frames.ack(50), frames.player_action(51), frames.snapshot(52)]
    assert kinds(sent(line_of("lost_ack"), *told)) == ["player_action", "table_state"]


def test_a_duplicate_prompt_repeats_token_and_number() -> None:
    prompt = frames.your_turn(40)
    assert sent(line_of("duplicate_prompt"), prompt, frames.snapshot(41)) == [prompt, prompt, frames.snapshot(41)]


@pytest.mark.parametrize(
    ("fault", "cut"), [("cut_before_action", Cut.BEFORE), ("cut_after_action", Cut.AFTER), ("lost_ack", Cut.NONE)]
)
def test_the_line_is_cut_before_or_after_an_action(fault: str, cut: Cut) -> None:
    assert line_of(fault).incoming(ACTION) is cut


@pytest.mark.parametrize("kind", ["join_lobby", "leave_table", "resync_request", "confetti"])
def test_nothing_but_an_action_cuts_the_line(kind: str) -> None:
    assert line_of("cut_before_action", "cut_after_action").incoming({"type": kind}) is Cut.NONE


def test_an_opponent_flips_to_disconnected_while_the_client_is_to_act() -> None:
    shown = frames.snapshot(41)
    out = sent(line_of("flip_disconnected"), frames.your_turn(40), shown)
    assert kinds(out) == ["your_turn", "table_state", "table_state"]
    assert out[1] == shown
    assert (status_of(out[2], 2), numbers(out[2:]), hash_matches(out[2])) == ("disconnected", [41], True)


def test_only_an_opponent_who_is_still_in_the_hand_flips() -> None:
    for seed in range(20):
        out = sent(line_of("flip_disconnected", seed=seed), frames.your_turn(40), frames.snapshot(41))
        assert [status_of(out[2], seat) for seat in (0, 2, 4)] == ["active", "disconnected", "active"]


def test_nobody_flips_when_the_client_is_not_to_act() -> None:
    plan = plan_of("flip_disconnected")
    line = Line(FaultDice(plan))
    assert kinds(sent(line, frames.player_action(40), frames.snapshot(41))) == ["player_action", "table_state"]
    assert plan.happened == {}


# Snapshots and resyncs


def test_a_wrong_hash_is_well_formed_and_not_the_snapshots() -> None:
    (out,) = sent(line_of("wrong_hash"), frames.snapshot(30))
    assert len(out["state_hash"]) == len(frames.snapshot(30)["state_hash"])
    assert hash_matches(out) is False
    assert {**out, "state_hash": None} == {**frames.snapshot(30), "state_hash": None}


def test_a_wrong_hash_strikes_the_snapshot_of_a_resync_too() -> None:
    (out,) = sent(line_of("wrong_hash"), frames.resync_response(110))
    assert hash_matches(out["snapshot"]) is False


def test_events_have_no_hash_that_could_be_wrong() -> None:
    assert sent(line_of("wrong_hash"), frames.player_action(60)) == [frames.player_action(60)]


def test_a_spectator_resync_tells_neither_seat_nor_cards_nor_token() -> None:
    (out,) = sent(line_of("spectator_resync"), frames.resync_response(110))
    assert (out["role"], out["snapshot"]["hero"]) == ("spectator", None)
    assert {"to_call", "min_raise_to", "max_raise_to"}.isdisjoint(out["snapshot"])
    assert out["replayed_events"][0]["seat"] is None
    assert hash_matches(out["snapshot"]) is True
    assert "Qs" not in json.dumps(out)
    assert frames.TOKEN not in json.dumps(out)


def test_a_null_snapshot_comes_without_events() -> None:
    (out,) = sent(line_of("null_snapshot"), frames.resync_response(110))
    assert (out["role"], out["replayed_events"], out["snapshot"]) == ("player", [], None)


# Seats


def test_a_leaving_client_is_told_that_the_table_closed() -> None:
    line = line_of("late_table_closed")
    assert line.incoming(LEAVE) is Cut.NONE
    assert sent(line, frames.player_left(100)) == [
        {"type": "table_closed", "table_id": TABLE_ID, "reason": "insufficient_players"}
    ]


@pytest.mark.parametrize("settled", [frames.player_left(99), frames.table_joined(99), frames.NOT_AT_TABLE])
def test_a_leave_is_in_flight_until_it_is_settled(settled: NewFrame) -> None:
    line = line_of("late_table_closed")
    line.incoming(LEAVE)
    line.outgoing(settled)
    assert sent(line, frames.player_left(100)) == [frames.player_left(100)]


def test_the_leaving_of_others_is_told_as_it_is() -> None:
    line = line_of("late_table_closed")
    line.incoming(LEAVE)
    assert kinds(sent(line, frames.player_left(100, "Otter", 2))) == ["player_left"]


def test_a_client_that_did_not_ask_to_leave_is_told_so() -> None:
    assert kinds(sent(line_of("late_table_closed"), frames.player_left(100))) == ["player_left"]


def test_already_seated_tells_the_seat_in_details() -> None:
    (out,) = sent(line_of("already_seated_in_details"), frames.ALREADY_SEATED)
    assert out == {
        "type": "error",
        "code": "already_seated",
        "message": "you already have a seat",
        "details": {"table_id": TABLE_ID, "seat": 0},
    }


def test_already_seated_tells_the_seat_nowhere() -> None:
    (out,) = sent(line_of("already_seated_nowhere", "already_seated_in_details"), frames.ALREADY_SEATED)
    assert out.keys() == {"type", "code", "message"}


def test_other_errors_are_told_as_they_are() -> None:
    line = line_of("already_seated_nowhere", "already_seated_in_details")
    assert sent(line, frames.NOT_AT_TABLE) == [frames.NOT_AT_TABLE]


# News


def nested_objects(value: Any) -> list[dict[str, Any]]:
    """The objects in `value` that have named fields: none that maps seats."""
    if isinstance(value, list):
        return [found for item in value for found in nested_objects(item)]
    if not isinstance(value, dict):
        return []
    inside = [item for key, item in value.items() if key not in ("final_stacks", "shown_cards", "x_labels")]
    return [value, *nested_objects(inside)]


@pytest.mark.parametrize("frame", EVERY_KIND, ids=kinds(EVERY_KIND))
def test_unknown_fields_are_everywhere_and_covered_by_the_hash(frame: NewFrame) -> None:
    (out,) = sent(line_of("unknown_fields"), frame)
    assert all("x_region" in found for found in nested_objects(out))
    assert all_hashes_match(out)


def test_unknown_fields_spare_what_is_keyed_by_seat() -> None:
    (out,) = sent(line_of("unknown_fields"), frames.hand_result(80))
    assert out["final_stacks"] == {"0": 2_190, "2": 2_220, "4": 1_490}
    assert out["shown_cards"] == {"0": ["Qs", "Jd"], "2": ["Ad", "9c"]}


def test_unknown_frames_follow_a_tables_frame_with_and_without_envelope() -> None:
    line = line_of("unknown_frames")
    strangers = [sent(line, frames.player_action(60))[1] for _ in range(40)]
    enveloped = [stranger for stranger in strangers if "table_id" in stranger]
    assert 0 < len(enveloped) < 40
    assert all((stranger["table_id"], stranger["table_seq"]) == (TABLE_ID, 60) for stranger in enveloped)
    assert set(kinds(strangers)).isdisjoint(kinds((frames.CONNECTED, *EVERY_KIND)))


def test_an_unknown_frame_after_a_frame_without_envelope_has_none() -> None:
    line = line_of("unknown_frames")
    for _ in range(20):
        frame, stranger = sent(line, frames.LOBBY_JOINED)
        assert frame == frames.LOBBY_JOINED
        assert {"table_id", "table_seq"}.isdisjoint(stranger)
