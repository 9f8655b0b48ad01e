"""Made hands in words: what five to seven cards are, computed so that nobody has to read the cards.

A `HandValue` is ordered: a greater one wins, equal ones split.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import Final

from agent.poker.evaluator import CATEGORIES

RANK_NAMES: Final = (
    "deuce",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "jack",
    "queen",
    "king",
    "ace",
)


@dataclass(frozen=True, slots=True, order=True)
class HandValue:
    """The best five cards: the index in `CATEGORIES`, then ranks (0 deuce to 12 ace) in the order they compare."""

    category: int
    ranks: tuple[int, ...]

    def __str__(self) -> str:
        """The hand in words.

        >>> str(HandValue(1, (4, 12, 11, 8)))
        'pair of sixes, ace kicker'
        >>> str(HandValue(6, (12, 11)))
        'full house, aces full of kings'
        """
        first, *rest = self.ranks
        match CATEGORIES[self.category]:
            case "high card":
                return f"{RANK_NAMES[first]} high"
            case "pair":
                return f"pair of {_plural(first)}, {RANK_NAMES[rest[0]]} kicker"
            case "two pair":
                return f"two pair, {_plural(first)} and {_plural(rest[0])}, {RANK_NAMES[rest[1]]} kicker"
            case "three of a kind":
                return f"three {_plural(first)}, {RANK_NAMES[rest[0]]} kicker"
            case "full house":
                return f"full house, {_plural(first)} full of {_plural(rest[0])}"
            case "four of a kind":
                return f"four {_plural(first)}, {RANK_NAMES[rest[0]]} kicker"
            case "straight flush" if first == 12:
                return "royal flush"
            case name:
                return f"{RANK_NAMES[first]}-high {name}"


def _plural(rank: int) -> str:
    return RANK_NAMES[rank] + ("es" if RANK_NAMES[rank] == "six" else "s")


def hand_value(cards: tuple[int, ...]) -> HandValue:
    """The best five-card hand among five to seven cards.

    >>> from agent.poker.cards import parse_cards
    >>> str(hand_value(parse_cards("Ah2c3d4s5hKdKs")))
    'five-high straight'
    """
    if not 5 <= len(cards) <= 7:
        raise ValueError(f"a hand needs five to seven cards, got {len(cards)}")
    return max(map(_five_card_value, combinations(cards, 5)))


def _five_card_value(cards: tuple[int, ...]) -> HandValue:
    ranks = sorted((card >> 2 for card in cards), reverse=True)
    grouped = sorted({r: ranks.count(r) for r in ranks}.items(), key=lambda item: (-item[1], -item[0]))
    shape = tuple(count for _, count in grouped)
    ordered = tuple(rank for rank, _ in grouped)
    flush = len({card & 3 for card in cards}) == 1
    if ordered == (12, 3, 2, 1, 0):
        ordered = (3,)
        straight = True
    else:
        straight = len(ordered) == 5 and ordered[0] - ordered[4] == 4
        ordered = ordered[:1] if straight else ordered
    by_shape = {(4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}
    if straight:
        return HandValue(8 if flush else 4, ordered)
    return HandValue(5 if flush else by_shape.get(shape, 0), ordered)


def describe_holding(hole: tuple[int, int], board: tuple[int, ...]) -> str:
    """What the hole cards make with the board, in words; preflop the class of the two cards.

    Says so when the board alone is as good.

    >>> from agent.poker.cards import parse_cards
    >>> describe_holding(parse_cards("Ac6c"), ())
    'A6 suited'
    """
    if not board:
        high, low = sorted((card >> 2 for card in hole), reverse=True)
        if high == low:
            return f"pocket {_plural(high)}"
        letters = "23456789TJQKA"
        return f"{letters[high]}{letters[low]} {'suited' if hole[0] & 3 == hole[1] & 3 else 'offsuit'}"
    value = hand_value((*hole, *board))
    if len(board) == 5 and value == hand_value(board):
        return f"{value} (the board plays: hole cards add nothing)"
    return str(value)
