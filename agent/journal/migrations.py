r"""The journal's tables, and how an older file becomes a newer one.

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
from collections.abc import Callable, Sequence
from typing import Final

from agent.journal.searching import index_old_decisions
from agent.journal.words import INDEX_OPTIONS

Migration = Sequence[str | Callable[[sqlite3.Connection], None]]
"""Statements, and what no statement can say."""

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
