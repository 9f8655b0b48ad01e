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
        ("custom", {"base_url": "http://h/v1?key=sk-x"}, "LLM_BASE_URL holds a query"),
        ("custom", {"base_url": "http://h/v1/chat/completions"}, "did you mean http://h/v1?"),
        ("custom", {"base_url": "http://me:sk-x@h/v1/models/"}, "did you mean http://h/v1?"),
        ("openai", {"extra_body": {"stream": True, "model": "x"}}, "LLM_EXTRA_BODY must not set model, stream"),
    ],
)
def test_what_is_missing_is_named_and_no_key_is_shown(provider: str, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ModelSettingsError) as caught:
        build_chat(provider, **{**COMPLETE, **changes})
    assert words in str(caught.value)
    assert "sk-" not in str(caught.value)


def test_an_effort_that_nobody_knows_is_named() -> None:
    with pytest.raises(ModelSettingsError, match="LLM_REASONING_EFFORT is 'much'; it can be none, minimal, low"):
        build_chat("openai", **COMPLETE, reasoning_effort="much")


@pytest.mark.parametrize(
    ("provider", "fields"),
    [
        ("openai", {"reasoning_effort": "none"}),
        ("gemini", {"reasoning_effort": "none"}),
        ("openrouter", {"reasoning": {"effort": "none"}}),
        ("together", {"reasoning": {"enabled": False}}),
        ("deepseek", {"thinking": {"type": "disabled"}}),
        ("vllm", {"chat_template_kwargs": {"enable_thinking": False}}),
        ("llamacpp", {"chat_template_kwargs": {"enable_thinking": False}}),
    ],
)
async def test_effort_is_sent_as_the_provider_spells_it(provider: str, fields: dict[str, Any]) -> None:
    assert await sent_with(provider, reasoning_effort=" NONE ") == fields
    assert await sent_with(provider, reasoning_effort="") == {}


async def test_the_extra_body_wins_over_the_effort() -> None:
    assert await sent_with("openai", reasoning_effort="low", extra_body={"reasoning_effort": "x"}) == {
        "reasoning_effort": "x"
    }


async def test_an_effort_that_is_ignored_is_not_sent_and_said(caplog: pytest.LogCaptureFixture) -> None:
    assert await sent_with("anthropic", reasoning_effort="high") == {}
    assert [record.getMessage().partition(";")[0] for record in caplog.records] == [
        "anthropic ignores LLM_REASONING_EFFORT"
    ]


FORM = {"model", "messages", "max_tokens", "max_completion_tokens", "response_format", "tools", "tool_choice"}


async def sent_with(provider: str, **options: Any) -> dict[str, Any]:
    """What is sent beside messages, cap and form."""
    async with Provider(Reply(200, CALL)) as server:
        chat = build_chat(provider, **{**COMPLETE, "base_url": server.base_url, **options})
        await chat.ask(REQUEST, budget_s=5)
        await chat.aclose()
    return {name: value for name, value in server.sent[0].items() if name not in FORM}


def test_every_provider_that_needs_a_key_has_its_usual_variable() -> None:
    assert {name: preset.key_name for name, preset in PRESETS.items() if preset.needs_key} == {
        "openai": "OPENAI_API_KEY",
        "anthropic": "ANTHROPIC_API_KEY",
        "gemini": "GEMINI_API_KEY",
        "deepseek": "DEEPSEEK_API_KEY",
        "mistral": "MISTRAL_API_KEY",
        "groq": "GROQ_API_KEY",
        "openrouter": "OPENROUTER_API_KEY",
        "together": "TOGETHER_API_KEY",
        "xai": "XAI_API_KEY",
        "azure": "AZURE_OPENAI_API_KEY",
    }


def test_local_servers_are_known_as_such() -> None:
    assert {name for name, preset in PRESETS.items() if preset.is_local} == {"ollama", "vllm", "lmstudio", "llamacpp"}


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
