"""Frames said wrongly, oddly or to the wrong reader: one frame in, one frame out, nothing else touched.

Every snapshot keeps a hash that is right for what it now says; only `with_wrong_hash` breaks that.
"""

import random
from collections.abc import Mapping
from typing import Any, Final

from agent.arena.wire.rehash import rehashed
from agent.openpoker.frames import Frame

_ENVELOPE: Final = ("stream", "table_id", "hand_id", "table_seq", "hand_seq", "ts", "state_hash")
_ACTOR_ONLY: Final = frozenset({"to_call", "min_raise_to", "max_raise_to"})
_WHERE_SEATED: Final = frozenset({"table_id", "seat", "details"})
_KEYED_BY_SEAT: Final = frozenset({"final_stacks", "shown_cards"})
_UNKNOWN_TYPES: Final = ("table_announcement", "player_emote", "clock_sync")
_NEWS: Final[Mapping[str, Any]] = {
    "x_region": "zürich-2",
    "x_weight": 0.1,
    "x_labels": ["new", None, {"depth": 2}],
}


def with_wrong_hash(frame: Frame, rng: random.Random) -> Frame:
    """The frame with a well-formed hash that belongs to no such body; in a resync it is the snapshot's."""
    if frame["type"] == "resync_response":
        return rehashed({**frame, "snapshot": with_wrong_hash(frame["snapshot"], rng)})
    return {**frame, "state_hash": f"sha256:{rng.getrandbits(256):064x}"}


def with_unknown_fields(frame: Frame) -> Frame:
    """The frame with new fields in every object of it but those that are keyed by seat."""
    inside = {key: value if key in _KEYED_BY_SEAT else _with_news(value) for key, value in frame.items()}
    return rehashed({**inside, **_NEWS})


def unknown_frame(before: Frame, rng: random.Random) -> Frame:
    """A frame of an unknown type; half of those that follow a table's frame share its envelope.

    It repeats the number of the frame before it, so that it can shut nothing out.
    """
    envelope = {key: before[key] for key in _ENVELOPE if key in before}
    is_enveloped = before.get("table_seq") is not None and rng.random() < 0.5
    body = {"type": rng.choice(_UNKNOWN_TYPES), **_NEWS}
    return {**envelope, "stream": "event", "state_hash": None, **body} if is_enveloped else body


def for_spectator(resync: Frame) -> Frame:
    """The resync as one without a seat gets it: nobody's cards, no token, no offer, no own seat in the events."""
    events = [
        {**event, "seat": None} if event["type"] == "hand_start" else event for event in resync["replayed_events"]
    ]
    snapshot = resync["snapshot"]
    if snapshot is not None:
        public = {key: value for key, value in snapshot.items() if key not in _ACTOR_ONLY}
        snapshot = rehashed({**public, "hero": None})
    return rehashed({**resync, "role": "spectator", "replayed_events": events, "snapshot": snapshot})


def without_snapshot(resync: Frame) -> Frame:
    """The resync of a table that is gone."""
    return rehashed({**resync, "replayed_events": [], "snapshot": None})


def seated_in_details(error: Frame) -> Frame:
    """The error with the place of the seat inside `details`."""
    details = {key: error[key] for key in ("table_id", "seat") if key in error}
    return {**seated_nowhere(error), "details": details}


def seated_nowhere(error: Frame) -> Frame:
    """The error without the place of the seat."""
    return {key: value for key, value in error.items() if key not in _WHERE_SEATED}


def closed_instead_of_left(left: Frame) -> Frame:
    """The closing of the table, said in place of somebody's leaving."""
    return {"type": "table_closed", "table_id": left["table_id"], "reason": "insufficient_players"}


def connected_opponents(snapshot: Frame) -> list[int]:
    """The seats of the opponents who are in the hand and connected."""
    own = snapshot["hero"]["seat"] if snapshot.get("hero") else None
    return [
        entry["seat"]
        for entry in snapshot["seats"]
        if entry["seat"] != own and entry["in_hand"] and not entry.get("folded") and entry["status"] == "active"
    ]


def with_disconnected(snapshot: Frame, seat: int) -> Frame:
    """The snapshot with `seat` shown as disconnected, under the same number.

    A snapshot may repeat the newest number; a number of its own would collide with the table's next frame.
    """
    seats = [{**e, "status": "disconnected"} if e["seat"] == seat else e for e in snapshot["seats"]]
    return rehashed({**snapshot, "seats": seats})


def without_newcomer(snapshot: Frame, seat: int) -> Frame:
    """The snapshot with `seat` shown as empty."""
    empty = {"seat": seat, "name": None, "stack": 0, "bet": 0, "status": "empty", "in_hand": False}
    return rehashed({**snapshot, "seats": [empty if e["seat"] == seat else e for e in snapshot["seats"]]})


def with_newcomer(prompt: Frame, joined: Frame) -> Frame:
    """The `your_turn` whose list of players has a newcomer who is not dealt in."""
    newcomer = {
        **{key: joined[key] for key in ("seat", "name", "stack")},
        "avatar_url": None,
        "public_profile_slug": None,
        "is_pro": False,
    }
    return {**prompt, "players": sorted([*prompt["players"], newcomer], key=lambda entry: int(entry["seat"]))}


def _with_news(value: Any) -> Any:
    if isinstance(value, list):
        return [_with_news(item) for item in value]
    return with_unknown_fields(value) if isinstance(value, dict) else value
