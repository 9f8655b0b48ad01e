"""Contenders: whoever takes a seat in a match, asked in process for one action after the other.

A contender's randomness follows from its seed and the turn (hand, seat, street and how often it has acted there), never
from the order in which it is asked: two matches that reach the same turn see the same choice.
"""

import random
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Final, Protocol

from agent.arena.game.seeded import Seeded
from agent.arena.house.player import HousePlayer, PublicHand
from agent.decision.equity_desk import EquityDesk
from agent.poker.equity import Effort, estimate_equity
from agent.poker.spot import Action, Spot
from agent.strategy.rules import pure_equity_rule
from agent.strategy.statistics import PlayedHand

PUBLISHED_TRIALS: Final = 1_000


@dataclass(frozen=True, slots=True)
class FinishedHand:
    """A hand that is over, as everybody at the table could see it: with the cards that were shown, and ready to be counted."""

    public: PublicHand
    played: PlayedHand


class Contender(Protocol):
    """A player of a match. `sources` counts its decisions by who made them."""

    sources: Counter[str]

    def decide(self, spot: Spot) -> Action:
        """A legal action for `spot`, whose hole cards are known."""
        ...

    def hand_over(self, hand: FinishedHand) -> None:
        """Take note of a hand that ended at this player's table."""
        ...


def turn_generator(seed: int, spot: Spot) -> random.Random:
    """The random generator of a turn: the same for the same seed, hand, seat, street and number of own actions on it."""
    own = sum(past.seat == spot.hero_seat and past.street is spot.street for past in spot.actions)
    return Seeded(seed).generator("turn", spot.hand_id, spot.hero_seat, spot.street, own)


@dataclass(slots=True)
class HouseContender:
    """A house player of the arena."""

    player: HousePlayer
    seed: int
    sources: Counter[str] = field(default_factory=Counter)

    def decide(self, spot: Spot) -> Action:
        """What the house player does."""
        self.sources["house"] += 1
        return self.player.act(spot, turn_generator(self.seed, spot))

    def hand_over(self, hand: FinishedHand) -> None:
        """The house player remembers what it likes."""
        self.player.saw(hand.public)


class EquityContender:
    """The pure equity rule, as the agent plays it when no model answers."""

    def __init__(self, seed: int) -> None:
        self.sources: Counter[str] = Counter()
        self._desk = EquityDesk(seed, clock=time.perf_counter)

    def decide(self, spot: Spot) -> Action:
        """Check when it is free, call when the odds are right, else fold."""
        action = pure_equity_rule(spot, self._desk.measure(spot).equity)
        if action is None:
            raise ValueError(f"the offer holds neither check, call nor fold: {spot.legal}")
        self.sources["rule"] += 1
        return action

    def hand_over(self, hand: FinishedHand) -> None:
        """Learn nothing."""


@dataclass(slots=True)
class PublishedContender:
    """The plain published rule: check, else call when equity exceeds the price by a margin, else fold.

    Equity is sampled against random hands, as in most introductions to writing a poker bot; it never raises.
    """

    seed: int
    sources: Counter[str] = field(default_factory=Counter)

    def decide(self, spot: Spot) -> Action:
        """Check when it is free, call when the odds are right, else fold."""
        if spot.hole_cards is None:
            raise ValueError("the published rule needs its hole cards")
        effort = Effort(trials=PUBLISHED_TRIALS, seed=turn_generator(self.seed, spot).getrandbits(32))
        equity = estimate_equity(spot.hole_cards, spot.board, len(spot.opponents), effort).equity
        action = pure_equity_rule(spot, equity)
        if action is None:
            raise ValueError(f"the offer holds neither check, call nor fold: {spot.legal}")
        self.sources["rule"] += 1
        return action

    def hand_over(self, hand: FinishedHand) -> None:
        """Learn nothing."""
