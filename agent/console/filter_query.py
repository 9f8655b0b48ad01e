"""A filter as the query of an address, so that a list can be kept as a link, and back."""

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Final
from urllib.parse import urlencode

from agent.journal.filters import Filter

_NAMES: Final = tuple(field.name for field in fields(Filter))


def filter_from(query: Mapping[str, str]) -> Filter:
    """The filter that a query asks for; what is no filter, or no number where one is meant, asks for nothing.

    >>> filter_from({"source": "rule", "errors": "yes", "min_pot_bb": "12.5", "step": "3"})
    Filter(source='rule', model=None, prompt=None, street=None, position=None, opponent=None, hand=None, run=None, errors=True, min_pot_bb=12.5, since=None, search=None)
    """
    given = {name: query[name].strip() for name in _NAMES if query.get(name, "").strip()}
    errors, pot = given.pop("errors", None), _number(given.pop("min_pot_bb", ""))
    return Filter(**given, errors=errors is not None, min_pot_bb=pot)


def query_of(where: Filter) -> str:
    """The query that asks for a filter.

    >>> query_of(Filter(search="top pair", errors=True, min_pot_bb=12.0))
    'errors=yes&min_pot_bb=12&search=top+pair'
    """
    return urlencode({name: _told(value) for name in _NAMES if (value := getattr(where, name)) not in (None, False)})


def _number(told: str) -> float | None:
    try:
        found = float(told)
    except ValueError:
        return None
    return found if math.isfinite(found) and found >= 0 else None


def _told(value: object) -> str:
    return "yes" if value is True else f"{value:g}" if isinstance(value, float) else str(value)
