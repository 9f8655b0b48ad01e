"""When a model is worth asking: always, only where the decision is close or the pot large, or never."""

from dataclasses import dataclass

from agent.decision.modes import AskMode
from agent.poker.facts import Facts
from agent.poker.spot import Spot


@dataclass(frozen=True, slots=True)
class Asking:
    """Which turns the model is asked about.

    In `AskMode.GREY` those where equity is within `grey_margin` of what decides, or the pot with the call is at least
    `big_pot_bb`. What decides is the rule's threshold for a call, and an even share of the pot where checking is free.
    """

    mode: AskMode = AskMode.ALWAYS
    grey_margin: float = 0.08
    big_pot_bb: float = 20.0

    def why_not(self, spot: Spot, facts: Facts, threshold: float | None) -> str | None:
        """Why the model is not asked about this spot; None when it is. `threshold` is None where checking is free."""
        if self.mode is AskMode.NEVER:
            return "LLM_MODE=never"
        if self.mode is AskMode.ALWAYS:
            return None
        pot_bb = (spot.pot_chips + spot.to_call_chips) / spot.big_blind_chips if spot.big_blind_chips > 0 else 0.0
        decides = 1 / (facts.opponents + 1) if threshold is None else threshold
        distance = facts.equity.equity - decides
        if abs(distance) <= self.grey_margin or pot_bb >= self.big_pot_bb:
            return None
        return f"a clear spot: equity is {distance:+.2f} from what decides, the pot {pot_bb:.0f} bb (LLM_MODE=grey)"
