import json
from collections import Counter
from dataclasses import replace

import pytest

from agent.evaluation.contender import Contender
from agent.evaluation.match import Block, MatchPlan
from agent.evaluation.outcome import MatchResult
from agent.evaluation.registry import UnknownContender
from agent.evaluation.table import Seated
from tests.evaluation.tables import Scripted, passive

FIELD = (("station:beginner", 2.0), ("regular:regular", 1.0), ("maniac:novice", 1.0))
PLAN = MatchPlan("published", "house:regular:regular", field=FIELD, seed=5, hands_per_block=12, stack_bb=40)


def test_a_block_is_the_same_bit_for_bit_whenever_it_is_played() -> None:
    later = PLAN.play(3)
    for index in (0, 3):
        again = PLAN.play(index)
    assert again == later
    assert json.loads(json.dumps(later)) == later
    assert PLAN.play(4) != later


def test_two_players_who_are_the_same_differ_in_nothing() -> None:
    block = Block.from_dict(
        MatchPlan("house:regular:regular", "house:regular:regular", FIELD, hands_per_block=12).play(0)
    )
    assert block.a == block.b
    assert block.differing_hands == 0


def test_every_deal_is_played_from_every_seat_with_the_same_cards_and_full_stacks() -> None:
    players = [Scripted(passive) for _ in range(6)]
    table = [Seated(f"P{place}", player, 800) for place, player in enumerate(players)]
    hands = list(PLAN.hands(0, table))
    assert len(hands) == 12
    for deal in (hands[:6], hands[6:]):
        assert [seats[0] for seats, _ in deal] == [0, 1, 2, 3, 4, 5]
        assert len({outcome.hand.button_seat for _, outcome in deal}) == 1
        assert all(outcome.hand.hole_cards == deal[0][1].hand.hole_cards for _, outcome in deal)
        assert all(outcome.hand.board == deal[0][1].hand.board for _, outcome in deal)
    assert hands[0][1].hand.hole_cards != hands[6][1].hand.hole_cards
    assert all(set(o.played.start_stacks.values()) == {800} for _, o in hands)
    # The neighbours stay the same ones.
    assert all((seats[1] - seats[0]) % 6 == 1 for seats, _ in hands)
    assert all(len(player.seen) == 12 for player in players)


def test_both_players_meet_the_same_opponents_who_remember_nothing() -> None:
    one, other = PLAN._opponents(2), PLAN._opponents(2)
    assert [seated.name for seated in one] == [seated.name for seated in other]
    assert [seated.contender for seated in one] == [seated.contender for seated in other]
    assert all(a.contender is not b.contender for a, b in zip(one, other, strict=True))
    assert len({seated.name for seated in one}) == 5
    drawn = Counter(seated.name for index in range(20) for seated in PLAN._opponents(index))
    assert len(drawn) > 20


def test_the_differences_are_paired_and_the_blocks_are_the_unit() -> None:
    blocks = tuple(Block.from_dict(PLAN.play(index)) for index in range(3))
    result = MatchResult(PLAN, blocks)
    each = [100 * (block.a.net_chips - block.b.net_chips) / 20 / 12 for block in blocks]
    assert result.hands == 36
    assert result.difference_bb_per_100.estimate == pytest.approx(sum(each) / 3)
    spread = (sum((x - sum(each) / 3) ** 2 for x in each) / 2) ** 0.5
    assert result.difference_bb_per_100.half_width == pytest.approx(4.3027 * spread / 3**0.5, rel=1e-4)
    told = result.as_dict(seconds=1.5)
    assert told["diff_bb_per_100"] == pytest.approx(told["a_bb_per_100"] - told["b_bb_per_100"])
    assert told["ci_low_bb_per_100"] < told["diff_bb_per_100"] < told["ci_high_bb_per_100"]
    assert 0 < told["differing_share"] <= 1
    assert told["a_sources"]["rule"] > 0
    assert result.a.statistics.hands == 36
    assert [hands for hands, _ in result.running()] == [12, 24, 36]


def test_heads_up_two_players_win_from_each_other_what_the_other_loses() -> None:
    plan = MatchPlan("published", "house:maniac:master", seats=2, hands_per_block=20)
    blocks = tuple(Block.from_dict(plan.play(index)) for index in range(2))
    result = MatchResult(plan, blocks)
    assert plan.is_duel
    assert result.a.net_chips == pytest.approx(-result.b.net_chips)
    assert result.difference_bb_per_100.estimate == pytest.approx(result.a_bb_per_100.estimate)
    assert result.a.hands == result.b.hands == 40
    assert result.a.sources.keys() != result.b.sources.keys()


def test_heads_up_with_a_field_is_a_comparison_like_any_other() -> None:
    plan = MatchPlan("published", "published", field=FIELD, seats=2, hands_per_block=20)
    block = Block.from_dict(plan.play(0))
    assert not plan.is_duel
    assert block.a == block.b


def test_hands_are_rounded_up_to_whole_blocks() -> None:
    assert [PLAN.blocks_for(hands) for hands in (1, 12, 13)] == [1, 1, 2]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seats": 7}, "7 seats"),
        ({"seats": 3, "field": ()}, "need a field"),
        ({"stack_bb": 0}, "stack of 0"),
        ({"stack_bb": 100_001}, "stack of 100,001 big blinds: expected 1 to 100,000"),
        ({"hands_per_block": 13}, "a multiple of 6"),
    ],
)
def test_what_is_no_match_is_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MatchPlan(**{"a": "equity", "b": "published", "field": FIELD, **change})  # type: ignore[arg-type]


def test_names_are_looked_up_before_anything_is_played() -> None:
    with pytest.raises(UnknownContender, match="nobody"):
        MatchPlan("equity", "nobody", FIELD).look_up_names()
    with pytest.raises(UnknownContender, match="sharks"):
        MatchPlan("equity", "equity", (("sharks", 1.0),)).look_up_names()


def test_what_plays_behind_a_name_is_a_parameter_of_the_match_and_who_seats_it_is_none() -> None:
    def seats_nobody(name: str, seed: int) -> Contender:
        raise UnknownContender(name)

    plan = replace(PLAN, behind=(("agent:default", "openai/a"),), contenders=seats_nobody)
    assert json.loads(json.dumps(plan.as_dict())) == plan.as_dict()
    assert "contenders" not in plan.as_dict()
    assert plan.as_dict() == {**PLAN.as_dict(), "behind": [["agent:default", "openai/a"]]}
    with pytest.raises(UnknownContender, match="published"):
        plan.look_up_names()


def test_a_plan_survives_as_plain_values_and_an_older_one_had_what_is_usual() -> None:
    plan = replace(PLAN, seed=10**30, behind=(("agent:default", "openai/a"),))
    assert MatchPlan.from_dict(json.loads(json.dumps(plan.as_dict()))) == plan
    assert MatchPlan.from_dict({"kind": "match", "a": "x", "b": "y", "seats": 2}) == MatchPlan("x", "y", seats=2)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("a", None, "a: None: expected words"),
        ("seats", "x", "seats: 'x': expected a whole number from 1"),
        ("seats", 7, "7 seats"),
        ("seed", True, "seed: True: expected a whole number"),
        ("big_blind_chips", 0, "big_blind_chips: 0: expected a whole number from 1"),
        ("field", "x", "field: 'x': expected a list"),
        ("field", [["station"]], r"field: \['station'\]: expected a list of two"),
        ("field", [["station", float("nan")]], "field: nan: expected a number"),
        ("behind", [[1, "x"]], "behind: 1: expected words"),
        ("zzz", 1, "'zzz' is no known key"),
    ],
)
def test_what_tells_of_no_plan_is_refused_by_its_key(key: str, value: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MatchPlan.from_dict({**PLAN.as_dict(), key: value})


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("hands", 0, "a: hands: 0: expected a whole number from 1"),
        ("hands", 24, "a: hands: 24: expected 12"),
        ("net_chips", "x", "a: net_chips: 'x': expected a number"),
        ("net_chips", float("inf"), "a: net_chips: inf: expected a number"),
        ("net_chips", 10**400, r"a: net_chips: 10*\.\.\.: expected a number"),
        ("dealt_net_chips", 0.5, "a: dealt_net_chips: 0.5: expected a whole number"),
        ("busts", -1, "a: busts: -1: expected a whole number from 0"),
        ("sources", ["rule"], r"a: sources: \['rule'\]: expected keys and values"),
        ("sources", {"rule": "x"}, "a: sources: rule: 'x': expected a whole number"),
        ("statistics", 3, "a: statistics: 3: expected keys and values"),
        ("statistics", {"hands": True}, r"a: statistics: hands is \[0, True\]"),
        ("statistics", {"vpip": [False, 3]}, r"a: statistics: vpip is \[False, 3\]"),
        ("statistics", {"luck": [1, 1]}, "a: statistics: luck is no statistic"),
        ("extra", 0, "a: 'extra' is no known key: another version of the program may have written it"),
    ],
)
def test_what_tells_of_no_block_is_refused_by_its_key(key: str, value: object, message: str) -> None:
    told = PLAN.play(0)
    PLAN.check(told)
    with pytest.raises(ValueError, match=message):
        PLAN.check({**told, "a": {**told["a"], key: value}})
    with pytest.raises(ValueError, match="a is missing"):
        PLAN.check({})
