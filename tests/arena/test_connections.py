"""Who may connect, where, and what happens to the connection before."""

import json
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from agent.arena.arena import Arena
from tests.arena.plain_client import PlainClient, check_or_call, shove
from tests.arena.served import HERON, LYNX, api_of, arena_of, client_of, closed_with, seated

CUP, OTHER_CUP = "0a51c0de-7777-4b1e-9a00-3f2e11d0aa01", "0a51c0de-7777-4b1e-9a00-3f2e11d0aa02"


async def refusal(url: str, key: str | None = HERON) -> tuple[dict[str, Any], int | None]:
    """The error that a connection gets, and the code that it is closed with."""
    headers = {"Authorization": f"Bearer {key}"} if key is not None else {}
    async with connect(url, additional_headers=headers) as socket:
        error = json.loads(await socket.recv())
        return error, await closed_with(socket.recv)


async def test_more_than_ten_connections_a_minute_are_refused_in_words_that_clients_know() -> None:
    async with arena_of(max_connections_per_min=10) as arena:
        for _ in range(10):
            async with client_of(arena):
                pass
        error, code = await refusal(arena.ws_url)
        assert (error["type"], error["code"], code) == ("error", "rate_limited", 1008)
        assert "connection attempts" in error["message"]


async def test_the_token_of_the_query_can_be_switched_off() -> None:
    async with arena_of(query_token=False) as arena:
        error, code = await refusal(f"{arena.ws_url}?token={HERON}", key=None)
        assert (error["code"], code) == ("auth_failed", 4001)


async def test_any_key_names_its_own_bot_where_no_keys_are_given() -> None:
    async with arena_of(accounts=None) as arena:
        async with client_of(arena, "MyBot") as client:
            assert client.frames[0]["name"] == "MyBot"
        async with client_of(arena, "op_live_0123456789abcdef-secret") as client:
            assert client.frames[0]["name"].startswith("Bot_")
            assert "secret" not in json.dumps(client.frames)
        error, code = await refusal(arena.ws_url, key=None)
        assert (error["code"], code) == ("auth_failed", 4001)


async def test_a_key_that_was_replaced_opens_no_connection_and_the_new_one_takes_the_seat_over() -> None:
    async with arena_of() as arena, seated(arena) as (older, turn), api_of(arena) as api:
        key = (await api.post("/me/regenerate-key")).json()["api_key"]
        error, code = await refusal(arena.ws_url)
        assert (error["code"], code) == ("auth_failed", 4001)
        async with client_of(arena, key) as client:
            assert client.frames[0]["name"] == "Heron"
            assert await closed_with(older.next) == 4000
            await client.send("resync_request", table_id=turn["table_id"])
            assert (await client.until("resync_response"))["role"] == "player"


async def test_what_a_replaced_connection_is_closed_with_is_a_setting() -> None:
    async with arena_of(takeover_close_code=4009) as arena, client_of(arena) as older, client_of(arena):
        assert await closed_with(older.next) == 4009


class TestCompetitions:
    async def test_a_competition_has_players_and_chips_of_its_own(self) -> None:
        async with arena_of() as arena, seated(arena) as (_, public), client_of(arena, competition=CUP) as private:
            joined = await private.join(1_000)
            assert joined["table_id"] != public["table_id"]
            async with client_of(arena, LYNX, competition=OTHER_CUP) as other:
                assert (await other.join())["table_id"] not in (joined["table_id"], public["table_id"])
            chips = {lobby.accounts[0].chips for lobby in arena.pools.all}
            assert chips == {3_000, 4_000}

    async def test_a_second_connection_is_refused_and_the_first_lives_on(self) -> None:
        async with arena_of() as arena, client_of(arena, competition=CUP) as first:
            error, code = await refusal(f"{arena.ws_url}?competition_id={CUP}")
            assert (error["code"], code) == ("scope_connection_already_active", 1008)
            await first.join()

    async def test_the_query_does_not_carry_the_key(self) -> None:
        async with arena_of() as arena:
            error, code = await refusal(f"{arena.ws_url}?competition_id={CUP}&token={HERON}", key=None)
            assert (error["code"], code) == ("auth_failed", 4001)

    @pytest.mark.parametrize("name", ["", "summer-cup", CUP + "0"])
    async def test_what_is_no_uuid_is_no_competition(self, name: str) -> None:
        async with arena_of() as arena:
            error, code = await refusal(f"{arena.ws_url}?competition_id={name}")
            assert (error["code"], code) == ("competition_not_found", 1008)

    async def test_rebuys_are_off_unless_the_competition_allows_some(self) -> None:
        async with arena_of(start_chips=1_000) as arena:
            client = await self.busted(arena)
            await client.send("rebuy", amount=1_500)
            assert (await client.until("error"))["code"] == "rebuy_not_allowed"
            await client.close()

    async def test_a_rebuy_that_is_asked_for_again_with_its_id_is_credited_once(self) -> None:
        async with arena_of(start_chips=1_000, competition_rebuys=1) as arena:
            client = await self.busted(arena)
            for _ in range(2):
                await client.send("rebuy", amount=1_500, request_id="first")
                assert (await client.until("rebuy_confirmed"))["chip_balance"] == 1_500
            assert arena.pools.all[1].accounts[0].rebuys == 1
            await client.close()

    @staticmethod
    async def busted(arena: Arena) -> PlainClient:
        client = PlainClient(f"{arena.ws_url}?competition_id={CUP}", HERON)
        await client.connect()
        await client.join(1_000)
        await client.send("set_auto_rebuy", enabled=True)
        assert (await client.until("auto_rebuy_set"))["enabled"] is False
        await client.play_until("busted", shove)
        return client


async def test_a_client_may_play_the_league_and_competitions_at_once() -> None:
    async with arena_of() as arena, client_of(arena) as public, client_of(arena, competition=CUP) as private:
        await public.join()
        await private.join()
        await public.play(check_or_call, hands=3)
        await private.play(check_or_call, hands=3)


async def test_the_socket_of_a_wrong_key_is_not_replaced_by_another() -> None:
    async with arena_of() as arena, seated(arena) as (client, turn):
        error, _ = await refusal(arena.ws_url, key="wrong")
        assert error["code"] == "auth_failed"
        assert (await client.act(turn, check_or_call(turn)))["type"] == "action_ack"
        with pytest.raises(ConnectionClosed):
            async with connect(arena.ws_url) as socket:
                await socket.recv()
                await socket.recv()
