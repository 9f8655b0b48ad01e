"""What a showdown compares: seven cards, in an order that pokerkit can use and words that the venue uses."""

from functools import lru_cache
from typing import Final

from pokerkit import Card, CardsLike
from pokerkit import Hand as PokerHand

from agent.poker.cards import DECK, format_card
from agent.poker.evaluator import category, strength

DEALT_CARDS: Final = tuple(next(Card.parse(format_card(card))) for card in DECK)
"""pokerkit's cards by our card numbers."""

_NUMBERS: Final = {card: number for number, card in enumerate(DEALT_CARDS)}
_DESCRIPTIONS: Final = (
    "High Card",
    "One Pair",
    "Two Pair",
    "Three of a Kind",
    "Straight",
    "Flush",
    "Full House",
    "Four of a Kind",
    "Straight Flush",
)


class SevenCardHand(PokerHand):
    """Hole cards and a whole board, ordered by `agent.poker.evaluator`; pokerkit would try 21 hands of five.

    Raises `ValueError`, pokerkit's word for no hand, unless there are seven cards.
    """

    low = False

    def __init__(self, cards: CardsLike) -> None:
        self._cards = Card.clean(cards)
        self.strength: Final = strength(tuple(_NUMBERS[card] for card in self._cards))

    @classmethod
    def from_game(cls, hole_cards: CardsLike, board_cards: CardsLike = ()) -> "SevenCardHand":
        """The hand of these cards."""
        return _remembered_hand(Card.clean(hole_cards) + Card.clean(board_cards))

    @property
    def cards(self) -> tuple[Card, ...]:
        """All seven cards."""
        return self._cards

    def __eq__(self, other: object) -> bool:
        return self.strength == other.strength if isinstance(other, SevenCardHand) else NotImplemented

    def __lt__(self, other: PokerHand) -> bool:
        return self.strength < other.strength if isinstance(other, SevenCardHand) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.strength)


@lru_cache(maxsize=64)
def _remembered_hand(cards: tuple[Card, ...]) -> SevenCardHand:
    """One value for the same seven cards: a showdown asks for them over and over."""
    return SevenCardHand(cards)


def describe_hand(hole: tuple[int, int], board: tuple[int, ...]) -> str:
    """The made hand of a whole board in the venue's words.

    >>> describe_hand((51, 50), (49, 0, 5, 10, 30))
    'Three of a Kind'
    """
    return _DESCRIPTIONS[category(strength((*hole, *board)))]
