"""Whether a model knows what it holds: the hand and the cards that its reply names, held against the facts.

A model that misreads its hand chooses for another one, however well it argues. Words that name no hand at all are no
misreading; they only show nothing.
"""

import re
from dataclasses import dataclass
from typing import Final, Literal

from agent.decision.reply import Reply
from agent.poker.cards import RANKS, CardError, parse_cards
from agent.poker.draws import Made, made_hand
from agent.poker.evaluator import CATEGORIES

Verdict = Literal["grounded", "misread", "not shown"]

_SUITS: Final = str.maketrans("♠♥♦♣♤♡♢♧", "shdcshdc")
_RANK_WORDS: Final = {
    "ace": "A",
    "king": "K",
    "queen": "Q",
    "jack": "J",
    "ten": "T",
    "nine": "9",
    "eight": "8",
    "seven": "7",
    "six": "6",
    "sixe": "6",
    "five": "5",
    "four": "4",
    "three": "3",
    "two": "2",
    "deuce": "2",
}
_CARD_IN_WORDS: Final = re.compile(rf"\b({'|'.join(_RANK_WORDS)}) of (spade|heart|diamond|club)")
_POCKET: Final = re.compile(rf"\bpocket ({'|'.join(_RANK_WORDS)}|10|[2-9tjqka])")
_CLASS: Final = re.compile(r"(?<![0-9a-z])([2-9tjqka])[ -]?([2-9tjqka])[ -]?(suited|s|off|o)?(?![0-9])")
# What is not there, and what is not there yet, names no made hand.
_NOT_MADE: Final = re.compile(
    r"\b(?:no|not|without)\b[\w ]*|\b(?:(?:straight|flush|full house|set|trips)[ -])+draws?\b[\w ]*"
)

_CATEGORY_OF: Final = {
    **{name: number for number, name in enumerate(CATEGORIES)},
    "royal flush": CATEGORIES.index("straight flush"),
    "quads": CATEGORIES.index("four of a kind"),
    "trips": CATEGORIES.index("three of a kind"),
    "set": CATEGORIES.index("three of a kind"),
    "high": CATEGORIES.index("high card"),
}
# Only these say more than the category: where the pair is.
_PLACES: Final = frozenset({Made.UNDERPAIR, Made.BOTTOM_PAIR, Made.MIDDLE_PAIR, Made.TOP_PAIR, Made.OVERPAIR})
# The longest name in the words counts, so that a straight flush is no flush; of equally long ones the stronger hand.
_NAMES: Final = sorted({*_CATEGORY_OF, *_PLACES}, key=lambda name: (len(name), _CATEGORY_OF.get(name, 1)), reverse=True)


@dataclass(frozen=True, slots=True)
class Grounding:
    """What a reply says hero holds, and whether that is so; `problem` says in words what is wrong with it."""

    hand: str
    cards: str
    verdict: Verdict
    problem: str = ""


def ground(reply: Reply, hole: tuple[int, int], board: tuple[int, ...], hand_class: str) -> Grounding:
    """The hand and the cards that a reply names, held against what hero holds; `hand_class` is what it had to repeat.

    >>> from agent.poker.cards import parse_cards
    >>> hole, board = parse_cards("AsKd"), parse_cards("7h2cKs")
    >>> ground(Reply("call", hand="top pair, ace kicker", cards="Kd As"), hole, board, "top pair").verdict
    'grounded'
    >>> ground(Reply("call", hand="flush", cards="AsKs"), hole, board, "top pair").problem
    '"hand" is "flush" and "cards" is "AsKs", which is not what you hold'
    """
    said = {"hand": reply.hand, "cards": reply.cards}
    is_right = {
        "hand": _is_the_hand(_plain(reply.hand), hole, board, hand_class),
        "cards": _are_the_cards(_plain(reply.cards), hole),
    }
    wrong = [f'"{name}" is "{said[name]}"' for name, holds in is_right.items() if holds is False]
    if wrong:
        return Grounding(**said, verdict="misread", problem=f"{' and '.join(wrong)}, which is not what you hold")
    return Grounding(**said, verdict="grounded" if True in is_right.values() else "not shown")


def _plain(text: str) -> str:
    return text.translate(_SUITS).lower().strip()


def _are_the_cards(said: str, hole: tuple[int, int]) -> bool | None:
    """Whether exactly the hole cards are named, in any order and spelling; None when no cards are named."""
    in_words = [_RANK_WORDS[rank] + suit[0] for rank, suit in _CARD_IN_WORDS.findall(said)]
    text = "".join(in_words) or re.sub(r"[^0-9a-z]", "", said)
    try:
        named = parse_cards(text)
    except CardError:
        return None
    return set(named) == set(hole) if named else None


def _is_the_hand(said: str, hole: tuple[int, int], board: tuple[int, ...], hand_class: str) -> bool | None:
    """Whether the hand that is named is the one held; None when none is named."""
    if said == hand_class.lower():
        return True
    return _is_made(said, hole, board) if board else _is_starting_hand(said, hole)


def _is_starting_hand(said: str, hole: tuple[int, int]) -> bool | None:
    held = {RANKS[card >> 2] for card in hole}
    pocket = _POCKET.search(said.replace("10", "t"))
    if pocket:
        return held == {_RANK_WORDS.get(pocket[1], pocket[1].upper())}
    named = _CLASS.search(said.replace("10", "t"))
    if named is None:
        return None
    if {named[1].upper(), named[2].upper()} != held:
        return False
    is_suited = hole[0] & 3 == hole[1] & 3
    return named[3] is None or len(held) == 1 or named[3].startswith("s") == is_suited


def _is_made(said: str, hole: tuple[int, int], board: tuple[int, ...]) -> bool | None:
    made, words = made_hand(hole, board), _NOT_MADE.sub(" ", said)
    name = next((name for name in _NAMES if re.search(rf"\b{name}\b", words)), None)
    if name is None:
        return None
    return name in (made.kind, made.pair) if name in _PLACES else _CATEGORY_OF[name] == made.value.category
