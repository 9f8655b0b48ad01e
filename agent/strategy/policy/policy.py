"""The betting policy: reads ranges, prices every action, and plays the best one, mixed where two are as good."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod

import numpy as np

from agent.poker.draws import STRAIGHT_DRAWS, DrawKind, draws
from agent.poker.odds import contestable_pot, required_equity
from agent.poker.ranges import CLASS_OF_COMBO, Range, combo_index, holding_any
from agent.poker.spot import Action, Spot, Street, Verb
from agent.poker.versus import equity_versus_each
from agent.strategy.charts.class_equities import class_equities
from agent.strategy.percentile import PREFLOP_TOP, strengths
from agent.strategy.policy.options import Option, raise_sizes
from agent.strategy.policy.parameters import PolicyParameters
from agent.strategy.policy.postflop import Board, values
from agent.strategy.policy.preflop import ChartPlan, chart_plan, is_closed, is_uncharted, stolen
from agent.strategy.policy.responses import Weights
from agent.strategy.reading import Reading, ShownOf, nothing_shown
from agent.strategy.statistics import Statistics

StatisticsOf = Callable[[str], Statistics]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the policy makes of a spot.

    `action` is played; `options` are all that were priced, with their EV in chips. `ranges` are those of the live
    opponents by seat. `equity` is hero's against these ranges, None where a chart decides; `reason` says in words why.
    """

    action: Action
    options: tuple[Option, ...]
    ranges: Mapping[int, Range]
    equity: float | None
    reason: str


@dataclass(slots=True)
class Policy:
    """Plays with `parameters`. The same spot, statistics and luck give the same action.

    Before the flop the charts decide, but for cheap calls that end the betting and for huge first raises. `prices_charts` tells whether ranges are
    read and actions priced there all the same, for people and models to see.
    """

    parameters: PolicyParameters = field(default_factory=PolicyParameters)
    reading: Reading = field(default_factory=Reading)
    prices_charts: bool = True

    def judge(
        self,
        spot: Spot,
        statistics_of: StatisticsOf,
        luck: float,
        *,
        shown_of: ShownOf = nothing_shown,
    ) -> Judgement:
        """What to play in `spot`; `ValueError` when the hole cards are not known or the offer is empty.

        `luck` is a random number in [0, 1): all that is mixed follows from it.
        """
        if spot.hole_cards is None:
            raise ValueError("the policy needs its hole cards")
        priced = candidates(spot, self.parameters)
        if not priced:
            raise ValueError(f"the offer holds nothing to play: {spot.legal}")
        charted = None
        if spot.street is Street.PREFLOP and spot.history_complete and not self._is_priced(spot):
            plays = (statistics_of(player.name).shrunk("vpip") for player in spot.opponents)
            all_fold = prod(max(0.0, 1 - self.parameters.steal_defence * share) for share in plays)
            plan = stolen(chart_plan(spot, self.parameters.push_bb), spot, all_fold)
            charted = _charted_action(spot, plan, luck)
            words = f"{plan.kind}: the chart raises {plan.raises:.0%} and calls {plan.calls:.0%} of this hand"
            if not self.prices_charts:
                return Judgement(charted, (), {}, None, words)
            priced = priced if charted in priced else (*priced, charted)
        ranges = self.reading.ranges(spot, statistics_of, shown_of)
        board = Board(
            spot=spot,
            ranges={seat: np.asarray(read.weights) for seat, read in ranges.items()},
            versus=_versus(spot),
            strength=_strength(spot, self.reading.parameters.draw_bonus),
            statistics={player.seat: statistics_of(player.name) for player in spot.opponents},
            has_draw=_has_draw(spot),
        )
        options, equity = values(board, priced, self.parameters)
        if charted is not None:
            # Charts have their own reasons: no brake holds beside them.
            options = tuple(replace(option, braked=False) for option in options)
            return Judgement(charted, options, ranges, None, words)
        playable = [option for option in options if not option.braked] or options
        best = max(playable, key=lambda option: option.ev_chips)
        chosen = _mixed(playable, self.parameters.mixing * max(1, spot.pot_chips), luck)
        return Judgement(chosen.action, options, ranges, equity, _words(chosen, best, playable))

    def _is_priced(self, spot: Spot) -> bool:
        """Whether prices decide before the flop and not the charts: a cheap call that ends the betting, a huge first raise."""
        price = required_equity(spot.to_call_chips, contestable_pot(spot))
        is_cheap = price <= self.parameters.cheap_price and is_closed(spot)
        return is_cheap or is_uncharted(spot, self.parameters)


def candidates(spot: Spot, parameters: PolicyParameters) -> tuple[Action, ...]:
    """What is worth pricing: the free check or the fold, the call, the usual sizes, all-in."""
    legal, found = spot.legal, list[Action]()
    if legal.floor is not None:
        found.append(legal.floor)
    if legal.call_chips is not None:
        found.append(Action(Verb.CALL))
    found += [Action(Verb.RAISE, total) for total in raise_sizes(spot, parameters.isolation_bb).values()]
    if legal.all_in and spot.hero.stack_chips != legal.call_chips:
        found.append(Action(Verb.ALL_IN))
    return tuple(found)


def _versus(spot: Spot) -> Weights:
    """Hero's equity against every holding."""
    assert spot.hole_cards is not None
    if spot.board:
        return equity_versus_each(spot.hole_cards, spot.board)
    own = CLASS_OF_COMBO[combo_index(*spot.hole_cards)]
    against = class_equities()[own][CLASS_OF_COMBO]
    return np.where(holding_any(spot.hole_cards), np.nan, against)


def _strength(spot: Spot, draw_bonus: float) -> Weights:
    return np.asarray(strengths(spot.board, draw_bonus)) if spot.board else 1.0 - np.asarray(PREFLOP_TOP)


def _has_draw(spot: Spot) -> bool:
    assert spot.hole_cards is not None
    if spot.street not in (Street.FLOP, Street.TURN):
        return False
    return bool(draws(spot.hole_cards, spot.board).kinds & {DrawKind.FLUSH, *STRAIGHT_DRAWS})


def _mixed(options: Sequence[Option], temperature: float, luck: float) -> Option:
    """One of the best options; those within a few temperatures of the best are drawn by their distance.

    Nothing that is worth no more than a fold is mixed with what is worth more.
    """
    best = max(option.ev_chips for option in options)
    near = [option for option in options if best - option.ev_chips <= 4 * temperature]
    near = [option for option in near if option.ev_chips > 0 or option.ev_chips == best]
    weights = np.cumsum([np.exp((option.ev_chips - best) / max(1e-9, temperature)) for option in near])
    return near[min(len(near) - 1, int(np.searchsorted(weights, luck * weights[-1], side="right")))]


def _charted_action(spot: Spot, plan: ChartPlan, luck: float) -> Action:
    """What the plan comes to with this luck: its raise, its call, or neither, as far as they are offered."""
    legal = spot.legal
    low, high = legal.min_raise_to_chips, legal.max_raise_to_chips
    only_calls = legal.call_chips is not None and legal.call_chips >= spot.hero.stack_chips
    if luck < plan.raises and not only_calls:
        if low is not None and high is not None and not plan.is_jam:
            return Action(Verb.RAISE, min(high, max(low, plan.raise_to_chips)))
        if legal.all_in:
            return Action(Verb.ALL_IN)
        if high is not None:
            return Action(Verb.RAISE, high)
    if luck < plan.raises + plan.calls or legal.floor is None:
        if legal.call_chips is not None:
            return Action(Verb.CALL)
        if legal.all_in and not legal.check:
            return Action(Verb.ALL_IN)
    return legal.floor or Action(Verb.RAISE, low)


def _words(chosen: Option, best: Option, options: Sequence[Option]) -> str:
    others = [option for option in options if option.action != chosen.action]
    if chosen.action.verb is Verb.FOLD and others:
        second = max(others, key=lambda option: option.ev_chips)
        return f"nothing is better than folding, {second.action} is worth {second.ev_chips:+,.0f} chips"
    parts = [f"worth {chosen.ev_chips:+,.0f} chips against folding"]
    if chosen.equity is not None:
        parts.append(f"equity {chosen.equity:.0%}")
    if chosen.fold_share is not None:
        parts.append(f"all fold {chosen.fold_share:.0%}")
    if chosen is not best:
        parts.append(f"{best.action} is worth {best.ev_chips - chosen.ev_chips:,.0f} more")
    return ", ".join(parts)
