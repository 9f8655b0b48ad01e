"""The matchmaker of one pool: who waits for a seat, and at which table it is taken."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from agent.arena.game.account import Account
from agent.arena.game.table import Seat, Table
from agent.arena.league.floor import Floor
from agent.arena.settings import ArenaSettings


@dataclass(slots=True, eq=False)
class Waiting:
    """A client in the queue; ready once the matchmaker has had its time."""

    account: Account
    buy_in_chips: int
    is_ready: bool = False


class Matchmaker:
    """Seats clients in the order in which they came; house players get up for them.

    `takes_newcomers` tells whether a table may be joined, `seated` hears of every client that has a seat.
    """

    def __init__(
        self,
        settings: ArenaSettings,
        floor: Floor,
        *,
        takes_newcomers: Callable[[Table], bool],
        seated: Callable[[Table], None],
    ) -> None:
        self._settings = settings
        self._floor = floor
        self._takes_newcomers = takes_newcomers
        self._seated = seated
        self._queue: list[Waiting] = []
        self._is_matching = False

    def __contains__(self, account: Account) -> bool:
        """Whether a client waits for a seat."""
        return any(waiting.account is account for waiting in self._queue)

    def enter(self, account: Account, buy_in_chips: int) -> int:
        """Queue a client with what it will sit down with; its position, from 1."""
        waiting = Waiting(account, buy_in_chips)
        self._queue.append(waiting)
        asyncio.get_running_loop().call_later(self._settings.matchmaking_s, self._make_ready, waiting)
        return len(self._queue)

    def leave(self, account: Account) -> None:
        """Take a client out of the queue, if it is there."""
        self._queue = [waiting for waiting in self._queue if waiting.account is not account]

    def clear(self) -> None:
        """Nobody waits any longer."""
        self._queue.clear()

    def match(self) -> None:
        """Seat, in their order, all who are ready, connected and find a chair; house players get up for the others."""
        if self._is_matching:
            return
        self._is_matching = True
        try:
            hoping: dict[Table, int] = {}
            for waiting in [w for w in self._queue if w.is_ready and w.account.is_connected]:
                table = self._table_for(hoping)
                if table is None:
                    break
                if table.free_seat is None:
                    self._floor.make_room(table, hoping.get(table, 0) + 1)
                if table.free_seat is None or not self._floor.frees_name(table, waiting.account.name):
                    hoping[table] = hoping.get(table, 0) + 1
                else:
                    self._sit(table, table.free_seat, waiting)
        finally:
            self._is_matching = False

    def _make_ready(self, waiting: Waiting) -> None:
        waiting.is_ready = True
        self.match()

    def _table_for(self, hoping: dict[Table, int]) -> Table | None:
        """The open table with most clients that has room for one more, else a new one; None when all are full.

        `hoping` counts the clients for whom a house player will get up.
        """
        open_tables = [
            table
            for table in self._floor.tables
            if len(table.clients) + hoping.get(table, 0) < self._settings.most_clients
            and self._takes_newcomers(table)
            and self._has_chair(table, hoping.get(table, 0))
        ]
        return max(open_tables, key=lambda table: len(table.clients), default=None) or self._floor.open()

    def _has_chair(self, table: Table, promised: int) -> bool:
        house = sum(seat.player is not None for seat in table.seats.values())
        return self._settings.seats - len(table.seats) + house > promised

    def _sit(self, table: Table, number: int, waiting: Waiting) -> None:
        self._queue.remove(waiting)
        waiting.account.chips -= waiting.buy_in_chips
        table.sit(Seat(number, waiting.account.name, waiting.buy_in_chips, account=waiting.account))
        self._seated(table)
