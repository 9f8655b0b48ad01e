"""One hand played in process: the arena's dealer, a contender in every seat, no clock and no socket."""

from collections.abc import Mapping
from dataclasses import dataclass

from agent.arena.game.dealer import DealtPlayer, Hand, IllegalActionError
from agent.arena.game.records import counted_hand, public_hand
from agent.evaluation.contender import Contender, FinishedHand
from agent.strategy.statistics import PlayedHand


@dataclass(frozen=True, slots=True)
class Seated:
    """A contender in a seat, under the name that the others know it by."""

    name: str
    contender: Contender
    stack_chips: int


@dataclass(frozen=True, slots=True)
class Deal:
    """The deck, button and blinds of a hand; the id gives the hand its random streams."""

    hand_id: str
    deck: tuple[int, ...]
    button_seat: int
    small_blind_chips: int
    big_blind_chips: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """A hand that was played. `board_when_closed` is the board when no more bets were possible, None if they were to the end."""

    hand: Hand
    board_when_closed: tuple[int, ...] | None
    played: PlayedHand


class IllegalChoiceError(Exception):
    """A contender chose what the rules do not allow: a fault of the contender, which no result may hide."""


def play_hand(deal: Deal, seats: Mapping[int, Seated]) -> Outcome:
    """Play a hand to its end and tell everybody at the table about it."""
    hand = Hand(
        [DealtPlayer(number, seat.name, seat.stack_chips) for number, seat in seats.items()],
        button_seat=deal.button_seat,
        small_blind_chips=deal.small_blind_chips,
        big_blind_chips=deal.big_blind_chips,
        deck=deal.deck,
        hand_id=deal.hand_id,
    )
    closed: tuple[int, ...] | None = None
    while hand.settlement is None:
        if not hand.is_street_due:
            _take_turn(hand, seats)
            continue
        if closed is None and hand.actor_seat is None:
            closed = hand.board
        hand.deal_street()
    played = counted_hand(hand)
    finished = FinishedHand(public_hand(hand), played)
    for seat in seats.values():
        seat.contender.hand_over(finished)
    return Outcome(hand, closed, played)


def _take_turn(hand: Hand, seats: Mapping[int, Seated]) -> None:
    number = hand.actor_seat
    if number is None:
        raise RuntimeError(f"hand {hand.hand_id} goes on with nobody to act")
    spot = hand.spot(number)
    action = seats[number].contender.decide(spot)
    try:
        hand.apply(action)
    except IllegalActionError as error:
        raise IllegalChoiceError(f"{seats[number].name} in hand {hand.hand_id}: {error}") from None
