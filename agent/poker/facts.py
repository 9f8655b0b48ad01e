"""The facts of a spot: every number and word that a decision may lean on, computed so that nobody has to guess."""

from dataclasses import asdict, dataclass
from typing import Any

from agent.poker.cards import format_cards
from agent.poker.hands import describe_holding
from agent.poker.odds import contestable_pot, effective_stack, required_equity, stack_to_pot
from agent.poker.positions import opponents_behind, position_names
from agent.poker.report import EquityReport
from agent.poker.spot import Spot


@dataclass(frozen=True, slots=True)
class Facts:
    """What is true of a spot. Chips are whole numbers; equities are shares in [0, 1].

    `opponents` still hold cards; `opponents_behind` of them act after hero on this street. `spr` is None where
    there is no pot to compare with.
    """

    hole_cards: str
    holding: str
    board: str
    street: str
    position: str
    opponents: int
    opponents_behind: int
    pot_chips: int
    contestable_pot_chips: int
    to_call_chips: int
    required_equity: float
    effective_stack_chips: int
    spr: float | None
    equity: EquityReport

    def as_dict(self) -> dict[str, Any]:
        """The facts as plain values, for records."""
        return asdict(self)


def gather(spot: Spot, equity: EquityReport) -> Facts:
    """The facts of `spot`, whose equity was found before; the hole cards must be known."""
    if spot.hole_cards is None:
        raise ValueError("a spot without hole cards has no facts")
    contestable = contestable_pot(spot)
    names = position_names(tuple(p.seat for p in spot.players), spot.button_seat, spot.big_blind_seat)
    return Facts(
        hole_cards=format_cards(spot.hole_cards),
        holding=describe_holding(spot.hole_cards, spot.board),
        board=format_cards(spot.board),
        street=spot.street,
        position=names[spot.hero_seat],
        opponents=len(spot.opponents),
        opponents_behind=opponents_behind(spot),
        pot_chips=spot.pot_chips,
        contestable_pot_chips=contestable,
        to_call_chips=spot.to_call_chips,
        required_equity=required_equity(spot.to_call_chips, contestable),
        effective_stack_chips=effective_stack(spot),
        spr=stack_to_pot(spot),
        equity=equity,
    )
