"""From settings to models: whose key goes where, what is refused, and models that are there when play begins."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from agent.llm.errors import Paused, Unavailable
from agent.models import Adviser, build_advisers, spent_today_usd, warmed
from agent.settings import Settings, SettingsError
from tests.llm.scripted import CALL, REQUEST, Provider, Reply
from tests.llm.virtual_time import now_s, run

GATEWAY = "https://gateway.example/v1"


def settings(folder: Path, **environ: str) -> Settings:
    paths = {"LLM_LEARNED_PATH": str(folder / "learned.json"), "JOURNAL_PATH": str(folder / "journal.sqlite3")}
    return Settings.load({**paths, **environ}, Path("/nonexistent/.env"))


async def keys_sent(folder: Path, servers: list[Provider], **environ: str) -> list[str]:
    """The key that each server is sent, in the order of the models."""
    for adviser in build_advisers(settings(folder, **environ)):
        await adviser.model.ask(REQUEST, budget_s=5)
        await adviser.model.aclose()
    return [server.headers[0]["Authorization"].removeprefix("Bearer ") for server in servers]


@asynccontextmanager
async def two_servers() -> AsyncIterator[list[Provider]]:
    async with Provider(Reply(200, CALL)) as first, Provider(Reply(200, CALL)) as second:
        yield [first, second]


@pytest.mark.parametrize(
    ("fallback", "keys", "sent"),
    [
        ("custom", {"LLM_API_KEY": "k-first"}, ["k-first", "none"]),
        ("custom", {"LLM_API_KEY": "k-first", "CUSTOM_API_KEY": "k-custom"}, ["k-first", "k-custom"]),
        ("custom", {"CUSTOM_API_KEY": "k-custom"}, ["k-custom", "k-custom"]),
        ("groq", {"LLM_API_KEY": "k-first", "GROQ_API_KEY": "k-groq"}, ["k-first", "k-groq"]),
        ("vllm", {"LLM_API_KEY": "k-first"}, ["k-first", "none"]),
    ],
)
async def test_a_key_goes_to_the_address_that_it_is_for_and_nowhere_else(
    fallback: str, keys: dict[str, str], sent: list[str], tmp_path: Path
) -> None:
    async with two_servers() as servers:
        first, second = (server.base_url for server in servers)
        environ = {"LLM_PROVIDER": "custom", "LLM_MODEL": "a", "LLM_BASE_URL": first, **keys}
        assert await keys_sent(tmp_path, servers, **environ, LLM_FALLBACKS=f"{fallback}/b@{second}") == sent


async def test_two_models_at_one_address_share_its_key(tmp_path: Path) -> None:
    async with Provider(Reply(200, CALL)) as server:
        environ = {
            "LLM_PROVIDER": "custom",
            "LLM_MODEL": "a",
            "LLM_BASE_URL": server.base_url,
            "LLM_API_KEY": "k-first",
        }
        await keys_sent(tmp_path, [server], **environ, LLM_FALLBACKS=f"custom/b@{server.base_url}/")
    assert [headers["Authorization"] for headers in server.headers] == ["Bearer k-first"] * 2


OPENAI = {"LLM_PROVIDER": "openai", "LLM_MODEL": "m"}


@pytest.mark.parametrize(
    ("environ", "words"),
    [
        ({"OPENAI_API_KEY": "k", "LLM_FALLBACKS": "groq/b"}, "GROQ_API_KEY is missing: groq/b of LLM_FALLBACKS"),
        ({"LLM_API_KEY": "k", "LLM_FALLBACKS": "groq/b"}, "GROQ_API_KEY is missing"),
        (
            {"LLM_API_KEY": "k", "LLM_FALLBACKS": f"openai/b@{GATEWAY}"},
            "OPENAI_API_KEY is missing: openai/b of LLM_FALLBACKS",
        ),
        (
            {"OPENAI_API_KEY": "k", "LLM_BASE_URL": GATEWAY, "LLM_FALLBACKS": "openai/b"},
            "OPENAI_API_KEY is the key for LLM_BASE_URL: put that one into LLM_API_KEY, or write openai/b@URL",
        ),
        ({"OPENAI_API_KEY": "k", "LLM_FALLBACKS": "openai/m"}, "openai/m at an address where it is asked already"),
        (
            {"OPENAI_API_KEY": "k", "LLM_FALLBACKS": "openai/b,openai/b@https://api.openai.com/v1/"},
            "openai/b at an address where it is asked already",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(environ: dict[str, str], words: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=words):
        build_advisers(settings(tmp_path, **OPENAI, **environ))


def test_a_gateway_and_the_provider_itself_may_have_a_key_each(tmp_path: Path) -> None:
    environ = {"LLM_API_KEY": "k-gateway", "OPENAI_API_KEY": "k-own", "LLM_BASE_URL": GATEWAY}
    assert len(build_advisers(settings(tmp_path, **OPENAI, **environ, LLM_FALLBACKS="openai/b"))) == 2


async def test_the_first_question_is_reserved_by_the_cap_that_was_learned(tmp_path: Path) -> None:
    cut = {"choices": [{"message": {"content": ""}, "finish_reason": "length"}]}
    async with Provider(Reply(200, cut), Reply(200, CALL)) as server:
        environ = {**OPENAI, "LLM_MODEL": "gpt-5-mini", "OPENAI_API_KEY": "k", "LLM_BASE_URL": server.base_url}
        await keys_sent(tmp_path, [server], **environ)
        # Room for 2,048 tokens and a second try with 4,096, but not for the 4,096 and 8,192 of what was learned.
        with pytest.raises(Exception, match="LLM_CAP_RUN_USD"):
            await keys_sent(tmp_path, [server], **environ, LLM_CAP_RUN_USD="0.02")


def test_a_day_without_a_journal_has_cost_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert spent_today_usd(settings(tmp_path), "heron") == 0.0
    assert caplog.records == []


def test_a_journal_that_cannot_be_read_is_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    sqlite3.connect(tmp_path / "journal.sqlite3").execute("CREATE TABLE other (x)").connection.close()
    assert spent_today_usd(settings(tmp_path), "heron") == 0.0
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "heron" in caplog.text
    assert "LLM_CAP_DAY_USD" in caplog.text


class Loading:
    """A local server that loads its model while somebody waits for it, and stops when nobody does."""

    def __init__(self, loads_s: float) -> None:
        self.loads_s, self.is_loaded, self.aborted = loads_s, False, 0

    async def reply(self, _: web.Request) -> web.Response:
        try:
            if not self.is_loaded:
                await asyncio.sleep(self.loads_s)
        except asyncio.CancelledError:
            self.aborted += 1
            raise
        self.is_loaded = True
        return web.json_response(CALL)


@asynccontextmanager
async def serving(folder: Path, server: Loading) -> AsyncIterator[Adviser]:
    application = web.Application()
    application.router.add_post("/v1/chat/completions", server.reply)
    runner = web.AppRunner(application, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    environ = {"LLM_PROVIDER": "ollama", "LLM_MODEL": "m", "LLM_BASE_URL": f"http://{host}:{port}/v1"}
    (adviser,) = build_advisers(settings(folder, **environ))
    try:
        yield adviser
    finally:
        await adviser.model.aclose()
        await runner.cleanup()


def played(folder: Path, loads_s: float, play: Callable[[Adviser, Loading], Any]) -> None:
    async def whole() -> None:
        server = Loading(loads_s)
        async with serving(folder, server) as adviser:
            await play(adviser, server)

    run(whole())


def test_a_load_that_takes_longer_than_the_wait_goes_on_while_play_has_begun(tmp_path: Path) -> None:
    async def play(adviser: Adviser, server: Loading) -> None:
        async with warmed((adviser,), budget_s=60, unless=asyncio.Event()):
            assert 60 <= now_s() < 61
            failures = []
            for _ in range(4):
                with pytest.raises(Unavailable) as caught:
                    await adviser.model.ask(REQUEST, budget_s=12)
                failures.append(type(caught.value))
            assert failures == [Unavailable] * 3 + [Paused]
            await asyncio.sleep(201 - now_s())
            assert (await adviser.model.ask(REQUEST, budget_s=12)).latency_ms < 1_000

    played(tmp_path, 200, play)


def test_a_model_that_is_there_in_time_is_not_waited_for_longer(tmp_path: Path) -> None:
    async def play(adviser: Adviser, server: Loading) -> None:
        async with warmed((adviser,), budget_s=60, unless=asyncio.Event()):
            assert 20 <= now_s() < 21
            assert server.is_loaded

    played(tmp_path, 20, play)


def test_who_has_no_time_does_not_wait_but_the_model_loads(tmp_path: Path) -> None:
    async def play(adviser: Adviser, server: Loading) -> None:
        hurry = asyncio.Event()
        hurry.set()
        async with warmed((adviser,), budget_s=60, unless=hurry):
            assert now_s() < 1
            await asyncio.sleep(25)
            assert server.is_loaded

    played(tmp_path, 20, play)


@pytest.mark.parametrize(
    ("provider", "warm_up_s", "seconds"), [("ollama", "90", 90), ("ollama", "0", 12), ("custom", "90", 12)]
)
def test_only_a_local_model_has_time_to_load(provider: str, warm_up_s: str, seconds: float, tmp_path: Path) -> None:
    environ = {"LLM_PROVIDER": provider, "LLM_MODEL": "m", "LLM_BASE_URL": GATEWAY, "LLM_WARM_UP_S": warm_up_s}
    chosen = settings(tmp_path, **environ)
    assert build_advisers(chosen)[0].first_answer_s(chosen) == seconds
