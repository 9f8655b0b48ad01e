"""Ranges: which two cards a player may hold, each of the 1,326 holdings with a weight, and the notation for them.

A range is written as hands with commas, spaces, semicolons or new lines between them; where two of them name the
same cards, the later one counts:

    AA  AKs  AKo  AK    a class: a pair, suited, offsuit, suited and offsuit
    AsKd                exactly these two cards
    QQ+  A2s+  KT+      and better: higher pairs, or higher second cards
    JJ-88  A5s-A2s      both ends and all between: pairs, or second cards below the same first one
    T9s-54s             the same gap between the two cards, one step at a time
    20%                 the best classes (`BEST_FIRST`), as many as come nearest to that share of all holdings
    random  *  any two  every holding
    A5s:0.5  76s@0.25   any of these with a weight from 0 to 1; without one it is 1
"""

import re
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import numpy as np
import numpy.typing as npt

from agent.poker.cards import DECK, RANKS, SUITS, CardError, format_cards, parse_cards

Weights = npt.NDArray[np.float64]

# Every holding once, the higher card first; `combo_index` is the place in this order.
COMBOS: Final = np.array([(high, low) for high in DECK for low in range(high)], dtype=np.int64)
COMBOS.setflags(write=False)


def _class_name(row: int, column: int) -> str:
    """The class in a place of the 13 x 13 grid, aces first: pairs on the diagonal, suited above, offsuit below."""
    high, low = RANKS[12 - min(row, column)], RANKS[12 - max(row, column)]
    return high + low + ("" if row == column else "s" if row < column else "o")


CLASSES: Final = tuple(_class_name(row, column) for row in range(13) for column in range(13))

# For every combo the place of its class in `CLASSES`: the grid row of its higher card if suited, of its lower if not.
_ROWS, _COLUMNS = 12 - (COMBOS >> 2).T
CLASS_OF_COMBO: Final = np.where((COMBOS[:, 0] ^ COMBOS[:, 1]) & 3 == 0, 13 * _ROWS + _COLUMNS, 13 * _COLUMNS + _ROWS)
CLASS_OF_COMBO.setflags(write=False)

_MEMBERS: Final = {name: np.flatnonzero(np.equal(CLASS_OF_COMBO, place)) for place, name in enumerate(CLASSES)}
CLASS_SIZES: Final = np.array([len(members) for members in _MEMBERS.values()])  # 6, 4 or 12 combos
CLASS_SIZES.setflags(write=False)
_HOLDS: Final = (COMBOS[:, :, np.newaxis] == np.array(DECK)).any(axis=1)  # (1326, 52)

# All classes by equity against one random hand, all in before the flop; the order behind `20%`.
_BEST_FIRST: Final = """
AA KK QQ JJ TT 99 88 AKs 77 AQs AJs AKo ATs AQo AJo KQs 66 A9s ATo KJs A8s KTs KQo A7s A9o KJo 55 QJs K9s A5s
A6s A8o KTo QTs A4s A7o K8s A3s QJo K9o A5o A6o Q9s K7s JTs A2s QTo 44 A4o K6s K8o Q8s A3o K5s J9s Q9o JTo K7o
A2o K4s Q7s K6o K3s T9s J8s 33 Q6s Q8o K5o J9o K2s Q5s T8s K4o J7s Q4s Q7o T9o J8o K3o Q6o Q3s 98s T7s J6s K2o
22 Q2s Q5o J5s T8o J7o Q4o 97s J4s T6s J3s Q3o 98o 87s T7o J6o 96s J2s Q2o T5s J5o T4s 97o 86s J4o T6o 95s T3s
76s J3o 87o T2s 85s 96o J2o T5o 94s 75s T4o 93s 86o 65s 84s 95o T3o 92s 76o 74s T2o 54s 85o 64s 83s 94o 75o
82s 73s 93o 65o 53s 63s 84o 92o 43s 74o 72s 54o 64o 52s 62s 83o 42s 82o 73o 53o 63o 32s 43o 72o 52o 62o 42o
32o
"""
BEST_FIRST: Final = tuple(_BEST_FIRST.split())

# Classes that follow one another in `+` and `-`: the pairs, then for every first card its second cards, best first.
_LADDERS: Final = (
    tuple(rank + rank for rank in reversed(RANKS)),
    *(
        tuple(RANKS[high] + RANKS[low] + kind for low in range(high - 1, -1, -1))
        for kind in "so"
        for high in range(12, 0, -1)
    ),
)
_LADDER_OF: Final = {name: ladder for ladder in _LADDERS for name in ladder}

_EVERYTHING: Final = frozenset({"random", "*", "any", "anytwo"})
_EXPECTED: Final = "expected hands such as AA, AKs, AKo, AK, QQ+, A2s+, JJ-88, A5s-A2s, AsKd, 20% or random"


class RangeError(ValueError):
    """Text or weights that make no range; says which part of a text is wrong and what was expected."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Range:
    """How likely each holding is, relative to the others: one weight of 0 or more a combo, in the order of `COMBOS`.

    `weights` are copied and read-only. `source` is the text a range was read from, if any. Ranges are equal when
    their weights are, whatever they were read from.
    """

    weights: Weights
    source: str = ""

    def __post_init__(self) -> None:
        weights = np.array(self.weights, dtype=np.float64) + 0.0  # adding 0 turns -0.0, with other bytes, into 0.0
        if weights.shape != (len(COMBOS),):
            raise RangeError(f"a range has {len(COMBOS)} weights, got an array of shape {weights.shape}")
        if not (np.isfinite(weights) & (weights >= 0)).all():
            raise RangeError("the weights of a range are finite numbers of 0 or more")
        weights.setflags(write=False)
        object.__setattr__(self, "weights", weights)

    @classmethod
    def random(cls) -> "Range":
        """Any two cards, all with weight 1."""
        return cls(np.ones(len(COMBOS)), "random")

    @classmethod
    def of_hand(cls, first: int, second: int) -> "Range":
        """Exactly these two cards."""
        weights = np.zeros(len(COMBOS))
        weights[combo_index(first, second)] = 1.0
        return cls(weights, format_cards((first, second)))

    def without(self, cards: Iterable[int]) -> "Range":
        """The same range when these cards are known to be elsewhere; it keeps its source text."""
        return Range(np.where(holding_any(cards), 0.0, self.weights), self.source)

    @property
    def text(self) -> str:
        """What the range was read from, else its shortest notation (`to_text`)."""
        return self.source or to_text(self)

    @property
    def combos(self) -> int:
        """How many of the 1,326 holdings are possible: weight above 0."""
        return int(np.count_nonzero(self.weights))

    @property
    def total(self) -> float:
        """The sum of all weights."""
        return float(self.weights.sum())

    @property
    def share(self) -> float:
        """The weighted part of all 1,326 holdings, in percent."""
        return 100 * self.total / len(COMBOS)

    @property
    def is_random(self) -> bool:
        """Whether every holding is equally likely."""
        return bool(self.weights[0] > 0 and (self.weights == self.weights[0]).all())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Range) and np.array_equal(self.weights, other.weights)

    def __hash__(self) -> int:
        return hash(self.weights.tobytes())

    def __repr__(self) -> str:
        return f"Range({self.text!r}, {self.combos} combos)"

    def __reduce__(self) -> tuple[type["Range"], tuple[Weights, str]]:
        """Through the constructor, because a copied or pickled array would be writable again."""
        return Range, (self.weights, self.source)


def combo_index(first: int, second: int) -> int:
    """The place in `COMBOS` of a holding, its two cards in either order.

    >>> combo_index(1, 0), combo_index(50, 51)
    (0, 1325)
    """
    high, low = max(first, second), min(first, second)
    if not 0 <= low < high < len(DECK):
        raise ValueError(f"{first} and {second} are not two different cards of 0 to 51")
    return high * (high - 1) // 2 + low


def holding_any(cards: Iterable[int]) -> npt.NDArray[np.bool_]:
    """For every combo whether it holds at least one of these cards."""
    return np.asarray(_HOLDS[:, list(cards)].any(axis=1))


def class_of(combo: int) -> str:
    """The class of the holding in that place of `COMBOS`.

    >>> class_of(combo_index(51, 45))
    'AKo'
    """
    return CLASSES[int(CLASS_OF_COMBO[combo])]


def parse_range(text: str) -> Range:
    """The range that a text in the notation above names; `RangeError` says what is wrong with which part.

    >>> parse_range("QQ+, AKs, A5s:0.5").combos
    26
    """
    weights = np.zeros(len(COMBOS))
    parts = _parts(text)
    if not parts:
        raise RangeError(f"an empty text is no range: {_EXPECTED}")
    for part in parts:
        hands, weight = _split_weight(part)
        weights[_combos_named(hands)] = weight
    return Range(weights, " ".join(text.split()))


def grid(range_: Range) -> Weights:
    """The mean weight of every class as a 13 x 13 array, aces first: pairs on the diagonal, suited above it."""
    return np.asarray(np.bincount(CLASS_OF_COMBO, range_.weights) / CLASS_SIZES).reshape(13, 13)


def to_text(range_: Range) -> str:
    """A short notation that parses back to the same weights; no possible holding at all is `random:0`.

    The notation knows no weight above 1: where there is one, all are written relative to the largest.

    >>> to_text(parse_range("AK, AA, KK, AsKs:0.25"))
    'KK+,AKs,AKo,AsKs:0.25'
    """
    weights = range_.weights / max(1.0, range_.weights.max())
    by_class = [_most_common(weights[members].tolist()) for members in _MEMBERS.values()]
    named = min((_name_classes(by_class, base) for base in (0.0, _most_common(by_class))), key=len)
    exceptions = np.flatnonzero(weights != np.array(by_class)[CLASS_OF_COMBO])
    named += [_with_weight(format_cards(COMBOS[combo]), float(weights[combo])) for combo in exceptions]
    return ",".join(named) or "random:0"


def _most_common(weights: list[float]) -> float:
    return max(weights, key=weights.count)


def _name_classes(weights: list[float], base: float) -> list[str]:
    """The parts of a text that give every class its weight, written as changes to `random` with the weight `base`."""
    named = [_with_weight("random", base)] if base else []
    for weight in sorted(set(weights) - {base}, reverse=True):
        chosen = {name for name, own in zip(CLASSES, weights, strict=True) if own == weight}
        named += [_with_weight(hands, weight) for hands in class_runs(chosen)]
    return named


def class_runs(chosen: AbstractSet[str]) -> Iterator[str]:
    """The parts of the notation that name these classes, neighbours on a ladder joined: `QQ+`, `A5s-A2s`, `76s`."""
    for ladder in _LADDERS:
        for is_chosen, run in groupby(ladder, chosen.__contains__):
            if is_chosen:
                first, *rest = run
                if not rest:
                    yield first
                else:
                    yield f"{rest[-1]}+" if first == ladder[0] else f"{first}-{rest[-1]}"


def _with_weight(hands: str, weight: float) -> str:
    return hands if weight == 1 else f"{hands}:{weight or 0!r}"


def _parts(text: str) -> list[str]:
    """The parts of a range text, without the blanks inside of them."""
    joined = re.sub(r"\s*([-–:@])\s*|\s+([+%])", lambda found: found[1] or found[2], text)
    joined = re.sub(r"\bany\s+two\b", "any", joined, flags=re.IGNORECASE)
    return [part for part in re.split(r"[,;\s]+", joined) if part]


def _split_weight(part: str) -> tuple[str, float]:
    """`A5s:0.5` as hands and weight."""
    hands, mark, number = re.fullmatch(r"([^:@]*)([:@]?)(.*)", part, re.DOTALL).groups()  # type: ignore[union-attr]
    if not mark:
        return hands, 1.0
    weight = _number(number)
    if weight is None or not 0 <= weight <= 1:
        raise RangeError(f"{number!r} in {part!r} is no weight: expected a number from 0 to 1, such as 0.5")
    return hands, weight


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _combos_named(hands: str) -> npt.NDArray[np.int64]:
    """The places in `COMBOS` that a part of the text means, its weight aside."""
    if hands.lower() in _EVERYTHING:
        return np.arange(len(COMBOS))
    if len(hands) == 4 and hands[1].lower() in SUITS:
        return np.array([_exact_combo(hands)])
    return np.concatenate([_MEMBERS[name] for name in _classes_named(hands)])


def _exact_combo(hands: str) -> int:
    try:
        return combo_index(*parse_cards(hands))
    except CardError as error:
        raise RangeError(f"{hands!r} is no hand: {error}") from None


def _classes_named(hands: str) -> Iterator[str]:
    if hands.endswith("%"):
        yield from _best(hands)
    elif hands.endswith("+"):
        for name in _parse_class(hands[:-1], hands):
            ladder = _LADDER_OF[name]
            yield from ladder[: ladder.index(name) + 1]
    elif ends := re.fullmatch(r"([^-–]+)[-–]([^-–]+)", hands):
        first, second = _parse_class(ends[1], hands), _parse_class(ends[2], hands)
        if len(first) != len(second):
            raise _no_run(hands)
        for one, other in zip(first, second, strict=True):
            yield from _between(one, other, hands)
    else:
        yield from _parse_class(hands, hands)


def _parse_class(text: str, part: str) -> list[str]:
    """The one or two classes of `AKs` or `AK`; `part` is what an error names."""
    found = re.fullmatch(r"([2-9TJQKA])([2-9TJQKA])([so]?)", text, re.ASCII | re.IGNORECASE)
    if found is None:
        raise RangeError(f"{part!r} is no hand class: {_EXPECTED}")
    high, low = sorted((found[1].upper(), found[2].upper()), key=RANKS.index, reverse=True)
    kind = found[3].lower()
    if high != low:
        return [high + low + kind for kind in kind or "so"]
    if kind:
        raise RangeError(f"{part!r} is no hand class: a pair is neither suited nor offsuit, write {high}{low}")
    return [high + low]


def _between(one: str, other: str, part: str) -> Iterator[str]:
    """All classes from one to the other, both included, in either direction."""
    ladder = _LADDER_OF[one]
    if other in ladder:
        start, stop = sorted((ladder.index(one), ladder.index(other)))
        yield from ladder[start : stop + 1]
        return
    (high, low), (other_high, other_low) = (sorted(map(RANKS.index, name[:2])) for name in (one, other))
    if one[2:] != other[2:] or high - low != other_high - other_low:
        raise _no_run(part)
    gap = low - high
    for lower in range(min(high, other_high), max(high, other_high) + 1):
        yield RANKS[lower + gap] + RANKS[lower] + one[2:]


def _no_run(part: str) -> RangeError:
    return RangeError(
        f"{part!r} is no run of hands: expected two pairs (JJ-88), two hands with the same first card (A5s-A2s) "
        "or with the same gap (T9s-54s), both suited, both offsuit or both neither"
    )


def _best(part: str) -> Iterator[str]:
    percent = _number(part[:-1])
    if percent is None or not 0 < percent <= 100:
        raise RangeError(f"{part!r} is no share of all hands: expected more than 0% and at most 100%, such as 20%")
    wanted, combos = percent / 100 * len(COMBOS), 0
    for name in BEST_FIRST:
        size = len(_MEMBERS[name])
        if combos and combos + size / 2 > wanted:
            return
        yield name
        combos += size
