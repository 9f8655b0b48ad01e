"""`poker-agent arena`, run as a user runs it."""

import json
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import connect

from agent.arena.modes import Pace
from agent.failure import Failure
from agent.serve import arena_settings
from tests.test_cli import PROGRAM, environment, run


@contextmanager
def serving(folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """The program at a free port, and what it says once it listens."""
    command = [*PROGRAM, "arena", "serve", "--port", "0", "--json", *arguments]
    with subprocess.Popen(
        command, cwd=folder, env=environment(folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as program:
        try:
            assert program.stdout is not None
            yield program, json.loads(program.stdout.readline())
        finally:
            program.kill()


def play(url: str, hands: int) -> list[dict[str, Any]]:
    """Check or fold for so many hands; every frame that came."""
    frames: list[dict[str, Any]] = []
    with connect(url, additional_headers={"Authorization": "Bearer Heron"}) as venue:
        venue.send(json.dumps({"type": "join_lobby"}))
        while sum(frame["type"] == "hand_result" for frame in frames) < hands:
            frame = json.loads(venue.recv(timeout=30))
            frames.append(frame)
            if frame["type"] == "your_turn":
                verb = "check" if any(e["action"] == "check" for e in frame["valid_actions"]) else "fold"
                turn = {key: frame[key] for key in ("hand_id", "turn_token")}
                venue.send(
                    json.dumps({"type": "action", "action": verb, "client_action_id": turn["turn_token"], **turn})
                )
    return frames


def test_any_client_plays_and_ctrl_c_tells_how_it_fared(tmp_path: Path) -> None:
    with serving(tmp_path, "--set", "max_hands=20", "--record", "runs") as (program, listening):
        assert listening["event"] == "listening"
        health = httpx.get(listening["api_url"].removesuffix("/api") + "/health")
        assert health.json() == {"status": "ok"}
        frames = play(listening["ws_url"], hands=20)
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=30)
    events = [json.loads(line) for line in out.splitlines()]
    assert (program.returncode, err) == (0, "")
    assert [event["event"] for event in events[:20]] == ["hand"] * 20
    assert all(sum(event["net_chips"].values()) == 0 for event in events if event["event"] == "hand")
    closed = events[-1]
    heron = closed["clients"][0]
    assert (closed["event"], heron["name"], heron["missed"], heron["rejected"]) == ("closed", "Heron", 0, 0)
    assert heron["turns"] == sum(frame["type"] == "your_turn" for frame in frames)
    assert {path.name for path in (tmp_path / "runs").iterdir()} == {"Heron-1.jsonl", "hands.phhs"}
    replayed = run(tmp_path, "frames", "runs/Heron-1.jsonl", "--json")
    found = json.loads(replayed.stdout)
    assert (replayed.returncode, found["problems"]) == (0, [])
    assert found["hashes_matched"] == found["hashes_checked"] > 100


def test_faults_are_told_at_the_end(tmp_path: Path) -> None:
    (tmp_path / "faults.toml").write_text("[duplicate_prompt]\nrate = 1.0\n", encoding="utf-8")
    with serving(tmp_path, "--faults", "faults.toml") as (program, listening):
        prompts = sum(frame["type"] == "your_turn" for frame in play(listening["ws_url"], hands=5))
        program.send_signal(signal.SIGTERM)
        out, _ = program.communicate(timeout=30)
    assert 2 <= prompts <= 2 * json.loads(out.splitlines()[-1])["faults"]["duplicate_prompt"]


def test_people_are_told_where_to_connect(tmp_path: Path) -> None:
    command = [*PROGRAM, "arena", "serve", "--port", "0", "--format", "freezeout"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment(tmp_path), stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None
        killer = threading.Timer(60, program.kill)
        killer.start()
        shown = [program.stdout.readline() for _ in range(3)]
        program.send_signal(signal.SIGINT)
        rest, _ = program.communicate(timeout=30)
        killer.cancel()
    assert shown[0].startswith("WebSocket  ws://127.0.0.1:")
    assert shown[1].startswith("REST       http://127.0.0.1:")
    assert "freeze-outs of 2,000 chips" in shown[2]
    assert "no client has connected yet" in rest


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--field", "none.toml"), "none.toml"),
        (("--faults", "broken.toml"), "earthquake"),
        (("--keys", "broken.toml"), "broken.toml"),
        (("--set", "action_clock_s=soon"), "action_clock_s=soon"),
        (("--set", "gravity=1"), "arena settings"),
        (("--set", "all_in_verb=shove"), "all_in"),
        (("--set", "seats=9"), "expected 2 to 6"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    (tmp_path / "broken.toml").write_text("[earthquake]\nrate = 1.0\n", encoding="utf-8")
    refused = run(tmp_path, "arena", "serve", *arguments)
    assert refused.returncode == 2
    assert said in refused.stderr.replace("\n", " ")
    assert "Traceback" not in refused.stderr


def test_a_port_that_is_taken_is_an_error(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        refused = run(tmp_path, "arena", "serve", "--port", str(taken.getsockname()[1]))
    assert refused.returncode == 1
    assert "cannot serve" in refused.stderr
    assert "in use" in refused.stderr


def test_settings_and_faults_are_listed(tmp_path: Path) -> None:
    settings = json.loads(run(tmp_path, "arena", "settings", "--json").stdout)
    faults = json.loads(run(tmp_path, "arena", "faults", "--json").stdout)
    assert any(setting["name"] == "action_clock_s" and setting["default"] == 45.0 for setting in settings)
    assert any(fault["name"] == "lost_ack" for fault in faults)
    assert "lost_ack" in run(tmp_path, "arena", "faults").stdout


def test_overrides_win_over_the_pace_and_reach_the_dialect() -> None:
    settings = arena_settings(
        Pace.LIVE, {"tables": 3}, ["pace_s=0.5", "max_hands=10", "season_s=none", "float_chips=true"]
    )
    assert (settings.tables, settings.pace_s, settings.max_hands, settings.season_s) == (3, 0.5, 10, None)
    assert settings.dialect.float_chips
    assert settings.matchmaking_s == 10.0
    with pytest.raises(Failure, match="NAME=VALUE"):
        arena_settings(Pace.FAST, {}, ["dialect=x"])
