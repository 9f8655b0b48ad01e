"""The season of a cash game: accounts and their chips, the queue for seats, and the tables they lead to."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil

from agent.arena import wire
from agent.arena.account import Account
from agent.arena.house import HousePlayer
from agent.arena.records import HandRecord
from agent.arena.referee import RefusedError
from agent.arena.seeded import Seeded
from agent.arena.settings import ArenaSettings
from agent.arena.stream import utc_now
from agent.arena.table import Seat, Table
from agent.openpoker.frames import Frame, whole_chips


@dataclass(slots=True, eq=False)
class Waiting:
    """A client in the queue; ready once the matchmaker has had its time."""

    account: Account
    buy_in_chips: int
    is_ready: bool = False


class Lobby:
    """Everything that outlives a connection. `clients` maps API keys to names; house players sit down at once."""

    def __init__(
        self,
        settings: ArenaSettings,
        *,
        clients: Mapping[str, str],
        house: Sequence[tuple[str, HousePlayer]],
        on_hand: Callable[[HandRecord], None] | None = None,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        names = [*clients.values(), *(name for name, _ in house)]
        if len(set(names)) < len(names):
            raise ValueError(f"two players share a name: {', '.join(sorted(names))}")
        if len(house) >= settings.seats:
            raise ValueError(f"{len(house)} house players leave no free seat of {settings.seats} for a client")
        self.settings = settings
        self.seeded = Seeded(settings.seed)
        self.started_at = now()
        self.table = Table(settings, self, now=now)
        self._on_hand = on_hand
        self._now = now
        self._queue: list[Waiting] = []
        self._seat_holds: dict[str, asyncio.TimerHandle] = {}
        self._accounts = {
            key: Account(name, self.seeded.id("agent", name), settings.start_chips) for key, name in clients.items()
        }
        for number, (name, player) in enumerate(house, settings.seats - len(house)):
            self.table.sit(Seat(number, name, settings.default_buy_in_chips, player=player))

    # Accounts and connections

    @property
    def accounts(self) -> tuple[Account, ...]:
        """All clients of the season."""
        return tuple(self._accounts.values())

    def account_for(self, key: str | None) -> Account | None:
        """Whose key this is."""
        return self._accounts.get(key) if key else None

    def table_of(self, account: Account) -> Table | None:
        """The table a client sits at."""
        return self.table if self.table.seat_of(account) else None

    def connect(self, account: Account, deliver: Callable[[Frame], None]) -> None:
        """A client's socket is open: its seat is kept, and a seat it waits for may be taken."""
        account.deliver = deliver
        hold = self._seat_holds.pop(account.name, None)
        if hold is not None:
            hold.cancel()
        self.table.changed.set()
        self._seat_waiting()

    def disconnect(self, account: Account) -> None:
        """A client's socket is gone; its seat is kept for a while."""
        account.deliver = None
        self.table.changed.set()
        loop = asyncio.get_running_loop()
        self._seat_holds[account.name] = loop.call_later(self.settings.seat_hold_s, self._release, account)

    def close(self) -> None:
        """Forget every timer."""
        for hold in self._seat_holds.values():
            hold.cancel()

    # What clients ask for

    def join(self, account: Account, wish: object) -> None:
        """Queue for a seat; a buy-in that is missing or out of bounds becomes the default."""
        account.is_registered = True
        if self.table_of(account) is not None:
            raise RefusedError("already_seated", "you already have a seat")
        if any(waiting.account is account for waiting in self._queue):
            raise RefusedError("already_in_lobby", "you already wait for a seat")
        low, high = self.settings.min_buy_in_chips, self.settings.max_buy_in_chips
        asked = whole_chips(wish)
        buy_in = asked if asked is not None and low <= asked <= high else self.settings.default_buy_in_chips
        if buy_in > account.chips:
            raise RefusedError("insufficient_funds", f"a buy-in of {buy_in} needs more than {account.chips} chips")
        waiting = Waiting(account, buy_in)
        self._queue.append(waiting)
        wait = f"~{ceil(self.settings.matchmaking_s)}s"
        account.send({"type": "lobby_joined", "position": len(self._queue), "estimated_wait": wait})
        asyncio.get_running_loop().call_later(self.settings.matchmaking_s, self._match, waiting)

    def leave(self, account: Account) -> None:
        """Give up the seat, at the end of the hand when one is being played; also leaves the queue."""
        self._queue = [waiting for waiting in self._queue if waiting.account is not account]
        seat = self.table.seat_of(account)
        if seat is None:
            raise RefusedError("not_at_table", "you have no seat")
        if seat.leaving is not None:
            raise RefusedError("leave_pending", "you leave at the end of the hand")
        self.table.leave(seat, "left")

    def set_auto_rebuy(self, account: Account, enabled: bool) -> None:
        """Whether a bust at the table buys in again by itself."""
        if not account.is_registered:
            raise RefusedError("not_registered_for_season", "join the lobby first")
        account.auto_rebuy = enabled
        account.send({"type": "auto_rebuy_set", "enabled": enabled})

    def rebuy(self, account: Account) -> None:
        """Credit a rebuy to a client who has no seat and less than the smallest buy-in."""
        if not account.is_registered:
            raise RefusedError("not_registered_for_season", "join the lobby first")
        if self.table.seat_of(account) is not None or account.chips >= self.settings.min_buy_in_chips:
            raise RefusedError("rebuy_not_allowed", "a rebuy needs no seat and less than the smallest buy-in")
        account.chips += self.settings.rebuy_chips

    def resync(self, account: Account, table_id: str, after: int) -> None:
        """Send what the client missed."""
        known = table_id == self.table.table_id
        account.send(self.table.resync(account, after) if known else wire.unknown_table(table_id))

    # What the table reports

    def hand_played(self, record: HandRecord) -> None:
        """Pass a finished hand on to the local audience."""
        if self._on_hand is not None:
            self._on_hand(record)

    def busted(self, table: Table, seat: Seat) -> None:
        """Top a house player up; a client loses the seat, and is bought in again off the table if it asked for it."""
        account = seat.account
        if account is None:
            seat.stack_chips = self.settings.default_buy_in_chips
            return
        is_poor = account.chips + seat.stack_chips < self.settings.min_buy_in_chips
        rebuys = account.auto_rebuy and is_poor
        if rebuys:
            due = self._now().isoformat(timespec="seconds").replace("+00:00", "Z")
            account.send({"type": "auto_rebuy_scheduled", "rebuy_at": due, "cooldown_seconds": 0})
        table.remove(seat, "busted")
        if rebuys:
            account.chips += self.settings.rebuy_chips
            account.send(self.rebuy_confirmed(account))
        else:
            account.send({"type": "busted", "options": ["rebuy", "leave"]})

    def seat_freed(self, table: Table) -> None:
        """Seat whoever waits."""
        self._seat_waiting()

    @staticmethod
    def rebuy_confirmed(account: Account) -> Frame:
        """The chips of a rebuy lie off the table."""
        return {"type": "rebuy_confirmed", "new_stack": 0, "chip_balance": account.chips}

    # Inside

    def _match(self, waiting: Waiting) -> None:
        waiting.is_ready = True
        self._seat_waiting()

    def _seat_waiting(self) -> None:
        """Seat, in their order, all who are ready, connected and find a free seat."""
        for waiting in [w for w in self._queue if w.is_ready and w.account.is_connected]:
            number = self.table.free_seat
            if number is None:
                return
            self._queue.remove(waiting)
            account = waiting.account
            account.chips -= waiting.buy_in_chips
            self.table.sit(Seat(number, account.name, waiting.buy_in_chips, account=account))

    def _release(self, account: Account) -> None:
        self._seat_holds.pop(account.name, None)
        seat = self.table.seat_of(account)
        if seat is not None and not account.is_connected:
            self.table.leave(seat, "disconnected")
