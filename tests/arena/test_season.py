"""The end of a season: the wind-down, the tables that close, the chips that begin anew, and what REST tells of it."""

import asyncio
import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from agent.arena.arena import Arena
from agent.arena.game.seeded import Seeded
from agent.arena.house.player import PublicHand
from agent.arena.league.season import Season, Standing, run_seasons
from agent.arena.settings import ArenaSettings
from agent.poker.spot import Action, Spot
from tests.arena.plain_client import check_or_call, shove
from tests.arena.served import HERON, LYNX, api_of, arena_of, becomes, client_of, playing, seated

NOON = datetime(2026, 9, 20, 12, tzinfo=UTC)


async def rest(arena: Arena, path: str, key: str = HERON) -> Any:
    async with api_of(arena, key) as api:
        return (await api.get(path)).json()


async def end_season(arena: Arena) -> None:
    """End the season of the public league now, after its wind-down."""
    arena.pools.public.wind_down()
    await arena.pools.public.end_season()


# The wind-down


async def test_a_season_that_winds_down_refuses_joins() -> None:
    async with arena_of() as arena, client_of(arena) as client:
        arena.pools.public.wind_down()
        await client.send("join_lobby")
        assert (await client.until("error"))["code"] == "winding_down"
        assert (await rest(arena, "/season/current"))["winding_down"] is True
        await client.send("set_auto_rebuy", enabled=True)
        assert (await client.until("error"))["code"] == "not_registered_for_season"


async def test_whoever_waits_when_the_season_winds_down_gets_no_seat() -> None:
    async with arena_of(matchmaking_s=0.02) as arena, client_of(arena) as client:
        await client.send("join_lobby")
        await client.until("lobby_joined")
        arena.pools.public.wind_down()
        await asyncio.sleep(0.04)
        await client.send("leave_table")
        assert (await client.until("error", "table_joined"))["code"] == "not_at_table"


async def test_a_running_hand_is_played_to_its_end_and_no_other_begins() -> None:
    async with arena_of() as arena, seated(arena) as (client, turn):
        ending = asyncio.create_task(end_season(arena))
        await client.act(turn, check_or_call(turn))
        ended = await client.play_until("season_ended", check_or_call)
        await ending
        assert ended == {"type": "season_ended", "season_number": 1, "next_season_number": 2}
        assert len(client.of("hand_start")) == len(client.of("hand_result")) == 1
        last = [frame["type"] for frame in client.frames if frame["type"] != "table_state"][-3:]
        assert last == ["hand_result", "table_closed", "season_ended"]
        assert client.of("table_closed")[0]["reason"] == "season_ended"


async def test_a_table_that_rests_when_the_season_ends_closes_without_another_hand() -> None:
    async with arena_of(between_hands_s=30.0) as arena, seated(arena) as (client, turn):
        await client.act(turn, {"action": "fold"})
        await client.until("hand_result")
        await end_season(arena)
        await client.until("season_ended")
        assert len(client.of("hand_start")) == 1


async def test_all_tables_close_each_when_the_last_hand_anywhere_is_over() -> None:
    async with (
        arena_of(tables=2, clients_per_table=1) as arena,
        seated(arena, HERON) as (heron, _),
        seated(arena, LYNX) as (lynx, turn),
    ):
        ending = asyncio.create_task(end_season(arena))
        await heron.act(heron.of("your_turn")[0], {"action": "fold"})
        await heron.until("hand_result")
        assert not ending.done()
        await lynx.act(turn, {"action": "fold"})
        await ending
        assert (await heron.until("table_closed"))["reason"] == "season_ended"
        assert (await lynx.until("table_closed"))["reason"] == "season_ended"


@dataclass
class BreaksWhenTold:
    """A house player who thinks until it is told to break."""

    is_to_break: bool = field(default=False)

    def act(self, spot: Spot, rng: random.Random) -> Action:
        if self.is_to_break:
            raise RuntimeError("out of order")
        floor = spot.legal.floor
        assert floor is not None
        return floor

    def saw(self, hand: PublicHand) -> None:
        """Learn nothing."""


async def test_a_table_that_breaks_in_the_wind_down_does_not_hold_the_season_up() -> None:
    otter = BreaksWhenTold()
    with pytest.raises(RuntimeError, match="out of order"):
        async with arena_of(seats=2, players=(("Otter", otter),)) as arena, seated(arena) as (client, turn):
            otter.is_to_break = True
            ending = asyncio.create_task(end_season(arena))
            await client.act(turn, check_or_call(turn))
            async with asyncio.timeout(10):
                await ending
            assert (await client.until("table_closed"))["reason"] == "table_closing"
            await client.until("season_ended")
            assert (await rest(arena, "/season/list"))[1]["season_number"] == 1


# The next season


async def test_chips_begin_anew_and_the_next_join_registers() -> None:
    async with arena_of() as arena, seated(arena) as (client, turn):
        await client.act(turn, {"action": "fold"})
        await client.until("hand_result")
        with playing(client, lambda _: {"action": "fold"}) as old_season:
            await end_season(arena)
            await old_season
        async with api_of(arena) as api:
            assert (await api.get("/season/me")).status_code == 404
        joined = await client.join(5_000)
        entry = await rest(arena, "/season/me")
        assert joined["players"][0]["stack"] == 5_000
        assert (entry["chip_balance"], entry["score"], entry["hands_played"]) == (0, 5_000, 0)
        assert (entry["season_number"], entry["auto_rebuy"], entry["rebuys"]) == (2, False, 0)


async def test_the_next_seasons_table_is_another_and_counts_from_the_beginning() -> None:
    async with arena_of() as arena, seated(arena) as (client, turn):
        with playing(client) as old_season:
            await client.send("action", **client.action(turn, check_or_call(turn)))
            await becomes(lambda: arena.pools.public.hands_dealt >= 3)
            await end_season(arena)
            await old_season
        old = max(frame.get("table_seq") or 0 for frame in client.frames)
        joined = await client.join()
        assert joined["table_id"] != turn["table_id"]
        assert joined["table_seq"] < 20 < old
        assert joined["hand_id"] is None
        assert client.problems == []


async def test_a_rebuy_that_is_due_does_not_reach_into_the_next_season() -> None:
    async with arena_of(start_chips=1_000, rebuy_cooldown_s=300.0) as arena, client_of(arena) as client:
        await client.join(1_000)
        await client.send("set_auto_rebuy", enabled=True)
        first = await client.play_until("rebuy_confirmed", shove)
        await client.send("join_lobby", buy_in=first["chip_balance"])
        scheduled = await client.play_until("auto_rebuy_scheduled", shove)
        assert 0 < scheduled["cooldown_seconds"] <= 300
        await client.until("player_left")
        await end_season(arena)
        await client.until("season_ended")
        account = arena.pools.public.accounts[0]
        assert (account.chips, account.rebuys, account.next_rebuy_at) == (1_000, 0, None)


async def test_whoever_is_away_when_the_season_ends_begins_the_next_one_all_the_same() -> None:
    async with arena_of(action_clock_s=0.05) as arena, seated(arena) as (client, _):
        await client.sever()
        await end_season(arena)
        await client.connect()
        assert (await client.join(5_000))["players"][0]["stack"] == 5_000


async def test_a_new_name_is_worn_from_the_next_season_on() -> None:
    async with arena_of(action_clock_s=0.05) as arena, seated(arena) as (client, _), api_of(arena) as api:
        assert (await api.patch("/me", json={"name": "Egret"})).json()["name"] == "Egret"
        await client.sever()
        assert (await client.connect())["name"] == "Heron"
        await client.sever()
        await end_season(arena)
        assert (await client.connect())["name"] == "Egret"
        assert (await client.join())["players"][0]["name"] == "Egret"


# What REST tells


async def test_the_standings_of_a_season_that_is_over_are_frozen() -> None:
    async with (
        arena_of(house=0, max_hands=1, between_hands_s=30.0) as arena,
        client_of(arena, HERON) as heron,
        client_of(arena, LYNX) as lynx,
    ):
        await heron.join()
        await lynx.join()
        with playing(heron, lambda _: {"action": "fold"}), playing(lynx, lambda _: {"action": "fold"}):
            await arena.finished()
            before = await rest(arena, "/season/leaderboard")
            await end_season(arena)
        seasons = await rest(arena, "/season/list")
        assert [(s["season_number"], s["status"]) for s in seasons] == [(2, "active"), (1, "ended")]
        by_number, by_id = await rest(arena, "/season/1"), await rest(arena, f"/season/{seasons[1]['season_id']}")
        assert by_number == by_id == seasons[1]
        assert by_number["total_participants"] == 2
        assert await rest(arena, "/season/1/leaderboard") == before
        assert [row["score"] for row in before] == [5_010, 4_990]
        assert await rest(arena, "/season/1/leaderboard?limit=1&offset=1") == before[1:]
        assert await rest(arena, "/season/leaderboard") == []


async def test_a_season_that_is_not_over_has_no_frozen_standings() -> None:
    async with arena_of() as arena, api_of(arena) as api:
        for path in ("/season/1", "/season/1/leaderboard", "/season/nonsense"):
            answer = await api.get(path)
            assert (answer.status_code, list(answer.json())) == (404, ["detail"])


async def test_a_season_without_end_tells_no_end() -> None:
    async with arena_of(season_s=None) as arena:
        season = await rest(arena, "/season/current")
        assert (season["end_date"], season["time_remaining_seconds"]) == (None, None)


# The clock of the seasons


class HandClock:
    """A time of day that passes only when a test says so."""

    def __init__(self) -> None:
        self.time = NOON

    def __call__(self) -> datetime:
        return self.time


def test_a_season_tells_its_end_and_the_next_one_begins_there() -> None:
    clock = HandClock()
    season = Season(ArenaSettings(season_s=100.0, wind_down_s=10.0, season_number=12), Seeded(1), clock)
    first_id = season.season_id
    clock.time += timedelta(seconds=30)
    assert (season.ends_at, season.remaining_s) == (NOON + timedelta(seconds=100), 70.0)
    clock.time += timedelta(seconds=90)
    assert season.remaining_s == 0.0
    assert season.end([Standing(1, "Heron", 5_000, 3, 0.5)]) == 12
    assert (season.number, season.remaining_s) == (13, 100.0)
    assert season.season_id != first_id == season.past[0].season_id
    assert season.past[0].ended_at == NOON + timedelta(seconds=120)


def test_the_last_twenty_seasons_are_kept() -> None:
    season = Season(ArenaSettings(), Seeded(1), HandClock())
    for _ in range(25):
        season.end(())
    assert [past.number for past in season.past] == list(range(6, 26))


class Host:
    """Notes what the seasons' clock asks for, and stops it after two seasons."""

    def __init__(self, season: Season) -> None:
        self.season = season
        self.asked: list[str] = []

    def wind_down(self) -> None:
        self.asked.append("wind down")

    async def end_season(self) -> None:
        self.asked.append("end")
        self.season.end(())
        if len(self.asked) == 4:
            raise EOFError


async def test_seasons_wind_down_and_end_one_after_the_other() -> None:
    host = Host(Season(ArenaSettings(season_s=0.02, wind_down_s=0.0), Seeded(1), lambda: datetime.now(UTC)))
    with pytest.raises(EOFError):
        await run_seasons(host, wind_down_s=0.01)
    assert host.asked == ["wind down", "end"] * 2
    assert [past.number for past in host.season.past] == [1, 2]


async def test_a_season_without_end_is_never_wound_down() -> None:
    host = Host(Season(ArenaSettings(season_s=None), Seeded(1), HandClock()))
    await run_seasons(host, wind_down_s=300.0)
    assert host.asked == []


async def test_the_arena_ends_its_seasons_by_itself() -> None:
    async with arena_of(season_s=0.1, wind_down_s=0.02) as arena, client_of(arena) as client:
        ended = await client.until("season_ended")
        assert ended["next_season_number"] == ended["season_number"] + 1
