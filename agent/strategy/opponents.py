"""The opponents' book: what is known of everybody who was met, by name."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from agent.strategy.showdowns import UNSHOWN, Shown
from agent.strategy.statistics import PlayedHand, Statistics, tally

PLAYERS_KEPT: Final = 1_000
SEATS: Final = 6
NAME_CHARS: Final = 200
"""Whoever has a longer name stays a stranger: names are kept, and no venue's are so long."""

_UNCOUNTED: Final = Statistics()


@dataclass(frozen=True, slots=True)
class Acquaintance:
    """What is known of one player: the counts of what they did, and what the hands said that they showed."""

    statistics: Statistics = _UNCOUNTED
    shown: Shown = UNSHOWN

    def as_dict(self) -> dict[str, Any]:
        """Both as plain values."""
        return {"statistics": self.statistics.as_dict(), "shown": self.shown.as_dict()}

    @classmethod
    def from_dict(cls, told: Any) -> "Acquaintance":
        """What `as_dict` told; `ValueError` for anything else."""
        match told:
            case {"statistics": dict(statistics), "shown": dict(shown)} if len(told) == 2:
                return cls(Statistics.from_dict(statistics), Shown.from_dict(shown))
        raise ValueError(f"{told!r:.200}: expected statistics and shown")


STRANGER: Final = Acquaintance()
NOBODY_SHOWED: Final[Mapping[int, Shown]] = MappingProxyType({})


class Opponents:
    """What is known, by name, of the `capacity` players who were met last; older ones are forgotten.

    Names are text that strangers chose: keys here, never words of a prompt. Any thread may ask while one other adds.
    """

    def __init__(self, capacity: int = PLAYERS_KEPT) -> None:
        if capacity < SEATS:
            raise ValueError(f"room for {capacity} players: a table alone has {SEATS}")
        self._capacity = capacity
        self._players = OrderedDict[str, Acquaintance]()

    def __len__(self) -> int:
        """How many players are in the book."""
        return len(self._players)

    def __contains__(self, name: str) -> bool:
        """Whether a player of that name is in the book."""
        return name in self._players

    def seen(self, hand: PlayedHand, shown: Mapping[int, Shown] = NOBODY_SHOWED) -> None:
        """Count a hand that is over for everybody who was dealt in, with what was shown at its end, by seat."""
        for seat, found in tally(hand).items():
            name = hand.names[seat]
            known = self.known(name)
            self.put(name, Acquaintance(known.statistics + found, known.shown + shown.get(seat, UNSHOWN)))

    def known(self, name: str) -> Acquaintance:
        """All that is known of that player; nothing of a stranger."""
        return self._players.get(name, STRANGER)

    def of(self, name: str) -> Statistics:
        """The statistics of that player; empty ones for a stranger."""
        return self.known(name).statistics

    def shown_of(self, name: str) -> Shown:
        """What the hands said that this player showed; nothing for a stranger."""
        return self.known(name).shown

    def put(self, name: str, known: Acquaintance) -> None:
        """Know this of that player, in the place of what was known; they are the one who was met last."""
        if len(name) > NAME_CHARS:
            return
        self._players[name] = known
        self._players.move_to_end(name)
        if len(self._players) > self._capacity:
            self._players.popitem(last=False)

    def as_dict(self) -> dict[str, Any]:
        """The book as plain values, the player met last at the end."""
        return {name: known.as_dict() for name, known in self._players.items()}

    @classmethod
    def from_dict(cls, told: Mapping[str, Any], capacity: int = PLAYERS_KEPT) -> "Opponents":
        """The book that `as_dict` told; `ValueError` names the player and what is wrong."""
        book = cls(capacity)
        for name, known in told.items():
            try:
                book.put(name, Acquaintance.from_dict(known))
            except ValueError as error:
                raise ValueError(f"what is told of {name!r:.200}: {error}") from None
        return book
