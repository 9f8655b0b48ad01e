import random

import pytest

from agent.arena.game.dealer import DealtPlayer, Hand
from agent.evaluation.all_in import nets
from agent.evaluation.table import Outcome
from agent.poker.pots import pots
from agent.poker.spot import Action, Spot, Verb
from tests.evaluation.tables import folding, passive, play, shoving


def valued(outcome: Outcome) -> dict[int, float]:
    return nets(outcome.hand, outcome.board_when_closed)


def test_aces_against_kings_before_the_flop_are_worth_their_equity_whoever_wins() -> None:
    holes = {0: "AsAh", 1: "KsKh"}
    lost = play([shoving, shoving], holes, "KdKc2c3d4h")
    won = play([shoving, shoving], holes, "2c3d4h8h9s")
    assert lost.hand.settlement is not None
    assert lost.hand.settlement.final_stacks[0] == 0
    assert valued(lost)[0] == pytest.approx(2_000 * (2 * 0.826366 - 1), abs=0.01)
    assert valued(lost) == pytest.approx(valued(won))


def test_three_hands_share_the_pot_by_equity() -> None:
    outcome = play([shoving] * 3, {0: "AhAd", 1: "KsKc", 2: "QhQs"}, "KdQc2c3d4h")
    assert valued(outcome)[0] == pytest.approx(2_000 * (3 * 0.668679 - 1), abs=0.01)


def test_the_street_on_which_the_betting_ended_decides_what_was_known() -> None:
    # A set of aces against kings and no draw: only two kings in a row still beat it.
    def wait(spot: Spot) -> Action:
        return shoving(spot) if spot.board else passive(spot)

    outcome = play([wait, wait], {0: "AsAh", 1: "KsKh"}, "Ad7c2hKdKc")
    assert outcome.board_when_closed == outcome.hand.board[:3]
    boards = 45 * 44 / 2
    assert valued(outcome)[0] == pytest.approx(2_000 * (1 - 2 / boards))


def test_folded_cards_are_out_of_the_deck() -> None:
    # The third player folded one of the two kings that the second one needs.
    holes = {0: "AsAh", 1: "KsKh", 2: "Kd2d"}
    live, gone = play([shoving, shoving, folding], holes), play([shoving, shoving, folding], holes | {2: "3d2d"})
    assert valued(live)[0] > valued(gone)[0]


def test_who_put_in_less_can_win_the_main_pot_alone() -> None:
    assert pots({0: 50, 1: 200, 2: 200, 3: 20}, live=(0, 1, 2)) == [(170, (0, 1, 2)), (300, (1, 2))]
    assert pots({0: 100, 1: 100}, live=(0, 1)) == [(200, (0, 1))]
    # A needless fold may leave more in the pot than anybody live has.
    assert pots({0: 100, 1: 50, 2: 50}, live=(1, 2)) == [(200, (1, 2))]


def test_the_short_stack_has_no_share_of_the_side_pot() -> None:
    # Seat 0 has the best hand and 200 chips; of the side pot seat 1 takes all against a hand that is drawing dead.
    holes = {0: "AsAh", 1: "KsKh", 2: "2c7d"}

    def wait(spot: Spot) -> Action:
        return shoving(spot) if len(spot.board) == 4 else passive(spot)

    outcome = play([wait, wait, wait], holes, "AdKd9h4s3c", stacks=[200, 1_000, 1_000])
    assert outcome.board_when_closed is not None
    assert len(outcome.board_when_closed) == 4
    # One king of the 42 unseen cards beats the aces for the main pot of 600.
    assert valued(outcome)[0] == pytest.approx(600 * 41 / 42 - 200)
    assert valued(outcome)[2] == -1_000
    assert sum(valued(outcome).values()) == pytest.approx(0)


def test_a_hand_that_was_bet_to_its_end_counts_as_it_was_dealt() -> None:
    outcome = play([passive] * 3, {0: "AsAh", 1: "KsKh", 2: "7c2d"}, "KdKc3c3d4h")
    assert outcome.board_when_closed is None
    assert valued(outcome) == {0: -20, 1: 40, 2: -20}


def test_a_hand_without_a_showdown_counts_as_it_was_dealt() -> None:
    outcome = play([folding, folding, shoving], button=0)
    assert outcome.board_when_closed is None
    assert valued(outcome) == {0: 0, 1: -10, 2: 10}


def _random_hand(rng: random.Random) -> Hand:
    """Everybody's stack is short and random, so that most hands end all-in with side pots."""
    deck = list(range(52))
    rng.shuffle(deck)
    seats = rng.sample(range(6), rng.randint(2, 6))
    players = [DealtPlayer(seat, f"P{seat}", rng.randint(5, 400)) for seat in seats]
    hand = Hand(players, button_seat=rng.choice(seats), small_blind_chips=10, big_blind_chips=20, deck=deck)
    while hand.settlement is None:
        if hand.is_street_due:
            hand.deal_street()
            continue
        legal = hand.legal()
        verbs = [verb for verb in Verb if verb is not Verb.RAISE and legal.allows(Action(verb))]
        hand.apply(Action(rng.choice(verbs)))
    return hand


def test_on_a_complete_board_it_is_what_was_really_won() -> None:
    rng, showdowns, side_pots = random.Random(7), 0, 0
    for _ in range(300):
        hand = _random_hand(rng)
        settled = hand.settlement
        assert settled is not None
        if settled.shown_cards is None:
            continue
        showdowns += 1
        live = [seat for seat in settled.start_stacks if not hand.has_folded(seat)]
        count = len(pots(settled.contributions, live))
        side_pots += count > 1
        real, found = nets(hand, None), nets(hand, hand.board)
        for seat, chips in real.items():
            # Where a pot is split, an odd chip cannot be.
            assert abs(found[seat] - chips) < count
        assert sum(found.values()) == pytest.approx(0)
    assert showdowns > 100
    assert side_pots > 40
