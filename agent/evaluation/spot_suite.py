"""The spot suite: situations written by hand in which good players agree, and whether a player passes them.

A suite is a folder of TOML files, one for each theme. What stands above the spots holds for all spots of the file:

    theme = "rivers"
    button_seat = 5
    start_stacks = { 0 = 2000, 1 = 2000, 5 = 2000 }

    [profiles.station]                                  # statistics of a known opponent, as [times, chances]
    hands = 2000
    fold_to_river_bet = [50, 400]

    [[spot]]                                            # a spot in the short form of agent.poker.spot_text, and
    id = "no_bluff_against_a_station"                   # a name
    opponents = { 1 = "station" }                       # who is known, by seat
    acceptable = ["check", "raise 33-80"]               # what a good player does
    at_most = { raise = 20 }                            # how often something else may be done, in percent of the draws
    why = "It calls with everything."

An action is named by its verb; a raise may have a size, in percent of the pot after a call (`raise 33-80`) or as a street
total in big blinds (`raise 2-4bb`). An all-in above the call is a raise of its size too, and a call for the whole stack an
all-in. Players who mix are asked several times, each time with another luck.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from agent.poker.spot import Action, Spot, Verb
from agent.poker.spot_text import spot_from
from agent.strategy.statistics import Statistics

FOLDER: Final = Path(__file__).parent / "suite"
"""The suite that comes with the program."""

PASS_SHARE: Final = 0.8
"""The share of draws that must be acceptable."""

_OWN: Final = frozenset({"id", "theme", "acceptable", "at_most", "why", "opponents"})
_SIZE: Final = re.compile(r"raise (\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)(bb)?")


class SuiteError(ValueError):
    """A suite that cannot be used; the message names the file and the spot."""


@dataclass(frozen=True, slots=True)
class Choice:
    """An action that may be played: a verb, and for a raise the sizes from `low` to `high`, None for any.

    Sizes are percent of the pot after a call, or big blinds of the street total where `in_bb`.
    """

    verb: Verb
    low: float | None = None
    high: float | None = None
    in_bb: bool = False

    @classmethod
    def read(cls, text: str) -> "Choice":
        """The choice that a text such as `raise 33-80` names; `ValueError` for one that names none.

        >>> Choice.read("raise 2-4bb").high, str(Choice.read("raise 33-80"))
        (4.0, 'raise 33-80')
        """
        sized = _SIZE.fullmatch(text)
        if sized is None:
            if text not in tuple(Verb):
                verbs = ", ".join(Verb)
                raise ValueError(
                    f"{text!r} is no action: expected {verbs}, or a raise such as 'raise 33-80' or 'raise 2-4bb'"
                )
            return cls(Verb(text))
        low, high = float(sized[1]), float(sized[2])
        if low > high:
            raise ValueError(f"{text!r}: the first size is above the second")
        return cls(Verb.RAISE, low, high, in_bb=sized[3] is not None)

    def __str__(self) -> str:
        """The text that `read` reads."""
        return self.verb if self.low is None else f"{self.verb} {self.low:g}-{self.high:g}{'bb' if self.in_bb else ''}"

    def covers(self, action: Action, spot: Spot) -> bool:
        """Whether `action`, taken in `spot`, is this choice."""
        if self.verb not in verbs_of(action, spot):
            return False
        if self.low is None or self.high is None:
            return True
        size = total_of(action, spot) / spot.big_blind_chips if self.in_bb else pot_percent(action, spot)
        return self.low <= size <= self.high


def total_of(action: Action, spot: Spot) -> int:
    """The street total of hero, in chips, that a raise or an all-in makes."""
    everything = spot.hero.stack_chips + spot.hero.bet_chips
    return everything if action.raise_to_chips is None else action.raise_to_chips


def pot_percent(action: Action, spot: Spot) -> float:
    """The size of a raise: what it puts on top of a call, in percent of the pot after that call."""
    called = spot.hero.bet_chips + spot.to_call_chips
    return 100 * (total_of(action, spot) - called) / (spot.pot_chips + spot.to_call_chips)


def verbs_of(action: Action, spot: Spot) -> frozenset[Verb]:
    """All names of an action: an all-in raises too where it is above the call, else it is one, and a call may be all-in."""
    stack, to_call = spot.hero.stack_chips, spot.to_call_chips
    is_whole_stack = action.verb is Verb.ALL_IN or (
        action.verb is Verb.RAISE and action.raise_to_chips == stack + spot.hero.bet_chips
    )
    if is_whole_stack:
        return frozenset({Verb.ALL_IN, Verb.RAISE if stack > to_call else Verb.CALL})
    if action.verb is Verb.CALL and to_call >= stack:
        return frozenset({Verb.CALL, Verb.ALL_IN})
    return frozenset({action.verb})


@dataclass(frozen=True, slots=True)
class SuiteSpot:
    """A spot with what a good player does in it.

    `at_most` holds for verbs the greatest share of the draws, in [0, 1]; up to it they are acceptable. `known` are the
    statistics of opponents by their names.
    """

    id: str
    theme: str
    spot: Spot
    acceptable: tuple[Choice, ...]
    at_most: Mapping[Verb, float]
    why: str
    known: Mapping[str, Statistics]

    def accepts(self, action: Action) -> bool:
        """Whether a good player may do this, as often as they like."""
        return any(choice.covers(action, self.spot) for choice in self.acceptable)

    @property
    def accepted(self) -> str:
        """What is accepted, in words."""
        words = [str(choice) for choice in self.acceptable]
        words += [
            f"{verb} at most {100 * share:.0f} %" if share else f"never {verb}" for verb, share in self.at_most.items()
        ]
        return ", ".join(words)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a player did in a spot, over all draws, and whether that passes.

    It passes when at least `PASS_SHARE` of the draws are acceptable and nothing was done oftener than it may be.
    """

    spot: SuiteSpot
    played: tuple[Action, ...]

    @property
    def acceptable_share(self) -> float:
        """The share of draws that a good player may do, the rare ones among them."""
        return sum(self.spot.accepts(action) or self._may_be_rare(action) for action in self.played) / len(self.played)

    @property
    def passes(self) -> bool:
        """Whether the player does here what good players do."""
        within = all(self._share_of(verb) <= most for verb, most in self.spot.at_most.items())
        return within and self.acceptable_share >= PASS_SHARE

    @property
    def counts(self) -> Mapping[str, int]:
        """How often each action was played, the most frequent first."""
        return dict(Counter(map(self._told, self.played)).most_common())

    def _may_be_rare(self, action: Action) -> bool:
        return any(self.spot.at_most[verb] for verb in self._limited(action))

    def _limited(self, action: Action) -> frozenset[Verb]:
        """The verbs of an action that are bounded, unless it is acceptable anyway."""
        if self.spot.accepts(action):
            return frozenset()
        return verbs_of(action, self.spot.spot) & frozenset(self.spot.at_most)

    def _share_of(self, verb: Verb) -> float:
        return sum(verb in self._limited(action) for action in self.played) / len(self.played)

    def _told(self, action: Action) -> str:
        """The action in words, a raise with its size in the unit that the spot speaks of."""
        if Verb.RAISE not in verbs_of(action, self.spot.spot):
            return str(action.verb)
        in_bb = any(choice.in_bb for choice in self.spot.acceptable)
        total = total_of(action, self.spot.spot)
        size = (
            f"{total / self.spot.spot.big_blind_chips:g}bb" if in_bb else f"{pot_percent(action, self.spot.spot):.0f} %"
        )
        return f"{action} ({size})"


def load_suite(folder: Path = FOLDER) -> tuple[SuiteSpot, ...]:
    """The spots of a folder, file by file in the order of their names; `SuiteError` says what is wrong with the first bad one."""
    files = sorted(folder.glob("*.toml"))
    if not files:
        raise SuiteError(f"{folder} holds no spots: expected TOML files")
    found = [spot for file in files for spot in _spots(file)]
    twice = [name for name, times in Counter(spot.id for spot in found).items() if times > 1]
    if twice:
        raise SuiteError(f"{folder}: two spots are called {', '.join(twice)}")
    return tuple(found)


def _spots(file: Path) -> Sequence[SuiteSpot]:
    try:
        told = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SuiteError(f"{file} cannot be read: {error}") from None
    except RecursionError:
        raise SuiteError(f"{file} cannot be read: its tables or lists are nested too deeply") from None
    try:
        entries, profiles = told.pop("spot", []), _table(told, "profiles")
    except ValueError as error:
        raise SuiteError(f"{file.name}: {error}") from None
    told.pop("profiles", None)
    if not isinstance(entries, list) or not entries:
        raise SuiteError(f"{file} holds no spots: expected [[spot]]")
    found = []
    for number, entry in enumerate(entries, 1):
        try:
            found.append(_spot(told | entry, profiles))
        except (ValueError, TypeError) as error:
            name = entry.get("id", f"number {number}") if isinstance(entry, dict) else f"number {number}"
            raise SuiteError(f"{file.name}, spot {name}: {error}") from None
    return found


def _spot(values: Mapping[str, Any], profiles: Mapping[str, Any]) -> SuiteSpot:
    name, theme, why = (_text(values, key) for key in ("id", "theme", "why"))
    spot = spot_from({key: value for key, value in values.items() if key not in _OWN} | {"hand_id": name})
    if spot.hole_cards is None:
        raise ValueError("hole_cards are missing")
    acceptable, at_most = values.get("acceptable"), _table(values, "at_most")
    if not isinstance(acceptable, list) or not acceptable:
        raise ValueError("acceptable is missing: expected a list of actions")
    choices = tuple(Choice.read(str(text)) for text in acceptable)
    for choice in choices:
        _check_possible(choice, spot)
    limits = {Choice.read(verb).verb: _share(verb, percent) for verb, percent in at_most.items()}
    return SuiteSpot(name, theme, spot, choices, limits, why, _known(_table(values, "opponents"), profiles, spot))


def _check_possible(choice: Choice, spot: Spot) -> None:
    """`ValueError` for an action that the spot does not offer, under whichever name."""
    legal = spot.legal
    offered = [Action(verb) for verb in (Verb.FOLD, Verb.CHECK, Verb.CALL, Verb.ALL_IN) if legal.allows(Action(verb))]
    if legal.min_raise_to_chips is not None:
        offered += [Action(Verb.RAISE, legal.min_raise_to_chips), Action(Verb.RAISE, legal.max_raise_to_chips)]
    sizes = [
        total_of(action, spot) / spot.big_blind_chips if choice.in_bb else pot_percent(action, spot)
        for action in offered
        if Verb.RAISE in verbs_of(action, spot)
    ]
    named = any(choice.verb in verbs_of(action, spot) for action in offered)
    reached = choice.low is None or choice.high is None or (min(sizes) <= choice.high and choice.low <= max(sizes))
    if not named or not reached:
        raise ValueError(f"{choice} is accepted and not possible here")


def _known(opponents: Mapping[str, Any], profiles: Mapping[str, Any], spot: Spot) -> dict[str, Statistics]:
    names = {str(player.seat): player.name for player in spot.players if player.seat != spot.hero_seat}
    found = {}
    for seat, profile in opponents.items():
        if seat not in names or profile not in profiles:
            raise ValueError(
                f"opponents: seat {seat} as {profile!r}: expected a seat of {', '.join(names)} and a profile of the file"
            )
        found[names[seat]] = Statistics.from_dict(_table(profiles, profile))
    return found


def _table(values: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    table = values.get(key, {})
    if not isinstance(table, dict):
        raise ValueError(f"{key} is {table!r}: expected a table")
    return table


def _text(values: Mapping[str, Any], key: str) -> str:
    text = values.get(key)
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"{key} is missing: expected words")
    return text


def _share(verb: str, percent: Any) -> float:
    if isinstance(percent, bool) or not isinstance(percent, int | float) or not 0 <= percent <= 100:
        raise ValueError(f"at_most {verb} is {percent!r}: expected percent from 0 to 100")
    return percent / 100
