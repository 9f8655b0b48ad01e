"""One frame of each kind as the documents spell them, for Heron on seat 0 of one table."""

from typing import Any

from agent.openpoker.frames import state_hash

TABLE_ID = "0a51c0de-7777-4b1e-9a00-3f2e11d0aa01"
HAND_ID = "b7e0a1d4-2222-4c3c-8d11-90f5c1e2bb02"
TOKEN = "9d0c3c1e-0000-4000-8000-000000000001"

NewFrame = dict[str, Any]

CONNECTED: NewFrame = {"type": "connected", "agent_id": "5b0d", "name": "Heron"}
LOBBY_JOINED: NewFrame = {"type": "lobby_joined", "position": 1, "estimated_wait": "~20s"}
ALREADY_SEATED: NewFrame = {
    "type": "error",
    "code": "already_seated",
    "message": "you already have a seat",
    "table_id": TABLE_ID,
    "seat": 0,
}
NOT_AT_TABLE: NewFrame = {"type": "error", "code": "not_at_table", "message": "you have no seat"}
LOW_BALANCE: NewFrame = {"type": "error", "code": "insufficient_funds", "message": "too few chips"}


def event(kind: str, number: int, **body: Any) -> NewFrame:
    """An event with that number in table and hand."""
    return {**_place(number), "stream": "event", "state_hash": None, "type": kind, **body}


def seat(number: int, name: str | None = None, *, stack: int = 0, bet: int = 0, folded: bool = False) -> NewFrame:
    """A seat of a snapshot during a hand: empty without a name."""
    if name is None:
        return {"seat": number, "name": None, "stack": 0, "bet": 0, "status": "empty", "in_hand": False}
    return {
        "seat": number,
        "name": name,
        "stack": stack,
        "bet": bet,
        "status": "active",
        "in_hand": True,
        "folded": folded,
        "public_profile_slug": name.lower(),
        "is_pro": False,
    }


def snapshot(number: int, *more: NewFrame, hero: NewFrame | None = None, **body: Any) -> NewFrame:
    """Heron faces a raise of Otter; Lynx has folded. `more` seats take the place of empty ones."""
    taken = {
        0: seat(0, "Heron", stack=1_980, bet=20),
        2: seat(2, "Otter", stack=2_350, bet=50),
        4: seat(4, "Lynx", stack=1_490, bet=10, folded=True),
        **{entry["seat"]: entry for entry in more},
    }
    frame = {
        **_place(number),
        "stream": "state",
        "type": "table_state",
        "street": "preflop",
        "dealer_seat": 2,
        "small_blind": 10,
        "big_blind": 20,
        "pot": 80,
        "actor_seat": 0,
        "to_call": 30,
        "min_raise_to": 80,
        "max_raise_to": 2_000,
        "board": [],
        "seats": [taken.get(n, seat(n)) for n in range(6)],
        "hero": hero
        or {
            "seat": 0,
            "hole_cards": ["Qs", "Jd"],
            "valid_actions": [{"action": "fold"}, {"action": "call", "amount": 30}],
        },
        **body,
    }
    return {**frame, "state_hash": state_hash(frame)}


def idle_snapshot(number: int) -> NewFrame:
    """Between two hands, with the floats of its details."""
    details = {"remaining_seconds": 2.5, "configured_delay_seconds": 5.0}
    return snapshot(
        number, street="idle", pot=0, waiting_reason="between_hands_delay", waiting_details=details, hero={"seat": 0}
    )


def your_turn(number: int) -> NewFrame:
    """The prompt that belongs to `snapshot`."""
    return event(
        "your_turn",
        number,
        seat=0,
        turn_token=TOKEN,
        pot=80,
        community_cards=[],
        valid_actions=[
            {"action": "fold", "amount": None, "min": None, "max": None},
            {"action": "call", "amount": 30, "min": None, "max": None},
            {"action": "raise", "amount": None, "min": 80, "max": 2_000},
        ],
        min_raise=80,
        max_raise=2_000,
        players=[_player(0, "Heron", 1_980), _player(2, "Otter", 2_350), _player(4, "Lynx", 1_490)],
    )


def ack(number: int) -> NewFrame:
    """The acknowledgement of an action; it has no `state_hash`."""
    return {
        **_place(number),
        "stream": "event",
        "type": "action_ack",
        "client_action_id": "c-000017",
        "status": "accepted",
    }


def player_action(number: int, action: str = "call", **body: Any) -> NewFrame:
    """Heron's action; a call of 30 unless told otherwise."""
    spelled = {
        "seat": 0,
        "name": "Heron",
        "action": action,
        "amount": None,
        "amount_mode": "incremental",
        "reason": None,
        "action_id": "c-000017",
        "street": "flop",
        "stack": 1_950,
        "pot": 110,
        "pot_before": 80,
        "pot_after": 110,
        "to_call_before": 30,
        "stack_before": 1_980,
        "stack_after": 1_950,
        "player_stack_before": 1_980,
        "player_stack_after": 1_950,
        "contribution_delta": 30,
    }
    return event("player_action", number, **(spelled | body))


def community_cards(number: int, street: str, *cards: str) -> NewFrame:
    """The board so far."""
    return event("community_cards", number, street=street, cards=list(cards))


def hand_result(number: int) -> NewFrame:
    """Heron wins 370 chips, 190 of them from others."""
    return event(
        "hand_result",
        number,
        winners=[{"seat": 0, "name": "Heron", "stack": 2_190, "amount": 190, "hand_description": "Two Pair"}],
        pot=190,
        transferable_pot=190,
        total_pot=370,
        pot_kind="transferable",
        outcome_kind="win",
        payouts=[{"seat": 0, "amount": 370}],
        final_stacks={"0": 2_190, "2": 2_220, "4": 1_490},
        shown_cards={"0": ["Qs", "Jd"], "2": ["Ad", "9c"]},
        actions=[{"seat": 2, "action": "all_in", "amount": 0, "street": "preflop"}],
    )


def player_joined(number: int) -> NewFrame:
    """Marten takes seat 5."""
    return event("player_joined", number, seat=5, name="Marten", stack=1_500)


def player_left(number: int, name: str = "Heron", seat: int = 0) -> NewFrame:
    """Somebody leaves; Heron unless told otherwise."""
    return event("player_left", number, seat=seat, name=name, reason="left")


def table_joined(number: int) -> NewFrame:
    """Heron sits down; the frame has no `state_hash`."""
    players = [_player(0, "Heron", 2_000), _player(2, "Otter", 2_400)]
    return {**_place(number), "stream": "event", "type": "table_joined", "seat": 0, "players": players}


def hand_start(number: int) -> NewFrame:
    """The next hand begins."""
    blinds = {"small_blind": 10, "big_blind": 20}
    return event("hand_start", number, seat=0, dealer_seat=2, blinds=blinds)


def resync_response(number: int) -> NewFrame:
    """Heron is back in the middle of its turn."""
    hero = {"seat": 0, "hole_cards": ["Qs", "Jd"], "turn_token": TOKEN, "valid_actions": [{"action": "fold"}]}
    return {
        **_place(number),
        "type": "resync_response",
        "stream": "state",
        "role": "player",
        "from_table_seq": number - 3,
        "to_table_seq": number,
        "replayed_events": [hand_start(number - 2), player_action(number - 1)],
        "snapshot": snapshot(number, hero=hero),
    }


def _player(number: int, name: str, stack: int) -> NewFrame:
    return {
        "seat": number,
        "name": name,
        "stack": stack,
        "avatar_url": None,
        "public_profile_slug": None,
        "is_pro": False,
    }


def _place(number: int) -> NewFrame:
    ts = f"2026-09-20T12:00:{number % 60:02d}.250000+00:00"
    return {"table_id": TABLE_ID, "hand_id": HAND_ID, "table_seq": number, "hand_seq": number, "ts": ts}


EVERY_KIND: tuple[NewFrame, ...] = (
    LOBBY_JOINED,
    ALREADY_SEATED,
    NOT_AT_TABLE,
    LOW_BALANCE,
    table_joined(10),
    hand_start(20),
    snapshot(30),
    idle_snapshot(31),
    your_turn(40),
    ack(50),
    player_action(60),
    player_action(61, "all_in", amount=0, contribution_delta=1_980),
    community_cards(70, "turn", "2h", "7h", "Kc", "9s"),
    hand_result(80),
    player_joined(90),
    player_left(100),
    player_left(101, "Otter", 2),
    resync_response(110),
)
