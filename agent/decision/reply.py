"""From a model's text to one of the offered ids: total over any input, and never a guess.

Only the first complete JSON object outside thinking and fences counts. An id in it that was not offered is
final: the words around it are not searched for another one.
"""

import json
import re
from dataclasses import dataclass
from typing import Final

MAX_REASON: Final = 300

_THINKING: Final = re.compile(r"<(think|thinking|thought|reasoning)\b[^>]*>.*?</\1\s*>", re.IGNORECASE | re.DOTALL)
_UNCLOSED: Final = re.compile(r"<(think|thinking|thought|reasoning)\b[^>]*>", re.IGNORECASE)
_CHANNEL: Final = re.compile(r"<\|channel\|>\s*analysis.*?(?=<\|channel\|>\s*final|\Z)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply as understood: `choice` is an offered id, or None and `problem` says what is wrong."""

    choice: str | None
    reason: str = ""
    problem: str = ""


def read_reply(text: str, choices: tuple[str, ...]) -> Reply:
    """The choice that a reply states.

    >>> read_reply('<think>{"id": "fold"}?</think>{"id": "call", "reason": "good price"}', ("fold", "call"))
    Reply(choice='call', reason='good price', problem='')
    >>> read_reply('{"id": "raise_75"} or maybe call', ("fold", "call")).problem
    'the id "raise_75" was not offered'
    """
    visible = _CHANNEL.sub("", _THINKING.sub("", text))
    if _UNCLOSED.search(visible):
        return Reply(None, problem="the reply broke off while thinking")
    found = _first_object(visible)
    if found is None:
        return Reply(None, problem="no complete JSON object in the reply")
    chosen = found.get("id")
    reason = found.get("reason")
    reason = " ".join(reason.split())[:MAX_REASON] if isinstance(reason, str) else ""
    if not isinstance(chosen, str):
        return Reply(None, reason, 'the object has no text under "id"')
    name = chosen.strip().lower()
    if name not in choices:
        return Reply(None, reason, f"the id {json.dumps(chosen[:40])} was not offered")
    return Reply(name, reason)


def _first_object(text: str) -> dict[str, object] | None:
    """The first complete JSON object; whatever follows it is ignored."""
    decoder, start = json.JSONDecoder(), text.find("{")
    while start >= 0:
        try:
            value, _ = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            start = text.find("{", start + 1)
            continue
        return value if isinstance(value, dict) else None
    return None
