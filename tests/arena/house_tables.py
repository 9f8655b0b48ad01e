"""Hands that house players play among themselves, dealt without a venue."""

import random
from collections.abc import Iterator

from agent.arena.game.dealer import DealtPlayer, Hand
from agent.arena.game.records import public_hand
from agent.arena.game.seeded import Seeded
from agent.arena.house.field import Field, Newcomer
from tests.arena.hands import run_out


def seated(field: Field, rng: random.Random) -> list[Newcomer]:
    """Six newcomers of a field with names of their own."""
    players: list[Newcomer] = []
    while len(players) < 6:
        newcomer = field.newcomer(rng, [player.name for player in players])
        assert newcomer is not None
        players.append(newcomer)
    return players


def played_hands(field: Field, *, hands: int, seed: int, hands_a_table: int) -> Iterator[Hand]:
    """Finished six-max hands of 100 big blinds; a new table is drawn every `hands_a_table` hands.

    The cards hang on the seed alone, so that two fields can be played on the same ones.
    """
    rng = random.Random(seed)
    players = seated(field, rng)
    for number in range(hands):
        if number % hands_a_table == 0:
            players = seated(field, rng)
        hand = Hand(
            [DealtPlayer(seat, player.name, 2_000) for seat, player in enumerate(players)],
            button_seat=number % 6,
            small_blind_chips=10,
            big_blind_chips=20,
            deck=Seeded(seed).deck(number),
        )
        play_out(hand, players, rng)
        yield hand


def play_out(hand: Hand, players: list[Newcomer], rng: random.Random) -> None:
    """Play a hand to its end and show everybody what there was to see."""
    while hand.settlement is None:
        run_out(hand)
        if hand.settlement is None and hand.actor_seat is not None:
            hand.apply(players[hand.actor_seat].player.act(hand.spot(hand.actor_seat), rng))
    for player in players:
        player.player.saw(public_hand(hand))
