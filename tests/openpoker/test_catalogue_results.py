"""The failure catalogue on how hands end and what recovery brings back: results, nulls, replays, hostile frames.

Each row runs on a hand seen dealt and on one met in its middle by a resync. The row stands in each docstring.
"""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.openpoker.effects import Decide
from agent.openpoker.session import Session
from agent.poker.cards import format_cards
from tests.openpoker.origins import (
    Origin,
    acting,
    after,
    asked,
    at_table,
    both_origins,
    decided,
    dialled_cold,
    feed,
    overs,
    table_at,
)
from tests.openpoker.script import HAND, Frame, Script
from tests.openpoker.test_table import HOSTILE

FLOP = ("2h", "7h", "Kc")
FINAL = {0: 2_060, 2: 2_350, 4: 1_490}


class TestResults:
    """V25, V26, V31, V58: what a hand has brought, and what is not known of it."""

    @both_origins
    @pytest.mark.parametrize("shown", [None, {}, {"0": ["Qs", "Jd"], "2": None}])
    @pytest.mark.parametrize("amount", [0, 60, 110, None])
    def test_the_net_is_the_final_stack_less_the_stack_at_the_start(
        self, origin: Origin, shown: Frame | None, amount: int | None
    ) -> None:
        """V25, V26: a winner's amount may be gross or net; seats are strings, and seat 0 is one of them."""
        script = Script()
        session, _ = asked(origin, script)
        winners = [{"seat": 0, "name": "Heron", "stack": 2_060, "amount": amount}]
        result = script.hand_result(FINAL, winners=winners, shown_cards=shown)

        assert [summary.net_chips for summary in overs(feed(session, result))] == [60]

    @both_origins
    @pytest.mark.parametrize("final", [{2: 2_350, 4: 1_490}, {}])
    def test_a_result_that_leaves_us_out_is_unknown_and_not_nought(self, origin: Origin, final: dict[int, int]) -> None:
        """V31."""
        script = Script()
        session, _ = asked(origin, script)

        assert [summary.net_chips for summary in overs(feed(session, script.hand_result(final)))] == [None]

    def test_the_net_of_a_hand_met_after_the_flop_is_unknown(self) -> None:
        """V25, V31: nobody tells what the stacks were."""
        script = Script()
        script.to_first_prompt()
        script.action(0, "call", 30)
        script.community_cards("flop", *FLOP)
        session = dialled_cold()
        feed(session, script.resync(script.snapshot("flop", actor=0, hero=acting()), []))

        assert [summary.net_chips for summary in overs(feed(session, script.hand_result(FINAL)))] == [None]

    @both_origins
    def test_the_result_of_an_interrupted_hand_is_told_once_from_the_replay(self, origin: Origin) -> None:
        """V58."""
        script = Script()
        session, _ = asked(origin, script)
        result = script.hand_result(FINAL)
        idle = script.snapshot("idle", None)
        list(session.opened(5.0))
        effects = feed(session, script.resync(idle, [result, result]), script.resync(idle, [result]), result)

        assert [(s.hand_id, s.net_chips) for s in overs(effects)] == [(HAND, 60)]

    @both_origins
    def test_a_result_that_comes_after_the_reconnect_is_priced_from_the_stacks_before_it(self, origin: Origin) -> None:
        """V58."""
        script = Script()
        session, _ = asked(origin, script)
        list(session.opened(5.0))
        assert overs(feed(session, script.resync(script.snapshot("idle", None), []))) == []

        assert [summary.net_chips for summary in overs(feed(session, script.hand_result(FINAL)))] == [60]

    @both_origins
    def test_a_result_that_never_comes_is_reported_once_as_lost(
        self, origin: Origin, caplog: pytest.LogCaptureFixture
    ) -> None:
        """V58."""
        script = Script()
        session, _ = asked(origin, script)
        later = Script(6_000, "h-2")
        for _ in range(3):
            list(session.opened(5.0))
            feed(session, later.resync(later.snapshot(actor=2), []))
        feed(session, later.hand_result(FINAL), Script(7_000, "h-3").hand_start())

        assert [m for m in caplog.messages if "result" in m] == [f"the result of hand {HAND} never came"]

    def test_results_from_before_our_time_are_not_ours(self) -> None:
        """V58, V27: a cold resync replays what happened before we came."""
        script = Script()
        earlier = [Script(4_000, "h-0").hand_start(), Script(4_100, "h-0").hand_result(FINAL)]
        session = dialled_cold()
        script.opening()

        assert overs(feed(session, script.resync(script.snapshot(), earlier))) == []


@both_origins
def test_nulls_in_the_envelope_of_an_idle_table_stop_nothing(origin: Origin) -> None:
    """V30."""
    script = Script()
    session, _ = asked(origin, script)
    nothing = dict.fromkeys(("table_id", "hand_id", "table_seq", "hand_seq", "state_hash", "ts"))
    idle = {**script.snapshot("idle", None), **nothing}
    feed(session, idle, {**script.hand_result(FINAL)}, idle)
    list(session.opened(5.0))
    feed(session, {**script.resync(idle, []), **nothing, "to_table_seq": None})
    later = Script(6_000, "h-2")

    assert decided(feed(session, *later.to_first_prompt("token-2")[1:])).key == ("h-2", "token-2")


@both_origins
def test_a_shuffled_and_doubled_replay_is_applied_once_and_in_order(origin: Origin) -> None:
    """V57: a bet would count twice else."""
    script = Script()
    table = table_at(origin, script)
    events = [script.action(2, "raise", 50), script.action(4, "fold"), script.action(0, "call", 30, street="flop")]
    events.append(script.community_cards("flop", *FLOP))
    expected = after(table, *events)
    shuffled = [events[i] for i in (2, 0, 3, 1, 0, 2, 3)]
    snapshot = script.snapshot("flop", actor=0, board=list(FLOP))
    again = table.resynced(script.resync(snapshot, shuffled))

    assert expected.hand is not None
    assert again.hand == replace(expected.hand, over=False)
    assert (again.pot_chips, [seat.bet_chips for seat in again.seats]) == (110, [0, 0, 0])


def hand_frames(script: Script) -> list[Frame]:
    """Frames of our table in one hand, all of whose numbers are higher than those before."""
    frames = [script.action(2, "raise", 50), script.action(4, "fold"), script.your_turn()]
    frames += [script.snapshot(actor=0), script.action(0, "call", 30, street="flop")]
    frames += [script.community_cards("flop", *FLOP), script.snapshot("flop", actor=0), script.your_turn("token-2")]
    return [*frames, script.resync(script.snapshot("flop", actor=0, hero=acting("token-3")), frames)]


def mutilated(frames: list[Frame], rng: random.Random) -> list[Frame]:
    """Some of the frames, in any order, with hostile values in any field but their type."""
    told = [dict(frame) for frame in rng.choices(frames, k=20)]
    for frame in told:
        fields = [key for key in sorted(frame) if key != "type"]
        frame.update((key, rng.choice(HOSTILE)) for key in rng.sample(fields, k=rng.randrange(4)))
    return told


@both_origins
@settings(max_examples=100, deadline=None)
@given(rng=st.randoms(use_true_random=False))
def test_whatever_was_said_before_a_clean_resync_brings_the_turn_back(origin: Origin, rng: random.Random) -> None:
    """V32: hostile values, lost, doubled and shuffled frames neither raise nor leave anything behind."""
    script = Script()
    session: Session = at_table(origin, script)
    feed(session, *mutilated(hand_frames(script), rng))
    script.table_seq += 1_000
    if session.table is None:
        session = dialled_cold()
    else:
        list(session.opened(30.0))
    clean = script.snapshot("flop", actor=0, hero=acting("token-9"))
    effects = feed(session, script.resync(clean, []), now=30.1)
    effects += session.tick(33.2)

    (turn,) = [effect.turn for effect in effects if isinstance(effect, Decide)]
    assert (turn.spot.pot_chips, turn.spot.hero_seat, format_cards(turn.spot.board)) == (110, 0, "2h7hKc")
    assert [(p.seat, p.stack_chips, p.bet_chips, p.folded) for p in turn.spot.players] == [
        (0, 1_950, 0, False),
        (2, 2_350, 0, False),
        (4, 1_490, 0, True),
    ]
