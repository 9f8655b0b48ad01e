"""What the journal holds, in words and numbers with their units: for the terminal and for pages. All of it is text still to be made safe."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from agent.journal.reader import DecisionStory
from agent.journal.records import AttemptRecord, DecisionRecord, HandRecord
from agent.poker.range_words import RangeWords
from agent.terminal.text import milliseconds

_UNDER: Final = " · "
_SHARES: Final = ("equity", "odds", "stderr", "ci_low", "ci_high", "margin", "share", "frequency", "win", "tie", "lose")


@dataclass(frozen=True, slots=True)
class ReadRange:
    """A range that was read: whose, in a line, and a digit for each hand class."""

    who: str
    text: str
    levels: str


def menu_marks(decision: DecisionRecord, entry: Mapping[str, Any]) -> list[str]:
    """Who is for this entry of the menu: what was chosen, the rule, the policy."""
    advice = decision.policy.get("choice") if decision.policy else None
    found = (("▶ chosen", decision.choice), ("rule", decision.rule_choice), ("policy", advice))
    return [word for word, choice in found if choice is not None and entry.get("id") == choice]


def policy_words(advice: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What the policy made of the turn, but for the ranges: its choice, the equity, the reason."""
    equity = advice.get("equity")
    return [
        ("recommends", str(advice.get("choice") or "nothing on the menu")),
        (
            "equity",
            "not worked out" if equity is None else f"{number('equity', equity)} against the ranges below",
        ),
        ("reason", str(advice.get("reason") or "none given")),
    ]


def read_ranges(story: DecisionStory) -> list[ReadRange]:
    """The ranges that the policy read for the opponents, by seat."""
    told = story.decision.policy.get("ranges") if story.decision.policy else None
    positions = {str(player.seat): player.position for player in (story.hand.players if story.hand else ())}
    found = []
    for seat, read in sorted(told.items()) if isinstance(told, Mapping) else ():
        known = [text for text in (positions.get(str(seat)), story.decision.names.get(str(seat))) if text]
        place = f" ({', '.join(known)})" if known else ""
        words = RangeWords(float(read.get("share", 0.0)), str(read.get("hands", "")), str(read.get("levels", "")))
        found.append(ReadRange(f"seat {seat}{place}", words.text, words.levels))
    return found


def fact_pairs(facts: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Names and values as people read them, the nested ones under their parent's name; what does not apply is left out."""
    summary = _equity_summary(facts)
    if summary is not None:
        yield prefix.removesuffix(_UNDER) or "equity", summary
    for key, value in facts.items():
        is_told = summary is not None and key in {"equity", "stderr"}
        if is_told or value in (None, "", []):
            continue
        name = prefix + key.replace("_", " ")
        if isinstance(value, Mapping):
            yield from fact_pairs(value, name + _UNDER)
        else:
            yield name, number(key, value)


def _equity_summary(facts: Mapping[str, Any]) -> str | None:
    """The equity with its error and its sample, when the facts hold both."""
    equity, error = facts.get("equity"), facts.get("stderr")
    if not isinstance(equity, float | int) or not isinstance(error, float | int):
        return None
    trials = facts.get("trials")
    sample = f", {trials:,} trials" if isinstance(trials, int) and trials else ""
    return f"{equity:.1%}, exact{sample}" if error == 0 else f"{equity:.1%} ± {error:.1%} standard error{sample}"


def number(name: str, value: object) -> str:
    """A value with the unit its name states: chips, big blinds, milliseconds, or a share in percent."""
    if isinstance(value, list | tuple):
        return ", ".join(number(name, item) for item in value)
    if value is None:
        return "unknown"
    if isinstance(value, Mapping):
        return compact_json(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or name == "seed":
        return str(value)
    if name.endswith("_ms"):
        return milliseconds(value)
    if isinstance(value, int):
        return f"{value:,}"
    if any(word in name for word in _SHARES) and -1 <= value <= 1:
        return f"{value:.1%}"
    return f"{value:,.4g}"


def cost_words(attempt: AttemptRecord) -> str:
    """What a question took: time, tokens and money."""
    counts = (
        ("in", attempt.prompt_tokens),
        ("cached", attempt.cached_tokens),
        ("out", attempt.completion_tokens),
        ("reasoning", attempt.reasoning_tokens),
    )
    known = ", ".join(f"{count:,} {name}" for name, count in counts if count is not None)
    cost = "" if attempt.reply_text is None else " · cost unknown"
    if attempt.cost_usd is not None:
        cost = f" · ${attempt.cost_usd:.5f}"
    return f"{milliseconds(attempt.latency_ms)} · tokens {known or 'unknown'}{cost}"


def rule_words(decision: DecisionRecord) -> str:
    """The rule's choice, with how far equity was from what it asks of a call."""
    margin = decision.rule_margin
    return (
        decision.rule_choice if margin is None else f"{decision.rule_choice} (equity {margin:+.1%} from its threshold)"
    )


def mappings(value: object) -> list[Mapping[str, Any]]:
    """The objects of a list that somebody else has made."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def big_blinds_of(hand: HandRecord) -> str:
    """The net in big blinds, with a blank after it; empty where it is not known."""
    if hand.net_chips is None or hand.big_blind_chips <= 0:
        return ""
    return f"({hand.net_chips / hand.big_blind_chips:+.1f} bb) "


def compact_json(frame: Mapping[str, Any]) -> str:
    """The frame in one line."""
    return json.dumps(frame, ensure_ascii=False, separators=(",", ":"))
