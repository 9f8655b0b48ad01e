"""The invented examples of the protocol document (section 5): its values, with the keys in the recorded order."""

from copy import deepcopy
from typing import Any, Final

from tests.arena.snapshot_shape import own_hash

Frame = dict[str, Any]

TABLE: Final = "0a51c0de-7777-4b1e-9a00-3f2e11d0aa01"
HAND: Final = "b7e0a1d4-2222-4c3c-8d11-90f5c1e2bb02"
TOKEN: Final = "9d0c3c1e-0000-4000-8000-000000000001"
AGENT: Final = "5b0d0000-1111-4222-8333-44445555009f"
TS: Final = "2026-09-20T12:00:10.255000+00:00"
SNAPSHOT_HASH: Final = "sha256:4ef6adaf273ee2a42952f73c4591720fc8e1a6a324f4d1fa0069164eafdda596"


def event(kind: str, table_seq: int, hand_seq: int, **body: Any) -> Frame:
    place = {"stream": "event", "table_id": TABLE, "hand_id": HAND, "table_seq": table_seq, "hand_seq": hand_seq}
    return {**place, "ts": TS, "state_hash": None, "type": kind, **body}


def placed(frame: Frame, table_seq: int, hand_seq: int) -> Frame:
    """A frame that has no hash, with its place at the end."""
    return {**frame, "hand_id": HAND, "table_seq": table_seq, "hand_seq": hand_seq, "ts": TS}


def rehashed(snapshot: Frame) -> Frame:
    """A snapshot with the hash of what it now says, so that nothing but the change is wrong with it."""
    return {**snapshot, "state_hash": own_hash(snapshot)}


def changed(frame: Frame, *path: str | int, to: object) -> Frame:
    """The frame with the value at the path replaced, and a snapshot hashed again."""
    whole = deepcopy(frame)
    place: Any = whole
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = to
    return rehashed(whole) if whole["type"] == "table_state" and path != ("state_hash",) else whole


def _seat(number: int, name: str, stack: int, bet: int, *, folded: bool = False, is_pro: bool = False) -> Frame:
    chips = {"seat": number, "name": name, "stack": stack, "bet": bet, "status": "active", "in_hand": True}
    return {**chips, "folded": folded, "public_profile_slug": name.lower(), "is_pro": is_pro}


def _empty(number: int) -> Frame:
    return {"seat": number, "name": None, "stack": 0, "bet": 0, "status": "empty", "in_hand": False}


def _player(number: int, name: str, stack: int, slug: str | None = None, avatar: str | None = None) -> Frame:
    pictures = {"avatar_url": avatar, "public_profile_slug": slug, "is_pro": avatar is not None}
    return {"seat": number, "name": name, "stack": stack, **pictures}


def _settled(seat: Frame, stack: int) -> Frame:
    return {key: value for key, value in seat.items() if key != "folded"} | {"stack": stack, "bet": 0, "in_hand": False}


OFFER: Final = [
    {"action": "fold"},
    {"action": "call", "amount": 30},
    {"action": "raise", "min": 80, "max": 2000},
    {"action": "all_in", "amount": 1980},
]
SEATS: Final = [
    _seat(0, "Heron", 1980, 20),
    _empty(1),
    _seat(2, "Otter", 2350, 50, is_pro=True),
    _empty(3),
    _seat(4, "Lynx", 1490, 10, folded=True),
    _empty(5),
]
TABLE_STATE: Final[Frame] = {
    "stream": "state",
    "table_id": TABLE,
    "hand_id": HAND,
    "type": "table_state",
    "street": "preflop",
    "dealer_seat": 2,
    "small_blind": 10,
    "big_blind": 20,
    "pot": 80,
    "actor_seat": 0,
    "to_call": 30,
    "min_raise_to": 80,
    "max_raise_to": 2000,
    "board": [],
    "seats": SEATS,
    "hero": {"seat": 0, "hole_cards": ["Qs", "Jd"], "valid_actions": OFFER},
    "table_seq": 5123,
    "hand_seq": 24,
    "ts": "2026-09-20T12:00:07.250000+00:00",
    "state_hash": SNAPSHOT_HASH,
}
IDLE_STATE: Final[Frame] = rehashed(
    {
        "stream": "state",
        "table_id": TABLE,
        "hand_id": HAND,
        "type": "table_state",
        "street": "idle",
        "waiting_reason": "between_hands_delay",
        "waiting_details": {"remaining_seconds": 2.5, "configured_delay_seconds": 5.0},
        "dealer_seat": 2,
        "small_blind": 10,
        "big_blind": 20,
        "pot": 0,
        "board": ["2h", "7h", "Kc"],
        "seats": [
            *(_settled(SEATS[0], 2190), SEATS[1], _settled(SEATS[2], 2220)),
            *(SEATS[3], _settled(SEATS[4], 1490), SEATS[5]),
        ],
        "hero": {"seat": 0, "hole_cards": ["Qs", "Jd"]},
        "table_seq": 5169,
        "hand_seq": 70,
        "ts": TS,
    }
)
YOUR_TURN: Final[Frame] = event(
    "your_turn",
    5124,
    25,
    valid_actions=[
        {"action": "fold", "amount": None, "min": None, "max": None},
        {"action": "call", "amount": 30, "min": None, "max": None},
        {"action": "raise", "amount": None, "min": 80, "max": 2000},
        {"action": "all_in", "amount": 1980, "min": None, "max": None},
    ],
    pot=80,
    community_cards=[],
    players=[_player(0, "Heron", 1980), _player(2, "Otter", 2350), _player(4, "Lynx", 1490)],
    min_raise=80,
    max_raise=2000,
    turn_token=TOKEN,
    seat=0,
)
PLAYER_ACTION: Final[Frame] = event(
    "player_action",
    5112,
    13,
    seat=2,
    name="Otter",
    action="raise",
    amount=50,
    reason=None,
    action_id="0d8e0000-0000-4000-8000-000000000002",
    amount_mode="to_total",
    street="preflop",
    stack=2350,
    pot=80,
    pot_before=30,
    pot_after=80,
    to_call_before=20,
    stack_before=2400,
    stack_after=2350,
    contribution_delta=50,
    player_stack_before=2400,
    player_stack_after=2350,
)
HAND_RESULT: Final[Frame] = event(
    "hand_result",
    5170,
    71,
    winners=[{"seat": 0, "name": "Heron", "stack": 2190, "amount": 190, "hand_description": "Two Pair"}],
    pot=190,
    total_pot=370,
    transferable_pot=190,
    actions=[
        {"seat": 2, "action": "raise", "amount": 50, "street": "preflop"},
        {"seat": 4, "action": "fold", "amount": None, "street": "preflop"},
        {"seat": 0, "action": "call", "amount": None, "street": "preflop"},
    ],
    payouts=[{"seat": 0, "amount": 370}],
    final_stacks={"0": 2190, "2": 2220, "4": 1490},
    pot_kind="transferable",
    outcome_kind="win",
    shown_cards={"0": ["Qs", "Jd"], "2": ["Ad", "9c"]},
)
RESYNC_RESPONSE: Final[Frame] = {
    "type": "resync_response",
    "stream": "state",
    "table_id": TABLE,
    "role": "player",
    "from_table_seq": 5110,
    "to_table_seq": 5123,
    "replayed_events": [PLAYER_ACTION],
    "snapshot": rehashed({**TABLE_STATE, "hero": {**TABLE_STATE["hero"], "turn_token": TOKEN}}),
    "table_seq": 5123,
    "hand_seq": 24,
    "ts": TS,
}
EXAMPLES: Final[dict[str, Frame]] = {
    "connected": {"type": "connected", "agent_id": AGENT, "name": "Heron"},
    "error": {"type": "error", "code": "already_seated", "message": "you have a seat", "table_id": TABLE, "seat": 0},
    "lobby_joined": {"type": "lobby_joined", "position": 1, "estimated_wait": "~20s"},
    "auto_rebuy_set": {"type": "auto_rebuy_set", "enabled": True},
    "table_joined": placed(
        {
            "type": "table_joined",
            "table_id": TABLE,
            "seat": 0,
            "players": [
                _player(0, "Heron", 2000, "heron"),
                _player(2, "Otter", 2400, "otter", "/api/public-avatar/avatars/x/y.webp"),
            ],
            "stream": "event",
        },
        5080,
        61,
    ),
    "hand_start": event("hand_start", 5100, 1, seat=0, dealer_seat=2, blinds={"small_blind": 10, "big_blind": 20}),
    "hole_cards": event("hole_cards", 5103, 4, cards=["Qs", "Jd"]),
    "your_turn": YOUR_TURN,
    "table_state": TABLE_STATE,
    "player_action": PLAYER_ACTION,
    "community_cards": event("community_cards", 5140, 41, cards=["2h", "7h", "Kc", "9s"], street="turn"),
    "action_ack": placed(
        {
            "stream": "event",
            "table_id": TABLE,
            "type": "action_ack",
            "client_action_id": "c-000017",
            "status": "accepted",
        },
        5126,
        27,
    ),
    "action_rejected": {
        "type": "action_rejected",
        "code": "stale_turn_token",
        "reason": "the token is old",
        "details": {"code": "stale_turn_token"},
    },
    "hand_result": HAND_RESULT,
    "busted": {"type": "busted", "options": ["rebuy", "leave"]},
    "auto_rebuy_scheduled": {
        "type": "auto_rebuy_scheduled",
        "rebuy_at": "2026-09-20T12:10:00Z",
        "cooldown_seconds": 300,
    },
    "rebuy_confirmed": {"type": "rebuy_confirmed", "new_stack": 0, "chip_balance": 1500},
    "chips_skimmed": {"type": "chips_skimmed", "excess": 300, "new_stack": 9000, "new_balance": 1800},
    "player_joined": event("player_joined", 5090, 71, seat=4, name="Lynx", stack=1500),
    "player_left": event("player_left", 5095, 76, seat=4, name="Lynx", reason="left"),
    "table_closed": {"type": "table_closed", "table_id": TABLE, "reason": "insufficient_players"},
    "season_ended": {"type": "season_ended", "season_number": 12, "next_season_number": 13},
    "resync_response": RESYNC_RESPONSE,
}
