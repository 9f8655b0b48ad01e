"""Full agents in matches, against a real server on loopback that stands in for a model."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from agent.arena.game.records import public_hand
from agent.evaluation.contender import FinishedHand
from agent.evaluation.table import Outcome
from agent.evaluation.workers import ClusterError
from agent.failure import ExitCode, Failure
from agent.llm.modes import Mode
from agent.llm.stand_in import StandIn
from agent.rivals import AgentContender, Agents, Rivals, check_names, notice
from agent.settings import Settings, SettingsError
from tests.evaluation.tables import passive, play
from tests.model_server import environment, model_server
from tests.spots import facing_a_raise
from tests.test_cli import run

MATCH = ("match", "agent:default", "published", "--seats", "2", "--stack", "10bb", "--hands", "240", "--json")


@pytest.fixture
def stand_in() -> Iterator[StandIn]:
    with model_server() as server:
        yield server


def settings(server: StandIn, folder: Path, **changes: str) -> Settings:
    return Settings.load(environment(server, folder, **changes), folder / ".env")


@pytest.fixture
def agents(stand_in: StandIn, tmp_path: Path) -> Iterator[Agents]:
    found = Agents(settings(stand_in, tmp_path))
    yield found
    found.close()


def result_of(played: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert played.returncode == 0, played.stderr
    result: dict[str, Any] = json.loads(played.stdout.splitlines()[-1])
    return {**result, "seconds": 0}


def test_a_match_asks_the_model_and_two_processes_give_the_same_numbers(stand_in: StandIn, tmp_path: Path) -> None:
    environ = environment(stand_in, tmp_path)
    one = run(tmp_path, *MATCH, "--out", "one.jsonl", **environ)
    result = result_of(one)
    assert result["a_sources"].keys() == {"llm"}
    assert stand_in.requests >= result["a_sources"]["llm"] > 100
    assert result_of(run(tmp_path, *MATCH, "--jobs", "2", "--out", "two.jsonl", **environ)) == result
    assert "agent:default asks custom/m, prompts " in one.stderr
    plan = json.loads((tmp_path / "one.jsonl").read_text(encoding="utf-8").splitlines()[0])["plan"]
    assert plan["behind"][0][0] == "agent:default"
    assert plan["behind"][0][1].startswith("custom/m, prompts ")


def test_a_match_of_one_model_is_not_gone_on_with_by_another(stand_in: StandIn, tmp_path: Path) -> None:
    environ = environment(stand_in, tmp_path)
    short = (*MATCH[:-2], "120", "--json")
    result_of(run(tmp_path, *short, **environ))
    asked = stand_in.requests
    result_of(run(tmp_path, *short, **environ | {"LLM_MODEL": "n"}))
    assert stand_in.requests > asked > 50
    # A report needs no model.
    lines = run(tmp_path, "match", "report", "--json").stdout.splitlines()
    assert [json.loads(line)["a"] for line in lines] == ["agent:default"] * 2


def test_what_plays_in_place_of_a_failing_model_is_seen_in_the_sources(agents: Agents, stand_in: StandIn) -> None:
    stand_in.mode = Mode.GARBLED
    failing = AgentContender(agents, agents.thinking("default", 1))
    failing.decide(facing_a_raise())
    stand_in.mode = Mode.HEALTHY
    failing.decide(facing_a_raise())
    assert failing.sources == {"rule": 1, "llm": 1}


def test_an_agent_keeps_the_statistics_of_whom_it_meets(agents: Agents) -> None:
    player = AgentContender(agents, agents.thinking("default", 1))
    outcome = play([player.decide, passive, passive])
    assert len(player.thinking.opponents) == 0
    player.hand_over(_finished(outcome))
    assert player.thinking.opponents.of("P1").hands == 1


def _finished(outcome: Outcome) -> FinishedHand:
    return FinishedHand(public_hand(outcome.hand), outcome.played)


def test_agents_are_asked_from_many_threads_and_can_be_closed_twice(agents: Agents) -> None:
    players = [AgentContender(agents, agents.thinking("default", seed)) for seed in range(4)]
    threads = [Thread(target=player.decide, args=(facing_a_raise(),)) for player in players]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [player.sources["llm"] for player in players] == [1] * 4
    agents.close()
    agents.close()


def test_a_process_that_would_play_another_model_refuses(
    stand_in: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment(stand_in, tmp_path).items():
        monkeypatch.setenv(name, value)
    planned = Rivals((("agent:default", "openai/another, prompts 0"),))
    with pytest.raises(ClusterError, match=r"agent:default would be custom/m, .* and the match is of openai/another"):
        planned("agent:default", 1)
    assert planned("equity", 1).sources == {}


def test_the_models_and_what_bounds_their_cost_are_told(stand_in: StandIn, tmp_path: Path) -> None:
    behind = (("agent:default", "custom/m, prompts 0"),)
    assert "No LLM_CAP_..._USD" in notice(behind, settings(stand_in, tmp_path), "9 hands")
    told = notice(behind, settings(stand_in, tmp_path, LLM_CAP_RUN_USD="0.5"), "9 hands")
    assert (
        told == "agent:default asks custom/m, prompts 0: 9 hands.\nEach process keeps to LLM_CAP_RUN_USD=0.5 by itself."
    )


def test_no_agent_plays_without_a_model(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="set LLM_PROVIDER and LLM_MODEL"):
        Agents(Settings.load({"LLM_PROVIDER": "none"}, tmp_path / ".env"))
    refused = run(tmp_path, "match", "agent:default", "policy")
    assert refused.returncode == ExitCode.UNUSABLE
    assert "set LLM_PROVIDER and LLM_MODEL" in refused.stderr
    assert not (tmp_path / "match.jsonl").exists()


@pytest.mark.parametrize("name", ["agent:nope", "agent:coach", "agent"])
def test_a_prompt_set_that_cannot_be_played_is_told_before_anything_is_asked(
    name: str, stand_in: StandIn, tmp_path: Path
) -> None:
    refused = run(tmp_path, "match", name, "equity", **environment(stand_in, tmp_path))
    assert refused.returncode == ExitCode.UNUSABLE
    assert f"{name.rstrip(':')}" in refused.stderr
    assert stand_in.requests == 0


def test_names_are_told_apart() -> None:
    assert check_names(["agent:a", "policy", "agent:b", "agent:a"]) == ("a", "b")
    for name, words in (("sharkk", "agent:PROMPT"), ("house:calling", "station"), ("equity:fast", "one form")):
        with pytest.raises(Failure, match=words):
            check_names([name])
