"""House players: they fill the free seats of a table and know only their own spot and what everybody saw.

A player is named by a spec: a profile with a level (`maniac`, `station:beginner`, four numbers `0.3/0.5/0.2/0:expert`;
without a level it is `regular`), or one of the kinds `calling_station`, `tight`, `random` and `equity_rule`, which
have no level. Randomness comes from the generator that is handed in: the same players with the same spots, hands
and generators give the same actions.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Protocol

from agent.arena.house.habits import Thinker
from agent.arena.house.memory import Memory
from agent.arena.house.profiles import PROFILES, SKILLS, Level, Profile, parse_level, parse_profile
from agent.poker.equity import Effort, estimate_equity
from agent.poker.spot import Action, LegalActions, PastAction, Spot, Verb
from agent.strategy.rules import pure_equity_rule

RULE_TRIALS: Final = 200


@dataclass(frozen=True, slots=True)
class PublicHand:
    """A hand that is over, as everybody at the table could see it. Mappings are by seat, stacks in chips.

    `names` are those of all who were dealt in; `shown_cards` is empty without a showdown.
    """

    hand_id: str
    button_seat: int
    big_blind_chips: int
    names: Mapping[int, str]
    actions: tuple[PastAction, ...]
    board: tuple[int, ...]
    shown_cards: Mapping[int, tuple[int, int]]
    start_stacks: Mapping[int, int]
    final_stacks: Mapping[int, int]


class HousePlayer(Protocol):
    """Whoever can play a spot."""

    def act(self, spot: Spot, rng: random.Random) -> Action:
        """A legal action for `spot`; its only randomness is `rng`."""
        ...

    def saw(self, hand: PublicHand) -> None:
        """Take note of a hand that ended at this player's table."""
        ...


@dataclass(frozen=True, slots=True)
class ProfilePlayer:
    """Plays a profile at a level, and remembers its opponents as far as the profile is adaptive."""

    profile: Profile
    level: Level = Level.REGULAR
    memory: Memory = field(default_factory=Memory, compare=False, repr=False)

    def act(self, spot: Spot, rng: random.Random) -> Action:
        """What the profile likes, as well as the level sees it."""
        return Thinker(self.profile, SKILLS[self.level], self.memory).choose(spot, rng)

    def saw(self, hand: PublicHand) -> None:
        """Count what each player did; not adaptive, not counted."""
        if self.profile.adaptivity:
            self.memory.remember(hand.names, hand.actions, hand.big_blind_chips)


@dataclass(frozen=True, slots=True)
class EquityRulePlayer:
    """Plays the pure equity rule and nothing else."""

    trials: int = RULE_TRIALS

    def act(self, spot: Spot, rng: random.Random) -> Action:
        """Check when it is free, call when the odds are right, else fold."""
        if spot.hole_cards is None:
            raise ValueError("a house player needs its hole cards")
        effort = Effort(trials=self.trials, seed=rng.getrandbits(32))
        equity = estimate_equity(spot.hole_cards, spot.board, len(spot.opponents), effort).equity
        action = pure_equity_rule(spot, equity)
        if action is None:
            raise ValueError(f"the offer holds neither check, call nor fold: {spot.legal}")
        return action

    def saw(self, hand: PublicHand) -> None:
        """Learn nothing."""


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

    def saw(self, hand: PublicHand) -> None:
        """Learn nothing."""


HOUSE_KINDS: Final[Mapping[str, Callable[[], HousePlayer]]] = MappingProxyType(
    {
        "calling_station": lambda: ProfilePlayer(PROFILES["station"]),
        "tight": lambda: ProfilePlayer(PROFILES["nit"]),
        "loose_aggressive": lambda: ProfilePlayer(PROFILES["loose_aggressive"]),
        "random": RandomPlayer,
        "equity_rule": EquityRulePlayer,
    }
)
"""Five players who are unlike one another; none of them takes a level here."""


def house_player(spec: str) -> HousePlayer:
    """A new house player of that spec; `ValueError` names what there is."""
    if spec in HOUSE_KINDS:
        return HOUSE_KINDS[spec]()
    profile, colon, level = spec.partition(":")
    if profile in HOUSE_KINDS and profile not in PROFILES:
        raise ValueError(f"{profile} has no levels, got {spec!r}: write {profile}")
    try:
        return ProfilePlayer(parse_profile(profile), parse_level(level) if colon else Level.REGULAR)
    except ValueError as error:
        raise ValueError(f"no house player is called {spec!r}: {error}; or one of {', '.join(HOUSE_KINDS)}") from None


def _verbs(legal: LegalActions) -> list[Verb]:
    verbs = [Verb.CHECK] if legal.check else [Verb.FOLD]
    if legal.call_chips is not None:
        verbs.append(Verb.CALL)
    if legal.min_raise_to_chips is not None:
        verbs.append(Verb.RAISE)
    if legal.all_in:
        verbs.append(Verb.ALL_IN)
    return verbs
