from functools import cache
from importlib.resources import files

import numpy as np
import pytest

from agent.poker.positions import position_names
from agent.poker.preflop_table import PREFLOP_EQUITIES
from agent.poker.ranges import CLASSES, Range, grid, parse_range
from agent.strategy.charts.class_equities import class_equities, class_pairs, equities_against
from agent.strategy.charts.equilibrium import Equilibrium, first_in, push_fold_entry, re_raise, solve
from agent.strategy.charts.tables import Classes, classes
from agent.strategy.pushfold import call_push, call_reshove, push, reshove

# Equilibria of a linear program (scipy's HiGHS) on exact class equities: what the small blind pushes and the big
# blind calls, with the frequencies of mixed hands, and the value to the small blind.
HEADS_UP = {
    3: (
        "22+,A2s+,K2s+,Q2s+,J2s+,T2s+,92s+,84s+,74s+,64s+,54s,A2o+,K2o+,Q2o+,J2o+,T3o+,95o+,85o+,76o,T2o:0.3441",
        "22+,A2s+,K2s+,Q2s+,J2s+,T2s+,92s+,82s+,72s+,62s+,52s+,42s+,32s,A2o+,K2o+,Q2o+,J2o+,T2o+,92o+,84o+,74o+,64o+,"
        "53o+,43o,63o:0.4618",
        0.051592,
    ),
    5: (
        "22+,A2s+,K2s+,Q2s+,J2s+,T2s+,94s+,84s+,74s+,64s+,53s+,43s,A2o+,K2o+,Q2o+,J3o+,T6o+,97o+,86o+,76o,96o:0.1563",
        "22+,A2s+,K2s+,Q2s+,J2s+,T4s+,95s+,86s+,76s,A2o+,K2o+,Q2o+,J5o+,T7o+,98o,97o:0.7517",
        0.056201,
    ),
    8: (
        "22+,A2s+,K2s+,Q2s+,J2s+,T4s+,95s+,85s+,74s+,64s+,53s+,A2o+,K2o+,Q5o+,J7o+,T7o+,97o+,87o,76o,Q4o:0.1917",
        "22+,A2s+,K2s+,Q4s+,J7s+,T8s+,98s,A2o+,K2o+,Q8o+,J9o+,T9o,Q7o:0.5285",
        -0.004137,
    ),
    10: (
        "22+,A2s+,K2s+,Q2s+,J3s+,T4s+,95s+,84s+,74s+,64s+,53s+,A2o+,K2o+,Q7o+,J8o+,T8o+,97o+,87o,76o,43s:0.7107",
        "22+,A2s+,K2s+,Q7s+,J8s+,T9s,A2o+,K5o+,Q9o+,JTo,Q6s:0.4028",
        -0.045371,
    ),
    12: (
        "22+,A2s+,K2s+,Q2s+,J4s+,T6s+,95s+,85s+,74s+,64s+,53s+,A2o+,K3o+,Q8o+,J8o+,T8o+,98o,87o",
        "22+,A2s+,K4s+,Q8s+,J9s+,A2o+,K7o+,QTo+,JTo",
        -0.082529,
    ),
    15: (
        "22+,A2s+,K2s+,Q5s+,J6s+,T6s+,96s+,85s+,75s+,64s+,54s,A2o+,K6o+,Q9o+,J9o+,T8o+,98o,Q4s:0.8449",
        "22+,A2s+,K7s+,Q9s+,JTs,A2o+,K9o+,QJo,QTo:0.7114",
        -0.127227,
    ),
    20: (
        "22+,A2s+,K4s+,Q6s+,J7s+,T6s+,96s+,86s+,75s+,65s,54s,A2o+,K9o+,Q9o+,J9o+,T9o,98o,Q5s:0.8857",
        "33+,A2s+,K9s+,QTs+,A5o+,KTo+,QJo:0.0062",
        -0.183190,
    ),
}

# The same for the big blind's all-in against an open, and what the opener calls of what he opens.
RE_RAISES = {
    ("UTG", 12): ("22+,A7s+,A5s,KJs+,ATo+,KQo,KTs:0.394", "66+,A7s+,KTs+,QTs+,JTs,T9s,ATo+,KQo,A5s:0.379"),
    ("UTG", 20): ("55+,ATs+,KTs+,QTs+,JTs,T9s,AJo+,A9s:0.776,44:0.706", "77+,AJs+,KQs,AQo+,AJo:0.859,66:0.835"),
    ("HJ", 30): ("44+,A8s+,KTs+,QTs+,J9s+,T9s,AJo+,K9s:0.73,KQo:0.33,33:0.694", "77+,AJs+,AQo+,ATs:0.872,KQs:0.847"),
    ("CO", 20): (
        "22+,A2s+,K9s+,Q9s+,J9s+,T9s,98s,A9o+,KQo,KJo:0.098,A8o:0.349,87s:0.208",
        "44+,A8s+,KJs+,A9o+,KQo,A7s:0.442,QJs:0.558,33:0.417",
    ),
    ("BTN", 40): (
        "22+,A2s+,K9s+,K7s,Q9s+,J8s+,T8s+,98s,87s,A9o+,KJo+,QJo,Q8s:0.114,A8o:0.792",
        "55+,A8s+,KJs+,ATo+,KQo:0.708,A9o:0.311",
    ),
}

# Heads-up stacks inside a gap of the well-known chart of largest stacks, or next to one; whether the class pushes.
GAPS = [
    ("63s", 2.0, True),
    ("63s", 4.0, False),
    ("63s", 6.5, True),
    ("63s", 8.0, False),
    ("53s", 2.0, True),
    ("53s", 3.0, False),
    ("53s", 8.0, True),
    ("43s", 3.5, False),
    ("43s", 6.0, True),
    ("43s", 8.0, False),
    ("84s", 8.0, False),
    ("84s", 8.5, True),
    ("84s", 9.0, False),
    ("84s", 10.0, True),
    ("Q4o", 8.0, False),
]


def by_class(range_: Range) -> Classes:
    return grid(range_).ravel()


def undecided_alike(one: Classes, other: Classes) -> list[str]:
    """The classes that one plays more often than not and the other does not."""
    return [name for name, a, b in zip(CLASSES, one, other, strict=True) if (a > 0.5) != (b > 0.5)]


@cache
def solved(stack_bb: float) -> Equilibrium:
    return solve(first_in(1, stack_bb), iterations=2_000)


class TestClassEquities:
    def test_against_any_two_cards_they_are_those_of_the_preflop_table(self) -> None:
        pairs = class_pairs()
        against_all = (pairs * class_equities()).sum(axis=1) / pairs.sum(axis=1)
        known = [PREFLOP_EQUITIES[name][0][0] for name in CLASSES]
        assert against_all == pytest.approx(known, abs=1e-6)

    def test_the_equities_of_two_classes_sum_to_one(self) -> None:
        assert class_equities() + class_equities().T == pytest.approx(np.ones((169, 169)))

    def test_all_pairs_of_classes_are_all_deals_to_two_players(self) -> None:
        pairs = class_pairs()
        assert pairs.sum() == 1326 * 1225
        assert pairs[CLASSES.index("AA"), CLASSES.index("AA")] == 6
        assert pairs[CLASSES.index("AA"), CLASSES.index("AKs")] == 12
        assert pairs[CLASSES.index("AKs"), CLASSES.index("AKo")] == 24

    def test_a_row_is_worked_out_as_it_is_stored(self) -> None:
        place = CLASSES.index("43s")
        assert equities_against("43s") == pytest.approx(class_equities()[place, place:].tolist(), abs=1e-6)


class TestHeadsUp:
    @pytest.mark.parametrize("stack_bb", HEADS_UP)
    def test_the_chart_pushes_and_calls_what_the_linear_program_does(self, stack_bb: int) -> None:
        pushes, calls, _ = HEADS_UP[stack_bb]
        found = push("BTN/SB", 1, stack_bb), call_push("BB", "BTN/SB", 2, stack_bb)
        assert undecided_alike(by_class(found[0]), classes(pushes)) == []
        assert undecided_alike(by_class(found[1]), classes(calls)) == []
        assert [range_.share for range_ in found] == pytest.approx(
            [parse_range(pushes).share, parse_range(calls).share], abs=0.3
        )

    @pytest.mark.parametrize("stack_bb", HEADS_UP)
    def test_the_solver_finds_the_value_and_leaves_nothing_to_exploit(self, stack_bb: int) -> None:
        assert solved(stack_bb).value_bb == pytest.approx(HEADS_UP[stack_bb][2], abs=1e-5)
        assert 0 <= solved(stack_bb).exploitability_bb < 1e-4

    @pytest.mark.parametrize(("name", "stack_bb", "pushes"), GAPS)
    def test_gaps_of_the_well_known_chart_are_kept(self, name: str, stack_bb: float, pushes: bool) -> None:
        assert (by_class(push("SB", 1, stack_bb))[CLASSES.index(name)] > 0.5) == pushes

    def test_a_gap_between_two_stored_depths_is_found_by_the_solver(self) -> None:
        assert solved(12.5).push[CLASSES.index("J8o")] < 0.5

    def test_worse_strategies_can_be_exploited(self) -> None:
        assert solve(first_in(1, 10.0), iterations=3).exploitability_bb > 0.001

    def test_what_is_stored_is_what_the_solver_finds(self) -> None:
        text = files("agent.strategy.charts").joinpath("push_fold.toml").read_text(encoding="utf-8")
        assert push_fold_entry(1, 10.0, solve(first_in(1, 10.0))) in text


class TestReshove:
    @pytest.mark.parametrize(("opener", "depth_bb"), RE_RAISES)
    def test_jams_and_calls_are_those_of_the_linear_program(self, opener: str, depth_bb: int) -> None:
        jams, calls = RE_RAISES[opener, depth_bb]
        opened = re_raise(opener, depth_bb).callers_hold
        assert undecided_alike(by_class(reshove(opener, depth_bb)), classes(jams)) == []
        assert undecided_alike(by_class(call_reshove(opener, depth_bb)) * opened, classes(calls)) == []

    def test_wider_opens_are_jammed_wider(self) -> None:
        shares = [reshove(opener, 20).share for opener in ("UTG", "HJ", "CO", "BTN")]
        assert shares == sorted(shares)

    def test_players_behind_make_it_narrower(self) -> None:
        assert reshove("CO", 20, behind=2).share == pytest.approx(0.75 * reshove("CO", 20).share)


class TestSeveralBehind:
    @pytest.mark.parametrize("behind", [2, 3, 5])
    def test_the_solver_leaves_nothing_to_exploit(self, behind: int) -> None:
        assert solve(first_in(behind, 10.0), iterations=500).exploitability_bb < 0.001

    @pytest.mark.parametrize("stack_bb", [3, 6, 10, 15, 20])
    def test_the_more_are_behind_the_fewer_hands_push(self, stack_bb: int) -> None:
        shares = [push(seat, behind, stack_bb).share for behind, seat in enumerate(("SB", "BTN", "CO", "HJ", "UTG"), 1)]
        assert shares == sorted(shares, reverse=True)

    def test_the_big_blind_calls_most_because_it_has_most_in(self) -> None:
        callers = [call_push(hero, "UTG", 6, 10).share for hero in ("HJ", "CO", "BTN", "SB", "BB")]
        assert callers == sorted(callers)
        assert callers[0] < callers[-1]

    def test_the_earlier_the_push_the_fewer_hands_call(self) -> None:
        shares = [call_push("BB", pusher, 6, 10).share for pusher in ("UTG", "HJ", "CO", "BTN", "SB")]
        assert shares == sorted(shares)

    def test_who_calls_behind_a_call_needs_more(self) -> None:
        alone, behind = call_push("BB", "CO", 6, 10), call_push("BB", "CO", 6, 10, callers=1)
        assert behind.share == pytest.approx(alone.share / 2)
        assert by_class(behind)[CLASSES.index("AA")] == 1

    def test_fewer_dealt_play_as_if_the_early_seats_had_folded(self) -> None:
        assert call_push("SB", "CO", 4, 9) == call_push("SB", "CO", 6, 9)


class TestEveryQuestion:
    @pytest.mark.parametrize("dealt", range(2, 7))
    @pytest.mark.parametrize("stack_bb", [1, 1.3, 3, 7.77, 20, 26, 1000])
    def test_has_an_answer(self, dealt: int, stack_bb: float) -> None:
        seats = list(position_names(tuple(range(dealt)), 0).values())
        for hero in seats:
            assert push(hero, dealt - 1, stack_bb).combos > 0
            for other in seats:
                assert call_push(hero, other, dealt, stack_bb).combos > 0
        for opener in ("UTG", "HJ", "CO", "BTN", "SB", "BB", "BTN/SB", "HU"):
            assert reshove(opener, stack_bb).combos > 0
            assert call_reshove(opener, stack_bb).combos > 0

    def test_between_two_depths_the_weights_are_mixed(self) -> None:
        between = 0.75 * by_class(push("SB", 1, 15)) + 0.25 * by_class(push("SB", 1, 16))
        assert by_class(push("SB", 1, 15.25)) == pytest.approx(between)

    def test_an_unknown_position_is_named(self) -> None:
        with pytest.raises(ValueError, match="'MP' is no position: expected UTG"):
            call_push("MP", "BTN", 6, 10)
