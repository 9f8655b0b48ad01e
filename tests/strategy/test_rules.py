import pytest

from agent.poker.spot import Action, LegalActions, Verb
from agent.strategy.rules import call_threshold, pure_equity_rule
from tests.spots import facing_a_raise, heads_up, with_players


def test_a_free_check_is_taken_whatever_the_equity() -> None:
    assert pure_equity_rule(heads_up(), 0.99) == Action(Verb.CHECK)
    assert pure_equity_rule(heads_up(), 0.01) == Action(Verb.CHECK)
    assert call_threshold(heads_up()) is None


def test_a_call_needs_more_than_the_price_and_the_margin() -> None:
    spot = facing_a_raise(villain_bet=60, pot=90, call=60)

    assert call_threshold(spot) == pytest.approx(0.43)
    assert pure_equity_rule(spot, 0.4301) == Action(Verb.CALL)
    assert pure_equity_rule(spot, 0.43) == Action(Verb.FOLD)
    assert pure_equity_rule(spot, 0.41, margin=0.0) == Action(Verb.CALL)


def test_chips_out_of_reach_do_not_improve_the_price() -> None:
    spot = facing_a_raise(hero_stack=100, villain_bet=500, pot=530, call=100)

    assert call_threshold(spot) == pytest.approx(100 / 230 + 0.03)


def test_an_all_in_that_is_the_only_call_is_one() -> None:
    spot = facing_a_raise(hero_stack=90, villain_bet=500, pot=530, call=None)

    assert pure_equity_rule(spot, 0.9) == Action(Verb.ALL_IN)
    assert pure_equity_rule(spot, 0.1) == Action(Verb.FOLD)


def test_a_lone_call_is_played_because_nothing_else_may_be() -> None:
    spot = with_players({0: 100, 1: 100}, button=0, bets={1: 50}, legal=LegalActions(call_chips=50))

    assert pure_equity_rule(spot, 0.01) == Action(Verb.CALL)


def test_an_offer_without_check_call_and_fold_holds_nothing_for_the_rule() -> None:
    assert pure_equity_rule(with_players({0: 100, 1: 100}, button=0, legal=LegalActions(all_in=True)), 0.5) is None
