"""The fast encoder says what the reference says."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.arena.wire.dialect import Dialect
from agent.arena.wire.spelling import Spelling, encode, own_hash
from agent.openpoker.frames import state_hash

three_decimals = st.floats(0, 10**12, allow_nan=False).map(lambda value: round(value, 3))
leaves = st.none() | st.booleans() | st.integers(-(10**25), 10**25) | three_decimals | st.text(max_size=12)
bodies = st.dictionaries(
    st.text(max_size=8), st.recursive(leaves, lambda inner: st.lists(inner, max_size=4), max_leaves=8), max_size=6
)


@given(bodies)
def test_hashes_are_those_of_the_reference(body: dict[str, Any]) -> None:
    kept = {key: value for key, value in body.items() if key not in ("ts", "table_seq", "hand_seq", "state_hash")}
    assert own_hash(kept) == state_hash(kept)


@given(bodies)
def test_text_means_what_the_frame_means(body: dict[str, Any]) -> None:
    assert json.loads(encode(body)) == body


@pytest.mark.parametrize("text", ["Jürgen", "\x7f", "🂡", "\ud800"])
def test_text_beyond_ascii_is_hashed_and_sent(text: str) -> None:
    assert own_hash({"name": text}) == state_hash({"name": text})
    assert json.loads(encode({"name": text})) == {"name": text}


def test_a_frame_for_many_is_spelled_once() -> None:
    spelling, frame = Spelling(Dialect()), {"type": "table_closed"}
    assert spelling.spell(frame)[1] is spelling.spell(frame)[1]
