import random
from dataclasses import replace

import pytest

from agent.arena.game.dealer import Hand
from agent.poker.cards import parse_cards
from agent.strategy.acts import Act, Deed, Told, acts
from tests.arena.hands import random_action, random_hand, run_out
from tests.strategy.hands import played
from tests.strategy.hands import told as told_of

# With the button at seat 0 of six, seat 3 is UTG and acts first; 4 is HJ, 5 CO, 1 the small and 2 the big blind.


def lines(*streets: str, board: str = "") -> dict[int, tuple[Act, ...]]:
    return acts(Told.of_hand(played(*streets, board=board)))


def test_those_who_folded_have_no_acts_left_and_the_others_all_of_theirs() -> None:
    found = lines(
        "raise 60, fold, fold, call, fold, call", "check, raise 90, fold, call", "check, check", "check, check"
    )

    assert {seat: [act.deed for act in own] for seat, own in found.items()} == {
        2: [Deed.CALL, Deed.CHECK, Deed.CALL, Deed.CHECK, Deed.CHECK],
        3: [Deed.RAISE, Deed.RAISE, Deed.CHECK, Deed.CHECK],
    }


def test_a_call_of_an_open_knows_who_opened_how_much_and_at_what_price() -> None:
    button = lines(
        "raise 60, fold, fold, call, fold, call", "check, check, check", "check, check, check", "check, check, check"
    )[0][0]

    assert (button.position, button.raisers, button.street_raises, button.callers) == ("BTN", ("UTG",), 1, 0)
    assert (button.faced_bb, button.depth_bb) == (3.0, 100.0)
    assert button.price == pytest.approx(60 / 150)
    assert button.rivals == 3


def test_limpers_and_callers_count_until_somebody_raises() -> None:
    found = lines(
        "call, call, raise 100, call, fold, fold, call, fold",
        "check, check, check",
        "check, check, check",
        "check, check, check",
    )

    assert (found[5][0].callers, found[5][0].raisers) == (2, ())
    assert found[0][0].callers == 0
    assert (found[3][1].callers, found[3][1].has_called, found[3][1].raised_before) == (1, True, False)


def test_a_reraiser_and_the_opener_who_answers_know_the_raises_before_them() -> None:
    found = lines("raise 60, fold, fold, raise 200, fold, fold, call", "check, check", "check, check", "check, check")

    assert (found[0][0].raisers, found[0][0].street_raises) == (("UTG",), 1)
    assert (found[3][1].raisers, found[3][1].raised_before, found[3][1].own_raises) == (("UTG", "BTN"), True, 1)


def test_a_bet_has_its_share_of_the_pot_and_a_call_the_price_of_it() -> None:
    found = lines(
        "fold, fold, fold, raise 60, fold, call",
        "check, raise 65, call",
        "check, check",
        "check, check",
        board="7h2cKd3d9c",
    )

    bet, call = found[0][1], found[2][2]
    assert bet.pot_fraction == pytest.approx(0.5)
    assert bet.board == parse_cards("7h2cKd")
    assert (bet.leads, call.leads) == (True, False)
    assert call.price == pytest.approx(65 / 260)
    assert (call.street_raises, call.own_raises, call.rivals) == (1, 0, 1)


def test_a_raise_of_a_bet_is_measured_over_the_call() -> None:
    found = lines("fold, fold, fold, raise 60, fold, call", "raise 65, raise 260, call", "check, check", "check, check")

    assert found[0][1].pot_fraction == pytest.approx((260 - 65) / 260)
    assert found[2][2].own_raises == 1


def test_the_lead_goes_to_whoever_raised_last_on_an_earlier_street() -> None:
    found = lines("fold, fold, fold, raise 60, fold, call", "raise 65, call", "check, check", "check, check")

    assert [act.leads for act in found[0]] == [False, True, False, False]
    assert [act.leads for act in found[2]] == [False, False, True, True]


def test_an_all_in_that_covers_no_bet_is_a_call_and_could_not_have_been_a_raise() -> None:
    hand = played("raise 60, fold, fold, all_in, fold, fold", stacks={**dict.fromkeys(range(6), 2_000), 0: 60})

    call = acts(Told.of_hand(hand))[0][0]

    assert (call.deed, call.can_raise) == (Deed.CALL, False)


def test_spots_and_hands_tell_the_same_acts_and_later_actions_change_none_of_them() -> None:
    spots = 0
    for seed in range(150):
        rng = random.Random(seed)
        hand, earlier = random_hand(rng), dict[int, tuple[Act, ...]]()
        while hand.settlement is None:
            if hand.is_street_due:
                hand.deal_street()
                continue
            assert hand.actor_seat is not None
            now = acts(Told.of_spot(hand.spot(hand.actor_seat)))
            for seat, own in now.items():
                assert own[: len(earlier.get(seat, ()))] == earlier.get(seat, ())
            spots, earlier = spots + 1, now
            hand.apply(random_action(hand.legal(), rng))
        run_out(hand)
        if _is_told_in_full(hand):
            final = acts(Told.of_hand(told_of(hand)))
            assert all(final[seat][: len(earlier[seat])] == earlier[seat] for seat in final)
    assert spots > 500


def _is_told_in_full(hand: Hand) -> bool:
    """Whether the blinds were posted in full, so that a spot can tell what they were."""
    return all(player.stack_chips > hand.big_blind_chips for player in hand.players)


def test_acts_of_somebody_who_was_not_dealt_in_are_passed_over() -> None:
    told = Told.of_hand(
        played("raise 60, fold, fold, call, fold, fold", "check, check", "check, check", "check, check")
    )
    stranger = replace(told, actions=(replace(told.actions[0], seat=9), *told.actions))

    assert acts(stranger)[3] == acts(told)[3]
