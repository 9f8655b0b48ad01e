"""Freeze-outs over real sockets: equal stacks, rising blinds, places and payouts."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from agent.arena.arena import Arena
from agent.arena.game.records import HandRecord
from agent.arena.league.freezeout import LEVELS, PAYOUTS, level, payouts
from agent.arena.modes import Format
from tests.arena.plain_client import Frame, PlainClient, check_or_call, check_or_fold, shove
from tests.arena.served import HERON, LYNX, api_of, arena_of, becomes, client_of, playing

Choose = Callable[[Frame], Frame]


def fold(_: Frame) -> Frame:
    return {"action": "fold"}


@asynccontextmanager
async def freezeout_of(**settings: Any) -> AsyncIterator[Arena]:
    """An arena of freeze-outs; without house players unless some are asked for."""
    async with arena_of(**{"house": 0, "format": Format.FREEZEOUT, "close_idle_table_s": None, **settings}) as arena:
        yield arena


async def played(arena: Arena, clients: dict[PlainClient, Choose]) -> list[Frame]:
    """Each client's result, in their order, once all have joined and played."""
    for client in clients:
        await client.send("join_lobby")
        await client.until("lobby_joined")
    results = [client.play_until("freezeout_result", choose) for client, choose in clients.items()]
    return await asyncio.gather(*results)


async def over(arena: Arena) -> list[Frame]:
    """The freeze-outs that are over, as REST lists them."""
    async with api_of(arena) as api:
        listed: list[Frame] = (await api.get("/freezeouts")).json()
        return listed


def balances(arena: Arena) -> dict[str, int]:
    return {account.name: account.chips for account in arena.pools.public.accounts}


# Blinds and payouts


def test_the_blinds_rise_level_by_level_and_stay_at_the_last() -> None:
    assert [level(hands, 2) for hands in range(6)] == [(10, 20), (10, 20), (15, 30), (15, 30), (25, 50), (25, 50)]
    assert level(10**6, 2) == LEVELS[-1]


def test_every_level_is_higher_than_the_one_before() -> None:
    assert list(LEVELS) == sorted(set(LEVELS))
    assert all(0 < small < big for small, big in LEVELS)


@pytest.mark.parametrize("entries", PAYOUTS)
@pytest.mark.parametrize("pool", [0, 1, 101, 12_000, 9_999])
def test_the_places_share_the_whole_pool_and_better_ones_get_no_less(entries: int, pool: int) -> None:
    shares = payouts(entries, pool)
    assert sum(shares.values()) == pool
    assert list(shares.values()) == sorted(shares.values(), reverse=True)
    assert len(shares) < entries


async def test_the_tables_blinds_follow_the_levels() -> None:
    async with freezeout_of(house=5, hands_per_level=2) as arena, client_of(arena) as client:
        await client.join()
        await client.play(check_or_fold, hands=6)
        blinds = [(f["blinds"]["small_blind"], f["blinds"]["big_blind"]) for f in client.of("hand_start")[:6]]
        assert blinds == [(10, 20), (10, 20), (15, 30), (15, 30), (25, 50), (25, 50)]
        assert client.problems == []


# Entries


async def test_everybody_begins_with_the_same_stack_whatever_they_ask_for() -> None:
    async with freezeout_of(house=5) as arena, client_of(arena) as client:
        joined = await client.join(5_000)
        assert [player["stack"] for player in joined["players"]] == [2_000] * 6
        assert balances(arena) == {"Heron": 3_000}


async def test_whoever_cannot_pay_the_entry_does_not_enter() -> None:
    async with freezeout_of(start_chips=1_999) as arena, client_of(arena) as client:
        await client.send("join_lobby")
        assert (await client.until("error"))["code"] == "insufficient_funds"


async def test_whoever_leaves_before_it_begins_gets_the_entry_back() -> None:
    async with freezeout_of() as arena, client_of(arena) as client:
        await client.join()
        await client.send("leave_table")
        await client.until("player_left")
        assert balances(arena) == {"Heron": 5_000}
        assert await over(arena) == []


async def test_a_freezeout_that_nobody_else_enters_closes_and_pays_back() -> None:
    async with freezeout_of(close_idle_table_s=0.02) as arena, client_of(arena) as client:
        await client.join()
        assert (await client.until("table_closed"))["reason"] == "insufficient_players"
        assert balances(arena) == {"Heron": 5_000}


async def test_nobody_enters_once_it_has_begun() -> None:
    async with (
        freezeout_of(house=5, tables=2) as arena,
        client_of(arena, HERON) as heron,
        client_of(arena, LYNX) as lynx,
    ):
        await heron.join()
        turn = await heron.until("your_turn")
        assert (await lynx.join())["table_id"] != turn["table_id"]


async def test_the_chairs_of_those_who_are_out_stay_empty() -> None:
    async with freezeout_of(house=5, kind="random") as arena, client_of(arena) as client:
        await client.join()
        while not client.of("player_left"):
            await client.play(check_or_fold, hands=1)
        await client.play(check_or_fold, hands=2)
        assert client.of("player_joined") == []


# How it ends


async def test_of_two_players_the_winner_takes_the_pool() -> None:
    async with freezeout_of() as arena, client_of(arena, HERON) as heron, client_of(arena, LYNX) as lynx:
        results = await played(arena, {heron: shove, lynx: shove})
        winner, loser = sorted(results, key=lambda result: int(result["place"]))
        assert (winner["place"], winner["payout"], winner["chip_balance"]) == (1, 4_000, 7_000)
        assert (loser["place"], loser["payout"], loser["chip_balance"]) == (2, 0, 3_000)
        assert winner["entries"] == loser["entries"] == 2
        assert sorted(balances(arena).values()) == [3_000, 7_000]


async def test_the_result_comes_between_the_bust_and_the_closing_of_the_table() -> None:
    async with freezeout_of() as arena, client_of(arena, HERON) as heron, client_of(arena, LYNX) as lynx:
        results = await played(arena, {heron: shove, lynx: shove})
        winner, loser = (heron, lynx) if results[0]["place"] == 1 else (lynx, heron)
        closed = await winner.until("table_closed")
        assert closed["reason"] == "freezeout_over"
        told = ("player_left", "freezeout_result", "table_closed", "busted")
        assert [f["type"] for f in winner.frames if f["type"] in told] == list(told[:3])
        assert [f["type"] for f in loser.frames if f["type"] in told] == list(told[:2])


async def test_of_those_who_bust_in_one_hand_the_place_is_better_who_had_more_before_it() -> None:
    records: list[HandRecord] = []
    async with (
        freezeout_of(house=5, kind="random", seed=8, on_hand=records.append) as arena,
        client_of(arena) as client,
    ):
        await played(arena, {client: check_or_call})
        await becomes(lambda: arena.pools.public.floor.tables == [])
        (result,) = await over(arena)
    place_of = {place["name"]: place["place"] for place in result["places"]}
    busts = [
        {hand.start_stacks[seat]: place_of[name] for seat, name in hand.names.items() if not hand.final_stacks[seat]}
        for hand in records
    ]
    assert busts == [{}, {2_000: 4, 1_980: 5, 1_558: 6}, {472: 3}]


async def test_chips_at_the_table_are_conserved_and_the_places_share_the_entries() -> None:
    records: list[HandRecord] = []
    async with (
        freezeout_of(house=4, kind="random", seats=5, seed=8, on_hand=records.append) as arena,
        client_of(arena) as client,
    ):
        (result,) = await played(arena, {client: check_or_call})
        assert {sum(record.final_stacks.values()) for record in records} == {10_000}
        assert result["chip_balance"] == 3_000 + result["payout"]
        await becomes(lambda: arena.pools.public.floor.tables == [])
        paid = {place["place"]: place["payout"] for place in (await over(arena))[0]["places"]}
        assert {place: {1: 5_000, 2: 3_000, 3: 2_000}.get(place, 0) for place in paid} == paid


async def test_a_freezeout_without_clients_is_over_with_the_house_placed_by_its_chips() -> None:
    async with freezeout_of(house=5) as arena, client_of(arena) as client:
        (result,) = await played(arena, {client: shove})
        await becomes(lambda: arena.pools.public.floor.tables == [])
        (listed,) = await over(arena)
        assert listed["places"][result["place"] - 1] == {
            "place": result["place"],
            "name": "Heron",
            "payout": result["payout"],
        }
        assert sum(place["payout"] for place in listed["places"]) == 12_000
        assert (listed["entries"], listed["pool"], listed["hands"]) == (6, 12_000, result["hands"])
        assert listed["table_id"] == client.of("table_joined")[0]["table_id"]
        assert [place["place"] for place in listed["places"]] == [1, 2, 3, 4, 5, 6]


async def test_a_house_player_that_beats_the_last_client_is_placed_first() -> None:
    async with freezeout_of(house=1, seats=2, seed=3) as arena, client_of(arena) as client:
        (result,) = await played(arena, {client: shove})
        assert result["place"] == 2
        await becomes(lambda: arena.pools.public.floor.tables == [])
        (listed,) = await over(arena)
        assert listed["places"] == [
            {"place": 1, "name": "Otter0", "payout": 4_000},
            {"place": 2, "name": "Heron", "payout": 0},
        ]


# Leavers and absentees


async def test_whoever_leaves_is_placed_and_gets_no_chips_back() -> None:
    async with freezeout_of() as arena, client_of(arena, HERON) as heron, client_of(arena, LYNX) as lynx:
        await heron.join()
        await lynx.join()
        with playing(lynx, fold):
            turn = await heron.until("your_turn")
            await heron.send("leave_table")
            await heron.act(turn, fold(turn))
            left = await heron.play_until("freezeout_result", fold)
            await becomes(lambda: arena.pools.public.floor.tables == [])
        assert (left["place"], left["payout"], left["chip_balance"]) == (2, 0, 3_000)
        assert balances(arena) == {"Heron": 3_000, "Lynx": 7_000}


async def test_an_absent_player_is_dealt_in_and_folded_until_the_blinds_have_eaten_the_stack() -> None:
    async with (
        freezeout_of(action_clock_s=0.01, hands_per_level=1, max_missed_hands=100) as arena,
        client_of(arena, HERON) as heron,
        client_of(arena, LYNX) as lynx,
    ):
        await heron.join()
        await lynx.join()
        await lynx.sever()
        won = await heron.play_until("freezeout_result", shove)
        assert (won["place"], won["payout"]) == (1, 4_000)
        absent = [frame for frame in heron.of("player_action") if frame["name"] == "Lynx"]
        assert {frame["reason"] for frame in absent} == {"timeout"}
        assert len(heron.of("hand_start")) > 5
        assert all(len(result["final_stacks"]) == 2 for result in heron.of("hand_result"))


async def test_the_next_freezeout_begins_at_another_table() -> None:
    async with freezeout_of() as arena, client_of(arena, HERON) as heron, client_of(arena, LYNX) as lynx:
        for _ in range(2):
            await played(arena, {heron: shove, lynx: shove})
            await becomes(lambda: arena.pools.public.floor.tables == [])
        newest, oldest = await over(arena)
        first, second = (frame["table_id"] for frame in heron.of("table_joined"))
        assert (oldest["table_id"], newest["table_id"]) == (first, second)
        assert first != second
        assert sum(balances(arena).values()) == 10_000
        blinds = [f["blinds"]["big_blind"] for f in heron.of("hand_start") if f["table_id"] == second]
        assert blinds[0] == 20


async def test_entries_come_back_when_the_season_ends_before_the_freezeout() -> None:
    async with freezeout_of() as arena, client_of(arena, HERON) as heron, client_of(arena, LYNX) as lynx:
        await heron.join()
        await lynx.join()
        with playing(heron, fold), playing(lynx, fold):
            await becomes(lambda: arena.pools.public.hands_dealt >= 1)
            arena.pools.public.wind_down()
            await arena.pools.public.end_season()
        assert [standing.score for standing in arena.pools.public.season.past[0].standings] == [5_000, 5_000]
        assert await over(arena) == []


async def test_a_cash_arena_lists_no_freezeouts() -> None:
    async with arena_of() as arena:
        assert await over(arena) == []


# Going on


async def test_a_client_that_loses_everything_buys_in_again_and_plays_on() -> None:
    async with freezeout_of(house=1, seats=2) as arena, client_of(arena) as client:
        await client.join()
        await client.send("set_auto_rebuy", enabled=True)
        # 5,000 chips are two entries and a thousand, which is not enough for a third.
        for _ in range(30):
            if client.of("auto_rebuy_scheduled"):
                break
            await client.play_until("freezeout_result", shove)
            await client.until("busted", "rebuy_confirmed", "table_closed")
            if not client.of("rebuy_confirmed"):
                await client.send("join_lobby")
        assert client.of("rebuy_confirmed")[0]["chip_balance"] >= 2_000
        await client.join()
        await client.until("your_turn")


async def test_a_rebuy_is_allowed_with_less_than_an_entry() -> None:
    async with freezeout_of(house=1, seats=2, start_chips=3_999) as arena, client_of(arena) as client:
        await client.join()
        result = await client.play_until("freezeout_result", fold)
        assert (result["place"], result["chip_balance"]) == (2, 1_999)
        assert (await client.until("busted"))["options"] == ["rebuy", "leave"]
        await client.send("rebuy", amount=1_500)
        assert (await client.until("rebuy_confirmed"))["chip_balance"] == 3_999


async def test_clients_that_come_one_after_the_other_meet_at_one_table() -> None:
    async with (
        freezeout_of(house=6, registration_s=0.3) as arena,
        client_of(arena, HERON) as heron,
        client_of(arena, LYNX) as lynx,
    ):
        first = await heron.join()
        await asyncio.sleep(0.05)
        assert (await lynx.join())["table_id"] == first["table_id"]
        assert (await heron.until("hand_start"))["hand_id"] == (await lynx.until("hand_start"))["hand_id"]


async def test_registration_ends_at_once_when_clients_have_all_chairs() -> None:
    async with (
        freezeout_of(seats=2, registration_s=3_600.0) as arena,
        client_of(arena, HERON) as heron,
        client_of(arena, LYNX) as lynx,
    ):
        await heron.join()
        await lynx.join()
        await heron.until("hand_start")


async def test_who_is_away_is_folded_without_waiting_for_the_clock_and_may_come_back() -> None:
    async with freezeout_of(house=2, seats=3, seat_hold_s=0.05, action_clock_s=600.0, pace_s=0.01) as arena:
        client = PlainClient(arena.ws_url, HERON)
        await client.connect()
        await client.join()
        await client.until("your_turn")
        await client.sever()
        table = arena.pools.public.floor.tables[0]
        hands = table.hands_dealt
        await becomes(lambda: table.hands_dealt >= hands + 5)
        assert arena.report().clients[0].seated
        await client.connect()
        await client.send("resync_request", table_id=table.table_id, last_table_seq=0)
        assert (await client.until("resync_response"))["role"] == "player"
        turn = await client.until("your_turn")
        assert (await client.act(turn, check_or_fold(turn)))["type"] == "action_ack"
        await client.close()
