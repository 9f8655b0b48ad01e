"""What a showdown compares is what pokerkit compares."""

import random
from itertools import pairwise

import pytest
from pokerkit import StandardHighHand

from agent.arena.game.showdown import DEALT_CARDS, SevenCardHand, describe_hand
from agent.poker.cards import DECK, format_card

# Few suits make flushes, few ranks make pairs and more, neighbouring ranks make straights.
DECKS = (
    DECK,
    tuple(card for card in DECK if card % 4 < 2),
    tuple(card for card in DECK if card // 4 < 4),
    tuple(card for card in DECK if card // 4 > 5 and card % 4 < 2),
)


def random_cards(rng: random.Random, count: int) -> list[tuple[int, ...]]:
    return [tuple(rng.sample(rng.choice(DECKS), 7)) for _ in range(count)]


def test_hands_compare_as_pokerkit_compares_them() -> None:
    outcomes = set()
    for one, other in pairwise(random_cards(random.Random(12), 3_000)):
        ours, theirs = SevenCardHand.from_game(*dealt(one)), SevenCardHand.from_game(*dealt(other))
        first, second = StandardHighHand.from_game(*dealt(one)), StandardHighHand.from_game(*dealt(other))
        assert (ours < theirs, ours == theirs, ours > theirs) == (first < second, first == second, first > second)
        outcomes.add((first < second, first == second))
    assert outcomes == {(True, False), (False, True), (False, False)}


def test_every_category_is_named_as_by_pokerkit() -> None:
    named = set()
    for cards in random_cards(random.Random(13), 3_000):
        label = StandardHighHand.from_game(*dealt(cards)).entry.label.value
        description = describe_hand((cards[0], cards[1]), cards[2:])
        assert description.lower() == label.lower()
        named.add(description)
    assert named == {
        *("High Card", "One Pair", "Two Pair", "Three of a Kind", "Straight"),
        *("Flush", "Full House", "Four of a Kind", "Straight Flush"),
    }


@pytest.mark.parametrize("board_size", [0, 3, 4])
def test_there_is_no_hand_before_the_board_is_whole(board_size: int) -> None:
    hole_cards, board = dealt(DECK[:7])
    with pytest.raises(ValueError, match="seven cards"):
        SevenCardHand.from_game(hole_cards, board[: 2 * board_size])


def test_the_cards_of_pokerkit_are_ours_by_number() -> None:
    assert [repr(card) for card in DEALT_CARDS] == [format_card(card) for card in DECK]


def dealt(cards: tuple[int, ...]) -> tuple[str, str]:
    """Two hole cards and the board, as pokerkit reads them."""
    text = "".join(map(format_card, cards))
    return text[:4], text[4:]
