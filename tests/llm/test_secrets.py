"""The key is in no error, whatever the server echoes and wherever one looks."""

import base64
import traceback

import pytest

from agent.llm.errors import ModelError
from agent.llm.modes import Mode
from agent.llm.openai_chat import OpenAIChat
from agent.llm.presets import PRESETS
from agent.llm.stand_in import StandIn

from .conftest import MakeChat
from .scripted import CALL, KEY, REQUEST, Provider, Reply


def everything_shown(failure: BaseException) -> str:
    """All that a log, a debugger or a crash report would print of an error."""
    shown = [str(failure), repr(failure), repr(failure.args), repr(vars(failure))]
    shown += traceback.format_exception(failure)
    return "\n".join(shown)


FAILING = [
    mode
    for mode in Mode
    if mode
    not in {
        Mode.HEALTHY,
        Mode.SLOW,
        Mode.GARBLED,
        Mode.FENCED,
        Mode.THINKING,
        Mode.PROSE,
        Mode.ILLEGAL,
        Mode.MISREAD,
        Mode.TRUNCATED,
        Mode.BAD_PARAMETER,
    }
]


@pytest.mark.parametrize("mode", FAILING)
async def test_no_mode_of_the_stand_in_brings_the_key_out(mode: Mode, stand_in: StandIn, make_chat: MakeChat) -> None:
    stand_in.mode = mode
    with pytest.raises(ModelError) as caught:
        await make_chat(stand_in.base_url).ask(REQUEST, budget_s=0.5)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert KEY not in everything_shown(caught.value)


ECHO = f"you sent Bearer {KEY}"


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": ECHO, "code": KEY, "param": KEY}},
        [{"error": {"message": ECHO}}],
        {"error": ECHO},
        ECHO,
        "x" * 190 + ECHO,
        {"choices": [{"message": {"refusal": ECHO}, "finish_reason": KEY}]},
        {"error": {"message": ECHO, "code": "insufficient_quota"}},
        {"error": {"message": ECHO, "code": "content_filter"}},
    ],
)
async def test_an_echo_does_not_bring_the_key_out(body: object, make_chat: MakeChat) -> None:
    statuses = [200, 400, 401, 402, 403, 404, 422, 429, 500]
    async with Provider(*(Reply(status, body) for status in statuses)) as provider:
        chat = make_chat(provider.base_url)
        for _ in statuses:
            with pytest.raises(ModelError) as caught:
                await chat.ask(REQUEST, budget_s=5)
            # Not even the beginning of it, where a long text is cut.
            assert KEY[:12] not in everything_shown(caught.value)
    assert len(provider.sent) == len(statuses)


async def test_not_even_a_masked_key_is_repeated(make_chat: MakeChat) -> None:
    masked = f"Incorrect API key provided: {KEY[:7]}****{KEY[-4:]}"
    async with Provider(Reply(401, {"error": {"message": masked}})) as provider:
        with pytest.raises(ModelError) as caught:
            await make_chat(provider.base_url).ask(REQUEST, budget_s=5)
    assert KEY[:7] not in everything_shown(caught.value)


async def test_a_key_that_cannot_be_sent_stays_out_of_the_error(stand_in: StandIn, make_chat: MakeChat) -> None:
    with pytest.raises(ModelError) as caught:
        await make_chat(stand_in.base_url, api_key=KEY + "é\n").ask(REQUEST, budget_s=5)
    assert KEY not in everything_shown(caught.value)
    assert stand_in.requests == 0


async def test_secrets_in_the_address_are_not_shown(stand_in: StandIn, make_chat: MakeChat) -> None:
    address = stand_in.base_url.replace("http://", "http://me:pass-5f2c91@").removesuffix("/v1")
    with pytest.raises(ModelError) as caught:
        await make_chat(address).ask(REQUEST, budget_s=5)
    assert "did you mean" in str(caught.value)
    assert "pass-5f2c91" not in everything_shown(caught.value)


def test_a_chat_does_not_show_its_key() -> None:
    chat = OpenAIChat(PRESETS["openai"], model="m1", api_key=KEY, base_url="http://127.0.0.1:9/v1", max_tokens=256)
    assert KEY not in repr(chat)
    assert KEY not in repr(vars(chat))


async def test_of_a_person_s_own_fields_a_reply_keeps_the_names(make_chat: MakeChat) -> None:
    own = {"user": "pass-5f2c91", "metadata": {"token": "pass-5f2c91"}}
    async with Provider(Reply(200, CALL)) as provider:
        reply = await make_chat(provider.base_url, extra_body=own).ask(REQUEST, budget_s=5)
    assert own.items() <= provider.sent[0].items()
    assert {"user", "metadata", "max_tokens"} <= set(reply.parameters)
    assert "pass-5f2c91" not in repr(reply)


@pytest.mark.parametrize("words", ["pass-5f2c91", base64.b64encode(b"me:pass-5f2c91").decode()])
async def test_an_echo_of_the_address_does_not_bring_its_password_out(words: str, make_chat: MakeChat) -> None:
    async with Provider(Reply(500, {"error": f"you sent {words}"})) as provider:
        with pytest.raises(ModelError) as caught:
            address = provider.base_url.replace("http://", "http://me:pass-5f2c91@")
            await make_chat(address).ask(REQUEST, budget_s=5)
    assert "you sent [key]" in str(caught.value)
    assert words not in everything_shown(caught.value)
