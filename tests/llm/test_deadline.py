"""No question outlives its budget, whatever the server does; a cancelled one ends at once."""

import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from agent.llm.build import build_chat
from agent.llm.errors import Rejected, Unavailable
from agent.llm.modes import Mode
from agent.llm.stand_in import StandIn

from .conftest import MakeChat
from .scripted import CALL, REQUEST, until


@pytest.mark.parametrize("mode", [Mode.SILENT, Mode.DRIP, Mode.SLOW])
async def test_a_question_ends_with_its_budget(mode: Mode, stand_in: StandIn, make_chat: MakeChat) -> None:
    stand_in.mode, stand_in.delay_s = mode, 60.0
    async with asyncio.timeout(5):
        with pytest.raises(Unavailable, match=r"custom/m1, 0\.3 s: no answer in time"):
            await make_chat(stand_in.base_url).ask(REQUEST, budget_s=0.3)
    assert stand_in.requests == 1


async def test_a_rate_limit_is_not_waited_for(stand_in: StandIn, make_chat: MakeChat) -> None:
    stand_in.mode = Mode.RATE_LIMITED
    async with asyncio.timeout(5):
        with pytest.raises(Unavailable, match="HTTP 429"):
            await make_chat(stand_in.base_url).ask(REQUEST, budget_s=60)
    assert stand_in.requests == 1


@pytest.mark.parametrize("budget_s", [0.0, -1.0])
async def test_without_time_nothing_is_asked(budget_s: float, stand_in: StandIn, make_chat: MakeChat) -> None:
    with pytest.raises(Rejected) as caught:
        await make_chat(stand_in.base_url).ask(REQUEST, budget_s=budget_s)
    assert caught.value.parameter == "budget_s"
    assert stand_in.requests == 0


async def test_a_cancelled_question_passes_the_cancellation_on(stand_in: StandIn, make_chat: MakeChat) -> None:
    stand_in.mode = Mode.SILENT
    question = asyncio.create_task(make_chat(stand_in.base_url).ask(REQUEST, budget_s=60))
    async with asyncio.timeout(5):
        await until(lambda: stand_in.requests == 1)
        question.cancel()
        with pytest.raises(asyncio.CancelledError):
            await question


async def test_three_timeouts_in_a_row_lead_to_a_new_client(stand_in: StandIn, make_chat: MakeChat) -> None:
    chat = make_chat(stand_in.base_url)
    await chat.ask(REQUEST, budget_s=5)
    first = chat._client
    stand_in.mode = Mode.SILENT
    for _ in range(3):
        assert chat._client is first
        with pytest.raises(Unavailable):
            await chat.ask(REQUEST, budget_s=0.1)
    stand_in.mode = Mode.HEALTHY
    assert "call" in (await chat.ask(REQUEST, budget_s=5)).text
    assert chat._client is not first


async def test_an_answer_between_timeouts_keeps_the_client(stand_in: StandIn, make_chat: MakeChat) -> None:
    chat = make_chat(stand_in.base_url)
    await chat.ask(REQUEST, budget_s=5)
    first = chat._client
    for _ in range(2):
        stand_in.mode = Mode.SILENT
        for _ in range(2):
            with pytest.raises(Unavailable):
                await chat.ask(REQUEST, budget_s=0.1)
        stand_in.mode = Mode.HEALTHY
        await chat.ask(REQUEST, budget_s=5)
    assert chat._client is first


class AlwaysCall(BaseHTTPRequestHandler):
    """A provider in a thread of its own, so that it outlives an event loop."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(CALL).encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


def test_a_chat_serves_one_event_loop_after_another() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), AlwaysCall)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    chat = build_chat("custom", model="m1", base_url=f"http://127.0.0.1:{server.server_port}/v1")

    async def ask_once() -> str:
        try:
            return (await chat.ask(REQUEST, budget_s=5)).text
        finally:
            await chat.aclose()

    try:
        assert [asyncio.run(ask_once()), asyncio.run(ask_once())] == ['{"id": "call"}'] * 2
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
