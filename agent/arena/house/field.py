"""Fields: who comes to a table when a seat is free.

A field file is TOML and describes a population, one entry a kind of player:

    [[player]]
    share = 3                      # how often such a player comes, relative to the other entries
    profile = "station"            # a profile by name, or an inline table of its four numbers:
                                   # { looseness = 0.3, aggression = 0.5, bluffing = 0.2, adaptivity = 0.0 }
    level = "beginner"             # optional: beginner, novice, regular, expert or master; regular without it
    buy_in = [1000, 2000]          # optional: chips, or the least and the most of them; without it the table decides
    names = ["Otter", "Badger"]    # optional: what such players are called; without it any name of the list

A name is used once at a table. When all names are taken they come again with a number: `Otter2`.
A match (`poker-agent match`) takes only kinds and shares from a field: its players all have the same stack, and any name.
"""

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib.resources import files
from itertools import count
from pathlib import Path
from typing import Any, Final, Protocol, TypeGuard

from agent.arena.house.player import HousePlayer, house_player
from agent.arena.house.profiles import PROFILES, Level, Profile
from agent.arena.toml_file import read_toml

_NAMES: Final = """
Ada Alder Alma Anton Arlo Aspen Badger Basil Bear Beaver Bella Birch Bison Bobcat Boris Bruno Carla Cedar Clara
Condor Cora Coyote Crane Curlew Dahlia Daisy Dingo Dora Eagle Egret Elk Elsa Emil Falcon Felix Fern Ferret Finch
Flora Fox Frida Gazelle Gecko Gibbon Greta Grouse Gull Gustav Hare Hazel Hedy Heidi Henri Hugo Ibex Ibis Ida Igor
Iris Ivan Jackal Jaguar Jasper Jay Jonas Juno Kea Kestrel Kira Kite Kiwi Lark Lemur Lena Leo Linnet Llama Lola Lotta
Luna Lynx Magpie Maple Marlin Marten Mateo Mila Mink Mole Moose Mara Nadia Newt Nina Nora Ocelot Olga Oriole
Oscar Osprey Otis Otter Otto Owl Panda Paula Pearl Pelican Petra Pika Pike Plover Puffin Puma Quail Quinn Rabbit
Raven Rita Robin Rolf Rook Rosa Ruby Rufus Sable Seal Selma Shrike Silas Skua Sloth Sparrow Stella Stoat Stork
Swan Tapir Tara Teal Tern Theo Thrush Tiger Tilda Toad Toucan Udo Uma Vera Vidar Viola Vole Walrus Wanda Weasel
Willow Wolf Wombat Wren Xenia Yak Yara Yuri Zander Zebra Zelda Zoe
"""
NAMES: Final = tuple(_NAMES.split())

MOST_SHARE: Final = 1_000_000
MOST_CHIPS: Final = 1_000_000_000
_SHOWN: Final = 120

_FIELD: Final = {"player"}
_ENTRY: Final = {"share", "profile", "level", "buy_in", "names"}


class FieldError(ValueError):
    """A field file that describes no population; names the file, the key, its value and what is allowed."""


@dataclass(frozen=True, slots=True)
class Newcomer:
    """A house player about to sit down. `kind` is its spec (`station:beginner`); None chips: what the table usually takes."""

    name: str
    kind: str
    player: HousePlayer
    buy_in_chips: int | None = None


class Field(Protocol):
    """Whoever knows who comes next."""

    def newcomer(self, rng: random.Random, taken: Collection[str]) -> Newcomer | None:
        """The next player, with a name that is not `taken`; None when nobody is left to come."""
        ...


@dataclass(frozen=True, slots=True)
class Entry:
    """A kind of player in a population: a spec for `house_player`, and how often it comes relative to the others.

    `buy_in_chips` are the least and the most it brings, None where the table decides.
    """

    kind: str
    share: float
    buy_in_chips: tuple[int, int] | None = None
    names: tuple[str, ...] = NAMES


@dataclass(frozen=True, slots=True)
class Population:
    """Players without end, of each kind as many as its share says."""

    entries: tuple[Entry, ...]

    def newcomer(self, rng: random.Random, taken: Collection[str]) -> Newcomer:
        """A new player, drawn by share."""
        entry = rng.choices(self.entries, [entry.share for entry in self.entries])[0]
        chips = rng.randint(*entry.buy_in_chips) if entry.buy_in_chips else None
        return Newcomer(_free_name(entry.names, rng, taken), entry.kind, house_player(entry.kind), chips)


@dataclass(frozen=True, slots=True)
class Lineup:
    """Players who are named one by one; the first whose name is free comes next. They bring what the table usually takes."""

    players: tuple[tuple[str, HousePlayer], ...]

    def newcomer(self, rng: random.Random, taken: Collection[str]) -> Newcomer | None:
        """The next of the line; nothing is drawn."""
        for name, player in self.players:
            if name not in taken:
                return Newcomer(name, "lineup", player)
        return None


def load_field(path: Path | None = None) -> Population:
    """The population of a field file, the default one for None; `FieldError` for a file that describes none."""
    source = path or files("agent.arena.house").joinpath("fields", "default.toml")
    try:
        content = read_toml(source, FieldError)
    except RecursionError:
        raise FieldError(f"{source}: cannot be read: its tables or lists are nested too deeply") from None
    return _Reader(str(source)).population(content)


def _free_name(names: Sequence[str], rng: random.Random, taken: Collection[str]) -> str:
    """One of the names, or one with the smallest number that gives a free one."""
    for number in count(1):
        free = [name for name in (f"{name}{number}" if number > 1 else name for name in names) if name not in taken]
        if free:
            return rng.choice(free)
    raise AssertionError("the numbers never end")


@dataclass(frozen=True, slots=True)
class _Reader:
    """Turns what TOML holds into a population; every refusal names the file and the key."""

    source: str

    def population(self, content: Mapping[str, Any]) -> Population:
        self._only(content, _FIELD, "")
        players = content.get("player")
        if not isinstance(players, list) or not players or not all(isinstance(entry, dict) for entry in players):
            raise self._refusal("player", players, "at least one table [[player]]")
        return Population(tuple(self._entry(f"player[{i}]", entry) for i, entry in enumerate(players)))

    def _entry(self, key: str, entry: Mapping[str, Any]) -> Entry:
        self._only(entry, _ENTRY, f"{key}.")
        profile = self._profile(f"{key}.profile", entry.get("profile"))
        level = entry.get("level", Level.REGULAR)
        if level not in list(Level):
            raise self._refusal(f"{key}.level", level, ", ".join(Level))
        return Entry(
            kind=f"{profile}:{level}",
            share=self._share(f"{key}.share", entry.get("share")),
            buy_in_chips=self._buy_in(f"{key}.buy_in", entry.get("buy_in")),
            names=self._names(f"{key}.names", entry.get("names", NAMES)),
        )

    def _share(self, key: str, value: object) -> float:
        if not _is_number(value) or not 0 < value <= MOST_SHARE:
            raise self._refusal(key, value, f"a number above 0, at most {MOST_SHARE:,}")
        return value

    def _profile(self, key: str, value: object) -> str:
        """The profile as a spec names it."""
        if isinstance(value, str) and value in PROFILES:
            return value
        numbers = [field.name for field in fields(Profile)]
        allowed = f"{', '.join(PROFILES)}, or a table with {', '.join(numbers)}, each a number from 0 to 1"
        if not isinstance(value, dict) or set(value) != set(numbers):
            raise self._refusal(key, value, allowed)
        for name in numbers:
            if not _is_number(value[name]) or not 0 <= value[name] <= 1:
                raise self._refusal(f"{key}.{name}", value[name], "a number from 0 to 1")
        return str(Profile(**value))

    def _buy_in(self, key: str, value: object) -> tuple[int, int] | None:
        if value is None:
            return None
        match value if isinstance(value, list) else [value, value]:
            case [int(least), int(most)] if 1 <= least <= most <= MOST_CHIPS and bool not in (type(least), type(most)):
                return least, most
        raise self._refusal(key, value, f"whole chips from 1 to {MOST_CHIPS:,}, or [least, most] of them")

    def _names(self, key: str, value: Any) -> tuple[str, ...]:
        if not isinstance(value, list | tuple) or not value or not all(_is_name(name) for name in value):
            raise self._refusal(key, value, "a list of one or more names in ASCII letters, digits, _ and -")
        return tuple(value)

    def _only(self, table: Mapping[str, Any], allowed: Collection[str], prefix: str) -> None:
        for key in table:
            if key not in allowed:
                raise self._refusal(f"{prefix}{key}", table[key], f"only the keys {', '.join(sorted(allowed))}")

    def _refusal(self, key: str, value: object, allowed: str) -> FieldError:
        stated = "missing" if value is None else _shown(value)
        return FieldError(f"{self.source}: {key} is {stated}: expected {allowed}")


def _shown(value: object) -> str:
    """A value for a message, cut where it is long."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        return "too long to be shown"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_name(value: object) -> bool:
    return isinstance(value, str) and value.isascii() and value.replace("_", "").replace("-", "").isalnum()
