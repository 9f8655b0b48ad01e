"""What decides at the table: the language model, asked once as in play, and the prompt set."""

import asyncio
import contextlib
from types import TracebackType
from typing import Any, Final

from agent.doctor.finding import Finding, Surroundings, failed, ok, skipped, warning
from agent.llm.chat import ChatModel, ChatReply, ChatRequest, Message
from agent.llm.errors import ModelError, NoAnswer, Rejected, SwitchedOff
from agent.llm.presets import PRESETS
from agent.settings import Settings, SettingsError

# The parts are imported where they are used: all of them load the compiled kernels, which have a check of their own.

GRACE_S: Final = 3.0
"""How much longer than its own time the model is waited for."""

QUESTION: Final = ChatRequest(
    messages=(
        Message(
            "system",
            'You play no-limit hold\'em. Answer with one JSON object and nothing else: {"id": "...", "reason": "..."}. '
            "The id is one of the offered ones, the reason at most ten words.",
        ),
        Message("user", "You hold A♠ A♥ and checking is free.\n- check: cost 0\n- raise_80: cost 80"),
    ),
    choices=("check", "raise_80"),
)


async def model(around: Surroundings) -> Finding:
    """Whether the model gives a usable answer to one small question, in which form, and how fast."""
    from agent.wiring import build_model

    settings = around.settings
    if settings.llm_provider is None:
        return failed(
            "model",
            "LLM_PROVIDER is not set",
            why="poker-agent play wants to know which model decides",
            remedy="name the model's provider in .env (see .env.example), or set LLM_PROVIDER=none to play by the rule",
        )
    try:
        chat = build_model(settings)
    except SettingsError as error:
        return failed("model", str(error), why="the model cannot be asked like this", remedy="set it in .env")
    if chat is None:
        return skipped("model", "not asked", why="LLM_PROVIDER=none: the equity rule plays alone")
    try:
        reply = await _ask(chat, settings.llm_timeout_s)
    except ModelError as error:
        return _failure(chat.name, error)
    except TimeoutError:
        return failed(
            "model",
            f"{chat.name} gave no answer",
            why=f"not even its own deadline ended the call after {settings.llm_timeout_s:g} s",
            remedy="check LLM_BASE_URL and the network",
        )
    return _judged(chat.name, reply, settings)


async def _ask(chat: ChatModel, budget_s: float) -> ChatReply:
    try:
        async with asyncio.timeout(budget_s + GRACE_S):
            return await chat.ask(QUESTION, budget_s=budget_s)
    finally:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GRACE_S):
                await chat.aclose()


def _failure(name: str, error: ModelError) -> Finding:
    """What an error of the tree means; its text ends with what to do."""
    match error:
        case SwitchedOff():
            what, then = "refuses us", "until then the equity rule plays alone"
        case Rejected():
            what, then = "refuses the request", "LLM_EXTRA_BODY and LLM_TEMPERATURE are what the environment adds to it"
        case NoAnswer():
            what, then = "answers without an answer", "a model that thinks needs some thousands of LLM_MAX_TOKENS"
        case _:
            what, then = "is not to be had", "a local model may need one slow call to load: then try again"
    why, _, advice = str(error).rpartition("; ")
    return failed("model", f"{name} {what}", why=why, remedy=f"{advice}; {then}", kind=type(error).__name__)


def _judged(name: str, reply: ChatReply, settings: Settings) -> Finding:
    """What a reply is worth: usable and in time, or not."""
    from agent.decision.reply import read_reply

    details = _figures(reply, settings.llm_provider or "")
    read = read_reply(reply.text, QUESTION.choices)
    if read.choice is None:
        cut = reply.finish_reason == "length"
        return failed(
            "model",
            f"{name} answers, but not with one of the offered actions",
            why=read.problem,
            remedy="raise LLM_MAX_TOKENS: the reply was cut" if cut else "try another LLM_MODEL, best one for JSON",
            **details,
        )
    seconds, form = reply.latency_ms / 1000, details["form"]
    if seconds > settings.llm_timeout_s / 2:
        return warning(
            "model",
            f"{name} takes {seconds:.1f} s for a tiny question, of the {settings.llm_timeout_s:g} s a turn has",
            why="real prompts are longer, and what comes too late is decided by the rule",
            remedy="try again (a first call may load the model), choose a faster LLM_MODEL or raise LLM_TIMEOUT_S",
            **details,
        )
    return ok("model", f"{name} chooses {read.choice} after {seconds:.2f} s, asked with {form}", **details)


def _figures(reply: ChatReply, provider: str) -> dict[str, Any]:
    """The form of the request that the provider took, which the real turns then use too, and what it cost."""
    wanted = reply.parameters.get("response_format")
    structured = str(wanted.get("type")) if isinstance(wanted, dict) else "plain"
    first = PRESETS[provider].structured
    form = structured if structured == first else f"{structured} ({first} was refused)"
    return {
        "model": reply.model,
        "form": form,
        "parameters": sorted(set(reply.parameters) - {"model"}),
        "latency_ms": round(reply.latency_ms),
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "reasoning_tokens": reply.reasoning_tokens,
        "finish_reason": reply.finish_reason,
    }


async def prompts(around: Surroundings) -> Finding:
    """Whether the prompt set loads and renders."""
    from agent.decision.prompt import PromptError
    from agent.wiring import load_prompts, prompts_folder

    folder = prompts_folder(around.settings) / around.settings.prompt_set
    try:
        found = load_prompts(around.settings)
    except PromptError as error:
        line = _template_line(error.__context__)
        return failed(
            "prompts",
            f"the prompt set {around.settings.prompt_set} cannot be used" + (f": line {line}" if line else ""),
            why=str(error),
            remedy="correct the file, or point PROMPTS_DIR and PROMPT_SET at a set that works; prompts/default does",
            folder=str(folder),
            line=line,
        )
    return ok(
        "prompts",
        f"{found.name} {found.version} loads and renders",
        folder=str(folder),
        hash=found.hash,
        version=found.version,
    )


def _template_line(cause: BaseException | None) -> int | None:
    """The line of the template at which it broke, None when it did not get that far."""
    stated = getattr(cause, "lineno", None)
    if isinstance(stated, int):
        return stated
    line, trace = None, cause.__traceback__ if cause is not None else None
    while isinstance(trace, TracebackType):
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
