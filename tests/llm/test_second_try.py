"""A question that came to nothing is asked once more where that helps: with more room, in another form, after a wait."""

import logging
from typing import Any

import pytest

from agent.llm.errors import ModelError, NoAnswer, SwitchedOff, Unavailable

from .conftest import MakeChat
from .scripted import CALL, REQUEST, Provider, Reply, completion

BLANK = Reply(200, completion({"content": ""}))
NO_ROOM = Reply(
    200,
    completion(
        {"content": ""},
        finish_reason="length",
        usage={
            "prompt_tokens": 900,
            "completion_tokens": 256,
            "completion_tokens_details": {"reasoning_tokens": 256},
        },
    ),
)
ANSWER = Reply(200, CALL)


def caps(provider: Provider) -> list[int]:
    return [sent["max_tokens"] for sent in provider.sent]


def forms(provider: Provider) -> list[str]:
    """The rung of each request."""
    return [
        sent["response_format"]["type"] if "response_format" in sent else "tool" if "tools" in sent else "plain"
        for sent in provider.sent
    ]


async def failure_of(chat: Any, budget_s: float = 5.0) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await chat.ask(REQUEST, budget_s=budget_s)
    return caught.value


async def test_thinking_that_fills_the_cap_gets_more_room_and_keeps_it(make_chat: MakeChat) -> None:
    async with Provider(NO_ROOM, ANSWER) as provider:
        chat = make_chat(provider.base_url)
        await chat.ask(REQUEST, budget_s=5)
        await chat.ask(REQUEST, budget_s=5)
    assert caps(provider) == [256, 4_096, 4_096]
    assert forms(provider) == ["json_schema"] * 3


async def test_a_large_cap_is_doubled_but_not_without_end(make_chat: MakeChat) -> None:
    async with Provider(NO_ROOM) as provider:
        chat = make_chat(provider.base_url, max_tokens=5_000)
        for _ in range(3):
            failure = await failure_of(chat)
            assert isinstance(failure, NoAnswer)
            assert failure.finish_reason == "length"
            assert "raise LLM_MAX_TOKENS" in str(failure)
    assert caps(provider) == [5_000, 10_000, 16_384, 16_384]


async def test_more_room_waits_for_the_next_question_when_time_is_short(make_chat: MakeChat) -> None:
    async with Provider(NO_ROOM, ANSWER) as provider:
        chat = make_chat(provider.base_url, second_try_s=60)
        await failure_of(chat)
        await chat.ask(REQUEST, budget_s=5)
    assert caps(provider) == [256, 4_096]


async def test_a_cut_answer_of_a_model_that_did_not_think_is_left_to_the_repair(make_chat: MakeChat) -> None:
    async with Provider(Reply(200, completion({"content": '{"id": "ca'}, finish_reason="length"))) as provider:
        assert (await make_chat(provider.base_url).ask(REQUEST, budget_s=5)).text == '{"id": "ca'
    assert caps(provider) == [256]


async def test_a_model_that_is_silent_in_a_form_is_asked_in_the_next(make_chat: MakeChat) -> None:
    async with Provider(BLANK, ANSWER) as provider:
        await make_chat(provider.base_url).ask(REQUEST, budget_s=5)
    assert forms(provider) == ["json_schema", "json_object"]


async def test_one_blank_reply_is_chance_and_a_second_one_in_the_same_form_gives_it_up(make_chat: MakeChat) -> None:
    async with Provider(BLANK, ANSWER, BLANK, ANSWER) as provider:
        chat = make_chat(provider.base_url)
        for _ in range(3):
            await chat.ask(REQUEST, budget_s=5)
    assert forms(provider) == ["json_schema", "json_object", "json_schema", "json_object", "json_object"]


async def test_a_form_that_leads_to_words_again_is_kept(make_chat: MakeChat) -> None:
    async with Provider(BLANK, ANSWER, ANSWER, BLANK, ANSWER) as provider:
        chat = make_chat(provider.base_url)
        for _ in range(4):
            await chat.ask(REQUEST, budget_s=5)
    assert forms(provider) == ["json_schema", "json_object", *["json_schema"] * 2, "json_object", "json_schema"]


async def test_silence_costs_one_more_try_a_question_and_leads_down_to_plain_text(make_chat: MakeChat) -> None:
    async with Provider(*[BLANK] * 5, ANSWER) as provider:
        chat = make_chat(provider.base_url)
        for _ in range(2):
            assert isinstance(await failure_of(chat), NoAnswer)
        await chat.ask(REQUEST, budget_s=5)
    assert forms(provider) == ["json_schema", "json_object"] * 2 + ["tool", "plain"]


async def test_silence_in_plain_text_is_final(make_chat: MakeChat) -> None:
    async with Provider(BLANK) as provider:
        chat = make_chat(provider.base_url)
        for _ in range(6):
            await failure_of(chat)
    assert forms(provider) == ["json_schema", "json_object"] * 2 + ["tool", "plain"] * 2 + ["plain"] * 2


@pytest.mark.parametrize("body", ["no JSON", "<html></html>", '{"choices": null}', '{"choices": []}'])
async def test_a_body_that_holds_no_reply_says_nothing_about_the_form(body: str, make_chat: MakeChat) -> None:
    async with Provider(Reply(200, body), ANSWER) as provider:
        chat = make_chat(provider.base_url)
        assert isinstance(await failure_of(chat), NoAnswer)
        await chat.ask(REQUEST, budget_s=5)
    assert forms(provider) == ["json_schema", "json_schema"]


@pytest.mark.parametrize(
    "reply",
    [
        Reply(200, completion({"content": None, "refusal": "I cannot help with gambling"})),
        Reply(200, completion({"content": ""}, finish_reason="content_filter")),
        Reply(400, {"error": {"code": "content_filter", "message": "The response was filtered: response_format"}}),
    ],
)
async def test_a_refusal_to_answer_is_not_asked_again(reply: Reply, make_chat: MakeChat) -> None:
    async with Provider(reply) as provider:
        failure = await failure_of(make_chat(provider.base_url))
    assert isinstance(failure, NoAnswer)
    assert failure.is_refusal
    assert len(provider.sent) == 1


async def test_the_counts_of_a_silent_try_are_paid_for_too(make_chat: MakeChat) -> None:
    usage = {"prompt_tokens": 900, "completion_tokens": 300, "completion_tokens_details": {"reasoning_tokens": 280}}
    answer = Reply(200, completion({"content": '{"id": "call"}'}, usage=usage))
    async with Provider(NO_ROOM, answer) as provider:
        reply = await make_chat(provider.base_url).ask(REQUEST, budget_s=5)
    assert (reply.prompt_tokens, reply.completion_tokens, reply.reasoning_tokens) == (1_800, 556, 536)
    assert reply.cached_tokens is None


async def test_a_silent_try_without_counts_makes_the_sum_unknown(make_chat: MakeChat) -> None:
    answer = Reply(200, completion({"content": '{"id": "call"}'}, usage={"prompt_tokens": 900}))
    async with Provider(BLANK, answer) as provider:
        reply = await make_chat(provider.base_url).ask(REQUEST, budget_s=5)
    assert reply.prompt_tokens is None


async def test_a_silent_try_counts_as_asked_whatever_follows_it(make_chat: MakeChat) -> None:
    async with Provider(BLANK, Reply(400, "bad request")) as provider:
        assert isinstance(await failure_of(make_chat(provider.base_url)), NoAnswer)
    assert len(provider.sent) == 2


def busy(wait: str, status: int = 429) -> Reply:
    return Reply(status, {"error": {"message": "slow down"}}, {"Retry-After": wait})


@pytest.mark.parametrize("status", [429, 503])
async def test_a_short_wait_that_was_asked_for_is_waited_once(status: int, make_chat: MakeChat) -> None:
    async with Provider(busy("0.05", status), ANSWER) as provider:
        reply = await make_chat(provider.base_url).ask(REQUEST, budget_s=5)
    assert reply.latency_ms >= 50
    assert len(provider.sent) == 2


async def test_who_is_still_busy_is_left_in_peace(make_chat: MakeChat) -> None:
    async with Provider(busy("0.05"), busy("0.5")) as provider:
        failure = await failure_of(make_chat(provider.base_url))
    assert isinstance(failure, Unavailable)
    assert failure.retry_after_s == 0.5
    assert len(provider.sent) == 2


@pytest.mark.parametrize(("wait", "second_try_s"), [("2.5", 0.0), ("1.5", 4.0)])
async def test_a_wait_that_is_long_or_leaves_too_little_time_is_not_waited(
    wait: str, second_try_s: float, make_chat: MakeChat
) -> None:
    async with Provider(busy(wait)) as provider:
        failure = await failure_of(make_chat(provider.base_url, second_try_s=second_try_s))
    assert isinstance(failure, Unavailable)
    assert failure.retry_after_s == float(wait)
    assert len(provider.sent) == 1


async def test_spent_credit_is_not_asked_again_whatever_wait_it_names(make_chat: MakeChat) -> None:
    spent = Reply(429, {"error": {"code": "insufficient_quota", "message": "quota"}}, {"Retry-After": "0.05"})
    async with Provider(spent) as provider:
        assert isinstance(await failure_of(make_chat(provider.base_url)), SwitchedOff)
    assert len(provider.sent) == 1


async def test_words_that_stand_in_the_reasoning_only_are_warned_of_once(
    make_chat: MakeChat, caplog: pytest.LogCaptureFixture
) -> None:
    thought = Reply(200, completion({"content": "", "reasoning": "Call is fine"}))
    async with Provider(thought) as provider:
        chat = make_chat(provider.base_url)
        for _ in range(2):
            assert isinstance(await failure_of(chat), NoAnswer)
    warnings = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert len(warnings) == 1
    assert warnings[0].startswith("custom/m1 puts all its words into its reasoning")
    assert "LLM_REASONING_EFFORT=none" in warnings[0]
