"""How pages read the journal: each question in a thread of its own, with a connection of its own, for reading only."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, TypeVar

from agent.journal import rows
from agent.journal.reader import HandLine, Reader
from agent.journal.records import RunRecord
from agent.journal.schema import JournalError
from agent.journal.stories import HandStory
from agent.poker.spot import Verb
from agent.settings import SettingsError
from agent.terminal.text import action_text, chips

Answer = TypeVar("Answer")

_MARK: Final = """
    SELECT (SELECT max(id) FROM frame) AS frame, (SELECT max(id) FROM decision) AS decision,
        (SELECT max(id) FROM outcome) AS outcome, (SELECT max(at) FROM hand) AS hand
"""
_LATEST_RUN: Final = """
    SELECT * FROM run
    WHERE id = coalesce((SELECT run_id FROM frame ORDER BY id DESC LIMIT 1), (SELECT max(id) FROM run))
"""
_ANY: Final = "SELECT 1 FROM hand WHERE :run IS NULL OR run_id = :run LIMIT 1"
_TAKEN: Final = """
    SELECT action, raise_to_chips, to_call_chips, source FROM decision WHERE run_id = :run AND hand_id = :hand ORDER BY id
"""
_NEXT: Final = "SELECT min(id) AS id FROM decision WHERE id > :id"
_PREVIOUS: Final = "SELECT max(id) AS id FROM decision WHERE id < :id"
_FAILED: Final = """
    SELECT decision_id, at, coalesce(asked, attempt.model) AS model, failure, error
    FROM attempt JOIN decision ON decision.id = decision_id
    WHERE error IS NOT NULL AND (:run IS NULL OR run_id = :run) ORDER BY decision_id DESC LIMIT 1
"""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Taken:
    """A decision in short: what was played, and by whom."""

    action: str
    raise_to_chips: int | None
    to_call_chips: int
    source: str

    @property
    def words(self) -> str:
        """What was played, with its price: `call 20`."""
        paid = f" {chips(self.to_call_chips)}" if self.action == Verb.CALL else ""
        return action_text(self.action, self.raise_to_chips) + paid


@dataclass(frozen=True, slots=True)
class NumberedHand:
    """A hand of a list: its number within its run, counted from 1, and what we decided in it."""

    line: HandLine
    number: int
    taken: tuple[Taken, ...]


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    """A question to a model that brought nothing to play."""

    decision_id: str
    at: datetime
    model: str
    failure: str
    error: str


class ConsoleReader(Reader):
    """A reader that also answers what only pages ask."""

    def mark(self) -> tuple[object, ...]:
        """Something that changes when the journal does."""
        return tuple(self._select(_MARK, {})[0])

    def latest_run(self) -> RunRecord | None:
        """The run that was heard of last; None in an empty journal."""
        return next(map(rows.run_from, self._select(_LATEST_RUN, {})), None)

    def numbered(self, lines: Sequence[HandLine]) -> list[NumberedHand]:
        """The hands of a list with their numbers and their decisions."""
        found = []
        for line, number in zip(lines, self.hand_numbers(lines), strict=True):
            key = {"run": line.run_id, "hand": line.hand.hand_id}
            taken = tuple(rows.record_from(Taken, row) for row in self._select(_TAKEN, key))
            found.append(NumberedHand(line, number, taken))
        return found

    def hand_in(self, fragment: str, run_id: str | None) -> HandStory:
        """One hand whole, as `hand` finds it; where the named run has none at all, that is told."""
        if run_id is not None and not self._select(_ANY, {"run": run_id}) and self._select(_ANY, {"run": None}):
            raise JournalError(
                f"There is no hand {fragment!r} in the run {run_id!r}: the journal has no hand of that run."
            )
        return self.hand(fragment, run_id)

    def neighbours(self, decision_id: str) -> tuple[str | None, str | None]:
        """The decisions right before and right after this one."""
        key = {"id": decision_id}
        return self._select(_PREVIOUS, key)[0]["id"], self._select(_NEXT, key)[0]["id"]

    def latest_failure(self, run_id: str | None = None) -> FailedAttempt | None:
        """The latest question that brought nothing to play; None if there was none."""
        for row in self._select(_FAILED, {"run": run_id}):
            told = {"at": rows.time_from(row["at"]), "failure": row["failure"] or "unknown"}
            return rows.record_from(FailedAttempt, row, **told)
        return None

    def runs(self, run_ids: Iterable[str]) -> dict[str, RunRecord]:
        """The runs by their ids."""
        return {run_id: self._run(run_id) for run_id in set(run_ids)}


class JournalAccess:
    """Where pages ask; `path` says where the journal is, each time anew."""

    def __init__(self, path: Callable[[], Path]) -> None:
        self._path: Final = path
        self._logged = ""

    async def ask(self, question: Callable[[ConsoleReader], Answer]) -> Answer:
        """What the question finds out, in a thread; `JournalError` says in words for people why there is no answer."""
        return await asyncio.to_thread(self._ask, question)

    def _ask(self, question: Callable[[ConsoleReader], Answer]) -> Answer:
        try:
            path = self._path()
            with ConsoleReader(path) as reader:
                return question(reader)
        except SettingsError as error:
            raise JournalError(f"The settings do not say where the journal is: {error}") from error
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            # A page asks again and again.
            if str(error) != self._logged:
                self._logged = str(error)
                log.exception("the journal holds what it should not")
            raise JournalError(f"A row of the journal cannot be understood ({error}).") from error
