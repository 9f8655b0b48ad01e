"""Failures that others have met with models and providers, one by one; the number is the row of the list of them."""

import ast
import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest

import agent.llm
from agent.decision.reply import read_reply
from agent.llm.breaker import Breaker
from agent.llm.build import build_chat
from agent.llm.chat import ChatRequest, Message
from agent.llm.errors import ModelError, NoAnswer, Rejected, SwitchedOff, Unavailable
from agent.llm.modes import Mode
from agent.llm.stand_in import StandIn
from agent.redaction import Secrets

from .conftest import MakeChat
from .dialects import (
    XAI,
    Anthropic,
    Azure,
    DeepSeek,
    Dialect,
    Gemini,
    Groq,
    LMStudio,
    Mistral,
    Ollama,
    OpenAI,
    OpenRouter,
)
from .scripted import CALL, KEY, REQUEST, Provider, Reply, completion
from .virtual_time import now_s, run


async def choice_of(message: dict[str, Any], make_chat: MakeChat, **options: Any) -> str | None:
    """The choice that is read from a message, through the socket and all of our reading."""
    async with Provider(Reply(200, completion(message, **options))) as provider:
        reply = await make_chat(provider.base_url).ask(REQUEST, budget_s=5)
        assert len(provider.sent) == 1
    return read_reply(reply.text, REQUEST.choices).choice


async def failure_of(chat: Any, budget_s: float = 5.0) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await chat.ask(REQUEST, budget_s=budget_s)
    return caught.value


@pytest.mark.parametrize("fence", ["```json\n{}\n```", "```\n{}\n```", "```json\r\n{}\r\n```"])
@pytest.mark.parametrize("preset", ["openai", "deepseek", "anthropic"])
async def test_01_02_fences_do_no_harm_on_any_rung(fence: str, preset: str, make_chat: MakeChat) -> None:
    content = fence.replace("{}", '{"id":"call"}')
    async with Provider(Reply(200, completion({"content": content}))) as provider:
        reply = await make_chat(provider.base_url, preset=preset).ask(REQUEST, budget_s=5)
        assert len(provider.sent) == 1
    assert read_reply(reply.text, REQUEST.choices).choice == "call"


async def test_03_prose_after_the_object_is_ignored(make_chat: MakeChat) -> None:
    assert await choice_of({"content": '{"id":"fold"} I fold because {"id":"call"} costs 40'}, make_chat) == "fold"


@pytest.mark.parametrize("tag", ["think", "thought", "THINKING", "Reasoning"])
async def test_05_06_thinking_before_the_object_is_no_answer(tag: str, make_chat: MakeChat) -> None:
    content = f'<{tag}>if {{"id":"fold"}} then</{tag}>{{"id":"call"}}'
    assert await choice_of({"content": content}, make_chat) == "call"


async def test_07_a_stray_bullet_after_endless_thinking_is_no_answer(make_chat: MakeChat) -> None:
    message = {"content": "\n\n* ", "reasoning_content": "A call is fine. " * 500}
    async with Provider(Reply(200, completion(message))) as provider:
        failure = await failure_of(make_chat(provider.base_url))
    assert isinstance(failure, NoAnswer)


async def test_08_an_object_in_the_place_of_the_thought_is_the_answer(make_chat: MakeChat) -> None:
    assert await choice_of({"content": None, "reasoning_content": '{"id": "call"}'}, make_chat) == "call"


async def test_10_prose_in_the_reasoning_is_no_action_and_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    async with Ollama(model="qwen3:8b") as server:
        chat = build_chat("ollama", model="qwen3:8b", base_url=server.base_url)
        assert isinstance(await failure_of(chat), NoAnswer)
        await chat.aclose()
        told = build_chat("ollama", model="qwen3:8b", base_url=server.base_url, reasoning_effort="none")
        assert read_reply((await told.ask(REQUEST, budget_s=5)).text, REQUEST.choices).choice == "call"
        await told.aclose()
    assert sum("LLM_REASONING_EFFORT=none" in record.getMessage() for record in caplog.records) == 1


class Compound(Groq):
    """Groq's agent, which says nothing in JSON mode."""

    def message(self, request: dict[str, Any]) -> dict[str, Any]:
        return {"content": ""} if "response_format" in request else super().message(request)


async def test_11_json_mode_is_given_up_for_a_model_that_is_blank_in_it() -> None:
    async with Compound() as server:
        chat = build_chat("groq", model="groq/compound", api_key=KEY, base_url=server.base_url)
        for _ in range(2):
            reply = await chat.ask(REQUEST, budget_s=10)
            assert read_reply(reply.text, REQUEST.choices).choice == "call"
            assert "response_format" not in reply.parameters
        await chat.aclose()


@pytest.mark.parametrize(
    "said", ['{"id":"raise","amount":"\\"160\\""}', '{"id":"raise","amount":12345}', '{"id":"wait"}', '{"id":7}']
)
async def test_13_14_17_an_id_that_was_not_offered_is_no_choice(said: str, make_chat: MakeChat) -> None:
    assert await choice_of({"content": said}, make_chat) is None


async def test_15_an_illegal_choice_is_not_replaced_by_the_words_around_it(make_chat: MakeChat) -> None:
    assert await choice_of({"content": '{"id":"bet_75"} I considered call but no'}, make_chat) is None


async def test_20_the_schema_has_no_ranges_and_one_refusal_does_not_end_it(make_chat: MakeChat) -> None:
    keywords = ("minimum", "maximum", "multipleOf", "minLength", "maxLength", "pattern", "format")
    assert all(f'"{keyword}"' not in str(REQUEST.schema).replace("'", '"') for keyword in keywords)
    refusal = Reply(400, {"error": {"message": "Invalid schema for response_format"}})
    async with Provider(refusal, Reply(200, CALL)) as provider:
        assert "call" in (await make_chat(provider.base_url).ask(REQUEST, budget_s=5)).text


@pytest.mark.parametrize("mode", [Mode.SILENT, Mode.DRIP])
def test_21_22_a_silent_or_dripping_server_takes_the_budget_once(mode: Mode) -> None:
    async def play() -> None:
        async with StandIn(mode) as server:
            chat = build_chat("custom", model="m1", base_url=server.base_url)
            began_s = now_s()
            assert isinstance(await failure_of(chat, budget_s=4.0), Unavailable)
            assert now_s() - began_s <= 4.05
            assert server.requests == 1
            await chat.aclose()

    run(play())


async def test_24_spent_credit_switches_the_model_off_and_says_so(caplog: pytest.LogCaptureFixture) -> None:
    async with OpenAI(trouble=OpenAI.troubles.credit) as server:
        chat = build_chat("openai", model="gpt-5-mini", api_key=KEY, base_url=server.base_url)
        breaker = Breaker(chat, clock=lambda: 0.0)
        assert isinstance(await failure_of(breaker), SwitchedOff)
        for _ in range(5):
            assert isinstance(await failure_of(breaker), Unavailable)
        assert len(server.sent) == 1
        await chat.aclose()
    said = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert len(said) == 1
    assert "out of credit" in said[0].getMessage()


async def asked(server: Dialect, preset: str, make_chat: MakeChat, **options: Any) -> list[list[str]]:
    """What each request of two questions carried beside model and messages; both are answered."""
    chat = make_chat(server.base_url, preset=preset, **options)
    for _ in range(2):
        assert read_reply((await chat.ask(REQUEST, budget_s=10)).text, REQUEST.choices).choice == "call"
    return [sorted(set(sent) - {"model", "messages"}) for sent in server.sent]


async def test_25_the_cap_is_spelled_the_other_way_once_it_is_refused(make_chat: MakeChat) -> None:
    async with OpenAI() as server:
        sent = await asked(server, "custom", make_chat)
    assert sent == [["max_tokens", "response_format"], *[["max_completion_tokens", "response_format"]] * 2]


async def test_26_what_mistral_finds_extra_is_left_out(make_chat: MakeChat) -> None:
    async with Mistral() as server:
        sent = await asked(server, "openai", make_chat, extra_body={"store": True})
    assert sent[-2:] == [["max_tokens", "response_format"]] * 2
    assert len(sent) == 4


async def test_27_a_refused_temperature_is_never_sent_again(make_chat: MakeChat) -> None:
    async with OpenAI() as server:
        sent = await asked(server, "openai", make_chat, temperature=0.2)
    assert ["temperature" in names for names in sent] == [True, False, False]


async def test_28_claude_is_sent_no_sampling_parameter(make_chat: MakeChat) -> None:
    async with Anthropic() as server:
        sent = await asked(server, "anthropic", make_chat, temperature=0.2)
    assert sent == [["max_tokens", "tool_choice", "tools"]] * 2


async def test_29_defaults_are_not_spelled_out(make_chat: MakeChat) -> None:
    async with XAI() as server:
        assert await asked(server, "xai", make_chat) == [["max_tokens", "response_format"]] * 2


async def test_30_a_thinking_deepseek_is_not_forced_and_its_switch_is_an_object(make_chat: MakeChat) -> None:
    async with DeepSeek() as server:
        assert await asked(server, "deepseek", make_chat) == [["max_tokens", "response_format"]] * 2
    async with DeepSeek() as server:
        sent = await asked(server, "anthropic", make_chat)
        assert sent == [["max_tokens", "tool_choice", "tools"], *[["max_tokens", "tools"]] * 2]
    async with DeepSeek() as server:
        chat = build_chat("deepseek", model="m1", api_key=KEY, base_url=server.base_url, reasoning_effort="none")
        await chat.ask(REQUEST, budget_s=5)
        await chat.aclose()
        assert server.sent[0]["thinking"] == {"type": "disabled"}


async def test_31_a_server_without_json_mode_is_asked_on_the_next_rung(make_chat: MakeChat) -> None:
    async with LMStudio() as server:
        sent = await asked(server, "deepseek", make_chat)
    assert sent == [["max_tokens", "response_format"], *[["max_tokens", "tool_choice", "tools"]] * 2]


async def test_33_a_list_of_errors_is_read_and_what_it_names_is_left_out(make_chat: MakeChat) -> None:
    async with Gemini() as server:
        sent = await asked(server, "gemini", make_chat, extra_body={"top_k": 5})
        assert sent == [["max_tokens", "response_format", "top_k"], *[["max_tokens", "response_format"]] * 2]
    # Under the name of somebody else, whose schema forbids other properties, it is asked without a schema.
    async with Gemini() as server:
        await asked(server, "custom", make_chat)
        assert [body["response_format"]["type"] for body in server.sent] == ["json_schema", *["json_object"] * 2]


@pytest.mark.parametrize("body", [{"error": {"code": 429, "message": "x"}}, {"choices": None}, {"choices": []}, {}])
async def test_34_35_a_200_without_choices_is_an_error_of_the_tree(body: Any, make_chat: MakeChat) -> None:
    async with OpenRouter(trouble=Reply(200, body)) as server:
        failure = await failure_of(make_chat(server.base_url))
    assert type(failure) is (Unavailable if "error" in body else NoAnswer)


FILTERED_200 = Reply(200, completion({"content": None}, finish_reason="content_filter"))


@pytest.mark.parametrize("trouble", [Azure.filtered, FILTERED_200])
async def test_37_a_filtered_prompt_is_not_asked_again(trouble: Reply, make_chat: MakeChat) -> None:
    async with Azure(trouble=trouble) as server:
        failure = await failure_of(make_chat(server.base_url, preset="azure"))
        assert len(server.sent) == 1
    assert isinstance(failure, NoAnswer)
    assert failure.is_refusal


class Cutting(Ollama):
    """Reads no more than 4,096 tokens of a prompt, and counts them."""

    usage = {"prompt_tokens": 4_050, "completion_tokens": 24}  # noqa: RUF012


@pytest.mark.parametrize(("tokens", "is_warned"), [(5_000, True), (4_200, False)])
async def test_38_a_prompt_that_was_cut_is_warned_of_once(
    tokens: int, is_warned: bool, make_chat: MakeChat, caplog: pytest.LogCaptureFixture
) -> None:
    request = ChatRequest((Message("system", "JSON. "), Message("user", "abc " * tokens)), REQUEST.choices)
    async with Cutting() as server:
        chat = make_chat(server.base_url, preset="ollama")
        for _ in range(2):
            await chat.ask(request, budget_s=5)
    warnings = [record.getMessage() for record in caplog.records]
    assert ["read 4050 tokens" in warning for warning in warnings] == [True] * is_warned


def test_41_a_chat_is_closed_with_the_loop_that_used_it() -> None:
    async def ask_once() -> str:
        async with StandIn() as server:
            chat = build_chat("custom", model="m1", base_url=server.base_url)
            try:
                return (await chat.ask(REQUEST, budget_s=5)).text
            finally:
                await chat.aclose()

    assert all("call" in asyncio.run(ask_once()) for _ in range(2))


def test_42_neither_major_of_the_sdk_needs_a_library_that_the_other_lacks() -> None:
    imported = set()
    for path in Path(agent.llm.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add((node.module or "").partition(".")[0])
    assert "openai" in imported
    assert imported.isdisjoint({"httpx", "httpx2"})


async def test_43_an_address_without_v1_is_named(stand_in: StandIn, make_chat: MakeChat) -> None:
    address = stand_in.base_url.removesuffix("/v1")
    failure = await failure_of(make_chat(address))
    assert isinstance(failure, SwitchedOff)
    assert f"did you mean {address}/v1?" in str(failure)


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": None, "prompt_tokens_details": None}, "unknown"])
async def test_44_counts_that_are_missing_are_unknown(usage: object, make_chat: MakeChat) -> None:
    async with Provider(Reply(200, completion({"content": '{"id":"call"}'}, usage=usage))) as provider:
        reply = await make_chat(provider.base_url).ask(REQUEST, budget_s=5)
    assert (reply.prompt_tokens, reply.completion_tokens, reply.reasoning_tokens, reply.cached_tokens) == (None,) * 4


async def test_45_the_key_is_in_no_log_at_any_level(make_chat: MakeChat, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    hide = Secrets((KEY,)).hide
    async with StandIn(Mode.UNAUTHORIZED) as server:
        breaker = Breaker(make_chat(server.base_url), clock=lambda: 0.0)
        assert isinstance(await failure_of(breaker), SwitchedOff)
    ours = [record.getMessage() for record in caplog.records if record.name.startswith("agent.")]
    assert ours
    assert all(KEY not in message for message in ours)
    assert all(KEY not in hide(record.getMessage()) for record in caplog.records)


async def test_json_that_groq_calls_invalid_is_read_all_the_same(make_chat: MakeChat) -> None:
    failed = '{"id": "call", "reason": "it is "good""}\n{"id": "call"}'
    body = {
        "error": {"message": "Failed to generate JSON.", "code": "json_validate_failed", "failed_generation": failed}
    }
    async with Groq(trouble=Reply(400, body)) as server:
        reply = await make_chat(server.base_url, preset="groq").ask(REQUEST, budget_s=5)
        assert len(server.sent) == 1
    assert (reply.text, reply.finish_reason) == (failed, "error")


async def test_gemini_that_cannot_stop_thinking_loses_the_effort_and_not_the_schema(make_chat: MakeChat) -> None:
    async with Gemini(model="gemini-2.5-pro") as server:
        sent = await asked(server, "gemini", make_chat, extra_body={"reasoning_effort": "none"})
    assert sent == [["max_tokens", "reasoning_effort", "response_format"], *[["max_tokens", "response_format"]] * 2]


async def test_a_thinking_claude_is_offered_the_tool(make_chat: MakeChat) -> None:
    thinking = {"thinking": {"type": "enabled", "budget_tokens": 2_000}}
    async with Anthropic() as server:
        sent = await asked(server, "anthropic", make_chat, extra_body=thinking)
    assert ["tool_choice" in names for names in sent] == [True, False, False]
    assert all("thinking" in names for names in sent)


async def test_a_boolean_where_an_object_belongs_is_left_out(make_chat: MakeChat) -> None:
    async with DeepSeek() as server:
        sent = await asked(server, "deepseek", make_chat, extra_body={"thinking": False})
    assert ["thinking" in names for names in sent] == [True, False, False]


async def test_a_refusal_without_a_name_is_rejected_and_asked_anew_the_next_time(make_chat: MakeChat) -> None:
    async with Provider(Reply(400, {"error": {"message": "Provider returned error"}}), Reply(200, CALL)) as provider:
        chat = make_chat(provider.base_url)
        assert type(await failure_of(chat)) is Rejected
        await chat.ask(REQUEST, budget_s=5)
    assert provider.sent[0] == provider.sent[1]
