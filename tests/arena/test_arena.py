"""Whole sessions: repeatable, and with nobody's cards in the wrong frame."""

import asyncio
import json
import math
from collections.abc import Sequence
from typing import Any

import pytest

from agent.arena.arena import Arena
from agent.arena.game.records import HandRecord
from agent.arena.house.player import HOUSE_KINDS, house_player
from agent.arena.modes import Pace
from agent.arena.settings import PACES, ArenaSettings
from agent.poker.cards import format_card
from tests.arena.plain_client import PlainClient, check_or_call, shove

EVERY_KIND = tuple((kind, house_player(kind)) for kind in HOUSE_KINDS)


async def session(
    seed: int, *, hands: int = 25, settings: dict[str, Any] | None = None
) -> tuple[list[HandRecord], PlainClient]:
    """One client against every kind of house player, all in on every turn, buying in again after each bust."""
    records: list[HandRecord] = []
    rules = ArenaSettings(seed=seed, max_hands=hands, start_chips=1_500, **PACES[Pace.FAST], **(settings or {}))
    async with Arena(rules, house=EVERY_KIND, accounts={"key": "Heron"}, on_hand=records.append) as arena:
        client = PlainClient(arena.ws_url, "key")
        await client.connect()
        await client.join(1_000)
        await client.send("set_auto_rebuy", enabled=True)
        await client.play(shove, hands=hands)
        await arena.finished()
        await client.close()
    return records, client


async def test_the_same_seed_and_actions_give_the_same_hands_and_ids_whatever_the_timing() -> None:
    first, seen_first = await session(5)
    second, seen_second = await session(5, settings={"pace_s": 0.001, "between_hands_s": 0.001})
    assert first == second
    for kind in ("your_turn", "hole_cards", "hand_start"):
        assert [ids(frame) for frame in seen_first.of(kind)] == [ids(frame) for frame in seen_second.of(kind)]
    other, _ = await session(6)
    assert [record.hole_cards for record in other] != [record.hole_cards for record in first]


def ids(frame: dict[str, Any]) -> list[Any]:
    return [frame.get(key) for key in ("table_id", "hand_id", "turn_token", "cards", "valid_actions")]


async def test_the_audience_gets_every_hand_with_all_cards_and_chips_that_add_up() -> None:
    records, client = await session(7)
    assert [record.number for record in records] == list(range(1, 26))
    for record, result in zip(records, client.of("hand_result"), strict=True):
        assert set(record.hole_cards) == set(record.names) == set(record.start_stacks)
        assert sum(record.start_stacks.values()) == sum(record.final_stacks.values())
        assert len({*record.board, *(card for hole in record.hole_cards.values() for card in hole)}) == len(
            record.board
        ) + 2 * len(record.names)
        assert record.hand_id == result["hand_id"]
        assert {str(seat): stack for seat, stack in record.final_stacks.items()} == result["final_stacks"]
        assert [past.added_chips for past in record.actions] == [
            frame["contribution_delta"] for frame in client.of("player_action") if frame["hand_id"] == record.hand_id
        ]


async def test_the_pause_between_hands_is_told_in_floats_and_hashed_as_such() -> None:
    rules = ArenaSettings(seed=1, max_messages_per_s=None, between_hands_s=30)
    async with Arena(rules, house=EVERY_KIND[:1], accounts={"key": "Heron", "other": "Lynx"}) as arena:
        client, late = PlainClient(arena.ws_url, "key"), PlainClient(arena.ws_url, "other")
        await client.connect()
        await client.join()
        await client.play(check_or_call, hands=1)
        await late.connect()
        await late.join()
        snapshot = await late.until("table_state")
        assert snapshot["waiting_reason"] == "between_hands_delay"
        assert snapshot["waiting_details"]["configured_delay_seconds"] == 30.0
        assert {type(value) for value in snapshot["waiting_details"].values()} == {float}
        assert len(snapshot["board"]) == len(client.of("table_state")[-1]["board"])
        assert snapshot["hero"] == {"seat": late.of("table_joined")[0]["seat"]}
        await client.close()
        await late.close()


async def test_no_frame_shows_a_hidden_card_to_the_wrong_player() -> None:
    records: list[HandRecord] = []
    rules = ArenaSettings(seed=9, max_hands=40, max_messages_per_s=None, start_chips=1_000_000)
    accounts = {"key": "Heron", "other": "Lynx"}
    async with Arena(rules, house=EVERY_KIND[:3], accounts=accounts, on_hand=records.append) as arena:
        clients = [PlainClient(arena.ws_url, key) for key in accounts]
        for client in clients:
            await client.connect()
            await client.join()
        playing = [asyncio.create_task(play_for_ever(client)) for client in clients]
        await arena.finished()
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        for client in clients:
            await client.close()
    for client, name in zip(clients, accounts.values(), strict=True):
        assert hands_with_foreign_cards(client.frames, records, name) == []


async def play_for_ever(client: PlainClient) -> None:
    await client.play(check_or_call, hands=1_000_000)


def hands_with_foreign_cards(frames: Sequence[dict[str, Any]], records: Sequence[HandRecord], name: str) -> list[str]:
    """The types of frames before each result that hold a card of another seat."""
    found = []
    for record in records:
        own = {seat for seat, other in record.names.items() if other == name}
        hidden = [format_card(card) for seat, hole in record.hole_cards.items() if seat not in own for card in hole]
        for frame in frames:
            if frame.get("hand_id") == record.hand_id and frame["type"] != "hand_result":
                text = json.dumps(frame)
                found += [frame["type"] for card in hidden if f'"{card}"' in text]
    return found


async def test_what_breaks_the_table_is_raised_to_whoever_waits_for_it() -> None:
    def fail(_: HandRecord) -> None:
        raise RuntimeError("the audience left")

    arena = Arena(ArenaSettings(seed=1), house=EVERY_KIND[:1], accounts={"key": "Heron"}, on_hand=fail)
    with pytest.raises(RuntimeError, match="the audience left"):
        await play_one_hand(arena)
    with pytest.raises(RuntimeError, match="the audience left"):
        await arena.finished()


async def play_one_hand(arena: Arena) -> None:
    async with arena:
        client = PlainClient(arena.ws_url, "key")
        await client.connect()
        await client.join()
        turn = await client.until("your_turn")
        await client.act(turn, {"action": "fold"})
        await client.until("hand_result")
        await client.close()


def test_names_must_differ() -> None:
    with pytest.raises(ValueError, match="share a name"):
        Arena(ArenaSettings(), house=EVERY_KIND[:1], accounts={"key": EVERY_KIND[0][0]})


@pytest.mark.parametrize(
    "wrong",
    [
        *({"seats": 1}, {"seats": 7}, {"small_blind_chips": 30}, {"min_buy_in_chips": 10}),
        *({"default_buy_in_chips": 6_000}, {"tables": 0}, {"clients_per_table": 7}, {"action_clock_s": 0.0}),
        *({"season_s": 20.0}, {"season_s": 0.0, "wind_down_s": 0.0}, {"retained_hands": -1}, {"retained_events": -1}),
        *({"pace_s": math.nan}, {"pace_s": -1.0}, {"action_clock_s": math.inf}, {"max_messages_per_s": 0}),
        *({"start_chips": -5}, {"takeover_close_code": 5}, {"hands_per_level": 0}),
    ],
)
def test_settings_that_no_table_can_run_with_are_refused_by_name(wrong: dict[str, Any]) -> None:
    words = {"small_blind_chips": "blinds", "min_buy_in_chips": "buy-ins", "default_buy_in_chips": "buy-ins"}
    name = next(iter(wrong))
    with pytest.raises(ValueError, match=words.get(name, name)):
        ArenaSettings(**wrong)


def test_stats_of_a_stranger_and_urls_of_a_closed_arena_are_errors() -> None:
    arena = Arena(ArenaSettings(), accounts={"key": "Heron"})
    with pytest.raises(KeyError):
        arena.stats("Otter")
    with pytest.raises(RuntimeError, match="not open"):
        assert arena.ws_url
