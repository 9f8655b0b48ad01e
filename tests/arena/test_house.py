"""House players: always legal, repeatable, and unlike one another."""

import random

import pytest

from agent.arena.house import HOUSE_KINDS, house_player
from agent.poker.spot import Action, Verb
from tests.arena.hands import deck_with, hand_of, play, random_action, random_hand, run_out

STRONG = deck_with({0: "AsAh", 1: "7c2d", 2: "QsQh"}, "Ac Ad 9h 3s 4c")


@pytest.mark.parametrize("kind", HOUSE_KINDS)
def test_every_kind_plays_only_legal_actions(kind: str) -> None:
    rng = random.Random(11)
    player = house_player(kind)
    asked = 0
    for _ in range(40):
        hand = random_hand(rng)
        while hand.settlement is None:
            run_out(hand)
            if hand.settlement is not None or hand.actor_seat is None:
                continue
            assert hand.legal().allows(player.act(hand.spot(hand.actor_seat), rng))
            asked += 1
            hand.apply(random_action(hand.legal(), rng))
    assert asked > 150


@pytest.mark.parametrize("kind", HOUSE_KINDS)
def test_the_same_spot_and_generator_give_the_same_action(kind: str) -> None:
    hand = hand_of({0: 1_000, 1: 1_000, 2: 1_000}, button=0, deck=STRONG)
    first, second = (
        [house_player(kind).act(hand.spot(0), random.Random(seed)) for seed in range(20)] for _ in range(2)
    )
    assert first == second


@pytest.mark.parametrize("kind", HOUSE_KINDS)
def test_nobody_folds_what_may_be_checked(kind: str) -> None:
    hand = hand_of({0: 1_000, 1: 1_000, 2: 1_000}, button=1, deck=STRONG)
    play(hand, "call", "call")
    assert hand.actor_seat == 0 or hand.legal().check
    actions = [house_player(kind).act(hand.spot(hand.actor_seat or 0), random.Random(seed)) for seed in range(50)]
    assert Action(Verb.FOLD) not in actions


def test_a_station_calls_where_a_tight_player_folds() -> None:
    hand = hand_of({0: 1_000, 1: 1_000, 2: 1_000}, button=2, deck=STRONG)
    play(hand, "raise 100", "fold")
    assert hand.actor_seat == 1
    actions = {kind: house_player(kind).act(hand.spot(1), random.Random(3)) for kind in ("calling_station", "tight")}
    assert actions == {"calling_station": Action(Verb.CALL), "tight": Action(Verb.FOLD)}


def test_an_aggressive_player_raises_aces_more_often_than_a_station() -> None:
    hand = hand_of({0: 1_000, 1: 1_000, 2: 1_000}, button=0, deck=STRONG)
    raises = {
        kind: sum(house_player(kind).act(hand.spot(0), random.Random(seed)).verb is Verb.RAISE for seed in range(100))
        for kind in ("calling_station", "loose_aggressive", "equity_rule")
    }
    assert raises["loose_aggressive"] > 2 * raises["calling_station"] > 0
    assert raises["equity_rule"] == 0


def test_an_unknown_kind_is_refused_with_the_kinds_there_are() -> None:
    with pytest.raises(ValueError, match=r"'shark'.*calling_station, tight"):
        house_player("shark")
