"""House players: always legal, repeatable, unlike one another, better by level, and mindful of whom they met."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from agent.arena.game.dealer import Hand
from agent.arena.house.field import Entry, Lineup, Population
from agent.arena.house.player import HOUSE_KINDS, HousePlayer, ProfilePlayer, PublicHand, house_player
from agent.arena.house.profiles import PROFILES, Level
from agent.poker.spot import Action, PastAction, Spot, Street, Verb
from tests.arena.hands import deck_with, hand_of, play, random_action, random_hand, run_out
from tests.arena.house_tables import played_hands

SPECS = (*{**HOUSE_KINDS, **PROFILES}, *(f"average:{level}" for level in Level), "0.3/0.6/0.9/1:master")
STACKS = {0: 2_000, 1: 2_000, 2: 2_000}


def verbs_of(player: HousePlayer, spot: Spot, seeds: int = 200) -> Counter[Verb]:
    """How often each verb is chosen."""
    return Counter(player.act(spot, random.Random(seed)).verb for seed in range(seeds))


def button_spot(cards: str) -> Spot:
    """First to act on the button, three-handed."""
    return hand_of(STACKS, button=0, deck=deck_with({0: cards}, "2c2d2h2s3c")).spot(0)


def heads_up(cards: str, board: str, *moves: str) -> Hand:
    """Seat 0 is on the button with those cards and plays seat 1 alone."""
    hand = hand_of({0: 2_000, 1: 2_000}, button=0, deck=deck_with({0: cards}, board), standard=True)
    play(hand, *moves)
    return hand


def seen(*flop: PastAction) -> PublicHand:
    """A hand of Villain (P1) against Otter that ended with those actions on the flop."""
    limped = (PastAction(0, Street.PREFLOP, Verb.CALL, 10, 20), PastAction(1, Street.PREFLOP, Verb.CHECK, 0, 20))
    stacks = {0: 2_000, 1: 2_000}
    return PublicHand("hand", 0, 20, {0: "Otter", 1: "P1"}, limped + flop, (0, 5, 10), {}, stacks, stacks)


BETS = seen(PastAction(1, Street.FLOP, Verb.RAISE, 40, 40), PastAction(0, Street.FLOP, Verb.FOLD, 0, 0))
FOLDS = seen(PastAction(0, Street.FLOP, Verb.RAISE, 40, 40), PastAction(1, Street.FLOP, Verb.FOLD, 0, 0))


# Legal and repeatable


@pytest.mark.parametrize("spec", SPECS)
def test_every_player_plays_only_legal_actions(spec: str) -> None:
    rng = random.Random(11)
    player = house_player(spec)
    asked = 0
    for _ in range(60):
        hand = random_hand(rng)
        while hand.settlement is None:
            run_out(hand)
            if hand.settlement is not None or hand.actor_seat is None:
                continue
            assert hand.legal().allows(player.act(hand.spot(hand.actor_seat), rng))
            asked += 1
            hand.apply(random_action(hand.legal(), rng))
    assert asked > 250


@pytest.mark.parametrize("spec", SPECS)
def test_the_same_spot_and_generator_give_the_same_action(spec: str) -> None:
    spot = heads_up("QsJs", "Ts4c9h2d3c", "raise 60", "call", "raise 80").spot(0)
    first, second = ([house_player(spec).act(spot, random.Random(seed)) for seed in range(20)] for _ in range(2))
    assert first == second


def test_the_same_seed_plays_the_same_hands_with_all_their_memories() -> None:
    field = Population(tuple(Entry(f"{name}:novice", 1) for name in PROFILES))
    first, second = (
        [hand.actions for hand in played_hands(field, hands=60, seed=5, hands_a_table=30)] for _ in range(2)
    )
    assert first == second


@pytest.mark.parametrize("spec", SPECS)
def test_nobody_folds_what_may_be_checked(spec: str) -> None:
    hand = hand_of(STACKS, button=1, deck=deck_with({0: "7c2d"}, "As Kh 9d 3s 4c"))
    play(hand, "call", "call")
    assert hand.actor_seat == 0
    assert hand.legal().check
    assert Verb.FOLD not in verbs_of(house_player(spec), hand.spot(0), seeds=50)


@pytest.mark.parametrize("spec", ["station", "equity_rule"])
def test_a_player_who_does_not_know_its_cards_says_so(spec: str) -> None:
    with pytest.raises(ValueError, match="needs its hole cards"):
        house_player(spec).act(replace(button_spot("AsAh"), hole_cards=None), random.Random(1))


# Profiles


def test_a_middling_hand_is_raised_by_a_maniac_limped_by_a_station_and_folded_by_a_nit() -> None:
    spot = button_spot("Kc8d")
    assert verbs_of(house_player("maniac:master"), spot) == {Verb.RAISE: 200}
    assert verbs_of(house_player("station:master"), spot) == {Verb.CALL: 200}
    assert verbs_of(house_player("nit:master"), spot) == {Verb.FOLD: 200}


def test_aces_are_raised_and_raised_again_even_by_a_station() -> None:
    hand = hand_of(STACKS, button=0, deck=deck_with({1: "AsAh"}, "2c2d2h2s3c"))
    play(hand, "raise 60")
    assert verbs_of(house_player("station:master"), button_spot("AsAh")) == {Verb.RAISE: 200}
    assert house_player("regular:master").act(hand.spot(1), random.Random(1)) == Action(Verb.RAISE, 228)


def test_the_button_opens_hands_that_the_first_seat_folds() -> None:
    deck = deck_with({0: "Kd8d", 3: "Kh8h"}, "2c2d2h2s3c")
    hand = hand_of(dict.fromkeys(range(6), 2_000), button=0, deck=deck)
    player = house_player("regular:master")
    assert hand.actor_seat == 3
    assert verbs_of(player, hand.spot(3)) == {Verb.FOLD: 200}
    play(hand, "fold", "fold", "fold")
    assert verbs_of(player, hand.spot(0)) == {Verb.RAISE: 200}


def test_an_open_is_two_and_a_half_big_blinds_and_one_more_for_every_limper() -> None:
    hand = hand_of(dict.fromkeys(range(6), 2_000), button=0, deck=deck_with({0: "AsAh"}, "2c2d2h2s3c"))
    play(hand, "call", "call", "fold")
    assert house_player("regular:master").act(hand.spot(0), random.Random(1)) == Action(Verb.RAISE, 90)


def test_the_larger_a_raise_the_fewer_hands_call_it() -> None:
    answers = []
    for size in ("raise 50", "raise 2000"):
        hand = hand_of(STACKS, button=0, deck=deck_with({1: "Kc9c"}, "2c2d2h2s3c"))
        play(hand, size)
        answers.append(house_player("average:master").act(hand.spot(1), random.Random(1)).verb)
    assert answers == [Verb.CALL, Verb.FOLD]


def test_a_station_calls_a_pot_bet_where_a_nit_folds() -> None:
    spot = heads_up("Ac7d", "Js Kd Qh 5c 2s", "raise 60", "call", "raise 120").spot(0)
    station, nit = verbs_of(house_player("station"), spot), verbs_of(house_player("nit"), spot)
    assert station[Verb.CALL] > 100
    assert nit[Verb.FOLD] > 190


def test_whoever_bluffs_more_bets_nothing_more_often() -> None:
    spot = heads_up("5c4d", "Ks Qd 9h 8c 2s", "call", "check", "check").spot(0)
    bets = {spec: verbs_of(house_player(spec), spot)[Verb.RAISE] for spec in ("nit", "regular", "maniac")}
    assert bets["nit"] < 10 < bets["regular"] < bets["maniac"]


def test_an_aggressive_player_bets_the_nuts_more_often_than_a_station_and_both_do() -> None:
    spot = heads_up("KcKd", "Ks Kh 9h 8c 2s", "call", "check", "check").spot(0)
    station, maniac = (verbs_of(house_player(spec), spot)[Verb.RAISE] for spec in ("station", "maniac"))
    assert 60 < station < 150
    assert maniac > 180


def test_the_raiser_bets_a_missed_flop_more_often_than_the_caller_does() -> None:
    raiser = heads_up("Qc5d", "Ks 8d 7h 2c 2s", "raise 60", "call", "check").spot(0)
    caller = heads_up("Qc5d", "Ks 8d 7h 2c 2s", "call", "raise 60", "call", "check").spot(0)
    player = house_player("0.3/0.9/0.2/0:regular")
    assert verbs_of(player, raiser)[Verb.RAISE] > verbs_of(player, caller)[Verb.RAISE] + 30


def test_nobody_bluffs_where_no_raise_is_offered() -> None:
    spot = heads_up("5c4d", "Ks Qd 9h 8c 2s", "raise 60", "call", "all_in").spot(0)
    assert spot.legal.min_raise_to_chips is None
    assert verbs_of(house_player("0.2/0.5/1/0:master"), spot) == {Verb.FOLD: 200}


@pytest.mark.parametrize(
    ("checks", "sizes"),
    [(0, {13, 20, 26}), (1, {20, 26, 32}), (2, {20, 30, 48})],
    ids=["flop", "turn", "river"],
)
def test_bets_are_33_to_120_percent_of_the_pot_by_street(checks: int, sizes: set[int]) -> None:
    spot = heads_up("KcKd", "Ks Kh 9h 8c 2s", "call", "check", *["check"] * (2 * checks), "check").spot(0)
    player = house_player("maniac")
    actions = [player.act(spot, random.Random(seed)) for seed in range(100)]
    bets = {action.raise_to_chips for action in actions if action.verb is Verb.RAISE}
    assert bets == {max(20, size) for size in sizes}


def test_a_raise_that_takes_most_of_the_stack_is_all_in() -> None:
    hand = hand_of({0: 120, 1: 2_000, 2: 2_000}, button=2, deck=deck_with({0: "AsAh"}, "2c2d2h2s3c"))
    play(hand, "raise 50")
    assert house_player("regular:master").act(hand.spot(0), random.Random(1)) == Action(Verb.RAISE, 120)


# Levels


def test_on_the_river_a_master_always_sees_the_same_and_a_beginner_does_not() -> None:
    spot = heads_up("Kc9d", "9s Qd Jh 5c 2s", "call", "check", "check", "check", "check", "check", "raise 30").spot(0)
    master, beginner = (verbs_of(house_player(f"0.3/0/0/0:{level}"), spot) for level in (Level.MASTER, Level.BEGINNER))
    assert len(master) == 1
    assert len(beginner) > 1


def test_a_beginner_calls_far_more_than_a_master_of_the_same_profile() -> None:
    spot = heads_up("Ac7d", "Ks Td 5h 4c 2s", "raise 60", "call", "raise 100").spot(0)
    beginner, master = (verbs_of(house_player(f"average:{level}"), spot) for level in (Level.BEGINNER, Level.MASTER))
    assert beginner[Verb.CALL] > master[Verb.CALL] + 80


def test_masters_win_from_beginners_who_get_the_same_cards() -> None:
    hands, won_chips = 1_200, 0
    for masters, beginners in (((0, 2, 4), (1, 3, 5)), ((1, 3, 5), (0, 2, 4))):
        level_of = dict.fromkeys(masters, Level.MASTER) | dict.fromkeys(beginners, Level.BEGINNER)
        players = tuple((f"P{seat}", house_player(f"average:{level_of[seat]}")) for seat in range(6))
        for hand in played_hands(Lineup(players), hands=hands, seed=1, hands_a_table=hands):
            assert hand.settlement is not None
            won_chips += sum(hand.settlement.final_stacks[seat] - 2_000 for seat in masters)
    big_blinds_per_100 = 100 * won_chips / 20 / (2 * 3 * hands)
    assert big_blinds_per_100 > 15


# Memory


def test_an_adaptive_player_bluffs_more_against_somebody_who_was_seen_to_fold() -> None:
    spot = heads_up("5c4d", "Ks Qd 9h 8c 2s", "call", "check", "check").spot(0)
    player = house_player("0.3/0.5/0.4/1:regular")
    before = verbs_of(player, spot)[Verb.RAISE]
    for _ in range(200):
        player.saw(FOLDS)
    assert verbs_of(player, spot)[Verb.RAISE] > before + 40


def test_an_adaptive_player_calls_more_against_somebody_who_was_seen_to_bet() -> None:
    spot = heads_up("7d6c", "Js Kd 6h 5c 2s", "call", "check", "raise 40").spot(0)
    player = house_player("0.2/0.5/0/1:master")
    before = verbs_of(player, spot)[Verb.FOLD]
    for _ in range(200):
        player.saw(BETS)
    assert verbs_of(player, spot)[Verb.FOLD] < before - 40


def test_a_player_without_adaptivity_learns_nothing() -> None:
    player = house_player("0.3/0.5/0.4/0:regular")
    assert isinstance(player, ProfilePlayer)
    player.saw(FOLDS)
    assert len(player.memory) == 0


# Specs


def test_a_spec_names_profile_and_level() -> None:
    assert house_player("station:beginner") == ProfilePlayer(PROFILES["station"], Level.BEGINNER)
    assert house_player("nit") == ProfilePlayer(PROFILES["nit"], Level.REGULAR)
    assert house_player(f"{PROFILES['maniac']}:master") == ProfilePlayer(PROFILES["maniac"], Level.MASTER)


def test_the_five_kinds_of_the_demo_stand_in_their_order() -> None:
    assert list(HOUSE_KINDS) == ["calling_station", "tight", "loose_aggressive", "random", "equity_rule"]


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("shark", r"'shark'.*choose from nit, .*maniac.*or one of calling_station, tight, .*equity_rule"),
        ("station:pro", r"'station:pro'.*beginner, novice, regular, expert, master"),
        ("station:", r"'station:'.*beginner, novice"),
        ("random:master", r"random has no levels, got 'random:master'"),
        ("0.3/0.5/2/0", r"bluffing 2\.0 is not a number from 0 to 1"),
    ],
)
def test_an_unknown_spec_is_refused_with_what_there_is(spec: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        house_player(spec)
