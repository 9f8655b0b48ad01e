from dataclasses import replace

import pytest

from agent.decision.samples import sample_turns
from agent.decision.turn import Reads, Turn
from agent.decision.variables import MIN_HANDS, TurnVariables, turn_variables
from agent.poker.spot import PastAction, Street, Verb
from agent.strategy.statistics import Count, Statistics

SAMPLES = sample_turns()
KNOWN = Statistics(hands=60, vpip=Count(30, 60), c_bet=Count(3, 4), fold_to_river_bet=Count(2, 10), wtsd=Count(5, 20))


def variables(turn: Turn, reads: Reads | None = None) -> TurnVariables:
    return turn_variables(replace(turn, reads=reads or {}))


def test_opponents_are_numbered_clockwise_from_hero_and_those_who_folded_are_left_out() -> None:
    found = variables(SAMPLES["limped_multiway_c_bet"]).opponents

    assert [(one.alias, one.position, one.stack_chips, one.effective_chips) for one in found] == [
        ("P3", "UTG", 3_020, 1_900),
        ("P4", "HJ", 1_885, 1_885),
    ]
    assert not any(one.acts_behind for one in found)


def test_the_line_tells_sizes_by_pot_and_puts_folds_and_checks_together() -> None:
    told = {street.street: street for street in variables(SAMPLES["limped_multiway_c_bet"]).line}

    assert told["preflop"].actions == (
        "P3 call 20; P4 call 20; P5 fold; you raise to 100 (89 % pot); P1, P2 fold; P3 call 100; P4 call 100"
    )
    assert (told["flop"].pot_chips, told["flop"].actions) == (330, "P3, P4 check")


@pytest.mark.parametrize(
    ("sample", "street", "words"),
    [
        ("facing_raise", "flop", "P2 check; you bet 60 (55 % pot); P2 raise to 200 (61 % pot)"),
        ("facing_all_in", "flop", "P5 all-in for 540 (154 % pot)"),
        ("facing_3bet", "preflop", "P4, P5 fold; you raise to 50 (60 % pot); P1 raise to 160 (85 % pot); P2, P3 fold"),
    ],
)
def test_the_first_raise_after_the_flop_is_a_bet(sample: str, street: str, words: str) -> None:
    assert {told.street: told.actions for told in variables(SAMPLES[sample]).line}[street] == words


def test_a_player_who_left_is_named_as_such() -> None:
    turn = SAMPLES["probe"]
    gone = PastAction(4, Street.PREFLOP, Verb.FOLD, 0, 0)
    players = tuple(player for player in turn.spot.players if player.seat != 3)
    spot = replace(turn.spot, players=players, actions=(*turn.spot.actions[:2], replace(gone, seat=3)))

    assert variables(replace(turn, spot=spot)).line[0].actions.endswith("a player who left fold")


def test_the_last_aggressor_is_you_or_an_alias_or_nobody() -> None:
    names = {sample: variables(SAMPLES[sample]).last_aggressor for sample in ("c_bet_heads_up", "probe", "open_utg")}

    assert names == {"c_bet_heads_up": "you", "probe": "P4", "open_utg": None}


def test_cards_to_echo_come_with_the_higher_first() -> None:
    turn = SAMPLES["facing_3bet"]
    low, high = sorted(turn.spot.hole_cards or ())
    swapped = replace(turn, spot=replace(turn.spot, hole_cards=(low, high)))

    assert (variables(swapped).echo_cards, variables(swapped).hole_cards) == ("AcQd", "A♣ Q♦")


def test_reads_are_those_of_the_street_with_the_chances_there_were() -> None:
    turn = SAMPLES["river_bluff_catch"]
    (villain,) = variables(turn, {4: KNOWN}).opponents

    assert villain.hands == 60
    assert [(read.name, read.times, read.chances) for read in villain.reads] == [
        ("VPIP", 30, 60),
        ("fold to river bet", 2, 10),
        ("WTSD", 5, 20),
    ]
    assert villain.reads[0].share == KNOWN.shrunk("vpip")


def test_a_c_bet_matters_on_the_flop_and_a_3_bet_before_it() -> None:
    known = replace(KNOWN, three_bet=Count(1, 9))
    on_flop = variables(SAMPLES["facing_c_bet_with_a_draw"], {4: known}).opponents[0].reads
    before = variables(SAMPLES["facing_open_bb"], {4: known}).opponents[0].reads

    assert [read.name for read in on_flop] == ["VPIP", "c-bet", "WTSD"]
    assert [read.name for read in before] == ["VPIP", "3-bet"]


@pytest.mark.parametrize(("hands", "has_reads"), [(MIN_HANDS - 1, False), (MIN_HANDS, True)])
def test_few_hands_say_nothing(hands: int, has_reads: bool) -> None:
    (villain,) = variables(SAMPLES["river_bluff_catch"], {4: replace(KNOWN, hands=hands)}).opponents

    assert (villain.hands, bool(villain.reads)) == (hands, has_reads)


def test_the_margin_is_equity_above_price_and_margin_and_none_where_checking_is_free() -> None:
    turn = SAMPLES["river_bluff_catch"]
    equity, price = turn.facts.equity.equity, turn.facts.required_equity

    assert turn.rule_margin == pytest.approx(equity - price - 0.03)
    assert SAMPLES["probe"].rule_margin is None
