"""Settings become a model, or a sentence that names the variable to set."""

from typing import Any

import pytest

from agent.llm.build import ModelSettingsError, build_chat
from agent.llm.presets import PRESETS
from agent.llm.stand_in import StandIn

from .scripted import CALL, KEY, REQUEST, Provider, Reply

COMPLETE: dict[str, Any] = {"model": "m1", "api_key": KEY, "base_url": "http://127.0.0.1:9/v1"}


@pytest.mark.parametrize("provider", PRESETS)
def test_every_provider_can_be_built(provider: str) -> None:
    assert build_chat(provider, **COMPLETE).name == f"{provider}/m1"


def test_a_local_server_needs_a_model_name_only() -> None:
    assert build_chat("Ollama ", model=" qwen3:4b ").name == "ollama/qwen3:4b"


@pytest.mark.parametrize(
    ("provider", "changes", "words"),
    [
        ("opnai", {}, "LLM_PROVIDER is 'opnai'; it can be openai, anthropic"),
        ("openai", {"model": None}, "LLM_MODEL is missing"),
        ("openai", {"model": "  "}, "LLM_MODEL is missing"),
        ("openai", {"api_key": None}, "LLM_API_KEY is missing: openai needs one"),
        ("openai", {"api_key": " \n"}, "LLM_API_KEY is missing"),
        ("openai", {"api_key": "sk-clé-5f2c91"}, "LLM_API_KEY holds a space or a character"),
        ("openai", {"api_key": "sk-one\nsk-two"}, "LLM_API_KEY holds a space or a character"),
        ("openai", {"api_key": "export KEY=sk-one"}, "LLM_API_KEY holds a space or a character"),
        ("custom", {"base_url": None}, "LLM_BASE_URL is missing: custom has no address"),
        ("azure", {"base_url": " "}, "LLM_BASE_URL is missing: azure has no address"),
        ("custom", {"base_url": "127.0.0.1:8000/v1"}, "LLM_BASE_URL is no address"),
        ("custom", {"base_url": "http://[::1/v1"}, "LLM_BASE_URL is no address"),
        ("openai", {"extra_body": {"stream": True, "model": "x"}}, "LLM_EXTRA_BODY must not set model, stream"),
    ],
)
def test_what_is_missing_is_named_and_no_key_is_shown(provider: str, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ModelSettingsError) as caught:
        build_chat(provider, **{**COMPLETE, **changes})
    assert words in str(caught.value)
    assert "sk-" not in str(caught.value)


async def test_spaces_around_key_and_address_do_no_harm() -> None:
    async with Provider(Reply(200, CALL)) as provider:
        chat = build_chat("custom", model="m1", api_key=f" {KEY}\n", base_url=f" {provider.base_url}/ ")
        await chat.ask(REQUEST, budget_s=5)
        await chat.aclose()
    assert provider.headers[0]["Authorization"] == f"Bearer {KEY}"


async def test_a_server_without_a_key_is_sent_a_placeholder() -> None:
    async with StandIn() as server:
        chat = build_chat("vllm", model="m1", base_url=server.base_url)
        reply = await chat.ask(REQUEST, budget_s=5)
        await chat.aclose()
    assert "call" in reply.text
