"""Every way in which the stand-in answers leads to the model's words or to the right branch of the error tree."""

import pytest

from agent.llm.errors import NoAnswer, SwitchedOff, Unavailable
from agent.llm.modes import Mode
from agent.llm.stand_in import RETRY_AFTER_S, STAND_IN_MODEL, StandIn

from .conftest import MakeChat
from .scripted import REQUEST

CALL = '{"id": "call", "hand": "AKo", "cards": "AsKd", "reason": "stand-in: no language model"}'


async def test_a_healthy_model_answers_with_its_words_and_its_counts(stand_in: StandIn, make_chat: MakeChat) -> None:
    reply = await make_chat(stand_in.base_url).ask(REQUEST, budget_s=5)
    assert reply.text == CALL
    assert reply.model == STAND_IN_MODEL
    assert reply.finish_reason == "stop"
    assert reply.latency_ms > 0
    assert reply.prompt_tokens is not None
    assert reply.prompt_tokens > 20
    assert reply.completion_tokens == len(reply.text) // 4
    assert reply.reasoning_tokens is None
    assert reply.cached_tokens is None


@pytest.mark.parametrize(
    ("mode", "text"),
    [
        (Mode.SLOW, CALL),
        (Mode.GARBLED, "{id; call, hand; AKo, cards; AsKd, reason; stand-in; no language model}"),
        (Mode.FENCED, f"```json\n{CALL}\n```"),
        (Mode.THINKING, f"<think>One could play {CALL.replace('call', 'fold')}, but no.</think>\n{CALL}"),
        (Mode.PROSE, CALL + "\nI chose call because the numbers say so."),
        (Mode.ILLEGAL, CALL.replace("call", "not_fold_call_raise_120")),
        (Mode.MISREAD, CALL.replace("AKo", "royal flush").replace("AsKd", "7d2c")),
        (Mode.BAD_PARAMETER, CALL),
    ],
)
async def test_the_words_come_back_as_they_were_sent(
    mode: Mode, text: str, stand_in: StandIn, make_chat: MakeChat
) -> None:
    stand_in.mode = mode
    reply = await make_chat(stand_in.base_url).ask(REQUEST, budget_s=5)
    assert reply.text == text


async def test_a_cut_reply_says_that_it_was_cut(stand_in: StandIn, make_chat: MakeChat) -> None:
    stand_in.mode = Mode.TRUNCATED
    reply = await make_chat(stand_in.base_url).ask(REQUEST, budget_s=5)
    assert (reply.text, reply.finish_reason) == (CALL[: len(CALL) // 2], "length")


async def test_a_model_that_says_nothing_is_asked_once_more_in_another_form(
    stand_in: StandIn, make_chat: MakeChat
) -> None:
    stand_in.mode = Mode.EMPTY
    with pytest.raises(NoAnswer, match="blank"):
        await make_chat(stand_in.base_url).ask(REQUEST, budget_s=5)
    assert stand_in.requests == 2


@pytest.mark.parametrize(
    ("mode", "branch", "words"),
    [
        (Mode.HTML, NoAnswer, "not JSON"),
        (Mode.NULL_CHOICES, NoAnswer, "no choices"),
        (Mode.ERROR_200, Unavailable, "Provider returned error"),
        (Mode.RATE_LIMITED, Unavailable, "ask again in 7 s"),
        (Mode.SERVER_ERROR, Unavailable, "HTTP 500"),
        (Mode.RESET, Unavailable, "connection failed"),
        (Mode.QUOTA, SwitchedOff, "out of credit"),
        (Mode.UNAUTHORIZED, SwitchedOff, "check LLM_API_KEY"),
    ],
)
async def test_a_failure_is_told_apart_from_the_others(
    mode: Mode, branch: type[Exception], words: str, stand_in: StandIn, make_chat: MakeChat
) -> None:
    stand_in.mode = mode
    with pytest.raises(branch, match=words) as caught:
        await make_chat(stand_in.base_url).ask(REQUEST, budget_s=5)
    assert type(caught.value) is branch
    assert str(caught.value).startswith("custom/m1, ")
    assert stand_in.requests == 1


async def test_the_wait_that_a_rate_limit_asks_for_is_kept(stand_in: StandIn, make_chat: MakeChat) -> None:
    stand_in.mode = Mode.RATE_LIMITED
    with pytest.raises(Unavailable) as caught:
        await make_chat(stand_in.base_url).ask(REQUEST, budget_s=5)
    assert caught.value.retry_after_s == RETRY_AFTER_S


async def test_an_address_without_v1_is_recognised(stand_in: StandIn, make_chat: MakeChat) -> None:
    address = stand_in.base_url.removesuffix("/v1")
    with pytest.raises(SwitchedOff) as caught:
        await make_chat(address).ask(REQUEST, budget_s=5)
    assert f"did you mean {address}/v1?" in str(caught.value)


async def test_a_server_that_is_not_there_is_unavailable(make_chat: MakeChat) -> None:
    async with StandIn() as gone:
        address = gone.base_url
    with pytest.raises(Unavailable, match="connection failed"):
        await make_chat(address).ask(REQUEST, budget_s=5)
