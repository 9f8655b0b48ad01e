"""The equity desk: answers what a spot's equity is, with the trials it is worth, and never works out the same one twice."""

import hashlib
import random
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from agent.poker.equity import Effort, estimate_equity
from agent.poker.matchings import MAX_PAIRS
from agent.poker.report import EquityReport, Method, TrialsPerStreet
from agent.poker.spot import Spot
from agent.strategy.rules import MARGIN, call_threshold

KEPT: Final = 256

_Key = tuple[tuple[int, int], tuple[int, ...], int, int, int, float | None]


@dataclass(slots=True)
class EquityDesk:
    """Trials by street, the seed of all sampling, and the reports of the present hand.

    The seed of a report follows from `seed` and the turn, so that the same turn gives the same report. `margin` is
    the rule's: sampling stops when the estimate is clear of the rule's threshold. `method` "exact" enumerates on
    every street; "auto" where that costs no more than the sample.
    """

    seed: int
    clock: Callable[[], float]
    margin: float = MARGIN
    trials: TrialsPerStreet = field(default_factory=TrialsPerStreet)
    method: Method = "auto"
    _hand_id: str = ""
    _known: "OrderedDict[_Key, EquityReport]" = field(default_factory=OrderedDict)

    def measure(self, spot: Spot) -> EquityReport:
        """The equity of hero's hand against the opponents' random hands. Bound to the CPU, with the GIL released.

        `ValueError` when the hole cards are not known or the spot is impossible.
        """
        if spot.hole_cards is None:
            raise ValueError("equity needs hole cards")
        if spot.hand_id != self._hand_id:
            self._hand_id = spot.hand_id
            self._known.clear()
        trials = self.trials.for_pot(spot.street, spot.pot_chips + spot.to_call_chips, spot.big_blind_chips)
        threshold, seed = call_threshold(spot, self.margin), self._turn_seed(spot)
        key = (spot.hole_cards, spot.board, len(spot.opponents), trials, seed, threshold)
        if key in self._known:
            return replace(self._known[key], cached=True)
        # Before the flop the table is exact; against more hands than can be enumerated a sample is what there is.
        enumerable = bool(spot.board) and len(spot.opponents) <= MAX_PAIRS
        method = "auto" if self.method == "exact" and not enumerable else self.method
        effort = Effort(trials=trials, seed=seed, decides_at=threshold, method=method, clock=self.clock)
        report = estimate_equity(spot.hole_cards, spot.board, len(spot.opponents), effort)
        self._known[key] = report
        if len(self._known) > KEPT:
            self._known.popitem(last=False)
        return report

    def luck(self, spot: Spot) -> float:
        """A random number in [0, 1) that belongs to this turn: the same for the same seed, hand and actions."""
        return random.Random(self._turn_seed(spot)).random()  # noqa: S311

    def _turn_seed(self, spot: Spot) -> int:
        turn = f"{self.seed}/{spot.hand_id}/{spot.street}/{len(spot.actions)}"
        return int.from_bytes(hashlib.blake2b(turn.encode(), digest_size=6).digest())
