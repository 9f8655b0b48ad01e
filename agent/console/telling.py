"""A hand of the arena's dealer in words, as everybody at the table saw it."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from agent.arena.game.dealer import Hand
from agent.arena.game.records import blinds_posted
from agent.poker.cards import pretty_cards
from agent.poker.line import Move, moves
from agent.poker.spot import BOARD_CARDS, Street, Verb

PERSON: Final = "You"
"""What the person at the table is called; no house player has this name."""


@dataclass(frozen=True, slots=True)
class Told:
    """A part of a hand: what it is headed with, and its sentences."""

    heading: str
    lines: tuple[str, ...]


def tell(hand: Hand, person_seat: int) -> tuple[Told, ...]:
    """The hand up to now, street by street, then how it ended; cards are the person's, the board's and those shown."""
    names = {player.seat: player.name for player in hand.players}
    lines = [f"{_does(names[seat], 'post')} {chips:,}." for seat, chips in blinds_posted(hand).items()]
    if person_seat in hand.hole_cards:
        lines.append(f"{_does(names[person_seat], 'hold')} {pretty_cards(best_first(hand.hole_cards[person_seat]))}.")
    first, *later = (_street(hand, street, names) for street in Street if len(hand.board) >= BOARD_CARDS[street])
    return (Told(first.heading, (*lines, *first.lines)), *later, *_end(hand, names))


def best_first(cards: Iterable[int]) -> tuple[int, ...]:
    """The cards of a hand as people hold them, the highest first."""
    return tuple(sorted(cards, reverse=True))


def _does(name: str, verb: str) -> str:
    """Who does what: `You fold`, `Otter folds`."""
    return f"{name} {verb}" if name == PERSON else f"{name} {verb}s"


def move_words(move: Move, name: str, *, all_in: bool) -> str:
    """One action as a sentence.

    >>> from agent.poker.spot import PastAction
    >>> past = PastAction(2, Street.FLOP, Verb.RAISE, 90, 90)
    >>> move_words(Move(past, True, 0, 0), "Otter", all_in=False)
    'Otter bets 90.'
    """
    past = move.past
    ending = " all in." if all_in else "."
    match past.verb:
        case Verb.FOLD | Verb.CHECK:
            return f"{_does(name, past.verb)}."
        case Verb.RAISE | Verb.ALL_IN if (past.to_chips or 0) > move.highest_chips:
            what = f"{_does(name, 'raise')} to" if move.highest_chips else _does(name, "bet")
            return f"{what} {past.to_chips:,}{ending}"
        case _:
            return f"{_does(name, 'call')} {past.added_chips:,}{ending}"


def last_moves(hand: Hand) -> dict[int, str]:
    """A word about the latest action of each seat on the street that is played; folds stay."""
    told = dict[int, str]()
    for move in moves(hand.actions, hand.big_blind_chips):
        past = move.past
        if past.street is not hand.street and past.verb is not Verb.FOLD:
            continue
        sentence = move_words(move, "", all_in=past.verb is Verb.ALL_IN)
        told[past.seat] = sentence.strip().rstrip(".")
    return told


def _street(hand: Hand, street: Street, names: dict[int, str]) -> Told:
    stacks, paid = {player.seat: player.stack_chips for player in hand.players}, Counter(blinds_posted(hand))
    pot, lines = paid.total(), list[str]()
    for move in moves(hand.actions, hand.big_blind_chips):
        past = move.past
        paid[past.seat] += past.added_chips
        if past.street is street:
            all_in = bool(past.added_chips) and paid[past.seat] == stacks[past.seat]
            lines.append(move_words(move, names[past.seat], all_in=all_in))
        elif not lines:
            pot += past.added_chips
    cards = hand.board[: BOARD_CARDS[street]]
    return Told(f"{street.capitalize()}: {pretty_cards(cards)}, pot {pot:,}" if cards else "Preflop", tuple(lines))


def _end(hand: Hand, names: dict[int, str]) -> Iterator[Told]:
    settled = hand.settlement
    if settled is None:
        return
    lines = []
    for seat, cards in (settled.shown_cards or {}).items():
        made = (settled.hand_descriptions or {}).get(seat, "")
        lines.append(f"{_does(names[seat], 'show')} {pretty_cards(best_first(cards))}: {made}.")
    lines += [f"{_does(names[seat], 'win')} {chips:,}." for seat, chips in settled.payouts.items()]
    yield Told("Showdown" if settled.shown_cards else "End", tuple(lines))
