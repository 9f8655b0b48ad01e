"""Reading the journal: lists of hands and decisions, and one decision whole. Changes nothing, waits for nobody."""

import logging
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from agent.journal import naming, rows, statistics
from agent.journal.filters import ALL, HOW_MANY, MANY, Conditions, Filter, conditions
from agent.journal.records import (
    AttemptRecord,
    DecisionRecord,
    HandRecord,
    OpponentRecord,
    OutcomeRecord,
    RunRecord,
    SendRecord,
)
from agent.journal.schema import JournalError, open_for_reading, remedy
from agent.journal.stories import CurvePoint, HandStory, JournalStatistics

NO_DECISIONS: Final = naming.NO_DECISIONS
NO_HANDS: Final = naming.NO_HANDS
NO_OPPONENTS: Final = "Nobody was met yet. `poker-agent demo` seats some."

_HANDS: Final = """
    SELECT {columns}
    FROM hand WHERE {where} AND (:at IS NULL OR (hand.at, hand.run_id, hand.hand_id) < (:at, :run_before, :hand_before))
    ORDER BY hand.at DESC, hand.run_id DESC, hand.hand_id DESC LIMIT :limit
"""
_HAND_KEY: Final = "hand.at, hand.run_id, hand.hand_id"
_HAND_LINE: Final = """
    hand.*, (SELECT count(*) FROM decision WHERE hand_id = hand.hand_id AND run_id = hand.run_id) AS decisions
"""
_DECISIONS: Final = """
    SELECT {columns}
    FROM decision LEFT JOIN hand USING (run_id, hand_id)
    WHERE {where} AND (:before IS NULL OR decision.id < :before)
    ORDER BY decision.id DESC LIMIT :limit
"""
_DECISION_KEY: Final = "decision.id"
_DECISION_LINE: Final = """
    decision.*, hand.net_chips,
    (SELECT model FROM attempt WHERE decision_id = decision.id ORDER BY number DESC LIMIT 1) AS model
"""
_DECISION_COUNT: Final = "SELECT count(*) FROM decision LEFT JOIN hand USING (run_id, hand_id) WHERE {where}"
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
_FRAMES_BEFORE: Final = """
    SELECT at, direction, body FROM frame WHERE run_id = :run AND id BETWEEN
        (SELECT id FROM frame WHERE run_id = :run AND at <= :at AND type = 'hand_start' ORDER BY id DESC LIMIT 1) AND
        (SELECT id FROM frame WHERE run_id = :run AND at <= :at ORDER BY id DESC LIMIT 1)
    ORDER BY id
"""
_LAST_FRAME: Final = """
    SELECT at FROM frame JOIN run ON run.id = run_id WHERE bot = :bot ORDER BY frame.id DESC LIMIT 1
"""
_LATEST_OPPONENTS: Final = """
    SELECT * FROM opponent WHERE bot = :bot ORDER BY updated_at DESC, name LIMIT :limit
"""
_OPPONENTS: Final = """
    SELECT * FROM opponent WHERE :name IS NULL OR instr(lower(name), lower(:name))
    ORDER BY hands DESC, updated_at DESC, name LIMIT :limit
"""
_HAND: Final = "SELECT * FROM hand WHERE run_id = :run AND hand_id = :hand"
_PLAYERS: Final = "SELECT * FROM hand_player WHERE run_id = :run AND hand_id = :hand ORDER BY seat"
_DECISIONS_IN: Final = "SELECT * FROM decision WHERE run_id = :run AND hand_id = :hand ORDER BY id"
_ATTEMPTS: Final = """
    SELECT attempt.*, text.content AS reply_text
    FROM attempt LEFT JOIN text ON text.id = reply_text_id
    WHERE decision_id = :id ORDER BY number
"""
_MESSAGES: Final = """
    SELECT role, content FROM message JOIN text ON text.id = text_id WHERE attempt_id = :attempt ORDER BY number
"""

_AT_ONCE: Final = 1_000
_DAMAGE: Final = (ValueError, TypeError, LookupError, AttributeError)

Line = TypeVar("Line")

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class OpponentLine:
    """A player in a list, with the bot that met them."""

    bot: str
    opponent: OpponentRecord


@dataclass(frozen=True, slots=True)
class HandLine:
    """A hand in a list, with how many decisions of its run belong to it. Players are left out of the record."""

    run_id: str
    hand: HandRecord
    decisions: int

    @property
    def cursor(self) -> str:
        """Where the list goes on after this one, for `Reader.hands`."""
        return naming.hand_cursor(self.hand.at, self.run_id, self.hand.hand_id)


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

    def __init__(self, path: Path, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._path, self._now = path, now
        self._connection = open_for_reading(path)
        self._connection.row_factory = sqlite3.Row
        self._names = naming.Names(self._select)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def hands(self, limit: int = 20, where: Filter = ALL, before: str | None = None) -> list[HandLine]:
        """The latest hands, newest first; those after the one whose `cursor` is `before`.

        A row that cannot be understood is left out and told in the log.
        """
        page = naming.after_hand(before)
        chosen = self._conditions(where)
        return self._page(
            _HANDS.format(columns=_HAND_LINE, where=chosen.for_hands),
            {**chosen.values, **page},
            limit,
            lambda row: HandLine(row["run_id"], rows.hand_from(row), row["decisions"]),
            lambda row: {"at": row["at"], "run_before": row["run_id"], "hand_before": row["hand_id"]},
        )

    def hand_keys(self, where: Filter = ALL, *, page: int) -> Iterator[tuple[str, str]]:
        """The run and the id of each hand, newest first, `page` of them held at once.

        Nothing else of a row is looked at, so that one which is damaged stands in nobody's way.
        """
        chosen = self._conditions(where)
        query = _HANDS.format(columns=_HAND_KEY, where=chosen.for_hands)
        place: dict[str, str | None] = dict.fromkeys(("at", "run_before", "hand_before"))
        while found := self._select(query, {**chosen.values, **place, "limit": page}):
            yield from ((row["run_id"], row["hand_id"]) for row in found)
            place = dict(zip(place, found[-1], strict=True))

    def hand_numbers(self, hands: Sequence[HandLine]) -> list[int]:
        """Which hand of its run each of these is, counted from 1 in the order in which they ended."""
        return self._names.numbers([(line.run_id, line.hand.hand_id) for line in hands])

    def hand_number(self, run_id: str, hand_id: str) -> int:
        """Which hand of its run it is, counted from 1; 0 for a hand that has not ended."""
        return self._names.numbers([(run_id, hand_id)])[0]

    def meant(self, where: Filter) -> Filter:
        """The filter with one hand's id and run in the place of `last`, `7` and `#7`, so that it goes on meaning that hand."""
        return self._names.meant(where)

    def decisions(self, limit: int = 20, where: Filter = ALL, before: str | None = None) -> list[DecisionLine]:
        """The latest decisions, newest first; those older than the one whose id is `before`.

        A row that cannot be understood is left out and told in the log.
        """
        place = {"before": naming.after_decision(before)}
        chosen = self._conditions(where)
        return self._page(
            _DECISIONS.format(columns=_DECISION_LINE, where=chosen.for_decisions),
            {**chosen.values, **place},
            limit,
            lambda row: rows.record_from(DecisionLine, row, at=rows.time_from(row["at"])),
            lambda row: {"before": row["id"]},
        )

    def decision_ids(self, where: Filter = ALL, *, page: int) -> Iterator[str]:
        """The id of each decision, newest first, `page` of them held at once; nothing else of a row is looked at."""
        chosen = self._conditions(where)
        query, last = _DECISIONS.format(columns=_DECISION_KEY, where=chosen.for_decisions), None
        while found := self._select(query, {**chosen.values, "before": last, "limit": page}):
            yield from (row["id"] for row in found)
            last = found[-1]["id"]

    def count_decisions(self, where: Filter = ALL) -> int:
        """How many decisions the filter lets through."""
        chosen = self._conditions(where)
        return int(self._select(_DECISION_COUNT.format(where=chosen.for_decisions), chosen.values)[0][0])

    def decision(self, fragment: str) -> DecisionStory:
        """One decision whole. `fragment` is its id, the beginning or end of it, or `last`."""
        with self._moment():
            key = {"id": self._names.decision_id(fragment)}
            (found,) = self._select("SELECT * FROM decision WHERE id = :id", key)
            in_hand = {"run": found["run_id"], "hand": found["hand_id"]}
            sends = self._select("SELECT * FROM send WHERE decision_id = :id ORDER BY id", key)
            outcomes = self._select("SELECT * FROM outcome WHERE decision_id = :id ORDER BY id", key)
            return DecisionStory(
                run=self._run(found["run_id"]),
                decision=self._decision(found),
                sends=tuple(map(rows.send_from, sends)),
                outcomes=tuple(map(rows.outcome_from, outcomes)),
                hand=next((self._hand(row) for row in self._select(_HAND, in_hand)), None),
            )

    def hand(self, fragment: str, run: str | None = None) -> HandStory:
        """One hand whole. `fragment` is `7` or `#7` for the seventh of its run, its id, the beginning or end of it, or `last`.

        Where several bots have played it, the one that told it last, unless `run` says whose it is.
        """
        with self._moment():
            hand_id, run_id = self._names.hand_id(fragment, run)
            in_hand = {"run": run_id, "hand": hand_id}
            (found,) = self._select(_HAND, in_hand)
            decided = self._select(_DECISIONS_IN, in_hand)
            return HandStory(self._run(run_id), self._hand(found), tuple(map(self._decision, decided)))

    def statistics(self, where: Filter = ALL) -> JournalStatistics:
        """The figures of all that the filter lets through."""
        with self._moment():
            return statistics.journal_statistics(self._columns, self._conditions(where))

    def net_curve(self, where: Filter = ALL, points: int = 400) -> list[CurvePoint]:
        """The net hand by hand, at most so many points of it, the last hand among them; oldest first."""
        with self._moment():
            return statistics.net_curve(self._columns, self._conditions(where), points)

    def unconfirmed(self, bot: str, since: datetime) -> list[dict[str, Any]]:
        """The answers of a bot, oldest first, that were put on the wire since then and that no server has settled."""
        values = {"bot": bot, "since": rows.stored_time(since)}
        return [rows.json_from(row["frame"]) for row in self._select(_UNCONFIRMED, values)]

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
        return [(rows.time_from(row["at"]), row["direction"], rows.json_from(row["body"])) for row in found]

    def frames_before(self, story: DecisionStory) -> list[tuple[datetime, str, dict[str, Any]]]:
        """The frames from the beginning of a hand until a decision in it, oldest first, as `latest_frames` tells them.

        Empty where they are no longer kept.
        """
        found = self._select(_FRAMES_BEFORE, {"run": story.run.id, "at": rows.stored_time(story.decision.at)})
        return [(rows.time_from(row["at"]), row["direction"], rows.json_from(row["body"])) for row in found]

    def opponents(self, limit: int = 20, *, name: str | None = None) -> list[OpponentLine]:
        """Whom bots have met, most hands first; `name` is a part of theirs, in letters of either case.

        A row that cannot be read is left out and told in the log.
        """
        found = self._select(_OPPONENTS, {"limit": limit, "name": name})
        return [OpponentLine(row["bot"], opponent) for row in found if (opponent := self._opponent(row)) is not None]

    def latest_opponents(self, bot: str, limit: int) -> list[OpponentRecord]:
        """Whom a bot met last, the latest first; a row that cannot be read is left out and told in the log."""
        found = map(self._opponent, self._select(_LATEST_OPPONENTS, {"bot": bot, "limit": limit}))
        return [opponent for opponent in found if opponent is not None]

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
            yield {"t": seconds, "dir": row["direction"], "msg": rows.json_from(row["body"])}

    @contextmanager
    def _moment(self) -> Iterator[None]:
        """All that is read inside is as it was at one moment, whatever a writer adds or deletes meanwhile."""
        self._select("BEGIN", {})
        try:
            yield
        except _DAMAGE as error:
            raise JournalError(f"A row of the journal {self._path} cannot be understood: {error}") from error
        finally:
            self._connection.rollback()

    def _page(
        self,
        query: str,
        values: Mapping[str, object],
        limit: int,
        line: Callable[[sqlite3.Row], Line],
        after: Callable[[sqlite3.Row], Mapping[str, object]],
    ) -> list[Line]:
        """So many lines of a list, if there are; `after` names the place behind a row.

        A row that was never written so by this program is left out, and the next one takes its place.
        """
        lines, asked = list[Line](), limit
        while asked and (found := self._select(query, {**values, "limit": asked})):
            for row in found:
                try:
                    lines.append(line(row))
                except _DAMAGE as error:
                    log.warning("a row of %s cannot be understood and is left out: %s", self._path, error)
            values = {**values, **after(found[-1])}
            asked = limit - len(lines) if len(found) == asked else 0
        return lines

    def _conditions(self, where: Filter) -> Conditions:
        """The filter as SQL, with what it names looked up."""
        where = self._names.meant(where)
        text = (where.since or "").strip()
        since = self._names.since(text, self._now()) if text else None
        stored = rows.stored_time(since) if since else None
        values = conditions(where, stored).values
        often = {
            name
            for name, how_many in HOW_MANY.items()
            if values[name] is not None and self._select(how_many, values)[0][0] == MANY
        }
        return conditions(where, stored, often)

    def _run(self, run_id: str) -> RunRecord:
        return rows.run_from(self._select("SELECT * FROM run WHERE id = :id", {"id": run_id})[0])

    def _decision(self, row: sqlite3.Row) -> DecisionRecord:
        return rows.decision_from(row, map(self._attempt, self._select(_ATTEMPTS, {"id": row["id"]})))

    def _hand(self, row: sqlite3.Row) -> HandRecord:
        players = self._select(_PLAYERS, {"run": row["run_id"], "hand": row["hand_id"]})
        return rows.hand_from(row, map(rows.player_from, players))

    def _opponent(self, row: sqlite3.Row) -> OpponentRecord | None:
        try:
            return rows.opponent_from(row)
        except (ValueError, TypeError) as error:
            log.warning("what %s holds of %.200r is left out: %s", self._path, row["name"], error)
            return None

    def _attempt(self, row: sqlite3.Row) -> AttemptRecord:
        messages = self._select(_MESSAGES, {"attempt": row["id"]})
        return rows.attempt_from(row, ((message["role"], rows.text_from(message["content"])) for message in messages))

    def _columns(self, query: str, values: Mapping[str, object]) -> list[list[Any]]:
        """The columns of what a query finds. A hundred thousand rows are taken up by and by, none of them is kept."""
        with self._reading():
            cursor = self._connection.cursor()
            cursor.row_factory = None
            cursor.execute(query, values)
            columns = [list[Any]() for _ in cursor.description]
            while rows_found := cursor.fetchmany(_AT_ONCE):
                for column, found in zip(columns, zip(*rows_found, strict=True), strict=True):
                    column.extend(found)
            return columns

    def _select(self, query: str, values: Mapping[str, object]) -> list[sqlite3.Row]:
        with self._reading():
            return self._connection.execute(query, values).fetchall()

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise JournalError(f"The journal {self._path} cannot be read: {error}. {remedy(error)}") from error
