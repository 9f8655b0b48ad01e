import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.decision.reply import MAX_REASON, read_reply

CHOICES = ("fold", "call", "raise_55", "all_in")


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ('{"id": "call", "reason": "price"}', "call"),
        ('```json\n{"id":"call"}\n```', "call"),
        ('```\r\n{"id":"call"}\r\n```', "call"),
        ('\ufeff{"id":"call"}', "call"),
        ('{"id":"fold"} I fold because the call is bad', "fold"),
        ('Here is my answer: {"id":"raise_55"}', "raise_55"),
        ('<think>if {"id":"fold"} ...</think>{"id":"call"}', "call"),
        ('<Thought>hm</Thought>\n{"id":"call"}', "call"),
        ('<reasoning effort="low">{"id":"fold"}</reasoning>{"id":"all_in"}', "all_in"),
        ('<|channel|>analysis<|message|>{"id":"fold"}<|channel|>final<|message|>{"id":"call"}', "call"),
        ('{"id":" Call "}', "call"),
        ('{"id":"call"}{"id":"fold"}', "call"),
        ('{not json} {"id":"call"}', "call"),
    ],
)
def test_the_choice_is_found_in_what_models_wrap_around_it(text: str, choice: str) -> None:
    assert read_reply(text, CHOICES).choice == choice


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no complete JSON object in the reply"),
        ("\n\n* ", "no complete JSON object in the reply"),
        ("I would call here.", "no complete JSON object in the reply"),
        ('{"id": "call"', "no complete JSON object in the reply"),
        ('<think>{"id":"call"}', "the reply broke off while thinking"),
        ('{"id": "wait"}', 'the id "wait" was not offered'),
        ('{"id": "raise_75"} though call is fine too', 'the id "raise_75" was not offered'),
        ('{"action": "call"}', 'the object has no text under "id"'),
        ('{"id": 120}', 'the object has no text under "id"'),
        ('{"id": null}', 'the object has no text under "id"'),
        ('{"id": ["call"]}', 'the object has no text under "id"'),
    ],
)
def test_what_cannot_be_used_is_named_and_never_guessed(text: str, problem: str) -> None:
    reply = read_reply(text, CHOICES)

    assert (reply.choice, reply.problem) == (None, problem)


def test_the_reason_is_one_short_line() -> None:
    reply = read_reply('{"id": "call", "reason": "good\\n  price ' + "x" * 999 + '"}', CHOICES)

    assert reply.reason.startswith("good price x")
    assert len(reply.reason) == MAX_REASON


@given(st.text() | st.from_regex(r"[{}\[\]\"<>/a-z:, \\]*", fullmatch=True))
def test_no_text_breaks_it_and_only_offered_ids_come_out(text: str) -> None:
    assert read_reply(text, CHOICES).choice in (None, *CHOICES)


@pytest.mark.parametrize(
    "text",
    [
        "<think>" * 60_000,
        "<think>" * 30_000 + "</think>" * 30_000 + '{"id":"call"}',
        '{"a":' * 200_000,
        "{" * 1_000_000,
        '{"id":"call"} ' + "x" * 5_000_000,
        "<|channel|>analysis " * 20_000,
    ],
)
def test_long_hostile_replies_are_read_in_one_pass(text: str) -> None:
    assert read_reply(text, CHOICES).choice in (None, "call")


def test_thinking_within_thinking_is_still_thinking() -> None:
    text = '<think>a <think>b</think> {"id":"fold"}</think>{"id":"call"}'

    assert read_reply(text, CHOICES).choice == "call"


def test_a_deeply_nested_reply_is_no_answer() -> None:
    assert read_reply("{" * 2_000 + '"a":' * 2_000, CHOICES).choice is None
    assert read_reply('{"a":' * 20_000, CHOICES).choice is None


@pytest.mark.parametrize(
    "text",
    [
        'if {"id":"fold"} hm</think>{"id":"call"}',
        '[THINK]{"id":"fold"}[/THINK]{"id":"call"}',
        '◁think▷{"id":"fold"}◁/think▷{"id":"call"}',
        '<seed:think>{"id":"fold"}</seed:think>{"id":"call"}',
        '<|begin_of_thought|>{"id":"fold"}<|end_of_thought|>{"id":"call"}',
        '<analysis>{"id":"fold"}</analysis>{"id":"call"}',
        '{"id":"call","reason":"no <think> here"}',
        '{"id":"call","reason":"two\nlines\tand a tab"}',
    ],
)
def test_thinking_in_any_dress_is_not_the_answer(text: str) -> None:
    assert read_reply(text, ("fold", "call")).choice == "call"


def test_thinking_that_the_prompt_opened_and_nobody_closed_is_no_answer() -> None:
    assert read_reply('hm, {"id":"fold"} <think>{"id":"call"', ("fold", "call")).problem
