"""The numbers by which the agent reads its opponents: each named, with its unit and where it comes from.

Rates are of a typical player of a soft field; a player's own statistics move them. The values were tuned on hands of the
house players (docs/lessons.md), but for those that name another source.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReadingParameters:
    """How acts are turned into ranges; rates and shares from 0 to 1.

    Before the flop

    * `chart_pull`: how far a hand of the chart moves ahead in the order of hands: 0 not at all, 1 to the very top. House
      players know no charts and give no hint of it; set by hand.
    * `open_width`, `reraise_width`: the share of hands raised first, and again, of what the chart raises.
    * `limp_width`: the share of hands limped, of the player's VPIP less PFR.
    * `isolate_width`: the share of hands raised over limpers, of what would be opened.
    * `option_raise`: the hands that the big blind raises when it could check.
    * `call_chart`: how much the chart counts in the share of hands that play against a raise; the rest is `call_share`.
    * `size_power`: the hands that play against a raise shrink with its size to this power (SvanBot: 0.35).
    * `four_bet`, `play_on`: what raisers raise again with, of the hands they had, and how much of them meets a fourth bet.
    * `caller_play_on`: what is played on by who had only called or limped when somebody raised behind.
    * `cold_play`: the hands played by newcomers against two raises or more, of their 3-bet share.

    After the flop, by street (flop, turn, river)

    * `bet_rate`: the part of their range that players bet when nobody has; c-bets have a statistic of their own.
    * `raise_rate`: the part of it that raises a bet.
    * `call_bonus`: added to the part that plays on, which the folds to a bet tell: after a bet of their own players fold less.
    * `aggression_power`: how strongly a player's aggression moves both, as a power of its ratio to the usual one.
    * `crowd_power`: both shrink with the number of rivals to this power.
    * `bluff_share`: the part of bets and raises that any weaker hand may have made.
    * `bet_size_from`, `bet_size_power`: from that share of the pot on, a bet's rate shrinks with its size to this power: what
      bets less often says more. SvanBot: 0.66 and 0.5.
    * `call_size_power`: the part that calls shrinks with (1 + 2 * size) to this power. SvanBot: 0.55.

    The shapes

    * `bet_share`, `raise_share`, `open_share`: how surely the hands that are strong enough do bet, raise a bet, raise before the
      flop; the rest checks or calls with them.
    * `own_range`: how far players weigh a hand against the rest of their own range (1) or against any two cards (0).
    * `preflop_edge`, `edge`: how soft a cut is: the scale of the slope, as a part of what is cut off.
    * `draw_bonus`: how far a draw that comes in for certain would be moved towards the top.
    * `surprise`: the chance that an act has nothing to do with the hand; it keeps every holding possible.
    * `trust`: the power to which the likelihood of an act after the flop is taken: below 1 acts say less than they seem to.

    Showdowns

    * `shown_weight`: the showdowns that count as much as the reading before them.
    * `shown_power`: how strongly hands that were weaker than read widen the rates; `shown_limit` bounds the factor of the odds.
    """

    chart_pull: float = 0.2
    open_width: float = 0.75
    reraise_width: float = 0.7
    limp_width: float = 0.7
    isolate_width: float = 1.2
    option_raise: float = 0.18
    call_chart: float = 0.3
    call_share: float = 0.35
    size_power: float = 0.35
    four_bet: float = 0.25
    play_on: float = 0.8
    caller_play_on: float = 0.5
    cold_play: float = 0.9

    bet_rate: tuple[float, float, float] = (0.38, 0.45, 0.42)
    raise_rate: tuple[float, float, float] = (0.13, 0.17, 0.16)
    call_bonus: float = 0.3
    aggression_power: float = 0.6
    crowd_power: float = 0.6
    bluff_share: float = 0.33
    bet_size_from: float = 0.66
    bet_size_power: float = 0.5
    call_size_power: float = 0.55

    bet_share: float = 0.75
    raise_share: float = 0.5
    open_share: float = 0.97
    own_range: float = 0.6
    preflop_edge: float = 0.22
    edge: float = 0.25
    draw_bonus: float = 1.2
    surprise: float = 0.03
    trust: float = 0.95

    shown_weight: float = 15.0
    shown_power: float = 4.0
    shown_limit: float = 2.5
