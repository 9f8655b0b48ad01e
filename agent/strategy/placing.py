"""Placing: where a hand that was shown lay in the range that had been read for it."""

from agent.poker.ranges import combo_index
from agent.strategy.parameters import ReadingParameters
from agent.strategy.percentile import PREFLOP_STANDING, Values, standing_on
from agent.strategy.showdowns import Shown


def placed(weights: Values, cards: tuple[int, int], board: tuple[int, ...], parameters: ReadingParameters) -> Shown:
    """Where the hand that was shown on a full board lay in a range of these weights."""
    place = combo_index(*cards)
    early = PREFLOP_STANDING.top_fractions(weights)[place]
    late = standing_on(board, parameters.draw_bonus).top_fractions(weights)[place]
    return Shown(1, float(early) - 0.5, float(late) - 0.5)
