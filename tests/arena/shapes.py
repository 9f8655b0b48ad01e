"""Shapes of JSON values: small checks that say what is wrong with a value, beginning with the path to it.

Made for the frames of the venue: chips are whole numbers, seats 0 to 5, cards a rank and a suit.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

Frame = Mapping[str, Any]
Check = Callable[[Any], Iterator[str]]

SEATS: Final = 6
BOARD_CARDS: Final = {"preflop": 0, "flop": 3, "turn": 4, "river": 5}
VERBS: Final = ("fold", "check", "call", "raise", "all_in")


@dataclass(frozen=True, slots=True)
class Key:
    """A key of an object: `present` says of the whole object whether it must (None: may) be there."""

    check: Check
    present: Callable[[Frame], bool | None]


def is_a(what: str, holds: Callable[[Any], bool]) -> Check:
    def check(value: Any) -> Iterator[str]:
        if not holds(value):
            yield f" is {value!r}, not {what}"

    return check


def one_of(*allowed: object) -> Check:
    return is_a(
        " or ".join(map(repr, allowed)), lambda value: any(type(value) is type(a) and value == a for a in allowed)
    )


def or_null(check: Check) -> Check:
    return lambda value: iter(()) if value is None else check(value)


def maybe(check: Check) -> Key:
    return Key(check, lambda _: None)


def when(present: Callable[[Frame], bool | None], check: Check) -> Key:
    return Key(check, present)


def list_of(entry: Check, *, sizes: Collection[int] | None = None) -> Check:
    def check(value: Any) -> Iterator[str]:
        if not isinstance(value, list):
            yield f" is {value!r}, not a list"
            return
        if sizes is not None and len(value) not in sizes:
            yield f" has {len(value)} entries, not {' or '.join(map(str, sizes))}"
        for place, item in enumerate(value):
            yield from (f"[{place}]{found}" for found in entry(item))

    return check


def record(**keys: Check | Key) -> Check:
    """An object with those keys and no others, in any order."""
    known = {name: key if isinstance(key, Key) else Key(key, lambda _: True) for name, key in keys.items()}

    def check(value: Any) -> Iterator[str]:
        if not isinstance(value, Mapping):
            yield f" is {value!r}, not an object"
            return
        yield from (f".{name} is unknown" for name in value if name not in known)
        for name, key in known.items():
            present = key.present(value)
            if name not in value and present:
                yield f".{name} is missing"
            elif name in value and present is False:
                yield f".{name} must be absent here"
            elif name in value:
                yield from (f".{name}{found}" for found in key.check(value[name]))

    return check


def ordered(**keys: Check | Key) -> Check:
    """An object with those keys in that order, as the live venue was recorded to send it."""

    def in_order(value: Frame) -> Iterator[str]:
        expected = [name for name in keys if name in value]
        if list(value) != expected:
            yield f" has its keys in the order {list(value)}, not {expected}"

    return with_rules(record(**keys), in_order)


def with_rules(shape: Check, *rules: Callable[[Any], Iterator[str]]) -> Check:
    """A shape, and rules that may rely on it."""

    def check(value: Any) -> Iterator[str]:
        found = list(shape(value))
        yield from found or (wrong for rule in rules for wrong in rule(value))

    return check


def unlike(what: str, stated: object, expected: object) -> Iterator[str]:
    if stated != expected:
        yield f" says {stated!r} for {what}, not {expected!r}"


# Values


def whole(low: int, what: str) -> Check:
    return is_a(what, lambda value: type(value) is int and value >= low)


def pattern(expression: str, what: str) -> Check:
    return is_a(what, lambda value: isinstance(value, str) and re.fullmatch(expression, value) is not None)


CHIPS = whole(0, "whole chips")
COUNT = whole(0, "a count")
NUMBER = whole(1, "a sequence number")
SEAT = is_a("a seat", lambda value: type(value) is int and 0 <= value < SEATS)
SECONDS = is_a("seconds as a float", lambda value: type(value) is float and value >= 0)
FLAG = is_a("true or false", lambda value: isinstance(value, bool))
TEXT = is_a("text", lambda value: isinstance(value, str) and value != "")
ID = pattern(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "a UUID")
TIME = pattern(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00", "a time with microseconds and +00:00")
INSTANT = pattern(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)", "a time")
HASH = pattern(r"sha256:[0-9a-f]{64}", "a state hash")
OBJECT = is_a("an object", lambda value: isinstance(value, Mapping))
STREET = one_of(*BOARD_CARDS)
VERB = one_of(*VERBS)


def distinct(values: list[Any]) -> Iterator[str]:
    if len(set(values)) < len(values):
        yield f" repeats one of {values}"


CARD = pattern("[2-9TJQKA][hdcs]", "a card")
BOARD = with_rules(list_of(CARD, sizes=(0, 3, 4, 5)), distinct)
HOLE = with_rules(list_of(CARD, sizes=(2,)), distinct)


def by_seat(entry: Check) -> Check:
    """An object keyed by seat numbers as strings."""

    def check(value: Any) -> Iterator[str]:
        if not isinstance(value, Mapping):
            yield f" is {value!r}, not an object by seat"
            return
        for seat, item in value.items():
            if seat not in tuple(map(str, range(SEATS))):
                yield f" has the key {seat!r}, not a seat as text"
            yield from (f"[{seat}]{found}" for found in entry(item))

    return check
