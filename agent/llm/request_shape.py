"""The form a provider accepts: which parameters a request carries, and which of them a refusal tells us to drop.

No two providers take the same request. A shape starts from a preset and shrinks with every refusal that names a
parameter, so it can change only a few times and never asks the same thing twice.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from agent.llm.chat import ChatRequest

Structured = Literal["json_schema", "json_object", "plain"]
TokenLimit = Literal["max_tokens", "max_completion_tokens"]

_NEXT_RUNG: Final[Mapping[Structured, Structured]] = {"json_schema": "json_object", "json_object": "plain"}
_OTHER_LIMIT: Final[Mapping[str, TokenLimit]] = {
    "max_tokens": "max_completion_tokens",
    "max_completion_tokens": "max_tokens",
}
# Other words by which providers call a parameter when they refuse it.
_ALIASES: Final[Mapping[str, tuple[str, ...]]] = {
    "response_format": ("json_schema", "json_object", "response_schema", "responseSchema", "additionalProperties"),
    "max_tokens": ("max_output_tokens", "maxOutputTokens"),
}


@dataclass(frozen=True, slots=True)
class RequestShape:
    """How to put a request to one model; each refusal leads to a new and smaller shape.

    `structured` is the rung of the ladder schema, any JSON object, plain text. `temperature` is sent only when it
    is set, since more and more models refuse it. `extra_body` is sent as it is and wins over the rest.
    """

    structured: Structured
    token_limit: TokenLimit
    max_tokens: int
    temperature: float | None = None
    extra_body: Mapping[str, object] = field(default_factory=dict)
    dropped: frozenset[str] = frozenset()

    def parameters(self, request: ChatRequest) -> dict[str, object]:
        """What to send beside model and messages."""
        sent: dict[str, object] = {self.token_limit: self.max_tokens}
        if self.structured == "json_schema":
            schema = {"name": "choice", "strict": True, "schema": request.schema}
            sent["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif self.structured == "json_object":
            sent["response_format"] = {"type": "json_object"}
        if self.temperature is not None:
            sent["temperature"] = self.temperature
        sent.update(self.extra_body)
        return {name: value for name, value in sent.items() if name not in self.dropped}

    def without(self, parameter: str) -> "RequestShape":
        """The shape after `parameter` was refused: one rung down, the other spelling of the cap, or without it.

        >>> shape = RequestShape("json_schema", "max_tokens", 256)
        >>> shape.without("response_format").structured
        'json_object'
        >>> shape.without("max_tokens").token_limit
        'max_completion_tokens'
        """
        if parameter == "response_format" and self.structured in _NEXT_RUNG:
            return replace(self, structured=_NEXT_RUNG[self.structured])
        token_limit = _OTHER_LIMIT.get(parameter, self.token_limit)
        return replace(self, dropped=self.dropped | {parameter}, token_limit=token_limit)


def named_parameter(refusal: str, sent: Iterable[str]) -> str | None:
    """The one of the `sent` parameters that the text of a refusal names first, None when it names none of them.

    Only names that were sent count, because refusals also name the parameter to use instead.

    >>> named_parameter("'max_tokens' is not supported, use 'max_completion_tokens'", ["max_tokens", "temperature"])
    'max_tokens'
    """
    first: tuple[int, str] | None = None
    for parameter in sent:
        words = "|".join(re.escape(word) for word in (parameter, *_ALIASES.get(parameter, ())))
        # An underscore belongs to a name: `max_tokens` is not named by `num_max_tokens`.
        found = re.search(rf"(?<!\w)(?:{words})(?!\w)", refusal, re.IGNORECASE)
        if found and (first is None or found.start() < first[0]):
            first = (found.start(), parameter)
    return first[1] if first else None
