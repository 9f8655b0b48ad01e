"""The checker of frames and sessions itself: it accepts what the document shows, and finds what breaks it."""

import json

import pytest

from tests.arena.conformance import problems
from tests.arena.document_frames import (
    EXAMPLES,
    HAND_RESULT,
    IDLE_STATE,
    PLAYER_ACTION,
    RESYNC_RESPONSE,
    SNAPSHOT_HASH,
    TABLE_STATE,
    TOKEN,
    YOUR_TURN,
    Frame,
    changed,
    rehashed,
)
from tests.arena.recorded_hand import deal_again
from tests.arena.session_conformance import session_problems
from tests.arena.snapshot_shape import own_hash


def without(frame: Frame, key: str) -> Frame:
    """The frame without that key, and a snapshot hashed again."""
    rest = {name: value for name, value in frame.items() if name != key}
    return rehashed(rest) if rest.get("type") == "table_state" and key != "state_hash" else rest


# The checker and single frames


@pytest.mark.parametrize("kind", EXAMPLES)
def test_the_documents_own_examples_are_accepted(kind: str) -> None:
    assert EXAMPLES[kind]["type"] == kind
    assert problems(EXAMPLES[kind]) == []


@pytest.mark.parametrize("kind", EXAMPLES)
def test_a_key_that_no_document_names_is_found_in_every_frame(kind: str) -> None:
    frame = {**EXAMPLES[kind], "surprise": 1}
    assert f"{kind}.surprise is unknown" in problems(frame)


OPTIONAL = {"error": {"table_id", "seat"}, "table_state": {"waiting_reason"}}


@pytest.mark.parametrize(
    ("kind", "key"), [(kind, key) for kind, frame in EXAMPLES.items() for key in frame if key != "type"]
)
def test_every_documented_key_is_missed(kind: str, key: str) -> None:
    found = problems(without(EXAMPLES[kind], key))
    assert (f"{kind}.{key} is missing" in found) == (key not in OPTIONAL.get(kind, ()))


@pytest.mark.parametrize("kind", [k for k, f in EXAMPLES.items() if f.get("table_seq") and k != "resync_response"])
def test_an_event_with_its_keys_in_another_order_than_recorded_is_found(kind: str) -> None:
    backwards = dict(reversed(EXAMPLES[kind].items()))
    is_recorded = kind not in ("player_joined", "player_left")
    assert any("in the order" in found for found in problems(backwards)) == is_recorded


def test_an_idle_snapshot_is_accepted_with_its_floats() -> None:
    assert problems(IDLE_STATE) == []


def test_a_table_may_close_with_or_without_the_envelope() -> None:
    envelope = {"stream": "event", "hand_id": None, "table_seq": 9, "hand_seq": 3, "state_hash": None}
    assert problems({**EXAMPLES["table_closed"], **envelope, "ts": "2026-09-20T12:00:07.250000+00:00"}) == []


FREE_OFFER = [{"action": "fold"}, {"action": "check"}, {"action": "raise", "min": 40, "max": 2000}]
WHOLE_DETAILS = {"remaining_seconds": 2.5, "configured_delay_seconds": 5}


@pytest.mark.parametrize(
    ("frame", "complaint"),
    [
        # Types and nulls
        (changed(TABLE_STATE, "pot", to=80.0), "table_state.pot is 80.0, not whole chips"),
        (changed(TABLE_STATE, "pot", to=None), "table_state.pot is None, not whole chips"),
        (changed(TABLE_STATE, "pot", to=True), "table_state.pot is True, not whole chips"),
        (changed(TABLE_STATE, "seats", 0, "stack", to=-1), "table_state.seats[0].stack is -1, not whole chips"),
        (changed(TABLE_STATE, "hand_id", to="17"), "table_state.hand_id is '17', not a UUID"),
        (changed(TABLE_STATE, "ts", to="2026-09-20T12:00:07Z"), "not a time with microseconds"),
        (changed(IDLE_STATE, "waiting_details", to=WHOLE_DETAILS), "configured_delay_seconds is 5, not seconds as a float"),
        (changed(EXAMPLES["lobby_joined"], "estimated_wait", to=20), "estimated_wait is 20, not text"),
        (changed(EXAMPLES["action_ack"], "client_action_id", to=17), "client_action_id is 17, not text"),
        (changed(EXAMPLES["hand_start"], "state_hash", to=SNAPSHOT_HASH), "not None"),
        (changed(EXAMPLES["hand_start"], "seat", to=6), "seat is 6, not a seat"),
        (changed(EXAMPLES["hole_cards"], "cards", to=["10s", "Jd"]), "cards[0] is '10s', not a card"),
        (changed(EXAMPLES["hole_cards"], "cards", to=["Jd", "Jd"]), "repeats"),
        (changed(EXAMPLES["community_cards"], "cards", to=["9s"]), "has 1 entries"),
        (changed(EXAMPLES["rebuy_confirmed"], "new_stack", to=1500), "new_stack is 1500, not 0"),
        # Enums
        (changed(TABLE_STATE, "street", to="river "), "table_state.street is 'river '"),
        (changed(TABLE_STATE, "seats", 0, "status", to="asleep"), "status is 'asleep'"),
        (changed(EXAMPLES["player_left"], "reason", to="bored"), "reason is 'bored'"),
        (changed(EXAMPLES["error"], "code", to="oops"), "code is 'oops'"),
        (changed(EXAMPLES["action_rejected"], "details", to={}), "details.code is missing"),
        (changed(RESYNC_RESPONSE, "role", to="guest"), "role is 'guest'"),
        (changed(HAND_RESULT, "actions", 0, "action", to="bet"), "actions[0].action is 'bet'"),
        # Snapshots
        (changed(TABLE_STATE, "state_hash", to=SNAPSHOT_HASH.replace("4", "5")), "for its hash"),
        (changed(TABLE_STATE, "seats", to=TABLE_STATE["seats"][:5]), "seats has 5 entries, not 6"),
        (changed(TABLE_STATE, "seats", 1, "seat", to=3), "for its seats"),
        (changed(TABLE_STATE, "seats", 1, "stack", to=5), "for an empty seat"),
        (changed(TABLE_STATE, "seats", 1, to=None), "seats[1] is None, not an object"),
        (changed(TABLE_STATE, "seats", 2, "avatar_url", to=None), "seats[2].avatar_url is None, not text"),
        (without(TABLE_STATE, "to_call"), "table_state.to_call is missing"),
        (changed(TABLE_STATE, "actor_seat", to=2), "valid_actions belong to the actor"),
        (changed(TABLE_STATE, "hero", to={"seat": 0, "hole_cards": ["Qs", "Jd"]}), "to_call must be absent here"),
        (changed(TABLE_STATE, "hero", to={"seat": 0}), "must be absent here"),
        (changed(TABLE_STATE, "hero", "seat", to=1), "hero sits in the empty seat 1"),
        (changed(TABLE_STATE, "hero", "turn_token", to=TOKEN), "hero.turn_token is unknown"),
        (changed(TABLE_STATE, "hero", to=None), "hero is None, not an object"),
        (changed(TABLE_STATE, "to_call", to=50), "for to_call"),
        (changed(TABLE_STATE, "min_raise_to", to=90), "for the raise"),
        (changed(TABLE_STATE, "pot", to=79), "has a pot of 79 with bets of 80"),
        (changed(TABLE_STATE, "board", to=["2h", "7h", "Kc", "9s"]), "shows 4 cards on the preflop"),
        (changed(IDLE_STATE, "pot", to=10), "for an idle pot"),
        (changed(IDLE_STATE, "seats", 0, "in_hand", to=True), "for who is in the hand"),
        (changed(IDLE_STATE, "seats", 0, "folded", to=False), "in the order"),
        (changed(IDLE_STATE, "actor_seat", to=None), "actor_seat must be absent here"),
        (changed(IDLE_STATE, "waiting_reason", to="awaiting_hand_start"), "waiting_details.player_count is missing"),
        # Offers
        (without(YOUR_TURN, "turn_token"), "your_turn.turn_token is missing"),
        (changed(YOUR_TURN, "valid_actions", to=[{"action": "fold"}]), "valid_actions[0].amount is missing"),
        (changed(YOUR_TURN, "valid_actions", to=[]), "offers nothing"),
        (changed(YOUR_TURN, "valid_actions", 1, "amount", to=None), "for the numbers of call"),
        (changed(YOUR_TURN, "min_raise", to=90), "for the raise"),
        (changed(YOUR_TURN, "players", 0, "public_profile_slug", to="heron"), "public_profile_slug is 'heron', not None"),
        (changed(TABLE_STATE, "hero", "valid_actions", 0, "amount", to=None), "valid_actions[0].amount is None"),
        (changed(TABLE_STATE, "hero", "valid_actions", to=[*FREE_OFFER, FREE_OFFER[0]]), "for its verbs"),
        # Actions
        (changed(PLAYER_ACTION, "amount_mode", to="incremental"), "for amount_mode"),
        (changed(PLAYER_ACTION, "amount", to=None), "for the amount of raise"),
        (changed(PLAYER_ACTION, "pot_after", to=90), "for pot_after"),
        (changed(PLAYER_ACTION, "stack", to=2400), "for stack"),
        (changed(PLAYER_ACTION, "to_call_before", to=0), "to_call_before is 0"),
        (changed(PLAYER_ACTION, "street", to="idle"), "street is 'idle'"),
        ({**PLAYER_ACTION, "action": "call", "amount_mode": "incremental"}, "for the amount of call"),
        # Results
        (changed(HAND_RESULT, "winners", 0, "amount", to=370), "for the net gains"),
        (changed(HAND_RESULT, "payouts", 0, "amount", to=190), "for the payouts"),
        (changed(HAND_RESULT, "transferable_pot", to=370), "for transferable_pot"),
        (changed(HAND_RESULT, "final_stacks", to={0: 2190, "2": 2220, "4": 1490}), "final_stacks has the key 0"),
        (changed(HAND_RESULT, "final_stacks", to={"0": 2190, "2": 2220}), "for seats without a final stack"),
        (changed(HAND_RESULT, "final_stacks", "0", to=2000), "for the stack of seat 0"),
        (changed(HAND_RESULT, "shown_cards", to={}), "shows down a single hand"),
        (changed(HAND_RESULT, "actions", 1, "street", to="showdown"), "actions[1].street is 'showdown'"),
        # Recovery
        (changed(RESYNC_RESPONSE, "replayed_events", 0, to=YOUR_TURN), "is a 'your_turn', which is not public"),
        (changed(RESYNC_RESPONSE, "replayed_events", 0, "pot", to=7), "replayed_events[0] says 7 for pot"),
        (changed(RESYNC_RESPONSE, "from_table_seq", to=5113), "for numbers out of its range"),
        (changed(RESYNC_RESPONSE, "snapshot", "pot", to=90), "for its hash"),
        (changed(RESYNC_RESPONSE, "role", to="spectator"), "for hero, as a player"),
        (changed(RESYNC_RESPONSE, "to_table_seq", to=5122), "for to_table_seq"),
        ({"type": "hand_end"}, "there is no frame of type 'hand_end'"),
    ],
)  # fmt: skip
def test_a_broken_frame_is_found_out(frame: Frame, complaint: str) -> None:
    assert [found for found in problems(frame) if complaint in found], problems(frame)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            '{"seats":[{"name":"J\\u00fcrgen","seat":0}],"street":"idle","table_id":"t-1","type":"table_state",'
            '"waiting_details":{"configured_delay_seconds":5.0,"remaining_seconds":2.5},'
            '"waiting_reason":"between_hands_delay"}',
            "sha256:e9d20a00c5c29599858287df56f3c10c52a55f74d5bf49de6351483e4382d2f2",
        ),
        (
            '{"a":[1e-07,1e+16,0.1,-0.0,100.0,123456.789,0.0001],'
            '"s":"\\u007f\\u2713\\ud83c\\udca1\\"\\\\\\n","type":"table_state"}',
            "sha256:9b0e58c0c0549ed4d8bb9dcccdf7a2d7a3175083c8f1f52eeca4077f4d0df214",
        ),
    ],
)
def test_the_documents_hashes_are_reproduced(body: str, expected: str) -> None:
    assert own_hash(json.loads(body)) == expected
    assert own_hash({**json.loads(body), "table_seq": 1, "hand_seq": 2, "ts": "", "state_hash": None}) == expected


def test_the_hash_of_the_documents_snapshot_is_reproduced() -> None:
    assert own_hash(TABLE_STATE) == SNAPSHOT_HASH


# The checker and whole sessions

HAND = deal_again()


def position(kind: str, number: int = 0) -> int:
    """Where the frame of that kind and number stands in the hand."""
    return [place for place, frame in enumerate(HAND) if frame["type"] == kind][number]


def lost(kind: str, number: int = 0) -> list[Frame]:
    """The hand without one frame."""
    place = position(kind, number)
    return [*HAND[:place], *HAND[place + 1 :]]


def altered(kind: str, number: int, *path: str | int, to: object) -> list[Frame]:
    """The hand with one value of one frame changed."""
    place = position(kind, number)
    return [*HAND[:place], changed(HAND[place], *path, to=to), *HAND[place + 1 :]]


def swapped(kind: str, number: int = 0) -> list[Frame]:
    """The hand with one frame and its successor in each other's place."""
    place = position(kind, number)
    return [*HAND[:place], HAND[place + 1], HAND[place], *HAND[place + 2 :]]


def renumbered(start: int, step: int, *, hand_too: bool = True) -> list[Frame]:
    """The hand with all numbers from one frame on moved."""
    moved = [
        {**f, "table_seq": f["table_seq"] + step, "hand_seq": f["hand_seq"] + hand_too * step} for f in HAND[start:]
    ]
    return [*HAND[:start], *moved]


def test_a_hand_as_it_was_recorded_is_accepted() -> None:
    assert session_problems(HAND) == []


ACK, ACTION, PROMPT, STATE = "action_ack", "player_action", "your_turn", "table_state"


@pytest.mark.parametrize(
    ("frames", "complaint"),
    [
        # Numbers
        (swapped("hole_cards"), "came after number"),
        ([*HAND[:9], HAND[8], *HAND[9:]], "came after number"),
        (renumbered(position(ACTION, 2), 1, hand_too=False), "has hand_seq"),
        (altered("hand_start", 0, "hand_seq", to=2), "begins its hand with hand_seq 2"),
        (renumbered(position("hole_cards"), -5), "took no numbers"),
        (renumbered(position(ACTION, 1), -3), "leaves no numbers for the private frames of seat 4"),
        (renumbered(position(ACTION, 3), 1), "follows action_ack 2 numbers later"),
        (renumbered(position(STATE, 7), 1), "follows player_action 2 numbers later"),
        # Order
        (lost(STATE, 2), "is followed by player_action"),
        (lost("hole_cards"), "hole_cards go to who is dealt in"),
        (lost(STATE, 5), "is followed by action_ack"),
        (lost(STATE, 20), "is preceded by player_action"),
        (swapped(ACK), "was not acknowledged before"),
        (lost(ACK), "was not acknowledged before"),
        (swapped(PROMPT), "is preceded by"),
        # What surrounds an action
        (altered(STATE, 5, "pot", to=300), "differs from the one before it"),
        (altered(PROMPT, 0, "pot", to=300), "offers other than its snapshot"),
        (altered(PROMPT, 0, "seat", to=1), "was not announced by a snapshot"),
        (altered(ACTION, 7, "street", to="preflop"), "says preflop, then the table shows the flop"),
        (altered(ACTION, 10, "street", to="showdown"), "says showdown, then the table shows the turn"),
        (altered(ACTION, 1, "pot_before", to=90), "contradicts the snapshot before it"),
        (altered(STATE, 3, "pot", to=95), "state other chips"),
        # The hand
        (altered("hand_start", 0, "seat", to=1), "hand_start says seat 1"),
        (altered("hand_start", 0, "dealer_seat", to=3), "and button 0"),
        (altered("hand_start", 0, "blinds", "big_blind", to=40), "hand_start says"),
        (altered(STATE, 1, "seats", 1, "bet", to=20), "the blinds are"),
        (altered(STATE, 1, "actor_seat", to=4), "opens the betting"),
        (altered("hole_cards", 0, "cards", to=["2s", "3s"]), "who was dealt"),
        (altered("community_cards", 1, "cards", to=["2c"]), "turns the board"),
        (altered(STATE, 11, "board", to=[]), "shows the board []"),
        # The result
        (altered("hand_result", 0, "actions", 7, "street", to="flop"), "hand_result lists"),
        (altered("hand_result", 0, "final_stacks", to={"0": 1000, "5": 4456}), "became"),
        (altered(STATE, 20, "seats", 5, "stack", to=0), "the snapshot before hand_result shows"),
        (altered("hand_result", 0, "winners", 0, "amount", to=4456), "winners gain"),
        (altered("hand_result", 0, "payouts", 0, "amount", to=4457), "do not fit the chips put in"),
        (altered("hand_result", 0, "shown_cards", to=None), "shown cards are None"),
        (altered("hand_result", 0, "shown_cards", to={"0": ["6c", "Ac"], "3": ["7s", "7d"]}), "are shown with seats"),
        # Arrivals and departures
        (altered("table_joined", 0, "players", 0, "stack", to=7), "seats {0: 7, 1: 842"),
    ],
)  # fmt: skip
def test_a_session_that_breaks_a_rule_is_found_out(frames: list[Frame], complaint: str) -> None:
    assert [found for found in session_problems(frames) if complaint in found], session_problems(frames)


def test_a_repeated_token_and_a_replay_that_was_told_otherwise_are_found_out() -> None:
    turn = next(frame for frame in HAND if frame["type"] == PROMPT)
    again = {**turn, "table_seq": 10_000, "hand_seq": 10_000}
    assert any("was given 2 times" in found for found in session_problems([*HAND, again]))
    taken = next(frame for frame in HAND if frame["type"] == ACTION)
    response = {**RESYNC_RESPONSE, "replayed_events": [changed(taken, "amount", to=65)]}
    assert session_problems([*HAND, response]) == [
        f"player_action {taken['table_seq']} was replayed otherwise than it was told"
    ]
    assert session_problems([*HAND, {**response, "replayed_events": [taken]}]) == []


def test_frames_of_a_table_that_was_left_are_found_out() -> None:
    last = HAND[-1]
    place = {"table_id": last["table_id"], "hand_id": last["hand_id"]}
    left = {**EXAMPLES["player_left"], **place, "seat": 0, "name": "Heron", "table_seq": last["table_seq"] + 1}
    left["hand_seq"] = last["hand_seq"] + 1
    late = {**HAND[-2], "table_seq": left["table_seq"] + 1, "hand_seq": left["hand_seq"] + 1}
    assert session_problems([*HAND, left]) == []
    assert session_problems([*HAND, left, late]) == [
        f"table_state {late['table_seq']} comes from a table that was left"
    ]


def test_what_was_lost_with_a_connection_is_no_problem() -> None:
    connected = EXAMPLES["connected"]
    assert session_problems([connected, *HAND[:7], connected, *HAND[20:]]) == []
