"""What the reader answers: lines of lists, hands and decisions whole, and the figures of many."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from agent.journal.records import DecisionRecord, HandRecord, RunRecord


@dataclass(frozen=True, slots=True)
class HandStory:
    """A hand whole: the run it was part of, the hand, and hero's decisions in it, oldest first."""

    run: RunRecord
    hand: HandRecord
    decisions: tuple[DecisionRecord, ...]


@dataclass(frozen=True, slots=True)
class Winnings:
    """What some hands came to. Rates are big blinds a hundred hands, with the ends of a 95 % interval, None below two hands.

    `adjusted` has all-ins valued by equity where that is known, and counts as dealt where it is not.
    """

    hands: int
    net_chips: int
    bb_per_100: float | None
    low: float | None
    high: float | None
    adjusted_bb_per_100: float | None
    adjusted_low: float | None
    adjusted_high: float | None


@dataclass(frozen=True, slots=True)
class Habit:
    """How often we do something, beside the band in which a sound player does; `is_alarming` outside of it with enough chances."""

    name: str
    times: int
    chances: int
    low: float
    high: float
    is_alarming: bool


@dataclass(frozen=True, slots=True)
class ModelUse:
    """What a model did. Latencies are of single questions; `usd` is None where no price is known.

    `differed` counts played choices that the equity rule would not have made, `differed_from_policy` those of the policy.
    """

    model: str
    questions: int
    answered: int
    failures: Mapping[str, int]
    latency_p50_ms: float | None
    latency_p95_ms: float | None
    prompt_tokens: int
    completion_tokens: int
    usd: float | None
    differed: int
    differed_from_policy: int


@dataclass(frozen=True, slots=True)
class JournalStatistics:
    """The figures of everything that a filter lets through. Groups are by their names, the largest first.

    `sources` and `prompts` count decisions, also those of hands whose net is not known.
    """

    total: Winnings
    by_position: Mapping[str, Winnings]
    by_street: Mapping[str, Winnings]
    by_source: Mapping[str, Winnings]
    by_model: Mapping[str, Winnings]
    by_prompt: Mapping[str, Winnings]
    by_opponent: Mapping[str, Winnings]
    habits: tuple[Habit, ...]
    decisions: int
    sources: Mapping[str, int]
    prompts: Mapping[str, int]
    decision_p50_ms: float | None
    decision_p95_ms: float | None
    models: tuple[ModelUse, ...]
    first_at: datetime | None
    last_at: datetime | None


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The net after so many hands in big blinds, with the band of a 95 % interval."""

    at: datetime
    hands: int
    net_bb: float
    low_bb: float
    high_bb: float
