"""How a journal is opened, brought up to date, and refused."""

import os
import re
import sqlite3
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from agent.journal.filters import Filter
from agent.journal.migrations import MIGRATIONS, VERSION
from agent.journal.reader import Reader
from agent.journal.schema import JournalError, migrate, open_for_writing, version_of
from agent.journal.writer import Journal

from .samples import RUN, decision, hand, opponent


def set_version(path: Path, version: int) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")


def test_missing_folders_are_made(tmp_path: Path) -> None:
    path = tmp_path / "state" / "poker" / "journal.db"
    Journal(path, RUN).close()
    with Reader(path) as reader:
        assert reader.decisions() == []


def test_an_empty_file_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    path.touch()
    with closing(sqlite3.connect(path)) as before:
        assert version_of(before) == 0
    with closing(open_for_writing(path)) as connection:
        listed = connection.execute("SELECT name FROM pragma_table_list WHERE type IN ('table', 'virtual')")
        tables = {row[0] for row in listed if not row[0].startswith("sqlite_")}
        assert version_of(connection) == VERSION
    assert tables == {
        "run",
        "frame",
        "hand",
        "decision",
        "text",
        "attempt",
        "message",
        "send",
        "outcome",
        "opponent",
        "hand_player",
        "search_document",
        "search_index",
    }


def test_opening_again_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    taken = decision()
    with Journal(path, RUN) as journal:
        journal.decision(taken)
    open_for_writing(path).close()
    with Reader(path) as reader:
        assert reader.decision("last").decision == taken


def test_a_migration_that_fails_leaves_the_version_before_it(tmp_path: Path) -> None:
    with closing(open_for_writing(tmp_path / "journal.db")) as connection:
        broken = ("CREATE TABLE half (id INTEGER)", "CREATE TABLE run (id INTEGER)")
        with pytest.raises(sqlite3.OperationalError, match="already exists"):
            migrate(connection, (*MIGRATIONS, broken))
        assert version_of(connection) == VERSION
        assert connection.execute("SELECT name FROM sqlite_master WHERE name = 'half'").fetchall() == []


def test_later_migrations_are_applied_in_order_and_once(tmp_path: Path) -> None:
    later = (*MIGRATIONS, ("CREATE TABLE tag (name TEXT)",), ("ALTER TABLE tag ADD COLUMN colour TEXT",))
    with closing(open_for_writing(tmp_path / "journal.db")) as connection:
        migrate(connection, later)
        migrate(connection, later)
        assert version_of(connection) == VERSION + 2
        assert connection.execute("SELECT name, colour FROM tag").fetchall() == []


@pytest.mark.parametrize("version", range(1, VERSION))
def test_what_an_earlier_version_wrote_is_kept_and_read(tmp_path: Path, version: int) -> None:
    path, taken = tmp_path / "journal.db", decision()
    with Journal(path, RUN) as journal:
        journal.decision(taken)
        journal.hand(hand())
    _take_back(path, version)

    with Journal(path, replace(RUN, id="01M8MZP195C3AY02X4MG88R9KV")) as journal:
        journal.opponent(opponent())

    with Reader(path) as reader:
        found, met = reader.decision("last").decision, reader.opponents()
        searched = reader.decisions(where=Filter(search="top pair AsKd"))
        story, figures = reader.hand("last"), reader.statistics()
    (attempt,), (asked,) = found.attempts, taken.attempts
    assert (found.choice, found.facts) == (taken.choice, taken.facts)
    assert (attempt.reply_text, attempt.latency_ms) == (asked.reply_text, asked.latency_ms)
    kept = (taken.rule_margin, asked.asked, asked.failure, asked.grounding, asked.cost_usd)
    later = (found.rule_margin, attempt.asked, attempt.failure, attempt.grounding, attempt.cost_usd)
    assert later == (kept if version >= 2 else (None,) * 5)
    assert [line.opponent for line in met] == [opponent()]
    # The index of words is built for what was there before it.
    assert [line.id for line in searched] == [taken.id]
    assert (story.hand.net_chips, story.hand.result) == (hand().net_chips, hand().result)
    assert (story.hand.players, story.hand.actions, story.hand.blinds, found.policy) == ((), (), {}, None)
    assert (figures.total.hands, figures.by_opponent) == (1, {})


def _take_back(path: Path, version: int) -> None:
    """Make the file what a program of that version wrote: what came later is not there."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for migration in reversed(MIGRATIONS[version:]):
            for statement in reversed(migration):
                if isinstance(statement, str):
                    connection.execute(_undoing(statement))
        connection.execute(f"PRAGMA user_version = {version}")


def _undoing(statement: str) -> str:
    """The statement that takes one of a migration back."""
    if added := re.fullmatch(r"ALTER TABLE (\w+) ADD COLUMN (\w+) \w+", statement):
        return f"ALTER TABLE {added[1]} DROP COLUMN {added[2]}"
    if dropped := re.fullmatch(r"DROP INDEX (\w+)", statement):
        before = (str(made) for migration in MIGRATIONS for made in migration)
        return next(made for made in before if made.startswith(f"CREATE INDEX {dropped[1]} "))
    made = re.match(r"CREATE (?:VIRTUAL )?(TABLE|INDEX) (\w+)", statement)
    assert made, f"say here how to take back: {statement}"
    return f"DROP {made[1]} {made[2]}"


def test_the_file_is_set_up_for_a_reader_beside_the_writer(tmp_path: Path) -> None:
    with closing(open_for_writing(tmp_path / "journal.db")) as connection:
        names = ("journal_mode", "synchronous", "busy_timeout", "foreign_keys")
        found = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names]
    assert found == ["wal", 1, 5000, 1]


def test_a_new_file_that_another_program_is_just_making_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("CREATE TABLE made_by_the_other (id INTEGER)")
        release = threading.Timer(0.3, other.execute, ["COMMIT"])
        release.start()
        Journal(path, RUN).close()
        release.join()
    with Reader(path) as reader:
        assert reader.decisions() == []


def test_a_journal_of_a_newer_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    Journal(path, RUN).close()
    set_version(path, 99)
    before = path.read_bytes()
    with pytest.raises(JournalError, match=rf"newer program \(journal version 99, this one knows {VERSION}\)"):
        Journal(path, RUN)
    with pytest.raises(JournalError, match="newer program"):
        Reader(path)
    assert path.read_bytes() == before


def test_reading_an_older_file_says_how_it_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE note (text)")
    with pytest.raises(JournalError, match=rf"version 0, this program reads version {VERSION}.*starting the agent"):
        Reader(path)


def test_a_folder_is_no_journal(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="is a folder: JOURNAL_PATH must name a file"):
        Journal(tmp_path, RUN)


def test_a_file_of_another_kind_is_no_journal(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Dear diary, today I folded kings before the flop and was right. " * 20)
    for opened in (lambda: Journal(path, RUN), lambda: Reader(path)):
        with pytest.raises(JournalError, match=r"notes.txt cannot be opened: file is not a database"):
            opened()


def test_a_place_where_nothing_can_be_written_says_what_to_set(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(JournalError, match=r"cannot be opened: .* Set JOURNAL_PATH to a file that this user may write"):
        Journal(tmp_path / "file" / "journal.db", RUN)
    with pytest.raises(JournalError, match="Set JOURNAL_PATH"):
        Journal(Path("/proc/journal.db"), RUN)


def test_the_same_run_cannot_be_opened_twice(tmp_path: Path) -> None:
    Journal(tmp_path / "journal.db", RUN).close()
    with pytest.raises(JournalError, match=f"does not take the run {RUN.id}"):
        Journal(tmp_path / "journal.db", RUN)


def test_a_missing_journal_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(
        JournalError, match=r"There is no journal at .*nowhere.db. `poker-agent demo` makes one.*JOURNAL_PATH"
    ):
        Reader(tmp_path / "nowhere.db")


def test_signs_in_the_file_name_that_mean_something_in_an_address_mean_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a?mode=rw#50% journal.db"
    Journal(path, RUN).close()
    with Reader(path) as reader:
        assert reader.hands() == []


def test_a_journal_that_another_program_holds_says_so(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    Journal(path, RUN).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(JournalError, match=r"database is locked. Another program holds it: try again") as failure:
            open_for_writing(path, busy_timeout_seconds=0)
    assert "JOURNAL_PATH" not in str(failure.value)


def test_a_truncated_journal_is_called_damaged(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    Journal(path, RUN).close()
    os.truncate(path, path.stat().st_size // 2)
    with pytest.raises(JournalError, match="It is no journal, or a damaged one"), Reader(path) as reader:
        reader.hands()


def test_an_empty_file_is_called_empty(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    path.touch()
    with pytest.raises(JournalError, match=r"journal.db is empty: starting the agent with it makes it a journal"):
        Reader(path)
