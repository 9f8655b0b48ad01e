"""With two settings, its name and a model, each provider is asked as it wants to be and understood as it answers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest

from agent.decision.reply import read_reply
from agent.llm.build import build_chat
from agent.llm.chat import ChatReply
from agent.llm.errors import ModelError, NoAnswer, Rejected, SwitchedOff, Unavailable
from agent.llm.openai_chat import OpenAIChat
from agent.llm.presets import PRESETS

from .dialects import DIALECTS, Dialect
from .scripted import KEY, REQUEST


@asynccontextmanager
async def served(provider: str, *, model: str = "m1", **options: Any) -> AsyncIterator[tuple[Dialect, OpenAIChat]]:
    """A provider's dialect and a chat that was built for it."""
    trouble = options.pop("trouble", None)
    async with DIALECTS[provider](trouble=trouble, model=model) as server:
        key = KEY if PRESETS[provider].needs_key else None
        chat = build_chat(provider, model=model, api_key=key, base_url=server.base_url, **options)
        try:
            yield server, chat
        finally:
            await chat.aclose()


def form_of(reply: ChatReply) -> str:
    wanted = reply.parameters.get("response_format")
    if isinstance(wanted, dict):
        return str(wanted["type"])
    return "tool" if "tools" in reply.parameters else "plain"


def test_every_provider_has_a_dialect() -> None:
    assert list(DIALECTS) == list(PRESETS)


@pytest.mark.parametrize(
    ("provider", "form", "requests"),
    [
        ("openai", "json_schema", 1),
        ("anthropic", "tool", 1),
        ("gemini", "json_schema", 1),
        ("deepseek", "json_object", 1),
        ("mistral", "json_schema", 1),
        ("groq", "json_object", 1),
        ("openrouter", "plain", 4),
        ("together", "plain", 4),
        ("xai", "json_schema", 1),
        ("azure", "json_schema", 1),
        ("ollama", "json_schema", 1),
        ("vllm", "json_schema", 1),
        ("lmstudio", "json_schema", 1),
        ("custom", "json_schema", 1),
    ],
)
async def test_a_provider_answers_in_its_own_form_and_is_asked_so_from_then_on(
    provider: str, form: str, requests: int
) -> None:
    async with served(provider) as (server, chat):
        first = await chat.ask(REQUEST, budget_s=10)
        assert len(server.sent) == requests
        second = await chat.ask(REQUEST, budget_s=10)
        assert len(server.sent) == requests + 1
    assert form_of(first) == form
    assert second.parameters == first.parameters
    said = read_reply(first.text, REQUEST.choices)
    assert (said.choice, said.hand, said.cards, said.reason) == ("call", "AKo", "AsKd", "good price")


async def test_llamacpp_that_binds_the_thought_to_the_grammar_is_asked_for_plain_text() -> None:
    async with served("llamacpp") as (server, chat):
        for _ in range(2):
            with pytest.raises(ModelError, match="blank"):
                await chat.ask(REQUEST, budget_s=10)
        reply = await chat.ask(REQUEST, budget_s=10)
        assert len(server.sent) == 6
    assert form_of(reply) == "plain"
    assert read_reply(reply.text, REQUEST.choices).choice == "call"


@pytest.mark.parametrize("provider", [name for name in PRESETS if name != "llamacpp"])
async def test_temperature_and_effort_are_dropped_where_they_are_refused(provider: str) -> None:
    async with served(provider, temperature=0.2, reasoning_effort="none") as (server, chat):
        first = await chat.ask(REQUEST, budget_s=10)
        asked = len(server.sent)
        second = await chat.ask(REQUEST, budget_s=10)
        assert len(server.sent) == asked + 1
    assert second.parameters == first.parameters
    assert read_reply(first.text, REQUEST.choices).choice == "call"
    refused = {
        "openai": {"temperature"},
        "azure": {"temperature"},
        "anthropic": {"temperature", "reasoning_effort"},
        "mistral": {"reasoning_effort"},
        "xai": {"reasoning_effort"},
    }
    assert refused.get(provider, set()).isdisjoint(first.parameters)
    assert ("temperature" in first.parameters) == ("temperature" not in refused.get(provider, set()))


@pytest.mark.parametrize("provider", PRESETS)
async def test_nothing_is_sent_that_nobody_asked_for(provider: str) -> None:
    async with served(provider) as (server, chat):
        # One of them has no answer at first; here it counts what it was sent.
        with suppress(NoAnswer):
            await chat.ask(REQUEST, budget_s=10)
        ours = {"model", "messages", "max_tokens", "max_completion_tokens", "response_format", "tools", "tool_choice"}
        assert all(set(sent) <= ours for sent in server.sent)


def troubles(kind: str) -> list[Any]:
    """The providers that have a way to say it, with what they say."""
    replies = {name: getattr(dialect.troubles, kind) for name, dialect in DIALECTS.items()}
    return [pytest.param(name, reply, id=name) for name, reply in replies.items() if reply is not None]


@pytest.mark.parametrize(("provider", "reply"), troubles("key"))
async def test_a_wrong_key_switches_the_model_off(provider: str, reply: Any) -> None:
    failure = await failure_of(provider, reply)
    assert isinstance(failure, SwitchedOff)
    assert str(failure).endswith("check LLM_API_KEY")


@pytest.mark.parametrize(("provider", "reply"), troubles("model"))
async def test_an_unknown_model_switches_it_off(provider: str, reply: Any) -> None:
    failure = await failure_of(provider, reply)
    assert isinstance(failure, SwitchedOff)
    assert "check LLM_MODEL" in str(failure)


@pytest.mark.parametrize(("provider", "reply"), troubles("credit"))
async def test_spent_credit_switches_the_model_off(provider: str, reply: Any) -> None:
    failure = await failure_of(provider, reply)
    assert isinstance(failure, SwitchedOff)
    assert "out of credit" in str(failure)


@pytest.mark.parametrize(("provider", "reply"), troubles("busy"))
async def test_a_busy_provider_is_asked_again_later(provider: str, reply: Any) -> None:
    failure = await failure_of(provider, reply)
    assert isinstance(failure, Unavailable)
    assert failure.retry_after_s in (None, 20.0)


async def failure_of(provider: str, trouble: Any) -> ModelError:
    """What a trouble comes to; it is met once, since asking again at once cannot help."""
    async with served(provider, trouble=trouble) as (server, chat):
        with pytest.raises(ModelError) as caught:
            await chat.ask(REQUEST, budget_s=10)
        assert len(server.sent) == 1
    assert not isinstance(caught.value, Rejected)
    return caught.value
