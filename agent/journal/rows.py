"""Records as rows and back: the only place that knows which column holds what.

Every function works inside the caller's transaction and raises what SQLite raises.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, TypeVar

from agent.journal import packing
from agent.journal.packing import unpacked
from agent.journal.records import (
    AttemptRecord,
    DecisionRecord,
    Direction,
    HandPlayer,
    HandRecord,
    OpponentRecord,
    OutcomeRecord,
    RunRecord,
    SendRecord,
)
from agent.journal.schema import JournalError, WritingConnection
from agent.journal.searching import index_decision

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Record = TypeVar("Record", bound=DataclassInstance)


_MOST: Final = 2**63 - 1
_PACKED: Final = {
    ("frame", "body"): packing.FRAMES,
    ("hand", "result"): packing.FRAMES,
    ("hand", "actions"): packing.DECISIONS,
    ("decision", "facts"): packing.DECISIONS,
    ("decision", "menu"): packing.DECISIONS,
    ("decision", "policy"): packing.DECISIONS,
    ("send", "frame"): packing.FRAMES,
    ("attempt", "parameters"): packing.DECISIONS,
    ("text", "content"): packing.PROMPTS,
}
"""The columns that are packed, with the dictionary of each."""


def insert_run(connection: WritingConnection, run: RunRecord) -> None:
    """Keep a start of the program."""
    _insert(connection, "run", _columns(run) | {"seed": str(run.seed)})


def insert_frame(
    connection: WritingConnection, run_id: str, direction: Direction, frame: Mapping[str, Any], at: datetime
) -> None:
    """Keep a frame that passed."""
    kind = frame.get("type")
    values = {"run_id": run_id, "at": at, "direction": direction, "type": kind if isinstance(kind, str) else None}
    _insert(connection, "frame", values | {"body": frame})


def insert_decision(connection: WritingConnection, run_id: str, decision: DecisionRecord) -> None:
    """Keep a decision with all its attempts."""
    values = _columns(decision)
    attempts: tuple[AttemptRecord, ...] = values.pop("attempts")
    policy_choice = None if decision.policy is None else decision.policy.get("choice")
    _insert(connection, "decision", values | {"run_id": run_id, "policy_choice": policy_choice})
    for number, attempt in enumerate(attempts):
        _insert_attempt(connection, decision.id, number, attempt)
    index_decision(connection, decision.id)


def insert_send(connection: WritingConnection, send: SendRecord) -> None:
    """Keep what was sent for a decision that is already kept."""
    _insert(connection, "send", _columns(send))


def insert_outcome(connection: WritingConnection, outcome: OutcomeRecord) -> None:
    """Keep the server's answer to a decision that is already kept."""
    _insert(connection, "outcome", _columns(outcome))


def insert_hand(connection: WritingConnection, run_id: str, hand: HandRecord) -> None:
    """Keep a hand; told again it replaces what was known, unless it was complete and this is not."""
    values = _columns(hand) | {"run_id": run_id}
    players: tuple[HandPlayer, ...] = values.pop("players")
    values["opponents"] = sorted({player.name for player in players if player.seat != hand.hero_seat})
    replaced = f"ON CONFLICT (run_id, hand_id) DO UPDATE SET {_news(values)} WHERE excluded.complete >= hand.complete"
    if not _insert(connection, "hand", values, replaced).rowcount:
        return
    key = {"run_id": run_id, "hand_id": _utf8(hand.hand_id)}
    connection.execute("DELETE FROM hand_player WHERE run_id = :run_id AND hand_id = :hand_id", key)
    for player in players:
        _insert(connection, "hand_player", _columns(player) | key | {"is_hero": player.seat == hand.hero_seat})


def insert_opponent(connection: WritingConnection, bot: str, opponent: OpponentRecord) -> None:
    """Keep what a bot knows of a player, in the place of what it knew."""
    values = _columns(opponent) | {"bot": bot}
    _insert(connection, "opponent", values, f"ON CONFLICT (bot, name) DO UPDATE SET {_news(values)}")


def record_from(kind: "type[Record]", row: sqlite3.Row, **decoded: object) -> "Record":
    """A record of `kind` from the columns that bear its fields' names, with the decoded ones in their place."""
    stored = {field.name: row[field.name] for field in fields(kind) if field.name not in decoded}
    return kind(**stored, **decoded)


def stored_time(at: datetime) -> str:
    """The time as a column holds it."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def time_from(text: str) -> datetime:
    """The time, in UTC, that a column holds."""
    return datetime.fromisoformat(text)


def run_from(row: sqlite3.Row) -> RunRecord:
    """The run in a row of `run`."""
    return record_from(RunRecord, row, started_at=time_from(row["started_at"]), seed=int(row["seed"]))


def decision_from(row: sqlite3.Row, attempts: Iterable[AttemptRecord]) -> DecisionRecord:
    """The decision in a row of `decision`."""
    decoded = {name: json_from(row[name]) for name in ("facts", "menu", "policy")}
    decoded |= {"at": time_from(row["at"]), "names": json_from(row["names"]) or {}}
    return record_from(DecisionRecord, row, **decoded, attempts=tuple(attempts))


def attempt_from(row: sqlite3.Row, messages: Iterable[tuple[str, str]]) -> AttemptRecord:
    """The attempt in a row of `attempt` that was joined with its `reply_text`."""
    reply = row["reply_text"]
    decoded = {"parameters": json_from(row["parameters"]), "reply_text": None if reply is None else text_from(reply)}
    return record_from(AttemptRecord, row, **decoded, messages=tuple(messages))


def send_from(row: sqlite3.Row) -> SendRecord:
    """The send in a row of `send`."""
    return record_from(SendRecord, row, at=time_from(row["at"]), frame=json_from(row["frame"]))


def outcome_from(row: sqlite3.Row) -> OutcomeRecord:
    """The outcome in a row of `outcome`."""
    return record_from(OutcomeRecord, row, at=time_from(row["at"]))


def hand_from(row: sqlite3.Row, players: Iterable[HandPlayer] = ()) -> HandRecord:
    """The hand in a row of `hand`; what an older program did not keep is empty."""
    decoded = {name: json_from(row[name]) or {} for name in ("result", "blinds", "shown", "habits")}
    actions = tuple(tuple(action) for action in json_from(row["actions"]) or ())
    decoded |= {"at": time_from(row["at"]), "complete": bool(row["complete"]), "actions": actions}
    return record_from(HandRecord, row, **decoded, players=tuple(players))


def player_from(row: sqlite3.Row) -> HandPlayer:
    """The player in a row of `hand_player`."""
    return record_from(HandPlayer, row)


def text_from(value: str | bytes) -> str:
    """The text in a column, packed or not; `JournalError` for one that is damaged."""
    try:
        return unpacked(value)
    except ValueError as error:
        raise JournalError(f"a row of the journal is damaged: {error}") from error


def json_from(value: str | bytes | None) -> Any:
    """What the JSON in a column says, packed or not; None for an empty column, `JournalError` for one that is damaged."""
    try:
        return None if value is None else json.loads(text_from(value))
    except json.JSONDecodeError as error:
        raise JournalError(f"a row of the journal is damaged: {error}") from error


def opponent_from(row: sqlite3.Row) -> OpponentRecord:
    """The player in a row of `opponent`; `ValueError` for a row that was never written so."""
    decoded = {name: json.loads(row[name]) for name in ("statistics", "shown")}
    for name, value in decoded.items():
        if not isinstance(value, dict):
            raise ValueError(f"{name} is {value!r:.200}: expected an object")
    return record_from(OpponentRecord, row, updated_at=time_from(row["updated_at"]), **decoded)


def _insert_attempt(connection: WritingConnection, decision_id: str, number: int, attempt: AttemptRecord) -> None:
    values = _columns(attempt)
    messages: tuple[tuple[str, str], ...] = values.pop("messages")
    reply: str | None = values.pop("reply_text")
    reply_id = None if reply is None else _text_id(connection, reply)
    values |= {"decision_id": decision_id, "number": number, "reply_text_id": reply_id}
    attempt_id = _insert(connection, "attempt", values).lastrowid
    for position, (role, content) in enumerate(messages):
        text_id = _text_id(connection, content)
        row = {"attempt_id": attempt_id, "number": position, "role": role, "text_id": text_id}
        _insert(connection, "message", row)


def _text_id(connection: WritingConnection, content: str) -> int:
    """The row of `text` that holds `content`, new only when nobody wrote it before."""
    content = connection.hide(_utf8(content))
    digest = hashlib.sha256(content.encode()).hexdigest()
    found = connection.execute("SELECT id FROM text WHERE sha256 = ?", (digest,)).fetchone()
    if found is not None:
        return int(found[0])
    return int(_insert(connection, "text", {"sha256": digest, "content": content}).lastrowid or 0)


def _insert(
    connection: WritingConnection, table: str, values: Mapping[str, object], conflict: str = ""
) -> sqlite3.Cursor:
    names, marks = ", ".join(values), ", ".join(f":{name}" for name in values)
    statement = f"INSERT INTO {table} ({names}) VALUES ({marks}) {conflict}"  # noqa: S608, all names are of this module
    stored = {name: _storable(value) for name, value in values.items()}
    for name, value in stored.items():
        if isinstance(value, str):
            shown, dictionary = connection.hide(value), _PACKED.get((table, name))
            stored[name] = shown if dictionary is None else packing.packed(shown, dictionary)
    return connection.execute(statement, stored)


def _news(values: Iterable[str]) -> str:
    """What an update sets: each column as the refused row had it."""
    return ", ".join(f"{name} = excluded.{name}" for name in values)


def _columns(record: "DataclassInstance") -> dict[str, Any]:
    return {field.name: getattr(record, field.name) for field in fields(record)}


def _storable(value: object) -> str | bytes | int | float | None:
    """The value as a column takes it: text that UTF-8 can hold, UTC time of fixed width, compact JSON.

    A whole number beyond SQLite's own becomes the nearest one that is not: a row that is not exact serves better than none.
    """
    if value is None or isinstance(value, float):
        return value
    if isinstance(value, int):
        return min(max(value, -_MOST - 1), _MOST)
    if isinstance(value, str):
        return _utf8(value)
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError(f"a time without its zone: {value}")
        return stored_time(value)
    return _utf8(_COMPACT.encode(value))


def _plain(value: object) -> object:
    """What JSON does not know, as what it does; text serves better than a lost row."""
    return dict(value) if isinstance(value, Mapping) else str(value)


def _utf8(text: str) -> str:
    """The text with halves of surrogate pairs escaped; inside JSON the escape is JSON's own."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


_COMPACT: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_plain)
