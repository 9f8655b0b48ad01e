import json
from dataclasses import replace
from typing import Any

import pytest

from agent.poker.cards import parse_cards
from agent.poker.equity import estimate_equity
from agent.poker.facts import Facts, OpponentStack, gather
from agent.poker.spot import Spot
from agent.poker.spot_text import spot_from
from tests.spots import facing_a_raise, heads_up, with_players

STACKS = {"0": 2_000, "1": 500, "2": 3_000, "3": 2_000}
"""The button is seat 3, seat 0 posts 10 and seat 1 20, seat 2 acts first."""
STREETS = {3: "flop", 4: "turn", 5: "river"}


def spot(hero: int = 2, board: str = "", **actions: str) -> Spot:
    told: dict[str, Any] = {"hole_cards": "AsKd", "board": board, "hero_seat": hero, "button_seat": 3}
    return spot_from({**told, "start_stacks": STACKS, "actions": actions})


def facts(told: Spot) -> Facts:
    assert told.hole_cards is not None
    return gather(told, estimate_equity(told.hole_cards, told.board, len(told.opponents)))


def held(hole: str, board: str) -> Facts:
    """The facts of these cards, heads-up and with nothing to call."""
    first, second = parse_cards(hole)
    cards = parse_cards(board)
    street = STREETS.get(len(cards), "preflop")
    return facts(replace(heads_up(street=street), hole_cards=(first, second), board=cards))


# Cards


@pytest.mark.parametrize(("hole", "name"), [("AsKd", "AKo"), ("9hTh", "T9s"), ("2c2d", "22")])
def test_before_the_flop_a_hand_is_its_class_and_the_rest_is_empty(hole: str, name: str) -> None:
    found = held(hole, "")

    assert found.hand_class == name
    assert (found.made, found.plays, found.nut_note, found.draw_kinds, found.is_nuts) == ("", "", "", (), False)
    assert (found.kicker, found.draws, found.outs, found.beaten_by, found.texture) == (None,) * 5


@pytest.mark.parametrize(
    ("hole", "board", "hand_class", "made"),
    [
        ("AsKd", "7h2cKs", "top pair", "top pair: pair of kings, ace kicker"),
        ("7d7s", "7h2cKs", "set", "set: three sevens, king kicker"),
        ("AsQd", "7h2cKs3d", "high card", "ace high"),
        (
            "AsQd",
            "KhKdQs2c",
            "pair and the pair on the board",
            "middle pair and the pair on the board: two pair, kings and queens, ace kicker",
        ),
    ],
)
def test_on_a_board_a_hand_is_named_by_what_it_makes(hole: str, board: str, hand_class: str, made: str) -> None:
    found = held(hole, board)

    assert (found.hand_class, found.made) == (hand_class, made)


@pytest.mark.parametrize(
    ("hole", "board", "plays"),
    [
        ("AsKd", "7h2cKs", "both hole cards play"),
        ("Ad2h", "KdQdJd3d9c", "only A♦ plays"),
        ("2c3d", "AhKhQhJhTh", "the board plays"),
    ],
)
def test_it_is_said_which_hole_cards_play(hole: str, board: str, plays: str) -> None:
    assert held(hole, board).plays == plays


@pytest.mark.parametrize(
    ("hole", "board", "kicker"),
    [
        ("AsKd", "7h2cKs", "ace, the best possible"),
        ("QsKd", "Ah2cKs", "queen, the best possible"),
        ("TsKd", "7h2cKs", "ten, 3 better possible"),
        ("TsKd", "Jh2cKs", "ten, 2 better possible"),
        ("7d7s", "7h2cKs", None),
        ("AsQd", "7h2cKs", None),
        ("3sKd", "KhQsJc9d", None),
    ],
)
def test_a_kicker_is_told_with_the_ranks_that_would_be_better(hole: str, board: str, kicker: str | None) -> None:
    assert held(hole, board).kicker == kicker


def test_draws_are_told_with_outs_until_the_river() -> None:
    flop, river = held("AhTh", "9h8h2c"), held("AhTh", "9h8h2cKsQd")

    assert flop.draws is not None
    assert flop.draws.startswith(
        "nut flush draw (ace high), 9 outs: 35 % by the river, 19 % next card; overcards, 6 outs"
    )
    assert (flop.draw_kinds, flop.outs) == (("flush draw", "overcards"), 15)
    assert (river.draws, river.draw_kinds, river.outs) == (None, (), None)


def test_no_draw_is_no_outs_and_no_words() -> None:
    found = held("9s8s", "7h2cKs3d")

    assert (found.draws, found.outs) == (None, 0)


@pytest.mark.parametrize(
    ("hole", "board", "is_nuts", "note"),
    [
        ("AsKs", "QsJsTs2c3d", True, "the nuts"),
        ("2c3d", "AhKhQhJhTh", True, "the nuts (990 of 990 holdings tie)"),
        ("AsKd", "7h2cKs", False, "31 of 1081 holdings beat you, 6 tie"),
    ],
)
def test_it_is_said_how_many_holdings_beat_hero(hole: str, board: str, is_nuts: bool, note: str) -> None:
    found = held(hole, board)

    assert (found.is_nuts, found.nut_note) == (is_nuts, note)
    assert found.beaten_by == (0 if is_nuts else pytest.approx(31 / 1081, abs=5e-5))


def test_the_texture_is_that_of_the_board() -> None:
    assert held("AsKd", "7h2cKs").texture == "king high, unpaired, rainbow, no straight possible: dry"


# Betting


@pytest.mark.parametrize(
    ("preflop", "hero", "facing", "fraction"),
    [
        ("", 2, "the big blind", None),
        ("2 call, 3 call, 0 call", 1, "nothing", None),
        ("2 raise 60", 3, "a raise", 0.8),
        ("2 raise 60, 3 raise 180", 0, "a 3-bet", 0.8),
        ("2 raise 60, 3 raise 180, 0 raise 480, 1 fold", 2, "a 4-bet or more", 300 / 440),
        ("2 raise 60, 3 raise 180, 0 raise 450, 1 fold, 2 raise 900", 3, "a 4-bet or more", 450 / 1100),
        ("2 fold, 3 fold, 0 raise 600", 1, "a raise for your whole stack", 580 / 40),
        ("2 fold, 3 fold, 0 call, 1 all_in", 0, "an all-in", 12.0),
        ("2 raise 60, 3 all_in, 0 fold, 1 fold", 2, "an all-in", 1940 / 150),
        ("2 all_in", 3, "an all-in for your whole stack", 2980 / 50),
        ("2 raise 300, 3 fold, 0 fold, 1 all_in", 2, "an all-in", 200 / 610),
        ("2 fold, 3 raise 300, 0 call, 1 all_in", 3, "an all-in", 200 / 900),
    ],
)
def test_what_is_faced_before_the_flop(preflop: str, hero: int, facing: str, fraction: float | None) -> None:
    found = facts(spot(hero, preflop=preflop))

    assert found.facing == facing
    assert found.facing_fraction == (None if fraction is None else pytest.approx(fraction, abs=1e-3))


@pytest.mark.parametrize(
    ("flop", "hero", "facing", "fraction"),
    [
        ("", 0, "nothing", None),
        ("0 raise 60", 1, "a bet", 60 / 60),
        ("0 raise 60, 1 raise 180", 2, "a raise", 120 / 180),
        ("0 raise 60, 1 fold, 2 raise 180, 0 raise 420", 2, "a 3-bet", 240 / 420),
        ("0 check, 1 all_in", 2, "an all-in", 480 / 60),
        ("0 raise 60, 1 all_in", 2, "an all-in", 420 / 180),
    ],
)
def test_what_is_faced_after_the_flop(flop: str, hero: int, facing: str, fraction: float | None) -> None:
    found = facts(spot(hero, "7h2cKc", preflop="2 call, 3 fold, 0 call, 1 check", flop=flop))

    assert (found.facing, found.pot_type) == (facing, "limped")
    assert found.facing_fraction == (None if fraction is None else pytest.approx(fraction, abs=1e-3))


def test_a_caller_who_is_all_in_does_not_make_the_bet_an_all_in() -> None:
    found = facts(spot(2, "7h2cKc", preflop="2 call, 3 fold, 0 call, 1 check", flop="0 raise 480, 1 call"))

    assert found.facing == "a bet"


def test_an_all_in_below_a_full_raise_lies_on_top_of_the_raise_that_is_faced() -> None:
    short = spot_from(
        {
            "hole_cards": "AsKd",
            "hero_seat": 1,
            "button_seat": 3,
            "start_stacks": {"0": 70, "1": 2_000, "2": 2_000, "3": 2_000},
            "actions": {"preflop": "2 raise 60, 3 fold, 0 all_in"},
        }
    )
    found = facts(short)

    assert (found.facing, found.facing_fraction) == ("a raise with a short all-in on top", None)
    assert (found.pot_type, found.last_aggressor_seat) == ("single-raised", 2)


def test_a_bet_that_was_not_seen_is_still_faced() -> None:
    unseen = replace(facing_a_raise(), history_complete=False, actions=())
    found = facts(unseen)

    assert (found.facing, found.facing_fraction, found.pot_type, found.last_aggressor_seat) == (
        "a raise",
        None,
        "unknown",
        None,
    )


def test_the_last_aggressor_is_known_on_a_later_street() -> None:
    found = facts(spot(0, "7h2cKc", preflop="2 call, 3 raise 80, 0 call, 1 fold, 2 fold"))

    assert (found.last_aggressor_seat, found.pot_type, found.facing) == (3, "single-raised", "nothing")


# Seats and stacks


@pytest.mark.parametrize(
    ("hero", "preflop", "in_position"),
    [
        (3, "2 raise 60", True),
        (2, "", False),
        (1, "2 fold, 3 fold, 0 raise 60", True),
        (1, "2 call, 3 fold, 0 fold", False),
    ],
)
def test_hero_is_in_position_when_nobody_acts_after_hero_later(hero: int, preflop: str, in_position: bool) -> None:
    assert facts(spot(hero, preflop=preflop)).in_position is in_position


def test_stacks_are_what_can_be_won_from_each_opponent() -> None:
    found = facts(spot(3, preflop="2 raise 60"))

    assert found.stacks == (OpponentStack(0, 2_000), OpponentStack(1, 500), OpponentStack(2, 2_000))
    assert (found.effective_stack_chips, found.effective_stack_bb, found.players_dealt) == (2_000, 100.0, 4)


def test_a_folded_opponent_has_no_stack_to_win() -> None:
    found = facts(with_players({0: 500, 1: 900, 2: 900}, button=1, folded=(2,), street="flop", pot=90))

    assert (found.stacks, found.players_dealt, found.effective_stack_bb) == ((OpponentStack(1, 500),), 3, 25.0)


# Records


@pytest.mark.parametrize("street", ["preflop", "flop", "turn", "river"])
def test_facts_are_plain_and_small_in_a_record(street: str) -> None:
    told = facts(heads_up(street=street)).as_dict()
    text = json.dumps(told, ensure_ascii=False)

    assert json.loads(text)["stacks"] == [{"seat": 3, "effective_chips": 1_000}]
    assert len(text) < 2_500


def test_facts_without_hole_cards_are_none() -> None:
    with pytest.raises(ValueError, match="without hole cards"):
        gather(replace(facing_a_raise(), hole_cards=None), estimate_equity((51, 45), (), 1))
