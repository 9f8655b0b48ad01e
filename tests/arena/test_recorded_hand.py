"""The recorded hand dealt again gives the same frames, keys, labels and figures as on the live venue.

Written down here is the structure of the recording, without its names and ids. The first snapshot differs in one
thing: at a fresh table it shows no board of an earlier hand.
"""

from typing import Any, Final

import pytest

from tests.arena.conformance import problems
from tests.arena.recorded_hand import BOARD, MOVES, deal_again
from tests.arena.session_conformance import of, session_problems
from tests.arena.shapes import Frame

OWN_STREETS: Final = (*8 * ("preflop",), *2 * ("flop",), *2 * ("turn",), *3 * ("river",))

TYPES: Final = (
    *("table_joined", "table_state", "hand_start", "hole_cards", "table_state"),
    *3 * ("player_action", "table_state"),
    *("your_turn", "table_state", "action_ack", "player_action", "table_state"),
    *4 * ("player_action", "table_state"),
    *("community_cards", "table_state", *2 * ("player_action", "table_state")),
    *("community_cards", "table_state", *2 * ("player_action", "table_state")),
    *("community_cards", "table_state", *3 * ("player_action", "table_state")),
    "hand_result",
)
EVENT: Final = "stream table_id hand_id table_seq hand_seq ts state_hash type"
STATE: Final = "stream table_id hand_id type street"
BLINDS_AND_POT: Final = "dealer_seat small_blind big_blind pot"
BODY: Final = "board seats hero table_seq hand_seq ts state_hash"
KEYS: Final = {
    "table_joined": "type table_id seat players stream hand_id table_seq hand_seq ts",
    "hand_start": f"{EVENT} seat dealer_seat blinds",
    "hole_cards": f"{EVENT} cards",
    "community_cards": f"{EVENT} cards street",
    "action_ack": "stream table_id type client_action_id status hand_id table_seq hand_seq ts",
    "your_turn": f"{EVENT} valid_actions pot community_cards players min_raise max_raise turn_token seat",
    "player_action": f"{EVENT} seat name action amount reason action_id amount_mode street stack pot pot_before pot_after "
    "to_call_before stack_before stack_after contribution_delta player_stack_before player_stack_after",
    "hand_result": f"{EVENT} winners pot total_pot transferable_pot actions payouts final_stacks pot_kind outcome_kind "
    "shown_cards",
    "idle": f"{STATE} waiting_reason waiting_details {BLINDS_AND_POT} {BODY}",
    "watching": f"{STATE} {BLINDS_AND_POT} actor_seat {BODY}",
    "acting": f"{STATE} {BLINDS_AND_POT} actor_seat to_call min_raise_to max_raise_to {BODY}",
}
# Seat, label, to call before, pot after, chips added, stack after.
ACTIONS: Final = [
    (3, "preflop", 20, 94, 64, 17_536),
    (4, "preflop", 64, 94, 0, 749),
    (5, "preflop", 64, 286, 192, 2_021),
    (0, "preflop", 192, 286, 0, 1_000),
    (1, "preflop", 182, 286, 0, 832),
    (2, "preflop", 172, 286, 0, 1_318),
    (3, "preflop", 128, 606, 320, 17_216),
    (5, "flop", 192, 798, 192, 1_829),
    (3, "flop", None, 798, 0, 17_216),
    (5, "turn", None, 798, 0, 1_829),
    (3, "turn", None, 1_197, 399, 16_817),
    (5, "river", 399, 1_596, 399, 1_430),
    (3, "river", None, 2_394, 798, 16_019),
    (5, "river", 798, 3_824, 1_430, 0),
    (3, "showdown", 632, 4_456, 632, 15_387),
]
# Street, pot, actor, cards on the board.
SNAPSHOTS: Final = [
    ("idle", 0, None, 0),
    ("preflop", 30, 3, 0),
    ("preflop", 94, 4, 0),
    ("preflop", 94, 5, 0),
    ("preflop", 286, 0, 0),
    ("preflop", 286, 0, 0),
    ("preflop", 286, 1, 0),
    ("preflop", 286, 2, 0),
    ("preflop", 286, 3, 0),
    ("preflop", 606, 5, 0),
    ("flop", 798, 3, 0),
    ("flop", 798, 3, 3),
    ("flop", 798, 5, 3),
    ("turn", 798, 3, 3),
    ("turn", 798, 3, 4),
    ("turn", 1_197, 5, 4),
    ("river", 1_596, 3, 4),
    ("river", 1_596, 3, 5),
    ("river", 2_394, 5, 5),
    ("river", 3_824, 3, 5),
    ("idle", 0, None, 5),
]


@pytest.fixture(scope="module")
def frames() -> list[Frame]:
    return [*deal_again()]


def test_the_frames_come_in_the_recorded_order(frames: list[Frame]) -> None:
    assert tuple(frame["type"] for frame in frames) == TYPES


def test_every_frame_has_the_recorded_keys_in_their_order(frames: list[Frame]) -> None:
    for frame in frames:
        kind = frame["type"]
        if kind == "table_state":
            kind = "idle" if frame["street"] == "idle" else "acting" if "to_call" in frame else "watching"
        assert " ".join(frame) == KEYS[kind]
    acting = [number for number, frame in enumerate(of(frames, "table_state")) if "to_call" in frame]
    assert acting == [4, 5]


def test_nested_entries_have_the_recorded_keys_in_their_order(frames: list[Frame]) -> None:
    idle, *running, settled = of(frames, "table_state")
    assert {" ".join(seat) for snapshot in (idle, settled) for seat in snapshot["seats"]} == {
        "seat name stack bet status in_hand public_profile_slug is_pro"
    }
    assert {" ".join(seat) for snapshot in running for seat in snapshot["seats"]} == {
        "seat name stack bet status in_hand folded public_profile_slug is_pro"
    }
    assert [" ".join(s["hero"]) for s in (idle, running[0], running[3], settled)] == [
        "seat",
        "seat hole_cards",
        "seat hole_cards valid_actions",
        "seat hole_cards",
    ]
    result = frames[-1]
    assert [" ".join(result[name][0]) for name in ("winners", "actions", "payouts")] == [
        "seat name stack amount hand_description",
        "seat action amount street",
        "seat amount",
    ]
    player = "seat name stack avatar_url public_profile_slug is_pro"
    assert {" ".join(p) for kind in ("table_joined", "your_turn") for p in of(frames, kind)[0]["players"]} == {player}


def test_the_snapshots_show_the_recorded_pots_actors_and_boards(frames: list[Frame]) -> None:
    states = of(frames, "table_state")
    assert [(s["street"], s["pot"], s.get("actor_seat"), len(s["board"])) for s in states] == SNAPSHOTS
    assert [frame["cards"] for frame in of(frames, "community_cards")] == [BOARD[:3], BOARD[:4], BOARD]
    assert {seat["seat"]: seat["bet"] for seat in states[1]["seats"] if seat["bet"]} == {1: 10, 2: 20}
    assert {state["dealer_seat"] for state in states[1:]} == {0}


def test_the_waits_before_and_after_are_told_as_recorded(frames: list[Frame]) -> None:
    first, last = of(frames, "table_state")[0], of(frames, "table_state")[-1]
    assert first["waiting_reason"] == "between_hands_delay"
    assert list(first["waiting_details"].items()) == [("remaining_seconds", 4.008), ("configured_delay_seconds", 5.0)]
    assert last["waiting_reason"] == "awaiting_hand_start"
    assert list(last["waiting_details"].items()) == [
        ("player_count", 6),
        ("eligible_players", 6),
        ("min_required", 2),
        ("active_players", 6),
        ("away_players", 0),
        ("disconnected_players", 0),
        ("connected_players", 6),
    ]


def test_hero_is_offered_what_was_recorded(frames: list[Frame]) -> None:
    turn, held = of(frames, "your_turn")[0], of(frames, "hole_cards")[0]
    assert held["cards"] == ["6c", "Ac"]
    assert (turn["seat"], turn["pot"], turn["min_raise"], turn["max_raise"]) == (0, 286, 320, 1_000)
    assert [tuple(entry.items()) for entry in turn["valid_actions"]] == [
        (("action", "fold"), ("amount", None), ("min", None), ("max", None)),
        (("action", "call"), ("amount", 192), ("min", None), ("max", None)),
        (("action", "raise"), ("amount", None), ("min", 320), ("max", 1_000)),
        (("action", "all_in"), ("amount", 1_000), ("min", None), ("max", None)),
    ]
    for snapshot in of(frames, "table_state")[4:6]:
        assert (snapshot["to_call"], snapshot["min_raise_to"], snapshot["max_raise_to"]) == (192, 320, 1_000)
        assert snapshot["hero"]["valid_actions"] == [
            {"action": "fold"},
            {"action": "call", "amount": 192},
            {"action": "raise", "min": 320, "max": 1_000},
            {"action": "all_in", "amount": 1_000},
        ]


def test_the_actions_carry_the_recorded_labels_and_figures(frames: list[Frame]) -> None:
    taken = of(frames, "player_action")
    assert [(a["seat"], a["action"], a["amount"]) for a in taken] == list(MOVES)
    figures = ("seat", "street", "to_call_before", "pot_after", "contribution_delta", "stack_after")
    assert [tuple(action[name] for name in figures) for action in taken] == ACTIONS
    assert [a["amount_mode"] for a in taken] == ["to_total" if a["action"] == "raise" else "incremental" for a in taken]
    ack = of(frames, "action_ack")[0]
    assert (ack["status"], ack["client_action_id"]) == ("accepted", taken[3]["action_id"])


def test_the_result_states_the_net_gain_beside_the_gross_payout(frames: list[Frame]) -> None:
    result = frames[-1]
    expected: dict[str, Any] = {
        "winners": [
            {"seat": 5, "name": "Otter5", "stack": 4_456, "amount": 2_243, "hand_description": "Straight"},
        ],
        "pot": 2_243,
        "total_pot": 4_456,
        "transferable_pot": 2_243,
        "payouts": [{"seat": 5, "amount": 4_456}],
        "final_stacks": {"0": 1_000, "1": 832, "2": 1_318, "3": 15_387, "4": 749, "5": 4_456},
        "pot_kind": "transferable",
        "outcome_kind": "win",
        "shown_cards": {"3": ["7s", "7d"], "5": ["Ah", "Qd"]},
    }
    assert {name: result[name] for name in expected} == expected
    assert [(a["seat"], a["action"], a["amount"], a["street"]) for a in result["actions"]] == [
        (*move, street) for move, street in zip(MOVES, OWN_STREETS, strict=True)
    ]


def test_every_frame_of_the_hand_conforms_with_its_twenty_one_hashes(frames: list[Frame]) -> None:
    assert len(of(frames, "table_state")) == 21
    assert [wrong for frame in frames for wrong in problems(frame)] == []
    assert session_problems(frames) == []
