"""What decisions are made with: the compiled kernels, the prompts and the language model.

Importing this loads the kernels, which fails where their cache has no place: whoever imports it has to expect that.
"""

import asyncio
import tempfile
import time
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any, Final

from agent.checks.case import Case
from agent.checks.finding import Finding, failed, fine, skipped, warning
from agent.decision.prompt import PromptError
from agent.decision.reply import read_reply
from agent.kernels import warm_up
from agent.llm.breaker import Breaker
from agent.llm.chat import ChatReply, ChatRequest, Message
from agent.llm.errors import ModelError, NoAnswer, Rejected, SwitchedOff, Unavailable
from agent.poker.sampling import sample_against_random
from agent.settings import SettingsError
from agent.wiring import build_model, load_prompts, prompts_folder

CLOSE_WITHIN_S: Final = 3.0
_QUESTION: Final = ChatRequest(
    messages=(
        Message("system", 'You play poker. Answer with one JSON object: {"id": "<an id>", "reason": "<few words>"}'),
        Message(
            "user", "You hold A\u2660 A\u2665 before the flop.\n- call: call 20\n- fold: fold\nWhich id do you choose?"
        ),
    ),
    choices=("call", "fold"),
)


async def check_kernels(_: Case) -> Finding:
    """Whether the compiled kernels run, and whether the next start will find them compiled."""
    started = time.perf_counter()
    await asyncio.to_thread(warm_up, lambda _: None)
    seconds = time.perf_counter() - started
    folder = sample_against_random.stats.cache_path
    details = {"cache": folder, "seconds": round(seconds, 2)}
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        return warning(
            "kernels",
            "run, but cannot be kept compiled",
            why=f"{folder}: {error.strerror}; every start may compile them again, which takes some seconds",
            remedy="set NUMBA_CACHE_DIR to a folder that this user may write",
            **details,
        )
    return fine("kernels", f"ready in {seconds:.1f} s, cached in {folder}", **details)


async def check_prompts(case: Case) -> Finding:
    """Whether every template of the prompt set loads and renders."""
    folder = prompts_folder(case.settings) / case.settings.prompt_set
    details = {"folder": str(folder)}
    try:
        prompts = await asyncio.to_thread(load_prompts, case.settings)
    except PromptError as error:
        line = template_line(error)
        where = f" (line {line})" if line is not None else ""
        remedy = "correct that file, or choose another set with PROMPT_SET and PROMPTS_DIR"
        what = f"the prompt set {case.settings.prompt_set} cannot be used"
        return failed("prompts", what, why=f"{error}{where}", remedy=remedy, **details, line=line)
    return fine("prompts", f"{prompts.name}, version {prompts.version}", **details, hash=prompts.hash)


def template_line(error: BaseException) -> int | None:
    """The line of the template in which a prompt failed to render or to compile; None where none is known."""
    cause = error.__context__
    if cause is None:
        return None
    stated = getattr(cause, "lineno", None)
    if isinstance(stated, int):
        return stated
    return next(iter([at.tb_lineno for at in _frames(cause) if at.tb_frame.f_code.co_filename == "<template>"]), None)


def _frames(error: BaseException) -> Iterator[TracebackType]:
    at = error.__traceback__
    while at is not None:
        yield at
        at = at.tb_next


async def check_model(case: Case) -> Finding:
    """Whether the model answers one small question in time and in the form asked for."""
    settings = case.settings
    if settings.llm_provider is None:
        return failed(
            "model",
            "LLM_PROVIDER is not set",
            why="the agent does not start without it",
            remedy="name the model's provider (see .env.example), or set LLM_PROVIDER=none to play by the equity rule",
        )
    try:
        model = build_model(settings)
    except SettingsError as error:
        return failed("model", "the model's settings are not complete", why=str(error), remedy="see .env.example")
    if model is None:
        return skipped("model", "LLM_PROVIDER=none: the equity rule plays alone")
    try:
        reply = await model.ask(_QUESTION, budget_s=settings.llm_timeout_s)
    except ModelError as error:
        return _unanswered(model, error)
    finally:
        async with asyncio.timeout(CLOSE_WITHIN_S):
            await model.aclose()
    return _answered(model, reply, settings.llm_timeout_s)


def _answered(model: Breaker, reply: ChatReply, budget_s: float) -> Finding:
    details = {
        "model": model.name,
        "latency_ms": round(reply.latency_ms),
        "request_shape": request_shape(reply.parameters),
        "parameters": sorted(set(reply.parameters) - {"model"}),
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "reasoning_tokens": reply.reasoning_tokens,
    }
    understood = read_reply(reply.text, _QUESTION.choices)
    if understood.choice is None:
        remedy = "try another LLM_MODEL, or raise LLM_MAX_TOKENS for one that thinks before it answers"
        what = f"{model.name} answers in a form that cannot be used"
        return failed("model", what, why=understood.problem, remedy=remedy, **details)
    seconds = reply.latency_ms / 1000
    if seconds > budget_s / 2:
        return warning(
            "model",
            f"{model.name} is slow: {seconds:.1f} s for a small question",
            why=f"a turn takes longer, and after LLM_TIMEOUT_S={budget_s:g} the equity rule plays instead",
            remedy="raise LLM_TIMEOUT_S or choose a faster LLM_MODEL; a local one may only have been loading: try again",
            **details,
        )
    tokens = "tokens not reported"
    if reply.prompt_tokens is not None and reply.completion_tokens is not None:
        tokens = f"{reply.prompt_tokens:,} + {reply.completion_tokens:,} tokens"
    shape = details["request_shape"]
    return fine("model", f"{model.name} answers in {seconds:.1f} s, {tokens}, request as {shape}", **details)


def request_shape(parameters: Mapping[str, object]) -> str:
    """The rung of the ladder on which the request was accepted, and how it caps the reply.

    >>> request_shape({"max_tokens": 2048, "response_format": {"type": "json_object"}})
    'json_object, max_tokens'
    """
    wanted = parameters.get("response_format")
    rung = wanted.get("type") if isinstance(wanted, Mapping) else None
    caps = [name for name in ("max_tokens", "max_completion_tokens") if name in parameters]
    return ", ".join([str(rung or "plain"), *(caps or ["no cap"])])


def _unanswered(model: Breaker, error: ModelError) -> Finding:
    event, _, advice = str(error).rpartition("; ")
    details: dict[str, Any] = {"model": model.name, "error": type(error).__name__}
    match error:
        case Unavailable(retry_after_s=float()):
            what = f"{model.name} is busy"
            return warning("model", what, why=event, remedy=f"{advice}; choose a plan with higher limits", **details)
        case Unavailable():
            what = f"{model.name} did not answer"
        case SwitchedOff():
            what = f"{model.name} does not take us"
        case Rejected():
            what = f"{model.name} refuses the request"
        case NoAnswer():
            what = f"{model.name} gave no usable answer"
        case _:
            what = f"{model.name} failed"
    return failed("model", what, why=event, remedy=advice, **details)
