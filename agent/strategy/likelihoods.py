"""Likelihoods: how likely each holding was to act as somebody did.

The rates tell what part of a range acts so, its order of strength which part: the top raises, what is left of the best
plays on, and a bluff share comes from anywhere. Cuts are soft, because nobody plays exactly the best so many percent.
"""

from typing import Final

import numpy as np

from agent.poker.spot import Street
from agent.strategy.acts import Act, Deed
from agent.strategy.parameters import ReadingParameters
from agent.strategy.percentile import Values
from agent.strategy.rates import LEAST, Rates

_SHARPEST: Final = 0.01
"""The scale of a cut that nothing else softens."""


def soft_top(fractions: Values, share: float, edge: float) -> Values:
    """The chance of each holding to count among the top `share` of a range, whose cut is as soft as `edge` says.

    `fractions` are the shares of the range that stand above each. The slope has the scale `edge` times the share: who
    plays much draws no fine line. The chance at the cut is 1/2.
    """
    scale = edge * share + _SHARPEST
    return np.asarray(0.5 - 0.5 * np.tanh((fractions - share) / (2.0 * scale)))


def likelihood(act: Act, rates: Rates, fractions: Values, parameters: ReadingParameters) -> Values:
    """The chance of the act for each holding, each in (0, 1]; `fractions` are the shares of the range above it."""
    is_preflop = act.street is Street.PREFLOP
    edge = parameters.preflop_edge if is_preflop else parameters.edge
    raising = (
        _raising(act, rates.raises, fractions, edge, parameters)
        if act.can_raise or act.deed is Deed.RAISE
        else np.zeros(len(fractions))
    )
    match act.deed:
        case Deed.RAISE:
            usual, chance = rates.raises, raising
        case Deed.CHECK:
            usual, chance = 1.0 - rates.raises, 1.0 - raising
        case Deed.CALL:
            usual, chance = (
                max(LEAST, rates.plays - rates.raises),
                soft_top(fractions, rates.plays, edge) * (1.0 - raising),
            )
    blurred: Values = parameters.surprise * usual + (1.0 - parameters.surprise) * chance
    return blurred if is_preflop else blurred**parameters.trust


def _raising(act: Act, rate: float, fractions: Values, edge: float, parameters: ReadingParameters) -> Values:
    """The chance to raise: strong hands do it as surely as a share says, and all weaker ones make up the bluffs."""
    if act.street is Street.PREFLOP:
        sure, bluffs = parameters.open_share, 0.0 if not act.street_raises else parameters.bluff_share / 4
    else:
        sure, bluffs = parameters.raise_share if act.price else parameters.bet_share, parameters.bluff_share
    strong = soft_top(fractions, min(0.98, rate * (1.0 - bluffs) / sure), edge)
    bluffing = rate * bluffs / max(0.02, 1.0 - rate * (1.0 - bluffs))
    return np.asarray(np.minimum(1.0, sure * strong + bluffing * (1.0 - strong)))
