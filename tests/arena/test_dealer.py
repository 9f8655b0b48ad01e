"""The dealer: order of play, offers, side pots and settlements."""

import random
from dataclasses import replace

import pytest

from agent.arena.game.dealer import DealerError, DealtPlayer, Hand, IllegalActionError
from agent.poker.cards import DECK, parse_cards
from agent.poker.spot import Action, LegalActions, PastAction, Street, Verb
from tests.arena.hands import deck_with, hand_of, play, random_action, random_hand, run_out

ACES_BEAT_KINGS = deck_with({0: "AsAh", 1: "KsKh", 2: "QsQh", 3: "JsJh"}, "2c 7d 9h 3s 4c")


def test_in_a_ring_the_two_seats_after_the_button_post_and_the_next_one_acts() -> None:
    hand = hand_of({0: 1_000, 2: 1_000, 3: 1_000, 5: 1_000}, button=3)
    assert {seat: hand.bet_chips(seat) for seat in (0, 2, 3, 5)} == {5: 10, 0: 20, 2: 0, 3: 0}
    assert hand.actor_seat == 2


def test_three_handed_the_button_acts_first_before_the_flop_and_last_after_it() -> None:
    hand = hand_of({0: 1_000, 2: 1_000, 4: 1_000}, button=4)
    assert hand.actor_seat == 4
    play(hand, "call", "call", "check")
    assert (hand.street, hand.actor_seat) == (Street.FLOP, 0)


def test_heads_up_the_button_posts_the_big_blind_and_acts_first_after_the_flop() -> None:
    hand = hand_of({1: 1_000, 4: 1_000}, button=4)
    assert (hand.bet_chips(4), hand.bet_chips(1)) == (20, 10)
    assert hand.actor_seat == 1
    play(hand, "call", "check")
    assert (hand.street, hand.actor_seat) == (Street.FLOP, 4)


def test_heads_up_with_standard_blinds_the_button_posts_the_small_one() -> None:
    hand = hand_of({1: 1_000, 4: 1_000}, button=4, standard=True)
    assert (hand.bet_chips(4), hand.bet_chips(1)) == (10, 20)
    assert hand.actor_seat == 4
    play(hand, "call", "check")
    assert (hand.street, hand.actor_seat) == (Street.FLOP, 1)


def test_the_opener_of_a_street_is_known_before_its_cards() -> None:
    hand = hand_of({0: 1_000, 1: 1_000, 2: 1_000}, button=0)
    hand.apply(Action(Verb.CALL))
    hand.apply(Action(Verb.FOLD))
    hand.apply(Action(Verb.CHECK))
    assert (hand.is_street_due, hand.street, hand.board, hand.actor_seat) == (True, Street.FLOP, (), 2)
    assert hand.legal() == LegalActions()


def test_the_offer_states_the_call_as_an_increment_and_raises_as_totals() -> None:
    hand = hand_of({0: 1_000, 3: 1_000, 4: 1_000, 5: 2_000}, button=0)
    play(hand, "raise 64", "raise 192")
    assert hand.actor_seat == 3
    expected = LegalActions(fold=True, call_chips=182, min_raise_to_chips=320, max_raise_to_chips=1_000, all_in=True)
    assert hand.legal() == expected


def test_the_big_blind_may_check_fold_or_raise_after_limps() -> None:
    hand = hand_of({0: 1_000, 1: 1_000, 2: 1_000}, button=0)
    play(hand, "call", "call")
    expected = LegalActions(fold=True, check=True, min_raise_to_chips=40, max_raise_to_chips=1_000, all_in=True)
    assert (hand.actor_seat, hand.legal()) == (2, expected)


def test_a_stack_below_the_call_may_only_fold_or_go_all_in_for_less() -> None:
    hand = hand_of({0: 1_000, 1: 1_000, 2: 120}, button=0)
    play(hand, "raise 300", "fold")
    assert hand.legal() == LegalActions(fold=True, call_chips=100, all_in=True)


def test_no_raise_is_offered_when_nobody_could_answer_it() -> None:
    hand = hand_of({0: 200, 1: 1_000, 2: 1_000}, button=0)
    play(hand, "all_in", "fold")
    assert hand.legal() == LegalActions(fold=True, call_chips=180)


def test_a_short_all_in_does_not_reopen_the_betting() -> None:
    hand = hand_of({0: 1_000, 1: 1_000, 2: 150}, button=0)
    play(hand, "raise 100", "call", "all_in")
    assert (hand.actor_seat, hand.legal()) == (0, LegalActions(fold=True, call_chips=50))


def test_a_short_all_in_over_a_limp_does_not_reopen_the_betting() -> None:
    hand = hand_of({0: 1_000, 1: 1_000, 2: 28}, button=0)
    play(hand, "call", "call", "all_in")
    assert (hand.actor_seat, hand.legal()) == (0, LegalActions(fold=True, call_chips=8))


def test_a_short_all_in_may_be_raised_by_a_player_who_has_not_acted() -> None:
    hand = hand_of({0: 1_000, 1: 1_000, 2: 1_000, 3: 130}, button=0)
    play(hand, "all_in", "raise 240", "fold")
    assert hand.actor_seat == 2
    assert (hand.legal().min_raise_to_chips, hand.legal().max_raise_to_chips) == (350, 1_000)


def test_short_all_ins_that_add_up_to_a_full_raise_reopen_the_betting() -> None:
    hand = hand_of({0: 1_000, 1: 150, 2: 210, 3: 1_000}, button=0)
    play(hand, "raise 100", "call", "all_in", "all_in")
    assert (hand.actor_seat, hand.legal().call_chips) == (3, 110)
    assert (hand.legal().min_raise_to_chips, hand.legal().max_raise_to_chips) == (290, 1_000)


def test_an_illegal_action_raises_and_changes_nothing() -> None:
    hand = hand_of({0: 1_000, 1: 1_000}, button=0)
    for action in (Action(Verb.CHECK), Action(Verb.RAISE, 39), Action(Verb.RAISE, 1_001), Action(Verb.RAISE)):
        with pytest.raises(IllegalActionError, match="seat 1 cannot"):
            hand.apply(action)
    assert (hand.actor_seat, hand.pot_chips, hand.actions) == (1, 30, ())


def test_an_action_is_told_with_its_surroundings() -> None:
    hand = hand_of({0: 1_000, 1: 1_000, 2: 1_000}, button=0)
    hand.apply(Action(Verb.RAISE, 64))
    taken = hand.apply(Action(Verb.CALL))
    assert taken.past == PastAction(1, Street.PREFLOP, Verb.CALL, added_chips=54, to_chips=64)
    assert (taken.to_call_chips, taken.pot_before_chips, taken.pot_after_chips) == (54, 94, 148)
    assert (taken.stack_before_chips, taken.stack_after_chips) == (990, 936)


def test_a_hand_that_ends_by_folds_shows_nothing_and_returns_the_uncalled_bet() -> None:
    hand = hand_of({0: 1_000, 1: 1_000, 2: 1_000}, button=0)
    play(hand, "raise 500", "fold", "fold")
    settled = hand.settlement
    assert settled is not None
    assert settled.final_stacks == {0: 1_030, 1: 990, 2: 980}
    assert (settled.payouts, settled.contributions) == ({0: 50}, {0: 20, 1: 10, 2: 20})
    assert (settled.winners, settled.shown_cards, settled.hand_descriptions) == ({0: 30}, None, None)


def test_a_showdown_pays_gross_and_counts_net() -> None:
    hand = hand_of({0: 1_000, 1: 1_000}, button=0, deck=ACES_BEAT_KINGS)
    play(hand, "raise 200", "call", "check", "check", "check", "check", "check", "check")
    settled = hand.settlement
    assert settled is not None
    assert (settled.payouts, settled.winners) == ({0: 400}, {0: 200})
    assert (settled.total_pot_chips, settled.transferred_chips) == (400, 200)
    assert settled.shown_cards == {0: parse_cards("AsAh"), 1: parse_cards("KsKh")}
    assert settled.hand_descriptions == {0: "One Pair", 1: "One Pair"}


def test_side_pots_go_to_the_best_hand_that_paid_for_them() -> None:
    hand = hand_of({0: 100, 1: 300, 2: 1_000, 3: 1_000}, button=3, deck=ACES_BEAT_KINGS)
    play(hand, "all_in", "all_in", "all_in", "all_in")
    settled = hand.settlement
    assert settled is not None
    assert settled.payouts == {0: 400, 1: 600, 2: 1_400}
    assert settled.final_stacks == {0: 400, 1: 600, 2: 1_400, 3: 0}
    assert settled.winners == {0: 300, 1: 300, 2: 400}


def test_whoever_is_paid_back_less_than_they_put_in_is_no_winner() -> None:
    deck = deck_with({0: "AsAh", 1: "KsKh", 2: "QsQh"}, "2c 7d 9h 3s 4c")
    hand = hand_of({0: 900, 1: 1_000, 2: 1_000}, button=0, deck=deck)
    play(hand, "all_in", "all_in", "all_in")
    settled = hand.settlement
    assert settled is not None
    assert (settled.payouts, settled.winners) == ({0: 2_700, 1: 200}, {0: 1_800})


def test_the_odd_chip_goes_to_the_first_seat_after_the_button() -> None:
    deck = deck_with({0: "AsKd", 1: "AhKc", 2: "2s2d"}, "Th Jc Qd 5s 6c")
    hand = hand_of({0: 1_000, 1: 1_000, 2: 1_000, 4: 1_000}, button=4, deck=deck)
    play(hand, "raise 55", "fold", "call", "call", *["check"] * 9)
    settled = hand.settlement
    assert settled is not None
    assert settled.total_pot_chips == 165
    assert settled.payouts == {0: 83, 1: 82}


def test_an_even_split_has_two_winners_who_gain_nothing() -> None:
    deck = deck_with({0: "AsKd", 1: "AhKc"}, "Th Jc Qd 5s 6c")
    hand = hand_of({0: 1_000, 1: 1_000}, button=0, deck=deck)
    play(hand, "all_in", "call")
    settled = hand.settlement
    assert settled is not None
    assert (settled.winners, settled.transferred_chips, settled.total_pot_chips) == ({0: 0, 1: 0}, 0, 2_000)


def test_a_needless_fold_is_taken_and_the_last_player_with_chips_is_not_asked_again() -> None:
    deck = deck_with({0: "2s2h", 1: "KsKh", 2: "QsQh"}, "9c 7d Th 3s 4c")
    hand = hand_of({0: 100, 1: 1_000, 2: 1_000}, button=0, deck=deck)
    play(hand, "all_in", "raise 300", "call")
    assert (hand.street, hand.actor_seat) == (Street.FLOP, 1)
    play(hand, "fold")
    settled = hand.settlement
    assert settled is not None
    assert settled.payouts == {2: 700}
    assert len(hand.board) == 5


def test_an_offer_holds_until_the_next_action_or_street() -> None:
    hand = hand_of({0: 1_000, 1: 1_000, 2: 1_000}, button=0)
    before = hand.legal()
    assert (
        hand.legal()
        == before
        == LegalActions(fold=True, call_chips=20, min_raise_to_chips=40, max_raise_to_chips=1_000, all_in=True)
    )
    play(hand, "call", "call")
    assert hand.legal() == replace(before, check=True, call_chips=None)
    hand.apply(Action(Verb.CHECK))
    assert hand.legal() == LegalActions()
    hand.deal_street()
    assert (hand.legal().min_raise_to_chips, hand.legal().max_raise_to_chips) == (20, 980)


def test_everybody_at_a_showdown_shows_even_whoever_could_have_mucked() -> None:
    hand = hand_of({0: 1_000, 1: 1_000, 2: 1_000}, button=2, deck=ACES_BEAT_KINGS)
    play(hand, "call", "call", "check", *["check"] * 9)
    settled = hand.settlement
    assert settled is not None
    assert settled.payouts == {0: 60}
    assert settled.shown_cards == {0: parse_cards("AsAh"), 1: parse_cards("KsKh"), 2: parse_cards("QsQh")}


def test_a_player_knows_the_table_and_only_their_own_cards() -> None:
    hand = hand_of({0: 1_000, 1: 1_000, 2: 1_000}, button=0, deck=ACES_BEAT_KINGS)
    play(hand, "call", "fold")
    spot = hand.spot(2)
    assert (spot.hero_seat, spot.hole_cards, spot.board) == (2, parse_cards("QsQh"), ())
    assert spot.big_blind_seat == 2
    assert (spot.pot_chips, spot.to_call_chips, spot.legal.check) == (50, 0, True)
    assert [(p.seat, p.stack_chips, p.bet_chips, p.folded) for p in spot.players] == [
        (0, 980, 20, False),
        (1, 990, 10, True),
        (2, 980, 20, False),
    ]
    assert [str(past.verb) for past in spot.actions] == ["call", "fold"]
    assert hand.spot(0).legal == LegalActions()


def test_a_seat_gets_the_same_cards_of_a_deck_whoever_else_is_dealt_in() -> None:
    deck = random.Random(5).sample(DECK, 52)
    full = hand_of(dict.fromkeys(range(6), 1_000), button=0, deck=deck)
    pair = hand_of({2: 1_000, 4: 1_000}, button=4, deck=deck)
    assert (pair.hole_cards[2], pair.hole_cards[4]) == (full.hole_cards[2], full.hole_cards[4])


@pytest.mark.parametrize(
    ("players", "button", "deck", "fault"),
    [
        ([DealtPlayer(0, "A", 100)], 0, DECK, "2 to 6"),
        ([DealtPlayer(0, "A", 100), DealtPlayer(0, "B", 100)], 0, DECK, "distinct seats"),
        ([DealtPlayer(0, "A", 100), DealtPlayer(6, "B", 100)], 0, DECK, "0 to 5"),
        ([DealtPlayer(0, "A", 100), DealtPlayer(1, "B", 100)], 2, DECK, "not dealt in"),
        ([DealtPlayer(0, "A", 100), DealtPlayer(1, "B", 0)], 0, DECK, "needs chips"),
        ([DealtPlayer(0, "A", 100), DealtPlayer(1, "B", 100)], 0, (0,) * 52, "52 cards"),
    ],
)
def test_what_makes_no_hand_is_refused(
    players: list[DealtPlayer], button: int, deck: tuple[int, ...], fault: str
) -> None:
    with pytest.raises(DealerError, match=fault):
        Hand(players, button_seat=button, small_blind_chips=10, big_blind_chips=20, deck=deck)


def test_chips_are_conserved_over_random_hands_with_needless_folds() -> None:
    rng = random.Random(7)
    for _ in range(300):
        hand = random_hand(rng)
        total = sum(hand.stack_chips(p.seat) for p in hand.players) + hand.pot_chips
        while hand.settlement is None:
            run_out(hand)
            if hand.settlement is None:
                hand.apply(random_action(hand.legal(), rng))
                assert hand.settlement or sum(hand.stack_chips(p.seat) for p in hand.players) + hand.pot_chips == total
        settled = hand.settlement
        assert sum(settled.final_stacks.values()) == total
        assert sum(settled.payouts.values()) == sum(settled.contributions.values())
        assert settled.winners
