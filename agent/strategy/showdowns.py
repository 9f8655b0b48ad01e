"""Showdowns: what hands that were shown say about how somebody is read."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agent.strategy.parameters import ReadingParameters
from agent.strategy.statistics import MOST_COUNTED

_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class Shown:
    """How the hands that somebody showed lay in the ranges that were read for them.

    `early` and `late` are sums over `showdowns` hands: the share of the range that was better, less one half, in the
    order of hands before the flop and in that of the river. Above 0 for hands that were weaker than read.
    """

    showdowns: int = 0
    early: float = 0.0
    late: float = 0.0

    def __add__(self, other: "Shown") -> "Shown":
        """Both together."""
        return Shown(self.showdowns + other.showdowns, self.early + other.early, self.late + other.late)

    def looseness(self, parameters: ReadingParameters, *, preflop: bool) -> float:
        """The factor for the odds of the player's rates; 1 without showdowns, above 1 for hands weaker than read.

        The mean is shrunk with the weight n / (n + `shown_weight`) and the factor bounded by `shown_limit`.
        """
        mean = (self.early if preflop else self.late) / (self.showdowns + parameters.shown_weight)
        most = math.log(parameters.shown_limit)
        return math.exp(min(most, max(-most, parameters.shown_power * mean)))

    def as_dict(self) -> dict[str, Any]:
        """The sums as plain values."""
        return {"showdowns": self.showdowns, "early": self.early, "late": self.late}

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> "Shown":
        """What `as_dict` told; `ValueError` for what are no such sums: each hand adds 1/2 at most."""
        match told:
            case {"showdowns": int(showdowns), "early": int() | float() as early, "late": int() | float() as late} if (
                len(told) == 3
                and 0 <= showdowns < MOST_COUNTED
                and all(abs(total) <= showdowns / 2 + _ROUNDING for total in (early, late))
            ):
                return cls(showdowns, float(early), float(late))
        raise ValueError(f"{dict(told)!r:.200}: expected showdowns, and early and late of 1/2 a showdown at most")


UNSHOWN = Shown()
"""A player who has shown nothing yet."""
