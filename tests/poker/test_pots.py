"""What pots are worth once nobody can bet any more."""

import pytest

from agent.poker.cards import parse_cards
from agent.poker.pots import board_when_closed, expected_nets
from agent.poker.spot import PastAction, Street, Verb

FLOP = parse_cards("Ad7c2h")
RIVER = parse_cards("Ad7c2hKdKc")


def hole(text: str) -> tuple[int, int]:
    first, second = parse_cards(text)
    return first, second


def on(street: Street) -> PastAction:
    return PastAction(0, street, Verb.CALL, 20, 20)


def test_a_hand_that_was_bet_to_the_end_was_never_closed() -> None:
    assert board_when_closed([on(Street.PREFLOP), on(Street.RIVER)], RIVER) is None


def test_the_last_action_tells_the_board_on_which_the_betting_ended() -> None:
    assert board_when_closed([on(Street.PREFLOP), on(Street.FLOP)], RIVER) == FLOP
    assert board_when_closed([on(Street.PREFLOP)], RIVER) == ()
    # The blinds alone may put both players all-in.
    assert board_when_closed([], RIVER) == ()


def test_a_pot_is_shared_by_equity_and_chips_that_nobody_called_come_back() -> None:
    hands = {0: hole("AsAh"), 1: hole("KsKh")}
    called = expected_nets({0: 2_000, 1: 2_000, 2: 10}, (0, 1), hands, FLOP)
    more = expected_nets({0: 3_000, 1: 2_000, 2: 10}, (0, 1), hands, FLOP)
    assert called == pytest.approx(more)
    assert called[1] == pytest.approx(4_010 / (45 * 44 / 2) - 2_000)
    assert sum(called.values()) == pytest.approx(0)
    assert called[2] == -10


def test_known_cards_of_those_who_folded_are_out_of_the_deck() -> None:
    hands = {0: hole("AsAh"), 1: hole("KsKh")}
    seen = expected_nets({0: 100, 1: 100, 2: 0}, (0, 1), {**hands, 2: hole("KdQd")}, FLOP)
    assert seen[1] == -100
