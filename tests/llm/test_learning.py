"""A refusal that names a parameter is learned from: once, within the budget, and for all later questions."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.llm.errors import NoAnswer, Rejected
from agent.llm.learned import Learned
from agent.llm.modes import Mode
from agent.llm.stand_in import StandIn

from .conftest import MakeChat
from .scripted import CALL, REQUEST, Provider, Reply, completion


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


def no_room(words: str) -> Reply:
    """A refusal of the cap's value, in a provider's words."""
    return Reply(400, {"error": {"message": words}})


@pytest.mark.parametrize(
    ("words", "cap"),
    [
        ("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", 8_192),
        (
            "max_tokens is too large: 20000. This model supports at most 4096 completion tokens, whereas you "
            "provided 20000.",
            4_096,
        ),
        (
            "max_tokens: 20000 > 8192, which is the maximum allowed number of output tokens for "
            "claude-3-5-sonnet-20241022",
            8_192,
        ),
        ("`max_tokens` must be less than or equal to `8,192`, the maximum value for `max_tokens`", 8_192),
        ("maxOutputTokens is 20000 but the supported range is from 1 (inclusive) to 8193 (exclusive)", 8_192),
        (
            "'max_tokens' or 'max_completion_tokens' is too large: 20000. This model's maximum context length is 8192 "
            "tokens and your request has 692 input tokens (20000 > 8192 - 692).",
            7_500,
        ),
        (
            "This model's maximum context length is 8192 tokens. However, you requested 20692 tokens (692 in the "
            "messages, 20000 in the completion). Please reduce the length of the messages or completion.",
            7_500,
        ),
    ],
)
async def test_a_cap_above_the_model_s_own_is_lowered_to_that(words: str, cap: int, make_chat: MakeChat) -> None:
    async with Provider(no_room(words), Reply(200, CALL)) as provider:
        chat = make_chat(provider.base_url, max_tokens=20_000)
        for _ in range(2):
            await chat.ask(REQUEST, budget_s=5)
    assert [sent["max_tokens"] for sent in provider.sent] == [20_000, cap, cap]
    assert chat.cap == cap


@pytest.mark.parametrize(
    "words",
    [
        "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
        "max_tokens is too large for this model",
        "this request has more than the maximum context length",
    ],
)
async def test_a_cap_that_has_grown_too_large_is_taken_back(words: str, make_chat: MakeChat) -> None:
    cut = Reply(200, completion({"content": ""}, finish_reason="length"))
    async with Provider(cut, cut, no_room(words), Reply(200, CALL), cut, cut) as provider:
        chat = make_chat(provider.base_url, max_tokens=4_096)
        with pytest.raises(NoAnswer):
            await chat.ask(REQUEST, budget_s=5)
        await chat.ask(REQUEST, budget_s=5)
        with pytest.raises(NoAnswer, match="raise LLM_MAX_TOKENS"):
            await chat.ask(REQUEST, budget_s=5)
    assert [sent["max_tokens"] for sent in provider.sent] == [4_096, 8_192, 16_384, 8_192, 8_192]


async def test_a_lowered_cap_is_known_in_the_next_run(make_chat: MakeChat, tmp_path: Path) -> None:
    refusal = no_room("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]")
    async with Provider(refusal, Reply(200, CALL)) as provider:
        for _ in range(2):
            chat = make_chat(provider.base_url, max_tokens=20_000, learned=Learned(tmp_path / "learned.json"))
            await chat.ask(REQUEST, budget_s=5)
    assert [sent["max_tokens"] for sent in provider.sent] == [20_000, 8_192, 8_192]


@pytest.mark.parametrize(
    "words",
    [
        "Provider returned error",
        "Provider: it returned an error",
        "Unable to process the request, stop and contact support",
        'The prompt holds a word that is not allowed; the provider will not say "which"',
    ],
)
async def test_a_person_s_own_field_is_not_given_up_for_a_word_of_prose(words: str, make_chat: MakeChat) -> None:
    own = {"stop": ["x"], "provider": {"order": ["x"]}}
    async with Provider(openai_refusal(words), Reply(200, CALL)) as provider:
        chat = make_chat(provider.base_url, extra_body=own)
        with pytest.raises(Rejected):
            await chat.ask(REQUEST, budget_s=5)
        await chat.ask(REQUEST, budget_s=5)
    assert all(own.items() <= sent.items() for sent in provider.sent)


@pytest.mark.parametrize(
    "refusal",
    [
        openai_refusal("no", "stop"),
        openai_refusal("no", "stop[0]"),
        openai_refusal("'stop' is not supported with this model"),
        openai_refusal('Unknown name "stop" at "generation_config": cannot find field'),
        openai_refusal("`stop.0` is too long"),
        openai_refusal("Failed to deserialize the JSON body: stop: invalid type"),
        openai_refusal("stop.0: Input should be a valid string"),
        Reply(422, {"detail": [{"type": "extra_forbidden", "loc": ["body", "stop"], "msg": "not permitted"}]}),
    ],
)
async def test_a_person_s_own_field_that_is_named_is_given_up(refusal: Reply, make_chat: MakeChat) -> None:
    async with Provider(refusal, Reply(200, CALL)) as provider:
        await make_chat(provider.base_url, extra_body={"stop": ["x"]}).ask(REQUEST, budget_s=5)
    assert ["stop" in sent for sent in provider.sent] == [True, False]


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
