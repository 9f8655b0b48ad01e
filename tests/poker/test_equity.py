import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pokerkit import StandardHighHand

from agent.poker.cards import DECK, format_cards, parse_cards
from agent.poker.equity import Effort, estimate_equity
from agent.poker.report import EquityReport, Method, TrialsPerStreet
from agent.poker.spot import Street


def equity(
    hole: str, board: str, opponents: int, trials: int = 200_000, seed: int = 1, method: Method = "monte-carlo"
) -> EquityReport:
    first, second = parse_cards(hole)
    effort = Effort(trials=trials, seed=seed, method=method)
    return estimate_equity((first, second), parse_cards(board), opponents, effort)


# Exact shares against random hands, known from full enumeration.
@pytest.mark.parametrize(
    ("hole", "board", "opponents", "exact"),
    [
        ("AsAh", "", 1, 0.852037),
        ("AsKd", "", 1, 0.653200),
        ("2c7d", "", 1, 0.345835),
        ("AsKd", "7h2cKs", 1, 0.896664),
    ],
)
def test_sampled_equity_is_within_four_standard_errors_of_the_exact_one(
    hole: str, board: str, opponents: int, exact: float
) -> None:
    report = equity(hole, board, opponents)

    assert report.method == "monte-carlo"
    assert abs(report.equity - exact) < 4 * report.stderr


def test_a_river_against_one_hand_is_enumerated_as_pokerkit_counts_it() -> None:
    hole, board = parse_cards("QsJd"), parse_cards("Qh7c2d9sTh")
    rest = [card for card in DECK if card not in (*hole, *board)]
    own = StandardHighHand.from_game(format_cards((*hole, *board)))
    wins = ties = 0
    for pair in itertools.combinations(rest, 2):
        other = StandardHighHand.from_game(format_cards((*pair, *board)))
        wins, ties = wins + (own > other), ties + (own == other)

    report = equity("QsJd", "Qh7c2d9sTh", 1, method="auto")

    assert (report.method, report.trials, report.wins, report.ties) == ("exact", 990, wins, ties)
    assert report.equity == pytest.approx((wins + ties / 2) / 990)
    assert (report.stderr, report.stop_reason) == (0.0, "enumerated")


def test_a_river_against_two_hands_agrees_with_a_large_sample() -> None:
    exact = equity("QsJd", "Qh7c2d9sTh", 2, method="exact")
    sampled = equity("QsJd", "Qh7c2d9sTh", 2, trials=400_000)

    assert (exact.method, exact.trials) == ("exact", 990 * 903)
    assert abs(exact.equity - sampled.equity) < 4 * sampled.stderr


def test_each_opponent_more_costs_equity_on_a_river() -> None:
    found = [equity("QsJd", "Qh7c2d9sTh", n, method="exact").equity for n in range(1, 6)]

    assert found == sorted(found, reverse=True)
    assert len(set(found)) == 5


def test_three_hands_that_share_the_board_get_a_third_each() -> None:
    report = equity("2c2d", "AhKhQhJhTh", 2, method="exact")

    assert report.equity == pytest.approx(1 / 3)
    assert (report.ties, report.wins, report.losses) == (report.trials, 0, 0)


def test_the_best_possible_hand_never_loses() -> None:
    report = equity("AsKs", "QsJsTs2c3d", 3, trials=1_000)

    assert (report.equity, report.wins) == (1.0, 1_000)
    assert report.ci_low == pytest.approx(0.997)
    assert report.ci_high == 1.0


def test_the_same_seed_gives_the_same_report_and_another_seed_another() -> None:
    assert equity("AsKd", "7h2cKs", 3, 1_000, seed=5) == equity("AsKd", "7h2cKs", 3, 1_000, seed=5)
    assert equity("AsKd", "7h2cKs", 3, 1_000, seed=5) != equity("AsKd", "7h2cKs", 3, 1_000, seed=6)


def test_sampling_stops_when_the_decision_can_no_longer_turn() -> None:
    hole = parse_cards("AsAh")
    effort = Effort(trials=100_000, seed=1, decides_at=0.3, method="monte-carlo")
    report = estimate_equity((hole[0], hole[1]), (), 1, effort)

    assert (report.stop_reason, report.trials, report.trials_asked) == ("decided", 500, 100_000)


def test_sampling_goes_on_while_the_decision_is_close() -> None:
    hole = parse_cards("AsAh")
    effort = Effort(trials=3_000, seed=1, decides_at=0.852, method="monte-carlo")
    report = estimate_equity((hole[0], hole[1]), (), 1, effort)

    assert (report.stop_reason, report.trials) == ("trials", 3_000)


def test_the_95_percent_interval_covers_the_truth_about_that_often() -> None:
    reports = [equity("AsKd", "", 1, 1_000, seed=seed) for seed in range(2_000)]
    covered = sum(report.ci_low <= 0.653200 <= report.ci_high for report in reports)

    assert 0.93 <= covered / len(reports) <= 0.97


def test_small_pots_take_fewer_trials() -> None:
    trials = TrialsPerStreet()

    assert trials.for_pot(Street.FLOP, 400, 20) == 5_000
    assert trials.for_pot(Street.FLOP, 100, 20) == 2_500
    assert trials.for_pot(Street.FLOP, 1, 20) == 1_000


@pytest.mark.parametrize(
    ("hole", "board", "opponents", "message"),
    [
        ("AsKd", "As2c3d", 1, "As comes twice"),
        ("AsKd", "2c3d", 1, "0, 3, 4 or 5"),
        ("AsKd", "", 0, "0 opponents: expected 1 to 8"),
        ("AsKd", "", 9, "9 opponents: expected 1 to 8"),
    ],
)
def test_impossible_spots_are_refused(hole: str, board: str, opponents: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        equity(hole, board, opponents)


@settings(max_examples=30, deadline=None)
@given(st.permutations(DECK).map(lambda deck: deck[:7]), st.permutations(range(4)))
def test_swapping_suits_changes_no_enumerated_equity(cards: list[int], suits: list[int]) -> None:
    swapped = [4 * (card >> 2) + suits[card & 3] for card in cards]
    reports = [
        estimate_equity((hand[0], hand[1]), tuple(hand[2:]), 2, Effort(method="exact")) for hand in (cards, swapped)
    ]

    assert reports[0].equity == reports[1].equity


@settings(max_examples=30, deadline=None)
@given(st.permutations(DECK).map(lambda deck: deck[:7]), st.integers(1, 8))
def test_wins_ties_and_losses_add_up_to_the_trials(cards: list[int], opponents: int) -> None:
    effort = Effort(trials=200, seed=2, method="monte-carlo")
    report = estimate_equity((cards[0], cards[1]), tuple(cards[2:]), opponents, effort)

    assert (report.wins or 0) + (report.ties or 0) + (report.losses or 0) == report.trials
    assert 0.0 <= report.ci_low <= report.equity <= report.ci_high <= 1.0
