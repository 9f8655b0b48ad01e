"""`poker-agent spots` as a person and a program see it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from agent.evaluation.spot_suite import load_suite
from agent.failure import ExitCode, Failure
from agent.llm.modes import Mode
from agent.llm.stand_in import StandIn
from agent.settings import Settings, SettingsError
from agent.spots_command import SpotsOptions, list_spots, show
from agent.spots_command import run as run_spots
from tests.evaluation.test_spot_suite import SPOT
from tests.model_server import environment, model_server
from tests.test_cli import run

# One spot that whoever checks and calls passes, and one that only a bet passes.
TWO = (
    SPOT
    + SPOT.partition("[[spot]]")[1]
    + SPOT.partition("[[spot]]")[2]
    .replace('"one"', '"two"')
    .replace('["raise 33-80"]', '["check"]')
    .replace("{ check = 20 }", "{ raise = 0 }")
)


@pytest.fixture
def stand_in() -> Iterator[StandIn]:
    with model_server() as server:
        yield server


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    folder = tmp_path / "spots"
    folder.mkdir()
    (folder / "mine.toml").write_text(TWO, encoding="utf-8")
    return folder


@dataclass(frozen=True, slots=True)
class Printed:
    """What the command left: its exit code, what it printed for people and for machines, and what it said beside."""

    code: int
    text: str
    lines: list[dict[str, Any]]
    beside: str


class Runner:
    """Runs the command in this process."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.environ = {"LLM_PROVIDER": "none"}
        self._folder, self._capsys = folder, capsys

    def __call__(self, *players: str, as_json: bool = False, **changes: Any) -> Printed:
        options = SpotsOptions(
            **{"players": players, "model": None, "folder": None, "draws": None, "exit_zero": False} | changes
        )
        out, err, code = (*(Console(file=StringIO(), width=160) for _ in range(2)), 0)
        settings = Settings.load(self.environ, self._folder / ".env")
        try:
            run_spots(options, settings, out, err, as_json=as_json)
        except Failure as failure:
            code = failure.exit_code
            err.print(str(failure), markup=False)
        printed = self._capsys.readouterr().out.splitlines()
        return Printed(code, text_of(out), [json.loads(line) for line in printed], text_of(err))


def text_of(console: Console) -> str:
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


@pytest.fixture
def spots(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Runner:
    return Runner(tmp_path, capsys)


def test_a_spot_that_is_failed_is_told_with_what_is_right_and_why(suite: Path, spots: Runner) -> None:
    played = spots("equity", folder=suite)
    assert played.code == ExitCode.FAILED
    assert "1 of 2 spots failed" in played.beside
    for words in ("equity fails", "check 20/20", "raise 33-80, check at most 20 %", "It is ahead.", "1 of 2"):
        assert words in played.text
    assert spots("equity", folder=suite, exit_zero=True).code == ExitCode.DONE


def test_machines_get_a_line_for_each_spot_and_one_for_the_whole(suite: Path, spots: Runner) -> None:
    *lines, last = spots("equity", "house:station:master", draws=3, folder=suite, as_json=True).lines
    assert [(line["player"], line["spot"]) for line in lines[:2]] == [("equity", "one"), ("equity", "two")]
    assert lines[0]["played"] == {"check": 3}
    assert [line["passed"] for line in lines[:2]] == [False, True]
    assert sum(lines[2]["played"].values()) == 3
    assert [report["player"] for report in last["players"]] == ["equity", "house:station:master"]
    assert last["players"][0]["themes"] == {"flops": [1, 2]}
    assert "unanswered" not in last["players"][0]


def test_the_program_tests_the_policy_on_its_own_spots_when_nobody_is_named(tmp_path: Path) -> None:
    played = run(tmp_path, "spots", "run", "--draws", "1", "--exit-zero", "--json")
    report = json.loads(played.stdout.splitlines()[-1])["players"][0]
    assert played.returncode == ExitCode.DONE
    assert report["player"] == "policy"
    assert report["spots"] == len(load_suite())


def test_an_agent_is_asked_once_a_spot_and_its_model_is_told(
    suite: Path, stand_in: StandIn, spots: Runner, tmp_path: Path
) -> None:
    spots.environ = environment(stand_in, tmp_path)
    played = spots(model="custom/n", folder=suite, exit_zero=True, as_json=True)
    *lines, last = played.lines
    report = last["players"][0]
    assert report["player"] == "agent:default"
    assert report["behind"].startswith("custom/n, ")
    assert (report["questions"], report["sources"], report["unanswered"]) == (2, {"llm": 2}, 0)
    assert report["prompt_tokens"] > 0
    assert report["latency_ms_p50"] > 0
    assert report["cost_usd"] is None
    assert all(line["model_reasons"] for line in lines)
    assert "agent:default asks custom/n" in played.beside
    assert "2 questions, failures: none; 0 spots" in spots("agent:default", folder=suite).text


def test_what_a_failing_model_left_to_the_rule_is_failed_and_shown_apart(
    suite: Path, stand_in: StandIn, spots: Runner, tmp_path: Path
) -> None:
    stand_in.mode, spots.environ = Mode.GARBLED, environment(stand_in, tmp_path)
    played = spots("agent:default", folder=suite, as_json=True)
    *lines, last = played.lines
    assert played.code == ExitCode.FAILED
    # The rule checks, which is right in the second spot: the model has no part in it.
    assert lines[1]["played"] == {"check": 1}
    assert [line["passed"] for line in lines] == [False, False]
    assert last["players"][0]["unanswered"] == 2
    assert last["players"][0]["failures"] == {"unusable": 4}
    told = spots("agent:default", folder=suite).text
    assert "its model did not decide" in " ".join(told.split())
    assert "2 spots were decided by something else" in told


def test_another_providers_key_is_not_sent_to_the_model_that_is_named(
    stand_in: StandIn, spots: Runner, tmp_path: Path
) -> None:
    spots.environ = environment(stand_in, tmp_path, LLM_API_KEY="sk-of-the-first")
    refused = spots("agent:default", model="openai/x")
    assert refused.code == ExitCode.UNUSABLE
    assert "OPENAI_API_KEY is missing" in refused.beside
    assert stand_in.requests == 0


@pytest.mark.parametrize(
    ("players", "changes", "words"),
    [
        (("nobody",), {}, "no player is called 'nobody'"),
        (("policy",), {"model": "ollama/x"}, "--model is for agents"),
        ((), {"model": "x"}, "expected PROVIDER/MODEL"),
        ((), {"model": "none/x"}, "expected PROVIDER/MODEL"),
        ((), {"folder": Path("nowhere")}, "nowhere holds no spots"),
    ],
)
def test_what_cannot_be_run_is_told(
    players: tuple[str, ...], changes: dict[str, Any], words: str, spots: Runner
) -> None:
    refused = spots(*players, **changes)
    assert refused.code == ExitCode.UNUSABLE
    assert words in refused.beside


def test_an_agent_without_a_model_cannot_be_tested(spots: Runner) -> None:
    with pytest.raises(SettingsError, match="set LLM_PROVIDER and LLM_MODEL"):
        spots("agent:default")


def test_spots_are_listed_and_shown(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = Console(file=StringIO(), width=160)
    list_spots(suite, out, as_json=False)
    show(suite, "one", out, as_json=False)
    for words in (
        "K♥ 7♣ 2♠",
        "raise 33-80",
        "BTN raise 50, SB fold, BB call",
        "known from 500 hands: VPIP 59%",
        "It is ahead.",
        "110 chips",
    ):
        assert words in text_of(out)
    list_spots(None, out, as_json=True)
    names = [json.loads(line)["spot"] for line in capsys.readouterr().out.splitlines()]
    assert names == [spot.id for spot in load_suite()]
    show(suite, "one", out, as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert told["known"]["seat 1"]["hands"] == 500
    assert told["values"]["hole_cards"] == "AsKd"
    with pytest.raises(Failure, match="no spot is called nothing"):
        show(suite, "nothing", out, as_json=False)
