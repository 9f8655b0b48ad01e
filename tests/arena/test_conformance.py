"""Real sessions with the arena have no problem that the checkers of frames and sessions know of."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest

from agent.arena.arena import Arena
from agent.arena.house.player import house_player
from agent.arena.settings import ArenaSettings
from tests.arena.bot_habits import Habits
from tests.arena.plain_client import Frame, PlainClient, check_or_call, check_or_fold
from tests.arena.plain_player import PlainPlayer
from tests.arena.session_conformance import of, session_problems, whole_hands


@asynccontextmanager
async def arena_of(house: str, count: int, **settings: Any) -> AsyncIterator[Arena]:
    """An arena without pauses, with that many house players of one kind, and three clients' keys."""
    rules: dict[str, Any] = {
        "seed": 5,
        "max_messages_per_s": None,
        "rebuy_cooldown_s": 0.0,
        "start_chips": 1_000_000,
        **settings,
    }
    otters = [(f"Otter{number}", house_player(house)) for number in range(count)]
    accounts = {"a": "Heron", "b": "Lynx", "c": "Marten"}
    async with Arena(ArenaSettings(**rules), house=otters, accounts=accounts) as arena:
        yield arena


async def play(arena: Arena, choose: Callable[[Frame], Frame], *, hands: int) -> PlainClient:
    """One client that plays so many hands by one rule."""
    client = PlainClient(arena.ws_url, "a")
    await client.connect()
    await client.join()
    await client.play(choose, hands=hands)
    await client.close()
    return client


def assert_conforms(client: PlainClient) -> None:
    assert client.problems == []
    assert session_problems(client.frames) == []


def results(client: PlainClient) -> list[Mapping[str, Any]]:
    return [hand[-1] for hand in whole_hands(client.frames)]


@pytest.mark.parametrize("house", [2, 5])
async def test_hands_at_a_ring_conform_to_their_showdowns(house: int) -> None:
    async with arena_of("calling_station", house) as arena:
        client = await play(arena, check_or_call, hands=15)
    assert_conforms(client)
    assert any(result["shown_cards"] for result in results(client))


async def test_a_table_where_everybody_folds_conforms() -> None:
    async with arena_of("tight", 3) as arena:
        client = await play(arena, check_or_fold, hands=25)
    assert_conforms(client)
    assert any(result["shown_cards"] is None for result in results(client))


@pytest.mark.parametrize("is_standard", [False, True])
async def test_heads_up_hands_conform_whoever_posts_the_small_blind(is_standard: bool) -> None:
    async with arena_of("random", 1, heads_up_button_posts_small_blind=is_standard) as arena:
        client = await play(arena, check_or_call, hands=20)
    assert_conforms(client)
    assert {len(result["final_stacks"]) for result in results(client)} == {2}


async def test_walks_conform() -> None:
    async with arena_of("random", 1) as arena:
        client = await play(arena, lambda _: {"action": "fold"}, hands=10)
    assert_conforms(client)
    own = [hand for hand in whole_hands(client.frames) if len(of(hand, "player_action")) == 1]
    assert own
    assert all(hand[-1]["winners"][0]["hand_description"] is None for hand in own)


async def test_several_clients_that_bust_leave_and_come_back_conform() -> None:
    habits = Habits(leave_rate=0.05, cut_rate=0.02, lost_ack_rate=0.05)
    async with arena_of("random", 2) as arena:
        players = [PlainPlayer(arena.ws_url, arena.api_url, key, habits=habits, seed=ord(key)) for key in "abc"]
        await asyncio.gather(*(player.play(40) for player in players))
    for player in players:
        assert player.problems == []
    seen = {event for player in players for event, count in player.seen.items() if count}
    assert {"gone: busted", "gone: left", "resync with a turn", "lost ack"} <= seen


async def test_the_pause_between_hands_conforms_with_its_floats() -> None:
    async with arena_of("calling_station", 1, between_hands_s=0.05) as arena:
        client = await play(arena, check_or_call, hands=2)
        await client.connect()
        await client.send("resync_request", table_id=client.of("hand_start")[0]["table_id"], last_table_seq=0)
        await client.until("resync_response")
        await client.close()
    assert_conforms(client)
