"""One chat model behind any OpenAI-compatible address.

The SDK's own timeout and retries are not used: its timeout starts anew with every byte and its retries multiply it,
so one deadline stands around everything that happens for a question.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

import openai
from openai.types.chat import ChatCompletionMessageParam

from agent.llm.body import Answered, BrokenOffError, RefusedError, read, take_refusal
from agent.llm.chat import HIDDEN, ChatReply, ChatRequest
from agent.llm.completion import Completion, read_completion, read_failed_generation
from agent.llm.errors import NO_TIME, ModelError, Rejected, Unavailable
from agent.llm.fault import Caller, Fault, diagnose, shown_url
from agent.llm.learned import Learned
from agent.llm.presets import Preset
from agent.llm.request_shape import TOKEN_LIMITS, Lesson, RequestShape
from agent.llm.second_try import second_try

log = logging.getLogger(__name__)

# A client whose calls were cancelled while they connected may have no free connection left.
_TIMEOUTS_BEFORE_NEW_CLIENT: Final = 3
# The SDK refuses an empty key; servers that need none ignore this one.
_NO_KEY: Final = "none"
_BAD_REQUEST: Final = 400
# The SDK would fill these from its own environment variables and send them to every provider.
_NOT_FROM_THE_ENVIRONMENT: Final = {"OpenAI-Organization": openai.omit, "OpenAI-Project": openai.omit}
# A reply is small; packed, it could unfold to anything.
_HEADERS: Final[Mapping[str, str | openai.Omit]] = {**_NOT_FROM_THE_ENVIRONMENT, "Accept-Encoding": "identity"}

# No text of ours has more characters to a token; fewer tokens than this share of it were counted by a server that cut.
_CHARACTERS_PER_TOKEN: Final = 4
_SHARE_READ: Final = 0.85
_SMALL_PROMPT_TOKENS: Final = 200
# One blank reply is chance, a second one in the same form is the form's fault.
_BLANKS_THAT_TEACH: Final = 2


class OpenAIChat:
    """A `ChatModel` over `openai.AsyncOpenAI` that learns from what comes back how its provider wants to be asked.

    `max_tokens` caps the reply, hidden thinking included. `temperature`, `effort` (how the provider is told how long to
    think) and `extra_body` (a person's own fields) are sent only when given.
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
        effort: Mapping[str, object] | None = None,
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
            effort=dict(effort or {}),
            extra_body=dict(extra_body or {}),
        )
        self._second_try_s = second_try_s
        self._client: _Client | None = None
        self._retired: set[_Client] = set()
        self._timeouts = 0
        self._accepted_cap: int | None = None
        self._blanks: Counter[str] = Counter()
        self._closing: set[asyncio.Task[None]] = set()
        self._warned: set[str] = set()

    @property
    def name(self) -> str:
        """Provider and model, as in `openai/gpt-5-mini`."""
        return self._caller.name

    @property
    def cap(self) -> int:
        """How many tokens the next reply may have, hidden thinking included; it grows and shrinks with what is learned."""
        return self._shape.sent_cap

    async def ask(self, request: ChatRequest, *, budget_s: float) -> ChatReply:
        """The model's reply within `budget_s` seconds; raises `ModelError`, or `CancelledError` when cancelled."""
        if not budget_s > 0:
            message = self._caller.message(0.0, "no time was left to ask", advice="start earlier or give more time")
            raise Rejected(message, parameter=NO_TIME)
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
        """Close the connections, also those of questions that are still under way."""
        self._retire_client()
        self._close(list(self._retired))
        await asyncio.gather(*self._closing)

    async def _converse(self, request: ChatRequest, ends_s: float) -> ChatReply | ModelError:
        """Ask, and ask again while there is a way of asking that may come to more."""
        now = asyncio.get_running_loop().time
        started = now()
        heard: list[Completion] = []
        silence: ModelError | None = None
        tried: set[str] = set()
        shape = self._shape
        while True:
            parameters = shape.parameters(request)
            outcome = await self._send(request, parameters)
            said = outcome if isinstance(outcome, Completion) else None
            if said is not None:
                heard.append(said)
                self._note(request, said, shape, parameters)
                if not said.is_silent:
                    self._remember(self._shape.lesson)
                    return self._reply(heard, parameters, now() - started)
            fault = outcome if isinstance(outcome, Fault) else _nothing_said(outcome)
            own = self._shape.extra_body
            failure = diagnose(fault, sent=parameters, own=own, caller=self._caller, elapsed_s=now() - started)
            if said is not None:
                silence = failure
            again = second_try(shape, failure, said, sent=parameters, accepted_cap=self._accepted_cap)
            if again is not None:
                is_new = again.wait_s > 0 or again.shape.parameters(request) != parameters
                has_time = ends_s - now() >= again.wait_s + self._second_try_s
                # What a form that is only tried teaches holds for this question alone.
                if shape == self._shape and (said is None or said.was_cut or self._has_failed(shape)):
                    self._shape = again.shape
                shape = again.shape
            if again is None or again.after in tried or not (is_new and has_time):
                # A reply without words has been paid for, whatever came of the try after it.
                return silence or failure
            if again.after != "refused":
                tried.add(again.after)
            await asyncio.sleep(again.wait_s)

    def _note(
        self, request: ChatRequest, said: Completion, shape: RequestShape, parameters: Mapping[str, object]
    ) -> None:
        """What a completion shows, whatever its words are: the cap was taken, and the form led to words or to none."""
        self._warn(request, said)
        if shape.cap in (parameters.get(name) for name in TOKEN_LIMITS):
            self._accepted_cap = shape.cap
        if not said.is_silent:
            del self._blanks[shape.lesson.structured]
        elif not said.was_cut:
            self._blanks[shape.lesson.structured] += 1

    def _has_failed(self, shape: RequestShape) -> bool:
        """Whether blank replies have come in this form often enough to give it up."""
        return self._blanks[shape.lesson.structured] >= _BLANKS_THAT_TEACH

    async def _send(self, request: ChatRequest, parameters: Mapping[str, object]) -> Completion | Fault:
        """One request and what came of it."""
        messages = [{"role": message.role, "content": message.content} for message in request.messages]
        client = self._open_client()
        client.questions += 1
        try:
            async with client.sdk.chat.completions.with_streaming_response.create(
                model=self._model,
                messages=cast("list[ChatCompletionMessageParam]", messages),
                extra_body=parameters,
                extra_headers=_HEADERS,
            ) as response:
                answered = await read(response.http_response)
        except Exception as error:
            return _failed_to_arrive(error)
        finally:
            client.questions -= 1
            self._close_idle()
        if not answered.is_whole:
            return Fault(answered.status, f"the body has more than {len(answered.text):,} characters")
        return read_completion(answered.text)

    def _reply(self, heard: Sequence[Completion], parameters: Mapping[str, object], elapsed_s: float) -> ChatReply:
        """The last of the completions; all of them are counted, since all are paid for."""
        last = heard[-1]
        own = self._shape.extra_body.keys() & parameters.keys()
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
            parameters={"model": self._model, **parameters, **dict.fromkeys(own, HIDDEN)},
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

    def _open_client(self) -> "_Client":
        if self._client is None:
            self._client = _Client(
                openai.AsyncOpenAI(
                    api_key=self._caller.secret or _NO_KEY,
                    base_url=self._caller.base_url,
                    timeout=None,
                    max_retries=0,
                    http_client=openai.DefaultAsyncHttpxClient(event_hooks={"response": [take_refusal]}),
                )
            )
        return self._client

    def _count_timeout(self) -> None:
        self._timeouts += 1
        if self._timeouts >= _TIMEOUTS_BEFORE_NEW_CLIENT:
            self._timeouts = 0
            self._retire_client()

    def _retire_client(self) -> None:
        """Make a new client for the next question; the old one ends with its last question, which may still load."""
        if self._client is not None:
            self._retired.add(self._client)
            self._client = None
            self._close_idle()

    def _close_idle(self) -> None:
        self._close([client for client in self._retired if not client.questions])

    def _close(self, clients: Iterable["_Client"]) -> None:
        """Close retired clients beside what goes on, since closing may take longer than the turn has."""
        for client in clients:
            self._retired.discard(client)
            closing = asyncio.ensure_future(client.sdk.close())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)


@dataclass(eq=False, slots=True)
class _Client:
    """A client of the SDK and how many questions are under way through it."""

    sdk: openai.AsyncOpenAI
    questions: int = 0


def _failed_to_arrive(error: Exception) -> Completion | Fault:
    """Why there is no answer to read; a plain value, cut loose from the exception and what it holds."""
    # One major of the SDK wraps what its hook raises.
    own = next((one for one in (error, error.__cause__) if isinstance(one, RefusedError | BrokenOffError)), None)
    if isinstance(own, RefusedError):
        return _refused(own.answered)
    if isinstance(own, BrokenOffError):
        return Fault(None, str(own))
    if isinstance(error, openai.APIConnectionError):
        return Fault(None, f"connection failed ({type(error.__cause__ or error).__name__})")
    # The SDK lets others through, some of which hold the key (a header that cannot be encoded).
    return Fault(None, f"unexpected {type(error).__name__}")


def _refused(answered: Answered) -> Completion | Fault:
    """What a response with an error says; some hold an answer all the same."""
    failed = read_failed_generation(answered.text) if answered.status == _BAD_REQUEST else None
    text, moved_to = answered.text, answered.moved_to or ""
    if moved_to:
        text = f"moved to {shown_url(moved_to) if '://' in moved_to else moved_to.partition('?')[0]}"
    return failed or Fault(answered.status, text, answered.retry_after_s)


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
