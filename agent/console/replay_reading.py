"""What the acts up to a step of a replayed hand tell: the ranges of those who still hold cards, and our equity against them.

Read as the betting policy reads a hand that is being played, except for the opponents: they are as the journal knows them
today. The same step and the same book give the same figures.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from agent.console.felt import FeltSeat
from agent.console.replay_steps import Step
from agent.journal.records import HandRecord
from agent.openpoker.hand import paid_seats
from agent.poker.cards import parse_cards, pretty_cards
from agent.poker.equity import Effort, estimate_equity
from agent.poker.range_words import RangeWords, range_words
from agent.poker.ranges import Range
from agent.poker.report import EquityReport
from agent.strategy.acts import Told, acts
from agent.strategy.opponents import Opponents
from agent.strategy.reading import Reading
from agent.strategy.statistics import played_hand
from agent.terminal.hand import past_actions

TRIALS: Final = 20_000
RESTS_S: Final = 0.15
"""A replay that stays at a step so long rests there; a key that is held goes on sooner."""

_PART_UNSEEN: Final = "A part of this hand was not seen, so nothing can be read from what they did."
_UNFITTING: Final = "What the journal holds of this hand does not fit together, so nothing can be read from it."
_FOLDED: Final = "We have folded, so we have no equity."
_ALONE: Final = "Nobody else holds cards."
_SEAT_UNKNOWN: Final = "Which seat was ours is not in the journal, so we have no equity."
_CARDS_UNKNOWN: Final = "Our cards are not in the journal, so we have no equity."


@dataclass(frozen=True, slots=True)
class StepReading:
    """What is read at a step.

    `equity` is ours against `against`; None where `why` says why there is none. `ranges` are those of the opponents who
    still hold cards, each with whose it is, clockwise from us; `known` says how well the journal knows them.
    """

    why: str = ""
    equity: EquityReport | None = None
    against: str = ""
    ranges: tuple[tuple[str, RangeWords], ...] = ()
    known: str = ""

    @property
    def equity_words(self) -> list[tuple[str, str]]:
        """The equity in words, with its interval; nothing where there is none."""
        if self.equity is None:
            return []
        low, high = self.equity.ci_low, self.equity.ci_high
        sure = f"95 % interval {low:.1%} to {high:.1%}" if self.equity.method == "monte-carlo" else "exact"
        return [("Our equity", f"{self.equity.equity:.1%} against {self.against}, {sure}")]


class RestedReadings:
    """The readings of a hand's steps, by number: worked out in a thread, one at a time, where the replay rests, and kept."""

    def __init__(self, read: Callable[[int], StepReading], rests_s: float = RESTS_S) -> None:
        self._read: Final = read
        self._rests_s: Final = rests_s
        self._found: Final = dict[int, StepReading]()
        self._working: Final = asyncio.Lock()
        self._at: int | None = None

    def after_going_to(self, at: int) -> Awaitable[StepReading | None]:
        """The reading of the step to which the replay goes now, once it rests there; None where it goes on before it is known."""
        self._at = at
        return self._rested(at)

    async def _rested(self, at: int) -> StepReading | None:
        await asyncio.sleep(self._rests_s)
        async with self._working:
            if at == self._at and at not in self._found:
                self._found[at] = await asyncio.to_thread(self._read, at)
        return self._found[at] if at == self._at else None


def step_reading(hand: HandRecord, step: Step, book: Opponents, reading: Reading) -> StepReading:
    """What the acts up to this step of the hand tell, which takes tens of milliseconds; raises nothing for odd hands."""
    try:
        told = _told(hand)
        if told is None:
            return StepReading(_UNFITTING if hand.complete else _PART_UNSEEN)
        return _read(
            hand, step, replace(told, actions=told.actions[: step.acted], board=step.view.board), book, reading
        )
    except (ValueError, TypeError, LookupError, ArithmeticError):
        return StepReading(_UNFITTING)


def _told(hand: HandRecord) -> Told | None:
    """The public side of the whole hand; None where not all of it was seen."""
    if hand.big_blind_chips <= 0 or not hand.blinds:
        return None
    played = played_hand(
        complete=hand.complete,
        names={player.seat: player.name for player in hand.players},
        button_seat=hand.button_seat,
        big_blind_chips=hand.big_blind_chips,
        blinds={int(seat): posted for seat, posted in hand.blinds.items()},
        start_stacks={player.seat: player.start_chips for player in hand.players},
        actions=past_actions(hand),
        board=parse_cards(hand.board),
        is_showdown=bool(hand.shown or hand.result.get("shown_cards")),
        paid_seats=paid_seats(dict(hand.result)),
    )
    return None if played is None else Told.of_hand(played)


def _read(hand: HandRecord, step: Step, told: Told, book: Opponents, reading: Reading) -> StepReading:
    hole, lines = parse_cards(hand.hole_cards), acts(told)
    opponents = [seat for seat in step.view.seats if not seat.folded and seat.seat != hand.hero_seat]
    known = (*hole, *told.board)
    ranges = {
        seat.seat: reading.range_after(lines[seat.seat], book.of(seat.name), book.shown_of(seat.name))
        for seat in opponents
    }
    read = StepReading(
        ranges=tuple((_whose(seat), range_words(ranges[seat.seat], known)) for seat in opponents),
        known=_known(opponents, book),
    )
    why = _no_equity(hand, step, opponents)
    if why:
        return replace(read, why=why)
    return _with_equity(read, hole, told.board, opponents, ranges)


def _no_equity(hand: HandRecord, step: Step, opponents: list[FeltSeat]) -> str:
    """Why we have no equity at this step; empty where we have one."""
    ours = next((seat for seat in step.view.seats if seat.seat == hand.hero_seat), None)
    if ours is None:
        return _SEAT_UNKNOWN
    if ours.folded:
        return _FOLDED
    return _ALONE if not opponents else "" if len(ours.cards) == 2 else _CARDS_UNKNOWN


def _with_equity(
    read: StepReading,
    hole: tuple[int, ...],
    board: tuple[int, ...],
    opponents: list[FeltSeat],
    ranges: Mapping[int, Range],
) -> StepReading:
    """The reading with our equity against the cards that are shown, and the ranges of those who show none."""
    shown = {seat.seat: Range.of_hand(*seat.cards) for seat in opponents if seat.cards}
    against = "the ranges read"
    if shown:
        against = "the cards shown" if len(shown) == len(opponents) else "the cards shown and the ranges read"
    hands = [shown.get(seat, read_as) for seat, read_as in ranges.items()]
    try:
        equity = estimate_equity((hole[0], hole[1]), board, hands, Effort(TRIALS))
    except ValueError as error:
        return replace(read, why=f"No equity: {error}.")
    return replace(read, equity=equity, against=against)


def _whose(seat: FeltSeat) -> str:
    place = f" ({seat.position})" if seat.position else ""
    return f"{seat.name}{place}" + (f", shows {pretty_cards(seat.cards)}" if seat.cards else "")


def _known(opponents: Iterable[FeltSeat], book: Opponents) -> str:
    """How well those are known whose ranges are read; empty where there is nobody."""
    hands = {seat.name: book.of(seat.name).hands for seat in opponents}
    met = ", ".join(f"{name} {count:,} hands" for name, count in hands.items() if count)
    strangers = ", ".join(name for name, count in hands.items() if not count)
    told = (
        f"with all that the journal knows of them today: {met}" if met else "",
        f"as strangers: {strangers}" if strangers else "",
    )
    return "; ".join(filter(None, told))
