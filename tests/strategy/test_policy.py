"""The betting policy: closed-form spots, what must not change with what, and legal play on any spot."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.poker.cards import parse_cards
from agent.poker.equity import estimate_equity
from agent.poker.ranges import parse_range
from agent.poker.spot import Action, Spot, Street, Verb
from agent.poker.spot_text import spot_from
from agent.poker.versus import equity_versus_each
from agent.strategy.percentile import strengths
from agent.strategy.policy.options import raise_sizes
from agent.strategy.policy.parameters import PolicyParameters
from agent.strategy.policy.policy import Judgement, Policy, candidates
from agent.strategy.policy.postflop import Board, equity_against, values
from agent.strategy.policy.preflop import chart_plan, is_closed
from agent.strategy.policy.responses import Bettor, answer, fold_rate, places_in
from agent.strategy.statistics import Count, Statistics

PLAIN = PolicyParameters(
    realisation=0.0,
    aggressor_bonus=0.0,
    draw_bonus=0.0,
    raise_back=0.0,
    all_in_discount=0.0,
    overbet_discount=0.0,
    deep_discount=0.0,
    river_discount=0.0,
    call_margin=0.0,
    position_bonus=0.0,
    bet_respect=0.0,
    raised_before_weak=0.0,
    third_raise_equity=0.0,
    river_raise_equity=0.0,
    overbet_equity=0.0,
    largest_pots=1e9,
    bluff_opponents=9,
)
"""No beliefs and no brakes: what is left is arithmetic."""
STRANGER = Statistics()
RIVER: Mapping[str, Any] = {
    "hole_cards": "AsKd",
    "board": "7h 2c Ks 3d 9c",
    "hero_seat": 0,
    "button_seat": 0,
    "start_stacks": {"0": 2000, "1": 2000, "2": 2000},
}


def spot_with(river: str, *, flop: str = "2 check, 0 check", **changes: Any) -> Spot:
    """Hero on the button against the big blind, with 130 in the pot before the river."""
    streets = {"preflop": "0 raise 60, 1 fold, 2 call", "flop": flop, "turn": "2 check, 0 check", "river": river}
    return spot_from({**RIVER, **changes, "actions": streets})


FACING_A_BET = spot_with("2 raise 130")
CHECKED_TO = spot_with("2 check")


def priced(spot: Spot, text: str, parameters: PolicyParameters = PLAIN, **known: Any) -> dict[str, float]:
    """The EV of every candidate that no brake forbids, against one opponent's range."""
    assert spot.hole_cards is not None
    weights = np.asarray(parse_range(text).without((*spot.hole_cards, *spot.board)).weights)
    board = Board(
        spot=spot,
        ranges={player.seat: weights for player in spot.opponents},
        versus=equity_versus_each(spot.hole_cards, spot.board),
        strength=np.asarray(strengths(spot.board, 1.0)),
        statistics={player.seat: known.get("statistics", STRANGER) for player in spot.opponents},
    )
    options, _ = values(board, candidates(spot, parameters), parameters)
    return {str(option.action): option.ev_chips for option in options if not option.braked}


def test_a_river_call_is_worth_its_equity_in_the_pot_less_its_price() -> None:
    # QQ (6 combos) loses to top pair, 99 (3) and 77 (3) beat it: half of the time hero wins 390.
    worth = priced(FACING_A_BET, "QQ,99,77")

    assert worth["fold"] == 0.0
    assert worth["call"] == pytest.approx(0.5 * (260 + 130) - 130)


def test_a_river_check_behind_is_a_share_of_the_pot() -> None:
    assert priced(CHECKED_TO, "QQ,99,77")["check"] == pytest.approx(0.5 * 130)


def test_chips_that_cannot_be_won_do_not_count() -> None:
    short = spot_with("2 raise 1900", start_stacks={"0": 500, "1": 2000, "2": 2000})

    # Of the bet of 1,900 hero can win the 440 that they have behind, with the 130 in the pot.
    assert priced(short, "QQ,99,77")["call"] == pytest.approx(0.5 * (130 + 880) - 440)


def test_a_bet_that_everybody_folds_to_wins_the_pot() -> None:
    folder = Statistics(hands=10_000, fold_to_river_bet=Count(10_000, 10_000))
    worth = priced(CHECKED_TO, "99,77", PLAIN, statistics=folder)
    best = max(worth.values())

    # The two sets that hero loses to fold 90 % of the time (`fold_scale`) and more to larger bets.
    assert 0.7 * 130 < best < 130


def test_a_bet_with_the_best_hand_is_worth_more_the_more_calls() -> None:
    caller = Statistics(hands=10_000, fold_to_river_bet=Count(0, 10_000))
    stranger = priced(CHECKED_TO, "QQ,JJ", PLAIN)
    station = priced(CHECKED_TO, "QQ,JJ", PLAIN, statistics=caller)
    biggest = max((name for name in station if name.startswith("raise")), key=lambda name: int(name.split()[-1]))

    assert station[biggest] > stranger[biggest] > stranger["check"]
    # Nearly always called: the pot and nearly the whole bet.
    assert 130 + 0.94 * int(biggest.split()[-1]) < station[biggest] < 130 + int(biggest.split()[-1])


def test_equity_against_a_range_is_the_average_over_its_holdings() -> None:
    versus = equity_versus_each((51, 45), parse_cards("7h2cKs3d9c"))
    weights = np.asarray(parse_range("QQ,99:0.5").without((51, 45, *parse_cards("7h2cKs3d9c"))).weights)

    assert equity_against(weights, np.nan_to_num(versus)) == pytest.approx(6 / 7.5)


def test_equity_against_every_holding_agrees_with_the_engine() -> None:
    hole, board = (51, 45), parse_cards("7h2cKs")
    assert np.nanmean(equity_versus_each(hole, board)) == pytest.approx(estimate_equity(hole, board, 1).equity)
    with pytest.raises(ValueError, match="expected 3 to 5"):
        equity_versus_each(hole, ())


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 100), st.integers(1, 100))
def test_a_call_is_worth_more_with_more_equity(losing: int, more: int) -> None:
    worse = priced(FACING_A_BET, f"99:{(losing + more) / 200:.3f},QQ:0.2")
    better = priced(FACING_A_BET, f"99:{losing / 200:.3f},QQ:0.2")

    assert better["call"] >= worse["call"]


@settings(max_examples=40, deadline=None)
@given(st.floats(0.05, 3.0), st.floats(0.05, 3.0), st.sampled_from([Street.FLOP, Street.TURN, Street.RIVER]))
def test_larger_bets_are_folded_to_more(one: float, other: float, street: Street) -> None:
    rates = [
        fold_rate(STRANGER, street, pots, is_raise=False, before=Bettor(), parameters=PLAIN)
        for pots in sorted((one, other))
    ]
    assert rates[0] <= rates[1]


def test_who_has_raised_or_called_all_in_seldom_folds() -> None:
    def folds(before: Bettor) -> float:
        return fold_rate(STRANGER, Street.TURN, 1.0, is_raise=True, before=before, parameters=PLAIN)

    assert folds(Bettor()) > folds(Bettor(raises=1)) > folds(Bettor(raises=2))
    assert folds(Bettor(called_all_in=True)) <= 0.3


def test_a_bet_is_folded_to_by_the_weakest_hands() -> None:
    weights, strength = np.ones(4), np.array([0.1, 0.9, 0.4, 0.4])

    assert places_in(weights, strength).tolist() == [0.125, 0.875, 0.5, 0.5]
    split = answer(weights, places_in(weights, strength), 0.5, Street.RIVER, PLAIN)
    assert split.continuing[1] > split.continuing[2] > split.continuing[0]
    assert split.fold == pytest.approx(0.5, abs=0.05)


def test_brakes_keep_a_raise_on_the_river_for_strong_hands() -> None:
    worth = priced(FACING_A_BET, "QQ,99,77,K7s,K9s", PolicyParameters())

    assert set(worth) == {"call", "fold"}


def test_no_bet_is_many_times_the_pot() -> None:
    worth = priced(CHECKED_TO, "QQ,JJ,TT,99,77", PolicyParameters())

    # 1,940 chips into a pot of 130.
    assert "all_in" not in worth
    assert max(worth.values()) > 0


def test_a_short_stack_is_put_all_in_whatever_hero_has_behind() -> None:
    short = spot_with("2 check", start_stacks={"0": 2000, "1": 2000, "2": 150})

    # 90 chips count of the 1,940: less than the pot of 130.
    worth = priced(short, "QQ,JJ,TT", PolicyParameters())
    assert max(worth, key=lambda name: worth[name]) == "all_in"


def test_nobody_bluffs_several_opponents() -> None:
    many = spot_from(
        {
            **RIVER,
            "hole_cards": "5s4s",
            "actions": {
                "preflop": "0 call, 1 call, 2 check",
                "flop": "1 check, 2 check, 0 check",
                "turn": "1 check, 2 check, 0 check",
                "river": "1 check, 2 check",
            },
        }
    )
    worth = priced(many, "22+,A2s+,KTs+,QTs+", PolicyParameters())
    assert max(worth, key=lambda name: worth[name]) == "check"


PREFLOP: Mapping[str, Any] = {"hero_seat": 0, "button_seat": 3, "start_stacks": {str(seat): 2000 for seat in range(6)}}


@pytest.mark.parametrize(
    ("hole", "actions", "verb"),
    [
        ("AsAh", "", Verb.RAISE),
        ("7h2c", "", Verb.FOLD),
        ("AsAh", "0 raise 50, 1 fold, 2 fold, 3 raise 160, 4 fold, 5 fold", Verb.RAISE),
        ("7h6c", "0 raise 50, 1 fold, 2 fold, 3 raise 160, 4 fold, 5 fold", Verb.FOLD),
    ],
)
def test_before_the_flop_the_charts_decide(hole: str, actions: str, verb: Verb) -> None:
    spot = spot_from({**PREFLOP, "hole_cards": hole, "actions": {"preflop": actions} if actions else {}})

    assert judged(spot).action.verb is verb


def test_a_short_stack_pushes_or_folds() -> None:
    short = {"hero_seat": 0, "button_seat": 3, "start_stacks": {str(seat): 160 for seat in range(6)}}
    spot = spot_from({**short, "hole_cards": "AsAh"})

    assert judged(spot).action == Action(Verb.ALL_IN)


@pytest.mark.parametrize(("jam", "verb"), [(30, Verb.CALL), (1_500, Verb.FOLD)])
def test_a_cheap_call_that_ends_the_betting_is_decided_by_its_price(jam: int, verb: Verb) -> None:
    # The same hand gets 10 chips more for a chance at 80, or pays a jam that its chart folds to.
    spot = spot_from(
        {
            "hero_seat": 2,
            "button_seat": 0,
            "hole_cards": "7h2c",
            "start_stacks": {"0": jam, "1": 2_000, "2": 2_000},
            "actions": {"preflop": f"0 raise {jam}, 1 fold"},
        }
    )
    assert judged(spot).action.verb is verb


def test_a_call_with_somebody_left_to_act_is_not_closed() -> None:
    told: dict[str, Any] = {
        "hero_seat": 1,
        "button_seat": 0,
        "hole_cards": "7h2c",
        "start_stacks": {"0": 60, "1": 2_000, "2": 2_000},
        "actions": {"preflop": "0 raise 60"},
    }
    assert not is_closed(spot_from(told))
    assert is_closed(spot_from({**told, "hero_seat": 2, "actions": {"preflop": "0 raise 60, 1 fold"}}))
    # A caller with chips behind can bet later.
    assert not is_closed(spot_from({**told, "hero_seat": 2, "actions": {"preflop": "0 raise 60, 1 call"}}))


def test_blinds_that_fold_nearly_always_are_raised_with_any_two_cards() -> None:
    actions = {"preflop": "0 fold, 1 fold, 2 fold"}
    spot = spot_from({**PREFLOP, "hero_seat": 3, "hole_cards": "7h2c", "actions": actions})
    nit, loose = (Statistics(hands=500, vpip=Count(times, 500)) for times in (40, 200))

    assert judged(spot).action.verb is Verb.FOLD
    assert Policy().judge(spot, lambda _: loose, 0.3).action.verb is Verb.FOLD
    assert Policy().judge(spot, lambda _: nit, 0.3).action == Action(Verb.RAISE, 50)


def test_a_raise_of_a_bet_is_not_paid_by_the_weak_part_of_the_range() -> None:
    trusting = priced(FACING_A_BET, "QQ,JJ,TT,99,77", replace(PLAIN, raised_before_weak=0.0))
    careful = priced(FACING_A_BET, "QQ,JJ,TT,99,77", replace(PLAIN, raised_before_weak=0.6))

    raises = [name for name in trusting if name.startswith("raise")]
    assert raises
    assert all(careful[name] < trusting[name] for name in raises)
    assert careful["call"] == trusting["call"]


def test_the_big_blind_takes_its_free_check_with_a_weak_hand() -> None:
    spot = spot_from(
        {
            "hero_seat": 5,
            "button_seat": 3,
            "hole_cards": "7h2c",
            "start_stacks": {str(seat): 2000 for seat in range(6)},
            "actions": {"preflop": "0 fold, 1 fold, 2 call, 3 fold, 4 call"},
        }
    )
    assert judged(spot).action == Action(Verb.CHECK)


def judged(spot: Spot, luck: float = 0.3) -> Judgement:
    return Policy().judge(spot, lambda _: STRANGER, luck)


def test_the_same_spot_and_luck_give_the_same_judgement() -> None:
    first, again = judged(FACING_A_BET), judged(FACING_A_BET)

    assert (first.action, first.options, first.reason) == (again.action, again.options, again.reason)


def test_names_and_hidden_cards_change_nothing_but_statistics_do() -> None:
    renamed = replace(CHECKED_TO, players=tuple(replace(p, name=f"x{p.seat}") for p in CHECKED_TO.players))
    station = Statistics(hands=2_000, vpip=Count(1_400, 2_000), fold_to_river_bet=Count(40, 1_000))

    assert judged(renamed).options == judged(CHECKED_TO).options
    against = Policy().judge(CHECKED_TO, lambda _: station, 0.3)
    assert against.options != judged(CHECKED_TO).options


def test_without_cards_there_is_no_judgement() -> None:
    with pytest.raises(ValueError, match="needs its hole cards"):
        judged(replace(FACING_A_BET, hole_cards=None))


def test_raise_sizes_stay_inside_the_limits_and_are_told_apart() -> None:
    narrow = replace(CHECKED_TO, legal=replace(CHECKED_TO.legal, min_raise_to_chips=100, max_raise_to_chips=120))

    # 120 is the all-in, which stands apart.
    assert tuple(raise_sizes(narrow).values()) == (100, 104)
    assert not raise_sizes(replace(CHECKED_TO, legal=replace(CHECKED_TO.legal, min_raise_to_chips=None)))


def test_a_spot_joined_midway_is_judged_without_its_beginning() -> None:
    midway = replace(FACING_A_BET, actions=FACING_A_BET.actions[-1:], history_complete=False)

    assert FACING_A_BET.legal.allows(judged(midway).action)


def test_a_chart_that_mixes_is_played_by_luck() -> None:
    # Against a small open of the button the big blind raises half of its A3s and calls with the rest.
    actions = {"preflop": "0 fold, 1 fold, 2 fold, 3 raise 42, 4 fold"}
    spot = spot_from({**PREFLOP, "hero_seat": 5, "hole_cards": "Ah3h", "actions": actions})
    plan = chart_plan(spot, 12.0)
    assert 0 < plan.raises < 1

    assert judged(spot, 0.99 * plan.raises).action.verb is Verb.RAISE
    assert judged(spot, plan.raises + 0.01).action.verb is Verb.CALL


def test_what_the_chart_plays_is_priced_with_the_rest_or_nothing_is() -> None:
    spot = spot_from({**PREFLOP, "hole_cards": "AsAh"})
    full, bare = judged(spot), Policy(prices_charts=False).judge(spot, lambda _: STRANGER, 0.3)

    assert full.action in {option.action for option in full.options}
    assert all(np.isfinite(option.ev_chips) for option in full.options)
    assert (bare.action, bare.options, bare.ranges) == (full.action, (), {})
