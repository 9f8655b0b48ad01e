"""How somebody plays, in counts: each statistic is how often it happened and how often it could have.

The definitions are the usual trackers'. Each counts once a hand and player at most, except folds by the size of a bet, which
count once a street, and aggression, which counts actions. An all-in below a full raise counts as a call.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType
from typing import Any, Final

from agent.poker.line import Move, moves
from agent.poker.spot import PastAction, Street, Verb

DOUBT_HANDS: Final = 40
"""The hands after which a player counts as half known."""

CALLS_FOR_A_FACTOR: Final = 10

SMALL_BELOW: Final = 0.45
MEDIUM_BELOW: Final = 0.85
"""Bets below these shares of the pot are small and medium, all others large, as SvanBot divides them."""

MOST_COUNTED: Final = 2**53
"""No count of hands reaches this, nor does a rate lose anything below it."""

_VOLUNTARY: Final = frozenset({Verb.CALL, Verb.RAISE, Verb.ALL_IN})


@dataclass(frozen=True, slots=True)
class PlayedHand:
    """A hand that is over and was seen from its beginning, as everybody at the table could see it; mappings are by seat.

    `names` are those of all who were dealt in, `start_stacks` their chips before the `blinds`, the chips that were posted.
    `showdown_seats` still held cards at the end, shown or not, empty without a showdown; `winner_seats` won any part of the pot.
    """

    names: Mapping[int, str]
    button_seat: int
    big_blind_chips: int
    blinds: Mapping[int, int]
    start_stacks: Mapping[int, int]
    actions: tuple[PastAction, ...]
    board: tuple[int, ...]
    showdown_seats: frozenset[int]
    winner_seats: frozenset[int]


def played_hand(
    *,
    complete: bool,
    names: Mapping[int, str],
    button_seat: int | None,
    big_blind_chips: int,
    blinds: Mapping[int, int],
    start_stacks: Mapping[int, int],
    actions: tuple[PastAction, ...],
    board: tuple[int, ...],
    is_showdown: bool,
    paid_seats: Iterable[int],
) -> PlayedHand | None:
    """A hand that is over, as it can be counted; None when it cannot be.

    That is when its beginning was not seen (`complete`), or what was seen does not fit together: actions were missed.
    """
    dealt, winners = set(start_stacks), frozenset(paid_seats)
    holding = dealt - {past.seat for past in actions if past.verb is Verb.FOLD}
    has_all = dealt == set(names) and dealt.issuperset(past.seat for past in actions)
    ends = len(holding) > 1 if is_showdown else len(holding) == 1
    if button_seat is None or not (complete and has_all and ends and winners and winners <= holding):
        return None
    showdown = frozenset(holding) if is_showdown else frozenset()
    return PlayedHand(names, button_seat, big_blind_chips, blinds, start_stacks, actions, board, showdown, winners)


@dataclass(frozen=True, slots=True)
class Count:
    """How often something happened, of how often it could have."""

    times: int = 0
    chances: int = 0

    @property
    def rate(self) -> float | None:
        """The share of chances taken, in [0, 1]; None without a chance."""
        return self.times / self.chances if self.chances else None

    def __add__(self, other: "Count") -> "Count":
        """Both counts together."""
        return Count(self.times + other.times, self.chances + other.chances)


@dataclass(frozen=True, slots=True)
class Prior:
    """What is thought of a stranger: a rate, and how many chances it weighs."""

    rate: float
    weight: float


PRIORS: Final[Mapping[str, Prior]] = MappingProxyType(
    {
        "vpip": Prior(0.32, 15),
        "pfr": Prior(0.18, 15),
        "three_bet": Prior(0.08, 6),
        "fold_to_three_bet": Prior(0.50, 6),
        "c_bet": Prior(0.60, 8),
        "fold_to_c_bet": Prior(0.45, 8),
        "fold_to_flop_bet": Prior(0.45, 8),
        "fold_to_turn_bet": Prior(0.42, 8),
        "fold_to_river_bet": Prior(0.45, 8),
        "fold_to_small_bet": Prior(0.36, 8),
        "fold_to_medium_bet": Prior(0.45, 8),
        "fold_to_large_bet": Prior(0.52, 8),
        "aggression": Prior(0.50, 15),
        "wtsd": Prior(0.30, 15),
        "won_at_showdown": Prior(0.50, 8),
    }
)
"""A soft field of bots. Rates and weights are set by hand, as SvanBot does; it has no prior for aggression and showdowns won."""


def size_of(pot_fraction: float) -> str:
    """Whether a bet of this share of the pot is `small`, `medium` or `large`.

    >>> size_of(0.33), size_of(0.66), size_of(1.0)
    ('small', 'medium', 'large')
    """
    if pot_fraction < SMALL_BELOW:
        return "small"
    return "medium" if pot_fraction < MEDIUM_BELOW else "large"


@dataclass(frozen=True, slots=True)
class Statistics:
    """The counts of one player over `hands` that were dealt to them.

    Preflop: `vpip` put chips in freely, walks aside; `pfr` raised, of hands with a chance to raise; `three_bet` raised again,
    facing exactly one raise; `fold_to_three_bet` folded to the second raise after making the first.
    Flop: `c_bet` bet first as the last preflop raiser; `fold_to_c_bet` folded to such a bet. Later: `fold_to_flop_bet` and its like
    folded to the first bet of the street, `fold_to_small_bet` and its like to such a bet of that size on any street (`size_of`),
    of which no more counts than the player had left. `aggression`: bets and raises after the flop, of those and calls.
    `wtsd` reached the showdown, of hands that saw the flop; `won_at_showdown` won any part, of showdowns.
    """

    hands: int = 0
    vpip: Count = Count()
    pfr: Count = Count()
    three_bet: Count = Count()
    fold_to_three_bet: Count = Count()
    c_bet: Count = Count()
    fold_to_c_bet: Count = Count()
    fold_to_flop_bet: Count = Count()
    fold_to_turn_bet: Count = Count()
    fold_to_river_bet: Count = Count()
    fold_to_small_bet: Count = Count()
    fold_to_medium_bet: Count = Count()
    fold_to_large_bet: Count = Count()
    aggression: Count = Count()
    wtsd: Count = Count()
    won_at_showdown: Count = Count()

    @property
    def confidence(self) -> float:
        """How far the counts can be trusted, from 0 to 1: n / (n + 40) for n hands."""
        return self.hands / (self.hands + DOUBT_HANDS)

    @property
    def aggression_factor(self) -> float | None:
        """Bets and raises over calls after the flop; None below ten calls, where it says nothing."""
        calls = self.aggression.chances - self.aggression.times
        return self.aggression.times / calls if calls >= CALLS_FOR_A_FACTOR else None

    def count(self, name: str) -> Count:
        """The count of the statistic of that name; `KeyError` for a name that is not in `PRIORS`."""
        if name not in PRIORS:
            raise KeyError(name)
        found: Count = getattr(self, name)
        return found

    def shrunk(self, name: str) -> float:
        """The rate of the statistic of that name, drawn towards the prior while chances are few; in [0, 1].

        >>> Statistics().shrunk("vpip"), Statistics(hands=15, vpip=Count(15, 15)).shrunk("vpip")
        (0.32, 0.66)
        """
        count, prior = self.count(name), PRIORS[name]
        return (count.times + prior.rate * prior.weight) / (count.chances + prior.weight)

    def __add__(self, other: "Statistics") -> "Statistics":
        """Both counted together."""
        return Statistics(self.hands + other.hands, **{name: self.count(name) + other.count(name) for name in PRIORS})

    def after_hand(self, hand: PlayedHand, seat: int) -> "Statistics":
        """These and what the player in `seat` did in `hand`; `KeyError` when nobody was dealt in there."""
        return self + tally(hand)[seat]

    def as_dict(self) -> dict[str, Any]:
        """The counts as plain values, `[times, chances]` each."""
        return {"hands": self.hands, **{name: [self.count(name).times, self.count(name).chances] for name in PRIORS}}

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> "Statistics":
        """The statistics that `as_dict` told; one that is not told is empty. `ValueError` for what are no counts."""
        for name in told:
            if name != "hands" and name not in PRIORS:
                raise ValueError(f"{name} is no statistic: expected hands, {', '.join(PRIORS)}")
        counts = {name: _count(name, told[name]) for name in PRIORS if name in told}
        return cls(_count("hands", [0, told.get("hands", 0)]).chances, **counts)


def _count(name: str, value: Any) -> Count:
    match value:
        case [bool(), _] | [_, bool()]:
            pass
        case [int(times), int(chances)] if 0 <= times <= chances < MOST_COUNTED:
            return Count(times, chances)
    raise ValueError(f"{name} is {value!r}: expected [times, chances]")


@dataclass(frozen=True, slots=True)
class _Turn:
    """A move, whether the player could have raised with it, and whether it was their first answer to the last raise.

    `faced` is the street total of the last raise, as far as the player could match it, over the pot before that raise: the size
    of the bet where there was no other raise on the street.
    Whoever has answered a raise, or made it, and then faces an all-in below a full raise answers that raise no second time.
    """

    move: Move
    can_raise: bool
    is_answer: bool
    faced: float

    @property
    def seat(self) -> int:
        return self.move.past.seat

    @property
    def folds(self) -> bool:
        return self.move.past.verb is Verb.FOLD


Chance = tuple[int, str, bool]
"""A seat had a chance, of the statistic of that name, and took it or not."""


def tally(hand: PlayedHand) -> dict[int, Statistics]:
    """What everybody who was dealt in did in one hand, by seat."""
    turns = tuple(_turns(hand))
    preflop = tuple(turn for turn in turns if turn.move.past.street is Street.PREFLOP)
    later = turns[len(preflop) :]
    counts = {seat: dict.fromkeys(PRIORS, Count()) for seat in hand.names}
    chances = (
        _preflop(hand, preflop),
        _reraises(preflop),
        _c_bets(preflop, later),
        _bets(later),
        _showdown(hand, preflop),
    )
    for seat, name, happened in chain(*chances):
        counts[seat][name] += Count(int(happened), 1)
    return {seat: Statistics(1, **found) for seat, found in counts.items()}


def _turns(hand: PlayedHand) -> Iterator[_Turn]:
    """The hand played over. A raise needs chips beyond the call, somebody who could answer it, and open betting."""
    left = {seat: chips - hand.blinds.get(seat, 0) for seat, chips in hand.start_stacks.items()}
    bets, live, street = dict(hand.blinds), set(hand.names), Street.PREFLOP
    answered, full_raise = set[int](), hand.big_blind_chips
    since_raise = set[int]()
    pot, raised_to, raised_into = sum(hand.blinds.values()), 0, 1
    for move in moves(hand.actions, hand.big_blind_chips):
        past = move.past
        if past.street is not street:
            bets, street, answered, full_raise = {}, past.street, set(), hand.big_blind_chips
            since_raise = set()
        own = bets.get(past.seat, 0)
        to_call = move.highest_chips - own
        is_open = past.seat not in answered or to_call >= full_raise
        can_answer = any(left[seat] + bets.get(seat, 0) > move.highest_chips for seat in live - {past.seat})
        faced = min(raised_to, own + left[past.seat]) / raised_into
        can_raise = is_open and can_answer and left[past.seat] > to_call
        yield _Turn(move, can_raise, past.seat not in since_raise, faced)
        answered.add(past.seat)
        since_raise = {past.seat} if move.is_raise else since_raise | {past.seat}
        left[past.seat], bets[past.seat] = left[past.seat] - past.added_chips, own + past.added_chips
        if past.verb is Verb.FOLD:
            live.discard(past.seat)
        if move.is_raise:
            full_raise = max(full_raise, bets[past.seat] - move.highest_chips)
            raised_to, raised_into = bets[past.seat], max(1, pot)
        pot += past.added_chips


def _preflop(hand: PlayedHand, turns: tuple[_Turn, ...]) -> Iterator[Chance]:
    folded = {turn.seat for turn in turns if turn.folds}
    for seat in hand.names:
        own = [turn for turn in turns if turn.seat == seat]
        is_walk = not own and folded == set(hand.names) - {seat}
        if not is_walk:
            yield seat, "vpip", any(turn.move.past.verb in _VOLUNTARY for turn in own)
        if any(turn.can_raise for turn in own):
            yield seat, "pfr", any(turn.move.is_raise for turn in own)


def _reraises(turns: tuple[_Turn, ...]) -> Iterator[Chance]:
    opener = next((turn.seat for turn in turns if turn.move.is_raise), None)
    for turn in turns:
        if turn.move.raises_before == 1 and turn.can_raise and turn.is_answer:
            yield turn.seat, "three_bet", turn.move.is_raise
        if turn.move.raises_before == 2 and turn.seat == opener and turn.is_answer:
            yield turn.seat, "fold_to_three_bet", turn.folds


def _c_bets(preflop: tuple[_Turn, ...], later: tuple[_Turn, ...]) -> Iterator[Chance]:
    raiser = next((turn.seat for turn in reversed(preflop) if turn.move.is_raise), None)
    flop = [turn for turn in later if turn.move.past.street is Street.FLOP]
    first = next((turn for turn in flop if turn.seat == raiser), None)
    if first is None or first.move.raises_before:
        return
    yield first.seat, "c_bet", first.move.is_raise
    if first.move.is_raise:
        for turn in flop:
            if turn.move.raises_before == 1 and turn.is_answer:
                yield turn.seat, "fold_to_c_bet", turn.folds


def _bets(later: tuple[_Turn, ...]) -> Iterator[Chance]:
    for turn in later:
        past = turn.move.past
        if turn.move.raises_before == 1 and turn.is_answer:
            yield turn.seat, f"fold_to_{past.street}_bet", turn.folds
            yield turn.seat, f"fold_to_{size_of(turn.faced)}_bet", turn.folds
        if past.verb in _VOLUNTARY:
            yield turn.seat, "aggression", turn.move.is_raise


def _showdown(hand: PlayedHand, preflop: tuple[_Turn, ...]) -> Iterator[Chance]:
    if not hand.board:
        return
    for seat in set(hand.names) - {turn.seat for turn in preflop if turn.folds}:
        yield seat, "wtsd", seat in hand.showdown_seats
        if seat in hand.showdown_seats:
            yield seat, "won_at_showdown", seat in hand.winner_seats
