"""The conversation of one turn: one model after the other is asked, one bad answer is repaired, all in one budget.

Every question is an `Attempt`, whatever came of it, so that the log shows what was asked, said, misread and paid.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from agent.decision.grounding import Grounding, ground
from agent.decision.menu import Menu
from agent.decision.prompt import PromptSet
from agent.decision.reply import Reply, read_reply
from agent.llm.chat import ChatModel, ChatReply, ChatRequest, Message
from agent.llm.errors import ModelError, NoAnswer, OverBudget, Paused, Rejected, SwitchedOff, Unavailable
from agent.poker.facts import Facts
from agent.poker.spot import Spot

log = logging.getLogger(__name__)

REPAIR_NEEDS_S: Final = 1.0
NEXT_MODEL_NEEDS_S: Final = 1.0
GRACE_S: Final = 0.04
FIRST_SHARE: Final = 0.6
"""The share of the time left that a model gets while another one waits behind it, for which the rest is enough."""

Clock = Callable[[], float]
Kind = Literal["first", "repair", "failover"]
Failure = Literal[
    "late",
    "unavailable",
    "paused",
    "rejected",
    "switched off",
    "over budget",
    "refused",
    "no answer",
    "unusable",
    "misread",
]
"""What can go wrong with a question; the last three were answers that could not be played."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One question to a model and what came of it.

    `model` is the one that was asked, `reply` what it said, None when nothing came. `failure` is the kind of what went
    wrong and `error` says it in words, both None for a choice that can be played. `grounding` is None where the reply
    holds no choice. `held_usd` counts against the caps where a question without a reply may have cost something.
    """

    kind: Kind
    model: str
    messages: tuple[Message, ...]
    latency_ms: float
    reply: ChatReply | None = None
    error: str | None = None
    failure: Failure | None = None
    grounding: Grounding | None = None
    held_usd: float | None = None

    @property
    def can_be_repaired(self) -> bool:
        """Whether saying what was wrong may help: something was said, or nothing, but it was not refused."""
        return self.failure in ("no answer", "unusable", "misread")


@dataclass(frozen=True, slots=True)
class Question:
    """What a turn asks: the spot and its facts, the menu, the prompts, and the turn put into their words."""

    spot: Spot
    facts: Facts
    menu: Menu
    prompts: PromptSet
    turn: str

    @property
    def messages(self) -> tuple[Message, ...]:
        """The beginning of the conversation."""
        return Message("system", self.prompts.render_system()), Message("user", self.turn)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the conversation came to: all attempts, and the reply that is played, None when there is none."""

    attempts: tuple[Attempt, ...]
    reply: Reply | None

    @property
    def problem(self) -> str:
        """What went wrong, in words."""
        return "; ".join(
            f"after a repair: {attempt.error}" if attempt.kind == "repair" else attempt.error
            for attempt in self.attempts
            if attempt.error
        )


async def ask(question: Question, models: Sequence[ChatModel], *, ends: float, clock: Clock) -> Answer:
    """Ask the models in their order until one gives a choice that can be played; over by `ends` of `clock`.

    A reply without a legal choice, or one that misreads hero's hand, is repaired once in a turn. What no repair mends
    goes to the next model while there is time.
    """
    conversation = _Conversation(question, ends, clock)
    for number, model in enumerate(models):
        if number and conversation.left_s < NEXT_MODEL_NEEDS_S:
            break
        left_s, is_last = conversation.left_s, number == len(models) - 1
        shares = not is_last and left_s * (1 - FIRST_SHARE) >= NEXT_MODEL_NEEDS_S
        reply = await conversation.ask(model, left_s * FIRST_SHARE if shares else left_s)
        if reply is not None:
            return Answer(tuple(conversation.attempts), reply)
    return Answer(tuple(conversation.attempts), None)


class _Conversation:
    """The attempts of one turn; `left_s` is what is left of its time."""

    def __init__(self, question: Question, ends: float, clock: Clock) -> None:
        self.attempts: list[Attempt] = []
        self._question, self._ends, self._clock = question, ends, clock

    @property
    def left_s(self) -> float:
        return max(0.0, self._ends - self._clock())

    async def ask(self, model: ChatModel, budget_s: float) -> Reply | None:
        """The reply of one model that can be played, repaired if it has to be; None when there is none."""
        began, messages = self._clock(), self._question.messages
        reply = await self._put(model, "failover" if self.attempts else "first", messages, budget_s)
        attempt = self.attempts[-1]
        left_s = min(self.left_s, budget_s - (self._clock() - began))
        is_first_repair = all(earlier.kind != "repair" for earlier in self.attempts)
        if reply is not None or not (attempt.can_be_repaired and is_first_repair and left_s >= REPAIR_NEEDS_S):
            return reply
        said = (Message("assistant", attempt.reply.text),) if attempt.reply and attempt.reply.text.strip() else ()
        repair = Message("user", self._question.prompts.render_repair(attempt.error or "", self._question.menu))
        return await self._put(model, "repair", (*messages, *said, repair), left_s)

    async def _put(self, model: ChatModel, kind: Kind, messages: tuple[Message, ...], budget_s: float) -> Reply | None:
        """One question; the reply when it can be played, and an attempt in any case."""
        question = self._question
        assert question.spot.hole_cards is not None
        held = Held(question.spot.hole_cards, question.spot.board, question.facts.hand_class)
        request = ChatRequest(messages, tuple(candidate.id for candidate in question.menu), question.spot.hand_id)
        attempt, reply = await put(model, request, held, kind=kind, budget_s=budget_s, clock=self._clock)
        self.attempts.append(attempt)
        return reply


@dataclass(frozen=True, slots=True)
class Held:
    """What hero holds, which a reply has to know; `hand_class` is what it has to repeat."""

    hole_cards: tuple[int, int]
    board: tuple[int, ...]
    hand_class: str


async def put(
    model: ChatModel, request: ChatRequest, held: Held, *, kind: Kind = "first", budget_s: float, clock: Clock
) -> tuple[Attempt, Reply | None]:
    """Put one question to a model, whatever comes of it; the reply when it can be played."""
    began = clock()
    try:
        # The model promises to keep its budget; the turn does not depend on that promise.
        async with asyncio.timeout(budget_s + GRACE_S):
            said = await model.ask(request, budget_s=budget_s)
    except Exception as error:
        took_ms = 1_000 * (clock() - began)
        return _failed(kind, model.name, request.messages, took_ms, budget_s, error), None
    attempt = Attempt(kind, model.name, request.messages, said.latency_ms, said)
    reply = read_reply(said.text, request.choices)
    if reply.choice is None:
        return replace(attempt, error=reply.problem, failure="unusable"), None
    grounding = ground(reply, held.hole_cards, held.board, held.hand_class)
    attempt = replace(attempt, grounding=grounding)
    if grounding.verdict == "misread":
        return replace(attempt, error=grounding.problem, failure="misread"), None
    return attempt, reply


def _failed(
    kind: Kind, model: str, messages: tuple[Message, ...], took_ms: float, budget_s: float, error: Exception
) -> Attempt:
    """The attempt that an error ended; one that is no `ModelError` is a fault of ours and in the log whole."""
    words = str(error)
    if isinstance(error, TimeoutError):
        words = f"{model} did not keep its budget of {budget_s:.1f} s"
    elif not isinstance(error, ModelError):
        log.error("asking %s failed", model, exc_info=error)
        words = f"{model}: unexpected {type(error).__name__}"
    held_usd = error.held_usd if isinstance(error, ModelError) else None
    return Attempt(kind, model, messages, took_ms, error=words, failure=_kind_of(error), held_usd=held_usd)


def _kind_of(error: Exception) -> Failure:
    match error:
        case NoAnswer():
            return "refused" if error.is_refusal else "no answer"
        case Paused():
            return "paused"
        case OverBudget():
            return "over budget"
        case SwitchedOff():
            return "switched off"
        case Rejected():
            return "rejected"
        case Unavailable(is_late=True) | TimeoutError():
            return "late"
        case _:
            return "unavailable"
