"""The REST calls around a session."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from agent.arena.arena import Arena
from agent.arena.house.player import house_player
from agent.arena.settings import ArenaSettings
from tests.arena.plain_client import PlainClient, shove


@asynccontextmanager
async def arena_and_api(**settings: Any) -> AsyncIterator[tuple[Arena, httpx.AsyncClient]]:
    """An arena with one house player, and its REST side with Heron's key."""
    rules = ArenaSettings(**{"seed": 1, "max_messages_per_s": None, **settings})
    house = [("Otter", house_player("calling_station"))]
    async with (
        Arena(rules, house=house, accounts={"key": "Heron", "other": "Lynx"}) as arena,
        httpx.AsyncClient(headers={"Authorization": "Bearer key"}) as api,
    ):
        yield arena, api


@pytest.mark.parametrize("path", ["/me", "/me/active-game", "/season/me"])
@pytest.mark.parametrize("headers", [{"Authorization": "Bearer wrong"}, {"Authorization": "key"}])
async def test_a_wrong_key_is_unauthorized(path: str, headers: dict[str, str]) -> None:
    async with arena_and_api() as (arena, api):
        answer = await api.get(arena.api_url + path, headers=headers)
        assert (answer.status_code, answer.json()) == (401, {"detail": "the API key is missing or wrong"})


async def test_health_needs_no_key() -> None:
    async with arena_and_api() as (arena, _), httpx.AsyncClient() as stranger:
        answer = await stranger.get(arena.api_url.removesuffix("/api") + "/health")
        assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


async def test_an_unknown_path_is_told_as_json() -> None:
    async with arena_and_api() as (arena, api):
        answer = await api.get(arena.api_url + "/nothing")
        assert (answer.status_code, list(answer.json())) == (404, ["detail"])


async def test_me_names_the_agent() -> None:
    async with arena_and_api() as (arena, api):
        me = (await api.get(arena.api_url + "/me")).json()
        assert me["name"] == "Heron"
        assert {"agent_id", "email", "name", "balance", "created_at"} <= set(me)


async def test_the_active_game_is_null_until_a_seat_is_taken() -> None:
    async with arena_and_api() as (arena, api):
        nothing = (await api.get(arena.api_url + "/me/active-game")).json()
        assert nothing == {"playing": False, "table_id": None, "seat": None, "stack_chips": None}
        client = PlainClient(arena.ws_url, "key")
        await client.connect()
        joined = await client.join(1_500)
        await client.until("your_turn")
        game = (await api.get(arena.api_url + "/me/active-game")).json()
        assert game == {"playing": True, "table_id": joined["table_id"], "seat": 0, "stack_chips": 1_500}
        await client.close()


async def test_the_season_entry_exists_after_joining_and_counts_chips_on_and_off_the_table() -> None:
    async with arena_and_api() as (arena, api):
        unknown = await api.get(arena.api_url + "/season/me")
        assert (unknown.status_code, unknown.json()) == (404, {"detail": "not registered for this season"})
        client = PlainClient(arena.ws_url, "key")
        await client.connect()
        await client.join(2_000)
        await client.until("your_turn")
        entry = (await api.get(arena.api_url + "/season/me")).json()
        assert (entry["chip_balance"], entry["chips_at_table"], entry["score"]) == (3_000, 2_000, 5_000)
        assert (entry["rank"], entry["total_participants"], entry["rebuy_penalty"]) == (1, 1, 0)
        assert (entry["auto_rebuy"], entry["starting_chips"], entry["hands_played"]) == (False, 5_000, 0)
        await client.close()


async def test_a_rebuy_needs_registration_no_seat_and_little_left() -> None:
    async with arena_and_api(start_chips=1_000) as (arena, api):
        rebuy = arena.api_url + "/season/rebuy"
        assert (await api.post(rebuy)).status_code == 404
        client = PlainClient(arena.ws_url, "key")
        await client.connect()
        await client.join(1_000)
        assert (await api.post(rebuy)).status_code == 400
        await client.play_until("busted", shove)
        answer = await api.post(rebuy)
        assert (answer.status_code, answer.json()["chip_balance"]) == (200, 1_500)
        assert (await api.post(rebuy)).status_code == 400
        await client.close()


async def test_leaving_takes_the_stack_off_the_table_into_the_balance() -> None:
    async with arena_and_api(max_hands=1) as (arena, api):
        client = PlainClient(arena.ws_url, "key")
        await client.connect()
        await client.join(2_000)
        result = (await client.play(lambda _: {"action": "fold"}, hands=1))[0]
        await client.send("leave_table")
        await client.until("player_left")
        entry = (await api.get(arena.api_url + "/season/me")).json()
        assert (entry["chip_balance"], entry["chips_at_table"]) == (3_000 + result["final_stacks"]["0"], 0)
        assert (await api.get(arena.api_url + "/me/active-game")).json()["playing"] is False
        await client.close()
