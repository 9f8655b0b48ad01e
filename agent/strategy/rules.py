"""The pure equity rule: what the agent plays whenever nobody better has answered."""

from typing import Final

from agent.poker.odds import contestable_pot, required_equity
from agent.poker.spot import Action, Spot, Verb

MARGIN: Final = 0.03
"""How far equity must exceed the price before the rule calls: equity against random hands flatters."""


def call_threshold(spot: Spot, margin: float = MARGIN) -> float | None:
    """The equity above which the rule calls; None when there is nothing to call."""
    if spot.to_call_chips <= 0:
        return None
    return required_equity(spot.to_call_chips, contestable_pot(spot)) + margin


def pure_equity_rule(spot: Spot, equity: float, margin: float = MARGIN) -> Action | None:
    """Check when it is free; call when `equity > required + margin`; else fold.

    An all-in that is the only way to call counts as the call, and a lone call is played because no fold is offered.
    None where the offer holds nothing that the rule may play: no check, call or fold.
    """
    legal = spot.legal
    if legal.check:
        return Action(Verb.CHECK)
    threshold = call_threshold(spot, margin)
    worth_it = threshold is None or equity > threshold
    if worth_it and legal.call_chips is not None:
        return Action(Verb.CALL)
    if worth_it and legal.all_in and spot.to_call_chips >= spot.hero.stack_chips:
        return Action(Verb.ALL_IN)
    if legal.fold:
        return Action(Verb.FOLD)
    return Action(Verb.CALL) if legal.call_chips is not None else None
