"""Figures of hands, habits and models as the cells of tables."""

from collections.abc import Iterable, Mapping
from typing import Final

from agent.console.cells import Cell, Heading, Row, Tone, number_cell
from agent.journal.stories import Habit, ModelUse, Winnings
from agent.terminal.text import chips, milliseconds

HABIT_NAMES: Final[Mapping[str, str]] = {
    "vpip": "VPIP: chips in before the flop",
    "pfr": "PFR: raises before the flop",
    "three_bet": "3-bet",
    "aggression": "Aggression: bets and raises of all actions after the flop",
    "wtsd": "WTSD: goes to showdown",
    "won_at_showdown": "Won at showdown",
}
WINNING_HEADINGS: Final = (
    Heading("Hands", number=True),
    Heading("Net", number=True),
    Heading("bb/100", number=True),
    Heading("95 % interval", number=True),
    Heading("All-ins by equity, bb/100", number=True, spare=True),
    Heading("95 % interval", number=True, spare=True),
)
HABIT_HEADINGS: Final = (
    Heading("Habit"),
    Heading("Ours", number=True),
    Heading("Chances", number=True),
    Heading("Sound", number=True),
    Heading(""),
)


def rate(bb_per_100: float | None) -> str:
    """Big blinds a hundred hands.

    >>> rate(12.345), rate(None)
    ('+12.3', '-')
    """
    return "-" if bb_per_100 is None else f"{bb_per_100:+,.1f}"


def interval(low: float | None, high: float | None) -> str:
    """The ends of an interval.

    >>> interval(-4, 12.5), interval(None, None)
    ('-4.0 to +12.5', '-')
    """
    return "-" if low is None or high is None else f"{low:+,.1f} to {high:+,.1f}"


def winning_cells(won: Winnings) -> tuple[Cell, ...]:
    """What some hands came to, for the columns of `WINNING_HEADINGS`."""
    return (
        number_cell(f"{won.hands:,}"),
        number_cell(chips(won.net_chips, signed=True), sign_of(won.net_chips)),
        number_cell(rate(won.bb_per_100), tone_of(won.low, won.high)),
        number_cell(interval(won.low, won.high)),
        number_cell(rate(won.adjusted_bb_per_100), tone_of(won.adjusted_low, won.adjusted_high)),
        number_cell(interval(won.adjusted_low, won.adjusted_high)),
    )


def tone_of(low: float | None, high: float | None) -> Tone:
    """Good or bad only where all of the interval is."""
    if low is None or high is None or low <= 0 <= high:
        return ""
    return "good" if low > 0 else "bad"


def sign_of(amount: int | None) -> Tone:
    """Good for chips won, bad for chips lost."""
    return "" if not amount else "good" if amount > 0 else "bad"


def habit_rows(habits: Iterable[Habit]) -> list[Row]:
    """Our habits, for the columns of `HABIT_HEADINGS`; those that alarm are marked."""
    return [_habit_row(habit) for habit in habits]


def share(part: int, whole: int) -> str:
    """So many of so many.

    >>> share(3, 40), share(0, 0)
    ('3 (8 %)', '0')
    """
    return f"{part:,} ({100 * part / whole:.0f} %)" if whole else f"{part:,}"


def failures_text(use: ModelUse) -> str:
    """The failures of a model by kind, the most frequent first."""
    return ", ".join(f"{kind} {count:,}" for kind, count in use.failures.items()) or "none"


def latency_text(value_ms: float | None) -> str:
    """A latency, or that there is none."""
    return "-" if value_ms is None else milliseconds(value_ms)


def cost_text(usd: float | None) -> str:
    """What was paid; a price that nobody knows is never zero."""
    return "unknown" if usd is None else f"${usd:,.4f}"


def _habit_row(habit: Habit) -> Row:
    # A ratio such as the aggression factor is no share: its band says so.
    is_share = habit.high <= 1
    ours = habit.times / habit.chances if habit.chances else None

    def told(value: float) -> str:
        return f"{100 * value:.0f} %" if is_share else f"{value:.1f}"

    return Row(
        (
            Cell(HABIT_NAMES.get(habit.name, habit.name)),
            number_cell("-" if ours is None else told(ours), "bad" if habit.is_alarming else ""),
            number_cell(f"{habit.chances:,}"),
            number_cell(f"{told(habit.low)} to {told(habit.high)}"),
            Cell("alarm" if habit.is_alarming else "", tone="bad"),
        ),
        marked=habit.is_alarming,
    )
