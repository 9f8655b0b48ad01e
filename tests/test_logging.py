import asyncio
import io
import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from agent.log_output import BYTES_PER_MB, bot_name, start_log
from agent.redaction import Redaction, Secrets
from agent.settings import Settings, SettingsError

NOWHERE = Path("/nonexistent/.env")
KEY = "op-7654321"
log = logging.getLogger("agent.test")


class Program:
    """A program's log with its terminal; `end` writes what is queued, as the end of the program does."""

    def __init__(self) -> None:
        self.terminal = io.StringIO()

    def start(self, **environ: str) -> None:
        settings = Settings.load({"OPEN_POKER_API_KEY": KEY, **environ}, NOWHERE)
        console = Console(file=self.terminal, width=40)
        start_log(settings, console, secrets=settings.secrets(), level=settings.agent_log_level, to_file=True)

    def end(self) -> str:
        for handler in logging.getLogger().handlers[:]:
            logging.getLogger().removeHandler(handler)
            handler.close()
        return self.terminal.getvalue()

    def json_lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.end().splitlines()]


@pytest.fixture
def program() -> Iterator[Program]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    root.handlers = []
    started = Program()
    yield started
    started.end()
    root.handlers = handlers
    root.setLevel(level)


def test_a_readable_line_holds_time_level_logger_and_message_and_is_never_wrapped(program: Program) -> None:
    program.start()
    log.warning("the socket was closed %d times in a row, dialling again", 3)
    time, rest = program.end().split(" ", 1)

    assert datetime.fromisoformat(time).utcoffset() == timedelta(0)
    assert rest == "WARNING agent.test: the socket was closed 3 times in a row, dialling again\n"


def test_a_json_line_holds_time_level_logger_message_and_extras(program: Program) -> None:
    program.start(AGENT_LOG_FORMAT="json")
    log.info("%s is over", "hand 7", extra={"net_chips": -40, "table_id": None, "level": "easy"})
    (line,) = program.json_lines()

    time = line.pop("ts")
    assert time.endswith("Z")
    assert datetime.fromisoformat(time).utcoffset() == timedelta(0)
    assert line == {
        "level": "INFO",
        "logger": "agent.test",
        "message": "hand 7 is over",
        "net_chips": -40,
        "table_id": None,
        "level_": "easy",
    }


def test_text_over_several_lines_and_control_characters_stay_one_json_line(program: Program) -> None:
    program.start(AGENT_LOG_FORMAT="json")
    log.info("one\ntwo \x1b[31m \u2028 \ud800", extra={"odds": float("nan"), "others": {1}})
    (line,) = program.json_lines()

    assert (line["message"], line["odds"], line["others"]) == ("one\ntwo \x1b[31m \u2028 \ud800", "nan", [1])


@pytest.mark.parametrize("form", ["text", "json"])
def test_secrets_are_hidden_in_message_exception_stack_and_extras_on_terminal_and_in_the_file(
    program: Program, tmp_path: Path, form: str
) -> None:
    file = tmp_path / "agent.log"
    program.start(AGENT_LOG_FORMAT=form, AGENT_LOG_FILE=str(file))
    try:
        raise ValueError(f"bad key {KEY}")
    except ValueError as error:
        extra = {"key": KEY, "nested": {KEY: [f"Bearer {KEY}", (error,)]}}
        log.exception("refused %s", KEY, extra=extra, stack_info=True)
    shown = program.end()

    for text in (shown, file.read_text(encoding="utf-8")):
        assert KEY not in text
        assert "refused [hidden]" in text
        assert "ValueError: bad key [hidden]" in text
    if form == "json":
        line = json.loads(shown)
        assert (line["key"], line["nested"]) == ("[hidden]", {"[hidden]": ["Bearer [hidden]", ["bad key [hidden]"]]})


def test_every_handler_hides_secrets(program: Program, tmp_path: Path) -> None:
    program.start(AGENT_LOG_FILE=str(tmp_path / "agent.log"))
    (gate,) = logging.getLogger().handlers
    targets: list[logging.Handler] = vars(gate)["_targets"]

    assert [any(isinstance(f, Redaction) for f in handler.filters) for handler in (gate, *targets)] == [True] * 3


def test_a_full_file_makes_room_for_a_second_one_and_the_oldest_goes(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "agent.log"
    program.start(AGENT_LOG_LEVEL="ERROR", AGENT_LOG_FILE=str(file), AGENT_LOG_FILE_MB="1", AGENT_LOG_FILES_KEPT="1")
    for number in range(250):
        log.error("line %d %s", number, "x" * 10_000)
    program.end()

    assert sorted(path.name for path in tmp_path.iterdir()) == ["agent.log", "agent.log.1"]
    assert max(path.stat().st_size for path in tmp_path.iterdir()) <= BYTES_PER_MB
    assert "line 249 " in file.read_text(encoding="utf-8")
    assert "line 0 " not in (tmp_path / "agent.log.1").read_text(encoding="utf-8")


def test_a_file_is_continued_by_the_next_run(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "agent.log"
    for run in ("first", "second"):
        program.start(AGENT_LOG_FILE=str(file))
        log.info("the %s run", run)
        program.end()

    assert [line.split(": ")[1] for line in file.read_text().splitlines()] == ["the first run", "the second run"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_told_once_and_the_terminal_goes_on(program: Program) -> None:
    program.start(AGENT_LOG_FILE="/dev/full")
    for number in range(50):
        log.info("line %d", number)
    shown = " ".join(program.end().split())

    assert shown.count("cannot be written (No space left on device); play goes on without it.") == 1
    assert "agent.test: line 49" in shown


def test_the_folder_of_the_log_file_is_made(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "new" / "logs" / "agent.log"
    program.start(AGENT_LOG_FILE=str(file))
    log.warning("hello")
    program.end()

    assert file.read_text(encoding="utf-8").endswith("agent.test: hello\n")


def test_a_log_file_in_no_folder_is_refused_by_name(program: Program, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SettingsError, match=r"AGENT_LOG_FILE: '.*/file/agent.log' cannot be written: "):
        program.start(AGENT_LOG_FILE=str(tmp_path / "file" / "agent.log"))


def test_a_message_whose_arguments_do_not_fit_is_logged_and_raises_nothing(program: Program) -> None:
    program.start()
    log.warning("%d hands", "many")

    assert "%d hands (its arguments do not fit it: ('many',))" in program.end()


def test_a_line_break_of_strangers_begins_no_line_for_people(program: Program) -> None:
    program.start()
    log.warning("the venue says %s", "x\n2026-09-20T00:00:00.000Z ERROR forged: \x1b[2J")

    assert program.end().endswith("the venue says x\\n2026-09-20T00:00:00.000Z ERROR forged: \\x1b[2J\n")


async def test_where_several_bots_play_a_line_says_whose_it_is(program: Program) -> None:
    program.start(AGENT_LOG_FORMAT="json")

    async def play(name: str) -> None:
        bot_name.set(name)
        log.info("hello")

    await asyncio.gather(play("heron"), play("otter"))
    log.info("done")

    assert [line.get("bot") for line in program.json_lines()] == ["heron", "otter", None]


def test_an_extra_without_a_text_and_one_that_holds_itself_are_logged() -> None:
    class Mute:
        def __str__(self) -> str:
            raise RuntimeError

    endless: list[Any] = []
    endless.append(endless)
    secrets = Secrets([KEY])

    assert secrets.hide_in(Mute()) == "a Mute without a text: RuntimeError"
    assert json.dumps(secrets.hide_in(endless)).count("[") == 8


async def test_a_terminal_that_is_held_does_not_hold_the_event_loop(program: Program) -> None:
    class Held(io.StringIO):
        def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
            super().__init__()
            self.loop, self.go_on = loop, asyncio.Event()

        def write(self, text: str) -> int:
            # Answered by the event loop alone: whoever writes from the loop itself would wait for ever.
            asyncio.run_coroutine_threadsafe(self.go_on.wait(), self.loop).result(timeout=20)
            return super().write(text)

    held = Held(asyncio.get_running_loop())
    program.terminal = held
    program.start()
    for number in range(3):
        log.info("line %d", number)
    assert held.getvalue() == ""
    held.go_on.set()

    assert "line 2" in await asyncio.to_thread(program.end)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("AGENT_LOG_FORMAT", "xml"),
        ("AGENT_LOG_FILE_MB", "0"),
        ("AGENT_LOG_FILES_KEPT", "0"),
        ("AGENT_METRICS_PORT", "70000"),
        ("AGENT_METRICS_PORT", "0"),
    ],
)
def test_a_bad_value_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(
        SettingsError, match=f"{name}: '{value}' cannot be used: .*(; allowed is 1 to|'text' or 'json')"
    ):
        Settings.load({name: value}, NOWHERE)


def test_play_with_a_log_file_that_cannot_be_written_ends_with_code_2(tmp_path: Path) -> None:
    failed = subprocess.run(
        [sys.executable, "-c", "from agent.cli import main; main()", "play"],
        cwd=tmp_path,
        env={"OPEN_POKER_API_KEY": KEY, "LLM_PROVIDER": "none", "AGENT_LOG_FILE": "/", "PATH": ""},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert failed.returncode == 2
    assert "AGENT_LOG_FILE: '/' cannot be written: Is a directory" in failed.stderr
    assert "Traceback" not in failed.stderr
