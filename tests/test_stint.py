"""A bot's run against a real arena: limits, quiet hours, several bots, competitions, and what a kill leaves behind."""

import asyncio
import io
import json
import os
import random
import signal
import sqlite3
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest
from rich.console import Console

from agent.arena.arena import Arena
from agent.arena.house.field import load_field
from agent.arena.modes import Pace
from agent.arena.settings import PACES, ArenaSettings
from agent.bots import Bot
from agent.commands import _conclude, _End, _play, _until_its_end
from agent.failure import ExitCode, Failure
from agent.journal.reader import Reader
from agent.openpoker.contestant import Contestant, Timing
from agent.openpoker.rest import RestApi
from agent.outing import Limits, Outing, quiet_hours
from agent.player import Player
from agent.settings import Settings
from agent.stint import Stint
from agent.strategy.opponents import Opponents
from agent.wiring import build_contestant, build_thinking, open_journal
from tests.openpoker.script import HAND, TOKEN, Script
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
    now = datetime(2026, 9, 20, 1, 59, tzinfo=UTC)

    async with arena(pace_s=0.002) as venue:
        stint = stint_of(venue, tmp_path, Limits(quiet=quiet_hours("02:00-02:02")), local_time=lambda: now)
        running = asyncio.create_task(stint.run())
        await until(lambda: bool(venue.report().clients) and venue.report().clients[0].hands > 0)
        # So near to their end it looks at the clock every second.
        now = now.replace(hour=2, minute=1, second=59)
        await until(lambda: not venue.report().clients[0].connected)
        left = venue.report().clients[0]
        await asyncio.sleep(2.5)
        assert venue.report().clients[0].hands == left.hands
        now = now.replace(minute=2, second=0)
        await until(lambda: venue.report().clients[0].hands > left.hands)
        await stint.drain()
        assert await asyncio.wait_for(running, 10) == "left the table"
    assert not left.seated


async def test_quiet_hours_that_are_over_before_the_hand_is_are_no_end(tmp_path: Path) -> None:
    is_quiet = False

    def clock() -> datetime:
        return datetime(2026, 9, 20, 2 if is_quiet else 12, tzinfo=UTC)

    async with arena(pace_s=0.02) as venue:
        stint = stint_of(venue, tmp_path, Limits(quiet=quiet_hours("02:00-03:00")), local_time=clock)
        running = asyncio.create_task(stint.run())
        await until(lambda: bool(venue.report().clients) and venue.report().clients[0].hands > 0)
        is_quiet = True
        await until(lambda: stint._is_resting)
        # It has been told to leave, and whatever it is doing there is still to be finished.
        is_quiet = False
        left = venue.report().clients[0].hands
        await until(lambda: running.done() or venue.report().clients[0].hands > left + 2)
        assert not running.done()
        await stint.drain()
        assert await asyncio.wait_for(running, 10) == "left the table"


async def test_waking_a_moment_before_the_quiet_hours_end_is_no_end(tmp_path: Path) -> None:
    began, loop = datetime(2026, 9, 20, 2, 59, 59, 900_000, tzinfo=UTC), asyncio.get_running_loop()
    asked_first: list[float] = []

    def slow() -> datetime:
        # The clock on the wall does not keep up with the one that sleeping goes by, until it is too late to stay.
        asked_first.append(loop.time())
        behind = timedelta(seconds=(loop.time() - asked_first[0]) / 4)
        return began + (timedelta(hours=1) if stint._is_resting else behind)

    async with arena(pace_s=0.002) as venue:
        stint = stint_of(venue, tmp_path, Limits(hands=1, quiet=quiet_hours("02:00-03:00")), local_time=slow)
        reason = await asyncio.wait_for(stint.run(), 30)
        assert venue.report().clients[0].hands >= 1
    assert reason.endswith("hands are played")


async def test_a_limit_that_the_last_hand_undoes_is_still_the_reason(tmp_path: Path) -> None:
    limits = Limits(stop_loss_chips=500)
    outing, stint = Outing(limits, began=time.monotonic()), Stint(Settings(), "heron", limits, lambda *_: None)

    class Lucky:
        """Loses all that may be lost in one hand, and wins it back in the one that is still to be finished."""

        def __init__(self) -> None:
            self.asked = asyncio.Event()

        async def run(self) -> str:
            outing.hand_over(-500)
            await self.asked.wait()
            outing.hand_over(900)
            return "left the table"

        async def drain(self) -> None:
            self.asked.set()

    reason = await asyncio.wait_for(stint._play(outing, cast("Callable[[], Contestant]", Lucky)), 10)
    assert reason == "left the table: 500 chips are lost"


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


async def test_whom_it_met_is_known_again_after_a_restart(tmp_path: Path) -> None:
    known: list[dict[str, int]] = []

    def keep(player: Player) -> None:
        known.append(hands_of(player.thinking.opponents))

    async with arena(pace_s=0.002) as venue:
        for _ in range(2):
            await asyncio.wait_for(stint_of(venue, tmp_path, Limits(hands=10), on_start=keep).run(), 30)
            with Reader(tmp_path / "journal.sqlite3") as reader:
                known.append({line.opponent.name: line.opponent.hands for line in reader.opponents()})
    start, after_first, again, after_second = known

    assert start == {}
    assert "Heron" not in after_first
    assert again == after_first
    assert len(after_first) >= 5
    assert max(after_first.values()) >= 9
    assert sum(after_second.values()) > sum(after_first.values()) + 20


def hands_of(book: Opponents) -> dict[str, int]:
    return {name: known["statistics"]["hands"] for name, known in book.as_dict().items()}


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


def bots_file(folder: Path, **keys: str) -> None:
    tables = (f'[[bot]]\nname = "{name}"\nopen_poker_api_key = "{key}"\n' for name, key in keys.items())
    (folder / "bots.toml").write_text("".join(tables), encoding="utf-8")


async def started(folder: Path, environ: dict[str, str], *arguments: str) -> asyncio.subprocess.Process:
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(
        *PROGRAM, "play", *arguments, cwd=folder, env=environ, stdout=pipe, stderr=pipe
    )


async def until_said(program: asyncio.subprocess.Process, words: str) -> str:
    """What the program says on stderr up to the line with these words."""
    heard = ""
    assert program.stderr is not None
    while words not in heard:
        line = (await asyncio.wait_for(program.stderr.readline(), 60)).decode()
        assert line, heard
        heard += line
    return heard


async def play(folder: Path, environ: dict[str, str], *arguments: str) -> tuple[int | None, str, str]:
    program = await started(folder, environ, *arguments)
    out, err = await asyncio.wait_for(program.communicate(), 90)
    return program.returncode, out.decode(), err.decode()


async def test_bots_that_cannot_play_are_named_and_the_others_play_on_and_leave(tmp_path: Path) -> None:
    bots_file(tmp_path, crane="key-of-crane", heron=KEY, lynx=OTHER_KEY)
    with (tmp_path / "bots.toml").open("a", encoding="utf-8") as file:
        file.write('prompt_set = "poetry"\n')
    (tmp_path / "crane.sqlite3").mkdir()
    async with arena(pace_s=0.002) as venue:
        program = await started(tmp_path, environment_at(venue, tmp_path), "--bots", "bots.toml")
        heard = await until_said(program, "lynx: the end: there is no prompt set")
        await until(lambda: bool(venue.report().clients) and venue.report().clients[0].hands > 5)
        program.send_signal(signal.SIGINT)
        _, err = await asyncio.wait_for(program.communicate(), 30)
        heron = venue.report().clients[0]
    words = " ".join((heard + err.decode()).split())

    assert program.returncode == 1
    assert "heron: left the table" in words
    assert "crane: crane.sqlite3 is a folder: JOURNAL_PATH must name a file lynx: there is no prompt set" in words
    assert (heron.name, heron.seated, heron.missed) == ("Heron", False, 0)
    assert "Traceback" not in words


async def test_a_bot_that_the_venue_refuses_in_the_middle_ends_no_other(tmp_path: Path) -> None:
    timing = Timing(action_clock_s=10.0, margin_s=2.0, refusal_pause_s=0.01, key_pause_s=0.01, longest_backoff_s=0.01)
    quiet = Console(file=io.StringIO())
    async with arena(pace_s=0.002) as venue:
        bots = [
            Bot(name, settings_for(venue, tmp_path, OPEN_POKER_API_KEY=key, JOURNAL_PATH=str(tmp_path / name)))
            for name, key in (("crane", "key-of-nobody"), ("heron", KEY))
        ]
        ends = await asyncio.wait_for(_play(bots, Limits(hands=20), quiet, quiet, None, timing), 60)
        heron = venue.report().clients[0]

    assert ends is not None
    assert [(end.bot, end.code) for end in ends] == [("crane", ExitCode.REFUSED), ("heron", ExitCode.DONE)]
    assert "the venue refuses OPEN_POKER_API_KEY" in ends[0].reason
    assert (heron.hands >= 20, heron.seated, heron.missed) == (True, False, 0)


async def test_what_nobody_expected_ends_one_bot_too_and_is_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken(Stint):
        async def run(self) -> str:
            raise ZeroDivisionError("sums")

    end = await _until_its_end(Broken(Settings(), "heron", Limits(), lambda *_: None))

    assert (end.bot, end.code) == ("heron", ExitCode.FAILED)
    assert "broke with ZeroDivisionError" in end.reason
    assert [bool(record.exc_info) for record in caplog.records] == [True, False]
    assert vars(caplog.records[1])["event"] == "end"


REFUSED, UNUSABLE, WELL = (
    _End("crane", "the venue refuses us", ExitCode.REFUSED),
    _End("lynx", "no prompts", ExitCode.UNUSABLE),
    _End("heron", "left the table"),
)


@pytest.mark.parametrize(
    ("ends", "code", "failed"),
    [
        ([REFUSED], 3, "the venue refuses us"),
        ([UNUSABLE], 2, "no prompts"),
        ([REFUSED, WELL], 1, "crane: the venue refuses us"),
        ([REFUSED, UNUSABLE], 3, "crane: the venue refuses us\nlynx: no prompts"),
    ],
)
def test_the_exit_code_says_whether_starting_again_can_help(ends: list[_End], code: int, failed: str) -> None:
    told = io.StringIO()
    with pytest.raises(Failure) as failure:
        _conclude(ends, Console(file=told))

    assert (failure.value.exit_code, str(failure.value)) == (code, failed)
    assert told.getvalue() == ("heron: left the table\n" if WELL in ends else "")


async def test_a_second_ctrl_c_ends_at_once_with_130(tmp_path: Path) -> None:
    async with arena(pace_s=0.5, action_clock_s=60.0) as venue:
        program = await started(tmp_path, environment_at(venue, tmp_path, OPEN_POKER_API_KEY=KEY))
        await until(lambda: venue.report().actions > 0)
        program.send_signal(signal.SIGINT)
        await until_said(program, "Ctrl-C again ends at once")
        program.send_signal(signal.SIGINT)
        _, err = await asyncio.wait_for(program.communicate(), 30)

    assert program.returncode == 130
    assert b"the seat may still be held" in err


async def test_a_pipe_that_nobody_reads_any_more_ends_no_hand(tmp_path: Path) -> None:
    async with arena(pace_s=0.002) as venue:
        environ = environment_at(venue, tmp_path, OPEN_POKER_API_KEY=KEY)
        reading, writing = os.pipe()
        program = await asyncio.create_subprocess_exec(
            *PROGRAM, "play", "--hands", "5", cwd=tmp_path, env=environ, stdout=writing, stderr=asyncio.subprocess.PIPE
        )
        os.close(writing)
        os.close(reading)
        _, err = await asyncio.wait_for(program.communicate(), 60)
        heron = venue.report().clients[0]

    assert program.returncode == 0, err.decode()
    assert b"hands are not shown any more" in err
    assert (heron.seated, heron.missed) == (False, 0)
    assert heron.hands >= 5


EVENTS = {
    "connected",
    "buy-in",
    "joined lobby",
    "seated",
    "decision",
    "hand over",
    "limit reached",
    "leaving",
    "left",
    "end",
}


async def test_the_log_tells_the_story_of_a_bot_with_fields_for_programs(tmp_path: Path) -> None:
    async with arena(pace_s=0.002) as venue:
        environ = environment_at(
            venue, tmp_path, OPEN_POKER_API_KEY=KEY, AGENT_LOG_FORMAT="json", AGENT_LOG_FILE="logs/agent.log"
        )
        code, _, err = await play(tmp_path, environ, "--hands", "3")
    lines = [json.loads(line) for line in (tmp_path / "logs" / "agent.log").read_text(encoding="utf-8").splitlines()]
    told = [line for line in lines if "event" in line]
    events = {line["event"]: line for line in told}

    assert code == 0, err
    assert events.keys() >= EVENTS
    assert {line["level"] for line in told} == {"INFO"}
    assert sum(line["event"] == "hand over" for line in told) >= 3
    assert events["buy-in"]["buy_in_chips"] == 2_000
    assert events["seated"]["seat"] in range(6)
    assert (events["decision"]["source"], len(events["decision"]["cards"])) == ("rule", 4)
    assert events["decision"]["ms"] > 0
    assert isinstance(events["hand over"]["net_chips"], int)
    assert events["left"]["reason"] == "left"
    assert (events["end"]["exit_code"], events["end"]["reason"].endswith("hands are played")) == (0, True)
    assert not any("frame" in line for line in lines)
    assert KEY not in json.dumps(lines)


def test_an_open_turn_found_after_a_kill_counts_from_when_the_killed_run_was_asked(tmp_path: Path) -> None:
    """Of a short clock the time that may have passed at most would leave nothing."""
    settings = Settings.load({"JOURNAL_PATH": str(tmp_path / "journal.sqlite3")}, tmp_path / ".env")
    thinking, asked_at = build_thinking(settings), datetime.now(UTC) - timedelta(seconds=4)
    script = Script()
    for bot, hand in (("heron", HAND), ("lynx", "h-2")):
        script.hand_id = hand
        with open_journal(settings, thinking, bot=bot, ws_url="ws://127.0.0.1:9/ws") as journal:
            journal.frame("in", script.your_turn(), asked_at)
            journal.frame("in", script.snapshot(actor=0), asked_at + timedelta(seconds=1))
    earlier = Stint(settings, "heron", Limits(), on_hand=lambda *_: None)._earlier()
    now = time.monotonic()

    assert earlier.turns.prompted_at.keys() == {(HAND, TOKEN)}
    assert 4 <= now - earlier.turns.prompted_at[HAND, TOKEN] < 60
    assert earlier.turns.heard_at == pytest.approx(earlier.turns.prompted_at[HAND, TOKEN] + 1, abs=0.01)
    assert earlier.may_be_seated


@pytest.mark.parametrize(("clock_s", "unseen_s"), [("45", 20.0), ("15", 7.5)])
async def test_a_turn_of_which_nothing_is_known_gets_a_fair_share_of_the_clock(
    tmp_path: Path, clock_s: str, unseen_s: float
) -> None:
    settings = Settings.load({"OPEN_POKER_CLOCK_S": clock_s, "OPEN_POKER_MARGIN_S": "3"}, tmp_path / ".env")
    with open_journal(settings, build_thinking(settings), bot="heron", ws_url="ws://x") as journal:
        player = Player(build_thinking(settings), journal)
        async with RestApi("http://127.0.0.1:9/api", KEY) as rest:
            contestant = build_contestant(settings, player, rest, ws_url="ws://127.0.0.1:9/ws", api_key=KEY)
    assert contestant._session.patience.unseen_s == unseen_s


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
