"""No question takes longer than its budget, whatever the server does and however often it is asked again."""

import asyncio

import pytest
from aiohttp import web

from agent.llm.build import build_chat
from agent.llm.errors import ModelError, Unavailable
from agent.llm.modes import Mode
from agent.llm.stand_in import StandIn

from .scripted import CALL, REQUEST, Provider, Reply
from .virtual_time import now_s, run

BUDGET_S = 4.0
GRACE_S = 0.05


async def seconds_until_error(base_url: str) -> tuple[float, ModelError]:
    chat = build_chat("custom", model="m1", base_url=base_url)
    began_s = now_s()
    with pytest.raises(ModelError) as caught:
        await chat.ask(REQUEST, budget_s=BUDGET_S)
    took_s = now_s() - began_s
    await chat.aclose()
    return took_s, caught.value


@pytest.mark.parametrize("mode", [Mode.SILENT, Mode.DRIP, Mode.SLOW])
def test_a_server_that_hangs_drips_or_is_late_takes_the_budget_and_no_more(mode: Mode) -> None:
    async def play() -> None:
        async with StandIn(mode, delay_s=BUDGET_S + 0.1) as server:
            took_s, failure = await seconds_until_error(server.base_url)
        assert BUDGET_S <= took_s <= BUDGET_S + GRACE_S
        assert isinstance(failure, Unavailable)
        assert failure.is_late

    run(play())


def test_a_reset_ends_the_question_at_once() -> None:
    async def play() -> None:
        async with StandIn(Mode.RESET) as server:
            took_s, failure = await seconds_until_error(server.base_url)
        assert took_s <= GRACE_S
        assert isinstance(failure, Unavailable)
        assert not failure.is_late

    run(play())


def test_an_answer_just_in_time_is_taken() -> None:
    async def play() -> None:
        async with StandIn(Mode.SLOW, delay_s=BUDGET_S - 0.1) as server:
            chat = build_chat("custom", model="m1", base_url=server.base_url)
            assert '"call"' in (await chat.ask(REQUEST, budget_s=BUDGET_S)).text
            await chat.aclose()

    run(play())


class Slowly(Provider):
    """Gives each reply after a while, or sends it byte by byte."""

    def __init__(self, *replies: Reply, after_s: float, a_byte_s: float = 0.0) -> None:
        super().__init__(*replies)
        self.after_s, self.a_byte_s = after_s, a_byte_s

    async def _reply(self, http: web.Request) -> web.StreamResponse:
        whole = await super()._reply(http)
        await asyncio.sleep(self.after_s)
        if not self.a_byte_s or not isinstance(whole, web.Response) or whole.text is None:
            return whole
        stream = web.StreamResponse(status=whole.status, headers={"Content-Type": "application/json"})
        await stream.prepare(http)
        for character in whole.text:
            await stream.write(character.encode())
            await asyncio.sleep(self.a_byte_s)
        return stream


REFUSED = Reply(400, {"error": {"message": "unknown: response_format, tools, max_tokens, max_completion_tokens"}})
BUSY = Reply(429, {"error": {"message": "slow down"}}, {"Retry-After": "1.9"})
BLANK = Reply(200, {"choices": [{"message": {"content": ""}, "finish_reason": "length"}]})


@pytest.mark.parametrize("replies", [[REFUSED], [BUSY], [BLANK], [BUSY, REFUSED], [REFUSED, BUSY, BLANK]])
@pytest.mark.parametrize("after_s", [0.0, 0.7, 1.9, 2.1])
def test_asking_again_stays_within_the_budget(replies: list[Reply], after_s: float) -> None:
    async def play() -> None:
        async with Slowly(*replies, after_s=after_s) as server:
            took_s, _ = await seconds_until_error(server.base_url)
        assert took_s <= BUDGET_S + GRACE_S
        assert len(server.sent) <= 8

    run(play())


@pytest.mark.parametrize("reply", [Reply(200, CALL), REFUSED])
def test_a_body_that_comes_byte_by_byte_is_not_waited_for(reply: Reply) -> None:
    async def play() -> None:
        async with Slowly(reply, after_s=0.0, a_byte_s=0.5) as server:
            took_s, failure = await seconds_until_error(server.base_url)
        assert BUDGET_S <= took_s <= BUDGET_S + GRACE_S
        assert isinstance(failure, Unavailable)

    run(play())
