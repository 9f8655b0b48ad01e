"""The venue's wire format: JSON text to frames and back, the state hash, and the client's messages.

Frames stay plain dictionaries, exactly as received, because `state_hash` covers every key and Python's own
spelling of every number (protocol V2, section 3.3).
"""

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any, Final

from agent.poker.spot import Action, LegalActions, Verb

Frame = Mapping[str, Any]

LIVE_WS_URL: Final = "wss://openpoker.ai/ws"
LIVE_API_URL: Final = "https://api.openpoker.ai/api"
MAX_FRAME_BYTES: Final = 4 * 1024 * 1024
MAX_DEPTH: Final = 32
MOST_CHIPS: Final = 2**53
"""A number of chips beyond this is none: no stack reaches it, and sums of such would leave a database's integers."""
LARGE_CHARS: Final = 64 * 1024
"""A frame beyond this is not the venue's kind, whose largest snapshot has some 2 KB: it is not hashed, nor kept whole."""
_KEPT_OF_LARGE_CHARS: Final = 8 * 1024
_TYPE_CHARS: Final = 200
AUTH_FAILED_CLOSE_CODE: Final = 4001

_NOT_HASHED: Final = frozenset({"ts", "table_seq", "hand_seq", "state_hash"})
_HASH_FORM: Final = re.compile(r"sha256:[0-9a-f]{64}")


class FrameError(ValueError):
    """Text that is no frame: broken JSON, no object, or no type."""


def parse(text: str | bytes) -> dict[str, Any]:
    """The frame in one message of the socket; `FrameError` says what is wrong with any other text.

    >>> parse('{"type": "lobby_joined", "position": 1}')
    {'type': 'lobby_joined', 'position': 1}
    """
    try:
        frame = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FrameError(f"not JSON: {error}") from None
    if not isinstance(frame, dict):
        raise FrameError(f"a frame is an object, this is {type(frame).__name__}")
    if not isinstance(frame.get("type"), str):
        raise FrameError("the frame has no type")
    if _depth_exceeds(frame, MAX_DEPTH):
        raise FrameError(f"the frame is nested more than {MAX_DEPTH} deep")
    return frame


def _depth_exceeds(value: object, limit: int) -> bool:
    """Whether lists and objects nest deeper than `limit`: what the decoder takes may be too deep for the encoder."""
    level: list[object] = [value]
    for _ in range(limit):
        inner = [v for v in level if isinstance(v, dict | list)]
        if not inner:
            return False
        level = [v for holder in inner for v in (holder.values() if isinstance(holder, dict) else holder)]
    return True


def chars(value: object, limit: int) -> int:
    """About how many characters `value` has as JSON, or some number above `limit`: what is larger costs no more to count."""
    found, waiting = 0, [value]
    while waiting and found <= limit:
        item = waiting.pop()
        if isinstance(item, dict | list):
            found += 2 + 4 * len(item)
            if isinstance(item, dict) and found <= limit:
                found += sum(map(len, item))
            if found <= limit:
                waiting += item.values() if isinstance(item, dict) else item
        else:
            found += 2 + len(item) if isinstance(item, str) else 6
    return found


def shortened(frame: Frame) -> Frame:
    """The frame as a record keeps it: whole, or marked `shortened` and without what is large in it.

    >>> shortened({"type": "table_state", "pot": 80, "seats": [0] * 100_000})
    {'type': 'table_state', 'pot': 80, 'shortened': True}
    """
    if chars(frame, LARGE_CHARS) <= LARGE_CHARS:
        return frame
    kept: dict[str, Any] = {}
    left = _KEPT_OF_LARGE_CHARS
    for key, value in frame.items():
        room = left - len(key)
        used = chars(value, room)
        if used <= room:
            kept[key], left = value, room - used
        if left <= 0:
            break
    return {**kept, "type": frame["type"][:_TYPE_CHARS], "shortened": True}


def encode(frame: Frame) -> str:
    """The message for the socket."""
    return json.dumps(frame, separators=(",", ":"))


def state_hash(frame: Frame) -> str:
    """The hash that belongs to a snapshot: SHA-256 of its canonical JSON without the four moving keys."""
    body = {key: value for key, value in frame.items() if key not in _NOT_HASHED}
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    # The venue also escapes DEL, which Python's encoder leaves as it is.
    return "sha256:" + hashlib.sha256(canonical.replace("\x7f", "\\u007f").encode()).hexdigest()


def hash_matches(frame: Frame) -> bool | None:
    """Whether a frame's own `state_hash` is right; None when it states none, or is too large to be looked at.

    Malformed hashes never match.
    """
    stated = frame.get("state_hash")
    if stated is None or chars(frame, LARGE_CHARS) > LARGE_CHARS:
        return None
    return isinstance(stated, str) and bool(_HASH_FORM.fullmatch(stated)) and stated == state_hash(frame)


def whole_chips(value: object) -> int | None:
    """Chips as the venue states them (60 or 60.0) as an integer; None for anything else.

    >>> whole_chips(60.0), whole_chips(60), whole_chips("60"), whole_chips(True), whole_chips(0.5), whole_chips(10**30)
    (60, 60, None, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= MOST_CHIPS:
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    return value


def legal_actions(offer: object) -> LegalActions:
    """The legal actions in a `valid_actions` list, with explicit nulls or absent keys; anything odd is no offer."""
    entries = [entry for entry in offer if isinstance(entry, Mapping)] if isinstance(offer, list) else []
    by_verb = {entry.get("action"): entry for entry in entries if isinstance(entry.get("action"), str)}
    call = whole_chips(by_verb["call"].get("amount")) if "call" in by_verb else None
    low, high = (whole_chips(by_verb.get("raise", {}).get(key)) for key in ("min", "max"))
    raises = low is not None and high is not None and 0 < low <= high
    return LegalActions(
        fold="fold" in by_verb,
        check="check" in by_verb,
        call_chips=call if call is not None and call >= 0 else None,
        min_raise_to_chips=low if raises else None,
        max_raise_to_chips=high if raises else None,
        all_in="all_in" in by_verb,
    )


def offer(legal: LegalActions, *, all_in_chips: int) -> list[dict[str, Any]]:
    """The `valid_actions` list of `your_turn`, all four keys in every entry; `all_in_chips` is the actor's stack."""
    entries: list[dict[str, Any]] = []

    def add(verb: Verb, amount: int | None = None, low: int | None = None, high: int | None = None) -> None:
        entries.append({"action": str(verb), "amount": amount, "min": low, "max": high})

    if legal.fold:
        add(Verb.FOLD)
    if legal.check:
        add(Verb.CHECK)
    if legal.call_chips is not None:
        add(Verb.CALL, legal.call_chips)
    if legal.min_raise_to_chips is not None:
        add(Verb.RAISE, None, legal.min_raise_to_chips, legal.max_raise_to_chips)
    if legal.all_in:
        add(Verb.ALL_IN, all_in_chips)
    return entries


def join_lobby(buy_in_chips: int) -> dict[str, Any]:
    """Ask for a seat; also registers for the season."""
    return {"type": "join_lobby", "buy_in": buy_in_chips}


def set_auto_rebuy(enabled: bool) -> dict[str, Any]:
    """Choose whether a bust at the table buys in again by itself; valid after `join_lobby` only."""
    return {"type": "set_auto_rebuy", "enabled": enabled}


def rebuy(request_id: str | None = None) -> dict[str, Any]:
    """Ask for a rebuy; the amount is required by the schema and ignored, the id is for private competitions."""
    frame: dict[str, Any] = {"type": "rebuy", "amount": 1_500}
    return frame if request_id is None else {**frame, "request_id": request_id}


def leave_table() -> dict[str, Any]:
    """Give up the seat at the end of the hand."""
    return {"type": "leave_table"}


def resync_request(table_id: str, last_table_seq: int) -> dict[str, Any]:
    """Ask for everything after `last_table_seq` and the present snapshot; 0 asks for the whole window."""
    return {"type": "resync_request", "table_id": table_id, "last_table_seq": last_table_seq}


def action(act: Action, *, hand_id: str, turn_token: str, client_action_id: str) -> dict[str, Any]:
    """Play `act` on the turn that `hand_id` and `turn_token` name; the same id and payload may be sent again."""
    frame: dict[str, Any] = {"type": "action", "hand_id": hand_id, "action": str(act.verb)}
    if act.verb is Verb.RAISE:
        frame["amount"] = act.raise_to_chips
    return {**frame, "client_action_id": client_action_id, "turn_token": turn_token}
