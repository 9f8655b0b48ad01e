"""Hands dealt for tests: chosen cards in a whole deck, and random legal play."""

import random
from collections.abc import Mapping

from agent.arena.game.dealer import DealtPlayer, Hand
from agent.poker.cards import DECK, parse_cards
from agent.poker.spot import Action, LegalActions, Verb


def deck_with(hole_cards: Mapping[int, str], board: str) -> list[int]:
    """A deck that gives those seats those cards and that board; the rest in order."""
    wanted: dict[int, int] = {}
    for seat, text in hole_cards.items():
        wanted[2 * seat], wanted[2 * seat + 1] = parse_cards(text)
    for offset, card in enumerate(parse_cards(board)):
        wanted[12 + offset] = card
    others = iter(card for card in DECK if card not in wanted.values())
    return [wanted[place] if place in wanted else next(others) for place in range(52)]


def hand_of(stacks: Mapping[int, int], *, button: int, deck: list[int] | None = None, standard: bool = False) -> Hand:
    """A 10/20 hand of seats with those stacks."""
    return Hand(
        [DealtPlayer(seat, f"P{seat}", stack) for seat, stack in stacks.items()],
        button_seat=button,
        small_blind_chips=10,
        big_blind_chips=20,
        deck=deck or list(DECK),
        heads_up_button_posts_small_blind=standard,
    )


def play(hand: Hand, *moves: str) -> None:
    """Play moves such as `raise 60`, `call`, `all_in`; streets are dealt as they come due."""
    for move in moves:
        verb, _, amount = move.partition(" ")
        hand.apply(Action(Verb(verb), int(amount) if amount else None))
        run_out(hand)


def run_out(hand: Hand) -> None:
    """Deal every street that is due."""
    while hand.is_street_due:
        hand.deal_street()


def random_action(legal: LegalActions, rng: random.Random) -> Action:
    """Any legal action, folds less often than the rest."""
    choices = [Action(Verb.FOLD)]
    if legal.check:
        choices += [Action(Verb.CHECK)] * 4
    if legal.call_chips is not None:
        choices += [Action(Verb.CALL)] * 4
    if legal.min_raise_to_chips is not None and legal.max_raise_to_chips is not None:
        choices += [Action(Verb.RAISE, rng.randint(legal.min_raise_to_chips, legal.max_raise_to_chips))] * 2
    if legal.all_in:
        choices.append(Action(Verb.ALL_IN))
    return rng.choice(choices)


def random_hand(rng: random.Random) -> Hand:
    """A hand of two to six seats with uneven stacks, some of them short."""
    seats = rng.sample(range(6), rng.randint(2, 6))
    deck = list(DECK)
    rng.shuffle(deck)
    stacks = {seat: rng.choice((20, 25, 45, 60, 150, 380, 1_000, 2_000, 17_600)) for seat in seats}
    return hand_of(stacks, button=rng.choice(seats), deck=deck, standard=rng.random() < 0.5)
