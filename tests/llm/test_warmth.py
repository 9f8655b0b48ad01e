"""A local model is loaded before play, with time of its own, and not left alone until it is unloaded."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from agent.decision.reply import read_reply
from agent.llm.breaker import Breaker
from agent.llm.build import build_chat
from agent.llm.chat import ChatReply, ChatRequest
from agent.llm.errors import ModelError, Unavailable
from agent.llm.stand_in import StandIn
from agent.llm.warmth import QUESTION, keep_warm, warm_up

from .scripted import CALL, REQUEST
from .virtual_time import now_s, run

LOADS_S, UNLOADS_S = 50.0, 300.0


class Ollama:
    """Loads its model for 50 s while somebody waits, and unloads it after five idle minutes."""

    def __init__(self) -> None:
        self.loads = 0
        self._loaded_until_s = -1.0

    async def reply(self, _: web.Request) -> web.Response:
        if now_s() > self._loaded_until_s:
            self.loads += 1
            await asyncio.sleep(LOADS_S)
        self._loaded_until_s = now_s() + UNLOADS_S
        return web.json_response(CALL)


@asynccontextmanager
async def serving(server: Ollama) -> AsyncIterator[Breaker]:
    application = web.Application()
    application.router.add_post("/v1/chat/completions", server.reply)
    runner = web.AppRunner(application, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    model = Breaker(build_chat("ollama", model="m1", base_url=f"http://{host}:{port}/v1"), clock=now_s)
    try:
        yield model
    finally:
        await model.aclose()
        await runner.cleanup()


def test_with_the_budget_of_a_turn_a_cold_model_never_gets_warm() -> None:
    async def play() -> None:
        async with serving(Ollama()) as model:
            for _ in range(3):
                with pytest.raises(Unavailable, match="no answer in time"):
                    await model.ask(REQUEST, budget_s=12)

    run(play())


def test_after_a_warm_up_a_turn_is_answered_at_once() -> None:
    async def play() -> None:
        server = Ollama()
        async with serving(server) as model:
            reply = await warm_up(model, budget_s=300)
            assert reply.latency_ms >= 1_000 * LOADS_S
            assert (await model.ask(REQUEST, budget_s=12)).latency_ms < 1_000
            assert server.loads == 1

    run(play())


@pytest.mark.parametrize(("is_kept_warm", "loads"), [(True, 1), (False, 2)])
def test_a_model_that_is_kept_warm_is_there_after_a_long_pause(is_kept_warm: bool, loads: int) -> None:
    async def play() -> None:
        server = Ollama()
        async with serving(server) as model:
            await warm_up(model, budget_s=300)
            keeper = asyncio.create_task(
                keep_warm(model, every_s=240, last_asked_s=lambda: model.last_asked_s, clock=now_s)
            )
            if not is_kept_warm:
                keeper.cancel()
            await asyncio.sleep(1_000)
            await model.ask(REQUEST, budget_s=60)
            assert server.loads == loads
            keeper.cancel()
            with pytest.raises(asyncio.CancelledError):
                await keeper

    run(play())


async def test_the_question_of_the_warm_up_is_answered_as_a_turn_is(stand_in: StandIn) -> None:
    chat = build_chat("vllm", model="m1", base_url=stand_in.base_url)
    said = read_reply((await warm_up(chat, budget_s=5)).text, QUESTION.choices)
    await chat.aclose()
    assert (said.choice, said.hand, said.cards) == ("check", "AA", "AsAh")


class Counting:
    """A model that notes when it is asked, and fails when it is told to."""

    name = "fake/m1"

    def __init__(self, clock: Callable[[], float], failure: ModelError | None = None) -> None:
        self.asked_s: list[float] = []
        self._clock, self._failure = clock, failure

    async def ask(self, request: ChatRequest, *, budget_s: float) -> ChatReply:
        assert request is QUESTION
        self.asked_s.append(self._clock())
        if self._failure:
            raise self._failure
        return ChatReply("{}", "m1", "stop", 0.0, None, None, None, None, {})

    async def aclose(self) -> None:
        pass


class Hours:
    """A clock that only sleeping moves; whoever sleeps past the end is cancelled."""

    def __init__(self, ends_s: float) -> None:
        self.now_s, self._ends_s = 0.0, ends_s

    def __call__(self) -> float:
        return self.now_s

    async def sleep(self, seconds: float) -> None:
        self.now_s += seconds
        if self.now_s > self._ends_s:
            raise asyncio.CancelledError


async def kept_warm(model: Counting, hours: Hours, last_asked_s: Callable[[], float | None]) -> list[float]:
    with pytest.raises(asyncio.CancelledError):
        await keep_warm(model, every_s=240, last_asked_s=last_asked_s, clock=hours, sleep=hours.sleep)
    return model.asked_s


@pytest.mark.parametrize("failure", [None, Unavailable("fake/m1: no answer in time")])
async def test_an_idle_model_is_asked_again_and_again(failure: ModelError | None) -> None:
    hours = Hours(ends_s=1_000)
    assert await kept_warm(Counting(hours, failure), hours, lambda: None) == [240, 480, 720, 960]


async def test_a_model_that_plays_is_left_alone() -> None:
    hours = Hours(ends_s=1_000)
    # Turns at 0, 50, 100 ... 600; the last one at 600.
    assert await kept_warm(Counting(hours), hours, lambda: min(hours() // 50 * 50, 600.0)) == [840]


async def test_the_breaker_knows_when_its_model_was_last_asked() -> None:
    hours = Hours(ends_s=1_000)
    breaker = Breaker(Counting(hours), clock=hours)
    assert breaker.last_asked_s is None
    hours.now_s = 7.0
    await warm_up(breaker, budget_s=5)
    assert breaker.last_asked_s == 7.0
