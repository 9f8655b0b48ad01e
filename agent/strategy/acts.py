"""Acts: what somebody did, with everything public around it that tells how strong it was meant to be.

An act looks back only: it is the same however the hand went on.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from agent.poker.line import Move, moves
from agent.poker.odds import required_equity
from agent.poker.positions import blinds_then_others, position_names
from agent.poker.spot import BOARD_CARDS, PastAction, Spot, Street, Verb
from agent.strategy.statistics import PlayedHand


class Deed(StrEnum):
    """What an act comes to: an all-in is a raise where it goes beyond every bet before it, else a call."""

    RAISE = "raise"
    CALL = "call"
    CHECK = "check"


@dataclass(frozen=True, slots=True)
class Act:
    """One act of a player who still held cards after it.

    `position` is that of `dealt` players, `board` the cards that lay then. `raisers` are the positions of those who had
    raised before the flop, in order, and `raised_before` says that the player was among them. `street_raises` are the
    raises on this street before the act, `own_raises` those of this player; `callers` had called since the last of them,
    limpers included. `rivals` are the others who still held cards. `leads` says that nobody had raised after this player
    did, on an earlier street.

    `faced_bb` is the highest street total before the act and `depth_bb` the most that could be lost, at the beginning of
    the hand, in big blinds. `price` is the equity that a call needed, 0 where it was free. `pot_fraction` is the part of
    a raise on top of the call as a share of the pot after that call, 0 for other deeds. `can_raise` says that a raise
    would have been possible.
    """

    deed: Deed
    street: Street
    board: tuple[int, ...]
    position: str
    dealt: int
    raisers: tuple[str, ...]
    raised_before: bool
    has_called: bool
    street_raises: int
    own_raises: int
    callers: int
    rivals: int
    leads: bool
    faced_bb: float
    depth_bb: float
    price: float
    pot_fraction: float
    can_raise: bool


@dataclass(frozen=True, slots=True)
class Told:
    """The public side of a hand, as far as it went; mappings are by seat, stacks those before the blinds.

    `pot_chips` is the pot before the first of `actions`, the blinds included.
    """

    big_blind_chips: int
    positions: Mapping[int, str]
    blinds: Mapping[int, int]
    start_stacks: Mapping[int, int]
    pot_chips: int
    actions: tuple[PastAction, ...]
    board: tuple[int, ...]

    @classmethod
    def of_spot(cls, spot: Spot) -> Self:
        """What a spot tells."""
        seats = tuple(player.seat for player in spot.players)
        small, big, *_ = blinds_then_others(seats, spot.button_seat, spot.big_blind_seat)
        blinds = {small: spot.small_blind_chips, big: spot.big_blind_chips}
        added = dict.fromkeys(seats, 0)
        for past in spot.actions:
            added[past.seat] = added.get(past.seat, 0) + past.added_chips
        return cls(
            big_blind_chips=spot.big_blind_chips,
            positions=position_names(seats, spot.button_seat, spot.big_blind_seat),
            blinds=blinds,
            start_stacks={p.seat: p.stack_chips + added[p.seat] + blinds.get(p.seat, 0) for p in spot.players},
            pot_chips=spot.pot_chips - sum(added.values()),
            actions=spot.actions,
            board=spot.board,
        )

    @classmethod
    def of_hand(cls, hand: PlayedHand) -> Self:
        """What a hand that is over told."""
        big_blind = max(hand.blinds, key=hand.blinds.__getitem__) if len(hand.blinds) > 1 else None
        return cls(
            big_blind_chips=hand.big_blind_chips,
            positions=position_names(tuple(sorted(hand.names)), hand.button_seat, big_blind),
            blinds=hand.blinds,
            start_stacks=hand.start_stacks,
            pot_chips=sum(hand.blinds.values()),
            actions=hand.actions,
            board=hand.board,
        )


def acts(told: Told) -> dict[int, tuple[Act, ...]]:
    """The acts of everybody who was dealt in and has not folded, by seat, in their order."""
    folded = {past.seat for past in told.actions if past.verb is Verb.FOLD}
    found: dict[int, list[Act]] = {seat: [] for seat in told.start_stacks if seat not in folded}
    for seat, act in _Replay(told).acts_of(found):
        found[seat].append(act)
    return {seat: tuple(own) for seat, own in found.items()}


class _Replay:
    """The hand played over, one action after the other."""

    def __init__(self, told: Told) -> None:
        self._told = told
        self._street = Street.PREFLOP
        self._left = {seat: chips - told.blinds.get(seat, 0) for seat, chips in told.start_stacks.items()}
        self._bets = dict(told.blinds)
        self._pot = told.pot_chips
        self._live = set(told.start_stacks)
        self._raisers: list[int] = []
        self._street_raisers: list[int] = []
        self._callers: set[int] = set()
        self._called_preflop: set[int] = set()
        self._leader: int | None = None

    def acts_of(self, seats: Collection[int]) -> Iterator[tuple[int, Act]]:
        """Each action of those who hold cards to the end, as (seat, act)."""
        dealt_in = (past for past in self._told.actions if past.seat in self._told.start_stacks)
        for move in moves(dealt_in, self._told.big_blind_chips):
            if move.past.street is not self._street:
                self._next_street(move.past.street)
            if move.past.seat not in self._live:
                continue
            if move.past.seat in seats:
                yield move.past.seat, self._act(move)
            self._take(move)

    def _next_street(self, street: Street) -> None:
        self._street = street
        self._leader = self._street_raisers[-1] if self._street_raisers else self._leader
        self._bets, self._street_raisers, self._callers = {}, [], set()

    def _act(self, move: Move) -> Act:
        told, seat = self._told, move.past.seat
        owed = max(0, move.highest_chips - self._bets.get(seat, 0))
        to_call = min(owed, self._left[seat])
        rivals = self._live - {seat}
        deepest = max((told.start_stacks[other] for other in rivals), default=0)
        on_top = move.past.added_chips - owed if move.is_raise else 0
        is_free = move.past.verb is Verb.CHECK
        return Act(
            deed=Deed.RAISE if move.is_raise else Deed.CHECK if is_free else Deed.CALL,
            street=self._street,
            board=told.board[: BOARD_CARDS[self._street]],
            position=told.positions[seat],
            dealt=len(told.start_stacks),
            raisers=tuple(told.positions[raiser] for raiser in self._raisers),
            raised_before=seat in self._raisers,
            has_called=seat in self._called_preflop,
            street_raises=len(self._street_raisers),
            own_raises=self._street_raisers.count(seat),
            callers=len(self._callers),
            rivals=len(rivals),
            leads=self._leader == seat,
            faced_bb=move.highest_chips / told.big_blind_chips,
            depth_bb=min(told.start_stacks[seat], deepest) / told.big_blind_chips,
            price=required_equity(to_call, self._pot),
            pot_fraction=max(0, on_top) / max(1, self._pot + owed),
            can_raise=self._left[seat] > owed and any(self._left[rival] for rival in rivals),
        )

    def _take(self, move: Move) -> None:
        past = move.past
        self._left[past.seat] = max(0, self._left[past.seat] - past.added_chips)
        self._bets[past.seat] = self._bets.get(past.seat, 0) + past.added_chips
        self._pot += past.added_chips
        if past.verb is Verb.FOLD:
            self._live.discard(past.seat)
            self._callers.discard(past.seat)
        elif move.is_raise:
            self._street_raisers.append(past.seat)
            self._callers.clear()
            if self._street is Street.PREFLOP:
                self._raisers.append(past.seat)
        elif past.verb is not Verb.CHECK:
            self._callers.add(past.seat)
            if self._street is Street.PREFLOP:
                self._called_preflop.add(past.seat)
