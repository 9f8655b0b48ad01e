"""The clock of a table: when hands begin, how long a turn stays open, and the pauses in between."""

import asyncio
import contextlib
from datetime import timedelta

from agent.arena.table import Table


async def run_table(table: Table) -> None:
    """Deal hand after hand while a client is there to play; return once `max_hands` were played."""
    settings = table.settings
    while settings.max_hands is None or table.hands_dealt < settings.max_hands:
        await _wait_for_players(table)
        if table.hands_dealt and settings.between_hands_s > 0:
            await _pause_between_hands(table)
            if not table.can_deal:
                continue
        await _play_hand(table)


async def _wait_for_players(table: Table) -> None:
    # Even a table that is ready lets its sockets speak first: leaving takes effect between hands.
    await asyncio.sleep(0)
    while not table.can_deal:
        table.changed.clear()
        await table.changed.wait()


async def _pause_between_hands(table: Table) -> None:
    table.next_hand_at = table.now() + timedelta(seconds=table.settings.between_hands_s)
    await asyncio.sleep(table.settings.between_hands_s)
    table.next_hand_at = None


async def _play_hand(table: Table) -> None:
    table.start_hand()
    hand = table.hand
    if hand is None:
        raise RuntimeError("no hand was dealt")
    await asyncio.sleep(table.settings.pace_s)
    while hand.settlement is None:
        if hand.is_street_due:
            table.deal_street()
            if hand.actor_seat is not None or hand.settlement is not None:
                continue
        else:
            await _take_turn(table)
        if hand.settlement is None:
            await asyncio.sleep(table.settings.pace_s)
    table.finish_hand()


async def _take_turn(table: Table) -> None:
    turn = table.prompt()
    if turn.seat.player is not None and table.hand is not None:
        made = len(table.hand.actions)
        rng = table.seeded.generator("house", table.number, table.hands_dealt, turn.seat.number, made)
        table.play_for_house(turn.seat.player.act(table.hand.spot(turn.seat.number), rng))
        return
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(table.settings.action_clock_s):
            while turn.chosen is None:
                table.changed.clear()
                await table.changed.wait()
    if turn.chosen is None:
        table.time_out()
    else:
        table.play_chosen()
