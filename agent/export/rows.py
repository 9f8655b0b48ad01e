"""A decision as a row of a table: what fits into one, column by column."""

from collections.abc import Callable, Mapping
from typing import Any, Final

Value = str | int | float | bool | None

# What spreadsheets take for the beginning of a formula.
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def csv_row(plain: Mapping[str, Any]) -> dict[str, Value]:
    """The row of a decision (`as_plain` of its story), by column; text that a spreadsheet would run begins with an apostrophe."""
    return {name: _cell(column(plain)) for name, column in COLUMNS.items()}


def _cell(value: Any) -> Value:
    if isinstance(value, str) and value.startswith(_FORMULA):
        return "'" + value
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def _of_decision(name: str) -> Callable[[Mapping[str, Any]], Any]:
    return lambda plain: plain["decision"].get(name)


def _of_hand(name: str) -> Callable[[Mapping[str, Any]], Any]:
    return lambda plain: (plain["hand"] or {}).get(name)


def _of_run(name: str) -> Callable[[Mapping[str, Any]], Any]:
    return lambda plain: plain["run"].get(name)


def _of_policy(name: str) -> Callable[[Mapping[str, Any]], Any]:
    return lambda plain: (plain["decision"].get("policy") or {}).get(name)


def _of_facts(*path: str) -> Callable[[Mapping[str, Any]], Any]:
    def found(plain: Mapping[str, Any]) -> Any:
        value: Any = plain["decision"]["facts"]
        for name in path:
            value = value.get(name) if isinstance(value, Mapping) else None
        return value

    return found


def _of_last(name: str) -> Callable[[Mapping[str, Any]], Any]:
    """Of the last question to a model."""
    return lambda plain: (plain["decision"]["attempts"] or [{}])[-1].get(name)


def _sum_of(name: str) -> Callable[[Mapping[str, Any]], Any]:
    """Over all questions to models; unknown where one of them is."""

    def found(plain: Mapping[str, Any]) -> Any:
        values = [attempt.get(name) for attempt in plain["decision"]["attempts"]]
        return sum(values) if values and None not in values else None

    return found


def _outcome(plain: Mapping[str, Any]) -> str | None:
    outcomes = plain["outcomes"]
    return outcomes[-1]["status"] if outcomes else None


COLUMNS: Final[dict[str, Callable[[Mapping[str, Any]], Any]]] = {
    **{name: _of_decision(name) for name in ("id", "at")},
    "run_id": _of_run("id"),
    "bot": _of_run("bot"),
    **{name: _of_decision(name) for name in ("table_id", "hand_id", "street", "hero_seat")},
    "position": _of_hand("position"),
    **{name: _of_decision(name) for name in ("hole_cards", "board", "pot_chips", "to_call_chips")},
    "big_blind_chips": _of_hand("big_blind_chips"),
    "equity": _of_facts("equity", "equity"),
    "equity_stderr": _of_facts("equity", "stderr"),
    "required_equity": _of_facts("required_equity"),
    **{name: _of_decision(name) for name in ("rule_choice", "rule_margin")},
    "policy_choice": _of_policy("choice"),
    "policy_equity": _of_policy("equity"),
    **{
        name: _of_decision(name)
        for name in (
            "choice",
            "action",
            "raise_to_chips",
            "source",
            "reason",
            "model_reason",
            "prompt_set",
            "prompt_hash",
        )
    },
    "model": _of_last("model"),
    "asked": _of_last("asked"),
    "questions": lambda plain: len(plain["decision"]["attempts"]),
    "grounding": _of_last("grounding"),
    "failure": _of_last("failure"),
    "elapsed_ms": _of_decision("elapsed_ms"),
    **{
        name: _sum_of(name)
        for name in (
            "latency_ms",
            "prompt_tokens",
            "completion_tokens",
            "reasoning_tokens",
            "cached_tokens",
            "cost_usd",
        )
    },
    "sent": lambda plain: any(send["error"] is None for send in plain["sends"]),
    "outcome": _outcome,
    "net_chips": _of_hand("net_chips"),
    "adjusted_net_chips": _of_hand("adjusted_net_chips"),
    "final_pot_chips": _of_hand("pot_chips"),
}
"""Where the value of each column is found."""
