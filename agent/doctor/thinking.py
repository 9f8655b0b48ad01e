"""What decides at the table: the language model, asked once as in play, its time, and the prompt set."""

import asyncio
import contextlib
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from agent.decision.modes import AskMode
from agent.doctor.finding import Finding, Surroundings, failed, ok, skipped, warning
from agent.llm.chat import ChatReply
from agent.llm.errors import ModelError, NoAnswer, OverBudget, Rejected, SwitchedOff
from agent.llm.presets import PRESETS
from agent.llm.warmth import QUESTION, warm_up
from agent.settings import Settings, SettingsError

if TYPE_CHECKING:
    from agent.models import Adviser

# The parts are imported where they are used: all of them load the compiled kernels, which have a check of their own.

GRACE_S: Final = 3.0
"""How much longer than its own time the model is waited for."""

REST_OF_TURN_S: Final = 0.5
"""What a turn takes beside the model: equity, prompt, checks and sending."""


async def model(around: Surroundings) -> Finding:
    """Whether the model gives a usable answer to one small question, in which form, how fast and at what price."""
    settings = around.settings
    if settings.llm_provider is None:
        return failed(
            "model",
            "LLM_PROVIDER is not set",
            why="poker-agent play wants to know which model decides",
            remedy="name the model's provider in .env (see .env.example), or set LLM_PROVIDER=none to play by the rule",
        )
    if settings.llm_provider == "none":
        return skipped("model", "not asked", why="LLM_PROVIDER=none: the equity rule plays alone")
    try:
        return await _examined("model", 0, settings)
    except SettingsError as error:
        return failed("model", str(error), why="the model cannot be asked like this", remedy="set it in .env")


async def time_to_think(around: Surroundings) -> Finding:
    """Whether a turn has room for all of the model's time."""
    settings = around.settings
    turn_s = settings.open_poker_clock_s - settings.open_poker_margin_s
    figures = {"turn_s": turn_s, "model_s": settings.llm_timeout_s}
    if settings.llm_provider in (None, "none") or settings.llm_mode is AskMode.NEVER:
        return ok("time", f"a turn is answered after {turn_s:g} s at the latest, without a model", **figures)
    if turn_s - REST_OF_TURN_S < settings.llm_timeout_s:
        return warning(
            "time",
            f"a turn has {turn_s:g} s, and the model may think for {settings.llm_timeout_s:g} s",
            why="OPEN_POKER_CLOCK_S less OPEN_POKER_MARGIN_S is all there is: a slower answer is cut off, and the rule plays",
            remedy="lower LLM_TIMEOUT_S or OPEN_POKER_MARGIN_S; OPEN_POKER_CLOCK_S must stay the venue's clock",
            **figures,
        )
    return ok("time", f"a turn has {turn_s:g} s, the model up to {settings.llm_timeout_s:g} s of it", **figures)


async def fallbacks(around: Surroundings) -> Finding:
    """Whether each model of LLM_FALLBACKS answers too; the first one that does not is told."""
    settings, name = around.settings, "fallbacks"
    if settings.llm_provider in (None, "none") or not settings.llm_fallbacks:
        return skipped(name, "none", why="LLM_FALLBACKS is not set: when the model fails, the equity rule plays")
    try:
        findings = [await _examined(name, number, settings) for number in range(1, len(settings.llm_fallbacks) + 1)]
    except SettingsError as error:
        return failed(name, str(error), why="the models cannot be asked like this", remedy="set it in .env")
    worst = next(
        (finding for status in ("failed", "warning") for finding in findings if finding.status == status), None
    )
    return worst or ok(name, "; ".join(finding.what for finding in findings))


async def _examined(check: str, number: int, settings: Settings) -> Finding:
    """One adviser asked as in play; `number` 0 is the model, the others are its fallbacks."""
    from agent.models import build_advisers

    # Built for each question: connections belong to the task that opened them and are closed with it.
    adviser = build_advisers(settings)[number]
    name, budget_s = adviser.model.name, adviser.first_answer_s(settings)
    try:
        reply = await _ask(adviser, budget_s, turn_s=settings.llm_timeout_s)
    except ModelError as error:
        return _failure(check, name, error)
    except TimeoutError:
        return failed(
            check,
            f"{name} gave no answer",
            why=f"not even its own deadline ended the call after {budget_s:g} s",
            remedy="check LLM_BASE_URL and the network",
        )
    return _judged(check, adviser, reply, settings)


async def _ask(adviser: "Adviser", budget_s: float, *, turn_s: float) -> ChatReply:
    """The reply to the small question; a local model that took its time to load is asked again once it is there."""
    try:
        async with asyncio.timeout(budget_s + GRACE_S):
            reply = await warm_up(adviser.model, budget_s=budget_s)
        if not adviser.is_local or reply.latency_ms < 1000 * turn_s / 2:
            return reply
        async with asyncio.timeout(turn_s + GRACE_S):
            return await warm_up(adviser.model, budget_s=turn_s)
    finally:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GRACE_S):
                await adviser.model.aclose()


def _failure(check: str, name: str, error: ModelError) -> Finding:
    """What an error of the tree means; its text ends with what to do."""
    match error:
        case SwitchedOff():
            what, then = "refuses us", "until then the equity rule plays alone"
        case Rejected():
            what, then = "refuses the request", "LLM_EXTRA_BODY and LLM_TEMPERATURE are what the environment adds to it"
        case OverBudget():
            what, then = "may not be asked", "the caps are LLM_CAP_HAND_USD, LLM_CAP_DAY_USD and LLM_CAP_RUN_USD"
        case NoAnswer():
            what, then = "answers without an answer", "a model that thinks needs some thousands of LLM_MAX_TOKENS"
        case _:
            what, then = "is not to be had", "a local model may need one slow call to load: then try again"
    why, _, advice = str(error).rpartition("; ")
    return failed(check, f"{name} {what}", why=why or advice, remedy=f"{advice}; {then}", kind=type(error).__name__)


def _judged(check: str, adviser: "Adviser", reply: ChatReply, settings: Settings) -> Finding:
    """What a reply is worth: usable and in time, or not."""
    from agent.decision.reply import read_reply

    name, details = adviser.model.name, _figures(adviser, reply)
    read = read_reply(reply.text, QUESTION.choices)
    if read.choice is None:
        cut = reply.finish_reason == "length"
        return failed(
            check,
            f"{name} answers, but not with one of the offered actions",
            why=read.problem,
            remedy="raise LLM_MAX_TOKENS: the reply was cut" if cut else "try another LLM_MODEL, best one for JSON",
            **details,
        )
    seconds, form = reply.latency_ms / 1000, details["form"]
    if seconds > settings.llm_timeout_s / 2:
        return warning(
            check,
            f"{name} takes {seconds:.1f} s for a tiny question, of the {settings.llm_timeout_s:g} s a turn has",
            why="real prompts are longer, and what comes too late is decided by the rule",
            remedy="try again (a first call may load the model), choose a faster LLM_MODEL or raise LLM_TIMEOUT_S",
            **details,
        )
    words = f"{name} chooses {read.choice} after {seconds:.2f} s, asked with {form}; {_price(adviser)}"
    return ok(check, words, **details)


def _figures(adviser: "Adviser", reply: ChatReply) -> dict[str, Any]:
    """The form of the request that the provider took, which the real turns then use too, and what it cost."""
    wanted = reply.parameters.get("response_format")
    unwanted = "tool" if "tools" in reply.parameters else "plain"
    structured = str(wanted.get("type")) if isinstance(wanted, dict) else unwanted
    first = PRESETS[adviser.model.name.partition("/")[0]].structured
    form = structured if structured == first else f"{structured} ({first} was refused)"
    price = adviser.price
    return {
        "model": reply.model,
        "form": form,
        "parameters": sorted(set(reply.parameters) - {"model"}),
        "latency_ms": round(reply.latency_ms),
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "reasoning_tokens": reply.reasoning_tokens,
        "finish_reason": reply.finish_reason,
        "cost_usd": reply.cost_usd,
        "price_per_million_tokens_usd": asdict(price.price) if price else None,
        "price_of": price.date.isoformat() if price else None,
    }


def _price(adviser: "Adviser") -> str:
    """The price in words; what is not known cannot be capped."""
    if adviser.price is not None:
        price = adviser.price
        words = f"${price.price.input_usd:g} in and ${price.price.output_usd:g} out a million tokens"
        return f"{words} (list price of {price.date})"
    return "costs nothing" if adviser.is_local else "its price is not known: LLM_PRICES can name it"


async def prompts(around: Surroundings) -> Finding:
    """Whether the prompt sets load and render."""
    from agent.decision.prompt import PromptError
    from agent.wiring import load_prompts, prompts_folder

    folder, named = prompts_folder(around.settings), around.settings.prompt_set
    try:
        found = load_prompts(around.settings)
    except PromptError as error:
        return failed(
            "prompts",
            f"the prompt set {named} cannot be used" + (f": line {error.line}" if error.line else ""),
            why=str(error),
            remedy="correct the file, or point PROMPTS_DIR and PROMPT_SET at a set that works; prompts/default does",
            folder=str(folder),
            line=error.line,
        )
    words = " and ".join(f"{one.name} {one.version}" for one in found.sets)
    return ok(
        "prompts",
        f"{words}: every file loads and renders",
        folder=str(folder),
        hash=found.hash,
        versions={one.name: one.version for one in found.sets},
    )
