"""The spot: everything a player knows at the moment in which they must act, and nothing else.

Built by `openpoker.table` from server frames and by `arena.dealer` for house players; it is all that a
decision sees. Chips are whole numbers. `raise_to` is always a street total, never an increment.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

BOARD_CARDS: Final = {"preflop": 0, "flop": 3, "turn": 4, "river": 5}


class Street(StrEnum):
    """The four betting rounds."""

    PREFLOP = "preflop"
    FLOP = "flop"
    TURN = "turn"
    RIVER = "river"


class Verb(StrEnum):
    """What a player can do; the venue's own words. An opening bet is a raise."""

    FOLD = "fold"
    CHECK = "check"
    CALL = "call"
    RAISE = "raise"
    ALL_IN = "all_in"


@dataclass(frozen=True, slots=True)
class Action:
    """A choice as it is sent: the verb, and for a raise the street total it raises to."""

    verb: Verb
    raise_to_chips: int | None = None

    def __str__(self) -> str:
        """The action in words: `raise to 120`."""
        return self.verb if self.raise_to_chips is None else f"{self.verb} to {self.raise_to_chips}"


@dataclass(frozen=True, slots=True)
class LegalActions:
    """What the server offers on this turn, as it states it.

    `call_chips` are the chips a call adds, None when no call is offered. `min_raise_to_chips` and
    `max_raise_to_chips` are street totals, None when no raise is offered.
    """

    fold: bool = False
    check: bool = False
    call_chips: int | None = None
    min_raise_to_chips: int | None = None
    max_raise_to_chips: int | None = None
    all_in: bool = False

    def allows(self, action: Action) -> bool:
        """Whether the server would accept `action`."""
        match action.verb:
            case Verb.FOLD:
                return self.fold
            case Verb.CHECK:
                return self.check
            case Verb.CALL:
                return self.call_chips is not None
            case Verb.ALL_IN:
                return self.all_in
            case Verb.RAISE:
                low, high, to = self.min_raise_to_chips, self.max_raise_to_chips, action.raise_to_chips
                return low is not None and high is not None and to is not None and low <= to <= high

    @property
    def floor(self) -> Action | None:
        """The action that needs no thought: check, else fold; None when the offer has neither."""
        if self.check:
            return Action(Verb.CHECK)
        return Action(Verb.FOLD) if self.fold else None


@dataclass(frozen=True, slots=True)
class Player:
    """A player who was dealt into the hand. `bet_chips` is what lies in front of them on this street."""

    seat: int
    name: str
    stack_chips: int
    bet_chips: int = 0
    folded: bool = False


@dataclass(frozen=True, slots=True)
class PastAction:
    """A public action of this hand, filed under the street it belongs to.

    `added_chips` went into the pot with it; `to_chips` is the actor's street total afterwards, None where unknown.
    """

    seat: int
    street: Street
    verb: Verb
    added_chips: int
    to_chips: int | None = None


@dataclass(frozen=True, slots=True)
class Spot:
    """One decision to take. Frozen and complete.

    `pot_chips` is the server's pot with the bets of this street. `players` are all who were dealt in, hero
    included, in seat order; the folded ones stay with `folded` set. `hole_cards` is None only when the server
    has not told them (a seat taken over in mid-hand). `history_complete` is False when the hand was joined in
    its middle, so that `actions` misses its beginning. `big_blind_seat` matters heads-up, where venues differ in
    which blind the button posts; None when it was not seen.
    """

    table_id: str
    hand_id: str
    street: Street
    hero_seat: int
    hole_cards: tuple[int, int] | None
    board: tuple[int, ...]
    button_seat: int
    small_blind_chips: int
    big_blind_chips: int
    pot_chips: int
    legal: LegalActions
    players: tuple[Player, ...]
    actions: tuple[PastAction, ...] = ()
    history_complete: bool = True
    big_blind_seat: int | None = None

    @property
    def hero(self) -> Player:
        """The player who must act."""
        return next(player for player in self.players if player.seat == self.hero_seat)

    @property
    def opponents(self) -> tuple[Player, ...]:
        """The other players who still hold cards."""
        return tuple(p for p in self.players if p.seat != self.hero_seat and not p.folded)

    @property
    def to_call_chips(self) -> int:
        """Chips a call adds; 0 when checking is free. An all-in that is the only way to call costs the stack."""
        if self.legal.check:
            return 0
        if self.legal.call_chips is not None:
            return self.legal.call_chips
        highest = max((p.bet_chips for p in self.players), default=0)
        return min(self.hero.stack_chips, max(0, highest - self.hero.bet_chips))
