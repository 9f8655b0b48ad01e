"""Reading a completion: from the body of a response to the model's words, in whichever field they came.

Total over any text: a body that holds no completion becomes a `Fault`, never an exception.
"""

import json
import re
from dataclasses import dataclass
from typing import Any, Final

from agent.llm.chat import MOST_TOKENS
from agent.llm.fault import Fault

_OK: Final = 200
_BAD_GATEWAY: Final = 502

_CUT: Final = frozenset({"length", "max_tokens"})
_REASONING: Final = ("reasoning_content", "reasoning")
_THINKING: Final = re.compile(r"\s*<(think|thinking|thought|reasoning)\b[^<>]*>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model said: its words, "" when it said none, and the counts it reports, None where it reports none.

    `has_thought` tells that there is reasoning in prose beside the words.
    """

    text: str
    model: str | None
    finish_reason: str | None
    prompt_tokens: int | None
    completion_tokens: int | None
    reasoning_tokens: int | None
    cached_tokens: int | None
    has_thought: bool = False
    total_tokens: int | None = None

    @property
    def is_silent(self) -> bool:
        """Whether no answer can be in it: it is blank, or the thinking left no room for one."""
        return not self.text or (self.was_cut and (self._broke_off_thinking or self._mostly_thought))

    @property
    def was_cut(self) -> bool:
        """Whether it ended because of the cap."""
        return (self.finish_reason or "").lower() in _CUT

    @property
    def _broke_off_thinking(self) -> bool:
        opened = _THINKING.match(self.text)
        return opened is not None and f"</{opened[1]}" not in self.text

    @property
    def _mostly_thought(self) -> bool:
        """Whether hidden thinking took most of the tokens and what is said does not hold one whole object."""
        thought = 2 * (self.reasoning_tokens or 0)
        return "}" not in self.text and 0 < (self.completion_tokens or 0) <= thought


def read_completion(body_text: str) -> Completion | Fault:
    """The completion in a response body, or why there is none.

    The words are the object that a tool was called with, else the message's content, else what a tool was called with
    in any case, and last the reasoning, but only if all of it is one JSON object: some servers apply the schema to the
    thought. Prose in the reasoning is no answer.
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
        return Fault(_OK, refusal or "filtered", finish_reason=finish_reason, is_refusal=True)
    if not choice:
        return Fault(_OK, "it has no choices", finish_reason=finish_reason)
    text, usage = _words(message), _object(body.get("usage"))
    least = 1 if text else 0
    cached = _count(_object(usage.get("prompt_tokens_details")), "cached_tokens")
    return Completion(
        text=text,
        model=_text(body.get("model")) or None,
        finish_reason=finish_reason,
        # A model that has said something has read and written something: 0 is what a server says that does not count.
        prompt_tokens=_count(usage, "prompt_tokens", least),
        completion_tokens=_count(usage, "completion_tokens", least),
        reasoning_tokens=_count(_object(usage.get("completion_tokens_details")), "reasoning_tokens"),
        cached_tokens=_count(usage, "prompt_cache_hit_tokens") if cached is None else cached,
        total_tokens=_count(usage, "total_tokens", least),
        has_thought=any(_text(message.get(name)).strip() not in ("", text) for name in _REASONING),
    )


def read_failed_generation(body_text: str) -> Completion | None:
    """What a model said that a 400 calls no valid JSON, None when the 400 is about something else.

    Groq checks the words itself and sends them inside the refusal; they may well hold the answer.
    """
    try:
        body = json.loads(body_text)
    except (ValueError, RecursionError):
        return None
    error = _object(_object(body).get("error"))
    if error.get("code") != "json_validate_failed":
        return None
    return Completion(_content(error.get("failed_generation")), None, "error", None, None, None, None)


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


def _words(message: dict[str, Any]) -> str:
    arguments = _tool_arguments(message)
    if _is_object(arguments):
        return arguments
    return _content(message.get("content")) or arguments or _object_in_reasoning(message)


def _tool_arguments(message: dict[str, Any]) -> str:
    function = _object(_first(message.get("tool_calls")).get("function") or message.get("function_call"))
    arguments = function.get("arguments")
    return json.dumps(arguments) if isinstance(arguments, dict) else _text(arguments).strip()


def _object_in_reasoning(message: dict[str, Any]) -> str:
    texts = (_text(message.get(name)).strip() for name in _REASONING)
    return next((text for text in texts if _is_object(text)), "")


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _count(counts: dict[str, Any], name: str, least: int = 0) -> int | None:
    """A count, None where it is none or cannot be true."""
    value = counts.get(name)
    is_count = isinstance(value, int) and not isinstance(value, bool) and least <= value <= MOST_TOKENS
    return value if is_count else None


def _first(value: Any) -> dict[str, Any]:
    return _object(value[0]) if isinstance(value, list) and value else {}


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    # Half of an emoji, which JSON can hold and no file or database takes, becomes a question mark.
    return value.encode(errors="replace").decode() if isinstance(value, str) else ""
