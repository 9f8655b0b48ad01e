"""How a bot fares while it plays: connection, table, chips, decisions and model, counted as it happens.

Plain numbers without I/O. `Player` tells a `Health` what passes; status line, metrics and logs read it, on the event
loop that plays. Everything counts from the start of the program.
"""

import math
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from typing import Final, Literal

from agent.decision.asking import Failure, Kind
from agent.decision.decide import Decision
from agent.openpoker import fields
from agent.openpoker.frames import Frame
from agent.openpoker.table import HandSummary, joined
from agent.poker.spot import Spot

SILENT_AFTER_S: Final = 300.0
"""A bot that has heard nothing for so long needs a person: it has dialled again several times by then."""
LATENCIES_KEPT: Final = 200
LATENCY_BOUNDS_S: Final = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 12.0, 20.0, 40.0)
CODES_KEPT: Final = 30


@dataclass(slots=True)
class WinRate:
    """Big blinds won in the hands whose result is known."""

    hands: int = 0
    _sum_bb: float = 0.0
    _sum_squares: float = 0.0

    def add(self, won_bb: float) -> None:
        """Count a hand."""
        self.hands += 1
        self._sum_bb += won_bb
        self._sum_squares += won_bb * won_bb

    @property
    def bb_per_100(self) -> float | None:
        """Big blinds in a hundred hands; None before the first."""
        return 100 * self._sum_bb / self.hands if self.hands else None

    @property
    def margin(self) -> float | None:
        """Half the width of the 95 % interval around `bb_per_100`, by the spread of the hands; None below two."""
        if self.hands < 2:
            return None
        variance = max(0.0, self._sum_squares - self._sum_bb**2 / self.hands) / (self.hands - 1)
        return 100 * 1.96 * math.sqrt(variance / self.hands)


@dataclass(slots=True)
class Latency:
    """How long replies took, in seconds: the latest ones as they are, all of them in buckets.

    A bucket holds what does not exceed its bound in `LATENCY_BOUNDS_S` and exceeds the one before; the last one has no
    bound.
    """

    recent_s: deque[float] = field(default_factory=lambda: deque(maxlen=LATENCIES_KEPT))
    buckets: list[int] = field(default_factory=lambda: [0] * (len(LATENCY_BOUNDS_S) + 1))
    sum_s: float = 0.0

    def add(self, seconds: float) -> None:
        """Count a reply."""
        self.recent_s.append(seconds)
        self.buckets[bisect_left(LATENCY_BOUNDS_S, seconds)] += 1
        self.sum_s += seconds

    @property
    def median_s(self) -> float | None:
        """The median of the latest replies; None without any."""
        return median(self.recent_s) if self.recent_s else None

    @property
    def p95_s(self) -> float | None:
        """What 95 % of the latest replies did not exceed, by nearest rank; None without any."""
        ranked = sorted(self.recent_s)
        return ranked[math.ceil(0.95 * len(ranked)) - 1] if ranked else None


@dataclass(slots=True)
class ModelHealth:
    """Questions to the models by kind, what came of them, how long replies took and what they cost.

    `failures` are by the kinds of `agent.decision.asking`, those among them that were not even asked (paused, over budget).
    `cost_usd` is the sum of the known costs, `unpriced` the number of replies whose cost is not known.
    """

    questions: Counter[Kind] = field(default_factory=Counter)
    failures: Counter[Failure] = field(default_factory=Counter)
    latency: Latency = field(default_factory=Latency)
    cost_usd: float = 0.0
    unpriced: int = 0

    @property
    def calls(self) -> int:
        """How many questions went out to a model."""
        return self.questions.total() - self.failures["paused"] - self.failures["over budget"]

    def decided(self, decision: Decision) -> None:
        """Count the questions behind a decision."""
        for attempt in decision.attempts:
            self.questions[attempt.kind] += 1
            if attempt.failure is not None:
                self.failures[attempt.failure] += 1
            if attempt.reply is not None:
                self.latency.add(attempt.latency_ms / 1_000)
                self.cost_usd += attempt.reply.cost_usd or 0.0
                self.unpriced += attempt.reply.cost_usd is None


@dataclass(slots=True)
class Answers:
    """What became of our answers to the venue.

    `rejected` counts by the venue's code, the rare ones under `other`: a code is text that others choose.
    """

    sent: int = 0
    not_sent: int = 0
    accepted: int = 0
    rejected: Counter[str] = field(default_factory=Counter)

    def settled(self, accepted: bool, code: str | None) -> None:
        """Count the venue's word on an answer."""
        if accepted:
            self.accepted += 1
            return
        code = code or "unknown"
        is_kept = code in self.rejected or len(self.rejected) < CODES_KEPT
        self.rejected[code if is_kept else "other"] += 1


@dataclass(slots=True)
class Health:
    """How one bot fares; `clock` gives seconds that never go back. No call here raises.

    `table_id` and `stack_chips` are None without a seat; the stack is that of the latest turn or hand.
    """

    clock: Callable[[], float]
    is_connected: bool = False
    connections: int = 0
    resyncs: int = 0
    frames: Counter[Literal["in", "out"]] = field(default_factory=Counter)
    table_id: str | None = None
    stack_chips: int | None = None
    hands: int = 0
    net_chips: int = 0
    win_rate: WinRate = field(default_factory=WinRate)
    turns: int = 0
    decisions: Counter[str] = field(default_factory=Counter)
    model: ModelHealth = field(default_factory=ModelHealth)
    answers: Answers = field(default_factory=Answers)
    journal_rows_lost: int = 0
    _seat: int | None = None
    _began_at: float = field(init=False)
    _heard_at: float | None = None

    def __post_init__(self) -> None:
        self._began_at = self.clock()

    @property
    def reconnects(self) -> int:
        """How often the venue has greeted us again."""
        return max(0, self.connections - 1)

    @property
    def seat(self) -> int | None:
        """Our seat's number; None without one."""
        return self._seat

    @property
    def frame_age_s(self) -> float | None:
        """Seconds since the venue's latest frame; None before the first."""
        return None if self._heard_at is None else self.clock() - self._heard_at

    @property
    def is_silent(self) -> bool:
        """Whether no frame has come for longer than a healthy bot ever waits."""
        since = self._began_at if self._heard_at is None else self._heard_at
        return self.clock() - since >= SILENT_AFTER_S

    def frame(self, direction: Literal["in", "out"], frame: Frame) -> None:
        """A frame passed the socket."""
        self.frames[direction] += 1
        if direction == "out":
            self.resyncs += frame.get("type") == "resync_request"
            return
        self._heard_at, self.is_connected = self.clock(), True
        match frame.get("type"):
            case "connected":
                self.connections += 1
            case "table_joined":
                self._joined(frame)
            case "resync_response":
                self._resynced(frame)
            case "player_left" if self._seat is not None and fields.seat(frame) == self._seat:
                self._left()
            case "table_closed" if fields.text(frame, "table_id") in (None, self.table_id):
                self._left()
            case "busted" | "season_ended":
                self._left()

    def disconnected(self) -> None:
        """The socket is gone; the seat may still be ours."""
        self.is_connected = False

    def turn(self, spot: Spot) -> None:
        """It is our turn."""
        self.turns += 1
        self.table_id, self._seat = spot.table_id, spot.hero_seat
        self.stack_chips = next((p.stack_chips for p in spot.players if p.seat == spot.hero_seat), None)

    def decided(self, decision: Decision) -> None:
        """A turn was decided."""
        self.decisions[decision.source] += 1
        self.model.decided(decision)

    def sent(self, error: str | None) -> None:
        """An answer was put on the wire, or could not be, which shows that the socket is gone."""
        if error is None:
            self.answers.sent += 1
        else:
            self.answers.not_sent += 1
            self.disconnected()

    def settled(self, accepted: bool, code: str | None) -> None:
        """The venue accepted or rejected an answer."""
        self.answers.settled(accepted, code)

    def hand_over(self, summary: HandSummary) -> None:
        """A hand has ended; a result that is not known changes no sum."""
        self.hands += 1
        if summary.table_id == self.table_id and summary.stack_chips is not None:
            self.stack_chips = summary.stack_chips
        if summary.net_chips is not None:
            self.net_chips += summary.net_chips
            if summary.big_blind_chips > 0:
                self.win_rate.add(summary.net_chips / summary.big_blind_chips)

    def _joined(self, frame: Frame) -> None:
        table = joined(frame)
        if table is not None:
            seat = table.seat(table.hero_seat)
            self.table_id, self._seat = table.table_id, table.hero_seat
            self.stack_chips = seat.stack_chips if seat else None

    def _resynced(self, frame: Frame) -> None:
        snapshot = fields.mapping(frame, "snapshot")
        if frame.get("role") != "player" or not snapshot:
            if fields.text(frame, "table_id") in (None, self.table_id):
                self._left()
            return
        seat = fields.seat(fields.mapping(snapshot, "hero"))
        self.table_id = fields.text(frame, "table_id") or self.table_id
        self._seat = self._seat if seat is None else seat
        ours = (entry for entry in fields.objects(snapshot, "seats") if fields.seat(entry) == self._seat)
        self.stack_chips = fields.chips(next(ours, {}), "stack") if self._seat is not None else None

    def _left(self) -> None:
        self.table_id = self.stack_chips = self._seat = None
