"""What every frame from the venue must look like: a checker written from the protocol document alone (section 5).

`problems` names what is wrong with one frame: keys that are missing, unknown, out of place or in another order than
recorded, nulls, types, values, and figures that contradict each other. It is stricter than a client may be, and
shares no code with either side.
"""

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
    INSTANT,
    NUMBER,
    OBJECT,
    SEAT,
    STREET,
    TEXT,
    TIME,
    VERB,
    Check,
    Frame,
    Key,
    by_seat,
    list_of,
    maybe,
    one_of,
    or_null,
    ordered,
    record,
    unlike,
    whole,
    with_rules,
)
from tests.arena.snapshot_shape import FULL_OFFER, RECOVERY_SNAPSHOT, SNAPSHOT, offered

PUBLIC_EVENTS: Final = frozenset(
    {"hand_start", "player_action", "community_cards", "hand_result", "player_joined", "player_left"}
)
ERROR_CODES: Final = (
    *("auth_failed", "unknown_message", "invalid_message", "rate_limited", "insufficient_funds"),
    *("insufficient_season_chips", "not_registered_for_season", "already_seated", "already_in_lobby"),
    *("not_at_table", "table_not_found", "leave_pending", "rebuy_cooldown", "winding_down"),
    *("portfolio_pro_required", "flood_warning", "flood_kick", "scope_connection_already_active"),
)
REJECT_CODES: Final = (
    *("stale_turn_token", "stale_hand_action", "invalid_action", "not_your_turn", "no_hand_in_progress"),
    *("not_at_table", "table_not_found", "missing_action_id", "action_id_conflict", "legacy_action_protocol"),
)


def problems(frame: object) -> list[str]:
    """Everything in one frame that contradicts the document, each with the path to it; empty for a good frame."""
    kind = frame.get("type") if isinstance(frame, Mapping) else None
    if not isinstance(kind, str) or kind not in _FRAMES:
        return [f"there is no frame of type {kind!r}"]
    return [kind + found for found in _FRAMES[kind](frame)]


# Events


def _event(kind: str, **body: Check | Key) -> Check:
    return ordered(
        stream=one_of("event"),
        table_id=ID,
        hand_id=or_null(ID),
        table_seq=NUMBER,
        hand_seq=NUMBER,
        ts=TIME,
        state_hash=one_of(None),
        type=one_of(kind),
        **body,
    )


_NEIGHBOUR = ordered(
    seat=SEAT, name=TEXT, stack=CHIPS, avatar_url=or_null(TEXT), public_profile_slug=or_null(TEXT), is_pro=FLAG
)
_SUMMARY = ordered(
    seat=SEAT, name=TEXT, stack=CHIPS, avatar_url=one_of(None), public_profile_slug=one_of(None), is_pro=one_of(False)
)


def _prompt_is_consistent(frame: Frame) -> Iterator[str]:
    bounds = frame["min_raise"], frame["max_raise"]
    offer = frame["valid_actions"]
    yield from unlike("the raise", bounds, (offered(offer, "raise", "min"), offered(offer, "raise", "max")))
    if not offer:
        yield " offers nothing"


def _action_adds_up(frame: Frame) -> Iterator[str]:
    raises = frame["action"] == "raise"
    yield from unlike("amount_mode", frame["amount_mode"], "to_total" if raises else "incremental")
    stated = {"raise": frame["amount"] or "a total", "all_in": 0}.get(frame["action"])
    yield from unlike(f"the amount of {frame['action']}", frame["amount"], stated)
    added = frame["contribution_delta"]
    yield from unlike("pot_after", frame["pot_after"], frame["pot_before"] + added)
    yield from unlike("stack_after", frame["stack_after"], frame["stack_before"] - added)
    for name in ("pot", "stack", "player_stack_before", "player_stack_after"):
        same_as = {"pot": "pot_after", "stack": "stack_after"}.get(name, name.removeprefix("player_"))
        yield from unlike(name, frame[name], frame[same_as])
    puts_chips_in = frame["action"] not in ("fold", "check")
    yield from unlike("chips being added", added > 0, puts_chips_in)
    to_call = frame["to_call_before"] or 0
    if frame["action"] == "call" and added != to_call and (added > to_call or frame["stack_after"]):
        yield f" calls {to_call} with {added}"


def _result_adds_up(frame: Frame) -> Iterator[str]:
    pot, winners, final = frame["pot"], frame["winners"], frame["final_stacks"]
    yield from unlike("transferable_pot", frame["transferable_pot"], pot)
    yield from unlike("the net gains", sum(winner["amount"] for winner in winners), pot)
    yield from unlike("the payouts", sum(payout["amount"] for payout in frame["payouts"]), frame["total_pot"])
    paid = {payout["seat"] for payout in frame["payouts"]}
    yield from unlike("winners without a payout", [w["seat"] for w in winners if w["seat"] not in paid], [])
    for winner in winners:
        yield from unlike(f"the stack of seat {winner['seat']}", winner["stack"], final.get(str(winner["seat"])))
    dealt = {str(entry["seat"]) for entry in frame["actions"]} | set(frame["shown_cards"] or {})
    yield from unlike("seats without a final stack", sorted(dealt - set(final)), [])
    if frame["shown_cards"] is not None and len(frame["shown_cards"]) < 2:
        yield " shows down a single hand"


_RESULT = with_rules(
    _event(
        "hand_result",
        winners=list_of(
            ordered(seat=SEAT, name=TEXT, stack=CHIPS, amount=CHIPS, hand_description=or_null(TEXT)), sizes=range(1, 7)
        ),
        pot=CHIPS,
        total_pot=CHIPS,
        transferable_pot=CHIPS,
        actions=list_of(ordered(seat=SEAT, action=VERB, amount=or_null(CHIPS), street=STREET)),
        payouts=list_of(ordered(seat=SEAT, amount=CHIPS), sizes=range(1, 7)),
        final_stacks=by_seat(CHIPS),
        pot_kind=one_of("transferable"),
        outcome_kind=one_of("win"),
        shown_cards=or_null(by_seat(HOLE)),
    ),
    _result_adds_up,
)
_ACTION = with_rules(
    _event(
        "player_action",
        seat=SEAT,
        name=TEXT,
        action=VERB,
        amount=or_null(CHIPS),
        reason=or_null(TEXT),
        action_id=TEXT,
        amount_mode=one_of("to_total", "incremental"),
        street=one_of(*BOARD_CARDS, "showdown"),
        stack=CHIPS,
        pot=CHIPS,
        pot_before=CHIPS,
        pot_after=CHIPS,
        to_call_before=or_null(whole(1, "chips to call, or null")),
        stack_before=CHIPS,
        stack_after=CHIPS,
        contribution_delta=CHIPS,
        player_stack_before=CHIPS,
        player_stack_after=CHIPS,
    ),
    _action_adds_up,
)
_PROMPT = with_rules(
    _event(
        "your_turn",
        valid_actions=FULL_OFFER,
        pot=CHIPS,
        community_cards=BOARD,
        players=list_of(_SUMMARY, sizes=range(1, 7)),
        min_raise=or_null(CHIPS),
        max_raise=or_null(CHIPS),
        turn_token=ID,
        seat=SEAT,
    ),
    _prompt_is_consistent,
)


# Recovery


def _replays_public_events(frame: Frame) -> Iterator[str]:
    numbers = []
    for place, event in enumerate(frame["replayed_events"]):
        kind = event.get("type")
        if kind not in PUBLIC_EVENTS:
            yield f".replayed_events[{place}] is a {kind!r}, which is not public"
        elif frame["role"] == "player":
            yield from (f".replayed_events[{place}]{found}" for found in _FRAMES[kind](event))
        numbers.append(event.get("table_seq"))
    low, high = frame["from_table_seq"], frame["to_table_seq"]
    if low is not None and high is not None:
        yield from unlike("numbers out of its range", [n for n in numbers if n is None or not low <= n <= high], [])


def _role_matches_snapshot(frame: Frame) -> Iterator[str]:
    snapshot = frame["snapshot"]
    if snapshot is None:
        return
    yield from (f".snapshot{found}" for found in RECOVERY_SNAPSHOT(snapshot))
    yield from unlike("hero, as a player", snapshot.get("hero") is not None, frame["role"] == "player")
    yield from unlike("to_table_seq", frame["to_table_seq"], snapshot.get("table_seq"))


_RESYNC = with_rules(
    record(
        type=one_of("resync_response"),
        stream=one_of("state"),
        table_id=TEXT,
        hand_id=maybe(or_null(ID)),
        role=one_of("player", "spectator"),
        from_table_seq=or_null(COUNT),
        to_table_seq=or_null(COUNT),
        replayed_events=list_of(OBJECT),
        snapshot=or_null(OBJECT),
        table_seq=or_null(COUNT),
        hand_seq=or_null(COUNT),
        ts=or_null(TIME),
        state_hash=maybe(or_null(HASH)),
    ),
    _replays_public_events,
    _role_matches_snapshot,
)

# Everything by type


def _public(kind: str, **body: Check | Key) -> Check:
    """An event of the table whose order of keys was never recorded."""
    return record(
        type=one_of(kind),
        stream=one_of("event"),
        table_id=ID,
        hand_id=or_null(ID),
        table_seq=NUMBER,
        hand_seq=NUMBER,
        ts=TIME,
        state_hash=one_of(None),
        **body,
    )


_PLACE: Final = {"hand_id": or_null(ID), "table_seq": NUMBER, "hand_seq": NUMBER, "ts": TIME}
_WAIT: Final = {"cooldown_seconds": maybe(COUNT), "rebuy_at": maybe(INSTANT)}
_FRAMES: Final[Mapping[str, Check]] = {
    "connected": ordered(type=one_of("connected"), agent_id=ID, name=TEXT),
    "error": record(
        type=one_of("error"),
        code=one_of(*ERROR_CODES),
        message=TEXT,
        table_id=maybe(ID),
        seat=maybe(SEAT),
        details=maybe(OBJECT),
        **_WAIT,
    ),
    "lobby_joined": ordered(type=one_of("lobby_joined"), position=NUMBER, estimated_wait=TEXT),
    "auto_rebuy_set": ordered(type=one_of("auto_rebuy_set"), enabled=FLAG),
    "table_joined": ordered(
        type=one_of("table_joined"),
        table_id=ID,
        seat=SEAT,
        players=list_of(_NEIGHBOUR, sizes=range(1, 7)),
        stream=one_of("event"),
        **_PLACE,
    ),
    "hand_start": _event("hand_start", seat=SEAT, dealer_seat=SEAT, blinds=ordered(small_blind=CHIPS, big_blind=CHIPS)),
    "hole_cards": _event("hole_cards", cards=HOLE),
    "your_turn": _PROMPT,
    "table_state": SNAPSHOT,
    "player_action": _ACTION,
    "community_cards": _event("community_cards", cards=BOARD, street=STREET),
    "action_ack": ordered(
        stream=one_of("event"),
        table_id=ID,
        type=one_of("action_ack"),
        client_action_id=TEXT,
        status=one_of("accepted"),
        **_PLACE,
    ),
    "action_rejected": record(
        type=one_of("action_rejected"),
        code=one_of(*REJECT_CODES),
        reason=TEXT,
        details=record(code=one_of(*REJECT_CODES)),
        client_action_id=maybe(TEXT),
        hand_id=maybe(TEXT),
        table_id=maybe(ID),
    ),
    "hand_result": _RESULT,
    "busted": record(type=one_of("busted"), options=list_of(one_of("rebuy", "leave"))),
    "auto_rebuy_scheduled": record(type=one_of("auto_rebuy_scheduled"), rebuy_at=INSTANT, cooldown_seconds=COUNT),
    "rebuy_confirmed": record(type=one_of("rebuy_confirmed"), new_stack=one_of(0), chip_balance=CHIPS),
    "chips_skimmed": record(type=one_of("chips_skimmed"), excess=CHIPS, new_stack=CHIPS, new_balance=CHIPS),
    "player_joined": _public("player_joined", seat=SEAT, name=TEXT, stack=CHIPS),
    "player_left": _public("player_left", seat=SEAT, name=TEXT, reason=one_of("left", "disconnected", "busted")),
    "table_closed": record(
        type=one_of("table_closed"),
        table_id=ID,
        reason=one_of("insufficient_players", "not_enough_players", "season_ended"),
        stream=maybe(one_of("event")),
        hand_id=maybe(or_null(ID)),
        table_seq=maybe(NUMBER),
        hand_seq=maybe(NUMBER),
        ts=maybe(TIME),
        state_hash=maybe(one_of(None)),
    ),
    "season_ended": record(type=one_of("season_ended"), season_number=NUMBER, next_season_number=NUMBER),
    "resync_response": _RESYNC,
}
