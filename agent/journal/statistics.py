"""The figures of many hands and decisions: what they came to, how we play, and what models did.

Rates are big blinds a hundred hands. Their intervals hold for 95 %, by the normal approximation with the spread of the hands.
"""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from statistics import NormalDist
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agent.journal.filters import Conditions
from agent.journal.rows import time_from
from agent.journal.stories import CurvePoint, Habit, JournalStatistics, ModelUse, Winnings

Select = Callable[[str, Mapping[str, object]], Sequence[list[Any]]]
"""Answers a query with its columns."""

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
Flags = NDArray[np.bool_]

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

# To put rows in order takes less than to look each of them up in the order of an index, which the + keeps SQLite from.
_HANDS: Final = """
    SELECT rowid, at, position, opponents, habits, net_chips, coalesce(adjusted_net_chips, net_chips), big_blind_chips
    FROM hand WHERE {where} ORDER BY +at, run_id, hand_id
"""
_DECISIONS: Final = """
    SELECT hand.rowid, decision.id, street, source, prompt_set, elapsed_ms,
        source IN ('llm', 'repaired') AND choice <> rule_choice,
        source IN ('llm', 'repaired') AND coalesce(choice <> policy_choice, 0)
    FROM decision LEFT JOIN hand USING (run_id, hand_id) WHERE {where}
"""
_QUESTIONS: Final = """
    SELECT decision_id, coalesce(asked, model), CASE WHEN error IS NOT NULL THEN coalesce(failure, 'unknown') END,
        latency_ms, coalesce(prompt_tokens, 0), coalesce(completion_tokens, 0), cost_usd
    FROM attempt ORDER BY id
"""
_NOWHERE: Final = -1


def journal_statistics(select: Select, chosen: Conditions) -> JournalStatistics:
    """The figures of all that the filter lets through; `select` answers queries."""
    hands = _Hands(*select(_HANDS.format(where=chosen.for_hands), chosen.values))
    decisions = _Decisions(*select(_DECISIONS.format(where=chosen.for_decisions), chosen.values), hands=hands)
    questions = _Questions(*select(_QUESTIONS, {}), decisions=decisions)
    elapsed_ms = np.sort(decisions.elapsed_ms)
    return JournalStatistics(
        total=_winnings(hands.nets[hands.is_known]),
        by_position=_by_name(hands, hands.places, hands.positions),
        by_street=_by_street(hands, decisions),
        by_source=_by_name(hands, decisions.hands, decisions.sources),
        by_model=_by_name(hands, decisions.hands[questions.decisions], questions.models),
        by_prompt=_by_name(hands, decisions.hands, decisions.prompts),
        by_opponent=_by_opponent(hands),
        habits=_habits(Counter(hands.habits)),
        decisions=len(decisions.hands),
        sources=dict(Counter(decisions.sources).most_common()),
        prompts=dict(Counter(decisions.prompts).most_common()),
        decision_p50_ms=_percentile(elapsed_ms, 50),
        decision_p95_ms=_percentile(elapsed_ms, 95),
        models=_models(questions, decisions),
        first_at=time_from(hands.at[0]) if hands.at else None,
        last_at=time_from(hands.at[-1]) if hands.at else None,
    )


def net_curve(select: Select, chosen: Conditions, points: int) -> list[CurvePoint]:
    """The net in big blinds hand by hand, thinned to at most `points`, the last hand among them."""
    hands = _Hands(*select(_HANDS.format(where=chosen.for_hands), chosen.values))
    known = np.flatnonzero(hands.is_known)
    sums = hands.nets[known].cumsum(axis=0)
    step = max(1, math.ceil(len(known) / max(1, points)))
    curve = list[CurvePoint]()
    for number in sorted({*range(step, len(known) + 1, step), len(known)} - {0}):
        _, total, squares, *_ = map(float, sums[number - 1])
        half = _half_width(number, total, squares) or 0.0
        curve.append(CurvePoint(time_from(hands.at[known[number - 1]]), number, total, total - half, total + half))
    return curve


class _Hands:
    """Hands, oldest first, from the columns of `_HANDS`.

    nets: a row of net in chips, in big blinds, its square, and the last two with all-ins by equity; of those that are known
    places: of each hand which one it is; `place` is the same by its number in the journal
    """

    def __init__(
        self,
        numbers: list[int],
        at: list[str],
        positions: list[str | None],
        opponents: list[str | None],
        habits: list[str | None],
        *chips: list[int | float | None],
    ) -> None:
        self.at, self.positions, self.opponents, self.habits = at, positions, opponents, habits
        self.places = np.arange(len(numbers))
        self.place: Mapping[int | None, int] = dict(zip(numbers, range(len(numbers)), strict=True))
        net, adjusted, big_blind = np.array(chips, float)
        self.is_known = ~np.isnan(net) & (big_blind > 0)
        big_blind[~self.is_known] = np.nan
        net_bb, adjusted_bb = net / big_blind, adjusted / big_blind
        self.nets = np.column_stack((net, net_bb, net_bb**2, adjusted_bb, adjusted_bb**2))


class _Decisions:
    """Decisions, from the columns of `_DECISIONS`, and places among the `hands`, `_NOWHERE` where the hand is not there.

    differs: whether a model played something else than the rule would have, and than the policy
    """

    def __init__(
        self,
        numbers: list[int | None],
        ids: list[str],
        streets: list[str],
        sources: list[str],
        prompts: list[str],
        elapsed_ms: list[float],
        differs_from_rule: list[int],
        differs_from_policy: list[int],
        *,
        hands: _Hands,
    ) -> None:
        self.streets, self.sources, self.prompts = streets, sources, prompts
        self.hands: Places = np.array([hands.place.get(number, _NOWHERE) for number in numbers], np.int64)
        self.place = dict(zip(ids, range(len(ids)), strict=True))
        self.elapsed_ms: Floats = np.array(elapsed_ms, float)
        self.differs = np.array((differs_from_rule, differs_from_policy), bool)


class _Questions:
    """What models were asked in the `decisions`, oldest first, from the columns of `_QUESTIONS` and places among those."""

    def __init__(
        self,
        ids: list[str],
        models: list[str],
        failures: list[str | None],
        latencies_ms: list[float],
        prompt_tokens: list[int],
        completion_tokens: list[int],
        usd: list[float | None],
        *,
        decisions: _Decisions,
    ) -> None:
        places = np.array([decisions.place.get(decision_id, _NOWHERE) for decision_id in ids], np.int64)
        asked = np.flatnonzero(places != _NOWHERE)
        self.decisions: Places = places[asked]
        self.models = [models[place] for place in asked]
        self.failures = [failures[place] for place in asked]
        self.latencies_ms: Floats = np.array(latencies_ms, float)[asked]
        self.tokens = np.array((prompt_tokens, completion_tokens), int)[:, asked]
        self.usd: Floats = np.array(usd, float)[asked]


def _winnings(nets: Floats) -> Winnings:
    """What hands of these nets came to."""
    return _summed(len(nets), nets.sum(axis=0))


def _summed(hands: int, sums: Floats) -> Winnings:
    """What so many hands of these sums came to."""
    chips, net, squares, adjusted, adjusted_squares = map(float, sums)
    return Winnings(hands, int(chips), *_rate(hands, net, squares), *_rate(hands, adjusted, adjusted_squares))


def _coded(values: Sequence[Any]) -> tuple[list[Any], Places]:
    """The values that there are, and of each element which of them it has."""
    found = list(dict.fromkeys(values))
    code = dict(zip(found, range(len(found)), strict=True))
    return found, np.array([code[value] for value in values], int)


def _members(hands: _Hands, places: Places, values: Sequence[Any]) -> dict[Any, Floats]:
    """By value the nets of the hands that have it. A hand may have several values, and one of them several times."""
    found, codes = _coded(values)
    members = {}
    for code, value in enumerate(found):
        has_it = np.zeros(len(hands.places) + 1, bool)
        has_it[places[codes == code]] = True
        members[value] = hands.nets[has_it[:_NOWHERE] & hands.is_known]
    return members


def _by_name(hands: _Hands, places: Places, names: Sequence[str | None]) -> dict[str, Winnings]:
    """The winnings of each group, the largest first."""
    members = _members(hands, places, names)
    return _largest_first({name: _winnings(nets) for name, nets in members.items() if name is not None and len(nets)})


def _by_street(hands: _Hands, decisions: _Decisions) -> dict[str, Winnings]:
    """The winnings by the last street of a hand on which we decided."""
    furthest = np.full(len(hands.places) + 1, _NOWHERE)
    order = {street: place for place, street in enumerate(STREETS)}
    np.maximum.at(furthest, decisions.hands, [order.get(street, _NOWHERE) for street in decisions.streets])
    return _by_name(hands, hands.places, [(*STREETS, None)[street] for street in furthest[:_NOWHERE]])


def _by_opponent(hands: _Hands) -> dict[str, Winnings]:
    """The winnings in hands with each opponent. Many hands are played by the same people, so that these are summed first."""
    counts, sums = Counter[str](), defaultdict[str, Floats](lambda: np.zeros(5))
    for told, nets in _members(hands, hands.places, hands.opponents).items():
        for name in json.loads(told or "[]"):
            counts[name] += len(nets)
            sums[name] = sums[name] + nets.sum(axis=0)
    return _largest_first({name: _summed(count, sums[name]) for name, count in counts.items() if count})


def _largest_first(groups: Mapping[str, Winnings]) -> dict[str, Winnings]:
    return dict(sorted(groups.items(), key=lambda group: (-group[1].hands, group[0])))


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


def _percentile(ordered: NDArray[np.float64], percent: int) -> float | None:
    """The value at or below which so many percent of the ordered ones lie; None of none."""
    return float(ordered[max(0, math.ceil(percent * len(ordered) / 100) - 1)]) if len(ordered) else None


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


def _models(questions: _Questions, decisions: _Decisions) -> tuple[ModelUse, ...]:
    """What each model did, the most asked first. What was played in the end is the last one's that was asked."""
    names, codes = _coded(questions.models)
    _, from_the_end = np.unique(questions.decisions[::-1], return_index=True)
    is_last = np.zeros(len(codes), bool)
    is_last[len(codes) - 1 - from_the_end] = True
    uses = [_use(name, np.flatnonzero(codes == code), is_last, questions, decisions) for code, name in enumerate(names)]
    return tuple(sorted(uses, key=lambda use: (-use.questions, use.model)))


def _use(name: str, its: Places, is_last: Flags, questions: _Questions, decisions: _Decisions) -> ModelUse:
    """What one model did in `its` questions."""
    failures = Counter(failure for place in its if (failure := questions.failures[place]) is not None)
    latencies_ms, usd = np.sort(questions.latencies_ms[its]), questions.usd[its]
    prompt_tokens, completion_tokens = map(int, questions.tokens[:, its].sum(axis=1))
    settled = questions.decisions[its[is_last[its]]]
    differed, differed_from_policy = map(int, decisions.differs[:, settled].sum(axis=1))
    return ModelUse(
        model=name,
        questions=len(its),
        answered=len(its) - failures.total(),
        failures=dict(failures.most_common()),
        latency_p50_ms=_percentile(latencies_ms, 50),
        latency_p95_ms=_percentile(latencies_ms, 95),
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        usd=None if np.isnan(usd).all() else float(np.nansum(usd)),
        differed=differed,
        differed_from_policy=differed_from_policy,
    )
