"""One hand of no-limit hold'em, spoken in seats, chips and our own cards; pokerkit deals and settles it.

A hand is stepped so that a table can pause and show every state: `apply` an action, `deal_street` while one is
due, read `settlement` once the hand is over. Nothing here knows a clock, a socket or a client.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from pokerkit import Automation, Card, Mode, NoLimitTexasHoldem

from agent.arena.game.showdown import DEALT_CARDS, SevenCardHand, describe_hand
from agent.poker.cards import DECK
from agent.poker.spot import Action, LegalActions, PastAction, Player, Spot, Street, Verb

MAX_SEATS: Final = 6

_BOARD_START: Final = 2 * MAX_SEATS
_NEXT_STREET: Final = {0: (Street.FLOP, 3), 3: (Street.TURN, 4), 4: (Street.RIVER, 5)}
# Bets are collected and streets dealt by hand: their states are what spectators see between two actions. Cards are
# shown by hand because the venue shows everybody's, while pokerkit would first work out who could muck.
_AUTOMATED: Final = (
    Automation.ANTE_POSTING,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.RUNOUT_COUNT_SELECTION,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)


class DealerError(Exception):
    """A hand that cannot be dealt or played on.

    DealerError
    ├── IllegalActionError   the actor may not do this now; the hand is unchanged
    └── ChipsLostError       a settlement whose chips do not add up
    """


class IllegalActionError(DealerError):
    """The actor may not do this now; the hand is unchanged."""


class ChipsLostError(DealerError):
    """A settlement whose chips do not add up."""


@dataclass(frozen=True, slots=True)
class DealtPlayer:
    """A player who is dealt in, with the stack before blinds."""

    seat: int
    name: str
    stack_chips: int


@dataclass(frozen=True, slots=True)
class TakenAction:
    """An action with its surroundings, in chips before and after it."""

    past: PastAction
    to_call_chips: int
    pot_before_chips: int
    pot_after_chips: int
    stack_before_chips: int
    stack_after_chips: int


@dataclass(frozen=True, slots=True)
class Settlement:
    """How a hand ended, by seat.

    `payouts` are the chips pushed to a seat, its own bets included and uncalled bets excluded;
    `contributions` are the chips that each put into the pot, uncalled bets excluded. `shown_cards` and `hand_descriptions` are None without
    a showdown, and then name every seat that reached it.
    """

    start_stacks: dict[int, int]
    final_stacks: dict[int, int]
    contributions: dict[int, int]
    payouts: dict[int, int]
    shown_cards: dict[int, tuple[int, int]] | None
    hand_descriptions: dict[int, str] | None

    @property
    def total_pot_chips(self) -> int:
        """All chips that were played for."""
        return sum(self.contributions.values())

    @property
    def winners(self) -> dict[int, int]:
        """Net gain of each seat that was paid and did not lose over the hand; 0 for an even split."""
        gains = {seat: self.final_stacks[seat] - self.start_stacks[seat] for seat in self.payouts}
        return {seat: gain for seat, gain in gains.items() if gain >= 0}

    @property
    def transferred_chips(self) -> int:
        """Chips that changed hands."""
        return sum(max(0, final - self.start_stacks[seat]) for seat, final in self.final_stacks.items())


def deal_order(
    seats: Sequence[int], button_seat: int, *, heads_up_button_posts_small_blind: bool = False
) -> tuple[int, ...]:
    """The seats as pokerkit counts them: from the small blind to the button; heads-up the big blind first.

    >>> deal_order((0, 2, 5), button_seat=2)
    (5, 0, 2)
    >>> deal_order((0, 2), button_seat=2)
    (2, 0)
    """
    others = [seat for seat in sorted(seats) if seat > button_seat] + [s for s in sorted(seats) if s < button_seat]
    if len(others) > 1 or heads_up_button_posts_small_blind:
        return (*others, button_seat)
    return (button_seat, *others)


class Hand:
    """One hand from the blinds to the settlement.

    `deck` is a shuffled deck. Seat `s` holds cards `2s` and `2s + 1` of it and the board is cards 12 to 16, so
    that the same deck gives a seat the same cards whoever else is dealt in. Heads-up the venue's button posts the
    big blind unless `heads_up_button_posts_small_blind`; the small blind then acts first before the flop, the
    big blind on later streets. `order` holds the seats as pokerkit counts them, from the small blind on. Raises
    `DealerError` for seats, stacks, button or deck that make no hand.
    """

    def __init__(
        self,
        players: Sequence[DealtPlayer],
        *,
        button_seat: int,
        small_blind_chips: int,
        big_blind_chips: int,
        deck: Sequence[int],
        table_id: str = "",
        hand_id: str = "",
        heads_up_button_posts_small_blind: bool = False,
    ) -> None:
        _check(players, button_seat, deck)
        self.players: Final = tuple(sorted(players, key=lambda player: player.seat))
        self.button_seat: Final = button_seat
        self.small_blind_chips: Final = small_blind_chips
        self.big_blind_chips: Final = big_blind_chips
        self.table_id: Final = table_id
        self.hand_id: Final = hand_id
        self.street = Street.PREFLOP
        self.board: tuple[int, ...] = ()
        self.settlement: Settlement | None = None
        self.hole_cards: Final = {p.seat: (deck[2 * p.seat], deck[2 * p.seat + 1]) for p in self.players}
        self._full_board = tuple(deck[_BOARD_START : _BOARD_START + 5])
        self._start_stacks = {player.seat: player.stack_chips for player in self.players}
        self.order: Final = deal_order(
            tuple(self._start_stacks),
            button_seat,
            heads_up_button_posts_small_blind=heads_up_button_posts_small_blind,
        )
        self._index = {seat: index for index, seat in enumerate(self.order)}
        self._folded: set[int] = set()
        self._actions: list[PastAction] = []
        self._legal: LegalActions | None = None
        self._state = NoLimitTexasHoldem.create_state(
            _AUTOMATED,
            True,
            0,
            (small_blind_chips, big_blind_chips),
            big_blind_chips,
            tuple(self._start_stacks[seat] for seat in self.order),
            len(self.order),
            # The tournament mode forbids to fold where checking is free; the venue offers it.
            mode=Mode.CASH_GAME,
        )
        self._state.hand_types = (SevenCardHand,)
        self._deal_hole_cards()
        self._put_in = {seat: stack - self.stack_chips(seat) for seat, stack in self._start_stacks.items()}
        self._close_round()

    @property
    def actions(self) -> tuple[PastAction, ...]:
        """The public actions so far, blinds not among them."""
        return tuple(self._actions)

    @property
    def pot_chips(self) -> int:
        """Every chip that is in no stack, the bets of this street included."""
        return sum(self._start_stacks.values()) - sum(self._state.stacks)

    @property
    def is_street_due(self) -> bool:
        """Whether the next thing to happen is a street."""
        return self._state.card_burning_status

    @property
    def actor_seat(self) -> int | None:
        """The seat to act next; while a street is due the one that opens it. None when nobody can act."""
        if self._state.actor_index is not None:
            return self.order[self._state.actor_index]
        if not self.is_street_due or self._state.all_in_status:
            return None
        return next(s for s in self.order if s not in self._folded and self.stack_chips(s))

    def stack_chips(self, seat: int) -> int:
        """What `seat` has behind."""
        return self._state.stacks[self._index[seat]]

    def bet_chips(self, seat: int) -> int:
        """What lies in front of `seat` on this street."""
        return self._state.bets[self._index[seat]]

    def has_folded(self, seat: int) -> bool:
        """Whether `seat` gave up its cards in this hand."""
        return seat in self._folded

    def legal(self) -> LegalActions:
        """What the actor may do; an empty offer while nobody may act.

        An all-in is offered where it is a legal raise or where the stack does not exceed the call.
        """
        if self._legal is None:
            self._legal = self._find_legal()
        return self._legal

    def _find_legal(self) -> LegalActions:
        state = self._state
        index, to_call = state.actor_index, state.checking_or_calling_amount
        if index is None or to_call is None:
            return LegalActions()
        is_closed = self._is_closed_to_raises(self.order[index], to_call)
        low = None if is_closed else state.min_completion_betting_or_raising_to_amount
        everything = state.stacks[index] + state.bets[index]
        return LegalActions(
            fold=True,
            check=to_call == 0,
            call_chips=to_call or None,
            min_raise_to_chips=low,
            max_raise_to_chips=everything if low is not None else None,
            all_in=low is not None or state.stacks[index] == to_call,
        )

    def apply(self, action: Action) -> TakenAction:
        """Play `action` for the actor, then collect the bets where it closed the round.

        Raises `IllegalActionError` and changes nothing when `legal()` does not allow it.
        """
        seat, legal = self.actor_seat, self.legal()
        if seat is None or not legal.allows(action):
            raise IllegalActionError(f"seat {seat} cannot {action} on the {self.street}: {legal}")
        to_call, pot, stack, bet = legal.call_chips or 0, self.pot_chips, self.stack_chips(seat), self.bet_chips(seat)
        self._legal = None
        added = self._play(seat, action, legal)
        self._put_in[seat] += added
        past = PastAction(seat, self.street, action.verb, added, bet + added)
        self._actions.append(past)
        self._close_round()
        return TakenAction(past, to_call, pot, pot + added, stack, stack - added)

    def deal_street(self) -> tuple[int, ...]:
        """Deal the street that is due and return the whole board."""
        if not self.is_street_due:
            raise DealerError("no street is due")
        known = len(self.board)
        self.street, size = _NEXT_STREET[known]
        self.board = self._full_board[:size]
        self._legal = None
        self._state.burn_card(Card.UNKNOWN)
        self._state.deal_board(size - known)
        if not self._state.status:
            self.settlement = self._settle()
        return self.board

    def spot(self, seat: int) -> Spot:
        """What `seat` knows, as a decision to take; its offer is empty unless it is the actor."""
        is_actor = seat == self.actor_seat
        return Spot(
            table_id=self.table_id,
            hand_id=self.hand_id,
            street=self.street,
            hero_seat=seat,
            hole_cards=self.hole_cards[seat],
            board=self.board,
            button_seat=self.button_seat,
            small_blind_chips=self.small_blind_chips,
            big_blind_chips=self.big_blind_chips,
            pot_chips=self.pot_chips,
            legal=self.legal() if is_actor else LegalActions(),
            players=tuple(
                Player(p.seat, p.name, self.stack_chips(p.seat), self.bet_chips(p.seat), self.has_folded(p.seat))
                for p in self.players
            ),
            actions=self.actions,
            big_blind_seat=self.order[0] if len(self.order) == 2 else self.order[1],
        )

    def _deal_hole_cards(self) -> None:
        """Stack pokerkit's deck with what will be dealt from it, and no more: it searches the deck for every card."""
        state, holes = self._state, [self.hole_cards[seat] for seat in self.order]
        state.deck_cards.clear()
        state.deck_cards.extend(DEALT_CARDS[card] for card in (*chain.from_iterable(holes), *self._full_board))
        for index in range(len(holes)):
            state.deal_hole(2, index)

    def _is_closed_to_raises(self, seat: int, to_call: int) -> bool:
        # pokerkit measures a short all-in against earlier raises only, so that the first one of a street would
        # reopen the betting; the measure is a full raise, at least one big blind.
        has_acted = any(past.seat == seat and past.street is self.street for past in self._actions)
        full_raise = max(self._state.completion_betting_or_raising_amount, self.big_blind_chips)
        return has_acted and to_call < full_raise

    def _is_uncontested(self) -> bool:
        """Whether the actor has nothing to call and nobody left who could answer a bet."""
        index = self._state.actor_index
        if index is None or self._state.checking_or_calling_amount:
            return False
        return not any(
            stack and status
            for i, (stack, status) in enumerate(zip(self._state.stacks, self._state.statuses, strict=True))
            if i != index
        )

    def _play(self, seat: int, action: Action, legal: LegalActions) -> int:
        """Pass the action on to pokerkit; the chips that it added."""
        bet = self.bet_chips(seat)
        raise_to = action.raise_to_chips if action.verb is Verb.RAISE else legal.max_raise_to_chips
        if action.verb is Verb.FOLD:
            self._folded.add(seat)
            self._fold(is_needless=legal.check)
            return 0
        if action.verb in (Verb.RAISE, Verb.ALL_IN) and raise_to is not None:
            self._state.complete_bet_or_raise_to(raise_to)
            return raise_to - bet
        return self._state.check_or_call().amount

    def _fold(self, *, is_needless: bool) -> None:
        if not is_needless:
            self._state.fold()
            return
        with warnings.catch_warnings():
            # A needless fold is allowed here, and worth no warning.
            warnings.simplefilter("ignore", UserWarning)
            self._state.fold()

    def _close_round(self) -> None:
        if self._is_uncontested():
            # pokerkit would still ask the last player with chips, whose needless fold nobody could be paid for.
            self._state.check_or_call()
        if self._state.can_collect_bets():
            self._state.collect_bets()
        while self._state.showdown_indices:
            self._state.show_or_muck_hole_cards(True)
        if self.is_street_due:
            self.street, _ = _NEXT_STREET[len(self.board)]
        elif not self._state.status:
            self.settlement = self._settle()

    def _settle(self) -> Settlement:
        final = {seat: self.stack_chips(seat) for seat in self._start_stacks}
        # Chips that no other seat matched were never played for: they went back to whoever put them in.
        matched = sorted(self._put_in.values())[-2]
        contributions = {seat: min(chips, matched) for seat, chips in self._put_in.items()}
        payouts = {seat: final[seat] - start + contributions[seat] for seat, start in self._start_stacks.items()}
        if sum(payouts.values()) != sum(contributions.values()) or min(payouts.values()) < 0:
            raise ChipsLostError(f"{self._start_stacks} became {final} with {contributions} in pot of {self.hand_id}")
        shown = {seat: self.hole_cards[seat] for seat in sorted(self._start_stacks) if seat not in self._folded}
        described = {seat: describe_hand(hole, self.board) for seat, hole in shown.items()} if len(shown) > 1 else None
        return Settlement(
            start_stacks=dict(self._start_stacks),
            final_stacks=final,
            contributions=contributions,
            payouts={seat: amount for seat, amount in payouts.items() if amount},
            shown_cards=shown if described is not None else None,
            hand_descriptions=described,
        )


def _check(players: Sequence[DealtPlayer], button_seat: int, deck: Sequence[int]) -> None:
    seats = [player.seat for player in players]
    if not 2 <= len(seats) <= MAX_SEATS or len(set(seats)) < len(seats) or not set(seats) <= set(range(MAX_SEATS)):
        raise DealerError(f"a hand needs 2 to {MAX_SEATS} distinct seats of 0 to {MAX_SEATS - 1}, got {seats}")
    if button_seat not in seats:
        raise DealerError(f"the button seat {button_seat} is not dealt in: {seats}")
    if any(player.stack_chips <= 0 for player in players):
        raise DealerError("everybody who is dealt in needs chips")
    if sorted(deck) != list(DECK):
        raise DealerError("the deck is not the 52 cards")
