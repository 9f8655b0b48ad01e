"""The journal's file: how it is opened for writing and for reading, and brought up to date. Its tables: `migrations`."""

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from agent.journal.at_rest import NOT_AT_REST, is_at_rest, lacks_a_place
from agent.journal.migrations import MIGRATIONS, VERSION, Migration

BUSY_TIMEOUT_SECONDS: Final = 5.0
READING_CACHE_KB: Final = 32_000

_WAL_PAUSES_SECONDS: Final = (0.05,) * 100


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
    """A connection that can change nothing, safe beside a process that writes.

    A journal at rest is read even where nothing can be written, in a folder of others or on a full disk.
    """
    with _opening(path):
        if not path.is_file():
            raise JournalError(
                f"There is no journal at {path}. `poker-agent demo` makes one; if yours is elsewhere, set JOURNAL_PATH."
            )
        try:
            return _reading(path, "mode=ro")
        except sqlite3.OperationalError as error:
            if not lacks_a_place(error):
                raise
            if not is_at_rest(path):
                raise JournalError(NOT_AT_REST.format(path=path, name=path.name, error=error)) from error
        # Read without locks and without -wal: wrong for a file that somebody writes, who has that and -shm beside it.
        # Whoever begins now writes to -wal at first, and to the file when that is large or at the end; a reader is opened
        # for one question and closed.
        return _reading(path, "mode=ro&immutable=1")


def _reading(path: Path, how: str) -> sqlite3.Connection:
    """A connection for reading to a journal of this program's version; the errors are SQLite's."""
    uri = f"{path.absolute().as_uri()}?{how}"
    connection = sqlite3.connect(uri, uri=True, timeout=BUSY_TIMEOUT_SECONDS, isolation_level=None)
    try:
        _refuse_newer(path, connection)
        _refuse_older(path, connection)
        connection.execute(f"PRAGMA cache_size = {-READING_CACHE_KB}")
        connection.execute("PRAGMA temp_store = MEMORY")
    except BaseException:
        connection.close()
        raise
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
