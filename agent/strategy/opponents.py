"""The opponents' book: the statistics of everybody who was met, by name."""

from collections.abc import Mapping
from typing import Any, Final

from agent.strategy.statistics import PlayedHand, Statistics, tally

PLAYERS_KEPT: Final = 1_000
SEATS: Final = 6


class Opponents:
    """Statistics by name for the `capacity` players who were met last; older ones are forgotten.

    Names are text that strangers chose: keys here, never words of a prompt.
    """

    def __init__(self, capacity: int = PLAYERS_KEPT) -> None:
        if capacity < SEATS:
            raise ValueError(f"room for {capacity} players: a table alone has {SEATS}")
        self._capacity = capacity
        self._players: dict[str, Statistics] = {}

    def __len__(self) -> int:
        """How many players are in the book."""
        return len(self._players)

    def seen(self, hand: PlayedHand) -> None:
        """Count a hand that is over for everybody who was dealt in."""
        for seat, found in tally(hand).items():
            self._put(hand.names[seat], self.of(hand.names[seat]) + found)

    def of(self, name: str) -> Statistics:
        """What is known of that player; empty statistics for a stranger."""
        return self._players.get(name) or Statistics()

    def as_dict(self) -> dict[str, Any]:
        """The book as plain values, the player met last at the end."""
        return {name: statistics.as_dict() for name, statistics in self._players.items()}

    @classmethod
    def from_dict(cls, told: Mapping[str, Mapping[str, Any]], capacity: int = PLAYERS_KEPT) -> "Opponents":
        """The book that `as_dict` told; `ValueError` for what are no counts."""
        book = cls(capacity)
        for name, statistics in told.items():
            book._put(name, Statistics.from_dict(statistics))
        return book

    def _put(self, name: str, statistics: Statistics) -> None:
        self._players.pop(name, None)
        self._players[name] = statistics
        if len(self._players) > self._capacity:
            del self._players[next(iter(self._players))]
