"""A body is read as far as a reply can go, however large, small-pieced, packed or badly labelled it is."""

import asyncio
import gzip
import json
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from aiohttp import web

from agent.llm.body import MOST_BYTES, read
from agent.llm.errors import ModelError, NoAnswer, Rejected, SwitchedOff, Unavailable

from .conftest import MakeChat
from .scripted import CALL, KEY, REQUEST, Provider, Reply, completion

LARGE = 20 * MOST_BYTES


async def failure_of(body: str, make_chat: MakeChat, status: int = 200) -> ModelError:
    async with Provider(Reply(status, body)) as provider:
        with pytest.raises(ModelError) as caught:
            await make_chat(provider.base_url).ask(REQUEST, budget_s=20)
    return caught.value


@pytest.mark.parametrize("body", ["x" * LARGE, json.dumps(completion({"content": "x" * LARGE})), "[" * LARGE])
async def test_a_reply_that_is_too_large_is_no_answer_and_is_not_read_to_its_end(
    body: str, make_chat: MakeChat
) -> None:
    failure = await failure_of(body, make_chat)
    assert isinstance(failure, NoAnswer)
    assert f"more than {MOST_BYTES:,} characters" in str(failure)


async def test_a_reply_as_large_as_any_thought_is_read(make_chat: MakeChat) -> None:
    thought = "<think>" + "x" * (MOST_BYTES // 2) + '</think>{"id": "call"}'
    async with Provider(Reply(200, completion({"content": thought}))) as provider:
        assert (await make_chat(provider.base_url).ask(REQUEST, budget_s=20)).text == thought


@pytest.mark.parametrize(
    ("status", "branch"), [(400, Rejected), (401, SwitchedOff), (429, Unavailable), (500, Unavailable)]
)
async def test_an_error_keeps_its_meaning_however_large_it_is(
    status: int, branch: type[ModelError], make_chat: MakeChat
) -> None:
    failure = await failure_of("model " * (LARGE // 6), make_chat, status)
    assert type(failure) is branch
    assert len(str(failure)) < 400


async def test_what_stands_far_down_in_an_error_is_not_searched(make_chat: MakeChat) -> None:
    failure = await failure_of("x" * 5_000 + " temperature response_format insufficient_quota", make_chat, 400)
    assert isinstance(failure, Rejected)
    assert failure.parameter is None


async def test_a_small_body_does_not_unfold_into_a_large_one(make_chat: MakeChat) -> None:
    packed = gzip.compress(b" " * 100_000_000)

    async def reply(_: web.Request) -> web.Response:
        headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
        return web.Response(body=packed, headers=headers)

    async with Served(reply) as address:
        tracemalloc.start()
        with pytest.raises(NoAnswer):
            await make_chat(address).ask(REQUEST, budget_s=20)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 10_000_000


async def test_a_packed_body_is_read_though_none_was_asked_for(make_chat: MakeChat) -> None:
    async def reply(http: web.Request) -> web.Response:
        assert http.headers["Accept-Encoding"] == "identity"
        return web.Response(body=gzip.compress(json.dumps(CALL).encode()), headers={"Content-Encoding": "gzip"})

    async with Served(reply) as address:
        assert "call" in (await make_chat(address).ask(REQUEST, budget_s=20)).text


@pytest.mark.parametrize("charset", ["nonsense", "base64", "rot13", "utf-16", "latin-1"])
@pytest.mark.parametrize("status", [200, 400])
async def test_a_character_set_that_a_header_claims_is_not_believed(
    charset: str, status: int, make_chat: MakeChat
) -> None:
    body = completion({"content": '{"id": "call", "reason": "A♠"}'}) if status == 200 else {"error": "no: A♠"}
    answer = Reply(
        status, json.dumps(body, ensure_ascii=False), {"Content-Type": f"application/json; charset={charset}"}
    )

    async def reply(_: web.Request) -> web.Response:
        return web.Response(status=answer.status, body=str(answer.body).encode(), headers=answer.headers)

    async with Served(reply) as address:
        if status == 200:
            assert "A♠" in (await make_chat(address).ask(REQUEST, budget_s=20)).text
        else:
            with pytest.raises(Rejected, match="A♠"):
                await make_chat(address).ask(REQUEST, budget_s=20)


@pytest.mark.parametrize("body", [b"\xff\xfe\x00", b'\xef\xbb\xbf{"choices": []}', b"\x1f\x8b\x08broken"])
@pytest.mark.parametrize("packing", ["br", "gzip", "identity"])
async def test_bytes_that_are_no_text_are_no_answer(body: bytes, packing: str, make_chat: MakeChat) -> None:
    async def reply(_: web.Request) -> web.Response:
        return web.Response(body=body, headers={"Content-Encoding": packing})

    async with Served(reply) as address:
        with pytest.raises((NoAnswer, Unavailable)):
            await make_chat(address).ask(REQUEST, budget_s=20)


async def test_a_redirection_is_not_followed_with_the_key(make_chat: MakeChat) -> None:
    async with Provider(Reply(200, CALL)) as elsewhere:
        address = f"{elsewhere.base_url}/chat/completions?token=pass-5f2c91"
        async with Provider(Reply(308, "", {"Location": address})) as provider:
            with pytest.raises(SwitchedOff) as caught:
                await make_chat(provider.base_url).ask(REQUEST, budget_s=20)
    assert elsewhere.sent == []
    assert f"moved to {address.partition('?')[0]}" in str(caught.value)
    assert "set LLM_BASE_URL" in str(caught.value)
    assert "pass-5f2c91" not in str(caught.value)
    assert KEY not in str(caught.value)


async def test_others_get_their_turn_while_a_million_tiny_pieces_come(make_chat: MakeChat) -> None:
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    pieces, done = Pieces(20_000), asyncio.create_task(others())
    assert (await read(pieces)).text == "x" * 20_000
    done.cancel()
    assert turns > 1_000


class Pieces:
    """A response whose body has arrived in pieces of one byte: none of them has to be waited for."""

    status_code = 200

    def __init__(self, count: int) -> None:
        self.headers: dict[str, str] = {}
        self._count = count

    async def aiter_raw(self) -> AsyncIterator[bytes]:
        for _ in range(self._count):
            yield b"x"


class Served:
    """One handler on loopback, as the address of a provider."""

    def __init__(self, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> None:
        application = web.Application()
        application.router.add_post("/v1/chat/completions", handler)
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)

    async def __aenter__(self) -> str:
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        host, port = self._runner.addresses[0][:2]
        return f"http://{host}:{port}/v1"

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()
