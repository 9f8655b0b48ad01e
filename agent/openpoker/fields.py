"""Reading fields of frames that may hold anything: the value in its right type, or None.

The venue leaves keys out, sends nulls and may send what nobody expects; unknown is None, never 0.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from agent.openpoker.frames import Frame, whole_chips
from agent.poker.cards import CardError, distinct, parse_card

LAST_SEAT = 5


def text(frame: Frame, key: str) -> str | None:
    """The string under `key`."""
    value = frame.get(key)
    return value if isinstance(value, str) else None


def chips(frame: Frame, key: str) -> int | None:
    """The whole, not negative number of chips under `key`."""
    value = whole_chips(frame.get(key))
    return value if value is not None and value >= 0 else None


def seconds(frame: Frame, key: str) -> float | None:
    """The finite, not negative number of seconds under `key`."""
    value = frame.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < 10**9 else None


def sequence(frame: Frame, key: str = "table_seq") -> int | None:
    """The sequence number under `key`; one that no counter reaches is none, lest it shut out all that follow."""
    value = frame.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53 else None


def seat(frame: Frame, key: str = "seat") -> int | None:
    """The seat number under `key`; seat 0 is a seat."""
    value = sequence(frame, key)
    return value if value is not None and 0 <= value <= LAST_SEAT else None


def flag(frame: Frame, key: str) -> bool | None:
    """The truth value under `key`."""
    value = frame.get(key)
    return value if isinstance(value, bool) else None


def mapping(frame: Frame, key: str) -> Mapping[str, Any]:
    """The object under `key`; empty when there is none."""
    value = frame.get(key)
    return value if isinstance(value, dict) else {}


def objects(frame: Frame, key: str) -> Iterator[Mapping[str, Any]]:
    """The objects in the list under `key`; anything else in it is passed over."""
    value = frame.get(key)
    return (item for item in value if isinstance(item, dict)) if isinstance(value, list) else iter(())


def cards(frame: Frame, key: str) -> tuple[int, ...] | None:
    """The distinct cards in the list under `key`; None when one is no card."""
    value = frame.get(key)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        return None
    try:
        return distinct(parse_card(item) for item in value)
    except CardError:
        return None


def by_seat(frame: Frame, key: str) -> dict[int, int]:
    """Chips keyed by seat under `key`; the venue writes seat numbers as strings there."""
    found = mapping(frame, key)
    return {s: n for s in range(LAST_SEAT + 1) if (n := chips(found, str(s))) is not None}
