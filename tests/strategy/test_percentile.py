import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.poker.batch import equity_of_every_holding
from agent.poker.cards import DECK, parse_cards
from agent.poker.ranges import COMBOS, Range, combo_index
from agent.strategy.percentile import PREFLOP_TOP, standing_on, strengths

EVEN = np.ones(len(COMBOS))


def place(text: str) -> int:
    first, second = parse_cards(text)
    return combo_index(first, second)


def fraction(hole: str, board: str, draw_bonus: float = 1.0) -> float:
    """The share of any two cards that stands above a hand on a board."""
    return float(standing_on(parse_cards(board), draw_bonus).top_fractions(EVEN)[place(hole)])


def test_before_the_flop_aces_stand_first_and_three_deuce_offsuit_last() -> None:
    assert PREFLOP_TOP[place("AsAh")] < 0.01
    assert PREFLOP_TOP[place("3s2h")] > 0.98
    assert PREFLOP_TOP[place("AsKs")] < PREFLOP_TOP[place("AsKh")] < PREFLOP_TOP[place("9s4h")]


def test_on_a_river_hands_stand_in_the_order_of_the_showdown_and_equal_ones_together() -> None:
    board = "Ks9h4d4c2s"

    hands = ["4h4s", "KhKd", "9s9c", "4sAc", "AsAh", "KdQh", "9dAc", "AdQc", "7c6c"]
    assert [fraction(hand, board) for hand in hands] == sorted(fraction(hand, board) for hand in hands)
    assert fraction("KdQh", board) == fraction("KcQd", board)
    assert fraction("7c6c", board) > 0.9


def test_a_draw_lifts_a_hand_on_the_flop_less_on_the_turn_and_not_on_the_river() -> None:
    def lift(board: str) -> float:
        plain, hoping = (float(strengths(parse_cards(board), bonus)[place("8h7h")]) for bonus in (0.0, 1.0))
        return hoping - plain

    assert lift("Kh6h5c") > lift("Kh6h5c2d") > 0.1
    assert lift("Kh6h5c2d3c") == 0


def test_a_straight_that_the_board_offers_everybody_is_no_draw() -> None:
    assert (
        strengths(parse_cards("9c8d7h6s"), 1.0)[place("KdKc")] == strengths(parse_cards("9c8d7h6s"), 0.0)[place("KdKc")]
    )


@pytest.mark.parametrize("cards", [4, 5])
def test_the_order_is_nearly_that_of_exact_equity_against_any_two_cards(cards: int) -> None:
    for seed in range(5):
        board = tuple(random.Random(seed).sample(DECK, cards))
        exact = equity_of_every_holding(Range.random(), board)
        order = standing_on(board, 1.0).top_fractions(EVEN)[exact.possible]
        ranks = np.unique(exact.values[exact.possible].round(9), return_inverse=True)[1]
        assert np.corrcoef(-order, ranks)[0, 1] > 0.97


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(DECK), min_size=3, max_size=5, unique=True), st.integers(0, 2**32))
def test_fractions_are_shares_of_what_the_range_holds(board: list[int], seed: int) -> None:
    weights = np.random.default_rng(seed).random(len(COMBOS))
    order = standing_on(tuple(board), 1.0)

    above = order.top_fractions(weights)

    live = weights * order.possible
    assert (above[order.possible] > 0).all()
    assert (above[order.possible] < 1).all()
    assert float((above * live).sum() / live.sum()) == pytest.approx(0.5)
    best = int(np.argmin(np.where(order.possible, above, 2)))
    equals = order.possible & (order.level == order.level[best])
    assert above[best] == pytest.approx(live[equals].sum() / live.sum() / 2)
