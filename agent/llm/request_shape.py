"""The form a provider accepts: which parameters a request carries, and how the form changes with what comes back.

No two providers take the same request. A shape starts from a preset and shrinks with every refusal that names a
parameter, so it can change only a few times and never asks the same thing twice. What it came to is a `Lesson`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal, get_args

from agent.llm.chat import ChatRequest

Structured = Literal["json_schema", "json_object", "tool", "plain"]
"""The ladder of forms an answer may be asked in, from the top down."""

TokenLimit = Literal["max_tokens", "max_completion_tokens"]

RUNGS: Final[tuple[Structured, ...]] = get_args(Structured)
TOKEN_LIMITS: Final[tuple[TokenLimit, ...]] = get_args(TokenLimit)
TOOL: Final = "choose"

LEAST_MAX_TOKENS: Final = 16
MOST_MAX_TOKENS: Final = 100_000
"""What the cap on a reply may be set to."""

_LEAST_ROOM: Final = 4_096
_MOST_ROOM: Final = 16_384
_OTHER_LIMIT: Final[Mapping[str, TokenLimit]] = {
    "max_tokens": "max_completion_tokens",
    "max_completion_tokens": "max_tokens",
}


@dataclass(frozen=True, slots=True)
class Lesson:
    """What the answers of one model have taught: the rung it answers on, the name of the cap, what it refuses.

    `least_tokens` is the room its thinking has proved to need, 0 where the settings' cap was enough. `most_tokens` is
    the largest cap that it takes, 0 where it has refused none for its size.
    """

    structured: Structured
    token_limit: TokenLimit
    dropped: frozenset[str] = frozenset()
    least_tokens: int = 0
    most_tokens: int = 0


@dataclass(frozen=True, slots=True)
class RequestShape:
    """How to put a request to one model; each refusal leads to a new and smaller shape.

    `temperature` is sent only when it is set, since more and more models refuse it. `closed_schema` is whether the
    schema forbids other properties. `effort` is how the provider is told how long to think; `extra_body` is a person's
    own, is sent as it is and wins over the rest.
    """

    lesson: Lesson
    max_tokens: int
    temperature: float | None = None
    closed_schema: bool = True
    effort: Mapping[str, object] = field(default_factory=dict)
    extra_body: Mapping[str, object] = field(default_factory=dict)

    @property
    def cap(self) -> int:
        """How many tokens a reply may have, hidden thinking included."""
        wanted = max(self.max_tokens, self.lesson.least_tokens)
        return min(wanted, self.lesson.most_tokens) if self.lesson.most_tokens else wanted

    @property
    def sent_cap(self) -> int:
        """The cap that counts: the largest one that is sent, be it a person's own."""
        own = (self.extra_body.get(name) for name in TOKEN_LIMITS)
        return max((value for value in own if isinstance(value, int)), default=self.cap)

    def parameters(self, request: ChatRequest) -> dict[str, object]:
        """What to send beside model and messages."""
        sent: dict[str, object] = {self.lesson.token_limit: self.cap, **self._form(request)}
        if self.temperature is not None:
            sent["temperature"] = self.temperature
        sent.update(self.effort)
        sent.update(self.extra_body)
        return {name: value for name, value in sent.items() if name not in self.lesson.dropped}

    def without(self, parameter: str) -> "RequestShape":
        """The shape after `parameter` was refused: one rung down, the other spelling of the cap, or without it.

        >>> shape = RequestShape(Lesson("json_schema", "max_tokens"), 256)
        >>> shape.without("response_format").lesson.structured
        'json_object'
        >>> shape.without("max_tokens").lesson.token_limit
        'max_completion_tokens'
        """
        structured = self.lesson.structured
        if parameter == "response_format" and structured in ("json_schema", "json_object"):
            return self.lower()
        if parameter == "tools" and structured == "tool":
            return self.lower()
        token_limit = _OTHER_LIMIT.get(parameter, self.lesson.token_limit)
        return self.taught(replace(self.lesson, dropped=self.lesson.dropped | {parameter}, token_limit=token_limit))

    def lower(self) -> "RequestShape":
        """The shape one rung down the ladder, or this one at its foot."""
        below = min(RUNGS.index(self.lesson.structured) + 1, len(RUNGS) - 1)
        return self.taught(replace(self.lesson, structured=RUNGS[below]))

    def roomier(self) -> "RequestShape":
        """The shape with twice the cap, for a model whose thinking filled it; this one where the cap is large enough.

        >>> RequestShape(Lesson("plain", "max_tokens"), 256).roomier().cap
        4096
        """
        room = min(max(2 * self.cap, _LEAST_ROOM), _MOST_ROOM)
        if self.lesson.most_tokens:
            room = min(room, self.lesson.most_tokens)
        return self if room <= self.cap else self.taught(replace(self.lesson, least_tokens=room))

    def capped(self, most: int) -> "RequestShape":
        """The shape that never asks for more than `most` tokens, after a larger cap was refused.

        >>> shape = RequestShape(Lesson("plain", "max_tokens"), 16_384).capped(8_192)
        >>> shape.cap, shape.roomier().cap
        (8192, 8192)
        """
        return self.taught(replace(self.lesson, most_tokens=most))

    def taught(self, lesson: Lesson) -> "RequestShape":
        """The shape that follows `lesson`."""
        return replace(self, lesson=lesson)

    def _form(self, request: ChatRequest) -> dict[str, object]:
        """What asks for an answer in the form of the rung."""
        schema = request.schema
        if not self.closed_schema:
            del schema["additionalProperties"]
        match self.lesson.structured:
            case "json_schema":
                wanted = {"name": "choice", "strict": True, "schema": schema}
                return {"response_format": {"type": "json_schema", "json_schema": wanted}}
            case "json_object":
                return {"response_format": {"type": "json_object"}}
            case "tool":
                function = {"name": TOOL, "description": "Choose the action to play.", "parameters": schema}
                return {
                    "tools": [{"type": "function", "function": function}],
                    "tool_choice": {"type": "function", "function": {"name": TOOL}},
                }
            case "plain":
                return {}
