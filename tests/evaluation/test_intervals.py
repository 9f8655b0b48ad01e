import random
from statistics import fmean

import pytest

from agent.evaluation.intervals import Interval, mean_interval, running_intervals, share_interval, t_quantile


@pytest.mark.parametrize(
    ("degrees", "level", "expected"),
    [
        (1, 0.95, 12.7062),
        (2, 0.95, 4.3027),
        (3, 0.99, 5.8409),
        (9, 0.95, 2.2622),
        (10, 0.9, 1.8125),
        (120, 0.95, 1.9799),
    ],
)
def test_the_quantiles_are_those_of_the_tables(degrees: int, level: float, expected: float) -> None:
    assert t_quantile(degrees, level) == pytest.approx(expected, abs=1e-4)


def test_running_intervals_are_those_of_the_values_until_then() -> None:
    values = [random.Random(3).gauss(1e6, 5) for _ in range(30)] + [-4.0, 0.0]
    running = list(running_intervals(values))
    assert running[0] == mean_interval(values[:1])
    for number in range(2, len(values) + 1):
        found, expected = running[number - 1], mean_interval(values[:number])
        assert (found.estimate, found.low, found.high) == pytest.approx(
            (expected.estimate, expected.low, expected.high)
        )
    assert list(running_intervals([])) == []


def test_where_the_normal_takes_over_nothing_jumps() -> None:
    assert t_quantile(2_000) == pytest.approx(t_quantile(2_001), rel=1e-3)


def test_one_value_says_nothing_about_the_next() -> None:
    assert mean_interval([3.0]) == Interval(3.0, None, None)
    with pytest.raises(ValueError, match="no values"):
        mean_interval([])


def _won_bb(rng: random.Random, edge_bb: float) -> float:
    """A hand of a player with that edge: mostly small pots, now and then a stack, as skewed as poker is."""
    draw = rng.random()
    swing = rng.gauss(0, 2) if draw < 0.9 else rng.gauss(0, 15) if draw < 0.985 else rng.choice((-100, 100))
    return edge_bb + swing


@pytest.mark.parametrize("edge_bb", [0.0, 0.05])
def test_nineteen_of_twenty_intervals_hold_the_true_edge(edge_bb: float) -> None:
    rng, matches, blocks = random.Random(11), 600, 8
    held = 0
    for _ in range(matches):
        found = mean_interval([100 * fmean(_won_bb(rng, edge_bb) for _ in range(60)) for _ in range(blocks)])
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 100 * edge_bb <= found.high
    # 95 % of 600 with 3.3 standard deviations to either side.
    assert 0.92 <= held / matches <= 0.98


def test_shares_have_wilsons_interval() -> None:
    found = share_interval(61, 200)
    assert (found.estimate, found.low, found.high) == pytest.approx((0.305, 0.2453, 0.3720), abs=1e-4)
    assert share_interval(5, 5).high == 1.0
    assert share_interval(0, 5).low == 0.0
    with pytest.raises(ValueError, match="6 of 5"):
        share_interval(6, 5)
