"""The table against pokerkit alone: 20,000 random hands in which every frame that any client receives is checked.

The reference is a pokerkit state that is set up and played here, without the dealer. What a client may know is worked
out from the deck, not from the table.
"""

import random
import re
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, lru_cache, partial
from itertools import combinations
from multiprocessing import get_context
from typing import Any

import pytest
from pokerkit import Automation, Card, CardsLike, Mode, NoLimitTexasHoldem, StandardHighHand, State
from pokerkit.lookups import Entry

from agent.arena.game.account import Account
from agent.arena.game.records import HandRecord
from agent.arena.game.table import Seat, Stakes, Table
from agent.arena.settings import ArenaSettings
from agent.poker.cards import format_card
from agent.poker.spot import Action, Verb

Frame = Mapping[str, Any]

# Seeds, and whether the button posts the small blind heads-up.
CHUNKS = tuple((seed, seed % 2 == 1) for seed in range(20))
HANDS_IN_CHUNK = 1_000
SMALL_BLIND, BIG_BLIND = 10, 20
# A whole word of nothing but cards, such as As or AsKd; the parts of an id are no words. What stands before the word
# is looked at last, because a pattern that begins with a letter is found many times faster.
CARDS = re.compile(r"[2-9TJQKA][cdhs](?<![\w-]..)(?:[2-9TJQKA][cdhs])*(?![\w-])")
# What may differ between two snapshots of the same table.
OWN_KEYS = ("hero", "to_call", "min_raise_to", "max_raise_to", "table_seq", "hand_seq", "ts", "state_hash")
BY_HAND = (Automation.CARD_BURNING, Automation.HOLE_DEALING, Automation.BOARD_DEALING)
AUTOMATED = tuple(automation for automation in Automation if automation not in BY_HAND)


@pytest.fixture(scope="module")
def chunks() -> Iterator[dict[tuple[int, bool], Future[int]]]:
    """All hands, played in two processes."""
    pool = ProcessPoolExecutor(2, mp_context=get_context("spawn"))
    yield {chunk: pool.submit(play_chunk, *chunk) for chunk in CHUNKS}
    pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("chunk", CHUNKS, ids=lambda chunk: f"{chunk[0]}-{'standard' if chunk[1] else 'venue'}-blinds")
def test_a_table_offers_pays_and_hides_what_it_should_over_random_hands(
    chunk: tuple[int, bool], chunks: Mapping[tuple[int, bool], "Future[int]"]
) -> None:
    stricter_offers = chunks[chunk].result()
    assert stricter_offers > 0


def play_chunk(seed: int, is_standard: bool) -> int:
    """Play the hands of a seed; how often a raise was refused that pokerkit would have allowed."""
    rng = random.Random(seed)
    room = Room(is_standard=is_standard, seed=seed)
    stricter_offers = 0
    for number in range(1, HANDS_IN_CHUNK + 1):
        deal = random_deal(rng, room.deck(number), is_standard=is_standard)
        try:
            stricter_offers += play(room, deal, rng)
        except AssertionError as failure:
            failure.add_note(f"hand {number} of seed {seed}: {deal}")
            raise
    return stricter_offers


@dataclass(frozen=True)
class Deal:
    """A hand before its first action. `order` counts the players as pokerkit does: the button last in a ring, and
    heads-up the big blind first. An onlooker has no chips and gets no cards."""

    stacks: Mapping[int, int]
    onlookers: frozenset[int]
    button: int
    order: tuple[int, ...]
    hole_cards: Mapping[int, tuple[str, str]]
    board: tuple[str, ...]


def random_deal(rng: random.Random, deck: list[str], *, is_standard: bool) -> Deal:
    seats = rng.sample(range(6), rng.randint(2, 6))
    stacks = {seat: random_stack(rng) for seat in seats}
    button = rng.choice(seats)
    ring = sorted(seats, key=lambda seat: (seat - button - 1) % 6)
    return Deal(
        stacks=stacks,
        onlookers=frozenset(seat for seat in range(6) if seat not in seats and rng.random() < 0.2),
        button=button,
        order=tuple(ring if len(seats) > 2 or is_standard else reversed(ring)),
        hole_cards={seat: (deck[2 * seat], deck[2 * seat + 1]) for seat in seats},
        board=tuple(deck[12:17]),
    )


def random_stack(rng: random.Random) -> int:
    """From a single chip to two million; half of them short, so that they meet in side pots and short all-ins."""
    return round(10 ** rng.uniform(0, 6.3)) if rng.random() < 0.5 else rng.randint(1, 400)


class Room:
    """A table whose seats are all clients' seats: the one place here that knows how a table is driven."""

    def __init__(self, *, is_standard: bool, seed: int) -> None:
        settings = ArenaSettings(seed=seed, heads_up_button_posts_small_blind=is_standard)
        self.table = Table(settings, self, now=lambda: datetime(2026, 9, 20, 12, tzinfo=UTC))
        self.table.stakes = Stakes(SMALL_BLIND, BIG_BLIND, least_stack_chips=1)
        self.record: HandRecord | None = None
        self.watch: Callable[[int, Frame], None] = lambda seat, frame: None
        accounts = [Account(f"Player {n}", f"agent-{n}", 0, deliver=partial(self._deliver, n)) for n in range(6)]
        self._seats = [Seat(n, account.name, 0, account=account) for n, account in enumerate(accounts)]

    def deck(self, hand_number: int) -> list[str]:
        return [format_card(card) for card in self.table.seeded.deck(self.table.number, hand_number)]

    def start(self, deal: Deal, watch: Callable[[int, Frame], None]) -> None:
        self.watch = watch
        self.table.seats = {seat: self._seats[seat] for seat in (*deal.stacks, *deal.onlookers)}
        for number, seat in self.table.seats.items():
            seat.stack_chips = deal.stacks.get(number, 0)
        self.table.button_seat = deal.button - 1
        self.table.start_hand()

    @property
    def is_over(self) -> bool:
        return self.table.hand is None or self.table.hand.settlement is not None

    @property
    def is_street_due(self) -> bool:
        return self.table.hand is not None and self.table.hand.is_street_due

    def deal_street(self) -> None:
        self.table.deal_street()

    def prompt(self) -> None:
        self.table.prompt()

    def act(self, action: Action) -> None:
        self.table.accept({"client_action_id": "the-only-one"}, action)

    def finish(self) -> HandRecord:
        self.table.finish_hand()
        assert self.record is not None
        return self.record

    def _deliver(self, seat: int, frame: Frame) -> None:
        self.watch(seat, frame)

    # What the table reports to its owner.

    def hand_played(self, record: HandRecord) -> None:
        self.record = record

    def busted(self, table: Table, seat: Seat) -> None: ...

    def seat_freed(self, table: Table) -> None: ...


def play(room: Room, deal: Deal, rng: random.Random) -> int:
    """Play a hand on both sides; how often the table offered less than pokerkit, by the rule that says so."""
    reference, witness = Reference(deal), Witness(deal)
    stricter_offers = 0
    room.start(deal, witness.see)
    while not room.is_over:
        if room.is_street_due:
            cards = deal.board[witness.board_size : max(3, witness.board_size + 1)]
            witness.board_size += len(cards)
            reference.deal_street(cards)
            room.deal_street()
            continue
        room.prompt()
        seat, turn = witness.take_turn()
        assert seat == turn["seat"] == reference.actor_seat
        offer = reference.offer()
        assert turn["valid_actions"] == offer, f"{turn['valid_actions']} instead of {offer}"
        stricter_offers += reference.is_stricter
        action = random_action(turn["valid_actions"], rng)
        reference.play(action)
        witness.saw(seat, action)
        room.act(action)
    reference.finish()
    witness.is_showdown = True
    record = room.finish()
    assert record.final_stacks == reference.stacks, f"{record.final_stacks} instead of {reference.stacks}"
    witness.check_result(reference.stacks)
    return stricter_offers


def random_action(offer: list[Mapping[str, Any]], rng: random.Random) -> Action:
    weights = {"fold": 1, "check": 4, "call": 4, "raise": 3, "all_in": 1}
    entry = rng.choices(offer, [weights[entry["action"]] for entry in offer])[0]
    if entry["action"] != "raise":
        return Action(Verb(entry["action"]))
    low, high = entry["min"], entry["max"]
    return Action(Verb.RAISE, rng.choice((low, min(high, 2 * low), rng.randint(low, high))))


class RememberedHand(StandardHighHand):
    """pokerkit's own hands and order, each looked up once."""

    @classmethod
    def from_game(cls, hole_cards: CardsLike, board_cards: CardsLike = ()) -> StandardHighHand:
        return remembered_hand(Card.clean(hole_cards) + Card.clean(board_cards))

    @cached_property
    def entry(self) -> Entry:
        return super().entry


@lru_cache(maxsize=64)
def remembered_hand(cards: tuple[Card, ...]) -> StandardHighHand:
    return RememberedHand(max(combinations(cards, 5), key=StandardHighHand.lookup.get_entry))


class Reference:
    """A hand played by pokerkit alone, and the one rule in which the venue is stricter than pokerkit."""

    def __init__(self, deal: Deal) -> None:
        self._order = deal.order
        stacks = [deal.stacks[seat] for seat in deal.order]
        self._state: State = NoLimitTexasHoldem.create_state(
            AUTOMATED, True, 0, (SMALL_BLIND, BIG_BLIND), BIG_BLIND, stacks, len(stacks), mode=Mode.CASH_GAME
        )
        self._state.hand_types = (RememberedHand,)
        dealt = [card for seat in deal.order for card in deal.hole_cards[seat]]
        # Nothing else is dealt: pokerkit looks through its whole deck for every card.
        self._state.deck_cards = deque(Card.parse("".join((*dealt, *deal.board))))
        for seat in deal.order:
            self._state.deal_hole("".join(deal.hole_cards[seat]))
        self._acted: set[int] = set()
        self._full_raise = BIG_BLIND

    @property
    def actor_seat(self) -> int | None:
        index = self._state.actor_index
        return None if index is None else self._order[index]

    @property
    def stacks(self) -> dict[int, int]:
        return dict(sorted(zip(self._order, self._state.stacks, strict=True)))

    @property
    def is_stricter(self) -> bool:
        """Whether only the venue's rule forbids the actor to raise."""
        return self._is_closed() and self._state.min_completion_betting_or_raising_to_amount is not None

    def offer(self) -> list[dict[str, Any]]:
        """What the actor may do, in the words of the wire."""
        state, index = self._state, self._state.actor_index
        assert index is not None
        stack, to_call = state.stacks[index], state.checking_or_calling_amount
        low = state.min_completion_betting_or_raising_to_amount
        high = state.max_completion_betting_or_raising_to_amount
        may_raise = low is not None and not self._is_closed()
        offered = [entry("fold"), entry("call", to_call) if to_call else entry("check")]
        if may_raise:
            offered.append(entry("raise", low=low, high=high))
        if may_raise or stack == to_call:
            offered.append(entry("all_in", stack))
        return offered

    def play(self, action: Action) -> None:
        state, index = self._state, self._state.actor_index
        assert index is not None
        self._acted.add(index)
        highest, everything = max(state.bets), state.bets[index] + state.stacks[index]
        raise_to = action.raise_to_chips if action.verb is Verb.RAISE else everything
        assert raise_to is not None
        if action.verb is Verb.FOLD:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="There is no reason for this player to fold")
                state.fold()
        elif action.verb in (Verb.RAISE, Verb.ALL_IN) and raise_to > highest:
            self._full_raise = max(self._full_raise, raise_to - highest)
            state.complete_bet_or_raise_to(raise_to)
        else:
            state.check_or_call()

    def deal_street(self, cards: tuple[str, ...]) -> None:
        self._pass_over_the_last_player_with_chips()
        self._state.burn_card("??")
        self._state.deal_board("".join(cards))
        self._acted, self._full_raise = set(), BIG_BLIND

    def finish(self) -> None:
        self._pass_over_the_last_player_with_chips()
        assert not self._state.status

    def _is_closed(self) -> bool:
        """Whoever has acted may raise only against a full raise: the largest of the street, at least a big blind.

        pokerkit takes an all-in below the big blind for a full raise when nobody had raised before it.
        """
        index = self._state.actor_index
        assert index is not None
        return index in self._acted and max(self._state.bets) - self._state.bets[index] < self._full_raise

    def _pass_over_the_last_player_with_chips(self) -> None:
        """pokerkit still asks whoever could neither call nor be answered; the venue does not."""
        if self._state.actor_index is not None:
            assert self._state.checking_or_calling_amount == 0
            assert self._state.min_completion_betting_or_raising_to_amount is None
            self._state.check_or_call()


def entry(action: str, amount: int | None = None, low: int | None = None, high: int | None = None) -> dict[str, Any]:
    return {"action": action, "amount": amount, "min": low, "max": high}


class Witness:
    """Sees every frame of every client, and objects to a lost chip or a card that its reader must not know."""

    def __init__(self, deal: Deal) -> None:
        self.board_size = 0
        self.is_showdown = False
        self._deal, self._chips = deal, sum(deal.stacks.values())
        self._live = set(deal.stacks)
        self._turn: tuple[int, Frame] | None = None
        self._put_in: dict[int, int] = {}
        self._results: dict[int, Frame] = {}
        self._shared: Frame = {}
        self._shared_cards: frozenset[str] = frozenset()

    def see(self, seat: int, frame: Frame) -> None:
        told = self._cards_in(frame)
        unknown = told - self._known_to(seat) if told else None
        assert not unknown, f"seat {seat} was told {unknown}: {frame}"
        match frame["type"]:
            case "table_state":
                stacks = {entry["seat"]: entry["stack"] for entry in frame["seats"]}
                assert frame["pot"] + sum(stacks.values()) == self._chips, frame
                if not self._put_in:
                    self._put_in = {seat: start - stacks[seat] for seat, start in self._deal.stacks.items()}
            case "your_turn":
                assert self._turn is None
                self._turn = (seat, frame)
            case "player_action" if frame["seat"] == seat:
                self._put_in[frame["seat"]] += frame["contribution_delta"]
            case "hand_result":
                self._results[seat] = frame

    def take_turn(self) -> tuple[int, Frame]:
        """The client that was asked to act, and how."""
        assert self._turn is not None
        turn, self._turn = self._turn, None
        return turn

    def saw(self, seat: int, action: Action) -> None:
        if action.verb is Verb.FOLD:
            self._live.remove(seat)

    def check_result(self, stacks: Mapping[int, int]) -> None:
        """That everybody was told the same result, and that its numbers agree with each other and with `stacks`."""
        assert set(self._results) == {*self._deal.stacks, *self._deal.onlookers}
        result, *others = self._results.values()
        assert all(other == result for other in others)
        gains = {seat: stacks[seat] - start for seat, start in self._deal.stacks.items()}
        matched = sorted(self._put_in.values())[-2]
        paid = {seat: gains[seat] + min(chips, matched) for seat, chips in self._put_in.items()}
        payouts = {entry["seat"]: entry["amount"] for entry in result["payouts"]}
        assert payouts == {seat: chips for seat, chips in paid.items() if chips}
        assert result["total_pot"] == sum(payouts.values()) == sum(min(c, matched) for c in self._put_in.values())
        assert result["pot"] == result["transferable_pot"] == sum(gain for gain in gains.values() if gain > 0)
        assert {entry["seat"]: (entry["amount"], entry["stack"]) for entry in result["winners"]} == {
            seat: (gains[seat], stacks[seat]) for seat in payouts if gains[seat] >= 0
        }
        assert result["final_stacks"] == {str(seat): stack for seat, stack in stacks.items()}
        shown = {str(seat): list(self._deal.hole_cards[seat]) for seat in self._shown()}
        assert result["shown_cards"] == (shown or None)

    def _cards_in(self, frame: Frame) -> frozenset[str]:
        """All cards in a frame; what it shares with the one before, often another client's copy, is read once."""
        shared = {key: value for key, value in frame.items() if key not in OWN_KEYS}
        if shared != self._shared:
            self._shared, self._shared_cards = shared, cards_in(shared)
        return self._shared_cards | cards_in({key: frame[key] for key in OWN_KEYS if key in frame})

    def _known_to(self, seat: int) -> set[str]:
        own = self._deal.hole_cards.get(seat, ())
        shown = [card for other in self._shown() for card in self._deal.hole_cards[other]] if self.is_showdown else ()
        return {*own, *shown, *self._deal.board[: self.board_size]}

    def _shown(self) -> set[int]:
        return self._live if len(self._live) > 1 else set()


def cards_in(frame: Frame) -> frozenset[str]:
    """Every card that the text of a frame spells, wherever it stands."""
    words = CARDS.findall(repr(frame))
    return frozenset(word[start : start + 2] for word in words for start in range(0, len(word), 2))
