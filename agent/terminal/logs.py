"""The journal in the terminal: hands, decisions, and one decision whole; as tables for people, as JSON for programs."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final, Generic, TypeVar

from rich.box import SIMPLE_HEAD
from rich.console import Console, JustifyMethod
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from agent.journal.reader import NO_DECISIONS, NO_HANDS, DecisionLine, DecisionStory, HandLine
from agent.journal.records import AttemptRecord, DecisionRecord, HandRecord
from agent.terminal.text import cards, chips, plain, utc

Line = TypeVar("Line")

SOURCE_STYLES: Final = {"llm": "green", "repaired": "yellow", "policy": "blue", "rule": "cyan", "floor": "red"}

_GROUNDING_STYLES: Final = {"grounded": "green", "misread": "red"}
_SHORT_ID_CHARACTERS: Final = 8
_UNDER: Final = " · "
_SHARES: Final = ("equity", "odds", "stderr", "ci_low", "ci_high", "margin", "share", "frequency", "win", "tie", "lose")


@dataclass(frozen=True, slots=True)
class _Column(Generic[Line]):
    """A column of a list; consoles narrower than `from_width` leave it out."""

    title: str
    cell: Callable[[Line], Text]
    justify: JustifyMethod = "left"
    from_width: int = 0


def render_hands(console: Console, hands: Sequence[HandLine]) -> None:
    """Print the hands as a table, or how to get some."""
    if not hands:
        console.print(Text(NO_HANDS))
        return
    _print_table(console, _HAND_COLUMNS, hands)


def render_decisions(console: Console, decisions: Sequence[DecisionLine], *, filtered: bool = False) -> None:
    """Print the decisions as a table, or why there are none; `filtered` tells that not all were asked for."""
    if not decisions:
        console.print(Text("No decision matches these filters." if filtered else NO_DECISIONS))
        return
    _print_table(console, _DECISION_COLUMNS, decisions)


def render_decision(console: Console, story: DecisionStory) -> None:
    """Print one decision whole: spot, numbers, menu, prompts and replies, what was sent and what came of it."""
    decision = story.decision
    _print_header(console, story)
    _print_title(console, "Numbers")
    _print_pairs(console, [(name, plain(value)) for name, value in _facts(decision.facts)])
    _print_title(console, "Menu")
    _print_menu(console, decision)
    _print_title(console, "Model")
    _print_attempts(console, decision)
    _print_title(console, "Sent")
    _print_sends(console, story)
    _print_title(console, "Hand")
    _print_hand(console, story.hand)


def hands_json(hands: Sequence[HandLine]) -> list[dict[str, Any]]:
    """The hands as JSON can hold them."""
    return [{"run_id": line.run_id, **_json(line.hand), "decisions": line.decisions} for line in hands]


def decisions_json(decisions: Sequence[DecisionLine]) -> list[dict[str, Any]]:
    """The decisions of a list as JSON can hold them."""
    return [_json(line) for line in decisions]


def decision_json(story: DecisionStory) -> dict[str, Any]:
    """One decision whole as JSON can hold it."""
    return _json(story)


def _json(record: Any) -> dict[str, Any]:
    held: dict[str, Any] = json.loads(json.dumps(asdict(record), default=_json_text))
    return held


def _json_text(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _print_table(console: Console, columns: Sequence[_Column[Line]], lines: Sequence[Line]) -> None:
    shown = [column for column in columns if console.width >= column.from_width]
    table = _table()
    for column in shown:
        table.add_column(column.title, justify=column.justify, no_wrap=True)
    for line in lines:
        table.add_row(*(column.cell(line) for column in shown))
    console.print(table)


def _table() -> Table:
    return Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)


def _print_title(console: Console, title: str) -> None:
    console.print()
    console.print(Text(title, style="bold"))


def _print_pairs(console: Console, pairs: Sequence[tuple[str, Text]]) -> None:
    grid = Table.grid(padding=(0, 2))
    for name, value in pairs:
        grid.add_row(plain(name, "dim"), value)
    console.print(grid)


def _print_header(console: Console, story: DecisionStory) -> None:
    run, decision = story.run, story.decision
    position = story.hand.position if story.hand and story.hand.position else "position unknown"
    chosen = f"{_action(decision.action, decision.raise_to_chips)} ({decision.choice})"
    price = f"pot {chips(decision.pot_chips)} · to call {chips(decision.to_call_chips)}"
    spot = Text(" · ").join(
        (plain(decision.street), cards(decision.hole_cards), Text("board ") + cards(decision.board), Text(price))
    )
    pairs = [
        ("decision", plain(decision.id, "bold")),
        ("time", Text(f"{utc(decision.at)}, took {_milliseconds(decision.elapsed_ms)}")),
        ("run", plain(f"{run.id} · {run.bot} · version {run.version} · seed {run.seed}")),
        ("prompt", plain(f"{decision.prompt_set} ({decision.prompt_hash})")),
        ("table", plain(f"{decision.table_id} · seat {decision.hero_seat} ({position})")),
        ("hand", plain(decision.hand_id)),
        ("spot", spot),
        ("choice", plain(chosen, "bold")),
        ("source", Text.assemble(_source(decision.source), ": ", plain(decision.reason))),
        ("rule says", plain(_rule(decision))),
    ]
    if decision.model_reason is not None:
        pairs.append(("model says", plain(decision.model_reason)))
    _print_pairs(console, pairs)


def _print_menu(console: Console, decision: DecisionRecord) -> None:
    # In the order of first appearance; entries need not have the same keys.
    names = list(dict.fromkeys(name for entry in decision.menu for name in entry))
    table = _table()
    for title in ("", *names):
        table.add_column(plain(title.replace("_", " ")))
    for entry in decision.menu:
        chosen, by_rule = entry.get("id") == decision.choice, entry.get("id") == decision.rule_choice
        mark = " ".join(word for word, holds in (("▶ chosen", chosen), ("rule", by_rule)) if holds)
        values = (plain("-" if entry.get(name) is None else _number(name, entry[name])) for name in names)
        table.add_row(Text(mark), *values, style="bold" if chosen else "")
    console.print(table)


def _print_attempts(console: Console, decision: DecisionRecord) -> None:
    if not decision.attempts:
        console.print(Text("No model was asked."))
    before: tuple[tuple[str, str], ...] = ()
    for number, attempt in enumerate(decision.attempts, 1):
        _print_attempt(console, number, attempt, already_shown=_common_start(before, attempt.messages))
        before = attempt.messages


def _print_attempt(console: Console, number: int, attempt: AttemptRecord, *, already_shown: int) -> None:
    asked = f"{attempt.asked}, which is " if attempt.asked not in (None, attempt.model) else ""
    console.print(plain(f"Attempt {number} ({attempt.kind}) · {asked}{attempt.model} · {_cost(attempt)}"))
    console.print(plain(f"parameters {_compact(attempt.parameters)}", "dim"))
    if already_shown:
        console.print(Text(f"messages 1 to {already_shown} as in the attempt before", style="dim"))
    for position, (role, content) in enumerate(attempt.messages[already_shown:], already_shown + 1):
        console.print(_panel(f"message {position}: {role}", content))
    if attempt.reply_text is not None:
        console.print(_panel(f"reply (finish reason: {attempt.finish_reason or 'none given'})", attempt.reply_text))
    if attempt.grounding is not None:
        console.print(plain(f"grounding: {attempt.grounding}", _GROUNDING_STYLES.get(attempt.grounding, "")))
    if attempt.error is not None:
        console.print(plain(f"{attempt.failure or 'error'}: {attempt.error}", "red"))


def _print_sends(console: Console, story: DecisionStory) -> None:
    if not story.sends:
        console.print(Text("Nothing was sent."))
    for send in story.sends:
        console.print(plain(f"{_clock(send.at)} sent {_compact(send.frame)}"))
        if send.error is not None:
            console.print(plain(f"{_clock(send.at)} did not get out: {send.error}", "red"))
    for outcome in story.outcomes:
        code = f" ({outcome.code})" if outcome.code else ""
        style = "green" if outcome.status == "accepted" else "red"
        console.print(plain(f"{_clock(outcome.at)} {outcome.status} by the server{code}", style))
    if story.sends and not story.outcomes:
        console.print(Text("The server has not answered."))


def _print_hand(console: Console, hand: HandRecord | None) -> None:
    if hand is None:
        console.print(Text("How the hand ended is not in the journal."))
        return
    net = f"net {chips(hand.net_chips, signed=True)} {_in_big_blinds(hand)}· pot {chips(hand.pot_chips)} · board "
    console.print(Text(net) + cards(hand.board))
    for winner in _mappings(hand.result.get("winners")):
        won = f"{winner.get('name')} wins {_number('amount', winner.get('amount'))}"
        console.print(plain(f"{won} ({winner.get('hand_description') or 'no showdown'})"))
    if not hand.complete:
        console.print(Text("A part of this hand was not seen.", style="yellow"))


def _facts(facts: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
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
            yield from _facts(value, name + _UNDER)
        else:
            yield name, _number(key, value)


def _equity_summary(facts: Mapping[str, Any]) -> str | None:
    """The equity with its error and its sample, when the facts hold both."""
    equity, error = facts.get("equity"), facts.get("stderr")
    if not isinstance(equity, float | int) or not isinstance(error, float | int):
        return None
    trials = facts.get("trials")
    sample = f", {trials:,} trials" if isinstance(trials, int) and trials else ""
    return f"{equity:.1%}, exact{sample}" if error == 0 else f"{equity:.1%} ± {error:.1%} standard error{sample}"


def _number(name: str, value: object) -> str:
    """A value with the unit its name states: chips, big blinds, milliseconds, or a share in percent."""
    if isinstance(value, list | tuple):
        return ", ".join(_number(name, item) for item in value)
    if value is None:
        return "unknown"
    if isinstance(value, Mapping):
        return _compact(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or name == "seed":
        return str(value)
    if name.endswith("_ms"):
        return _milliseconds(value)
    if isinstance(value, int):
        return f"{value:,}"
    if any(word in name for word in _SHARES) and -1 <= value <= 1:
        return f"{value:.1%}"
    return f"{value:,.4g}"


def _cost(attempt: AttemptRecord) -> str:
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
    return f"{_milliseconds(attempt.latency_ms)} · tokens {known or 'unknown'}{cost}"


def _rule(decision: DecisionRecord) -> str:
    """The rule's choice, with how far equity was from what it asks of a call."""
    margin = decision.rule_margin
    return (
        decision.rule_choice if margin is None else f"{decision.rule_choice} (equity {margin:+.1%} from its threshold)"
    )


def _panel(title: str, content: str) -> Panel:
    return Panel(plain(content, lines=True), title=plain(title), title_align="left")


def _common_start(left: Sequence[object], right: Sequence[object]) -> int:
    """How many items both begin with."""
    for position, (one, other) in enumerate(zip(left, right, strict=False)):
        if one != other:
            return position
    return min(len(left), len(right))


def _mappings(value: object) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def _action(action: str, raise_to_chips: int | None) -> str:
    return action if raise_to_chips is None else f"{action} to {raise_to_chips:,}"


def _source(source: str) -> Text:
    return plain(source, SOURCE_STYLES.get(source, ""))


def _net(net_chips: int | None) -> Text:
    style = "" if not net_chips else "green" if net_chips > 0 else "red"
    return Text(chips(net_chips, signed=True), style=style)


def _in_big_blinds(hand: HandRecord) -> str:
    if hand.net_chips is None or hand.big_blind_chips <= 0:
        return ""
    return f"({hand.net_chips / hand.big_blind_chips:+.1f} bb) "


def _compact(frame: Mapping[str, Any]) -> str:
    return json.dumps(frame, ensure_ascii=False, separators=(",", ":"))


def _clock(at: datetime) -> str:
    return utc(at, "%H:%M:%S.%f")[:-3]


def _milliseconds(value: float) -> str:
    return f"{value:,.1f} ms" if value < 10 else f"{value:,.0f} ms"


def _day_and_clock(at: datetime) -> Text:
    return Text(utc(at, "%m-%d %H:%M:%S"))


def _short(identifier: str) -> Text:
    return plain(identifier[-_SHORT_ID_CHARACTERS:])


_HAND_COLUMNS: Final[Sequence[_Column[HandLine]]] = (
    _Column("hand", lambda line: _short(line.hand.hand_id)),
    _Column("time (UTC)", lambda line: _day_and_clock(line.hand.at)),
    _Column("position", lambda line: plain(line.hand.position or "-")),
    _Column("cards", lambda line: cards(line.hand.hole_cards)),
    _Column("board", lambda line: cards(line.hand.board)),
    _Column("pot", lambda line: Text(chips(line.hand.pot_chips)), "right"),
    _Column("net", lambda line: _net(line.hand.net_chips), "right"),
    _Column("decisions", lambda line: Text(str(line.decisions)), "right"),
    _Column("seen", lambda line: Text("whole" if line.hand.complete else "in part"), from_width=100),
    _Column("table", lambda line: _short(line.hand.table_id), from_width=100),
)

_DECISION_COLUMNS: Final[Sequence[_Column[DecisionLine]]] = (
    _Column("id", lambda line: _short(line.id)),
    _Column("time (UTC)", lambda line: _day_and_clock(line.at)),
    _Column("hand", lambda line: _short(line.hand_id), from_width=135),
    _Column("street", lambda line: plain(line.street)),
    _Column("cards", lambda line: cards(line.hole_cards)),
    _Column("board", lambda line: cards(line.board), from_width=115),
    _Column("pot", lambda line: Text(chips(line.pot_chips)), "right", from_width=90),
    _Column("to call", lambda line: Text(chips(line.to_call_chips)), "right", from_width=100),
    _Column("choice", lambda line: plain(_action(line.action, line.raise_to_chips))),
    _Column("source", lambda line: _source(line.source)),
    _Column("model", lambda line: plain(line.model or "-"), from_width=155),
    _Column("latency", lambda line: Text(_milliseconds(line.elapsed_ms)), "right", from_width=125),
    _Column("net", lambda line: _net(line.net_chips), "right"),
)
