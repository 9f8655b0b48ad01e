"""`poker-agent logs reask`: the spot of a decision put to a model again, beside what came of it then.

Another model gets the question word for word. Another prompt set, or a decision for which no model was asked, takes the
spot from the journal's frames and renders it anew, with the opponents as they are known today. Nothing is kept.
"""

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from rich.console import Console

from agent.decision.asking import Attempt, Held, put
from agent.decision.prompt import PromptError, PromptSet, load_prompt_set
from agent.decision.prompt_sets import set_folder
from agent.decision.reply import Reply, read_reply
from agent.decision.turn import work_out
from agent.failure import ExitCode, Failure
from agent.journal.reader import DecisionStory, Reader
from agent.journal.records import DecisionRecord
from agent.kernels import warm_up
from agent.llm.chat import ChatRequest, Message
from agent.models import Adviser, build_advisers, spent_today_usd, with_model
from agent.poker.cards import CardError, parse_cards
from agent.poker.spot import Spot
from agent.remembered import spot_of
from agent.settings import Settings, SettingsError
from agent.terminal import reask as view
from agent.wiring import build_thinking, prompts_folder, recalled_opponents

_ROLES: Final[Mapping[str, Literal["system", "user", "assistant"]]] = {
    "system": "system",
    "user": "user",
    "assistant": "assistant",
}


@dataclass(frozen=True, slots=True)
class ReaskOptions:
    """What the command line asks for; `model` is PROVIDER/MODEL, None that of the settings."""

    decision: str
    model: str | None
    prompt: str | None
    yes: bool


@dataclass(frozen=True, slots=True)
class _Question:
    """What is asked: the conversation and the ids to choose from, the prompt set's name, and how it came about in words."""

    request: ChatRequest
    held: Held
    prompt: str
    origin: str


def reask(settings: Settings, out: Console, err: Console, options: ReaskOptions, *, as_json: bool) -> None:
    """Ask, and print the difference; a `Failure` where there is nothing to ask, nobody to ask, or no leave to spend."""
    with Reader(settings.journal_path) as reader:
        story = reader.decision(options.decision)
        spot = spot_of(story.decision, reader.frames_before(story))
    settings = with_model(settings, options.model)
    adviser = _adviser(settings, story.run.bot)
    question = _question(settings, err, story, spot, options.prompt)
    _ask_leave(err, adviser, question, yes=options.yes)
    attempt, reply = asyncio.run(_put(settings, adviser, question))
    told = {
        "decision": story.decision.id,
        "played": story.decision.choice,
        "source": story.decision.source,
        "question": question.origin,
        "then": _then(story.decision),
        "now": _now(attempt, reply, question),
    }
    if as_json:
        print(json.dumps(told))  # noqa: T201
    else:
        view.render_reask(out, told)
    if reply is None:
        raise Failure(f"{adviser.model.name} gave no choice that can be played", exit_code=ExitCode.FAILED)


def _adviser(settings: Settings, bot: str) -> Adviser:
    found = build_advisers(settings, spent_today_usd=spent_today_usd(settings, bot))
    if not found:
        raise SettingsError(
            "there is no model to ask: name one with --model PROVIDER/MODEL, or set LLM_PROVIDER and LLM_MODEL"
        )
    return found[0]


def _question(
    settings: Settings, err: Console, story: DecisionStory, spot: Spot | None, prompt: str | None
) -> _Question:
    """The question of then, or the spot in the words of a prompt set."""
    decision = story.decision
    if prompt is None and decision.attempts:
        return _word_for_word(decision)
    if spot is None:
        why = "the frames of this hand are no longer in the journal, or do not lead to this decision"
        hint = "; without --prompt the question of then is asked word for word" if decision.attempts else ""
        raise Failure(f"the spot cannot be rendered anew: {why}{hint}", exit_code=ExitCode.UNUSABLE)
    return _rendered(settings, err, story, spot, _prompt_set(settings, prompt or decision.prompt_set))


def _word_for_word(decision: DecisionRecord) -> _Question:
    messages = tuple(Message(_ROLES.get(role, "user"), content) for role, content in decision.attempts[0].messages)
    choices = tuple(str(entry["id"]) for entry in decision.menu if "id" in entry)
    try:
        hole, board = parse_cards(decision.hole_cards), parse_cards(decision.board)
        held = Held((hole[0], hole[1]), board, str(decision.facts.get("hand_class", "")))
        request = ChatRequest(messages, choices, decision.hand_id)
    except (CardError, IndexError, ValueError) as error:
        raise Failure(f"what the journal holds of {decision.id} is no question: {error}", exit_code=2) from None
    return _Question(request, held, decision.prompt_set, "word for word as it was asked then")


def _rendered(settings: Settings, err: Console, story: DecisionStory, spot: Spot, prompts: PromptSet) -> _Question:
    warm_up(err.print)
    thinking = build_thinking(settings, seed=story.run.seed)
    opponents = recalled_opponents(settings, bot=story.run.bot)
    try:
        turn = work_out(spot, thinking.equity, thinking.policy, opponents)
    except ValueError as error:
        raise Failure(f"nothing can be asked about this spot: {error}", exit_code=ExitCode.UNUSABLE) from None
    assert spot.hole_cards is not None
    messages = (Message("system", prompts.render_system()), Message("user", prompts.render_turn(turn)))
    request = ChatRequest(messages, tuple(candidate.id for candidate in turn.menu), spot.hand_id)
    held = Held(spot.hole_cards, spot.board, turn.facts.hand_class)
    origin = f"rendered anew with {prompts.name} {prompts.version}, opponents as they are known today"
    return _Question(request, held, prompts.name, origin)


def _prompt_set(settings: Settings, name: str) -> PromptSet:
    """The set of this name; one that is not for play too, for nobody waits here."""
    try:
        return load_prompt_set(set_folder(prompts_folder(settings), name))
    except PromptError as error:
        raise Failure(str(error), exit_code=ExitCode.UNUSABLE) from None


def _ask_leave(err: Console, adviser: Adviser, question: _Question, *, yes: bool) -> None:
    """Say who is asked and what it can cost, and wait for a word unless it costs nothing; a `Failure` for a no."""
    most = adviser.model.most_usd(question.request)
    price = "what that costs is not known" if most is None else f"that costs ${most:.5f} at most" if most else "free"
    err.print(f"{adviser.model.name} is asked, {question.origin}; {price}.", markup=False)
    if yes or most == 0:
        return
    try:
        answer = err.input("Ask? [y/N] ", markup=False)
    except EOFError:
        raise Failure("nobody said yes: add --yes where nobody can answer", exit_code=ExitCode.UNUSABLE) from None
    if answer.strip().lower() not in ("y", "yes"):
        raise Failure("nothing was asked", exit_code=ExitCode.FAILED)


async def _put(settings: Settings, adviser: Adviser, question: _Question) -> tuple[Attempt, Reply | None]:
    try:
        budget_s = adviser.first_answer_s(settings)
        return await put(adviser.model, question.request, question.held, budget_s=budget_s, clock=time.monotonic)
    finally:
        await adviser.model.aclose()


def _then(decision: DecisionRecord) -> dict[str, Any] | None:
    """What the model of then said last; None where none was asked."""
    if not decision.attempts:
        return None
    attempt, choices = decision.attempts[-1], tuple(str(entry.get("id")) for entry in decision.menu)
    reply = read_reply(attempt.reply_text, choices) if attempt.reply_text is not None else None
    return {
        "model": attempt.asked or attempt.model,
        "prompt": decision.prompt_set,
        "choice": reply.choice if reply else None,
        "reason": reply.reason if reply else None,
        "grounding": attempt.grounding,
        "problem": attempt.error,
        "latency_ms": attempt.latency_ms,
        "prompt_tokens": attempt.prompt_tokens,
        "completion_tokens": attempt.completion_tokens,
        "cost_usd": attempt.cost_usd,
    }


def _now(attempt: Attempt, reply: Reply | None, question: _Question) -> dict[str, Any]:
    said = attempt.reply
    heard = reply or (read_reply(said.text, question.request.choices) if said else None)
    return {
        "model": attempt.model,
        "prompt": question.prompt,
        "choice": heard.choice if heard else None,
        "reason": heard.reason if heard else None,
        "grounding": attempt.grounding.verdict if attempt.grounding else None,
        "problem": attempt.error,
        "latency_ms": attempt.latency_ms,
        "prompt_tokens": said.prompt_tokens if said else None,
        "completion_tokens": said.completion_tokens if said else None,
        "cost_usd": said.cost_usd if said else None,
    }
