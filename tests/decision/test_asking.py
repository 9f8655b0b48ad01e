"""The conversation of one turn: models in their order, one repair, one budget."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from agent.decision.asking import FIRST_SHARE, Answer, Question, ask
from agent.decision.menu import build_menu
from agent.decision.prompt_sets import load_prompt_sets
from agent.decision.turn import Turn
from agent.llm.chat import ChatModel, ChatReply, ChatRequest
from agent.llm.errors import ModelError, NoAnswer, OverBudget, Paused, Rejected, SwitchedOff, Unavailable
from agent.poker.equity import estimate_equity
from agent.poker.facts import gather
from agent.poker.spot import Action, Verb
from tests.spots import facing_a_raise

PROMPTS = load_prompt_sets(Path(__file__).parents[2] / "prompts", ["default"]).sets[0]
SPOT = facing_a_raise(hole="AsAh")
GOOD = '{"id": "call", "hand": "AA", "cards": "AhAs", "reason": "price"}'
MISREAD = '{"id": "call", "hand": "KK", "cards": "KhKs", "reason": "kings"}'
UNUSABLE = "call, I think"


@dataclass
class Clock:
    """A clock that is moved by hand."""

    now: float = 100.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Says:
    """A model that says one thing after the other; each takes `takes_s`."""

    name: str
    clock: Clock
    answers: list[str | ModelError]
    takes_s: float = 0.5
    requests: list[ChatRequest] = field(default_factory=list)
    budgets: list[float] = field(default_factory=list)

    async def ask(self, request: ChatRequest, *, budget_s: float) -> ChatReply:
        self.requests.append(request)
        self.budgets.append(budget_s)
        self.clock.now += min(self.takes_s, budget_s)
        answer = self.answers.pop(0)
        if isinstance(answer, ModelError):
            raise answer
        return ChatReply(answer, self.name, "stop", 1_000 * self.takes_s, None, None, None, None, {})

    async def aclose(self) -> None:
        """Nothing to close."""


def question() -> Question:
    assert SPOT.hole_cards is not None
    facts = gather(SPOT, estimate_equity(SPOT.hole_cards, SPOT.board, len(SPOT.opponents)))
    menu = build_menu(SPOT)
    return Question(SPOT, facts, menu, PROMPTS, PROMPTS.render_turn(Turn(SPOT, facts, menu, Action(Verb.CALL))))


def asked(models: Sequence[ChatModel], clock: Clock, *, time_s: float = 12.0) -> Answer:
    return asyncio.run(ask(question(), models, ends=clock() + time_s, clock=clock))


def test_a_grounded_choice_is_the_answer() -> None:
    clock = Clock()
    answer = asked([Says("a", clock, [GOOD])], clock)

    assert answer.reply is not None
    assert (answer.reply.choice, answer.problem) == ("call", "")
    assert [(a.kind, a.model, a.failure) for a in answer.attempts] == [("first", "a", None)]
    assert answer.attempts[0].grounding is not None
    assert answer.attempts[0].grounding.verdict == "grounded"


def test_the_request_carries_the_menu_and_the_hand() -> None:
    clock = Clock()
    model = Says("a", clock, [GOOD])
    asked([model], clock)

    assert model.requests[0].choices == tuple(candidate.id for candidate in build_menu(SPOT))
    assert model.requests[0].hand_id == SPOT.hand_id


def test_a_misread_hand_is_said_and_asked_again() -> None:
    clock = Clock()
    model = Says("a", clock, [MISREAD, GOOD])
    answer = asked([model], clock)

    assert answer.reply is not None
    assert [(a.kind, a.failure) for a in answer.attempts] == [("first", "misread"), ("repair", None)]
    assert '"hand" is "KK" and "cards" is "KhKs", which is not what you hold' in model.requests[1].messages[-1].content
    assert model.requests[1].messages[-2].content == MISREAD


def test_what_stays_misread_is_not_played() -> None:
    clock = Clock()
    answer = asked([Says("a", clock, [MISREAD, MISREAD])], clock)

    assert answer.reply is None
    assert [a.failure for a in answer.attempts] == ["misread", "misread"]
    assert "after a repair" in answer.problem


def test_a_misread_hand_is_not_played_either_when_no_time_is_left_to_repair() -> None:
    clock = Clock()
    answer = asked([Says("a", clock, [MISREAD], takes_s=11.5)], clock)

    assert (answer.reply, len(answer.attempts)) == (None, 1)


def test_a_reply_that_names_no_hand_is_played_and_marked() -> None:
    clock = Clock()
    answer = asked([Says("a", clock, ['{"id": "fold"}'])], clock)

    assert answer.reply is not None
    assert answer.attempts[0].grounding is not None
    assert answer.attempts[0].grounding.verdict == "not shown"


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (Unavailable("down"), "unavailable"),
        (Unavailable("slow", is_late=True), "late"),
        (Paused("resting"), "paused"),
        (Rejected("no"), "rejected"),
        (SwitchedOff("key"), "switched off"),
        (OverBudget("dear"), "over budget"),
        (NoAnswer("filtered", is_refusal=True), "refused"),
    ],
)
def test_what_no_repair_mends_goes_to_the_next_model(failure: ModelError, kind: str) -> None:
    clock = Clock()
    first, second = Says("a", clock, [failure]), Says("b", clock, [GOOD])
    answer = asked([first, second], clock)

    assert answer.reply is not None
    assert [(a.kind, a.model, a.failure) for a in answer.attempts] == [("first", "a", kind), ("failover", "b", None)]
    assert answer.problem == str(failure)


def test_a_model_with_another_behind_it_gets_a_share_of_the_time_and_the_last_one_the_rest() -> None:
    clock = Clock()
    first, second = Says("a", clock, [Unavailable("late")], takes_s=99), Says("b", clock, [GOOD])
    asked([first, second], clock, time_s=10.0)

    assert first.budgets == [pytest.approx(10 * FIRST_SHARE)]
    assert second.budgets == [pytest.approx(10 * (1 - FIRST_SHARE))]


def test_one_repair_a_turn_whoever_is_asked() -> None:
    clock = Clock()
    first, second = Says("a", clock, [UNUSABLE, UNUSABLE]), Says("b", clock, [UNUSABLE])
    answer = asked([first, second], clock)

    assert answer.reply is None
    assert [(a.kind, a.model) for a in answer.attempts] == [("first", "a"), ("repair", "a"), ("failover", "b")]


def test_without_time_for_another_model_none_is_asked() -> None:
    clock = Clock()
    first, second = Says("a", clock, [NoAnswer("blank")], takes_s=9.5), Says("b", clock, [GOOD])
    answer = asked([first, second], clock, time_s=6.0 / FIRST_SHARE)

    assert answer.reply is not None
    assert [a.model for a in answer.attempts] == ["a", "b"]

    late = Says("b", clock, [GOOD])
    answer = asked([Says("a", clock, [NoAnswer("blank")], takes_s=1.5), late], clock, time_s=2.0)
    assert (answer.reply, late.requests) == (None, [])


def test_a_fault_of_ours_in_one_model_is_no_reason_not_to_ask_the_next() -> None:
    class Broken(Says):
        async def ask(self, request: ChatRequest, *, budget_s: float) -> ChatReply:
            raise OverflowError("10 ** 400")

    clock = Clock()
    answer = asked([Broken("a", clock, []), Says("b", clock, [GOOD])], clock)

    assert answer.reply is not None
    assert [(a.model, a.failure) for a in answer.attempts] == [("a", "unavailable"), ("b", None)]
    assert answer.problem == "a: unexpected OverflowError"


def test_too_little_time_to_share_goes_to_the_first_model_whole() -> None:
    clock = Clock()
    first, second = Says("a", clock, [GOOD]), Says("b", clock, [GOOD])
    asked([first, second], clock, time_s=2.4)

    assert first.budgets == [pytest.approx(2.4)]


def test_a_model_that_breaks_its_promise_is_late_and_the_next_one_is_asked() -> None:
    class Endless(Says):
        async def ask(self, request: ChatRequest, *, budget_s: float) -> ChatReply:
            await asyncio.Event().wait()
            raise AssertionError("unreachable")

    async def run() -> Answer:
        clock = asyncio.get_running_loop().time
        models = [Endless("a", Clock(), []), Says("b", Clock(), [GOOD])]
        return await ask(question(), models, ends=clock() + 3.0, clock=clock)

    answer = asyncio.run(run())
    assert answer.reply is not None
    assert answer.attempts[0].failure == "late"
    assert "did not keep its budget" in answer.problem
