"""A turn as it is put to a model: the spot with everything that was worked out about it."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field

from agent.decision.equity_desk import EquityDesk
from agent.decision.menu import Menu, build_menu
from agent.poker.facts import Facts, gather
from agent.poker.range_words import RangeWords, range_words
from agent.poker.spot import Action, Spot
from agent.strategy.opponents import Opponents
from agent.strategy.policy.policy import Judgement, Policy
from agent.strategy.rules import call_threshold, pure_equity_rule
from agent.strategy.statistics import Statistics

log = logging.getLogger(__name__)

Reads = Mapping[int, Statistics]
"""What is known of opponents, by seat."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What a prompt is rendered from.

    `rule_choice` is what the pure equity rule would play, None where it has nothing, and `rule_margin` how far equity is above
    its threshold, None for a free check. `judgement` is the policy's, None where it has none, and `ranges` are those that it read,
    in words, by seat; opponents who may hold any two cards are left out. `reads` is what is known of opponents, by seat.
    """

    spot: Spot
    facts: Facts
    menu: Menu
    rule_choice: Action | None
    rule_margin: float | None = None
    judgement: Judgement | None = None
    ranges: Mapping[int, RangeWords] = field(default_factory=dict)
    reads: Reads = field(default_factory=dict)


def work_out(spot: Spot, desk: EquityDesk, policy: Policy | None, opponents: Opponents) -> Turn:
    """Everything about a spot, before anybody chooses. Bound to the CPU.

    `ValueError` when the hole cards are not known or no opponent is. A policy that fails costs nothing but its advice.
    """
    equity, threshold = desk.measure(spot), call_threshold(spot, desk.margin)
    judgement = None if policy is None else _judged(spot, policy, opponents, desk.luck(spot))
    return Turn(
        spot=spot,
        facts=gather(spot, equity),
        menu=build_menu(spot, judgement),
        rule_choice=pure_equity_rule(spot, equity.equity, desk.margin),
        rule_margin=None if threshold is None else equity.equity - threshold,
        judgement=judgement,
        ranges={} if judgement is None else _in_words(spot, judgement),
        reads={player.seat: opponents.of(player.name) for player in spot.opponents},
    )


def _in_words(spot: Spot, judgement: Judgement) -> dict[int, RangeWords]:
    known = (*spot.board, *(spot.hole_cards or ()))
    words = {seat: range_words(read, known) for seat, read in judgement.ranges.items()}
    return {seat: told for seat, told in words.items() if not told.is_any_two}


def _judged(spot: Spot, policy: Policy, opponents: Opponents, luck: float) -> Judgement | None:
    try:
        return policy.judge(spot, opponents.of, luck, shown_of=opponents.shown_of)
    except Exception:
        log.exception("the policy failed; the rule is what there is")
        return None
