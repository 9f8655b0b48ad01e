"""The betting policy as a contender: it keeps the statistics of everybody it meets, as the agent does."""

from collections import Counter
from dataclasses import dataclass, field

from agent.evaluation.contender import FinishedHand, turn_generator
from agent.poker.spot import Action, Spot
from agent.strategy.opponents import Opponents
from agent.strategy.policy.policy import Policy
from agent.strategy.showdowns import UNSHOWN, Shown


@dataclass(slots=True)
class PolicyContender:
    """Plays the policy; what it knows of opponents it has seen in this match."""

    seed: int
    policy: Policy = field(default_factory=lambda: Policy(prices_charts=False))
    sources: Counter[str] = field(default_factory=Counter)
    _opponents: Opponents = field(default_factory=Opponents)
    _shown: dict[str, Shown] = field(default_factory=dict)

    def decide(self, spot: Spot) -> Action:
        """What the policy plays."""
        judgement = self.policy.judge(
            spot, self._opponents.of, turn_generator(self.seed, spot).random(), shown_of=self._shown_of
        )
        self.sources["policy"] += 1
        return judgement.action

    def hand_over(self, hand: FinishedHand) -> None:
        """Learn from the showdown, then count what everybody did."""
        shown = self.policy.reading.observed_showdown(
            hand.played, hand.public.shown_cards, self._opponents.of, self._shown_of
        )
        for seat, found in shown.items():
            name = hand.played.names[seat]
            self._shown[name] = self._shown_of(name) + found
        self._opponents.seen(hand.played)

    def _shown_of(self, name: str) -> Shown:
        return self._shown.get(name, UNSHOWN)
