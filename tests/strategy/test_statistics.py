import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.arena.game.dealer import Hand
from agent.poker.line import moves
from agent.poker.spot import PastAction, Street, Verb
from agent.strategy.statistics import PRIORS, Count, PlayedHand, Statistics, played_hand, size_of, tally
from tests.arena.hands import random_action, random_hand, run_out
from tests.strategy.hands import counts, played, told

FOLDS = ", ".join(["fold"] * 5)
THREE = dict.fromkeys(range(3), 2_000)
"""Three-handed the button (seat 0) acts first before the flop; 1 is the small blind, 2 the big one."""
ALL = (0, 1)


# VPIP and PFR


def test_calling_and_raising_are_voluntary_posting_and_folding_are_not() -> None:
    hand = played("call, fold, raise 80, fold, fold, fold, fold")

    assert counts(hand, "vpip") == {3: (1, 1), 4: ALL, 5: (1, 1), 0: ALL, 1: ALL, 2: ALL}
    assert counts(hand, "pfr") == {3: ALL, 4: ALL, 5: (1, 1), 0: ALL, 1: ALL, 2: ALL}


def test_completing_the_small_blind_is_voluntary_and_checking_the_option_is_not() -> None:
    hand = played("fold, fold, fold, fold, call, check", "check, check", "check, check", "check, check")

    assert (counts(hand, "vpip")[1], counts(hand, "vpip")[2]) == ((1, 1), ALL)


def test_a_walk_is_no_chance_for_the_big_blind() -> None:
    hand = played(FOLDS)

    assert sorted(counts(hand, "vpip")) == [0, 1, 3, 4, 5]
    assert 2 not in counts(hand, "pfr")
    assert tally(hand)[2].hands == 1


def test_several_voluntary_actions_count_once_and_a_limper_who_raises_later_raised() -> None:
    hand = played("call, fold, raise 80, fold, fold, fold, raise 300, fold")

    assert (counts(hand, "vpip")[3], counts(hand, "pfr")[3]) == ((1, 1), (1, 1))


def test_an_all_in_for_less_than_the_call_is_a_call() -> None:
    hand = played("raise 60, call, fold", stacks={0: 2_000, 1: 45, 2: 2_000})

    assert (counts(hand, "vpip")[1], 1 in counts(hand, "pfr")) == ((1, 1), False)


def test_whoever_faces_an_all_in_that_nobody_else_can_answer_has_no_chance_to_raise() -> None:
    hand = played("fold, all_in, fold", stacks=THREE)

    assert counts(hand, "pfr") == {0: ALL, 1: (1, 1)}


def test_a_short_all_in_does_not_give_the_limper_a_chance_to_raise_again() -> None:
    hand = played(
        "call, all_in, call, call", "check, check", "check, check", "check, check", stacks={0: 900, 1: 35, 2: 900}
    )

    # The all-in is no full raise: the big blind, who had not acted yet, could make the first one and no 3-bet.
    assert counts(hand, "three_bet") == {}
    assert counts(hand, "pfr")[2] == ALL


def test_a_bet_is_answered_once_whatever_short_all_in_comes_on_top() -> None:
    hand = played("call, call, check", "raise 100, call, all_in, fold, call", stacks={0: 150, 1: 900, 2: 900})

    assert counts(hand, "fold_to_flop_bet") == {2: ALL, 0: ALL}


def test_an_all_in_below_a_full_raise_is_nobodys_three_bet() -> None:
    hand = played("raise 60, all_in, fold, fold", stacks={0: 900, 1: 80, 2: 900})

    assert counts(hand, "three_bet")[1] == ALL
    assert counts(hand, "fold_to_three_bet") == {}


def test_a_player_all_in_with_the_blind_was_dealt_in_and_put_nothing_in_freely() -> None:
    hand = played("call, call", "check, check", "check, check", "check, check", stacks={0: 500, 1: 500, 2: 20})

    assert counts(hand, "vpip") == {0: (1, 1), 1: (1, 1), 2: ALL}


# Raises again


def test_a_three_bet_is_the_second_raise_and_everybody_who_faced_one_raise_had_the_chance() -> None:
    hand = played("raise 60, call, fold, raise 240, fold, fold, fold, fold")

    assert counts(hand, "three_bet") == {4: ALL, 5: ALL, 0: (1, 1)}
    assert counts(hand, "fold_to_three_bet") == {3: (1, 1)}


def test_a_limper_who_raises_the_isolation_raise_has_three_bet() -> None:
    hand = played("call, fold, fold, raise 100, fold, fold, raise 320, call", *["check, check"] * 3)

    assert counts(hand, "three_bet") == {1: ALL, 2: ALL, 3: (1, 1)}
    assert counts(hand, "fold_to_three_bet") == {0: ALL}


def test_a_cold_four_bet_takes_the_chance_to_answer_the_three_bet_away() -> None:
    hand = played("raise 60, raise 200, fold, fold, fold, raise 500, fold, fold")

    assert counts(hand, "three_bet") == {4: (1, 1)}
    assert counts(hand, "fold_to_three_bet") == {}


# The flop and later


def test_the_last_raiser_who_bets_first_has_c_bet_and_each_answers_once() -> None:
    hand = played("raise 60, call, call", "check, check, raise 90, fold, call", *["check, check"] * 2, stacks=THREE)

    assert counts(hand, "c_bet") == {0: (1, 1)}
    assert counts(hand, "fold_to_c_bet") == {1: (1, 1), 2: ALL}
    assert counts(hand, "fold_to_flop_bet") == {1: (1, 1), 2: ALL}


def test_a_bet_in_front_takes_the_chance_of_a_c_bet_away() -> None:
    hand = played("raise 60, call, call", "raise 90, fold, fold", stacks=THREE)

    assert counts(hand, "c_bet") == counts(hand, "fold_to_c_bet") == {}
    assert counts(hand, "fold_to_flop_bet") == {2: (1, 1), 0: (1, 1)}


def test_a_raiser_who_checks_behind_or_check_raises_has_not_c_bet() -> None:
    behind = played("raise 60, fold, call", *["check, check"] * 3, stacks=THREE)
    check_raise = played("fold, raise 60, call", "check, raise 60, raise 200, fold", stacks=THREE)

    assert counts(behind, "c_bet") == {0: ALL}
    assert counts(check_raise, "c_bet") == {1: ALL}
    assert counts(check_raise, "fold_to_c_bet") == {}


def test_a_raise_of_the_c_bet_leaves_the_third_player_no_c_bet_to_answer() -> None:
    hand = played("raise 60, call, call", "check, check, raise 90, raise 300, fold, fold", stacks=THREE)

    assert counts(hand, "fold_to_c_bet") == {1: ALL}


def test_a_raiser_who_is_all_in_before_the_flop_has_no_chance_of_a_c_bet() -> None:
    hand = played("all_in, call, call", *["check, check"] * 3, stacks={0: 300, 1: 2_000, 2: 2_000})

    assert counts(hand, "c_bet") == {}


def test_folds_to_bets_are_counted_by_street_and_a_raise_is_not_the_bet() -> None:
    hand = played(
        "raise 60, fold, call",
        "raise 60, call",
        "check, raise 150, raise 400, call",
        "raise 500, fold",
        stacks=THREE,
    )

    assert counts(hand, "fold_to_flop_bet") == {0: ALL}
    assert counts(hand, "fold_to_turn_bet") == {2: ALL}
    assert counts(hand, "fold_to_river_bet") == {0: (1, 1)}


def test_folds_to_bets_are_counted_by_size_too_on_each_street_of_a_hand() -> None:
    hand = played(
        "raise 60, fold, call",
        "raise 40, call",  # into 130
        "check, raise 150, raise 400, call",  # 150 into 210; the raise is not the bet
        "raise 1000, fold",  # into 1,010
        stacks=THREE,
    )

    assert counts(hand, "fold_to_small_bet") == {0: ALL}
    assert counts(hand, "fold_to_medium_bet") == {2: ALL}
    assert counts(hand, "fold_to_large_bet") == {0: (1, 1)}


def test_bets_of_one_size_on_two_streets_count_twice() -> None:
    hand = played("call, fold, check", "raise 50, call", "raise 150, fold", stacks=THREE)

    assert counts(hand, "fold_to_large_bet") == {0: (1, 2)}


def test_a_bet_is_no_larger_than_the_stack_that_it_asks_for() -> None:
    hand = played("call, call, check", "raise 100, fold, fold", stacks={0: 2_000, 1: 2_000, 2: 45})

    # Into 60: 100 for the button, and 25 for the big blind, who has no more.
    assert counts(hand, "fold_to_small_bet") == {2: (1, 1)}
    assert counts(hand, "fold_to_large_bet") == {0: (1, 1)}


def test_a_short_all_in_on_top_of_a_bet_does_not_change_its_size() -> None:
    hand = played("call, call, check", "raise 40, all_in, fold, call", stacks={0: 2_000, 1: 2_000, 2: 75})

    # 40 into 60, then 55 in all, which is no raise: the button answers the bet, and its maker answers nothing.
    assert counts(hand, "fold_to_medium_bet") == {2: ALL, 0: (1, 1)}
    assert counts(hand, "fold_to_large_bet") == {}


def test_sizes_begin_at_their_bounds() -> None:
    shares = (0.0, 0.449, 0.45, 0.849, 0.85, 9.0)

    assert [size_of(share) for share in shares] == ["small", "small", "medium", "medium", "large", "large"]


def test_aggression_counts_actions_after_the_flop_and_leaves_checks_and_folds_out() -> None:
    hand = played(
        "raise 60, fold, call", "raise 60, call", "check, raise 150, raise 400, call", "raise 500, fold", stacks=THREE
    )

    assert counts(hand, "aggression") == {2: (3, 3), 0: (1, 3)}


def test_an_all_in_is_a_raise_beyond_the_bet_and_a_call_below_it() -> None:
    raised = played("call, call, check", "raise 60, all_in, fold, fold", stacks={0: 2_000, 1: 2_000, 2: 500})
    called = played("call, call, check", "check, raise 300, fold, all_in", stacks={0: 2_000, 1: 200, 2: 2_000})

    assert counts(raised, "aggression") == {1: (1, 1), 2: (1, 1)}
    assert counts(called, "aggression") == {2: (1, 1), 1: ALL}


# The showdown


def test_whoever_saw_the_flop_may_reach_the_showdown_all_in_or_not() -> None:
    hand = played("all_in, call, call", "check, check", "raise 100, fold", stacks={0: 300, 1: 2_000, 2: 2_000})

    assert counts(hand, "wtsd") == {0: (1, 1), 1: (1, 1), 2: ALL}
    assert counts(hand, "won_at_showdown") == {0: (1, 1), 1: ALL}


def test_a_split_pot_is_won_by_both_and_a_hand_that_ends_by_a_fold_by_nobody() -> None:
    split = played("call, fold, check", *["check, check"] * 3, stacks=THREE, board="AcAdKcKdQc")
    folded = played("call, fold, check", "check, check", "raise 20, fold", stacks=THREE)

    assert counts(split, "won_at_showdown") == {0: (1, 1), 2: (0, 1)}
    assert counts(folded, "won_at_showdown") == {}
    assert counts(folded, "wtsd") == {0: ALL, 2: ALL}


def test_a_hand_that_ends_before_the_flop_shows_nobody_a_flop() -> None:
    assert counts(played(FOLDS), "wtsd") == {}


# Against the dealer


def played_at_random(rng: random.Random) -> tuple[Hand, dict[tuple[int, int], bool]]:
    """A random hand, and for each action (its number and seat) whether the dealer offered a raise with it."""
    hand, offered = random_hand(rng), dict[tuple[int, int], bool]()
    while hand.settlement is None:
        run_out(hand)
        if hand.settlement is None and hand.actor_seat is not None:
            offered[len(hand.actions), hand.actor_seat] = hand.legal().min_raise_to_chips is not None
            hand.apply(random_action(hand.legal(), rng))
    return hand, offered


@given(st.integers(0, 2**32))
@settings(max_examples=150, deadline=None)
def test_a_chance_to_raise_is_one_that_the_dealer_offered(seed: int) -> None:
    hand, offered = played_at_random(random.Random(seed))
    preflop = [
        (number, move)
        for number, move in enumerate(moves(hand.actions, hand.big_blind_chips))
        if move.past.street is Street.PREFLOP
    ]
    able = {seat for (number, seat), could in offered.items() if could and number < len(preflop)}
    again = {move.past.seat for number, move in preflop if move.raises_before == 1 and offered[number, move.past.seat]}

    assert set(counts(told(hand), "pfr")) == able
    assert set(counts(told(hand), "three_bet")) == again


@given(st.integers(0, 2**32))
@settings(max_examples=100, deadline=None)
def test_nothing_happens_more_often_than_it_could(seed: int) -> None:
    hand, _ = played_at_random(random.Random(seed))

    for statistics in tally(told(hand)).values():
        assert statistics.hands == 1
        for name in PRIORS:
            count = statistics.count(name)
            assert 0 <= count.times <= count.chances
            if name in {f"fold_to_{size}_bet" for size in SIZES}:
                assert count.chances <= 3, "three streets"
            else:
                assert count.chances <= 1 or name == "aggression"
        sizes, streets = (sum_of(statistics, kinds) for kinds in (SIZES, ("flop", "turn", "river")))
        assert sizes == streets, "each bet has a street and a size"


SIZES = ("small", "medium", "large")


def sum_of(statistics: Statistics, kinds: tuple[str, ...]) -> Count:
    return sum((statistics.count(f"fold_to_{kind}_bet") for kind in kinds), Count())


# Hands that cannot be counted


def as_given(hand: PlayedHand) -> dict[str, object]:
    return {
        "complete": True,
        "names": hand.names,
        "button_seat": hand.button_seat,
        "big_blind_chips": hand.big_blind_chips,
        "blinds": hand.blinds,
        "start_stacks": hand.start_stacks,
        "actions": hand.actions,
        "board": hand.board,
        "is_showdown": bool(hand.showdown_seats),
        "paid_seats": hand.winner_seats,
    }


@pytest.mark.parametrize(
    "changes",
    [
        {"complete": False},
        {"button_seat": None},
        {"names": {0: "P0"}},
        {"start_stacks": {}, "names": {}},
        {"actions": (PastAction(9, Street.PREFLOP, Verb.FOLD, 0, 0),)},
        {"actions": ()},
        {"paid_seats": ()},
        {"paid_seats": (1,)},
    ],
)
def test_a_hand_whose_history_has_holes_is_not_counted(changes: dict[str, object]) -> None:
    given_as = as_given(played("raise 60, fold, fold", stacks=THREE))

    assert played_hand(**given_as) is not None  # type: ignore[arg-type]
    assert played_hand(**{**given_as, **changes}) is None  # type: ignore[arg-type]


# Rates


def test_a_rate_is_unknown_without_a_chance_and_drawn_to_the_prior_while_chances_are_few() -> None:
    statistics = Statistics(hands=40, three_bet=Count(3, 4))

    assert (Statistics().three_bet.rate, statistics.three_bet.rate) == (None, 0.75)
    assert Statistics().shrunk("three_bet") == PRIORS["three_bet"].rate
    assert statistics.shrunk("three_bet") == pytest.approx((3 + 6 * 0.08) / 10)
    assert (Statistics().confidence, statistics.confidence) == (0.0, 0.5)


def test_counts_from_before_bets_had_sizes_are_taken_as_they_are() -> None:
    told = tally(played("call, call, check", "raise 40, fold, fold", stacks=THREE))[0].as_dict()
    old = {name: count for name, count in told.items() if name not in {f"fold_to_{size}_bet" for size in SIZES}}
    found = Statistics.from_dict(old)

    assert (found.fold_to_flop_bet, found.fold_to_medium_bet) == (Count(1, 1), Count())
    assert found.shrunk("fold_to_medium_bet") == 0.45


def test_the_aggression_factor_waits_for_ten_calls() -> None:
    assert Statistics(aggression=Count(30, 39)).aggression_factor is None
    assert Statistics(aggression=Count(30, 40)).aggression_factor == 3.0


def test_hands_add_up() -> None:
    first, second = played("raise 60, fold, fold", stacks=THREE), played("fold, raise 60, fold", stacks=THREE)
    both = Statistics().after_hand(first, 0).after_hand(second, 0)

    assert (both.hands, both.vpip, both.three_bet) == (2, Count(1, 2), Count(0, 0))


def test_a_statistic_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(KeyError, match="hands"):
        Statistics().shrunk("hands")


def test_counts_survive_as_plain_values_and_what_are_no_counts_is_refused() -> None:
    statistics = tally(played("raise 60, call, call", "check, check, raise 90, fold, fold", stacks=THREE))[0]

    assert Statistics.from_dict(statistics.as_dict()) == statistics
    assert Statistics.from_dict({"hands": 3}) == replace(Statistics(), hands=3)
    wrong: tuple[dict[str, Any], ...] = (
        *({"vpip": count} for count in ([2, 1], [-1, 0], [1], 3)),
        *({"hands": hands} for hands in ("x", -1, 2**53)),
        {"luck": [1, 1]},
    )
    for told_wrong in wrong:
        with pytest.raises(ValueError, match=r"vpip|hands|luck"):
            Statistics.from_dict(told_wrong)
