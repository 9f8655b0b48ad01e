"""Matches: two players compared on the same deals, block by block.

A block is a table of its own: opponents who are strangers, a number of deals, and every deal played from every seat,
with full stacks in each hand. Both players meet the same opponents with the same cards and the same luck, so that the
difference between them is mostly their play. Blocks are independent of one another: they are the unit of every
interval.

Without a field the two sit down heads-up with each other, and each deal is played from both seats.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Final

from agent.arena.game.dealer import MAX_SEATS
from agent.arena.game.seeded import Seeded
from agent.arena.house.field import Entry, Population
from agent.arena.house.player import house_player
from agent.evaluation import told as values
from agent.evaluation.all_in import nets
from agent.evaluation.contender import HouseContender
from agent.evaluation.registry import Contenders, contender
from agent.evaluation.table import Deal, Outcome, Seated, play_hand
from agent.strategy.statistics import MOST_COUNTED, Statistics, tally

HERO: Final = "Heron"
RIVAL: Final = "Sparrowhawk"
HANDS_PER_BLOCK: Final = 120
MOST_STACK_BB: Final = 100_000

Shares = tuple[tuple[str, float], ...]
"""A field as specs of house players, each with how often it comes relative to the others."""

Behind = tuple[tuple[str, str], ...]
"""What plays behind names that do not tell it all: each name with the model and prompts of its agent."""


@dataclass(frozen=True, slots=True)
class Side:
    """How one player did over some hands.

    `net_chips` values all-ins by equity, `dealt_net_chips` is what the cards made of them. `busts` are hands that
    ended with an empty stack, `sources` the decisions by who made them.
    """

    hands: int
    net_chips: float
    dealt_net_chips: int
    busts: int
    sources: Mapping[str, int]
    statistics: Statistics

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for a file."""
        return {
            "hands": self.hands,
            "net_chips": self.net_chips,
            "dealt_net_chips": self.dealt_net_chips,
            "busts": self.busts,
            "sources": dict(sorted(self.sources.items())),
            "statistics": self.statistics.as_dict(),
        }

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> "Side":
        """The side that `as_dict` told; `ValueError` for what is none."""
        return cls(**values.table(told, _SIDE))

    def __add__(self, other: "Side") -> "Side":
        """Both together."""
        return Side(
            self.hands + other.hands,
            self.net_chips + other.net_chips,
            self.dealt_net_chips + other.dealt_net_chips,
            self.busts + other.busts,
            Counter(self.sources) + Counter(other.sources),
            self.statistics + other.statistics,
        )


@dataclass(frozen=True, slots=True)
class Block:
    """A block that was played: both sides, and in how many of its hands their actions were not the same."""

    a: Side
    b: Side
    differing_hands: int

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for a file."""
        return {"a": self.a.as_dict(), "b": self.b.as_dict(), "differing_hands": self.differing_hands}

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> "Block":
        """The block that `as_dict` told; `ValueError` for what is none."""
        return cls(**values.table(told, _BLOCK))


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """What a match is: the same plan gives the same blocks bit for bit, in whatever process they are played.

    `field` is whom the opponents are drawn from; without one the two play each other. `code` names the version of the
    program, `behind` what plays behind names that do not tell it. `contenders` seats the two by name and is no parameter
    of the match. Raises `ValueError` for what is no match.
    """

    a: str
    b: str
    field: Shares = ()
    seed: int = 1
    seats: int = MAX_SEATS
    stack_bb: int = 100
    hands_per_block: int = HANDS_PER_BLOCK
    small_blind_chips: int = 10
    big_blind_chips: int = 20
    code: str = ""
    behind: Behind = ()
    contenders: Contenders = contender

    kind: ClassVar[str] = "match"

    def __post_init__(self) -> None:
        if not 2 <= self.seats <= MAX_SEATS:
            raise ValueError(f"{self.seats} seats: expected 2 to {MAX_SEATS}")
        if self.is_duel and self.seats > 2:
            raise ValueError(f"{self.seats} seats need a field to draw the opponents from")
        if not 1 <= self.stack_bb <= MOST_STACK_BB:
            raise ValueError(f"a stack of {self.stack_bb:,} big blinds: expected 1 to {MOST_STACK_BB:,}")
        if self.hands_per_block < 1 or self.hands_per_block % self.seats:
            raise ValueError(f"{self.hands_per_block} hands a block: expected a multiple of {self.seats} seats")

    def look_up_names(self) -> None:
        """Raise `UnknownContender` when somebody of the match does not exist; to be called before it is played."""
        for name in (self.a, self.b, *(f"house:{kind}" for kind, _ in self.field)):
            self.contenders(name, self.seed)

    @property
    def is_duel(self) -> bool:
        """Whether the two play each other."""
        return not self.field

    def blocks_for(self, hands: int) -> int:
        """How many blocks hold at least so many hands of each player."""
        return -(-hands // self.hands_per_block)

    def as_dict(self) -> dict[str, Any]:
        """Every parameter, as plain values: what a block belongs to."""
        told = {"kind": self.kind, **asdict(self)}
        del told["contenders"]
        return told | {"field": [list(entry) for entry in self.field], "behind": [list(entry) for entry in self.behind]}

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> "MatchPlan":
        """The plan that `as_dict` told, with what is usual for what it did not tell; `ValueError` for what is none."""
        found = values.table(told, _PLAN, optional=_PLAN.keys() - {"kind", "a", "b"})
        del found["kind"]
        return cls(**found)

    def check(self, result: Any) -> None:
        """Raise `ValueError` for what is no block of this match."""
        block = Block.from_dict(result)
        for letter, side in (("a", block.a), ("b", block.b)):
            if side.hands != self.hands_per_block:
                raise ValueError(
                    f"{letter}: hands: {side.hands}: expected {self.hands_per_block}, as the plan has them"
                )

    def play(self, index: int) -> dict[str, Any]:
        """Play the block of that number, counted from 0; a `Block` as plain values."""
        block = self._duel(index) if self.is_duel else self._paired(index)
        return block.as_dict()

    def hands(self, index: int, table: Sequence[Seated]) -> Iterable[tuple[tuple[int, ...], Outcome]]:
        """Play the hands of a block, one after the other; with each the seats of the players, in their order at the table."""
        seeded = Seeded(self.seed)
        for number in range(self.hands_per_block // self.seats):
            deck = tuple(seeded.deck("match", index, number))
            for turn in range(self.seats):
                seats = tuple((turn + place) % self.seats for place in range(self.seats))
                deal = Deal(
                    hand_id=f"{index}.{number}.{turn}",
                    deck=deck,
                    button_seat=number % self.seats,
                    small_blind_chips=self.small_blind_chips,
                    big_blind_chips=self.big_blind_chips,
                )
                yield seats, play_hand(deal, dict(zip(seats, table, strict=True)))

    def _paired(self, index: int) -> Block:
        sides, lines = [], []
        for name in (self.a, self.b):
            table = [self._seated(name, HERO), *self._opponents(index)]
            outcomes = [(seats[0], outcome) for seats, outcome in self.hands(index, table)]
            sides.append(_side(outcomes, table[0]))
            lines.append([outcome.hand.actions for _, outcome in outcomes])
        return Block(sides[0], sides[1], sum(one != other for one, other in zip(*lines, strict=True)))

    def _duel(self, index: int) -> Block:
        table = [self._seated(self.a, HERO), self._seated(self.b, RIVAL)]
        hands = list(self.hands(index, table))
        a, b = (_side([(seats[i], outcome) for seats, outcome in hands], table[i]) for i in (0, 1))
        return Block(a, b, len(hands))

    def _opponents(self, index: int) -> list[Seated]:
        """The strangers of a block: the same ones for both players, each time with nothing remembered."""
        rng, names = Seeded(self.seed).generator("field", index), [HERO]
        population = Population(tuple(Entry(kind, share) for kind, share in self.field))
        found = []
        for _ in range(self.seats - 1):
            newcomer = population.newcomer(rng, names)
            names.append(newcomer.name)
            player = HouseContender(house_player(newcomer.kind), self.seed)
            found.append(Seated(newcomer.name, player, self._stack_chips))
        return found

    def _seated(self, name: str, known_as: str) -> Seated:
        return Seated(known_as, self.contenders(name, self.seed), self._stack_chips)

    @property
    def _stack_chips(self) -> int:
        return self.stack_bb * self.big_blind_chips


_COUNT: Final = values.whole(0)
_POSITIVE: Final = values.whole(1)

_SIDE: Final[Mapping[str, values.Reader]] = {
    "hands": _POSITIVE,
    "net_chips": values.number,
    "dealt_net_chips": values.whole(-MOST_COUNTED),
    "busts": _COUNT,
    "sources": values.by_name(_COUNT),
    "statistics": lambda told: Statistics.from_dict(values.mapping(told)),
}
_BLOCK: Final[Mapping[str, values.Reader]] = {
    "a": Side.from_dict,
    "b": Side.from_dict,
    "differing_hands": _COUNT,
}
_PLAN: Final[Mapping[str, values.Reader]] = {
    "kind": values.text,
    "a": values.text,
    "b": values.text,
    "field": values.each(values.pair(values.text, values.number)),
    "seed": values.whole(most=None),
    "seats": _POSITIVE,
    "stack_bb": _POSITIVE,
    "hands_per_block": _POSITIVE,
    "small_blind_chips": _POSITIVE,
    "big_blind_chips": _POSITIVE,
    "code": values.text,
    "behind": values.each(values.pair(values.text, values.text)),
}


def _side(outcomes: Sequence[tuple[int, Outcome]], player: Seated) -> Side:
    """How a player did who sat in these seats."""
    net, dealt, busts, statistics = 0.0, 0, 0, Statistics()
    for seat, outcome in outcomes:
        settled = outcome.hand.settlement
        if settled is None:
            raise ValueError(f"hand {outcome.hand.hand_id} is not over")
        net += nets(outcome.hand, outcome.board_when_closed)[seat]
        dealt += settled.final_stacks[seat] - settled.start_stacks[seat]
        busts += settled.final_stacks[seat] == 0
        statistics += tally(outcome.played)[seat]
    return Side(len(outcomes), net, dealt, busts, dict(player.contender.sources), statistics)
