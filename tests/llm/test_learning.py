"""A refusal that names a parameter is learned from: once, within the budget, and for all later questions."""

import os
from collections.abc import Iterator
from typing import Any

import pytest

from agent.llm.errors import Rejected
from agent.llm.modes import Mode
from agent.llm.stand_in import StandIn

from .conftest import MakeChat
from .scripted import CALL, REQUEST, Provider, Reply


def openai_refusal(message: str, param: str | None = None) -> Reply:
    return Reply(400, {"error": {"message": message, "type": "invalid_request_error", "param": param, "code": None}})


async def test_the_schema_offers_the_menu_and_has_no_ranges(stand_in: StandIn, make_chat: MakeChat) -> None:
    reply = await make_chat(stand_in.base_url).ask(REQUEST, budget_s=5)
    assert reply.parameters == {
        "model": "m1",
        "max_tokens": 256,
        "response_format": {
            "type": "json_schema",
            "json_schema": {
                "name": "choice",
                "strict": True,
                "schema": {
                    "type": "object",
                    "properties": {
                        "id": {"type": "string", "enum": ["fold", "call", "raise_120"]},
                        "hand": {"type": "string"},
                        "cards": {"type": "string"},
                        "reason": {"type": "string"},
                    },
                    "required": ["id", "hand", "cards", "reason"],
                    "additionalProperties": False,
                },
            },
        },
    }


async def test_a_refused_schema_is_left_out_from_then_on(stand_in: StandIn, make_chat: MakeChat) -> None:
    stand_in.mode = Mode.BAD_PARAMETER
    chat = make_chat(stand_in.base_url)
    first = await chat.ask(REQUEST, budget_s=5)
    second = await chat.ask(REQUEST, budget_s=5)
    assert first.parameters["response_format"] == {"type": "json_object"}
    assert second.parameters == first.parameters
    assert stand_in.requests == 3


async def test_the_ladder_ends_in_plain_text(make_chat: MakeChat) -> None:
    refusal = Reply(400, {"error": "'response_format.type' is not supported"})
    no_tools = Reply(400, {"error": "this model does not support function calling"})
    async with Provider(refusal, refusal, no_tools, Reply(200, CALL)) as provider:
        reply = await make_chat(provider.base_url).ask(REQUEST, budget_s=5)
    assert [sorted(set(sent) - {"model", "messages", "max_tokens"}) for sent in provider.sent] == [
        ["response_format"],
        ["response_format"],
        ["tool_choice", "tools"],
        [],
    ]
    assert [sent["response_format"]["type"] for sent in provider.sent[:2]] == ["json_schema", "json_object"]
    assert sorted(reply.parameters) == ["max_tokens", "model"]


@pytest.mark.parametrize(
    "words",
    [
        "deepseek-reasoner does not support this tool_choice",
        "Thinking may not be enabled when tool_choice forces tool use.",
        "Thinking mode does not support this tool_choice; tools are fine",
    ],
)
async def test_a_tool_that_cannot_be_forced_is_offered(words: str, make_chat: MakeChat) -> None:
    thinking = {"thinking": {"type": "enabled"}}
    async with Provider(openai_refusal(words), Reply(200, CALL)) as provider:
        await make_chat(provider.base_url, preset="anthropic", extra_body=thinking).ask(REQUEST, budget_s=5)
    assert [sorted(set(sent) - {"model", "messages", "max_tokens"}) for sent in provider.sent] == [
        ["thinking", "tool_choice", "tools"],
        ["thinking", "tools"],
    ]


@pytest.mark.parametrize(
    ("preset", "refusal", "dropped", "kept"),
    [
        (
            "custom",
            openai_refusal(
                "Unsupported parameter: 'max_tokens' is not supported with this model. "
                "Use 'max_completion_tokens' instead.",
                "max_tokens",
            ),
            "max_tokens",
            ("max_completion_tokens", 256),
        ),
        (
            "openai",
            Reply(
                422, {"detail": [{"type": "extra_forbidden", "loc": ["body", "max_completion_tokens"], "msg": "no"}]}
            ),
            "max_completion_tokens",
            ("max_tokens", 256),
        ),
        (
            "custom",
            openai_refusal("'temperature' does not support 0.2 with this model.", "temperature"),
            "temperature",
            ("max_tokens", 256),
        ),
        (
            "custom",
            Reply(400, '"reasoning_effort is not permitted for this model"'),
            "reasoning_effort",
            ("temperature", 0.2),
        ),
    ],
)
async def test_a_named_parameter_is_dropped_or_spelled_the_other_way(
    preset: str, refusal: Reply, dropped: str, kept: tuple[str, Any], make_chat: MakeChat
) -> None:
    async with Provider(refusal, Reply(200, CALL)) as provider:
        chat = make_chat(provider.base_url, preset=preset, temperature=0.2, extra_body={"reasoning_effort": "minimal"})
        await chat.ask(REQUEST, budget_s=5)
        await chat.ask(REQUEST, budget_s=5)
    first, second, third = provider.sent
    assert dropped in first
    assert dropped not in second
    assert second[kept[0]] == kept[1]
    assert third == second


async def test_a_cap_refused_under_both_names_is_left_out(make_chat: MakeChat) -> None:
    refusals = openai_refusal("max_tokens: unknown field"), openai_refusal("max_completion_tokens: unknown field")
    async with Provider(*refusals, Reply(200, CALL)) as provider:
        reply = await make_chat(provider.base_url).ask(REQUEST, budget_s=5)
    assert {"max_tokens", "max_completion_tokens"}.isdisjoint(reply.parameters)


async def test_a_refusal_that_names_nothing_is_not_asked_again(make_chat: MakeChat) -> None:
    async with Provider(openai_refusal("Bad request")) as provider:
        with pytest.raises(Rejected) as caught:
            await make_chat(provider.base_url).ask(REQUEST, budget_s=5)
    assert caught.value.parameter is None
    assert len(provider.sent) == 1


async def test_a_prompt_that_is_too_long_costs_no_parameter(make_chat: MakeChat) -> None:
    message = "This model's maximum context length is 4096 tokens. Please reduce the messages or max_tokens."
    async with Provider(openai_refusal(message)) as provider:
        with pytest.raises(Rejected) as caught:
            await make_chat(provider.base_url).ask(REQUEST, budget_s=5)
    assert caught.value.parameter == "messages"
    assert len(provider.sent) == 1


async def test_a_provider_that_refuses_everything_is_left_after_a_few_requests(make_chat: MakeChat) -> None:
    refusal = openai_refusal("not allowed: response_format, max_tokens, max_completion_tokens, temperature, tools")
    async with Provider(refusal) as provider:
        with pytest.raises(Rejected):
            await make_chat(provider.base_url, temperature=0.2).ask(REQUEST, budget_s=5)
    assert [sorted(set(sent) - {"model", "messages"}) for sent in provider.sent] == [
        ["max_tokens", "response_format", "temperature"],
        ["max_tokens", "response_format", "temperature"],
        ["max_tokens", "temperature", "tool_choice", "tools"],
        ["max_completion_tokens", "temperature", "tool_choice", "tools"],
        ["temperature", "tool_choice", "tools"],
        ["tool_choice", "tools"],
        [],
    ]


async def test_with_too_little_time_the_lesson_is_kept_for_the_next_question(make_chat: MakeChat) -> None:
    async with Provider(openai_refusal("no temperature please"), Reply(200, CALL)) as provider:
        chat = make_chat(provider.base_url, temperature=0.2, second_try_s=60.0)
        with pytest.raises(Rejected) as caught:
            await chat.ask(REQUEST, budget_s=5)
        await chat.ask(REQUEST, budget_s=5)
    assert caught.value.parameter == "temperature"
    assert ["temperature" in sent for sent in provider.sent] == [True, False]


async def test_a_fixed_form_from_the_settings_is_not_sent_twice(make_chat: MakeChat) -> None:
    async with Provider(openai_refusal("response_format is unknown")) as provider:
        chat = make_chat(provider.base_url, extra_body={"response_format": {"type": "text"}})
        with pytest.raises(Rejected):
            await chat.ask(REQUEST, budget_s=5)
    assert len(provider.sent) == 1


async def test_anthropic_is_sent_a_tool_and_no_temperature(make_chat: MakeChat) -> None:
    async with Provider(Reply(200, CALL)) as provider:
        await make_chat(provider.base_url, preset="anthropic", temperature=0.2).ask(REQUEST, budget_s=5)
    sent = provider.sent[0]
    assert sorted(sent) == ["max_tokens", "messages", "model", "tool_choice", "tools"]
    assert sent["tools"][0]["function"]["parameters"] == REQUEST.schema
    assert sent["tool_choice"] == {"type": "function", "function": {"name": sent["tools"][0]["function"]["name"]}}


@pytest.fixture
def variables_of_the_sdk() -> Iterator[None]:
    variables = {"OPENAI_ORG_ID": "org-elsewhere", "OPENAI_PROJECT_ID": "project-elsewhere"}
    os.environ.update(variables)
    yield
    for name in variables:
        del os.environ[name]


@pytest.mark.usefixtures("variables_of_the_sdk")
async def test_nothing_is_taken_from_the_variables_of_the_sdk(make_chat: MakeChat) -> None:
    async with Provider(Reply(200, CALL)) as provider:
        await make_chat(provider.base_url).ask(REQUEST, budget_s=5)
    assert "elsewhere" not in str(provider.headers)
