"""What was learned about a model outlives the process, for two weeks, in a file that may be in any state."""

import datetime as dt
import fcntl
import json
import logging
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from agent.llm.learned import Learned
from agent.llm.request_shape import Lesson

from .conftest import MakeChat
from .scripted import CALL, KEY, REQUEST, Provider, Reply, completion

URL = "https://me:pass-5f2c91@api.example.com/v1?key=secret"
LESSON = Lesson("json_object", "max_completion_tokens", frozenset({"temperature", "tool_choice"}), 4_096, 8_192)
NOW = dt.datetime(2026, 11, 30, 12, 0, tzinfo=dt.UTC)


class Clock:
    """A time of day that a test moves by hand."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> dt.datetime:
        return self.now


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "learned.json"


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


def test_a_lesson_is_kept_for_the_next_process(path: Path) -> None:
    Learned(path).remember(URL, "m1", LESSON)
    later = Learned(path)
    assert later.lesson_for(URL, "m1") == LESSON
    assert later.lesson_for(URL, "m2") is None
    assert later.lesson_for("https://elsewhere.example.com/v1", "m1") is None


def test_the_file_holds_no_secret_and_nothing_lies_beside_it(path: Path) -> None:
    Learned(path).remember(URL, "m1", LESSON)
    text = path.read_text("utf-8")
    assert "https://api.example.com/v1 m1" in text
    assert all(secret not in text for secret in ("pass-5f2c91", "secret", "me:"))
    assert [file.name for file in path.parent.iterdir()] == ["learned.json"]


@pytest.mark.parametrize(("days", "is_kept"), [(13.9, True), (14.0, False), (400.0, False)])
def test_a_lesson_holds_for_two_weeks(days: float, is_kept: bool, path: Path) -> None:
    clock = Clock()
    learned = Learned(path, clock=clock)
    learned.remember(URL, "m1", LESSON)
    clock.now += dt.timedelta(days=days)
    assert (learned.lesson_for(URL, "m1") is not None) is is_kept


def test_old_lessons_are_cleared_away_and_young_ones_of_others_kept(path: Path) -> None:
    clock = Clock()
    learned = Learned(path, clock=clock)
    learned.remember(URL, "old", LESSON)
    clock.now += dt.timedelta(days=10)
    learned.remember(URL, "young", LESSON)
    clock.now += dt.timedelta(days=10)
    Learned(path, clock=clock).remember(URL, "new", LESSON)
    assert [key.split()[-1] for key in json.loads(path.read_text("utf-8"))["models"]] == ["young", "new"]


def test_no_file_is_no_problem(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert Learned(path).lesson_for(URL, "m1") is None
    assert warnings(caplog) == []
    assert not path.exists()


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"[]", b"7", b'{"format": "other"}'])
def test_a_broken_or_foreign_file_is_left_alone_and_said_once(
    content: bytes, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path.write_bytes(content)
    learned = Learned(path)
    for _ in range(3):
        assert learned.lesson_for(URL, "m1") is None
        learned.remember(URL, "m1", LESSON)
    assert path.read_bytes() == content
    assert len(warnings(caplog)) == 1
    assert "LLM_LEARNED_PATH" in warnings(caplog)[0]


def test_a_place_that_cannot_be_written_is_said_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    learned = Learned(tmp_path / "missing" / "learned.json")
    for _ in range(2):
        learned.remember(URL, "m1", LESSON)
    assert len(warnings(caplog)) == 1
    assert "cannot be written" in warnings(caplog)[0]


@pytest.mark.parametrize(
    "change",
    [
        {"structured": "xml"},
        {"structured": ["plain"]},
        {"token_limit": "tokens"},
        {"token_limit": {}},
        {"dropped": "temperature"},
        {"dropped": [1]},
        {"least_tokens": "many"},
        {"least_tokens": -1},
        {"least_tokens": 10**9},
        {"least_tokens": 15},
        {"least_tokens": True},
        {"most_tokens": 1},
        {"most_tokens": 100_001},
        {"learned_at": None},
        {"learned_at": "yesterday"},
        {"learned_at": "2026-11-30T12:00:00"},
        {"learned_at": "2026-11-30T12:00:01+00:00"},
        {"learned_at": "2999-01-01T00:00:00+00:00"},
        {"learned_at": "0001-01-01T00:00:00+23:59"},
    ],
)
def test_a_bad_entry_is_learned_anew(change: dict[str, Any], path: Path) -> None:
    learned = Learned(path, clock=Clock())
    learned.remember(URL, "m1", LESSON)
    content = json.loads(path.read_text("utf-8"))
    for entry in content["models"].values():
        entry.update(change)
    path.write_text(json.dumps(content), "utf-8")
    assert learned.lesson_for(URL, "m1") is None
    learned.remember(URL, "m1", LESSON)
    assert learned.lesson_for(URL, "m1") == LESSON


def test_of_many_that_write_at_once_nobody_loses_a_lesson(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def write(server: str) -> None:
        learned = Learned(path)
        for number in range(50):
            learned.remember(f"http://{server}/v1", f"m{number}", LESSON)

    learned, servers = Learned(path), ("a", "b", "c")
    with ThreadPoolExecutor() as writers:
        writing = [writers.submit(write, server) for server in servers]
        while not all(task.done() for task in writing):
            learned.lesson_for("http://a/v1", "m0")
    for task in writing:
        task.result()
    assert warnings(caplog) == []
    kept = json.loads(path.read_text("utf-8"))["models"]
    assert set(kept) == {f"http://{server}/v1 m{number}" for server in servers for number in range(50)}


def test_who_hangs_while_it_holds_the_file_holds_up_nobody(path: Path) -> None:
    handle = os.open(path.parent, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    Learned(path).remember(URL, "m1", LESSON)
    os.close(handle)
    assert Learned(path).lesson_for(URL, "m1") == LESSON


def test_a_link_to_the_file_stays_one(path: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    target = tmp_path / "elsewhere" / "lessons.json"
    path.symlink_to(target)
    Learned(path).remember(URL, "m1", LESSON)
    assert path.is_symlink()
    assert Learned(target).lesson_for(URL, "m1") == LESSON


def test_a_pipe_is_not_waited_for(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    os.mkfifo(path)
    learned = Learned(path)
    assert learned.lesson_for(URL, "m1") is None
    learned.remember(URL, "m1", LESSON)
    assert len(warnings(caplog)) == 1


def text_of(path: Path) -> str | None:
    """What the file says, None when there is none."""
    return path.read_text("utf-8") if path.exists() else None


REFUSED = Reply(400, {"error": {"message": "temperature is not supported", "param": "temperature"}})
NO_SCHEMA = Reply(400, {"error": {"message": "json_schema is not supported"}})
NO_ROOM = Reply(200, completion({"content": None}, finish_reason="length"))
ANSWER = Reply(200, CALL)


async def test_the_next_run_asks_at_once_as_the_last_one_learned(path: Path, make_chat: MakeChat) -> None:
    async with Provider(REFUSED, NO_SCHEMA, NO_ROOM, ANSWER) as provider:
        for _ in range(2):
            chat = make_chat(provider.base_url, temperature=0.2, learned=Learned(path))
            await chat.ask(REQUEST, budget_s=5)
    assert len(provider.sent) == 5
    assert provider.sent[4] == provider.sent[3]
    assert provider.sent[4]["response_format"] == {"type": "json_object"}
    assert provider.sent[4]["max_tokens"] == 4_096
    assert KEY not in (text_of(path) or KEY)


async def test_one_blank_reply_leaves_no_lesson(path: Path, make_chat: MakeChat) -> None:
    blank = Reply(200, completion({"content": ""}))
    async with Provider(blank, ANSWER) as provider:
        await make_chat(provider.base_url, learned=Learned(path)).ask(REQUEST, budget_s=5)
    assert text_of(path) is None


async def test_a_larger_cap_of_the_settings_beats_a_learned_one(path: Path, make_chat: MakeChat) -> None:
    async with Provider(NO_ROOM, ANSWER) as provider:
        await make_chat(provider.base_url, learned=Learned(path)).ask(REQUEST, budget_s=5)
        await make_chat(provider.base_url, learned=Learned(path), max_tokens=8_000).ask(REQUEST, budget_s=5)
    assert [sent["max_tokens"] for sent in provider.sent] == [256, 4_096, 8_000]


async def test_nothing_is_kept_that_led_to_no_answer(path: Path, make_chat: MakeChat) -> None:
    async with Provider(REFUSED, Reply(500, "down")) as provider:
        with pytest.raises(Exception, match="HTTP 500"):
            await make_chat(provider.base_url, temperature=0.2, learned=Learned(path)).ask(REQUEST, budget_s=5)
    assert text_of(path) is None


async def test_a_model_that_takes_the_first_request_needs_no_file(path: Path, make_chat: MakeChat) -> None:
    async with Provider(ANSWER) as provider:
        await make_chat(provider.base_url, learned=Learned(path)).ask(REQUEST, budget_s=5)
    assert text_of(path) is None


async def test_a_lesson_that_no_longer_holds_is_learned_anew(path: Path, make_chat: MakeChat) -> None:
    async with Provider(NO_SCHEMA, ANSWER) as provider:
        Learned(path).remember(provider.base_url, "m1", Lesson("json_object", "max_tokens"))
        await make_chat(provider.base_url, learned=Learned(path)).ask(REQUEST, budget_s=5)
        lesson = Learned(path).lesson_for(provider.base_url, "m1")
    assert lesson is not None
    assert lesson.structured == "tool"
