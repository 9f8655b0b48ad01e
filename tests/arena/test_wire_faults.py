"""Faults on demand over real sockets: what a client lives through, and that it can go on."""

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

from agent.arena.arena import Arena
from agent.arena.faults.plan import FaultDice, FaultName, parse_faults
from tests.arena.plain_client import Frame, PlainClient, check_or_call, own_hash
from tests.arena.served import api_of, arena_of, becomes, client_of, seated

ALWAYS = {"rate": 1.0}


def once(name: str) -> dict[str, float]:
    """The fault with a seed by which it strikes Heron the first time it can, and not the next five times."""
    for seed in range(10_000):
        dice = FaultDice(parse_faults({name: {"rate": 0.5, "seed": seed}}), "client", "Heron")
        if [dice.strikes(FaultName(name)) for _ in range(6)] == [True, *[False] * 5]:
            return {"rate": 0.5, "seed": seed}
    raise AssertionError("no seed does")


async def resynced(client: PlainClient, turn: Frame) -> Frame:
    """The answer to a resync of everything at the table of that turn."""
    await client.send("resync_request", table_id=turn["table_id"], last_table_seq=0)
    return await client.until("resync_response")


async def cut_when_acting(client: PlainClient, turn: Frame, choice: Frame) -> None:
    """Send an action and read until the socket is cut, without a close frame."""
    await client.send("action", **client.action(turn, choice))
    with pytest.raises(ConnectionClosed) as closed:
        await client.until("nothing of this kind")
    assert closed.value.rcvd is None


def own_actions(client: PlainClient) -> list[Frame]:
    return [frame for frame in client.of("player_action") if frame["name"] == "Heron"]


# Turns


async def test_a_stale_token_is_refused_until_a_resync_tells_the_good_one() -> None:
    faults = {"stale_token": once("stale_token")}
    async with arena_of(faults=faults) as arena, seated(arena) as (client, turn):
        refused = await client.act(turn, check_or_call(turn))
        assert refused["code"] == "stale_turn_token"
        hero = (await resynced(client, turn))["snapshot"]["hero"]
        assert hero["turn_token"] != turn["turn_token"]
        renewed = {**turn, "turn_token": hero["turn_token"]}
        assert (await client.act(renewed, check_or_call(turn)))["type"] == "action_ack"
        assert arena.report().faults == {"stale_token": 1}
        stats = arena.stats("Heron")
        assert (stats.prompts, stats.accepted, stats.rejected, stats.timeouts) == (1, 1, 1, 0)


async def test_a_lost_ack_is_played_and_an_exact_retry_plays_nothing() -> None:
    async with arena_of(faults={"lost_ack": ALWAYS}, pace_s=0.02) as arena, seated(arena) as (client, turn):
        action = client.action(turn, check_or_call(turn))
        await client.send("action", **action)
        shown = await client.until("player_action")
        assert shown["action_id"] == action["client_action_id"]
        await client.send("action", **action)
        await client.play(check_or_call, hands=1)
        assert client.of("action_ack") == client.of("action_rejected") == []
        assert [frame["action_id"] for frame in own_actions(client)].count(action["client_action_id"]) == 1
        assert arena.report().faults["lost_ack"] == arena.stats("Heron").accepted + 1


async def test_a_lost_ack_is_sent_again_when_the_retry_has_better_luck() -> None:
    faults = {"lost_ack": once("lost_ack")}
    async with arena_of(faults=faults) as arena, seated(arena) as (client, turn):
        action = client.action(turn, check_or_call(turn))
        await client.send("action", **action)
        await client.until("player_action")
        await client.send("action", **action)
        ack = await client.until("action_ack")
        assert ack["client_action_id"] == action["client_action_id"]
        assert ack["table_seq"] < client.watermark


async def test_a_socket_cut_before_an_action_leaves_the_turn_open() -> None:
    faults = {"cut_before_action": once("cut_before_action")}
    async with arena_of(faults=faults) as arena, seated(arena) as (client, turn):
        await cut_when_acting(client, turn, check_or_call(turn))
        assert arena.stats("Heron").accepted == 0
        await client.connect()
        snapshot = (await resynced(client, turn))["snapshot"]
        assert snapshot["hero"]["turn_token"] == turn["turn_token"]
        assert snapshot["state_hash"] == own_hash(snapshot)
        assert (await client.act(turn, check_or_call(turn)))["type"] == "action_ack"


async def test_a_socket_cut_after_an_action_has_played_it_and_the_retry_is_acknowledged() -> None:
    faults = {"cut_after_action": once("cut_after_action")}
    async with arena_of(faults=faults) as arena, seated(arena) as (client, turn):
        await cut_when_acting(client, turn, check_or_call(turn))
        assert arena.stats("Heron").accepted == 1
        assert own_actions(client) == client.of("action_ack") == []
        await client.connect()
        events = (await resynced(client, turn))["replayed_events"]
        played = [e for e in events if e["type"] == "player_action" and e["action_id"] == f"c-{client.made:06}"]
        assert [event["name"] for event in played] == ["Heron"]
        retry = {"hand_id": turn["hand_id"], "turn_token": turn["turn_token"], **check_or_call(turn)}
        await client.send("action", client_action_id=f"c-{client.made:06}", **retry)
        assert (await client.until("action_ack", "action_rejected"))["type"] == "action_ack"
        assert arena.stats("Heron").repeated == 0


# Seats


async def test_a_silent_removal_takes_the_seat_and_says_nothing() -> None:
    async with arena_of(faults={"silent_removal": ALWAYS}) as arena, client_of(arena) as client, api_of(arena) as api:
        joined = await client.join()
        await becomes(lambda: arena.pools.public.accounts[0].table is None)
        game = (await api.get("/me/active-game")).json()
        entry = (await api.get("/season/me")).json()
        assert (game["playing"], entry["chip_balance"], entry["chips_at_table"]) == (False, 5_000, 0)
        assert (await resynced(client, joined))["role"] == "spectator"
        assert client.of("player_left") == client.of("table_closed") == client.of("busted") == []


async def test_a_silently_removed_client_can_join_again() -> None:
    async with arena_of(faults={"silent_removal": ALWAYS}) as arena, client_of(arena) as client:
        for _ in range(2):
            await client.join()
            await becomes(lambda: arena.pools.public.accounts[0].table is None)
        assert client.of("error") == []


# Names and stacks


async def test_house_players_have_names_outside_ascii_and_the_hashes_hold() -> None:
    async with arena_of(faults={"non_ascii_names": ALWAYS}) as arena, seated(arena) as (client, turn):
        await client.act(turn, check_or_call(turn))
        await client.play(check_or_call, hands=3)
        names = {player["name"] for player in turn["players"]} - {"Heron"}
        assert len(names) == 5
        assert all(any(ord(letter) > 0xFFFF for letter in name) for name in names)
        assert all(frame["state_hash"] == own_hash(frame) for frame in client.of("table_state"))
        assert client.problems == []


async def test_house_players_sit_down_with_more_than_a_thousand_million_chips() -> None:
    async with arena_of(faults={"huge_stacks": ALWAYS}, house=2) as arena, seated(arena) as (client, turn):
        await client.act(turn, check_or_call(turn))
        await client.play(check_or_call, hands=3)
        stacks = [seat["stack"] for seat in client.of("table_state")[-1]["seats"] if seat["name"]]
        assert sum(stack > 10**9 for stack in stacks) == 2
        assert {type(stack) for stack in stacks} == {int}
        assert client.problems == []


# Time


async def test_a_slow_server_keeps_the_order_of_its_frames() -> None:
    faults = {"slow_server": {"rate": 1.0, "seconds": 0.01}}
    async with arena_of(faults=faults, house=2, max_hands=2) as arena, client_of(arena) as client:
        await client.join()
        await client.play(check_or_call, hands=2)
        numbers = [frame["table_seq"] for frame in client.frames if frame.get("table_seq")]
        assert numbers == sorted(numbers)
        assert arena.report().faults == {"slow_server": 1}
        assert client.problems == []


async def test_a_delayed_frame_is_overtaken_by_those_after_it() -> None:
    faults = {"delay_frame": {"rate": 0.2, "seed": 1, "seconds": 0.02}}
    async with arena_of(faults=faults, house=2, max_hands=2, action_clock_s=0.2) as arena, client_of(arena) as client:
        await client.join()
        await client.play(check_or_call, hands=2)
        numbers = [frame["table_seq"] for frame in client.frames if frame.get("table_seq")]
        assert numbers != sorted(numbers)
        assert set(arena.report().faults) == {"delay_frame"}


# REST


async def refused_by(arena: Arena, path: str) -> httpx.Response:
    async with api_of(arena) as api:
        return await api.get(path)


async def test_a_rest_call_is_refused_with_429_and_a_time_to_retry() -> None:
    async with arena_of(faults={"rest_429": {"rate": 1.0, "seconds": 7}}) as arena:
        answer = await refused_by(arena, "/me")
        assert (answer.status_code, answer.headers["Retry-After"]) == (429, "7")
        assert answer.json() == {"detail": "too many calls in a minute"}


async def test_a_rest_call_fails_with_500() -> None:
    async with arena_of(faults={"rest_500": ALWAYS}) as arena:
        answer = await refused_by(arena, "/me/active-game")
        assert (answer.status_code, answer.json()) == (500, {"detail": "something broke"})


async def test_a_rest_call_is_not_answered_in_time() -> None:
    async with arena_of(faults={"rest_timeout": {"rate": 1.0, "seconds": 0.5}}) as arena, api_of(arena) as api:
        with pytest.raises(httpx.ReadTimeout):
            await api.get("/me", timeout=0.05)
        assert arena.report().faults == {"rest_timeout": 1}


async def test_a_rest_call_that_waits_long_enough_is_answered() -> None:
    async with arena_of(faults={"rest_timeout": {"rate": 1.0, "seconds": 0.01}}) as arena:
        assert (await refused_by(arena, "/me")).json()["name"] == "Heron"


@pytest.mark.parametrize("fault", ["rest_429", "rest_500"])
async def test_the_health_check_and_the_socket_are_spared_by_the_faults_of_rest(fault: str) -> None:
    async with arena_of(faults={fault: ALWAYS}) as arena, httpx.AsyncClient() as http:
        assert (await http.get(arena.api_url.removesuffix("/api") + "/health")).status_code == 200
        async with client_of(arena) as client:
            await client.join()


async def test_half_of_the_calls_fail_in_an_order_that_the_seed_settles() -> None:
    seen: list[list[int]] = []
    for _ in range(2):
        async with arena_of(faults={"rest_500": {"rate": 0.5, "seed": 4}}) as arena, api_of(arena) as api:
            seen.append([(await api.get("/me")).status_code for _ in range(8)])
    assert seen[0] == seen[1]
    assert set(seen[0]) == {200, 500}
