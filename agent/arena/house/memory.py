"""What a house player remembers of its opponents, from the public actions of the hands it has seen."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from agent.arena.game.dealer import MAX_SEATS
from agent.poker.line import Move, moves
from agent.poker.spot import PastAction, Street, Verb

REMEMBERED_PLAYERS: Final = 256
DOUBT: Final = 40
"""Chances that weigh as much as the prior: a rate seen n times counts n / (n + 40)."""


@dataclass(frozen=True, slots=True)
class Read:
    """How somebody plays, each from 0 to 1.

    `vpip`: hands played of those dealt. `aggression`: bets and raises after the flop, of all choices there but
    checks. `fold_to_bet`: bets after the flop that were answered with a fold.
    """

    vpip: float
    aggression: float
    fold_to_bet: float


USUAL: Final = Read(vpip=0.32, aggression=0.46, fold_to_bet=0.44)
"""What is thought of a stranger."""


@dataclass(slots=True)
class _Tally:
    hands: int = 0
    played: int = 0
    choices: int = 0
    raised: int = 0
    bets_faced: int = 0
    folded: int = 0

    def count(self, move: Move) -> None:
        """Count a choice after the flop."""
        if move.past.verb is Verb.CHECK:
            return
        self.choices += 1
        self.raised += move.is_raise
        if move.raises_before:
            self.bets_faced += 1
            self.folded += move.past.verb is Verb.FOLD


class Memory:
    """Tallies by name for the `capacity` players who were seen last; older ones are forgotten."""

    def __init__(self, capacity: int = REMEMBERED_PLAYERS) -> None:
        if capacity < MAX_SEATS:
            raise ValueError(f"room for {capacity} players: a table alone has {MAX_SEATS}")
        self._capacity = capacity
        self._tallies: dict[str, _Tally] = {}

    def __len__(self) -> int:
        """How many players are remembered."""
        return len(self._tallies)

    def remember(self, names: Mapping[int, str], actions: tuple[PastAction, ...], big_blind_chips: int) -> None:
        """Count a hand that is over; `names` are those of all who were dealt in, by seat."""
        for name in names.values():
            tally = self._tallies.pop(name, None) or _Tally()
            tally.hands += 1
            self._tallies[name] = tally
        while len(self._tallies) > self._capacity:
            del self._tallies[next(iter(self._tallies))]
        played = set()
        for move in moves(actions, big_blind_chips):
            tally = self._tallies[names[move.past.seat]]
            if move.past.street is not Street.PREFLOP:
                tally.count(move)
            elif move.past.verb not in (Verb.FOLD, Verb.CHECK):
                played.add(names[move.past.seat])
        for name in played:
            self._tallies[name].played += 1

    def read(self, name: str) -> Read:
        """What is known of that player, drawn towards `USUAL` while it is little."""
        tally = self._tallies.get(name)
        if tally is None:
            return USUAL
        return Read(
            vpip=_shrunk(tally.played, tally.hands, USUAL.vpip),
            aggression=_shrunk(tally.raised, tally.choices, USUAL.aggression),
            fold_to_bet=_shrunk(tally.folded, tally.bets_faced, USUAL.fold_to_bet),
        )


def _shrunk(hits: int, chances: int, prior: float) -> float:
    """The rate, with the weight n / (n + 40) against the prior.

    >>> _shrunk(0, 0, 0.3), _shrunk(40, 40, 0.5)
    (0.3, 0.75)
    """
    return (hits + DOUBT * prior) / (chances + DOUBT)
