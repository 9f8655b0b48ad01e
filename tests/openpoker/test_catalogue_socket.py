"""The failure catalogue on sockets, HTTP and tasks, with a real contestant and a venue that is scripted.

Where a turn is in play the row runs on a hand seen dealt and on one met by a resync. The row stands in each docstring.
"""

import asyncio
import itertools
import json
import random
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http import HTTPStatus
from typing import Any

import pytest
from aiohttp import web
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response

from agent.openpoker.contestant import Contestant, Timing, VenueRefused
from agent.openpoker.effects import Stop
from agent.openpoker.rest import RestApi
from agent.openpoker.session import Session
from agent.openpoker.standing import Phase
from agent.poker.spot import Action, Spot, Verb
from tests.openpoker.origins import Origin, acting, both_origins
from tests.openpoker.script import TABLE, TOKEN, Frame, Script
from tests.openpoker.test_contestant import KEY, Memory, call, contestant, hear, rest_side, say, venue

NOBODY = "ws://127.0.0.1:9/ws"


async def bring_to_turn(origin: Origin, socket: ServerConnection, script: Script) -> None:
    """Lead the client to its first prompt, by frames as they happen or by a resync."""
    await hear(socket, "set_auto_rebuy")
    prompt = script.to_first_prompt()
    if origin is Origin.DEAL:
        await say(socket, *prompt)
        return
    await say(socket, {"type": "error", "code": "already_seated", "table_id": TABLE})
    await hear(socket, "resync_request")
    await say(socket, script.resync(script.snapshot(actor=0, hero=acting()), []))


class Dialler(Contestant):
    """A contestant that notes how long it would wait before each dial instead of waiting; done after `dials` of them."""

    def __init__(self, url: str, clock: Callable[[], float], dials: int) -> None:
        memory = Memory(call)
        session = Session(buy_in_chips=2_000, new_id=lambda: "turn-1")
        rest = RestApi("http://127.0.0.1:9/api", KEY)
        parts: dict[str, Any] = {"session": session, "decider": memory, "recorder": memory, "rest": rest}
        super().__init__(url=url, api_key=KEY, clock=clock, **parts)
        self.pauses, self.dials = list[float](), dials

    async def _sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        if len(self.pauses) == self.dials:
            self._stopped = Stop("enough")


class TestDialling:
    async def test_refused_connects_are_tried_again_ever_later_and_never_in_step(self) -> None:
        """83: fifty in a row, as when a server restarts."""
        random.seed(1)
        dialler = Dialler(NOBODY, lambda: 0.0, 50)
        assert await dialler.run() == "enough"

        assert all(pause <= min(60, 2**number) for number, pause in enumerate(dialler.pauses))
        assert len(set(dialler.pauses)) == 50
        assert sum(dialler.pauses[10:]) / 40 > 20

    async def test_only_a_connection_that_has_lasted_makes_the_next_dial_soon(self) -> None:
        """83: one that is accepted and dropped counts like one that is refused."""
        random.seed(1)
        lasts = iter([5.0] * 10 + [61.0] + [5.0] * 10)
        now = 0.0

        async def handler(socket: ServerConnection) -> None:
            nonlocal now
            now += next(lasts)
            await socket.close(1012)

        async with venue(handler) as url:
            dialler = Dialler(url, lambda: now, 12)
            await dialler.run()

        assert max(dialler.pauses[:10]) > 5
        assert dialler.pauses[10] <= 1
        assert dialler.pauses[11] <= 2

    async def test_a_venue_that_takes_no_more_connections_is_left_alone_for_a_while(self) -> None:
        """V40: at least five seconds, at most a minute."""
        random.seed(1)
        text = "too many connection attempts for the play pool; try again later"

        async def handler(socket: ServerConnection) -> None:
            await say(socket, {"type": "error", "code": "rate_limited", "message": text})
            await socket.wait_closed()

        async with venue(handler) as url:
            dialler = Dialler(url, lambda: 0.0, 12)
            await dialler.run()

        assert min(dialler.pauses) >= 5
        assert 20 < max(dialler.pauses) <= 60

    @pytest.mark.parametrize("code", [1000, 1001, 1008, 1011, 1012, 1013, 4000, 4003, 4999])
    async def test_a_close_code_that_is_not_about_the_key_is_dialled_again(self, code: int) -> None:
        """84."""

        async def handler(socket: ServerConnection) -> None:
            await socket.close(code)

        async with venue(handler) as url:
            assert await Dialler(url, lambda: 0.0, 2).run() == "enough"

    @pytest.mark.parametrize("status", [403, 404, 429, 500, 502, 503])
    async def test_a_status_that_is_not_about_the_key_is_dialled_again(self, status: int) -> None:
        """84: a 403 with a page comes of something in front of the venue."""

        def refuse(socket: ServerConnection, request: Request) -> Response:
            return socket.respond(HTTPStatus(status), "<html>not now</html>")

        async def handler(socket: ServerConnection) -> None:
            raise AssertionError("nobody gets this far")

        async with serve(handler, "127.0.0.1", 0, process_request=refuse) as server:
            url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/ws"
            assert await Dialler(url, lambda: 0.0, 5).run() == "enough"

    @pytest.mark.parametrize(("status", "body"), [(401, "no"), (403, '{"detail": "no such key"}')])
    async def test_a_status_that_is_about_the_key_ends_it_after_three_of_them(self, status: int, body: str) -> None:
        """84, V55: minutes apart, for a server of keys may hiccup."""

        def refuse(socket: ServerConnection, request: Request) -> Response:
            return socket.respond(HTTPStatus(status), body)

        async def handler(socket: ServerConnection) -> None:
            raise AssertionError("nobody gets this far")

        async with serve(handler, "127.0.0.1", 0, process_request=refuse) as server:
            dialler = Dialler(f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/ws", lambda: 0.0, 5)
            with pytest.raises(VenueRefused):
                await dialler.run()
        assert len(dialler.pauses) == 2
        assert min(dialler.pauses) >= 60

    async def test_a_key_refused_on_the_socket_is_tried_again_minutes_later(self) -> None:
        """V55."""

        async def handler(socket: ServerConnection) -> None:
            await say(socket, {"type": "error", "code": "auth_failed"})
            await socket.close(4001)

        async with venue(handler) as url:
            dialler = Dialler(url, lambda: 0.0, 5)
            with pytest.raises(VenueRefused):
                await dialler.run()
        assert len(dialler.pauses) == 2
        assert min(dialler.pauses) >= 60

    @both_origins
    async def test_every_dial_bears_the_key_and_says_all_that_is_needed_anew(self, origin: Origin) -> None:
        """93, V44: joined in the lobby, resynced at a table; connecting alone is not enough."""
        script, number, heard, done = Script(), itertools.count(1), list[list[str]](), asyncio.Event()

        async def handler(socket: ServerConnection) -> None:
            assert socket.request is not None
            assert socket.request.headers["Authorization"] == f"Bearer {KEY}"
            match next(number):
                case 1:
                    first = [json.loads(await socket.recv())["type"] for _ in range(2)]
                case 2:
                    await bring_to_turn(origin, socket, script)
                    first = [(await hear(socket, "action"))["type"]]
                case _:
                    first = [json.loads(await socket.recv())["type"]]
                    done.set()
            heard.append(first)
            socket.transport.abort()

        async with venue(handler) as url, contestant(url, Memory(call)):
            await asyncio.wait_for(done.wait(), 10)

        assert heard[:3] == [["join_lobby", "set_auto_rebuy"], ["action"], ["resync_request"]]


class TestThinking:
    @both_origins
    async def test_everything_is_read_while_a_decision_is_being_made(self, origin: Origin) -> None:
        """79, 80, 81, V60: pings, acks and a hundred frames, of which the last one lets the decision go on."""
        script, done = Script(), asyncio.Event()
        thinking, last_read = asyncio.Event(), asyncio.Event()

        class Watching(Memory):
            def frame(self, direction: Any, frame: Any, at: datetime) -> None:
                super().frame(direction, frame, at)
                if frame["type"] == "chips_skimmed":
                    last_read.set()

        async def decide(spot: Spot) -> Action | None:
            thinking.set()
            await last_read.wait()
            return Action(Verb.CALL)

        async def handler(socket: ServerConnection) -> None:
            await bring_to_turn(origin, socket, script)
            await thinking.wait()
            await (await socket.ping())
            for _ in range(100):
                await say(socket, script.snapshot(actor=0))
            await say(socket, {"type": "chips_skimmed", "excess": 0})
            assert (await hear(socket, "action"))["turn_token"] == TOKEN
            done.set()
            await socket.wait_closed()

        async with venue(handler) as url, contestant(url, Watching(decide)):
            await asyncio.wait_for(done.wait(), 10)

    @both_origins
    @pytest.mark.parametrize(
        "failure", [KeyError("a bug in the strategy"), RecursionError(), ExceptionGroup("x", [ValueError()])]
    )
    async def test_a_decision_that_breaks_becomes_the_floor_and_the_session_lives(
        self, origin: Origin, failure: Exception
    ) -> None:
        """88."""
        script, answers, done = Script(), list[Frame](), asyncio.Event()

        async def broken(spot: Spot) -> Action | None:
            raise failure

        async def handler(socket: ServerConnection) -> None:
            await bring_to_turn(origin, socket, script)
            answers.append(await hear(socket, "action"))
            done.set()
            await socket.wait_closed()

        async with venue(handler) as url, contestant(url, Memory(broken)) as (_, task):
            await asyncio.wait_for(done.wait(), 10)
            assert not task.done()
        assert answers[0]["action"] == "fold"

    @both_origins
    async def test_a_decision_that_is_late_becomes_the_floor(self, origin: Origin) -> None:
        """V13."""
        script, answers, done = Script(), list[Frame](), asyncio.Event()

        async def never(spot: Spot) -> Action | None:
            await asyncio.Event().wait()
            return None

        async def handler(socket: ServerConnection) -> None:
            await bring_to_turn(origin, socket, script)
            await say(socket, script.your_turn())
            answers.append(await hear(socket, "action"))
            done.set()
            await socket.wait_closed()

        timing = Timing(action_clock_s=1.0, margin_s=0.0)
        async with venue(handler) as url, contestant(url, Memory(never), timing=timing):
            await asyncio.wait_for(done.wait(), 10)
        assert (answers[0]["action"], answers[0]["turn_token"]) == ("fold", TOKEN)

    @both_origins
    @pytest.mark.parametrize("ends", ["the turn", "the program"])
    async def test_thinking_is_cancelled_with_what_it_is_for(self, origin: Origin, ends: str) -> None:
        """91: and whoever thinks hears of it."""
        script, thinking, cancelled = Script(), asyncio.Event(), asyncio.Event()

        async def decide(spot: Spot) -> Action | None:
            thinking.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                cancelled.set()
                raise
            return None

        async def handler(socket: ServerConnection) -> None:
            await bring_to_turn(origin, socket, script)
            await thinking.wait()
            if ends == "the turn":
                await say(socket, script.action(0, "fold", reason="timeout"))
            await socket.wait_closed()

        async with venue(handler) as url, contestant(url, Memory(decide)) as (_, task):
            await asyncio.wait_for(thinking.wait(), 10)
            if ends == "the program":
                task.cancel()
            await asyncio.wait_for(cancelled.wait(), 10)
            await asyncio.wait({task}, timeout=0.05 if ends == "the turn" else 10)
            assert task.done() is (ends == "the program")


class TestFloods:
    async def test_everybody_else_gets_a_turn_between_frames_that_take_long(self) -> None:
        """81, 80: also where the frames are there already. By this clock each of them takes 20 ms at least."""
        readings = itertools.count()
        turns, read_in, done = 0, list[int](), asyncio.Event()

        class Watching(Memory):
            def frame(self, direction: Any, frame: Any, at: datetime) -> None:
                if direction == "in":
                    read_in.append(turns)
                if frame["type"] == "chips_skimmed":
                    done.set()

        async def handler(socket: ServerConnection) -> None:
            await hear(socket, "set_auto_rebuy")
            for _ in range(300):
                await say(socket, {"type": "lobby_joined", "position": 1})
            await say(socket, {"type": "chips_skimmed", "excess": 0})
            await socket.wait_closed()

        async with venue(handler) as url, contestant(url, Watching(call), clock=lambda: 0.02 * next(readings)):
            while not done.is_set():
                await asyncio.sleep(0)
                turns += 1
        assert max(Counter(read_in).values()) <= 2

    async def test_what_is_kept_of_a_huge_frame_is_small_and_marked(self) -> None:
        """97."""
        kept, done = list[Frame](), asyncio.Event()

        class Keeping(Memory):
            def frame(self, direction: Any, frame: Any, at: datetime) -> None:
                if frame["type"] == "table_state":
                    kept.append(frame)
                    done.set()

        async def handler(socket: ServerConnection) -> None:
            await hear(socket, "set_auto_rebuy")
            script = Script()
            await say(socket, *script.opening()[:3], {**script.snapshot(), "seats": [{"name": "n" * 100}] * 8_000})
            await socket.wait_closed()

        async with venue(handler) as url, contestant(url, Keeping(call)):
            await asyncio.wait_for(done.wait(), 10)
        assert kept[0]["shortened"] is True
        assert len(json.dumps(kept[0])) < 10_000


async def test_leaving_goes_on_as_soon_as_there_is_a_socket_again() -> None:
    """83: the pause is for a venue that is gone."""
    script, number, cut = Script(), itertools.count(1), asyncio.Event()

    class Watching(Memory):
        def disconnected(self) -> None:
            cut.set()

    async def handler(socket: ServerConnection) -> None:
        if next(number) == 1:
            await hear(socket, "set_auto_rebuy")
            await say(socket, *script.opening())
            socket.transport.abort()
            return
        await hear(socket, "resync_request")
        await say(socket, script.resync(script.snapshot("idle", None), []))
        await hear(socket, "leave_table")
        await say(socket, script.envelope("player_left", seat=0, name="Heron", reason="left"))
        await socket.wait_closed()

    timing = Timing(longest_backoff_s=600.0, leave_offline_s=600.0)
    async with venue(handler) as url, contestant(url, Watching(call), timing=timing) as (player, task):
        await asyncio.wait_for(cut.wait(), 10)
        await asyncio.wait_for(player.drain(), 10)
        assert await asyncio.wait_for(task, 10) == "left the table"


async def test_a_venue_that_vanishes_while_we_leave_is_not_dialled_for_ever() -> None:
    """83: nor does it matter that there was a socket when we were asked to leave."""
    now = 0.0
    dialler = Dialler(NOBODY, lambda: now, 50)
    dialler._session.leave(0.0)
    dialler._session.phase = Phase.RESYNCING
    now = 241.0

    assert "did not let us leave" in await dialler.run()
    assert dialler.pauses == []


class TestRest:
    @both_origins
    async def test_a_hand_is_played_while_rest_asks_us_to_wait(self, origin: Origin) -> None:
        """85."""
        script, answers, done = Script(), list[Frame](), asyncio.Event()

        async def handler(socket: ServerConnection) -> None:
            await bring_to_turn(origin, socket, script)
            answers.append(await hear(socket, "action"))
            done.set()
            await socket.wait_closed()

        async def busy(request: web.Request) -> web.StreamResponse:
            raise web.HTTPTooManyRequests(headers={"Retry-After": "3600"})

        async with rest_side(busy) as rest_url, venue(handler) as url, contestant(url, Memory(call), rest_url=rest_url):
            await asyncio.wait_for(done.wait(), 10)
        assert answers[0]["action"] == "call"

    @pytest.mark.parametrize(
        ("retry_after", "wait_s"),
        [("7", 7.0), ("86400", 30.0), ("soon", 0.0), (None, 0.0), ("-5", 0.0), ("nan", 0.0), ("a date", 30.0)],
    )
    async def test_the_wait_that_rest_asks_for_is_kept_and_has_an_end(
        self, retry_after: str | None, wait_s: float
    ) -> None:
        """85: half a minute at most."""
        asked, now = list[str](), 0.0

        async def busy(request: web.Request) -> web.StreamResponse:
            asked.append(request.path)
            date = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
            value = date if retry_after == "a date" else retry_after
            raise web.HTTPTooManyRequests(headers={"Retry-After": value} if value else {})

        async with rest_side(busy) as url, RestApi(url, KEY, clock=lambda: now) as rest:
            assert await rest.balance_chips() is None
            now = max(0.0, wait_s - 0.1)
            assert await rest.active_table() is None
            assert len(asked) == (1 if wait_s else 2)
            now = 60.0
            await rest.active_table()
        assert len(asked) == (2 if wait_s else 3)

    @pytest.mark.parametrize(
        ("answer", "chips"),
        [
            ({"chip_balance": 3_000, "chips_at_table": 0}, 3_000),
            ({"chip_balance": 3_000}, 3_000),
            ({"chip_balance": 1_200, "chips_at_table": 2_000}, None),
            ({"chip_balance": None}, None),
            ({}, None),
            (None, None),
        ],
    )
    async def test_chips_that_are_still_on_their_way_make_the_balance_unknown(
        self, answer: Frame | None, chips: int | None
    ) -> None:
        """V50, V49: just after leaving they still count as at the table; asked again, they will have arrived."""

        async def season(request: web.Request) -> web.StreamResponse:
            return web.json_response(answer)

        async with rest_side(season) as url, RestApi(url, KEY) as rest:
            assert await rest.balance_chips() == chips

    @pytest.mark.parametrize("status", [404, 429, 500])
    async def test_a_balance_that_is_refused_is_unknown(self, status: int) -> None:
        """V49."""

        async def refused(request: web.Request) -> web.StreamResponse:
            return web.json_response({"chip_balance": 0}, status=status)

        async with rest_side(refused) as url, RestApi(url, KEY) as rest:
            assert await rest.balance_chips() is None
