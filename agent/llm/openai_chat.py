"""One chat model behind any OpenAI-compatible address.

The SDK's own timeout and retries are not used: its timeout starts anew with every byte and its retries multiply it,
so one deadline stands around everything that happens for a question.
"""

import asyncio
import math
from collections.abc import Mapping
from typing import Final, cast

import openai
from openai.types.chat import ChatCompletionMessageParam

from agent.llm.chat import ChatReply, ChatRequest
from agent.llm.completion import Completion, read_completion
from agent.llm.errors import ModelError, Rejected, Unavailable
from agent.llm.fault import Caller, Fault, diagnose
from agent.llm.presets import Preset
from agent.llm.request_shape import RequestShape

# A client whose calls were cancelled while they connected may have no free connection left.
_TIMEOUTS_BEFORE_NEW_CLIENT: Final = 3
# The SDK refuses an empty key; servers that need none ignore this one.
_NO_KEY: Final = "none"
# The SDK would fill these from its own environment variables and send them to every provider.
_NOT_FROM_THE_ENVIRONMENT: Final = {"OpenAI-Organization": openai.omit, "OpenAI-Project": openai.omit}


class OpenAIChat:
    """A `ChatModel` over `openai.AsyncOpenAI` that learns from refusals which parameters its provider takes.

    `max_tokens` caps the reply, hidden thinking included. `temperature` and `extra_body` are sent only when given.
    After a refusal the request is changed and sent again if at least `second_try_s` of the budget is left.
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
        second_try_s: float = 2.0,
    ) -> None:
        self._model = model
        self._caller = Caller(name=f"{preset.name}/{model}", base_url=base_url, secret=api_key)
        self._shape = RequestShape(
            structured=preset.structured,
            token_limit=preset.token_limit,
            max_tokens=max_tokens,
            temperature=temperature if preset.temperature_ok else None,
            extra_body=dict(extra_body or {}),
        )
        self._second_try_s = second_try_s
        self._client: openai.AsyncOpenAI | None = None
        self._timeouts = 0
        self._closing: set[asyncio.Task[None]] = set()

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
            outcome = Unavailable(self._caller.message(budget_s, "no answer in time", advice=advice))
        # Raised here and not where it was met, so that no exception of the SDK hangs on as its context.
        if isinstance(outcome, ModelError):
            raise outcome
        return outcome

    async def aclose(self) -> None:
        """Close the connections."""
        self._retire_client()
        await asyncio.gather(*self._closing)

    async def _converse(self, request: ChatRequest, ends_s: float) -> ChatReply | ModelError:
        """Ask, and ask again in a smaller shape while refusals name what to leave out."""
        now = asyncio.get_running_loop().time
        started = now()
        while True:
            shape = self._shape
            parameters = shape.parameters(request)
            outcome = await self._send(request, parameters)
            elapsed_s = now() - started
            if isinstance(outcome, Completion):
                return self._reply(outcome, parameters, elapsed_s)
            failure = diagnose(outcome, sent=parameters, caller=self._caller, elapsed_s=elapsed_s)
            if not isinstance(failure, Rejected) or failure.parameter not in parameters:
                return failure
            self._shape = shape.without(failure.parameter)
            if ends_s - now() < self._second_try_s or self._shape.parameters(request) == parameters:
                return failure

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
            return Fault(error.status_code, error.response.text, _retry_after_s(error.response.headers))
        except openai.APIConnectionError as error:
            return Fault(None, f"connection failed ({type(error.__cause__ or error).__name__})")
        except Exception as error:
            # The SDK lets others through, some of which hold the key (a header that cannot be encoded).
            return Fault(None, f"unexpected {type(error).__name__}")
        return read_completion(response.text)

    def _reply(self, completion: Completion, parameters: Mapping[str, object], elapsed_s: float) -> ChatReply:
        return ChatReply(
            text=completion.text,
            model=completion.model or self._model,
            finish_reason=completion.finish_reason,
            latency_ms=elapsed_s * 1000,
            prompt_tokens=completion.prompt_tokens,
            completion_tokens=completion.completion_tokens,
            reasoning_tokens=completion.reasoning_tokens,
            cached_tokens=completion.cached_tokens,
            parameters={"model": self._model, **parameters},
        )

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
