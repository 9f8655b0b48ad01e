"""What can be done on a turn, each with what it is worth."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from agent.poker.line import moves
from agent.poker.odds import reach
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
    gives up to a bet, None where nothing is bet; `equity` is hero's against those who then go on. What is `braked` is not
    played, however it is priced: bets of a kind that bots are known to lose with.
    """

    action: Action
    ev_chips: float
    fold_share: float | None = None
    equity: float | None = None
    braked: bool = False


def raise_sizes(spot: Spot, isolation_bb: float = 1.0) -> Mapping[str, int]:
    """The raises worth a thought, smallest first: a name, and the street total inside the server's limits.

    After the flop shares of the pot after the call, `raise_55`; before it the usual multiples of the big blind or of the bet
    in front, `raise_to_50`. Sizes that no opponent can tell apart, because all of them put everybody all-in, are one. The
    largest is left to the all-in where that is offered, else it is `raise_max`.
    """
    low, high = spot.legal.min_raise_to_chips, spot.legal.max_raise_to_chips
    if low is None or high is None:
        return {}
    matchable, found = reach(spot), dict[str, int]()
    taken = {min(high, matchable)} if spot.legal.all_in else set()
    for name, wish in _wishes(spot, isolation_bb):
        total = min(high, max(low, wish))
        if min(total, matchable) not in taken:
            taken.add(min(total, matchable))
            found[name or f"raise_to_{total}"] = total
    if not spot.legal.all_in and min(high, matchable) not in taken:
        found["raise_max"] = high
    return found


def _wishes(spot: Spot, isolation_bb: float) -> Iterator[tuple[str, int]]:
    """The names and totals wished for, smallest first; no name where the total is to be the name."""
    if spot.street is Street.PREFLOP:
        for total in _preflop_totals(spot, isolation_bb):
            yield "", round(total)
    else:
        matched, pot = spot.hero.bet_chips + spot.to_call_chips, spot.pot_chips + spot.to_call_chips
        for share in BET_SHARES:
            yield f"raise_{share}", matched + round(pot * share / 100)


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
