"""The index that `search` looks in: one document a decision, put in with it and taken out with it.

The index keeps no text of its own, so that a document is made from the rows, each time the same.
"""

import json
import sqlite3
from itertools import chain
from typing import Final

from agent.journal.packing import unpacked
from agent.journal.words import document

_OWN: Final = "SELECT hole_cards, board, reason, model_reason, names FROM decision WHERE id = ?"
_ASKED: Final = """
    SELECT content FROM message JOIN attempt ON attempt.id = attempt_id JOIN text ON text.id = text_id
    WHERE decision_id = ? AND role <> 'system' ORDER BY attempt.number, message.number
"""
_REPLIES: Final = (
    "SELECT content FROM attempt JOIN text ON text.id = reply_text_id WHERE decision_id = ? ORDER BY number"
)


def index_decision(connection: sqlite3.Connection, decision_id: str) -> None:
    """Make a decision that has just been written findable by its words."""
    added = connection.execute("INSERT INTO search_document (decision_id) VALUES (?)", (decision_id,))
    words = _document(connection, decision_id)
    connection.execute("INSERT INTO search_index (rowid, words) VALUES (?, ?)", (added.lastrowid, words))


def forget_decision(connection: sqlite3.Connection, decision_id: str) -> None:
    """Take a decision out of the index, before anything of it is deleted."""
    found = connection.execute("SELECT id FROM search_document WHERE decision_id = ?", (decision_id,)).fetchone()
    if found is None:
        return
    try:
        told = ("delete", found[0], _document(connection, decision_id))
    except ValueError:  # A damaged text: its words stay behind, and lead to nothing.
        pass
    else:
        connection.execute("INSERT INTO search_index (search_index, rowid, words) VALUES (?, ?, ?)", told)
    connection.execute("DELETE FROM search_document WHERE id = ?", found)


def index_old_decisions(connection: sqlite3.Connection) -> None:
    """Index all decisions of a file that had no index."""
    for (decision_id,) in connection.execute("SELECT id FROM decision ORDER BY id").fetchall():
        index_decision(connection, decision_id)


def _document(connection: sqlite3.Connection, decision_id: str) -> str:
    """What can be found of a decision: cards, names, prompts but for the system's, replies and reasons."""
    key = (decision_id,)
    ((*own, names),) = connection.execute(_OWN, key)
    texts = chain(connection.execute(_ASKED, key), connection.execute(_REPLIES, key))
    told = json.loads(names) if names else {}
    return document([*own, *map(str, told.values()), *dict.fromkeys(unpacked(content) for (content,) in texts)])
