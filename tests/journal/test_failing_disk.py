"""A disk that is locked, full or slow costs rows at worst, never a turn, and what it costs is said aloud."""

import logging
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from agent.journal.reader import Reader
from agent.journal.writer import Journal

from .samples import AT, REPOSITORY, RUN, accepted, decision, hand, new_id, send


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Another program holds the file for itself."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield
        other.execute("ROLLBACK")


def count(path: Path, table: str) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


class HandClock:
    """Seconds that a test moves by hand."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_a_locked_database_loses_nothing_and_the_caller_goes_on(path: Path) -> None:
    journal = Journal(path, RUN)
    # The thread that calls is the one that holds the lock: a call that waited for it could never come back in time.
    with locked(path):
        for number in range(300):
            taken = decision()
            journal.decision(taken)
            journal.send(send(taken.id))
            journal.outcome(accepted(taken.id))
            journal.hand(hand(f"hand {number}"))
            journal.frame("in", {"type": "hand_start"}, AT)
        assert count(path, "decision") == 0
    journal.close()
    assert journal.lost == 0
    assert [count(path, table) for table in ("decision", "send", "outcome", "hand", "frame")] == [300] * 5


def test_a_lock_longer_than_sqlite_waits_is_tried_again(path: Path) -> None:
    journal = Journal(path, RUN, busy_timeout_seconds=0.01, retry_delays_seconds=[0.02] * 1_000)
    with locked(path):
        journal.decision(decision())
        time.sleep(0.2)  # Long enough for several tries that fail.
    journal.close()
    assert (journal.lost, count(path, "decision")) == (0, 1)


def test_rows_that_the_disk_never_takes_are_counted_and_told(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    journal = Journal(path, RUN, busy_timeout_seconds=0.01, retry_delays_seconds=[0.01, 0.01])
    with locked(path):
        for _ in range(3):
            journal.decision(decision())
        journal.close()
    assert (journal.lost, count(path, "decision")) == (3, 0)
    assert caplog.records[0].levelno == logging.ERROR
    assert "3 so far, last because database is locked" in caplog.messages[-1]
    assert str(path) in caplog.messages[-1]


def test_a_full_queue_drops_rows_and_counts_every_one(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    journal = Journal(path, RUN, queue_size=5)
    with locked(path):
        for _ in range(50):
            journal.decision(decision())
        # At most five are with the writer and five in the queue.
        assert journal.lost >= 40
    journal.close()
    assert count(path, "decision") == 50 - journal.lost
    assert "5 rows are waiting for the disk already" in caplog.text


def test_losses_are_told_once_a_minute_and_the_rest_at_the_end(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    clock = HandClock()
    journal = Journal(path, RUN, queue_size=0, monotonic=clock)
    for clock.seconds in (0.0, 1.0, 59.0, 60.0, 61.0):
        journal.hand(hand())
    journal.close()
    assert [message.split(",")[0] for message in caplog.messages] == [
        "JOURNAL LOSES ROWS: 1 so far",
        "JOURNAL LOSES ROWS: 4 so far",
        "JOURNAL LOSES ROWS: 5 so far",
    ]


def test_a_row_that_the_schema_refuses_does_not_cost_its_neighbours(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    good = decision()
    with Journal(path, RUN) as journal:
        journal.decision(good)
        journal.decision(good)
        journal.hand(hand(at=AT.replace(tzinfo=None)))
        journal.frame("in", {("no", "JSON"): "key"}, AT)  # type: ignore[dict-item]
        journal.send(send(new_id()))
        journal.send(send(good.id))
    assert journal.lost == 4
    assert [count(path, table) for table in ("decision", "attempt", "hand", "frame", "send")] == [1, 1, 0, 0, 1]
    assert "IntegrityError" in caplog.text


@pytest.mark.parametrize("chips", [2**63, 10**30, -(2**63) - 1])
def test_a_number_that_no_column_holds_does_not_cost_the_rows_of_its_turn(path: Path, chips: int) -> None:
    taken = decision(pot_chips=chips)
    with Journal(path, RUN) as journal:
        journal.decision(taken)
        journal.send(send(taken.id))
        journal.outcome(accepted(taken.id))
        journal.hand(hand(net_chips=chips))
    assert journal.lost == 0
    assert [count(path, table) for table in ("decision", "send", "outcome", "hand")] == [1, 1, 1, 1]
    with Reader(path) as reader:
        assert abs(reader.decision(taken.id).decision.pot_chips) >= 2**63 - 1


def test_a_flood_of_frames_does_not_cost_the_rows_of_a_turn(path: Path) -> None:
    taken = decision()
    with Journal(path, RUN, queue_size=20, retry_delays_seconds=[0.02] * 1_000) as journal:
        with locked(path):
            journal.frame("in", {"type": "confetti"}, AT)
            while journal.lost == 0:
                journal.frame("in", {"type": "confetti"}, AT)
            journal.decision(taken)
            journal.send(send(taken.id))
        lost = journal.lost
    assert (journal.lost, lost) == (1, 1)
    assert [count(path, table) for table in ("decision", "send")] == [1, 1]


def test_values_that_json_does_not_know_are_kept_as_text(path: Path) -> None:
    with Journal(path, RUN) as journal:
        journal.decision(decision(facts={"file": Path("a/b"), "nan": float("nan")}))
    with Reader(path) as reader:
        facts = reader.decision("last").decision.facts
    assert facts["file"] == "a/b"
    assert str(facts["nan"]) == "nan"


def test_a_closed_journal_counts_what_comes_late(path: Path) -> None:
    journal = Journal(path, RUN)
    journal.close()
    journal.decision(decision())
    journal.close()
    assert (journal.lost, count(path, "decision")) == (1, 0)


def test_closing_gives_up_on_a_disk_that_does_not_come_back(path: Path) -> None:
    journal = Journal(path, RUN, busy_timeout_seconds=0.2, retry_delays_seconds=[])
    with locked(path):
        for _ in range(300):
            journal.decision(decision())
        journal.close(timeout_seconds=0.0)
        journal.close()
    assert (journal.lost, count(path, "decision")) == (300, 0)


FULL_DISK = """
import resource, sys, time
from pathlib import Path
from agent.journal.writer import Journal
from tests.journal.samples import AT, RUN

def allow(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

journal = Journal(Path(sys.argv[1]), RUN, retry_delays_seconds=[0.01])
allow(300_000)
for _ in range(2_000):
    journal.frame("in", {"type": "table_state", "padding": "x" * 1_000}, AT)
while not journal.lost:
    time.sleep(0.01)
allow(resource.RLIM_INFINITY)
journal.frame("in", {"type": "after"}, AT)
journal.close()
print(journal.lost)
"""


def test_a_full_disk_loses_rows_and_later_ones_are_written_again(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(path)], cwd=REPOSITORY, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    lost = int(done.stdout)
    assert 0 < lost <= 2_000
    assert count(path, "frame") == 2_001 - lost
    assert "JOURNAL LOSES ROWS" in done.stderr
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("SELECT type FROM frame ORDER BY id DESC").fetchone() == ("after",)


def test_a_run_is_written_once(path: Path) -> None:
    Journal(path, RUN).close()
    with Journal(path, replace(RUN, id=new_id())) as journal:
        assert journal.path == path
    assert count(path, "run") == 2
