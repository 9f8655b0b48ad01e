"""Caps hold whatever happens to a question: together, over midnight, after a restart, and when nobody knows the cost."""

import asyncio
import dataclasses
import datetime as dt
import logging
from typing import Any

import pytest

from agent.llm.breaker import Breaker
from agent.llm.build import ModelSettingsError
from agent.llm.chat import ChatReply, ChatRequest, Message
from agent.llm.errors import ModelError, NoAnswer, OverBudget, Paused, Rejected, SwitchedOff, Unavailable
from agent.llm.metered import Caps, Metered, Till
from agent.llm.openai_chat import OpenAIChat
from agent.llm.presets import PRESETS
from agent.llm.prices import FREE, Price

from .scripted import KEY, REQUEST, Provider, Reply, Scripted, completion

PRICE = Price(input_usd=0.0, cached_input_usd=0.0, output_usd=200.0)
"""Five tokens of a reply cost a thousandth of a dollar, and the prompt nothing, so that sums are easy to see."""

CAP = 904
"""With the 4,096 tokens of a second try, replies to one question have at most 5,000: one dollar."""

LIMITED = Unavailable("fake/m1: HTTP 429", retry_after_s=20.0, status=429)
BUSY = Unavailable("fake/m1: HTTP 503", status=503)
LATE = Unavailable("fake/m1, 5.0 s: no answer in time", is_late=True)
LOST = Unavailable("fake/m1, 1.0 s: no response")


def reply(cost: int | None = 100, **changes: Any) -> ChatReply:
    """A reply that costs so many thousandths of a dollar, None when it does not say."""
    tokens = None if cost is None else 5 * cost
    plain = ChatReply('{"id": "call"}', "m1", "stop", 900.0, 50, tokens, None, None, {})
    return dataclasses.replace(plain, **changes)


def hand(hand_id: str) -> ChatRequest:
    return dataclasses.replace(REQUEST, hand_id=hand_id)


class Clock:
    """A time of day in UTC that a test sets by hand."""

    def __init__(self) -> None:
        self.now = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)

    def __call__(self) -> dt.datetime:
        return self.now


def metered(model: Any, till: Till | None = None, *, price: Price | None = PRICE, max_tokens: int = CAP) -> Metered:
    """A metered model whose questions may cost one dollar each."""
    return Metered(model, price, till or Till(Caps()), cap=lambda: max_tokens)


def till_with(clock: Clock | None = None, *, spent_today_usd: float = 0.0, **caps: float) -> Till:
    return Till(Caps(**caps), clock=clock or Clock(), spent_today_usd=spent_today_usd)


async def refused(meter: Metered, request: ChatRequest = REQUEST) -> OverBudget:
    with pytest.raises(OverBudget) as caught:
        await meter.ask(request, budget_s=5)
    return caught.value


async def test_a_reply_says_what_it_cost_and_is_else_the_same() -> None:
    meter = metered(Scripted(reply(120)))
    answer = await meter.ask(REQUEST, budget_s=5)
    assert answer == reply(120, cost_usd=0.12)
    assert (meter.name, meter.spent_usd, meter.unknown_calls) == ("fake/m1", 0.12, 0)


async def test_only_what_was_spent_stays_counted() -> None:
    till = till_with(day_usd=1.25)
    meter = metered(Scripted(reply(100)), till)
    for _ in range(3):
        await meter.ask(REQUEST, budget_s=5)
    assert till.day_usd == pytest.approx(0.3)
    assert till.run_usd == pytest.approx(0.3)
    await refused(meter)
    assert meter.spent_usd == pytest.approx(0.3)


async def test_the_model_is_not_asked_when_its_answer_might_pass_a_cap() -> None:
    model = Scripted(reply())
    meter = metered(model, till_with(day_usd=0.99))
    refusal = await refused(meter)
    assert model.asked == 0
    assert str(refusal).startswith("fake/m1 is not asked: ")
    assert "LLM_CAP_DAY_USD is 0.99" in str(refusal)
    assert "LLM_MAX_TOKENS lowered" in str(refusal)


async def test_a_cap_may_be_used_up_to_the_last_cent() -> None:
    model = Scripted(reply(1_000))
    meter = metered(model, till_with(run_usd=3.0))
    for _ in range(3):
        await meter.ask(REQUEST, budget_s=5)
    await refused(meter)
    assert model.asked == 3


def test_sums_of_small_amounts_are_not_refused_for_their_rounding() -> None:
    till = till_with(day_usd=0.3)
    till.reserve("h1", 0.1)
    till.reserve("h1", 0.2)
    assert till.day_usd == pytest.approx(0.3)


async def test_two_questions_at_once_cannot_pass_a_cap_together() -> None:
    model = Scripted(reply(100))
    model.gate.clear()
    meter = metered(model, till_with(day_usd=1.5))
    first = asyncio.create_task(meter.ask(REQUEST, budget_s=5))
    await asyncio.sleep(0)
    await refused(meter)
    model.gate.set()
    assert (await first).cost_usd == 0.1
    assert (await meter.ask(REQUEST, budget_s=5)).cost_usd == 0.1


async def test_two_models_share_one_till() -> None:
    till = till_with(run_usd=1.5)
    dear, cheap = metered(Scripted(reply(1_000)), till), metered(Scripted(reply()), till)
    await dear.ask(REQUEST, budget_s=5)
    await refused(cheap)
    assert (dear.spent_usd, cheap.spent_usd) == (1.0, 0.0)


async def test_the_next_hand_has_its_own_cap() -> None:
    meter = metered(Scripted(reply(800)), till_with(hand_usd=1.5))
    await meter.ask(hand("h1"), budget_s=5)
    refusal = await refused(meter, hand("h1"))
    assert "0.8000 dollars" in str(refusal)
    assert "the model plays again in the next hand" in str(refusal)
    assert (await meter.ask(hand("h2"), budget_s=5)).cost_usd == 0.8


async def test_questions_without_a_hand_count_to_the_day_but_to_no_hand() -> None:
    till = till_with(hand_usd=0.5, day_usd=9.0)
    meter = metered(Scripted(reply(800)), till)
    await refused(meter, hand("h1"))
    for _ in range(4):
        await meter.ask(hand(""), budget_s=5)
    assert till.day_usd == pytest.approx(3.2)


async def test_a_hand_is_still_known_after_many_others_and_an_old_one_is_forgotten() -> None:
    till = till_with(hand_usd=1.5)
    first = till.reserve("first", 1.0)
    for number in range(63):
        till.release(till.reserve(f"h{number}", 1.0))
    with pytest.raises(OverBudget):
        till.reserve("first", 1.0)
    till.release(till.reserve("one more", 1.0))
    till.settle(first, 0.2)
    till.reserve("first", 1.5)
    assert till.run_usd == pytest.approx(0.2 + 1.5)


async def test_the_day_begins_anew_at_midnight_utc() -> None:
    clock = Clock()
    clock.now = dt.datetime(2026, 3, 1, 23, 59, 59, tzinfo=dt.UTC)
    till = till_with(clock, day_usd=1.5, run_usd=5.0)
    meter = metered(Scripted(reply(800)), till)
    await meter.ask(REQUEST, budget_s=5)
    assert "the model plays again at 00:00 UTC" in str(await refused(meter))
    clock.now = dt.datetime(2026, 3, 2, 0, 0, 0, tzinfo=dt.UTC)
    await meter.ask(REQUEST, budget_s=5)
    assert till.day_usd == pytest.approx(0.8)
    assert till.run_usd == pytest.approx(1.6)


async def test_midnight_elsewhere_is_no_midnight() -> None:
    clock = Clock()
    tokyo = dt.timezone(dt.timedelta(hours=9))
    clock.now = dt.datetime(2026, 3, 1, 23, 59, tzinfo=tokyo)
    meter = metered(Scripted(reply(800)), till_with(clock, day_usd=1.5))
    await meter.ask(REQUEST, budget_s=5)
    clock.now = dt.datetime(2026, 3, 2, 0, 1, tzinfo=tokyo)
    await refused(meter)


async def test_a_question_counts_to_the_day_on_which_it_was_asked() -> None:
    clock = Clock()
    till = till_with(clock, day_usd=1.5)
    model = Scripted(reply(800))
    model.gate.clear()
    meter = metered(model, till)
    question = asyncio.create_task(meter.ask(REQUEST, budget_s=5))
    await asyncio.sleep(0)
    clock.now += dt.timedelta(days=1)
    assert till.day_usd == 0.0
    model.gate.set()
    await question
    assert till.day_usd == 0.0
    assert till.run_usd == pytest.approx(0.8)


async def test_a_clock_set_back_over_midnight_does_not_open_the_day_again() -> None:
    clock = Clock()
    meter = metered(Scripted(reply(800)), till_with(clock, day_usd=1.5))
    await meter.ask(REQUEST, budget_s=5)
    clock.now -= dt.timedelta(days=1)
    await refused(meter)
    clock.now += dt.timedelta(days=1)
    await refused(meter)


async def test_what_earlier_runs_spent_today_counts_to_the_day_and_not_to_this_run() -> None:
    clock = Clock()
    till = till_with(clock, day_usd=1.5, run_usd=1.5, spent_today_usd=0.6)
    meter = metered(Scripted(reply(100)), till)
    assert "0.6000 dollars are spent or set aside for this day" in str(await refused(meter))
    clock.now += dt.timedelta(days=1)
    await meter.ask(REQUEST, budget_s=5)
    assert till.day_usd == pytest.approx(0.1)


@pytest.mark.parametrize(
    "failure", [Rejected("no"), SwitchedOff("no"), Paused("no", retry_after_s=9.0), LIMITED, BUSY], ids=lambda f: str(f)
)
async def test_what_nobody_bills_is_given_back(failure: ModelError) -> None:
    till = till_with(day_usd=1.0)
    meter = metered(Scripted(failure, reply(100)), till)
    with pytest.raises(type(failure)) as caught:
        await meter.ask(hand("h1"), budget_s=5)
    assert caught.value is failure
    assert (till.day_usd, meter.unknown_calls) == (0.0, 0)
    assert (await meter.ask(hand("h1"), budget_s=5)).cost_usd == 0.1


@pytest.mark.parametrize(
    "failure", [LATE, LOST, NoAnswer("blank"), Unavailable("fake/m1: HTTP 504", status=504)], ids=lambda f: str(f)
)
async def test_what_may_have_been_billed_stays_counted(failure: ModelError) -> None:
    till = till_with(day_usd=1.5)
    meter = metered(Scripted(failure), till)
    with pytest.raises(type(failure)):
        await meter.ask(REQUEST, budget_s=5)
    assert till.day_usd == pytest.approx(1.0)
    assert (meter.spent_usd, meter.unknown_calls) == (0.0, 1)
    await refused(meter)


async def test_a_late_answer_stays_counted_even_if_it_named_a_wait() -> None:
    till = till_with(day_usd=1.5)
    meter = metered(Scripted(Unavailable("late", retry_after_s=2.0, is_late=True)), till)
    with pytest.raises(Unavailable):
        await meter.ask(REQUEST, budget_s=5)
    assert till.day_usd == pytest.approx(1.0)


async def test_a_cancelled_question_stays_counted_and_stays_cancelled() -> None:
    till = till_with(day_usd=1.5)
    model = Scripted(reply())
    model.gate.clear()
    meter = metered(model, till)
    question = asyncio.create_task(meter.ask(REQUEST, budget_s=5))
    await asyncio.sleep(0)
    question.cancel()
    with pytest.raises(asyncio.CancelledError):
        await question
    assert till.day_usd == pytest.approx(1.0)
    assert meter.unknown_calls == 1


async def test_a_reply_without_usage_counts_as_dear_as_it_could_have_been() -> None:
    till = till_with(day_usd=1.5)
    meter = metered(Scripted(reply(None)), till)
    answer = await meter.ask(REQUEST, budget_s=5)
    assert answer.cost_usd is None
    assert till.day_usd == pytest.approx(1.0)
    assert (meter.spent_usd, meter.unknown_calls) == (0.0, 1)


@pytest.mark.parametrize("caps", [{"hand_usd": 0.5}, {"day_usd": 0.5}, {"run_usd": 0.0}])
def test_a_cap_without_a_price_is_refused_at_the_start(caps: dict[str, float]) -> None:
    with pytest.raises(ModelSettingsError, match=r"price of fake/m1 is not known.*LLM_PRICES"):
        metered(Scripted(reply()), till_with(None, **caps), price=None)


async def test_without_caps_a_model_without_a_price_is_asked_at_an_unknown_cost() -> None:
    meter = metered(Scripted(reply()), price=None)
    assert (await meter.ask(REQUEST, budget_s=5)).cost_usd is None
    assert (meter.spent_usd, meter.unknown_calls) == (0.0, 1)


async def test_a_free_model_is_asked_whatever_the_day_has_cost() -> None:
    meter = metered(Scripted(reply(None)), till_with(day_usd=1.0, run_usd=0.0, spent_today_usd=2.0), price=FREE)
    assert (await meter.ask(REQUEST, budget_s=5)).cost_usd == 0.0
    assert meter.unknown_calls == 0


async def test_the_log_says_once_a_day_that_a_cap_is_reached(caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    meter = metered(Scripted(reply(800)), till_with(clock, day_usd=1.5, run_usd=2.0))
    with caplog.at_level(logging.INFO):
        await meter.ask(REQUEST, budget_s=5)
        for _ in range(3):
            await refused(meter)
        assert [record.levelname for record in caplog.records] == ["ERROR"]
        assert "the model plays again at 00:00 UTC; until then the rule plays" in caplog.text
        caplog.clear()
        clock.now += dt.timedelta(days=1)
        await meter.ask(REQUEST, budget_s=5)
        for _ in range(2):
            clock.now += dt.timedelta(days=1)
            await refused(meter)
    assert len(caplog.records) == 1
    assert "LLM_CAP_RUN_USD is 2; the model plays again when the program is started again" in caplog.text


async def test_the_log_says_it_again_on_the_next_day(caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    meter = metered(Scripted(reply()), till_with(clock, day_usd=0.5))
    for _ in range(2):
        await refused(meter)
        await refused(meter)
        clock.now += dt.timedelta(days=1)
    assert len(caplog.records) == 2


async def test_a_prompt_is_reserved_for_before_anybody_has_counted_it() -> None:
    price = Price(input_usd=1_000.0, cached_input_usd=1.0, output_usd=0.0)
    till = till_with(day_usd=100.0)
    model = Scripted(reply(0, prompt_tokens=1_000, cached_tokens=900))
    model.gate.clear()
    long = ChatRequest(messages=(Message("user", "♠ 10 A♦ K♣ " * 400),), choices=("fold",))
    meter = metered(model, till, price=price)
    question = asyncio.create_task(meter.ask(long, budget_s=5))
    await asyncio.sleep(0)
    assert till.day_usd > 2 * 2.8, "more than a token for every two characters, and the prompt is sent twice"
    model.gate.set()
    assert (await question).cost_usd == pytest.approx(0.1 + 0.0009)
    assert till.day_usd == pytest.approx(0.1009)


async def test_the_schema_is_reserved_for_too() -> None:
    till = till_with(day_usd=1e9)
    price = Price(input_usd=1e6, cached_input_usd=0.0, output_usd=0.0)
    few, many = (ChatRequest((Message("user", "?"),), tuple(f"raise_{n}" for n in range(size))) for size in (1, 101))
    meter = metered(Scripted(LATE), till, price=price)
    reserved = []
    for request in (few, many):
        before = till.day_usd
        with pytest.raises(Unavailable):
            await meter.ask(request, budget_s=5)
        reserved.append(till.day_usd - before)
    assert reserved[1] > reserved[0] + 2 * 100 * len("raise_1") / 2


async def test_the_cap_that_the_model_has_now_is_reserved() -> None:
    caps = [CAP]
    till = till_with(day_usd=10.0)
    meter = Metered(Scripted(LATE), PRICE, till, cap=lambda: caps[-1])
    for cap in (CAP, 4_096):
        caps.append(cap)
        with pytest.raises(Unavailable):
            await meter.ask(REQUEST, budget_s=5)
    assert till.day_usd == pytest.approx(1.0 + (4_096 + 8_192) / 5_000)


@pytest.mark.parametrize("count", [2**53 + 1, 10**400])
@pytest.mark.parametrize("name", ["prompt_tokens", "completion_tokens", "reasoning_tokens", "total_tokens"])
async def test_a_count_that_cannot_be_true_leaves_the_cost_unknown(name: str, count: int) -> None:
    till = till_with(day_usd=1.5)
    answer = await metered(Scripted(reply(100, **{name: count})), till).ask(REQUEST, budget_s=5)
    assert answer.cost_usd is None
    assert till.day_usd == pytest.approx(1.0)


async def test_reasoning_beside_the_reply_is_paid_at_gemini() -> None:
    model = Scripted(reply(100, reasoning_tokens=2_000), name="gemini/gemini-2.5-flash")
    assert (await metered(model).ask(REQUEST, budget_s=5)).cost_usd == 0.5


async def test_being_over_budget_does_not_pause_a_breaker_within() -> None:
    clock = Clock()
    breaker = Breaker(Scripted(reply(800)), clock=lambda: 0.0)
    meter = metered(breaker, till_with(clock, day_usd=1.5))
    await meter.ask(REQUEST, budget_s=5)
    for _ in range(5):
        await refused(meter)
    clock.now += dt.timedelta(days=1)
    assert (await meter.ask(REQUEST, budget_s=5)).cost_usd == 0.8


async def test_a_real_reply_is_priced_by_the_usage_in_it() -> None:
    usage = {
        "prompt_tokens": 1_200,
        "completion_tokens": 300,
        "prompt_tokens_details": {"cached_tokens": 1_024},
        "completion_tokens_details": {"reasoning_tokens": 250},
    }
    body = completion({"content": '{"id": "call"}'}, usage=usage)
    async with Provider(Reply(200, body)) as provider:
        chat = OpenAIChat(
            PRESETS["openai"], model="gpt-5-mini", api_key=KEY, base_url=provider.base_url, max_tokens=2_048
        )
        meter = metered(chat, till_with(day_usd=1.0), price=Price(0.25, 0.025, 2.0))
        answer = await meter.ask(REQUEST, budget_s=5)
        await meter.aclose()
    assert answer.cost_usd == pytest.approx((176 * 0.25 + 1_024 * 0.025 + 300 * 2.0) / 1e6)


async def test_a_reply_that_was_all_thinking_and_the_one_after_it_are_both_paid_and_both_reserved() -> None:
    cut = completion({"content": ""}, finish_reason="length", usage={"prompt_tokens": 80, "completion_tokens": CAP})
    whole = completion({"content": '{"id": "call"}'}, usage={"prompt_tokens": 80, "completion_tokens": 4_096})
    async with Provider(Reply(200, cut), Reply(200, whole)) as provider:
        chat = OpenAIChat(PRESETS["openai"], model="m1", api_key=KEY, base_url=provider.base_url, max_tokens=CAP)
        till = till_with(hand_usd=1.0)
        meter = Metered(chat, PRICE, till, cap=lambda: chat.cap)
        answer = await meter.ask(hand("h1"), budget_s=5)
        await meter.aclose()
    assert answer.cost_usd == pytest.approx(1.0)
    assert till.run_usd == pytest.approx(1.0)


async def test_closing_closes_the_model() -> None:
    model = Scripted(reply())
    await metered(model).aclose()
    assert model.closed


@pytest.mark.parametrize("usd", [-0.01, float("nan"), float("inf")])
def test_a_cap_is_a_number_of_dollars(usd: float) -> None:
    with pytest.raises(ValueError, match="a cap is a number of dollars"):
        Caps(hand_usd=usd)
