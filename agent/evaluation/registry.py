"""Contenders by name, as the command line names them.

policy                the betting policy
equity                the pure equity rule
published             the same rule with sampled equity, as introductions to writing a poker bot print it
house:PROFILE:LEVEL   a house player, such as house:station:beginner or house:0.3/0.5/0.2/0:expert
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from agent.arena.house.player import house_player
from agent.evaluation.contender import Contender, EquityContender, HouseContender, PublishedContender
from agent.evaluation.policy_contender import PolicyContender

ContenderFactory = Callable[[str, int], Contender]
"""From what stands behind the first colon of a name, and a seed, to a new contender."""

Contenders = Callable[[str, int], Contender]
"""From a whole name and a seed to a new contender with nothing remembered; `UnknownContender` for a name that nobody has.

A module's function or a plain value, so that a plan that holds one can be sent to other processes.
"""


class UnknownContender(ValueError):
    """A name that no contender has; the message says which there are."""


def _equity(variant: str, seed: int) -> Contender:
    _no_variant("equity", variant)
    return EquityContender(seed)


def _policy(variant: str, seed: int) -> Contender:
    _no_variant("policy", variant)
    return PolicyContender(seed)


def _published(variant: str, seed: int) -> Contender:
    _no_variant("published", variant)
    return PublishedContender(seed)


def _house(variant: str, seed: int) -> Contender:
    try:
        return HouseContender(house_player(variant), seed)
    except ValueError as error:
        raise UnknownContender(f"house:{variant}: {error}") from None


FACTORIES: Final[Mapping[str, ContenderFactory]] = MappingProxyType(
    {"policy": _policy, "equity": _equity, "published": _published, "house": _house}
)


def contender(name: str, seed: int) -> Contender:
    """A new contender of that name, with nothing remembered; `UnknownContender` says which there are."""
    kind, _, variant = name.partition(":")
    if kind not in FACTORIES:
        raise UnknownContender(
            f"no player is called {name!r}: choose from {', '.join(FACTORIES)}, with house as house:PROFILE:LEVEL"
        )
    return FACTORIES[kind](variant, seed)


def _no_variant(kind: str, variant: str) -> None:
    if variant:
        raise UnknownContender(f"{kind} comes in one form, got {kind}:{variant}")
