"""The journal between processes: one reads while another writes, and one that is killed leaves all it committed."""

import random
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from agent.journal.filters import Filter
from agent.journal.reader import Reader
from agent.journal.schema import JournalError
from agent.journal.writer import Journal

from .samples import REPOSITORY, RUN, decision, new_id, wait_until

READS_MEANWHILE = """
import sys
from pathlib import Path
from agent.journal.reader import Reader

seen = 0
with Reader(Path(sys.argv[1])) as reader:
    while seen < 400:
        lines = reader.decisions(1_000)
        if len(lines) > seen:
            assert len(reader.decision("last").decision.attempts) == 1
            seen = len(lines)
            print(seen, flush=True)
"""

WRITES_UNTIL_KILLED = """
import sys, time
from pathlib import Path
from agent.journal.writer import Journal
from tests.journal.samples import RUN, decision, send

journal = Journal(Path(sys.argv[1]), RUN)
while True:
    taken = decision()
    journal.decision(taken)
    journal.send(send(taken.id))
    time.sleep(0.0005)
"""


@contextmanager
def running(script: str, path: Path) -> Iterator["subprocess.Popen[str]"]:
    """Another process that works on the journal at `path`; it does not outlive the test."""
    command = [sys.executable, "-c", script, str(path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def ids(path: Path) -> set[str]:
    with Reader(path) as reader:
        return {line.id for line in reader.decisions(1_000_000)}


def committed(path: Path) -> int:
    """Decisions that are in the file by now; none while the file is still being made."""
    try:
        return len(ids(path))
    except JournalError:
        return 0


def test_a_second_process_reads_whole_decisions_while_the_first_writes(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal(path, RUN) as journal, running(READS_MEANWHILE, path) as other:
        assert other.stdout is not None
        for written in (200, 400):
            for _ in range(200):
                journal.decision(decision())
            seen = 0
            while seen < written:
                seen, before = int(other.stdout.readline()), seen
                assert before < seen <= written
        _, complained = other.communicate(timeout=30)
    assert (other.returncode, complained, journal.lost) == (0, "", 0)


def test_a_killed_writer_leaves_an_intact_journal_with_all_it_committed(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with running(WRITES_UNTIL_KILLED, path) as writer:
        wait_until(lambda: writer.poll() is not None or committed(path) >= 300)
        seen = ids(path)
        writer.kill()
        _, complained = writer.communicate(timeout=30)
    assert writer.returncode == -9, complained
    left = ids(path)
    assert len(seen) >= 300
    assert seen <= left
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        assert connection.execute("SELECT count(*) FROM attempt").fetchone() == (len(left),)
    with Journal(path, replace(RUN, id=new_id())) as journal:
        journal.decision(decision())
    assert len(ids(path)) == len(left) + 1


WRITES_WHOLE_HANDS = """
import sys
from datetime import timedelta
from pathlib import Path
from agent.journal.retention import Retention
from agent.journal.writer import Journal
from tests.journal.samples import AT, RUN, accepted, decision, hand, new_id, send
from dataclasses import replace

run = replace(RUN, id=new_id())
# It deletes as well, so that death meets that too.
with Journal(Path(sys.argv[1]), run, retention=Retention(most_bytes=400_000)) as journal:
    for number in range(1_000_000):
        hand_id = f"{run.id} {number}"
        taken = decision(hand_id=hand_id)
        journal.decision(taken)
        journal.send(send(taken.id))
        journal.outcome(accepted(taken.id))
        journal.hand(hand(hand_id))
        journal.frame("in", {"type": "hand_result", "hand_id": hand_id}, AT + timedelta(seconds=number))
        print(taken.id, flush=True)
"""


def test_death_at_any_moment_leaves_whole_hands_and_a_sound_index(tmp_path: Path) -> None:
    path, chance = tmp_path / "journal.db", random.Random(7)
    for _ in range(6):
        with running(WRITES_WHOLE_HANDS, path) as writer:
            assert writer.stdout is not None
            # So many hands are told and then it dies, wherever the thread that writes them is by then.
            for _ in range(chance.randrange(1, 400)):
                assert writer.stdout.readline()
            writer.kill()
            _, complained = writer.communicate(timeout=30)
        assert writer.returncode == -9, complained
        assert_sound(path)
        with Reader(path) as reader:
            found = reader.decisions(100_000)
            assert len(found) == len(reader.decisions(100_000, Filter(search="top pair")))
            for line in found[:20]:
                story = reader.decision(line.id)
                assert story.decision == decision(line.id, hand_id=line.hand_id)
    with Journal(path, replace(RUN, id=new_id())) as journal:
        journal.decision(decision())
    assert journal.lost == 0


def assert_sound(path: Path) -> None:
    """The file is whole, nothing refers to what is not there, and the index of words agrees with itself."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        connection.execute("INSERT INTO search_index (search_index) VALUES ('integrity-check')")
        halves = "SELECT count(*) FROM decision LEFT JOIN {} AS half ON half.decision_id = decision.id WHERE half.decision_id IS NULL"
        for table in ("attempt", "search_document"):
            assert connection.execute(halves.format(table)).fetchone() == (0,)


def test_two_runs_may_write_to_one_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal(path, RUN) as one, Journal(path, replace(RUN, id=new_id())) as two:
        for _ in range(200):
            one.decision(decision())
            two.decision(decision())
    assert one.lost == two.lost == 0
    assert len(ids(path)) == 400
