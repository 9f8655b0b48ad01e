"""How opponents answer a bet: how often they fold, which hands go on, and which of those raise.

Rates are each opponent's own, drawn to the field's while few chances were seen (`Statistics.shrunk`); their dependence
on the size and on what the player did before follows the response model of SvanBot (MIT/Apache), whose constants are
priors set by hand.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from agent.poker.spot import Street
from agent.strategy.policy.parameters import PolicyParameters
from agent.strategy.statistics import Statistics

Weights = npt.NDArray[np.float64]

_USUAL_SIZE: Final = 0.66
_FOLD_TO_BET: Final = {
    Street.FLOP: "fold_to_flop_bet",
    Street.TURN: "fold_to_turn_bet",
    Street.RIVER: "fold_to_river_bet",
}
_RAISES: Final = {Street.FLOP: 0.10, Street.TURN: 0.08, Street.RIVER: 0.07}
_LEAST_FOLD, _MOST_FOLD = 0.02, 0.97
_MOST_RAISING: Final = 0.8


@dataclass(frozen=True, slots=True)
class Answer:
    """What one opponent does with a bet.

    `fold` is the share of the range that folds; `continuing` are the weights (1326,) of what goes on, and `raising` the
    share of those that raise.
    """

    fold: float
    continuing: Weights
    raising: float


@dataclass(frozen=True, slots=True)
class Bettor:
    """What an opponent has done on this street: how often they bet or raised, and whether they called an all-in."""

    raises: int = 0
    called_all_in: bool = False


def fold_rate(
    statistics: Statistics,
    street: Street,
    pots: float,
    *,
    is_raise: bool,
    before: Bettor,
    parameters: PolicyParameters,
) -> float:
    """How often a player folds to a bet of so many `pots` after the flop, or to a raise where `is_raise`."""
    rate = parameters.fold_scale * statistics.shrunk(_FOLD_TO_BET[street])
    if before.raises:
        rate = min(rate, parameters.raised_before_fold / before.raises**1.4)
    larger: float = ((1 + 2 * _USUAL_SIZE) / (1 + 2 * pots)) ** parameters.size_exponent
    folds = 1 - (1 - rate) * min(1.6, larger)
    folds += parameters.facing_raise_fold if is_raise else 0.0
    if before.called_all_in:
        folds = min(folds, 0.3)
    return min(_MOST_FOLD, max(_LEAST_FOLD, folds))


def answer(weights: Weights, places: Weights, folds: float, street: Street, parameters: PolicyParameters) -> Answer:
    """How a range is split by a bet to which the share `folds` gives up: the weakest hands do, with a soft edge.

    `places` are those of its holdings in the range (`places_in`).
    """
    stays = 1 / (1 + np.exp(-(places - folds) / (parameters.soft_edge / 4)))
    continuing = weights * stays
    total, left = float(weights.sum()), float(continuing.sum())
    fold = 1 - left / total if total else 1.0
    raising = min(_MOST_RAISING, _RAISES.get(street, 0.1) / max(1e-6, 1 - fold))
    return Answer(fold, continuing, raising)


def places_in(weights: Weights, strength: Weights) -> Weights:
    """The place of each holding within a range by strength, 0 the weakest and 1 the strongest; ties share their middle."""
    order = np.argsort(strength, kind="stable")
    ordered, values = weights[order], strength[order]
    upto = np.cumsum(ordered)
    total = upto[-1] if upto.size else 0.0
    if total <= 0:
        return np.zeros_like(weights)
    first = np.flatnonzero(np.r_[True, values[1:] != values[:-1]])
    last = np.r_[first[1:], values.size] - 1
    middle = (np.r_[0.0, upto][first] + upto[last]) / 2
    places = np.empty_like(weights)
    places[order] = np.repeat(middle / total, last - first + 1)
    return places
