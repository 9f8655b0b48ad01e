"""Plain values that a file told, checked by key: whatever is wrong with them is a `ValueError` that names the key.

A reader takes a plain value and gives what it stands for. Readers are put together: `each(pair(text, number))` reads a
list of names with their numbers.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from agent.strategy.statistics import MOST_COUNTED

Reader = Callable[[Any], Any]

_SHOWN = 60


def table(value: Any, readers: Mapping[str, Reader], optional: Collection[str] = ()) -> dict[str, Any]:
    """The values of an object by key, each as its reader gives it; `optional` ones may be missing.

    >>> table({"hands": 3}, {"hands": whole(1), "code": text}, optional={"code"})
    {'hands': 3}
    """
    for key in mapping(value):
        if key not in readers:
            raise ValueError(f"{shown(key)} is no known key: another version of the program may have written it")
    found = {}
    for key, reader in readers.items():
        if key in value:
            try:
                found[key] = reader(value[key])
            except ValueError as error:
                raise ValueError(f"{key}: {error}") from None
        elif key not in optional:
            raise ValueError(f"{key} is missing")
    return found


def mapping(value: Any) -> dict[str, Any]:
    """An object, whatever it holds."""
    if not isinstance(value, dict):
        raise ValueError(f"{shown(value)}: expected keys and values")
    return value


def whole(least: int | None = None, most: int | None = MOST_COUNTED) -> Reader:
    """A reader of whole numbers between two ends, None for no end."""

    def read(value: Any) -> int:
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        if not is_whole or (least is not None and value < least) or (most is not None and value > most):
            from_ = "" if least is None or least == -MOST_COUNTED else f" from {least:,}"
            to = "" if most is None or most == MOST_COUNTED else f" up to {most:,}"
            raise ValueError(f"{shown(value)}: expected a whole number{from_}{to}")
        return int(value)

    return read


def number(value: Any) -> float:
    """A number that can be reckoned with."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= MOST_COUNTED:
        raise ValueError(f"{shown(value)}: expected a number")
    return value


def text(value: Any) -> str:
    """Words."""
    if not isinstance(value, str):
        raise ValueError(f"{shown(value)}: expected words")
    return value


def by_name(reader: Reader) -> Reader:
    """A reader of objects with any keys."""

    def read(value: Any) -> dict[str, Any]:
        return table(value, dict.fromkeys(mapping(value), reader))

    return read


def each(reader: Reader) -> Reader:
    """A reader of lists."""

    def read(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise ValueError(f"{shown(value)}: expected a list")
        return tuple(reader(entry) for entry in value)

    return read


def pair(first: Reader, second: Reader) -> Reader:
    """A reader of lists of two."""

    def read(value: Any) -> tuple[Any, Any]:
        if not isinstance(value, list) or len(value) != 2:
            raise ValueError(f"{shown(value)}: expected a list of two")
        return first(value[0]), second(value[1])

    return read


def shown(value: Any) -> str:
    """A value for a message, cut where it is long."""
    whole_text = repr(value)
    return whole_text if len(whole_text) <= _SHOWN else f"{whole_text[:_SHOWN]}..."
