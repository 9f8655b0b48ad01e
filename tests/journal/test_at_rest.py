"""A journal is read where nothing can be written, but never without what stands beside it."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from agent.journal.at_rest import is_at_rest
from agent.journal.reader import Reader
from agent.journal.schema import JournalError, open_for_writing
from agent.journal.writer import Journal

from .samples import REPOSITORY, RUN, decision, hand, wait_until

NOBODY = 65_534
RUN_AGAIN = replace(RUN, id="01M8MZP195C3AY02X4MG88R9KV")


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that everybody reaches, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as made:
        Path(made).chmod(0o755)
        yield Path(made)


@contextmanager
def read_only(folder: Path, mode: int = 0o555) -> Iterator[None]:
    """Nothing can be made in the folder meanwhile, not even by root, who has no such right for so long."""
    folder.chmod(mode)
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(NOBODY)
    try:
        with pytest.raises(PermissionError):
            (folder / "written").touch()
        yield
    finally:
        if is_root:
            os.seteuid(0)
        folder.chmod(0o755)


def beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def test_a_journal_at_rest_is_read_in_a_folder_where_nothing_can_be_written(folder: Path) -> None:
    path, taken = folder / "journal.db", decision()
    with Journal(path, RUN) as journal:
        journal.decision(taken)
        journal.hand(hand())
    with read_only(folder), Reader(path) as reader:
        assert reader.decision("last").decision == taken
        assert [line.hand.hand_id for line in reader.hands()] == [hand().hand_id]
    assert [file.name for file in folder.iterdir()] == ["journal.db"]


def test_a_journal_that_is_written_is_read_there_with_its_latest_rows(folder: Path) -> None:
    path = folder / "journal.db"
    with Journal(path, RUN) as journal:
        journal.hand(hand("first"))
    with Journal(path, RUN_AGAIN) as journal:
        journal.hand(hand("second"))
        wait_until(lambda: journal.waiting == 0 and b"second" in beside(path, "-wal").read_bytes())
        assert b"second" not in path.read_bytes()
        with read_only(folder), Reader(path) as reader:
            assert {line.hand.hand_id for line in reader.hands()} == {"first", "second"}


def test_what_a_killed_writer_left_beside_the_journal_is_not_passed_over(folder: Path) -> None:
    """Where that cannot be read, nothing is told instead of an older truth."""
    (folder / "live").mkdir()
    path, copy = folder / "live" / "journal.db", folder / "journal.db"
    with Journal(path, RUN) as journal:
        journal.hand(hand("first"))
    with Journal(path, RUN_AGAIN) as journal:
        journal.hand(hand("second"))
        wait_until(lambda: journal.waiting == 0 and b"second" in beside(path, "-wal").read_bytes())
        for ending in ("", "-wal"):
            shutil.copy(beside(path, ending), beside(copy, ending))
    with read_only(folder), pytest.raises(JournalError, match=r"copy journal\.db and journal\.db-wal to a folder"):
        Reader(copy)
    with Reader(copy) as reader:
        assert {line.hand.hand_id for line in reader.hands()} == {"first", "second"}


def test_a_folder_that_cannot_be_entered_is_told(folder: Path) -> None:
    Journal(folder / "journal.db", RUN).close()
    with read_only(folder, 0o444), pytest.raises(JournalError, match=r"Permission denied.*\. Set JOURNAL_PATH"):
        Reader(folder / "journal.db")


FULL_DISK = """
import resource, sys
from pathlib import Path
from agent.journal.reader import Reader

resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, resource.RLIM_INFINITY))
for _ in range(2):
    with Reader(Path(sys.argv[1])) as reader:
        print(*(line.hand.hand_id for line in reader.hands()))
"""


def test_a_journal_at_rest_is_read_on_a_full_disk_time_and_again(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal(path, RUN) as journal:
        journal.hand(hand("first"))
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(path)], cwd=REPOSITORY, capture_output=True, text=True, timeout=60
    )
    assert (done.stdout, done.stderr) == ("first\nfirst\n", "")


def test_a_journal_is_at_rest_while_nobody_has_it_open_for_writing(tmp_path: Path) -> None:
    path, link = tmp_path / "journal.db", tmp_path / "link.db"
    link.symlink_to(path)
    Journal(path, RUN).close()
    assert is_at_rest(path)
    with closing(open_for_writing(path)):
        assert not is_at_rest(path)
        assert not is_at_rest(link)
    assert is_at_rest(path)


@pytest.mark.parametrize(
    ("files", "rests"),
    [
        ({"-wal": 0}, True),
        ({"-wal": 0, "-shm": 3}, True),
        ({"-wal": 4_152, "-shm": 32_768}, False),
        ({"-wal": 4_152}, False),
        # A writer before its first commit.
        ({"-wal": 0, "-shm": 32_768}, False),
        ({"-journal": 512}, False),
    ],
)
def test_what_stands_beside_a_database_tells_whether_it_is_all(
    tmp_path: Path, files: dict[str, int], rests: bool
) -> None:
    path = tmp_path / "journal.db"
    path.touch()
    for ending, size in files.items():
        beside(path, ending).write_bytes(bytes(size))
    assert is_at_rest(path) is rests
