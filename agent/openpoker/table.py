"""What the server has told us about one table: a pure reducer from frames to `Table`, and the spot at our turn.

Sequence rules: a number above the watermark is applied, whatever the gap; at or below it, it changes nothing,
except that a snapshot may repeat the watermark. A snapshot is the truth about seats, bets and pot; the history of
actions comes from the events alone.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from agent.openpoker import fields
from agent.openpoker.frames import Frame, legal_actions
from agent.poker.spot import BOARD_CARDS, LegalActions, PastAction, Player, Spot, Street, Verb

_STREETS = {count: Street(name) for name, count in BOARD_CARDS.items()}


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

    `start_stacks` are the chips of each dealt seat before the blinds, empty when the hand was joined in its middle
    (`complete` False).
    """

    hand_id: str
    button_seat: int | None = None
    hole_cards: tuple[int, int] | None = None
    board: tuple[int, ...] = ()
    actions: tuple[PastAction, ...] = ()
    start_stacks: dict[int, int] = field(default_factory=dict)
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


@dataclass(frozen=True, slots=True)
class HandSummary:
    """How a hand ended for us.

    `net_chips` is None when it cannot be known, or when we were not dealt in; `stack_chips` is what we have now.
    """

    hand_id: str
    table_id: str
    hero_seat: int | None
    hole_cards: tuple[int, int] | None
    board: tuple[int, ...]
    button_seat: int | None
    dealt_seats: tuple[int, ...]
    big_blind_seat: int | None
    big_blind_chips: int
    pot_chips: int
    net_chips: int | None
    complete: bool
    result: Frame
    stack_chips: int | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """Everything known about one table; every change is a new value."""

    table_id: str
    hero_seat: int | None = None
    seats: tuple[Seat, ...] = ()
    hand: Hand | None = None
    street: str = "idle"
    pot_chips: int = 0
    small_blind_chips: int = 10
    big_blind_chips: int = 20
    actor_seat: int | None = None
    prompt: Prompt | None = None
    watermark: int = 0

    def after(self, frame: Frame) -> "Table":
        """The table once `frame` is applied; frames of other tables and old numbers change nothing."""
        if (fields.text(frame, "table_id") or self.table_id) != self.table_id:
            return self
        number = fields.sequence(frame)
        kind = frame.get("type")
        if number is not None:
            if number < self.watermark or (number == self.watermark and kind != "table_state"):
                return self
            table = replace(self, watermark=number)
        else:
            table = self
        apply = _REDUCERS.get(kind) if isinstance(kind, str) else None
        return apply(table, frame) if apply else table

    def resynced(self, response: Frame) -> "Table":
        """The table after a resync: missed events in order and once each, then the snapshot as the truth.

        The watermark never goes down, and a snapshot that live frames have overtaken changes nothing.
        """
        stated = fields.sequence(fields.mapping(response, "snapshot"))
        if stated is not None and stated < self.watermark:
            return self
        missed = {n: event for event in fields.objects(response, "replayed_events") if (n := fields.sequence(event))}
        table = self
        for number in sorted(missed):
            table = table.after(missed[number])
        snapshot = fields.mapping(response, "snapshot")
        table = _on_snapshot(table, snapshot)
        hero = fields.mapping(snapshot, "hero")
        token, hand_id = fields.text(hero, "turn_token"), fields.text(snapshot, "hand_id")
        prompt = None
        if token and hand_id and hero.get("valid_actions"):
            prompt = Prompt(hand_id, token, legal_actions(hero.get("valid_actions")))
        numbers = (self.watermark, fields.sequence(response, "to_table_seq"), fields.sequence(snapshot), *missed)
        return replace(table, prompt=prompt, watermark=max(n for n in numbers if n is not None))

    def seat(self, number: int | None) -> Seat | None:
        """The occupied seat with this number."""
        return next((seat for seat in self.seats if seat.seat == number), None)

    @property
    def in_hand(self) -> bool:
        """Whether hero holds a place in a hand that is still running."""
        hero = self.seat(self.hero_seat)
        return bool(hero and hero.dealt and self.hand and not self.hand.over)

    def spot(self) -> Spot | None:
        """What hero must decide now; None when no prompt is open or hero's seat is unknown."""
        prompt, hand = self.prompt, self.hand
        if prompt is None or hand is None or self.hero_seat is None or prompt.hand_id != hand.hand_id:
            return None
        dealt = [seat for seat in self.seats if seat.dealt or seat.seat == self.hero_seat]
        if all(seat.seat != self.hero_seat for seat in dealt):
            dealt.append(Seat(self.hero_seat, "hero", prompt.legal.max_raise_to_chips or prompt.legal.call_chips or 0))
        players = tuple(
            Player(s.seat, s.name, s.stack_chips, s.bet_chips, s.folded) for s in sorted(dealt, key=lambda s: s.seat)
        )
        return Spot(
            table_id=self.table_id,
            hand_id=hand.hand_id,
            street=_STREETS[len(hand.board)],
            hero_seat=self.hero_seat,
            hole_cards=hand.hole_cards,
            board=hand.board,
            button_seat=hand.button_seat if hand.button_seat is not None else players[-1].seat,
            small_blind_chips=self.small_blind_chips,
            big_blind_chips=self.big_blind_chips,
            pot_chips=max(self.pot_chips, sum(player.bet_chips for player in players)),
            legal=prompt.legal,
            players=players,
            actions=hand.actions,
            history_complete=hand.complete,
            big_blind_seat=hand.big_blind_seat,
        )

    def summary(self, result: Frame) -> HandSummary | None:
        """How the hand of a `hand_result` ended for hero; None when it is not the hand we know."""
        hand = self.hand
        if hand is None or fields.text(result, "hand_id") != hand.hand_id:
            return None
        final, hero = fields.by_seat(result, "final_stacks"), self.hero_seat
        own = self.seat(hero)
        net = final[hero] - hand.start_stacks[hero] if hero in final and hero in hand.start_stacks else None
        return HandSummary(
            hand_id=hand.hand_id,
            table_id=self.table_id,
            hero_seat=hero,
            hole_cards=hand.hole_cards,
            board=hand.board,
            button_seat=hand.button_seat,
            dealt_seats=tuple(sorted(hand.start_stacks)),
            big_blind_seat=hand.big_blind_seat,
            big_blind_chips=self.big_blind_chips,
            pot_chips=fields.chips(result, "total_pot") or 0,
            net_chips=net,
            complete=hand.complete,
            result=result,
            stack_chips=own.stack_chips if own is not None else None,
        )


def joined(frame: Frame) -> Table | None:
    """The table that `table_joined` announces; None when the frame names none."""
    table_id = fields.text(frame, "table_id")
    if table_id is None:
        return None
    return Table(
        table_id,
        hero_seat=fields.seat(frame),
        seats=_roster(fields.objects(frame, "players")),
        watermark=fields.sequence(frame) or 0,
    )


def _roster(players: Iterable[Frame]) -> tuple[Seat, ...]:
    found = {
        number: Seat(number, fields.text(player, "name") or f"seat {number}", fields.chips(player, "stack") or 0)
        for player in players
        if (number := fields.seat(player)) is not None
    }
    return tuple(found[number] for number in sorted(found))


def _with_seat(table: Table, seat: Seat) -> Table:
    others = (other for other in table.seats if other.seat != seat.seat)
    return replace(table, seats=tuple(sorted((*others, seat), key=lambda s: s.seat)))


def _hand_of(table: Table, frame: Frame) -> Hand | None:
    """The hand a frame speaks of; one that we never saw begin counts as joined in its middle."""
    hand_id = fields.text(frame, "hand_id")
    if hand_id is None or (table.hand and table.hand.hand_id == hand_id):
        return table.hand
    return Hand(hand_id, complete=False)


def _on_hand_start(table: Table, frame: Frame) -> Table:
    hand_id = fields.text(frame, "hand_id")
    if hand_id is None or (table.hand and table.hand.hand_id == hand_id):
        return table
    blinds, own = fields.mapping(frame, "blinds"), fields.seat(frame)
    return replace(
        table,
        hand=Hand(hand_id, button_seat=fields.seat(frame, "dealer_seat")),
        hero_seat=table.hero_seat if own is None else own,
        seats=tuple(replace(seat, dealt=False, folded=False, bet_chips=0) for seat in table.seats),
        street="preflop",
        pot_chips=0,
        small_blind_chips=fields.chips(blinds, "small_blind") or table.small_blind_chips,
        big_blind_chips=fields.chips(blinds, "big_blind") or table.big_blind_chips,
        prompt=None,
    )


def _on_hole_cards(table: Table, frame: Frame) -> Table:
    hand, cards = _hand_of(table, frame), fields.cards(frame, "cards")
    if hand is None or cards is None or len(cards) != 2:
        return table
    return replace(table, hand=replace(hand, hole_cards=(cards[0], cards[1])))


def _on_snapshot(table: Table, frame: Frame) -> Table:
    hand, street = _hand_of(table, frame), fields.text(frame, "street") or table.street
    if hand is not None:
        hand = _hand_in_snapshot(table, hand, frame, street)
    fresh = hand is not None and (table.hand is None or table.hand.hand_id != hand.hand_id)
    seats = tuple(
        _seat_in_snapshot(None if fresh else table.seat(number), entry, number, idle=street == "idle")
        for entry in fields.objects(frame, "seats")
        if (number := fields.seat(entry)) is not None and fields.text(entry, "status") != "empty"
    )
    hero, pot, actor = (
        fields.seat(fields.mapping(frame, "hero")),
        fields.chips(frame, "pot"),
        fields.seat(frame, "actor_seat"),
    )
    table = replace(
        table,
        hero_seat=table.hero_seat if hero is None else hero,
        seats=seats or table.seats,
        street=street,
        pot_chips=table.pot_chips if pot is None else pot,
        small_blind_chips=fields.chips(frame, "small_blind") or table.small_blind_chips,
        big_blind_chips=fields.chips(frame, "big_blind") or table.big_blind_chips,
        actor_seat=actor,
        hand=hand,
        prompt=table.prompt if actor is not None and actor == table.hero_seat else None,
    )
    return _with_blinds_read(table) if street == "preflop" else table


def _hand_in_snapshot(table: Table, hand: Hand, frame: Frame, street: str) -> Hand:
    """The hand with what the snapshot says of cards and button; known cards of the same hand never vanish."""
    own, board = fields.cards(fields.mapping(frame, "hero"), "hole_cards"), fields.cards(frame, "board")
    button = fields.seat(frame, "dealer_seat")
    return replace(
        hand,
        button_seat=hand.button_seat if button is None else button,
        hole_cards=(own[0], own[1]) if own and len(own) == 2 else hand.hole_cards,
        board=board if board and len(board) in _STREETS and len(board) >= len(hand.board) else hand.board,
        over=street == "idle",
    )


def _seat_in_snapshot(known: Seat | None, entry: Frame, number: int, *, idle: bool) -> Seat:
    """One seat of a snapshot. Between hands `in_hand` is false for all, so the last deal is kept as it was."""
    known = known or Seat(number, f"seat {number}", 0)
    in_hand, folded = fields.flag(entry, "in_hand"), fields.flag(entry, "folded")
    stack, bet = fields.chips(entry, "stack"), fields.chips(entry, "bet")
    dealt = known.dealt or (in_hand is True and not idle)
    if folded is None:
        folded = known.folded or (dealt and in_hand is False and not idle)
    return Seat(
        number,
        fields.text(entry, "name") or known.name,
        known.stack_chips if stack is None else stack,
        known.bet_chips if bet is None else bet,
        dealt,
        folded,
        fields.text(entry, "status") or known.status,
    )


def _with_blinds_read(table: Table) -> Table:
    """Start stacks and the big blind's seat, read from the first snapshot of a hand: no event announces the blinds."""
    hand = table.hand
    if hand is None or not hand.complete or hand.start_stacks or hand.actions:
        return table
    dealt = [seat for seat in table.seats if seat.dealt]
    if not dealt:
        return table
    biggest = max(dealt, key=lambda seat: seat.bet_chips)
    start = {seat.seat: seat.stack_chips + seat.bet_chips for seat in dealt}
    return replace(table, hand=replace(hand, start_stacks=start, big_blind_seat=biggest.seat))


def _on_player_action(table: Table, frame: Frame) -> Table:
    hand, number, verb = _hand_of(table, frame), fields.seat(frame), fields.text(frame, "action")
    if hand is None or number is None or verb not in set(Verb):
        return table
    known = table.seat(number) or Seat(number, fields.text(frame, "name") or f"seat {number}", 0, dealt=True)
    added = _chips_added(known, frame, Verb(verb))
    stack, pot = fields.chips(frame, "stack_after"), fields.chips(frame, "pot_after")
    seat = replace(
        known,
        stack_chips=max(0, known.stack_chips - added) if stack is None else stack,
        bet_chips=known.bet_chips + added,
        dealt=True,
        folded=known.folded or verb == Verb.FOLD,
    )
    # The frame's own street label is the street after the action; the board tells the one it belongs to.
    act = PastAction(number, _STREETS[len(hand.board)], Verb(verb), added, seat.bet_chips)
    table = _with_seat(table, seat)
    return replace(
        table,
        hand=replace(hand, actions=(*hand.actions, act)),
        pot_chips=table.pot_chips + added if pot is None else pot,
        prompt=None if number == table.hero_seat else table.prompt,
    )


def _chips_added(known: Seat, frame: Frame, verb: Verb) -> int:
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
    if verb is Verb.ALL_IN:
        return known.stack_chips
    amount = fields.chips(frame, "amount") or 0
    return max(0, amount - known.bet_chips) if frame.get("amount_mode") == "to_total" else amount


def _on_community_cards(table: Table, frame: Frame) -> Table:
    hand, cards = _hand_of(table, frame), fields.cards(frame, "cards")
    if hand is None or not cards:
        return table
    street = fields.text(frame, "street")
    whole = len(cards) == BOARD_CARDS.get(street or "", 3)
    board = cards if whole else (*hand.board, *(card for card in cards if card not in hand.board))
    if len(board) not in _STREETS:
        return table
    return replace(
        table,
        hand=replace(hand, board=board),
        street=street or _STREETS[len(board)],
        seats=tuple(replace(seat, bet_chips=0) for seat in table.seats),
    )


def _on_your_turn(table: Table, frame: Frame) -> Table:
    hand, token, own = _hand_of(table, frame), fields.text(frame, "turn_token"), fields.seat(frame)
    if hand is None or token is None:
        return table
    board, pot = fields.cards(frame, "community_cards"), fields.chips(frame, "pot")
    if board and len(board) in _STREETS and len(board) > len(hand.board):
        hand = replace(hand, board=board)
    return replace(
        table,
        hand=replace(hand, over=False),
        hero_seat=table.hero_seat if own is None else own,
        pot_chips=table.pot_chips if pot is None else pot,
        seats=table.seats or _roster(fields.objects(frame, "players")),
        prompt=Prompt(hand.hand_id, token, legal_actions(frame.get("valid_actions")), fields.sequence(frame)),
    )


def _on_player_joined(table: Table, frame: Frame) -> Table:
    number = fields.seat(frame)
    if number is None or table.seat(number) is not None:
        return table
    return _with_seat(table, _roster([frame])[0])


def _on_player_left(table: Table, frame: Frame) -> Table:
    number = fields.seat(frame)
    return replace(table, seats=tuple(seat for seat in table.seats if seat.seat != number))


def _on_hand_result(table: Table, frame: Frame) -> Table:
    hand = _hand_of(table, frame)
    if hand is None:
        return table
    final = fields.by_seat(frame, "final_stacks")
    return replace(
        table,
        hand=replace(hand, over=True),
        street="idle",
        pot_chips=0,
        seats=tuple(replace(s, stack_chips=final.get(s.seat, s.stack_chips), bet_chips=0) for s in table.seats),
        prompt=None,
    )


_REDUCERS: dict[str, Any] = {
    "hand_start": _on_hand_start,
    "hole_cards": _on_hole_cards,
    "table_state": _on_snapshot,
    "player_action": _on_player_action,
    "community_cards": _on_community_cards,
    "your_turn": _on_your_turn,
    "player_joined": _on_player_joined,
    "player_left": _on_player_left,
    "hand_result": _on_hand_result,
}
