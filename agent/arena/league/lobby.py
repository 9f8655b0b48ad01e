"""One pool of players: its season entries, and what happens to chips and seats after a hand."""

import asyncio
from collections.abc import Callable
from datetime import datetime
from math import ceil

from agent.arena.faults.plan import FaultDice, FaultName, FaultPlan
from agent.arena.game.account import Account, PlayedHand
from agent.arena.game.records import HandRecord, Timings
from agent.arena.game.refusal import RefusedError
from agent.arena.game.seeded import Seeded
from agent.arena.game.table import Seat, Table
from agent.arena.house.field import Field
from agent.arena.league.bank import Bank, busted
from agent.arena.league.floor import Floor
from agent.arena.league.freezeout import Freezeouts
from agent.arena.league.keys import Agent
from agent.arena.league.matchmaker import Matchmaker
from agent.arena.league.season import Season, Standing
from agent.arena.modes import Format
from agent.arena.settings import ArenaSettings
from agent.arena.wire import frames as wire
from agent.openpoker.frames import Frame, whole_chips


class Lobby:
    """Everything of one pool that outlives a connection: the public league, or one private competition.

    `on_hand` gets every finished hand, `timings` how long actions take. `finished` is done after `max_hands` hands, or
    with what broke a table.
    """

    def __init__(
        self,
        settings: ArenaSettings,
        *,
        seeded: Seeded,
        field: Field,
        faults: FaultPlan,
        now: Callable[[], datetime],
        is_private: bool = False,
        on_hand: Callable[[HandRecord], None] = lambda _: None,
        timings: Timings | None = None,
    ) -> None:
        self.settings = settings
        self.season = Season(settings, seeded, now)
        self.is_private = is_private
        self.bank = Bank(settings, is_private=is_private, now=now)
        self.floor = Floor(
            settings,
            owner=self,
            host=self,
            seeded=seeded,
            field=field,
            faults=faults,
            names=lambda: [account.name for account in self.accounts],
            on_failure=self._fail,
            now=now,
        )
        self.freezeouts = Freezeouts(settings, self.floor) if settings.format is Format.FREEZEOUT else None
        self.matchmaker = Matchmaker(
            settings, self.floor, takes_newcomers=self._takes_newcomers, seated=self._client_seated
        )
        self.hands_dealt = 0
        self.finished: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.timings = timings or Timings()
        self._hand_ended = asyncio.Event()
        self._faults = faults
        self._now = now
        self._on_hand = on_hand
        self._busted_out: list[Account] = []
        self._seat_holds: dict[Account, asyncio.TimerHandle] = {}
        self._accounts: dict[str, Account] = {}
        self._dice: dict[Account, FaultDice] = {}

    # Accounts and connections

    @property
    def accounts(self) -> tuple[Account, ...]:
        """All clients that were ever here."""
        return tuple(self._accounts.values())

    def account_of(self, agent: Agent) -> Account:
        """The season entry of an agent; made when it is first asked for."""
        account = self._accounts.get(agent.agent_id)
        if account is None:
            account = Account(agent.name, agent.agent_id, self.settings.start_chips)
            self._accounts[agent.agent_id] = account
            self._dice[account] = FaultDice(self._faults, "client", agent.name)
        if not (account.is_registered or account.is_connected):
            account.name = agent.name
        return account

    def dice_of(self, account: Account) -> FaultDice:
        """What goes wrong for a client."""
        return self._dice[account]

    def seat_of(self, account: Account) -> tuple[Table, Seat] | None:
        """The table a client sits at, and its seat there."""
        table = account.table
        seat = table.seat_of(account) if table is not None else None
        return (table, seat) if table is not None and seat is not None else None

    def connect(self, account: Account, deliver: Callable[[Frame], None]) -> None:
        """A client's socket is open: its seat is kept, and a seat it waits for may be taken."""
        account.deliver = deliver
        hold = self._seat_holds.pop(account, None)
        if hold is not None:
            hold.cancel()
        seated = self.seat_of(account)
        if seated is not None and seated[1].leaving is None:
            seated[1].is_given_up = False
        self._wake_table_of(account)
        self.matchmaker.match()

    def disconnect(self, account: Account) -> None:
        """A client's socket is gone; its seat is kept for a while."""
        account.deliver = None
        self._wake_table_of(account)
        loop = asyncio.get_running_loop()
        self._seat_holds[account] = loop.call_later(self.settings.seat_hold_s, self._release, account)

    async def close(self) -> None:
        """Stop every table and forget every timer."""
        for hold in self._seat_holds.values():
            hold.cancel()
        self.bank.close()
        await self.floor.stop()
        self.finished.cancel()

    # What clients ask for

    def join(self, account: Account, wish: object) -> None:
        """Queue for a seat; a buy-in that is missing or out of bounds becomes the default."""
        if self.season.is_winding_down:
            raise RefusedError("winding_down", "the season is about to end")
        account.is_registered = True
        seated = self.seat_of(account)
        if seated is not None:
            table, seat = seated
            raise RefusedError("already_seated", "you have a seat", table_id=table.table_id, seat=seat.number)
        if account in self.matchmaker:
            raise RefusedError("already_in_lobby", "you already wait for a seat")
        buy_in = self._buy_in(wish)
        if buy_in > account.chips:
            raise RefusedError("insufficient_funds", f"a buy-in of {buy_in} needs more than {account.chips} chips")
        position = self.matchmaker.enter(account, buy_in)
        wait = f"~{ceil(self.settings.matchmaking_s)}s"
        account.send({"type": "lobby_joined", "position": position, "estimated_wait": wait})

    def leave(self, account: Account) -> None:
        """Give up the seat, at the end of the hand when one is being played; also leaves the queue."""
        self.matchmaker.leave(account)
        seated = self.seat_of(account)
        if seated is None:
            raise RefusedError("not_at_table", "you have no seat")
        table, seat = seated
        if seat.leaving is not None:
            raise RefusedError("leave_pending", "you leave at the end of the hand")
        seat.is_given_up = self.settings.leave_folds_at_once
        table.leave(seat, "left")

    def kick(self, account: Account) -> None:
        """Take the seat of a client that floods the table; nobody waits for its turns any more."""
        seated = self.seat_of(account)
        if seated is not None:
            table, seat = seated
            seat.is_given_up = True
            table.leave(seat, "disconnected")

    def resync(self, account: Account, table_id: str, after: int) -> None:
        """Send what the client missed."""
        table = next((table for table in self.floor.tables if table.table_id == table_id), None)
        account.send(table.resync(account, after) if table is not None else wire.unknown_table(table_id))

    # What the tables report

    def hand_played(self, record: HandRecord) -> None:
        """Count a finished hand, keep it for its clients, and pass it on to the local audience."""
        self.hands_dealt += 1
        table = next(table for table in self.floor.tables if table.table_id == record.table_id)
        for seat in table.clients:
            if seat.account is not None and seat.number in record.names:
                self._remember(seat.account, seat.number, record)
        if self.freezeouts is not None:
            self.freezeouts.hand_played(table)
        self._hand_ended.set()
        self._on_hand(record)
        if self.hands_dealt == self.settings.max_hands and not self.finished.done():
            self.finished.set_result(None)

    def busted(self, table: Table, seat: Seat) -> None:
        """Top a house player up; a client loses the seat, and is bought in again off the table if it asked for it."""
        account = seat.account
        if account is None and self.freezeouts is None:
            seat.stack_chips = self.settings.default_buy_in_chips
            return
        if account is None or self.freezeouts is not None:
            table.remove(seat, "busted")
            if account is not None:
                self._busted_out.append(account)
            return
        rebuys = self.bank.schedules(account, seat.stack_chips)
        table.remove(seat, "busted")
        if rebuys:
            self.bank.buy_back(account)
        else:
            account.send(busted())

    def seat_freed(self, table: Table) -> None:
        """Seat whoever waits."""
        self.matchmaker.match()

    # What the tables' clocks ask

    def goes_on(self, table: Table) -> bool:
        """Let house players come between two hands; False once the table is closed."""
        for seat in table.clients:
            if seat.account is not None and self._dice[seat.account].strikes(FaultName.SILENT_REMOVAL):
                table.remove(seat, "disconnected", silently=True)
        if self.freezeouts is not None:
            self.freezeouts.between_hands(table)
            self._see_to_the_busted()
        if table not in self.floor.tables:
            self.matchmaker.match()
            return False
        if table.clients and self._takes_newcomers(table):
            self.floor.fill(table)
        return True

    def may_deal(self, table: Table) -> bool:
        """Whether another hand may begin: not while the season winds down, nor beyond `max_hands`."""
        playing = sum(other.is_playing for other in self.floor.tables)
        if self.freezeouts is not None and not self.freezeouts.may_begin(table, asyncio.get_running_loop().time()):
            return False
        has_quota = self.settings.max_hands is None or self.hands_dealt + playing < self.settings.max_hands
        return has_quota and not self.season.is_winding_down

    def is_idle(self, table: Table) -> None:
        """Close a table that has waited in vain for a client, or whose client has waited in vain for company."""
        if table in self.floor.tables and not table.can_deal and self.may_deal(table):
            self.floor.close(table, "insufficient_players")

    # The season

    def wind_down(self) -> None:
        """No new hands and no joins; who waits for a seat waits no longer."""
        self.season.is_winding_down = True
        self.matchmaker.clear()

    async def end_season(self) -> None:
        """Let running hands finish, close every table, tell everybody, and begin the next season."""
        while any(table.is_playing for table in self.floor.tables):
            self._hand_ended.clear()
            await self._hand_ended.wait()
        for table in list(self.floor.tables):
            if self.freezeouts is not None:
                self.freezeouts.call_off(table)
            self.floor.close(table, "season_ended")
        self.bank.close()
        ended = self.season.end(self.leaderboard())
        for account in self.accounts:
            account.send({"type": "season_ended", "season_number": ended, "next_season_number": ended + 1})
            account.begin_season(self.settings.start_chips)

    def chips_at_table(self, account: Account) -> int:
        """A client's stack with its bet of this street; 0 without a seat."""
        table = account.table
        return table.chips_of(account) if table is not None else 0

    def score(self, account: Account) -> int:
        """What a client is ranked by."""
        penalty = account.rebuys * self.settings.rebuy_penalty_chips
        return account.chips + self.chips_at_table(account) - penalty

    def leaderboard(self) -> list[Standing]:
        """The registered clients by score, the best first."""
        registered = [account for account in self.accounts if account.is_registered]
        ranked = sorted(registered, key=lambda account: (-self.score(account), account.name))
        return [
            Standing(rank, a.name, self.score(a), a.hands, a.hands_won / a.hands if a.hands else 0.0)
            for rank, a in enumerate(ranked, 1)
        ]

    # Inside

    def _buy_in(self, wish: object) -> int:
        if self.freezeouts is not None:
            return self.settings.starting_stack_chips
        low, high = self.settings.min_buy_in_chips, self.settings.max_buy_in_chips
        asked = whole_chips(wish)
        return asked if asked is not None and low <= asked <= high else self.settings.default_buy_in_chips

    def _remember(self, account: Account, seat: int, record: HandRecord) -> None:
        account.hands += 1
        account.hands_won += record.final_stacks[seat] > record.start_stacks[seat]
        account.history.append(PlayedHand(self._now(), seat, record))
        while len(account.history) > self.settings.retained_hands:
            account.history.popleft()

    def _wake_table_of(self, account: Account) -> None:
        table = account.table
        if table is not None:
            table.changed.set()

    def _takes_newcomers(self, table: Table) -> bool:
        return self.freezeouts is None or not self.freezeouts.has_begun(table)

    def _client_seated(self, table: Table) -> None:
        if self.freezeouts is not None:
            loop = asyncio.get_running_loop()
            self.freezeouts.client_seated(table, loop.time())
            loop.call_later(self.settings.registration_s, table.changed.set)

    def _see_to_the_busted(self) -> None:
        """Buy those back who are out of a freeze-out, have no entry left and asked for it; tell the others."""
        for account in self._busted_out:
            if self.bank.schedules(account, 0):
                self.bank.buy_back(account)
            else:
                account.send(busted())
        self._busted_out.clear()

    def _release(self, account: Account) -> None:
        self._seat_holds.pop(account, None)
        seated = self.seat_of(account)
        if seated is not None and not account.is_connected:
            table, seat = seated
            # Whoever is away stays in a tournament; elsewhere the seat is lost. In both nobody waits for them any more.
            seat.is_given_up = True
            if table.is_tournament:
                table.changed.set()
            else:
                table.leave(seat, "disconnected")

    def _fail(self, table: Table, failure: BaseException) -> None:
        """A table broke and is closed: nobody waits for its hand any more, and there is room for another."""
        if self.freezeouts is not None:
            self.freezeouts.call_off(table)
        if not self.finished.done():
            self.finished.set_exception(failure)
        self._hand_ended.set()
        self.matchmaker.match()
