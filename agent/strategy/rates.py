"""Rates: what part of the range they have somebody raises with, or plays on with, in the place of an act.

A typical player of the field does it as often as `ReadingParameters` and the charts say; the player's own statistics, drawn
towards that field while they are few, move it from there.
"""

from dataclasses import dataclass
from typing import Final

from agent.poker.spot import Street
from agent.strategy.acts import Act
from agent.strategy.parameters import ReadingParameters
from agent.strategy.statistics import PRIORS, Statistics

LEAST: Final = 0.005
MOST: Final = 0.98

_AFTER_FLOP: Final = {Street.FLOP: 0, Street.TURN: 1, Street.RIVER: 2}


@dataclass(frozen=True, slots=True)
class Rates:
    """The parts of a range that raise, and that raise or call; each in (0, 1). Where checking is free, `plays` is 1."""

    raises: float
    plays: float

    def wider(self, factor: float) -> "Rates":
        """The rates with their odds multiplied: above 1 for a player who is looser than the statistics tell.

        >>> Rates(0.2, 0.5).wider(4.0)
        Rates(raises=0.5, plays=0.8)
        """
        return Rates(*(odds(rate, factor) for rate in (self.raises, self.plays)))


@dataclass(frozen=True, slots=True)
class ChartShares:
    """The shares of all holdings that the chart raises, and raises or calls."""

    raises: float
    plays: float


def odds(rate: float, factor: float) -> float:
    """A rate with its odds multiplied."""
    return factor * rate / (1.0 + (factor - 1.0) * rate)


def rates_of(act: Act, told: Statistics, chart: ChartShares, parameters: ReadingParameters) -> Rates:
    """How often somebody of these statistics raises, and plays, where that act was taken."""
    found = _preflop(act, told, chart, parameters) if act.street is Street.PREFLOP else _later(act, told, parameters)
    plays = _bounded(max(found.plays, found.raises)) if act.price else 1.0
    return Rates(_bounded(found.raises), plays)


def _bounded(rate: float) -> float:
    return min(MOST, max(LEAST, rate))


def _ratio(told: Statistics, name: str) -> float:
    """How much more often than usual, as a factor."""
    return told.shrunk(name) / PRIORS[name].rate


def _preflop(act: Act, told: Statistics, chart: ChartShares, parameters: ReadingParameters) -> Rates:
    size = (2.5 / max(2.0, act.faced_bb)) ** parameters.size_power
    if not act.street_raises:
        return _unraised(act, told, chart, parameters)
    if act.street_raises == 1 and not act.has_called:
        raises = chart.raises * parameters.reraise_width * _ratio(told, "three_bet")
        share = parameters.call_chart * chart.plays + (1.0 - parameters.call_chart) * parameters.call_share
        return Rates(raises, share * _ratio(told, "vpip") * size)
    if act.raised_before:
        plays = 1.0 - told.shrunk("fold_to_three_bet") if act.street_raises == 2 else parameters.play_on
        return Rates(parameters.four_bet * plays, plays)
    if act.has_called:
        return Rates(0.1, parameters.caller_play_on * _ratio(told, "vpip") ** 0.5)
    plays = parameters.cold_play * told.shrunk("three_bet")
    return Rates(plays / 2, plays)


def _unraised(act: Act, told: Statistics, chart: ChartShares, parameters: ReadingParameters) -> Rates:
    """First in, over limpers, or with the option of the big blind."""
    if not act.price:
        return Rates(parameters.option_raise * _ratio(told, "pfr"), 1.0)
    raises = chart.raises * parameters.open_width * _ratio(told, "pfr")
    if act.callers:
        raises *= parameters.isolate_width
    limps = max(0.02, told.shrunk("vpip") - told.shrunk("pfr")) * parameters.limp_width
    return Rates(min(0.9, raises), min(0.9, raises) + limps)


def _later(act: Act, told: Statistics, parameters: ReadingParameters) -> Rates:
    place = _AFTER_FLOP[act.street]
    crowd = max(1, act.rivals) ** -parameters.crowd_power
    temper = _ratio(told, "aggression") ** parameters.aggression_power
    if not act.price:
        is_c_bet = act.street is Street.FLOP and act.leads
        usual = told.shrunk("c_bet") if is_c_bet else odds(parameters.bet_rate[place], temper)
        return Rates(usual * crowd * _rarity(act, parameters), 1.0)
    raises = odds(parameters.raise_rate[place], temper) * crowd * _rarity(act, parameters)
    plays = 1.0 - told.shrunk(f"fold_to_{act.street}_bet")
    called = act.price / max(0.05, 1.0 - 2.0 * act.price)  # the bet as a share of the pot that its price tells
    plays *= ((1.0 + 1.32) / (1.0 + 2.0 * min(called, 4.0))) ** parameters.call_size_power * crowd
    bonus = parameters.call_bonus if act.own_raises else 0.0
    return Rates(raises, plays + bonus * (1.0 - min(1.0, plays)))


def _rarity(act: Act, parameters: ReadingParameters) -> float:
    """The factor by which a big bet is rarer than a usual one."""
    return float(min(1.0, parameters.bet_size_from / max(0.01, act.pot_fraction)) ** parameters.bet_size_power)
