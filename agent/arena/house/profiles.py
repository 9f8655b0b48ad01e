"""Who a house player is: a profile (what it likes) and a level (how well it sees what it does).

A profile is four numbers from 0 to 1:

    looseness    hands it plays: from 6 % (0) to 76 % (1) of those dealt to it, and how cheaply it calls later
    aggression   how much of that it raises instead of calling, and how readily it bets a good hand after the flop
    bluffing     how often it bets or raises without the hand for it
    adaptivity   how far what it remembers of an opponent moves its bluffs and calls: 0 not at all, 1 fully
"""

from collections.abc import Mapping
from dataclasses import astuple, dataclass, fields
from enum import StrEnum
from types import MappingProxyType
from typing import Final

_LEAST_PLAYED: Final = 0.06
_MOST_PLAYED: Final = 0.76


@dataclass(frozen=True, slots=True)
class Profile:
    """What a player likes, on the scales above; `ValueError` for a number outside 0 to 1.

    >>> str(Profile(0.25, 0.5, 0.1, 0))
    '0.25/0.5/0.1/0'
    """

    looseness: float
    aggression: float
    bluffing: float
    adaptivity: float

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not 0 <= value <= 1:
                raise ValueError(f"{field.name} {value} is not a number from 0 to 1")

    def __str__(self) -> str:
        """The four numbers as `parse_profile` reads them."""
        return "/".join(f"{value:g}" for value in astuple(self))

    @property
    def played_share(self) -> float:
        """The share of its hands that it means to play, positions and raises in front of it averaged out."""
        return _LEAST_PLAYED + (_MOST_PLAYED - _LEAST_PLAYED) * self.looseness


class Level(StrEnum):
    """How well a player plays its profile, worst first."""

    BEGINNER = "beginner"
    NOVICE = "novice"
    REGULAR = "regular"
    EXPERT = "expert"
    MASTER = "master"


@dataclass(frozen=True, slots=True)
class Skill:
    """What a level comes to.

    `trials` are the deals behind an equity, `noise` the standard deviation of the error on top of it, `overcall` the
    equity by which a call may miss its price. `reading` is how much of the strength that opponents show by betting
    is believed: 0 none of it, 1 all.
    """

    trials: int
    noise: float
    overcall: float
    reading: float


SKILLS: Final[Mapping[Level, Skill]] = MappingProxyType(
    {
        Level.BEGINNER: Skill(trials=40, noise=0.12, overcall=0.09, reading=0.5),
        Level.NOVICE: Skill(trials=80, noise=0.08, overcall=0.04, reading=0.75),
        Level.REGULAR: Skill(trials=150, noise=0.04, overcall=0.0, reading=0.9),
        Level.EXPERT: Skill(trials=300, noise=0.02, overcall=0.0, reading=1.0),
        Level.MASTER: Skill(trials=600, noise=0.0, overcall=0.0, reading=1.0),
    }
)

PROFILES: Final[Mapping[str, Profile]] = MappingProxyType(
    {
        "nit": Profile(looseness=0.1, aggression=0.8, bluffing=0.05, adaptivity=0.1),
        "tight_passive": Profile(looseness=0.18, aggression=0.45, bluffing=0.05, adaptivity=0.1),
        "regular": Profile(looseness=0.29, aggression=0.95, bluffing=0.35, adaptivity=0.6),
        "average": Profile(looseness=0.39, aggression=0.82, bluffing=0.25, adaptivity=0.3),
        "station": Profile(looseness=0.75, aggression=0.15, bluffing=0.05, adaptivity=0.0),
        "loose_aggressive": Profile(looseness=0.52, aggression=0.92, bluffing=0.5, adaptivity=0.5),
        "maniac": Profile(looseness=0.9, aggression=0.95, bluffing=0.9, adaptivity=0.1),
    }
)
"""The usual types: `tight_passive` is the rock, `regular` the tight-aggressive player."""


def parse_profile(text: str) -> Profile:
    """A profile by its name, or by its four numbers; `ValueError` says what there is.

    >>> parse_profile("0.25/0.5/0.1/0").looseness
    0.25
    """
    if text in PROFILES:
        return PROFILES[text]
    try:
        numbers = [float(part) for part in text.split("/")]
    except ValueError:
        numbers = []
    if len(numbers) != len(fields(Profile)):
        raise ValueError(
            f"no profile is called {text!r}: choose from {', '.join(PROFILES)}, or give "
            "looseness/aggression/bluffing/adaptivity, each from 0 to 1, such as 0.3/0.5/0.2/0"
        )
    return Profile(*numbers)


def parse_level(text: str) -> Level:
    """A level by its name; `ValueError` names them all."""
    try:
        return Level(text)
    except ValueError:
        raise ValueError(f"no level is called {text!r}: choose from {', '.join(Level)}") from None
