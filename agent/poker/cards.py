"""Cards as small integers: `4 * rank + suit`, rank 0 (deuce) to 12 (ace), suit 0 to 3 (c, d, h, s).

Text is for the edges only: `AsKd` for machines, `A♠ K♦` for people.
"""

from collections.abc import Iterable
from typing import Final

RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"
SUIT_SYMBOLS: Final = "♣♦♥♠"
DECK: Final = tuple(range(52))


class CardError(ValueError):
    """Text that names no card, or names one twice."""


def parse_card(text: str) -> int:
    """The card that two characters name.

    >>> parse_card("2c"), parse_card("As")
    (0, 51)
    """
    if len(text) == 2 and text[0].upper() in RANKS and text[1].lower() in SUITS:
        return 4 * RANKS.index(text[0].upper()) + SUITS.index(text[1].lower())
    raise CardError(f"{text!r} is no card: expected a rank of {RANKS} and a suit of {SUITS}, such as As or Td")


def parse_cards(text: str) -> tuple[int, ...]:
    """The distinct cards of a text such as `AsKd` or `7h 2c, Ks`, in its order.

    >>> parse_cards("7h 2c, Ks")
    (22, 0, 47)
    """
    joined = text.replace(",", "").replace(" ", "").replace("10", "T")
    if len(joined) % 2:
        raise CardError(f"{text!r} is no list of cards: {len(joined)} characters, expected two a card")
    return distinct(parse_card(joined[i : i + 2]) for i in range(0, len(joined), 2))


def distinct(cards: Iterable[int]) -> tuple[int, ...]:
    """The same cards as a tuple; a card that comes twice is an error that names it."""
    found = tuple(cards)
    if len(set(found)) == len(found):
        return found
    for i, card in enumerate(found):
        if card in found[:i]:
            raise CardError(f"{format_card(card)} comes twice")
    return found


def format_card(card: int) -> str:
    """Two characters for machines.

    >>> format_card(51)
    'As'
    """
    return RANKS[card >> 2] + SUITS[card & 3]


def format_cards(cards: Iterable[int]) -> str:
    """The cards run together, for machines.

    >>> format_cards((51, 45))
    'AsKd'
    """
    return "".join(map(format_card, cards))


def pretty_cards(cards: Iterable[int]) -> str:
    """The cards with suit symbols, for people.

    >>> pretty_cards((51, 45))
    'A♠ K♦'
    """
    return " ".join(RANKS[card >> 2] + SUIT_SYMBOLS[card & 3] for card in cards)
