"""What people call a decision, a hand or a place in a list, and which row is meant; errors name what could have been."""

import re
import sqlite3
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from agent.journal import rows
from agent.journal.filters import Filter, since_time
from agent.journal.schema import JournalError

NO_DECISIONS: Final = "No decisions yet. `poker-agent demo` makes some."
NO_HANDS: Final = "No hands yet. `poker-agent demo` makes some."
BY_NUMBER: Final = (
    "By its number in the run a hand is found as 7 or '#7', the latter in quotes: a shell takes # for a comment."
)
TIMES: Final = "A time is 2026-11-30, 2026-11-30T10:00, 2026-11-30T10:00+02:00, or an age: 90m, 12h, 3d, 2w."

_CANDIDATES_SHOWN: Final = 8
_MOST: Final = 2**62
# A short number alone is more likely a hand's number than a part of its id, but can be that too.
_NUMBER: Final = re.compile(r"#(?P<number>\d{1,100})|(?P<bare>[1-9]\d{0,5})", re.ASCII)
_DECISION_ID: Final = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}")

_IDS: Final = """
    SELECT id FROM decision
    WHERE substr(id, 1, length(:fragment)) = :fragment OR substr(id, -length(:fragment)) = :fragment
    ORDER BY id DESC LIMIT :limit
"""
_HAND_IDS: Final = """
    SELECT hand_id, run_id FROM hand
    WHERE (substr(hand_id, 1, length(:fragment)) = :fragment OR substr(hand_id, -length(:fragment)) = :fragment)
        AND (:run IS NULL OR run_id = :run)
    ORDER BY at DESC, run_id DESC LIMIT :limit
"""
_HAND: Final = "SELECT rowid AS place FROM hand WHERE run_id = :run AND hand_id = :hand"
_PLACES: Final = "SELECT rowid AS place FROM hand WHERE run_id = :run"
_NUMBERED: Final = """
    SELECT hand_id, run_id FROM hand WHERE run_id = coalesce(
        :run, (SELECT run_id FROM frame ORDER BY id DESC LIMIT 1), (SELECT max(id) FROM run))
    ORDER BY rowid LIMIT 1 OFFSET :number - 1
"""

Select = Callable[[str, Mapping[str, object]], list[sqlite3.Row]]


class Names:
    """What is looked up by name in the journal that `select` asks; errors are `JournalError`."""

    def __init__(self, select: Select) -> None:
        self._select = select

    def decision_id(self, fragment: str) -> str:
        """The one id that `fragment` means; the error for any other number of them names candidates."""
        # A whole id is found at once; a part of one is looked for in all.
        if self._select("SELECT 1 FROM decision WHERE id = :id", {"id": fragment}):
            return fragment
        newest = self._ids("")
        if not newest:
            raise JournalError(NO_DECISIONS)
        if fragment.lower() == "last":
            return newest[0]
        found = self._ids(fragment.upper()) if fragment else []
        if len(found) == 1:
            return found[0]
        if found:
            raise JournalError(f"More than one decision begins or ends with {fragment!r}: {_listed(found)}")
        raise JournalError(f"No decision begins or ends with {fragment!r}. The newest are: {_listed(newest)}")

    def hand_id(self, fragment: str, run: str | None) -> tuple[str, str]:
        """The one hand, and the run that told it last, that `fragment` means; the error for others names candidates.

        `7` and `#7` are the seventh hand of the run, of the latest one if none is named. Where there is no such hand, `7`
        is the beginning or end of an id, like any other text.
        """
        if run is not None and self._is_whole(fragment, run):
            return fragment, run
        if numbered := self._numbered(fragment, run):
            return numbered
        is_last = fragment.lower() == "last"
        found = self._hand_ids("" if is_last else fragment, run) if fragment else []
        if found and (is_last or len({hand_id for hand_id, _ in found}) == 1):
            return found[0]
        if found:
            ids = _listed([hand_id for hand_id, _ in found])
            raise JournalError(f"More than one hand begins or ends with {fragment!r}: {ids}. {BY_NUMBER}")
        newest = [hand_id for hand_id, _ in self._hand_ids("", run)]
        if not newest:
            raise JournalError(NO_HANDS)
        raise JournalError(f"No hand begins or ends with {fragment!r}. The newest are: {_listed(newest)}. {BY_NUMBER}")

    def meant(self, where: Filter) -> Filter:
        """The filter with a hand's id and run in the place of `last`, `7` and `#7`, which mean one hand."""
        if where.hand is None or (where.run is not None and self._is_whole(where.hand, where.run)):
            return where
        found = (
            self.hand_id("last", where.run) if where.hand.lower() == "last" else self._numbered(where.hand, where.run)
        )
        return where if found is None else replace(where, hand=found[0], run=found[1])

    def since(self, text: str, now: datetime) -> datetime:
        """The time that a filter's `since` names, be it a time, an age or a decision's id."""
        found = since_time(text, now)
        if found is not None:
            return found
        if text.lower() != "last" and not self._ids(text.upper()):
            raise JournalError(f"{text!r} is no time, and no decision begins or ends with it. {TIMES}")
        key = {"id": self.decision_id(text)}
        return rows.time_from(self._select("SELECT at FROM decision WHERE id = :id", key)[0]["at"])

    def numbers(self, hands: Sequence[tuple[str, str]]) -> list[int]:
        """Which hand of its run each of these (run, hand) is, counted from 1 in the order in which they ended; 0 if it has not."""
        # One look at a run for the whole list: counting anew for each hand takes too long in a long run.
        runs = {run for run, _ in hands}
        places = {run: sorted(row["place"] for row in self._select(_PLACES, {"run": run})) for run in runs}
        own = [self._select(_HAND, {"run": run, "hand": hand}) for run, hand in hands]
        return [
            bisect_right(places[run], row[0]["place"]) if row else 0 for (run, _), row in zip(hands, own, strict=True)
        ]

    def _is_whole(self, hand: str, run: str) -> bool:
        """Whether that is the id of a hand of the run, and not a part of one or its number."""
        return bool(self._select(_HAND, {"run": run, "hand": hand}))

    def _numbered(self, fragment: str, run: str | None) -> tuple[str, str] | None:
        """The hand of that number; None for what is no number, or may be a part of an id as well."""
        asked = _NUMBER.fullmatch(fragment)
        if asked is None:
            return None
        number = min(int(asked["number"] or asked["bare"]), _MOST)
        found = self._select(_NUMBERED, {"run": run, "number": number}) if number else []
        if found:
            return found[0]["hand_id"], found[0]["run_id"]
        if asked["bare"]:
            return None
        whose = "the latest run" if run is None else f"the run {run}"
        raise JournalError(f"There is no hand {fragment} in {whose}: hands are counted from 1 within each run.")

    def _hand_ids(self, fragment: str, run: str | None) -> list[tuple[str, str]]:
        values = {"fragment": fragment, "run": run, "limit": _CANDIDATES_SHOWN + 1}
        return [(row["hand_id"], row["run_id"]) for row in self._select(_HAND_IDS, values)]

    def _ids(self, fragment: str) -> list[str]:
        """Ids that begin or end with `fragment`, newest first, one more than is ever shown."""
        found = self._select(_IDS, {"fragment": fragment, "limit": _CANDIDATES_SHOWN + 1})
        return [row["id"] for row in found]


def hand_cursor(at: datetime, run_id: str, hand_id: str) -> str:
    """Where a list of hands goes on after this one."""
    return " ".join((rows.stored_time(at), run_id, hand_id))


def after_hand(cursor: str | None) -> dict[str, str | None]:
    """The values of a `hand_cursor`, all None for the beginning of the list."""
    if cursor is None:
        return {"at": None, "run_before": None, "hand_before": None}
    at, _, rest = cursor.partition(" ")
    run, _, hand = rest.partition(" ")
    try:
        is_place = rows.stored_time(rows.time_from(at)) == at and run and hand
    except ValueError:
        is_place = False
    if not is_place:
        raise JournalError(
            f"{cursor!r} is no place in a list of hands: each entry of `logs hands --json` has its `cursor`."
        )
    return {"at": at, "run_before": run, "hand_before": hand}


def after_decision(cursor: str | None) -> str | None:
    """The id that a list of decisions goes on after, None for its beginning."""
    if cursor is not None and not _DECISION_ID.fullmatch(cursor):
        raise JournalError(
            f"{cursor!r} is no place in a list of decisions: each entry of `logs decisions --json` has its `cursor`."
        )
    return cursor


def _listed(ids: Sequence[str]) -> str:
    return ", ".join(ids[:_CANDIDATES_SHOWN]) + (" and more" if len(ids) > _CANDIDATES_SHOWN else "")
