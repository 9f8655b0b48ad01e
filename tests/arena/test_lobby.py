"""The lobby over real sockets: who is seated where and when, and what becomes of tables that nobody needs."""

import asyncio
import random
from dataclasses import dataclass

import pytest

from agent.arena.arena import Arena
from agent.arena.game.records import HandRecord
from agent.arena.house.player import HousePlayer, PublicHand, house_player
from agent.poker.spot import Action, Spot, Verb
from tests.arena.plain_client import Frame, PlainClient, check_or_call, check_or_fold
from tests.arena.served import HERON, LYNX, STORK, VOLE, api_of, arena_of, becomes, client_of, playing, seated


def fold(_: Frame) -> Frame:
    return {"action": "fold"}


def house_at(joined: Frame) -> list[str]:
    return [player["name"] for player in joined["players"] if player["name"].startswith("Otter")]


async def entry_of(arena: Arena, key: str) -> Frame:
    """What a client has, off and on the table."""
    async with api_of(arena, key) as api:
        entry: Frame = (await api.get("/season/me")).json()
        return entry


async def settled_hand(client: PlainClient, turn: Frame) -> None:
    """Fold, and read on until the hand is over."""
    await client.act(turn, {"action": "fold"})
    await client.until("hand_result")


# Matchmaking


async def test_one_client_a_table_gives_every_client_a_table_of_its_own() -> None:
    async with (
        arena_of(tables=3, clients_per_table=1) as arena,
        seated(arena, HERON) as (_, first),
        seated(arena, LYNX) as (_, second),
        seated(arena, STORK) as (_, third),
    ):
        assert len({turn["table_id"] for turn in (first, second, third)}) == 3
        assert [len(table.clients) for table in arena.pools.public.floor.tables] == [1, 1, 1]


async def test_a_table_takes_as_many_clients_as_it_may_before_the_next_one_opens() -> None:
    async with (
        arena_of(tables=2, clients_per_table=2) as arena,
        client_of(arena, HERON) as heron,
        client_of(arena, LYNX) as lynx,
        client_of(arena, STORK) as stork,
    ):
        with playing(heron), playing(lynx):
            await heron.send("join_lobby")
            await becomes(lambda: bool(heron.of("table_joined")))
            await lynx.send("join_lobby")
            await becomes(lambda: bool(lynx.of("table_joined")))
            elsewhere = await stork.join()
        first, second = heron.of("table_joined")[0], lynx.of("table_joined")[0]
        assert first["table_id"] == second["table_id"] != elsewhere["table_id"]


async def test_a_client_with_company_goes_where_most_clients_are() -> None:
    async with (
        arena_of(house=0, tables=2, seats=3, close_idle_table_s=None) as arena,
        client_of(arena, HERON) as heron,
        client_of(arena, LYNX) as lynx,
    ):
        first, second = await heron.join(), await lynx.join()
        assert first["table_id"] == second["table_id"]
        assert len(arena.pools.public.floor.tables) == 1


async def test_when_all_tables_are_full_clients_wait_in_the_order_of_their_asking() -> None:
    async with (
        arena_of(clients_per_table=1) as arena,
        seated(arena, HERON) as (heron, turn),
        client_of(arena, LYNX) as lynx,
        client_of(arena, STORK) as stork,
    ):
        for place, client in enumerate((lynx, stork), 1):
            await client.send("join_lobby")
            assert (await client.until("lobby_joined"))["position"] == place
        await heron.send("leave_table")
        await heron.act(turn, {"action": "fold"})
        await lynx.until("table_joined")
        await lynx.send("leave_table")
        await stork.send("leave_table")
        assert (await stork.until("error", "table_joined"))["code"] == "not_at_table"


async def test_the_matchmaker_takes_its_time() -> None:
    async with arena_of(matchmaking_s=0.05) as arena, client_of(arena) as client:
        await client.send("join_lobby")
        await client.send("leave")
        assert (await client.until("error", "table_joined"))["code"] == "unknown_message"
        await client.until("table_joined")


async def test_whoever_leaves_the_queue_is_not_seated_and_may_join_again() -> None:
    async with arena_of(matchmaking_s=0.02) as arena, client_of(arena) as client:
        await client.send("join_lobby", buy_in=1_000)
        await client.send("leave_table")
        assert (await client.until("error"))["code"] == "not_at_table"
        await client.send("join_lobby", buy_in=1_500)
        assert (await client.until("table_joined"))["players"][0]["stack"] == 1_500
        assert [frame["position"] for frame in client.of("lobby_joined")] == [1, 1]


async def test_a_client_that_vanished_from_the_queue_is_seated_when_it_comes_back() -> None:
    async with (
        arena_of(matchmaking_s=0.02, clients_per_table=1) as arena,
        client_of(arena, HERON) as heron,
        client_of(arena, LYNX) as lynx,
    ):
        await heron.send("join_lobby")
        await heron.until("lobby_joined")
        await heron.sever()
        turn_of_lynx = await seat_and_turn(lynx)
        await heron.connect()
        await lynx.send("leave_table")
        await lynx.act(turn_of_lynx, {"action": "fold"})
        await heron.until("table_joined")


async def seat_and_turn(client: PlainClient) -> Frame:
    await client.join()
    return await client.until("your_turn")


async def test_two_clients_play_each_other_where_there_is_no_house_and_no_chip_is_lost() -> None:
    async with (
        arena_of(house=0, max_hands=20) as arena,
        client_of(arena, HERON) as heron,
        client_of(arena, LYNX) as lynx,
    ):
        with playing(heron), playing(lynx):
            await heron.send("join_lobby")
            await lynx.send("join_lobby")
            await arena.finished()
            entries = [await entry_of(arena, key) for key in (HERON, LYNX)]
        assert sum(entry["score"] for entry in entries) == 10_000
        assert [entry["hands_played"] for entry in entries] == [20, 20]


async def test_no_more_than_max_hands_are_dealt_at_all_tables_together() -> None:
    records: list[HandRecord] = []
    async with (
        arena_of(tables=2, clients_per_table=1, max_hands=7, on_hand=records.append) as arena,
        client_of(arena, HERON) as heron,
        client_of(arena, LYNX) as lynx,
    ):
        with playing(heron, check_or_fold), playing(lynx, check_or_fold):
            await heron.send("join_lobby")
            await lynx.send("join_lobby")
            await arena.finished()
            await asyncio.sleep(0.05)
        assert len(records) == arena.report().hands == 7
        assert len({record.table_id for record in records}) == 2


# House players


async def test_the_house_fills_the_table_as_soon_as_one_client_waits() -> None:
    async with arena_of() as arena, client_of(arena) as client:
        assert arena.pools.public.floor.tables == []
        assert house_at(await client.join()) == ["Otter4", "Otter3", "Otter2", "Otter1", "Otter0"]


async def test_a_house_player_gives_its_chair_up_at_the_end_of_the_hand() -> None:
    async with arena_of(seats=2) as arena, seated(arena, HERON) as (heron, turn), client_of(arena, LYNX) as lynx:
        await lynx.send("join_lobby")
        await lynx.until("lobby_joined")
        await settled_hand(heron, turn)
        await heron.until("player_joined")
        kinds = [frame["type"] for frame in heron.frames if frame["type"] in ("hand_result", "player_left")]
        assert kinds == ["hand_result", "player_left"]
        assert (heron.of("player_left")[0]["name"], heron.of("player_joined")[-1]["name"]) == ("Otter0", "Lynx")


async def test_a_house_player_gives_its_chair_up_at_once_while_the_table_rests() -> None:
    async with arena_of(seats=2, between_hands_s=30.0) as arena, seated(arena) as (heron, turn):
        await settled_hand(heron, turn)
        async with client_of(arena, LYNX) as lynx:
            joined = await lynx.join()
        assert [player["name"] for player in joined["players"]] == ["Heron", "Lynx"]


async def test_only_as_many_house_players_get_up_as_clients_wait() -> None:
    async with (
        arena_of(clients_per_table=3) as arena,
        seated(arena, HERON) as (heron, turn),
        client_of(arena, LYNX) as lynx,
        client_of(arena, STORK) as stork,
    ):
        for client in (lynx, stork):
            await client.send("join_lobby")
            await client.until("lobby_joined")
        await settled_hand(heron, turn)
        assert len(house_at(await lynx.until("table_joined"))) == 4
        assert len(house_at(await stork.until("table_joined"))) == 3


async def test_the_chair_of_a_client_who_left_goes_to_the_house() -> None:
    async with arena_of(seats=3) as arena, seated(arena, HERON) as (heron, turn), client_of(arena, LYNX) as lynx:
        await lynx.send("join_lobby")
        await lynx.until("lobby_joined")
        await heron.send("leave_table")
        await heron.act(turn, {"action": "fold"})
        with playing(lynx):
            await becomes(lambda: [f["name"] for f in lynx.of("player_joined")][-1:] not in ([], ["Lynx"]))
        assert lynx.of("player_joined")[-1]["name"].startswith("Otter")


async def test_no_house_player_has_the_name_of_a_client() -> None:
    async with arena_of(accounts=None) as arena, client_of(arena, "Otter1") as client:
        joined = await client.join()
        assert client.of("connected")[0]["name"] == "Otter1"
        assert house_at(joined).count("Otter1") == 1


# Seats of clients who are away


async def test_whoever_comes_back_in_time_keeps_the_seat_for_good() -> None:
    async with arena_of(seat_hold_s=0.05) as arena, seated(arena) as (heron, turn), api_of(arena) as api:
        await heron.sever()
        await heron.connect()
        await asyncio.sleep(0.1)
        game = (await api.get("/me/active-game")).json()
        assert (game["playing"], game["table_id"], game["seat"]) == (True, turn["table_id"], 0)
        assert (await heron.act(turn, check_or_call(turn)))["type"] == "action_ack"


async def test_whoever_stays_away_loses_the_seat_and_keeps_the_chips() -> None:
    async with arena_of(seat_hold_s=0.02, action_clock_s=0.1) as arena, seated(arena) as (heron, _):
        await heron.sever()
        account = arena.pools.public.accounts[0]
        await becomes(lambda: account.table is None)
        assert (await entry_of(arena, HERON))["chips_at_table"] == 0
        assert account.chips >= 5_000 - 20
        await heron.connect()
        await heron.join()


async def test_opponents_see_who_is_away_as_disconnected() -> None:
    async with (
        arena_of(house=0, close_idle_table_s=None, max_hands=0) as arena,
        client_of(arena, HERON) as heron,
        client_of(arena, LYNX) as lynx,
    ):
        joined = await heron.join()
        await lynx.join()
        await lynx.sever()
        await becomes(lambda: not arena.pools.public.accounts[1].is_connected)
        await heron.send("resync_request", table_id=joined["table_id"])
        seats = (await heron.until("resync_response"))["snapshot"]["seats"]
        assert [seat["status"] for seat in seats[:3]] == ["active", "disconnected", "empty"]


# Tables that close


async def test_a_table_with_nobody_else_to_play_closes_and_pays_back() -> None:
    async with arena_of(house=0, close_idle_table_s=0.02) as arena, client_of(arena) as client:
        first = await client.join()
        closed = await client.until("table_closed")
        assert closed == {
            "type": "table_closed",
            "table_id": first["table_id"],
            "reason": "insufficient_players",
        }
        assert (await entry_of(arena, HERON))["chip_balance"] == 5_000
        assert (await client.join())["table_id"] != first["table_id"]


async def test_a_table_whose_clients_have_left_closes_and_makes_room_for_another() -> None:
    async with arena_of(close_idle_table_s=0.02) as arena, seated(arena) as (client, turn):
        await client.send("leave_table")
        await client.act(turn, {"action": "fold"})
        await client.until("player_left")
        await becomes(lambda: arena.pools.public.floor.tables == [])
        assert (await client.join())["table_id"] != turn["table_id"]


async def test_a_table_that_is_never_to_close_waits_for_company() -> None:
    async with (
        arena_of(house=0, close_idle_table_s=None) as arena,
        client_of(arena, HERON) as heron,
        client_of(arena, LYNX) as lynx,
    ):
        await heron.join()
        await asyncio.sleep(0.05)
        await lynx.join()
        await heron.until("hand_start")


async def test_a_resync_of_a_closed_table_has_no_snapshot() -> None:
    async with arena_of(house=0, close_idle_table_s=0.02) as arena, client_of(arena) as client:
        closed = await client.join()
        await client.until("table_closed")
        await client.send("resync_request", table_id=closed["table_id"])
        assert (await client.until("resync_response"))["snapshot"] is None


# A table that breaks


@dataclass(frozen=True)
class BreaksAgainst:
    """Calls everything, but cannot play against one opponent after the flop."""

    opponent: str

    def act(self, spot: Spot, rng: random.Random) -> Action:
        if spot.board and any(other.name == self.opponent for other in spot.opponents):
            raise RuntimeError(f"not against {self.opponent}")
        return Action(Verb.CHECK if spot.legal.check else Verb.CALL)

    def saw(self, hand: PublicHand) -> None:
        """Learn nothing."""


BREAKING: tuple[tuple[str, HousePlayer], ...] = (
    ("Otter0", BreaksAgainst("Lynx")),
    ("Otter1", house_player("calling_station")),
)


async def test_a_broken_table_pays_back_the_hand_and_disturbs_no_other() -> None:
    with pytest.raises(RuntimeError, match="not against Lynx"):
        async with (
            arena_of(players=BREAKING, tables=2, clients_per_table=1) as arena,
            seated(arena, HERON) as (heron, turn),
            client_of(arena, LYNX) as lynx,
        ):
            broken = await lynx.join(2_000)
            closed = await lynx.play_until("table_closed", check_or_call)
            assert (closed["table_id"], closed["reason"]) == (broken["table_id"], "table_closing")
            entry = await entry_of(arena, LYNX)
            assert (entry["chip_balance"], entry["chips_at_table"]) == (5_000, 0)
            await heron.act(turn, check_or_call(turn))
            assert len(await heron.play(check_or_call, hands=5)) == 5
            assert heron.problems == []


async def test_whoever_waits_while_a_table_breaks_gets_a_new_one() -> None:
    with pytest.raises(RuntimeError, match="not against Lynx"):
        async with (
            arena_of(players=BREAKING, clients_per_table=1) as arena,
            seated(arena, LYNX) as (lynx, turn),
            client_of(arena, VOLE) as vole,
        ):
            await vole.send("join_lobby")
            await vole.until("lobby_joined")
            await lynx.act(turn, check_or_call(turn))
            await lynx.play_until("table_closed", check_or_call)
            assert (await vole.until("table_joined"))["table_id"] != turn["table_id"]


async def test_a_house_player_gets_up_for_a_client_of_its_name() -> None:
    async with arena_of(accounts=None) as arena, seated(arena, "MyBot") as (first, turn):
        assert "Otter0" in {player["name"] for player in turn["players"]}
        async with client_of(arena, "Otter0") as namesake:
            await namesake.send("join_lobby")
            await namesake.until("lobby_joined")
            await first.act(turn, {"action": "fold"})
            joined = await namesake.until("table_joined")
            assert [player["seat"] for player in joined["players"] if player["name"] == "Otter0"] == [joined["seat"]]
            for snapshot in (*first.of("table_state"), await namesake.until("table_state")):
                taken = [seat["name"] for seat in snapshot["seats"] if seat["name"]]
                assert len(taken) == len(set(taken))


async def test_nobody_waits_for_a_seat_whose_hold_has_run_out() -> None:
    async with arena_of(seat_hold_s=0.05, action_clock_s=600.0) as arena, seated(arena, LYNX) as (lynx, _):
        await lynx.sever()
        await becomes(lambda: not arena.report().clients[0].seated)
