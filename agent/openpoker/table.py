"""What the server has told us about one table: a pure reducer from frames to `Table`, and the spot at our turn.

Sequence rules: a number above the watermark is applied, whatever the gap; at or below it, it changes nothing,
except that a snapshot may repeat the watermark. A snapshot is the truth about seats, bets and pot; the history of
actions comes from the events alone.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from agent.openpoker import fields
from agent.openpoker.frames import Frame, legal_actions, shortened
from agent.openpoker.hand import (
    STREETS,
    Hand,
    Prompt,
    Seat,
    chips_added,
    hand_begun,
    hand_in_snapshot,
    hand_met_in_its_middle,
    paid_seats,
    roster,
    seat_in_snapshot,
    shown_cards,
    street_total,
)
from agent.poker.spot import BOARD_CARDS, LegalActions, PastAction, Player, Spot, Verb

NOTHING: Final = LegalActions()


@dataclass(frozen=True, slots=True)
class HandSummary:
    """How a hand ended for us.

    `net_chips` is None when it cannot be known, or when we were not dealt in; `stack_chips` is what we have now. Mappings are by
    seat, as in `Hand`. `paid_seats` got chips out of the pot; `shown_cards` are the hole cards that the table saw at the end.
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
    names: Mapping[int, str] = field(default_factory=dict)
    blinds: Mapping[int, int] = field(default_factory=dict)
    start_stacks: Mapping[int, int] = field(default_factory=dict)
    actions: tuple[PastAction, ...] = ()
    is_showdown: bool = False
    paid_seats: tuple[int, ...] = ()
    shown_cards: Mapping[int, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Table:
    """Everything known about one table; every change is a new value.

    `shown_offer` is what a snapshot says that hero may play now, which alone is no authority to act.
    """

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
    shown_offer: LegalActions = NOTHING
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
        if self._has_overtaken(response):
            return self
        snapshot, replayed = fields.mapping(response, "snapshot"), [table for _, table in self.replayed(response)]
        table = _on_snapshot(replayed[-1] if replayed else self, snapshot)
        hero = fields.mapping(snapshot, "hero")
        token, hand_id = fields.text(hero, "turn_token"), fields.text(snapshot, "hand_id")
        prompt = None
        if token and hand_id and hero.get("valid_actions"):
            prompt = Prompt(hand_id, token, legal_actions(hero.get("valid_actions")))
        numbers = (table.watermark, fields.sequence(response, "to_table_seq"), fields.sequence(snapshot))
        return replace(table, prompt=prompt, watermark=max(n for n in numbers if n is not None))

    def replayed(self, response: Frame) -> Iterator[tuple[Frame, "Table"]]:
        """The missed events of a resync in order and once each, with the table after each of them."""
        if self._has_overtaken(response):
            return
        missed = {n: event for event in fields.objects(response, "replayed_events") if (n := fields.sequence(event))}
        events = [missed[number] for number in sorted(missed) if number > self.watermark]
        snapshot, table = fields.mapping(response, "snapshot"), self
        hand = _hand_of(self, snapshot)
        if hand is not None:
            table = replace(self, hand=hand_met_in_its_middle(hand, events, snapshot) or self.hand)
        for event in events:
            table = table.after(event)
            yield event, table

    def _has_overtaken(self, response: Frame) -> bool:
        """Whether live frames have gone beyond the snapshot of a resync."""
        stated = fields.sequence(fields.mapping(response, "snapshot"))
        return stated is not None and stated < self.watermark

    def seat(self, number: int | None) -> Seat | None:
        """The occupied seat with this number."""
        return next((seat for seat in self.seats if seat.seat == number), None)

    @property
    def hand_id(self) -> str | None:
        """Which hand is being played, or was the last one; None before the first."""
        return self.hand.hand_id if self.hand else None

    @property
    def in_hand(self) -> bool:
        """Whether hero holds a place in a hand that is still running."""
        hero = self.seat(self.hero_seat)
        return bool(hero and hero.dealt and self.hand and not self.hand.over)

    @property
    def is_ours_unprompted(self) -> bool:
        """Whether it is shown to be our turn, without authority to act as yet."""
        return self.prompt is None and self.hero_seat is not None and self.actor_seat == self.hero_seat

    @property
    def lacks_facts(self) -> bool:
        """Whether a decision needs what has not been told: our cards, the board of this street, or who else was dealt in."""
        hand = self.hand
        if hand is None or hand.hole_cards is None or len(hand.board) < BOARD_CARDS.get(self.street, 0):
            return True
        return not any(seat.dealt for seat in self.seats if seat.seat != self.hero_seat)

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
            street=STREETS[len(hand.board)],
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
        """How the hand of a `hand_result` ended for hero; None when it is not the hand we know, or we had no part in it."""
        hand = self.hand
        if hand is None or fields.text(result, "hand_id") != hand.hand_id:
            return None
        final, hero = fields.by_seat(result, "final_stacks"), self.hero_seat
        own = self.seat(hero)
        if hand.hole_cards is None and hero not in final and not (own and own.dealt):
            return None
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
            result=shortened(result),
            stack_chips=own.stack_chips if own is not None else None,
            names=hand.names,
            blinds=hand.blinds,
            start_stacks=hand.start_stacks,
            actions=hand.actions,
            is_showdown=bool(fields.mapping(result, "shown_cards")),
            paid_seats=paid_seats(result),
            shown_cards=shown_cards(result, hand.board),
        )


def joined(frame: Frame) -> Table | None:
    """The table that `table_joined` announces; None when the frame names none."""
    table_id = fields.text(frame, "table_id")
    if table_id is None:
        return None
    return Table(
        table_id,
        hero_seat=fields.seat(frame),
        seats=roster(fields.objects(frame, "players")),
        watermark=fields.sequence(frame) or 0,
    )


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
        shown_offer=NOTHING,
    )


def _on_hole_cards(table: Table, frame: Frame) -> Table:
    hand, cards = _hand_of(table, frame), fields.cards(frame, "cards")
    if hand is None or cards is None or len(cards) != 2:
        return table
    return replace(table, hand=replace(hand, hole_cards=(cards[0], cards[1])))


def _on_snapshot(table: Table, frame: Frame) -> Table:
    hand, street = _hand_of(table, frame), fields.text(frame, "street") or table.street
    if hand is not None:
        hand = hand_in_snapshot(hand, frame, street)
    fresh = hand is not None and (table.hand is None or table.hand.hand_id != hand.hand_id)
    seats = dict[int, Seat]()
    for entry in fields.objects(frame, "seats"):
        number = fields.seat(entry)
        if number is not None and number not in seats and fields.text(entry, "status") != "empty":
            known = None if fresh else table.seat(number)
            seats[number] = seat_in_snapshot(known, entry, number, idle=street == "idle")
    own, pot, actor = fields.mapping(frame, "hero"), fields.chips(frame, "pot"), fields.seat(frame, "actor_seat")
    hero, is_ours = fields.seat(own), actor is not None and actor == table.hero_seat
    offer = legal_actions(own.get("valid_actions")) if is_ours else NOTHING
    table = replace(
        table,
        hero_seat=table.hero_seat if hero is None else hero,
        seats=tuple(seats.values()) or table.seats,
        street=street,
        pot_chips=table.pot_chips if pot is None else pot,
        small_blind_chips=fields.chips(frame, "small_blind") or table.small_blind_chips,
        big_blind_chips=fields.chips(frame, "big_blind") or table.big_blind_chips,
        actor_seat=actor,
        hand=hand,
        prompt=_offering(table.prompt, offer) if is_ours else None,
        shown_offer=offer,
    )
    if table.hand is None or street != "preflop":
        return table
    return replace(table, hand=hand_begun(table.hand, table.seats, table.small_blind_chips + table.big_blind_chips))


def _offering(prompt: Prompt | None, offer: LegalActions) -> Prompt | None:
    """The prompt with what a snapshot offers, where its own offer cannot be used."""
    return replace(prompt, legal=offer) if prompt is not None and prompt.legal == NOTHING else prompt


def _on_player_action(table: Table, frame: Frame) -> Table:
    hand, number, verb = _hand_of(table, frame), fields.seat(frame), fields.text(frame, "action")
    if hand is None or number is None or verb not in set(Verb):
        return table
    known = table.seat(number) or Seat(number, fields.text(frame, "name") or f"seat {number}", 0, dealt=True)
    added, total = chips_added(known, frame, Verb(verb)), street_total(frame, Verb(verb))
    stack, pot = fields.chips(frame, "stack_after"), fields.chips(frame, "pot_after")
    seat = replace(
        known,
        stack_chips=max(0, known.stack_chips - added) if stack is None else stack,
        bet_chips=known.bet_chips + added if total is None else total,
        dealt=True,
        folded=known.folded or verb == Verb.FOLD,
    )
    # Before the first snapshot of a hand nobody has told the blinds that lie in front of the seats.
    is_bet_known = total is not None or bool(hand.start_stacks or hand.board)
    # The frame's own street label is the street after the action; the board tells the one it belongs to.
    street = STREETS[len(hand.board)]
    act = PastAction(number, street, Verb(verb), added, seat.bet_chips if is_bet_known else None)
    table = _with_seat(table, seat)
    return replace(
        table,
        hand=replace(hand, actions=(*hand.actions, act)),
        pot_chips=table.pot_chips + added if pot is None else pot,
        prompt=None if number == table.hero_seat else table.prompt,
        shown_offer=NOTHING,
    )


def _on_community_cards(table: Table, frame: Frame) -> Table:
    hand, cards = _hand_of(table, frame), fields.cards(frame, "cards")
    if hand is None or not cards:
        return table
    street = fields.text(frame, "street")
    whole = len(cards) == BOARD_CARDS.get(street or "", 3)
    board = cards if whole else (*hand.board, *(card for card in cards if card not in hand.board))
    if len(board) not in STREETS:
        return table
    return replace(
        table,
        hand=replace(hand, board=board),
        street=street or STREETS[len(board)],
        seats=tuple(replace(seat, bet_chips=0) for seat in table.seats),
    )


def _on_your_turn(table: Table, frame: Frame) -> Table:
    hand, token, own = _hand_of(table, frame), fields.text(frame, "turn_token"), fields.seat(frame)
    if hand is None or token is None:
        return table
    board, pot = fields.cards(frame, "community_cards"), fields.chips(frame, "pot")
    if board and len(board) in STREETS and len(board) > len(hand.board):
        hand = replace(hand, board=board)
    return replace(
        table,
        hand=replace(hand, over=False),
        hero_seat=table.hero_seat if own is None else own,
        pot_chips=table.pot_chips if pot is None else pot,
        seats=table.seats or roster(fields.objects(frame, "players")),
        prompt=_offering(
            Prompt(hand.hand_id, token, legal_actions(frame.get("valid_actions")), fields.sequence(frame)),
            table.shown_offer,
        ),
    )


def _on_player_joined(table: Table, frame: Frame) -> Table:
    number = fields.seat(frame)
    if number is None or table.seat(number) is not None:
        return table
    return _with_seat(table, roster([frame])[0])


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
