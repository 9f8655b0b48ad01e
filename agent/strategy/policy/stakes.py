"""What is at stake for whom: the pots that hero can win with each of those who stay in, side pots apart."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Self

from agent.poker.positions import blinds_then_others
from agent.poker.pots import pots
from agent.poker.spot import Spot


@dataclass(frozen=True, slots=True)
class Stakes:
    """The chips that each seat has put into the pot, those who folded too, and those of which nobody knows whose they are."""

    hero_seat: int
    paid: Mapping[int, int]
    dead_chips: int

    @classmethod
    def of(cls, spot: Spot) -> Self:
        """What a spot tells. Where the hand was not seen whole, the chips of earlier streets are nobody's: anybody can win them."""
        seats = tuple(player.seat for player in spot.players)
        small, big, *_ = blinds_then_others(seats, spot.button_seat, spot.big_blind_seat)
        paid = dict.fromkeys(seats, 0)
        for seat, chips in (
            (small, spot.small_blind_chips),
            (big, spot.big_blind_chips),
            *((past.seat, past.added_chips) for past in spot.actions),
        ):
            paid[seat] = paid.get(seat, 0) + chips
        if sum(paid.values()) != spot.pot_chips:
            paid = {player.seat: player.bet_chips for player in spot.players}
        return cls(spot.hero_seat, paid, spot.pot_chips - sum(paid.values()))

    def layers(self, added: Mapping[int, int], rivals: Collection[int]) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """The pots that hero can win against these rivals once the `added` chips are in: chips, and who else can win them.

        Chips of hero's that nobody matched are a pot without rivals: they come back.

        >>> Stakes(0, {0: 50, 1: 50, 2: 20, 3: 10}, 0).layers({0: 100, 1: 100}, (1, 2))
        ((70, (1, 2)), (260, (1,)))
        """
        hero = self.hero_seat
        paid = {seat: chips + added.get(seat, 0) for seat, chips in self.paid.items()}
        found = pots(paid, (hero, *rivals))
        mine = [
            (chips, tuple(seat for seat in eligible if seat != hero)) for chips, eligible in found if hero in eligible
        ]
        first, *others = mine
        return ((first[0] + self.dead_chips, first[1]), *others)
