import json
import random
import tomllib
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.poker.spot import LegalActions, PastAction, Player, Spot, Street, Verb
from agent.poker.spot_text import SpotError, spot_as_dict, spot_from
from tests.arena.hands import random_action, random_hand, run_out
from tests.spots import facing_a_raise

SHORT = """
hole_cards = "AsKd"
board = "7h 2c Ks"
hero_seat = 0
button_seat = 0
start_stacks = { 0 = 2000, 3 = 1500, 4 = 2000 }
[actions]
preflop = "0 raise 60, 3 fold, 4 call"
flop = "4 raise 90"
"""


def short(**changes: Any) -> dict[str, Any]:
    return {**tomllib.loads(SHORT), **changes}


def spots_of_a_random_hand(rng: random.Random) -> list[Spot]:
    """Every decision of a hand that the arena's dealer deals, with the offer it makes."""
    hand, found = random_hand(rng), []
    while hand.settlement is None:
        run_out(hand)
        if hand.settlement is None and hand.actor_seat is not None:
            found.append(hand.spot(hand.actor_seat))
            hand.apply(random_action(hand.legal(), rng))
    return found


def in_short(spot: Spot) -> dict[str, Any]:
    """The short form of a spot whose hand was seen from its beginning."""
    put_in = {player.seat: player.bet_chips for player in spot.players}
    for street in Street:
        if street != spot.street:
            last = {past.seat: past.to_chips or 0 for past in spot.actions if past.street is street}
            put_in = {seat: chips + last.get(seat, 0) for seat, chips in put_in.items()}
    # A blind whose poster never acted is in no action; it is what is missing from the pot.
    for seat in put_in:
        preflop = [past for past in spot.actions if past.seat == seat and past.street is Street.PREFLOP]
        if not preflop and spot.board:
            put_in[seat] += spot.pot_chips - sum(put_in.values())
    told: dict[str, str] = {}
    for past in spot.actions:
        text = f"{past.seat} {past.verb}" + (f" {past.to_chips}" if past.verb is Verb.RAISE else "")
        told[past.street] = f"{told[past.street]}, {text}" if past.street in told else text
    long = spot_as_dict(spot)
    kept = {key: long[key] for key in ("hole_cards", "board", "hero_seat", "button_seat", "big_blind_seat")}
    stacks = {str(player.seat): player.stack_chips + put_in[player.seat] for player in spot.players}
    return {**kept, "start_stacks": stacks, "actions": told}


def test_the_short_form_gives_a_whole_spot() -> None:
    assert spot_from(tomllib.loads(SHORT)) == Spot(
        table_id="spot",
        hand_id="spot",
        street=Street.FLOP,
        hero_seat=0,
        hole_cards=(51, 45),
        board=(22, 0, 47),
        button_seat=0,
        small_blind_chips=10,
        big_blind_chips=20,
        pot_chips=220,
        legal=LegalActions(fold=True, call_chips=90, min_raise_to_chips=180, max_raise_to_chips=1_940, all_in=True),
        players=(Player(0, "seat 0", 1_940), Player(3, "seat 3", 1_490, folded=True), Player(4, "seat 4", 1_850, 90)),
        actions=(
            PastAction(0, Street.PREFLOP, Verb.RAISE, 60, 60),
            PastAction(3, Street.PREFLOP, Verb.FOLD, 0, 10),
            PastAction(4, Street.PREFLOP, Verb.CALL, 40, 60),
            PastAction(4, Street.FLOP, Verb.RAISE, 90, 90),
        ),
        big_blind_seat=4,
    )


@given(st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_every_spot_of_a_hand_survives_the_long_form_as_json(seed: int) -> None:
    for spot in spots_of_a_random_hand(random.Random(seed)):
        assert spot_from(json.loads(json.dumps(spot_as_dict(spot)))) == spot


@given(st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_an_offer_that_is_not_given_is_the_one_that_the_dealer_makes(seed: int) -> None:
    for spot in spots_of_a_random_hand(random.Random(seed)):
        told = spot_as_dict(spot)
        del told["legal"]

        assert spot_from(told).legal == spot.legal


@given(st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_the_short_form_plays_a_hand_as_the_dealer_does(seed: int) -> None:
    for spot in spots_of_a_random_hand(random.Random(seed)):
        unnamed = tuple(replace(player, name=f"seat {player.seat}") for player in spot.players)

        assert spot_from(in_short(spot)) == replace(spot, players=unnamed, table_id="spot", hand_id="spot")


def test_a_spot_that_was_joined_in_mid_hand_and_has_no_cards_survives() -> None:
    spot = replace(facing_a_raise(), hole_cards=None, history_complete=False, actions=())

    assert spot_from(spot_as_dict(spot)) == spot


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"hero": 0}, "hero is no key: expected actions, big_blind_chips, big_blind_seat"),
        ({"hero_seat": 6}, "hero_seat is 6: expected a seat from 0 to 5"),
        ({"hero_seat": 1}, "hero_seat is 1: expected one of 0, 3, 4"),
        ({"button_seat": True}, "button_seat is True: expected a seat from 0 to 5"),
        ({"small_blind_chips": 50}, "big_blind_chips is 20: expected at least small_blind_chips, 50"),
        ({"hole_cards": "As"}, "hole_cards is 'As': expected two cards"),
        ({"hole_cards": "AsXx"}, "hole_cards: 'Xx' is no card"),
        ({"board": "7h2c"}, "board is '7h2c': expected no card, or the three to five"),
        ({"board": "7h2cAs"}, "board: As comes twice"),
        ({"board": ""}, "actions.flop lies beyond the board: expected preflop"),
        ({"start_stacks": {"0": 2_000}}, "start_stacks is {'0': 2000}: expected the chips, not 0, of two to six seats"),
        ({"start_stacks": {"0": 2_000, "3": "x"}}, "start_stacks.3 is 'x': expected a whole number of chips"),
        ({"start_stacks": {"0": 2_000, "9": 5}}, "start_stacks.9 is no key: expected 0, 1, 2, 3, 4, 5"),
        ({"actions": {"preflop": "0 raise"}}, "actions.preflop: '0 raise' is no action: expected SEAT fold, check"),
        ({"actions": {"preflop": "0 bet 60"}}, "actions.preflop: '0 bet 60' is no action"),
        (
            {"actions": {"preflop": "1 fold"}},
            "actions.preflop: '1 fold' names no seat that can act: expected one of 0, 3, 4",
        ),
        ({"actions": {"preflop": "0 fold, 0 fold"}}, "'0 fold' names no seat that can act: expected one of 3, 4"),
        ({"actions": {"preflop": "0 raise 20"}}, "'0 raise 20': expected a street total from 40 to 2000"),
        ({"actions": {"preflop": "0 raise 25"}}, "'0 raise 25': expected a street total from 40 to 2000"),
        ({"actions": {"preflop": "0 raise 9" + "9" * 5_000}}, "expected a street total from 40 to 2000"),
        ({"actions": {"preflop": "3 fold"}}, "actions.preflop: '3 fold', but it is the turn of seat 0"),
        ({"hero_seat": 4}, "hero_seat is 4, but it is the turn of seat 0 after these actions"),
        ({"hero_seat": 3}, "hero_seat is 3, who has folded: expected a player who must act"),
        (
            {"actions": {"preflop": "0 raise 60, 3 fold, 4 call", "flop": "4 check, 0 check"}},
            "hero_seat is 0, but the betting of the flop is over after these actions",
        ),
        (
            {"actions": {"preflop": "0 raise 60, 3 fold, 4 call", "flop": "4 check, 0 check, 4 raise 60"}},
            "'4 raise 60', but the betting is over",
        ),
        ({"actions": {"preflop": "0 raise 60, 3 fold, 4 call", "flop": "4 raise 5"}}, "street total from 20 to 1940"),
        (
            {
                "start_stacks": {"0": 2_000, "3": 1_500, "4": 80},
                "board": "",
                "actions": {"preflop": "0 raise 60, 3 fold, 4 all_in, 0 raise 200"},
            },
            "nobody has made a full raise since seat 0 acted: expected call or fold",
        ),
        (
            {
                "start_stacks": {"0": 2_000, "4": 80},
                "board": "",
                "actions": {"preflop": "4 all_in, 0 raise 400"},
            },
            "nobody has chips to answer a raise: expected call or fold",
        ),
        ({"actions": {"preflop": "0 check"}}, "'0 check' with 20 to call: expected call"),
        ({"actions": {"preflop": "0 raise 60, 3 fold"}}, "actions.preflop: seat 4 has not answered 60"),
        ({"actions": {"ante": "0 call"}}, "actions.ante is no key: expected flop, preflop, river, turn"),
        ({"legal": {"raise": True}}, "legal.raise is no key: expected all_in, call_chips"),
        ({"legal": {"fold": 1}}, "legal.fold is 1: expected true or false"),
        ({"table_id": 7}, "table_id is 7: expected text"),
    ],
)
def test_what_makes_no_spot_is_named_with_what_is_allowed(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(SpotError) as refused:
        spot_from(short(**changes))

    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"pot_chips": 60}, "pot_chips is 60: expected at least the bets of this street, 90"),
        ({"players": []}, "players is []: expected two to six tables"),
        (
            {"players": [{"seat": 0}, {"seat": 1, "stack_chips": 5}]},
            "players[0].stack_chips is missing: expected a whole",
        ),
        ({"players": 5}, "players is 5: expected a list of tables"),
        ({"actions": [{"seat": 3, "street": "flop", "verb": "call"}]}, "actions[0].street is 'flop': expected preflop"),
        (
            {"actions": [{"seat": 3, "street": "preflop", "verb": "bet"}]},
            "actions[0].verb is 'bet': expected fold, check, call",
        ),
        (
            {"actions": [{"seat": 0, "street": "preflop", "verb": "fold"}]},
            "hero_seat is 0, who has folded: expected a player who must act",
        ),
        (
            {"players": [{"seat": 0, "stack_chips": 0}, {"seat": 3, "stack_chips": 5}]},
            "hero_seat is 0, who has no chips left",
        ),
        (
            {"players": [{"seat": 0, "stack_chips": 9, "folded": True}, {"seat": 3, "stack_chips": 5}]},
            "hero_seat is 0, who has folded",
        ),
        (
            {"actions": [{"seat": 0, "street": "preflop", "verb": "call", "added_chips": 60, "to_chips": 60}]}
            | {"players": [{"seat": seat, "stack_chips": 900, "bet_chips": 60} for seat in (0, 3)], "pot_chips": 120},
            "hero_seat is 0, who has acted on the preflop and faces nothing since",
        ),
        (
            {"actions": [{"seat": 3, "street": "preflop", "verb": "call", "added_chips": 600}]},
            "pot_chips is 90: expected at least what the actions added, 600",
        ),
        (
            {"actions": [{"seat": 3, "street": "preflop", "verb": "raise", "added_chips": 25, "to_chips": 25}]},
            "actions[0].to_chips is 25: expected a street total from 40 on",
        ),
        ({"legal": {}}, "legal offers nothing: expected at least fold or check"),
        (
            {"legal": {"fold": True, "call_chips": 5_000}},
            "legal.call_chips is 5000: expected at most hero's stack, 1000",
        ),
        (
            {"legal": {"fold": True, "min_raise_to_chips": 300, "max_raise_to_chips": 200}},
            "legal.min_raise_to_chips is 300 and max_raise_to_chips 200: expected street totals",
        ),
        ({"legal": {"fold": True, "min_raise_to_chips": 300}}, "max_raise_to_chips None: expected street totals"),
        ({"start": 1}, "start is no key: expected actions, big_blind_chips"),
    ],
)
def test_the_long_form_is_held_to_the_same(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(SpotError) as refused:
        spot_from({**spot_as_dict(facing_a_raise()), **changes})

    assert said in str(refused.value)


def test_what_is_nested_deeply_is_refused_as_what_it_is() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]

    with pytest.raises(SpotError, match=r"players is \[\[\[.*expected a list of tables"):
        spot_from({**spot_as_dict(facing_a_raise()), "players": deep})


def test_a_blind_that_is_all_in_and_a_caller_without_chips_are_asked_nothing() -> None:
    told = short(
        start_stacks={"0": 2_000, "3": 60, "4": 15},
        board="7h2cKs",
        actions={"preflop": "0 raise 60, 3 call"},
    )

    with pytest.raises(SpotError, match="hero_seat is 0, but the betting of the flop is over"):
        spot_from(told)
