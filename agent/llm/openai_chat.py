"""One chat model behind any OpenAI-compatible address.

The SDK's own timeout and retries are not used: its timeout starts anew with every byte and its retries multiply it,
so one deadline stands around everything that happens for a question.
"""

import asyncio
import logging
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, cast

import openai
from openai.types.chat import ChatCompletionMessageParam

from agent.llm.chat import ChatReply, ChatRequest
from agent.llm.completion import Completion, read_completion, read_failed_generation
from agent.llm.errors import ModelError, Rejected, Unavailable
from agent.llm.fault import Caller, Fault, diagnose
from agent.llm.learned import Learned
from agent.llm.presets import Preset
from agent.llm.request_shape import Lesson, RequestShape
from agent.llm.second_try import second_try

log = logging.getLogger(__name__)

# A client whose calls were cancelled while they connected may have no free connection left.
_TIMEOUTS_BEFORE_NEW_CLIENT: Final = 3
# The SDK refuses an empty key; servers that need none ignore this one.
_NO_KEY: Final = "none"
# The SDK would fill these from its own environment variables and send them to every provider.
_NOT_FROM_THE_ENVIRONMENT: Final = {"OpenAI-Organization": openai.omit, "OpenAI-Project": openai.omit}


# No text of ours has more characters to a token; fewer tokens than this share of it were counted by a server that cut.
_CHARACTERS_PER_TOKEN: Final = 4
_SHARE_READ: Final = 0.85
_SMALL_PROMPT_TOKENS: Final = 200


class OpenAIChat:
    """A `ChatModel` over `openai.AsyncOpenAI` that learns from what comes back how its provider wants to be asked.

    `max_tokens` caps the reply, hidden thinking included. `temperature` and `extra_body` are sent only when given.
    After a refusal, a short wait that was asked for, or a reply without words, the request is sent again, changed where
    that helps, if at least `second_try_s` of the budget is left. What led to an answer is kept in `learned`.
    The client is made inside the running event loop at the first question; after `aclose` the next one makes a new
    client.
    """

    def __init__(
        self,
        preset: Preset,
        *,
        model: str,
        api_key: str,
        base_url: str,
        max_tokens: int,
        temperature: float | None = None,
        extra_body: Mapping[str, object] | None = None,
        learned: Learned | None = None,
        second_try_s: float = 2.0,
    ) -> None:
        self._model = model
        self._caller = Caller(name=f"{preset.name}/{model}", base_url=base_url, secret=api_key)
        self._learned = learned
        self._known = (learned and learned.lesson_for(base_url, model)) or Lesson(preset.structured, preset.token_limit)
        self._shape = RequestShape(
            self._known,
            max_tokens=max_tokens,
            temperature=temperature if preset.temperature_ok else None,
            closed_schema=preset.closed_schema,
            extra_body=dict(extra_body or {}),
        )
        self._second_try_s = second_try_s
        self._client: openai.AsyncOpenAI | None = None
        self._timeouts = 0
        self._closing: set[asyncio.Task[None]] = set()
        self._warned: set[str] = set()

    @property
    def name(self) -> str:
        """Provider and model, as in `openai/gpt-5-mini`."""
        return self._caller.name

    async def ask(self, request: ChatRequest, *, budget_s: float) -> ChatReply:
        """The model's reply within `budget_s` seconds; raises `ModelError`, or `CancelledError` when cancelled."""
        if not budget_s > 0:
            message = self._caller.message(0.0, "no time was left to ask", advice="start earlier or give more time")
            raise Rejected(message, parameter="budget_s")
        outcome: ChatReply | ModelError
        ends_s = asyncio.get_running_loop().time() + budget_s
        try:
            async with asyncio.timeout_at(ends_s):
                outcome = await self._converse(request, ends_s)
            self._timeouts = 0
        except TimeoutError:
            self._count_timeout()
            advice = "give it more time or choose a faster LLM_MODEL"
            outcome = Unavailable(self._caller.message(budget_s, "no answer in time", advice=advice), is_late=True)
        # Raised here and not where it was met, so that no exception of the SDK hangs on as its context.
        if isinstance(outcome, ModelError):
            raise outcome
        return outcome

    async def aclose(self) -> None:
        """Close the connections."""
        self._retire_client()
        await asyncio.gather(*self._closing)

    async def _converse(self, request: ChatRequest, ends_s: float) -> ChatReply | ModelError:
        """Ask, and ask again while there is a way of asking that may come to more."""
        now = asyncio.get_running_loop().time
        started = now()
        heard: list[Completion] = []
        silence: ModelError | None = None
        tried: set[str] = set()
        while True:
            shape = self._shape
            parameters = shape.parameters(request)
            outcome = await self._send(request, parameters)
            said = outcome if isinstance(outcome, Completion) else None
            if said is not None:
                heard.append(said)
                self._warn(request, said)
                if not said.is_silent:
                    self._remember(shape.lesson)
                    return self._reply(heard, parameters, now() - started)
            fault = outcome if isinstance(outcome, Fault) else _nothing_said(outcome)
            failure = diagnose(fault, sent=parameters, caller=self._caller, elapsed_s=now() - started)
            if said is not None:
                silence = failure
            again = second_try(shape, failure, said, sent=parameters)
            if again is not None:
                self._shape = again.shape
                is_new = again.wait_s > 0 or again.shape.parameters(request) != parameters
                has_time = ends_s - now() >= again.wait_s + self._second_try_s
            if again is None or again.after in tried or not (is_new and has_time):
                # A reply without words has been paid for, whatever came of the try after it.
                return silence or failure
            if again.after != "refused":
                tried.add(again.after)
            await asyncio.sleep(again.wait_s)

    async def _send(self, request: ChatRequest, parameters: Mapping[str, object]) -> Completion | Fault:
        """One request and what came of it."""
        messages = [{"role": message.role, "content": message.content} for message in request.messages]
        try:
            response = await self._open_client().chat.completions.with_raw_response.create(
                model=self._model,
                messages=cast("list[ChatCompletionMessageParam]", messages),
                extra_body=parameters,
                extra_headers=_NOT_FROM_THE_ENVIRONMENT,
            )
        except openai.APIStatusError as error:
            failed = read_failed_generation(error.response.text) if error.status_code == 400 else None
            return failed or Fault(error.status_code, error.response.text, _retry_after_s(error.response.headers))
        except openai.APIConnectionError as error:
            return Fault(None, f"connection failed ({type(error.__cause__ or error).__name__})")
        except Exception as error:
            # The SDK lets others through, some of which hold the key (a header that cannot be encoded).
            return Fault(None, f"unexpected {type(error).__name__}")
        return read_completion(response.text)

    def _reply(self, heard: Sequence[Completion], parameters: Mapping[str, object], elapsed_s: float) -> ChatReply:
        """The last of the completions; all of them are counted, since all are paid for."""
        last = heard[-1]
        return ChatReply(
            text=last.text,
            model=last.model or self._model,
            finish_reason=last.finish_reason,
            latency_ms=elapsed_s * 1000,
            prompt_tokens=_sum(said.prompt_tokens for said in heard),
            completion_tokens=_sum(said.completion_tokens for said in heard),
            reasoning_tokens=_sum(said.reasoning_tokens for said in heard),
            cached_tokens=_sum(said.cached_tokens for said in heard),
            total_tokens=_sum(said.total_tokens for said in heard),
            parameters={"model": self._model, **parameters},
        )

    def _remember(self, lesson: Lesson) -> None:
        """Keep what led to an answer."""
        if lesson != self._known:
            self._known = lesson
            if self._learned is not None:
                self._learned.remember(self._caller.base_url, self._model, lesson)

    def _warn(self, request: ChatRequest, said: Completion) -> None:
        """Say once what a person should know about a server that answers, but not well."""
        if said.has_thought and not said.text:
            self._warn_once(
                "%s puts all its words into its reasoning, which is no answer: set LLM_REASONING_EFFORT=none, or start "
                "the server with reasoning off",
                self.name,
            )
        written = sum(len(message.content) for message in request.messages) // _CHARACTERS_PER_TOKEN
        read = said.prompt_tokens
        if read is not None and written >= _SMALL_PROMPT_TOKENS and read < _SHARE_READ * written:
            self._warn_once(
                "%s read %d tokens of a prompt of about %d: it may cut what is longer than its context; raise that at "
                "the server (for Ollama OLLAMA_CONTEXT_LENGTH)",
                self.name,
                read,
                written,
            )

    def _warn_once(self, message: str, *values: object) -> None:
        if message not in self._warned:
            self._warned.add(message)
            log.warning(message, *values)

    def _open_client(self) -> openai.AsyncOpenAI:
        if self._client is None:
            self._client = openai.AsyncOpenAI(
                api_key=self._caller.secret or _NO_KEY, base_url=self._caller.base_url, timeout=None, max_retries=0
            )
        return self._client

    def _count_timeout(self) -> None:
        self._timeouts += 1
        if self._timeouts >= _TIMEOUTS_BEFORE_NEW_CLIENT:
            self._timeouts = 0
            self._retire_client()

    def _retire_client(self) -> None:
        """Close the client beside what goes on, since closing may take longer than the turn has."""
        if self._client is not None:
            closing = asyncio.ensure_future(self._client.close())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)
            self._client = None


def _retry_after_s(headers: Mapping[str, str]) -> float | None:
    """The wait a response asks for, in seconds; None when it names none or names a date."""
    for header, per_second in (("retry-after-ms", 1000), ("retry-after", 1)):
        try:
            wait_s = float(headers.get(header, "")) / per_second
        except ValueError:
            continue
        if math.isfinite(wait_s) and wait_s >= 0:
            return wait_s
    return None


def _nothing_said(completion: Completion) -> Fault:
    event = "the thinking left no room for it" if completion.was_cut else "it is blank"
    return Fault(200, event, finish_reason=completion.finish_reason)


def _sum(counts: Iterable[int | None]) -> int | None:
    """The sum of counts, None when one of them is not known."""
    total = 0
    for count in counts:
        if count is None:
            return None
        total += count
    return total
