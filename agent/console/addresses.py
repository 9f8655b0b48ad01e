"""The addresses of pages over the journal: what identifies a hand or a decision may be any text."""

from urllib.parse import quote, urlencode


def url(path: str, *parts: str, **query: str | int | None) -> str:
    """An address within the console; what is None or empty is left out of the query.

    >>> url("/hands", "a/b", run="r 1", step=None)
    '/hands/a%2Fb?run=r+1'
    """
    given = urlencode({name: value for name, value in query.items() if value not in (None, "")})
    return "/".join((path, *(quote(part, safe="") for part in parts))) + (f"?{given}" if given else "")


def hand_url(hand_id: str, run_id: str, step: int | None = None) -> str:
    """Where a hand is replayed."""
    return url("/hands", hand_id, run=run_id, step=step)


def decision_url(decision_id: str) -> str:
    """Where a decision is shown whole."""
    return url("/decisions", decision_id)
