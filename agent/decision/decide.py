"""The chain of one decision: floor, facts, rule, model, check. It never raises and never returns late.

Every stage leaves a better answer than the one before: the legal floor exists before anything is computed, then
the pure equity rule's answer, then the model's. A `Decision` says who chose, and why the others did not.
"""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from agent.decision.asking import Answer, Attempt, Clock, Question, ask
from agent.decision.equity_desk import EquityDesk
from agent.decision.menu import Menu, build_menu, id_of
from agent.decision.prompt import PromptSet
from agent.decision.prompt_sets import PromptSets
from agent.decision.turn import Turn, work_out
from agent.decision.when import Asking
from agent.llm.chat import ChatModel
from agent.poker.facts import Facts
from agent.poker.range_words import RangeWords
from agent.poker.spot import Action, Spot, Verb
from agent.strategy.opponents import Opponents
from agent.strategy.policy.policy import Judgement, Policy
from agent.strategy.rules import call_threshold

log = logging.getLogger(__name__)

AFTER_MODEL_S: Final = 0.25
"""What is kept of the turn for the steps after the model: the answer must be ready by the deadline, not asked for."""

Source = Literal["llm", "repaired", "policy", "rule", "floor"]
Fallback = Literal["equity", "policy"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What is played and how it came about.

    `action` is None only when the offer holds nothing that may be played unasked. `facts` is None when they
    could not be computed; `rule_choice` then is the floor. `rule_margin` is how far equity is above what the rule asks
    of a call, None where checking is free. `reason` says why `source` had the last word. `prompts` is the set that is
    the hand's, whether or not a model was asked. `judgement` is the betting policy's, None where it is not used, and
    `ranges` are those it read, as `Turn` has them.
    """

    action: Action | None
    source: Source
    reason: str
    menu: Menu
    facts: Facts | None
    rule_choice: Action | None
    rule_margin: float | None = None
    prompts: PromptSet | None = None
    judgement: Judgement | None = None
    ranges: Mapping[int, RangeWords] = field(default_factory=dict)
    attempts: tuple[Attempt, ...] = ()
    model_reason: str | None = None
    elapsed_ms: float = 0.0

    def id_of(self, action: Action | None) -> str:
        """The menu id of an action, or its words when it stands on no menu."""
        return id_of(self.menu, action)


@dataclass(slots=True)
class Thinking:
    """What a decision needs besides the spot, passed in: the model and its time, prompts, equity desk and clock.

    `model` is None for play by the rule alone; `fallbacks` are asked in their order when it fails. `model_time_s`
    bounds all models' time of one turn. `opponents` are known by what they did in public. `policy` prices every action,
    None leaves that out; `fallback` tells who plays when no model does.
    """

    model: ChatModel | None
    prompts: PromptSets
    equity: EquityDesk
    clock: Clock
    model_time_s: float = 12.0
    fallbacks: tuple[ChatModel, ...] = ()
    asking: Asking = field(default_factory=Asking)
    opponents: Opponents = field(default_factory=Opponents)
    policy: Policy | None = None
    fallback: Fallback = "equity"


async def decide(spot: Spot, thinking: Thinking, *, deadline: float) -> Decision:
    """The decision for `spot`, at `deadline` (of `thinking.clock`) at the latest. Never raises."""
    started = thinking.clock()
    floor = spot.legal.floor
    decision = Decision(floor, "floor", "nothing better was ready", (), None, floor)
    try:
        decision = await _reasoned(spot, thinking, deadline)
    except Exception as error:
        log.exception("the decision failed; playing the floor")
        decision = replace(decision, reason=f"the decision failed: {type(error).__name__}")
    return replace(decision, elapsed_ms=1_000 * (thinking.clock() - started))


async def _reasoned(spot: Spot, thinking: Thinking, deadline: float) -> Decision:
    """The rule's or the policy's decision, and the model's in its place where one is asked and answers."""
    prompts = thinking.prompts.for_hand(spot.hand_id)
    if spot.hole_cards is None or not spot.opponents:
        unknown = "the server has not told our cards" if spot.hole_cards is None else "no opponent is known"
        floor = spot.legal.floor
        return Decision(floor, "floor", unknown, build_menu(spot), None, floor, prompts=prompts)
    turn = await asyncio.to_thread(work_out, spot, thinking.equity, thinking.policy, thinking.opponents)
    decision = _without_model(turn, prompts, thinking.fallback)
    threshold = call_threshold(spot, thinking.equity.margin)
    why_not = _why_no_model(decision, thinking) or thinking.asking.why_not(spot, turn.facts, threshold)
    if thinking.model is None or why_not:
        return replace(decision, reason=decision.reason or why_not or "")
    ends = min(deadline - AFTER_MODEL_S, thinking.clock() + thinking.model_time_s)
    if ends <= thinking.clock():
        return replace(decision, reason="no time was left to ask the model")
    try:
        question = Question(spot, turn.facts, turn.menu, prompts, prompts.render_turn(turn))
        answer = await ask(question, (thinking.model, *thinking.fallbacks), ends=ends, clock=thinking.clock)
    except Exception as error:
        log.exception("asking the model failed; playing the rule")
        return replace(decision, reason=f"asking the model failed: {type(error).__name__}: {error}")
    return _answered(replace(decision, attempts=answer.attempts), spot, answer)


def _without_model(turn: Turn, prompts: PromptSet, fallback: Fallback) -> Decision:
    """What is played without a model: the choice of the rule or of the policy, or the floor where the rule has none."""
    rule, judgement = turn.rule_choice, turn.judgement
    decision = Decision(
        action=rule,
        source="floor" if rule is None else "rule",
        reason="the offer holds nothing that the rule may play" if rule is None else "",
        menu=turn.menu,
        facts=turn.facts,
        rule_choice=rule,
        rule_margin=turn.rule_margin,
        prompts=prompts,
        judgement=judgement,
        ranges=turn.ranges,
    )
    if fallback == "policy" and judgement is not None and turn.spot.legal.allows(judgement.action):
        return replace(decision, action=judgement.action, source="policy")
    return decision


def _why_no_model(decision: Decision, thinking: Thinking) -> str | None:
    if thinking.model is None:
        return "no model is set"
    return "there is only one choice" if len(decision.menu) < 2 else None


def _answered(decision: Decision, spot: Spot, answer: Answer) -> Decision:
    """The decision with the model's choice, once more held against what the server offers."""
    reply, last = answer.reply, answer.attempts[-1]
    if reply is None:
        return replace(decision, reason=answer.problem)
    action = next(candidate.action for candidate in decision.menu if candidate.id == reply.choice)
    if not spot.legal.allows(action) or (action.verb is Verb.FOLD and spot.legal.check):
        return replace(decision, reason=f"the model's {action} is not legal here")
    source: Source = "repaired" if last.kind == "repair" else "llm"
    who = "the model" if last.model == answer.attempts[0].model else last.model
    why = f"{who} chose{' after a repair' if source == 'repaired' else ''}"
    return replace(decision, action=action, source=source, reason=why, model_reason=reply.reason)
