"""How the stand-in server picks an action: from the numbers in the prompt, by a fixed rule, the same every time."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

STRONG_EQUITY: Final = 0.65
CALL_MARGIN: Final = 0.02
# No call costs more than half of the pot it makes, so this stands in for a price that is not stated.
DEAREST_PRICE: Final = 0.5

# Where a schema stands: in the form asked for, or in the tool to call.
_SCHEMAS: Final[tuple[tuple[str | int, ...], ...]] = (
    ("response_format", "json_schema", "schema"),
    ("tools", 0, "function", "parameters"),
)
# Ids are lower case, which keeps fact lines like "- Equity: 0.632" out.
_OFFERED: Final = re.compile(r"^- ([a-z][a-z0-9_]*):", re.MULTILINE)
_ECHO: Final = re.compile(r'^Echo: hand "([^"\n]*)", cards "([^"\n]*)"', re.MULTILINE)
_RAISE: Final = re.compile(r"raise|bet")


def offered_ids(request: Mapping[str, Any]) -> list[str]:
    """The ids a chat request offers: the enum of its schema, else the `- id:` lines of its last user message."""
    for path in _SCHEMAS:
        ids = _at(request, (*path, "properties", "id", "enum"))
        if isinstance(ids, list) and ids:
            return [str(choice) for choice in ids]
    return _OFFERED.findall(last_user_text(request))


def echoed(prompt: str) -> tuple[str, str]:
    """The hand and the cards that a prompt asks to repeat; empty texts when it asks for none.

    >>> echoed('Echo: hand "AA", cards "AsAh"')
    ('AA', 'AsAh')
    """
    asked = _ECHO.search(prompt)
    return (asked[1], asked[2]) if asked else ("", "")


def _at(node: Any, path: tuple[str | int, ...]) -> Any:
    for key in path:
        if isinstance(node, Mapping):
            node = node.get(key)
        elif isinstance(node, list) and isinstance(key, int) and key < len(node):
            node = node[key]
        else:
            return None
    return node


def last_user_text(request: Mapping[str, Any]) -> str:
    """The text of the last user message, "" when there is none."""
    messages = request.get("messages")
    texts = [
        message.get("content")
        for message in (messages if isinstance(messages, list) else [])
        if isinstance(message, Mapping) and message.get("role") == "user"
    ]
    return texts[-1] if texts and isinstance(texts[-1], str) else ""


def choose(ids: Sequence[str], prompt: str) -> str:
    """One of the ids: raise with a strong hand, call at a good price, else check or fold."""
    equity = _stated(prompt, "equity")
    price = _stated(prompt, "required equity")
    strong = equity is not None and equity > STRONG_EQUITY
    if strong and (raises := [choice for choice in ids if _RAISE.search(choice)]):
        digest = hashlib.sha256(prompt.encode(errors="replace")).digest()
        return raises[int.from_bytes(digest[:8], "big") % len(raises)]
    if "check" in ids:
        return "check"
    fair = equity is not None and equity > (DEAREST_PRICE if price is None else price) + CALL_MARGIN
    wishes = ("call", "all_in", "fold") if strong or fair else ("fold", "call")
    return next((wish for wish in wishes if wish in ids), ids[0])


def _stated(prompt: str, name: str) -> float | None:
    """The share on the first line that begins with `name`, whether 0.632 or 63.2 %; None when there is none."""
    found = re.search(
        rf"^\W*{name}\b[^:=\n]*[:=][^\d\n]{{0,3}}(\d+(?:\.\d+)?)(\s*%)?", prompt, re.IGNORECASE | re.MULTILINE
    )
    if found is None:
        return None
    share = float(found[1])
    return share / 100 if found[2] or share > 1 else share
