import pytest

from agent.poker.odds import contestable_pot, effective_stack, required_equity, stack_to_pot
from agent.poker.positions import acting_order, opponents_behind, position_names
from agent.poker.spot import Action, LegalActions, Verb
from tests.spots import facing_a_raise, heads_up, with_players


def test_a_pot_sized_bet_needs_a_third() -> None:
    assert required_equity(100, 200) == pytest.approx(1 / 3)


def test_chips_that_hero_cannot_cover_are_not_winnable() -> None:
    spot = facing_a_raise(hero_stack=100, villain_bet=500, pot=530, call=100)

    assert contestable_pot(spot) == 130
    assert effective_stack(spot) == 100


def test_a_covered_bet_is_winnable_in_full() -> None:
    assert contestable_pot(facing_a_raise(hero_stack=1_000, villain_bet=500, pot=530, call=500)) == 530


def test_the_call_costs_the_stack_when_only_an_all_in_is_offered() -> None:
    spot = facing_a_raise(hero_stack=90, villain_bet=500, pot=530, call=None)

    assert spot.to_call_chips == 90


def test_the_spr_of_an_unopened_flop_is_stack_over_pot() -> None:
    assert stack_to_pot(heads_up(street="flop", pot=100, stack=1_000)) == 10.0


@pytest.mark.parametrize(
    ("seats", "button", "names"),
    [
        ((0, 1, 2, 3, 4, 5), 0, {1: "SB", 2: "BB", 3: "UTG", 4: "HJ", 5: "CO", 0: "BTN"}),
        ((0, 2, 4, 5), 4, {5: "SB", 0: "BB", 2: "CO", 4: "BTN"}),
        ((1, 2, 3), 2, {3: "SB", 1: "BB", 2: "BTN"}),
        ((0, 3), 3, {0: "SB", 3: "BTN/BB"}),
    ],
)
def test_positions_follow_the_dealt_seats(seats: tuple[int, ...], button: int, names: dict[int, str]) -> None:
    assert position_names(seats, button) == names


def test_heads_up_with_the_button_on_the_small_blind_the_names_follow_the_blinds() -> None:
    assert position_names((0, 3), 3, big_blind_seat=0) == {3: "BTN/SB", 0: "BB"}


def test_at_the_venue_the_heads_up_button_acts_second_preflop_and_first_later() -> None:
    assert acting_order(heads_up(street="preflop", button=3)) == (0, 3)
    assert acting_order(heads_up(street="flop", button=3)) == (3, 0)


def test_players_behind_are_those_who_can_still_act_after_us() -> None:
    spot = with_players(stacks={0: 500, 1: 500, 2: 0, 3: 500}, button=3, hero=0, street="flop", folded=())

    assert acting_order(spot) == (0, 1, 2, 3)
    assert opponents_behind(spot) == 2


def test_a_raise_outside_the_limits_is_not_legal() -> None:
    legal = LegalActions(fold=True, min_raise_to_chips=80, max_raise_to_chips=2_000)

    assert legal.allows(Action(Verb.RAISE, 80))
    assert not legal.allows(Action(Verb.RAISE, 79))
    assert not legal.allows(Action(Verb.RAISE, 2_001))
    assert not legal.allows(Action(Verb.RAISE))
    assert not legal.allows(Action(Verb.CHECK))
