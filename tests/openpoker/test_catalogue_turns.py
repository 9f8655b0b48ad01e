"""The failure catalogue on turns: who may act, how often, and by when; on hands seen dealt and on hands met in their middle.

The row stands in each docstring: numbers of the catalogue's general part, V for what other Open Poker clients met.
"""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from agent.openpoker.effects import Abandon, Decide, Send, Settled
from agent.openpoker.session import Session
from agent.poker.spot import Action, Verb
from tests.openpoker.origins import (
    CALL,
    Origin,
    acting,
    answered,
    asked,
    at_table,
    both_origins,
    decided,
    dialled_cold,
    feed,
    new_session,
    sent,
)
from tests.openpoker.script import HAND, TOKEN, Frame, Script


def rejected(session: Session, code: str, answer_id: str, now: float = 3.0) -> list[Any]:
    return feed(session, {"type": "action_rejected", "code": code, "client_action_id": answer_id}, now=now)


@both_origins
def test_a_turn_that_is_told_twice_is_answered_once(origin: Origin) -> None:
    """V1, 89."""
    script = Script()
    session, turn = asked(origin, script)

    assert feed(session, script.your_turn()) == []
    assert session.choose(turn, CALL) is not None
    assert feed(session, script.your_turn()) == []
    assert session.choose(turn, CALL) is None


@both_origins
@pytest.mark.parametrize("is_redelivered_live", [True, False])
def test_a_token_that_was_acknowledged_is_never_answered_again(origin: Origin, is_redelivered_live: bool) -> None:
    """V2."""
    script = Script()
    session, _, frame = answered(origin, script)
    feed(session, script.ack(frame["client_action_id"]))
    list(session.opened(5.0))
    again = script.resync(script.snapshot(actor=0, hero=acting()), [])

    assert feed(session, *([script.your_turn()] if is_redelivered_live else []), again, again) == []


@both_origins
@pytest.mark.parametrize("code", ["invalid_action", "stale_turn_token", "invalid_amount"])
@pytest.mark.parametrize("is_told_live", [True, False])
def test_a_rejected_turn_that_comes_again_is_answered_again(origin: Origin, code: str, is_told_live: bool) -> None:
    """V3: the second answer to a rejected turn is rejected as well; then the same token is asked again."""
    script = Script()
    session, turn, frame = answered(origin, script)
    effects = rejected(session, code, frame["client_action_id"])
    if code != "stale_turn_token":
        floor = effects[-1].frame
        session.sent(floor, 3.0)
        effects = rejected(session, code, floor["client_action_id"])
    assert sent(effects) == ["resync_request"]
    again = script.your_turn() if is_told_live else script.resync(script.snapshot(actor=0, hero=acting()), [])
    second = decided(feed(session, again, now=4.0))

    assert (second.key, second.received_at) == (turn.key, turn.received_at)
    assert (session.choose(second, CALL) or {})["client_action_id"] not in ("turn-1", "turn-1-floor")


@both_origins
def test_an_answer_that_no_socket_took_is_sent_once_after_the_reconnect(origin: Origin) -> None:
    """V5, 89: it counts as answered only once it is sent."""
    script = Script()
    session, turn = asked(origin, script)
    frame = session.choose(turn, CALL)
    assert frame is not None
    list(session.opened(5.0))
    again = script.resync(script.snapshot(actor=0, hero=acting()), [])

    assert feed(session, again) == [Send(frame)]
    session.sent(frame, 5.5)
    feed(session, script.ack(frame["client_action_id"]))
    assert feed(session, again) == []


@both_origins
def test_an_offer_in_a_snapshot_without_a_token_is_not_acted_on(origin: Origin) -> None:
    """V6: a snapshot shows the offer seconds before the prompt."""
    script = Script()
    session = at_table(origin, script)
    shown = script.snapshot(actor=0, hero=acting(token=None))

    assert feed(session, shown) == []
    assert decided(feed(session, script.your_turn())).key == (HAND, TOKEN)


@pytest.mark.parametrize("hero", [acting(token=None), acting(offer=[])], ids=["no token", "no offer"])
def test_a_resync_without_token_or_offer_gives_no_authority(hero: Frame) -> None:
    """V6."""
    script = Script()
    session = dialled_cold()
    script.to_first_prompt()

    assert feed(session, script.resync(script.snapshot(actor=0, hero=hero), [])) == []


@both_origins
def test_a_prompt_that_never_follows_is_asked_for_a_few_times_and_not_for_ever(origin: Origin) -> None:
    """V6, V10: whoever waits for the token of a turn that is shown must not wait until the server folds."""
    script = Script()
    session = at_table(origin, script)
    shown: dict[str, Any] = {"actor": 0, "hero": acting(token=None)}
    feed(session, script.snapshot(**shown), now=1.0)
    asked_at = []
    for second in range(2, 120):
        if sent(session.tick(float(second))) == ["resync_request"]:
            asked_at.append(second)
            feed(session, script.resync(script.snapshot(**shown), []), now=second + 0.1)

    assert asked_at == [8, 15, 22]


@both_origins
def test_a_lost_ack_brings_the_identical_answer_again_and_never_a_new_id(origin: Origin) -> None:
    """V7."""
    script = Script()
    session, _, frame = answered(origin, script)

    assert session.tick(6.1) == [Send(frame)]
    assert sent(session.tick(10.2)) == ["resync_request"]
    assert feed(session, script.resync(script.snapshot(actor=0, hero=acting()), []), now=10.3) == [Send(frame)]


@both_origins
def test_an_answer_that_was_applied_without_its_ack_is_settled_by_what_the_table_shows(origin: Origin) -> None:
    """V7: the action that everybody is told of bears our id."""
    script = Script()
    session, turn, frame = answered(origin, script)
    shown = script.action(0, "call", 30, street="flop", action_id=frame["client_action_id"])

    assert feed(session, shown) == [Settled(turn.id, accepted=True)]
    assert session.tick(30.0) == []


def test_ids_are_text_and_differ_from_those_of_any_other_run() -> None:
    """V8, V9: a number is refused by the venue, a counter that begins anew conflicts."""
    program = "from agent.wiring import new_id; print(*(repr(new_id()) for _ in range(3)))"
    runs = [subprocess.run([sys.executable, "-c", program], capture_output=True, text=True) for _ in range(2)]
    ids = [made for run in runs for made in run.stdout.split()]

    assert len(set(ids)) == 6
    assert all(made.startswith("'") for made in ids)


@both_origins
@pytest.mark.parametrize("asks_again", [True, False])
def test_a_venue_that_rejects_everything_gets_few_answers_and_three_resyncs(origin: Origin, asks_again: bool) -> None:
    """V10: below ten rejects, even where the prompt is told again after each of them."""
    script = Script()
    session, turn = asked(origin, script)
    pending: list[Any] = [Decide(turn)]
    answers, resyncs = 0, 0
    while pending and answers < 100:
        effect = pending.pop(0)
        frame = session.choose(effect.turn, CALL) if isinstance(effect, Decide) else getattr(effect, "frame", None)
        if frame is not None and frame["type"] == "action":
            answers += 1
            session.sent(frame, 2.0)
            pending += rejected(session, "invalid_action", frame["client_action_id"])
            pending += feed(session, script.your_turn()) if asks_again else []
        if frame is not None and frame["type"] == "resync_request":
            resyncs += 1
            pending += feed(session, script.resync(script.snapshot(actor=0, hero=acting()), []))

    assert 2 <= answers < 10
    assert resyncs <= 3


@both_origins
def test_each_hand_has_resyncs_of_its_own(origin: Origin) -> None:
    """V10: the next hand may be met by a resync, without its beginning."""
    script = Script()
    session = at_table(origin, script)
    for _ in range(5):
        rejected(session, "not_your_turn", "unknown")
        feed(session, script.resync(script.snapshot(actor=2), []))
    assert rejected(session, "not_your_turn", "unknown") == []
    later = Script(6_000, "h-2")
    list(session.opened(20.0))
    feed(session, later.resync(later.snapshot(actor=2), []), now=20.1)

    assert sent(rejected(session, "not_your_turn", "unknown")) == ["resync_request"]


@both_origins
@pytest.mark.parametrize("is_told_live", [True, False])
def test_being_asked_again_gives_no_more_time(origin: Origin, is_told_live: bool) -> None:
    """V13: neither a prompt told again nor a reconnect starts the server's clock anew."""
    script = Script()
    session, turn, frame = answered(origin, script)
    rejected(session, "stale_turn_token", frame["client_action_id"])
    list(session.opened(20.0))
    again = script.your_turn() if is_told_live else script.resync(script.snapshot(actor=0, hero=acting()), [])

    assert decided(feed(session, again, now=21.0)).received_at == turn.received_at


@both_origins
def test_a_renewed_token_keeps_the_clock_and_ends_the_thinking_about_the_old_one(origin: Origin) -> None:
    """V13: the answer to the old token could only be refused as stale."""
    script = Script()
    session, turn = asked(origin, script)
    renewed = script.resync(script.snapshot(actor=0, hero=acting("token-2")), [])
    list(session.opened(9.0))
    effects = feed(session, renewed, now=10.0)

    assert Abandon(turn) in effects
    assert session.choose(turn, CALL) is None
    assert decided(effects).received_at == turn.received_at


def test_a_prompt_met_by_a_resync_may_have_been_open_for_a_while() -> None:
    """V13: the venue folded a bot that counted from the resync."""
    _, turn = asked(Origin.RESYNC, Script())

    assert turn.received_at == 1.0 - 20.0


class TestUnknownFacts:
    """V14: a prompt that finds us without our cards, without the board of its street, or without an opponent."""

    def blind(self, origin: Origin, script: Script, **changes: Any) -> tuple[Session, list[Any]]:
        """A session that is asked without having been told its cards; what it makes of the prompt."""
        frames = script.to_first_prompt()
        shown = {"hero": {"seat": 0}, **changes}
        if origin is Origin.RESYNC:
            session = dialled_cold()
            hero = {**acting(cards=[]), **changes.pop("hero", {})}
            return session, feed(session, script.resync(script.snapshot(actor=0, **{**shown, "hero": hero}), []))
        session = new_session()
        list(session.opened(0.0))
        feed(session, *frames[:2])
        return session, feed(session, script.snapshot(actor=0, **shown), script.your_turn())

    @both_origins
    def test_it_asks_for_a_resync_and_decides_with_the_cards_it_brings(self, origin: Origin) -> None:
        script = Script()
        session, effects = self.blind(origin, script)
        assert [type(effect) for effect in effects] == [Send]
        assert sent(effects) == ["resync_request"]
        turn = decided(feed(session, script.resync(script.snapshot(actor=0, hero=acting()), []), now=2.0))

        assert turn.key == (HAND, TOKEN)
        assert turn.spot.hole_cards is not None
        assert turn.received_at <= 1.0
        assert session.choose(turn, CALL) is not None

    @both_origins
    def test_it_waits_three_seconds_and_decides_without_them_once(self, origin: Origin) -> None:
        session, _ = self.blind(origin, Script())
        assert session.tick(3.9) == []
        turn = decided(session.tick(4.0))

        assert turn.spot.hole_cards is None
        assert turn.received_at <= 1.0
        assert [type(effect) for effect in session.tick(5.0)] == []
        assert session.choose(turn, Action(Verb.FOLD)) is not None

    @both_origins
    def test_a_resync_that_does_not_know_them_either_is_not_asked_again(self, origin: Origin) -> None:
        script = Script()
        session, _ = self.blind(origin, script)
        again = script.resync(script.snapshot(actor=0, hero=acting(cards=[])), [])

        assert decided(feed(session, again, now=2.0)).spot.hole_cards is None
        assert feed(session, again, now=2.5) == []
        assert session.tick(4.5) == []

    @both_origins
    def test_a_turn_that_passes_meanwhile_is_not_decided(self, origin: Origin) -> None:
        script = Script()
        session, _ = self.blind(origin, script)
        feed(session, script.action(0, "fold", reason="timeout"), now=2.0)

        assert not any(isinstance(effect, Decide) for effect in session.tick(4.5))

    @both_origins
    def test_a_board_that_is_shorter_than_its_street_is_asked_for_too(self, origin: Origin) -> None:
        """V28: a recovery snapshot after the flop may come with an empty board."""
        script = Script()
        hero = {"seat": 0, "hole_cards": ["Qs", "Jd"]}
        session, effects = self.blind(origin, script, street="flop", board=[], hero=hero)
        assert sent(effects) == ["resync_request"]
        whole = script.snapshot("flop", actor=0, board=["2h", "7h", "Kc"], hero=acting())
        turn = decided(feed(session, script.resync(whole, []), now=2.0))

        assert (turn.spot.street, len(turn.spot.board)) == ("flop", 3)

    def test_a_prompt_before_any_snapshot_of_its_hand_asks_who_plays(self) -> None:
        """V14, V22: the list in the prompt does not tell who was dealt in."""
        script = Script()
        frames = script.to_first_prompt()
        session = new_session()
        list(session.opened(0.0))
        assert sent(feed(session, *frames[:3], frames[-1])) == ["resync_request"]
        turn = decided(feed(session, script.resync(script.snapshot(actor=0, hero=acting()), []), now=2.0))

        assert [player.name for player in turn.spot.opponents] == ["Otter"]


@both_origins
@pytest.mark.parametrize("code", ["invalid_action", "stale_turn_token", "not_at_table"])
def test_a_reject_after_the_ack_reopens_nothing(origin: Origin, code: str) -> None:
    """V2, V7: of two identical answers, the one that came late is refused."""
    script = Script()
    session, turn, frame = answered(origin, script)
    accepted = feed(session, script.ack(frame["client_action_id"]), script.ack(frame["client_action_id"]))
    assert accepted == [Settled(turn.id, accepted=True)]
    assert rejected(session, code, frame["client_action_id"]) == []
    again = script.resync(script.snapshot(actor=0, hero=acting()), [])

    assert feed(session, script.ack(frame["client_action_id"]), script.your_turn(), again, now=4.0) == []


@both_origins
def test_a_reject_after_the_server_has_acted_for_us_adds_nothing(origin: Origin) -> None:
    """V7, V10."""
    script = Script()
    session, turn, frame = answered(origin, script)
    acted = feed(session, script.action(0, "fold", reason="timeout"))
    assert acted == [Settled(turn.id, accepted=False, code="too_late")]

    assert rejected(session, "invalid_action", frame["client_action_id"]) == []


@both_origins
@pytest.mark.parametrize("shows", ["hole_cards", "table_state", "player_action", "idle"])
def test_thinking_ends_with_its_hand_although_the_frames_that_say_so_are_lost(origin: Origin, shows: str) -> None:
    """91: whatever shows that another hand is being played, or none."""
    script = Script()
    session, turn = asked(origin, script)
    later = Script(6_000, "h-2")
    frames: dict[str, Callable[[], Frame]] = {
        "hole_cards": later.hole_cards,
        "table_state": later.snapshot,
        "player_action": lambda: later.action(2, "call", 20),
        "idle": lambda: script.snapshot("idle", None),
    }

    assert feed(session, frames[shows](), now=5.0) == [Abandon(turn)]
    assert session.choose(turn, CALL) is None


@pytest.mark.parametrize(
    "offer",
    [None, [], "fold", [{"action": "bet", "amount": 4}, {"action": "post"}]],
    ids=["null", "none", "text", "new"],
)
class TestUnusableOffers:
    """65: a prompt in which there is nothing to play."""

    def offered(self, script: Script, offer: Any, **shown: Any) -> tuple[Session, list[Any]]:
        """A session that is asked so, after a snapshot that shows our turn."""
        session = new_session()
        list(session.opened(0.0))
        frames = script.to_first_prompt()[:-2]
        frames += [script.snapshot(actor=0, **shown), {**script.your_turn(), "valid_actions": offer}]
        return session, feed(session, *frames)

    def test_one_resync_is_asked_for_and_its_offer_is_decided_on_the_same_clock(self, offer: Any) -> None:
        script = Script()
        session, effects = self.offered(script, offer)
        assert sent(effects) == ["resync_request"]
        turn = decided(feed(session, script.resync(script.snapshot(actor=0, hero=acting()), []), now=2.0))

        assert (turn.key, turn.received_at, turn.spot.legal.call_chips) == ((HAND, TOKEN), 1.0, 30)
        assert session.choose(turn, CALL) is not None

    def test_the_offer_of_the_snapshot_before_it_is_as_good(self, offer: Any) -> None:
        _, effects = self.offered(Script(), offer, hero=acting(token=None))

        assert decided(effects).spot.legal.call_chips == 30

    def test_the_offer_of_a_snapshot_after_it_serves_where_the_resync_is_not_answered(self, offer: Any) -> None:
        script = Script()
        session, _ = self.offered(script, offer)
        feed(session, script.snapshot(actor=0, hero=acting(token=None)), now=1.5)
        assert session.tick(3.9) == []
        turn = decided(session.tick(4.1))

        assert (turn.spot.legal.call_chips, turn.received_at) == (30, 1.0)

    def test_it_is_asked_for_once_a_turn(self, offer: Any) -> None:
        script = Script()
        session, _ = self.offered(script, offer)
        odd = [{"action": "post"}]
        turn = decided(feed(session, script.resync(script.snapshot(actor=0, hero=acting(offer=odd)), []), now=2.0))

        assert turn.spot.legal.floor is None
        assert session.tick(5.0) == []
