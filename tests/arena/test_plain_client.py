"""A bot that was written from the protocol document alone plays whole sessions, and its books agree with the venue's."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from agent.arena.arena import Arena
from agent.arena.faults.plan import FaultName, FaultPlan, parse_faults
from agent.arena.house.player import house_player
from agent.arena.settings import ArenaSettings
from tests.arena.bot_habits import Habits, random_choice
from tests.arena.chip_book import Book
from tests.arena.plain_player import PlainPlayer

KEYS = {"key-of-heron": "Heron", "-key-of-lynx": "Lynx", "key/of+marten": "Marten"}


@asynccontextmanager
async def arena_of(*, house: int = 2, faults: FaultPlan | None = None, **settings: Any) -> AsyncIterator[Arena]:
    """An arena without pauses, with that many house players who do anything legal."""
    rules: dict[str, Any] = {"seed": 3, "max_messages_per_s": None, "rebuy_cooldown_s": 0.0, **settings}
    otters = [(f"Otter{number}", house_player("random")) for number in range(house)]
    async with Arena(ArenaSettings(**rules), house=otters, accounts=KEYS, faults=faults) as arena:
        yield arena


def player_in(arena: Arena, habits: Habits | None = None, *, key: str = "key-of-heron", **options: Any) -> PlainPlayer:
    return PlainPlayer(arena.ws_url, arena.api_url, key, habits=habits, **{"seed": 1, **options})


def happened(player: PlainPlayer, *events: str) -> list[str]:
    """Those of the events that happened."""
    return [event for event in events if player.seen[event]]


def refusals(seen: Counter[str]) -> list[str]:
    return [event for event in seen if event.startswith("rejected")]


async def test_a_plain_bot_plays_five_hundred_hands_with_everything_that_can_happen_on_the_way() -> None:
    habits = Habits(auto_rebuy=False, lost_ack_rate=0.02, cut_rate=0.01, leave_rate=0.02)
    async with arena_of() as arena:
        player = player_in(arena, habits)
        await player.play(500)
        stats = arena.stats("Heron")
    assert player.problems == []
    assert len(player.hands) >= 500
    events = (
        *("gone: busted", "busted", "manual rebuy", "gone: left", "lost ack", "retry"),
        *("cut in mid-hand", "cut on its turn", "cut after its action", "resync", "resync with a turn"),
    )
    assert happened(player, *events) == list(events)
    assert refusals(player.seen) == []
    assert (stats.rejected, stats.repeated, stats.timeouts) == (0, 0, 0)
    assert stats.accepted == stats.prompts


@pytest.mark.parametrize(
    "habits",
    [
        Habits(),
        Habits(chips=float, amounts="null"),
        Habits(ids="uuid", key_in_query=True),
        Habits(speaks_before_greeting=True, leave_rate=0.05),
        Habits(auto_rebuy=False, amounts="null", ids="uuid"),
        Habits(chips=float, ids="uuid", speaks_before_greeting=True, lost_ack_rate=0.3, cut_rate=0.1, leave_rate=0.05),
    ],
)
async def test_bots_of_every_habit_play_and_reconcile(habits: Habits) -> None:
    async with arena_of() as arena:
        player = player_in(arena, habits)
        await player.play(30)
    assert player.problems == []
    assert refusals(player.seen) == []


@pytest.mark.parametrize(("auto_rebuy", "event"), [(True, "rebuy confirmed"), (False, "manual rebuy")])
async def test_a_busted_bot_buys_in_again_and_sits_down_with_what_it_has(auto_rebuy: bool, event: str) -> None:
    async with arena_of(start_chips=1_000) as arena:
        player = player_in(arena, Habits(auto_rebuy=auto_rebuy))
        await player.play(30)
    assert player.problems == []
    assert happened(player, "gone: busted", event) == ["gone: busted", event]


async def test_a_leave_that_is_answered_by_a_closed_table_is_finished_by_one_more() -> None:
    faults = parse_faults({"late_table_closed": {"rate": 1.0}})
    async with arena_of(faults=faults) as arena:
        player = player_in(arena, Habits(leave_rate=0.2))
        await player.play(15)
    assert happened(player, "table closed", "error not_at_table") == ["table closed", "error not_at_table"]
    assert player.problems == []


async def test_a_bot_survives_the_end_of_a_season_and_joins_the_next() -> None:
    async with arena_of(season_s=1.5, wind_down_s=0.1) as arena:
        player = player_in(arena)
        closing = ["table closed", "season ended"]
        await player.play_until(lambda: happened(player, *closing) == closing and is_hand_over(player))
    assert player.problems == []


def is_hand_over(player: PlainPlayer) -> bool:
    return bool(player.client.frames[-1]["type"] == "hand_result")


@pytest.mark.parametrize(
    "fault",
    [
        *("cut_before_action", "cut_after_action", "stale_token", "silent_removal"),
        *("spectator_resync", "null_snapshot", "already_seated_in_details", "already_seated_nowhere"),
    ],
)
async def test_a_bot_that_keeps_to_the_document_outlives_a_fault_with_its_books_in_order(fault: str) -> None:
    rates: dict[str, Any] = {fault: {"rate": 0.15}}
    if fault.startswith("already_seated"):
        rates = {fault: {"rate": 1.0}, "spectator_resync": {"rate": 0.5}}
    plan = parse_faults(rates, seed=2)
    async with arena_of(faults=plan) as arena:
        player = player_in(arena, Habits(cut_rate=0.05, leave_rate=0.05), patience_s=0.3)
        await player.play(25)
    assert plan.happened[FaultName(fault)] > 0
    assert player.problems == []


async def test_a_bot_whose_acks_are_lost_keeps_its_books_and_notes_what_was_missing() -> None:
    plan = parse_faults({"lost_ack": {"rate": 0.15}}, seed=2)
    async with arena_of(faults=plan) as arena:
        player = player_in(arena, patience_s=0.3)
        await player.play(25)
    assert (player.client.problems, player.book.errors) == ([], [])
    missing = [problem for problem in player.problems if "was not acknowledged before" in problem]
    assert len(missing) == plan.happened[FaultName.LOST_ACK] > 0


async def test_several_bots_share_a_table_and_their_books_agree_with_the_venue() -> None:
    async with arena_of(house=1) as arena:
        players = [
            player_in(arena, Habits(cut_rate=0.02, leave_rate=0.02), key=key, seed=n) for n, key in enumerate(KEYS)
        ]
        await asyncio.gather(*(player.play(60) for player in players))
    assert [player.problems for player in players] == [[], [], []]
    assert [refusals(player.seen) for player in players] == [[], [], []]


# What the bot itself is made of


def test_a_book_notices_chips_that_it_cannot_explain() -> None:
    book = Book(balance=5_000)
    book.sit(2_000)
    book.check_stack("a snapshot", 2_000)
    book.check_balance("/season/me", 3_000)
    assert book.errors == []
    book.check_stack("a snapshot", 1_990)
    book.check_balance("/season/me", 3_010)
    assert book.errors == [
        "a snapshot states 1990 chips at the table, the book 2000",
        "/season/me states 3010 chips off the table, the book 3000",
    ]


def test_random_choices_are_legal_and_never_fold_a_free_check() -> None:
    offer: Sequence[dict[str, Any]] = [
        {"action": "fold"},
        {"action": "check"},
        {"action": "raise", "min": 40, "max": 43},
    ]
    rng = random.Random(1)
    choices = [random_choice({"valid_actions": offer}, rng) for _ in range(300)]
    assert {choice["action"] for choice in choices} == {"check", "raise"}
    assert {choice["amount"] for choice in choices if "amount" in choice} == {40, 41, 42}
