"""What the charts say about a spot before the flop: how often to raise and how often to call with this hand."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from agent.poker.line import Move, moves
from agent.poker.odds import effective_stack
from agent.poker.positions import position_names
from agent.poker.ranges import COMBOS, Range, combo_index
from agent.poker.spot import Spot, Verb
from agent.strategy.charts.lookup import (
    Response,
    isolate,
    limper_versus_raise,
    opening,
    over_limp,
    squeeze,
    versus_four_bet,
    versus_limp_big_blind,
    versus_open,
    versus_three_bet,
)
from agent.strategy.charts.sizes import four_bet_to_bb, open_to_bb, three_bet_to_bb
from agent.strategy.policy.parameters import PolicyParameters
from agent.strategy.pushfold import call_push, push

_PUSHES_TO_BB: Final = 25.0
_NOTHING: Final = Range(np.zeros(len(COMBOS)), "nothing")


@dataclass(frozen=True, slots=True)
class ChartPlan:
    """How often to raise and to call with the hand held, in [0, 1], the street total to raise to, and what it is called.

    `is_jam` means that the raise is an all-in.
    """

    raises: float
    calls: float
    raise_to_chips: int
    kind: str
    is_jam: bool = False


@dataclass(frozen=True, slots=True)
class _Betting:
    """The betting before the flop, as the charts ask for it."""

    hero: str
    names: dict[int, str]
    dealt: int
    depth_bb: float
    raises: tuple[Move, ...]
    limpers: tuple[int, ...]
    callers: int
    hero_raised: int
    hero_limped: bool
    highest_bb: float

    @property
    def is_push(self) -> bool:
        """Whether the only raise is the push of a short stack."""
        return len(self.raises) == 1 and self.highest_bb >= 0.6 * self.depth_bb and self.depth_bb <= _PUSHES_TO_BB

    @property
    def raiser(self) -> str:
        return self.names[self.raises[-1].past.seat]


def chart_plan(spot: Spot, push_bb: float) -> ChartPlan:
    """The plan for the hand that hero holds; up to `push_bb` big blinds deep the first raise is an all-in."""
    assert spot.hole_cards is not None
    betting = _betting(spot)
    response, to_bb, kind = _answer(betting, spot, push_bb)
    combo = combo_index(*spot.hole_cards)
    raises, calls = float(response.raise_.weights[combo]), float(response.call.weights[combo])
    is_jam = kind.startswith("push") or to_bb >= 0.6 * betting.depth_bb
    return ChartPlan(raises, calls, round(to_bb * spot.big_blind_chips), kind, is_jam)


def stolen(plan: ChartPlan, spot: Spot, all_fold: float) -> ChartPlan:
    """The plan, or an open raise with every hand where all behind fold so often, `all_fold`, that the raise alone pays."""
    cost = plan.raise_to_chips - spot.hero.bet_chips
    if plan.kind != "open" or all_fold * spot.pot_chips <= (1 - all_fold) * cost:
        return plan
    return replace(plan, raises=1.0, kind="steal")


def is_closed(spot: Spot) -> bool:
    """Whether a call ends the betting of the whole hand: nobody is left to act now, and nobody can bet with hero later."""
    highest = max(player.bet_chips for player in spot.players)
    have_acted = all(not player.stack_chips or player.bet_chips >= highest for player in spot.opponents)
    is_all_in = spot.to_call_chips >= spot.hero.stack_chips or not any(p.stack_chips for p in spot.opponents)
    return spot.to_call_chips > 0 and have_acted and is_all_in


def is_uncharted(spot: Spot, parameters: PolicyParameters) -> bool:
    """Whether the charts have no answer to the raises so far: too large for a first one, or for the stacks, and no short push."""
    betting = _betting(spot)
    if not betting.raises or betting.is_push:
        return False
    is_large = len(betting.raises) == 1 and betting.highest_bb > parameters.chart_raise_bb
    return is_large or betting.highest_bb > parameters.chart_stack_share * betting.depth_bb


def _betting(spot: Spot) -> _Betting:
    seats = tuple(player.seat for player in spot.players)
    names = position_names(seats, spot.button_seat, spot.big_blind_seat)
    told = moves(spot.actions, spot.big_blind_chips)
    raises = tuple(move for move in told if move.is_raise)
    before = [move for move in told if move.raises_before == 0 and not move.is_raise]
    limps = tuple(move.past.seat for move in before if move.past.verb in (Verb.CALL, Verb.ALL_IN))
    after = [move for move in told if raises and move.raises_before == len(raises) and not move.is_raise]
    return _Betting(
        hero=names[spot.hero_seat],
        names=names,
        dealt=len(seats),
        depth_bb=max(1.0, effective_stack(spot) / spot.big_blind_chips),
        raises=raises,
        limpers=tuple(seat for seat in limps if seat != spot.hero_seat),
        callers=sum(move.past.verb in (Verb.CALL, Verb.ALL_IN) for move in after),
        hero_raised=sum(move.past.seat == spot.hero_seat for move in raises),
        hero_limped=spot.hero_seat in limps,
        highest_bb=max(player.bet_chips for player in spot.players) / spot.big_blind_chips,
    )


def _answer(betting: _Betting, spot: Spot, push_bb: float) -> tuple[Response, float, str]:
    """The chart for this betting, what to raise to in big blinds, and what the spot is called."""
    if not betting.raises:
        return _unraised(betting, spot, push_bb)
    hero, raiser, dealt, depth = betting.hero, betting.raiser, betting.dealt, betting.depth_bb
    level = len(betting.raises)
    if betting.is_push:
        called = call_push(hero, raiser, dealt, depth, betting.callers)
        return Response(_NOTHING, called), depth, "push to call"
    if level == 1:
        if betting.hero_limped:
            return limper_versus_raise(hero, dealt), four_bet_to_bb(betting.highest_bb, depth) + 1, "limped, raised"
        to_bb = three_bet_to_bb(hero, raiser, betting.highest_bb, betting.callers, depth)
        if betting.callers:
            return squeeze(hero, raiser, dealt, depth, betting.callers, betting.highest_bb), to_bb, "squeeze"
        return versus_open(hero, raiser, dealt, depth, betting.highest_bb), to_bb, "open in front"
    to_bb = four_bet_to_bb(betting.highest_bb, depth)
    if level == 2:
        opened = betting.hero_raised > 0
        return versus_three_bet(hero, raiser, dealt, depth, betting.highest_bb, opened=opened), to_bb, "3-bet in front"
    if betting.hero_raised:
        all_in = betting.highest_bb >= 0.8 * depth
        return versus_four_bet(hero, raiser, dealt, depth, all_in=all_in), to_bb, "4-bet in front"
    return versus_three_bet(hero, raiser, dealt, depth, opened=False), to_bb, "4-bet in front"


def _unraised(betting: _Betting, spot: Spot, push_bb: float) -> tuple[Response, float, str]:
    hero, dealt, depth, limpers = betting.hero, betting.dealt, betting.depth_bb, len(betting.limpers)
    if depth <= push_bb:
        behind = sum(not player.folded for player in spot.players) - 1
        return Response(push(hero, max(1, behind), depth), _NOTHING), depth, "push"
    to_bb = open_to_bb(hero, limpers, depth)
    if not limpers:
        return Response(opening(hero, dealt, depth), _NOTHING), to_bb, "open"
    if hero.endswith("BB") and limpers == 1 and betting.names[betting.limpers[0]].endswith("SB"):
        return Response(versus_limp_big_blind(depth), _NOTHING), to_bb, "limp of the small blind"
    called = over_limp(hero, limpers, dealt, depth)
    return Response(isolate(hero, limpers, dealt, depth), called), to_bb, "limpers in front"
