"""The form a provider accepts: which parameters a request carries, and how the form changes with what comes back.

No two providers take the same request. A shape starts from a preset and shrinks with every refusal that names a
parameter, so it can change only a few times and never asks the same thing twice. What it came to is a `Lesson`.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal, get_args

from agent.llm.chat import ChatRequest

Structured = Literal["json_schema", "json_object", "tool", "plain"]
"""The ladder of forms an answer may be asked in, from the top down."""

TokenLimit = Literal["max_tokens", "max_completion_tokens"]

RUNGS: Final[tuple[Structured, ...]] = get_args(Structured)
TOOL: Final = "choose"

_LEAST_ROOM: Final = 4_096
_MOST_ROOM: Final = 16_384
_OTHER_LIMIT: Final[Mapping[str, TokenLimit]] = {
    "max_tokens": "max_completion_tokens",
    "max_completion_tokens": "max_tokens",
}
# Other words by which providers call a parameter when they refuse it.
_ALIASES: Final[Mapping[str, tuple[str, ...]]] = {
    "response_format": (
        "json_schema",
        "json_object",
        "response_schema",
        "responseSchema",
        "additionalProperties",
        "response format",
        "json mode",
        "structured outputs?",
    ),
    "tools": ("tool use", "tool calling", "tool calls", "function calling", "functions", "function_declarations"),
    "tool_choice": ("tool choice",),
    "max_tokens": ("max_output_tokens", "maxOutputTokens"),
    "reasoning_effort": ("reasoningEffort", "reasoning effort", "thinking_budget", "thinking mode"),
    "chat_template_kwargs": ("enable_thinking",),
}


@dataclass(frozen=True, slots=True)
class Lesson:
    """What the answers of one model have taught: the rung it answers on, the name of the cap, what it refuses.

    `least_tokens` is the room its thinking has proved to need, 0 where the settings' cap was enough.
    """

    structured: Structured
    token_limit: TokenLimit
    dropped: frozenset[str] = frozenset()
    least_tokens: int = 0


@dataclass(frozen=True, slots=True)
class RequestShape:
    """How to put a request to one model; each refusal leads to a new and smaller shape.

    `temperature` is sent only when it is set, since more and more models refuse it. `closed_schema` is whether the
    schema forbids other properties. `extra_body` is sent as it is and wins over the rest.
    """

    lesson: Lesson
    max_tokens: int
    temperature: float | None = None
    closed_schema: bool = True
    extra_body: Mapping[str, object] = field(default_factory=dict)

    @property
    def cap(self) -> int:
        """How many tokens a reply may have, hidden thinking included."""
        return max(self.max_tokens, self.lesson.least_tokens)

    def parameters(self, request: ChatRequest) -> dict[str, object]:
        """What to send beside model and messages."""
        sent: dict[str, object] = {self.lesson.token_limit: self.cap, **self._form(request)}
        if self.temperature is not None:
            sent["temperature"] = self.temperature
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
        return self if room <= self.cap else self.taught(replace(self.lesson, least_tokens=room))

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


def named_parameter(refusal: str, sent: Iterable[str]) -> str | None:
    """The one of the `sent` parameters that the text of a refusal names first, None when it names none of them.

    Only names that were sent count, because refusals also name the parameter to use instead. `tool_choice` goes
    first wherever it stands: without it nothing is lost but the certainty that the tool is used.

    >>> named_parameter("'max_tokens' is not supported, use 'max_completion_tokens'", ["max_tokens", "temperature"])
    'max_tokens'
    """
    found: list[tuple[int, str]] = []
    for parameter in sent:
        words = "|".join((re.escape(parameter), *_ALIASES.get(parameter, ())))
        # An underscore belongs to a name: `max_tokens` is not named by `num_max_tokens`.
        if named := re.search(rf"(?<!\w)(?:{words})(?!\w)", refusal, re.IGNORECASE):
            found.append((-1 if parameter == "tool_choice" else named.start(), parameter))
    return min(found)[1] if found else None
