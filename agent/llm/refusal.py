"""What a refusal is about: the part of the request that it names, and how many tokens it would allow.

The texts have been cut to a few kilobytes before they come here.
"""

import json
import re
from collections import deque
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from agent.llm.request_shape import TOKEN_LIMITS

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
_TOO_LONG: Final = re.compile("context_length_exceeded|maximum context length|context window", re.IGNORECASE)
# OpenRouter has the model, but no host for it that takes this request.
NO_HOST: Final = re.compile("no endpoints found that (support|can handle)", re.IGNORECASE)

_TOO_MANY: Final = re.compile(
    r"too (large|high|big|many)|maximum|at most|no more than|less than or equal|<=|\brange\b|exceed|above|up to",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(r"(?<![\w.-])(\d{1,3}(?:,\d{3})+|\d{1,9})(?![\w-])(?!\.\d)")
# Gemini: "from 1 (inclusive) to 8193 (exclusive)".
_BEYOND: Final = " (exclusive)"
# vLLM: "(16384 > 8192 - 700)": the context less the prompt.
_DIFFERENCE: Final = re.compile(r"> (\d{1,9}) - (\d{1,9})\b")
# OpenAI and OpenRouter: "maximum context length is 8192 tokens. However, you requested 17084 tokens (700 in the messages".
_CONTEXT: Final = re.compile(
    r"maximum context length is (\d{1,9}) .{0,160}?(\d{1,9}) (?:in the messages|of text input|input tokens)",
    re.IGNORECASE | re.DOTALL,
)
# Less than an answer takes is no cap to go on with.
_LEAST_TOKENS: Final = 64


def refused_parameter(text: str, sent: Collection[str], own: Collection[str] = ()) -> str | None:
    """The part of the request that a refusal is about: what it states as `param`, else what its text names.

    `sent` are the names that the request carried. `own` are those among them that a person has set: they are given up
    only when they are named as names, since "stop" and "provider" are words of prose too.
    """
    if _TOO_LONG.search(text):
        return "messages"
    for stated in values_under(text, "param"):
        root = re.split(r"[.\[]", stated)[0]
        if root in sent:
            return root
    named = named_parameter(text, sent, own)
    if named is None and NO_HOST.search(text):
        return next((form for form in ("response_format", "tools") if form in sent), None)
    return named


def named_parameter(refusal: str, sent: Iterable[str], own: Collection[str] = ()) -> str | None:
    """The one of the `sent` parameters that the text of a refusal names first, None when it names none of them.

    Only names that were sent count, because refusals also name the parameter to use instead. `tool_choice` goes
    first wherever it stands: without it nothing is lost but the certainty that the tool is used. One of `own` must
    stand there as a name, unless an underscore shows that it is no word of prose.

    >>> named_parameter("'max_tokens' is not supported, use 'max_completion_tokens'", ["max_tokens", "temperature"])
    'max_tokens'
    >>> named_parameter("stop and try again", ["stop"], own=["stop"]) is None
    True
    """
    found: list[tuple[int, str]] = []
    for parameter in sent:
        pattern = _as_a_name(parameter) if parameter in own and "_" not in parameter else _named(parameter)
        if named := pattern.search(refusal):
            found.append((-1 if parameter == "tool_choice" else named.start(), parameter))
    return min(found)[1] if found else None


def most_tokens(text: str, sent: Mapping[str, object]) -> int | None:
    """The largest cap on the reply that a refusal of the cap's value would allow; None where it is about another thing.

    >>> most_tokens("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", {"max_tokens": 16_384})
    8192
    >>> most_tokens("Unsupported parameter: 'max_tokens'", {"max_tokens": 16_384}) is None
    True
    """
    name = next((name for name in TOKEN_LIMITS if name in sent), None)
    value = sent.get(name or "")
    if name is None or not isinstance(value, int):
        return None
    if rest := _DIFFERENCE.search(text) or _CONTEXT.search(text):
        allowed = [int(rest[1]) - int(rest[2])]
    elif _TOO_MANY.search(text) and _named(name).search(text):
        allowed = [
            int(number[1].replace(",", "")) - text.startswith(_BEYOND, number.end())
            for number in _NUMBER.finditer(text)
        ]
    else:
        return None
    return max((number for number in allowed if _LEAST_TOKENS <= number < value), default=None)


def values_under(text: str, key: str) -> list[str]:
    """The non-empty strings under `key` anywhere in a JSON text, outermost first; none when it is not JSON."""
    try:
        waiting = deque([json.loads(text)])
    except (ValueError, RecursionError):
        return []
    found: list[str] = []
    while waiting:
        node = waiting.popleft()
        if isinstance(node, dict):
            if isinstance(node.get(key), str) and node[key]:
                found.append(node[key])
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)
    return found


def _named(parameter: str) -> re.Pattern[str]:
    words = "|".join((re.escape(parameter), *_ALIASES.get(parameter, ())))
    # An underscore belongs to a name: `max_tokens` is not named by `num_max_tokens`.
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)


def _as_a_name(parameter: str) -> re.Pattern[str]:
    """The name where it can be nothing else, alone or with what is in it (`stop[0]`).

    In quotes, but not as the key of the error's own JSON, or as a place before a colon: "thinking: invalid type".
    """
    name = rf"{re.escape(parameter)}(?:[.\[][^\"'`\s:]*)?"
    return re.compile(rf"""["'`]{name}\\?["'`](?!\s*:)|(?:^|["':]\s?){name}:\s""")
