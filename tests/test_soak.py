"""The soak: every fault has its occasions, outings end and begin anew, and what must never happen is told."""

import asyncio
import io
import json
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from agent.arena.faults.plan import FaultName
from agent.journal.reader import Reader
from agent.settings import Settings
from agent.soak import HERO, RATES, SoakResult, soak
from agent.terminal.play import render_soak
from tests.test_cli import run

# What no frame of an ordinary hand can be struck by, as often as a short soak needs.
SELDOM: list[dict[FaultName, float]] = [
    {FaultName.LATE_TABLE_CLOSED: 1.0},
    {FaultName.ROSTER_ORDER: 0.5, FaultName.NON_ASCII_NAMES: 0.5, FaultName.HUGE_STACKS: 0.5},
    {FaultName.REST_429: 1.0},
    {FaultName.REST_500: 1.0},
    {FaultName.REST_TIMEOUT: 1.0},
]
GOOD = SoakResult(
    hands=1,
    turns=1,
    missed_turns=0,
    double_actions=0,
    illegal_actions=0,
    rejected=0,
    reconnects=0,
    resyncs=0,
    faults={},
    by_source={},
    net_chips=0,
    chips_reconciled=True,
    resent_s_p95=None,
    rss_growth_mb=0.0,
    loop_lag_p99_ms=0.0,
    seconds=1.0,
    seed=7,
)


def soaked(folder: Path, *, hands: int, outing_hands: int, rates: Mapping[FaultName, float]) -> SoakResult:
    settings = Settings.load({"JOURNAL_PATH": str(folder / "journal.sqlite3")}, folder / ".env")
    return asyncio.run(
        soak(settings, hands=hands, seed=7, on_hand=lambda _: None, rates=rates, outing_hands=outing_hands)
    )


def frames(folder: Path) -> list[tuple[str, dict[str, Any]]]:
    """Direction and message of every frame in the journal."""
    with Reader(folder / "journal.sqlite3") as reader:
        return [(line["dir"], line["msg"]) for line in reader.recording()]


def test_the_soak_has_a_rate_for_every_fault() -> None:
    assert set(RATES) == set(FaultName)
    assert min(RATES.values()) > 0


@pytest.mark.parametrize("rates", SELDOM, ids=lambda rates: "-".join(rates))
def test_what_has_few_occasions_strikes_too_and_costs_nothing(rates: dict[FaultName, float], tmp_path: Path) -> None:
    result = soaked(tmp_path, hands=12, outing_hands=6, rates=rates)

    assert result.faults.keys() == {str(name) for name in rates}
    assert [name for name, count in result.faults.items() if not count] == []
    assert result.holds
    assert (result.rejected, result.reconnects) == (0, 0)


def test_every_outing_ends_with_a_leave_and_the_next_one_begins_cold(tmp_path: Path) -> None:
    result = soaked(tmp_path, hands=20, outing_hands=5, rates={FaultName.LOST_ACK: 0.0})

    told = frames(tmp_path)
    kinds = [message["type"] for direction, message in told if direction == "out" and message["type"] != "action"]
    outings = [message["type"] for _, message in told].count("connected")
    assert 3 <= outings <= 4
    assert kinds == ["join_lobby", "set_auto_rebuy", "leave_table"] * outings
    assert result.reconnects == 0
    assert result.faults == {"lost_ack": 0}


def test_others_come_and_go_while_we_play(tmp_path: Path) -> None:
    soaked(tmp_path, hands=40, outing_hands=40, rates={})

    others = [(m["type"], m["name"]) for _, m in frames(tmp_path) if m["type"] in ("player_joined", "player_left")]
    gone = {name for kind, name in others if kind == "player_left" and name != HERO}
    assert gone
    assert {name for kind, name in others if kind == "player_joined"} - gone


def test_a_fault_that_never_struck_is_named_so() -> None:
    out = io.StringIO()
    render_soak(Console(file=out, width=80), asdict(replace(GOOD, faults={"lost_ack": 1_234, "huge_stacks": 0})))
    assert [line.split() for line in out.getvalue().splitlines() if "_" in line] == [
        ["lost_ack", "1,234"],
        ["huge_stacks", "never"],
    ]


def test_the_program_prints_a_line_of_json_with_every_fault_and_every_figure(tmp_path: Path) -> None:
    done = run(tmp_path, "soak", "--hands", "3", "--seed", "7", "--json", LLM_PROVIDER="none")

    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result.keys() == {field.name for field in fields(SoakResult)}
    assert result["faults"].keys() == {str(name) for name in FaultName}
    assert result["hands"] >= 3


@pytest.mark.parametrize(
    "wrong", [{"missed_turns": 1}, {"double_actions": 1}, {"illegal_actions": 1}, {"chips_reconciled": False}]
)
def test_what_must_never_happen_is_not_passed_over(wrong: dict[str, Any]) -> None:
    assert GOOD.holds
    assert not replace(GOOD, **wrong).holds
