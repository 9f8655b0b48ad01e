"""What providers say when they refuse, in their own shapes, and the branch of the tree it means."""

import json
from typing import Any

import pytest

from agent.llm.completion import read_completion
from agent.llm.errors import ModelError, NoAnswer, Rejected, SwitchedOff, Unavailable
from agent.llm.fault import Caller, Fault, diagnose

from .conftest import MakeChat
from .scripted import KEY, REQUEST, Provider, Reply


async def failure_of(reply: Reply, make_chat: MakeChat) -> ModelError:
    """What one request leads to that has no time for another."""
    async with Provider(reply) as provider:
        with pytest.raises(ModelError) as caught:
            await make_chat(provider.base_url, second_try_s=60).ask(REQUEST, budget_s=5)
        assert len(provider.sent) == 1
    return caught.value


def meaning_of(fault: Fault) -> ModelError:
    caller = Caller("custom/m1", "http://127.0.0.1:8000/v1", KEY)
    return diagnose(fault, sent={"max_tokens": 256, "response_format": {}}, caller=caller, elapsed_s=0.4)


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "bad request", "code": 7}},
        {"error": "bad request"},
        [{"error": {"code": 400, "message": "bad request", "status": "INVALID_ARGUMENT"}}],
        {"detail": [{"loc": ["body"], "msg": "bad request"}]},
        '"bad request"',
        "bad request",
    ],
)
async def test_an_error_body_may_have_any_shape(body: Any, make_chat: MakeChat) -> None:
    failure = await failure_of(Reply(400, body), make_chat)
    assert type(failure) is Rejected
    assert "bad request" in str(failure)


@pytest.mark.parametrize("body", ["", "null", "[]", "{}", '{"error": null}', "\x00", "[" * 100_000])
async def test_an_error_body_may_say_nothing(body: str, make_chat: MakeChat) -> None:
    assert type(await failure_of(Reply(400, body), make_chat)) is Rejected
    assert type(await failure_of(Reply(503, body), make_chat)) is Unavailable


@pytest.mark.parametrize(
    ("status", "message", "advice"),
    [
        (401, "No auth credentials found", "check LLM_API_KEY"),
        (400, "API key not valid. Please pass a valid API key.", "check LLM_API_KEY"),
        (400, "Incorrect API key provided: xa***23.", "check LLM_API_KEY"),
        (402, "Insufficient Balance", "out of credit"),
        (400, "Your credit balance is too low to access the API.", "out of credit"),
        (429, "insufficient_quota", "out of credit"),
        (403, "Your project does not have access to this model", "what LLM_API_KEY is allowed to use"),
        (404, "The model `m1` does not exist", "check LLM_MODEL and LLM_BASE_URL"),
        (400, "Invalid model: m1", "check LLM_MODEL"),
        (400, "Model Not Exist", "check LLM_MODEL"),
    ],
)
def test_what_only_a_person_can_mend_switches_the_model_off(status: int, message: str, advice: str) -> None:
    failure = meaning_of(Fault(status, json.dumps({"error": {"message": message}})))
    assert type(failure) is SwitchedOff
    assert advice in str(failure)


def test_a_rate_limit_that_speaks_of_a_quota_is_waited_for() -> None:
    body = [{"error": {"code": 429, "message": "You exceeded your current quota. Please retry in 34s."}}]
    assert type(meaning_of(Fault(429, json.dumps(body)))) is Unavailable


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({"Retry-After": "12"}, 12.0),
        ({"Retry-After": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "Retry-After": "1"}, 0.25),
        ({"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}, None),
        ({"Retry-After": "-5"}, None),
        ({"Retry-After": "inf"}, None),
        ({}, None),
    ],
)
async def test_the_wait_is_read_from_the_headers(
    headers: dict[str, str], wait_s: float | None, make_chat: MakeChat
) -> None:
    failure = await failure_of(Reply(429, {"error": {"message": "slow down"}}, headers), make_chat)
    assert isinstance(failure, Unavailable)
    assert failure.retry_after_s == wait_s


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
def test_what_passes_by_itself_is_unavailable(status: int) -> None:
    assert type(meaning_of(Fault(status, '{"error": {"message": "busy"}}'))) is Unavailable


@pytest.mark.parametrize(
    ("error", "branch"),
    [
        ({"code": 429, "message": "rate limited upstream"}, Unavailable),
        ({"code": "503", "message": "no host"}, Unavailable),
        ({"message": "Provider returned error"}, Unavailable),
        ("Provider returned error", Unavailable),
        ({"code": 401, "message": "no"}, SwitchedOff),
        ({"code": "insufficient_quota", "message": "no"}, SwitchedOff),
        ({"code": 400, "message": "bad request"}, Rejected),
    ],
)
def test_an_error_inside_a_200_is_read_by_its_own_code(error: Any, branch: type[ModelError]) -> None:
    fault = read_completion(json.dumps({"error": error}))
    assert isinstance(fault, Fault)
    assert type(meaning_of(fault)) is branch


@pytest.mark.parametrize(
    ("code", "finish_reason"), [("content_filter", "content_filter"), ("json_validate_failed", "error")]
)
async def test_a_filtered_or_failed_generation_is_no_fault_of_the_request(
    code: str, finish_reason: str, make_chat: MakeChat
) -> None:
    body = {"error": {"message": "The response_format could not be kept", "code": code}}
    failure = await failure_of(Reply(400, body), make_chat)
    assert isinstance(failure, NoAnswer)
    assert failure.finish_reason == finish_reason


@pytest.mark.parametrize("body", ["", "no JSON", '{"choices": [', "[" * 100_000, "null", "[]", "7", "{}"])
async def test_a_broken_body_with_status_200_is_no_answer(body: str, make_chat: MakeChat) -> None:
    assert type(await failure_of(Reply(200, body), make_chat)) is NoAnswer


async def test_long_and_unprintable_words_are_cut_and_cleaned(make_chat: MakeChat) -> None:
    failure = await failure_of(Reply(400, {"error": {"message": "\x1b[31m\ud83d\n" + "x" * 10_000}}), make_chat)
    assert str(failure).isprintable()
    assert len(str(failure)) < 400
