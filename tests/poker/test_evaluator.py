import random

import numpy as np
import pytest
from pokerkit import StandardHighHand

from agent.poker.cards import format_cards, parse_cards
from agent.poker.evaluator import CARD_WORDS, CATEGORIES, STRONGEST, TABLES, category, strength, strengths
from agent.poker.hands import hand_value


def test_the_order_of_20_000_random_hands_is_pokerkits() -> None:
    rng = random.Random(20)
    hands = [tuple(rng.sample(range(52), 7)) for _ in range(20_000)]
    ours = strengths(np.array(hands, dtype=np.int64), CARD_WORDS, TABLES)
    theirs = [StandardHighHand.from_game(format_cards(hand)).entry.index for hand in hands]

    by_theirs: dict[int, set[int]] = {}
    for index, value in zip(theirs, ours, strict=True):
        by_theirs.setdefault(index, set()).add(int(value))
    assert all(len(values) == 1 for values in by_theirs.values())
    ordered = [by_theirs[index].pop() for index in sorted(by_theirs)]
    assert ordered == sorted(set(ordered))


LADDER = (
    "7c5d4h3s2cTdJh",  # jack high
    "AcKdQhJs9c8d7h",  # ace high
    "2c2d7h8s9cJdQh",  # pair of deuces
    "AcAd4h3s2c9dTh",  # pair of aces
    "3c3d2h2s7c8dTh",  # threes and deuces
    "AcAdKhKs4c3d2h",  # aces and kings
    "2c2d2h8s9cJdQh",  # three deuces
    "AcAdAh4s3c9dTh",  # three aces
    "Ac2d3h4s5cKdKh",  # the wheel
    "2c3d4h5s6cKdKh",  # six-high straight beats it
    "AcKdQhJsTc2d3h",  # broadway
    "2c3c4c5c7cKdKh",  # seven-high flush
    "AcKcQcJc9c2d3h",  # ace-high flush
    "2c2d2h3s3cKdQh",  # deuces full
    "AcAdAhKsKc2d3h",  # aces full
    "2c2d2h2s3cKdQh",  # four deuces
    "AcAdAhAsKc2d3h",  # four aces
    "Ac2c3c4c5cKdKh",  # steel wheel
    "2c3c4c5c6cKdKh",  # six-high straight flush
    "AcKcQcJcTc2d3h",  # royal flush
)


def test_every_class_boundary_stands_in_order() -> None:
    values = [strength(parse_cards(hand)) for hand in LADDER]

    assert values == sorted(set(values))
    assert values[-1] == STRONGEST
    assert [CATEGORIES[category(value)] for value in values[::2]] == [
        "high card",
        "pair",
        "two pair",
        "three of a kind",
        "straight",
        "straight",
        "flush",
        "full house",
        "four of a kind",
        "straight flush",
    ]


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("AhKd2c7d9hJsAc", "AhQd2c7d9hJsAc"),  # the kicker plays
        ("KhQh2h7h9hJsAc", "KhJh2h7h9hJsAc"),  # flush over flush
        ("9c9d9hKsKdKc2h", "9c9d9hKsKdQc2h"),  # the higher trips lead a full house
        ("8c8d8h8sAd2c3h", "8c8d8h8sKd2c3h"),  # quads by kicker
    ],
)
def test_close_hands_are_told_apart(better: str, worse: str) -> None:
    assert strength(parse_cards(better)) > strength(parse_cards(worse))


def test_a_board_that_plays_makes_everybody_equal() -> None:
    board = "4c5d6h7s8c"

    assert strength(parse_cards("AhKd" + board)) == strength(parse_cards("QsJd" + board))


def test_the_sixth_and_seventh_card_do_not_count() -> None:
    assert strength(parse_cards("AcAdKhKsQc2d3h")) == strength(parse_cards("AcAdKhKsQcJdJh"))


def test_the_value_in_words_orders_hands_the_same_way() -> None:
    rng = random.Random(3)
    hands = [tuple(rng.sample(range(52), 7)) for _ in range(300)]

    assert sorted(hands, key=lambda hand: (strength(hand), hand)) == sorted(hands, key=lambda h: (hand_value(h), h))


def test_six_cards_are_refused() -> None:
    with pytest.raises(ValueError, match="seven cards, got 6"):
        strength(parse_cards("AcAdKhKsQc2d"))
