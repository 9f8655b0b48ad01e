from dataclasses import replace

import pytest

from agent.poker.line import LineAction, StreetLine, line, moves, pot_type
from agent.poker.spot import PastAction, Spot, Street, Verb
from agent.poker.spot_text import spot_from
from tests.spots import facing_a_raise

STACKS = {"0": 2_000, "1": 500, "2": 2_000, "3": 2_000}
"""The button is seat 3, seat 0 posts 10 and seat 1 20, seat 2 acts first."""


def spot(board: str = "", hero: int = 2, **actions: str) -> Spot:
    told = {"hole_cards": "AsKd", "board": board, "hero_seat": hero, "button_seat": 3}
    return spot_from({**told, "start_stacks": STACKS, "actions": actions})


def street(told: Spot, name: str) -> StreetLine:
    return next(found for found in line(told) if found.street == name)


def sizes(told: Spot, name: str) -> list[float | None]:
    return [action.pot_fraction for action in street(told, name).actions]


def test_the_line_tells_each_street_with_the_pot_before_it() -> None:
    told = spot(
        "7h2cKs",
        preflop="2 raise 60, 3 fold, 0 call, 1 call",
        flop="0 check, 1 raise 90",
    )

    assert line(told) == (
        StreetLine(
            Street.PREFLOP,
            30,
            (
                LineAction(2, Verb.RAISE, 60, 0.8, all_in=False),
                LineAction(3, Verb.FOLD, 0, None, all_in=False),
                LineAction(0, Verb.CALL, 60, None, all_in=False),
                LineAction(1, Verb.CALL, 60, None, all_in=False),
            ),
        ),
        StreetLine(
            Street.FLOP,
            180,
            (LineAction(0, Verb.CHECK, 0, None, all_in=False), LineAction(1, Verb.RAISE, 90, 0.5, all_in=False)),
        ),
    )


def test_a_bet_of_the_pot_and_a_raise_of_the_pot_are_both_one() -> None:
    told = spot("7h2cKs", preflop="2 call, 3 fold, 0 call, 1 check", flop="0 raise 60, 1 raise 240")

    # 60 into 60; then 60 to call makes the pot 180, and 180 lie on top.
    assert sizes(told, "flop") == [1.0, 1.0]


def test_the_fraction_of_a_reraise_counts_what_the_raiser_had_in_already() -> None:
    told = spot(
        "7h2cKs", preflop="2 call, 3 fold, 0 call, 1 check", flop="0 raise 60, 1 fold, 2 raise 180, 0 raise 420"
    )

    # The pot is 300 before the last raise, 120 to call make it 420, 240 lie on top.
    assert sizes(told, "flop")[-1] == pytest.approx(240 / 420)


def test_an_all_in_is_marked_whatever_verb_took_the_last_chip() -> None:
    by_raise, by_call = (
        spot(hero=0, preflop="2 fold, 3 fold, 0 call, 1 raise 500"),
        spot(hero=0, preflop="2 raise 600, 3 fold, 0 raise 1200, 1 call, 2 raise 1900"),
    )
    by_all_in = spot(hero=0, preflop="2 fold, 3 fold, 0 call, 1 all_in")

    for told in (by_raise, by_call, by_all_in):
        assert [action.seat for action in street(told, "preflop").actions if action.all_in] == [1]


def test_an_all_in_below_the_bet_is_a_call_without_a_size() -> None:
    told = spot(hero=3, preflop="2 raise 600, 3 call, 0 call, 1 all_in", board="7h2cKs", flop="0 check, 2 check")

    assert sizes(told, "preflop") == [pytest.approx(580 / 50), None, None, None]


def test_an_all_in_below_a_full_raise_has_a_size_and_is_no_raise() -> None:
    told = spot(preflop="2 raise 300, 3 fold, 0 fold, 1 all_in")

    assert sizes(told, "preflop") == [pytest.approx(280 / 50), None, None, pytest.approx(200 / 610)]
    assert [move.is_raise for move in moves(told.actions, 20)] == [True, False, False, False]


def test_a_hand_joined_in_its_middle_tells_sizes_but_no_pots() -> None:
    told = replace(facing_a_raise(), history_complete=False)

    assert street(told, "preflop").pot_chips is None
    assert sizes(told, "preflop")[0] == 0.8


def test_without_an_action_there_is_no_line() -> None:
    assert line(spot()) == ()


def test_moves_know_their_place_and_a_short_all_in_is_no_raise() -> None:
    told = moves(
        (
            PastAction(2, Street.PREFLOP, Verb.RAISE, 60, 60),
            PastAction(3, Street.PREFLOP, Verb.ALL_IN, 50, 50),
            PastAction(0, Street.PREFLOP, Verb.ALL_IN, 200, 200),
            PastAction(2, Street.FLOP, Verb.RAISE, 20, 20),
        ),
        20,
    )

    assert [(move.is_raise, move.raises_before, move.highest_chips) for move in told] == [
        (True, 0, 20),
        (False, 1, 60),
        (True, 1, 60),
        (True, 0, 0),
    ]


def test_short_all_ins_that_add_up_to_a_full_raise_are_none() -> None:
    told = moves(
        (
            PastAction(0, Street.FLOP, Verb.RAISE, 100, 100),
            PastAction(1, Street.FLOP, Verb.ALL_IN, 160, 160),
            PastAction(2, Street.FLOP, Verb.ALL_IN, 250, 250),
            PastAction(3, Street.FLOP, Verb.RAISE, 350, 350),
        ),
        20,
    )

    assert [(move.is_raise, move.raises_before, move.highest_chips) for move in told] == [
        (True, 0, 0),
        (False, 1, 100),
        (False, 1, 160),
        (True, 1, 250),
    ]


def test_the_first_chips_after_the_flop_are_a_bet_however_few() -> None:
    told = moves((PastAction(0, Street.TURN, Verb.ALL_IN, 12, 12), PastAction(1, Street.TURN, Verb.RAISE, 40, 40)), 20)

    assert [(move.is_raise, move.raises_before) for move in told] == [(True, 0), (True, 1)]


@pytest.mark.parametrize(
    ("hero", "preflop", "kind"),
    [
        (0, "2 fold, 3 fold", "unopened"),
        (0, "2 call, 3 fold", "limped"),
        (1, "2 call, 3 raise 80, 0 fold", "single-raised"),
        (0, "2 raise 60, 3 raise 200", "3-bet"),
        (1, "2 raise 60, 3 raise 200, 0 raise 500", "4-bet or more"),
        (3, "2 raise 60, 3 raise 200, 0 raise 450, 1 all_in, 2 raise 1000", "4-bet or more"),
        (2, "2 raise 300, 3 fold, 0 fold, 1 all_in", "single-raised"),
    ],
)
def test_the_pot_is_called_by_the_raises_before_the_flop(hero: int, preflop: str, kind: str) -> None:
    assert pot_type(moves(spot(hero=hero, preflop=preflop).actions, 20)) == kind
