from itertools import pairwise

import pytest

from agent.poker.positions import position_names
from agent.poker.ranges import CLASSES, Range, grid, parse_range
from agent.strategy.charts.lookup import (
    Response,
    isolate,
    limper_versus_raise,
    limping,
    opening,
    over_limp,
    squeeze,
    versus_four_bet,
    versus_limp_big_blind,
    versus_open,
    versus_three_bet,
)
from agent.strategy.charts.shaping import resized
from agent.strategy.charts.sizes import four_bet_to_bb, in_position, open_to_bb, three_bet_to_bb
from agent.strategy.charts.tables import Classes, chart, classes, seat_of
from agent.strategy.pushfold import push

PAIR_CHARTS = (
    "versus_open",
    "versus_small_open",
    "versus_three_bet",
    "heads_up_versus_three_bet",
    "versus_four_bet",
    "versus_jam",
    "squeeze",
)
DEPTHS = (1, 8.2, 13, 25, 33, 60, 150, 1000)


def by_class(range_: Range) -> Classes:
    return grid(range_).ravel()


def weight(range_: Range, name: str) -> float:
    return float(grid(range_).ravel()[CLASSES.index(name)])


def seats(dealt: int) -> list[str]:
    """All positions of a hand; heads-up by both rules for which blind the button posts."""
    dealt_seats = tuple(range(dealt))
    rules = (position_names(dealt_seats, 0), position_names(dealt_seats, 0, big_blind_seat=1))
    return sorted({name for names in rules for name in names.values()})


def assert_possible(response: Response) -> None:
    raised, called = response.raise_.weights, response.call.weights
    assert (raised + called <= 1 + 1e-9).all()
    assert raised.sum() + called.sum() > 0


class TestStoredCharts:
    @pytest.mark.parametrize("name", PAIR_CHARTS)
    def test_no_hand_is_always_raised_and_always_called(self, name: str) -> None:
        for hero, row in chart(name).items():
            for other, entry in row.items():
                both = classes(entry.get("raise", "random:0")) * classes(entry.get("call", "random:0"))
                assert not both.any(), f"{name} {hero} {other}"

    def test_the_small_blinds_two_plans_share_no_hand(self) -> None:
        raised, limped = opening("SB", 6, 100, with_limps=True), limping("SB", 6)
        assert not (raised.weights * limped.weights).any()
        assert raised.share == pytest.approx(24.3, abs=0.1)
        assert limped.share == pytest.approx(38.0, abs=0.1)

    def test_who_limps_answers_a_raise_with_hands_that_he_limps(self) -> None:
        answer = limper_versus_raise("SB", 6)
        limped = limping("SB", 6).weights > 0
        assert limped[(answer.raise_.weights > 0) | (answer.call.weights > 0)].all()
        assert answer.raise_.share == pytest.approx(5.1, abs=0.1)
        assert answer.call.share == pytest.approx(15.4, abs=0.1)


class TestOpening:
    @pytest.mark.parametrize(
        ("seat", "share"), [("UTG", 17.0), ("HJ", 21.4), ("CO", 27.8), ("BTN", 43.3), ("SB", 45.2)]
    )
    def test_shares_at_100_big_blinds(self, seat: str, share: float) -> None:
        assert opening(seat, 6, 100).share == pytest.approx(share, abs=0.6)

    @pytest.mark.parametrize("depth_bb", [8, 20, 40, 60, 100, 200])
    def test_later_seats_open_more(self, depth_bb: float) -> None:
        shares = [opening(seat, 6, depth_bb).share for seat in ("UTG", "HJ", "CO", "BTN")]
        assert all(earlier < later for earlier, later in pairwise(shares))

    def test_a_seat_is_worth_what_comes_after_it(self) -> None:
        assert opening("HJ", 5, 100) == opening("HJ", 6, 100)
        assert opening("CO", 4, 100) == opening("UTG", 4, 100)
        assert opening("BTN", 3, 100) == opening("BTN", 6, 100)

    def test_heads_up_the_small_blind_opens_most_hands_by_either_name(self) -> None:
        assert opening("BTN/SB", 2, 100).share == pytest.approx(86, abs=1)
        assert opening("SB", 2, 100) == opening("BTN/SB", 2, 100)

    def test_short_stacks_open_by_going_all_in(self) -> None:
        assert opening("BTN", 6, 10) == push("BTN", 2, 10)
        assert opening("BTN/SB", 2, 7) == push("BTN/SB", 1, 7)

    def test_deep_stacks_open_more_on_the_button_and_small_pairs_in_front(self) -> None:
        assert opening("BTN", 6, 200).share > opening("BTN", 6, 100).share + 3
        assert weight(opening("UTG", 6, 100), "33") == 0 < weight(opening("UTG", 6, 200), "33")

    def test_between_two_depths_both_charts_count(self) -> None:
        deep, middle = (weight(opening("UTG", 6, bb), "33") for bb in (200, 150))
        assert middle == pytest.approx(deep / 2)

    def test_beyond_the_deepest_chart_nothing_changes(self) -> None:
        assert opening("CO", 6, 1000) == opening("CO", 6, 200)


class TestVersusOpen:
    @pytest.mark.parametrize(
        ("hero", "opener", "raised", "called"),
        [
            ("HJ", "UTG", 8.7, 0.5),
            ("BTN", "CO", 12.6, 4.0),
            ("SB", "BTN", 14.1, 3.5),
            ("BB", "UTG", 5.7, 23.1),
            ("BB", "CO", 9.7, 25.8),
            ("BB", "BTN", 13.4, 43.4),
            ("BB", "SB", 16.4, 48.3),
        ],
    )
    def test_shares_at_100_big_blinds(self, hero: str, opener: str, raised: float, called: float) -> None:
        found = versus_open(hero, opener, 6, 100)
        assert found.raise_.share == pytest.approx(raised, abs=0.5)
        assert found.call.share == pytest.approx(called, abs=0.5)

    @pytest.mark.parametrize("opener", ["UTG", "HJ", "CO", "BTN"])
    def test_the_dearer_the_open_the_less_is_defended(self, opener: str) -> None:
        found = [versus_open("BB", opener, 6, 100, open_bb) for open_bb in (2, 2.3, 2.5, 3, 4, 8)]
        shares = [response.raise_.share + response.call.share for response in found]
        assert all(cheap > dear - 1e-9 for cheap, dear in pairwise(shares))
        assert shares[0] > shares[-1] + 10

    def test_the_big_blind_defends_more_against_later_openers(self) -> None:
        shares = [versus_open("BB", opener, 6, 100).call.share for opener in ("UTG", "HJ", "CO", "BTN", "SB")]
        assert shares == sorted(shares)

    def test_heads_up_the_big_blind_defends_two_thirds(self) -> None:
        found = versus_open("BTN/BB", "SB", 2, 100)
        assert 60 <= found.raise_.share + found.call.share <= 70
        assert found == versus_open("BB", "BTN/SB", 2, 100)

    def test_short_stacks_re_raise_all_in_and_call_less(self) -> None:
        short, usual = versus_open("BB", "BTN", 6, 20), versus_open("BB", "BTN", 6, 100)
        assert weight(short.raise_, "A5o") == 1 > weight(usual.raise_, "A5o")
        assert short.call.share < usual.call.share / 2
        assert versus_open("BB", "BTN", 6, 8).call.share == 0

    def test_deep_stacks_bluff_less_and_call_more(self) -> None:
        deep, usual = versus_open("BTN", "CO", 6, 200), versus_open("BTN", "CO", 6, 100)
        assert weight(deep.raise_, "AA") == weight(usual.raise_, "AA") == 1
        assert weight(deep.raise_, "ATo") < weight(usual.raise_, "ATo")
        assert weight(deep.call, "JJ") > weight(usual.call, "JJ")
        assert deep.call.share > usual.call.share

    def test_a_caller_between_makes_it_a_squeeze(self) -> None:
        found = squeeze("BB", "CO", 6, 100)
        assert found.raise_.share == pytest.approx(10.1, abs=1)
        assert found.call.share == pytest.approx(13.3, abs=0.1)
        assert squeeze("BB", "CO", 6, 100, callers=2).raise_.share < found.raise_.share


class TestVersusReRaises:
    @pytest.mark.parametrize("depth_bb", [15, 25, 35])
    def test_a_short_stack_jams_less_over_an_open_far_above_the_usual(self, depth_bb: float) -> None:
        usual, large = (versus_open("BB", "BTN", 6, depth_bb, open_bb).raise_ for open_bb in (2.5, 6.0))
        assert 2 < large.share < 0.9 * usual.share

    @pytest.mark.parametrize(("hero", "raiser"), [("UTG", "BTN"), ("CO", "BB"), ("BTN", "SB"), ("SB", "BB")])
    def test_the_opener_folds_about_two_hands_of_three(self, hero: str, raiser: str) -> None:
        opened, found = opening(hero, 6, 100).weights, versus_three_bet(hero, raiser, 6, 100)
        kept = float(opened @ (found.raise_.weights + found.call.weights)) / float(opened.sum())
        assert 0.25 < kept < 0.5

    def test_heads_up_the_opener_of_nearly_everything_goes_on_with_more_hands_than_the_button(self) -> None:
        heads_up, button = versus_three_bet("BTN/SB", "BB", 2, 100), versus_three_bet("BTN", "BB", 6, 100)
        assert heads_up.raise_.share + heads_up.call.share > button.raise_.share + button.call.share + 5
        assert (weight(heads_up.call, "KTo"), weight(heads_up.call, "72o")) == (1, 0)

    def test_a_big_3_bet_is_answered_with_less_and_a_small_one_with_more(self) -> None:
        small, usual, big = (versus_three_bet("BTN", "BB", 6, 100, raise_bb) for raise_bb in (7, 13, 25))
        assert small.call.share > usual.call.share > big.call.share
        assert usual == versus_three_bet("BTN", "BB", 6, 100)
        assert usual.raise_.share > big.raise_.share > 3

    def test_a_short_opener_calls_all_in_or_folds(self) -> None:
        found = versus_three_bet("CO", "BB", 6, 20)
        assert found.call.share == 0
        assert (weight(found.raise_, "AJo"), weight(found.raise_, "76s")) == (1, 0)

    def test_who_has_not_opened_plays_the_best_hands_only(self) -> None:
        cold = versus_three_bet("BTN", "HJ", 6, 100, opened=False)
        assert weight(cold.raise_, "KK") == 1
        assert cold.raise_.share + cold.call.share < 5

    def test_the_three_bettor_goes_on_with_about_half(self) -> None:
        raised, found = versus_open("SB", "BTN", 6, 100).raise_.weights, versus_four_bet("SB", "BTN", 6, 100)
        kept = float(raised @ (found.raise_.weights + found.call.weights)) / float(raised.sum())
        assert 0.35 < kept < 0.6

    def test_an_all_in_is_called_or_folded_and_with_less_behind_wider(self) -> None:
        deep, short = (versus_four_bet("BTN", "UTG", 6, bb, all_in=True) for bb in (100, 30))
        assert deep.raise_.share == short.raise_.share == 0
        assert (weight(deep.call, "QQ"), weight(deep.call, "AQo")) == (1, 0)
        assert short.call.share > 2 * deep.call.share


class TestLimps:
    def test_later_seats_isolate_more_and_more_limpers_get_less(self) -> None:
        shares = [isolate(seat, 1, 6, 100).share for seat in ("HJ", "CO", "BTN")]
        assert shares == sorted(shares)
        assert isolate("BTN", 3, 6, 100).share == pytest.approx(0.85**2 * shares[-1])

    def test_behind_several_limpers_speculative_hands_limp_when_deep(self) -> None:
        assert weight(over_limp("BTN", 2, 6, 100), "33") == 1 - weight(isolate("BTN", 2, 6, 100), "33")
        assert weight(over_limp("CO", 2, 6, 100), "22") == 1
        assert over_limp("CO", 1, 6, 100).share == over_limp("CO", 2, 6, 40).share == 0

    def test_the_big_blind_raises_the_small_blinds_limp_with_best_and_worst(self) -> None:
        raised = versus_limp_big_blind(100)
        assert raised.share == pytest.approx(40.4, abs=1)
        assert (weight(raised, "AKo"), weight(raised, "75o"), weight(raised, "Q8o")) == (1, 1, 0)


class TestEveryQuestion:
    @pytest.mark.parametrize("dealt", range(2, 7))
    def test_first_in_and_behind_limpers(self, dealt: int) -> None:
        for position in seats(dealt):
            assert limping(position, dealt).combos > 0
            assert_possible(limper_versus_raise(position, dealt))
            for depth_bb in DEPTHS:
                assert opening(position, dealt, depth_bb).combos > 0
                assert opening(position, dealt, depth_bb, with_limps=True).combos > 0
                for limpers in (1, 2, 5):
                    raised = isolate(position, limpers, dealt, depth_bb)
                    assert_possible(Response(raised, over_limp(position, limpers, dealt, depth_bb)))

    @pytest.mark.parametrize("dealt", range(2, 7))
    @pytest.mark.parametrize("depth_bb", DEPTHS)
    def test_raised_pots(self, dealt: int, depth_bb: float) -> None:
        for hero in seats(dealt):
            for other in seats(dealt):
                assert_possible(versus_open(hero, other, dealt, depth_bb))
                assert_possible(versus_open(hero, other, dealt, depth_bb, open_bb=7.3))
                assert_possible(squeeze(hero, other, dealt, depth_bb, callers=2))
                assert_possible(versus_three_bet(hero, other, dealt, depth_bb, raise_bb=9.2))
                assert_possible(versus_three_bet(hero, other, dealt, depth_bb, opened=False))
                assert_possible(versus_four_bet(hero, other, dealt, depth_bb))
                assert_possible(versus_four_bet(hero, other, dealt, depth_bb, all_in=True))

    def test_but_not_about_an_unknown_position(self) -> None:
        with pytest.raises(ValueError, match="'LJ' is no position"):
            opening("LJ", 6, 100)

    def test_every_position_of_every_table_has_a_seat(self) -> None:
        found = {dealt: [seat_of(position, dealt) for position in seats(dealt)] for dealt in (2, 3, 6)}
        assert set(found[2]) == {"HU", "BB"}
        assert set(found[3]) == {"BTN", "SB", "BB"}
        assert set(found[6]) == {"UTG", "HJ", "CO", "BTN", "SB", "BB"}


class TestShaping:
    @pytest.mark.parametrize("share", [0, 3, 20, 60, 100])
    def test_resized_ranges_have_the_share_asked_for(self, share: float) -> None:
        assert resized(opening("CO", 6, 100), share).share == pytest.approx(share)

    def test_resizing_takes_the_weakest_out_and_puts_the_next_best_in(self) -> None:
        usual = parse_range("22+,A2s+,KTs+,AJo+")
        narrow, wide = (by_class(resized(usual, share)) for share in (8, 40))
        assert (narrow <= by_class(usual)).all()
        assert (wide >= by_class(usual)).all()
        assert narrow[CLASSES.index("QQ")] == 1
        assert wide[CLASSES.index("KQo")] == 1 > wide[CLASSES.index("72o")]


class TestSizes:
    def test_opens(self) -> None:
        assert [open_to_bb("CO"), open_to_bb("CO", 1), open_to_bb("SB", 1), open_to_bb("CO", 0, 30)] == [
            2.5,
            3.5,
            4.5,
            2.2,
        ]

    @pytest.mark.parametrize(
        ("hero", "opener", "callers", "depth_bb", "to_bb"),
        [
            ("BTN", "CO", 0, 100, 7.5),
            ("BB", "CO", 0, 100, 9.5),
            ("BB", "SB", 0, 100, 7.5),
            ("BB", "CO", 1, 100, 12.0),
            ("BB", "CO", 0, 200, 10.5),
            ("BTN", "CO", 0, 30, 6.25),
            ("BB", "BTN/SB", 0, 100, 9.5),
        ],
    )
    def test_three_bets(self, hero: str, opener: str, callers: int, depth_bb: float, to_bb: float) -> None:
        assert three_bet_to_bb(hero, opener, 2.5, callers, depth_bb) == to_bb

    def test_four_bets(self) -> None:
        assert (four_bet_to_bb(10), four_bet_to_bb(10, 200)) == (23, 25)

    @pytest.mark.parametrize(
        ("hero", "other", "later"),
        [
            ("BTN", "CO", True),
            ("BB", "SB", True),
            ("BB", "UTG", False),
            ("BTN/SB", "BB", True),
            ("SB", "BTN/BB", True),
            ("BTN/BB", "SB", False),
        ],
    )
    def test_who_acts_last_after_the_flop(self, hero: str, other: str, later: bool) -> None:
        assert in_position(hero, other) == later
