"""The shape of a snapshot (protocol document, section 5.9), and of the offers of actions in it.

`SNAPSHOT` is what a player gets; `RECOVERY_SNAPSHOT` stands in a resync response, where it may hold the token of an
open turn, or no hero for a spectator.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Final

from tests.arena.shapes import (
    BOARD,
    BOARD_CARDS,
    CHIPS,
    COUNT,
    FLAG,
    HASH,
    HOLE,
    ID,
    NUMBER,
    OBJECT,
    SEAT,
    SEATS,
    SECONDS,
    TEXT,
    TIME,
    VERB,
    VERBS,
    Check,
    Frame,
    list_of,
    maybe,
    one_of,
    or_null,
    ordered,
    record,
    unlike,
    when,
    with_rules,
)

_NOT_HASHED: Final = ("ts", "table_seq", "hand_seq", "state_hash")


def own_hash(frame: Frame) -> str:
    """The hash of a snapshot by section 3.3."""
    body = {key: value for key, value in frame.items() if key not in _NOT_HASHED}
    text = json.dumps(body, sort_keys=True, separators=(",", ":")).replace("\x7f", "\\u007f")
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


# Offers


def _numbers_of_verb(entry: Frame) -> Iterator[str]:
    """A call and an all-in state an amount, a raise its bounds, and nothing else a number."""
    expected = {"call": {"amount"}, "all_in": {"amount"}, "raise": {"min", "max"}}.get(entry["action"], set())
    stated = {name for name in ("amount", "min", "max") if entry.get(name) is not None}
    yield from unlike(f"the numbers of {entry['action']}", sorted(stated), sorted(expected))
    if {"min", "max"} <= stated and entry["min"] > entry["max"]:
        yield f" offers a raise from {entry['min']} to {entry['max']}"


def _offer_in_order(offer: list[Frame]) -> Iterator[str]:
    verbs = [entry["action"] for entry in offer]
    yield from unlike("its verbs", verbs, [verb for verb in VERBS if verb in verbs])
    if "check" in verbs and "call" in verbs:
        yield " offers check and call together"


FULL_OFFER = with_rules(
    list_of(
        with_rules(
            ordered(action=VERB, amount=or_null(CHIPS), min=or_null(CHIPS), max=or_null(CHIPS)),
            _numbers_of_verb,
        )
    ),
    _offer_in_order,
)
_SHORT_OFFER = with_rules(
    list_of(
        with_rules(
            ordered(action=VERB, amount=maybe(CHIPS), min=maybe(CHIPS), max=maybe(CHIPS)),
            _numbers_of_verb,
        )
    ),
    _offer_in_order,
)


def offered(offer: list[Frame], verb: str, number: str) -> int | None:
    """A number of an offer in either form; None where it is not offered."""
    return next((entry.get(number) for entry in offer if entry["action"] == verb), None)


# Snapshots


def _is_idle(frame: Frame) -> bool:
    return frame.get("street") == "idle"


def _is_running(frame: Frame) -> bool:
    return not _is_idle(frame)


def may_act(frame: Frame) -> bool:
    """Whether a snapshot offers its recipient the actions of their turn."""
    hero = frame.get("hero")
    return isinstance(hero, Mapping) and "valid_actions" in hero


def _is_taken(seat: Frame) -> bool:
    return seat.get("status") != "empty"


def _empty_or_taken(seat: Frame) -> Iterator[str]:
    if not _is_taken(seat):
        nothing = {"seat": seat["seat"], "name": None, "stack": 0, "bet": 0, "status": "empty", "in_hand": False}
        yield from unlike("an empty seat", dict(seat), nothing)
    elif seat["name"] is None:
        yield " has no name"
    if seat.get("folded") and not seat["in_hand"]:
        yield " has folded without being in the hand"


_SEAT_ENTRY = with_rules(
    ordered(
        seat=SEAT,
        name=or_null(TEXT),
        stack=CHIPS,
        bet=CHIPS,
        status=one_of("active", "away", "sitting_out", "disconnected", "waiting", "empty"),
        in_hand=FLAG,
        folded=maybe(FLAG),
        avatar_url=maybe(TEXT),
        public_profile_slug=when(_is_taken, TEXT),
        is_pro=when(_is_taken, FLAG),
    ),
    _empty_or_taken,
)
_COUNTS = ordered(
    player_count=COUNT,
    eligible_players=COUNT,
    min_required=one_of(2),
    active_players=COUNT,
    away_players=COUNT,
    disconnected_players=COUNT,
    connected_players=COUNT,
)
_WAITING: Final[Mapping[str, Check]] = {
    "between_hands_delay": ordered(remaining_seconds=SECONDS, configured_delay_seconds=SECONDS),
    "awaiting_hand_start": _COUNTS,
    "insufficient_players": OBJECT,
    "table_closing": OBJECT,
}


def _hash_is_right(frame: Frame) -> Iterator[str]:
    yield from unlike("its hash", frame["state_hash"], own_hash(frame))


def _seats_in_order(frame: Frame) -> Iterator[str]:
    yield from unlike("its seats", [seat["seat"] for seat in frame["seats"]], list(range(SEATS)))
    for seat in frame["seats"]:
        if ("folded" in seat) != (_is_taken(seat) and _is_running(frame)):
            yield f".seats[{seat['seat']}].folded belongs to taken seats during a hand"


def _idle_is_settled(frame: Frame) -> Iterator[str]:
    if not _is_idle(frame):
        return
    yield from unlike("an idle pot", frame["pot"], 0)
    yield from unlike("idle bets", [seat["bet"] for seat in frame["seats"] if seat["bet"]], [])
    yield from unlike("who is in the hand", [seat["seat"] for seat in frame["seats"] if seat["in_hand"]], [])
    yield from (f".waiting_details{found}" for found in _WAITING[frame["waiting_reason"]](frame["waiting_details"]))


def _hand_is_consistent(frame: Frame) -> Iterator[str]:
    if _is_idle(frame):
        return
    due = BOARD_CARDS[frame["street"]]
    earlier = max((count for count in BOARD_CARDS.values() if count < due), default=0)
    if len(frame["board"]) not in (due, earlier):
        yield f" shows {len(frame['board'])} cards on the {frame['street']}"
    bets = sum(seat["bet"] for seat in frame["seats"])
    if not frame["pot"] > 0 or frame["pot"] < bets:
        yield f" has a pot of {frame['pot']} with bets of {bets}"
    actor = frame["actor_seat"]
    if actor is not None and (not frame["seats"][actor]["in_hand"] or frame["seats"][actor]["folded"]):
        yield f" has seat {actor} act, which holds no cards"


def _hero_holds_cards_of_the_hand(frame: Frame) -> Iterator[str]:
    hero = frame["hero"]
    if hero is None:
        return
    if not _is_taken(frame["seats"][hero["seat"]]):
        yield f".hero sits in the empty seat {hero['seat']}"
    elif _is_running(frame):
        yield from unlike("hero's cards", "hole_cards" in hero, frame["seats"][hero["seat"]]["in_hand"])
    if "turn_token" in hero and not hero.get("valid_actions"):
        yield ".hero has a turn_token without an offer"


def _only_the_actor_may_act(frame: Frame) -> Iterator[str]:
    hero = frame["hero"]
    is_actor = hero is not None and _is_running(frame) and frame["actor_seat"] == hero["seat"]
    is_dealt = _is_running(frame) and len(frame["board"]) == BOARD_CARDS[frame["street"]]
    if may_act(frame) and not is_actor:
        yield ".hero.valid_actions belong to the actor"
    if is_actor and is_dealt and not may_act(frame):
        yield ".hero.valid_actions is missing for the actor"
    if may_act(frame):
        offer = hero["valid_actions"]
        yield from unlike("to_call", frame["to_call"], offered(offer, "call", "amount") or 0)
        bounds = frame["min_raise_to"], frame["max_raise_to"]
        yield from unlike("the raise", bounds, (offered(offer, "raise", "min"), offered(offer, "raise", "max")))


def _snapshot(hero: Check) -> Check:
    return with_rules(
        ordered(
            stream=one_of("state"),
            table_id=ID,
            hand_id=or_null(ID),
            type=one_of("table_state"),
            street=one_of("idle", *BOARD_CARDS),
            waiting_reason=when(_is_idle, one_of(*_WAITING)),
            waiting_details=when(_is_idle, OBJECT),
            dealer_seat=SEAT,
            small_blind=CHIPS,
            big_blind=CHIPS,
            pot=CHIPS,
            actor_seat=when(_is_running, or_null(SEAT)),
            to_call=when(may_act, CHIPS),
            min_raise_to=when(may_act, or_null(CHIPS)),
            max_raise_to=when(may_act, or_null(CHIPS)),
            board=BOARD,
            seats=list_of(_SEAT_ENTRY, sizes=(SEATS,)),
            hero=hero,
            table_seq=NUMBER,
            hand_seq=NUMBER,
            ts=TIME,
            state_hash=HASH,
        ),
        _seats_in_order,
        _idle_is_settled,
        _hand_is_consistent,
        _hero_holds_cards_of_the_hand,
        _only_the_actor_may_act,
        _hash_is_right,
    )


SNAPSHOT = _snapshot(ordered(seat=SEAT, hole_cards=maybe(HOLE), valid_actions=maybe(_SHORT_OFFER)))
RECOVERY_SNAPSHOT = _snapshot(
    or_null(record(seat=SEAT, hole_cards=maybe(HOLE), turn_token=maybe(ID), valid_actions=maybe(_SHORT_OFFER)))
)
