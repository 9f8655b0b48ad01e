"""Freeze-outs in process: equal stacks, rising blinds, one player against five, until it is out or the last one left."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Final

from agent.arena.game.seeded import Seeded
from agent.arena.house.player import house_player
from agent.arena.league.freezeout import level
from agent.arena.settings import ArenaSettings
from agent.evaluation import told as values
from agent.evaluation.contender import HouseContender
from agent.evaluation.intervals import Interval, share_interval
from agent.evaluation.match import HERO, Behind
from agent.evaluation.registry import Contenders, contender
from agent.evaluation.table import Deal, Seated, play_hand

MASTERS: Final = tuple(
    f"{profile}:master" for profile in ("regular", "average", "loose_aggressive", "tight_passive", "station")
)
_NAMES: Final = ("Otter", "Badger", "Lynx", "Stoat", "Marten")
_RULES: Final = ArenaSettings()


@dataclass(frozen=True, slots=True)
class FreezeoutPlan:
    """One player's tournaments against house players: the same plan gives the same ones bit for bit.

    `code`, `behind` and `contenders` are as those of a `MatchPlan`. Raises `ValueError` for no opponents or more than five.
    """

    player: str
    opponents: tuple[str, ...] = MASTERS
    seed: int = 1
    stack_chips: int = _RULES.starting_stack_chips
    hands_per_level: int = _RULES.hands_per_level
    code: str = ""
    behind: Behind = ()
    contenders: Contenders = contender

    kind: ClassVar[str] = "freezeout"

    def __post_init__(self) -> None:
        if not 1 <= len(self.opponents) <= len(_NAMES):
            raise ValueError(f"{len(self.opponents)} opponents: expected 1 to {len(_NAMES)}")

    def look_up_names(self) -> None:
        """Raise `UnknownContender` when somebody does not exist; to be called before anything is played."""
        for name in (self.player, *(f"house:{kind}" for kind in self.opponents)):
            self.contenders(name, self.seed)

    def as_dict(self) -> dict[str, Any]:
        """Every parameter, as plain values: what a tournament belongs to."""
        told = {"kind": self.kind, **asdict(self)}
        del told["contenders"]
        return told | {"opponents": list(self.opponents), "behind": [list(entry) for entry in self.behind]}

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> "FreezeoutPlan":
        """The plan that `as_dict` told, with what is usual for what it did not tell; `ValueError` for what is none."""
        found = values.table(told, _PLAN, optional=_PLAN.keys() - {"kind", "player"})
        del found["kind"]
        return cls(**found)

    def check(self, result: Any) -> None:
        """Raise `ValueError` for what is no tournament of these."""
        values.table(result, {"place": values.whole(1, len(self.opponents) + 1), "hands": values.whole(1)})

    def play(self, index: int) -> dict[str, Any]:
        """Play the tournament of that number: the `place` that the player took, and the `hands` it was dealt."""
        seeded, seats = Seeded(self.seed), len(self.opponents) + 1
        entrants = [self.contenders(self.player, self.seed)]
        entrants += [HouseContender(house_player(kind), self.seed) for kind in self.opponents]
        chairs = [(index + place) % seats for place in range(seats)]
        names = (HERO, *_NAMES)
        table = {
            chair: Seated(name, entrant, self.stack_chips)
            for chair, name, entrant in zip(chairs, names, entrants, strict=False)
        }
        hero, button, hands = chairs[0], seats - 1, 0
        while hero in table and len(table) > 1:
            button = _next(table, button)
            small, big = level(hands, self.hands_per_level)
            deck = tuple(seeded.deck("freezeout", index, hands))
            outcome = play_hand(Deal(f"{index}.{hands}", deck, button, small, big), table)
            hands += 1
            settled = outcome.hand.settlement
            if settled is None:
                raise RuntimeError("a hand that was played is over")
            if not settled.final_stacks[hero]:
                return {"place": _place(hero, settled.start_stacks, settled.final_stacks), "hands": hands}
            table = {
                seat: Seated(seated.name, seated.contender, settled.final_stacks[seat])
                for seat, seated in table.items()
                if settled.final_stacks[seat]
            }
        return {"place": 1, "hands": hands}


@dataclass(frozen=True, slots=True)
class FreezeoutResult:
    """The places that the player took, one a tournament, and all hands that it was dealt."""

    plan: FreezeoutPlan
    places: tuple[int, ...]
    hands: int

    @property
    def first_places(self) -> Interval:
        """The share of tournaments that were won."""
        return share_interval(self.places.count(1), len(self.places))

    @property
    def fair_share(self) -> float:
        """The share that an equal among equals wins."""
        return 1 / (len(self.plan.opponents) + 1)

    def as_dict(self, *, seconds: float | None) -> dict[str, Any]:
        """One flat object for machines; `seconds` are those of this run, None where it played nothing."""
        won = self.first_places
        return {
            "player": self.plan.player,
            "opponents": list(self.plan.opponents),
            "tournaments": len(self.places),
            "first_places": self.places.count(1),
            "first_share": won.estimate,
            "ci_low": won.low,
            "ci_high": won.high,
            "fair_share": self.fair_share,
            "places": [self.places.count(place) for place in range(1, len(self.plan.opponents) + 2)],
            "hands": self.hands,
            "seed": self.plan.seed,
            "seconds": None if seconds is None else round(seconds, 2),
        }


_PLAN: Final[Mapping[str, values.Reader]] = {
    "kind": values.text,
    "player": values.text,
    "opponents": values.each(values.text),
    "seed": values.whole(most=None),
    "stack_chips": values.whole(1),
    "hands_per_level": values.whole(1),
    "code": values.text,
    "behind": values.each(values.pair(values.text, values.text)),
}


def _next(table: Mapping[int, Seated], button: int) -> int:
    """The next occupied seat after the button."""
    behind = [seat for seat in sorted(table) if seat > button]
    return behind[0] if behind else min(table)


def _place(hero: int, before: Mapping[int, int], after: Mapping[int, int]) -> int:
    """The place of a player who is out: behind all who have chips left, and those who went out with more before the hand."""
    return 1 + sum(bool(after[seat]) or before[seat] > before[hero] for seat in before if seat != hero)
