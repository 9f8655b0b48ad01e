import itertools
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pokerkit import StandardHighHand

from agent.poker import preflop_table
from agent.poker.batch import equity_of_every_holding, strength_percentiles
from agent.poker.cards import DECK, format_cards, parse_cards
from agent.poker.equity import Effort, estimate_equity
from agent.poker.players import ends_as, equities
from agent.poker.preflop import row_of, table_source
from agent.poker.preflop_table import PREFLOP_EQUITIES
from agent.poker.ranges import COMBOS, Range, combo_index, parse_range
from agent.poker.report import EquityReport
from tests.poker.known_equities import SPOTS, VS_RANDOM

EXACT = Effort(method="exact")


def hand(text: str) -> tuple[int, int]:
    first, second = parse_cards(text)
    return first, second


@pytest.mark.parametrize(("players", "board", "known"), SPOTS)
def test_known_spots_come_out_exactly(players: tuple[str, ...], board: str, known: tuple[float, ...]) -> None:
    reports = equities([parse_range(player) for player in players], parse_cards(board), EXACT)

    assert [report.method for report in reports] == ["exact"] * len(players)
    assert [report.equity for report in reports] == pytest.approx(known, abs=1e-6)


def test_every_class_against_a_random_hand_is_known_to_the_table() -> None:
    found = {name: estimate_equity(hand_of_class(name), (), 1) for name in VS_RANDOM}

    assert {report.method for report in found.values()} == {"table"}
    assert {name: report.equity for name, report in found.items()} == pytest.approx(VS_RANDOM, abs=1e-6)


def hand_of_class(name: str) -> tuple[int, int]:
    return hand(f"{name[0]}h{name[1]}{'h' if name.endswith('s') else 's'}")


@pytest.mark.parametrize("name", ["AA", "AKo", "T9s", "72o"])
def test_the_table_is_what_the_enumeration_gives(name: str) -> None:
    known, counted = estimate_equity(hand_of_class(name), (), 1), estimate_equity(hand_of_class(name), (), 1, EXACT)

    assert (known.method, counted.method, counted.trials) == ("table", "exact", 2_097_572_400)
    assert (known.equity, known.win, known.tie) == pytest.approx((counted.equity, counted.win, counted.tie), abs=1e-11)


def test_the_equity_of_ace_king_on_a_king_high_flop() -> None:
    report = estimate_equity(hand("AsKd"), parse_cards("7h2cKs"), 1)

    assert (report.method, report.trials) == ("exact", 1_070_190)
    assert report.equity == pytest.approx(0.896664, abs=5e-7)


def by_pokerkit(hole: tuple[int, int], board: tuple[int, ...]) -> tuple[int, int, int]:
    """(losses, wins, ties) on a turn or river against every holding, board by board."""
    live = [card for card in DECK if card not in (*hole, *board)]
    counts = [0, 0, 0]
    for extra in itertools.combinations(live, 5 - len(board)):
        full = format_cards((*board, *extra))
        own = StandardHighHand.from_game(format_cards(hole), full)
        for pair in itertools.combinations([card for card in live if card not in extra], 2):
            other = StandardHighHand.from_game(format_cards(pair), full)
            counts[2 if own == other else int(own > other)] += 1
    return counts[0], counts[1], counts[2]


@pytest.mark.parametrize(
    ("hole", "board"),
    [
        ("QsJd", "Qh7c2d9sTh"),
        ("2h3c", "AhKhQh9h2c"),  # four to a flush on the board, one of it in hand
        ("2c3c", "AhKhQh9h4h"),  # the flush on the board
        ("AhTh", "7h2hKh3d9c"),  # a flush of our own
        ("5d6d", "7h8h9hTcJs"),  # a straight on the board, three to a flush
    ],
)
def test_rivers_are_counted_as_pokerkit_counts_them(hole: str, board: str) -> None:
    report = estimate_equity(hand(hole), parse_cards(board), 1)

    assert (report.losses, report.wins, report.ties) == by_pokerkit(hand(hole), parse_cards(board))


@settings(max_examples=60, deadline=None)
@given(st.permutations(DECK).map(lambda deck: deck[:7]))
def test_counting_kinds_of_boards_equals_counting_boards(cards: list[int]) -> None:
    hole, board = (cards[0], cards[1]), tuple(cards[2 : 2 + 3 + cards[6] % 3])
    kinds = estimate_equity(hole, board, 1, EXACT)
    one_by_one = estimate_equity(hole, board, [weighted(1.0)], EXACT)

    assert one_by_one.method == "exact"
    assert kinds.equity == pytest.approx(one_by_one.equity, abs=1e-12)
    assert kinds.tie == pytest.approx(one_by_one.tie, abs=1e-12)


def weighted(weight: float) -> Range:
    """Every holding with weight 1, except one pair of deuces, so that it does not count as random cards."""
    weights = np.ones(len(COMBOS))
    weights[combo_index(0, 1)] = weight if weight != 1.0 else 1.0 + 1e-15
    return Range(weights)


def test_two_ranges_are_counted_as_all_disjoint_pairs() -> None:
    hole, board = hand("QsJd"), parse_cards("Qh7c2d9sTh")
    first, second = parse_range("99+,AQs,KJ:0.5"), parse_range("22-88,AQ,JTs:0.25")
    own = StandardHighHand.from_game(format_cards(hole), format_cards(board))
    expected = [0.0] * 4
    known = {*hole, *board}
    for (a, b), (c, d) in itertools.product(possible(first, known), possible(second, known)):
        if len({*a, *c}) == 4:
            hands = [StandardHighHand.from_game(format_cards(x), format_cards(board)) for x in (a, c)]
            sharing = 0 if max(hands) > own else 1 + sum(h == own for h in hands)
            expected[sharing] += b * d
    report = estimate_equity(hole, board, [first, second], EXACT)

    assert report.method == "exact"
    assert report.win == pytest.approx(expected[1] / sum(expected))
    assert report.equity == pytest.approx((expected[1] + expected[2] / 2 + expected[3] / 3) / sum(expected))


def possible(range_: Range, known: set[int]) -> list[tuple[tuple[int, int], float]]:
    return [
        ((int(a), int(b)), float(weight))
        for (a, b), weight in zip(COMBOS, range_.weights, strict=True)
        if weight and not {int(a), int(b)} & known
    ]


def test_threads_share_the_boards_and_change_nothing() -> None:
    ranges = [parse_range("99+,AJ+"), parse_range("KQ,QJs:0.5,22-66")]
    one, two = (
        estimate_equity(hand("AsKd"), parse_cards("7h2cKs"), ranges, Effort(method="exact", threads=n)) for n in (1, 2)
    )

    assert one.equity == pytest.approx(two.equity, abs=1e-12)


@settings(max_examples=25, deadline=None)
@given(st.permutations(DECK).map(lambda deck: deck[:9]), st.permutations(range(4)))
def test_swapping_suits_changes_nothing_on_any_street(cards: list[int], suits: list[int]) -> None:
    swapped = [4 * (card >> 2) + suits[card & 3] for card in cards]
    for board in (0, 3, 4, 5):
        found = [
            [
                r.equity
                for r in equities([Range.of_hand(*c[:2]), Range.of_hand(*c[2:4])], tuple(c[4 : 4 + board]), EXACT)
            ]
            for c in (cards, swapped)
        ]

        assert found[0] == found[1]
        assert sum(found[0]) == pytest.approx(1.0)


@pytest.mark.parametrize("opponents", range(1, 5))
def test_another_opponent_never_raises_the_equity(opponents: int) -> None:
    rng = random.Random(opponents)
    for _ in range(20):
        dealt = rng.sample(DECK, 6)
        hole, board = (dealt[0], dealt[1]), tuple(dealt[2:])
        fewer, more = (estimate_equity(hole, board, n, EXACT).equity for n in (opponents, opponents + 1))

        assert more <= fewer + 1e-12


def test_equal_ranges_share_evenly() -> None:
    reports = equities([parse_range("99+,AK")] * 2, parse_cards("7h2cKs"), EXACT)

    assert [report.equity for report in reports] == pytest.approx([0.5, 0.5])


class TestBatch:
    board = parse_cards("7h2cKs")
    villain = parse_range("99+,AJ+,KQ,QJs:0.5")

    def test_every_holding_has_the_equity_that_it_has_alone(self) -> None:
        found = equity_of_every_holding(self.villain, self.board)
        for text in ("AsKd", "7c7d", "QdJd", "3c4c", "KdKc"):
            alone = estimate_equity(hand(text), self.board, [self.villain], EXACT)

            assert found.possible[combo_index(*hand(text))]
            assert found.values[combo_index(*hand(text))] == pytest.approx(alone.equity, abs=1e-9)

    def test_holdings_with_known_cards_are_not_possible(self) -> None:
        found = equity_of_every_holding(self.villain, self.board, dead=parse_cards("Ac"))

        assert not found.possible[combo_index(*hand("KsQs"))]
        assert not found.possible[combo_index(*hand("AcQs"))]
        assert found.values.min() >= 0.0
        assert found.values.max() <= 1.0
        assert not np.isnan(found.values).any()

    def test_percentiles_say_what_is_ahead_now(self) -> None:
        found = strength_percentiles(self.board)

        assert found.values[combo_index(*hand("KdKc"))] == 1.0
        assert found.values[combo_index(*hand("3c4d"))] < 0.05
        assert found.possible.sum() == 1_176

    def test_the_classes_a_hand_ends_in_add_up(self) -> None:
        for board in ("", "7h2cKs", "7h2hKh3h", "7h2cKs3d9c"):
            assert sum(ends_as(hand("AhKd"), parse_cards(board)).values()) == pytest.approx(1.0)
        assert ends_as(hand("AhKd"), parse_cards("QhJhTh2h"))["straight flush"] == pytest.approx(1 / 46)
        flush = ends_as(hand("Ah2d"), parse_cards("QhJh7h3c"))["flush"]
        assert flush == pytest.approx(9 / 46)


def impossible() -> list[tuple[object, ...]]:
    pair = Range.of_hand(*hand("AsAd"))
    return [
        ([pair, pair], "", "comes twice"),
        ([parse_range("AA"), parse_range("AA"), parse_range("AA")], "", "no deal is possible"),
        ([parse_range("AA"), pair], "AcAh2d", "no deal is possible"),
        ([parse_range("AA"), parse_range("KK")], "AcAhAd", "no holding left|no deal is possible"),
        ([pair], "", "1 players: expected 2 to 9"),
        ([Range.random()] * 10, "", "10 players: expected 2 to 9"),
        ([pair, Range.random()], "2c3d", "0, 3, 4 or 5 cards, got 2"),
        ([pair, Range.random()], "As2c3d", "comes twice"),
    ]


@pytest.mark.parametrize(("players", "board", "message"), impossible())
def test_impossible_questions_are_refused(players: list[Range], board: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        equities(players, parse_cards(board))


def test_an_enumeration_that_does_not_exist_is_refused_when_it_is_asked_for() -> None:
    with pytest.raises(ValueError, match="no enumeration against 3 ranges on this board; sample instead"):
        estimate_equity(hand("AsKd"), parse_cards("7h2cKs"), [parse_range("22+")] * 3, EXACT)


def reports_of(players: list[str], board: str, effort: Effort) -> tuple[EquityReport, ...]:
    return equities([parse_range(player) for player in players], parse_cards(board), effort)


class TestSampling:
    def test_a_thousand_random_spots_are_within_four_standard_errors(self) -> None:
        rng, outside = random.Random(4), 0
        for seed in range(1_000):
            dealt = rng.sample(DECK, 7)
            hole, board = (dealt[0], dealt[1]), tuple(dealt[2 : 2 + rng.choice((3, 4, 5))])
            truth = estimate_equity(hole, board, 1, EXACT).equity
            found = estimate_equity(hole, board, 1, Effort(trials=2_000, seed=seed, method="monte-carlo"))
            outside += abs(found.equity - truth) > 4 * max(found.stderr, 1e-3)

        # One in 16,000 is to be expected.
        assert outside <= 1

    @pytest.mark.parametrize("players", [["AsKd", "99+,AJ+"], ["KK+,AK", "22-99"], ["AhQh", "T9s,98s:0.25"]])
    def test_ranges_are_sampled_with_their_weights(self, players: list[str]) -> None:
        exact = reports_of(players, "7h2cKs", EXACT)
        found = reports_of(players, "7h2cKs", Effort(trials=400_000, seed=3, method="monte-carlo"))

        assert sum(report.equity for report in found) == pytest.approx(1.0)
        assert abs(found[0].equity - exact[0].equity) < 4 * found[0].stderr

    def test_a_range_and_random_cards_are_sampled_together(self) -> None:
        board, opponents = parse_cards("7h2cKs"), [parse_range("99+,AJ+"), Range.random()]
        exact = estimate_equity(hand("AsKd"), board, opponents, EXACT)
        (found, *_) = reports_of(["AsKd", "99+,AJ+", "random"], "7h2cKs", Effort(trials=400_000, seed=3))

        assert (exact.method, found.method) == ("exact", "monte-carlo")
        assert abs(found.equity - exact.equity) < 4 * found.stderr

    def test_two_opponents_with_ranges_agree_with_their_enumeration(self) -> None:
        ranges = [parse_range("99+,AJ+,KQ:0.3"), parse_range("22-88,QJs,JTs")]
        truth = estimate_equity(hand("AsKd"), parse_cards("7h2cKs"), ranges, EXACT)
        effort = Effort(trials=400_000, seed=5, method="monte-carlo")
        found = estimate_equity(hand("AsKd"), parse_cards("7h2cKs"), ranges, effort)

        assert abs(found.equity - truth.equity) < 4 * found.stderr

    @pytest.mark.parametrize("threads", [1, 2])
    def test_the_same_seed_and_threads_give_the_same_result(self, threads: int) -> None:
        effort = Effort(trials=50_000, seed=9, threads=threads, method="monte-carlo")

        assert reports_of(["AsKd", "99+", "random"], "", effort) == reports_of(["AsKd", "99+", "random"], "", effort)

    def test_streams_of_one_seed_are_independent(self) -> None:
        one, two = (Effort(trials=50_000, seed=9, threads=n, method="monte-carlo") for n in (1, 2))

        assert reports_of(["AsKd", "99+", "random"], "", one) != reports_of(["AsKd", "99+", "random"], "", two)

    def test_sampling_ends_when_the_error_is_small_enough(self) -> None:
        effort = Effort(trials=10**9, error=0.002, method="monte-carlo")
        report = estimate_equity(hand("AsKd"), (), 5, effort)

        assert report.stop_reason == "error reached"
        assert report.stderr <= 0.002

    def test_sampling_ends_at_its_deadline_with_what_it_has(self) -> None:
        ticks = itertools.count()
        effort = Effort(trials=10**12, deadline=3.0, clock=lambda: float(next(ticks)), method="monte-carlo")
        report = estimate_equity(hand("AsKd"), (), 5, effort)

        assert report.stop_reason == "deadline"
        assert report.trials == 1_000

    def test_without_any_time_one_batch_is_drawn(self) -> None:
        effort = Effort(trials=10**12, deadline=0.0, clock=lambda: 1.0, method="monte-carlo")
        report = estimate_equity(hand("AsKd"), (), 5, effort)

        assert (report.stop_reason, report.trials) == ("deadline", 500)

    def test_more_players_than_the_deck_has_cards_for_are_refused(self) -> None:
        dead = tuple(card for card in DECK if card not in (51, 45) and card % 4)[:36]
        with pytest.raises(ValueError, match=r"too few|too small"):
            estimate_equity(
                (51, 45), (), 8, Effort(method="monte-carlo"), dead=tuple(c for c in dead if c not in (51, 45))
            )

    def test_no_error_and_no_trials_are_refused(self) -> None:
        with pytest.raises(ValueError, match="0 trials"):
            Effort(trials=0)
        with pytest.raises(ValueError, match="not above zero"):
            Effort(error=0.0)


class TestPreflopTable:
    def test_all_hands_together_hold_an_even_share(self) -> None:
        sizes = {name: 6 if len(name) == 2 else 4 if name.endswith("s") else 12 for name in PREFLOP_EQUITIES}
        for opponents in range(1, 6):
            mean = sum(size * PREFLOP_EQUITIES[name][opponents - 1][0] for name, size in sizes.items()) / 1_326

            assert mean == pytest.approx(1 / (opponents + 1), abs=1e-11)

    def test_a_row_worked_out_again_is_the_row_of_the_table(self) -> None:
        assert row_of("T9s", 2) == PREFLOP_EQUITIES["T9s"][:2]

    def test_aces_against_one_to_five(self) -> None:
        equities_of_aces = [estimate_equity(hand("AsAh"), (), n).equity for n in range(1, 6)]

        assert equities_of_aces == pytest.approx([0.852037, 0.734352, 0.638298, 0.558663, 0.491874], abs=1e-6)

    def test_six_opponents_are_sampled(self) -> None:
        assert estimate_equity(hand("AsAh"), (), 6).method == "monte-carlo"

    def test_the_source_it_is_written_as_is_the_module_itself(self) -> None:
        assert table_source(PREFLOP_EQUITIES) == Path(preflop_table.__file__).read_text(encoding="utf-8")


class TestWeights:
    """Weights are proportions: only what fits together counts, and rounding is no deal."""

    @pytest.mark.parametrize(
        ("hole", "board", "ranges"),
        [
            ("AdJc", "4s6h4d", ("8s2c:0.3,8s5c:0.7", "8s2d:0.1,8s7h:0.3")),
            ("AdJc", "4s6h4dJh", ("8s2c:0.3,8s5c:0.7", "8s2d:0.1,8s7h:0.3")),
            ("AdJc", "4s6h4dJh9h", ("8s2c:0.3,8s5c:0.7", "8s2d:0.1,8s7h:0.3")),
        ],
    )
    def test_two_ranges_that_never_fit_leave_no_deal(self, hole: str, board: str, ranges: tuple[str, str]) -> None:
        with pytest.raises(ValueError, match="no deal is possible"):
            estimate_equity(hand(hole), parse_cards(board), [parse_range(text) for text in ranges], EXACT)

    def test_two_players_whose_ranges_never_fit_leave_no_deal(self) -> None:
        players = ["7dQh:0.7,7dAc:0.6,7dJs:0.1", "7d8d:0.6,7dJs:0.2,7d9h:0.7"]
        with pytest.raises(ValueError, match="no deal is possible"):
            reports_of(players, "5c4c9d2h", EXACT)

    @pytest.mark.parametrize("scale", [1e-200, 1e-9, 1.0, 1e200])
    def test_the_scale_of_weights_means_nothing(self, scale: float) -> None:
        villain = Range(scale * parse_range("QQ:0.5,JJ,AQs:0.25").weights)
        for board in ("7h2cKs", "7h2cKs3d"):
            plain = estimate_equity(hand("AsKd"), parse_cards(board), [parse_range("QQ:0.5,JJ,AQs:0.25")], EXACT)
            scaled = estimate_equity(hand("AsKd"), parse_cards(board), [villain], EXACT)
            several = estimate_equity(hand("AsKd"), parse_cards(board), [villain, villain], EXACT)
            every = equity_of_every_holding(villain, parse_cards(board))

            assert scaled.equity == pytest.approx(plain.equity, abs=1e-12)
            assert scaled.trials == plain.trials
            assert 0.0 <= several.equity <= 1.0
            assert every.values[combo_index(*hand("AsKd"))] == pytest.approx(plain.equity, abs=1e-9)

    def test_trials_are_the_deals_that_were_weighed(self) -> None:
        one = estimate_equity(hand("AsKd"), parse_cards("7h2cKs"), [parse_range("AQs:0.5")], EXACT)
        two = estimate_equity(
            hand("AsKd"), parse_cards("7h2cKs"), [parse_range("AQs:0.5"), parse_range("QQ:0.5")], EXACT
        )

        # Three suits of AQs are left; 45 cards for two to come. With QQ: the pairs without a common queen, 43 cards.
        assert one.trials == 3 * 990
        assert two.trials == (3 * 6 - 3 * 3) * 903


class TestEffort:
    def test_a_certain_outcome_does_not_sample_for_ever(self) -> None:
        effort = Effort(trials=10**9, error=0.001, method="monte-carlo")
        report = estimate_equity(hand("AsKs"), parse_cards("QsJsTs"), 2, effort)

        assert (report.equity, report.stop_reason) == (1.0, "error reached")
        assert report.trials < 10_000
        decided = estimate_equity(hand("AsKs"), parse_cards("QsJsTs"), 2, Effort(decides_at=0.5, method="monte-carlo"))

        assert (decided.stop_reason, decided.trials) == ("decided", 500)

    def test_what_is_exact_at_once_is_not_sampled_for_its_error(self) -> None:
        assert (
            estimate_equity(hand("AsKd"), parse_cards("7h2cKs"), 1, Effort(trials=10**9, error=0.001)).method == "exact"
        )

    def test_an_enumeration_that_takes_longer_than_the_time_is_not_begun(self) -> None:
        ticks = itertools.count()
        effort = Effort(trials=10**9, deadline=0.5, clock=lambda: next(ticks) / 10)
        (report, _) = equities([parse_range("QQ+,AK"), parse_range("20%")], (), effort)

        assert report.method == "monte-carlo"

    def test_before_a_deadline_batches_keep_to_the_pace(self) -> None:
        # Each look at the clock is a second on; batches that only double would come to half a million deals.
        ticks = itertools.count()
        effort = Effort(trials=10**12, deadline=20.0, clock=lambda: float(next(ticks)), method="monte-carlo")
        report = estimate_equity(hand("AsKd"), (), 5, effort)

        assert report.stop_reason == "deadline"
        assert report.trials < 100_000

    def test_ranges_that_rarely_fit_say_so(self) -> None:
        rarely = parse_range("AA,22:0.0001")
        (report, *_) = equities([rarely] * 3, (), Effort(trials=20_000, method="monte-carlo"))

        assert report.stop_reason == "the ranges rarely fit together"
        assert 0 < report.trials < 20_000

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"method": "foo"}, "the method 'foo' is none of auto, exact, monte-carlo"),
            ({"deadline": 1.0}, "a deadline is a time of a clock"),
            ({"decides_at": float("nan")}, "must be a number"),
            ({"error": float("inf")}, "not above zero"),
            ({"error": float("nan")}, "not above zero"),
            ({"trials": 10**13}, "no more than 1,000,000,000,000 trials"),
        ],
    )
    def test_efforts_that_mean_nothing_are_refused(self, arguments: dict[str, Any], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            Effort(**arguments)

    @pytest.mark.parametrize(("hole", "dead"), [((52, 2), ()), ((-1, 2), ()), ((51, 45), (-1,)), ((51, 45), (99,))])
    def test_numbers_that_are_no_cards_are_refused(self, hole: tuple[int, int], dead: tuple[int, ...]) -> None:
        with pytest.raises(ValueError, match="numbers from 0"):
            estimate_equity(hole, (), 1, dead=dead)

    def test_the_number_of_opponents_may_come_from_an_array(self) -> None:
        assert estimate_equity(hand("AsKd"), (), np.int64(2)) == estimate_equity(hand("AsKd"), (), 2)  # type: ignore[arg-type]

    def test_before_the_flop_the_table_is_the_exact_answer_against_several(self) -> None:
        assert estimate_equity(hand("AsKd"), (), 3, EXACT).method == "table"
        assert [report.method for report in reports_of(["AsKd", "random", "random"], "", EXACT)] == ["table"] * 3
