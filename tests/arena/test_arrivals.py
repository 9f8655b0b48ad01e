"""Newcomers become known in one of three orders, and the numbers grow in all of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.arena.faults.line import Delivery, Line
from tests.arena import frames
from tests.arena.frames import NewFrame
from tests.arena.lines import all_hashes_match, kinds, line_of, numbers, sent, status_of

MARTEN = frames.seat(5, "Marten", stack=1_500)


def test_between_hands_the_snapshot_shows_a_newcomer_before_the_announcement() -> None:
    out = sent(line_of("roster_order"), frames.idle_snapshot(8), frames.player_joined(10), frames.idle_snapshot(12))
    assert kinds(out) == ["table_state", "table_state", "player_joined"]
    assert numbers(out) == [8, 10, 12]
    assert all(map(all_hashes_match, out))


def test_the_own_seat_is_shown_before_it_is_announced() -> None:
    out = sent(line_of("roster_order"), frames.table_joined(10), frames.idle_snapshot(11))
    assert list(zip(kinds(out), numbers(out), strict=True)) == [("table_state", 10), ("table_joined", 11)]


def test_an_announcement_is_not_held_back_for_another_event() -> None:
    out = sent(line_of("roster_order"), frames.player_joined(10), frames.player_action(11))
    assert list(zip(kinds(out), numbers(out), strict=True)) == [("player_joined", 10), ("player_action", 11)]


def test_an_announcement_that_no_snapshot_follows_is_flushed() -> None:
    line = line_of("roster_order")
    assert line.outgoing(frames.player_joined(10)) == []
    assert line.flush() == [Delivery(frames.player_joined(10))]


def prompt_first_line() -> Line:
    """A line in mid-hand whose dice show a newcomer to the prompt first."""
    for seed in range(50):
        line = line_of("roster_order", seed=seed)
        out = sent(line, frames.snapshot(8), frames.player_joined(10), frames.snapshot(11, MARTEN))
        if status_of(out[-1], 5) == "empty":
            return line
    raise AssertionError("no seed in 50 gives that order")


def test_in_mid_hand_the_snapshot_may_show_a_newcomer_before_the_announcement() -> None:
    orders = set()
    for seed in range(50):
        out = sent(
            line_of("roster_order", seed=seed),
            frames.snapshot(8),
            frames.player_joined(10),
            frames.snapshot(11, MARTEN),
        )
        orders.add((*kinds(out[1:]), status_of(out[1], 5)))
    assert orders == {("table_state", "player_joined", "active"), ("table_state", "empty")}


def test_the_prompt_lists_a_newcomer_first_then_the_snapshot_then_the_announcement() -> None:
    out = sent(prompt_first_line(), frames.your_turn(20), frames.snapshot(21, MARTEN), frames.ack(23))
    assert kinds(out) == ["your_turn", "table_state", "player_joined", "action_ack"]
    assert [player["name"] for player in out[0]["players"]] == ["Heron", "Otter", "Lynx", "Marten"]
    assert (status_of(out[1], 5), out[2]["name"]) == ("active", "Marten")
    assert numbers(out) == [20, 21, 22, 23]


def test_a_late_announcement_waits_for_a_number_that_is_free() -> None:
    line = prompt_first_line()
    sent(line, frames.your_turn(20), frames.snapshot(21, MARTEN))
    assert kinds(sent(line, frames.player_action(22))) == ["player_action"]
    assert kinds(sent(line, frames.snapshot(24, MARTEN))) == ["player_joined", "table_state"]


def test_a_newcomer_is_shown_after_the_hand_when_no_prompt_came() -> None:
    out = sent(prompt_first_line(), frames.hand_result(20), frames.snapshot(21, MARTEN), frames.hand_start(23))
    assert kinds(out) == ["hand_result", "table_state", "player_joined", "hand_start"]


@pytest.mark.parametrize("settling", [frames.player_left(20, "Marten", 5), frames.resync_response(20)])
def test_a_newcomer_who_is_gone_or_resynced_is_not_announced_any_more(settling: NewFrame) -> None:
    out = sent(prompt_first_line(), settling, frames.your_turn(30), frames.snapshot(31), frames.ack(33))
    assert kinds(out) == [settling["type"], "your_turn", "table_state", "action_ack"]


@given(st.integers(0, 10**6))
def test_the_numbers_of_a_hand_grow_whatever_the_order_of_arrivals(seed: int) -> None:
    out = sent(
        line_of("roster_order", seed=seed),
        frames.table_joined(4),
        frames.idle_snapshot(5),
        frames.snapshot(8),
        frames.player_joined(10),
        frames.snapshot(11, MARTEN),
        frames.your_turn(20),
        frames.snapshot(21, MARTEN),
        frames.ack(23),
    )
    assert kinds(out).count("player_joined") == 1
    assert numbers(out) == sorted(set(numbers(out)))
