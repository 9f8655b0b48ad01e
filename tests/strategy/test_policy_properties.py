"""The betting policy: what has to hold whatever the spot, the range and the luck."""

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.poker.ranges import COMBOS, combo_index, holding_any
from agent.poker.spot import Action, Spot, Street, Verb
from agent.poker.spot_text import spot_from
from agent.strategy.percentile import strengths
from agent.strategy.policy.parameters import PolicyParameters
from agent.strategy.policy.policy import Policy, candidates
from agent.strategy.policy.postflop import Board, values
from agent.strategy.statistics import Count, Statistics
from tests.arena.hands import random_action, random_hand, run_out

CALL, FOLD = Action(Verb.CALL), Action(Verb.FOLD)
LINES = {
    Street.FLOP: ("7h 2c Ks", {"flop": "2 raise 65"}),
    Street.TURN: ("7h 2c Ks 3d", {"flop": "2 check, 0 check", "turn": "2 raise 65"}),
    Street.RIVER: (
        "7h 2c Ks 3d 9c",
        {"flop": "2 check, 0 check", "turn": "2 check, 0 check", "river": "2 raise 65"},
    ),
}
streets = st.sampled_from(sorted(LINES))
seeds = st.integers(0, 2**32)


def facing_a_bet(street: Street) -> Spot:
    """Hero on the button against a bet of half the pot by the big blind."""
    board, line = LINES[street]
    return spot_from(
        {
            "hole_cards": "AsQd",
            "board": board,
            "hero_seat": 0,
            "button_seat": 0,
            "start_stacks": {"0": 4_000, "1": 4_000, "2": 4_000},
            "actions": {"preflop": "0 raise 60, 1 fold, 2 call", **line},
        }
    )


def possible(spot: Spot) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """1 for each holding that an opponent can have, else 0."""
    assert spot.hole_cards is not None
    return np.where(holding_any((*spot.hole_cards, *spot.board)), 0.0, 1.0)


def arbitrary(spot: Spot, seed: int, *, more: float = 0.0) -> Board:
    """The spot with ranges, equities and statistics that follow from a seed; `more` is added to every equity."""
    rng = np.random.default_rng(seed)
    weights = possible(spot) * rng.random(len(COMBOS)) ** 2
    faced = int(rng.integers(0, 60))
    folds = Count(int(rng.integers(0, faced + 1)), faced)
    known = Statistics(hands=200, fold_to_flop_bet=folds, fold_to_turn_bet=folds, fold_to_river_bet=folds)
    equities = rng.random(len(COMBOS)) * rng.random()
    return Board(
        spot=spot,
        ranges={player.seat: weights for player in spot.opponents},
        versus=np.where(possible(spot) > 0, np.minimum(1.0, equities + more), np.nan),
        strength=np.asarray(strengths(spot.board, 1.0)),
        statistics={player.seat: known for player in spot.opponents},
        has_draw=bool(rng.integers(2)) and spot.street is not Street.RIVER,
    )


def call_ev(board: Board, parameters: PolicyParameters | None = None) -> float:
    """What a call is worth; a fold beside it is worth nothing."""
    (fold, call), _ = values(board, (FOLD, CALL), parameters or PolicyParameters())
    assert fold.ev_chips == 0.0
    return call.ev_chips


@settings(max_examples=80, deadline=None)
@given(streets, seeds, st.integers(0, 6_000), st.integers(1, 6_000))
def test_a_call_into_a_larger_pot_for_the_same_price_is_worth_no_less(
    street: Street, seed: int, pot: int, more: int
) -> None:
    spot = facing_a_bet(street)
    smaller, larger = (arbitrary(replace(spot, pot_chips=spot.pot_chips + chips), seed) for chips in (pot, pot + more))
    assert call_ev(larger) >= call_ev(smaller) - 1e-6


@settings(max_examples=80, deadline=None)
@given(streets, seeds, st.integers(1, 3_900), st.integers(1, 3_900))
def test_a_call_for_more_into_the_same_pot_is_worth_no_more(street: Street, seed: int, one: int, other: int) -> None:
    spot = replace(facing_a_bet(street), pot_chips=4_200)
    cheap, dear = (
        arbitrary(replace(spot, legal=replace(spot.legal, call_chips=chips)), seed) for chips in sorted((one, other))
    )
    assert call_ev(dear) <= call_ev(cheap) + 1e-6


@settings(max_examples=80, deadline=None)
@given(streets, seeds, st.floats(0.0, 0.6))
def test_a_call_with_a_stronger_hand_against_the_same_range_is_worth_no_less(
    street: Street, seed: int, more: float
) -> None:
    spot = facing_a_bet(street)
    assert call_ev(arbitrary(spot, seed, more=more)) >= call_ev(arbitrary(spot, seed)) - 1e-6


@settings(max_examples=80, deadline=None)
@given(st.floats(0.1, 1.0), st.floats(0.1, 1.0), st.floats(0.0, 0.2))
def test_a_call_of_a_polar_bet_on_the_river_is_worth_its_equity_less_the_named_discounts(
    nuts: float, air: float, discount: float
) -> None:
    spot = facing_a_bet(Street.RIVER)
    wins, loses = (combo_index(*cards) for cards in ((12, 13), (49, 50)))
    weights, versus = np.zeros(len(COMBOS)), np.full(len(COMBOS), np.nan)
    weights[wins], weights[loses], versus[wins], versus[loses] = air, nuts, 1.0, 0.0
    board = replace(arbitrary(spot, 1), ranges={2: weights}, versus=versus)
    equity = air / (air + nuts)
    parameters = PolicyParameters(bet_respect=0.0, call_margin=0.0, river_discount=discount)

    expected = max(0.0, equity - discount) * (spot.pot_chips + 65) - 65
    assert call_ev(board, parameters) == pytest.approx(expected)


def test_where_every_holding_ties_there_is_nothing_to_doubt() -> None:
    spot = facing_a_bet(Street.RIVER)
    board = replace(arbitrary(spot, 1), versus=np.where(possible(spot) > 0, 0.5, np.nan))

    assert call_ev(board) == pytest.approx(0.5 * (spot.pot_chips + 65) - 65)


@settings(max_examples=60, deadline=None)
@given(seeds, st.floats(0.0, 1.0))
def test_who_has_bet_is_held_to_be_stronger_and_never_weaker_than_read(seed: int, respect: float) -> None:
    spot = facing_a_bet(Street.RIVER)
    board = arbitrary(spot, seed)
    # Hero beats a holding the more often the weaker it is.
    board = replace(board, versus=np.where(np.isnan(board.versus), np.nan, 1 - board.strength))

    assert (
        call_ev(board, PolicyParameters(bet_respect=respect))
        <= call_ev(board, PolicyParameters(bet_respect=0.0)) + 1e-6
    )


def some_statistics(rng: random.Random) -> Statistics:
    """What might be known of somebody."""
    counts = {}
    for name in ("vpip", "three_bet", "fold_to_three_bet", "fold_to_flop_bet", "fold_to_river_bet", "aggression"):
        chances = rng.randrange(80)
        counts[name] = Count(rng.randint(0, chances), chances)
    return Statistics(hands=rng.randrange(80), **counts)


@settings(max_examples=60, deadline=None)
@given(seeds, st.floats(0.0, 1.0, exclude_max=True))
def test_every_turn_of_a_hand_is_judged_legally_and_the_same_again(seed: int, luck: float) -> None:
    rng = random.Random(seed)
    hand = random_hand(rng)
    known: dict[str, Statistics] = {}
    while hand.settlement is None:
        run_out(hand)
        if hand.settlement is None and hand.actor_seat is not None:
            spot = hand.spot(hand.actor_seat)
            for player in spot.players:
                known.setdefault(player.name, some_statistics(rng))
            found = Policy().judge(spot, known.__getitem__, luck)
            again = Policy().judge(spot, known.__getitem__, luck)

            assert spot.legal.allows(found.action)
            assert (found.action, found.options, found.reason) == (again.action, again.options, again.reason)
            assert found.action in {option.action for option in found.options}
            if found.equity is not None and found.action == FOLD:
                worth = [option.ev_chips for option in found.options if not option.braked]
                assert max(worth) <= 0, "mixed with what is worth more"
            assert all(np.isfinite(option.ev_chips) for option in found.options)
            assert {option.ev_chips for option in found.options if option.action == FOLD} <= {0.0}
            assert set(candidates(spot, PolicyParameters())) <= {option.action for option in found.options}
            hand.apply(random_action(hand.legal(), rng))
