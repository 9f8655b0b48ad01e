from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from agent.decision.menu import Menu, build_menu, matching
from agent.poker.cards import parse_cards
from agent.poker.spot import Action, LegalActions, Spot, Street, Verb
from agent.strategy.policy.policy import Judgement, Policy
from agent.strategy.statistics import Statistics
from tests.spots import facing_a_raise, heads_up, with_players


def ids(spot: Spot) -> list[str]:
    return [candidate.id for candidate in build_menu(spot)]


def by_id(menu: Menu) -> dict[str, tuple[Action, int, int]]:
    return {c.id: (c.action, c.cost_chips, c.street_total_chips) for c in menu}


def test_a_fold_is_not_on_the_menu_where_checking_is_free() -> None:
    assert ids(heads_up(street="flop")) == ["check", "raise_33", "raise_55", "raise_80", "raise_120", "all_in"]


def test_before_the_flop_the_sizes_are_multiples_of_the_big_blind_or_of_the_bet_in_front() -> None:
    assert ids(heads_up()) == ["check", "raise_to_50", "raise_to_80", "all_in"]
    assert ids(facing_a_raise()) == ["fold", "call", "raise_to_180", "raise_to_243", "all_in"]


def test_what_a_chart_raises_to_is_on_the_menu_whatever_its_size() -> None:
    spot = facing_a_raise()
    menu = build_menu(spot, Judgement(Action(Verb.RAISE, 200), (), {}, None, "by a chart"))

    assert [candidate.id for candidate in menu] == [
        "fold",
        "call",
        "raise_to_180",
        "raise_to_200",
        "raise_to_243",
        "all_in",
    ]


def test_every_candidate_has_what_the_policy_thinks_of_it() -> None:
    spot = facing_a_raise(hole="AsAh")
    judgement = Policy().judge(spot, lambda _: Statistics(), 0.5)
    menu = build_menu(spot, judgement)
    worth = {option.action: option.ev_chips for option in judgement.options}

    assert {candidate.action: candidate.ev_chips for candidate in menu} == worth
    assert matching(menu, judgement.action) is not None


def test_raises_are_street_totals_with_their_cost_beside_them() -> None:
    spot = with_players(
        {0: 960, 1: 800},
        button=0,
        street="flop",
        pot=200,
        bets={0: 40, 1: 100},
        legal=LegalActions(fold=True, call_chips=60, min_raise_to_chips=160, max_raise_to_chips=1_000, all_in=True),
    )
    menu = by_id(build_menu(spot))

    assert menu["fold"] == (Action(Verb.FOLD), 0, 40)
    assert menu["call"] == (Action(Verb.CALL), 60, 100)
    # The pot after a call is 260; 55 % of it on top of the matched 100.
    assert menu["raise_55"] == (Action(Verb.RAISE, 243), 203, 243)
    assert menu["all_in"] == (Action(Verb.ALL_IN), 960, 1_000)


def at_stake(spot: Spot) -> dict[str, tuple[int, int, int | None]]:
    return {c.id: (c.risk_chips, c.pot_after_chips, c.pot_percent) for c in build_menu(spot)}


def test_against_a_short_stack_only_what_it_can_match_is_at_stake_and_sizes_that_put_it_all_in_are_one() -> None:
    legal = LegalActions(check=True, min_raise_to_chips=20, max_raise_to_chips=5_000, all_in=True)
    spot = with_players({0: 5_000, 1: 30}, button=0, street="flop", pot=40, legal=legal)

    assert at_stake(spot) == {
        "check": (0, 40, None),
        "raise_33": (20, 60, 50),
        "raise_55": (22, 62, 55),
        "all_in": (30, 70, 75),
    }
    assert by_id(build_menu(spot))["all_in"] == (Action(Verb.ALL_IN), 5_000, 5_000)


def test_the_deepest_opponent_counts_and_chips_in_front_of_them_too() -> None:
    legal = LegalActions(fold=True, call_chips=100, min_raise_to_chips=200, max_raise_to_chips=2_000, all_in=True)
    spot = with_players(
        {0: 2_000, 1: 700, 2: 0, 3: 9_000},
        button=0,
        street="flop",
        pot=400,
        bets={1: 100, 2: 60},
        folded=(3,),
        legal=legal,
    )

    assert at_stake(spot)["call"] == (100, 500, None)
    assert at_stake(spot)["all_in"] == (800, 1_200, 140)


def test_a_call_for_less_wins_only_what_it_can_reach() -> None:
    spot = with_players(
        {0: 90, 1: 700}, button=0, street="flop", pot=400, bets={1: 300}, legal=LegalActions(fold=True, call_chips=90)
    )

    assert at_stake(spot)["call"] == (90, 280, None)


def test_sizes_below_the_minimum_become_the_minimum_once() -> None:
    spot = replace(facing_a_raise(villain_bet=60, pot=90, call=60), street=Street.FLOP, board=parse_cards("7h2cKs"))

    # A third of the pot would be 110; the smallest raise is to 120.
    assert [c.action.raise_to_chips for c in build_menu(spot) if c.action.verb is Verb.RAISE] == [120, 142, 180, 240]


def test_a_short_stack_may_shove_where_no_raise_is_offered() -> None:
    legal = LegalActions(fold=True, call_chips=60, all_in=True)
    spot = replace(facing_a_raise(hero_stack=90), legal=legal)

    assert ids(spot) == ["fold", "call", "all_in"]


def test_an_all_in_that_only_calls_stands_on_the_menu_once() -> None:
    legal = LegalActions(fold=True, call_chips=90, all_in=True)
    spot = replace(facing_a_raise(hero_stack=90), legal=legal)

    assert ids(spot) == ["fold", "call"]


def test_without_an_all_in_the_largest_raise_is_offered_as_a_raise() -> None:
    legal = LegalActions(check=True, min_raise_to_chips=20, max_raise_to_chips=900)
    menu = build_menu(replace(heads_up(stack=900), legal=legal))

    assert matching(menu, Action(Verb.RAISE, 900)) is not None


amounts = st.integers(0, 3_000)


@given(
    stack=st.integers(1, 3_000),
    pot=amounts,
    bet=amounts,
    fold=st.booleans(),
    check=st.booleans(),
    call=st.none() | st.integers(1, 3_000),
    low=st.none() | st.integers(1, 3_000),
    extra=amounts,
    all_in=st.booleans(),
)
def test_whatever_is_offered_every_candidate_is_legal_and_ids_are_few_and_distinct(
    stack: int,
    pot: int,
    bet: int,
    fold: bool,
    check: bool,
    call: int | None,
    low: int | None,
    extra: int,
    all_in: bool,
) -> None:
    legal = LegalActions(fold, check, call, low, low + extra if low else None, all_in)
    menu = build_menu(with_players({0: stack, 1: 500}, button=0, pot=pot, bets={0: bet}, legal=legal))

    assert all(legal.allows(candidate.action) for candidate in menu)
    assert len({candidate.id for candidate in menu}) == len(menu) <= 8
    assert len({candidate.action for candidate in menu}) == len(menu)
    assert all(0 <= c.risk_chips <= c.cost_chips for c in menu if c.action.verb is not Verb.RAISE)
    assert not (check and any(candidate.id == "fold" for candidate in menu))
