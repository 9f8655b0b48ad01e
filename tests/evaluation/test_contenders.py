from dataclasses import replace

import pytest

from agent.evaluation.contender import EquityContender, PublishedContender, turn_generator
from agent.evaluation.registry import FACTORIES, UnknownContender, contender
from agent.poker.spot import Action, LegalActions, PastAction, Spot, Street, Verb
from tests.evaluation.tables import passive, play
from tests.spots import facing_a_raise, heads_up


def test_a_turn_has_its_own_random_numbers_whenever_it_is_asked() -> None:
    spot = facing_a_raise()
    first = turn_generator(3, spot).random()
    assert turn_generator(3, spot).random() == first
    by_another = PastAction(3, Street.PREFLOP, Verb.RAISE, 200, 260)
    assert turn_generator(3, replace(spot, actions=(*spot.actions, by_another))).random() == first
    own = PastAction(0, Street.PREFLOP, Verb.CALL, 60, 60)
    others = (
        turn_generator(4, spot),
        turn_generator(3, replace(spot, hand_id="another")),
        turn_generator(3, replace(spot, hero_seat=3)),
        turn_generator(3, replace(spot, street=Street.FLOP)),
        turn_generator(3, replace(spot, actions=(*spot.actions, own))),
    )
    assert first not in {generator.random() for generator in others}


@pytest.mark.parametrize(
    "name", ["policy", "equity", "published", "house:nit:beginner", "house:0.3/0.5/0.2/0:novice", "house:random"]
)
def test_contenders_come_by_name_and_play_a_hand(name: str) -> None:
    player = contender(name, seed=1)
    outcome = play([player.decide, passive, passive])
    assert outcome.hand.settlement is not None
    assert sum(player.sources.values()) == sum(past.seat == 0 for past in outcome.hand.actions)


@pytest.mark.parametrize("name", ["sharkk", "", "equity:fast", "published:1", "house", "house:calling:master"])
def test_a_name_that_nobody_has_says_which_there_are(name: str) -> None:
    with pytest.raises(UnknownContender) as refused:
        contender(name, seed=1)
    kind = name.partition(":")[0]
    told = "station" if kind == "house" else kind if kind in FACTORIES else ", ".join(FACTORIES)
    assert told in str(refused.value)


def test_the_equity_rule_gives_the_same_answer_in_any_order() -> None:
    flop, raised = heads_up(street="flop"), facing_a_raise(hole="3c2d")
    forward, backward = EquityContender(5), EquityContender(5)
    first = [forward.decide(flop), forward.decide(raised)]
    assert first == [backward.decide(raised), backward.decide(flop)][::-1]
    assert first == [Action(Verb.CHECK), Action(Verb.FOLD)]


@pytest.mark.parametrize(
    ("spot", "action"),
    [
        (heads_up(street="flop"), Action(Verb.CHECK)),
        (facing_a_raise(hole="AsAh"), Action(Verb.CALL)),
        (facing_a_raise(hole="3c2d"), Action(Verb.FOLD)),
        (facing_a_raise(hole="AsAh", hero_stack=50, call=None), Action(Verb.ALL_IN)),
    ],
)
def test_the_published_rule_checks_calls_and_folds_by_equity_and_never_raises(spot: Spot, action: Action) -> None:
    assert PublishedContender(seed=2).decide(spot) == action


def test_the_published_rule_refuses_an_empty_offer() -> None:
    with pytest.raises(ValueError, match="neither check, call nor fold"):
        PublishedContender(seed=2).decide(replace(facing_a_raise(), legal=LegalActions()))
