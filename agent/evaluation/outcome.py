"""What a match came to: both players' winnings and their difference with its interval, and how they played."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from operator import add
from typing import Any

from agent.evaluation.intervals import Interval, mean_interval, running_intervals
from agent.evaluation.match import Block, MatchPlan, Side

STYLE = ("vpip", "pfr", "wtsd")


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The blocks of a match, in their order. Winnings are in big blinds per hundred hands, all-ins valued by equity."""

    plan: MatchPlan
    blocks: tuple[Block, ...]

    @property
    def hands(self) -> int:
        """The hands that each of the two played."""
        return sum(block.a.hands for block in self.blocks)

    @property
    def a(self) -> Side:
        """The first player over all blocks."""
        return reduce(add, (block.a for block in self.blocks))

    @property
    def b(self) -> Side:
        """The second player over all blocks."""
        return reduce(add, (block.b for block in self.blocks))

    @property
    def a_bb_per_100(self) -> Interval:
        """What the first one won."""
        return mean_interval([self._bb_per_100(block.a) for block in self.blocks])

    @property
    def b_bb_per_100(self) -> Interval:
        """What the second one won."""
        return mean_interval([self._bb_per_100(block.b) for block in self.blocks])

    @property
    def difference_bb_per_100(self) -> Interval:
        """How much more the first one won than the second; where the two played each other, what it won from it."""
        return mean_interval(self._differences())

    @property
    def differing_share(self) -> float:
        """The share of hands in which the actions of the two runs were not the same."""
        return sum(block.differing_hands for block in self.blocks) / self.hands

    def running(self) -> Iterator[tuple[int, Interval]]:
        """The difference after each block, with the hands played until then."""
        hands = accumulate(block.a.hands for block in self.blocks)
        return zip(hands, running_intervals(self._differences()), strict=True)

    def as_dict(self, *, seconds: float | None) -> dict[str, Any]:
        """One flat object for machines; intervals hold 95 % and are None where there is one block only.

        `seconds` are those of this run, not of blocks that an earlier one played; None where it played nothing.
        """
        difference = self.difference_bb_per_100
        return {
            "a": self.plan.a,
            "b": self.plan.b,
            "hands": self.hands,
            "diff_bb_per_100": difference.estimate,
            "ci_low_bb_per_100": difference.low,
            "ci_high_bb_per_100": difference.high,
            **self._player("a", self.a_bb_per_100, self.a),
            **self._player("b", self.b_bb_per_100, self.b),
            "differing_share": self.differing_share,
            "blocks": len(self.blocks),
            "seats": self.plan.seats,
            "stack_bb": self.plan.stack_bb,
            "seed": self.plan.seed,
            "played_each_other": self.plan.is_duel,
            "seconds": None if seconds is None else round(seconds, 2),
        }

    def _player(self, letter: str, won: Interval, side: Side) -> dict[str, Any]:
        told = {
            "bb_per_100": won.estimate,
            "ci_low": won.low,
            "ci_high": won.high,
            "dealt_bb_per_100": 100 * side.dealt_net_chips / self.plan.big_blind_chips / side.hands,
            "busts": side.busts,
            **{name: side.statistics.count(name).rate for name in STYLE},
            "af": side.statistics.aggression_factor,
            "sources": dict(side.sources),
        }
        return {f"{letter}_{name}": value for name, value in told.items()}

    def _differences(self) -> Sequence[float]:
        if self.plan.is_duel:
            return [self._bb_per_100(block.a) for block in self.blocks]
        return [self._bb_per_100(block.a) - self._bb_per_100(block.b) for block in self.blocks]

    def _bb_per_100(self, side: Side) -> float:
        return 100 * side.net_chips / self.plan.big_blind_chips / side.hands
