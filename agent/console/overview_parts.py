"""The parts of the first page: what each of them shows of the journal, and how."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from nicegui import ui

from agent.console import addresses, figures, hands_page, showing
from agent.console.cells import Cell, Heading, Row, number_cell
from agent.console.charts import net_chart
from agent.console.hands_page import ListedHand
from agent.console.journal_access import ConsoleReader, FailedAttempt
from agent.console.markup import markup
from agent.console.records_table import RecordsTable
from agent.console.standing import Standing, pulse, standing
from agent.journal.filters import Filter
from agent.journal.reader import NO_HANDS
from agent.journal.records import RunRecord
from agent.journal.stories import CurvePoint, JournalStatistics
from agent.terminal.text import chips, name_text, utc

_FRAMES: Final = 300
_LATEST_HANDS: Final = 5


@dataclass(frozen=True, slots=True)
class Overview:
    """All that the page shows; `run` is the one that was heard of last, None in an empty journal."""

    run: RunRecord | None
    last_frame_at: datetime | None
    standing: Standing
    statistics: JournalStatistics
    curve: tuple[CurvePoint, ...]
    failure: FailedAttempt | None
    hands: tuple[ListedHand, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the page: `shows` is all that `draw` looks at. An `aside` stands at the side where there is room."""

    title: str
    name: str
    aside: bool
    shows: Callable[[Overview], object]
    draw: Callable[[Overview], None]


def read_overview(reader: ConsoleReader, where: Filter, run: RunRecord | None) -> Overview:
    """The overview of what the filter lets through, and of how `run`, the latest one, fares."""
    return Overview(
        run=run,
        last_frame_at=reader.last_frame_at(run.bot) if run else None,
        standing=_standing(reader, run),
        statistics=reader.statistics(where),
        curve=tuple(reader.net_curve(where)),
        failure=reader.latest_failure(where.run),
        hands=tuple(hands_page.listed(reader, _LATEST_HANDS, where, None)),
    )


def pulse_of(overview: Overview) -> tuple[str, str]:
    """Whether the bot runs at this moment: how that looks, and in words."""
    return pulse(overview.last_frame_at, datetime.now(UTC), is_seated=overview.standing.table_id is not None)


def _standing(reader: ConsoleReader, run: RunRecord | None) -> Standing:
    if run is None:
        return Standing()
    frames = reader.latest_frames(run.bot, run.started_at, limit=_FRAMES)
    return standing(frame for _, direction, frame in frames if direction == "in")


def _draw_now(overview: Overview) -> None:
    tone, words = pulse_of(overview)
    showing.text(words, "p", f"pulse {tone}").props("role=status")
    run, seat = overview.run, overview.standing
    if run is None:
        return
    where = "no seat" if seat.table_id is None else seat.table_id
    told = [("Bot", run.bot), ("Table", where)]
    if seat.table_id is not None:
        told.append(("Chips", chips(seat.chips)))
    told += [
        ("Run since", utc(run.started_at, "%Y-%m-%d %H:%M UTC")),
        ("Model", name_text(run.model).plain if run.model else "none is asked"),
        ("Prompt set", f"{name_text(run.prompt_set)} ({run.prompt_hash})"),
    ]
    showing.pairs(told)


def _draw_net(overview: Overview) -> None:
    if not overview.curve:
        showing.text(NO_HANDS, "p", "nothing")
        return
    ui.html(markup(net_chart(overview.curve)))
    with ui.element("p").classes("legend"):
        showing.text("net in big blinds over hands", classes="key net")
        showing.text("95 % interval, by the spread of the hands", classes="key band")
    row = Row(figures.winning_cells(overview.statistics.total))
    RecordsTable(figures.WINNING_HEADINGS, [row], "What the hands came to")


def _draw_decisions(overview: Overview) -> None:
    found = overview.statistics
    if not found.decisions:
        showing.text("No decisions yet.", "p", "nothing")
        return
    with ui.element("ul").classes("bars"):
        for source, count in found.sources.items():
            with ui.element("li").style(f"--share:{100 * count / found.decisions:.1f}%"):
                showing.link(source, addresses.url("/decisions", source=source))
                showing.text(figures.share(count, found.decisions))
    p50, p95 = figures.latency_text(found.decision_p50_ms), figures.latency_text(found.decision_p95_ms)
    told = [("Decisions", f"{found.decisions:,}"), ("Half of them took", p50), ("95 % of them took", p95)]
    known = [use.usd for use in found.models if use.usd is not None]
    told.append(("Cost of the models", figures.cost_text(sum(known) if known else None)))
    showing.pairs(told)


def _draw_models(overview: Overview) -> None:
    uses, failed = overview.statistics.models, overview.failure
    if not uses:
        showing.text("No model was asked.", "p", "nothing")
    headings = [
        Heading("Model"),
        Heading("Asked", number=True),
        Heading("Answered", number=True),
        Heading("Half took", number=True, spare=True),
        Heading("95 % took", number=True, spare=True),
        Heading("Failures"),
    ]
    rows = [
        Row(
            (
                Cell(use.model, addresses.url("/decisions", model=use.model)),
                number_cell(f"{use.questions:,}"),
                number_cell(figures.share(use.answered, use.questions)),
                number_cell(figures.latency_text(use.latency_p50_ms)),
                number_cell(figures.latency_text(use.latency_p95_ms)),
                Cell(figures.failures_text(use), tone="bad" if use.failures else "dim"),
            )
        )
        for use in uses
    ]
    if rows:
        RecordsTable(headings, rows, "How the models fare")
    with ui.element("p").classes("failure"):
        if failed is None:
            showing.text("Nothing has failed.", classes="dim")
        else:
            showing.text(f"Latest failure, {utc(failed.at)}, {failed.model}: {failed.failure}: {failed.error}")
            showing.link("Its decision", addresses.decision_url(failed.decision_id))


def _draw_habits(overview: Overview) -> None:
    habits = overview.statistics.habits
    RecordsTable(figures.HABIT_HEADINGS, figures.habit_rows(habits), "Our habits beside those of sound players")
    if any(habit.is_alarming for habit in habits):
        told = "An alarm is a habit that with enough chances lies outside of the band in which sound players are."
        showing.text(told, "p", "bad").props("role=alert")


def _draw_hands(overview: Overview) -> None:
    if overview.hands:
        hands_page.draw(overview.hands)
    else:
        showing.text(NO_HANDS, "p", "nothing")
    showing.link("All hands", "/hands")


PARTS: Final = (
    Part("Now", "now", True, lambda of: (pulse_of(of), of.standing, of.run), _draw_now),
    Part("Net", "net", False, lambda of: (of.curve, of.statistics.total), _draw_net),
    Part("Decisions", "decisions", True, lambda of: (of.statistics.decisions, of.statistics.sources), _draw_decisions),
    Part("Models", "models", False, lambda of: (of.statistics.models, of.failure), _draw_models),
    Part("Our habits", "habits", False, lambda of: of.statistics.habits, _draw_habits),
    Part("Latest hands", "hands", False, lambda of: of.hands, _draw_hands),
)
