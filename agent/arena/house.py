"""House players: they fill the free seats of a table and know only their own spot.

A player is one method. Randomness comes from the generator that is handed in, so that the same spot and the
same generator give the same action.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from agent.poker.equity import Effort, estimate_equity
from agent.poker.spot import Action, LegalActions, Spot, Verb
from agent.strategy.rules import pure_equity_rule

HOUSE_TRIALS: Final = 200


class HousePlayer(Protocol):
    """Whoever can play a spot."""

    def act(self, spot: Spot, rng: random.Random) -> Action:
        """A legal action for `spot`; its only randomness is `rng`."""
        ...


@dataclass(frozen=True, slots=True)
class Profile:
    """How a player bends the odds.

    `call_margin`: how far equity must exceed the price of a call; negative for those who call too much.
    `value_raise`: the multiple of an even share of the pot (1 / players) from which a hand is worth a raise.
    `aggression`: how often it is then raised. `bluff`: how often it is raised without the hand for it.
    `pot_fraction`: the size of a raise, in pots after the call.
    """

    call_margin: float
    value_raise: float
    aggression: float
    bluff: float
    pot_fraction: float = 0.66


@dataclass(frozen=True, slots=True)
class ProfilePlayer:
    """Plays equity against random hands, bent by a profile."""

    profile: Profile
    trials: int = HOUSE_TRIALS

    def act(self, spot: Spot, rng: random.Random) -> Action:
        """Raise for value or as a bluff, else call when the profile likes the price, else check or fold."""
        equity = _equity(spot, self.trials, rng)
        share = equity * (len(spot.opponents) + 1)
        luck = rng.random()
        wants_raise = luck < (self.profile.aggression if share >= self.profile.value_raise else self.profile.bluff)
        if wants_raise and spot.legal.min_raise_to_chips is not None:
            return _pot_raise(spot, self.profile.pot_fraction)
        return _or_floor(pure_equity_rule(spot, equity, self.profile.call_margin), spot)


@dataclass(frozen=True, slots=True)
class EquityRulePlayer:
    """Plays the pure equity rule and nothing else."""

    trials: int = HOUSE_TRIALS

    def act(self, spot: Spot, rng: random.Random) -> Action:
        """Check when it is free, call when the odds are right, else fold."""
        return _or_floor(pure_equity_rule(spot, _equity(spot, self.trials, rng)), spot)


@dataclass(frozen=True, slots=True)
class RandomPlayer:
    """Picks any verb of the offer, and any size of a raise, but never folds a free check."""

    def act(self, spot: Spot, rng: random.Random) -> Action:
        """A uniformly random action."""
        legal = spot.legal
        verb = rng.choice(_verbs(legal))
        if verb is Verb.RAISE and legal.min_raise_to_chips is not None and legal.max_raise_to_chips is not None:
            return Action(verb, rng.randint(legal.min_raise_to_chips, legal.max_raise_to_chips))
        return Action(verb)


HOUSE_KINDS: Final[Mapping[str, Callable[[], HousePlayer]]] = {
    "calling_station": lambda: ProfilePlayer(Profile(call_margin=-0.25, value_raise=2.2, aggression=0.25, bluff=0.01)),
    "tight": lambda: ProfilePlayer(Profile(call_margin=0.08, value_raise=1.6, aggression=0.65, bluff=0.03)),
    "loose_aggressive": lambda: ProfilePlayer(Profile(call_margin=-0.04, value_raise=1.2, aggression=0.7, bluff=0.18)),
    "random": RandomPlayer,
    "equity_rule": EquityRulePlayer,
}


def house_player(kind: str) -> HousePlayer:
    """A house player of that kind; `ValueError` names the kinds there are."""
    if kind not in HOUSE_KINDS:
        raise ValueError(f"no house player is called {kind!r}: choose from {', '.join(HOUSE_KINDS)}")
    return HOUSE_KINDS[kind]()


def _equity(spot: Spot, trials: int, rng: random.Random) -> float:
    if spot.hole_cards is None:
        raise ValueError("a house player needs its hole cards")
    seed = rng.getrandbits(32)
    return estimate_equity(spot.hole_cards, spot.board, len(spot.opponents), Effort(trials=trials, seed=seed)).equity


def _or_floor(action: Action | None, spot: Spot) -> Action:
    """The action, else the floor; the dealer always offers one of check and fold."""
    chosen = action or spot.legal.floor
    if chosen is None:
        raise ValueError("the dealer offered neither check, call nor fold")
    return chosen


def _pot_raise(spot: Spot, pot_fraction: float) -> Action:
    """A raise of that part of the pot after the call, kept within the offer."""
    legal = spot.legal
    low, high = legal.min_raise_to_chips or 0, legal.max_raise_to_chips or 0
    called = spot.hero.bet_chips + spot.to_call_chips
    wish = called + round(pot_fraction * (spot.pot_chips + spot.to_call_chips))
    return Action(Verb.RAISE, min(high, max(low, wish)))


def _verbs(legal: LegalActions) -> list[Verb]:
    verbs = [Verb.CHECK] if legal.check else [Verb.FOLD]
    if legal.call_chips is not None:
        verbs.append(Verb.CALL)
    if legal.min_raise_to_chips is not None:
        verbs.append(Verb.RAISE)
    if legal.all_in:
        verbs.append(Verb.ALL_IN)
    return verbs
