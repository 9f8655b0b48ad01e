"""The spot of a decision, found again in the frames of its hand."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from agent.journal.records import DecisionRecord
from agent.openpoker.table import Table
from agent.poker.cards import format_cards
from agent.poker.spot import Spot
from agent.remembered import PassedFrame, spot_of
from tests.journal.samples import AT, decision
from tests.openpoker.script import TABLE, Script

Frame = dict[str, Any]


def passed(frames: list[Frame]) -> list[PassedFrame]:
    """The frames, a second apart."""
    return [(AT + timedelta(seconds=number), "in", frame) for number, frame in enumerate(frames)]


def shown(frames: list[Frame]) -> Spot:
    """The spot of the prompt in which these frames end."""
    table = Table(TABLE, hero_seat=0)
    for frame in frames:
        table = table.after(frame)
    spot = table.spot()
    assert spot is not None
    return spot


def taken_in(spot: Spot, at: datetime) -> DecisionRecord:
    return replace(
        decision(),
        at=at,
        table_id=spot.table_id,
        hand_id=spot.hand_id,
        street=spot.street,
        hero_seat=spot.hero_seat,
        hole_cards=format_cards(spot.hole_cards or ()),
        board=format_cards(spot.board),
        pot_chips=spot.pot_chips,
        to_call_chips=spot.to_call_chips,
    )


@pytest.fixture
def frames() -> list[Frame]:
    """A hand from its beginning to hero's first prompt."""
    return Script().to_first_prompt()


def test_the_spot_is_the_one_that_was_decided(frames: list[Frame]) -> None:
    spot = shown(frames)
    found = spot_of(taken_in(spot, AT + timedelta(seconds=len(frames))), passed(frames))
    assert found == spot
    assert found is not None
    assert (found.to_call_chips, [player.name for player in found.opponents]) == (30, ["Otter"])


def test_what_came_after_the_decision_changes_nothing(frames: list[Frame]) -> None:
    spot, at = shown(frames), AT + timedelta(seconds=len(frames) - 0.5)
    script = Script(start=9_000)
    later = [
        *frames,
        {"type": "player_left", "table_id": TABLE, "seat": 2, "table_seq": 8_999},
        script.snapshot("idle", None),
    ]
    assert spot_of(taken_in(spot, at), passed(later)) == spot


def test_while_it_was_decided_nobody_leaves_the_spot(frames: list[Frame]) -> None:
    spot = shown(frames)
    left = {"type": "player_left", "table_id": TABLE, "seat": 2, "table_seq": 9_001}
    decided = taken_in(spot, AT + timedelta(hours=1))
    assert spot_of(decided, passed([*frames, left])) == spot


def test_a_hand_of_which_the_beginning_is_gone_is_a_spot_that_says_so(frames: list[Frame]) -> None:
    decided = taken_in(shown(frames), AT + timedelta(hours=1))
    found = spot_of(decided, passed(frames[3:]))
    assert found is not None
    assert not found.history_complete
    assert found.legal == shown(frames).legal


@pytest.mark.parametrize(
    "changes",
    [{"pot_chips": 81}, {"to_call_chips": 31}, {"hole_cards": "QsJh"}, {"street": "flop"}, {"hand_id": "h-2"}],
)
def test_frames_that_lead_elsewhere_give_no_spot(frames: list[Frame], changes: dict[str, object]) -> None:
    decided = replace(taken_in(shown(frames), AT + timedelta(hours=1)), **changes)  # type: ignore[arg-type]
    assert spot_of(decided, passed(frames)) is None


def test_without_frames_there_is_no_spot(frames: list[Frame]) -> None:
    assert spot_of(taken_in(shown(frames), AT), []) is None
