"""The menu: the few actions worth considering on a turn, each with an id, so that a choice is one word.

They are what the betting policy prices, with its price where it is known.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from agent.poker.odds import reach
from agent.poker.spot import Action, Spot, Verb
from agent.strategy.policy.options import Option, raise_sizes
from agent.strategy.policy.policy import Judgement


@dataclass(frozen=True, slots=True)
class Candidate:
    """One thing to do. `cost_chips` are paid now, `street_total_chips` lie in front of hero afterwards.

    `risk_chips` are what of the cost can be lost: chips that no opponent has the stack to match come back. The others go
    by that too: `pot_after_chips` is the pot as far as hero can win it, and `pot_percent` the raise on top of the call, as
    far as it can be called, as a share of the pot after the call, None where nothing is raised. `ev_chips`, `fold_share` and
    `braked` are what the policy thinks of it (`Option`), None where it was not asked.
    """

    id: str
    action: Action
    cost_chips: int
    risk_chips: int
    street_total_chips: int
    pot_after_chips: int
    pot_percent: int | None = None
    ev_chips: float | None = None
    fold_share: float | None = None
    braked: bool | None = None

    def as_dict(self) -> dict[str, Any]:
        """The candidate as plain values, for records."""
        told = {**asdict(self), "action": str(self.action)}
        rounded = {"ev_chips": 1, "fold_share": 3}
        return told | {key: round(told[key], digits) for key, digits in rounded.items() if told[key] is not None}


Menu = tuple[Candidate, ...]


def build_menu(spot: Spot, judgement: Judgement | None = None) -> Menu:
    """What may be played: at most eight candidates, all legal, never a fold where checking is free.

    With a `judgement` each has its worth, and what that recommends is among them.
    """
    legal, stack = spot.legal, spot.hero.stack_chips
    found: list[tuple[str, Action, int]] = []
    if legal.check:
        found.append(("check", Action(Verb.CHECK), 0))
    elif legal.fold:
        found.append(("fold", Action(Verb.FOLD), 0))
    if legal.call_chips is not None:
        found.append(("call", Action(Verb.CALL), legal.call_chips))
    totals = _raises(spot, judgement)
    found += [(name, Action(Verb.RAISE, total), total - spot.hero.bet_chips) for name, total in totals.items()]
    if legal.all_in and stack != legal.call_chips:
        found.append(("all_in", Action(Verb.ALL_IN), stack))
    priced = {option.action: option for option in judgement.options} if judgement else {}
    return tuple(_candidate(name, action, cost, spot, priced.get(action)) for name, action, cost in found)


def _raises(spot: Spot, judgement: Judgement | None) -> Mapping[str, int]:
    """Names and street totals, smallest first: the usual sizes, and that of a chart where it is another one."""
    sizes = dict(raise_sizes(spot))
    wished = judgement.action.raise_to_chips if judgement and spot.legal.allows(judgement.action) else None
    if wished is not None and wished not in sizes.values():
        sizes[f"raise_to_{wished}"] = wished
    return dict(sorted(sizes.items(), key=lambda size: size[1]))


def _candidate(name: str, action: Action, cost_chips: int, spot: Spot, priced: Option | None) -> Candidate:
    total, matchable = spot.hero.bet_chips + cost_chips, reach(spot)
    risk = min(total, matchable) - spot.hero.bet_chips
    out_of_reach = sum(max(0, player.bet_chips - total) for player in spot.players)
    return Candidate(
        id=name,
        action=action,
        cost_chips=cost_chips,
        risk_chips=risk,
        street_total_chips=total,
        pot_after_chips=spot.pot_chips - out_of_reach + risk,
        pot_percent=_pot_percent(risk, spot),
        ev_chips=priced.ev_chips if priced else None,
        fold_share=priced.fold_share if priced else None,
        braked=priced.braked if priced else None,
    )


def _pot_percent(risk_chips: int, spot: Spot) -> int | None:
    """The raise on top of the call in percent of the pot after the call; None where nothing is raised."""
    on_top, pot = risk_chips - spot.to_call_chips, spot.pot_chips + spot.to_call_chips
    return round(100 * on_top / pot) if on_top > 0 and pot else None


def matching(menu: Menu, action: Action) -> Candidate | None:
    """The candidate that plays `action`."""
    return next((candidate for candidate in menu if candidate.action == action), None)


def id_of(menu: Menu, action: Action | None) -> str:
    """The id of an action, or its words when it stands on no menu."""
    if action is None:
        return "nothing"
    candidate = matching(menu, action)
    return candidate.id if candidate else str(action)
