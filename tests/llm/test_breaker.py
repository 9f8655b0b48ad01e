"""The breaker asks a failing model less and less often, and a mended one again."""

import asyncio
import logging

import pytest

from agent.llm.breaker import Breaker
from agent.llm.chat import ChatReply
from agent.llm.errors import NO_TIME, ModelError, NoAnswer, Paused, Rejected, SwitchedOff, Unavailable

from .scripted import REQUEST, Scripted

REPLY = ChatReply('{"id": "call"}', "m1", "stop", 900.0, None, None, None, None, {})
DOWN = Unavailable("fake/m1, 1.0 s: HTTP 500; ask again later")
SILENT = NoAnswer("fake/m1, 1.0 s: no answer in the reply")
WRONG = Rejected("fake/m1, 1.0 s: HTTP 400", parameter="messages")
NO_KEY = SwitchedOff("fake/m1, 1.0 s: HTTP 401; check LLM_API_KEY")


class Clock:
    """Seconds that a test moves by hand."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


async def fail(breaker: Breaker, times: int = 1) -> ModelError:
    for _ in range(times):
        with pytest.raises(ModelError) as caught:
            await breaker.ask(REQUEST, budget_s=5)
    return caught.value


async def test_a_model_that_answers_is_always_asked() -> None:
    model = Scripted(REPLY)
    breaker = Breaker(model, clock=Clock())
    for _ in range(5):
        assert await breaker.ask(REQUEST, budget_s=5) is REPLY
    assert (breaker.name, model.asked) == ("fake/m1", 5)


@pytest.mark.parametrize("failure", [DOWN, SILENT])
async def test_three_failures_in_a_row_pause_for_a_minute(failure: ModelError) -> None:
    clock, model = Clock(), Scripted(failure)
    breaker = Breaker(model, clock=clock)
    assert await fail(breaker, times=3) is failure
    paused = await fail(breaker)
    assert isinstance(paused, Paused)
    assert paused.retry_after_s == 60.0
    assert str(failure) in str(paused)
    clock.now_s += 59.0
    assert isinstance(await fail(breaker), Paused)
    assert model.asked == 3


async def test_an_answer_between_failures_starts_the_count_anew() -> None:
    model = Scripted(DOWN, SILENT, REPLY, DOWN, DOWN, REPLY)
    breaker = Breaker(model, clock=Clock())
    await fail(breaker, times=2)
    await breaker.ask(REQUEST, budget_s=5)
    await fail(breaker, times=2)
    assert await breaker.ask(REQUEST, budget_s=5) is REPLY


async def test_the_pause_doubles_up_to_ten_minutes() -> None:
    clock, model = Clock(), Scripted(DOWN)
    breaker = Breaker(model, clock=clock)
    await fail(breaker, times=3)
    pauses = []
    for _ in range(6):
        paused = await fail(breaker)
        assert isinstance(paused, Paused)
        assert paused.retry_after_s is not None
        pauses.append(paused.retry_after_s)
        clock.now_s += paused.retry_after_s
        assert await fail(breaker) is DOWN
    assert pauses == [60.0, 120.0, 240.0, 480.0, 600.0, 600.0]
    assert model.asked == 9


async def test_an_answer_after_the_pause_ends_it_and_its_history() -> None:
    clock, model = Clock(), Scripted(DOWN, DOWN, DOWN, REPLY, DOWN)
    breaker = Breaker(model, clock=clock)
    await fail(breaker, times=3)
    clock.now_s += 60.0
    assert await breaker.ask(REQUEST, budget_s=5) is REPLY
    await fail(breaker, times=3)
    paused = await fail(breaker)
    assert isinstance(paused, Paused)
    assert paused.retry_after_s == 60.0


async def test_only_one_question_tries_the_model_after_a_pause() -> None:
    clock, model = Clock(), Scripted(DOWN, DOWN, DOWN, REPLY)
    breaker = Breaker(model, clock=clock)
    await fail(breaker, times=3)
    clock.now_s += 60.0
    model.gate.clear()
    trial = asyncio.create_task(breaker.ask(REQUEST, budget_s=5))
    await asyncio.sleep(0)
    assert isinstance(await fail(breaker), Paused)
    model.gate.set()
    assert await trial is REPLY
    assert await breaker.ask(REQUEST, budget_s=5) is REPLY


async def test_a_cancelled_trial_leaves_the_next_question_its_turn() -> None:
    clock, model = Clock(), Scripted(DOWN, DOWN, DOWN, REPLY)
    breaker = Breaker(model, clock=clock)
    await fail(breaker, times=3)
    clock.now_s += 60.0
    model.gate.clear()
    trial = asyncio.create_task(breaker.ask(REQUEST, budget_s=5))
    await asyncio.sleep(0)
    trial.cancel()
    with pytest.raises(asyncio.CancelledError):
        await trial
    model.gate.set()
    assert await breaker.ask(REQUEST, budget_s=5) is REPLY


async def test_two_rejected_requests_count_for_nothing() -> None:
    model = Scripted(WRONG, WRONG, DOWN, DOWN, WRONG, WRONG, REPLY)
    breaker = Breaker(model, clock=Clock())
    await fail(breaker, times=6)
    assert await breaker.ask(REQUEST, budget_s=5) is REPLY


async def test_three_rejected_requests_in_a_row_pause_and_are_an_error_said_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock = Clock()
    model = Scripted(WRONG)
    breaker = Breaker(model, clock=clock)
    assert await fail(breaker, times=3) is WRONG
    for pause_s in (60.0, 120.0):
        paused = await fail(breaker)
        assert isinstance(paused, Paused)
        assert paused.retry_after_s == pause_s
        clock.now_s += pause_s
        assert await fail(breaker) is WRONG
    assert model.asked == 5
    assert [(level, text.partition(":")[0]) for level, text in logged(caplog)] == [
        ("ERROR", "fake/m1 has refused every request and is only tried every 60 s")
    ]


async def test_a_question_that_had_no_time_is_no_rejection_of_the_model() -> None:
    breaker = Breaker(Scripted(*[Rejected("no time was left to ask", parameter=NO_TIME)] * 5, REPLY), clock=Clock())
    await fail(breaker, times=5)
    assert await breaker.ask(REQUEST, budget_s=5) is REPLY


async def test_what_is_asked_beside_the_turns_is_asked_in_a_pause_too_and_ends_it() -> None:
    model = Scripted(DOWN, DOWN, DOWN, DOWN, REPLY)
    breaker = Breaker(model, clock=Clock())
    await fail(breaker, times=3)
    with pytest.raises(Unavailable):
        await breaker.beside.ask(REQUEST, budget_s=300)
    assert isinstance(await fail(breaker), Paused)
    assert await breaker.beside.ask(REQUEST, budget_s=300) is REPLY
    assert await breaker.ask(REQUEST, budget_s=5) is REPLY


async def test_what_is_asked_beside_the_turns_is_never_their_trial() -> None:
    clock, model = Clock(), Scripted(DOWN, DOWN, DOWN, REPLY)
    breaker = Breaker(model, clock=clock)
    await fail(breaker, times=3)
    clock.now_s += 60.0
    model.gate.clear()
    beside = asyncio.create_task(breaker.beside.ask(REQUEST, budget_s=300))
    turn = asyncio.create_task(breaker.ask(REQUEST, budget_s=5))
    await asyncio.sleep(0)
    assert model.asked == 5
    model.gate.set()
    assert await turn is REPLY
    assert await beside is REPLY


async def test_failures_beside_the_turns_pause_nothing() -> None:
    breaker = Breaker(Scripted(*[DOWN] * 4, NO_KEY, REPLY), clock=Clock())
    for _ in range(5):
        with pytest.raises(ModelError):
            await breaker.beside.ask(REQUEST, budget_s=300)
    assert await breaker.ask(REQUEST, budget_s=5) is REPLY


async def test_a_wait_that_was_asked_for_is_kept_at_once() -> None:
    clock, model = Clock(), Scripted(Unavailable("fake/m1: HTTP 429", retry_after_s=20.0), REPLY)
    breaker = Breaker(model, clock=clock)
    await fail(breaker)
    paused = await fail(breaker)
    assert isinstance(paused, Paused)
    assert paused.retry_after_s == 20.0
    clock.now_s += 20.0
    assert await breaker.ask(REQUEST, budget_s=5) is REPLY


async def test_a_wait_of_a_day_is_cut_to_the_longest_pause() -> None:
    breaker = Breaker(Scripted(Unavailable("fake/m1: HTTP 429", retry_after_s=86_400.0)), clock=Clock())
    await fail(breaker)
    paused = await fail(breaker)
    assert isinstance(paused, Paused)
    assert paused.retry_after_s == 600.0


async def test_a_model_that_is_switched_off_is_tried_every_ten_minutes() -> None:
    clock, model = Clock(), Scripted(NO_KEY)
    breaker = Breaker(model, clock=clock)
    assert await fail(breaker) is NO_KEY
    for _ in range(3):
        paused = await fail(breaker)
        assert isinstance(paused, Paused)
        assert paused.retry_after_s == 600.0
        assert "check LLM_API_KEY" in str(paused)
        clock.now_s += 600.0
        assert await fail(breaker) is NO_KEY
    assert model.asked == 4


def logged(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    return [(record.levelname, record.getMessage()) for record in caplog.records if record.name.startswith("agent.")]


async def test_a_model_that_is_switched_off_is_an_error_said_once_and_its_return_too(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    clock, model = Clock(), Scripted(NO_KEY, NO_KEY, NO_KEY, REPLY)
    breaker = Breaker(model, clock=clock)
    for _ in range(3):
        await fail(breaker, times=2)
        clock.now_s += 600.0
    assert logged(caplog) == [("ERROR", f"fake/m1 is switched off and is only tried every 600 s: {NO_KEY}")]
    for _ in range(2):
        await breaker.ask(REQUEST, budget_s=5)
    assert logged(caplog)[1:] == [("INFO", "fake/m1 answers again")]
    events = [(vars(record)["event"], vars(record)["model"]) for record in caplog.records if "event" in vars(record)]
    assert events == [("model off", "fake/m1"), ("model on", "fake/m1")]


async def test_a_pause_is_a_warning_said_once_and_becomes_an_error_when_a_person_has_to_act(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    clock, model = Clock(), Scripted(DOWN, DOWN, DOWN, DOWN, NO_KEY, NO_KEY, REPLY, DOWN)
    breaker = Breaker(model, clock=clock)
    await fail(breaker, times=3)
    for _ in range(3):
        clock.now_s += 600.0
        await fail(breaker)
    clock.now_s += 600.0
    await breaker.ask(REQUEST, budget_s=5)
    await fail(breaker, times=2)
    assert [level for level, _ in logged(caplog)] == ["WARNING", "ERROR", "INFO"]
    assert logged(caplog)[0][1] == f"fake/m1 is not asked for 60 s: {DOWN}"


async def test_questions_under_way_when_the_pause_begins_do_not_lengthen_it() -> None:
    clock, model = Clock(), Scripted(DOWN)
    breaker = Breaker(model, clock=clock)
    model.gate.clear()
    questions = [asyncio.create_task(breaker.ask(REQUEST, budget_s=5)) for _ in range(6)]
    await asyncio.sleep(0)
    model.gate.set()
    assert await asyncio.gather(*questions, return_exceptions=True) == [DOWN] * 6
    paused = await fail(breaker)
    assert isinstance(paused, Paused)
    assert paused.retry_after_s == 60.0


async def test_closing_closes_the_model() -> None:
    model = Scripted(REPLY)
    await Breaker(model, clock=Clock()).aclose()
    assert model.closed
