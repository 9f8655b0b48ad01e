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
    "five": "5",
    "four": "4",
    "trey": "3",
    "three": "3",
    "deuce": "2",
    "two": "2",
}
_RANK: Final = rf"({'|'.join(_RANK_WORDS)}|10|[2-9tjqk])(?:e?s|'s)?"
_CARD_IN_WORDS: Final = re.compile(rf"\b({'|'.join(_RANK_WORDS)}|10|[2-9tjqka]) of (spade|heart|diamond|club)")
_POCKET: Final = re.compile(rf"\bpocket {_RANK}\b")
_PAIRED_RANK: Final = re.compile(rf"\b(?:pair|set|trips|quads) of {_RANK}\b")
# In capitals, as classes are written: "at" is a word and AT a hand.
_CLASS: Final = re.compile(
    r"(?<![0-9A-Za-z])([2-9TJQKA])[ -]?([2-9TJQKA])(?:[ -]?(suited|s|off ?-?suit(?:ed)?|off|o))?(?![0-9A-Za-z])"
)
# What is not there, not there yet, or was never made names no made hand.
_NOT_MADE: Final = re.compile(
    r"\b(?:no|not|without|missed|busted)\b[\w -]*"
    r"|\b(?:four|4|one card|1 card|drawing|draws?|outs|chance|backdoor|chasing|needs?)\b[\w -]*\b(?:flush|straight)(?: draws?)?"
    r"|\b(?:(?:straight|flush|full house|set|trips|and|&|\+)[ -])+draws?\b"
    r"|\b(?:flush|straight)(?: is)? possible"
)

_CATEGORY_OF: Final = {
    **{name: number for number, name in enumerate(CATEGORIES)},
    "royal flush": CATEGORIES.index("straight flush"),
    "quads": CATEGORIES.index("four of a kind"),
    "trips": CATEGORIES.index("three of a kind"),
    "trip": CATEGORIES.index("three of a kind"),
    "set": CATEGORIES.index("three of a kind"),
    "boat": CATEGORIES.index("full house"),
    "high": CATEGORIES.index("high card"),
}
# Only these two say where a pair is in a way that nobody means differently.
_HIGH_PAIRS: Final = frozenset({Made.TOP_PAIR, Made.OVERPAIR})
_LOW_PAIRS: Final = frozenset({Made.UNDERPAIR, Made.BOTTOM_PAIR, Made.MIDDLE_PAIR, "second pair"})
_ON_BOARD: Final = frozenset({Made.PAIR_ON_BOARD, Made.TWO_PAIR_ON_BOARD, Made.TRIPS_ON_BOARD})
# The longest name in the words counts, so that a straight flush is no flush; of equally long ones the stronger hand.
_NAMES: Final = sorted(
    {*_CATEGORY_OF, *_HIGH_PAIRS, *_LOW_PAIRS}, key=lambda name: (len(name), _CATEGORY_OF.get(name, 1)), reverse=True
)


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
        "hand": _is_the_hand(reply.hand, hole, board, hand_class),
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
    in_words = [_rank(rank) + suit[0] for rank, suit in _CARD_IN_WORDS.findall(said)]
    text = "".join(in_words) or re.sub(r"[^0-9a-z]", "", re.sub(r"\b(?:cards|hole|and)\b", "", said))
    try:
        named = parse_cards(text)
    except CardError:
        return None
    return set(named) == set(hole) if named else None


def _is_the_hand(said: str, hole: tuple[int, int], board: tuple[int, ...], hand_class: str) -> bool | None:
    """Whether the hand that is named is the one held; None when none is named."""
    words = _plain(said)
    if words == hand_class.lower():
        return True
    pocket = _POCKET.search(words)
    if pocket:
        return {RANKS[card >> 2] for card in hole} == {_rank(pocket[1])}
    if board and not _CLASS.fullmatch(said.strip()):
        return _is_made(words.replace("-", " "), hole, board)
    return _is_starting_hand(said, hole)


def _is_starting_hand(said: str, hole: tuple[int, int]) -> bool | None:
    for word, rank in _RANK_WORDS.items():
        said = re.sub(rf"\b{word}\b", rank, said, flags=re.IGNORECASE)
    named = _CLASS.search(said.replace("10", "T"))
    if named is None:
        return None
    held = {RANKS[card >> 2] for card in hole}
    if {named[1], named[2]} != held:
        return False
    is_suited = hole[0] & 3 == hole[1] & 3
    return named[3] is None or len(held) == 1 or named[3].startswith("s") == is_suited


def _is_made(words: str, hole: tuple[int, int], board: tuple[int, ...]) -> bool | None:
    made, words = made_hand(hole, board), _NOT_MADE.sub(" ", words)
    name = next((name for name in _NAMES if re.search(rf"\b{name}\b", words)), None)
    if name is None:
        return None
    category, own = CATEGORIES[made.value.category], {made.kind, made.pair}
    if name in _HIGH_PAIRS:
        return name in own
    if name in _LOW_PAIRS:
        return category in ("pair", "two pair") and not own & _HIGH_PAIRS
    ranks = {RANKS[rank] for rank in made.value.ranks[: 2 if category in ("two pair", "full house") else 1]}
    if any(_rank(rank) not in ranks for rank in _PAIRED_RANK.findall(words)):
        return False
    # Of a pair that lies on the board one may speak or not.
    allowed = {category, "high card"} if made.kind in _ON_BOARD else {category}
    if made.kind is Made.PAIR_AND_BOARD_PAIR:
        allowed |= {"pair"}
    return CATEGORIES[_CATEGORY_OF[name]] in allowed


def _rank(text: str) -> str:
    """The letter of a rank in a word or a digit."""
    return _RANK_WORDS.get(text, text.replace("10", "t").upper())
