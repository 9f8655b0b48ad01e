"""What an arena writes down can be replayed, and a disk that fails costs no hand."""

import json
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pokerkit import HandHistory

from agent.arena.game.records import HandRecord, hand_record
from agent.arena.server.recording import HANDS_FILE, Recorder
from agent.replay import replay
from agent.settings import Settings
from agent.wiring import build_thinking
from tests.arena.hands import hand_of, play
from tests.arena.plain_client import check_or_call
from tests.arena.served import arena_of, seated


async def test_a_session_is_recorded_as_its_client_saw_it_and_replays(tmp_path: Path) -> None:
    async with arena_of(record_in=tmp_path, max_hands=10) as arena, seated(arena) as (client, turn):
        await client.act(turn, check_or_call(turn))
        await client.play(check_or_call, hands=10)
        await arena.finished()
        seen = list(client.frames)
    lines = [json.loads(line) for line in (tmp_path / "Heron-1.jsonl").read_text("utf-8").splitlines()]
    assert {tuple(line) for line in lines} == {("t", "dir", "msg")}
    assert [line["t"] for line in lines] == sorted(line["t"] for line in lines)
    assert [line["msg"] for line in lines if line["dir"] == "in"][: len(seen)] == seen
    assert next(line["msg"]["type"] for line in lines if line["dir"] == "out") == "join_lobby"
    settings = Settings.load({"LLM_PROVIDER": "none"}, tmp_path / ".env")
    found = await replay((tmp_path / "Heron-1.jsonl").read_text("utf-8"), build_thinking(settings, seed=1))
    assert (len(found.hands), found.problems) == (10, [])
    assert found.hashes_matched == found.hashes_checked > 50


async def test_all_hands_are_written_as_phh(tmp_path: Path) -> None:
    records: list[HandRecord] = []
    arena = arena_of(record_in=tmp_path, max_hands=15, on_hand=records.append)
    async with arena as opened, seated(opened) as (client, turn):
        await client.act(turn, check_or_call(turn))
        await client.play(check_or_call, hands=15)
        await opened.finished()
    with (tmp_path / HANDS_FILE).open("rb") as file:
        histories = list(HandHistory.load_all(file))
    assert len(histories) == len(records) == 15
    for history, record in zip(histories, records, strict=True):
        *_, last = history
        assert not last.status
        assert sorted(last.stacks) == sorted(record.final_stacks.values())


def test_a_folder_that_cannot_be_made_is_an_error_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(OSError, match=r"file/runs is no folder to record in: Not a directory"):
        Recorder(tmp_path / "file" / "runs", clock=lambda: 0.0)


async def test_a_folder_that_takes_no_file_keeps_the_arena_from_opening() -> None:
    with pytest.raises(OSError, match="/proc/self is no folder to record in: "):
        async with arena_of(record_in=Path("/proc/self")):
            pass


def test_a_folder_to_record_in_is_left_empty_until_something_happens(tmp_path: Path) -> None:
    Recorder(tmp_path / "new" / "runs", clock=lambda: 0.0).close()
    assert list((tmp_path / "new" / "runs").iterdir()) == []


async def test_a_disk_that_fails_later_costs_the_recording_and_no_hand(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "Heron-1.jsonl").mkdir()
    (tmp_path / HANDS_FILE).mkdir()
    async with arena_of(record_in=tmp_path, max_hands=5) as arena, seated(arena) as (client, turn):
        await client.act(turn, check_or_call(turn))
        await client.play(check_or_call, hands=5)
        await arena.finished()
    complaints = [record for record in caplog.records if "recording in" in record.message]
    assert len(complaints) == 1
    assert str(tmp_path) in complaints[0].message


async def test_a_full_disk_costs_the_recording_and_no_hand(tmp_path: Path) -> None:
    (tmp_path / "Heron-1.jsonl").symlink_to("/dev/full")
    async with arena_of(record_in=tmp_path, max_hands=5) as arena, seated(arena) as (client, turn):
        await client.act(turn, check_or_call(turn))
        await client.play(check_or_call, hands=5)
        await arena.finished()
    with (tmp_path / HANDS_FILE).open("rb") as file:
        assert len(list(HandHistory.load_all(file))) == 5


def test_hands_that_follow_a_file_of_other_bytes_are_written_all_the_same(tmp_path: Path) -> None:
    (tmp_path / HANDS_FILE).write_bytes(b"\xff\xfe")
    recorder = Recorder(tmp_path, clock=lambda: 0.0)
    hand = hand_of({0: 1_000, 1: 1_000}, button=0)
    play(hand, "fold")
    recorder.put(hand_record(hand, 1))
    recorder.close()
    assert recorder.lost == 0
    assert b"[1]\nvariant = 'NT'" in (tmp_path / HANDS_FILE).read_bytes()


def test_what_is_lost_is_counted(tmp_path: Path) -> None:
    (tmp_path / "Heron-1.jsonl").mkdir()
    recorder = Recorder(tmp_path, clock=lambda: 0.0)
    session = recorder.session("Heron")
    session.sent({"type": "connected"})
    session.received({"type": "join_lobby"})
    recorder.close()
    assert recorder.lost == 2


@contextmanager
def few_open_files(more: int) -> Iterator[None]:
    """The process may open so many files more than it has open now."""
    usual = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(list(Path("/proc/self/fd").iterdir())) + more, usual[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, usual)


def test_a_connection_that_is_over_holds_no_file_open(tmp_path: Path) -> None:
    with few_open_files(more=20):
        recorder = Recorder(tmp_path, clock=lambda: 0.0)
        for _ in range(100):
            session = recorder.session("Heron")
            session.sent({"type": "connected"})
            session.close()
        recorder.close()
    assert recorder.lost == 0
    assert len(list(tmp_path.iterdir())) == 100


def test_what_is_said_after_a_connection_is_over_does_not_begin_its_file_anew(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, clock=lambda: 0.0)
    session = recorder.session("Heron")
    session.sent({"type": "connected"})
    session.close()
    session.sent({"type": "table_state"})
    recorder.close()
    lines = (tmp_path / "Heron-1.jsonl").read_text("utf-8").splitlines()
    assert lines == ['{"t": 0.0, "dir": "in", "msg": {"type": "connected"}}']


def test_names_become_file_names_that_stay_in_the_folder(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, clock=lambda: 0.0)
    recorder.session("../../Ötter\n").sent({"type": "connected"})
    recorder.close()
    assert [path.name for path in tmp_path.iterdir()] == ["_______tter_-1.jsonl"]


def test_sessions_of_an_earlier_run_in_the_same_folder_are_kept(tmp_path: Path) -> None:
    for word in ("first", "second"):
        recorder = Recorder(tmp_path, clock=lambda: 0.0)
        recorder.session("Heron").sent({"type": word})
        recorder.close()
    kept = {path.name: json.loads(path.read_text("utf-8"))["msg"]["type"] for path in tmp_path.glob("*.jsonl")}
    assert kept == {"Heron-1.jsonl": "first", "Heron-2.jsonl": "second"}
