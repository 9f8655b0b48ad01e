"""A hand that was recorded on the live venue, dealt again at a table of the arena.

Six seats with uneven stacks, hero on the button with A6 of clubs: a raise to 64, a re-raise to 192 that hero folds
to, a call of a fourth bet to 384, a checked flop, and an all-in of 1,430 on the river that is called and wins 4,456.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from agent.arena.game.account import Account
from agent.arena.game.records import HandRecord
from agent.arena.game.referee import receive_action
from agent.arena.game.seeded import Seeded
from agent.arena.game.table import Seat, Table
from agent.arena.settings import ArenaSettings
from agent.poker.spot import Action, Verb
from tests.arena.hands import deck_with

NOW: Final = datetime(2026, 9, 14, 9, 46, 49, 587889, tzinfo=UTC)
STACKS: Final = {0: 1_000, 1: 842, 2: 1_338, 3: 17_600, 4: 749, 5: 2_213}
HOLE_CARDS: Final = {0: "6cAc", 3: "7s7d", 5: "AhQd"}
BOARD: Final = ["Kh", "Jh", "Th", "2c", "Js"]
MOVES: Final = (
    *((3, "raise", 64), (4, "fold", None), (5, "raise", 192), (0, "fold", None), (1, "fold", None)),
    *((2, "fold", None), (3, "raise", 384), (5, "call", None), (3, "check", None), (5, "check", None)),
    *((3, "raise", 399), (5, "call", None), (3, "raise", 798), (5, "raise", 1_430), (3, "call", None)),
)


@dataclass(frozen=True, slots=True)
class StackedDeck(Seeded):
    """The recorded cards, whatever the seed."""

    def deck(self, *purpose: str | int) -> list[int]:
        return deck_with(HOLE_CARDS, "".join(BOARD))


class Owner:
    """Nobody busts twice in one hand."""

    def hand_played(self, record: HandRecord) -> None: ...

    def busted(self, table: Table, seat: Seat) -> None: ...

    def seat_freed(self, table: Table) -> None: ...


def deal_again() -> list[dict[str, Any]]:
    """The frames of the hand as hero gets them."""
    told: list[dict[str, Any]] = []
    hero = Account("Heron", Seeded(1).id("agent"), 4_000, deliver=lambda frame: told.append(dict(frame)))
    settings = ArenaSettings(seed=1, between_hands_s=5.0)
    table = Table(settings, Owner(), seeded=StackedDeck(1), now=lambda: NOW)
    table.next_hand_at = NOW + timedelta(seconds=4.008)
    for number in range(1, 6):
        table.sit(Seat(number, f"Otter{number}", STACKS[number]))
    table.sit(Seat(0, "Heron", STACKS[0], account=hero))
    table.start_hand()
    for seat, verb, amount in MOVES:
        act(table, seat, Action(Verb(verb), amount))
    table.finish_hand()
    return told


def act(table: Table, seat: int, action: Action) -> None:
    """Deal the street that is due, then let that seat act; hero by a message, as a client does."""
    assert table.hand is not None
    if table.hand.is_street_due:
        table.deal_street()
    turn = table.prompt()
    assert turn.seat.number == seat
    if turn.seat.account is None:
        table.play_for_house(action)
        return
    request = {"type": "action", "action": str(action.verb), "hand_id": table.hand.hand_id}
    ids = {"turn_token": turn.token, "client_action_id": "11fff715-d99d-5ae8-ad26-ddfe3cd50886"}
    receive_action(turn.seat.account, table, {**request, **ids})
