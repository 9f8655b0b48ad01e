"""Push or fold: what to go all in with on a short stack, and what to call an all-in with.

The charts are equilibria worked out by `poker-agent push-fold-chart` and stored as readable text;
`agent.strategy.charts.equilibrium` says which games they solve, and what is exact about them and what is not.
Between two stored depths the weights are mixed; beyond the first and the last one they stay as they are.
Positions are those of `agent.poker.positions`, blinds 0.5 and 1 without an ante.
"""

from functools import lru_cache
from typing import Final

from agent.poker.ranges import Range
from agent.strategy.charts.shaping import scaled
from agent.strategy.charts.tables import HEADS_UP, SEATS, Classes, as_range, between, chart, classes, mixed, seat_of

_MOST_BEHIND: Final = 5
# What each player who has called already leaves of the range that calls too: one more to beat, and he knew of the push.
_EACH_CALLER: Final = 0.5
# What players still to act leave of a re-raise all in: the charts are those of the big blind.
_PLAYERS_BEHIND: Final = 0.75


def push(position: str, behind: int, effective_bb: float) -> Range:
    """What to go all in with, first in, with `behind` players to act and that many big blinds at stake.

    The last two behind are the blinds; a blind has one behind, whatever is said.
    """
    blind = position.endswith(("SB", "BB")) or position == HEADS_UP
    return _push(1 if blind else _players(behind), effective_bb)


def call_push(hero: str, pusher: str, dealt: int, effective_bb: float, callers: int = 0) -> Range:
    """What hero calls the all-in of a first-in pusher with; `effective_bb` is the smaller of the two stacks.

    `callers` have called in between: an estimate then, because the charts know of no second caller.
    """
    seats = [SEATS.index("SB" if seat == HEADS_UP else seat) for seat in (seat_of(hero, dealt), seat_of(pusher, dealt))]
    behind = _players(len(SEATS) - 1 - seats[1])
    place = min(max(seats[0] - seats[1], 1), behind) - 1
    return _call_push(behind, place, effective_bb, callers)


def reshove(opener: str, depth_bb: float, behind: int = 0) -> Range:
    """What the big blind goes all in with against one open of 2.5 big blinds, all others having folded.

    `opener` is a seat or `HU`, the small blind heads-up. With `behind` players to act besides him, where hero is
    not in the big blind, it is an estimate.
    """
    weights = _weights("reshove", _opener(opener), depth_bb, "push")
    return as_range(scaled(weights, _PLAYERS_BEHIND) if behind else weights)


def call_reshove(opener: str, depth_bb: float) -> Range:
    """What the opener of 2.5 big blinds calls the all-in of `reshove` with."""
    return as_range(_weights("reshove", _opener(opener), depth_bb, "call"))


def _players(behind: int) -> int:
    return min(_MOST_BEHIND, max(1, behind))


def _opener(opener: str) -> str:
    """The seat as the chart calls it; the big blind, which can only raise limpers, is taken for the small one."""
    if "/" in opener:
        return HEADS_UP
    return "SB" if opener == "BB" else opener


@lru_cache(maxsize=512)
def _push(behind: int, effective_bb: float) -> Range:
    return as_range(_weights("push_fold", str(behind), effective_bb, "push"))


@lru_cache(maxsize=512)
def _call_push(behind: int, place: int, effective_bb: float, callers: int) -> Range:
    weights = _weights("push_fold", str(behind), effective_bb, "calls", place)
    return as_range(scaled(weights, _EACH_CALLER**callers))


def _weights(name: str, key: str, depth_bb: float, action: str, place: int | None = None) -> Classes:
    """The weights of an action, mixed from those at the two stored depths around this one."""
    entries = {float(bb): entry[action] for bb, entry in chart(name)[key].items()}
    below = max((bb for bb in entries if bb <= depth_bb), default=min(entries))
    above = min((bb for bb in entries if bb >= depth_bb), default=max(entries))
    low, high = (classes(entries[bb] if place is None else entries[bb][place]) for bb in (below, above))
    return low if below == above else mixed(low, high, between(depth_bb, below, above))
