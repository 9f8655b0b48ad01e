"""A bot's run against a real arena: limits, quiet hours, several bots, competitions, and what a kill leaves behind."""

import asyncio
import json
import random
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from agent.arena.arena import Arena
from agent.arena.house.field import load_field
from agent.arena.modes import Pace
from agent.arena.settings import PACES, ArenaSettings
from agent.journal.reader import Reader
from agent.outing import Limits, quiet_hours
from agent.settings import Settings
from agent.stint import Stint
from tests.test_cli import PROGRAM, environment

KEY, OTHER_KEY = "key-of-heron", "key-of-lynx"


@asynccontextmanager
async def arena(**settings: Any) -> AsyncIterator[Arena]:
    rules = ArenaSettings(**{"seed": 3, **PACES[Pace.FAST], "action_clock_s": 10.0, **settings})
    async with Arena(rules, accounts={KEY: "Heron", OTHER_KEY: "Lynx"}, field=load_field()) as opened:
        yield opened


def settings_for(venue: Arena, folder: Path, **changes: str) -> Settings:
    environ = {
        "OPEN_POKER_API_KEY": KEY,
        "OPEN_POKER_WS_URL": venue.ws_url,
        "OPEN_POKER_API_URL": venue.api_url,
        "OPEN_POKER_CLOCK_S": "10",
        "OPEN_POKER_MARGIN_S": "2",
        "LLM_PROVIDER": "none",
        "JOURNAL_PATH": str(folder / "journal.sqlite3"),
        **changes,
    }
    return Settings.load(environ, folder / ".env")


def environment_at(venue: Arena, folder: Path, **changes: str) -> dict[str, str]:
    """The environment of a program that plays at `venue` by the rule alone."""
    addresses = {"OPEN_POKER_WS_URL": venue.ws_url, "OPEN_POKER_API_URL": venue.api_url}
    return environment(folder, LLM_PROVIDER="none", **addresses, **changes)


async def until(condition: Callable[..., Any]) -> None:
    """Wait until something that the arena knows has become true."""
    while not condition():  # noqa: ASYNC110 - the arena tells nobody
        await asyncio.sleep(0.02)


def stint_of(venue: Arena, folder: Path, limits: Limits, **changes: Any) -> Stint:
    return Stint(settings_for(venue, folder), "heron", limits, on_hand=lambda *_: None, **changes)


async def test_it_leaves_after_the_hands_it_was_given(tmp_path: Path) -> None:
    async with arena(between_hands_s=0.1) as venue:
        reason = await asyncio.wait_for(stint_of(venue, tmp_path, Limits(hands=5)).run(), 30)
        heron = venue.report().clients[0]
    assert reason.startswith("left the table: ")
    assert reason.endswith("hands are played")
    assert (heron.seated, heron.missed, heron.rejected) == (False, 0, 0)
    assert 5 <= heron.hands <= 6


async def test_it_leaves_once_it_has_lost_what_it_may_lose(tmp_path: Path) -> None:
    async with arena(pace_s=0.002) as venue:
        reason = await asyncio.wait_for(stint_of(venue, tmp_path, Limits(stop_loss_chips=30)).run(), 60)
        assert not venue.report().clients[0].seated
    assert reason.endswith("chips are lost")


async def test_it_leaves_when_its_time_is_up(tmp_path: Path) -> None:
    async with arena(pace_s=0.002) as venue:
        reason = await asyncio.wait_for(stint_of(venue, tmp_path, Limits(minutes=0.01)).run(), 30)
        assert venue.report().clients[0].hands > 0
    assert reason.endswith("0.01 minutes have passed")


async def test_it_sits_the_quiet_hours_out_and_comes_back(tmp_path: Path) -> None:
    began, started = datetime(2026, 9, 20, 1, 59, tzinfo=UTC), asyncio.get_running_loop().time()

    def hurried() -> datetime:
        # A second is a minute: one to play, two that are quiet.
        return began + timedelta(minutes=asyncio.get_running_loop().time() - started)

    async with arena(pace_s=0.002) as venue:
        stint = stint_of(venue, tmp_path, Limits(quiet=quiet_hours("02:00-02:02")), local_time=hurried)
        running = asyncio.create_task(stint.run())
        await until(lambda: bool(venue.report().clients) and venue.report().clients[0].hands > 0)
        await until(lambda: not venue.report().clients[0].connected)
        left = venue.report().clients[0]
        assert quiet_hours("02:00-02:02").contains(hurried())
        await until(lambda: venue.report().clients[0].hands > left.hands)
        assert not quiet_hours("02:00-02:02").contains(hurried())
        await stint.drain()
        assert await asyncio.wait_for(running, 10) == "left the table"
    assert not left.seated


async def test_a_private_competition_is_played_instead_of_the_league(tmp_path: Path) -> None:
    competition = "0a51c0de-7777-4b1e-9a00-3f2e11d0aa01"
    async with arena(pace_s=0.002) as venue:
        settings = settings_for(venue, tmp_path, OPEN_POKER_COMPETITION_ID=competition)
        await asyncio.wait_for(Stint(settings, "heron", Limits(hands=2), on_hand=lambda *_: None).run(), 30)
        league, private = venue.pools.all
    assert [account.hands for account in league.accounts] in ([], [0])
    assert private.accounts[0].hands >= 2


async def test_what_a_killed_run_had_answered_is_sent_again_and_not_thought_about_again(tmp_path: Path) -> None:
    async with arena(pace_s=0.002) as venue:
        await asyncio.wait_for(stint_of(venue, tmp_path, Limits(hands=3)).run(), 30)
    with Reader(tmp_path / "journal.sqlite3") as reader:
        since = datetime.now(UTC) - timedelta(minutes=5)
        assert reader.unconfirmed("heron", since) == []
        sent = [line["msg"] for line in reader.recording() if line["msg"].get("type") == "action"]
    assert sent
    with sqlite3.connect(tmp_path / "journal.sqlite3") as journal:
        journal.execute("DELETE FROM outcome")
    with Reader(tmp_path / "journal.sqlite3") as reader:
        assert reader.unconfirmed("heron", since) == sent
        assert reader.unconfirmed("lynx", since) == []
        assert reader.unconfirmed("heron", datetime.now(UTC) + timedelta(minutes=1)) == []


@pytest.mark.timeout(300)
async def test_a_program_killed_at_twenty_moments_misses_and_doubles_nothing(tmp_path: Path) -> None:
    rng, nowhere = random.Random(8), asyncio.subprocess.DEVNULL
    async with arena(pace_s=0.02, action_clock_s=60.0) as venue:
        environ = environment_at(venue, tmp_path, OPEN_POKER_API_KEY=KEY)
        for _ in range(20):
            answered = venue.report().actions
            program = await asyncio.create_subprocess_exec(
                *PROGRAM, "play", cwd=tmp_path, env=environ, stdout=nowhere, stderr=nowhere
            )
            await until(lambda answered=answered: venue.report().actions > answered)
            await asyncio.sleep(rng.random() * 0.4)
            program.kill()
            await program.wait()
        heron = venue.report().clients[0]
    assert heron.turns >= 20
    assert (heron.missed, heron.repeated, heron.rejected) == (0, 0, 0)
    with sqlite3.connect(tmp_path / "journal.sqlite3") as journal:
        assert journal.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert journal.execute("SELECT count(*) FROM run").fetchone() == (20,)
        assert journal.execute("SELECT count(*) FROM decision").fetchone()[0] >= 20


async def test_several_bots_play_from_one_file_each_with_its_journal(tmp_path: Path) -> None:
    async with arena(pace_s=0.002) as venue:
        (tmp_path / "bots.toml").write_text(
            '[[bot]]\nname = "heron"\nopen_poker_api_key = "$HERON_KEY"\n'
            f'[[bot]]\nname = "lynx"\nopen_poker_api_key = "{OTHER_KEY}"\nequity_margin = 0.1\n',
            encoding="utf-8",
        )
        environ = environment_at(venue, tmp_path, HERON_KEY=KEY)
        command = [*PROGRAM, "play", "--bots", "bots.toml", "--hands", "3"]
        program = await asyncio.create_subprocess_exec(
            *command, cwd=tmp_path, env=environ, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        out, err = await asyncio.wait_for(program.communicate(), 60)
        clients = {client.name: client for client in venue.report().clients}
    assert program.returncode == 0, err.decode()
    assert {clients["Heron"].missed, clients["Lynx"].missed} == {0}
    assert min(clients["Heron"].hands, clients["Lynx"].hands) >= 3
    lines = out.decode().splitlines()
    assert any(line.startswith("heron  #") for line in lines)
    assert any(line.startswith("lynx  #") for line in lines)
    assert "heron: left the table" in err.decode()
    for name in ("heron", "lynx"):
        with Reader(tmp_path / f"{name}.sqlite3") as reader:
            assert {hand.run_id for hand in reader.hands(100)}
            assert KEY not in json.dumps(list(reader.recording()))
