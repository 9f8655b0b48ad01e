"""A hand of the journal as the steps in which it is replayed: each a table to draw, and what happened in words."""

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from agent.console.felt import FeltSeat, FeltView, side_pots
from agent.console.telling import move_words
from agent.journal.records import DecisionRecord, HandPlayer, HandRecord
from agent.journal.stories import HandStory
from agent.poker.cards import parse_cards, pretty_cards
from agent.poker.line import Move, moves
from agent.poker.spot import BOARD_CARDS, Street
from agent.terminal.hand import past_actions
from agent.terminal.text import chips
from agent.terminal.words import mappings

UNKNOWN_PLAYERS: Final = "Who was dealt in is not in the journal, so the hand cannot be drawn."


@dataclass(frozen=True, slots=True)
class Step:
    """A moment of a hand: how the table looks, what has just happened, and on which street.

    `acted` counts the actions of the hand up to here. `decision` is ours, where we are to act and where we have just acted.
    """

    view: FeltView
    words: str
    street: Street
    acted: int
    decision: DecisionRecord | None = None


def steps(story: HandStory) -> tuple[Step, ...]:
    """The hand step by step, from the blinds to who won what; none where it is not known who was dealt in."""
    return tuple(_Replay(story).steps()) if story.hand.players else ()


class _Replay:
    """The table while the hand goes on."""

    def __init__(self, story: HandStory) -> None:
        hand = story.hand
        self._hand: Final = hand
        self._names: Final = {player.seat: player.name for player in hand.players}
        self._stacks: Final = {player.seat: player.start_chips for player in hand.players}
        self._bets: Final = Counter[int]()
        self._collected: Final = Counter[int](dict.fromkeys(self._stacks, 0))
        self._notes: Final = dict[int, str]()
        self._folded: Final = set[int]()
        self._won: Final = Counter[int]()
        self._shown: Final = {int(seat): parse_cards(held) for seat, held in hand.shown.items()}
        self._board: Final = parse_cards(hand.board)
        self._street = Street.PREFLOP
        self._acted_so_far = 0
        self._is_showdown = False
        self._waiting: Final = deque(story.decisions)

    def steps(self) -> Iterator[Step]:
        """The steps, one after the other."""
        yield self._dealt()
        for move in moves(past_actions(self._hand), self._hand.big_blind_chips):
            yield from self._streets_until(move.past.street)
            decision = self._decision() if move.past.seat == self._hand.hero_seat else None
            if decision is not None:
                yield self._to_act(decision)
            yield self._acted(move, decision)
        while self._waiting:
            decision = self._waiting.popleft()
            yield from self._streets_until(Street(decision.street))
            yield self._to_act(decision, "What was decided here was not seen played.")
        self._collect()
        yield from self._streets_until(Street.RIVER)
        if self._shown:
            yield self._showdown()
        yield self._end()

    def _dealt(self) -> Step:
        for seat, posted in self._hand.blinds.items():
            self._pay(int(seat), posted)
            self._notes[int(seat)] = f"posts {posted:,}"
        blinds = "/".join(chips(posted) for posted in sorted(self._hand.blinds.values()))
        told = [f"Blinds {blinds}."] if blinds else []
        hero = self._hand.hero_seat
        if hero in self._names and self._hand.hole_cards:
            told.append(f"{self._names[hero]} holds {pretty_cards(parse_cards(self._hand.hole_cards))}.")
        return self._step(" ".join(told) or "The cards are dealt.")

    def _streets_until(self, street: Street) -> Iterator[Step]:
        """Deal what was dealt up to this street."""
        order = tuple(Street)
        for dealt in order[order.index(self._street) + 1 : order.index(street) + 1]:
            if len(self._board) < BOARD_CARDS[dealt]:
                return
            self._collect()
            self._street = dealt
            pot = sum(self._collected.values())
            yield self._step(
                f"{dealt.capitalize()}: {pretty_cards(self._board[: BOARD_CARDS[dealt]])}, pot {chips(pot)}."
            )

    def _decision(self) -> DecisionRecord | None:
        """Our decision that the next action of ours comes from."""
        is_next = self._waiting and self._waiting[0].street == self._street
        return self._waiting.popleft() if is_next else None

    def _to_act(self, decision: DecisionRecord, words: str = "") -> Step:
        cost = f"{decision.to_call_chips:,} to call" if decision.to_call_chips else "checking is free"
        name = self._names.get(decision.hero_seat, "Our seat")
        told = words or f"{name} is to act: {cost}, pot {chips(decision.pot_chips)}."
        return self._step(told, decision, to_act=decision.hero_seat)

    def _acted(self, move: Move, decision: DecisionRecord | None) -> Step:
        seat = move.past.seat
        self._acted_so_far += 1
        self._pay(seat, move.past.added_chips)
        all_in = bool(move.past.added_chips) and self._stacks.get(seat) == 0
        self._notes[seat] = move_words(move, "", all_in=all_in).strip().rstrip(".")
        if move.past.verb == "fold":
            self._folded.add(seat)
        return self._step(move_words(move, self._names.get(seat, f"Seat {seat}"), all_in=all_in), decision)

    def _pay(self, seat: int, amount: int) -> None:
        self._bets[seat] += amount
        if seat in self._stacks:
            self._stacks[seat] -= amount

    def _collect(self) -> None:
        """The bets of a street go into the pots; what nobody has called goes back."""
        highest = self._bets.most_common(2)
        if highest:
            seat, amount = highest[0]
            uncalled = amount - (highest[1][1] if len(highest) > 1 else 0)
            self._pay(seat, -uncalled)
        self._collected.update(self._bets)
        self._bets.clear()
        for seat in tuple(self._notes):
            if seat not in self._folded:
                del self._notes[seat]

    def _showdown(self) -> Step:
        self._is_showdown = True
        told = (
            f"{self._names.get(seat, f'Seat {seat}')} shows {pretty_cards(held)}." for seat, held in self._shown.items()
        )
        return self._step(" ".join(told))

    def _end(self) -> Step:
        for paid in mappings(self._hand.result.get("payouts")) or mappings(self._hand.result.get("winners")):
            seat, amount = paid.get("seat"), paid.get("amount")
            if isinstance(seat, int) and isinstance(amount, int):
                self._won[seat] += amount
        made = {
            winner.get("seat"): winner.get("hand_description") for winner in mappings(self._hand.result.get("winners"))
        }
        told = []
        for seat, amount in self._won.items():
            with_what = f" with {made[seat]}" if made.get(seat) else ""
            told.append(f"{self._names.get(seat, f'Seat {seat}')} wins {amount:,}{with_what}.")
        self._collected.clear()
        self._stacks.update(_final_stacks(self._hand, self._stacks, self._won))
        return self._step(" ".join([*told, f"Our net: {chips(self._hand.net_chips, signed=True)}."]))

    def _step(self, words: str, decision: DecisionRecord | None = None, *, to_act: int | None = None) -> Step:
        players = _from_hero(self._hand)
        view = FeltView(
            seats=tuple(self._seat(player, is_to_act=player.seat == to_act) for player in players),
            board=self._board[: BOARD_CARDS[self._street]],
            pots=side_pots(self._collected, set(self._names) - self._folded) if any(self._collected.values()) else (),
            button_seat=self._hand.button_seat,
        )
        return Step(view, words, self._street, self._acted_so_far, decision)

    def _seat(self, player: HandPlayer, *, is_to_act: bool) -> FeltSeat:
        seat = player.seat
        is_hero, shown = seat == self._hand.hero_seat, self._shown.get(seat, ()) if self._is_showdown else ()
        cards = parse_cards(self._hand.hole_cards) if is_hero else shown
        return FeltSeat(
            seat=seat,
            name=player.name,
            stack_chips=self._stacks[seat],
            bet_chips=self._bets[seat],
            cards=cards,
            hidden=not cards and seat not in self._folded,
            folded=seat in self._folded,
            to_act=is_to_act,
            won_chips=self._won[seat],
            note=self._notes.get(seat, ""),
            position=player.position or "",
        )


def _from_hero(hand: HandRecord) -> tuple[HandPlayer, ...]:
    """The players clockwise, we first."""
    ours = hand.hero_seat if hand.hero_seat is not None else 0
    return tuple(sorted(hand.players, key=lambda player: (player.seat < ours, player.seat)))


def _final_stacks(hand: HandRecord, stacks: dict[int, int], won: Counter[int]) -> dict[int, int]:
    """What everybody has in the end: as the venue told it, else counted."""
    told = {
        player.seat: player.start_chips + player.net_chips for player in hand.players if player.net_chips is not None
    }
    return {seat: told.get(seat, chips_left + won[seat]) for seat, chips_left in stacks.items()}
