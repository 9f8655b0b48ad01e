"""The stand-in says what it is, chooses by rule, offers nothing new and goes away quickly."""

import asyncio
import json

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.llm.chat import ChatRequest, Message
from agent.llm.modes import Mode
from agent.llm.stand_in import STAND_IN_MODEL, StandIn
from agent.llm.stand_in_choice import choose, offered_ids

from .conftest import MakeChat
from .scripted import REQUEST, until

PRICED = ["fold", "call", "raise_120", "raise_240", "all_in"]
FREE = ["check", "raise_60", "raise_120", "all_in"]


@pytest.mark.parametrize(
    ("ids", "prompt", "choice"),
    [
        (PRICED, "Equity: 0.632\nRequired equity: 0.250", "call"),
        (PRICED, "Equity: 63.2\nRequired equity: 25.0", "call"),
        (PRICED, "Required equity: 25.0 %\nEquity: 63.2 %", "call"),
        (PRICED, "* **Equity** (2 opponents): 0.269 ± 0.010\n* **Required equity** = 0.250", "fold"),
        (PRICED, "Equity: 0.271\nRequired equity: 0.250", "call"),
        (PRICED, "Equity: 0.510", "fold"),
        (PRICED, "no numbers", "fold"),
        (FREE, "Equity: 0.500", "check"),
        (FREE, "no numbers", "check"),
        (["check", "all_in"], "Equity: 0.900", "check"),
        (["fold", "all_in"], "Equity: 0.900\nRequired equity: 0.300", "all_in"),
        (["fold", "call"], "Equity: 0.900\nRequired equity: 0.300", "call"),
        (["raise_40"], "no numbers", "raise_40"),
    ],
)
def test_the_choice_follows_the_numbers(ids: list[str], prompt: str, choice: str) -> None:
    assert choose(ids, prompt) == choice


@pytest.mark.parametrize("ids", [PRICED, FREE])
def test_a_strong_hand_raises_to_an_amount_that_only_the_prompt_decides(ids: list[str]) -> None:
    prompts = [f"Equity: 0.700\nHand {number}" for number in range(40)]
    chosen = [choose(ids, prompt) for prompt in prompts]
    assert chosen == [choose(ids, prompt) for prompt in prompts]
    assert set(chosen) == {choice for choice in ids if choice.startswith("raise")}


@given(st.lists(st.text(min_size=1), min_size=1), st.text() | st.floats(0, 1).map("Equity: {:.3f}".format))
def test_the_choice_is_always_an_offered_one(ids: list[str], prompt: str) -> None:
    assert choose(ids, prompt) in ids


def test_ids_are_read_from_the_menu_lines_when_there_is_no_schema() -> None:
    prompt = "- Equity: 0.632\n- fold: give up\n- raise_120: to 120 (pay 80)\nIt is - call: no menu line"
    messages = [{"role": "user", "content": "- check: an older turn"}, {"role": "user", "content": prompt}]
    assert offered_ids({"messages": messages}) == ["fold", "raise_120"]


@pytest.mark.parametrize(
    "request_body", [{}, {"messages": None}, {"messages": [7]}, {"response_format": {"json_schema": 1}}]
)
def test_a_request_that_offers_nothing_is_no_problem(request_body: dict[str, object]) -> None:
    assert offered_ids(request_body) == []


async def test_the_ids_are_found_on_every_rung_of_the_ladder(stand_in: StandIn, make_chat: MakeChat) -> None:
    texts = [
        (await make_chat(stand_in.base_url, preset=preset).ask(REQUEST, budget_s=5)).text
        for preset in ("openai", "deepseek", "anthropic")
    ]
    assert [json.loads(text)["id"] for text in texts] == ["call", "call", "call"]


async def test_it_says_that_it_is_no_language_model(stand_in: StandIn) -> None:
    async with aiohttp.ClientSession() as session, session.get(f"{stand_in.base_url}/models") as response:
        assert [model["id"] for model in (await response.json())["data"]] == ["stand-in-no-language-model"]
    assert STAND_IN_MODEL == "stand-in-no-language-model"


async def test_a_question_without_choices_gets_an_answer(stand_in: StandIn) -> None:
    url = f"{stand_in.base_url}/chat/completions"
    async with aiohttp.ClientSession() as session:
        async with session.post(url, json={"messages": [{"role": "user", "content": "ping"}]}) as response:
            assert json.loads((await response.json())["choices"][0]["message"]["content"])["id"] == "none"
        async with session.post(url, data="no JSON") as response:
            assert response.status == 400


async def test_the_mode_can_be_named_by_a_word() -> None:
    assert StandIn("rate_limited").mode is Mode.RATE_LIMITED
    with pytest.raises(ValueError, match="sleepy"):
        StandIn("sleepy")


def test_it_has_no_address_before_it_has_started() -> None:
    with pytest.raises(RuntimeError, match="not been started"):
        _ = StandIn().base_url


@pytest.mark.parametrize("mode", [Mode.SILENT, Mode.DRIP])
async def test_it_goes_away_while_questions_hang(mode: Mode, make_chat: MakeChat) -> None:
    async with asyncio.timeout(5):
        async with StandIn(mode) as server:
            chat = make_chat(server.base_url)
            hanging = [asyncio.create_task(chat.ask(REQUEST, budget_s=60)) for _ in range(3)]
            await until(lambda: server.requests == 3)
        outcomes = await asyncio.gather(*hanging, return_exceptions=True)
    assert all(isinstance(outcome, Exception) for outcome in outcomes)


def test_a_request_needs_messages_and_choices() -> None:
    with pytest.raises(ValueError, match="at least one message and one choice"):
        ChatRequest(messages=(Message("user", "hello"),), choices=())
