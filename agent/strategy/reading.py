"""Reading: what each opponent may hold, from what everybody saw them do.

Every opponent begins with any two cards. Each act multiplies the weight of a holding by the chance that a player of
these statistics acts so with it. The cards that are known to be elsewhere, board and hero's own, are taken out at the end.
Nothing hidden is looked at, and the same spot and statistics give the same ranges.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final

import numpy as np

from agent.poker.ranges import COMBOS, Range
from agent.poker.spot import Spot, Street
from agent.strategy.acts import Act, Told, acts
from agent.strategy.charted import charted
from agent.strategy.likelihoods import likelihood, soft_top
from agent.strategy.opponents import Opponents
from agent.strategy.parameters import ReadingParameters
from agent.strategy.percentile import PREFLOP_TOP, Values, standing_on, without
from agent.strategy.placing import placed
from agent.strategy.rates import ChartShares, rates_of
from agent.strategy.showdowns import UNSHOWN, Shown
from agent.strategy.statistics import PlayedHand, Statistics

LINES_KEPT: Final = 1_024
"""How many beginnings of lines a reading remembers, 10 KB each."""

_ANY_TWO: Final = np.ones(len(COMBOS))

StatisticsOf = Callable[[str], Statistics]
ShownOf = Callable[[str], Shown]


def nothing_shown(name: str) -> Shown:
    """What is known of showdowns where nobody keeps them."""
    del name
    return UNSHOWN


class Reading:
    """Reads ranges with one set of parameters.

    It remembers the weights after each beginning of a line, so that a decision pays only for the acts since the last
    one; the `lines_kept` used last stay.
    """

    def __init__(self, parameters: ReadingParameters | None = None, *, lines_kept: int = LINES_KEPT) -> None:
        self.parameters: Final = parameters or ReadingParameters()
        self._after = lru_cache(lines_kept)(self._weigh)

    def ranges(self, spot: Spot, statistics_of: StatisticsOf, shown_of: ShownOf = nothing_shown) -> Mapping[int, Range]:
        """The range of every opponent who still holds cards, by seat; the heaviest holding has the weight 1.

        Both callables are asked by name. A player whose acts before the flop were not seen is taken to hold what they
        usually play.
        """
        lines = acts(Told.of_spot(spot))
        possible = without((*spot.board, *(spot.hole_cards or ())))
        found = {}
        for opponent in spot.opponents:
            own = lines.get(opponent.seat, ())
            is_late = not spot.history_complete and not (own and own[0].street is Street.PREFLOP)
            weights = self._after(
                own, statistics_of(opponent.name), shown_of(opponent.name), is_late and bool(spot.board)
            )
            found[opponent.seat] = _as_range(possible * weights)
        return found

    def range_after(self, own: tuple[Act, ...], statistics: Statistics, shown: Shown = UNSHOWN) -> Range:
        """The range of a player of these statistics after these acts; cards that are known stay in."""
        return _as_range(self._after(own, statistics, shown, False))

    def observed_showdown(
        self,
        hand: PlayedHand,
        cards: Mapping[int, tuple[int, int]],
        statistics_of: StatisticsOf,
        shown_of: ShownOf = nothing_shown,
    ) -> dict[int, Shown]:
        """What the `cards` shown at the end of a hand say of those who showed them, by seat; to be added to what was known.

        Nothing without a full board. `statistics_of` and `shown_of` are those of before the hand.
        """
        if len(hand.board) < 5:
            return {}
        lines = acts(Told.of_hand(hand))
        found = {}
        for seat, held in cards.items():
            name = hand.names[seat]
            weights = self._after(lines[seat], statistics_of(name), shown_of(name), False)
            found[seat] = placed(without(hand.board) * weights, held, hand.board, self.parameters)
        return found

    def _weigh(self, own: tuple[Act, ...], statistics: Statistics, shown: Shown, is_late: bool) -> Values:
        """The weights of all holdings after a player's acts, the largest 1; the cards that lie stay in."""
        if not own:
            weights = self._usually_played(statistics) if is_late else _ANY_TWO
        else:
            before = self._after(own[:-1], statistics, shown, is_late)
            weights = before * self._chances(own[-1], before, statistics, shown)
        weights = np.asarray(weights / weights.max())
        weights.setflags(write=False)
        return weights

    def _usually_played(self, statistics: Statistics) -> Values:
        return soft_top(PREFLOP_TOP, statistics.shrunk("vpip"), self.parameters.preflop_edge)

    def _chances(self, act: Act, before: Values, statistics: Statistics, shown: Shown) -> Values:
        """How likely each holding of a range was to act so."""
        is_preflop = act.street is Street.PREFLOP
        if is_preflop:
            chart = charted(act, self.parameters.chart_pull)
            order, shares = chart.order, ChartShares(chart.raises, chart.plays)
        else:
            order, shares = standing_on(act.board, self.parameters.draw_bonus), ChartShares(0.0, 0.0)
        rates = rates_of(act, statistics, shares, self.parameters)
        rates = rates.wider(shown.looseness(self.parameters, preflop=is_preflop))
        part = self.parameters.own_range
        fractions = part * order.top_fractions(before) + (1.0 - part) * order.among_all
        return likelihood(act, rates, fractions, self.parameters)


def learn(opponents: Opponents, reading: Reading, hand: PlayedHand, cards: Mapping[int, tuple[int, int]]) -> None:
    """Take a hand that is over into the book: what its `cards`, shown by seat, say of how they were read, and what everybody did."""
    opponents.seen(hand, reading.observed_showdown(hand, cards, opponents.of, opponents.shown_of))


def _as_range(weights: Values) -> Range:
    """The weights as a range, with a text of one line instead of a thousand weights."""
    weights = weights / weights.max()
    return Range(weights, f"as read, about {100 * weights.mean():.0f} % of hands")
