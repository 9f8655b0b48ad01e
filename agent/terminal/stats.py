"""The figures of many hands and decisions in the terminal: what was won and where, our habits, the models and their cost."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from agent.journal.plain import as_plain
from agent.journal.stories import Habit, JournalStatistics, ModelUse, Winnings
from agent.terminal.tables import Column, plain_table, print_pairs, print_table, print_title
from agent.terminal.text import SOURCE_STYLES, chips, milliseconds, name_text, net, plain, utc

ALARM: Final = (
    "! outside of the band in which sound players of six-handed tables are, with enough chances to say so. Look at the "
    "decisions behind it: `poker-agent logs decisions --source llm`, then `logs show ID`."
)
NOTHING: Final = "No hand and no decision matches these filters."


def render_statistics(console: Console, found: JournalStatistics, *, opponents: int) -> None:
    """Print all tables, with so many `opponents` at most; or that there is nothing to tell."""
    if not found.total.hands and not found.decisions:
        console.print(Text(NOTHING))
        return
    _print_total(console, found)
    for title, groups in (
        ("By position", found.by_position),
        ("By the street that was reached", found.by_street),
        ("By who decided", found.by_source),
        ("By model", found.by_model),
        ("By prompt set", found.by_prompt),
        ("By opponent in the hand", dict(islice(found.by_opponent.items(), opponents))),
    ):
        _print_groups(console, title, groups)
    _print_habits(console, found)
    _print_decisions(console, found)
    _print_models(console, found)


def statistics_json(found: JournalStatistics) -> dict[str, Any]:
    """The figures as JSON can hold them."""
    return as_plain(found)


def _print_total(console: Console, found: JournalStatistics) -> None:
    total = found.total
    pairs = [("hands", Text(f"{total.hands:,}"))]
    if found.first_at is not None and found.last_at is not None:
        pairs.append(("time", Text(f"{utc(found.first_at)} to {utc(found.last_at)}")))
    pairs.append(("net", net(total.net_chips, " chips")))
    pairs.append(("won", _rate(total.bb_per_100, total.low, total.high)))
    pairs.append(
        ("all-ins valued by equity", _rate(total.adjusted_bb_per_100, total.adjusted_low, total.adjusted_high))
    )
    print_pairs(console, pairs)


def _rate(bb_per_100: float | None, low: float | None, high: float | None) -> Text:
    """`+12.4 bb/100, 95 % interval +4.3 to +20.5`."""
    if bb_per_100 is None:
        return Text("unknown")
    style = "" if low is None or high is None or low <= 0 <= high else "green" if low > 0 else "red"
    interval = "" if low is None or high is None else f", 95 % interval {low:+,.1f} to {high:+,.1f}"
    return Text(f"{bb_per_100:+,.1f} bb/100{interval}", style=style)


def _print_groups(console: Console, title: str, groups: Mapping[str, Winnings]) -> None:
    if not groups:
        return
    print_title(console, title)
    print_table(console, _GROUP_COLUMNS, list(groups.items()))


def _bb(value: float | None) -> Text:
    return Text("-" if value is None else f"{value:+,.1f}")


def _interval(low: float | None, high: float | None) -> Text:
    return Text("-" if low is None or high is None else f"{low:+,.1f} to {high:+,.1f}")


Group = tuple[str, Winnings]

_GROUP_COLUMNS: Final[Sequence[Column[Group]]] = (
    Column("", lambda group: name_text(group[0]), is_cut=True),
    Column("hands", lambda group: Text(f"{group[1].hands:,}"), "right"),
    Column("net", lambda group: net(group[1].net_chips), "right"),
    Column("bb/100", lambda group: _bb(group[1].bb_per_100), "right"),
    Column("95 % interval", lambda group: _interval(group[1].low, group[1].high), "right"),
    Column("adjusted", lambda group: _bb(group[1].adjusted_bb_per_100), "right", from_width=90),
    Column(
        "95 % interval", lambda group: _interval(group[1].adjusted_low, group[1].adjusted_high), "right", from_width=110
    ),
)


def _print_habits(console: Console, found: JournalStatistics) -> None:
    if not found.habits:
        return
    print_title(console, "Our habits")
    table = plain_table()
    for place, title in enumerate(("", "ours", "times", "chances", "sound", "")):
        table.add_column(title, justify="right" if 0 < place < 5 else "left")
    for habit in found.habits:
        table.add_row(*_habit_cells(habit), style="bold red" if habit.is_alarming else "")
    console.print(table)
    if any(habit.is_alarming for habit in found.habits):
        console.print(Text(ALARM, style="red"))


_HABITS: Final = {
    "vpip": "VPIP",
    "pfr": "PFR",
    "three_bet": "3-bet",
    "wtsd": "WTSD, went to the showdown",
    "won_at_showdown": "won at the showdown",
}


def _habit_cells(habit: Habit) -> tuple[Text, ...]:
    # A ratio such as the aggression factor is no share: its band says so.
    is_share = habit.high <= 1
    ours = habit.times / habit.chances if habit.chances else None

    def told(value: float) -> str:
        return f"{value:.0%}" if is_share else f"{value:.1f}"

    return (
        plain(_HABITS.get(habit.name, habit.name)),
        Text("-" if ours is None else told(ours)),
        Text(f"{habit.times:,}"),
        Text(f"{habit.chances:,}"),
        Text(f"{told(habit.low)} to {told(habit.high)}"),
        Text("! alarm" if habit.is_alarming else ""),
    )


def _print_decisions(console: Console, found: JournalStatistics) -> None:
    if not found.decisions:
        return
    print_title(console, f"{found.decisions:,} decisions")
    shares = [
        plain(f"{source} {count:,} ({count / found.decisions:.0%})", SOURCE_STYLES.get(source, ""))
        for source, count in found.sources.items()
    ]
    pairs = [("decided by", Text(", ").join(shares))]
    if found.decision_p50_ms is not None and found.decision_p95_ms is not None:
        p50, p95 = milliseconds(found.decision_p50_ms), milliseconds(found.decision_p95_ms)
        pairs.append(("took", Text(f"{p50} in the middle, {p95} at the 95th percentile")))
    print_pairs(console, pairs)


def _print_models(console: Console, found: JournalStatistics) -> None:
    if not found.models:
        return
    print_title(console, "Models")
    print_table(console, _MODEL_COLUMNS, found.models)
    for use in found.models:
        console.print(name_text(use.model).append(f": {_differences(use)}"))
        if use.failures:
            kinds = ", ".join(f"{kind} {count:,}" for kind, count in use.failures.items())
            console.print(name_text(use.model).append(" failed: ").append_text(plain(kinds)))


def _differences(use: ModelUse) -> str:
    """How often the model played something else than those who decide without one."""
    told = (("the rule", use.differed), ("the policy", use.differed_from_policy))
    played = max(1, use.answered)
    shares = (f"{who} {count:,} of {use.answered:,} ({count / played:.0%})" for who, count in told)
    return f"played otherwise than {', '.join(shares)}"


def _latency(value: float | None) -> Text:
    return Text("-" if value is None else milliseconds(value))


_MODEL_COLUMNS: Final[Sequence[Column[ModelUse]]] = (
    Column("", lambda use: name_text(use.model), is_cut=True),
    Column("asked", lambda use: Text(chips(use.questions)), "right"),
    Column("answered", lambda use: Text(chips(use.answered)), "right"),
    Column("failed", lambda use: Text(chips(sum(use.failures.values()))), "right"),
    Column("p50", lambda use: _latency(use.latency_p50_ms), "right"),
    Column("p95", lambda use: _latency(use.latency_p95_ms), "right"),
    Column("tokens in", lambda use: Text(chips(use.prompt_tokens)), "right", from_width=100),
    Column("out", lambda use: Text(chips(use.completion_tokens)), "right", from_width=100),
    Column("cost", lambda use: Text("unknown" if use.usd is None else f"${use.usd:,.4f}"), "right"),
)
