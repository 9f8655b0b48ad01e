"""Which hands to play before the flop, and how: the charts by seat, number of players, depth and price.

Positions are those of `agent.poker.positions`. What counts about a seat is who acts after it: with fewer than six
players dealt a seat plays as it does six-handed, and heads-up the small blind has charts of its own. Depths are
effective stacks in big blinds, before the blinds were posted. Every question has an answer for every seat, number
of players and depth; where no chart fits, the one for the pair of seats most like it does.

The charts are made for 100 big blinds and no rake. Shallower, raises turn into the all-ins of the push-or-fold
charts and calls get fewer; deeper, offsuit bluffs go and good hands call where they would raise.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np

from agent.poker.ranges import CLASSES, Range
from agent.strategy.charts.shaping import resized_classes, scaled, share_of
from agent.strategy.charts.tables import (
    HEADS_UP,
    SEATS,
    Classes,
    Plan,
    as_range,
    between,
    chart,
    chart_entry,
    class_weights,
    classes,
    mixed,
    plan,
    seat_of,
)
from agent.strategy.pushfold import call_reshove, push, reshove

# Up to the first depth every raise is an all-in, from the second on none is for want of depth.
_JAM_BB: Final = 25.0
_NO_JAM_BB: Final = 40.0
# Up to the first depth nobody calls a raise to see a flop, from the second on as often as the charts say.
_NO_CALL_BB: Final = 8.0
_CALL_BB: Final = 30.0
_PUSH_BB: Final = 12.0
_OVER_LIMP_BB: Final = 60.0
_CHART_BB: Final = 100.0
_DEEP_BB: Final = 200.0

# The opens that the two charts of the big blind answer.
_OPEN_BB: Final = 2.5
_SMALL_OPEN_BB: Final = 2.1
# How much narrower the answer gets as the price gets worse; for calls between the big blind's two charts.
_CALLS_BY_PRICE: Final = 1.7
_RAISES_BY_PRICE: Final = 0.7
# The most that a small 3-bet widens the calls, in parts of them.
_CHEAPEST: Final = 1.6
# What is left of a raising range for each limper or caller beyond the first, and of an all-in with players behind.
_EACH_MORE: Final = 0.85
_PLAYERS_BEHIND: Final = 0.75

# How much wider, in parts of the range, a 4-bet all in is called with 25 big blinds than with 100.
_COMMITTED: Final = 1.5
# The part of the raises that 200 big blinds turn into calls, and for offsuit hands mostly into folds.
_DEEP_CALLS: Final = 0.25
_DEEP_FOLDS: Final = 0.5

# A player without chips in the pot, against a raise and a re-raise.
_COLD_RAISE: Final = classes("QQ+,AK,JJ:0.5,A5s:0.25")
_COLD_CALL: Final = classes("JJ:0.5,TT:0.5,AQs:0.5")
_PAIRED_OR_SUITED: Final = np.array([not name.endswith("o") for name in CLASSES])
_GOOD_OFFSUIT: Final = classes("AJo+,KQo") > 0
_ALWAYS_RAISED: Final = classes("KK+,AK") > 0


@dataclass(frozen=True, slots=True)
class Response:
    """What to do with each holding: how often to raise it and how often to call, 0 to 1; else it folds."""

    raise_: Range
    call: Range


def opening(position: str, dealt: int, depth_bb: float, *, with_limps: bool = False) -> Range:
    """What to raise when all before have folded; with 12 big blinds and less, to go all in with.

    `with_limps` takes the plan of the small blind that limps the rest of what it plays (`limping`). The big blind
    has nobody left to raise: its answer is that of the small blind.
    """
    seat, depth = seat_of(position, dealt), _level(depth_bb)
    entry = chart("limping").get(seat, {})
    if with_limps and "raise" in entry and depth > _PUSH_BB:
        return as_range(classes(entry["raise"]))
    return _opening_range(seat, depth)


def limping(position: str, dealt: int) -> Range:
    """What a player who limps first in holds; a sound plan for the small blind, elsewhere a weak player's."""
    return as_range(classes(_limper(position, dealt)["limp"]))


def limper_versus_raise(position: str, dealt: int) -> Response:
    """What one who limped does when raised."""
    entry = _limper(position, dealt)
    return _response(Plan(classes(entry["raise_again"]), classes(entry["call"])))


def isolate(position: str, limpers: int, dealt: int, depth_bb: float) -> Range:
    """What to raise when `limpers` players have limped in front, 1 or more.

    For the big blind against the small blind's limp alone it is `versus_limp_big_blind`.
    """
    return _isolate(seat_of(position, dealt), max(1, limpers), dealt == 2, _level(depth_bb))


def over_limp(position: str, limpers: int, dealt: int, depth_bb: float) -> Range:
    """What to limp behind `limpers` players with, apart from what `isolate` raises; often nothing."""
    seat, depth = seat_of(position, dealt), _level(depth_bb)
    table = chart("isolating")["call"]
    if seat in {"SB", HEADS_UP} and depth > _PUSH_BB:
        weights = classes(table["SB"])
    elif limpers >= 2 and depth >= _OVER_LIMP_BB:
        weights = classes(table["OTHER"])
    else:
        weights = np.zeros(len(CLASSES))
    raised = class_weights(isolate(position, limpers, dealt, depth_bb))
    return as_range(np.minimum(weights, 1 - raised))


def versus_limp_big_blind(depth_bb: float) -> Range:
    """What the big blind raises when the small blind alone has limped; it checks the rest."""
    depth = _level(depth_bb)
    weights = classes(chart("isolating")["raise"]["BB_versus_SB"])
    return as_range(weights if depth > _PUSH_BB else scaled(_opening("SB", depth), _PLAYERS_BEHIND))


def versus_open(hero: str, opener: str, dealt: int, depth_bb: float, open_bb: float = _OPEN_BB) -> Response:
    """What to 3-bet and what to call against one raise to `open_bb`; up to 25 big blinds deep a 3-bet is an all-in."""
    seats = seat_of(hero, dealt), seat_of(opener, dealt)
    return _answer_to_open(*seats, _level(depth_bb), round(open_bb, 1))


def squeeze(
    hero: str, opener: str, dealt: int, depth_bb: float, callers: int = 1, open_bb: float = _OPEN_BB
) -> Response:
    """The same when `callers` players, 1 or more, have called the open in between."""
    seats = seat_of(hero, dealt), seat_of(opener, dealt)
    return _squeeze(*seats, _level(depth_bb), max(1, callers), round(open_bb, 1))


def versus_three_bet(
    hero: str, raiser: str, dealt: int, depth_bb: float, raise_bb: float | None = None, *, opened: bool = True
) -> Response:
    """What the opener does against a 3-bet to `raise_bb`, with every hand, whether it should have opened it or not.

    Up to 25 big blinds deep the 3-bet is taken for an all-in, and what raises calls it. `opened` is False for a
    player who has not raised yet, and plays the very best hands only.
    """
    depth = _level(depth_bb)
    if not opened:
        return _response(Plan(_COLD_RAISE, _COLD_CALL * between(depth, _JAM_BB, _CHART_BB)))
    raised_to = None if raise_bb is None else round(raise_bb)
    return _versus_three_bet(seat_of(hero, dealt), seat_of(raiser, dealt), depth, raised_to)


def versus_four_bet(hero: str, raiser: str, dealt: int, depth_bb: float, *, all_in: bool = False) -> Response:
    """What the 3-bettor does against a 4-bet; its raise is all in. Against one that is all in, it calls or folds."""
    pair = _six_max(seat_of(hero, dealt)), _six_max(seat_of(raiser, dealt))
    return _versus_four_bet(*pair, _level(depth_bb), all_in)


def _six_max(seat: str) -> str:
    """The seat whose answers to raises heads-up play comes nearest to: the button against the big blind."""
    return "BTN" if seat == HEADS_UP else seat


def _level(depth_bb: float) -> float:
    """The depth, in steps so that answers can be kept."""
    if depth_bb < 20:
        return max(1.0, round(2 * depth_bb) / 2)
    return min(_DEEP_BB, 5.0 * round(depth_bb / 5))


def _response(found: Plan) -> Response:
    return Response(as_range(found.raise_), as_range(found.call))


def _limper(position: str, dealt: int) -> dict[str, Any]:
    table = chart("limping")
    entry: dict[str, Any] = table.get(seat_of(position, dealt), table["OTHER"])
    return entry


@lru_cache(maxsize=512)
def _opening_range(seat: str, depth: float) -> Range:
    return as_range(_opening(seat, depth))


@lru_cache(maxsize=512)
def _opening(seat: str, depth: float) -> Classes:
    """The opening range between the two charts whose depths are next to this one."""
    own = "SB" if seat == "BB" else seat
    charts = {float(bb): classes(text) for bb, text in chart("opening")[own].items()}
    behind = 1 if own == HEADS_UP else len(SEATS) - 1 - SEATS.index(own)
    charts[_PUSH_BB] = class_weights(push(own, behind, min(depth, _PUSH_BB)))
    depths = sorted(charts)
    above = next((bb for bb in depths if bb >= depth), depths[-1])
    below = max((bb for bb in depths if bb <= depth), default=depths[0])
    return charts[below] if above == below else mixed(charts[below], charts[above], between(depth, below, above))


@lru_cache(maxsize=512)
def _isolate(seat: str, limpers: int, heads_up: bool, depth: float) -> Range:
    table = chart("isolating")["raise"]
    if depth <= _PUSH_BB:
        weights = scaled(_opening(seat, depth), _PLAYERS_BEHIND)
    elif heads_up:
        weights = classes(table["BB_versus_SB"])
    else:
        weights = classes(table.get(seat, table["HJ"]))
    return as_range(scaled(weights, _EACH_MORE ** (limpers - 1)))


@lru_cache(maxsize=512)
def _answer_to_open(hero: str, opener: str, depth: float, open_bb: float) -> Response:
    return _response(_versus_open(hero, opener, depth, open_bb))


@lru_cache(maxsize=512)
def _versus_open(hero: str, opener: str, depth: float, open_bb: float) -> Plan:
    pair = _six_max(hero), "SB" if opener == HEADS_UP else opener
    found = plan("versus_open", *pair)
    if hero == "BB":
        found = _cheaper(plan("versus_small_open", *pair), found, between(open_bb, _SMALL_OPEN_BB, _OPEN_BB))
    narrower = _price(hero, _OPEN_BB) / _price(hero, max(open_bb, _OPEN_BB))
    jam = class_weights(reshove(opener, depth, behind=int(hero != "BB")))
    raise_ = scaled(mixed(jam, found.raise_, between(depth, _JAM_BB, _NO_JAM_BB)), narrower**_RAISES_BY_PRICE)
    call = scaled(found.call, narrower**_CALLS_BY_PRICE)
    return _deeper(_fitted(raise_, call * between(depth, _NO_CALL_BB, _CALL_BB)), depth)


def _cheaper(small: Plan, usual: Plan, part: float) -> Plan:
    """The big blind's answer between a small open and the usual one, the second with this part.

    The two charts are of different makers; what one of them calls at the worse price is called at the better one.
    """
    wider = np.maximum(small.call, usual.call)
    return _fitted(mixed(small.raise_, usual.raise_, part), mixed(wider, usual.call, part))


def _price(hero: str, open_bb: float) -> float:
    """The equity that a call of an open needs; the blinds have chips in already."""
    posted = {"BB": 1.0, "SB": 0.5}.get(hero, 0.0)
    call = open_bb - posted
    return call / (call + open_bb + 1.5)


@lru_cache(maxsize=512)
def _squeeze(hero: str, opener: str, depth: float, callers: int, open_bb: float) -> Response:
    pair, single = (_six_max(hero), _six_max(opener)), _versus_open(hero, opener, depth, open_bb)
    deep = scaled(plan("squeeze", *pair).raise_, _EACH_MORE ** (callers - 1))
    raise_ = mixed(scaled(single.raise_, _EACH_MORE**callers), deep, between(depth, _JAM_BB, _NO_JAM_BB))
    called = np.minimum(single.call + single.raise_, 1 - raise_)
    share = chart_entry("squeeze", *pair)["call_share"] * between(depth, _NO_CALL_BB, _CALL_BB)
    return _response(_deeper(_fitted(raise_, resized_classes(called, min(share, share_of(called)))), depth))


@lru_cache(maxsize=512)
def _versus_three_bet(hero: str, raiser: str, depth: float, raise_bb: int | None) -> Response:
    name = "heads_up_versus_three_bet" if hero == HEADS_UP else "versus_three_bet"
    pair = _six_max(hero), _six_max(raiser)
    found, usual_bb = plan(name, *pair), chart_entry(name, *pair)["to_bb"]
    cheaper = min(_CHEAPEST, usual_bb / raise_bb) if raise_bb else 1.0
    part = between(depth, _JAM_BB, _NO_JAM_BB)
    raise_ = scaled(found.raise_, min(1.0, cheaper) ** _RAISES_BY_PRICE)
    raise_ = mixed(class_weights(call_reshove(hero, depth)), raise_, part)
    return _response(_deeper(_fitted(raise_, scaled(found.call, cheaper) * part), depth))


@lru_cache(maxsize=512)
def _versus_four_bet(hero: str, raiser: str, depth: float, all_in: bool) -> Response:
    room = between(depth, _JAM_BB, _CHART_BB)
    if all_in:
        call = plan("versus_jam", hero, raiser).call
        return _response(_fitted(np.zeros(len(CLASSES)), scaled(call, 1 + _COMMITTED * (1 - room))))
    found = plan("versus_four_bet", hero, raiser)
    return _response(_deeper(_fitted(found.raise_ + found.call * (1 - room), found.call * room), depth))


def _deeper(found: Plan, depth: float) -> Plan:
    """The plan beyond 100 big blinds, where a raise that is no monster is worth less."""
    less = np.where(_PAIRED_OR_SUITED, _DEEP_CALLS, _DEEP_FOLDS) * between(depth, _CHART_BB, _DEEP_BB)
    taken = np.where(_ALWAYS_RAISED, 0.0, less * found.raise_)
    return _fitted(found.raise_ - taken, found.call + np.where(_PAIRED_OR_SUITED | _GOOD_OFFSUIT, taken, 0.0))


def _fitted(raise_: Classes, call: Classes) -> Plan:
    """A plan whose weights are shares: no more than 1, and calls only what does not raise."""
    raise_ = np.clip(raise_, 0.0, 1.0)
    return Plan(raise_, np.clip(call, 0.0, 1 - raise_))
