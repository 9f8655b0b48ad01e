"""A journal leaves the rest of the disk to others (97 of the failure catalogue)."""

from pathlib import Path

import pytest

from agent.journal.reader import Reader
from agent.journal.writer import FREE_BYTES_LEFT, Journal, free_bytes

from .samples import AT, RUN, wait_until


@pytest.mark.parametrize("room", [FREE_BYTES_LEFT, None])
def test_with_room_or_where_nobody_knows_rows_are_written(tmp_path: Path, room: int | None) -> None:
    with Journal(tmp_path / "journal.db", RUN, free=lambda _: room) as journal:
        journal.frame("in", {"type": "hand_start"}, AT)

    assert journal.lost == 0


def test_without_room_rows_are_lost_and_told_until_there_is_room_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    room = FREE_BYTES_LEFT - 1
    with Journal(tmp_path / "journal.db", RUN, free=lambda _: room) as journal:
        journal.frame("in", {"type": "lost"}, AT)
        wait_until(lambda: journal.lost == 1)
        room = FREE_BYTES_LEFT
        journal.frame("in", {"type": "kept"}, AT)

    with Reader(tmp_path / "journal.db") as reader:
        assert [line["msg"]["type"] for line in reader.recording()] == ["kept"]
    assert "less than 100 MB are left on the disk" in caplog.text


def test_the_room_of_a_disk_is_told_and_that_of_a_missing_folder_is_not(tmp_path: Path) -> None:
    assert (free_bytes(tmp_path / "journal.db") or 0) > 0
    assert free_bytes(tmp_path / "none" / "journal.db") is None
