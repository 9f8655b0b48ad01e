"""A filter as the query of an address, so that a list can be kept as a link."""

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Final

from agent.journal.filters import Filter
from agent.journal.schema import JournalError

_NAMES: Final = tuple(field.name for field in fields(Filter))
YES: Final = "yes"
_SWITCHES: Final = {YES: True, "true": True, "1": True, "no": False, "false": False, "0": False}


def asked_in(query: Mapping[str, str]) -> dict[str, str]:
    """What a query asks for, without what is blank.

    >>> asked_in({"source": "rule", "hand": " #7 ", "run": " "})
    {'source': 'rule', 'hand': '#7'}
    """
    return {name: value.strip() for name, value in query.items() if value.strip()}


def filter_from(asked: Mapping[str, str]) -> Filter:
    """The filter that is asked for; `JournalError` says what of it is no filter, or none of its values.

    >>> filter_from({"source": "rule", "errors": "yes", "min_pot_bb": "12.5"})
    Filter(source='rule', model=None, prompt=None, street=None, position=None, opponent=None, hand=None, run=None, errors=True, min_pot_bb=12.5, since=None, search=None)
    """
    given = dict(asked)
    for name in given:
        if name not in _NAMES:
            raise JournalError(f"There is no filter {name!r}: there are {', '.join(_NAMES)}.")
    errors, pot = given.pop("errors", None), given.pop("min_pot_bb", None)
    return Filter(
        **given,
        errors=errors is not None and _switch("errors", errors),
        min_pot_bb=None if pot is None else _big_blinds("min_pot_bb", pot),
    )


def _switch(name: str, told: str) -> bool:
    found = _SWITCHES.get(told.lower())
    if found is None:
        raise JournalError(f"{name}: {told!r} is neither yes nor no.")
    return found


def _big_blinds(name: str, told: str) -> float:
    try:
        found = float(told)
    except ValueError:
        found = math.nan
    if not (math.isfinite(found) and found >= 0):
        raise JournalError(f"{name}: {told!r} is no pot in big blinds, such as 12 or 7.5.")
    return found
