"""The figures of many hands and decisions: what they came to, how we play, and what models did.

Rates are big blinds a hundred hands. Their intervals hold for 95 %, by the normal approximation with the spread of the hands.
"""

import gc
import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any, Final

from agent.journal.filters import Conditions
from agent.journal.rows import time_from
from agent.journal.stories import CurvePoint, Habit, JournalStatistics, ModelUse, Winnings

Row = tuple[Any, ...]
Select = Callable[[str, Mapping[str, object]], Sequence[Row]]

Nets = tuple[int, float, float, float, float]
"""A hand's net in chips, in big blinds, its square, and the last two with all-ins by equity."""

Sums = list[float]
"""The sums of these over some hands."""

LEAST_CHANCES: Final = 100
"""A habit with fewer chances alarms nobody."""

BANDS: Final[Mapping[str, tuple[float, float]]] = {
    "vpip": (0.15, 0.35),
    "pfr": (0.12, 0.30),
    "three_bet": (0.04, 0.14),
    "aggression": (0.35, 0.60),
    "wtsd": (0.20, 0.35),
    "won_at_showdown": (0.40, 0.65),
}
"""Six-max, between what trackers call a nit or a station and what they call a maniac; won showdowns by hand."""

STREETS: Final = ("preflop", "flop", "turn", "river")

_Z: Final = NormalDist().inv_cdf(0.975)

_HANDS: Final = """
    SELECT rowid, at, position, opponents, habits, net_chips, coalesce(adjusted_net_chips, net_chips), big_blind_chips
    FROM hand WHERE {where} ORDER BY at, run_id, hand_id
"""
_DECISIONS: Final = """
    SELECT hand.rowid, decision.id, street, source, prompt_set, elapsed_ms,
        source IN ('llm', 'repaired') AND choice <> rule_choice,
        source IN ('llm', 'repaired') AND choice <> policy_choice
    FROM decision LEFT JOIN hand USING (run_id, hand_id) WHERE {where}
"""
_ATTEMPTS: Final = """
    SELECT decision_id, coalesce(asked, model), error, failure, latency_ms, prompt_tokens, completion_tokens, cost_usd
    FROM attempt ORDER BY id
"""


def journal_statistics(select: Select, chosen: Conditions) -> JournalStatistics:
    """The figures of all that the filter lets through; `select` answers queries."""
    with _no_search_for_cycles():
        return _figures(select, chosen)


@contextmanager
def _no_search_for_cycles() -> Iterator[None]:
    """Rows by the hundred thousand hold no cycles, and to look for some again and again takes as long as all the rest."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _figures(select: Select, chosen: Conditions) -> JournalStatistics:
    hands = select(_HANDS.format(where=chosen.for_hands), chosen.values)
    decisions = select(_DECISIONS.format(where=chosen.for_decisions), chosen.values)
    nets = {number: _nets(*chips) for number, _, _, _, _, *chips in hands if _is_known(*chips)}
    models = _models_of(decisions, select(_ATTEMPTS, {}))
    elapsed = sorted(row[5] for row in decisions)
    return JournalStatistics(
        total=_winnings(nets.values()),
        by_position=_groups(nets, ((row[0], row[2]) for row in hands)),
        by_street=_groups(nets, _furthest(decisions).items()),
        by_source=_groups(nets, {(row[0], row[3]) for row in decisions}),
        by_model=_groups(nets, models.in_hands),
        by_prompt=_groups(nets, {(row[0], row[4]) for row in decisions}),
        by_opponent=_by_opponent(nets, hands),
        habits=_habits(Counter(row[4] for row in hands)),
        decisions=len(decisions),
        sources=dict(Counter(row[3] for row in decisions).most_common()),
        decision_p50_ms=_percentile(elapsed, 50),
        decision_p95_ms=_percentile(elapsed, 95),
        models=models.told(),
        first_at=time_from(hands[0][1]) if hands else None,
        last_at=time_from(hands[-1][1]) if hands else None,
    )


def net_curve(select: Select, chosen: Conditions, points: int) -> list[CurvePoint]:
    """The net in big blinds hand by hand, thinned to at most `points`, the last hand among them."""
    rows = select(_HANDS.format(where=chosen.for_hands), chosen.values)
    hands = [(at, _nets(*chips)) for _, at, _, _, _, *chips in rows if _is_known(*chips)]
    step = max(1, math.ceil(len(hands) / max(1, points)))
    total, squares, curve = 0.0, 0.0, list[CurvePoint]()
    for number, (at, (_, net, square, _, _)) in enumerate(hands, start=1):
        total, squares = total + net, squares + square
        if number % step == 0 or number == len(hands):
            half = _half_width(number, total, squares) or 0.0
            curve.append(CurvePoint(time_from(at), number, total, total - half, total + half))
    return curve


def _is_known(net_chips: int | None, _: float | None, big_blind_chips: int) -> bool:
    return net_chips is not None and big_blind_chips > 0


def _nets(net_chips: int, adjusted_chips: float, big_blind_chips: int) -> Nets:
    net, adjusted = net_chips / big_blind_chips, adjusted_chips / big_blind_chips
    return net_chips, net, net * net, adjusted, adjusted * adjusted


def _winnings(hands: Collection[Nets]) -> Winnings:
    """What the hands came to."""
    return _summed(len(hands), _sums(hands))


def _sums(hands: Iterable[Nets]) -> Sums:
    return [sum(column) for column in zip(*hands, strict=True)] or [0] * 5


def _summed(hands: int, sums: Sums) -> Winnings:
    """What so many hands of these sums came to."""
    chips, net, squares, adjusted, adjusted_squares = sums
    return Winnings(hands, int(chips), *_rate(hands, net, squares), *_rate(hands, adjusted, adjusted_squares))


def _members(nets: Mapping[int, Nets], members: Iterable[tuple[int | None, str | None]]) -> dict[str, list[Nets]]:
    """The hands of each group; a hand counts in each group of which it is a member."""
    groups = defaultdict[str, list[Nets]](list)
    for number, name in members:
        if number is not None and number in nets and name is not None:
            groups[name].append(nets[number])
    return groups


def _groups(nets: Mapping[int, Nets], members: Iterable[tuple[int | None, str | None]]) -> dict[str, Winnings]:
    """The winnings of each group, the largest first."""
    return _largest_first({name: _winnings(hands) for name, hands in _members(nets, members).items()})


def _by_opponent(nets: Mapping[int, Nets], hands: Iterable[Row]) -> dict[str, Winnings]:
    """The winnings in hands with each opponent. Many hands are played by the same people, so that these are summed first."""
    counts, sums = Counter[str](), defaultdict[str, Sums](lambda: [0] * 5)
    for told, together in _members(nets, ((row[0], row[3]) for row in hands)).items():
        of_these = _sums(together)
        for name in json.loads(told):
            counts[name] += len(together)
            sums[name] = [one + other for one, other in zip(sums[name], of_these, strict=True)]
    return _largest_first({name: _summed(counts[name], sums[name]) for name in counts})


def _largest_first(groups: Mapping[str, Winnings]) -> dict[str, Winnings]:
    return dict(sorted(groups.items(), key=lambda group: (-group[1].hands, group[0])))


def _furthest(decisions: Iterable[Row]) -> dict[int | None, str]:
    """The last street of each hand on which we decided."""
    on_street = {street: [row[0] for row in decisions if row[2] == street] for street in STREETS}
    return {number: street for street in STREETS for number in on_street[street]}


def _half_width(hands: int, total: float, squares: float) -> float | None:
    """Half the interval of a sum over independent hands; None below two."""
    if hands < 2:
        return None
    variance = max(0.0, squares - total * total / hands) / (hands - 1)
    return _Z * math.sqrt(variance * hands)


def _rate(hands: int, total: float, squares: float) -> tuple[float | None, float | None, float | None]:
    """Big blinds a hundred hands with the ends of the interval; None below two hands."""
    half = _half_width(hands, total, squares)
    if half is None:
        return None, None, None
    return 100 * total / hands, 100 * (total - half) / hands, 100 * (total + half) / hands


def _percentile(ordered: Sequence[float], percent: int) -> float | None:
    """The value at or below which so many percent of the ordered ones lie; None of none."""
    return ordered[max(0, math.ceil(percent * len(ordered) / 100) - 1)] if ordered else None


def _habits(told: Mapping[str | None, int]) -> tuple[Habit, ...]:
    """How often we did what has a band; many hands tell the same, so that each telling comes with their number."""
    times, chances = Counter[str](), Counter[str]()
    for text, hands in told.items():
        counts = json.loads(text) if text else {}
        for name in BANDS:
            taken, possible = counts.get(name, (0, 0))
            times[name] += taken * hands
            chances[name] += possible * hands
    return tuple(_habit(name, times[name], chances[name]) for name in BANDS)


def _habit(name: str, times: int, chances: int) -> Habit:
    """A habit alarms when with enough chances all of its interval lies outside of the band."""
    low, high = BANDS[name]
    is_alarming = False
    if chances >= LEAST_CHANCES:
        share = times / chances
        half = _Z * math.sqrt(share * (1 - share) / chances)
        is_alarming = share + half < low or share - half > high
    return Habit(name, times, chances, low, high, is_alarming)


@dataclass(slots=True)
class _Use:
    """What one model did, while it is counted."""

    latencies_ms: list[float] = field(default_factory=list)
    failures: Counter[str] = field(default_factory=Counter)
    prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: float | None = None
    differed: int = 0
    differed_from_policy: int = 0

    def add(self, *asked: Any) -> None:
        """Count a question, as the columns of `_ATTEMPTS` tell it."""
        error, failure, latency_ms, prompt_tokens, completion_tokens, cost_usd = asked
        self.latencies_ms.append(latency_ms)
        if error is not None:
            self.failures[failure or "unknown"] += 1
        self.prompt_tokens += prompt_tokens or 0
        self.completion_tokens += completion_tokens or 0
        if cost_usd is not None:
            self.usd = (self.usd or 0.0) + cost_usd

    def told(self, name: str) -> ModelUse:
        """What it came to."""
        ordered = sorted(self.latencies_ms)
        return ModelUse(
            model=name,
            questions=len(ordered),
            answered=len(ordered) - self.failures.total(),
            failures=dict(self.failures.most_common()),
            latency_p50_ms=_percentile(ordered, 50),
            latency_p95_ms=_percentile(ordered, 95),
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            usd=self.usd,
            differed=self.differed,
            differed_from_policy=self.differed_from_policy,
        )


@dataclass(slots=True)
class _Models:
    """What each model did, and in which hands."""

    uses: defaultdict[str, _Use] = field(default_factory=lambda: defaultdict(_Use))
    in_hands: set[tuple[int | None, str]] = field(default_factory=set)

    def told(self) -> tuple[ModelUse, ...]:
        """The models, the most asked first."""
        most = sorted(self.uses.items(), key=lambda use: (-len(use[1].latencies_ms), use[0]))
        return tuple(use.told(name) for name, use in most)


def _models_of(decisions: Iterable[Row], attempts: Iterable[Row]) -> _Models:
    """Who was asked in these decisions. What was played in the end is the last one's."""
    taken, models, last = {row[1]: row for row in decisions}, _Models(), dict[str, str]()
    for decision_id, model, *asked in attempts:
        row = taken.get(decision_id)
        if row is not None:
            models.uses[model].add(*asked)
            models.in_hands.add((row[0], model))
            last[decision_id] = model
    for decision_id, model in last.items():
        *_, differs, differs_from_policy = taken[decision_id]
        models.uses[model].differed += differs
        models.uses[model].differed_from_policy += differs_from_policy or 0
    return models
