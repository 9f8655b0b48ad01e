"""What leaves the house with --redact: no name, and no id of the venue."""

import json
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from datetime import UTC, datetime
from typing import Any
from unicodedata import normalize

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agent.export.redacted import HIDDEN, hashed, is_of_the_game, redacted_decision, redacted_hand
from agent.journal.plain import as_plain
from agent.journal.reader import DecisionStory
from agent.journal.records import HandPlayer
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


def planted(value: Any, words: str, *, key: str = "") -> Any:
    """The same value with `words` behind every text in it but names and ids, and as a key of every object."""
    if key in KEPT:
        return value
    if isinstance(value, str):
        return f"{value} ({words})"
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{f.name: planted(getattr(value, f.name), words, key=f.name) for f in fields(value)})
    if isinstance(value, dict):
        return {**{name: planted(inner, words, key=name) for name, inner in value.items()}, words: 1}
    if isinstance(value, list | tuple):
        return type(value)(planted(inner, words, key=key) for inner in value)
    return value


KEPT = frozenset(
    {"hand_id", "table_id", "agent_id", "turn_token", "public_profile_slug", "ws_url", "name", "names", "bot"}
)
TOKEN = "9e2255ef-276f-5fe1"


def told(story: DecisionStory | HandStory) -> str:
    """All that is said of it, as JSON with its letters as they are."""
    return json.dumps(as_plain(story), ensure_ascii=False)


@pytest.fixture
def full_story() -> DecisionStory:
    """A decision in every text and object of which names, ids and a token stand."""
    story = whole_story()
    frame = {
        **story.sends[0].frame,
        "turn_token": TOKEN,
        "public_profile_slug": "otter-of-kent",
        "agent_id": "agent-77aa",
    }
    story = replace(story, sends=(replace(story.sends[0], frame=frame),))
    hidden = f"{HAND.hand_id} {HAND.table_id} {TOKEN} otter-of-kent agent-77aa {RUN.ws_url}"
    return planted(story, f"Otter, WREN and heron; {hidden.upper()} {hidden}")  # type: ignore[no-any-return]


def test_every_text_of_a_story_is_read(full_story: DecisionStory) -> None:
    before, after = told(full_story).casefold(), told(redacted_decision(full_story)).casefold()
    for word in ("wren", "heron", *IDS, TOKEN, "of-kent", "agent-77aa", "127.0.0.1"):
        assert word.casefold() in before
        assert word.casefold() not in after, word
    assert after.count("p2, p1 and you; ") == before.count("otter, wren and heron; ")


def test_the_texts_of_every_kind_of_record_were_tried(full_story: DecisionStory) -> None:
    def kinds(value: Any) -> Iterator[str]:
        if is_dataclass(value):
            yield type(value).__name__
            for field in fields(value):
                yield from kinds(getattr(value, field.name))
        elif isinstance(value, tuple):
            for inner in value:
                yield from kinds(inner)

    assert set(kinds(full_story)) == {
        "AttemptRecord",
        "DecisionRecord",
        "DecisionStory",
        "HandPlayer",
        "HandRecord",
        "OutcomeRecord",
        "RunRecord",
        "SendRecord",
    }


def called(name: str, words: str, **changes: Any) -> DecisionStory:
    """A decision whose opponent bears that name, with these words as its reason, redacted."""
    taken = replace(decision(), reason=words, names={"0": "Heron", "2": name}, **changes)
    players = (HAND.players[0], HandPlayer(2, name, "BTN", 1_500, -160))
    return redacted_decision(replace(whole_story(), decision=taken, hand=replace(HAND, players=players, result={})))


@pytest.mark.parametrize(
    ("name", "words", "shown"),
    [
        ("Otter", "OTTER and otter, Otter's; Otterly, otters", "P1 and P1, P1's; Otterly, otters"),
        ("Otter", "the_otter_raised", "the_P1_raised"),
        ("Zoë", f"ZOË, zoë, {normalize('NFD', 'Zoë')}; Zoëlla", "P1, P1, P1; Zoëlla"),
        ("Straße", "STRASSE and strasse", "P1 and P1"),
        ("赤い狐", "赤い狐 calls", "P1 calls"),
        ("🦊", "x🦊y", "xP1y"),
        ("a.b*c", "a.b*c; aXb*c", "P1; aXb*c"),
        ('say "hi"', '{"why": "say \\"hi\\" folds"}', '{"why": "P1 folds"}'),
        ("Zoë", '{"why": "Zo\\u00eb folds"}', '{"why": "P1 folds"}'),
        ("half\ud83d", "half\\ud83d calls", "P1 calls"),
        ("Heron Hunter", "Heron Hunter beats Heron", "P1 beats you"),
        ("Otis", "Otis, Ot\u0131s", f"P1, {HIDDEN}"),
        ("stand-in", "a STAND-IN, stand-ins", "a P1, stand-ins"),
    ],
)
def test_names_are_found_in_any_letters_as_whole_words(name: str, words: str, shown: str) -> None:
    assert called(name, words).decision.reason == shown


@pytest.mark.parametrize(
    "name",
    ["Call", "all_in", "river", "BTN", "btn/bb", "llm", "7", "2,000", "AA", "As", "AKs", "P2", "You", "...", " ", ""],
)
def test_a_word_of_the_game_stays_in_text_and_goes_as_a_name(name: str) -> None:
    words = f"{name} call 7 into 2,000 with AA, As Kd or AKs; P2 is BTN, the river... You {name}"
    redacted = called(name, words)
    assert redacted.decision.reason == words
    assert redacted.decision.names["2"] == "P1"
    assert redacted.hand is not None
    assert redacted.hand.players[1].name == "P1"
    assert (redacted.decision.street, redacted.decision.action) == (decision().street, decision().action)
    assert (redacted.hand.actions, redacted.hand.board, redacted.hand.shown) == (HAND.actions, HAND.board, HAND.shown)


@pytest.mark.parametrize("name", ["equity", "seat", "amount", "payouts", "pot", "choice", "winners"])
def test_a_name_takes_no_key_away(name: str) -> None:
    taken = replace(decision(), names={"0": "Heron", "2": name})
    redacted = redacted_decision(replace(whole_story(), decision=taken))
    assert redacted.decision.facts == taken.facts
    assert redacted.decision.policy == taken.policy
    assert redacted.hand is not None
    assert redacted.hand.result.keys() == HAND.result.keys()
    assert redacted.hand.result["payouts"] == HAND.result["payouts"]


def test_objects_by_name_are_by_alias() -> None:
    stacks = {"Otter": 5, "WREN": 6, "2": 7, "pot": 8}
    redacted = redacted_hand(HandStory(RUN, replace(HAND, result={"stacks": stacks}), ()))
    assert redacted.hand.result["stacks"] == {"P2": 5, "P1": 6, "2": 7, "pot": 8}


def test_what_a_provider_calls_name_is_nobodys() -> None:
    parameters = {"response_format": {"json_schema": {"name": "choice", "user": "Otter"}}}
    attempt = replace(FIRST, parameters=parameters, reply_text="my choice: call")
    redacted = redacted_decision(replace(whole_story(), decision=decision(attempts=(attempt,)))).decision.attempts[0]
    assert redacted.parameters == {"response_format": {"json_schema": {"name": "choice", "user": "P2"}}}
    assert redacted.reply_text == "my choice: call"


def test_a_stranger_of_a_frame_is_somebody_in_text_too() -> None:
    result = {"winners": [{"seat": 9, "name": "Nobody we know"}], "note": "nobody we know won"}
    redacted = redacted_hand(HandStory(RUN, replace(HAND, result=result), ()))
    assert redacted.hand.result["note"] == "somebody won"


def test_what_stays_is_what_the_help_says() -> None:
    story = whole_story()
    redacted = redacted_decision(story)
    at = datetime(2026, 9, 14, 9, 47, 35, 262893, tzinfo=UTC)
    assert (redacted.run.id, redacted.run.seed, redacted.run.started_at) == (RUN.id, RUN.seed, at)
    assert (redacted.decision.id, redacted.decision.at) == (story.decision.id, at)
    assert redacted.sends[0].decision_id == story.decision.id
    assert redacted.run.ws_url == HIDDEN


@given(
    name=st.text(st.characters(codec="utf-8", categories=["L"]), min_size=4, max_size=12),
    before=st.sampled_from(("", " ", "(", "\n", "'")),
    after=st.sampled_from(("", " ", "'s", ".", "_")),
)
@example(name="CHECK", before="", after="")
def test_no_name_of_letters_is_left_in_a_text_but_words_of_the_game(name: str, before: str, after: str) -> None:
    redacted = called(name, f"{before}{name}{after}").decision.reason
    assert redacted == f"{before}{redacted_alias(name)}{after}"


def redacted_alias(name: str) -> str:
    """What stands for an opponent of this name; our own name is ours whoever else bears it."""
    return name if is_of_the_game(name) else "you" if name == RUN.bot else "P1"
