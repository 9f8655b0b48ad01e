import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.openpoker import frames
from agent.poker.spot import Action, LegalActions, Verb
from tests.openpoker.script import Script

# Bodies with hashes computed once, by hand, with Python's own json and hashlib.
KNOWN_HASHES = [
    (
        '{"seats":[{"name":"J\\u00fcrgen","seat":0}],"street":"idle","table_id":"t-1","type":"table_state",'
        '"waiting_details":{"configured_delay_seconds":5.0,"remaining_seconds":2.5},'
        '"waiting_reason":"between_hands_delay"}',
        "sha256:e9d20a00c5c29599858287df56f3c10c52a55f74d5bf49de6351483e4382d2f2",
    ),
    (
        '{"a":[1e-07,1e+16,0.1,-0.0,100.0,123456.789,0.0001],"s":"\\u007f\\u2713\\ud83c\\udca1\\"\\\\\\n","type":"table_state"}',
        "sha256:9b0e58c0c0549ed4d8bb9dcccdf7a2d7a3175083c8f1f52eeca4077f4d0df214",
    ),
]


@pytest.mark.parametrize(("body", "expected"), KNOWN_HASHES)
def test_the_hash_of_a_body_is_the_venues(body: str, expected: str) -> None:
    assert frames.state_hash(json.loads(body)) == expected


def test_the_four_moving_keys_do_not_change_the_hash_but_nested_ones_do() -> None:
    frame = Script().snapshot()

    assert frames.hash_matches({**frame, "ts": "later", "table_seq": 1, "hand_seq": 2})
    assert frames.hash_matches({**frame, "hero": {**frame["hero"], "ts": 1}}) is False


def test_a_float_that_became_an_integer_is_another_hash() -> None:
    frame = Script().snapshot("idle", None)
    frame["waiting_details"]["configured_delay_seconds"] = 5

    assert frames.hash_matches(frame) is False


@pytest.mark.parametrize("stated", ["", "sha256:", "md5:" + "0" * 64, "sha256:" + "0" * 63, "sha256:" + "A" * 64, 7])
def test_a_malformed_hash_never_matches(stated: object) -> None:
    assert frames.hash_matches({"type": "table_state", "state_hash": stated}) is False


def test_a_frame_without_a_hash_states_nothing() -> None:
    assert frames.hash_matches({"type": "your_turn", "state_hash": None}) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("[1]", "an object, this is list"),
        ('{"kind": "x"}', "no type"),
        ('{"type": 7}', "no type"),
        ("[" * 100_000, "not JSON"),
        ('{"type": "x", "a": ' + "[" * 900 + "]" * 900 + "}", "nested more than 32 deep"),
        (b"\xff\xfe\x00", "not JSON"),
    ],
)
def test_text_that_is_no_frame_is_refused_with_the_reason(text: str | bytes, message: str) -> None:
    with pytest.raises(frames.FrameError, match=message):
        frames.parse(text)


@given(st.binary(max_size=200))
def test_no_bytes_break_the_parser(data: bytes) -> None:
    with contextlib.suppress(frames.FrameError):
        assert "type" in frames.parse(data)


def test_offers_with_nulls_and_with_absent_keys_mean_the_same() -> None:
    explicit = [
        {"action": "fold", "amount": None, "min": None, "max": None},
        {"action": "call", "amount": 30.0, "min": None, "max": None},
        {"action": "raise", "amount": None, "min": 80, "max": 2_000},
    ]
    short = [{"action": "fold"}, {"action": "call", "amount": 30}, {"action": "raise", "min": 80, "max": 2_000}]

    assert frames.legal_actions(explicit) == frames.legal_actions(short)
    assert frames.legal_actions(short) == LegalActions(True, False, 30, 80, 2_000, False)


@pytest.mark.parametrize(
    "offer",
    [
        None,
        [],
        "fold",
        [None],
        [{"action": []}],
        [{"action": "raise", "min": -1, "max": -1}],
        [{"action": "call", "amount": 10**30}, {"action": "raise", "min": 80, "max": 1e300}],
    ],
)
def test_an_odd_offer_offers_nothing(offer: object) -> None:
    assert frames.legal_actions(offer) == LegalActions()


def test_an_offer_survives_the_wire() -> None:
    legal = LegalActions(fold=True, call_chips=30, min_raise_to_chips=80, max_raise_to_chips=2_000, all_in=True)

    assert frames.legal_actions(frames.offer(legal, all_in_chips=1_980)) == legal


def test_an_answer_names_its_turn_and_only_a_raise_carries_an_amount() -> None:
    call = frames.action(Action(Verb.CALL), hand_id="h", turn_token="t", client_action_id="c")
    raised = frames.action(Action(Verb.RAISE, 120), hand_id="h", turn_token="t", client_action_id="c")

    assert call == {"type": "action", "hand_id": "h", "action": "call", "client_action_id": "c", "turn_token": "t"}
    assert raised == {**call, "action": "raise", "amount": 120}


def test_a_frame_of_the_venues_size_is_kept_whole_and_a_huge_one_without_what_is_large_in_it() -> None:
    frame = {"type": "table_state", "table_id": "t-1", "seats": [{"seat": 0, "name": "n" * 100}] * 6}
    assert frames.shortened(frame) is frame
    huge = {"type": "x" * 100_000, "seats": [{"name": "n" * 100}] * 8_000, "table_id": "t-1", "pot": 80}

    assert frames.shortened(huge) == {"type": "x" * 200, "table_id": "t-1", "pot": 80, "shortened": True}


@pytest.mark.parametrize(
    "huge",
    [
        {"type": "x", **{f"key {n}": n for n in range(100_000)}},
        {"type": "x", **{f"{n}" * 5_000: n for n in range(50)}},
        {"type": "x", **{f"key {n}": "v" * 7_000 for n in range(100)}},
    ],
    ids=["many keys", "long keys", "many values"],
)
def test_what_is_kept_of_a_huge_frame_has_an_end(huge: dict[str, object]) -> None:
    assert len(frames.encode(frames.shortened(huge))) < 10_000


def test_a_frame_larger_than_any_snapshot_is_not_hashed() -> None:
    huge = {"type": "table_state", "seats": ["n" * 100] * 1_000, "state_hash": "sha256:" + "0" * 64}

    assert frames.hash_matches(huge) is None
