"""The clock of a table: when hands begin, how long a turn stays open, and the pauses in between."""

import asyncio
import contextlib
from datetime import timedelta
from typing import Protocol

from agent.arena.game.table import Table


class TableHost(Protocol):
    """Whoever decides about a table between two hands."""

    def goes_on(self, table: Table) -> bool:
        """See to the seats between hands; False once the table is closed."""

    def may_deal(self, table: Table) -> bool:
        """Whether another hand may begin."""

    def is_idle(self, table: Table) -> None:
        """The table has waited in vain for a second player."""


async def run_table(table: Table, host: TableHost) -> None:
    """Deal hand after hand while a client is there to play; return once the table is closed."""
    while await _is_ready(table, host):
        await _play_hand(table)


async def _is_ready(table: Table, host: TableHost) -> bool:
    """Wait until the next hand may begin; False when there will be none."""
    has_paused = table.hands_dealt == 0 or table.settings.between_hands_s <= 0
    while True:
        # Even a table that is ready lets its sockets speak first: leaving takes effect between hands.
        await asyncio.sleep(0)
        if not host.goes_on(table):
            return False
        if not (table.can_deal and host.may_deal(table)):
            await _change(table, host)
        elif has_paused:
            return True
        else:
            await _pause_between_hands(table)
            has_paused = True


async def _change(table: Table, host: TableHost) -> None:
    """Wait until somebody comes, goes or connects, or until the table has been idle for too long."""
    table.changed.clear()
    try:
        async with asyncio.timeout(table.settings.close_idle_table_s):
            await table.changed.wait()
    except TimeoutError:
        host.is_idle(table)


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
            while table.turn is turn and not turn.seat.is_given_up:
                table.changed.clear()
                await table.changed.wait()
    if table.turn is turn:
        table.time_out()
