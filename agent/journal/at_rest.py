"""Whether a journal's file is all there is of it: nobody writes it, and nothing of it stands in a file beside it.

SQLite says this by two files next to the database. A connection in WAL mode has both for as long as it is open:

* `-shm`, the index that connections share, is at least 32 KB large from a connection's first look at the database on.
* `-wal` holds what was committed and is not in the database yet, from a connection's first commit on.

The last connection that closes in good order brings all over and deletes both. One that is killed leaves them with their
content. What a reader leaves that could not write, or found no room, is a `-wal` without content and an index too small
to be one. `-journal` is what a transaction would be taken back by, before a new file is switched to WAL.
"""

import sqlite3
from pathlib import Path
from typing import Final

NOT_AT_REST: Final = (
    "The journal {path} cannot be opened: {error}. Another program writes it, or was stopped before its last rows were in "
    "place, and to read it SQLite must write beside it. Make room on the disk, or copy {name} and {name}-wal to a folder "
    "that this user may write and set JOURNAL_PATH to the copy."
)

_INDEX_BYTES: Final = 32_768
_NO_PLACE: Final = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL)


def lacks_a_place(error: sqlite3.Error) -> bool:
    """Whether SQLite could have failed because it could not make a file beside the database, or make it larger."""
    # The low byte is the kind of error, whatever more precise code stands above it.
    return (error.sqlite_errorcode & 0xFF) in _NO_PLACE


def is_at_rest(path: Path) -> bool:
    """Whether the database at `path` has no connection that may write it, and is complete without the files beside it."""
    # SQLite puts its files beside the real file, wherever links to it stand.
    real = path.resolve()
    return not _size(real, "-wal") and not _size(real, "-journal") and _size(real, "-shm") < _INDEX_BYTES


def _size(path: Path, ending: str) -> int:
    """How many bytes the file of that ending holds; 0 where there is none."""
    try:
        return Path(f"{path}{ending}").stat().st_size
    except FileNotFoundError:
        return 0
