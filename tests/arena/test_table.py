"""The frames of a table, seen by one client: order, numbers, labels, and what each snapshot holds."""

import asyncio
import random
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest

from agent.arena.game.account import Account
from agent.arena.game.loop import run_table
from agent.arena.game.records import HandRecord
from agent.arena.game.referee import receive_action
from agent.arena.game.table import Seat, Table
from agent.arena.house.player import PublicHand
from agent.arena.settings import ArenaSettings
from agent.openpoker.frames import hash_matches
from agent.poker.spot import Action, Spot, Verb

Frame = Mapping[str, Any]


class Owner:
    """Keeps what the table reports, and lets it play `hands` hands; a bust keeps its seat."""

    def __init__(self, hands: int = 1) -> None:
        self.records: list[HandRecord] = []
        self.busts: list[str] = []
        self.hands = hands

    def hand_played(self, record: HandRecord) -> None:
        self.records.append(record)

    def busted(self, table: Table, seat: Seat) -> None:
        self.busts.append(seat.name)

    def seat_freed(self, table: Table) -> None: ...

    def goes_on(self, table: Table) -> bool:
        return len(self.records) < self.hands

    def may_deal(self, table: Table) -> bool:
        return True

    def is_idle(self, table: Table) -> None: ...


class Scripted:
    """A house player who knows in advance what to do."""

    def __init__(self, *moves: str) -> None:
        self._moves = iter(moves)

    def act(self, spot: Spot, rng: random.Random) -> Action:
        verb, _, amount = next(self._moves).partition(" ")
        return Action(Verb(verb), int(amount) if amount else None)

    def saw(self, hand: PublicHand) -> None: ...


class Hero:
    """A client at the table without a socket; answers every turn with the next of its moves."""

    def __init__(self, *moves: str) -> None:
        self.frames: list[Frame] = []
        self.account = Account("Heron", "agent-1", 5_000, deliver=self.receive)
        self.table: Table | None = None
        self._moves = iter(moves)

    def receive(self, frame: Frame) -> None:
        self.frames.append(frame)
        if frame["type"] == "table_state" and self.frames[-2]["type"] == "your_turn":
            turn = self.frames[-2]
            verb, _, amount = next(self._moves).partition(" ")
            request = {
                "type": "action",
                "hand_id": turn["hand_id"],
                "action": verb,
                "amount": int(amount) if amount else None,
                "client_action_id": f"c-{turn['table_seq']}",
                "turn_token": turn["turn_token"],
            }
            asyncio.get_running_loop().call_soon(receive_action, self.account, self.table, request)

    def of(self, kind: str) -> list[Frame]:
        return [frame for frame in self.frames if frame["type"] == kind]


async def play_hands(
    hero: Hero, stacks: Mapping[int, int], scripts: Mapping[int, Scripted], *, hands: int = 1
) -> Owner:
    """Play so many hands; hero has seat 0."""
    owner = Owner(hands)
    table = Table(ArenaSettings(seed=4), owner, now=lambda: datetime(2026, 9, 20, 12, tzinfo=UTC))
    hero.table = table
    for number, script in scripts.items():
        table.sit(Seat(number, f"P{number}", stacks[number], player=script))
    table.sit(Seat(0, "Heron", stacks[0], account=hero.account))
    await run_table(table, owner)
    return owner


SIX_STACKS = {0: 1_000, 1: 842, 2: 1_338, 3: 17_600, 4: 749, 5: 2_213}


async def six_handed_hand() -> tuple[Hero, Owner]:
    """A raise, a re-raise, a fourth bet that is called, a checked flop, and an all-in on the river."""
    hero = Hero("fold")
    scripts = {
        1: Scripted("fold"),
        2: Scripted("fold"),
        3: Scripted("raise 64", "raise 384", "check", "raise 399", "raise 798", "call"),
        4: Scripted("fold"),
        5: Scripted("raise 192", "call", "check", "call", "raise 1430"),
    }
    return hero, await play_hands(hero, SIX_STACKS, scripts)


async def test_a_hand_sends_its_frames_in_the_venues_order_with_its_gaps() -> None:
    hero, _ = await six_handed_hand()
    kinds = [frame["type"] for frame in hero.frames]
    action = ["player_action", "table_state"]
    street = ["community_cards", "table_state"]
    assert kinds == [
        *("table_joined", "table_state"),
        *("hand_start", "hole_cards", "table_state"),
        *(3 * action),
        *("your_turn", "table_state", "action_ack", *action),
        *(2 * action),
        *(2 * action + street),
        *(2 * action + street),
        *(2 * action + street),
        *(3 * action),
        "hand_result",
    ]
    numbers = [frame["table_seq"] for frame in hero.frames]
    steps = [later - earlier for earlier, later in pairwise(numbers)]
    assert steps == [
        *(1, 2, 6, 1),
        *(5, 1, 5, 1, 5, 1),
        *(1, 1, 2, 1, 1),
        *(5, 1, 5, 1),
        *(5, 1, 5, 1, 1, 1),
        *(5, 1, 5, 1, 1, 1),
        *(5, 1, 5, 1, 1, 1),
        *(5, 1, 5, 1, 5, 1),
        1,
    ]
    assert next(frame for frame in hero.frames if frame["type"] == "hand_start")["hand_seq"] == 1


async def test_actions_are_labelled_with_the_street_after_them_and_results_with_their_own() -> None:
    hero, _ = await six_handed_hand()
    told = [(f["seat"], f["action"], f["amount"], f["street"]) for f in hero.of("player_action")]
    assert told == [
        (3, "raise", 64, "preflop"),
        (4, "fold", None, "preflop"),
        (5, "raise", 192, "preflop"),
        (0, "fold", None, "preflop"),
        (1, "fold", None, "preflop"),
        (2, "fold", None, "preflop"),
        (3, "raise", 384, "preflop"),
        (5, "call", None, "flop"),
        (3, "check", None, "flop"),
        (5, "check", None, "turn"),
        (3, "raise", 399, "turn"),
        (5, "call", None, "river"),
        (3, "raise", 798, "river"),
        (5, "raise", 1_430, "river"),
        (3, "call", None, "showdown"),
    ]
    listed = [(a["seat"], a["action"], a["amount"], a["street"]) for a in hero.of("hand_result")[0]["actions"]]
    assert [entry[:3] for entry in listed] == [entry[:3] for entry in told]
    assert [entry[3] for entry in listed] == ["preflop"] * 8 + ["flop"] * 2 + ["turn"] * 2 + ["river"] * 3


async def test_actions_carry_the_chips_around_them() -> None:
    hero, _ = await six_handed_hand()
    told = hero.of("player_action")
    keys = ("amount_mode", "to_call_before", "contribution_delta", "pot_before", "pot_after", "stack_before", "stack")
    assert [[frame[key] for key in keys] for frame in (told[4], told[6], told[7], told[8], told[14])] == [
        ["incremental", 182, 0, 286, 286, 832, 832],
        ["to_total", 128, 320, 286, 606, 17_536, 17_216],
        ["incremental", 192, 192, 606, 798, 2_021, 1_829],
        ["incremental", None, 0, 798, 798, 17_216, 17_216],
        ["incremental", 632, 632, 3_824, 4_456, 16_019, 15_387],
    ]
    for frame in told:
        assert frame["pot"] == frame["pot_after"]
        assert frame["stack"] == frame["stack_after"] == frame["player_stack_after"]
        assert frame["stack_before"] == frame["player_stack_before"]


async def test_the_result_states_gross_payouts_and_net_winners() -> None:
    hero, owner = await six_handed_hand()
    result = hero.of("hand_result")[0]
    winner = 5 if owner.records[0].payouts.get(5) else 3
    loser = 8 - winner
    final = {**SIX_STACKS, 1: 832, 2: 1_318, loser: SIX_STACKS[loser] - 2_213, winner: SIX_STACKS[winner] + 2_243}
    assert (result["pot"], result["transferable_pot"], result["total_pot"]) == (2_243, 2_243, 4_456)
    assert result["payouts"] == [{"seat": winner, "amount": 4_456}]
    assert [(w["seat"], w["amount"], w["stack"]) for w in result["winners"]] == [(winner, 2_243, final[winner])]
    assert result["final_stacks"] == {str(seat): stack for seat, stack in final.items()}
    assert set(result["shown_cards"]) == {"3", "5"}
    assert (result["pot_kind"], result["outcome_kind"]) == ("transferable", "win")


async def test_a_snapshot_shows_the_next_street_before_its_cards() -> None:
    hero, _ = await six_handed_hand()
    closing = next(i for i, f in enumerate(hero.frames) if f["type"] == "player_action" and f["street"] == "flop")
    before, cards, after = hero.frames[closing + 1 : closing + 4]
    assert (before["street"], before["board"], before["actor_seat"], before["pot"]) == ("flop", [], 3, 798)
    assert [seat["bet"] for seat in before["seats"]] == [0] * 6
    assert (cards["street"], len(cards["cards"]), after["board"]) == ("flop", 3, cards["cards"])
    assert [len(frame["cards"]) for frame in hero.of("community_cards")] == [3, 4, 5]


async def test_only_the_actor_is_told_what_it_may_do_and_the_prompt_is_followed_by_the_same_snapshot() -> None:
    hero, _ = await six_handed_hand()
    place = next(i for i, frame in enumerate(hero.frames) if frame["type"] == "your_turn")
    before, turn, after = hero.frames[place - 1 : place + 2]
    assert before["state_hash"] == after["state_hash"]
    assert (before["to_call"], before["min_raise_to"], before["max_raise_to"]) == (192, 320, 1_000)
    assert before["hero"]["valid_actions"] == [
        {"action": "fold"},
        {"action": "call", "amount": 192},
        {"action": "raise", "min": 320, "max": 1_000},
        {"action": "all_in", "amount": 1_000},
    ]
    assert turn["valid_actions"] == [
        {"action": "fold", "amount": None, "min": None, "max": None},
        {"action": "call", "amount": 192, "min": None, "max": None},
        {"action": "raise", "amount": None, "min": 320, "max": 1_000},
        {"action": "all_in", "amount": 1_000, "min": None, "max": None},
    ]
    assert (turn["min_raise"], turn["max_raise"], turn["pot"], turn["community_cards"]) == (320, 1_000, 286, [])
    with_offer = [frame for frame in hero.of("table_state") if "valid_actions" in frame["hero"]]
    assert len(with_offer) == len([frame for frame in hero.of("table_state") if "to_call" in frame]) == 2
    assert not any("turn_token" in frame["hero"] for frame in hero.of("table_state"))


async def test_the_settled_snapshot_comes_before_the_result() -> None:
    hero, _ = await six_handed_hand()
    settled, result = hero.frames[-2:]
    assert (settled["street"], settled["pot"], result["type"]) == ("idle", 0, "hand_result")
    assert settled["waiting_reason"] == "awaiting_hand_start"
    assert settled["waiting_details"] == {
        "player_count": 6,
        "eligible_players": 6,
        "min_required": 2,
        "active_players": 6,
        "away_players": 0,
        "disconnected_players": 0,
        "connected_players": 6,
    }
    assert {str(seat["seat"]): seat["stack"] for seat in settled["seats"]} == result["final_stacks"]
    assert not any(seat["in_hand"] or "folded" in seat for seat in settled["seats"])
    assert len(settled["board"]) == 5
    assert settled["hero"] == {"seat": 0, "hole_cards": hero.of("hole_cards")[0]["cards"]}


async def test_every_snapshot_carries_its_hash_and_the_folded_stay_in_the_hand() -> None:
    hero, _ = await six_handed_hand()
    assert [hash_matches(frame) for frame in hero.of("table_state")] == [True] * len(hero.of("table_state"))
    after_fold = [frame for frame in hero.of("table_state") if frame["street"] != "idle"][-1]
    assert {seat["seat"] for seat in after_fold["seats"] if seat["folded"]} == {0, 1, 2, 4}
    assert all(seat["in_hand"] for seat in after_fold["seats"])


async def test_without_a_showdown_no_cards_are_shown() -> None:
    hero = Hero("raise 60")
    await play_hands(hero, {0: 1_000, 3: 1_000}, {3: Scripted("call", "fold")})
    result = hero.of("hand_result")[0]
    assert result["shown_cards"] is None
    assert result["winners"] == [
        {"seat": 0, "name": "Heron", "stack": 1_020, "amount": 20, "hand_description": None},
    ]


async def test_a_hand_that_is_all_in_runs_out_street_by_street_without_an_actor() -> None:
    hero = Hero("all_in")
    await play_hands(hero, {0: 1_000, 3: 600}, {3: Scripted("call", "call")})
    tail = [f for f in hero.frames if f["type"] in ("player_action", "community_cards", "hand_result")][2:]
    assert [frame.get("street") for frame in tail] == ["flop", "flop", "turn", "river", None]
    shove = hero.of("player_action")[1]
    assert (shove["action"], shove["amount"], shove["amount_mode"]) == ("all_in", 0, "incremental")
    assert (shove["contribution_delta"], shove["stack_after"]) == (980, 0)
    running = [frame for frame in hero.of("table_state") if frame["street"] in ("flop", "turn")]
    assert [frame["actor_seat"] for frame in running] == [None] * 3
    assert hero.of("hand_result")[0]["total_pot"] == 1_200


async def test_the_button_moves_to_the_next_seat_that_is_dealt_in() -> None:
    hero = Hero(*["fold"] * 4)
    script = {2: Scripted(*["call"] * 4, *["check"] * 20), 5: Scripted(*["fold"] * 4)}
    await play_hands(hero, {0: 1_000, 2: 1_000, 5: 1_000}, script, hands=4)
    assert [frame["dealer_seat"] for frame in hero.of("hand_start")] == [0, 2, 5, 0]
    assert [frame["hand_seq"] for frame in hero.of("hand_start")] == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("stack", "expected"),
    [
        (1_000, [("fold", None), ("check", None), ("raise", None), ("all_in", 980)]),
        (40, [("fold", None), ("check", None), ("raise", None), ("all_in", 20)]),
    ],
)
async def test_fold_is_offered_next_to_check(stack: int, expected: list[tuple[str, int | None]]) -> None:
    hero = Hero("check", "fold")
    await play_hands(hero, {0: stack, 3: 1_000}, {3: Scripted("call")})
    assert [(e["action"], e["amount"]) for e in hero.of("your_turn")[0]["valid_actions"]] == expected
