import random
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.arena.game.dealer import Hand
from agent.poker.cards import parse_cards
from agent.poker.ranges import Range, combo_index, holding_any, parse_range
from agent.poker.spot import Spot
from agent.strategy.parameters import ReadingParameters
from agent.strategy.reading import Reading
from agent.strategy.showdowns import UNSHOWN, Shown
from agent.strategy.statistics import PRIORS, Count, Statistics
from tests.arena.hands import deck_with, hand_of, play, random_action, random_hand
from tests.strategy.hands import played

SIX = dict.fromkeys(range(6), 2_000)
BOARD = "Ks9h4d4c2s"
# With the button at seat 0 of six, seat 3 is UTG and acts first; 4 is HJ, 5 CO, 1 the small and 2 the big blind.


def stranger(_: str) -> Statistics:
    return Statistics()


def known(**rates: tuple[int, int]) -> Statistics:
    """Somebody of 200 hands with these counts, of whom nothing else is known."""
    return Statistics(hands=200, **{name: Count(*count) for name, count in rates.items()})


def after(*moves: str, stacks: Mapping[int, int] = SIX, hero: int = 2, board: str = BOARD) -> Spot:
    """The spot of `hero`, who holds QcQd, after these moves with the button at seat 0."""
    hand = hand_of(stacks, button=0, deck=deck_with({hero: "QcQd"}, board))
    play(hand, *moves)
    return hand.spot(hero)


def read(spot: Spot, seat: int, statistics: Statistics | None = None) -> Range:
    return Reading().ranges(spot, lambda _: statistics or Statistics())[seat]


def share(range_: Range, hands: str) -> float:
    """The part of a range that those hands are."""
    return float(range_.weights[parse_range(hands).weights > 0].sum() / range_.total)


# Before the flop


def test_nobody_is_read_before_they_have_acted() -> None:
    range_ = read(after("raise 60"), 1)

    live = np.logical_not(holding_any(parse_cards("QcQd")))
    assert (range_.weights == live).all()


def test_an_open_is_read_as_the_charts_play_it_tighter_in_front() -> None:
    front = read(after("raise 60", "fold", "fold", "fold", "fold"), 3)
    button = read(after("fold", "fold", "fold", "raise 60", "fold"), 0)

    assert share(front, "99+,AJs+,KQs,AQo+") > 2 * share(Range.random(), "99+,AJs+,KQs,AQo+")
    assert share(front, "TT+,AK") > 1.3 * share(button, "TT+,AK")
    assert share(button, "22+,A2s+,K9s+,ATo+") > share(Range.random(), "22+,A2s+,K9s+,ATo+")


def test_a_three_bet_says_more_than_a_call_and_a_call_caps_the_range() -> None:
    raised = read(after("raise 60", "fold", "fold", "raise 180", "fold"), 0)
    called = read(after("raise 60", "fold", "fold", "call", "fold"), 0)

    assert share(raised, "QQ+,AK") > 2 * share(called, "QQ+,AK")
    assert share(called, "QQ+,AK") < share(called, "88-55,ATs-A8s,KTs+,QTs+,JTs")


def test_a_limp_is_weaker_than_a_raise_and_the_option_checked_weaker_than_any_two() -> None:
    limp = read(after("call", "fold", "fold", "fold", "fold"), 3)
    raise_ = read(after("raise 60", "fold", "fold", "fold", "fold"), 3)
    hand = hand_of(SIX, button=0, deck=deck_with({3: "QcQd"}, BOARD))
    play(hand, "call", "fold", "fold", "fold", "fold", "check", "check")
    option = read(hand.spot(3), 2)

    assert share(limp, "TT+,AQ+") < share(raise_, "TT+,AQ+") / 2
    assert share(option, "TT+,AQ+") < share(Range.random(), "TT+,AQ+")


@pytest.mark.parametrize(
    ("moves", "seat", "statistic"),
    [
        (("raise 60", "fold", "fold", "fold", "fold"), 3, "pfr"),
        (("raise 60", "fold", "fold", "raise 180", "fold"), 0, "three_bet"),
        (("raise 60", "fold", "fold", "call", "fold"), 0, "vpip"),
    ],
)
def test_players_who_do_it_more_often_are_read_wider(moves: tuple[str, ...], seat: int, statistic: str) -> None:
    spot = after(*moves)

    seldom, usual, often = (
        share(read(spot, seat, known(**{statistic: (times, 200)})), "22+,A9s+,KTs+,AJo+,KQo") for times in (10, 40, 130)
    )
    assert seldom > usual > often


def test_few_hands_change_less_than_many() -> None:
    spot = after("raise 60", "fold", "fold", "fold", "fold")

    strange, glimpsed, familiar = (
        share(read(spot, 3, known(pfr=(times, chances))), "TT+,AQ+") for times, chances in ((0, 0), (5, 5), (200, 200))
    )
    assert strange > glimpsed > familiar


# After the flop


def test_bets_are_made_by_strong_hands_draws_and_some_of_everything() -> None:
    spot = after("fold", "fold", "fold", "raise 60", "fold", "call", "check", "raise 90", board="Ks9s4d2c7h")
    before = read(after("fold", "fold", "fold", "raise 60", "fold", "call", "check", board="Ks9s4d2c7h"), 0)

    bet = read(spot, 0)

    def grown(hands: str) -> float:
        return share(bet, hands) / share(before, hands)

    assert grown("KK,99,AK") > grown("AsQs,AsJs,AsTs") > grown("77-55") > grown("8c7c,7c6c,QhJd,8d7d")
    assert share(bet, "QhJd") > 0


def test_a_check_takes_strength_away() -> None:
    flop = ("fold", "fold", "fold", "raise 60", "fold", "call", "check")
    before, after_it = read(after(*flop), 0), read(after(*flop, "check"), 0)

    assert share(after_it, "KK,99,AK") < share(before, "KK,99,AK")
    assert share(after_it, "76s,65s") > share(before, "76s,65s")


def test_a_call_of_a_bet_folds_the_air_and_has_fewer_monsters_than_a_raise() -> None:
    flop = ("fold", "fold", "fold", "raise 60", "fold", "call")
    hand = hand_of(SIX, button=0, deck=deck_with({0: "QcQd"}, BOARD))
    play(hand, *flop, "check", "raise 90")
    start = read(hand.spot(0), 2)
    play(hand, "call")
    called = read(hand.spot(0), 2)
    other = hand_of(SIX, button=0, deck=deck_with({0: "QcQd"}, BOARD))
    play(other, *flop, "check", "raise 90", "raise 300")
    raised = read(other.spot(0), 2)

    assert share(called, "76s,65s,87s") < share(start, "76s,65s,87s")
    assert share(called, "99,44,K9s") < share(raised, "99,44,K9s")


def test_a_bet_of_somebody_who_bets_everything_says_less() -> None:
    spot = after("fold", "fold", "fold", "raise 60", "fold", "call", "check", "raise 90")

    calm, wild = (read(spot, 0, known(c_bet=count)) for count in ((20, 200), (195, 200)))

    assert share(calm, "AA,KK,99,AK,KQ") > share(wild, "AA,KK,99,AK,KQ")


def test_a_bigger_bet_is_stronger() -> None:
    flop = ("fold", "fold", "fold", "raise 60", "fold", "call", "check")

    usual, big = (read(after(*flop, bet), 0) for bet in ("raise 65", "raise 400"))

    assert share(big, "KK,99,44") > share(usual, "KK,99,44")


# What may be known


def test_known_cards_are_out_of_every_range_and_all_else_stays_possible() -> None:
    spot = after("fold", "fold", "call", "raise 100", "call", "call", "call", "check", "check", "check", "raise 200")

    for range_ in Reading().ranges(spot, stranger).values():
        elsewhere = holding_any((*spot.board, *parse_cards("QcQd")))
        assert ((range_.weights > 0) == ~elsewhere).all()
        assert range_.weights.max() == 1


def test_hidden_cards_change_nothing() -> None:
    decks = [deck_with({2: "QcQd", 0: held}, BOARD) for held in ("AsAh", "7h3c")]
    found = []
    for deck in decks:
        hand = hand_of(SIX, button=0, deck=deck)
        play(hand, "fold", "fold", "fold", "raise 60", "fold", "call", "check", "raise 90")
        found.append(Reading().ranges(hand.spot(2), stranger))

    assert found[0] == found[1]


def test_heros_own_cards_take_holdings_out_and_shift_nothing_else() -> None:
    spot = after("fold", "fold", "fold", "raise 60", "fold", "call", "check", "raise 90")
    blind = read(replace(spot, hole_cards=None), 0)

    assert np.allclose(blind.without(parse_cards("QcQd")).weights / blind.weights.max(), read(spot, 0).weights)


def test_an_unseen_beginning_is_read_as_what_somebody_usually_plays() -> None:
    spot = after("fold", "fold", "fold", "raise 60", "fold", "call", "check")
    joined = replace(spot, actions=(), history_complete=False)

    tight, loose = (read(joined, 0, known(vpip=count)) for count in ((20, 200), (180, 200)))

    assert share(tight, "TT+,AQ+") > 2 * share(loose, "TT+,AQ+") > 2 * share(Range.random(), "TT+,AQ+")


# The same inputs, the same answer


def _spots(seed: int) -> list[Spot]:
    rng, found = random.Random(seed), []
    hand: Hand = random_hand(rng)
    while hand.settlement is None:
        if hand.is_street_due:
            hand.deal_street()
            continue
        assert hand.actor_seat is not None
        found.append(hand.spot(hand.actor_seat))
        hand.apply(random_action(hand.legal(), rng))
    return found


@pytest.mark.parametrize("lines_kept", [1, 1_024])
def test_what_was_read_before_changes_no_answer(lines_kept: int) -> None:
    warm = Reading(lines_kept=lines_kept)
    for seed in range(12):
        for spot in _spots(seed):
            assert warm.ranges(spot, stranger) == Reading().ranges(spot, stranger)


def test_every_spot_has_an_answer_for_every_opponent() -> None:
    reading = Reading()
    for seed in range(100, 220):
        for spot in _spots(seed):
            ranges = reading.ranges(spot, stranger)
            assert set(ranges) == {player.seat for player in spot.opponents}
            assert all(range_.weights.max() == 1 for range_ in ranges.values())


def counts() -> st.SearchStrategy[Count]:
    return st.integers(0, 500).flatmap(lambda chances: st.builds(Count, st.integers(0, chances), st.just(chances)))


@settings(max_examples=40, deadline=None)
@given(st.fixed_dictionaries(dict.fromkeys(PRIORS, counts())), st.integers(0, 10_000))
def test_no_statistics_make_a_holding_impossible(found: dict[str, Count], seed: int) -> None:
    statistics = Statistics(hands=500, **found)
    for spot in _spots(seed):
        elsewhere = holding_any((*spot.board, *(spot.hole_cards or ())))
        for range_ in Reading().ranges(spot, lambda _: statistics).values():
            assert np.isfinite(range_.weights).all()
            assert ((range_.weights > 0) == ~elsewhere).all()


# Showdowns

CALLED_DOWN = (
    "fold, fold, fold, raise 60, fold, call",
    "check, raise 90, call",
    "check, raise 200, call",
    "check, raise 500, call",
)


def shown(cards: str, before: Shown = UNSHOWN) -> Shown:
    hand = played(*CALLED_DOWN, board="Kd8c4d4c2s")
    first, second = parse_cards(cards)
    return Reading().observed_showdown(hand, {0: (first, second)}, stranger, lambda _: before)[0]


def test_a_hand_weaker_than_read_loosens_the_reading_and_a_stronger_one_tightens_it() -> None:
    parameters = ReadingParameters()

    weak, strong = shown("7h3h"), shown("AcAd")

    assert weak.looseness(parameters, preflop=True) > 1 > strong.looseness(parameters, preflop=True)
    assert weak.looseness(parameters, preflop=False) > 1 > strong.looseness(parameters, preflop=False)


def test_looseness_grows_with_every_showdown_and_has_a_bound() -> None:
    parameters = ReadingParameters()
    bluff, many = shown("7h3h"), UNSHOWN
    factors = []
    for _ in range(400):
        many += bluff
        factors.append(many.looseness(parameters, preflop=False))

    assert UNSHOWN.looseness(parameters, preflop=False) == 1
    assert factors == sorted(factors)
    assert 1 < factors[0] < factors[20] <= factors[-1] <= parameters.shown_limit


def test_the_bets_of_somebody_who_showed_bluffs_say_less() -> None:
    spot = after("fold", "fold", "fold", "raise 60", "fold", "call", "check", "raise 90")
    bluffer = Shown(30, early=12.0, late=12.0)

    believed = Reading().ranges(spot, stranger)[0]
    doubted = Reading().ranges(spot, stranger, lambda _: bluffer)[0]

    assert share(doubted, "KK,99,AK") < share(believed, "KK,99,AK")


def test_without_a_full_board_a_showdown_tells_nothing() -> None:
    hand = replace(played("fold, fold, fold, raise 60, fold, fold"), board=())

    assert Reading().observed_showdown(hand, {0: (51, 50)}, stranger) == {}


def test_a_range_has_a_short_text() -> None:
    text = read(after("raise 60", "fold", "fold", "fold", "fold"), 3).text

    assert len(text) < 60
    assert "%" in text


def test_before_the_flop_suits_make_no_difference() -> None:
    range_ = read(replace(after("raise 60", "fold", "fold", "fold", "fold"), hole_cards=None), 3)

    suited = [range_.weights[combo_index(*parse_cards(f"A{suit}K{suit}"))] for suit in "cdhs"]
    assert len(set(suited)) == 1
