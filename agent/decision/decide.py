"""The chain of one decision: floor, facts, rule, model, check. It never raises and never returns late.

Every stage leaves a better answer than the one before: the legal floor exists before anything is computed, then
the pure equity rule's answer, then the model's. A `Decision` says who chose, and why the others did not.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Literal

from agent.decision.equity_desk import EquityDesk
from agent.decision.menu import Candidate, Menu, build_menu, matching
from agent.decision.prompt import PromptSet
from agent.decision.reply import Reply, read_reply
from agent.llm.chat import ChatModel, ChatReply, ChatRequest, Message
from agent.llm.errors import ModelError, NoAnswer
from agent.poker.facts import Facts, gather
from agent.poker.spot import Action, Spot, Verb
from agent.strategy.rules import pure_equity_rule

log = logging.getLogger(__name__)

REPAIR_NEEDS_S: Final = 1.0
GRACE_S: Final = 0.05
AFTER_MODEL_S: Final = 0.25
"""What is kept of the turn for the steps after the model: the answer must be ready by the deadline, not asked for."""

Source = Literal["llm", "repaired", "rule", "floor"]
Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One question to the model and what came of it: a reply, or the error."""

    kind: Literal["first", "repair"]
    messages: tuple[Message, ...]
    latency_ms: float
    reply: ChatReply | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """What is played and how it came about.

    `action` is None only when the offer holds nothing that may be played unasked. `facts` is None when they
    could not be computed; `rule_choice` then is the floor. `reason` says why `source` had the last word.
    """

    action: Action | None
    source: Source
    reason: str
    menu: Menu
    facts: Facts | None
    rule_choice: Action | None
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

    `model` is None for play by the rule alone. `model_time_s` bounds all model time of one turn.
    """

    model: ChatModel | None
    prompts: PromptSet
    equity: EquityDesk
    clock: Clock
    model_time_s: float = 12.0


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
    floor, menu = spot.legal.floor, build_menu(spot)
    if spot.hole_cards is None:
        return Decision(floor, "floor", "the server has not told our cards", menu, None, floor)
    if not spot.opponents:
        return Decision(floor, "floor", "no opponent is known", menu, None, floor)
    equity = await asyncio.to_thread(thinking.equity.measure, spot)
    facts, rule = gather(spot, equity), pure_equity_rule(spot, equity.equity, thinking.equity.margin)
    decision = Decision(rule, "rule", "", menu, facts, rule)
    if rule is None:
        decision = replace(decision, source="floor", reason="the offer holds nothing that the rule may play")
    if thinking.model is None:
        return replace(decision, reason=decision.reason or "no model is set")
    if len(menu) < 2:
        return replace(decision, reason=decision.reason or "there is only one choice")
    budget_ends = min(deadline - AFTER_MODEL_S, thinking.clock() + thinking.model_time_s)
    if budget_ends <= thinking.clock():
        return replace(decision, reason="no time was left to ask the model")
    try:
        return await _asked(decision, spot, thinking, thinking.model, budget_ends)
    except Exception as error:
        log.exception("asking the model failed; playing the rule")
        return replace(decision, reason=f"asking the model failed: {type(error).__name__}: {error}")


async def _asked(decision: Decision, spot: Spot, thinking: Thinking, model: ChatModel, ends: float) -> Decision:
    """The decision after asking the model: its choice, its repaired choice, or the rule's with the reason."""
    menu, facts = decision.menu, decision.facts
    assert facts is not None
    question = thinking.prompts.render_turn(spot, facts, menu, decision.id_of(decision.rule_choice))
    messages = (Message("system", thinking.prompts.render_system()), Message("user", question))
    first, reply, problem = await _ask(model, "first", messages, menu, ends, thinking.clock)
    decision = replace(decision, attempts=(first,), reason=problem)
    if reply.choice is not None:
        return _chosen(decision, spot, reply, "llm", "the model chose")
    if not reply.problem or ends - thinking.clock() < REPAIR_NEEDS_S:
        return decision
    said = (Message("assistant", first.reply.text),) if first.reply and first.reply.text.strip() else ()
    messages = (*messages, *said, Message("user", thinking.prompts.render_repair(reply.problem, menu)))
    second, reply, problem = await _ask(model, "repair", messages, menu, ends, thinking.clock)
    decision = replace(decision, attempts=(first, second), reason=f"{decision.reason}; after a repair: {problem}")
    if reply.choice is None:
        return decision
    return _chosen(decision, spot, reply, "repaired", "the model chose after a repair")


async def _ask(
    model: ChatModel,
    kind: Literal["first", "repair"],
    messages: tuple[Message, ...],
    menu: Menu,
    ends: float,
    clock: Clock,
) -> tuple[Attempt, Reply, str]:
    """One question: the attempt, the reply as understood, and what went wrong. A problem in the reply can be repaired."""
    choices, began = tuple(candidate.id for candidate in menu), clock()
    budget_s = max(0.0, ends - began)
    try:
        # The model promises to keep its budget; the turn does not depend on that promise.
        async with asyncio.timeout(budget_s + GRACE_S):
            answer = await model.ask(ChatRequest(messages, choices), budget_s=budget_s)
    except (ModelError, TimeoutError) as error:
        said = str(error) or f"{model.name} did not keep its budget of {budget_s:.1f} s"
        attempt = Attempt(kind, messages, 1_000 * (clock() - began), error=said)
        return attempt, Reply(None, problem=said if isinstance(error, NoAnswer) else ""), said
    reply = read_reply(answer.text, choices)
    return Attempt(kind, messages, answer.latency_ms, reply=answer), reply, reply.problem


def _chosen(decision: Decision, spot: Spot, reply: Reply, source: Source, why: str) -> Decision:
    """The decision with the model's choice, once more held against what the server offers."""
    candidate: Candidate = next(c for c in decision.menu if c.id == reply.choice)
    if not spot.legal.allows(candidate.action) or (candidate.action.verb is Verb.FOLD and spot.legal.check):
        return replace(decision, reason=f"the model's {candidate.action} is not legal here")
    return replace(decision, action=candidate.action, source=source, reason=why, model_reason=reply.reason)
