"""Reading a completion: from the body of a 200 to the model's words, in whichever field they came.

Total over any text: a body that holds no answer becomes a `Fault`, never an exception.
"""

import json
import re
from dataclasses import dataclass
from typing import Any, Final

from agent.llm.fault import Fault

_OK: Final = 200
_BAD_GATEWAY: Final = 502


@dataclass(frozen=True, slots=True)
class Completion:
    """What a 200 says: the model's words and the counts it reports, None where it reports none."""

    text: str
    model: str | None
    finish_reason: str | None
    prompt_tokens: int | None
    completion_tokens: int | None
    reasoning_tokens: int | None
    cached_tokens: int | None


def read_completion(body_text: str) -> Completion | Fault:
    """The completion in a response body, or why there is none.

    The words are the message's content; when that is blank, the arguments of a tool call, and last the reasoning,
    but only if all of it is one JSON object: some servers apply the schema to the thought. Prose in the reasoning
    is no answer.
    """
    try:
        body = json.loads(body_text)
    except (ValueError, RecursionError):
        return Fault(_OK, f"the body is not JSON: {body_text}")
    if not isinstance(body, dict):
        return Fault(_OK, f"the body is not an object: {body_text}")
    choice = _first(body.get("choices"))
    if not choice and body.get("error"):
        return _inner_error(body["error"])
    message = _object(choice.get("message"))
    finish_reason = _text(choice.get("finish_reason")) or None
    refusal = _text(message.get("refusal"))
    if refusal or finish_reason == "content_filter":
        return Fault(_OK, refusal or "filtered", finish_reason=finish_reason)
    text = _content(message.get("content")) or _tool_arguments(message) or _object_in_reasoning(message)
    if not text:
        return Fault(_OK, "it is blank" if choice else "it has no choices", finish_reason=finish_reason)
    usage = _object(body.get("usage"))
    cached = _count(_object(usage.get("prompt_tokens_details")), "cached_tokens")
    return Completion(
        text=text,
        model=_text(body.get("model")) or None,
        finish_reason=finish_reason,
        prompt_tokens=_count(usage, "prompt_tokens"),
        completion_tokens=_count(usage, "completion_tokens"),
        reasoning_tokens=_count(_object(usage.get("completion_tokens_details")), "reasoning_tokens"),
        cached_tokens=_count(usage, "prompt_cache_hit_tokens") if cached is None else cached,
    )


def _inner_error(error: Any) -> Fault:
    """The error that a gateway sent with status 200: it failed on the way to the model unless its code says more."""
    code = re.fullmatch(r"[45]\d\d", str(_object(error).get("code")))
    return Fault(int(code[0]) if code else _BAD_GATEWAY, _text(error) or json.dumps(error))


def _content(content: Any) -> str:
    """The content as one text, whether it came as a string or as a list of parts; "" when nothing in it can be read.

    Parts without a text of their own, such as thinking, are left out.
    """
    if isinstance(content, list):
        content = "".join(_text(part) or _text(_object(part).get("text")) for part in content)
    text = _text(content)
    # A stray bullet is what some parsers leave when the model never stopped thinking.
    return text if any(character.isalnum() for character in text) else ""


def _tool_arguments(message: dict[str, Any]) -> str:
    function = _object(_first(message.get("tool_calls")).get("function") or message.get("function_call"))
    arguments = function.get("arguments")
    return json.dumps(arguments) if isinstance(arguments, dict) else _text(arguments).strip()


def _object_in_reasoning(message: dict[str, Any]) -> str:
    for name in ("reasoning_content", "reasoning"):
        reasoning = _text(message.get(name)).strip()
        try:
            if isinstance(json.loads(reasoning), dict):
                return reasoning
        except (ValueError, RecursionError):
            continue
    return ""


def _count(counts: dict[str, Any], name: str) -> int | None:
    value = counts.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _first(value: Any) -> dict[str, Any]:
    return _object(value[0]) if isinstance(value, list) and value else {}


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    # Half of an emoji, which JSON can hold and no file or database takes, becomes a question mark.
    return value.encode(errors="replace").decode() if isinstance(value, str) else ""
