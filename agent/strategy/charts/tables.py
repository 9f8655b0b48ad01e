"""The stored charts as arrays: a weight for each of the 169 classes, in the order of `CLASSES`."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from agent.poker.ranges import CLASS_OF_COMBO, Range, parse_range

Classes = npt.NDArray[np.float64]

SEATS: Final = ("UTG", "HJ", "CO", "BTN", "SB", "BB")
HEADS_UP: Final = "HU"
"""The small blind of a heads-up hand, as the charts call it."""

_ONE_OF_EACH: Final = np.unique(CLASS_OF_COMBO, return_index=True)[1]

# How often a hand is played that stands in a key with this ending.
_FREQUENCIES: Final = {"_seldom": 0.25, "_mixed": 0.5, "": 1.0}


class Plan(NamedTuple):
    """Weights by class: how often to raise and how often to call; together at most 1."""

    raise_: Classes
    call: Classes


@cache
def classes(text: str) -> Classes:
    """The weights by class of a range in our notation."""
    weights = class_weights(parse_range(text))
    weights.setflags(write=False)
    return weights


def class_weights(range_: Range) -> Classes:
    """The weights by class of a range in which all holdings of a class weigh the same, as in every chart."""
    return range_.weights[_ONE_OF_EACH]


def as_range(weights: Classes) -> Range:
    """The range in which every holding has the weight of its class."""
    return Range(weights[CLASS_OF_COMBO])


@cache
def chart(name: str) -> Mapping[str, Any]:
    """A chart file, by its name without the ending."""
    text = files("agent.strategy.charts").joinpath(f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def plan(name: str, hero: str, other: str) -> Plan:
    """What a chart of hero against one other seat says; where it has no such pair, the pair most like it."""
    entry = chart_entry(name, hero, other)
    raise_ = _played(entry, "raise")
    return Plan(raise_, np.minimum(_played(entry, "call"), 1 - raise_))


@cache
def chart_entry(name: str, hero: str, other: str) -> Mapping[str, Any]:
    """The entry of a chart for a pair of seats, or for the pair most like it: hero's seat counts before the other's."""
    pairs = [(own, their) for own, row in chart(name).items() for their in row]
    own, their = min(pairs, key=lambda pair: (_distance(pair[0], hero), _distance(pair[1], other)))
    found: Mapping[str, Any] = chart(name)[own][their]
    return found


def seat_of(position: str, dealt: int) -> str:
    """The seat whose charts a position plays: one of `SEATS`, or `HEADS_UP`.

    With fewer than six dealt the seats count from the button; one that so few do not have plays the first they have.

    >>> seat_of("CO", 4), seat_of("UTG", 4), seat_of("BTN/SB", 2), seat_of("BTN/BB", 2)
    ('CO', 'CO', 'HU', 'BB')
    """
    seat = position.rpartition("/")[2]
    if seat not in SEATS:
        raise ValueError(f"{position!r} is no position: expected {', '.join(SEATS)}, BTN/SB or BTN/BB")
    if dealt <= 2:
        return "BB" if seat == "BB" else HEADS_UP
    return SEATS[max(SEATS.index(seat), len(SEATS) - dealt)]


def between(value: float, low: float, high: float) -> float:
    """How far a value is on its way from low to high, 0 to 1."""
    return min(1.0, max(0.0, (value - low) / (high - low)))


def mixed(one: Classes, other: Classes, part: float) -> Classes:
    """The weights of two charts mixed, the second with this part."""
    return (1 - part) * one + part * other


def _distance(one: str, other: str) -> int:
    """How unlike two seats are; the blinds are far from the rest, because their chips are in and they act first."""
    apart = abs(SEATS.index(one) - SEATS.index(other))
    return apart + len(SEATS) * ((one in {"SB", "BB"}) != (other in {"SB", "BB"}))


def _played(entry: Mapping[str, Any], action: str) -> Classes:
    """How often a class plays this action: the most that any key says."""
    weights = np.zeros(169)
    for ending, frequency in _FREQUENCIES.items():
        if text := entry.get(action + ending):
            weights = np.maximum(weights, frequency * classes(text))
    return weights
