"""What can be done on a turn, each with what it is worth."""

from dataclasses import dataclass, replace
from typing import Final

from agent.poker.line import moves
from agent.poker.positions import acting_order
from agent.poker.spot import Action, Spot, Street, Verb

BET_SHARES: Final = (33, 55, 80, 120)
"""Bets and raises after the flop in percent of the pot after the call; a denser grid has measured no gain."""

_OPEN_BB: Final = 2.5
_THREE_BET_IN, _THREE_BET_OUT, _LATER = 3.0, 3.8, 2.3


@dataclass(frozen=True, slots=True)
class Option:
    """An action with its worth.

    `ev_chips` is against folding now, which is 0: chips put in earlier are gone. `fold_share` is how often everybody
    gives up to a bet, None where nothing is bet; `equity` is hero's against those who then go on.
    """

    action: Action
    ev_chips: float
    fold_share: float | None = None
    equity: float | None = None


def raise_totals(spot: Spot, isolation_bb: float = 1.0) -> tuple[int, ...]:
    """The street totals worth raising to, smallest first, inside the server's limits; all-in stands apart.

    After the flop shares of the pot; before it the usual sizes in big blinds and multiples of the bet in front.
    """
    low, high = spot.legal.min_raise_to_chips, spot.legal.max_raise_to_chips
    if low is None or high is None:
        return ()
    wishes = _preflop_totals(spot, isolation_bb) if spot.street is Street.PREFLOP else _pot_totals(spot)
    return tuple(sorted({min(high, max(low, round(chips))) for chips in wishes}))


def _pot_totals(spot: Spot) -> list[float]:
    matched, pot = spot.hero.bet_chips + spot.to_call_chips, spot.pot_chips + spot.to_call_chips
    return [matched + pot * share / 100 for share in BET_SHARES]


def _preflop_totals(spot: Spot, isolation_bb: float) -> list[float]:
    told = moves(spot.actions, spot.big_blind_chips)
    raises = sum(move.is_raise for move in told)
    highest = max(player.bet_chips for player in spot.players)
    big_blind = spot.big_blind_chips
    if not raises:
        limpers = sum(move.past.verb in (Verb.CALL, Verb.ALL_IN) for move in told)
        usual = (_OPEN_BB + isolation_bb * limpers) * big_blind
        return [usual, usual + 1.5 * big_blind]
    callers = sum(move.past.verb is Verb.CALL and move.raises_before > 0 for move in told)
    multiple = _LATER if raises > 1 else _THREE_BET_OUT if _acts_first_later(spot) else _THREE_BET_IN
    usual = highest * (multiple + (callers if raises == 1 else 0))
    return [usual, 1.35 * usual]


def _acts_first_later(spot: Spot) -> bool:
    """Whether somebody who is still in acts after hero on the streets to come."""
    order = acting_order(replace(spot, street=Street.RIVER))
    behind = order[order.index(spot.hero_seat) + 1 :]
    return any(player.seat in behind for player in spot.opponents)
