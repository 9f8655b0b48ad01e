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


# Agents


async def test_registering_hands_out_a_key_that_plays() -> None:
    async with arena_and_api() as (arena, api):
        url = arena.api_url + "/register"
        answer = await api.post(url, json={"name": "New_Bot", "terms_accepted": True})
        made = answer.json()
        assert answer.status_code == 201
        assert set(made) == {"agent_id", "api_key", "email", "name", "wallet_address"}
        me = await api.get(arena.api_url + "/me", headers={"Authorization": f"Bearer {made['api_key']}"})
        assert (me.json()["name"], me.json()["agent_id"]) == ("New_Bot", made["agent_id"])
        client = PlainClient(arena.ws_url, made["api_key"])
        await client.connect()
        await client.join()
        await client.close()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"name": "New_Bot"}, 400),
        ({"name": "New_Bot", "terms_accepted": False}, 400),
        ({"name": "heron", "terms_accepted": True}, 409),
        ({"name": "ab", "terms_accepted": True}, 422),
        ({"name": "a b c", "terms_accepted": True}, 422),
        ({"name": 7, "terms_accepted": True}, 422),
        ({"terms_accepted": True}, 422),
        ({"name": "New_Bot", "email": 7, "terms_accepted": True}, 422),
        ({"name": "New_Bot", "wallet_address": [], "terms_accepted": True}, 422),
        ([], 422),
    ],
)
async def test_a_registration_that_cannot_be_is_refused_with_its_reason(body: object, status: int) -> None:
    async with arena_and_api() as (arena, api):
        answer = await api.post(arena.api_url + "/register", json=body)
        assert answer.status_code == status
        detail = answer.json()["detail"]
        assert isinstance(detail, str) if status < 422 else set(detail[0]) == {"loc", "msg", "type"}


@pytest.mark.parametrize("body", [b"{", b"\xff\xfe", b"[" * 50_000])
async def test_a_body_that_is_no_json_is_unprocessable(body: bytes) -> None:
    async with arena_and_api() as (arena, api):
        assert (await api.post(arena.api_url + "/register", content=body)).status_code == 422


async def test_a_new_key_kills_the_old_one_at_once() -> None:
    async with arena_and_api() as (arena, api):
        key = (await api.post(arena.api_url + "/me/regenerate-key")).json()["api_key"]
        assert (await api.get(arena.api_url + "/me")).status_code == 401
        fresh = await api.get(arena.api_url + "/me", headers={"Authorization": f"Bearer {key}"})
        assert fresh.json()["name"] == "Heron"


async def test_an_agent_can_be_renamed_but_not_to_a_name_that_is_taken() -> None:
    async with arena_and_api() as (arena, api):
        assert (await api.patch(arena.api_url + "/me", json={"name": "Egret"})).json()["name"] == "Egret"
        assert (await api.patch(arena.api_url + "/me", json={"name": "Lynx"})).status_code == 409
        assert (await api.patch(arena.api_url + "/me", json={"name": 3})).status_code == 422


# Hands and standings


async def test_the_history_holds_the_latest_hands_with_our_cards_and_gains() -> None:
    async with arena_and_api(max_hands=4) as (arena, api):
        client = PlainClient(arena.ws_url, "key")
        await client.connect()
        await client.join()
        results = await client.play(lambda _: {"action": "fold"}, hands=4)
        rows = (await api.get(arena.api_url + "/me/hand-history")).json()
        assert [row["hand_id"] for row in rows] == [result["hand_id"] for result in reversed(results)]
        assert [row["hole_cards"] for row in reversed(rows)] == [frame["cards"] for frame in client.of("hole_cards")]
        assert all(row["final_stack"] - row["start_stack"] == row["net_chips"] for row in rows)
        page = (await api.get(arena.api_url + "/me/hand-history?limit=2&offset=1")).json()
        assert page == rows[1:3]
        await client.close()


@pytest.mark.parametrize("query", ["limit=0", "limit=201", "limit=x", "offset=-1", "limit=²"])
async def test_a_page_out_of_bounds_is_unprocessable(query: str) -> None:
    async with arena_and_api() as (arena, api):
        answer = await api.get(f"{arena.api_url}/me/hand-history?{query}")
        assert (answer.status_code, answer.json()["detail"][0]["loc"][0]) == (422, "query")


async def test_the_leaderboard_sorts_filters_and_keeps_the_ranks() -> None:
    async with arena_and_api(max_hands=3) as (arena, api):
        clients = [PlainClient(arena.ws_url, key) for key in ("key", "other")]
        for client in clients:
            await client.connect()
        await clients[0].join()
        await clients[0].play(lambda _: {"action": "fold"}, hands=3)
        await clients[1].join()
        url = arena.api_url + "/season/leaderboard"
        rows = (await api.get(url)).json()
        assert [row["rank"] for row in rows] == [1, 2]
        assert {row["name"]: row["hands_played"] for row in rows} == {"Heron": 3, "Lynx": 0}
        assert sorted((row["score"] for row in rows), reverse=True) == [row["score"] for row in rows]
        assert [row["name"] for row in (await api.get(url + "?min_hands=1")).json()] == ["Heron"]
        assert (await api.get(url + "?sort_by=hands_played")).json()[0]["name"] == "Heron"
        assert (await api.get(url + "?limit=1&offset=1")).json() == rows[1:]
        assert (await api.get(url + "?sort_by=luck")).status_code == 422
        for client in clients:
            await client.close()


async def test_the_season_says_when_it_ends() -> None:
    async with arena_and_api(season_number=14) as (arena, api):
        season = (await api.get(arena.api_url + "/season/current")).json()
        assert (season["season_number"], season["winding_down"]) == (14, False)
        assert 0 < season["time_remaining_seconds"] <= 14 * 86_400
        assert (await api.get(arena.api_url + "/season/list")).json()[0]["season_id"] == season["season_id"]


async def test_the_automatic_rebuy_can_be_switched_over_rest() -> None:
    async with arena_and_api() as (arena, api):
        url = arena.api_url + "/season/me"
        assert (await api.patch(url, json={"auto_rebuy": True})).status_code == 404
        client = PlainClient(arena.ws_url, "key")
        await client.connect()
        await client.join()
        assert (await api.patch(url, json={"auto_rebuy": True})).json()["auto_rebuy"] is True
        assert (await api.patch(url, json={"auto_rebuy": "yes"})).status_code == 422
        await client.close()


async def test_a_second_rebuy_has_to_wait_and_is_told_how_long() -> None:
    async with arena_and_api(start_chips=1_000, min_buy_in_chips=1_000, rebuy_chips=500) as (arena, api):
        client = PlainClient(arena.ws_url, "key")
        await client.connect()
        await client.join(1_000)
        await client.play_until("busted", shove)
        rebuy = arena.api_url + "/season/rebuy"
        assert (await api.post(rebuy)).status_code == 200
        refused = await api.post(rebuy)
        assert (refused.status_code, refused.headers["Retry-After"]) == (429, "300")
        await client.send("rebuy", amount=1_500)
        error = await client.until("error")
        assert (error["code"], error["cooldown_seconds"]) == ("rebuy_cooldown", 300)
        await client.close()


@pytest.mark.parametrize(
    ("method", "path", "limit", "whose"), [("GET", "/me", 60, "address"), ("POST", "/season/rebuy", 10, "key")]
)
async def test_calls_are_limited_by_the_minute_where_that_is_asked_for(
    method: str, path: str, limit: int, whose: str
) -> None:
    async with arena_and_api(limits_rest_calls=True) as (arena, api):
        answers = [await api.request(method, arena.api_url + path) for _ in range(limit + 1)]
        assert [answer.status_code == 429 for answer in answers] == [False] * limit + [True]
        assert 1 <= int(answers[-1].headers["Retry-After"]) <= 60
        other = await api.request(method, arena.api_url + path, headers={"Authorization": "Bearer other"})
        assert (other.status_code == 429) == (whose == "address")
