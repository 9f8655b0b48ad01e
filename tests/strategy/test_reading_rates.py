from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.poker.cards import parse_cards
from agent.poker.spot import Street
from agent.strategy.acts import Act, Deed
from agent.strategy.likelihoods import likelihood, soft_top
from agent.strategy.parameters import ReadingParameters
from agent.strategy.rates import LEAST, MOST, ChartShares, Rates, rates_of
from agent.strategy.statistics import Count, Statistics

PARAMETERS = ReadingParameters()
CHART = ChartShares(raises=0.2, plays=0.35)
TOP_TO_BOTTOM = np.linspace(0.0005, 0.9995, 1_326)

OPEN = Act(
    deed=Deed.RAISE,
    street=Street.PREFLOP,
    board=(),
    position="CO",
    dealt=6,
    raisers=(),
    raised_before=False,
    has_called=False,
    street_raises=0,
    own_raises=0,
    callers=0,
    rivals=3,
    leads=False,
    faced_bb=1.0,
    depth_bb=100.0,
    price=0.4,
    pot_fraction=1.0,
    can_raise=True,
)
CALL = replace(OPEN, deed=Deed.CALL, raisers=("UTG",), street_raises=1, faced_bb=3.0, pot_fraction=0.0)
BET = replace(OPEN, street=Street.FLOP, board=parse_cards("Ks9h4d"), rivals=1, price=0.0, pot_fraction=0.5)
ANSWER = replace(BET, deed=Deed.CALL, street_raises=1, price=0.25, pot_fraction=0.0)


def rates(act: Act, **counts: tuple[int, int]) -> Rates:
    statistics = Statistics(hands=200, **{name: Count(*count) for name, count in counts.items()})
    return rates_of(act, statistics, CHART, PARAMETERS)


@pytest.mark.parametrize(
    ("act", "statistic"),
    [
        (OPEN, "pfr"),
        (CALL, "three_bet"),
        (replace(BET, leads=True), "c_bet"),
        (replace(BET, street=Street.TURN), "aggression"),
        (ANSWER, "aggression"),
    ],
)
def test_who_raises_more_in_such_places_has_a_higher_rate(act: Act, statistic: str) -> None:
    assert rates(act, **{statistic: (20, 200)}).raises < rates(act, **{statistic: (160, 200)}).raises


@pytest.mark.parametrize(
    ("act", "statistic"),
    [
        (replace(OPEN, raisers=("CO", "BTN"), street_raises=2, raised_before=True, faced_bb=9.0), "fold_to_three_bet"),
        (ANSWER, "fold_to_flop_bet"),
        (replace(ANSWER, street=Street.TURN), "fold_to_turn_bet"),
        (replace(ANSWER, street=Street.RIVER), "fold_to_river_bet"),
    ],
)
def test_who_folds_more_plays_on_with_less(act: Act, statistic: str) -> None:
    assert rates(act, **{statistic: (160, 200)}).plays < rates(act, **{statistic: (20, 200)}).plays


def test_a_better_price_is_called_with_more_and_a_bigger_raise_with_less() -> None:
    assert rates(replace(ANSWER, price=0.2)).plays > rates(replace(ANSWER, price=0.35)).plays
    assert rates(CALL).plays > rates(replace(CALL, faced_bb=6.0)).plays


def test_more_rivals_make_bets_and_calls_rarer() -> None:
    assert rates(BET).raises > rates(replace(BET, rivals=3)).raises
    assert rates(ANSWER).plays > rates(replace(ANSWER, rivals=3)).plays


def test_who_has_bet_folds_less_to_a_raise() -> None:
    assert rates(replace(ANSWER, own_raises=1)).plays > rates(ANSWER).plays


def test_where_checking_is_free_everything_plays() -> None:
    assert rates(BET).plays == 1


ACTS = st.builds(
    replace,
    st.sampled_from([OPEN, CALL, BET, ANSWER]),
    street_raises=st.integers(0, 5),
    own_raises=st.integers(0, 3),
    callers=st.integers(0, 4),
    rivals=st.integers(1, 5),
    raised_before=st.booleans(),
    has_called=st.booleans(),
    leads=st.booleans(),
    faced_bb=st.floats(0, 1_000),
    price=st.floats(0, 0.5),
    pot_fraction=st.floats(0, 100),
    can_raise=st.booleans(),
    deed=st.sampled_from(Deed),
)


@given(ACTS, st.integers(0, 300), st.floats(0.3, 3.0))
def test_rates_stay_between_never_and_always_and_chances_above_nothing(act: Act, times: int, factor: float) -> None:
    found = rates(act, vpip=(times, 300), pfr=(times, 300), three_bet=(times, 300), aggression=(times, 300))

    assert LEAST <= found.raises <= MOST
    assert found.raises <= found.plays <= 1
    chance = likelihood(act, found.wider(factor), TOP_TO_BOTTOM, PARAMETERS)
    assert ((chance > 0) & (chance <= 1)).all()


def test_a_soft_cut_takes_about_its_share_and_falls_smoothly() -> None:
    taken = soft_top(TOP_TO_BOTTOM, 0.2, 0.25)

    assert taken.mean() == pytest.approx(0.2, abs=0.02)
    assert (np.diff(taken) <= 0).all()
    assert taken[0] > 0.95
    assert 0.1 < taken[int(0.25 * 1_326)] < 0.5


def test_the_strongest_raise_the_middle_calls_and_the_weak_have_folded() -> None:
    found = Rates(raises=0.1, plays=0.5)

    raised = likelihood(replace(ANSWER, deed=Deed.RAISE), found, TOP_TO_BOTTOM, PARAMETERS)
    called = likelihood(ANSWER, found, TOP_TO_BOTTOM, PARAMETERS)

    top, middle, bottom = 5, 300, 1_300
    assert raised[top] > 2 * raised[middle] > 0
    assert called[middle] > called[top] > called[bottom]


def test_who_could_not_raise_is_not_capped_by_a_call() -> None:
    called = likelihood(replace(ANSWER, can_raise=False), Rates(0.1, 0.5), TOP_TO_BOTTOM, PARAMETERS)

    assert int(np.argmax(called)) == 0
