r"""The journal's file: its tables, how it is opened, and how an older file becomes a newer one.

One SQLite database in WAL mode. `PRAGMA user_version` counts the migrations applied; a file of a newer program is
refused, never guessed at.

    run ──┬─< frame                       every frame as it passed, in arrival order
          ├─< hand ────────< hand_player  one row a hand and run, and one for each player who was dealt in; a complete
          │                               record replaces an incomplete one
          └─< decision ──┬─< attempt ──┬─< message >── text     the prompt, message by message
                         │             └────────────>─ text     the reply
                         ├─< send         what was put on the wire
                         ├─< outcome      what the server said to it
                         └── search_document ── search_index    its words, to be found by

    opponent                              what each bot knows of whom it met, by name; one row a player, always the latest

* Columns bear the names of the fields in `records`; what is said there about units and None holds here.
* Times are UTC text of fixed width, `2026-09-14T09:47:35.262893+00:00`, so that text order is time order.
* `frame.body`, `send.frame`, `hand.result`, `hand.blinds`, `hand.actions`, `hand.shown`, `hand.habits`, `hand.opponents`, `decision.facts`, `decision.menu`,
  `decision.policy`, `decision.names`, `attempt.parameters`, `opponent.statistics` and `opponent.shown` are compact JSON.
* Long JSON and `text.content` may be packed: a BLOB where there would be text (`packing`). Rows of older programs are not.
* `frame.type` repeats what `body` says. `frame.table_id` and `frame.hand_id` do so in the rows of versions 1 and 2; later ones leave
  them empty, for they took a third of the room.
* `decision.policy_choice` repeats the choice in `policy`, `hand.opponents` the names in `hand_player` but hero's, to be counted.
* `text` holds every prompt message and reply once, found by the SHA-256 of its UTF-8 bytes in hexadecimal.
* `search_index` (FTS5) holds which words stand in which decision, not their text (`words`, `searching`): prompts but for the system's,
  replies, reasons, cards, names. Whoever deletes a decision by hand leaves its words behind, which lead to nothing.
* `run.seed` is decimal text, because a seed may be larger than SQLite's integers.
* Deleting a decision deletes what hangs on it but its texts; `retention` deletes those too that nobody else refers to.
* A frame that is far too large to be the venue's has `"shortened":true` in `body`, and lacks what was large in it.
* A whole number beyond SQLite's integers is stored as the nearest one that is not.
* Half of a surrogate pair, which UTF-8 cannot hold, is stored as its escape (`\ud800`).
"""

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from agent.journal.searching import index_old_decisions
from agent.journal.words import INDEX_OPTIONS

Migration = Sequence[str | Callable[[sqlite3.Connection], None]]
"""Statements, and what no statement can say."""

BUSY_TIMEOUT_SECONDS: Final = 5.0
READING_CACHE_KB: Final = 32_000

_WAL_PAUSES_SECONDS: Final = (0.05,) * 100

_VERSION_1: Final[Migration] = (
    """CREATE TABLE run (
        id TEXT PRIMARY KEY NOT NULL,
        started_at TEXT NOT NULL,
        bot TEXT NOT NULL,
        model TEXT,
        prompt_set TEXT NOT NULL,
        prompt_hash TEXT NOT NULL,
        seed TEXT NOT NULL,
        version TEXT NOT NULL,
        ws_url TEXT NOT NULL
    )""",
    """CREATE TABLE frame (
        id INTEGER PRIMARY KEY,
        run_id TEXT NOT NULL REFERENCES run,
        at TEXT NOT NULL,
        direction TEXT NOT NULL CHECK (direction IN ('in', 'out')),
        type TEXT,
        table_id TEXT,
        hand_id TEXT,
        body TEXT NOT NULL
    )""",
    "CREATE INDEX frame_by_hand ON frame (hand_id) WHERE hand_id IS NOT NULL",
    """CREATE TABLE hand (
        run_id TEXT NOT NULL REFERENCES run,
        hand_id TEXT NOT NULL,
        at TEXT NOT NULL,
        table_id TEXT NOT NULL,
        hero_seat INTEGER,
        hole_cards TEXT NOT NULL,
        board TEXT NOT NULL,
        net_chips INTEGER,
        pot_chips INTEGER NOT NULL,
        big_blind_chips INTEGER NOT NULL,
        result TEXT NOT NULL,
        position TEXT,
        complete INTEGER NOT NULL,
        PRIMARY KEY (run_id, hand_id)
    )""",
    "CREATE INDEX hand_by_time ON hand (at)",
    """CREATE TABLE decision (
        id TEXT PRIMARY KEY NOT NULL,
        run_id TEXT NOT NULL REFERENCES run,
        at TEXT NOT NULL,
        table_id TEXT NOT NULL,
        hand_id TEXT NOT NULL,
        street TEXT NOT NULL,
        hero_seat INTEGER NOT NULL,
        hole_cards TEXT NOT NULL,
        board TEXT NOT NULL,
        pot_chips INTEGER NOT NULL,
        to_call_chips INTEGER NOT NULL,
        facts TEXT NOT NULL,
        menu TEXT NOT NULL,
        rule_choice TEXT NOT NULL,
        choice TEXT NOT NULL,
        action TEXT NOT NULL,
        raise_to_chips INTEGER,
        source TEXT NOT NULL,
        reason TEXT NOT NULL,
        model_reason TEXT,
        prompt_set TEXT NOT NULL,
        prompt_hash TEXT NOT NULL,
        elapsed_ms REAL NOT NULL
    )""",
    "CREATE INDEX decision_by_hand ON decision (hand_id)",
    """CREATE TABLE text (
        id INTEGER PRIMARY KEY,
        sha256 TEXT NOT NULL UNIQUE,
        content TEXT NOT NULL
    )""",
    """CREATE TABLE attempt (
        id INTEGER PRIMARY KEY,
        decision_id TEXT NOT NULL REFERENCES decision ON DELETE CASCADE,
        number INTEGER NOT NULL,
        kind TEXT NOT NULL,
        model TEXT NOT NULL,
        parameters TEXT NOT NULL,
        reply_text_id INTEGER REFERENCES text,
        finish_reason TEXT,
        error TEXT,
        latency_ms REAL NOT NULL,
        prompt_tokens INTEGER,
        completion_tokens INTEGER,
        reasoning_tokens INTEGER,
        cached_tokens INTEGER,
        UNIQUE (decision_id, number)
    )""",
    """CREATE TABLE message (
        attempt_id INTEGER NOT NULL REFERENCES attempt ON DELETE CASCADE,
        number INTEGER NOT NULL,
        role TEXT NOT NULL,
        text_id INTEGER NOT NULL REFERENCES text,
        PRIMARY KEY (attempt_id, number)
    ) WITHOUT ROWID""",
    """CREATE TABLE send (
        id INTEGER PRIMARY KEY,
        decision_id TEXT NOT NULL REFERENCES decision ON DELETE CASCADE,
        at TEXT NOT NULL,
        frame TEXT NOT NULL,
        error TEXT
    )""",
    "CREATE INDEX send_by_decision ON send (decision_id)",
    """CREATE TABLE outcome (
        id INTEGER PRIMARY KEY,
        decision_id TEXT NOT NULL REFERENCES decision ON DELETE CASCADE,
        at TEXT NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('accepted', 'rejected')),
        code TEXT
    )""",
    "CREATE INDEX outcome_by_decision ON outcome (decision_id)",
)

_VERSION_2: Final[Migration] = (
    "ALTER TABLE decision ADD COLUMN rule_margin REAL",
    "ALTER TABLE attempt ADD COLUMN asked TEXT",
    "ALTER TABLE attempt ADD COLUMN failure TEXT",
    "ALTER TABLE attempt ADD COLUMN grounding TEXT",
    "ALTER TABLE attempt ADD COLUMN cost_usd REAL",
    "ALTER TABLE attempt ADD COLUMN held_usd REAL",
)

_VERSION_3: Final[Migration] = (
    """CREATE TABLE opponent (
        bot TEXT NOT NULL,
        name TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        hands INTEGER NOT NULL,
        statistics TEXT NOT NULL,
        shown TEXT NOT NULL,
        PRIMARY KEY (bot, name)
    ) WITHOUT ROWID""",
    "CREATE INDEX opponent_by_time ON opponent (bot, updated_at)",
    "ALTER TABLE decision ADD COLUMN names TEXT",
    "ALTER TABLE decision ADD COLUMN policy TEXT",
    "ALTER TABLE decision ADD COLUMN policy_choice TEXT",
    "ALTER TABLE hand ADD COLUMN button_seat INTEGER",
    "ALTER TABLE hand ADD COLUMN blinds TEXT",
    "ALTER TABLE hand ADD COLUMN actions TEXT",
    "ALTER TABLE hand ADD COLUMN shown TEXT",
    "ALTER TABLE hand ADD COLUMN adjusted_net_chips REAL",
    "ALTER TABLE hand ADD COLUMN habits TEXT",
    "ALTER TABLE hand ADD COLUMN opponents TEXT",
    """CREATE TABLE hand_player (
        run_id TEXT NOT NULL,
        hand_id TEXT NOT NULL,
        seat INTEGER NOT NULL,
        name TEXT NOT NULL,
        position TEXT,
        start_chips INTEGER NOT NULL,
        net_chips INTEGER,
        is_hero INTEGER NOT NULL,
        PRIMARY KEY (run_id, hand_id, seat),
        FOREIGN KEY (run_id, hand_id) REFERENCES hand ON DELETE CASCADE
    ) WITHOUT ROWID""",
    "CREATE INDEX hand_player_by_name ON hand_player (name) WHERE NOT is_hero",
    "DROP INDEX decision_by_hand",
    # All that figures and filters ask of a decision, so that they need not read its text.
    """CREATE INDEX decision_by_hand ON decision (
        hand_id, run_id, street, source, prompt_set, elapsed_ms, id, choice, rule_choice, policy_choice
    )""",
    "CREATE INDEX attempt_by_model ON attempt (asked, model, decision_id)",
    "CREATE INDEX attempt_by_reply ON attempt (reply_text_id)",
    "CREATE INDEX message_by_text ON message (text_id)",
    "CREATE INDEX attempt_failed ON attempt (decision_id) WHERE error IS NOT NULL",
    "CREATE INDEX send_failed ON send (decision_id) WHERE error IS NOT NULL",
    "CREATE INDEX outcome_rejected ON outcome (decision_id) WHERE status = 'rejected'",
    "DROP INDEX frame_by_hand",
    """CREATE TABLE search_document (
        id INTEGER PRIMARY KEY,
        decision_id TEXT NOT NULL UNIQUE REFERENCES decision ON DELETE CASCADE
    )""",
    f"CREATE VIRTUAL TABLE search_index USING fts5 ({INDEX_OPTIONS})",
    index_old_decisions,
)

MIGRATIONS: Final[Sequence[Migration]] = (_VERSION_1, _VERSION_2, _VERSION_3)
VERSION: Final = len(MIGRATIONS)


class JournalError(Exception):
    """The journal cannot be opened or read, or has no such entry; the text says what to do."""


class WritingConnection(sqlite3.Connection):
    """A connection that rows are written through; `hide` takes secrets out of every text before it is kept."""

    hide: Callable[[str], str] = staticmethod(lambda text: text)


def open_for_writing(path: Path, *, busy_timeout_seconds: float = BUSY_TIMEOUT_SECONDS) -> WritingConnection:
    """A connection to the journal at `path`, made or brought up to date first; missing folders are created.

    It may be handed to another thread, and transactions are begun explicitly (`transaction`).
    """
    if path.is_dir():
        raise JournalError(f"{path} is a folder: JOURNAL_PATH must name a file")
    with _opening(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(
            path,
            timeout=busy_timeout_seconds,
            isolation_level=None,
            check_same_thread=False,
            factory=WritingConnection,
        )
    with _opening(path, connection):
        _refuse_newer(path, connection)
        # Of no effect on a file that has tables already.
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        _use_write_ahead_log(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
        migrate(connection)
    return connection


def open_for_reading(path: Path) -> sqlite3.Connection:
    """A connection that can change nothing, safe beside a process that writes."""
    if not path.is_file():
        raise JournalError(
            f"There is no journal at {path}. `poker-agent demo` makes one; if yours is elsewhere, set JOURNAL_PATH."
        )
    with _opening(path):
        uri = f"{path.absolute().as_uri()}?mode=ro"
        connection = sqlite3.connect(uri, uri=True, timeout=BUSY_TIMEOUT_SECONDS, isolation_level=None)
    with _opening(path, connection):
        _refuse_newer(path, connection)
        _refuse_older(path, connection)
        connection.execute(f"PRAGMA cache_size = {-READING_CACHE_KB}")
        connection.execute("PRAGMA temp_store = MEMORY")
    return connection


def writable_version(path: Path) -> int:
    """The journal version of a file that is there, 0 for an empty one, once it has shown that it may be written.

    Changes nothing. Raises `JournalError` for a file that is locked, cannot be written, or is no journal.
    """
    uri = f"{path.absolute().as_uri()}?mode=rw"
    try:
        with closing(sqlite3.connect(uri, uri=True, timeout=BUSY_TIMEOUT_SECONDS, isolation_level=None)) as connection:
            # Taking the write lock, and letting go of it, is what shows that the file may be written.
            connection.execute("BEGIN IMMEDIATE")
            found = version_of(connection)
            tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
            connection.execute("ROLLBACK")
    except sqlite3.Error as error:
        raise JournalError(str(error)) from None
    if found == 0 and tables:
        raise JournalError("it is a database of another program")
    return found


def migrate(connection: sqlite3.Connection, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Apply the migrations that the file has not seen, all of them or none."""
    with transaction(connection):
        # Read inside the transaction, because another process may just have migrated the same file.
        for number in range(version_of(connection), len(migrations)):
            for step in migrations[number]:
                if isinstance(step, str):
                    connection.execute(step)
                else:
                    step(connection)
            connection.execute(f"PRAGMA user_version = {number + 1}")


def version_of(connection: sqlite3.Connection) -> int:
    """How many migrations the file has seen; 0 for a new one."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All that happens inside is written together, or not at all when an exception ends it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # A full disk may have rolled the transaction back already.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def _opening(path: Path, connection: sqlite3.Connection | None = None) -> Iterator[None]:
    """Errors inside become a `JournalError` that names the file, and the connection is closed."""
    try:
        yield
    except (OSError, sqlite3.Error, JournalError) as error:
        if connection is not None:
            connection.close()
        if isinstance(error, JournalError):
            raise
        raise JournalError(f"The journal {path} cannot be opened: {error}. {remedy(error)}") from error


def remedy(error: Exception) -> str:
    """What to do about an error of the file or of SQLite, in a sentence."""
    # The low byte is the kind of error, whatever more precise code stands above it.
    kind = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if kind in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return "Another program holds it: try again when that one is done."
    if kind in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR):
        return "It is no journal, or a damaged one: set JOURNAL_PATH to another file, or bring a copy of it back."
    return "Set JOURNAL_PATH to a file that this user may write, on a disk with room."


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Switch to WAL; SQLite's own patience does not cover this, and two programs may start on a new file at once."""
    for pause_seconds in _WAL_PAUSES_SECONDS:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            time.sleep(pause_seconds)
        else:
            return
    connection.execute("PRAGMA journal_mode = WAL")


def _refuse_newer(path: Path, connection: sqlite3.Connection) -> None:
    version = version_of(connection)
    if version > VERSION:
        raise JournalError(
            f"{path} was written by a newer program (journal version {version}, this one knows {VERSION}): "
            "install that one, or set JOURNAL_PATH to another file"
        )


def _refuse_older(path: Path, connection: sqlite3.Connection) -> None:
    version = version_of(connection)
    if version == 0 and not path.stat().st_size:
        raise JournalError(
            f"{path} is empty: starting the agent with it makes it a journal. Set JOURNAL_PATH to yours."
        )
    if version < VERSION:
        raise JournalError(
            f"{path} has journal version {version}, this program reads version {VERSION}. If it is a journal, starting "
            "the agent with it once brings it up to date; if it is not, set JOURNAL_PATH to yours."
        )
