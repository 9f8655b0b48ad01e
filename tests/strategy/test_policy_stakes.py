"""Side pots, players who are all-in, and raises that the charts do not know."""

import pytest

from agent.decision.menu import build_menu, matching
from agent.poker.spot import Spot, Verb
from agent.poker.spot_text import spot_from
from agent.strategy.policy.policy import Judgement, Policy
from agent.strategy.policy.stakes import Stakes
from agent.strategy.statistics import Statistics

LUCKS = [(step + 0.5) / 10 for step in range(10)]


def judged(spot: Spot, luck: float = 0.5) -> Judgement:
    return Policy().judge(spot, lambda _: Statistics(), luck)


def worth(found: Judgement) -> dict[str, float]:
    return {str(option.action): option.ev_chips for option in found.options}


def beside_all_ins(cards: str) -> Spot:
    """Two short players are all-in for 60 each, the fourth one bets the flop into hero."""
    return spot_from(
        {
            "hole_cards": cards,
            "board": "KdQs2c",
            "hero_seat": 0,
            "button_seat": 0,
            "start_stacks": {"0": 4000, "1": 60, "2": 60, "3": 4000},
            "actions": {"preflop": "3 raise 60, 0 call, 1 all_in, 2 all_in", "flop": "3 raise 240"},
        }
    )


def facing_a_jam(cards: str, stack_bb: int, *, opened: bool) -> Spot:
    """The button jams, over hero's open from under the gun or into hero's small blind; all others fold."""
    line = "1 raise 50, 2 fold, 3 fold, 4 all_in, 5 fold, 0 fold" if opened else "1 fold, 2 fold, 3 fold, 4 all_in"
    stacks = {str(seat): 20 * stack_bb for seat in range(6)}
    return spot_from(
        {
            "hole_cards": cards,
            "hero_seat": 1 if opened else 5,
            "button_seat": 4,
            "start_stacks": stacks,
            "actions": {"preflop": line},
        }
    )


def test_each_pot_is_won_from_those_who_have_paid_for_it() -> None:
    stakes = Stakes.of(beside_all_ins("KhKc"))

    assert stakes.paid == {0: 60, 1: 60, 2: 60, 3: 300}
    assert stakes.layers({0: 240}, (1, 2, 3)) == ((240, (1, 2, 3)), (480, (3,)))
    # What nobody matches comes back.
    assert stakes.layers({0: 1_000}, (1, 2)) == ((240, (1, 2)), (1_240, ()))


def test_a_hand_that_was_not_seen_whole_leaves_earlier_chips_to_everybody() -> None:
    stakes = Stakes(0, {0: 0, 1: 100}, 300)

    assert stakes.layers({0: 100}, (1,)) == ((500, (1,)),)


@pytest.mark.parametrize("cards", ["Qh9h", "As2s", "ThTc"])
def test_a_raise_beside_players_who_are_all_in_costs_what_it_costs(cards: str) -> None:
    found = judged(beside_all_ins(cards))
    raises = [value for name, value in worth(found).items() if name.startswith("raise")]

    assert found.action.verb is Verb.FOLD
    assert raises == sorted(raises, reverse=True)
    assert max(raises) < 0


def test_strong_hands_raise_beside_players_who_are_all_in_and_the_live_one_may_fold() -> None:
    found = judged(beside_all_ins("KhKc"))
    raised = next(option for option in found.options if option.action == found.action)

    assert found.action.verb is Verb.RAISE
    assert raised.fold_share is not None
    assert 0.1 < raised.fold_share < 0.9


@pytest.mark.parametrize("stack_bb", [26, 40, 60, 100, 200])
@pytest.mark.parametrize("opened", [True, False])
def test_a_jam_is_answered_by_price_whatever_the_luck_and_better_hands_go_on_first(
    stack_bb: int, *, opened: bool
) -> None:
    calls = []
    for cards in ("AsAh", "KsKh", "QsQh", "AsKs", "JsTs", "As5s", "7h2c"):
        chosen = {judged(facing_a_jam(cards, stack_bb, opened=opened), luck).action.verb for luck in LUCKS}
        assert len(chosen) == 1, f"{cards} does not know what to do"
        calls.append(chosen == {Verb.CALL})

    assert calls[0], "aces are never folded"
    assert calls[:3] == sorted(calls[:3], reverse=True)
    assert not any(calls[4:])


def test_deeper_stacks_call_jams_with_fewer_hands() -> None:
    for cards in ("KsKh", "QsQh", "JsJh", "AsKs", "AhTc"):
        played = [
            judged(facing_a_jam(cards, depth, opened=True)).action.verb is Verb.CALL for depth in (26, 40, 60, 100, 200)
        ]
        assert played == sorted(played, reverse=True), cards


@pytest.mark.parametrize("depth_bb", [100, 200, 500, 800])
def test_a_fifth_bet_is_no_jam_where_stacks_are_deep(depth_bb: int) -> None:
    spot = spot_from(
        {
            "hole_cards": "KsKh",
            "hero_seat": 4,
            "button_seat": 4,
            "start_stacks": {str(seat): 20 * depth_bb for seat in range(6)},
            "actions": {"preflop": "1 raise 50, 2 fold, 3 fold, 4 raise 200, 5 fold, 0 fold, 1 raise 520"},
        }
    )
    put_in = [
        option.action.raise_to_chips or 20 * depth_bb
        for option in [
            next(o for o in judged(spot, luck).options if o.action == judged(spot, luck).action) for luck in LUCKS
        ]
        if option.action.verb in (Verb.RAISE, Verb.ALL_IN)
    ]

    assert all(total <= max(2_000, 1_400) for total in put_in)


@pytest.mark.parametrize("stack", [1, 10, 20])
def test_what_is_recommended_stands_on_the_menu_however_short_the_stack(stack: int) -> None:
    spot = spot_from(
        {
            "hole_cards": "AsKd",
            "hero_seat": 1,
            "button_seat": 1,
            "start_stacks": {"1": stack, "3": 2000, "4": 2000, "5": 2000},
            "actions": {"preflop": "5 fold"},
        }
    )
    for luck in LUCKS:
        found = judged(spot, luck)
        assert matching(build_menu(spot, found), found.action) is not None
