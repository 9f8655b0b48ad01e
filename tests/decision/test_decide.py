import asyncio
import json
import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic
from typing import NoReturn

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.decision.decide import AFTER_MODEL_S, Decision, Thinking, decide
from agent.decision.equity_desk import EquityDesk
from agent.decision.menu import build_menu
from agent.decision.modes import AskMode
from agent.decision.prompt_sets import load_prompt_sets
from agent.decision.when import Asking
from agent.llm.chat import ChatReply, ChatRequest
from agent.llm.errors import ModelError, NoAnswer, Rejected, SwitchedOff, Unavailable
from agent.poker.report import TrialsPerStreet
from agent.poker.spot import Action, LegalActions, Spot, Verb
from agent.strategy.policy.policy import Policy
from tests.spots import facing_a_raise, heads_up, with_players

PROMPTS = load_prompt_sets(Path(__file__).parents[2] / "prompts", ["default"])
Answer = str | Exception | Callable[[], None]


@dataclass
class Scripted:
    """A model that says what it was told to say, one answer a question; time passes as it answers."""

    answers: list[Answer]
    clock: "Hands"
    takes_s: float = 1.0
    requests: list[ChatRequest] = field(default_factory=list)
    budgets: list[float] = field(default_factory=list)
    name: str = "scripted/model"

    async def ask(self, request: ChatRequest, *, budget_s: float) -> ChatReply:
        self.requests.append(request)
        self.budgets.append(budget_s)
        self.clock.now += self.takes_s
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        assert isinstance(answer, str)
        return ChatReply(answer, "model-1", "stop", 1_000 * self.takes_s, 500, 12, None, None, {"temperature": 0})

    async def aclose(self) -> None:
        """Nothing to close."""


@dataclass
class Hands:
    """A clock that is moved by hand."""

    now: float = 100.0

    def __call__(self) -> float:
        return self.now


def broken_reply(rng: random.Random, spot: Spot) -> str:
    """A reply as models write them, with none to four of the faults that they have been seen to make."""
    ids = [candidate.id for candidate in build_menu(spot)]
    answer: dict[str, object] = {
        "id": rng.choice([*ids, "bet_75", "", "CALL", " fold ", "raise to 100"]),
        "hand": rng.choice(["AA", "72o", "flush", "pair", "", "top pair, top kicker"]),
        "cards": rng.choice(["AsAh", "2c7d", "7d2c", "KsKd", "", "A♠ A♥"]),
        "reason": rng.choice(["value", 'a "quoted" word', "\u202e\ud83d\ude00", "x" * 400]),
    }
    if rng.random() < 0.2:
        answer[rng.choice(list(answer))] = rng.choice([None, 7, True, ["call"], {"id": "fold"}, 1e308, -0.0])
    if rng.random() < 0.1:
        del answer[rng.choice(list(answer))]
    text = json.dumps(answer, ensure_ascii=rng.random() < 0.5)
    for _ in range(rng.randrange(5)):
        place = rng.randrange(len(text) + 1)
        text = rng.choice(
            [
                f"```json\n{text}\n```",
                f"<think>{text}</think>{text}",
                f"<THINK>{text}",
                f"Sure! {text} I considered call.",
                text[:place],
                text[:place] + rng.choice(['"', "{", "}", "\\", "\x00", "\ufeff", "😀"]) + text[place:],
                text + text,
                "{" * rng.randrange(50) + text,
                text.replace(":", ";", 1),
            ]
        )
    return text


def decided(spot: Spot, *answers: Answer, takes_s: float = 1.0, deadline: float = 137.0) -> tuple[Decision, Scripted]:
    clock = Hands()
    model = Scripted(list(answers), clock, takes_s)
    thinking = Thinking(model, PROMPTS, EquityDesk(7, clock, method="monte-carlo"), clock)
    return asyncio.run(decide(spot, thinking, deadline=deadline)), model


STRONG = facing_a_raise(hole="AsAh")
WEAK = facing_a_raise(hole="2c7d")
DESKS = {spot: EquityDesk(7, lambda: 0.0) for spot in (STRONG, WEAK, heads_up())}


def test_the_models_choice_is_played() -> None:
    decision, model = decided(STRONG, '{"id": "raise_to_180", "reason": "value"}')

    assert (decision.source, decision.reason, decision.model_reason) == ("llm", "the model chose", "value")
    assert decision.id_of(decision.action) == "raise_to_180"
    assert decision.rule_choice == Action(Verb.CALL)
    assert model.requests[0].choices == tuple(candidate.id for candidate in decision.menu)


def test_the_prompt_holds_equity_pot_odds_and_the_trial_report() -> None:
    decision, model = decided(STRONG, '{"id": "call"}')
    question = model.requests[0].messages[-1].content
    assert decision.facts is not None
    report = decision.facts.equity

    assert f"Equity: {report.equity:.3f}" in question
    assert "Required equity: 0.400" in question
    assert (
        f"Trial report: monte-carlo, {report.trials:,} of {report.trials_asked:,} deals, {report.wins:,} wins"
        in question
    )
    assert "name 3" not in question


def test_an_unusable_reply_is_repaired_once() -> None:
    decision, model = decided(STRONG, "hm, call?", '{"id": "call", "reason": "ok"}')

    assert (decision.source, decision.action) == ("repaired", Action(Verb.CALL))
    assert [attempt.kind for attempt in decision.attempts] == ["first", "repair"]
    assert [message.role for message in model.requests[1].messages] == ["system", "user", "assistant", "user"]
    assert "no complete JSON object" in model.requests[1].messages[-1].content


def test_after_a_failed_repair_the_rule_plays_and_says_why() -> None:
    decision, _ = decided(WEAK, '{"id": "wait"}', '{"id": "again"}')

    assert (decision.source, decision.action) == ("rule", Action(Verb.FOLD))
    assert decision.reason == 'the id "wait" was not offered; after a repair: the id "again" was not offered'


def test_no_repair_is_tried_when_the_time_is_gone() -> None:
    decision, model = decided(WEAK, "nothing useful", takes_s=11.5)

    assert (decision.source, len(model.requests)) == ("rule", 1)


def test_an_empty_answer_is_asked_for_once_more() -> None:
    decision, _ = decided(STRONG, NoAnswer("blank"), '{"id": "call"}')

    assert decision.source == "repaired"


@pytest.mark.parametrize("failure", [Unavailable("down"), Rejected("no"), SwitchedOff("key"), RuntimeError("bug")])
def test_a_failing_model_leaves_the_turn_to_the_rule(failure: Exception) -> None:
    decision, model = decided(STRONG, failure)

    assert (decision.source, decision.action) == ("rule", Action(Verb.CALL))
    assert (str(failure) if isinstance(failure, ModelError) else "unexpected RuntimeError") in decision.reason
    assert len(model.requests) == 1


def test_the_models_time_is_cut_from_the_turns() -> None:
    _, model = decided(STRONG, '{"id": "call"}', deadline=105.0)

    assert model.budgets == [pytest.approx(5.0 - AFTER_MODEL_S)]


def test_a_model_that_ignores_its_budget_does_not_cost_the_turn() -> None:
    class Endless(Scripted):
        async def ask(self, request: ChatRequest, *, budget_s: float) -> ChatReply:
            await asyncio.Event().wait()
            raise AssertionError("unreachable")

    thinking = Thinking(Endless([], Hands()), PROMPTS, EquityDesk(7, monotonic), monotonic, model_time_s=0.05)
    decision = asyncio.run(decide(STRONG, thinking, deadline=monotonic() + 30))

    assert (decision.source, decision.action) == ("rule", Action(Verb.CALL))
    assert "did not keep its budget" in decision.reason


@pytest.mark.parametrize(
    ("asking", "is_asked"),
    [
        (Asking(AskMode.ALWAYS), True),
        (Asking(AskMode.NEVER), False),
        (Asking(AskMode.GREY, grey_margin=0.5, big_pot_bb=1_000), True),
        (Asking(AskMode.GREY, grey_margin=0.01, big_pot_bb=1_000), False),
        (Asking(AskMode.GREY, grey_margin=0.01, big_pot_bb=5), True),
    ],
)
def test_the_model_is_asked_where_it_is_worth_it(asking: Asking, is_asked: bool) -> None:
    clock = Hands()
    model = Scripted(['{"id": "call"}'], clock)
    thinking = Thinking(model, PROMPTS, EquityDesk(7, clock), clock, asking=asking)
    decision = asyncio.run(decide(STRONG, thinking, deadline=137.0))

    assert bool(model.requests) == is_asked
    assert decision.source == ("llm" if is_asked else "rule")
    assert is_asked or "LLM_MODE" in decision.reason


def test_the_rule_and_its_margin_stand_beside_the_models_choice() -> None:
    decision, _ = decided(STRONG, '{"id": "raise_55"}')
    assert decision.facts is not None

    assert decision.id_of(decision.rule_choice) == "call"
    assert decision.rule_margin == pytest.approx(decision.facts.equity.equity - decision.facts.required_equity - 0.03)
    assert decision.prompts is PROMPTS.sets[0]


def test_without_a_model_the_rule_plays() -> None:
    decision = asyncio.run(decide(WEAK, Thinking(None, PROMPTS, EquityDesk(7, Hands()), Hands()), deadline=137.0))

    assert (decision.source, decision.reason) == ("rule", "no model is set")


def test_without_hole_cards_the_floor_is_played() -> None:
    decision, model = decided(replace(STRONG, hole_cards=None))

    assert (decision.source, decision.action, model.requests) == ("floor", Action(Verb.FOLD), [])


def test_a_spot_that_makes_no_sense_is_answered_with_the_floor() -> None:
    decision, _ = decided(replace(STRONG, board=(1, 2)))

    assert (decision.source, decision.action) == ("floor", Action(Verb.FOLD))


def test_an_offer_of_nothing_is_not_answered() -> None:
    decision, _ = decided(replace(STRONG, legal=LegalActions()))

    assert (decision.action, decision.source) == (None, "floor")


def test_a_single_choice_is_not_worth_a_question() -> None:
    decision, model = decided(replace(heads_up(), legal=LegalActions(fold=True, check=True)))

    assert (decision.source, decision.action, model.requests) == ("rule", Action(Verb.CHECK), [])


def test_a_cancelled_decision_is_cancelled() -> None:
    class Endless(Scripted):
        async def ask(self, request: ChatRequest, *, budget_s: float) -> ChatReply:
            await asyncio.Event().wait()
            raise AssertionError("unreachable")

    async def cancelled() -> bool:
        thinking = Thinking(Endless([], Hands()), PROMPTS, EquityDesk(7, Hands()), Hands())
        task = asyncio.create_task(decide(STRONG, thinking, deadline=137.0))
        await asyncio.sleep(0.05)
        task.cancel()
        await asyncio.wait([task])
        return task.cancelled()

    assert asyncio.run(cancelled())


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60) | st.from_regex(r'\{"id": ?"(call|fold|raise_55|all_in|x)"[^{}]*\}?', fullmatch=True))
def test_whatever_a_model_says_the_action_is_legal(text: str) -> None:
    decision, _ = decided(WEAK, text, text)

    assert decision.action is not None
    assert WEAK.legal.allows(decision.action)


async def test_ten_thousand_broken_replies_lead_to_a_legal_action() -> None:
    spots, rng, clock = (STRONG, WEAK, heads_up()), random.Random(20_26), Hands()
    sources: Counter[str] = Counter()
    for number in range(10_000):
        spot = spots[number % len(spots)]
        model = Scripted([broken_reply(rng, spot), broken_reply(rng, spot)], clock, takes_s=0.0)
        thinking = Thinking(model, PROMPTS, DESKS[spot], clock)
        decision = await decide(spot, thinking, deadline=clock.now + 37.0)

        assert decision.action is not None
        assert spot.legal.allows(decision.action)
        assert not (decision.action.verb is Verb.FOLD and spot.legal.check)
        assert "failed" not in decision.reason
        sources[decision.source] += 1

    # Replies that are as good as right, that can be mended, and that cannot: all three were among them.
    assert min(sources["llm"], sources["repaired"], sources["rule"]) > 500, sources


def test_the_decision_keeps_what_was_asked_and_answered() -> None:
    decision, _ = decided(STRONG, '{"id": "call"}')
    (attempt,) = decision.attempts
    assert attempt.reply is not None
    parameters: Mapping[str, object] = attempt.reply.parameters

    assert (attempt.kind, attempt.error, attempt.latency_ms) == ("first", None, 1_000.0)
    assert (attempt.reply.prompt_tokens, parameters) == (500, {"temperature": 0})


async def test_the_loop_goes_on_while_equity_is_worked_out() -> None:
    desk = EquityDesk(7, Hands(), trials=TrialsPerStreet(preflop=2_000_000), method="monte-carlo")
    spot = with_players(dict.fromkeys(range(6), 5_000), button=0, pot=1_000)
    deciding = asyncio.create_task(decide(spot, Thinking(None, PROMPTS, desk, Hands()), deadline=1_000.0))
    turns_of_the_loop = 0
    while not deciding.done():
        turns_of_the_loop += 1
        await asyncio.sleep(0.001)

    assert deciding.result().source == "rule"
    # Some hundred milliseconds of work: were the loop held up, it would turn once or twice.
    assert turns_of_the_loop > 20


def test_the_policy_plays_when_the_owner_wants_it_and_no_model_answers() -> None:
    clock = Hands()
    strong = facing_a_raise(hole="AsAh")
    thinking = Thinking(None, PROMPTS, EquityDesk(7, clock), clock, policy=Policy(), fallback="policy")
    decision = asyncio.run(decide(strong, thinking, deadline=137.0))

    assert decision.judgement is not None
    assert (decision.source, decision.action) == ("policy", decision.judgement.action)
    assert decision.rule_choice == Action(Verb.CALL)


def test_a_policy_that_fails_leaves_the_rule() -> None:
    class Broken(Policy):
        def judge(self, *args: object, **kwargs: object) -> NoReturn:
            raise ZeroDivisionError

    clock = Hands()
    thinking = Thinking(None, PROMPTS, EquityDesk(7, clock), clock, policy=Broken(), fallback="policy")
    decision = asyncio.run(decide(STRONG, thinking, deadline=137.0))

    assert (decision.source, decision.judgement) == ("rule", None)
