"""The failure catalogue on lobby, funding, watchdogs and hashes, told to a session; sockets are in `test_catalogue_socket`.

Where a hand is in play the row runs on one seen dealt and on one met by a resync. The row stands in each docstring.
"""

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from agent.health import Health
from agent.openpoker.effects import Ask, Decide, Reconnect, Send, Settled, Stop
from agent.openpoker.session import Session
from agent.openpoker.standing import Phase
from tests.openpoker.origins import (
    CALL,
    Origin,
    acting,
    answered,
    asked,
    both_origins,
    decided,
    dialled_cold,
    feed,
    new_session,
    queued,
    sent,
)
from tests.openpoker.script import TABLE, TOKEN, Frame, Script

JOIN = ["join_lobby", "set_auto_rebuy"]
WRONG = {"state_hash": "sha256:" + "0" * 64}


def error(code: str, **more: Any) -> Frame:
    return {"type": "error", "code": code, "message": "x", **more}


def between_hands(origin: Origin, script: Script) -> Session:
    """A session whose hand is over."""
    session, _ = asked(origin, script)
    feed(session, script.snapshot("idle", None), script.hand_result({0: 0, 2: 4_410, 4: 1_490}))
    return session


class TestDeadTables:
    """87, V42: a table on which nothing is dealt is left after a while, whatever else it says."""

    def silence(self, script: Script, now: float) -> list[Frame]:
        return []

    def snapshots(self, script: Script, now: float) -> list[Frame]:
        return [script.snapshot("idle", None)] if now % 10 == 0 else []

    def wrong_hashes(self, script: Script, now: float) -> list[Frame]:
        return [{**frame, **WRONG} for frame in self.snapshots(script, now)]

    def visitors(self, script: Script, now: float) -> list[Frame]:
        return [script.envelope("player_joined", seat=1, name="Stoat", stack=2_000)] if now % 30 == 0 else []

    @both_origins
    @pytest.mark.parametrize("says", [silence, snapshots, wrong_hashes, visitors], ids=lambda says: says.__name__)
    def test_another_table_is_looked_for_although_every_resync_is_answered(
        self, origin: Origin, says: Callable[..., list[Frame]]
    ) -> None:
        script = Script()
        session = between_hands(origin, script)
        heard = list[str]()
        for now in range(2, 1_000):
            effects = [*feed(session, *says(self, script, now), now=now), *session.tick(now)]
            if any(isinstance(effect, Reconnect) for effect in effects):
                effects += session.opened(now)
            heard += sent(effects)
            if "leave_table" in heard:
                break
            if "resync_request" in sent(effects):
                feed(session, script.resync(script.snapshot("idle", None), []), now=now + 0.1)

        assert heard[-1] == "leave_table"
        assert now <= 620
        assert heard.count("resync_request") <= 12

    @both_origins
    def test_hands_that_a_resync_shows_are_hands(self, origin: Origin) -> None:
        """V42: a socket that is lost in every hand is no dead table."""
        session, phases = between_hands(origin, Script()), set()
        for number in range(2, 12):
            now, script = 100.0 * number, Script(10_000 * number, f"h-{number}")
            list(session.opened(now))
            feed(session, script.resync(script.snapshot(actor=2), []), now=now + 0.1)
            assert session.tick(now + 99.0) == []
            phases.add(session.phase)

        assert phases == {Phase.SEATED}

    @both_origins
    def test_a_table_that_says_nothing_is_dialled_again_and_resynced(self, origin: Origin) -> None:
        """82: a half-open socket reports no error."""
        session, _, frame = answered(origin, Script())
        feed(session, Script(7_000).ack(frame["client_action_id"]), now=10.0)

        assert session.tick(189.0) == []
        assert session.tick(191.0) == [Reconnect("nothing heard from the table")]
        assert sent(session.opened(192.0)) == ["resync_request"]

    @both_origins
    @pytest.mark.parametrize(("table_id", "is_ours"), [(TABLE, True), (None, True), ("t-other", False)])
    def test_what_counts_as_heard_is_what_our_table_says(
        self, origin: Origin, table_id: str | None, is_ours: bool
    ) -> None:
        """82, V30: an idle table may leave its name out; another table's frames prove nothing."""
        script = Script()
        session = between_hands(origin, script)
        feed(session, {**script.snapshot("idle", None), "table_id": table_id, "state_hash": None}, now=100.0)

        assert (session.tick(190.0) == []) is is_ours


class TestMuteSockets:
    """82: the upgrade works, pings are answered, and no word comes."""

    def test_a_socket_on_which_nothing_is_said_is_given_up(self) -> None:
        session = new_session()
        list(session.opened(100.0))
        session.learned_active_game(None, 101.0)

        assert session.tick(109.9) == []
        assert session.tick(110.1) == [Reconnect("no greeting")]

    def test_another_socket_has_time_of_its_own(self) -> None:
        session = new_session()
        list(session.opened(0.0))
        list(session.opened(50.0))

        assert session.tick(59.9) == []

    @pytest.mark.parametrize("word", [{"type": "lobby_joined", "position": 1}, error("already_in_lobby")])
    def test_a_lobby_that_has_not_said_a_word_since_we_joined_is_dialled_again(self, word: Frame) -> None:
        session = queued()
        feed(session, word, now=1.0)
        assert sent(session.tick(121.0)) == JOIN
        feed(session, {"type": "heartbeat"}, now=200.0)

        assert session.tick(242.0) == [Reconnect("no word since joining the lobby")]


class TestLobby:
    @pytest.mark.parametrize("is_warm", [True, False])
    @pytest.mark.parametrize("answer", [{"role": "spectator"}, {"role": None}, {"snapshot": None}, {"snapshot": {}}])
    def test_a_resync_that_shows_no_seat_of_ours_leads_back_to_the_lobby(self, is_warm: bool, answer: Frame) -> None:
        """V41."""
        script = Script()
        session = asked(Origin.DEAL, script)[0] if is_warm else dialled_cold()
        if is_warm:
            list(session.opened(5.0))
        effects = feed(session, {**script.resync(script.snapshot(), []), **answer})

        assert (sent(effects), session.phase, session.table) == (JOIN, Phase.QUEUED, None)

    @pytest.mark.parametrize("word", [error("already_in_lobby"), {"type": "lobby_joined", "position": 1}])
    def test_who_is_not_seated_joins_again_by_the_time_since_the_last_join(self, word: Frame) -> None:
        """V43: a frame of the lobby every minute must not keep us waiting."""
        session = queued()
        joined_at = []
        for now in range(1, 300):
            feed(session, *([word] if now % 60 == 0 else []), now=float(now))
            joined_at += [now] if sent(session.tick(float(now))) == JOIN else []

        assert joined_at == [121, 242]

    def test_a_queue_is_joined_once_a_connection(self) -> None:
        """V44, 93: a new socket joins anew, with all that belongs to it; waiting on one sends nothing."""
        session = queued()
        said = [frame for now in range(1, 120) for frame in sent(session.tick(float(now)))]
        assert said == []
        assert session.opened(120.0) == [Ask("active-game")]
        assert sent(session.learned_active_game(None, 120.5)) == JOIN
        assert feed(session, error("already_in_lobby")) == []

    @both_origins
    def test_a_table_that_closes_while_we_leave_gets_one_more_leave(self, origin: Origin) -> None:
        """V46: it may have overtaken our departure; `not_at_table` is the clean exit."""
        script = Script()
        session = between_hands(origin, script)
        assert sent(session.leave(2.0)) == ["leave_table"]
        assert sent(feed(session, {"type": "table_closed", "table_id": TABLE, "reason": "x"})) == ["leave_table"]

        assert feed(session, error("not_at_table")) == [Stop("left the table")]

    @pytest.mark.parametrize("is_in_play", [True, False])
    def test_a_bot_that_was_seated_while_it_was_away_takes_its_seat_up(self, is_in_play: bool) -> None:
        """V47: it is asked where we sit before anything is joined."""
        script = Script()
        session = new_session()
        assert session.opened(0.0) == [Ask("active-game")]
        assert sent(session.learned_active_game(TABLE, 0.5)) == ["resync_request"]
        script.to_first_prompt()
        shown = script.snapshot(actor=0, hero=acting()) if is_in_play else script.snapshot("idle", None)
        effects = feed(session, script.resync(shown, []))

        assert (session.phase, [type(e) for e in effects]) == (Phase.SEATED, [Decide] if is_in_play else [])

    @pytest.mark.parametrize("word", ["hole_cards", "your_turn"])
    def test_a_table_that_asks_us_although_we_know_of_no_seat_is_resynced(self, word: str) -> None:
        """V47, 85: nobody but a player is told these; REST may have refused to say where we sit."""
        script = Script()
        session = queued()
        feed(session, error("already_seated"))
        session.learned_active_game(None, 1.0)
        frames = {frame["type"]: frame for frame in script.to_first_prompt()}
        asked_for = feed(session, frames[word], now=2.0)
        assert asked_for == [Send({"type": "resync_request", "table_id": TABLE, "last_table_seq": 0})]
        assert feed(session, frames[word], now=2.1) == []

        assert decided(feed(session, script.resync(script.snapshot(actor=0, hero=acting()), []))).key[1] == TOKEN

    @both_origins
    def test_a_late_word_of_a_table_that_we_left_costs_one_question(self, origin: Origin) -> None:
        """V47, V41."""
        script = Script()
        session, _ = asked(origin, script)
        feed(session, script.envelope("player_left", seat=0, name="Heron", reason="left"))
        assert sent(feed(session, script.your_turn())) == ["resync_request"]

        assert sent(feed(session, script.resync(script.snapshot(), [], role="spectator"))) == JOIN

    @pytest.mark.parametrize(
        "code", ["brand_new", "unknown_message", "invalid_message", "flood_warning", "leave_pending"]
    )
    @pytest.mark.parametrize("origin", [*Origin, None], ids=lambda origin: str(origin or "in the lobby"))
    def test_no_unlisted_error_ends_a_session_or_a_turn(self, origin: Origin | None, code: str) -> None:
        """V54."""
        session, turn = asked(origin, Script()) if origin else (queued(), None)
        phase = session.phase

        assert feed(session, error(code), error(code)) == []
        assert session.phase is phase
        assert turn is None or session.choose(turn, CALL) is not None

    def test_a_refusal_for_want_of_pro_is_tried_again_ever_more_slowly(self) -> None:
        """V54."""
        session = queued()
        joined_at = [0]
        for now in range(1, 1_500):
            if joined_at[-1] == now - 1:
                feed(session, error("portfolio_pro_required"), now=float(now))
            joined_at += [now] if sent(session.tick(float(now))) == JOIN else []
        pauses = [later - sooner for sooner, later in itertools.pairwise(joined_at)]

        assert pauses == [31, 61, 91, 121, 151, 181, 211, 241, 241]

    def test_refusals_of_the_key_count_only_in_a_row(self) -> None:
        """V55, 84."""
        session = new_session()
        passing = [error("auth_failed"), error("auth_failed"), {"type": "connected", "name": "Heron"}]
        effects = feed(session, *passing, *passing, error("auth_failed"), error("auth_failed"))
        assert [type(effect) for effect in effects] == [Reconnect] * 6

        (stop,) = feed(session, error("auth_failed"))
        assert isinstance(stop, Stop)

    @both_origins
    @pytest.mark.parametrize(
        ("message", "is_refused"),
        [
            ("too many connection attempts for the play pool; try again later", True),
            ("Too many connections from this address", True),
            ("slow down", False),
            ("at most 20 messages per second per connection", False),
            (None, False),
        ],
    )
    def test_only_a_word_on_connecting_ends_the_connection(
        self, origin: Origin, message: str | None, is_refused: bool
    ) -> None:
        """V40: the plain one means that a message was dropped."""
        session, turn = asked(origin, Script())
        effects = feed(session, {"type": "error", "code": "rate_limited", "message": message})

        assert effects == ([Reconnect("too many connections", refused="connection")] if is_refused else [])
        assert session.choose(turn, CALL) is not None


class TestFunding:
    @both_origins
    def test_a_rebuy_of_ours_waits_for_that_of_the_server_and_half_a_minute_more(self, origin: Origin) -> None:
        """V48: both share one cooldown."""
        script = Script()
        session = between_hands(origin, script)
        feed(session, {"type": "auto_rebuy_scheduled", "cooldown_seconds": 300}, now=10.0)
        feed(session, script.envelope("player_left", seat=0, name="Heron", reason="busted"), now=10.0)
        said = list[Any]()
        for now in range(11, 400):
            effects = session.tick(float(now))
            effects = session.learned_balance(0, float(now)) if effects == [Ask("season")] else effects
            said += [(now, kind) for kind in sent(effects)]

        assert said[0] == (10 + 300 + 30, "rebuy")

    @both_origins
    def test_after_a_rebuy_we_ask_for_no_more_than_there_is(self, origin: Origin) -> None:
        """V51."""
        script = Script()
        session = between_hands(origin, script)
        session.purse.buy_in_chips = 5_000
        feed(session, {"type": "auto_rebuy_scheduled", "cooldown_seconds": 0})
        feed(session, script.envelope("player_left", seat=0, name="Heron", reason="busted"))
        (join, _) = feed(session, {"type": "rebuy_confirmed", "new_stack": 0, "chip_balance": 1_500})

        assert join.frame == {"type": "join_lobby", "buy_in": 1_500}

    @pytest.mark.parametrize("code", ["insufficient_funds", "insufficient_season_chips"])
    @pytest.mark.parametrize("chips", [0, 400, 999])
    def test_a_poor_balance_without_a_bust_is_bought_up_by_hand(self, code: str, chips: int) -> None:
        """V52."""
        session = queued()
        assert feed(session, error(code)) == [Ask("season")]

        assert sent(session.learned_balance(chips, 1.0)) == ["rebuy"]

    @both_origins
    def test_a_balance_that_cannot_be_read_is_no_reason_to_play_short(self, origin: Origin) -> None:
        """V49: after a bust nobody has refused our wish as yet."""
        script = Script()
        session = between_hands(origin, script)
        feed(session, script.envelope("player_left", seat=0, name="Heron", reason="busted"), now=0.0)
        session.learned_balance(None, 0.0)
        session.learned_balance(None, 15.0)
        join, _ = session.learned_balance(None, 30.0)

        assert isinstance(join, Send)
        assert join.frame == {"type": "join_lobby", "buy_in": 2_000}

    def test_a_balance_that_cannot_be_read_is_asked_for_again_and_is_neither_nought_nor_the_wish(self) -> None:
        """V49, 85: the wish was refused; the least is asked for, which any balance that may play has."""
        session = queued()
        feed(session, error("insufficient_funds"), now=0.0)
        said = list[Any]()
        for now in range(1, 100):
            effects = session.tick(float(now)) if now > 1 else [Ask("season")]
            effects = session.learned_balance(None, float(now)) if effects == [Ask("season")] else effects
            said += [(now, effect.frame) for effect in effects if isinstance(effect, Send)]

        assert [frame for _, frame in said][:1] == [{"type": "join_lobby", "buy_in": 1_000}]
        assert said[0][0] >= 30


class TestHashes:
    @both_origins
    @pytest.mark.parametrize("stated", ["", "sha256:", "md5:" + "0" * 64, "sha256:" + "0" * 63, WRONG["state_hash"]])
    def test_a_wrong_hash_is_resynced_once_a_minute_and_the_turn_goes_on(self, origin: Origin, stated: str) -> None:
        """100, V35, V37, V38: a snapshot is held against its own hash, whatever number it has."""
        script = Script()
        session, turn = asked(origin, script)
        asked_at = []
        for now in range(2, 130):
            if sent(feed(session, {**script.snapshot(actor=0), "state_hash": stated}, now=float(now))):
                asked_at.append(now)
                feed(session, script.resync(script.snapshot(actor=0, hero=acting()), []), now=now + 0.1)

        assert asked_at == [2, 62, 122]
        assert session.choose(turn, CALL) is not None

    def test_many_wrong_hashes_are_told_once_a_minute(self, caplog: pytest.LogCaptureFixture) -> None:
        """100, 97."""
        script = Script()
        session, _ = asked(Origin.DEAL, script)
        for second in range(2, 130):
            feed(session, {**script.snapshot(actor=0), **WRONG}, now=float(second))

        told = [record.getMessage() for record in caplog.records if "state_hash" in record.getMessage()]
        assert [text.rpartition(": ")[2] for text in told] == ["1", "61", "121"]

    def test_a_venue_whose_hashes_we_never_understood_is_not_asked_again(self) -> None:
        """V35: neither live nor by a resync; our own arithmetic is the suspect."""
        script = Script()
        session = dialled_cold()
        feed(session, script.resync({**script.snapshot(), **WRONG}, []))

        assert feed(session, {**script.snapshot(), **WRONG}) == []


class TestHealth:
    """What a person is told of a seat that was taken up by a resync."""

    def health(self, origin: Origin, script: Script) -> Health:
        told = Health(lambda: 0.0)
        opening = script.opening()
        told.frame("in", opening[0] if origin is Origin.DEAL else script.resync(script.snapshot(), []))
        return told

    @both_origins
    def test_the_seat_and_its_chips_are_known_and_its_loss_is_seen(self, origin: Origin) -> None:
        """V47, V41."""
        script = Script()
        health = self.health(origin, script)
        assert (health.table_id, health.stack_chips) == (TABLE, 2_000 if origin is Origin.DEAL else 1_980)
        health.frame("in", script.envelope("player_left", seat=0, name="Heron", reason="left"))

        assert (health.table_id, health.stack_chips) == (None, None)

    @both_origins
    @pytest.mark.parametrize("answer", [{"role": "spectator"}, {"snapshot": None}])
    def test_a_resync_without_a_seat_shows_that_it_is_lost(self, origin: Origin, answer: Frame) -> None:
        """V41."""
        script = Script()
        health = self.health(origin, script)
        health.frame("in", {**script.resync(script.snapshot(), []), **answer})

        assert health.table_id is None


@both_origins
def test_the_seat_is_taken_up_again_after_a_reconnect_with_the_turn_that_is_open(origin: Origin) -> None:
    """93, 89: connecting alone is not enough."""
    script = Script()
    session, turn, frame = answered(origin, script)
    (request,) = session.opened(5.0)
    assert request == Send({"type": "resync_request", "table_id": TABLE, "last_table_seq": script.table_seq})
    assert feed(session, script.resync(script.snapshot(actor=0, hero=acting()), [])) == [Send(frame)]

    assert feed(session, script.ack(frame["client_action_id"])) == [Settled(turn.id, accepted=True)]
