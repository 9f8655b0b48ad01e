"""The page of one hand: its table step by step, by buttons, by keys or by its story, with what we decided and why.

Beside each step stands what the acts up to it tell: our equity, and the ranges of the others.
"""

import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from nicegui import background_tasks, ui
from starlette.requests import Request

from agent.console import addresses, decision_words, showing
from agent.console.charts import equity_chart
from agent.console.felt import felt_html
from agent.console.journal_access import ConsoleReader, JournalAccess
from agent.console.markup import markup
from agent.console.page import Page
from agent.console.replay_reading import RestedReadings, StepReading, step_reading
from agent.console.replay_steps import UNKNOWN_PLAYERS, Step, steps
from agent.console.review_page import Answered, begin
from agent.journal.records import DecisionRecord
from agent.journal.stories import HandStory
from agent.poker.range_words import RangeWords
from agent.remembered import book_of
from agent.strategy.opponents import PLAYERS_KEPT, Opponents
from agent.strategy.reading import Reading
from agent.terminal.text import chips, utc
from agent.terminal.words import big_blinds_of

# A key that is held goes through many steps; browsers refuse so many addresses.
_KEEP: Final = """
    clearTimeout(window.stepKept);
    window.stepKept = setTimeout(() => history.replaceState({{}}, "", {url}), 300);
"""
_KEYS: Final = "Keys: left and right arrows go step by step, Home and End to the ends."

_STEP: Final = re.compile(r"\d{1,6}", re.ASCII)
_LINES_KEPT: Final = 128
"""The beginnings of lines of one hand, with room to spare."""


@dataclass(frozen=True, slots=True)
class ReplayedHand:
    """A hand with its number in its run, the steps in which it is replayed, and what is known today of its players."""

    story: HandStory
    number: int
    steps: tuple[Step, ...]
    book: Opponents


def page(access: JournalAccess) -> Page:
    """The page of this journal."""

    async def build(request: Request, hand_id: str) -> None:
        query = request.query_params
        step = query.get("step", "")

        def ask(reader: ConsoleReader) -> ReplayedHand:
            story = reader.hand_in(hand_id, query.get("run") or None)
            number = reader.hand_number(story.run.id, story.hand.hand_id)
            names = {player.name for player in story.hand.players}
            met = [known for known in reader.latest_opponents(story.run.bot, PLAYERS_KEPT) if known.name in names]
            return ReplayedHand(story, number, steps(story), book_of(met))

        if await begin():
            await Answered(access).show(ask, lambda hand: _draw(hand, int(step) if _STEP.fullmatch(step) else 0))

    return Page("/hands/{hand_id:path}", "Hand", "replay", build, in_menu=False)


def _draw(replayed: ReplayedHand, step: int) -> None:
    story = replayed.story
    hand = story.hand
    title = f"Hand {replayed.number} of {story.run.bot}" if replayed.number else "Hand"
    ui.page_title(f"{title} - poker-agent")
    with ui.element("div").classes("page-head"):
        showing.heading(title)
        told = f"{utc(hand.at)} · net {chips(hand.net_chips, signed=True)} {big_blinds_of(hand)}· pot {chips(hand.pot_chips)}"
        showing.text(told + ("" if hand.complete else " · a part of it was not seen"), "p", "dim")
    _links(story)
    if replayed.steps:
        _Replay(replayed, step)
    else:
        showing.text(UNKNOWN_PLAYERS, "p", "nothing")
        for decision in story.decisions:
            with showing.section(decision.street.capitalize()):
                _decision(decision, story)


def _links(story: HandStory) -> None:
    """The way to each of our decisions, before anything is played."""
    with ui.element("nav").classes("decision-links").props('aria-label="Our decisions"'):
        showing.text("Our decisions:" if story.decisions else "We had nothing to decide.", classes="dim")
        for decision in story.decisions:
            showing.link(_title(decision), addresses.decision_url(decision.id))


def _title(decision: DecisionRecord) -> str:
    return f"{decision.street}: {decision.action} ({decision.source})"


class _Replay:
    """The table, and where in the hand it stands."""

    def __init__(self, replayed: ReplayedHand, step: int) -> None:
        self._replayed: Final = replayed
        self._steps: Final = replayed.steps
        self._at = min(step, len(self._steps) - 1)
        with ui.element("div").classes("replay"):
            with ui.element("section").classes("panel replay-table").props('aria-label="Replay"'):
                self._felt: Final = ui.html("").classes("felt-place")
                self._said: Final = showing.text("", "p", "replay-said").props("role=status")
                self._controls()
                showing.text(_KEYS, "p", "dim keys")
            with ui.element("section").classes("panel replay-decision").props('aria-label="Decision and reading"'):
                self._decision: Final = ui.element("div").classes("replay-why")
                self._shown: DecisionRecord | None = None
                self._read: Final = _ReadPlace(RestedReadings(self._reader()))
                _equities(replayed.story.decisions)
            with showing.section("Story", "replay-story"):
                self._lines: Final = self._story()
        self._show()

    def _reader(self) -> Callable[[int], StepReading]:
        """What works out the reading of a step by its number."""
        replayed, reading = self._replayed, Reading(lines_kept=_LINES_KEPT)
        return lambda at: step_reading(replayed.story.hand, replayed.steps[at], replayed.book, reading)

    def _controls(self) -> None:
        last = len(self._steps) - 1
        with ui.row().classes("replay-buttons"):
            for icon, name, key, to in (
                ("first_page", "First step", "Home", lambda: 0),
                ("chevron_left", "Step back", "ArrowLeft", lambda: self._at - 1),
                ("chevron_right", "Step forward", "ArrowRight", lambda: self._at + 1),
                ("last_page", "Last step", "End", lambda: last),
            ):
                button = ui.button(icon=icon, on_click=self._going(to))
                button.props(f'outline data-key={key} aria-label="{name}" title="{name}"')
            self._place = showing.text("", classes="replay-place")

    def _going(self, to: Callable[[], int]) -> Callable[[], None]:
        return lambda: self._go(to())

    def _story(self) -> list[ui.element]:
        """All steps in words; each leads to its moment."""
        lines = list[ui.element]()
        with ui.element("ol").classes("story-lines"):
            for number, step in enumerate(self._steps):
                is_turn = step.decision is not None and step.view.seats[0].to_act
                with ui.element("li").classes("our-turn" if is_turn else ""):
                    line = showing.text(step.words, "button").props("type=button")
                    line.on("click", lambda number=number: self._go(number))
                    lines.append(line)
        return lines

    def _go(self, step: int) -> None:
        before, self._at = self._at, max(0, min(step, len(self._steps) - 1))
        if self._at != before:
            self._lines[before].props(remove="aria-current")
            self._show()
            story = self._replayed.story
            ui.run_javascript(
                _KEEP.format(url=json.dumps(addresses.hand_url(story.hand.hand_id, story.run.id, self._at)))
            )

    def _show(self) -> None:
        step = self._steps[self._at]
        self._felt.content = felt_html(step.view)
        showing.say(self._said, step.words)
        showing.say(self._place, f"{self._at + 1} of {len(self._steps)}, {step.street}")
        self._lines[self._at].props("aria-current=step")
        if step.decision is not self._shown or not self._decision.default_slot.children:
            self._shown = step.decision
            self._decision.clear()
            with self._decision:
                if step.decision is None:
                    showing.text("Not our turn. Steps with a dot are our decisions.", "p", "dim")
                else:
                    showing.heading("As the bot recorded it", 3)
                    _decision(step.decision, self._replayed.story)
        recorded = step.decision is not None and bool(_recorded_ranges(step.decision, self._replayed.story))
        self._read.show(self._at, has_pictures=recorded)


class _ReadPlace:
    """The place that tells what the acts up to a step tell."""

    def __init__(self, readings: RestedReadings) -> None:
        self._readings: Final = readings
        with ui.element("div").classes("replay-read"):
            showing.heading("As the acts so far tell it", 3)
            self._place: Final = ui.element("div").classes("replay-read-found")
            with self._place:
                showing.text("Reading the acts ...", "p", "dim")

    def show(self, at: int, *, has_pictures: bool) -> None:
        """Tell it of this step, if the replay rests there; `has_pictures` says that the recorded ranges are drawn already."""
        self._place.props("aria-busy=true")
        background_tasks.create(self._draw(self._readings.after_going_to(at), has_pictures=has_pictures), name="replay")

    async def _draw(self, rested: Awaitable[StepReading | None], *, has_pictures: bool) -> None:
        # Pictures take the loop milliseconds each: those that are known too are drawn only where the replay rests.
        read = await rested
        if read is None or self._place.is_deleted:
            return
        self._place.props(remove="aria-busy")
        self._place.clear()
        with self._place:
            if read.why:
                showing.text(read.why, "p")
            if has_pictures:
                showing.text("The bot read them itself at this turn, as it knew them then: see above.", "p", "dim")
                return
            if read.known:
                showing.text(f"Read {read.known}.", "p", "dim")
            showing.pairs(read.equity_words)
            showing.show_ranges(read.ranges)


def _decision(decision: DecisionRecord, story: HandStory) -> None:
    """Why we did what we did, in short, and where all of it is."""
    showing.pairs(
        decision_words.choices_of(decision) + decision_words.equity_words(decision_words.equities_of(decision))
    )
    showing.link("Why? All of this decision", addresses.decision_url(decision.id), "all-of-it")
    showing.show_ranges(_recorded_ranges(decision, story))


def _recorded_ranges(decision: DecisionRecord, story: HandStory) -> list[tuple[str, RangeWords]]:
    return decision_words.ranges_of(decision, {player.seat: player.position for player in story.hand.players})


def _equities(decisions: tuple[DecisionRecord, ...]) -> None:
    points = [decision_words.equities_of(decision) for decision in decisions]
    if any(point.random is not None or point.ranges is not None for point in points):
        showing.heading("Equity by street", 3)
        ui.html(markup(equity_chart(points)))
        with ui.element("p").classes("legend"):
            showing.text("against any hands", classes="key random")
            showing.text("against the ranges read", classes="key ranges")
            showing.text("price of a call", classes="key price")
