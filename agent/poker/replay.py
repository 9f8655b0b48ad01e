"""A hand played over from its blinds, action by action, each of which must be possible at a table."""

from collections.abc import Iterable, Mapping
from typing import Any

from agent.poker.positions import blinds_then_others
from agent.poker.spot import PastAction, Street, Verb


class SpotError(ValueError):
    """Values that make no spot; the message names the key and what is allowed there."""


class Replay:
    """Stacks, bets of the street, pot, who folded and who must act; seats are those of `stacks`, blinds (small, big)."""

    def __init__(
        self, stacks: Mapping[int, int], button_seat: int, blinds: tuple[int, int], big_blind_seat: int | None = None
    ) -> None:
        self.stacks, self.bets, self.folded = dict(stacks), dict[int, int](), set[int]()
        self.order = blinds_then_others(tuple(sorted(stacks)), button_seat, big_blind_seat)
        self.pot = self.highest = 0
        self.actions: list[PastAction] = []
        self._big_blind = self._full_raise = blinds[1]
        self._answered = set[int]()
        self._queue = self.order[2:] + self.order[:2]
        for seat, chips in zip(self.order, blinds, strict=False):
            self._pay(seat, min(chips, stacks[seat]))
        self.highest = blinds[1]

    def to_act(self) -> int | None:
        """The seat whose turn it is; None when the betting of the street is over."""
        live = [seat for seat in self._queue if seat not in self.folded]
        able = [seat for seat in live if self.stacks[seat]]
        for seat in able if len(live) > 1 else ():
            owes = self.bets.get(seat, 0) < self.highest
            if owes or (seat not in self._answered and len(able) > 1):
                return seat
        return None

    def next_street(self, path: str) -> None:
        """Collect the bets; `SpotError` while somebody must still act."""
        seat = self.to_act()
        if seat is not None:
            raise SpotError(f"{path}: seat {seat} has not answered {self.highest}: expected its fold, call or raise")
        self.bets.clear()
        self._answered.clear()
        self.highest, self._full_raise = 0, self._big_blind
        self._queue = self.order[::-1] if len(self.order) == 2 else self.order

    def act(self, street: Street, text: str, path: str) -> None:
        """Play one action such as `3 raise 60`; `SpotError` for one that is not possible."""
        seat_text, _, rest = text.partition(" ")
        word, _, amount = rest.strip().partition(" ")
        playing = [seat for seat, stack in self.stacks.items() if stack and seat not in self.folded]
        if not seat_text.isdecimal() or int(seat_text) not in playing:
            raise SpotError(f"{path}: {text!r} names no seat that can act: expected one of {words(playing)}")
        if word not in tuple(Verb) or (word == Verb.RAISE) != bool(amount):
            raise SpotError(f"{path}: {text!r} is no action: expected SEAT fold, check, call, all_in or raise TOTAL")
        seat, verb = int(seat_text), Verb(word)
        if seat != self.to_act():
            turn = "the betting is over" if self.to_act() is None else f"it is the turn of seat {self.to_act()}"
            raise SpotError(f"{path}: {text!r}, but {turn}")
        had, stack = self.bets.get(seat, 0), self.stacks[seat]
        to_call = min(stack, self.highest - had)
        total = {Verb.CALL: had + to_call, Verb.RAISE: _whole(amount), Verb.ALL_IN: had + stack}.get(verb, had)
        if (verb is Verb.CHECK and to_call) or (verb is Verb.CALL and not to_call):
            raise SpotError(f"{path}: {text!r} with {to_call} to call: expected {'call' if to_call else 'check'}")
        if verb is Verb.RAISE or total > self.highest:
            self._check_raise(seat, total, f"{path}: {text!r}")
        if total >= self.highest + self._full_raise:
            self._full_raise = total - self.highest
        if verb is Verb.FOLD:
            self.folded.add(seat)
        self._answered.add(seat)
        self.actions.append(PastAction(seat, street, verb, total - had, self._pay(seat, total - had)))
        place = self._queue.index(seat) + 1
        self._queue = self._queue[place:] + self._queue[:place]

    def _check_raise(self, seat: int, total: int, told: str) -> None:
        had, rivals = self.bets.get(seat, 0), [other for other in self.order if other not in self.folded | {seat}]
        if seat in self._answered and self.highest - had < self._full_raise:
            raise SpotError(f"{told}: nobody has made a full raise since seat {seat} acted: expected call or fold")
        if all(self.stacks[rival] + self.bets.get(rival, 0) <= self.highest for rival in rivals):
            raise SpotError(f"{told}: nobody has chips to answer a raise: expected call or fold")
        high = had + self.stacks[seat]
        low = min(high, self.highest + self._full_raise)
        if not max(low, self.highest + 1) <= total <= high:
            raise SpotError(f"{told}: expected a street total from {low} to {high}")

    def _pay(self, seat: int, chips: int) -> int:
        """Put chips in; the seat's street total afterwards."""
        self.stacks[seat] -= chips
        self.pot += chips
        self.bets[seat] = self.bets.get(seat, 0) + chips
        self.highest = max(self.highest, self.bets[seat])
        return self.bets[seat]


def words(names: Iterable[Any]) -> str:
    """Names in a message, those of a set in order."""
    return ", ".join(map(str, sorted(names) if isinstance(names, set | frozenset) else names))


def _whole(amount: str) -> int:
    """The chips of a text, 0 where it is no whole number."""
    return int(amount) if amount.isdecimal() and len(amount) < 16 else 0
