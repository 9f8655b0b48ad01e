"""What is shown of a decision wherever it appears: who chose what, the equity, and the ranges read for the opponents."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from agent.console.charts import EquityPoint
from agent.journal.records import DecisionRecord
from agent.poker.range_words import RangeWords
from agent.poker.ranges import CLASSES
from agent.terminal.text import action_text, chips
from agent.terminal.words import fact_pairs, number, rule_words

SOURCES: Final[Mapping[str, str]] = {
    "llm": "the model",
    "repaired": "the model, asked once more",
    "policy": "the policy, in the model's place",
    "rule": "the equity rule, in the model's place",
    "floor": "the floor, which needs no thought",
}


def choices_of(decision: DecisionRecord) -> list[tuple[str, str]]:
    """Who chose what, and why, in the words of each."""
    chosen = action_text(decision.action, decision.raise_to_chips)
    told = [
        ("Choice", chosen if chosen == decision.choice else f"{chosen} ({decision.choice})"),
        ("Decided by", f"{SOURCES.get(decision.source, decision.source)} ({decision.source}): {decision.reason}"),
    ]
    if decision.model_reason:
        told.append(("Model's reason", decision.model_reason))
    told.append(("Rule", rule_words(decision)))
    advice = decision.policy
    if advice is None:
        return [*told, ("Policy", "not asked, or nothing to say")]
    why = f": {advice['reason']}" if advice.get("reason") else ""
    return [*told, ("Policy", f"{advice.get('choice') or 'nothing on the menu'}{why}")]


def facts_of(decision: DecisionRecord) -> list[tuple[str, str]]:
    """The facts in words; the stacks that can be lost to each opponent with the names of the players."""
    facts = dict(decision.facts)
    stacks = facts.get("stacks")
    if isinstance(stacks, Sequence) and stacks and all(map(_is_stack, stacks)):
        facts["stacks"] = ", ".join(
            f"{_name(decision, str(stack['seat']))}: {chips(stack['effective_chips'])}" for stack in stacks
        )
    return list(fact_pairs(facts))


def _is_stack(told: Any) -> bool:
    return isinstance(told, Mapping) and "seat" in told and isinstance(told.get("effective_chips"), int)


def equities_of(decision: DecisionRecord) -> EquityPoint:
    """The equities and the price of a decision, as far as they are known."""
    facts, advice = decision.facts, decision.policy or {}
    report = facts.get("equity")
    return EquityPoint(
        street=decision.street,
        random=_share(report.get("equity") if isinstance(report, Mapping) else report),
        ranges=_share(advice.get("equity")),
        required=_share(facts.get("required_equity")) if decision.to_call_chips else None,
    )


def equity_words(point: EquityPoint) -> list[tuple[str, str]]:
    """The equities of a decision in words."""
    told = (
        ("Equity, any hands", point.random),
        ("Equity, their ranges", point.ranges),
        ("A call must win", point.required),
    )
    return [(name, number("equity", share)) for name, share in told if share is not None]


def ranges_of(decision: DecisionRecord, positions: Mapping[int, str | None]) -> list[tuple[str, RangeWords]]:
    """Whose range was read, and as what; one that cannot be drawn is left out."""
    told = (decision.policy or {}).get("ranges")
    found = []
    for seat, read in sorted(told.items()) if isinstance(told, Mapping) else ():
        levels = str(read.get("levels", ""))
        if len(levels) == len(CLASSES) and levels.isascii() and levels.isdigit():
            words = RangeWords(float(read.get("share", 0.0)), str(read.get("hands", "")), levels)
            place = positions.get(int(seat)) if seat.isdecimal() else None
            name = _name(decision, seat)
            found.append((f"{name} ({place})" if place else name, words))
    return found


def _name(decision: DecisionRecord, seat: str) -> str:
    return decision.names.get(seat, f"seat {seat}")


def _share(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
