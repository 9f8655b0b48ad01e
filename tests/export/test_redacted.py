"""What leaves the house with --redact: no name, and no id of the venue."""

import json
from dataclasses import replace

from agent.export.redacted import hashed, redacted_decision, redacted_hand
from agent.journal.plain import as_plain
from agent.journal.reader import DecisionStory
from agent.journal.stories import HandStory
from tests.journal.hands import kept, three_handed
from tests.journal.samples import FIRST, RUN, SYSTEM, accepted, decision, send

HAND = kept(three_handed())
IDS = (HAND.hand_id, HAND.table_id)


def whole_story() -> DecisionStory:
    """A decision whose every text names somebody."""
    words = "Otter, Wren's and Heron: otters are no Otterly names"
    attempt = replace(FIRST, messages=(("system", SYSTEM), ("user", words)), reply_text=words, error=words)
    taken = replace(
        decision(attempts=(attempt,)),
        reason=words,
        model_reason=words,
        names={"0": "Heron", "1": "Wren", "2": "Otter"},
    )
    frame = {"type": "action", "hand_id": HAND.hand_id, "table_id": HAND.table_id, "turn_token": "tt", "amount": 1120}
    return DecisionStory(RUN, taken, (replace(send(taken.id, error=words), frame=frame),), (accepted(taken.id),), HAND)


def test_no_name_and_no_id_is_left_anywhere() -> None:
    told = json.dumps(as_plain(redacted_decision(whole_story())))
    for secret in ("Heron", "Wren", "Otter,", *IDS, "ws://", '"tt"'):
        assert secret not in told, secret
    assert "you: otters are no Otterly names" in told


def test_players_are_called_as_prompts_call_them() -> None:
    story = redacted_decision(whole_story())
    assert story.decision.names == {"0": "you", "1": "P1", "2": "P2"}
    assert story.decision.reason == "P2, P1's and you: otters are no Otterly names"
    assert story.hand is not None
    assert [player.name for player in story.hand.players] == ["you", "P1", "P2"]
    assert story.hand.result["winners"][0]["name"] == "you"


def test_the_next_seat_is_p1_wherever_we_sit() -> None:
    story = redacted_hand(HandStory(replace(RUN, bot="Wren"), replace(HAND, hero_seat=1), ()))
    assert [player.name for player in story.hand.players] == ["P2", "you", "P1"]


def test_numbers_cards_and_choices_stay() -> None:
    story, redacted = whole_story(), redacted_decision(whole_story())
    kept_fields = ("street", "hole_cards", "board", "menu", "choice", "facts", "policy", "elapsed_ms")
    assert [getattr(redacted.decision, name) for name in kept_fields] == [
        getattr(story.decision, name) for name in kept_fields
    ]
    assert redacted.sends[0].frame["amount"] == 1120
    assert redacted.hand is not None
    assert redacted.hand.actions == HAND.actions


def test_what_belongs_together_still_does() -> None:
    redacted = redacted_decision(whole_story())
    assert redacted.hand is not None
    assert redacted.sends[0].frame["hand_id"] == redacted.hand.hand_id == hashed(HAND.hand_id)


def test_a_stranger_in_a_frame_is_somebody() -> None:
    result = {"winners": [{"seat": 9, "name": "Nobody we know"}]}
    assert redacted_hand(HandStory(RUN, replace(HAND, result=result), ())).hand.result == {
        "winners": [{"seat": 9, "name": "somebody"}]
    }


def test_without_a_hand_and_names_our_own_name_goes() -> None:
    story = replace(whole_story(), hand=None, decision=replace(decision(), reason="Heron plays", names={}))
    assert redacted_decision(story).decision.reason == "you plays"
