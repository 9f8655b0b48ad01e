"""The tables of one pool: opened for clients who wait, filled up with house players, closed when nobody is left."""

import asyncio
import logging
from collections.abc import Callable, Collection
from datetime import datetime

from agent.arena.faults.plan import FaultDice, FaultPlan, disguised, swollen
from agent.arena.game.loop import TableHost, run_table
from agent.arena.game.seeded import Seeded
from agent.arena.game.table import Seat, Table, TableOwner
from agent.arena.house.field import Field
from agent.arena.modes import Format
from agent.arena.settings import ArenaSettings

log = logging.getLogger("agent.arena")


class Floor:
    """Opens, fills and closes tables. `owner` and `host` answer for each of them, `names` are not for the house.

    What breaks a table is logged, closes that table alone, and is told to `on_failure`.
    """

    def __init__(
        self,
        settings: ArenaSettings,
        *,
        owner: TableOwner,
        host: TableHost,
        seeded: Seeded,
        field: Field,
        faults: FaultPlan,
        names: Callable[[], Collection[str]],
        on_failure: Callable[[Table, BaseException], None],
        now: Callable[[], datetime],
    ) -> None:
        self.tables: list[Table] = []
        self._settings = settings
        self._owner = owner
        self._host = host
        self._seeded = seeded
        self._field = field
        self._dice = FaultDice(faults, "house")
        self._names = names
        self._on_failure = on_failure
        self._now = now
        self._opened = 0
        self._given_names: dict[str, str] = {}
        self._newcomers = 0
        self._running: dict[Table, asyncio.Task[None]] = {}

    def open(self) -> Table | None:
        """A new table with house players and one free chair; None while as many as allowed are open."""
        if len(self.tables) >= self._settings.tables:
            return None
        is_tournament = self._settings.format is Format.FREEZEOUT
        table = Table(
            self._settings,
            self._owner,
            number=self._opened,
            is_tournament=is_tournament,
            seeded=self._seeded,
            now=self._now,
        )
        self._opened += 1
        self.tables.append(table)
        self.fill(table, leave_free=1)
        self._running[table] = asyncio.create_task(run_table(table, self._host))
        self._running[table].add_done_callback(lambda task: self._ended(table, task))
        return table

    def fill(self, table: Table, *, leave_free: int = 0) -> None:
        """Let house players take the highest free chairs of a table that rests, but for `leave_free`."""
        free = [number for number in range(self._settings.seats) if number not in table.seats]
        for number in reversed(free[leave_free:]):
            seat = self._newcomer(table, number)
            if seat is None:
                return
            table.sit(seat)

    def make_room(self, table: Table, wanted: int) -> None:
        """Ask house players to get up, so that `wanted` chairs come free: at once, or at the end of the hand."""
        house = [seat for _, seat in sorted(table.seats.items()) if seat.player is not None]
        leaving = [seat for seat in house if seat.leaving is not None]
        staying = [seat for seat in house if seat.leaving is None]
        for seat in staying[: max(0, wanted - len(leaving))]:
            table.leave(seat, "left")

    def frees_name(self, table: Table, name: str) -> bool:
        """Ask a house player with a client's name to get up, now or at the end of the hand; whether the name is free."""
        for seat in [seat for seat in table.seats.values() if seat.player is not None and seat.name == name]:
            if seat.leaving is None:
                table.leave(seat, "left")
        return all(seat.name != name for seat in table.seats.values())

    def close(self, table: Table, reason: str) -> None:
        """Send everybody away from a table, with their chips."""
        self.tables.remove(table)
        table.close(reason)

    async def stop(self) -> None:
        """Stop every table where it stands."""
        running = list(self._running.values())
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _newcomer(self, table: Table, number: int) -> Seat | None:
        """The next house player for a chair; None when the field has nobody left to come."""
        self._newcomers += 1
        rng = self._seeded.generator("newcomer", self._newcomers)
        taken = {self._given_names.get(seat.name, seat.name) for seat in table.seats.values()} | set(self._names())
        newcomer = self._field.newcomer(rng, taken)
        if newcomer is None:
            return None
        is_freezeout = self._settings.format is Format.FREEZEOUT
        stack = self._settings.starting_stack_chips if is_freezeout else newcomer.buy_in_chips
        stack = stack or self._settings.default_buy_in_chips
        name = disguised(newcomer.name, self._dice)
        if name != newcomer.name:
            self._given_names[name] = newcomer.name
        return Seat(number, name, swollen(stack, self._dice), player=newcomer.player)

    def _ended(self, table: Table, task: asyncio.Task[None]) -> None:
        self._running.pop(table, None)
        failure = None if task.cancelled() else task.exception()
        if failure is None:
            return
        log.error("table %s broke and is closed: %r", table.table_id, failure)
        if table in self.tables:
            self.close(table, "table_closing")
        self._on_failure(table, failure)
