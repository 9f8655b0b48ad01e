"""What house players remember: rates, doubt, and bounds."""

import pytest

from agent.arena.house.memory import USUAL, Memory
from agent.poker.line import moves
from agent.poker.spot import PastAction, Street, Verb

FLOP, PREFLOP = Street.FLOP, Street.PREFLOP
NAMES = {0: "Otter", 1: "Badger"}
BETS_AND_FOLD = (
    PastAction(0, PREFLOP, Verb.CALL, 10, 20),
    PastAction(1, PREFLOP, Verb.CHECK, 0, 20),
    PastAction(1, FLOP, Verb.RAISE, 20, 20),
    PastAction(0, FLOP, Verb.FOLD, 0, 0),
)


def remembered(times: int, actions: tuple[PastAction, ...] = BETS_AND_FOLD) -> Memory:
    memory = Memory()
    for _ in range(times):
        memory.remember(NAMES, actions, 20)
    return memory


def test_a_stranger_is_taken_for_the_usual_player() -> None:
    assert Memory().read("Otter") == USUAL


def test_forty_chances_weigh_as_much_as_the_prior() -> None:
    otter, badger = remembered(40).read("Otter"), remembered(40).read("Badger")
    assert otter.vpip == pytest.approx((1 + USUAL.vpip) / 2)
    assert otter.fold_to_bet == pytest.approx((1 + USUAL.fold_to_bet) / 2)
    assert otter.aggression == pytest.approx(USUAL.aggression / 2)
    assert badger.aggression == pytest.approx((1 + USUAL.aggression) / 2)


def test_a_checked_option_is_no_hand_played() -> None:
    assert remembered(40).read("Badger").vpip == pytest.approx(USUAL.vpip / 2)


def test_whoever_faced_no_bet_is_not_known_to_fold_or_call() -> None:
    assert remembered(40).read("Badger").fold_to_bet == pytest.approx(USUAL.fold_to_bet)


def test_calling_twice_before_the_flop_is_one_hand_played() -> None:
    actions = (
        PastAction(0, PREFLOP, Verb.CALL, 10, 20),
        PastAction(1, PREFLOP, Verb.RAISE, 40, 60),
        PastAction(0, PREFLOP, Verb.CALL, 40, 60),
    )
    assert remembered(40, actions).read("Otter").vpip == pytest.approx((1 + USUAL.vpip) / 2)


def test_only_an_all_in_beyond_the_last_bet_is_a_raise() -> None:
    actions = (
        PastAction(0, FLOP, Verb.ALL_IN, 100, 100),
        PastAction(1, FLOP, Verb.ALL_IN, 80, 80),
        PastAction(2, FLOP, Verb.ALL_IN, 300, 300),
    )
    found = [(move.is_raise, move.raises_before) for move in moves(actions, 20)]
    assert found == [(True, 0), (False, 1), (True, 1)]


def test_before_the_flop_the_big_blind_is_the_bet_to_beat() -> None:
    short = PastAction(0, PREFLOP, Verb.ALL_IN, 15, 15)
    assert [move.is_raise for move in moves((short,), 20)] == [False]


def test_every_street_counts_its_own_raises() -> None:
    actions = (PastAction(0, PREFLOP, Verb.RAISE, 60, 60), PastAction(0, FLOP, Verb.RAISE, 40, 40))
    assert [(move.is_raise, move.raises_before) for move in moves(actions, 20)] == [(True, 0), (True, 0)]


def test_the_player_not_seen_for_longest_is_forgotten_first() -> None:
    memory = Memory(capacity=6)
    memory.remember({0: "Otter", 1: "Badger"}, BETS_AND_FOLD, 20)
    memory.remember({seat: f"Lynx{seat}" for seat in range(4)}, (), 20)
    memory.remember({0: "Otter", 1: "Stoat"}, BETS_AND_FOLD, 20)
    assert len(memory) == 6
    assert memory.read("Badger") == USUAL
    assert memory.read("Otter") != USUAL


def test_a_memory_smaller_than_a_table_is_refused() -> None:
    with pytest.raises(ValueError, match="room for 5 players: a table alone has 6"):
        Memory(capacity=5)
