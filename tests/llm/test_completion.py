"""The model's words are found in whichever field they came, and nothing that is no answer is taken for one."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.llm.completion import Completion, read_completion, read_failed_generation
from agent.llm.fault import Fault

from .scripted import completion

CALL = '{"id": "call"}'


def read(message: dict[str, Any], **options: Any) -> Completion | Fault:
    return read_completion(json.dumps(completion(message, **options)))


@pytest.mark.parametrize(
    "message",
    [
        {"content": CALL},
        {"content": CALL, "refusal": None, "reasoning_content": '{"id": "fold"}'},
        {"content": [{"type": "text", "text": '{"id": '}, {"type": "text", "text": '"call"}'}]},
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "fold?"}]}, CALL]},
        {"content": None, "tool_calls": [{"function": {"name": "choose", "arguments": CALL}}]},
        {"content": "", "tool_calls": [{"function": {"name": "choose", "arguments": {"id": "call"}}}]},
        {"content": None, "function_call": {"name": "choose", "arguments": CALL}},
        {"content": None, "reasoning_content": f"\n{CALL}\n"},
        {"content": "\n\n* ", "reasoning": CALL},
    ],
)
def test_the_words_are_found_where_they_are(message: dict[str, Any]) -> None:
    found = read(message)
    assert isinstance(found, Completion)
    assert found.text == CALL


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"content": None},
        {"content": " \n\ufeff"},
        {"content": "\n\n* ", "reasoning_content": "I think a call is fine. " * 300},
        {"content": "", "reasoning": "Call is fine"},
        {"content": "", "reasoning": f"I would answer {CALL}"},
        {"content": [], "reasoning": '["call"]'},
        {"content": 7, "tool_calls": [{"function": None}]},
    ],
)
def test_a_reply_without_words_is_silent(message: dict[str, Any]) -> None:
    found = read(message)
    assert isinstance(found, Completion)
    assert found.is_silent
    assert found.has_thought == any(name.startswith("reasoning") for name in message)


def test_what_a_tool_is_called_with_goes_before_the_words_around_it() -> None:
    call = {"function": {"name": "choose", "arguments": CALL}}
    found = read({"content": "I will call.", "tool_calls": [call]})
    assert isinstance(found, Completion)
    assert found.text == CALL


THOUGHT = {"completion_tokens": 400, "completion_tokens_details": {"reasoning_tokens": 380}}


@pytest.mark.parametrize(
    ("text", "finish_reason", "usage", "is_silent"),
    [
        ("", "length", None, True),
        ("<think>The pot is 90, so", "length", None, True),
        ("<THINK>The pot is 90, so", "MAX_TOKENS", None, True),
        ('{"id": "ca', "length", THOUGHT, True),
        ('{"id": "ca', "length", None, False),
        ('{"id": "ca', "length", {"completion_tokens": 400}, False),
        ('{"id": "call"} since', "length", THOUGHT, False),
        ('<think>Fine.</think>{"id": "ca', "length", None, False),
        ("<think>The pot is 90, so", "stop", None, False),
        (CALL, "stop", THOUGHT, False),
    ],
)
def test_thinking_that_left_no_room_for_words_is_silence(
    text: str, finish_reason: str, usage: object, is_silent: bool
) -> None:
    found = read({"content": text}, finish_reason=finish_reason, usage=usage)
    assert isinstance(found, Completion)
    assert found.is_silent is is_silent


def test_a_refusal_is_no_answer() -> None:
    assert read({"content": CALL, "refusal": "I cannot help with gambling"}) == Fault(
        200, "I cannot help with gambling", finish_reason="stop", is_refusal=True
    )


@pytest.mark.parametrize("body", ["", "null", "[]", "{}", '{"error": "json_validate_failed"}', '{"error": {}}'])
def test_only_a_failed_generation_is_read_as_one(body: str) -> None:
    assert read_failed_generation(body) is None


def test_a_filtered_reply_is_no_answer() -> None:
    found = read({"content": CALL}, finish_reason="content_filter")
    assert isinstance(found, Fault)
    assert found.finish_reason == "content_filter"


def test_an_unknown_finish_reason_is_kept() -> None:
    found = read({"content": CALL}, finish_reason="MAX_TOKENS")
    assert isinstance(found, Completion)
    assert found.finish_reason == "MAX_TOKENS"


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        (None, (None, None, None, None)),
        ("many", (None, None, None, None)),
        ({"prompt_tokens": 812, "completion_tokens": 24}, (812, 24, None, None)),
        (
            {
                "prompt_tokens": 812,
                "completion_tokens": 400,
                "completion_tokens_details": {"reasoning_tokens": 376},
                "prompt_tokens_details": {"cached_tokens": 0},
            },
            (812, 400, 376, 0),
        ),
        (
            {
                "prompt_tokens": 812,
                "completion_tokens": 24,
                "prompt_tokens_details": None,
                "prompt_cache_hit_tokens": 640,
            },
            (812, 24, None, 640),
        ),
        ({"prompt_tokens": -1, "completion_tokens": "24", "completion_tokens_details": []}, (None, None, None, None)),
        ({"prompt_tokens": True, "completion_tokens": 24.0}, (None, None, None, None)),
    ],
)
def test_counts_are_whole_and_known_or_none(usage: object, counts: tuple[int | None, ...]) -> None:
    found = read({"content": CALL}, usage=usage)
    assert isinstance(found, Completion)
    assert (found.prompt_tokens, found.completion_tokens, found.reasoning_tokens, found.cached_tokens) == counts


def test_half_an_emoji_does_not_reach_the_journal() -> None:
    found = read({"content": '{"reason": "nice \ud83d"}'})
    assert isinstance(found, Completion)
    assert found.text == '{"reason": "nice ?"}'


FIELDS = st.sampled_from(
    [
        "choices",
        "message",
        "content",
        "error",
        "code",
        "usage",
        "tool_calls",
        "function",
        "arguments",
        "reasoning",
        "text",
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS, inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(JSON)
def test_any_json_is_read(body: Any) -> None:
    assert isinstance(read_completion(json.dumps(body)), Completion | Fault)


@settings(deadline=None)
@given(st.text())
def test_any_text_is_read(body: str) -> None:
    assert isinstance(read_completion(body), Completion | Fault)


@pytest.mark.parametrize("count", [0, -5, 700.0, "700", True, None, 2**53 + 1, 9 * 10**400])
@pytest.mark.parametrize("name", ["prompt_tokens", "completion_tokens", "total_tokens"])
def test_a_count_that_cannot_be_true_is_unknown(name: str, count: object) -> None:
    usage = {"prompt_tokens": 700, "completion_tokens": 20, "total_tokens": 720, name: count}
    found = read({"content": CALL}, usage=usage)
    assert isinstance(found, Completion)
    assert getattr(found, name) is None


def test_nothing_said_may_have_taken_no_tokens() -> None:
    found = read({"content": ""}, usage={"prompt_tokens": 700, "completion_tokens": 0})
    assert isinstance(found, Completion)
    assert found.completion_tokens == 0
