"""What is too old or too much is deleted by the writer, a few rows at a time; what others need stays."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import ClassVar

import pytest

from agent.journal.filters import Filter
from agent.journal.reader import Reader
from agent.journal.retention import Retention, bytes_used
from agent.journal.schema import JournalError, open_for_writing, transaction
from agent.journal.writer import SWEEP_EVERY_SECONDS, Journal

from .samples import AT, FIRST, RUN, accepted, decision, hand, new_id, opponent, send, wait_until

LATER = replace(RUN, id="01M8MZP195C3AY02X4MG88R9KV")
TABLES = (
    "run",
    "opponent",
    "frame",
    "hand",
    "hand_player",
    "decision",
    "attempt",
    "message",
    "send",
    "outcome",
    "text",
)


def play(journal: Journal, number: int, at: datetime, *, wide: int = 0) -> str:
    """One hand with a decision of its own words, as it comes to the journal; its decision's id."""
    asked = (("system", "shared by all"), ("user", f"hand number {number} {wide * 'x'}"))
    attempt = replace(FIRST, messages=asked, reply_text=f"reply {number}")
    taken = replace(decision(f"{number:026}", hand_id=f"hand {number}", attempts=(attempt,)), at=at)
    journal.frame("in", {"type": "hand_start", "hand_id": f"hand {number}"}, at)
    journal.decision(taken)
    journal.send(send(taken.id))
    journal.outcome(accepted(taken.id))
    journal.hand(hand(f"hand {number}", at=at))
    journal.opponent(opponent())
    return taken.id


def counts(path: Path) -> dict[str, int]:
    with closing(sqlite3.connect(path)) as connection:
        return {name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in TABLES}


def is_sound(path: Path) -> bool:
    with closing(sqlite3.connect(path)) as connection:
        checks = [connection.execute(f"PRAGMA {name}").fetchall() for name in ("integrity_check", "foreign_key_check")]
        connection.execute("INSERT INTO search_index (search_index) VALUES ('integrity-check')")
    return checks == [[("ok",)], []]


def test_hands_older_than_the_days_that_are_kept_go_with_all_that_is_theirs(tmp_path: Path) -> None:
    path, now = tmp_path / "journal.db", AT + timedelta(days=30)
    with Journal(path, RUN) as journal:
        old = [play(journal, number, AT + timedelta(minutes=number)) for number in range(60)]
        young = [play(journal, number, now - timedelta(days=7, minutes=-number)) for number in range(60, 70)]

    with Journal(path, LATER, retention=Retention(age=timedelta(days=7)), now=lambda: now):
        wait_until(lambda: counts(path)["hand"] == 10)
        wait_until(lambda: counts(path)["decision"] == 10)

    kept = counts(path)
    assert kept == {
        "run": 2,
        "opponent": 1,
        "frame": 10,
        "hand": 10,
        "hand_player": 20,
        "decision": 10,
        "attempt": 10,
        "message": 20,
        "send": 10,
        "outcome": 10,
        "text": 21,
    }
    assert is_sound(path)
    with Reader(path) as reader:
        assert [line.id for line in reader.decisions()] == young[::-1]
        assert [line.id for line in reader.decisions(where=Filter(search="number 65"))] == [young[5]]
        assert reader.decisions(where=Filter(search="reply 5")) == []
        assert reader.decision(young[0]).decision.attempts[0].messages[0] == ("system", "shared by all")
        with pytest.raises(JournalError, match="No decision begins or ends"):
            reader.decision(old[0])


def test_a_file_that_is_too_large_loses_its_oldest_hands_and_new_ones_take_their_room(tmp_path: Path) -> None:
    path, most = tmp_path / "journal.db", 600_000
    with Journal(path, RUN) as journal:
        for number in range(400):
            play(journal, number, AT + timedelta(minutes=number), wide=300)
    with closing(sqlite3.connect(path)) as connection:
        assert bytes_used(connection) > most

    with Journal(path, LATER, retention=Retention(most_bytes=most)):
        wait_until(lambda: used(path) <= most)
    with Reader(path) as reader:
        left = [int(line.id) for line in reader.decisions(1_000)]
    assert left == list(range(399, 399 - len(left), -1))
    assert 20 < len(left) < 400
    assert is_sound(path)

    size = path.stat().st_size
    with Journal(path, replace(RUN, id=new_id())) as journal:
        for number in range(400, 450):
            play(journal, number, AT + timedelta(minutes=number), wide=300)
    assert path.stat().st_size == size


def used(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return bytes_used(connection)


def test_a_limit_that_is_too_small_leaves_the_last_hands(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with closing(open_for_writing(path)) as connection, transaction(connection):
        assert not Retention(most_bytes=1).step(connection, AT)
    with Journal(path, RUN) as journal:
        for number in range(30):
            play(journal, number, AT + timedelta(minutes=number))
    with closing(open_for_writing(path)) as connection:
        steps = 0
        while Retention(most_bytes=1).step(connection, AT):
            steps += 1
            assert steps < 10
    assert counts(path)["hand"] == 10


def test_a_step_deletes_a_few_rows_only(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal(path, RUN) as journal:
        for number in range(100):
            play(journal, number, AT)
    with closing(open_for_writing(path)) as connection, transaction(connection):
        assert Retention(age=timedelta(days=1)).step(connection, AT + timedelta(days=2))
    left = counts(path)
    assert (left["decision"], left["hand"]) == (80, 80)


def test_without_limits_nothing_is_deleted(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal(path, RUN) as journal:
        play(journal, 1, AT)
    with Journal(path, LATER, now=lambda: AT + timedelta(days=10_000)) as journal:
        play(journal, 2, AT)
    assert counts(path)["decision"] == 2


class RefusedOnce(Retention):
    """A limit whose first step meets a disk that is broken."""

    steps: ClassVar[list[bool]] = []

    def step(self, connection: sqlite3.Connection, now: datetime) -> bool:
        self.steps.append(True)
        if len(self.steps) == 1:
            raise sqlite3.OperationalError("disk I/O error")
        return Retention.step(self, connection, now)


def test_a_sweep_that_the_disk_refuses_costs_no_row_and_is_tried_again_in_an_hour(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path, now, seconds = tmp_path / "journal.db", AT + timedelta(days=30), 0.0
    with Journal(path, RUN) as journal:
        play(journal, 1, AT)
    limit = RefusedOnce(age=timedelta(days=1))
    with Journal(path, LATER, retention=limit, now=lambda: now, monotonic=lambda: seconds) as journal:
        wait_until(lambda: "are not deleted" in caplog.text)
        play(journal, 2, now)
        wait_until(lambda: counts(path)["decision"] == 2)
        seconds = SWEEP_EVERY_SECONDS
        play(journal, 3, now)
        wait_until(lambda: len(limit.steps) > 1)
    assert journal.lost == 0
    assert "disk I/O error" in caplog.text
    assert counts(path)["decision"] == 2
