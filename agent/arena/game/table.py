"""A table: its seats, the hand on it, and the frames that everybody at it receives.

A core without clock or socket. `loop` decides when something happens, `referee` whether a client's action counts,
`view` what a recipient may see; the owner of the table learns of finished hands, busts and free seats.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from agent.arena.game import view
from agent.arena.game.account import Account, Answer
from agent.arena.game.dealer import DealtPlayer, Hand
from agent.arena.game.records import HandRecord, hand_record, public_hand
from agent.arena.game.seeded import Seeded
from agent.arena.game.stream import Stamp, TableStream, utc_now
from agent.arena.house.player import HousePlayer
from agent.arena.settings import ArenaSettings
from agent.arena.wire import frames as wire
from agent.openpoker.frames import Frame
from agent.poker.spot import Action, Verb


@dataclass(slots=True, eq=False)
class Seat:
    """An occupied seat: a client's (`account`) or a house player's (`player`).

    `leaving` is the reason to go at the end of the hand; nobody is waited for once the seat is given up.
    """

    number: int
    name: str
    stack_chips: int
    account: Account | None = None
    player: HousePlayer | None = None
    hole_cards: tuple[int, int] | None = None
    missed_hands: int = 0
    has_timed_out: bool = False
    leaving: str | None = None
    is_given_up: bool = False

    @property
    def is_connected(self) -> bool:
        """Whether somebody is there to play it."""
        return self.account is None or self.account.is_connected

    @property
    def status(self) -> str:
        """The venue's word for the state of the seat."""
        if not self.is_connected:
            return "disconnected"
        return "away" if self.missed_hands else "active"


@dataclass(slots=True, eq=False)
class Turn:
    """The one turn of a table that is not played yet; its token is good for one action."""

    seat: Seat
    token: str


@dataclass(frozen=True, slots=True)
class Stakes:
    """The blinds of a hand, and the stack without which nobody is dealt in."""

    small_blind_chips: int
    big_blind_chips: int
    least_stack_chips: int


class TableOwner(Protocol):
    """Whoever runs the game that a table belongs to."""

    def hand_played(self, record: HandRecord) -> None:
        """A hand is over and its chips are settled."""

    def busted(self, table: "Table", seat: Seat) -> None:
        """A seat cannot post the big blind any more."""

    def seat_freed(self, table: "Table") -> None:
        """Somebody left."""


class Table:
    """One table of the venue; `number` keeps its ids and cards apart from those of other tables.

    `stakes` may be changed between hands. In a tournament who is not connected is dealt in all the same, and stacks
    are no money: from the first hand on they go to no balance when a seat is freed.
    """

    def __init__(
        self,
        settings: ArenaSettings,
        owner: TableOwner,
        *,
        number: int = 0,
        is_tournament: bool = False,
        seeded: Seeded | None = None,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self.settings = settings
        self.stakes = Stakes(settings.small_blind_chips, settings.big_blind_chips, settings.big_blind_chips)
        self.seeded = seeded or Seeded(settings.seed)
        self.number = number
        self.is_tournament = is_tournament
        self.table_id = self.seeded.id("table", number)
        self.stream = TableStream(self.table_id, retained=settings.retained_events, now=now)
        self.seats: dict[int, Seat] = {}
        self.button_seat = settings.seats - 1
        self.hand: Hand | None = None
        self.turn: Turn | None = None
        self.is_playing = False
        self.hands_dealt = 0
        self.next_hand_at: datetime | None = None
        self.changed = asyncio.Event()
        self.now = now
        self._owner = owner

    def seat_of(self, account: Account) -> Seat | None:
        """Where a client sits."""
        if account.table is not self:
            return None
        return next((seat for seat in self.seats.values() if seat.account is account), None)

    @property
    def clients(self) -> list[Seat]:
        """The seats of clients."""
        return [seat for seat in self.seats.values() if seat.account is not None]

    def awaits(self, account: Account) -> bool:
        """Whether the open turn is this client's."""
        return self.turn is not None and self.turn.seat.account is account

    @property
    def free_seat(self) -> int | None:
        """The lowest seat nobody has."""
        return next((number for number in range(self.settings.seats) if number not in self.seats), None)

    def is_eligible(self, seat: Seat) -> bool:
        """Whether the next hand is dealt to `seat`."""
        is_there = seat.is_connected or self.is_tournament
        return is_there and seat.leaving is None and seat.stack_chips >= self.stakes.least_stack_chips

    @property
    def can_deal(self) -> bool:
        """Whether a hand can begin: two who can play, and not house players alone."""
        ready = [seat for seat in self.seats.values() if self.is_eligible(seat)]
        return not self.is_playing and len(ready) >= 2 and any(seat.account for seat in ready)

    # Seats

    def sit(self, seat: Seat) -> None:
        """Let somebody take a free seat; they are dealt in from the next hand on."""
        joined = self.stream.next_stamp()
        body = {"seat": seat.number, "name": seat.name, "stack": seat.stack_chips}
        self._announce(wire.event(joined, "player_joined", **body))
        self.seats[seat.number] = seat
        if seat.account is not None:
            seat.account.table = self
        players = [wire.player(s.number, s.name, s.stack_chips, view.slug(s.name)) for s in view.in_order(self)]
        self._tell(seat, lambda stamp: wire.table_joined(stamp, seat.number, players))
        self._show()
        self.changed.set()

    def leave(self, seat: Seat, reason: str) -> None:
        """Free a seat, at the end of the hand when it is dealt in; its chips go back to the account."""
        if self.is_playing and seat.hole_cards is not None:
            seat.leaving = reason
            self.changed.set()
        else:
            self.remove(seat, reason)

    def remove(self, seat: Seat, reason: str, *, silently: bool = False) -> None:
        """Free a seat at once; only between hands, or for a seat that is not dealt in.

        Silently, its own client is told nothing.
        """
        if silently:
            del self.seats[seat.number]
        left = self.stream.next_stamp()
        self._announce(wire.event(left, "player_left", seat=seat.number, name=seat.name, reason=reason))
        self.seats.pop(seat.number, None)
        self._cash_out(seat)
        self._show()
        self._owner.seat_freed(self)
        self.changed.set()

    def close(self, reason: str) -> None:
        """Send everybody away with their chips; a hand that was being played never was."""
        self._void_hand()
        closed = wire.table_closed(
            self.stream.next_stamp(), reason, has_envelope=self.settings.dialect.table_closed_envelope
        )
        seats, self.seats = list(self.seats.values()), {}
        for seat in seats:
            self._cash_out(seat)
            if seat.account is not None:
                seat.account.send(closed)
        self.changed.set()

    # The hand

    def start_hand(self) -> None:
        """Move the button, deal to everybody who can play, and show the blinds."""
        dealt = [seat for seat in view.in_order(self) if self.is_eligible(seat)]
        behind = [seat.number for seat in dealt if seat.number > self.button_seat]
        self.button_seat = (behind or [seat.number for seat in dealt])[0]
        self.hands_dealt += 1
        self.is_playing, self.next_hand_at = True, None
        hand = self.hand = self._deal(dealt)
        self.stream.skip()
        self.stream.start_hand(hand.hand_id)
        for seat in self.seats.values():
            seat.hole_cards, seat.has_timed_out = hand.hole_cards.get(seat.number), False
        blinds = {"small_blind": hand.small_blind_chips, "big_blind": hand.big_blind_chips}
        started = self.stream.next_stamp()
        body = {"seat": None, "dealer_seat": self.button_seat, "blinds": blinds}
        self._announce(wire.event(started, "hand_start", **body))
        for number in hand.order:
            self._tell_cards(self.seats[number], hand.hole_cards[number])
        self._show()

    def prompt(self) -> Turn:
        """Open the turn of the actor: the authority to act, then the snapshot once more."""
        hand = self._running_hand()
        seat = next(seat for seat in self.seats.values() if seat.number == hand.actor_seat)
        token = self.seeded.id("turn", self.number, self.hands_dealt, len(hand.actions))
        turn = self.turn = Turn(seat, token)
        if seat.account is not None:
            seat.account.stats = replace(seat.account.stats, prompts=seat.account.stats.prompts + 1)
        self._tell(seat, lambda stamp: wire.your_turn(stamp, hand, seat.number, token))
        self._tell(seat, lambda stamp: view.snapshot(self, seat, stamp))
        return turn

    def renew_token(self) -> None:
        """Give the open turn another token, which only a resync tells."""
        turn = self._open_turn()
        turn.token = self.seeded.id("renewed", turn.token)

    def accept(self, request: Frame, action: Action) -> None:
        """Acknowledge and play a client's action that `referee` has found good."""
        account, action_id = self._open_turn().seat.account, str(request["client_action_id"])
        if account is None:
            raise RuntimeError("the open turn belongs to the house")
        self.stream.skip()
        ack = wire.action_ack(self.stream.next_stamp(), action_id)
        account.remember(action_id, Answer(request, ack))
        account.stats = replace(account.stats, accepted=account.stats.accepted + 1)
        account.send(ack)
        self._play(action, action_id)
        self.changed.set()

    def play_for_house(self, action: Action) -> None:
        """Take the action of the house player whose turn is open."""
        self._play_unasked(action)

    def time_out(self) -> None:
        """Close the open turn for its client: check, else fold."""
        seat = self._open_turn().seat
        seat.has_timed_out = True
        if seat.account is not None and not seat.is_given_up:
            seat.account.stats = replace(seat.account.stats, timeouts=seat.account.stats.timeouts + 1)
        self._play_unasked(self._running_hand().legal().floor or Action(Verb.FOLD), reason="timeout")

    def deal_street(self) -> None:
        """Deal the street that is due."""
        hand = self._running_hand()
        shown = wire.cards(hand.deal_street())
        self._announce(wire.event(self.stream.next_stamp(), "community_cards", cards=shown, street=str(hand.street)))
        self._show()

    def finish_hand(self) -> None:
        """Announce the result, then see to busts, leavers and players who are away."""
        hand = self._running_hand()
        if hand.settlement is None:
            raise RuntimeError("the hand is not over")
        names = {player.seat: player.name for player in hand.players}
        result = wire.hand_result(self.stream.next_stamp(), hand.settlement, names=names, actions=hand.actions)
        self._announce(result)
        self.is_playing = False
        seen = public_hand(hand)
        for seat in self.seats.values():
            if seat.player is not None:
                seat.player.saw(seen)
        self._owner.hand_played(hand_record(hand, self.hands_dealt))
        for seat in view.in_order(self):
            self._see_to(seat)

    # For the client's own requests

    def resync(self, account: Account, after: int) -> Frame:
        """What the client missed, and the table as it may see it: its own seat, or a spectator's view."""
        seat = self.seat_of(account)
        stamp = self.stream.last_stamp()
        events = [view.addressed(event, seat) for event in self.stream.events_after(after)]
        snapshot = view.snapshot(self, seat, stamp, with_token=True)
        role = "spectator" if seat is None else "player"
        return wire.resync_response(stamp, role=role, after=after, events=events, snapshot=snapshot)

    def chips_of(self, account: Account) -> int:
        """What a client has at the table, its bet of this street included."""
        seat = self.seat_of(account)
        if seat is None:
            return 0
        is_in = self.hand is not None and self.hand.settlement is None and seat.hole_cards is not None
        return seat.stack_chips + (self.hand.bet_chips(seat.number) if self.hand is not None and is_in else 0)

    # Inside

    def _cash_out(self, seat: Seat) -> None:
        if seat.account is None:
            return
        seat.account.table = None
        has_entered = self.is_tournament and self.hands_dealt > 0
        if not has_entered:
            seat.account.chips += seat.stack_chips

    def _void_hand(self) -> None:
        if self.hand is None or self.hand.settlement is not None:
            return
        for player in self.hand.players:
            self.seats[player.seat].stack_chips = player.stack_chips
        self.is_playing, self.turn = False, None

    def _running_hand(self) -> Hand:
        if self.hand is None or not self.is_playing:
            raise RuntimeError("no hand is being played")
        return self.hand

    def _open_turn(self) -> Turn:
        if self.turn is None:
            raise RuntimeError("no turn is open")
        return self.turn

    def _deal(self, dealt: list[Seat]) -> Hand:
        return Hand(
            [DealtPlayer(seat.number, seat.name, seat.stack_chips) for seat in dealt],
            button_seat=self.button_seat,
            small_blind_chips=self.stakes.small_blind_chips,
            big_blind_chips=self.stakes.big_blind_chips,
            deck=self.seeded.deck(self.number, self.hands_dealt),
            table_id=self.table_id,
            hand_id=self.seeded.id("hand", self.number, self.hands_dealt),
            heads_up_button_posts_small_blind=self.settings.heads_up_button_posts_small_blind,
        )

    def _play_unasked(self, action: Action, *, reason: str | None = None) -> None:
        """Take an action that no client sent; it uses up the numbers of the acknowledgement all the same."""
        self.stream.skip()
        self.stream.skip()
        done = len(self._running_hand().actions)
        self._play(action, self.seeded.id("action", self.number, self.hands_dealt, done), reason=reason)

    def _play(self, action: Action, action_id: str, *, reason: str | None = None) -> None:
        hand, seat = self._running_hand(), self._open_turn().seat
        taken = hand.apply(action)
        self.turn = None
        street_after = "showdown" if hand.settlement is not None else str(hand.street)
        self._announce(
            wire.player_action(
                self.stream.next_stamp(),
                taken,
                name=seat.name,
                action_id=action_id,
                reason=reason,
                street_after=street_after,
            )
        )
        self._show()

    def _see_to(self, seat: Seat) -> None:
        """What the end of a hand means for a seat."""
        seat.missed_hands = seat.missed_hands + 1 if seat.has_timed_out else 0
        if seat.leaving is not None:
            self.remove(seat, seat.leaving)
        elif seat.stack_chips < self.stakes.least_stack_chips:
            self._owner.busted(self, seat)
        elif seat.missed_hands >= self.settings.max_missed_hands and not self.is_tournament:
            self.remove(seat, "disconnected")

    def _tell_cards(self, seat: Seat, held: tuple[int, int]) -> None:
        self._tell(seat, lambda stamp: wire.event(stamp, "hole_cards", cards=wire.cards(held)))
        if seat.account is not None:
            seat.account.stats = replace(seat.account.stats, hands=seat.account.stats.hands + 1)

    def _announce(self, public: Frame) -> None:
        """Send a public event to everybody, and keep it for resyncs."""
        self.stream.retain(public)
        for seat in self.seats.values():
            if seat.account is not None:
                seat.account.send(view.addressed(public, seat))

    def _tell(self, seat: Seat, frame: Callable[[Stamp], Frame]) -> None:
        """Send a private frame; its number is used up whoever sits there."""
        stamp = self.stream.next_stamp()
        if seat.account is not None:
            seat.account.send(frame(stamp))

    def _show(self) -> None:
        """Send everybody their own snapshot, all under one number."""
        self._take_over_stacks()
        seen_by = view.snapshots(self, self.stream.next_stamp())
        for seat in self.seats.values():
            if seat.account is not None and seat.account.is_connected:
                seat.account.send(seen_by(seat))

    def _take_over_stacks(self) -> None:
        if self.is_playing and self.hand is not None:
            for seat in self.seats.values():
                if seat.hole_cards is not None:
                    seat.stack_chips = self.hand.stack_chips(seat.number)
