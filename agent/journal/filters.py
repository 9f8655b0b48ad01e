"""What to look for in the journal: one set of filters for lists, statistics and exports."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from agent.journal.words import query

_AGE: Final = re.compile(r"(\d+)\s*([mhdw])", re.IGNORECASE | re.ASCII)
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_UNITS: Final = {
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
}

_OF_BOTH: Final = {
    "run": "decision.run_id = :run",
    "hand": "(substr(decision.hand_id, 1, length(:hand)) = :hand OR substr(decision.hand_id, -length(:hand)) = :hand)",
    "since": "decision.at >= :since",
}
_OF_HAND: Final = {
    "position": "hand.position = upper(:position)",
    "min_pot_bb": "hand.pot_chips >= :min_pot_bb * hand.big_blind_chips",
}
_OF_DECISION: Final = {
    "source": "decision.source = :source",
    "prompt": "decision.prompt_set = :prompt",
    "street": "decision.street = :street",
    "model": """decision.id IN (
        SELECT decision_id FROM attempt WHERE instr(lower(model), lower(:model)) OR instr(lower(asked), lower(:model)))""",
    "errors": """decision.id IN (
        SELECT decision_id FROM attempt WHERE error IS NOT NULL
        UNION SELECT decision_id FROM send WHERE error IS NOT NULL
        UNION SELECT decision_id FROM outcome WHERE status = 'rejected')""",
}
_NOTHING: Final = "0"
_FOUND_ROWS: Final = "SELECT rowid FROM search_index WHERE search_index MATCH :search"
_FOUND: Final = f"decision.id IN (SELECT decision_id FROM search_document WHERE id IN ({_FOUND_ROWS}))"  # noqa: S608
_FOUND_OFTEN: Final = f"""EXISTS (
    SELECT 1 FROM search_document WHERE decision_id = decision.id AND id IN ({_FOUND_ROWS}))"""  # noqa: S608
# Names are few and players many: from each name the index leads to the next one.
_MET_ROWS: Final = """
    FROM hand_player WHERE NOT is_hero AND name IN (
        WITH RECURSIVE known (name) AS (
            SELECT min(name) FROM hand_player WHERE NOT is_hero
            UNION ALL SELECT (SELECT min(name) FROM hand_player WHERE NOT is_hero AND name > known.name)
            FROM known WHERE known.name IS NOT NULL)
        SELECT name FROM known WHERE instr(lower(name), lower(:opponent)))"""
_MET: Final = f"(decision.run_id, decision.hand_id) IN (SELECT run_id, hand_id {_MET_ROWS})"
_MET_OFTEN: Final = """EXISTS (
    SELECT 1 FROM hand_player AS met WHERE met.run_id = decision.run_id AND met.hand_id = decision.hand_id
        AND NOT met.is_hero AND instr(lower(met.name), lower(:opponent)))"""

MANY: Final = 10_000
HOW_MANY: Final = {
    "search": f"SELECT count(*) FROM ({_FOUND_ROWS} LIMIT {MANY})",  # noqa: S608
    "opponent": f"SELECT count(*) FROM (SELECT 1 {_MET_ROWS} LIMIT {MANY})",  # noqa: S608
}
"""How many rows a filter finds by itself, up to `MANY`: few are gathered first, of many a page is soon full."""


@dataclass(frozen=True, slots=True)
class Filter:
    """What must hold of a decision and of its hand; None asks for nothing. For lists of hands: of one of its decisions.

    source: who decided
    model: the model that was asked, or a part of its name
    prompt: the name of the prompt set
    street: preflop, flop, turn, river
    position: hero's, such as BTN
    opponent: somebody who was dealt in, or a part of their name
    hand: 7 or #7, the seventh of the run (the latest unless it is named); the hand's id, its beginning or its end; or last
    run: the run's id
    errors: whether something went wrong: a model's attempt, the send, the server's answer
    min_pot_bb: the pot at the end of the hand, in big blinds, at least
    since: a decision's id, a time such as 2026-11-30 or 2026-11-30T10:00, or an age such as 90m, 12h, 3d
    search: words that stand in prompts, replies or reasons
    """

    source: str | None = None
    model: str | None = None
    prompt: str | None = None
    street: str | None = None
    position: str | None = None
    opponent: str | None = None
    hand: str | None = None
    run: str | None = None
    errors: bool = False
    min_pot_bb: float | None = None
    since: str | None = None
    search: str | None = None


ALL: Final = Filter()
"""Lets everything through."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """A filter as SQL, with the values that are bound in it: nothing of them is ever part of the SQL.

    `for_decisions` goes behind WHERE where `decision` is joined with its `hand`, which may be missing yet, `for_hands` where
    there is `hand` alone.
    """

    for_decisions: str
    for_hands: str
    values: Mapping[str, object]


def conditions(where: Filter, since: str | None = None, often: Collection[str] = ()) -> Conditions:
    """The filter as SQL; `since` is the time it begins with, as the columns hold times.

    `often` are those of `HOW_MANY` that find `MANY` rows: the SQL then goes through the rows and asks each. It finds the same.
    """
    search = (where.search or "").strip()
    values: dict[str, object] = {
        "source": where.source,
        "model": where.model,
        "prompt": where.prompt,
        "street": where.street,
        "position": where.position,
        "opponent": where.opponent,
        "hand": where.hand,
        "run": where.run,
        "min_pot_bb": where.min_pot_bb,
        "since": since,
        "errors": where.errors or None,
        "search": query(search) if search else None,
    }
    given = {name for name, value in values.items() if value is not None}
    of_both = [sql for name, sql in _OF_BOTH.items() if name in given]
    of_hand = [sql for name, sql in _OF_HAND.items() if name in given]
    of_decision = [sql for name, sql in _OF_DECISION.items() if name in given]
    if where.opponent is not None:
        of_both.append(_MET_OFTEN if "opponent" in often else _MET)
    if search and values["search"] is None:
        of_decision.append(_NOTHING)
    elif search:
        of_decision.append(_FOUND_OFTEN if "search" in often else _FOUND)
    on_hand = [*(sql.replace("decision.", "hand.") for sql in of_both), *of_hand]
    if of_decision:
        on_hand.append(_decided(of_decision, few="search" in given and "search" not in often))
    return Conditions(_all_of([*of_both, *of_decision, *of_hand]), _all_of(on_hand), values)


def _decided(of_decision: list[str], *, few: bool) -> str:
    """That one of a hand's decisions is as it is asked for."""
    if few:
        return f"(hand.run_id, hand.hand_id) IN (SELECT run_id, hand_id FROM decision WHERE {_all_of(of_decision)})"  # noqa: S608
    its = "decision.run_id = hand.run_id AND decision.hand_id = hand.hand_id"
    return f"EXISTS (SELECT 1 FROM decision WHERE {its} AND {_all_of(of_decision)})"  # noqa: S608


def since_time(text: str, now: datetime) -> datetime | None:
    """The time that a filter's `since` names: an age before `now`, a day or a time (UTC unless it says another zone).

    None for what is neither, which then is a decision's id.

    >>> now = datetime(2026, 11, 30, 12, tzinfo=UTC)
    >>> since_time("90m", now).isoformat(), since_time("2026-11-29", now).isoformat()
    ('2026-11-30T10:30:00+00:00', '2026-11-29T00:00:00+00:00')
    >>> since_time("01M8MZP1", now) is None
    True
    """
    if age := _AGE.fullmatch(text.strip()):
        try:
            return now - int(age[1]) * _UNITS[age[2].lower()]
        except (OverflowError, ValueError):
            return datetime.min.replace(tzinfo=UTC)
    if not _DAY.match(text.strip()):
        return None
    try:
        found = datetime.fromisoformat(text.strip())
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (OverflowError, ValueError):
        return None


def _all_of(parts: list[str]) -> str:
    return " AND ".join(parts) or "1"
