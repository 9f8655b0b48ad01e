"""Freeze-outs: equal stacks, blinds that rise, and nobody buys in again until one player is left.

Each table is a tournament of its own. Its entries are paid into one pool, which the best places share.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from agent.arena.game.account import Account
from agent.arena.game.table import Stakes, Table
from agent.arena.league.floor import Floor
from agent.arena.settings import ArenaSettings
from agent.openpoker.frames import Frame

# Small and big blind of each level; the last one stays.
LEVELS: Final = (
    (10, 20),
    (15, 30),
    (25, 50),
    (50, 100),
    (75, 150),
    (100, 200),
    (150, 300),
    (200, 400),
    (300, 600),
    (400, 800),
    (500, 1_000),
    (750, 1_500),
    (1_000, 2_000),
)

# What the places get of the pool in percent, by the number of entries.
PAYOUTS: Final[Mapping[int, tuple[int, ...]]] = {
    2: (100,),
    3: (65, 35),
    4: (65, 35),
    5: (50, 30, 20),
    6: (50, 30, 20),
}
RETAINED_RESULTS: Final = 100


@dataclass(frozen=True, slots=True)
class Place:
    """Where a player came in, and the chips that it brought."""

    place: int
    name: str
    payout_chips: int


@dataclass(slots=True)
class Freezeout:
    """One tournament: who entered, how many hands it took, and the places, the last one first as they are decided."""

    table_id: str
    entrants: dict[str, Account | None]
    pool_chips: int
    hands: int = 0
    places: list[Place] = field(default_factory=list)

    @property
    def remaining(self) -> list[str]:
        """Who is still in."""
        out = {place.name for place in self.places}
        return [name for name in self.entrants if name not in out]


def payouts(entries: int, pool_chips: int) -> dict[int, int]:
    """What each paid place gets of the pool; what does not divide goes to the winner.

    >>> payouts(6, 12_000)
    {1: 6000, 2: 3600, 3: 2400}
    >>> payouts(3, 101)
    {1: 66, 2: 35}
    """
    shares = {place: pool_chips * percent // 100 for place, percent in enumerate(PAYOUTS[entries], 1)}
    return {**shares, 1: shares[1] + pool_chips - sum(shares.values())}


def level(hands: int, hands_per_level: int) -> tuple[int, int]:
    """The blinds after so many hands.

    >>> level(9, 10), level(10, 10), level(10_000, 10)
    ((10, 20), (15, 30), (1000, 2000))
    """
    return LEVELS[min(hands // hands_per_level, len(LEVELS) - 1)]


class Freezeouts:
    """The tournaments of one pool. A table's begins with its first hand, and its table closes when it is over."""

    def __init__(self, settings: ArenaSettings, floor: Floor) -> None:
        self.running: dict[str, Freezeout] = {}
        self.results: deque[Freezeout] = deque(maxlen=RETAINED_RESULTS)
        self._settings = settings
        self._floor = floor
        self._registering: dict[str, float] = {}

    def has_begun(self, table: Table) -> bool:
        """Whether it is too late to enter."""
        return table.hands_dealt > 0

    def client_seated(self, table: Table, now: float) -> None:
        """Registration begins with the first client; `now` is the time of the event loop."""
        self._registering.setdefault(table.table_id, now)

    def may_begin(self, table: Table, now: float) -> bool:
        """Whether registration is over, or no chair is left for another client; always once it has begun."""
        opened = self._registering.get(table.table_id, now)
        is_full = len(table.clients) >= self._settings.most_clients
        return self.has_begun(table) or is_full or now - opened >= self._settings.registration_s

    def hand_played(self, table: Table) -> None:
        """Count a hand; the first one takes the entries of everybody at the table."""
        self._registering.pop(table.table_id, None)
        if table.table_id not in self.running:
            entrants = {seat.name: seat.account for seat in table.seats.values()}
            pool = len(entrants) * self._settings.starting_stack_chips
            self.running[table.table_id] = Freezeout(table.table_id, entrants, pool)
        self.running[table.table_id].hands += 1

    def between_hands(self, table: Table) -> None:
        """Raise the blinds when they are due, place who is out, end it when one player or no client is left."""
        small, big = level(table.hands_dealt, self._settings.hands_per_level)
        table.stakes = Stakes(small, big, least_stack_chips=1)
        running = self.running.get(table.table_id)
        if running is None:
            return
        self._place_losers(table, running)
        if len(running.remaining) == 1 or not table.clients:
            # With no client left nobody waits for the end: the house is placed by its chips.
            stacks = {seat.name: seat.stack_chips for seat in table.seats.values()}
            for name in sorted(running.remaining, key=lambda name: (stacks.get(name, 0), name)):
                self._place(running, name)
        if not running.remaining:
            self.results.append(self.running.pop(table.table_id))
            self._floor.close(table, "freezeout_over")

    def call_off(self, table: Table) -> None:
        """Give their entries back to the clients who are still in, when a table cannot be played to its end."""
        self._registering.pop(table.table_id, None)
        running = self.running.pop(table.table_id, None)
        if running is None:
            return
        for name in running.remaining:
            account = running.entrants[name]
            if account is not None:
                account.chips += self._settings.starting_stack_chips

    def _place_losers(self, table: Table, running: Freezeout) -> None:
        """Place those who left the table; of several the one with fewer chips after, then before the hand first."""
        seated = {seat.name for seat in table.seats.values()}
        stacks = _stacks(table)
        out = [name for name in running.remaining if name not in seated]
        for name in sorted(out, key=lambda name: stacks.get(name, (0, 0))):
            self._place(running, name)

    def _place(self, running: Freezeout, name: str) -> None:
        place = len(running.remaining)
        prize = payouts(len(running.entrants), running.pool_chips).get(place, 0)
        running.places.append(Place(place, name, prize))
        account = running.entrants[name]
        if account is not None:
            account.chips += prize
            account.send(_result(running, running.places[-1], account))


def _stacks(table: Table) -> dict[str, tuple[int, int]]:
    """Everybody's chips after and before the last hand, by name."""
    settled = table.hand.settlement if table.hand is not None else None
    if table.hand is None or settled is None:
        return {}
    return {p.name: (settled.final_stacks[p.seat], settled.start_stacks[p.seat]) for p in table.hand.players}


def _result(running: Freezeout, place: Place, account: Account) -> Frame:
    """How a tournament ended for a client; the live venue has no such format and no such frame."""
    return {
        "type": "freezeout_result",
        "table_id": running.table_id,
        "place": place.place,
        "entries": len(running.entrants),
        "payout": place.payout_chips,
        "chip_balance": account.chips,
        "hands": running.hands,
    }
