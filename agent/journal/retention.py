"""What a journal keeps: the oldest hands go once they are too old or the file too large, a few rows at a time.

Frames, decisions with all that hangs on them, hands, and texts that nobody refers to any more are deleted. Runs stay, and
so does what is known of opponents. Deleted rows leave room in the file that new ones take; a file that this program has made gives
most of it back to the disk.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from agent.journal.rows import stored_time
from agent.journal.searching import forget_decision

FRAMES_A_STEP: Final = 500
DECISIONS_A_STEP: Final = 20
HANDS_A_STEP: Final = 20
PAGES_A_STEP: Final = 256
FREE_PAGES_KEPT: Final = 2_560
"""Room that is left in the file for the next rows: 10 MB."""

_OLD_FRAMES: Final = """
    DELETE FROM frame WHERE at < :before AND id IN (SELECT id FROM frame ORDER BY id LIMIT :limit)
"""
_OLD_DECISIONS: Final = """
    SELECT id FROM (SELECT id, at FROM decision ORDER BY id LIMIT :limit) WHERE at < :before
"""
_OLD_HANDS: Final = """
    DELETE FROM hand WHERE rowid IN (SELECT rowid FROM hand WHERE at < :before ORDER BY at LIMIT :limit)
"""
_TEXTS: Final = """
    SELECT text_id FROM message JOIN attempt ON attempt.id = attempt_id WHERE decision_id = :id
    UNION SELECT reply_text_id FROM attempt WHERE decision_id = :id AND reply_text_id IS NOT NULL
"""
_UNUSED: Final = """
    DELETE FROM text WHERE id = :id
        AND NOT EXISTS (SELECT 1 FROM message WHERE text_id = :id) AND NOT EXISTS (SELECT 1 FROM attempt WHERE reply_text_id = :id)
"""
_OLDEST_BUT: Final = (
    "SELECT at FROM hand ORDER BY at LIMIT 1 OFFSET :hands",
    "SELECT at FROM frame ORDER BY id LIMIT 1 OFFSET :frames",
)


@dataclass(frozen=True, slots=True)
class Retention:
    """How long rows are kept, and how many bytes of the file they may fill; None for ever, and for any number."""

    age: timedelta | None = None
    most_bytes: int | None = None

    def step(self, connection: sqlite3.Connection, now: datetime) -> bool:
        """Delete a few of the rows that must go, inside the caller's transaction; whether there may be more of them."""
        if self.age is not None and _delete_before(connection, stored_time(now - self.age)):
            return True
        if self.most_bytes is None or bytes_used(connection) <= self.most_bytes:
            return False
        oldest = _oldest_rows(connection)
        return oldest is not None and _delete_before(connection, oldest)


FOR_EVER: Final = Retention()


def bytes_used(connection: sqlite3.Connection) -> int:
    """The bytes of the file that hold something."""
    pages, free, size = (_pragma(connection, name) for name in ("page_count", "freelist_count", "page_size"))
    return (pages - free) * size


def give_back(connection: sqlite3.Connection) -> bool:
    """Give a little of the file's free room back to the disk, outside of any transaction; whether there is more of it."""
    before = _pragma(connection, "freelist_count")
    if before <= FREE_PAGES_KEPT:
        return False
    connection.execute(f"PRAGMA incremental_vacuum({PAGES_A_STEP})").fetchall()
    return _pragma(connection, "freelist_count") < before


def _delete_before(connection: sqlite3.Connection, before: str) -> bool:
    """Delete a few of the rows from before a time; whether there were any."""
    values = {"before": before, "limit": FRAMES_A_STEP}
    found = connection.execute(_OLD_FRAMES, values).rowcount
    old = connection.execute(_OLD_DECISIONS, values | {"limit": DECISIONS_A_STEP}).fetchall()
    for (decision_id,) in old:
        _delete_decision(connection, decision_id)
    found += len(old)
    return bool(found + connection.execute(_OLD_HANDS, values | {"limit": HANDS_A_STEP}).rowcount)


def _delete_decision(connection: sqlite3.Connection, decision_id: str) -> None:
    """Delete a decision, and the texts that were its alone."""
    forget_decision(connection, decision_id)
    texts: Sequence[tuple[int]] = connection.execute(_TEXTS, {"id": decision_id}).fetchall()
    connection.execute("DELETE FROM decision WHERE id = ?", (decision_id,))
    for (text_id,) in texts:
        connection.execute(_UNUSED, {"id": text_id})


def _oldest_rows(connection: sqlite3.Connection) -> str | None:
    """A time with few rows before it; None when hardly any are left."""
    values = {"hands": HANDS_A_STEP, "frames": FRAMES_A_STEP}
    found = [row[0] for query in _OLDEST_BUT for row in connection.execute(query, values)]
    return min(found, default=None)


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
