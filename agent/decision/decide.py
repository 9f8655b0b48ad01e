"""The chain of one decision: floor, facts, rule, model, check. It never raises and never returns late.

Every stage leaves a better answer than the one before: the legal floor exists before anything is computed, then
the pure equity rule's answer, then the model's. A `Decision` says who chose, and why the others did not.
"""

import asyncio
import logging
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from agent.decision.asking import Answer, Attempt, Clock, Question, ask
from agent.decision.equity_desk import EquityDesk
from agent.decision.menu import Menu, build_menu, matching
from agent.decision.prompt import PromptSet
from agent.decision.prompt_sets import PromptSets
from agent.decision.when import Asking
from agent.llm.chat import ChatModel
from agent.poker.facts import Facts, gather
from agent.poker.report import EquityReport
from agent.poker.spot import Action, Spot, Verb
from agent.strategy.opponents import Opponents
from agent.strategy.policy.policy import Judgement, Policy
from agent.strategy.rules import call_threshold, pure_equity_rule

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
    the hand's, whether or not a model was asked. `judgement` is the betting policy's, None where it is not used.
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
    attempts: tuple[Attempt, ...] = ()
    model_reason: str | None = None
    elapsed_ms: float = 0.0

    def id_of(self, action: Action | None) -> str:
        """The menu id of an action, or its words when it stands on no menu."""
        if action is None:
            return "nothing"
        candidate = matching(self.menu, action)
        return candidate.id if candidate else str(action)


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
    """The rule's decision, and the model's in its place where one is asked and answers."""
    decision = await _by_rule(spot, thinking)
    if decision.facts is None:
        return decision
    threshold = call_threshold(spot, thinking.equity.margin)
    why_not = _why_no_model(decision, thinking) or thinking.asking.why_not(spot, decision.facts, threshold)
    if thinking.model is None or why_not:
        return replace(decision, reason=decision.reason or why_not or "")
    ends = min(deadline - AFTER_MODEL_S, thinking.clock() + thinking.model_time_s)
    if ends <= thinking.clock():
        return replace(decision, reason="no time was left to ask the model")
    try:
        question = _question(decision, spot, thinking)
        answer = await ask(question, (thinking.model, *thinking.fallbacks), ends=ends, clock=thinking.clock)
    except Exception as error:
        log.exception("asking the model failed; playing the rule")
        return replace(decision, reason=f"asking the model failed: {type(error).__name__}: {error}")
    return _answered(replace(decision, attempts=answer.attempts), spot, answer)


async def _by_rule(spot: Spot, thinking: Thinking) -> Decision:
    """What is played without a model: the rule's choice, or the floor where the rule has none."""
    floor, menu, prompts = spot.legal.floor, build_menu(spot), thinking.prompts.for_hand(spot.hand_id)
    if spot.hole_cards is None or not spot.opponents:
        unknown = "the server has not told our cards" if spot.hole_cards is None else "no opponent is known"
        return Decision(floor, "floor", unknown, menu, None, floor, prompts=prompts)
    equity, judgement = await asyncio.to_thread(_judged, spot, thinking)
    margin, threshold = thinking.equity.margin, call_threshold(spot, thinking.equity.margin)
    rule = pure_equity_rule(spot, equity.equity, margin)
    decision = Decision(
        action=rule,
        source="floor" if rule is None else "rule",
        reason="the offer holds nothing that the rule may play" if rule is None else "",
        menu=menu,
        facts=gather(spot, equity),
        rule_choice=rule,
        rule_margin=None if threshold is None else equity.equity - threshold,
        prompts=prompts,
        judgement=judgement,
    )
    if thinking.fallback == "policy" and judgement is not None and spot.legal.allows(judgement.action):
        return replace(decision, action=judgement.action, source="policy")
    return decision


def _judged(spot: Spot, thinking: Thinking) -> tuple[EquityReport, Judgement | None]:
    """Equity against random hands, and what the policy makes of the spot; its failure costs nothing but itself."""
    equity = thinking.equity.measure(spot)
    if thinking.policy is None:
        return equity, None
    try:
        return equity, thinking.policy.judge(spot, thinking.opponents.of, thinking.equity.luck(spot))
    except Exception:
        log.exception("the policy failed; the rule is what there is")
        return equity, None


def _why_no_model(decision: Decision, thinking: Thinking) -> str | None:
    if thinking.model is None:
        return "no model is set"
    return "there is only one choice" if len(decision.menu) < 2 else None


def _question(decision: Decision, spot: Spot, thinking: Thinking) -> Question:
    """The turn in the words of the hand's prompt set."""
    facts, prompts = decision.facts, decision.prompts
    assert facts is not None
    assert prompts is not None
    reads = {
        player.seat: thinking.opponents.of(player.name) for player in spot.players if player.seat != spot.hero_seat
    }
    rule_choice = decision.id_of(decision.rule_choice)
    turn = prompts.render_turn(spot, facts, decision.menu, rule_choice, reads, rule_margin=decision.rule_margin)
    return Question(spot, facts, decision.menu, prompts, turn)


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
