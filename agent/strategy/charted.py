"""What the charts play in the place of an act before the flop: the shape that a player's own rates are fitted to."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from agent.poker.ranges import COMBOS, Range
from agent.strategy.acts import Act
from agent.strategy.charts.lookup import isolate, opening, versus_four_bet, versus_open, versus_three_bet
from agent.strategy.percentile import PREFLOP_TOP, Standing, standing

_PLACES_KEPT: Final = 512
_STEPS_BB: Final = 10.0
_LEAST_BB: Final = 30.0
"""Charts for jamming stacks are other charts; what those do with calls is left to the statistics of the player."""


@dataclass(frozen=True, slots=True, eq=False)
class Charted:
    """The shares of all holdings that the charts raise, and raise or call; `order` ranks holdings as a reader of charts would."""

    raises: float
    plays: float
    order: Standing


def charted(act: Act, pull: float) -> Charted:
    """What the charts play where an act before the flop was taken.

    With `pull` 0 holdings stand by their strength alone, with 1 those that the chart plays stand first.
    """
    depth_bb = max(_LEAST_BB, _STEPS_BB * round(act.depth_bb / _STEPS_BB))
    faced_bb = round(act.faced_bb, 1) if act.raisers else 1.0
    return _charted(act.position, act.raisers[-1:], len(act.raisers), act.callers, act.dealt, depth_bb, faced_bb, pull)


@lru_cache(_PLACES_KEPT)
def _charted(
    position: str,
    raiser: tuple[str, ...],
    raises: int,
    callers: int,
    dealt: int,
    depth_bb: float,
    faced_bb: float,
    pull: float,
) -> Charted:
    nothing = Range(np.zeros(len(COMBOS)))
    if not raiser:
        raised = isolate(position, callers, dealt, depth_bb) if callers else opening(position, dealt, depth_bb)
        called = nothing
    else:
        if raises == 1:
            answer = versus_open(position, raiser[0], dealt, depth_bb, faced_bb)
        elif raises == 2:
            answer = versus_three_bet(position, raiser[0], dealt, depth_bb, faced_bb)
        else:
            answer = versus_four_bet(position, raiser[0], dealt, depth_bb)
        raised, called = answer.raise_, answer.call
    # What is called stands behind what is raised, and both before what is folded.
    first = np.minimum(1.0, raised.weights + 0.5 * called.weights)
    order = standing(-PREFLOP_TOP * (1.0 - pull * first), np.ones(len(COMBOS), dtype=np.bool_))
    return Charted(raised.share / 100, (raised.total + called.total) / len(COMBOS), order)
