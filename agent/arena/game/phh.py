"""Hands in PHH, the poker hand history format that pokerkit reads; many of them make one `.phhs` file.

PHH counts players from the small blind on, heads-up from the big blind, and knows no all-in: that is a bet or a call.
A history states all that pokerkit asks for, so that a replay has nothing to guess: a last player with chips, whom the
venue does not ask because nobody could answer a bet, checks here.
"""

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Self

from pokerkit import HandHistory

from agent.arena.game.dealer import deal_order
from agent.arena.game.records import HandRecord
from agent.poker.cards import format_card
from agent.poker.spot import PastAction, Street, Verb

_NEW_CARDS: Final = {
    Street.PREFLOP: slice(0, 0),
    Street.FLOP: slice(0, 3),
    Street.TURN: slice(3, 4),
    Street.RIVER: slice(4, 5),
}
_UNKNOWN: Final = "????"
_SECTION: Final = re.compile(r"^\[(\d+)\]$", re.MULTILINE)


class PhhFile:
    """A `.phhs` file to which hands are appended, each a numbered section that is on disk at once.

    A file that exists is continued. Use it as a context manager, or `close` it. `OSError` when it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        numbers = _SECTION.findall(path.read_text("utf-8", errors="replace")) if path.exists() else []
        self._sections = max(map(int, numbers), default=0)
        self._file: Final = path.open("a", encoding="utf-8", newline="\n")

    def append(self, record: HandRecord) -> None:
        """Write one more hand."""
        self._sections += 1
        self._file.write(f"[{self._sections}]\n{to_phh(record)}\n\n")
        self._file.flush()

    def close(self) -> None:
        """Close the file; it takes no more hands."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def to_phh(record: HandRecord) -> str:
    """The PHH text of a no-limit hold'em hand (variant `NT`) with all cards that the record holds.

    Cards that it does not hold are unknown, and mucked at the showdown. Seats keep the venue's numbers, which begin at 0. Control characters in names are lost: the format has none.
    """
    order = _order(record)
    history = HandHistory(
        variant="NT",
        antes=[0] * len(order),
        blinds_or_straddles=[record.small_blind_chips, record.big_blind_chips] + [0] * (len(order) - 2),
        min_bet=record.big_blind_chips,
        starting_stacks=[record.start_stacks[seat] for seat in order],
        actions=[*_dealt(record, order), *_Retold(record, order).lines()],
        hand=record.number,
        seats=list(order),
        table=record.table_id or None,
        players=[_literal(record.names[seat]) for seat in order],
        finishing_stacks=[record.final_stacks[seat] for seat in order],
        winnings=[record.payouts.get(seat, 0) for seat in order],
        user_defined_fields={"_hand_id": record.hand_id},
    )
    return history.dumps()


def _order(record: HandRecord) -> tuple[int, ...]:
    """The seats as PHH counts them.

    Heads-up the first to act is the small blind. When nobody could act, a blind was all-in for no more than the small
    one, and the chips end the same whoever posted which.
    """
    small_blind_seat = record.actions[0].seat if record.actions else None
    return deal_order(
        tuple(record.start_stacks),
        record.button_seat,
        heads_up_button_posts_small_blind=small_blind_seat == record.button_seat,
    )


def _dealt(record: HandRecord, order: tuple[int, ...]) -> Iterator[str]:
    for place, seat in enumerate(order, start=1):
        yield f"d dh p{place} {_text(record.hole_cards[seat]) if seat in record.hole_cards else _UNKNOWN}"


class _Retold:
    """A hand told once more, with the chips that tell a bet from a call."""

    def __init__(self, record: HandRecord, order: tuple[int, ...]) -> None:
        self._record = record
        self._label = {seat: f"p{place}" for place, seat in enumerate(order, start=1)}
        self._stacks = dict(record.start_stacks)
        self._bets = dict.fromkeys(order, 0)
        self._live = list(order)
        self._street = Street.PREFLOP
        blinds = order[::-1] if len(order) == 2 else order[:2]
        for seat, blind in zip(blinds, (record.small_blind_chips, record.big_blind_chips), strict=True):
            self._put_in(seat, min(blind, self._stacks[seat]))

    def lines(self) -> Iterator[str]:
        """Everything after the hole cards."""
        for past in self._record.actions:
            if past.street is not self._street:
                yield self._next_street(past.street)
            yield self._played(past)
        if len(self._live) == 1:
            return
        unasked = self._unasked()
        if unasked is not None:
            yield f"{self._label[unasked]} cc"
        for seat in self._live:
            held = self._record.hole_cards.get(seat)
            yield f"{self._label[seat]} sm" + (f" {_text(held)}" if held else "")
        streets = list(Street)
        for street in streets[streets.index(self._street) + 1 :]:
            yield self._next_street(street)

    def _next_street(self, street: Street) -> str:
        self._street = street
        self._bets = dict.fromkeys(self._bets, 0)
        return f"d db {_text(self._record.board[_NEW_CARDS[street]])}"

    def _played(self, past: PastAction) -> str:
        player = self._label[past.seat]
        if past.verb is Verb.FOLD:
            self._live.remove(past.seat)
            return f"{player} f"
        highest = max(self._bets.values())
        self._put_in(past.seat, past.added_chips)
        bet = self._bets[past.seat]
        return f"{player} cbr {bet}" if bet > highest else f"{player} cc"

    def _put_in(self, seat: int, chips: int) -> None:
        self._bets[seat] += chips
        self._stacks[seat] -= chips

    def _unasked(self) -> int | None:
        """The one player with chips left, where pokerkit waits for a check that the venue did not ask for."""
        with_chips = [seat for seat in self._live if self._stacks[seat]]
        if len(with_chips) != 1:
            return None
        seat = with_chips[0]
        has_acted = any(past.seat == seat and past.street is self._street for past in self._record.actions)
        # pokerkit passes over a blind that no other stack ever exceeded.
        could_be_raised = sorted(self._record.start_stacks.values())[-2] > self._bets[seat]
        return seat if could_be_raised and not has_acted else None


def _text(cards: tuple[int, ...]) -> str:
    return "".join(map(format_card, cards))


def _literal(name: str) -> str:
    """The name as a TOML literal string can hold it, which is how pokerkit writes it."""
    kept = "".join("\N{REPLACEMENT CHARACTER}" if unicodedata.category(c) in ("Cc", "Cs") else c for c in name)
    return kept.replace("'''", "’’’")
