"""The line: the public actions of a hand in order, each with its place in the betting and its size as a share of the pot."""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from agent.poker.spot import PastAction, Spot, Street, Verb

_RAISING: Final = frozenset({Verb.RAISE, Verb.ALL_IN})


@dataclass(frozen=True, slots=True)
class Move:
    """An action with its place in the betting.

    `is_raise` covers bets: the first chips of a street after the flop, and what goes beyond every bet before it by a full
    raise. An all-in below that is no raise, it reopens nothing: whoever faces an open and such an all-in faces no
    3-bet. `raises_before` and `highest_chips` are the raises and the highest street total on its street before it;
    the big blind is a total and no raise.
    """

    past: PastAction
    is_raise: bool
    raises_before: int
    highest_chips: int


def moves(actions: Iterable[PastAction], big_blind_chips: int) -> tuple[Move, ...]:
    """The actions of a hand from its beginning, in order, with their places in the betting."""
    street, highest, raises, full_raise, found = Street.PREFLOP, big_blind_chips, 0, big_blind_chips, []
    for past in actions:
        if past.street is not street:
            street, highest, raises, full_raise = past.street, 0, 0, big_blind_chips
        on_top = (past.to_chips or 0) - highest
        is_raise = past.verb in _RAISING and on_top > 0 and (not highest or on_top >= full_raise)
        # A raise of an amount that nobody told can only be a full one.
        is_raise = is_raise or (past.verb is Verb.RAISE and past.to_chips is None)
        found.append(Move(past, is_raise, raises, highest))
        highest, raises = highest + max(0, on_top), raises + is_raise
        full_raise = max(full_raise, on_top) if is_raise else full_raise
    return tuple(found)


def pot_type(actions: Iterable[Move]) -> str:
    """What the betting before the flop has made of the pot, from the moves of the hand's beginning."""
    before = [move for move in actions if move.past.street is Street.PREFLOP]
    raises = sum(move.is_raise for move in before)
    if not raises:
        return "limped" if any(move.past.verb in (Verb.CALL, Verb.ALL_IN) for move in before) else "unopened"
    return ("single-raised", "3-bet", "4-bet or more")[min(raises, 3) - 1]


@dataclass(frozen=True, slots=True)
class LineAction:
    """An action as the line tells it.

    `to_chips` is the actor's street total afterwards, None where unknown. `pot_fraction` is the part of a bet or raise
    on top of the call, as a share of the pot after that call, that of an all-in below a full raise too; None for all else.
    `all_in` says that it took the last chip.
    """

    seat: int
    verb: Verb
    to_chips: int | None
    pot_fraction: float | None
    all_in: bool


@dataclass(frozen=True, slots=True)
class StreetLine:
    """The actions of one street; `pot_chips` is the pot before them, None when the hand was not seen from its beginning."""

    street: Street
    pot_chips: int | None
    actions: tuple[LineAction, ...]


def line(spot: Spot) -> tuple[StreetLine, ...]:
    """The line of a hand up to now, street by street; streets without an action are left out."""
    # The pot is counted back from the server's, so that blinds and a beginning that was missed need no guess.
    before = spot.pot_chips - sum(past.added_chips for past in spot.actions)
    broke = {player.seat for player in spot.players if not player.stack_chips}
    return street_lines(spot.actions, before, spot.big_blind_chips, broke=broke, history_complete=spot.history_complete)


def street_lines(
    actions: Sequence[PastAction],
    pot_chips: int,
    big_blind_chips: int,
    *,
    broke: AbstractSet[int],
    history_complete: bool,
) -> tuple[StreetLine, ...]:
    """The line of these actions, street by street; streets without an action are left out.

    `pot_chips` lay in the pot before the first of them, `broke` are the seats without a chip after the last.
    """
    last_paid = {past.seat: number for number, past in enumerate(actions) if past.added_chips}
    pot, streets = pot_chips, dict[Street, tuple[int, list[LineAction]]]()
    for number, move in enumerate(moves(actions, big_blind_chips)):
        past = move.past
        all_in = past.verb is Verb.ALL_IN or (past.seat in broke and last_paid.get(past.seat) == number)
        told = LineAction(past.seat, past.verb, past.to_chips, _pot_fraction(move, pot), all_in)
        streets.setdefault(past.street, (pot, []))[1].append(told)
        pot += past.added_chips
    return tuple(
        StreetLine(street, before if history_complete else None, tuple(told))
        for street, (before, told) in streets.items()
    )


def _pot_fraction(move: Move, pot_chips: int) -> float | None:
    to = move.past.to_chips
    if move.past.verb not in _RAISING or to is None:
        return None
    on_top = to - move.highest_chips
    after_call = pot_chips + move.past.added_chips - on_top
    return on_top / after_call if on_top > 0 and after_call > 0 else None
