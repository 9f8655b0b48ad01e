"""The betting policy as a contender: it keeps the statistics of everybody it meets, as the agent does."""

from collections import Counter
from dataclasses import dataclass, field

from agent.evaluation.contender import FinishedHand, turn_generator
from agent.poker.spot import Action, Spot
from agent.strategy.opponents import Opponents
from agent.strategy.policy.policy import Policy
from agent.strategy.reading import learn


@dataclass(slots=True)
class PolicyContender:
    """Plays the policy; what it knows of opponents it has seen in this match."""

    seed: int
    policy: Policy = field(default_factory=lambda: Policy(prices_charts=False))
    sources: Counter[str] = field(default_factory=Counter)
    _opponents: Opponents = field(default_factory=Opponents)

    def decide(self, spot: Spot) -> Action:
        """What the policy plays."""
        luck = turn_generator(self.seed, spot).random()
        judgement = self.policy.judge(spot, self._opponents.of, luck, shown_of=self._opponents.shown_of)
        self.sources["policy"] += 1
        return judgement.action

    def hand_over(self, hand: FinishedHand) -> None:
        """Learn from the showdown, and count what everybody did."""
        learn(self._opponents, self.policy.reading, hand.played, hand.public.shown_cards)
