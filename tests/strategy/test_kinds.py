from dataclasses import replace
from typing import Any

import pytest

from agent.poker.equity import estimate_equity
from agent.poker.facts import gather
from agent.poker.spot import Spot
from agent.poker.spot_text import spot_from
from agent.strategy.kinds import SPOT_KINDS, spot_kinds
from tests.spots import facing_a_raise

RAISED = "2 raise 60, 3 fold, 0 call, 1 call"
HEADS_UP = "2 raise 60, 3 fold, 0 fold, 1 call"
LIMPED = "2 call, 3 fold, 0 call, 1 check"
FLOP, TURN, RIVER = "7h2cKs", "7h2cKs3d", "7h2cKs3d9c"
SIZES = {"multiway", "short_stack", "deep", "low_spr"}


def spot(hero: int, board: str = "", *, hole: str = "JdJh", stack: int = 2_000, **actions: str) -> Spot:
    """Four equal stacks: the button is seat 3, seat 0 posts 10 and seat 1 20, seat 2 acts first."""
    stacks = dict.fromkeys("0123", stack)
    told: dict[str, Any] = {"hole_cards": hole, "board": board, "hero_seat": hero, "button_seat": 3}
    return spot_from({**told, "start_stacks": stacks, "actions": actions})


def kinds(told: Spot) -> tuple[str, ...]:
    assert told.hole_cards is not None
    return spot_kinds(told, gather(told, estimate_equity(told.hole_cards, told.board, len(told.opponents))))


def main(told: Spot) -> set[str]:
    """The kinds without those that tell sizes."""
    return set(kinds(told)) - SIZES


@pytest.mark.parametrize(
    ("hero", "preflop", "kind"),
    [
        (2, "", "open"),
        (3, "2 fold", "open"),
        (0, "2 fold, 3 fold", "open"),
        (3, "2 call", "isolate"),
        (0, "2 call, 3 fold", "isolate"),
        (1, "2 call, 3 fold, 0 call", "free_check_bb"),
        (1, "2 fold, 3 fold, 0 call", "free_check_bb"),
        (3, "2 raise 60", "facing_open"),
        (2, "2 call, 3 raise 100, 0 fold, 1 fold", "facing_open"),
        (0, "2 raise 60, 3 call", "blind_defence"),
        (1, "2 fold, 3 fold, 0 raise 60", "blind_defence"),
        (2, "2 raise 60, 3 raise 180, 0 fold, 1 fold", "facing_3bet"),
        (1, "2 raise 60, 3 raise 180, 0 fold", "facing_3bet"),
        (3, "2 raise 60, 3 raise 180, 0 fold, 1 fold, 2 raise 420", "facing_4bet"),
        (2, "2 raise 60, 3 raise 180, 0 fold, 1 fold, 2 raise 420, 3 raise 1000", "facing_4bet"),
    ],
)
def test_before_the_flop_a_spot_is_of_one_kind(hero: int, preflop: str, kind: str) -> None:
    assert main(spot(hero, preflop=preflop)) == {kind}


def short_all_in(hero: int, preflop: str, chips: int, board: str = "", **later: str) -> Spot:
    """As `spot`, with so many chips on the button and 2,000 everywhere else."""
    stacks = {"0": 2_000, "1": 2_000, "2": 2_000, "3": chips}
    told: dict[str, Any] = {"hole_cards": "JdJh", "board": board, "hero_seat": hero, "button_seat": 3}
    return spot_from({**told, "start_stacks": stacks, "actions": {"preflop": preflop, **later}})


@pytest.mark.parametrize(
    ("hero", "preflop", "chips", "found"),
    [
        # Between an open of 60 and a full raise to 100.
        (0, "2 raise 60, 3 all_in", 70, {"blind_defence"}),
        (2, "2 raise 60, 3 all_in, 0 fold, 1 fold", 70, {"facing_all_in"}),
        (2, "2 raise 60, 3 all_in, 0 raise 140, 1 fold", 70, {"facing_3bet"}),
        (2, "2 raise 60, 3 all_in, 0 fold, 1 fold", 100, {"facing_all_in", "facing_3bet"}),
        # Between the big blind and a full raise to 40.
        (0, "2 fold, 3 all_in", 30, {"facing_all_in", "isolate"}),
        (2, "2 call, 3 all_in, 0 fold, 1 fold", 30, {"facing_all_in"}),
    ],
)
def test_an_all_in_below_a_full_raise_is_no_raise(hero: int, preflop: str, chips: int, found: set[str]) -> None:
    assert main(short_all_in(hero, preflop, chips)) == found


def test_a_bet_that_met_a_short_all_in_is_not_a_bet_of_somebody_else() -> None:
    told = short_all_in(2, "2 raise 60, 3 call, 0 fold, 1 fold", 200, FLOP, flop="2 raise 90, 3 all_in")

    assert main(told) == {"facing_all_in"}


def test_a_leader_who_is_all_in_has_not_given_up_the_lead() -> None:
    told = short_all_in(
        2,
        "2 call, 3 call, 0 call, 1 check",
        300,
        RIVER,
        flop="0 check, 1 check, 2 check, 3 check",
        turn="0 check, 1 check, 2 check, 3 all_in, 0 call, 1 fold, 2 call",
        river="0 check",
    )

    assert main(told) == set()


@pytest.mark.parametrize(
    ("hero", "preflop", "flop", "kind"),
    [
        (2, RAISED, "0 check, 1 check", "c_bet"),
        (0, RAISED, "", None),
        (1, RAISED, "0 check", None),
        (2, RAISED, "0 raise 90, 1 fold", "facing_bet"),
        (0, RAISED, "0 check, 1 check, 2 raise 90", "facing_c_bet"),
        (1, RAISED, "0 check, 1 check, 2 raise 90, 0 call", "facing_c_bet"),
        (1, RAISED, "0 check, 1 check, 2 raise 90, 0 raise 270", "facing_raise"),
        (2, RAISED, "0 check, 1 check, 2 raise 90, 0 raise 270, 1 fold", "facing_raise"),
        (0, LIMPED, "", "probe"),
        (2, LIMPED, "0 check, 1 check", "probe"),
        (2, LIMPED, "0 raise 40, 1 fold", "facing_bet"),
    ],
)
def test_a_flop_is_told_by_who_raised_before_it(hero: int, preflop: str, flop: str, kind: str | None) -> None:
    assert main(spot(hero, FLOP, preflop=preflop, flop=flop)) == ({kind} if kind else set())


@pytest.mark.parametrize(
    ("hero", "flop", "turn", "kind"),
    [
        (2, "1 check, 2 raise 90, 1 call", "1 check", "barrel"),
        (1, "1 check, 2 raise 90, 1 call", "", None),
        (1, "1 check, 2 check", "", "probe"),
        # The raiser who gave up the flop was the last aggressor, and bet on no street before.
        (2, "1 check, 2 check", "1 check", None),
        (2, "1 check, 2 check", "1 raise 80", "facing_bet"),
        (1, "1 check, 2 raise 90, 1 call", "1 check, 2 raise 200", "facing_bet"),
        (2, "1 raise 80, 2 call", "1 check", "probe"),
        (1, "1 raise 80, 2 call", "", "barrel"),
    ],
)
def test_a_turn_is_told_by_who_bet_the_flop(hero: int, flop: str, turn: str, kind: str | None) -> None:
    assert main(spot(hero, TURN, preflop=HEADS_UP, flop=flop, turn=turn)) == ({kind} if kind else set())


@pytest.mark.parametrize(
    ("hole", "catches"),
    [
        ("JdJh", True),
        ("AdQh", False),
        ("KhKd", False),
        ("QhTd", False),
        ("8h7s", True),
        ("AdKh", False),
        ("KhQd", False),
    ],
)
def test_a_river_bet_meets_a_bluff_catcher_unless_the_hand_is_strong_or_nothing(hole: str, catches: bool) -> None:
    told = spot(
        1,
        RIVER,
        hole=hole,
        preflop=HEADS_UP,
        flop="1 check, 2 check",
        turn="1 check, 2 check",
        river="1 check, 2 raise 90",
    )

    assert main(told) == {"facing_bet"} | ({"river_bluff_catch"} if catches else set())


@pytest.mark.parametrize(
    ("hole", "board", "is_draw"),
    [
        ("AhTh", "9h8h2c", True),
        ("JdTd", "9h8h2c", True),
        ("QdTd", "9h8h2c", True),
        ("AdKd", "9h8h2c", False),
        ("9d2h", "9h8h2c", False),
    ],
)
def test_a_draw_is_to_a_flush_or_a_straight(hole: str, board: str, is_draw: bool) -> None:
    assert ("draw" in kinds(spot(2, board, hole=hole, preflop=RAISED, flop="0 check, 1 check"))) is is_draw


def test_an_all_in_is_faced_when_the_bettor_or_the_caller_has_no_more() -> None:
    by_them = spot(3, preflop="2 all_in")
    by_us = spot_from(
        {
            "hole_cards": "JdJh",
            "hero_seat": 1,
            "button_seat": 1,
            "start_stacks": {"0": 900, "1": 200},
            "actions": {"preflop": "0 raise 300"},
        }
    )

    assert kinds(by_them)[0] == kinds(by_us)[0] == "facing_all_in"
    assert "facing_all_in" not in kinds(spot(3, preflop="2 raise 1900"))


@pytest.mark.parametrize(("stack", "found"), [(380, {"short_stack"}), (400, set()), (3_000, set()), (3_020, {"deep"})])
def test_stacks_are_short_below_20_and_deep_above_150_big_blinds(stack: int, found: set[str]) -> None:
    assert set(kinds(spot(2, stack=stack))) & SIZES == found


def test_a_low_spr_and_more_than_one_opponent_are_told_after_the_flop() -> None:
    before, after = spot(2, stack=2_000), spot(2, FLOP, stack=400, preflop=RAISED, flop="0 check, 1 check")

    assert set(kinds(before)) & SIZES == set()
    assert set(kinds(after)) & SIZES == {"short_stack", "low_spr", "multiway"}


def test_kinds_come_in_the_order_of_the_vocabulary() -> None:
    found = kinds(
        spot(
            1,
            RIVER,
            stack=600,
            preflop=HEADS_UP,
            flop="1 check, 2 raise 90, 1 call",
            turn="1 check, 2 check",
            river="1 check, 2 all_in",
        )
    )

    assert found == ("facing_all_in", "river_bluff_catch", "facing_bet", "low_spr")
    assert len(set(SPOT_KINDS)) == len(SPOT_KINDS)


def test_what_hangs_on_a_history_that_was_not_seen_is_left_out() -> None:
    assert main(replace(facing_a_raise(), history_complete=False)) == set()
    assert main(replace(spot(2, FLOP, preflop=RAISED, flop="0 check, 1 check"), history_complete=False)) == set()
    assert main(
        replace(spot(0, FLOP, preflop=RAISED, flop="0 check, 1 check, 2 raise 90"), history_complete=False)
    ) == {"facing_bet"}
