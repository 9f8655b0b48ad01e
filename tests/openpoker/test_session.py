import itertools
from typing import Any

import pytest

from agent.openpoker.effects import Abandon, Ask, Decide, Effects, HandOver, Reconnect, Send, Settled, Stop
from agent.openpoker.session import Session
from agent.openpoker.standing import GUESSES, Phase
from agent.openpoker.turns import Turn
from agent.poker.spot import Action, Verb
from tests.openpoker.script import HAND, TABLE, TOKEN, Frame, Script

CALL, FOLD = Action(Verb.CALL), Action(Verb.FOLD)


def new_session(buy_in: int = 2_000) -> Session:
    numbers = itertools.count(1)
    return Session(buy_in_chips=buy_in, new_id=lambda: f"turn-{next(numbers)}")


def feed(session: Session, *frames: Frame, now: float = 1.0) -> list[Any]:
    return [effect for frame in frames for effect in session.receive(frame, now)]


def sent(effects: Effects) -> list[str]:
    return [effect.frame["type"] for effect in effects if isinstance(effect, Send)]


def seated(script: Script) -> tuple[Session, Turn]:
    """A session at its first prompt, and the turn to decide."""
    session = new_session()
    list(session.opened(0.0))
    (decide,) = [effect for effect in feed(session, *script.to_first_prompt()) if isinstance(effect, Decide)]
    return session, decide.turn


def answered(script: Script) -> tuple[Session, Turn, Frame]:
    """A session whose answer to the first prompt has left the socket."""
    session, turn = seated(script)
    frame = session.choose(turn, CALL)
    assert frame is not None
    session.sent(frame, 2.0)
    return session, turn, frame


def between_hands(script: Script) -> Session:
    """A session whose hand is over."""
    session, _ = seated(script)
    feed(session, script.snapshot("idle", None), script.hand_result({0: 0, 2: 4_410, 4: 1_490}))
    return session


class TestStaleFrames:
    """What is old or another table's must not touch the turn being thought about."""

    @pytest.mark.parametrize("place", [0, 1, 2, 3, 4, 6])
    def test_a_redelivered_frame_changes_nothing(self, place: int) -> None:
        script = Script()
        session, frames = new_session(), script.to_first_prompt()
        list(session.opened(0.0))
        (decide,) = [effect for effect in feed(session, *frames) if isinstance(effect, Decide)]
        table = session.table

        assert feed(session, frames[place]) == []
        assert session.table is table
        assert session.choose(decide.turn, CALL) is not None

    @pytest.mark.parametrize("kind", ["hand_start", "hand_result", "player_action", "player_left"])
    @pytest.mark.parametrize("stale", [{"table_seq": 4}, {"table_id": "t-other"}])
    def test_old_and_foreign_frames_leave_the_turn_open(self, kind: str, stale: Frame) -> None:
        script = Script()
        session, turn = seated(script)
        made = {
            "hand_start": lambda: Script(6_000, "h-0").hand_start(),
            "hand_result": lambda: script.hand_result({0: 1_980}),
            "player_action": lambda: script.action(0, "fold", action_id=None),
            "player_left": lambda: script.envelope("player_left", seat=0, name="Heron", reason="left"),
        }

        assert feed(session, {**made[kind](), **stale}) == []
        assert session.choose(turn, CALL) is not None

    def test_turns_end_with_their_table(self) -> None:
        script = Script()
        session, turn = seated(script)
        effects = feed(session, {"type": "table_closed", "table_id": TABLE, "reason": "x"})

        assert effects[0] == Abandon(turn)
        assert session.choose(turn, CALL) is None

    def test_a_late_reject_of_an_earlier_table_does_not_touch_the_new_one(self) -> None:
        script = Script()
        session, _, _ = answered(script)
        feed(session, {"type": "table_closed", "table_id": TABLE, "reason": "x"})
        later = Script(100, "h-9")
        effects = feed(session, *({**frame, "table_id": "t-2"} for frame in later.to_first_prompt("token-9")))
        (decide,) = [effect for effect in effects if isinstance(effect, Decide)]
        reject = {"type": "action_rejected", "code": "not_at_table", "client_action_id": "turn-1"}

        assert feed(session, reject) == []
        assert session.choose(decide.turn, CALL) is not None

    def test_a_stray_word_that_we_have_no_seat_is_looked_into_and_the_turn_stays(self) -> None:
        session, turn = seated(Script())

        assert sent(feed(session, {"type": "error", "code": "not_at_table"})) == ["resync_request"]
        assert session.choose(turn, CALL) is not None

    def test_a_turn_that_was_dropped_and_comes_again_keeps_its_first_clock(self) -> None:
        script = Script()
        session, _ = seated(script)
        feed(session, script.action(0, "fold", action_id="somebody"), now=5.0)
        again = script.snapshot(actor=0, hero=acting(TOKEN))
        list(session.opened(20.0))
        (decide,) = feed(session, script.resync(again, []), now=21.0)

        assert decide.turn.received_at == 1.0

    def test_a_cold_resync_of_another_table_than_asked_is_ignored(self) -> None:
        session = new_session()
        list(session.opened(0.0))
        session.learned_active_game("t-9", 0.1)

        assert feed(session, Script().resync(Script().snapshot(), [])) == []
        assert session.table is None

    def test_a_number_that_no_counter_reaches_does_not_shut_out_what_follows(self) -> None:
        script = Script()
        session = new_session()
        list(session.opened(0.0))
        opening = script.to_first_prompt()
        poison = {**script.snapshot(), "table_seq": 10**300}

        assert [type(e) for e in feed(session, *opening[:3], poison, *opening[3:])][-1] is Decide


class TestTurns:
    def test_a_prompt_is_decided_and_answered_with_its_own_token(self) -> None:
        session, turn = seated(Script())

        assert turn.key == (HAND, TOKEN)
        assert session.choose(turn, CALL) == {
            "type": "action",
            "hand_id": HAND,
            "action": "call",
            "client_action_id": "turn-1",
            "turn_token": TOKEN,
        }

    def test_a_redelivered_prompt_is_answered_once(self) -> None:
        script = Script()
        session, turn = seated(script)

        assert feed(session, script.your_turn()) == []
        assert session.choose(turn, CALL) is not None
        assert session.choose(turn, CALL) is None
        assert feed(session, script.your_turn()) == []

    def test_redelivery_moves_no_deadline(self) -> None:
        script = Script()
        session, turn = seated(script)
        feed(session, script.your_turn(), now=30.0)

        assert turn.received_at == 1.0

    def test_the_same_token_in_another_hand_is_another_turn(self) -> None:
        session, _turn, _ = answered(Script())
        later = Script(6_000, "h-2")
        effects = feed(session, later.hand_start(), later.hole_cards(), later.snapshot(), later.your_turn())

        assert [type(effect) for effect in effects] == [Decide]

    def test_an_answer_that_was_never_sent_goes_out_after_the_resync(self) -> None:
        script = Script()
        session, turn = seated(script)
        frame = session.choose(turn, CALL)
        again = script.snapshot(actor=0, hero=acting(TOKEN))

        assert sent(session.opened(3.0)) == ["resync_request"]
        assert feed(session, script.resync(again, [])) == [Send(frame or {})]

    def test_an_acknowledged_answer_is_not_sent_again_by_a_resync(self) -> None:
        script = Script()
        session, _, frame = answered(script)
        feed(session, script.ack(frame["client_action_id"]))
        again = script.snapshot(actor=0, hero=acting(TOKEN))
        list(session.opened(3.0))

        assert feed(session, script.resync(again, [])) == []

    def test_a_late_ack_brings_the_identical_answer_once_and_then_a_resync(self) -> None:
        session, _, frame = answered(Script())

        assert session.tick(5.9) == []
        assert session.tick(6.1) == [Send(frame)]
        assert sent(session.tick(10.2)) == ["resync_request"]

    def test_an_ack_settles_the_turn(self) -> None:
        script = Script()
        session, _, frame = answered(script)

        assert feed(session, script.ack(frame["client_action_id"])) == [Settled("turn-1", accepted=True)]
        assert session.tick(60.0) == []

    def test_the_server_acting_for_us_ends_the_thinking(self) -> None:
        script = Script()
        session, turn = seated(script)

        assert feed(session, script.action(0, "fold", reason="timeout")) == [Abandon(turn)]
        assert session.choose(turn, CALL) is None

    def test_a_new_hand_ends_the_thinking_about_the_old_one(self) -> None:
        session, turn = seated(Script())

        assert feed(session, Script(6_000, "h-2").hand_start()) == [Abandon(turn)]


class TestRejects:
    def reject(self, session: Session, code: str, answer_id: str = "turn-1") -> list[Any]:
        return feed(session, {"type": "action_rejected", "code": code, "client_action_id": answer_id})

    def test_an_invalid_action_is_followed_by_the_floor_under_a_new_id(self) -> None:
        session, _, _ = answered(Script())
        settled, floor = self.reject(session, "invalid_action")

        assert settled == Settled("turn-1", accepted=False, code="invalid_action")
        assert (floor.frame["action"], floor.frame["turn_token"]) == ("fold", TOKEN)
        assert floor.frame["client_action_id"] == "turn-1-floor"

    def test_a_second_reject_resyncs(self) -> None:
        session, _, _ = answered(Script())
        (_, floor) = self.reject(session, "invalid_action")
        session.sent(floor.frame, 3.0)

        assert sent(self.reject(session, "invalid_action", "turn-1-floor")) == ["resync_request"]

    @pytest.mark.parametrize("code", ["stale_turn_token", "stale_hand_action", "not_your_turn"])
    def test_a_stale_answer_resyncs_and_the_restored_token_is_decided_again(self, code: str) -> None:
        script = Script()
        session, _turn, _ = answered(script)

        assert sent(self.reject(session, code)) == ["resync_request"]
        (decide,) = feed(session, script.resync(script.snapshot(actor=0, hero=acting("fresh")), []), now=4.0)
        assert decide.turn.key == (HAND, "fresh")

    def test_a_rejected_turn_that_comes_again_keeps_its_first_clock(self) -> None:
        script = Script()
        session, turn, _ = answered(script)
        self.reject(session, "stale_turn_token")
        (decide,) = feed(session, script.resync(script.snapshot(actor=0, hero=acting(TOKEN)), []), now=9.0)

        assert (decide.turn.key, decide.turn.received_at, decide.turn.id) == (turn.key, 1.0, "turn-2")

    def test_rejects_resync_three_times_a_hand_at_most(self) -> None:
        script = Script()
        session, _, _ = answered(script)
        asked = []
        for _ in range(5):
            asked += sent(self.reject(session, "not_your_turn", "unknown"))
            feed(session, script.resync(script.snapshot(actor=2), []))

        assert asked == ["resync_request"] * 3

    def test_a_lost_seat_is_looked_for_in_the_lobby(self) -> None:
        session, _, _ = answered(Script())

        assert sent(self.reject(session, "not_at_table")) == ["join_lobby", "set_auto_rebuy"]


class TestLobby:
    def test_a_cold_start_asks_first_where_we_sit(self) -> None:
        session = new_session()

        assert session.opened(0.0) == [Ask("active-game")]
        assert session.learned_active_game("t-9", 0.1) == [
            Send({"type": "resync_request", "table_id": "t-9", "last_table_seq": 0})
        ]

    def test_sitting_nowhere_joins_first_and_sets_auto_rebuy_after_it(self) -> None:
        session = new_session()
        list(session.opened(0.0))

        assert session.learned_active_game(None, 0.1) == [
            Send({"type": "join_lobby", "buy_in": 2_000}),
            Send({"type": "set_auto_rebuy", "enabled": True}),
        ]

    def test_waiting_in_the_lobby_does_not_ask_again_before_its_time(self) -> None:
        session = new_session()
        list(session.opened(0.0))
        session.learned_active_game(None, 0.0)

        assert feed(session, {"type": "error", "code": "already_in_lobby", "message": "x"}, now=50.0) == []
        assert session.tick(119.0) == []
        assert sent(session.tick(121.0)) == ["join_lobby", "set_auto_rebuy"]

    @pytest.mark.parametrize("place", [{"table_id": "t-9"}, {"details": {"table_id": "t-9", "seat": 0}}])
    def test_already_seated_resyncs_the_table_it_names(self, place: Frame) -> None:
        session = new_session()
        list(session.opened(0.0))
        session.learned_active_game(None, 0.0)

        (effect,) = feed(session, {"type": "error", "code": "already_seated", **place})
        assert effect.frame == {"type": "resync_request", "table_id": "t-9", "last_table_seq": 0}

    def test_already_seated_without_a_table_asks_rest_and_does_not_loop(self) -> None:
        session = new_session()
        list(session.opened(0.0))
        session.learned_active_game(None, 0.0)

        assert feed(session, {"type": "error", "code": "already_seated"}) == [Ask("active-game")]
        assert session.learned_active_game(None, 1.0) == []

    def test_a_seat_that_nobody_names_is_looked_for_where_it_was_last(self) -> None:
        """A null snapshot in mid-turn, then `already_seated` without a table and a REST that fails: the clock runs."""
        session = new_session()
        list(session.opened(0.0))
        session.learned_active_game("t-1", 0.0)
        nobody = {"type": "resync_response", "table_id": "t-1", "role": "player", "snapshot": None}
        for _ in range(GUESSES):
            assert sent(feed(session, nobody)) == ["join_lobby", "set_auto_rebuy"]
            assert feed(session, {"type": "error", "code": "already_seated"}) == [Ask("active-game")]
            (effect,) = session.learned_active_game(None, 1.0)
            assert effect == Send({"type": "resync_request", "table_id": "t-1", "last_table_seq": 0})

        feed(session, nobody)
        feed(session, {"type": "error", "code": "already_seated"})
        assert session.learned_active_game(None, 2.0) == []

    @pytest.mark.parametrize("code", ["insufficient_funds", "insufficient_season_chips"])
    def test_too_few_chips_lower_the_buy_in_to_the_balance(self, code: str) -> None:
        session = new_session()
        list(session.opened(0.0))
        session.learned_active_game(None, 0.0)

        assert feed(session, {"type": "error", "code": code}) == [Ask("season")]
        assert next(iter(session.learned_balance(1_500, 1.0))) == Send({"type": "join_lobby", "buy_in": 1_500})

    def test_an_unknown_balance_is_not_zero(self) -> None:
        session = new_session()
        list(session.opened(0.0))
        session.learned_active_game(None, 0.0)
        feed(session, {"type": "error", "code": "insufficient_funds"})

        assert session.learned_balance(None, 1.0) == []

    def test_a_balance_below_the_smallest_buy_in_asks_for_a_rebuy(self) -> None:
        session = new_session()
        list(session.opened(0.0))
        session.learned_active_game(None, 0.0)
        feed(session, {"type": "error", "code": "insufficient_funds"})

        assert session.learned_balance(0, 1.0) == [Send({"type": "rebuy", "amount": 1_500})]
        (join, _) = feed(session, {"type": "rebuy_confirmed", "new_stack": 0, "chip_balance": 1_500})
        assert join.frame["buy_in"] == 1_500

    def test_a_bust_waits_for_the_rebuy_and_joins_again_with_what_is_there(self) -> None:
        script = Script()
        session = between_hands(script)
        busted = script.envelope("player_left", seat=0, name="Heron", reason="busted")

        assert feed(session, {"type": "auto_rebuy_scheduled", "cooldown_seconds": 0}, busted) == []
        (join, _) = feed(session, {"type": "rebuy_confirmed", "new_stack": 0, "chip_balance": 1_500})
        assert join.frame == {"type": "join_lobby", "buy_in": 1_500}

    def test_a_bust_without_a_rebuy_to_come_counts_the_chips_first(self) -> None:
        script = Script()
        session = between_hands(script)
        left = script.envelope("player_left", seat=0, name="Heron", reason="busted")

        assert feed(session, left) == [Ask("season")]
        assert feed(session, {"type": "busted", "options": ["rebuy", "leave"]}) == []
        assert next(iter(session.learned_balance(3_000, 2.0))) == Send({"type": "join_lobby", "buy_in": 2_000})

    def test_a_bust_told_by_busted_alone_counts_the_chips_too(self) -> None:
        session = between_hands(Script())

        assert feed(session, {"type": "busted", "options": ["rebuy", "leave"]}) == [Ask("season")]

    def test_a_busted_that_speaks_of_an_earlier_table_does_not_end_a_running_hand(self) -> None:
        session, _ = seated(Script())

        assert feed(session, {"type": "busted", "options": ["rebuy", "leave"]}) == []
        assert session.phase is Phase.SEATED

    def test_a_rebuy_confirmed_before_we_left_joins_when_we_have(self) -> None:
        script = Script()
        session, _ = seated(script)

        assert feed(session, {"type": "rebuy_confirmed", "new_stack": 0, "chip_balance": 1_500}) == []
        left = script.envelope("player_left", seat=0, name="Heron", reason="busted")
        assert sent(feed(session, left)) == ["join_lobby", "set_auto_rebuy"]

    def test_a_closed_table_is_left_for_the_lobby(self) -> None:
        session, _ = seated(Script())

        assert sent(feed(session, {"type": "table_closed", "table_id": TABLE, "reason": "x"})) == [
            "join_lobby",
            "set_auto_rebuy",
        ]

    @pytest.mark.parametrize("answer", [{"role": "spectator"}, {"snapshot": None}])
    def test_a_resync_that_shows_no_seat_goes_back_to_the_lobby(self, answer: Frame) -> None:
        script = Script()
        session, _ = seated(script)
        list(session.opened(5.0))

        effects = feed(session, {**script.resync(script.snapshot(), []), **answer})
        assert sent(effects) == ["join_lobby", "set_auto_rebuy"]

    def test_one_refused_key_is_tried_again_and_the_third_in_a_row_is_final(self) -> None:
        session = new_session()
        refused = {"type": "error", "code": "auth_failed", "message": "x"}

        assert [type(effect) for effect in feed(session, refused, refused)] == [Reconnect, Reconnect]
        (stop,) = feed(session, refused)
        assert isinstance(stop, Stop)
        assert stop.failed

    def test_too_many_connections_back_off_and_too_many_messages_do_not(self) -> None:
        session = new_session()
        text = "too many connection attempts for the play pool"

        (effect,) = feed(session, {"type": "error", "code": "rate_limited", "message": text})
        assert effect == Reconnect("too many connections", refused="connection")
        assert feed(session, {"type": "error", "code": "rate_limited", "message": "slow down"}) == []

    def test_unknown_codes_and_types_keep_the_session_alive(self) -> None:
        session, _ = seated(Script())

        assert feed(session, {"type": "error", "code": "brand_new"}, {"type": "confetti", "table_id": TABLE}) == []
        assert session.phase is Phase.SEATED


class TestHash:
    def test_a_wrong_hash_resyncs_once_a_minute(self) -> None:
        script = Script()
        session, _ = seated(script)
        wrong = {"state_hash": "sha256:" + "0" * 64}

        assert sent(feed(session, {**script.snapshot(actor=0), **wrong}, now=10.0)) == ["resync_request"]
        feed(session, script.resync(script.snapshot(actor=2), []), now=10.5)
        assert feed(session, {**script.snapshot(actor=2), **wrong}, now=20.0) == []

    def test_without_one_right_hash_before_our_own_arithmetic_is_the_suspect(self) -> None:
        script = Script()
        session = new_session()
        list(session.opened(0.0))
        wrong = {**script.snapshot(), "state_hash": "sha256:" + "0" * 64}

        assert feed(session, script.table_joined(), {**wrong, "table_seq": 9_999}) == []


class TestLeaving:
    def test_leaving_in_a_hand_finishes_it_first(self) -> None:
        script = Script()
        session, turn = seated(script)

        assert session.leave(2.0) == []
        assert session.choose(turn, FOLD) is not None
        effects = feed(session, script.hand_result({0: 1_980, 2: 2_430, 4: 1_490}))
        assert [type(effect) for effect in effects] == [HandOver, Send]
        assert sent(effects) == ["leave_table"]

    def test_our_own_departure_is_the_confirmation(self) -> None:
        script = Script()
        session, _ = seated(script)
        session.leave(2.0)
        feed(session, script.hand_result({0: 1_980, 2: 2_430, 4: 1_490}))

        left = script.envelope("player_left", seat=0, name="Heron", reason="left")
        assert feed(session, left) == [Stop("left the table")]

    def test_a_table_that_closes_meanwhile_gets_one_more_leave(self) -> None:
        script = Script()
        session, _ = seated(script)
        session.leave(2.0)
        feed(session, script.hand_result({0: 1_980, 2: 2_430, 4: 1_490}))

        assert sent(feed(session, {"type": "table_closed", "table_id": TABLE, "reason": "x"})) == ["leave_table"]
        assert feed(session, {"type": "error", "code": "not_at_table"}) == [Stop("left the table")]

    def test_leaving_the_queue_sends_leave_table_too(self) -> None:
        session = new_session()
        list(session.opened(0.0))
        session.learned_active_game(None, 0.0)

        assert sent(session.leave(1.0)) == ["leave_table"]

    def test_who_lost_the_socket_in_the_queue_is_out_of_it(self) -> None:
        session = new_session()
        list(session.opened(0.0))
        session.learned_active_game(None, 0.0)

        assert session.leave(1.0, connected=False) == [Stop("left before being seated")]

    def test_a_hand_that_never_ends_does_not_hold_us_for_ever(self) -> None:
        session, _ = seated(Script())
        session.leave(2.0)

        assert not any(isinstance(effect, Stop) for effect in session.tick(241.0))
        assert any(isinstance(effect, Stop) for effect in session.tick(243.0))

    def test_an_unconfirmed_leave_ends_after_a_while(self) -> None:
        script = Script()
        session, _ = seated(script)
        session.leave(2.0)
        feed(session, script.hand_result({0: 1_980, 2: 2_430, 4: 1_490}), now=3.0)

        assert session.tick(12.9) == []
        (stop,) = session.tick(13.1)
        assert isinstance(stop, Stop)


def test_silence_at_the_table_dials_again() -> None:
    session, _, frame = answered(Script())
    feed(session, Script(7_000).ack(frame["client_action_id"]), now=10.0)

    assert session.tick(189.0) == []
    assert session.tick(191.0) == [Reconnect("nothing heard from the table")]


def test_a_rest_side_that_never_answers_does_not_keep_us_from_joining() -> None:
    session = new_session()
    list(session.opened(0.0))
    feed(session, {"type": "connected", "name": "Heron"})

    assert session.tick(14.0) == []
    assert sent(session.tick(15.1)) == ["join_lobby", "set_auto_rebuy"]


def test_a_flood_kick_waits_before_it_joins_again() -> None:
    session, turn = seated(Script())

    assert feed(session, {"type": "error", "code": "flood_kick"}, now=10.0) == [Abandon(turn)]
    assert session.tick(39.0) == []
    assert sent(session.tick(41.0)) == ["join_lobby", "set_auto_rebuy"]


def test_a_resync_without_an_answer_dials_again() -> None:
    session, _ = seated(Script())
    list(session.opened(5.0))
    feed(session, {"type": "connected", "name": "Heron"}, now=5.1)

    assert session.tick(15.1) == [Reconnect("no answer to a resync")]


def acting(token: str) -> Frame:
    offer = [{"action": "fold"}, {"action": "call", "amount": 30}]
    return {"seat": 0, "hole_cards": ["Qs", "Jd"], "turn_token": token, "valid_actions": offer}


def test_unknown_types_and_fields_are_logged_once_each(caplog: pytest.LogCaptureFixture) -> None:
    script = Script()
    session = new_session()
    feed(session, script.table_joined(), script.snapshot(colour=1), script.snapshot(colour=2))
    feed(session, {"type": "confetti", "a": 1}, {"type": "confetti", "a": 2})

    assert [record.getMessage() for record in caplog.records] == [
        "the venue says something new, ignored: 'table_state.colour'",
        "the venue says something new, ignored: 'confetti'",
    ]
