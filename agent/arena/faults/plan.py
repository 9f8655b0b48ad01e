"""Faults on demand: which can happen, how often, and the seeded dice that decide each time.

A fault file is TOML, one table per fault: `[lost_ack]`, then `rate`, and `seed` or `seconds` where wanted. Whoever
can commit a fault asks its dice; each fault has its own stream, so that switching one on moves no other.
"""

import math
import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum, auto
from pathlib import Path
from types import MappingProxyType
from typing import Final

from agent.arena.game.seeded import Seeded
from agent.arena.toml_file import read_toml

SMALLEST_SWELLING_CHIPS: Final = 10**9 + 1
LARGEST_SWELLING_CHIPS: Final = 10**12


class FaultName(StrEnum):
    """Everything that can go wrong on demand."""

    DROP_FRAME = auto()
    DUPLICATE_FRAME = auto()
    REORDER_FRAMES = auto()
    DELAY_FRAME = auto()
    LOST_ACK = auto()
    CUT_BEFORE_ACTION = auto()
    CUT_AFTER_ACTION = auto()
    DUPLICATE_PROMPT = auto()
    STALE_TOKEN = auto()
    WRONG_HASH = auto()
    SPECTATOR_RESYNC = auto()
    NULL_SNAPSHOT = auto()
    LATE_TABLE_CLOSED = auto()
    SILENT_REMOVAL = auto()
    ROSTER_ORDER = auto()
    FLIP_DISCONNECTED = auto()
    ALREADY_SEATED_IN_DETAILS = auto()
    ALREADY_SEATED_NOWHERE = auto()
    REST_429 = auto()
    REST_500 = auto()
    REST_TIMEOUT = auto()
    NON_ASCII_NAMES = auto()
    HUGE_STACKS = auto()
    UNKNOWN_FRAMES = auto()
    UNKNOWN_FIELDS = auto()
    SLOW_SERVER = auto()


_DESCRIPTIONS: Final[Mapping[FaultName, str]] = {
    FaultName.DROP_FRAME: "A frame is never sent; `connected` always is.",
    FaultName.DUPLICATE_FRAME: "A frame is sent twice, number and all.",
    FaultName.REORDER_FRAMES: "A frame is held back and sent after the next one.",
    FaultName.DELAY_FRAME: "A frame is sent `seconds` later, and later ones may overtake it.",
    FaultName.LOST_ACK: "An action is played, but its `action_ack` is never sent.",
    FaultName.CUT_BEFORE_ACTION: "The socket is cut when an action arrives, and the action is not played.",
    FaultName.CUT_AFTER_ACTION: "The socket is cut once an action is played, before the client can learn of it.",
    FaultName.DUPLICATE_PROMPT: "A `your_turn` is sent twice with the same token and number.",
    FaultName.STALE_TOKEN: "The token of an open turn is replaced, so that only a resync tells the one that is good.",
    FaultName.WRONG_HASH: "A snapshot, live or in a resync, states a well-formed `state_hash` that is not its own.",
    FaultName.SPECTATOR_RESYNC: "A resync is answered as to a spectator: no seat, no cards, no token.",
    FaultName.NULL_SNAPSHOT: "A resync is answered without events and with null for the snapshot.",
    FaultName.LATE_TABLE_CLOSED: "A client that leaves is told `table_closed` in place of its own `player_left`.",
    FaultName.SILENT_REMOVAL: "A client loses its seat between hands, and no frame tells it so.",
    FaultName.ROSTER_ORDER: "A newcomer is shown by the snapshot, or by prompt and snapshot, before it is announced.",
    FaultName.FLIP_DISCONNECTED: "While the client is to act, a snapshot more shows an opponent as disconnected.",
    FaultName.ALREADY_SEATED_IN_DETAILS: "The error `already_seated` tells table and seat inside `details`.",
    FaultName.ALREADY_SEATED_NOWHERE: "The error `already_seated` tells neither table nor seat.",
    FaultName.REST_429: "A REST call is refused with 429 and a Retry-After of `seconds`.",
    FaultName.REST_500: "A REST call fails with 500.",
    FaultName.REST_TIMEOUT: "A REST call gets no answer for `seconds`.",
    FaultName.NON_ASCII_NAMES: "A player's name has accents and a character outside the basic plane.",
    FaultName.HUGE_STACKS: "A player sits down with more than 10^9 chips.",
    FaultName.UNKNOWN_FRAMES: "A frame is followed by one of a type that no document names, with or without envelope.",
    FaultName.UNKNOWN_FIELDS: "A frame has fields that no document names, nested ones too; its hash covers them.",
    FaultName.SLOW_SERVER: "Every frame of a connection is sent `seconds` later, in order; rolled once per connection.",
}

DEFAULT_SECONDS: Final[Mapping[FaultName, float]] = {
    FaultName.DELAY_FRAME: 1.0,
    FaultName.REST_429: 1.0,
    FaultName.REST_TIMEOUT: 30.0,
    FaultName.SLOW_SERVER: 0.5,
}

_KEYS: Final = ("rate", "seed", "seconds")
_ACCENTS: Final = str.maketrans("aeiouyAEIOUY", "áéïöüýÁÉÏÖÜÝ")
_ASTRAL: Final = ("\U0001f0a1", "\U0001d49c", "\U0001f9a6", "\U00010348")


class FaultError(ValueError):
    """A fault that cannot be had as it was asked for."""


def description(name: FaultName) -> str:
    """What happens when the fault strikes, in one sentence."""
    return _DESCRIPTIONS[name]


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault that strikes with probability `rate` in [0, 1] each time it can.

    `seconds` is for the faults in `DEFAULT_SECONDS` alone; None takes the value there. `FaultError` otherwise.
    """

    name: FaultName
    rate: float
    seed: int
    seconds: float | None = None

    def __post_init__(self) -> None:
        """Refuse what no dice can roll."""
        if not _is_number(self.rate) or not 0 <= self.rate <= 1:
            raise _refused(self.name, "rate", self.rate, "a number from 0 to 1")
        if not _is_integer(self.seed):
            raise _refused(self.name, "seed", self.seed, "an integer")
        if self.seconds is None:
            return
        if self.name not in DEFAULT_SECONDS:
            raise _refused(self.name, "seconds", self.seconds, f"none; only {_listed(DEFAULT_SECONDS)} last any time")
        if not _is_number(self.seconds) or self.seconds < 0:
            raise _refused(self.name, "seconds", self.seconds, "a number from 0 up")


@dataclass(frozen=True, slots=True)
class FaultPlan:
    """All faults of an arena, and how often each has happened so far."""

    faults: Mapping[FaultName, Fault] = field(default_factory=lambda: MappingProxyType({}))
    happened: Counter[FaultName] = field(default_factory=Counter, compare=False)


class FaultDice:
    """The dice of one `purpose` (words and numbers, such as a client and the number of its connection).

    The same plan, purpose and calls give the same strikes.
    """

    def __init__(self, plan: FaultPlan, *purpose: str | int) -> None:
        self._plan = plan
        self._streams = {
            name: Seeded(fault.seed).generator("fault", name, *purpose)
            for name, fault in plan.faults.items()
            if fault.rate > 0
        }

    @property
    def has_faults(self) -> bool:
        """Whether anything can strike at all."""
        return bool(self._streams)

    def strikes(self, name: FaultName) -> bool:
        """Whether the fault happens now; ask only where it can, for every strike is counted."""
        stream = self._streams.get(name)
        if stream is None or stream.random() >= self._plan.faults[name].rate:
            return False
        self._plan.happened[name] += 1
        return True

    def seconds(self, name: FaultName) -> float:
        """How long a fault in `DEFAULT_SECONDS` lasts."""
        fault = self._plan.faults.get(name)
        return DEFAULT_SECONDS[name] if fault is None or fault.seconds is None else fault.seconds

    def generator(self, name: FaultName) -> random.Random:
        """The stream of a fault that has struck, to settle how; `KeyError` when it never can."""
        return self._streams[name]


def load_faults(path: Path, *, seed: int = 0) -> FaultPlan:
    """The plan in a TOML file; `seed` is for the faults that state none. `FaultError` names what is wrong."""
    return parse_faults(read_toml(path, FaultError), seed=seed, source=str(path))


def parse_faults(table: Mapping[str, object], *, seed: int = 0, source: str = "faults") -> FaultPlan:
    """The plan in a table of faults by name, each a table with `rate` and, where wanted, `seed` and `seconds`.

    >>> parse_faults({"lost_ack": {"rate": 0.02}}, seed=7).faults[FaultName.LOST_ACK]
    Fault(name=<FaultName.LOST_ACK: 'lost_ack'>, rate=0.02, seed=7, seconds=None)
    """
    try:
        faults = [_parse_fault(name, entry, seed) for name, entry in table.items()]
    except FaultError as error:
        raise FaultError(f"{source}: {error}") from None
    return FaultPlan(MappingProxyType({fault.name: fault for fault in faults}))


def disguised(name: str, dice: FaultDice) -> str:
    """The name of a player; with accents and an astral character when `non_ascii_names` strikes."""
    if not dice.strikes(FaultName.NON_ASCII_NAMES):
        return name
    return name.translate(_ACCENTS) + dice.generator(FaultName.NON_ASCII_NAMES).choice(_ASTRAL)


def swollen(stack_chips: int, dice: FaultDice) -> int:
    """The chips that a player sits down with; more than 10^9 of them when `huge_stacks` strikes."""
    if not dice.strikes(FaultName.HUGE_STACKS):
        return stack_chips
    swelling = dice.generator(FaultName.HUGE_STACKS).randint(SMALLEST_SWELLING_CHIPS, LARGEST_SWELLING_CHIPS)
    return stack_chips + swelling


def _parse_fault(name: str, entry: object, seed: int) -> Fault:
    if name not in _DESCRIPTIONS:
        raise FaultError(f"[{name}]: there is no such fault: choose from {_listed(_DESCRIPTIONS)}")
    if not isinstance(entry, Mapping):
        raise FaultError(f"[{name}]: {entry!r} is no table: write `[{name}]` and under it `rate = 0.02`")
    for key in entry:
        if key not in _KEYS:
            raise FaultError(f"[{name}] {key} = {entry[key]!r}: a fault has {', '.join(_KEYS)} and nothing else")
    if "rate" not in entry:
        raise FaultError(f"[{name}] rate: missing: expected a number from 0 to 1")
    return Fault(FaultName(name), entry["rate"], entry.get("seed", seed), entry.get("seconds"))


def _refused(name: FaultName, key: str, value: object, allowed: str) -> FaultError:
    return FaultError(f"[{name}] {key} = {value!r}: expected {allowed}")


def _listed(names: Mapping[FaultName, object]) -> str:
    return ", ".join(names)


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return _is_integer(value) or (isinstance(value, float) and math.isfinite(value))
