"""What an arena tells its local audience: whole hands, and how each client fared."""

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from agent.arena.game.dealer import Hand, Settlement
from agent.arena.house.player import PublicHand
from agent.poker.spot import PastAction
from agent.strategy.statistics import PlayedHand

TIMINGS_KEPT: Final = 100_000


@dataclass(frozen=True, slots=True)
class HandRecord:
    """A hand that was played, with every hole card: for local eyes only. Mappings are by seat, stacks in chips."""

    number: int
    hand_id: str
    button_seat: int
    small_blind_chips: int
    big_blind_chips: int
    names: dict[int, str]
    hole_cards: dict[int, tuple[int, int]]
    board: tuple[int, ...]
    actions: tuple[PastAction, ...]
    start_stacks: dict[int, int]
    final_stacks: dict[int, int]
    payouts: dict[int, int]
    table_id: str = ""


@dataclass(frozen=True, slots=True)
class Timings:
    """Seconds of the latest: a client's action from its arrival to its broadcast, and from a cut to the next action."""

    actions_s: deque[float] = field(default_factory=lambda: deque(maxlen=TIMINGS_KEPT))
    resent_s: deque[float] = field(default_factory=lambda: deque(maxlen=TIMINGS_KEPT))


@dataclass(frozen=True, slots=True)
class ClientStats:
    """How a client answered.

    Turns offered (`prompts`), actions taken and refused, turns missed, turns that were answered and then answered
    again with another action (`repeated`), and hands dealt to it.
    """

    prompts: int = 0
    accepted: int = 0
    rejected: int = 0
    timeouts: int = 0
    repeated: int = 0
    hands: int = 0


def hand_record(hand: Hand, number: int) -> HandRecord:
    """A hand that is over, the `number`-th of its table; `ValueError` for one that is not."""
    settled = _settled(hand)
    return HandRecord(
        number=number,
        hand_id=hand.hand_id,
        button_seat=hand.button_seat,
        small_blind_chips=hand.small_blind_chips,
        big_blind_chips=hand.big_blind_chips,
        names={player.seat: player.name for player in hand.players},
        hole_cards=dict(hand.hole_cards),
        board=hand.board,
        actions=hand.actions,
        start_stacks=settled.start_stacks,
        final_stacks=settled.final_stacks,
        payouts=settled.payouts,
        table_id=hand.table_id,
    )


def public_hand(hand: Hand) -> PublicHand:
    """What everybody at the table saw of a hand that is over; `ValueError` for one that is not."""
    settled = _settled(hand)
    return PublicHand(
        hand_id=hand.hand_id,
        button_seat=hand.button_seat,
        big_blind_chips=hand.big_blind_chips,
        names={player.seat: player.name for player in hand.players},
        actions=hand.actions,
        board=hand.board,
        shown_cards=settled.shown_cards or {},
        start_stacks=settled.start_stacks,
        final_stacks=settled.final_stacks,
    )


def blinds_posted(hand: Hand) -> dict[int, int]:
    """What the blinds put in by seat, the small one first; the dealer's order begins with it, heads-up with the big one."""
    small, big = hand.order[:2] if len(hand.order) > 2 else hand.order[::-1]
    stacks = {player.seat: player.stack_chips for player in hand.players}
    return {small: min(stacks[small], hand.small_blind_chips), big: min(stacks[big], hand.big_blind_chips)}


def counted_hand(hand: Hand) -> PlayedHand:
    """A hand that is over as statistics count it; `ValueError` for one that is not."""
    settled = _settled(hand)
    return PlayedHand(
        names={player.seat: player.name for player in hand.players},
        button_seat=hand.button_seat,
        big_blind_chips=hand.big_blind_chips,
        blinds=blinds_posted(hand),
        start_stacks=settled.start_stacks,
        actions=hand.actions,
        board=hand.board,
        showdown_seats=frozenset(settled.shown_cards or ()),
        winner_seats=frozenset(settled.payouts),
    )


def _settled(hand: Hand) -> Settlement:
    if hand.settlement is None:
        raise ValueError(f"hand {hand.hand_id} is not over")
    return hand.settlement
