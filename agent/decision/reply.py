"""From a model's text to one of the offered ids: total over any input, and never a guess.

Only the first complete JSON object outside thinking and fences counts. An id in it that was not offered is
final: the words around it are not searched for another one.
"""

import json
import re
from dataclasses import dataclass
from typing import Final

MAX_REASON: Final = 1_000
MAX_ECHO: Final = 80

MAX_TEXT: Final = 200_000
MAX_VISIBLE: Final = 16_000
MAX_OBJECTS: Final = 40

_THOUGHT: Final = r"(?:seed:)?(?:think|thinking|thoughts?|reasoning|analysis|reflection)"
_TAG: Final = re.compile(
    rf"<(?P<a>/?){_THOUGHT}(?:\s[^<>]{{0,200}})?>|\[(?P<b>/?){_THOUGHT}\]|◁(?P<c>/?){_THOUGHT}▷|<\|(?:begin|(?P<d>end))_of_{_THOUGHT}\|>",
    re.IGNORECASE,
)
# Models put line breaks into strings as they are.
_DECODER: Final = json.JSONDecoder(strict=False)
_CHANNEL: Final = re.compile(r"<\|channel\|>\s*(\w+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply as understood: `choice` is an offered id, or None and `problem` says what is wrong.

    `hand` and `cards` are what the reply says hero holds, in its own words; empty where it says nothing.
    """

    choice: str | None
    reason: str = ""
    problem: str = ""
    hand: str = ""
    cards: str = ""


def read_reply(text: str, choices: tuple[str, ...]) -> Reply:
    """The choice that a reply states.

    >>> read_reply('<think>{"id": "fold"}?</think>{"id": "call", "reason": "good price"}', ("fold", "call"))
    Reply(choice='call', reason='good price', problem='', hand='', cards='')
    >>> read_reply('{"id": "raise_75"} or maybe call', ("fold", "call")).problem
    'the id "raise_75" was not offered'
    """
    visible = _spoken(text[:MAX_TEXT])
    if visible is None:
        return Reply(None, problem="the reply broke off while thinking")
    found = _first_object(visible[:MAX_VISIBLE])
    if found is None:
        return Reply(None, problem="no complete JSON object in the reply")
    chosen = found.get("id")
    said = {
        "reason": _words(found.get("reason"), MAX_REASON),
        "hand": _words(found.get("hand"), MAX_ECHO),
        "cards": _words(found.get("cards"), MAX_ECHO),
    }
    if not isinstance(chosen, str):
        return Reply(None, problem='the object has no text under "id"', **said)
    name = chosen.strip().lower()
    if name not in choices:
        return Reply(None, problem=f"the id {json.dumps(chosen[:40])} was not offered", **said)
    return Reply(name, **said)


def _words(value: object, at_most: int) -> str:
    """The text in one line; a list of texts, as some models write cards, counts as their words."""
    if isinstance(value, list):
        value = " ".join(item for item in value if isinstance(item, str))
    return " ".join(value.split())[:at_most] if isinstance(value, str) else ""


def _spoken(text: str) -> str | None:
    """What a reply says outside thinking tags and analysis channels; None when the thinking never ends.

    Some prompts open the thinking themselves: then all before a closing tag is thought. A reply that begins with a whole
    object, after which no tag comes, may have tags in its words. One pass over the tags, so that the time grows with the
    text and no faster.
    """
    begun = _whole_object_at_start(text)
    if begun is not None and _TAG.search(text, begun) is None:
        return text
    parts, place, depth = list[str](), 0, 0
    for tag in _TAG.finditer(text):
        closes = any(tag.group(name) for name in "abcd")
        if depth == 0 and closes:
            parts.clear()
        elif depth == 0:
            parts.append(text[place : tag.start()])
        depth = max(0, depth - 1) if closes else depth + 1
        place = tag.end()
    if depth:
        return None
    spoken = "".join(parts) + text[place:]
    channels = list(_CHANNEL.finditer(spoken))
    final = [mark for mark in channels if mark[1].lower() == "final"]
    return spoken[final[-1].end() :] if final else "" if channels else spoken


def _whole_object_at_start(text: str) -> int | None:
    """Where the object ends that a reply begins with; None when it begins otherwise."""
    start = len(text) - len(text.lstrip())
    if not text.startswith("{", start):
        return None
    try:
        return _DECODER.raw_decode(text[:MAX_VISIBLE], start)[1]
    except (ValueError, RecursionError):
        return None


def _first_object(text: str) -> dict[str, object] | None:
    """The first complete JSON object; whatever follows it is ignored. After many false starts it gives up."""
    start = text.find("{")
    for _ in range(MAX_OBJECTS):
        if start < 0:
            break
        try:
            value, _ = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            start = text.find("{", start + 1)
            continue
        return value if isinstance(value, dict) else None
    return None
