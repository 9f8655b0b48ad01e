"""A sitting: one person at a table with house players, cash or freeze-out, dealt by the arena's dealer.

Nothing here knows a browser, a clock or a pause: `step` lets one thing happen at the table, and whoever shows it decides when.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from agent.arena.game.dealer import DealtPlayer, Hand
from agent.arena.game.records import blinds_posted, public_hand
from agent.arena.game.seeded import Seeded
from agent.arena.house.field import Entry, Newcomer, Population, load_field
from agent.arena.house.player import HousePlayer, house_player
from agent.arena.league.freezeout import level
from agent.arena.modes import Format
from agent.arena.settings import ArenaSettings
from agent.console.felt import FeltSeat, FeltView, side_pots
from agent.console.lamp import Advice, Lamp
from agent.console.telling import PERSON, Told, best_first, last_moves, tell
from agent.poker.positions import position_names
from agent.poker.spot import Action, Spot

PERSON_SEAT: Final = 0
RULES: Final = ArenaSettings()
MOST_OPPONENTS: Final = 5


class SittingError(ValueError):
    """What cannot be done at the table now; the message says why."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is played, and with whom.

    `opponents` are specs of house players such as `station:beginner`; an empty one is whoever the usual field sends.
    `buy_in_chips` is the person's in a cash game; house players take the table's usual one. `ValueError` for what no table offers.
    """

    format: Format = Format.CASH
    opponents: tuple[str, ...] = ("",) * MOST_OPPONENTS
    buy_in_chips: int = RULES.default_buy_in_chips
    seed: int = 0
    hands_per_level: int = RULES.hands_per_level

    def __post_init__(self) -> None:
        if not 1 <= len(self.opponents) <= MOST_OPPONENTS:
            raise ValueError(f"{len(self.opponents)} opponents: expected 1 to {MOST_OPPONENTS}")
        for kind in filter(None, self.opponents):
            house_player(kind)
        check_buy_in(self.buy_in_chips)


def check_buy_in(chips: int) -> None:
    """Refuse chips that nobody may sit down with in a cash game."""
    low, high = RULES.min_buy_in_chips, RULES.max_buy_in_chips
    if not low <= chips <= high:
        raise ValueError(f"a buy-in of {chips:,} chips: expected {low:,} to {high:,}")


@dataclass(frozen=True, slots=True)
class Result:
    """How the person has fared: hands dealt, net in chips and in big blinds of the time."""

    hands: int = 0
    net_chips: int = 0
    net_bb: float = 0.0

    @property
    def bb_per_100(self) -> float | None:
        """The net a hundred hands, None before the first one."""
        return 100 * self.net_bb / self.hands if self.hands else None


@dataclass(slots=True)
class _Chair:
    """Who sits in a seat; the person has no `player`."""

    name: str
    kind: str
    stack_chips: int
    player: HousePlayer | None = field(default=None, repr=False)


class Sitting:
    """The table of a plan. The same plan and the same actions of the person give the same hands bit for bit."""

    def __init__(self, plan: Plan) -> None:
        self.plan: Final = plan
        self.result = Result()
        self.places: dict[str, int] = {}
        """The places of those who are out of a freeze-out, and at its end of the winner."""
        self.hand: Hand | None = None
        self._seeded: Final = Seeded(plan.seed, "sitting")
        self._lamp: Final = Lamp(plan.seed)
        self._dealt = 0
        self._button_seat = len(plan.opponents)
        self._is_cash: Final = plan.format is Format.CASH
        own = plan.buy_in_chips if self._is_cash else RULES.starting_stack_chips
        self._chairs: Final = {PERSON_SEAT: _Chair(PERSON, "", own)}
        rng = self._seeded.generator("field")
        for seat, kind in enumerate(plan.opponents, 1):
            comer = self._newcomer(kind, rng)
            self._chairs[seat] = _Chair(comer.name, comer.kind, self._house_chips, comer.player)
        self.bought_chips = sum(chair.stack_chips for chair in self._chairs.values())
        """All chips that were ever brought to the table."""

    @property
    def opponents(self) -> Mapping[str, str]:
        """The house players by name, with their specs."""
        return {chair.name: chair.kind for chair in self._chairs.values() if chair.player}

    @property
    def stacks(self) -> Mapping[str, int]:
        """Everybody's chips by name, those in the pot not among them."""
        hand, running = self.hand, self.is_running
        return {
            chair.name: hand.stack_chips(seat) if hand and running and seat in hand.hole_cards else chair.stack_chips
            for seat, chair in self._chairs.items()
        }

    @property
    def is_running(self) -> bool:
        """Whether a hand is being played."""
        return self.hand is not None and self.hand.settlement is None

    @property
    def is_persons_turn(self) -> bool:
        """Whether the table waits for the person."""
        hand = self.hand
        return hand is not None and self.is_running and not hand.is_street_due and hand.actor_seat == PERSON_SEAT

    @property
    def needs_rebuy(self) -> bool:
        """Whether the person is broke in a cash game."""
        return self._is_cash and not self.is_running and not self._chairs[PERSON_SEAT].stack_chips

    @property
    def is_over(self) -> bool:
        """Whether a freeze-out has its winner."""
        return len(self.places) == len(self._chairs)

    @property
    def last_net_chips(self) -> int:
        """What the latest hand that is over brought the person, 0 where they were not dealt in."""
        settled = self.hand.settlement if self.hand is not None else None
        if settled is None or PERSON_SEAT not in settled.final_stacks:
            return 0
        return settled.final_stacks[PERSON_SEAT] - settled.start_stacks[PERSON_SEAT]

    @property
    def blinds(self) -> tuple[int, int]:
        """Small and big blind of the hand that is played, between hands those of the next one."""
        if self.hand is not None and self.is_running:
            return self.hand.small_blind_chips, self.hand.big_blind_chips
        return level(0 if self._is_cash else self._dealt, self.plan.hands_per_level)

    def next_hand(self) -> None:
        """Deal the next hand, blinds posted; `SittingError` while one runs, the person is broke or the freeze-out is over."""
        if self.is_running:
            raise SittingError("this hand is not over")
        if self.needs_rebuy:
            raise SittingError("you have no chips: buy in again")
        if self.is_over:
            raise SittingError("the freeze-out is over")
        if self._is_cash:
            self._rebuy_house()
        seats = [seat for seat, chair in self._chairs.items() if chair.stack_chips]
        self._button_seat = next((s for s in seats if s > self._button_seat), seats[0])
        small, big = self.blinds
        self.hand = Hand(
            [DealtPlayer(seat, self._chairs[seat].name, self._chairs[seat].stack_chips) for seat in seats],
            button_seat=self._button_seat,
            small_blind_chips=small,
            big_blind_chips=big,
            deck=self._seeded.deck(self._dealt),
            table_id="console",
            hand_id=str(self._dealt + 1),
        )
        self._dealt += 1
        self._settle_if_over()

    def step(self) -> bool:
        """Let a house player act or a street be dealt; False when there is nothing but to wait for the person."""
        hand = self.hand
        if hand is None or not self.is_running or self.is_persons_turn:
            return False
        if hand.is_street_due:
            hand.deal_street()
        else:
            seat = hand.actor_seat
            player = self._chairs[seat].player if seat is not None else None
            if seat is None or player is None:
                raise RuntimeError(f"hand {hand.hand_id} goes on with nobody to act")
            rng = self._seeded.generator("turn", hand.hand_id, seat, len(hand.actions))
            hand.apply(player.act(hand.spot(seat), rng))
        self._settle_if_over()
        return True

    def run(self) -> None:
        """Step until it is the person's turn or the hand is over."""
        while self.step():
            pass

    def act(self, action: Action) -> None:
        """Play the person's action; `SittingError` when it is not their turn or the rules do not allow it."""
        hand = self.hand
        if hand is None or not self.is_persons_turn:
            raise SittingError("it is not your turn")
        if not hand.legal().allows(action):
            raise SittingError(f"{action} is not allowed now")
        hand.apply(action)
        self._settle_if_over()

    def rebuy(self, chips: int = RULES.rebuy_chips) -> None:
        """Bring new chips once broke; `SittingError` before, `ValueError` for chips that nobody may sit down with."""
        if not self.needs_rebuy:
            raise SittingError("a rebuy is for a cash game, once all chips are lost")
        check_buy_in(chips)
        self._chairs[PERSON_SEAT].stack_chips = chips
        self.bought_chips += chips

    def spot(self) -> Spot | None:
        """What the person must decide on, None while it is not their turn."""
        return self.hand.spot(PERSON_SEAT) if self.hand is not None and self.is_persons_turn else None

    def lamp(self) -> Advice | None:
        """What the lamp says of the person's turn, None while it is not theirs."""
        spot = self.spot()
        return self._lamp.shine(spot) if spot is not None else None

    def history(self) -> tuple[Told, ...]:
        """The latest hand in words."""
        return tell(self.hand, PERSON_SEAT) if self.hand is not None else ()

    def view(self) -> FeltView:
        """The table as the person sees it, from their own seat on clockwise."""
        hand = self.hand
        if hand is None:
            return FeltView(tuple(FeltSeat(s, chair.name, chair.stack_chips) for s, chair in self._chairs.items()))
        starts = {player.seat: player.stack_chips for player in hand.players}
        live = {seat for seat in starts if not hand.has_folded(seat)}
        if hand.settlement:
            pots: tuple[int, ...] = (hand.settlement.total_pot_chips,)
        else:
            pots = side_pots({s: starts[s] - hand.stack_chips(s) - hand.bet_chips(s) for s in starts}, live)
        dealt = self._dealt_seats(hand, live)
        absent = {
            seat: FeltSeat(seat, chair.name, chair.stack_chips, out=True)
            for seat, chair in self._chairs.items()
            if seat not in dealt
        }
        return FeltView(tuple((dealt | absent)[seat] for seat in self._chairs), hand.board, pots, hand.button_seat)

    def _dealt_seats(self, hand: Hand, live: set[int]) -> dict[int, FeltSeat]:
        """The seats that were dealt in."""
        settled, notes, face_up = hand.settlement, last_moves(hand), self._face_up(hand, live)
        stacks = self.stacks
        positions = position_names(tuple(hand.hole_cards), hand.button_seat, tuple(blinds_posted(hand))[1])
        to_act = None if settled or hand.is_street_due else hand.actor_seat
        return {
            player.seat: FeltSeat(
                seat=player.seat,
                name=player.name,
                stack_chips=stacks[player.name],
                bet_chips=hand.bet_chips(player.seat),
                cards=best_first(hand.hole_cards[player.seat]) if player.seat in face_up else (),
                hidden=player.seat in live - face_up,
                folded=player.seat not in live,
                to_act=player.seat == to_act,
                won_chips=settled.payouts.get(player.seat, 0) if settled else 0,
                note=notes.get(player.seat, ""),
                position=positions[player.seat],
            )
            for player in hand.players
        }

    @staticmethod
    def _face_up(hand: Hand, live: set[int]) -> set[int]:
        """Whose cards may be seen: the person's, those of a showdown, and everybody's once no more bets are possible."""
        is_run_out = hand.is_street_due and hand.actor_seat is None
        shown = live if is_run_out else set(hand.settlement.shown_cards or ()) if hand.settlement else set()
        return shown | ({PERSON_SEAT} & hand.hole_cards.keys())

    def _newcomer(self, kind: str, rng: random.Random) -> Newcomer:
        """A house player of that spec, or whoever the usual field sends."""
        population = Population((Entry(kind, share=1),)) if kind else load_field()
        return population.newcomer(rng, [chair.name for chair in self._chairs.values()])

    @property
    def _house_chips(self) -> int:
        return RULES.default_buy_in_chips if self._is_cash else RULES.starting_stack_chips

    def _rebuy_house(self) -> None:
        for chair in self._chairs.values():
            if chair.player and not chair.stack_chips:
                chair.stack_chips = self._house_chips
                self.bought_chips += self._house_chips

    def _settle_if_over(self) -> None:
        """Take note of a hand that has just ended."""
        hand = self.hand
        if hand is None or hand.settlement is None:
            return
        settled = hand.settlement
        for seat, chips in settled.final_stacks.items():
            self._chairs[seat].stack_chips = chips
        if PERSON_SEAT in settled.final_stacks:
            before, net = self.result, self.last_net_chips
            net_bb = net / hand.big_blind_chips
            self.result = Result(before.hands + 1, before.net_chips + net, before.net_bb + net_bb)
        seen = public_hand(hand)
        for chair in self._chairs.values():
            if chair.player:
                chair.player.saw(seen)
        self._lamp.saw(hand)
        if not self._is_cash:
            self._place(settled.start_stacks, settled.final_stacks)

    def _place(self, before: Mapping[int, int], after: Mapping[int, int]) -> None:
        """Place who went out; of several the one with more chips before the hand comes in better."""
        staying = [seat for seat, chips in after.items() if chips]
        out = [seat for seat, chips in after.items() if not chips]
        for seat in out:
            ahead = sum(before[other] > before[seat] for other in out)
            self.places[self._chairs[seat].name] = len(staying) + ahead + 1
        if len(staying) == 1:
            self.places[self._chairs[staying[0]].name] = 1
