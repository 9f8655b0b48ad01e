"""A hand and its decisions without the names of people, the venue's ids and its tokens, wherever in them these stand.

Players are called as prompts call them: `P1` is the next one clockwise from us, and we are `you`. So the same person has
another name in another seat, and what a prompt says of P1 is about the P1 of the export.

Left as they are: ids of runs and decisions, seeds, times. A name that is a word of the game or one that an alias looks like
(`Call`, `AA`, `7`, `P2`) goes from the fields that hold names and stays in running text, where `P3: pay 40` in the place of
`call: pay 40` would tell whose it is.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final, TypeVar, get_args
from unicodedata import normalize

from agent.journal.reader import DecisionStory
from agent.journal.records import DecisionRecord, HandRecord, Source
from agent.journal.stories import HandStory
from agent.openpoker.vocabulary import SERVER_FIELDS
from agent.poker.positions import order_from_button
from agent.poker.spot import Street, Verb

OURSELVES: Final = "you"
SOMEBODY: Final = "somebody"
HIDDEN: Final = "[hidden]"

_HASH_CHARS: Final = 12
_NAMES: Final = frozenset({"name", "names", "bot"})
_TOKENS: Final = re.compile(r"turn_token|\w*_url|\w*_slug")
_OUR_IDS: Final = frozenset({"decision_id", "run_id", "client_action_id"})
"""A client action id is that of the decision."""

_TELLING: Final = frozenset({"names", "facts", "menu", "policy", "parameters"})
"""Keys that tell what all inside is, whatever the keys in there are: to a provider `name` is that of a schema."""
_KEYS: Final = frozenset().union(
    *SERVER_FIELDS.values(), {"choice", "equity", "hands", "id", "label", "levels", "ranges", "share", "trials"}
)
"""Keys by which programs find what is told, this one too: they stay, whoever bears such a name."""

_GAME: Final = re.compile(
    rf"""
    {"|".join([*Street, *Verb, *get_args(Source), OURSELVES, SOMEBODY])}
    | sb | bb | utg | hj | co | btn (?:/[sb]b)? | hero | seat | hand | board | pot | stack | blind | bet | all-in | equity
    | first | repair | failover | accepted | rejected | system | user | assistant
    | p\d                              # an alias
    | [\d.,]{{1,6}}                      # a number, which may be chips
    | (?:[2-9tjqka][cdhs])+            # cards
    | [2-9tjqka]{{2}}[so]?               # a kind of hand
    | [\x00-/:-@\[-`{{-\x7f]*            # nothing but punctuation
    """,
    re.IGNORECASE | re.VERBOSE,
)

Story = TypeVar("Story", DecisionStory, HandStory)


def redacted_decision(story: DecisionStory) -> DecisionStory:
    """The decision, and all that belongs to it, without names and ids."""
    return _redacted(story, [story.decision], story.hand, story.decision.hero_seat)


def redacted_hand(story: HandStory) -> HandStory:
    """The hand with our decisions in it without names and ids."""
    return _redacted(story, story.decisions, story.hand, story.hand.hero_seat)


def is_of_the_game(name: str) -> bool:
    """Whether running text may mean something else by a name.

    >>> is_of_the_game("Check"), is_of_the_game("AhKd"), is_of_the_game("P2"), is_of_the_game("Otter")
    (True, True, True, False)
    """
    return _GAME.fullmatch(name) is not None


def hashed(identifier: str) -> str:
    """The same short text for the same id, from which nobody reads the id; empty for an empty one."""
    return (
        hashlib.sha256(identifier.encode("utf-8", "backslashreplace")).hexdigest()[:_HASH_CHARS] if identifier else ""
    )


def _redacted(
    story: Story, decisions: Iterable[DecisionRecord], hand: HandRecord | None, hero_seat: int | None
) -> Story:
    seated: list[tuple[int, str]] = [
        (int(seat), name) for decision in decisions for seat, name in decision.names.items()
    ]
    seated += [(player.seat, player.name) for player in (hand.players if hand else ())]
    seats = tuple({seat for seat, _ in seated})
    clockwise = order_from_button(seats, min(seats, default=0) if hero_seat is None else hero_seat)
    aliases = {seat: f"P{place}" for place, seat in enumerate((s for s in clockwise if s != hero_seat), start=1)}
    found = {text: shown for key, text in _texts(story) if (shown := _field(key, text)) is not None}
    found |= {name: aliases[seat] for seat, name in seated if seat != hero_seat}
    found |= dict.fromkeys([story.run.bot, *(name for seat, name in seated if seat == hero_seat)], OURSELVES)
    redacted: Story = _Redaction(found).of(story)
    return redacted


def _field(key: str, text: str) -> str | None:
    """What stands for a text that is itself a name, an id or a token, as its key tells; None for any other."""
    if key in _NAMES:
        return SOMEBODY
    if key.endswith("_id") and key not in _OUR_IDS:
        return hashed(text)
    return HIDDEN if _TOKENS.fullmatch(key) else None


def _texts(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Every text in a value, with the key that tells what it is."""
    if value is None or isinstance(value, int | float):
        return
    if isinstance(value, str):
        yield key, value
    elif is_dataclass(value):
        for field in fields(value):
            yield from _texts(getattr(value, field.name), _inner(key, field.name))
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _texts(inner, _inner(key, name))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner, key)


def _inner(key: str, name: str) -> str:
    return key if key in _TELLING else name


class _Redaction:
    """Puts `shown` in the place of each text that is found in it, in any letters, as a field or inside of other text."""

    def __init__(self, shown: Mapping[str, str]) -> None:
        self._shown = shown
        spelled = {spelling: alias for text, alias in shown.items() for spelling in _spellings(text)}
        self._alike = {_caseless(spelling): alias for spelling, alias in spelled.items()}
        # In running text nobody can tell whether a word of the game is meant or a name. The longer first, so that a name which holds another goes whole.
        hidden = sorted((text for text in spelled if not is_of_the_game(text)), key=len, reverse=True)
        self._pattern = re.compile("|".join(map(_whole, hidden)), re.IGNORECASE)
        # Most texts hold none of them, which is soon seen.
        self._signs = {text.casefold() for text in hidden}

    def of(self, value: Any, key: str = "") -> Any:
        """The value, be it a record, a list, an object or a text, without them."""
        if value is None or isinstance(value, int | float):
            return value
        if isinstance(value, str):
            shown = _field(key, value)
            return self._text(value) if shown is None else self._known(value) if key in _NAMES else shown
        if is_dataclass(value) and not isinstance(value, type):
            names = [field.name for field in fields(value)]
            return replace(value, **{name: self.of(getattr(value, name), _inner(key, name)) for name in names})
        if isinstance(value, Mapping):
            return {self._key(name): self.of(inner, _inner(key, name)) for name, inner in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(self.of(inner, key) for inner in value)
        return value

    def _key(self, name: str) -> str:
        return name if name in _KEYS else self._text(name)

    def _text(self, text: str) -> str:
        folded = text.casefold()
        if not any(sign in folded for sign in self._signs):
            return text
        return self._pattern.sub(lambda found: self._known(found[0]), text)

    def _known(self, text: str) -> str:
        return self._shown.get(text) or self._alike.get(_caseless(text), HIDDEN)


def _spellings(text: str) -> set[str]:
    """The text as it is found inside of others: with accents apart, in capitals (`ß` is `SS`), in JSON, as UTF-8 can hold it."""
    in_json = {json.dumps(text, ensure_ascii=ascii_only)[1:-1] for ascii_only in (True, False)}
    if text.isascii():
        return {text, *in_json}
    kept = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return {text, text.upper(), normalize("NFC", text), normalize("NFD", text), kept, *in_json}


def _caseless(text: str) -> str:
    return normalize("NFD", normalize("NFD", text).casefold())


def _whole(text: str) -> str:
    """A pattern for the text where it is no part of a longer word; an underscore parts words."""
    before = r"(?<![^\W_])" if text[0].isalnum() else ""
    after = r"(?![^\W_])" if text[-1].isalnum() else ""
    return before + re.escape(text) + after
