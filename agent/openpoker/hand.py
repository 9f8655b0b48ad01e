"""A hand and its seats as the server tells them: what a snapshot changes, what an action puts in, what a hand began with.

Pure functions of single values; `agent.openpoker.table` applies them.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Final

from agent.openpoker import fields
from agent.openpoker.frames import Frame
from agent.poker.spot import BOARD_CARDS, LegalActions, PastAction, Street, Verb

STREETS: Final = {count: Street(name) for name, count in BOARD_CARDS.items()}
"""The street of a board of so many cards."""


@dataclass(frozen=True, slots=True)
class Seat:
    """One occupied seat. `dealt` holds for the present hand and stays after folding."""

    seat: int
    name: str
    stack_chips: int
    bet_chips: int = 0
    dealt: bool = False
    folded: bool = False
    status: str = "active"


@dataclass(frozen=True, slots=True)
class Hand:
    """The hand being played, or the last one played.

    `start_stacks` are the chips of each dealt seat before the `blinds`, the chips that were posted, and `names` who sat there.
    Joined in its middle (`complete` False), a hand lacks the blinds and `big_blind_seat` where somebody may have acted before,
    and after the flop all of them.
    """

    hand_id: str
    button_seat: int | None = None
    hole_cards: tuple[int, int] | None = None
    board: tuple[int, ...] = ()
    actions: tuple[PastAction, ...] = ()
    start_stacks: dict[int, int] = field(default_factory=dict)
    blinds: dict[int, int] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    big_blind_seat: int | None = None
    complete: bool = True
    over: bool = False


@dataclass(frozen=True, slots=True)
class Prompt:
    """The server's request to act, good for one answer."""

    hand_id: str
    turn_token: str
    legal: LegalActions
    table_seq: int | None = None


def roster(players: Iterable[Frame]) -> tuple[Seat, ...]:
    """Who sits where, by a list of players."""
    found = {
        number: Seat(number, fields.text(player, "name") or f"seat {number}", fields.chips(player, "stack") or 0)
        for player in players
        if (number := fields.seat(player)) is not None
    }
    return tuple(found[number] for number in sorted(found))


def paid_seats(result: Frame) -> tuple[int, ...]:
    """The seats that got chips out of the pot, a share of it included; by `winners` where the payouts are not told."""
    paid = {fields.seat(entry) for entry in fields.objects(result, "payouts") if fields.chips(entry, "amount")}
    paid = paid or {fields.seat(entry) for entry in fields.objects(result, "winners")}
    return tuple(sorted(seat for seat in paid if seat is not None))


def shown_cards(result: Frame, board: Iterable[int]) -> dict[int, tuple[int, int]]:
    """The hole cards that were shown at the end, by seat; nothing where a card lies twice, on the `board` or with others.

    A seat that mucked, or whose cards are no two cards, is left out.
    """
    told = fields.mapping(result, "shown_cards")
    found = {seat: fields.cards(told, str(seat)) for seat in range(fields.LAST_SEAT + 1)}
    shown = {seat: (cards[0], cards[1]) for seat, cards in found.items() if cards is not None and len(cards) == 2}
    lying = [*board, *chain.from_iterable(shown.values())]
    return shown if len(set(lying)) == len(lying) else {}


def hand_met_in_its_middle(hand: Hand, events: Sequence[Frame], snapshot: Frame) -> Hand | None:
    """The snapshot's hand before a replay that shows it from its middle on; None where that tells nothing new.

    The board is brought to where it was then, for it tells the street of each action: the street before that of the first
    new cards, or the snapshot's own where none are dealt.
    """
    ours = [event for event in events if fields.text(event, "hand_id") == hand.hand_id]
    board = fields.cards(snapshot, "board") or ()
    if not ours or any(event.get("type") == "hand_start" for event in ours):
        return None
    new_streets = (fields.text(event, "street") for event in ours if event.get("type") == "community_cards")
    first = next(new_streets, None)
    before = 6 if first is None else BOARD_CARDS.get(first, 0)
    count = max((n for n in STREETS if n < before and n <= len(board)), default=0)
    return replace(hand, board=board[:count]) if count > len(hand.board) else None


def hand_in_snapshot(hand: Hand, frame: Frame, street: str) -> Hand:
    """The hand with what the snapshot says of cards and button; known cards of the same hand never vanish."""
    own, board = fields.cards(fields.mapping(frame, "hero"), "hole_cards"), fields.cards(frame, "board")
    button = fields.seat(frame, "dealer_seat")
    return replace(
        hand,
        button_seat=hand.button_seat if button is None else button,
        hole_cards=(own[0], own[1]) if own and len(own) == 2 else hand.hole_cards,
        board=board if board and len(board) in STREETS and len(board) >= len(hand.board) else hand.board,
        over=street == "idle",
    )


def seat_in_snapshot(known: Seat | None, entry: Frame, number: int, *, idle: bool) -> Seat:
    """One seat of a snapshot. Between hands `in_hand` is false for all, so the last deal is kept as it was.

    Whoever has taken the seat over has not taken over the cards of the one before.
    """
    name = fields.text(entry, "name")
    if known is None or (name is not None and name != known.name):
        known = Seat(number, name or f"seat {number}", 0)
    in_hand, folded = fields.flag(entry, "in_hand"), fields.flag(entry, "folded")
    stack, bet = fields.chips(entry, "stack"), fields.chips(entry, "bet")
    dealt = known.dealt or (in_hand is True and not idle)
    if folded is None:
        folded = known.folded or (dealt and in_hand is False and not idle)
    return Seat(
        number,
        known.name,
        known.stack_chips if stack is None else stack,
        known.bet_chips if bet is None else bet,
        dealt,
        folded,
        fields.text(entry, "status") or known.status,
    )


def hand_begun(hand: Hand, seats: Iterable[Seat], blinds_chips: int) -> Hand:
    """What a hand began with, read from a snapshot before the flop: no event announces the blinds.

    All that a player has put in until then lies in front of them. What they posted is that without their actions, where all
    actions are known, or where no more than both blinds (`blinds_chips`) lies there.
    """
    dealt = [seat for seat in seats if seat.dealt]
    if hand.start_stacks or not dealt:
        return hand
    begun = replace(
        hand,
        start_stacks={seat.seat: seat.stack_chips + seat.bet_chips for seat in dealt},
        names={seat.seat: seat.name for seat in dealt},
    )
    if hand.complete or sum(seat.bet_chips for seat in dealt) == blinds_chips:
        added = Counter[int]()
        for act in hand.actions:
            added[act.seat] += act.added_chips
        posted = {seat.seat: seat.bet_chips - added[seat.seat] for seat in dealt}
        begun = replace(
            begun,
            blinds={seat: chips for seat, chips in posted.items() if chips > 0},
            big_blind_seat=max(posted, key=lambda seat: posted[seat]),
        )
    return begun


def chips_added(known: Seat, frame: Frame, verb: Verb) -> int:
    """The chips an action put in, from the most to the least reliable of the fields that tell it."""
    if verb in (Verb.FOLD, Verb.CHECK):
        return 0
    delta = fields.chips(frame, "contribution_delta")
    if delta:
        return delta
    for before, after in (("pot_before", "pot_after"), ("stack_after", "stack_before")):
        low, high = fields.chips(frame, before), fields.chips(frame, after)
        if low is not None and high is not None and high > low:
            return high - low
    left = fields.chips(frame, "stack_after")
    if left is not None and left < known.stack_chips:
        return known.stack_chips - left
    if verb is Verb.ALL_IN:
        return known.stack_chips
    total = street_total(frame, verb)
    return (fields.chips(frame, "amount") or 0) if total is None else max(0, total - known.bet_chips)


def street_total(frame: Frame, verb: Verb) -> int | None:
    """What lies in front of the actor after the action, where the frame says so: the amount of a raise is that total."""
    is_total = frame.get("amount_mode", "to_total") in (None, "to_total") if verb is Verb.RAISE else False
    return (fields.chips(frame, "amount") or None) if is_total else None
