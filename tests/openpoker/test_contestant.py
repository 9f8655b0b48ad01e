import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from http import HTTPStatus
from typing import Any, Literal

import pytest
from aiohttp import web
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response

from agent.openpoker.contestant import Contestant, Timing, VenueRefused
from agent.openpoker.rest import RestApi
from agent.openpoker.session import Session
from agent.openpoker.table import HandSummary
from agent.poker.spot import Action, Spot, Verb
from tests.openpoker.script import HAND, TABLE, TOKEN, Frame, Script

KEY = "secret-key"
Serve = Callable[[ServerConnection], Awaitable[None]]


@dataclass
class Memory:
    """Records what the contestant tells its recorder, and decides as it is told."""

    answer: Callable[[Spot], Awaitable[Action | None]]
    frames: list[tuple[str, Any]] = field(default_factory=list)
    sends: list[tuple[str, str | None]] = field(default_factory=list)
    outcomes: list[tuple[str, bool]] = field(default_factory=list)
    hands: list[HandSummary] = field(default_factory=list)
    given_up: list[str] = field(default_factory=list)
    cuts: int = 0
    hand_ended: asyncio.Event = field(default_factory=asyncio.Event)

    async def decide(self, turn_id: str, spot: Spot, *, deadline: float) -> Action | None:
        return await self.answer(spot)

    def give_up(self, turn_id: str, spot: Spot, why: str) -> Action | None:
        self.given_up.append(why)
        return spot.legal.floor

    def frame(self, direction: Literal["in", "out"], frame: Any, at: datetime) -> None:
        self.frames.append((direction, frame["type"]))

    def sent(self, turn_id: str, frame: Any, at: datetime, error: str | None) -> None:
        self.sends.append((turn_id, error))

    def settled(self, turn_id: str, accepted: bool, code: str | None, at: datetime) -> None:
        self.outcomes.append((turn_id, accepted))

    def disconnected(self) -> None:
        self.cuts += 1

    def hand_over(self, summary: HandSummary, at: datetime) -> None:
        self.hands.append(summary)
        self.hand_ended.set()


@asynccontextmanager
async def venue(handler: Serve) -> AsyncIterator[str]:
    async with serve(handler, "127.0.0.1", 0) as server:
        yield f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/ws"


@asynccontextmanager
async def contestant(
    url: str,
    memory: Memory,
    *,
    timing: Timing | None = None,
    session_type: type[Session] = Session,
    rest_url: str = "http://127.0.0.1:9/api",
    clock: Callable[[], float] | None = None,
) -> AsyncIterator[tuple[Contestant, asyncio.Task[str]]]:
    numbers = itertools.count(1)
    session = session_type(buy_in_chips=2_000, new_id=lambda: f"turn-{next(numbers)}")
    clock = clock or asyncio.get_running_loop().time
    timing = timing or Timing(longest_backoff_s=0.01)
    # Nobody answers REST unless it is said where: that must not keep anybody from playing.
    async with RestApi(rest_url, KEY) as rest:
        player = Contestant(
            url=url,
            api_key=KEY,
            session=session,
            decider=memory,
            recorder=memory,
            rest=rest,
            clock=clock,
            timing=timing,
        )
        task = asyncio.create_task(player.run())
        try:
            yield player, task
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def call(spot: Spot) -> Action | None:
    return Action(Verb.CALL)


async def say(socket: ServerConnection, *frames: Frame) -> None:
    for frame in frames:
        await socket.send(json.dumps(frame))


async def hear(socket: ServerConnection, kind: str) -> Frame:
    """The next frame of that type, whatever comes before it."""
    while True:
        frame: Frame = json.loads(await socket.recv())
        if frame["type"] == kind:
            return frame


async def play_one_hand(socket: ServerConnection, script: Script) -> Frame:
    """Seat the client, ask it once, confirm its answer and end the hand; the answer."""
    await hear(socket, "set_auto_rebuy")
    await say(socket, *script.to_first_prompt())
    answer = await hear(socket, "action")
    await say(socket, script.ack(answer["client_action_id"]))
    await say(socket, script.action(0, answer["action"], 30, action_id=answer["client_action_id"]))
    await say(socket, script.snapshot("idle", None), script.hand_result({0: 2_060, 2: 2_350, 4: 1_490}))
    return answer


async def test_it_joins_plays_a_hand_and_leaves_when_asked() -> None:
    memory, script, heard = Memory(call), Script(), list[Frame]()

    async def handler(socket: ServerConnection) -> None:
        assert socket.request is not None
        assert socket.request.headers["Authorization"] == f"Bearer {KEY}"
        await say(socket, {"type": "connected", "agent_id": "a", "name": "Heron"})
        heard.append(await play_one_hand(socket, script))
        await hear(socket, "leave_table")
        await say(socket, script.envelope("player_left", seat=0, name="Heron", reason="left"))
        await socket.wait_closed()

    async with venue(handler) as url, contestant(url, memory) as (player, task):
        await memory.hand_ended.wait()
        await player.drain()
        assert await asyncio.wait_for(task, 5) == "left the table"

    assert heard[0] == {
        "type": "action",
        "hand_id": HAND,
        "action": "call",
        "client_action_id": "turn-1",
        "turn_token": TOKEN,
    }
    assert memory.sends == [("turn-1", None)]
    assert memory.outcomes == [("turn-1", True)]
    assert [hand.net_chips for hand in memory.hands] == [60]
    assert ("out", "action") in memory.frames


async def test_a_socket_cut_while_it_thinks_is_resynced_and_the_turn_answered_once() -> None:
    script, connections, answers = Script(), itertools.count(1), list[Frame]()
    cut, done = asyncio.Event(), asyncio.Event()

    async def think(spot: Spot) -> Action | None:
        await cut.wait()
        return Action(Verb.CALL)

    async def handler(socket: ServerConnection) -> None:
        if next(connections) == 1:
            await hear(socket, "set_auto_rebuy")
            await say(socket, *script.to_first_prompt())
            await asyncio.sleep(0.05)
            socket.transport.abort()
            cut.set()
            return
        request = await hear(socket, "resync_request")
        assert request == {"type": "resync_request", "table_id": TABLE, "last_table_seq": script.table_seq}
        offer = [{"action": "fold"}, {"action": "call", "amount": 30}]
        hero = {"seat": 0, "hole_cards": ["Qs", "Jd"], "turn_token": TOKEN, "valid_actions": offer}
        await say(socket, script.resync(script.snapshot(actor=0, hero=hero), []))
        answers.append(await hear(socket, "action"))
        await say(socket, script.ack("turn-1"))
        done.set()
        await socket.wait_closed()

    memory = Memory(think)
    async with venue(handler) as url, contestant(url, memory):
        await asyncio.wait_for(done.wait(), 5)
        assert memory.cuts == 1

    assert [(a["turn_token"], a["client_action_id"]) for a in answers] == [(TOKEN, "turn-1")]
    assert memory.sends[-1] == ("turn-1", None)


async def test_a_decision_past_the_deadline_becomes_the_floor() -> None:
    answers, done = list[Frame](), asyncio.Event()

    async def never(spot: Spot) -> Action | None:
        await asyncio.Event().wait()
        return None

    async def handler(socket: ServerConnection) -> None:
        answers.append(await play_one_hand(socket, Script()))
        done.set()
        await socket.wait_closed()

    timing = Timing(action_clock_s=1.0, margin_s=0.0)
    async with venue(handler) as url, contestant(url, Memory(never), timing=timing):
        await asyncio.wait_for(done.wait(), 10)

    assert answers[0]["action"] == "fold"


async def broken(spot: Spot) -> Action | None:
    raise KeyError("a bug in the strategy")


async def illegal(spot: Spot) -> Action | None:
    return Action(Verb.RAISE, 7)


@pytest.mark.parametrize("decide", [broken, illegal])
async def test_a_broken_decision_becomes_the_floor_and_the_session_lives(
    decide: Callable[[Spot], Awaitable[Action | None]],
) -> None:
    answers, done = list[Frame](), asyncio.Event()

    async def handler(socket: ServerConnection) -> None:
        answers.append(await play_one_hand(socket, Script()))
        done.set()
        await socket.wait_closed()

    async with venue(handler) as url, contestant(url, Memory(decide)) as (_, task):
        await asyncio.wait_for(done.wait(), 5)
        assert not task.done()

    assert answers[0]["action"] == "fold"


async def test_garbage_on_the_socket_is_ignored() -> None:
    answers, done = list[Frame](), asyncio.Event()

    async def handler(socket: ServerConnection) -> None:
        for text in ("{", "[]", '{"type": 1}', '{"type": "confetti"}', "", b"\x00\xff"):
            await socket.send(text)
        answers.append(await play_one_hand(socket, Script()))
        done.set()
        await socket.wait_closed()

    async with venue(handler) as url, contestant(url, Memory(call)):
        await asyncio.wait_for(done.wait(), 5)

    assert answers[0]["action"] == "call"


async def test_frames_are_read_while_a_decision_is_being_made() -> None:
    pong = asyncio.Event()
    thinking = asyncio.Event()

    async def slow(spot: Spot) -> Action | None:
        thinking.set()
        await pong.wait()
        return Action(Verb.CALL)

    async def handler(socket: ServerConnection) -> None:
        script = Script()
        await hear(socket, "set_auto_rebuy")
        await say(socket, *script.to_first_prompt())
        await thinking.wait()
        await (await socket.ping())
        pong.set()
        await hear(socket, "action")
        done.set()
        await socket.wait_closed()

    done = asyncio.Event()
    async with venue(handler) as url, contestant(url, Memory(slow)):
        await asyncio.wait_for(done.wait(), 5)


async def test_a_refused_key_ends_after_the_third_refusal_and_is_never_named() -> None:
    connections = itertools.count(1)
    tried = list[int]()

    async def handler(socket: ServerConnection) -> None:
        tried.append(next(connections))
        await say(socket, {"type": "error", "code": "auth_failed", "message": f"bad key {KEY}"})
        await socket.close(4001)

    timing = Timing(longest_backoff_s=0.01, refusal_pause_s=0.01, key_pause_s=0.01)
    async with venue(handler) as url, contestant(url, Memory(call), timing=timing) as (_, task):
        with pytest.raises(VenueRefused, match="OPEN_POKER_API_KEY") as refusal:
            await asyncio.wait_for(task, 10)

    assert tried == [1, 2, 3]
    assert KEY not in str(refusal.value)


async def test_a_key_refused_with_an_http_status_is_final_too() -> None:
    tried = list[int]()

    def refuse(socket: ServerConnection, request: Request) -> Response:
        tried.append(1)
        return socket.respond(HTTPStatus.UNAUTHORIZED, "no")

    async def handler(socket: ServerConnection) -> None:
        raise AssertionError("nobody gets this far")

    timing = Timing(longest_backoff_s=0.01, refusal_pause_s=0.01, key_pause_s=0.01)
    async with serve(handler, "127.0.0.1", 0, process_request=refuse) as server:
        url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/ws"
        async with contestant(url, Memory(call), timing=timing) as (_, task):
            with pytest.raises(VenueRefused):
                await asyncio.wait_for(task, 10)

    assert len(tried) == 3


async def test_leaving_while_disconnected_does_not_wait_for_the_next_dial() -> None:
    timing = Timing(longest_backoff_s=600.0, refusal_pause_s=600.0)
    dialled = asyncio.Event()

    def refuse(socket: ServerConnection, request: Request) -> Response:
        dialled.set()
        return socket.respond(HTTPStatus.SERVICE_UNAVAILABLE, "not now")

    async def handler(socket: ServerConnection) -> None:
        raise AssertionError("nobody gets this far")

    async with serve(handler, "127.0.0.1", 0, process_request=refuse) as server:
        url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/ws"
        async with contestant(url, Memory(call), timing=timing) as (player, task):
            await dialled.wait()
            await asyncio.sleep(0.1)
            await player.drain()
            assert await asyncio.wait_for(task, 5) == "left before being seated"


async def test_a_close_code_alone_is_a_refused_key_too() -> None:
    tried = list[int]()

    async def handler(socket: ServerConnection) -> None:
        tried.append(1)
        await socket.close(4001)

    timing = Timing(longest_backoff_s=0.01, refusal_pause_s=0.01, key_pause_s=0.01)
    async with venue(handler) as url, contestant(url, Memory(call), timing=timing) as (_, task):
        with pytest.raises(VenueRefused):
            await asyncio.wait_for(task, 10)

    assert len(tried) == 3


async def test_a_frame_that_the_core_stumbles_over_costs_nothing_else() -> None:
    class Stumbling(Session):
        def receive(self, frame: Any, now: float) -> Any:
            if frame["type"] == "lobby_joined":
                raise RuntimeError("a bug")
            return super().receive(frame, now)

    answers, done = list[Frame](), asyncio.Event()

    async def handler(socket: ServerConnection) -> None:
        await say(socket, {"type": "lobby_joined", "position": 1, "estimated_wait": "~1s"})
        answers.append(await play_one_hand(socket, Script()))
        done.set()
        await socket.wait_closed()

    async with venue(handler) as url, contestant(url, Memory(call), session_type=Stumbling):
        await asyncio.wait_for(done.wait(), 5)

    assert answers[0]["action"] == "call"


async def test_leaving_a_venue_that_is_gone_ends_after_a_while() -> None:
    script, seated = Script(), asyncio.Event()

    async def handler(socket: ServerConnection) -> None:
        await hear(socket, "set_auto_rebuy")
        await say(socket, *script.opening())
        seated.set()
        await socket.wait_closed()

    timing = Timing(longest_backoff_s=0.05, leave_offline_s=0.2)
    async with AsyncExitStack() as open_server:
        url = await open_server.enter_async_context(venue(handler))
        async with contestant(url, Memory(call), timing=timing) as (player, task):
            await seated.wait()
            await asyncio.sleep(0.05)
            await open_server.aclose()
            await player.drain()
            assert "cannot be reached" in await asyncio.wait_for(task, 5)


@asynccontextmanager
async def rest_side(answer: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> AsyncIterator[str]:
    application = web.Application()
    application.router.add_get("/api/{path:.*}", answer)
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/api"
    finally:
        await runner.cleanup()


async def drip(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    for _ in range(100):
        await response.write(b" ")
        await asyncio.sleep(0.05)
    return response


async def bomb(request: web.Request) -> web.StreamResponse:
    return web.Response(text="[" * 100_000, content_type="application/json")


async def refuse_all(request: web.Request) -> web.StreamResponse:
    raise web.HTTPTooManyRequests


@pytest.mark.parametrize("answer", [drip, bomb, refuse_all])
async def test_a_rest_side_that_misbehaves_tells_nothing_and_holds_up_nothing(
    answer: Callable[[web.Request], Awaitable[web.StreamResponse]],
) -> None:
    async with rest_side(answer) as url, RestApi(url, KEY, timeout_s=0.3) as rest:
        assert await asyncio.wait_for(rest.active_table(), 3) is None


async def test_rest_tells_the_table_where_we_sit() -> None:
    async def seated(request: web.Request) -> web.StreamResponse:
        assert request.headers["Authorization"] == f"Bearer {KEY}"
        return web.json_response({"playing": True, "table_id": TABLE, "seat": 0, "stack_chips": 1_000})

    async with rest_side(seated) as url, RestApi(url, KEY) as rest:
        assert await rest.active_table() == TABLE
