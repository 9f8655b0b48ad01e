"""Clients that break every rule get the documented answer, and a well-behaved one elsewhere plays on undisturbed."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from agent.arena.arena import Arena
from tests.arena.plain_client import PlainClient, check_or_call
from tests.arena.served import HERON, LYNX, STORK, arena_of, becomes, client_of, closed_with, seated


@asynccontextmanager
async def witness(arena: Arena, hands: int = 5) -> AsyncIterator[PlainClient]:
    """A good client at a table of its own, which plays `hands` more hands after whatever happens inside."""
    async with client_of(arena, STORK) as stork:
        await stork.join()
        await stork.play(check_or_call, hands=1)
        yield stork
        await stork.play(check_or_call, hands=hands)
        stats = arena.stats("Stork")
        assert (stats.timeouts, stats.rejected, stork.problems) == (0, 0, [])


def tables_apart(action_clock_s: float = 60.0) -> dict[str, Any]:
    # What a client may do costs others some time, and more on a busy machine; nobody's turn may run out of it.
    return {"tables": 4, "clients_per_table": 1, "house": 2, "action_clock_s": action_clock_s}


def connected(arena: Arena) -> set[str]:
    return {client.name for client in arena.report().clients if client.connected}


async def raw(arena: Arena, sent: bytes) -> bytes:
    """What comes back on a bare TCP connection."""
    address = urlsplit(arena.ws_url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    writer.write(sent)
    with suppress(ConnectionError):
        await writer.drain()
    async with asyncio.timeout(10):
        with suppress(ConnectionError):
            answer = await reader.read()
    writer.close()
    return answer


@pytest.mark.parametrize(
    "sent",
    [
        b"\x00\xff\x16\x03\x01garbage\r\n\r\n",
        b"GET " + b"/x" * 20_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET /api/me HTTP/1.1\r\nHost: a\r\nAuthorization: " + b"k" * 20_000 + b"\r\n\r\n",
        b"POST /api/register HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nhello",
    ],
)
async def test_bytes_that_are_no_http_are_refused_without_a_word_in_the_log(
    sent: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async with arena_of(**tables_apart()) as arena, witness(arena):
        answer = await raw(arena, sent)
        assert answer.startswith((b"HTTP/1.0 400 ", b"HTTP/1.1 400 "))
    assert caplog.records == []


async def test_a_message_of_ten_megabytes_closes_its_connection_with_1009() -> None:
    async with arena_of(**tables_apart()) as arena, witness(arena), client_of(arena) as client:
        assert client.socket is not None
        with suppress(ConnectionClosed):
            await client.socket.send("x" * 10 * 1024 * 1024)
        assert await closed_with(client.next) in (1009, None)


async def test_text_that_is_no_utf_8_closes_its_connection() -> None:
    async with arena_of(**tables_apart()) as arena, witness(arena), client_of(arena) as client:
        assert client.socket is not None
        await client.socket.send(b"\xff\xfe", text=True)
        assert await closed_with(client.next) == 1007


async def test_binary_messages_are_read_as_text_and_garbage_in_them_is_an_invalid_message() -> None:
    async with arena_of(**tables_apart()) as arena, witness(arena), seated(arena) as (client, turn):
        assert client.socket is not None
        for garbage in (b"", b"\x00\x01\x02", b"\xff\xfe\xfd", b"\x89PNG\r\n"):
            await client.socket.send(garbage)
            assert (await client.until("error"))["code"] == "invalid_message"
        action = {"type": "action", **client.action(turn, check_or_call(turn))}
        await client.socket.send(json.dumps(action).encode())
        assert (await client.until("action_ack", "action_rejected"))["type"] == "action_ack"


@pytest.mark.parametrize("key", ["wrong", "key-of-heron2", "KEY-OF-HERON", "\u00fcber"])
async def test_a_wrong_token_is_told_so_each_time_and_closed_with_4001(key: str) -> None:
    headers = {"Authorization": f"Bearer {key}"}
    async with arena_of(**tables_apart()) as arena, witness(arena):
        for _ in range(3):
            async with connect(arena.ws_url, additional_headers=headers) as socket:
                assert json.loads(await socket.recv())["code"] == "auth_failed"
                assert await closed_with(socket.recv) == 4001
        assert [client.name for client in arena.report().clients] == ["Stork"]


async def test_nine_invalid_actions_cost_nothing_and_ten_are_only_a_warning() -> None:
    async with arena_of(**tables_apart()) as arena, seated(arena) as (client, turn):
        wrong = {**turn, "turn_token": "wrong"}
        for _ in range(9):
            await client.act(wrong, {"action": "fold"})
        assert client.of("error") == []
        await client.act(wrong, {"action": "fold"})
        assert (await client.until("error"))["code"] == "flood_warning"
        assert (await client.act(turn, check_or_call(turn)))["type"] == "action_ack"


async def test_ten_invalid_actions_are_warned_about_and_twenty_cost_the_seat() -> None:
    async with arena_of(**tables_apart()) as arena, witness(arena), seated(arena) as (client, turn):
        wrong = {**turn, "turn_token": "wrong"}
        for _ in range(20):
            await client.act(wrong, {"action": "fold"})
        await client.until("error")
        assert [error["code"] for error in client.of("error")] == ["flood_warning", "flood_kick"]
        left = await client.until("player_left")
        assert (left["name"], left["reason"]) == ("Heron", "disconnected")
        own = [frame for frame in client.of("player_action") if frame["name"] == "Heron"]
        assert [frame["action"] in ("check", "fold") for frame in own] == [True] * len(own)
        await client.send("leave_table")
        assert (await client.until("error"))["code"] == "not_at_table"


async def test_a_flood_of_messages_is_dropped_and_the_connection_lives_on() -> None:
    async with arena_of(max_messages_per_s=20, **tables_apart()) as arena, client_of(arena) as client:
        for _ in range(200):
            await client.send("leave_table")
        codes = [(await client.until("error"))["code"] for _ in range(200)]
        assert codes[:20] == ["not_at_table"] * 20
        assert set(codes[20:]) <= {"rate_limited", "not_at_table"}
        assert codes.count("rate_limited") >= 140


async def test_a_client_that_never_reads_is_cut_off_before_it_fills_the_memory() -> None:
    async with arena_of(**tables_apart()) as arena, witness(arena), seated(arena) as (client, turn):
        await client.act(turn, check_or_call(turn))
        await client.play(check_or_call, hands=20)
        assert client.socket is not None
        client.socket.transport.pause_reading()
        request = json.dumps({"type": "resync_request", "table_id": turn["table_id"], "last_table_seq": 0})
        with suppress(ConnectionClosed, TimeoutError):
            async with asyncio.timeout(10):
                for _ in range(1_000):
                    await client.socket.send(request)
        await becomes(lambda: "Heron" not in connected(arena))
        client.socket.transport.abort()


async def test_a_half_open_socket_is_replaced_at_once_by_the_clients_next_one() -> None:
    async with arena_of(**tables_apart()) as arena, witness(arena), seated(arena) as (silent, turn):
        assert silent.socket is not None
        silent.socket.transport.pause_reading()
        async with client_of(arena) as client:
            await client.send("resync_request", table_id=turn["table_id"])
            assert (await client.until("resync_response"))["role"] == "player"
            assert (await client.act(turn, check_or_call(turn)))["type"] == "action_ack"
        silent.socket.transport.abort()


async def test_a_client_that_neither_reads_nor_answers_loses_its_seat_after_three_missed_hands() -> None:
    async with arena_of("loose_aggressive", **tables_apart(0.02)) as arena, client_of(arena) as client:
        await client.send("join_lobby")
        await client.until("table_joined")
        assert client.socket is not None
        client.socket.transport.pause_reading()
        await becomes(lambda: not arena.report().clients[0].seated)
        assert arena.report().clients[0].connected
        assert arena.stats("Heron").accepted == 0
        client.socket.transport.abort()


async def test_a_client_that_vanishes_without_a_goodbye_keeps_its_seat_for_a_while() -> None:
    async with arena_of(seat_hold_s=0.2, **tables_apart(0.3)) as arena, seated(arena) as (client, _):
        await client.sever()
        await becomes(lambda: not arena.report().clients[0].connected)
        assert arena.report().clients[0].seated
        await becomes(lambda: not arena.report().clients[0].seated)


async def test_a_replayed_id_with_another_payload_is_a_conflict_each_time() -> None:
    async with arena_of(**tables_apart()) as arena, witness(arena), seated(arena) as (client, turn):
        action = client.action(turn, check_or_call(turn))
        await client.send("action", **action)
        await client.until("action_ack")
        for other in ({"action": "fold"}, {"turn_token": "another"}, {"hand_id": "another"}):
            await client.send("action", **{**action, **other})
            assert (await client.until("action_rejected"))["code"] == "action_id_conflict"


Attack = Callable[[Arena], Coroutine[Any, Any, None]]


async def _storms_the_door(arena: Arena) -> None:
    for _ in range(30):
        with suppress(ConnectionClosed, OSError):
            async with connect(arena.ws_url, additional_headers={"Authorization": "Bearer wrong"}) as socket:
                await socket.recv()


async def _talks_nonsense(arena: Arena) -> None:
    async with client_of(arena, LYNX) as client:
        assert client.socket is not None
        for text in (
            "",
            "null",
            "[]",
            '{"type": 3}',
            '{"type": "action"}',
            '{"type": "join_lobby", "buy_in": []}',
        ) * 20:
            await client.socket.send(text)
        client.problems.clear()


async def _comes_and_goes(arena: Arena) -> None:
    client = PlainClient(arena.ws_url, HERON)
    for _ in range(20):
        await client.connect()
        await client.send("join_lobby")
        await client.sever()


async def test_several_bad_clients_at_once_disturb_nobody() -> None:
    attacks: tuple[Attack, ...] = (_storms_the_door, _talks_nonsense, _comes_and_goes)
    async with arena_of(**tables_apart()) as arena, witness(arena, hands=20) as stork:
        attacking = asyncio.gather(*(attack(arena) for attack in attacks))
        await stork.play(check_or_call, hands=20)
        await attacking


@pytest.mark.parametrize("poison", [{"client_action_id": "\ud800"}, {"hand_id": "\udfff"}, {"turn_token": "\ud83c"}])
async def test_half_a_character_is_said_back_and_breaks_nothing(poison: dict[str, str]) -> None:
    async with arena_of(**tables_apart()) as arena, seated(arena) as (client, turn):
        assert client.socket is not None
        action = {"type": "action", **client.action(turn, {"action": "dance"}), **poison}
        await client.socket.send(json.dumps(action))
        await client.until("action_rejected")
        assert (await client.act(turn, check_or_call(turn)))["type"] == "action_ack"


@pytest.mark.parametrize("number", [10**40, 1e300, -1, "5", 1.5, True])
async def test_a_number_that_no_counter_reaches_is_refused(number: object) -> None:
    async with arena_of(**tables_apart()) as arena, seated(arena) as (client, turn):
        await client.send("resync_request", table_id=turn["table_id"], last_table_seq=number)
        assert (await client.until("error"))["code"] == "invalid_message"
        assert (await client.act(turn, check_or_call(turn)))["type"] == "action_ack"
