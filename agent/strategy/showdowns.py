"""Showdowns: what hands that were shown say about how somebody is read."""

import math
from dataclasses import dataclass

from agent.poker.ranges import combo_index
from agent.strategy.parameters import ReadingParameters
from agent.strategy.percentile import PREFLOP_STANDING, Values, standing_on


@dataclass(frozen=True, slots=True)
class Shown:
    """How the hands that somebody showed lay in the ranges that were read for them.

    `early` and `late` are sums over `showdowns` hands: the share of the range that was better, less one half, in the
    order of hands before the flop and in that of the river. Above 0 for hands that were weaker than read.
    """

    showdowns: int = 0
    early: float = 0.0
    late: float = 0.0

    def __add__(self, other: "Shown") -> "Shown":
        """Both together."""
        return Shown(self.showdowns + other.showdowns, self.early + other.early, self.late + other.late)

    def looseness(self, parameters: ReadingParameters, *, preflop: bool) -> float:
        """The factor for the odds of the player's rates; 1 without showdowns, above 1 for hands weaker than read.

        The mean is shrunk with the weight n / (n + `shown_weight`) and the factor bounded by `shown_limit`.
        """
        mean = (self.early if preflop else self.late) / (self.showdowns + parameters.shown_weight)
        most = math.log(parameters.shown_limit)
        return math.exp(min(most, max(-most, parameters.shown_power * mean)))


UNSHOWN = Shown()
"""A player who has shown nothing yet."""


def placed(weights: Values, cards: tuple[int, int], board: tuple[int, ...], parameters: ReadingParameters) -> Shown:
    """Where the hand that was shown on a full board lay in a range of these weights."""
    place = combo_index(*cards)
    early = PREFLOP_STANDING.top_fractions(weights)[place]
    late = standing_on(board, parameters.draw_bonus).top_fractions(weights)[place]
    return Shown(1, float(early) - 0.5, float(late) - 0.5)
