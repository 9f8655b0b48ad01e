"""Reading the journal: lists of hands and decisions, and one decision whole. Changes nothing, waits for nobody."""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from agent.journal import rows
from agent.journal.records import AttemptRecord, DecisionRecord, HandRecord, OutcomeRecord, RunRecord, SendRecord
from agent.journal.schema import JournalError, open_for_reading

NO_DECISIONS: Final = "No decisions yet. `poker-agent demo` makes some."
NO_HANDS: Final = "No hands yet. `poker-agent demo` makes some."

_CANDIDATES_SHOWN: Final = 8

_HANDS: Final = """
    SELECT hand.*, (SELECT count(*) FROM decision WHERE hand_id = hand.hand_id AND run_id = hand.run_id) AS decisions
    FROM hand ORDER BY at DESC LIMIT :limit
"""
_DECISIONS: Final = """
    SELECT decision.*, hand.net_chips,
        (SELECT model FROM attempt WHERE decision_id = decision.id ORDER BY number DESC LIMIT 1) AS model
    FROM decision LEFT JOIN hand USING (run_id, hand_id)
    WHERE (:source IS NULL OR source = :source)
        AND (:street IS NULL OR street = :street)
        AND (:hand IS NULL OR substr(hand_id, 1, length(:hand)) = :hand OR substr(hand_id, -length(:hand)) = :hand)
    ORDER BY decision.id DESC LIMIT :limit
"""
_IDS: Final = """
    SELECT id FROM decision
    WHERE substr(id, 1, length(:fragment)) = :fragment OR substr(id, -length(:fragment)) = :fragment
    ORDER BY id DESC LIMIT :limit
"""
_UNCONFIRMED: Final = """
    SELECT send.frame FROM send JOIN decision ON decision.id = decision_id JOIN run ON run.id = run_id
    WHERE bot = :bot AND send.at >= :since
        AND NOT EXISTS (SELECT 1 FROM outcome WHERE outcome.decision_id = send.decision_id)
    ORDER BY send.id
"""
_SPENT: Final = """
    SELECT total(coalesce(cost_usd, held_usd)) AS usd FROM attempt
    JOIN decision ON decision.id = decision_id JOIN run ON run.id = run_id
    WHERE bot = :bot AND decision.at >= :since
"""
_LATEST_FRAMES: Final = """
    SELECT frame.id, frame.at, direction, body FROM frame JOIN run ON run.id = run_id
    WHERE bot = :bot AND frame.at >= :since AND frame.id > (SELECT max(id) FROM frame) - :limit ORDER BY frame.id
"""
_LAST_FRAME: Final = """
    SELECT at FROM frame JOIN run ON run.id = run_id WHERE bot = :bot ORDER BY frame.id DESC LIMIT 1
"""
_HAND: Final = "SELECT * FROM hand WHERE run_id = :run AND hand_id = :hand"
_ATTEMPTS: Final = """
    SELECT attempt.*, text.content AS reply_text
    FROM attempt LEFT JOIN text ON text.id = reply_text_id
    WHERE decision_id = :id ORDER BY number
"""
_MESSAGES: Final = """
    SELECT role, content FROM message JOIN text ON text.id = text_id WHERE attempt_id = :attempt ORDER BY number
"""


@dataclass(frozen=True, slots=True)
class HandLine:
    """A hand in a list, with how many decisions of its run belong to it."""

    run_id: str
    hand: HandRecord
    decisions: int


@dataclass(frozen=True, slots=True)
class DecisionLine:
    """A decision in a list. `model` is the last one asked, None when none was; `net_chips` is the whole hand's."""

    id: str
    run_id: str
    at: datetime
    table_id: str
    hand_id: str
    street: str
    hole_cards: str
    board: str
    pot_chips: int
    to_call_chips: int
    rule_choice: str
    choice: str
    action: str
    raise_to_chips: int | None
    source: str
    model: str | None
    elapsed_ms: float
    net_chips: int | None


@dataclass(frozen=True, slots=True)
class DecisionStory:
    """A decision whole: the run it was part of, what was sent, what the server said and how the hand ended."""

    run: RunRecord
    decision: DecisionRecord
    sends: tuple[SendRecord, ...]
    outcomes: tuple[OutcomeRecord, ...]
    hand: HandRecord | None


class Reader:
    """The journal at `path`, for reading only; a process may write to it meanwhile. Errors are `JournalError`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection = open_for_reading(path)
        self._connection.row_factory = sqlite3.Row

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def hands(self, limit: int = 20) -> list[HandLine]:
        """The latest hands, newest first."""
        found = self._select(_HANDS, {"limit": limit})
        return [HandLine(row["run_id"], rows.hand_from(row), row["decisions"]) for row in found]

    def decisions(
        self, limit: int = 20, *, source: str | None = None, street: str | None = None, hand: str | None = None
    ) -> list[DecisionLine]:
        """The latest decisions, newest first; `hand` is a hand's id, or its beginning or end."""
        filters = {"limit": limit, "source": source, "street": street, "hand": hand}
        found = self._select(_DECISIONS, filters)
        return [rows.record_from(DecisionLine, row, at=rows.time_from(row["at"])) for row in found]

    def decision(self, fragment: str) -> DecisionStory:
        """One decision whole. `fragment` is its id, the beginning or end of it, or `last`."""
        key = {"id": self._decision_id(fragment)}
        (found,) = self._select("SELECT * FROM decision WHERE id = :id", key)
        (run,) = self._select("SELECT * FROM run WHERE id = :id", {"id": found["run_id"]})
        hands = self._select(_HAND, {"run": found["run_id"], "hand": found["hand_id"]})
        sends = self._select("SELECT * FROM send WHERE decision_id = :id ORDER BY id", key)
        outcomes = self._select("SELECT * FROM outcome WHERE decision_id = :id ORDER BY id", key)
        return DecisionStory(
            run=rows.run_from(run),
            decision=rows.decision_from(found, map(self._attempt, self._select(_ATTEMPTS, key))),
            sends=tuple(map(rows.send_from, sends)),
            outcomes=tuple(map(rows.outcome_from, outcomes)),
            hand=rows.hand_from(hands[0]) if hands else None,
        )

    def unconfirmed(self, bot: str, since: datetime) -> list[dict[str, Any]]:
        """The answers of a bot, oldest first, that were put on the wire since then and that no server has settled."""
        values = {"bot": bot, "since": rows.stored_time(since)}
        return [json.loads(row["frame"]) for row in self._select(_UNCONFIRMED, values)]

    def spent_usd(self, bot: str, since: datetime) -> float:
        """What the models of a bot have cost since then, at most where the cost of a question is not known."""
        values = {"bot": bot, "since": rows.stored_time(since)}
        return float(self._select(_SPENT, values)[0]["usd"])

    def last_frame_at(self, bot: str) -> datetime | None:
        """When a bot last heard the venue or spoke to it; None if it never did."""
        found = self._select(_LAST_FRAME, {"bot": bot})
        return rows.time_from(found[0]["at"]) if found else None

    def latest_frames(self, bot: str, since: datetime, *, limit: int) -> list[tuple[datetime, str, dict[str, Any]]]:
        """The frames of a bot since then, oldest first: when each passed, `in` or `out`, and the frame.

        Looked for among the file's last `limit` frames of all bots: a season's are too many.
        """
        found = self._select(_LATEST_FRAMES, {"bot": bot, "since": rows.stored_time(since), "limit": limit})
        return [(rows.time_from(row["at"]), row["direction"], json.loads(row["body"])) for row in found]

    def recording(self, run: str | None = None) -> Iterator[dict[str, Any]]:
        """The frames of a run (the latest one unless its id is given), in order, as a recorded session.

        Each is `{"t", "dir", "msg"}` with `t` in seconds since the first: what `poker-agent frames` replays.
        """
        if run is None:
            runs = self._select("SELECT run_id FROM frame ORDER BY id DESC LIMIT 1", {})
            run = runs[0]["run_id"] if runs else None
        began: datetime | None = None
        frames = self._select("SELECT at, direction, body FROM frame WHERE run_id = :run ORDER BY id", {"run": run})
        if not frames:
            raise JournalError(
                f"no frames of run {run} are in {self._path}" if run else f"{self._path} has no frames yet"
            )
        for row in frames:
            at = rows.time_from(row["at"])
            began = began or at
            seconds = round((at - began).total_seconds(), 3)
            yield {"t": seconds, "dir": row["direction"], "msg": json.loads(row["body"])}

    def _attempt(self, row: sqlite3.Row) -> AttemptRecord:
        messages = self._select(_MESSAGES, {"attempt": row["id"]})
        return rows.attempt_from(row, ((message["role"], message["content"]) for message in messages))

    def _decision_id(self, fragment: str) -> str:
        """The one id that `fragment` means; the error for any other number of them names candidates."""
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

    def _ids(self, fragment: str) -> list[str]:
        """Ids that begin or end with `fragment`, newest first, one more than is ever shown."""
        found = self._select(_IDS, {"fragment": fragment, "limit": _CANDIDATES_SHOWN + 1})
        return [row["id"] for row in found]

    def _select(self, query: str, values: Mapping[str, object]) -> list[sqlite3.Row]:
        try:
            return self._connection.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise JournalError(f"The journal {self._path} cannot be read: {error}") from error


def _listed(ids: Sequence[str]) -> str:
    return ", ".join(ids[:_CANDIDATES_SHOWN]) + (" and more" if len(ids) > _CANDIDATES_SHOWN else "")
