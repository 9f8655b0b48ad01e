"""The venue over real sockets: connections, seats, turns, refusals, recovery."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from agent.arena.arena import Arena
from agent.arena.game.records import HandRecord
from agent.arena.house.player import house_player
from agent.arena.modes import Pace
from agent.arena.settings import PACES, ArenaSettings
from tests.arena.plain_client import PlainClient, check_or_call, check_or_fold, own_hash, shove, verbs

KEY, OTHER_KEY = "key-of-heron", "-key-of-lynx"


@asynccontextmanager
async def arena_of(
    kind: str = "calling_station",
    *,
    house: int = 2,
    on_hand: Callable[[HandRecord], None] | None = None,
    **settings: Any,
) -> AsyncIterator[Arena]:
    """An arena with that many house players of one kind, and accounts for Heron and Lynx."""
    players = tuple((f"Otter{number}", house_player(kind)) for number in range(house))
    rules = ArenaSettings(**{"seed": 1, **PACES[Pace.FAST], "action_clock_s": 5.0, **settings})
    accounts = {KEY: "Heron", OTHER_KEY: "Lynx"}
    async with Arena(rules, house=players, accounts=accounts, on_hand=on_hand) as arena:
        yield arena


@asynccontextmanager
async def client_of(arena: Arena, key: str = KEY) -> AsyncIterator[PlainClient]:
    """A connected client."""
    client = PlainClient(arena.ws_url, key)
    await client.connect()
    try:
        yield client
    finally:
        await client.close()
    assert [problem for problem in client.problems if "rebuy_not_allowed" not in problem] == []


@asynccontextmanager
async def client_on_turn(**settings: Any) -> AsyncIterator[tuple[Arena, PlainClient, dict[str, Any]]]:
    """An arena, a seated client, and its first turn."""
    async with arena_of(**settings) as arena, client_of(arena) as client:
        await client.join()
        turn = await client.until("your_turn")
        await client.until("table_state")
        yield arena, client, turn


# Connections


async def test_a_key_in_the_header_is_greeted_with_a_name() -> None:
    async with arena_of() as arena:
        client = PlainClient(arena.ws_url, KEY)
        greeting = await client.connect()
        assert set(greeting) == {"type", "agent_id", "name"}
        assert greeting["name"] == "Heron"
        await client.close()


async def test_a_key_in_the_query_is_accepted() -> None:
    async with arena_of() as arena, connect(f"{arena.ws_url}?token={OTHER_KEY}") as socket:
        assert json.loads(await socket.recv())["name"] == "Lynx"


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": KEY}])
async def test_a_missing_or_wrong_key_is_told_so_and_closed_with_4001(headers: dict[str, str]) -> None:
    async with arena_of() as arena, connect(arena.ws_url, additional_headers=headers) as socket:
        frame = json.loads(await socket.recv())
        assert (frame["type"], frame["code"]) == ("error", "auth_failed")
        with pytest.raises(ConnectionClosed) as closed:
            await socket.recv()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4001


async def test_other_paths_are_not_found() -> None:
    async with arena_of() as arena:
        with pytest.raises(InvalidStatus, match="404"):
            await connect(arena.ws_url + "/other", additional_headers={"Authorization": f"Bearer {KEY}"})


async def test_a_second_connection_takes_the_first_ones_place() -> None:
    async with client_on_turn() as (arena, older, turn), client_of(arena) as newer:
        with pytest.raises(ConnectionClosed) as closed:
            await older.next()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4000
        answer = await newer.act(turn, check_or_call(turn))
        assert answer["type"] == "action_ack"


async def test_a_message_may_come_before_the_greeting_is_read() -> None:
    headers = {"Authorization": f"Bearer {KEY}"}
    async with arena_of() as arena, connect(arena.ws_url, additional_headers=headers) as socket:
        await socket.send(json.dumps({"type": "join_lobby", "buy_in": 2_000.0}))
        await socket.send(json.dumps({"type": "set_auto_rebuy", "enabled": True}))
        kinds = [json.loads(await socket.recv())["type"] for _ in range(6)]
    assert kinds[0] == "connected"
    assert {"lobby_joined", "auto_rebuy_set", "table_joined"} <= set(kinds)


# The lobby


async def test_joining_leads_to_the_lowest_free_seat_with_the_buy_in() -> None:
    async with arena_of() as arena, client_of(arena) as client:
        joined = await client.join(1_500)
        assert client.of("lobby_joined") == [{"type": "lobby_joined", "position": 1, "estimated_wait": "~0s"}]
        assert (joined["seat"], joined["players"][0]["stack"]) == (0, 1_500)
        assert [player["seat"] for player in joined["players"]] == [0, 4, 5]


@pytest.mark.parametrize("wish", [None, 999, 5_001, "2000", 1_500.5])
async def test_a_buy_in_out_of_bounds_becomes_the_default(wish: object) -> None:
    async with arena_of() as arena, client_of(arena) as client:
        await client.send("join_lobby", buy_in=wish)
        assert (await client.until("table_joined"))["players"][0]["stack"] == 2_000


async def test_a_buy_in_above_the_balance_is_refused() -> None:
    async with arena_of(start_chips=1_200) as arena, client_of(arena) as client:
        await client.send("join_lobby", buy_in=1_201)
        assert (await client.until("error"))["code"] == "insufficient_funds"


async def test_a_seated_client_that_joins_again_is_told_its_seat() -> None:
    async with client_on_turn() as (_, client, turn):
        await client.send("join_lobby")
        error = await client.until("error")
        assert (error["code"], error["table_id"], error["seat"]) == ("already_seated", turn["table_id"], 0)


async def test_a_waiting_client_that_joins_again_is_told_to_wait() -> None:
    async with arena_of(matchmaking_s=30) as arena, client_of(arena) as client:
        await client.send("join_lobby")
        assert (await client.until("lobby_joined"))["estimated_wait"] == "~30s"
        await client.send("join_lobby")
        assert (await client.until("error"))["code"] == "already_in_lobby"


async def test_a_client_waits_until_a_seat_is_free() -> None:
    async with client_on_turn(house=1, seats=2) as (arena, first, turn), client_of(arena, OTHER_KEY) as second:
        await second.send("join_lobby")
        await second.until("lobby_joined")
        await first.send("leave_table")
        await first.act(turn, {"action": "fold"})
        assert (await second.until("table_joined"))["seat"] == 0


async def test_house_players_never_play_among_themselves() -> None:
    async with arena_of(house=3) as arena, client_of(arena) as client:
        await asyncio.sleep(0.05)
        await client.join()
        assert (await client.until("hand_start"))["hand_seq"] == 1
        snapshot = await client.until("table_state")
        assert {seat["stack"] + seat["bet"] for seat in snapshot["seats"] if seat["name"]} == {2_000}


async def test_auto_rebuy_before_joining_is_refused() -> None:
    async with arena_of() as arena, client_of(arena) as client:
        await client.send("set_auto_rebuy", enabled=True)
        assert (await client.until("error"))["code"] == "not_registered_for_season"


# Turns


async def test_an_acknowledgement_comes_before_the_action_is_shown() -> None:
    async with client_on_turn() as (arena, client, turn):
        ack = await client.act(turn, check_or_call(turn))
        shown, snapshot = await client.next(), await client.next()
        assert (ack["type"], ack["status"]) == ("action_ack", "accepted")
        assert (shown["type"], shown["action_id"]) == ("player_action", ack["client_action_id"])
        assert (shown["table_seq"], snapshot["table_seq"]) == (ack["table_seq"] + 1, ack["table_seq"] + 2)
        assert arena.stats("Heron").accepted == 1


async def test_an_exact_retry_gets_the_same_answer_and_plays_once() -> None:
    async with client_on_turn() as (arena, client, turn):
        action = client.action(turn, check_or_call(turn))
        await client.send("action", **action)
        first = await client.until("action_ack")
        await client.send("action", **action)
        assert await client.until("action_ack") == first
        own = [frame for frame in client.of("player_action") if frame["action_id"] == action["client_action_id"]]
        assert len(own) == 1
        stats = arena.stats("Heron")
        assert (stats.accepted, stats.rejected, stats.repeated) == (1, 0, 0)


async def test_the_same_id_with_another_action_is_a_conflict() -> None:
    async with client_on_turn() as (arena, client, turn):
        action = client.action(turn, check_or_call(turn))
        await client.send("action", **action)
        await client.until("action_ack")
        await client.send("action", **{**action, "action": "fold"})
        assert (await client.until("action_rejected"))["code"] == "action_id_conflict"
        assert arena.stats("Heron").repeated == 1


async def test_a_second_answer_to_a_turn_is_stale_and_counted() -> None:
    async with client_on_turn(pace_s=0.05) as (arena, client, turn):
        await client.act(turn, check_or_call(turn))
        refused = await client.act(turn, {"action": "fold"})
        assert refused["code"] == "stale_turn_token"
        stats = arena.stats("Heron")
        assert (stats.accepted, stats.rejected, stats.repeated) == (1, 1, 1)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"turn_token": "another"}, "stale_turn_token"),
        ({"turn_token": None}, "legacy_action_protocol"),
        ({"hand_id": "another"}, "stale_hand_action"),
        ({"hand_id": None}, "stale_hand_action"),
        ({"client_action_id": None}, "missing_action_id"),
        ({"action": "check"}, "invalid_action"),
        ({"action": "bet"}, "invalid_action"),
        ({"action": None}, "invalid_action"),
        ({"action": "raise", "amount": 39}, "invalid_action"),
        ({"action": "raise", "amount": 60.5}, "invalid_action"),
        ({"action": "raise", "amount": 10**30}, "invalid_action"),
        ({"action": "raise"}, "invalid_action"),
    ],
)
async def test_a_refused_action_leaves_the_turn_open(change: dict[str, Any], code: str) -> None:
    async with client_on_turn() as (arena, client, turn):
        await client.send("action", **{**client.action(turn, check_or_call(turn)), **change})
        refused = await client.until("action_rejected")
        assert (refused["code"], refused["details"]) == (code, {"code": code})
        assert (await client.act(turn, {"action": "raise", "amount": 60.0}))["type"] == "action_ack"
        stats = arena.stats("Heron")
        assert (stats.prompts, stats.accepted, stats.rejected, stats.repeated) == (1, 1, 1, 0)


@pytest.mark.parametrize("change", [{"client_action_id": 17}, {"turn_token": 1}, {"hand_id": {}}, {"amount": "60"}])
async def test_an_action_with_a_field_of_the_wrong_type_is_an_invalid_message(change: dict[str, Any]) -> None:
    async with client_on_turn() as (arena, client, turn):
        await client.send("action", **{**client.action(turn, check_or_call(turn)), **change})
        assert (await client.until("error"))["code"] == "invalid_message"
        assert (await client.act(turn, check_or_call(turn)))["type"] == "action_ack"
        assert arena.stats("Heron").rejected == 0


async def test_whose_turn_it_is_not_is_told_so() -> None:
    async with client_on_turn(pace_s=0.05) as (arena, client, turn), client_of(arena, OTHER_KEY) as other:
        await other.join()
        refused = await other.act(turn, {"action": "fold"})
        assert refused["code"] == "not_your_turn"
        assert (await client.act(turn, check_or_call(turn)))["type"] == "action_ack"


async def test_a_client_without_a_seat_cannot_act() -> None:
    async with client_on_turn() as (arena, _, turn), client_of(arena, OTHER_KEY) as other:
        assert (await other.act(turn, {"action": "fold"}))["code"] == "not_at_table"


async def test_between_hands_there_is_no_hand_to_act_in() -> None:
    async with client_on_turn(max_hands=1) as (arena, client, turn):
        await client.act(turn, {"action": "fold"})
        await arena.finished()
        late = {"hand_id": turn["hand_id"], "turn_token": "late", "client_action_id": "late", "action": "fold"}
        await client.send("action", **late)
        assert (await client.until("action_rejected"))["code"] == "no_hand_in_progress"


async def test_a_silent_client_is_folded_by_the_clock_and_removed_after_three_missed_hands() -> None:
    async with arena_of("loose_aggressive", house=3, action_clock_s=0.03) as arena, client_of(arena) as client:
        await client.join()
        gone = await client.until("player_left")
        assert (gone["name"], gone["reason"]) == ("Heron", "disconnected")
        own = [frame for frame in client.of("player_action") if frame["name"] == "Heron"]
        assert {frame["action"] for frame in own} <= {"check", "fold"}
        assert {frame["reason"] for frame in own} == {"timeout"}
        stats = arena.stats("Heron")
        assert (stats.hands, stats.accepted) == (3, 0)
        assert stats.timeouts == stats.prompts >= 3


async def test_an_answer_after_the_clock_is_stale() -> None:
    async with client_on_turn(action_clock_s=0.05, pace_s=0.02) as (arena, client, turn):
        while (await client.until("player_action"))["name"] != "Heron":
            pass
        assert (await client.act(turn, check_or_call(turn)))["code"] in ("stale_turn_token", "not_your_turn")
        assert (arena.stats("Heron").timeouts, arena.stats("Heron").repeated) == (1, 0)


# Leaving, busting, buying in again


async def test_leaving_during_a_hand_takes_effect_at_its_end() -> None:
    async with client_on_turn() as (_, client, turn):
        await client.send("leave_table")
        await client.send("leave_table")
        assert (await client.until("error"))["code"] == "leave_pending"
        await client.act(turn, {"action": "fold"})
        left = await client.until("player_left")
        assert (left["name"], left["seat"], left["reason"]) == ("Heron", 0, "left")
        assert len(client.of("hand_result")) == 1
        await client.send("leave_table")
        assert (await client.until("error"))["code"] == "not_at_table"


async def test_leaving_between_hands_is_immediate() -> None:
    async with client_on_turn(max_hands=1) as (arena, client, turn):
        await client.act(turn, {"action": "fold"})
        await arena.finished()
        await client.send("leave_table")
        assert (await client.until("player_left"))["reason"] == "left"


async def test_a_bust_with_auto_rebuy_credits_chips_and_frees_the_seat() -> None:
    async with arena_of(start_chips=1_000) as arena, client_of(arena) as client:
        await client.join(1_000)
        await client.send("set_auto_rebuy", enabled=True)
        confirmed = await client.play_until("rebuy_confirmed", shove)
        account_frames = ("auto_rebuy_scheduled", "player_left", "busted", "rebuy_confirmed")
        kinds = [frame["type"] for frame in client.frames if frame["type"] in account_frames]
        assert kinds == ["auto_rebuy_scheduled", "player_left", "rebuy_confirmed"]
        assert client.of("auto_rebuy_scheduled")[0]["cooldown_seconds"] == 0
        assert (client.of("player_left")[0]["name"], client.of("player_left")[0]["reason"]) == ("Heron", "busted")
        rest = client.of("hand_result")[-1]["final_stacks"]["0"]
        assert (confirmed["new_stack"], confirmed["chip_balance"]) == (0, 1_500 + rest)


async def test_a_bust_without_auto_rebuy_is_told_and_can_be_bought_back_by_hand() -> None:
    async with arena_of(start_chips=1_000) as arena, client_of(arena) as client:
        await client.join(1_000)
        assert await client.play_until("busted", shove) == {"type": "busted", "options": ["rebuy", "leave"]}
        await client.send("rebuy", amount=1_500)
        assert (await client.until("rebuy_confirmed"))["chip_balance"] == 1_500
        await client.send("rebuy", amount=1_500)
        assert (await client.until("error"))["code"] == "rebuy_not_allowed"
        assert (await client.join(1_500))["players"][0]["stack"] == 1_500


async def test_there_is_no_rebuy_at_the_table() -> None:
    async with client_on_turn(start_chips=2_000) as (_, client, _):
        await client.send("rebuy", amount=1_500)
        assert (await client.until("error"))["code"] == "rebuy_not_allowed"


async def test_a_house_player_who_busts_is_topped_up_and_stays() -> None:
    records: list[HandRecord] = []
    async with arena_of("random", house=3, max_hands=30, on_hand=records.append) as arena, client_of(arena) as client:
        await client.join()
        await client.play(check_or_fold, hands=30)
    busts = [(seat, record.number) for record in records for seat, s in record.final_stacks.items() if s < 20 and seat]
    assert busts
    following = {record.number: record.start_stacks for record in records}
    assert {following[number + 1][seat] for seat, number in busts if number < 30} == {2_000}


# Recovery


async def test_a_cut_client_resyncs_with_its_token_and_answers() -> None:
    async with client_on_turn() as (arena, client, turn):
        seen = client.watermark
        await client.sever()
        await client.connect()
        await client.send("resync_request", table_id=turn["table_id"], last_table_seq=seen)
        answer = await client.until("resync_response")
        snapshot = answer["snapshot"]
        assert (answer["role"], answer["from_table_seq"]) == ("player", seen + 1)
        assert answer["to_table_seq"] == snapshot["table_seq"] >= seen
        assert snapshot["state_hash"] == own_hash(snapshot)
        assert snapshot["hero"]["turn_token"] == turn["turn_token"]
        assert [entry["action"] for entry in snapshot["hero"]["valid_actions"]] == verbs(turn)
        assert (await client.act(turn, check_or_call(turn)))["type"] == "action_ack"
        stats = arena.stats("Heron")
        assert (stats.prompts, stats.accepted, stats.timeouts) == (1, 1, 0)


async def test_a_resync_replays_the_public_events_that_were_missed() -> None:
    async with client_on_turn(max_hands=1) as (arena, client, turn):
        seen = client.of("hand_start")[0]["table_seq"]
        await client.act(turn, check_or_call(turn))
        await client.play(check_or_call, hands=1)
        await arena.finished()
        missed = [f for f in client.frames if f.get("table_seq", 0) > seen and f["type"] in PUBLIC]
        await client.send("resync_request", table_id=turn["table_id"], last_table_seq=seen)
        answer = await client.until("resync_response")
        assert answer["replayed_events"] == missed
        assert missed[-1]["type"] == "hand_result"
        await client.send("resync_request", table_id=turn["table_id"])
        whole = (await client.until("resync_response"))["replayed_events"]
        assert {event["type"] for event in whole} <= PUBLIC
        assert [event["seat"] for event in whole if event["type"] == "hand_start"] == [0]


PUBLIC = {"hand_start", "player_action", "community_cards", "hand_result", "player_joined", "player_left"}


async def test_a_resync_without_a_seat_shows_what_a_spectator_may_see() -> None:
    async with client_on_turn() as (arena, _, turn), client_of(arena, OTHER_KEY) as other:
        await other.send("resync_request", table_id=turn["table_id"], last_table_seq=0)
        answer = await other.until("resync_response")
        assert (answer["role"], answer["snapshot"]["hero"]) == ("spectator", None)
        assert "hole_cards" not in json.dumps(answer)
        assert turn["turn_token"] not in json.dumps(answer)


async def test_a_resync_of_an_unknown_table_has_no_snapshot() -> None:
    async with arena_of() as arena, client_of(arena) as client:
        await client.send("resync_request", table_id="no-such-table", last_table_seq=0)
        answer = await client.until("resync_response")
        assert (answer["table_id"], answer["snapshot"], answer["replayed_events"]) == ("no-such-table", None, [])


async def test_a_disconnected_client_keeps_its_seat_and_is_timed_out_on_its_turn() -> None:
    hand_over = asyncio.Event()
    settings: dict[str, Any] = {"action_clock_s": 0.1, "on_hand": lambda _: hand_over.set()}
    async with client_on_turn(**settings) as (arena, client, _):
        await client.sever()
        await hand_over.wait()
        assert arena.stats("Heron").timeouts >= 1
        await client.connect()
        await client.send("join_lobby")
        assert (await client.until("error"))["code"] == "already_seated"


async def test_a_seat_is_given_up_when_its_client_stays_away() -> None:
    rules: dict[str, Any] = {"seat_hold_s": 0.05, "action_clock_s": 0.3}
    async with arena_of(**rules) as arena, client_of(arena) as client, client_of(arena, OTHER_KEY) as other:
        await client.join()
        await other.join()
        await client.sever()
        left = await other.play_until("player_left", check_or_call)
        assert (left["name"], left["reason"]) == ("Heron", "disconnected")
        await client.connect()
        await client.send("resync_request", table_id=left["table_id"], last_table_seq=client.watermark)
        assert (await client.until("resync_response"))["role"] == "spectator"


# Bad clients


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("no json", "invalid_message"),
        ("[1, 2]", "invalid_message"),
        ('{"buy_in": 1}', "invalid_message"),
        ('{"type": "set_auto_rebuy"}', "invalid_message"),
        ('{"type": "set_auto_rebuy", "enabled": 1}', "invalid_message"),
        ('{"type": "resync_request", "table_id": 7}', "invalid_message"),
        ('{"type": "dance"}', "unknown_message"),
        ("[" * 5_000, "invalid_message"),
    ],
)
async def test_nonsense_is_answered_and_the_connection_lives_on(text: str, code: str) -> None:
    async with arena_of() as arena, client_of(arena) as client:
        assert client.socket is not None
        await client.socket.send(text)
        assert (await client.until("error"))["code"] == code
        await client.socket.send(b"\xff\xfe")
        assert (await client.until("error"))["code"] == "invalid_message"
        await client.join()


async def test_a_giant_message_closes_its_own_connection_and_no_other() -> None:
    async with client_on_turn() as (arena, client, turn), client_of(arena, OTHER_KEY) as other:
        assert other.socket is not None
        await other.socket.send("x" * 1_000_000)
        with pytest.raises(ConnectionClosed):
            await other.next()
        assert (await client.act(turn, check_or_call(turn)))["type"] == "action_ack"


async def test_more_than_twenty_messages_in_a_second_are_dropped() -> None:
    async with arena_of(max_messages_per_s=20) as arena, client_of(arena) as client:
        for _ in range(25):
            await client.send("leave_table")
        codes = [(await client.until("error"))["code"] for _ in range(25)]
        assert codes == ["not_at_table"] * 20 + ["rate_limited"] * 5


@pytest.mark.parametrize("choose", [check_or_call, check_or_fold, shove])
async def test_a_plain_client_plays_fifty_hands(choose: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    async with arena_of("random", house=4, max_hands=50) as arena, client_of(arena) as client:
        await client.join()
        await client.send("set_auto_rebuy", enabled=True)
        results = await client.play(choose, hands=50)
        await arena.finished()
        stats = arena.stats("Heron")
        assert len({result["hand_id"] for result in results}) == 50
        assert (stats.hands, stats.rejected, stats.timeouts, stats.repeated) == (50, 0, 0, 0)
        assert stats.accepted == stats.prompts == len(client.of("your_turn"))
