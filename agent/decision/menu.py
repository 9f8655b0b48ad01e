"""The menu: the few actions worth considering on a turn, each with an id, so that a choice is one word.

Raise sizes are shares of the pot as it stands after a call, snapped into the server's limits.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from agent.poker.spot import Action, Spot, Verb
from agent.strategy.policy.options import BET_SHARES


@dataclass(frozen=True, slots=True)
class Candidate:
    """One thing to do. `cost_chips` are paid now, `street_total_chips` lie in front of hero afterwards.

    `risk_chips` are what of the cost can be lost: chips that no opponent has the stack to match come back. The others go
    by that too: `pot_after_chips` is the pot as far as hero can win it, and `pot_percent` the raise on top of the call, as
    far as it can be called, as a share of the pot after the call, None where nothing is raised.
    """

    id: str
    action: Action
    cost_chips: int
    risk_chips: int
    street_total_chips: int
    pot_after_chips: int
    pot_percent: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """The candidate as plain values, for records."""
        return {**asdict(self), "action": str(self.action)}


Menu = tuple[Candidate, ...]


def build_menu(spot: Spot) -> Menu:
    """What may be played: at most eight candidates, all legal, never a fold where checking is free."""
    legal, candidates = spot.legal, []
    if legal.check:
        candidates.append(_candidate("check", Action(Verb.CHECK), 0, spot))
    elif legal.fold:
        candidates.append(_candidate("fold", Action(Verb.FOLD), 0, spot))
    if legal.call_chips is not None:
        candidates.append(_candidate("call", Action(Verb.CALL), legal.call_chips, spot))
    candidates.extend(_raises(spot))
    stack = spot.hero.stack_chips
    if legal.all_in and stack != legal.call_chips:
        candidates.append(_raise("all_in", Action(Verb.ALL_IN), stack, spot))
    return tuple(candidates)


def _raises(spot: Spot) -> Iterator[Candidate]:
    """The raise sizes that fit between the limits, each once; the largest is left to `all_in` where that is offered.

    Sizes that no opponent can tell apart, because all of them put everybody all-in, are one.
    """
    low, high = spot.legal.min_raise_to_chips, spot.legal.max_raise_to_chips
    if low is None or high is None:
        return
    matched = spot.hero.bet_chips + spot.to_call_chips
    pot = spot.pot_chips + spot.to_call_chips
    reach = _reach(spot)
    taken = {min(high, reach)} if spot.legal.all_in else set()
    for percent in BET_SHARES:
        total = min(high, max(low, matched + round(pot * percent / 100)))
        if min(total, reach) not in taken:
            taken.add(min(total, reach))
            yield _raise(f"raise_{percent}", Action(Verb.RAISE, total), total - spot.hero.bet_chips, spot)
    if not spot.legal.all_in and min(high, reach) not in taken:
        yield _raise("raise_max", Action(Verb.RAISE, high), high - spot.hero.bet_chips, spot)


def _raise(name: str, action: Action, cost_chips: int, spot: Spot) -> Candidate:
    on_top = min(spot.hero.bet_chips + cost_chips, _reach(spot)) - spot.hero.bet_chips - spot.to_call_chips
    pot = spot.pot_chips + spot.to_call_chips
    return _candidate(name, action, cost_chips, spot, round(100 * on_top / pot) if on_top > 0 and pot else None)


def _candidate(name: str, action: Action, cost_chips: int, spot: Spot, pot_percent: int | None = None) -> Candidate:
    total = spot.hero.bet_chips + cost_chips
    risk = min(total, _reach(spot)) - spot.hero.bet_chips
    out_of_reach = sum(max(0, player.bet_chips - total) for player in spot.players)
    return Candidate(
        id=name,
        action=action,
        cost_chips=cost_chips,
        risk_chips=risk,
        street_total_chips=total,
        pot_after_chips=spot.pot_chips - out_of_reach + risk,
        pot_percent=pot_percent,
    )


def _reach(spot: Spot) -> int:
    """The street total up to which an opponent can match hero; never less than what a call makes it."""
    called = spot.hero.bet_chips + spot.to_call_chips
    return max([called, *(player.stack_chips + player.bet_chips for player in spot.opponents)])


def matching(menu: Menu, action: Action) -> Candidate | None:
    """The candidate that plays `action`."""
    return next((candidate for candidate in menu if candidate.action == action), None)
