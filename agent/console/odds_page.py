"""The odds page: hands by clicking on cards, ranges by painting, and equities that get better while one looks."""

import asyncio
from collections.abc import Callable
from typing import Final

import numpy as np
from nicegui import background_tasks, ui

from agent.console.grids import CardGrid, RangeGrid
from agent.console.odds_answer import answer_html, how_found
from agent.console.odds_question import (
    ALL,
    BOARD,
    DEAD,
    MOST_PLAYERS,
    Answer,
    Calculation,
    Question,
    Reading,
    read,
)
from agent.console.page import Page
from agent.odds import player_of
from agent.poker.cards import format_cards, parse_cards
from agent.poker.ranges import COMBOS, Range, to_text

ANY_TWO: Final = "random"
_ROOM: Final = {BOARD: 5, DEAD: 52}
_TOO_FEW: Final = "Once there are two players, their equities stand here."
_WRONG: Final = "Once what is marked above is right, the equities stand here."
_EMPTY: Final = Range(np.zeros(len(COMBOS)))


class _Field:
    """A hand, the board or the dead cards: a text, which a button makes the one that clicks go to."""

    def __init__(
        self, place: str, title: str, value: str, choose: Callable[[str], None], changed: Callable[[], None]
    ) -> None:
        self.place: Final = place
        self.is_range = False
        self._problem: str | None = None
        self.row: Final = ui.element("div").classes("odds-field")
        with self.row:
            self.chooser: Final = ui.button(title, on_click=lambda: choose(place)).props("flat dense no-caps")
            self.chooser.classes("odds-chooser")
            self.text: Final = ui.input(value=value, on_change=lambda: changed(), validation=lambda _: self._problem)
            self.text.props(f'dense outlined hide-bottom-space aria-label="{title}" autocomplete=off spellcheck=false')
            self.text.classes("odds-text").on("focus", lambda: choose(place))

    @property
    def value(self) -> str:
        """The text as it stands."""
        return str(self.text.value or "")

    @property
    def cards(self) -> tuple[int, ...]:
        """The cards that it names; none where it is a range."""
        return _cards(self.value)

    @property
    def has_room(self) -> bool:
        """Whether another card fits."""
        return len(self.cards) < _ROOM.get(self.place, 2) and not (self.value.strip() and not self.cards)

    def say(self, problem: str | None, hint: str | None) -> None:
        """Tell what is wrong or missing below the text."""
        self._problem = problem
        self.text.validate()
        self.text.props(
            f'hint="{hint or ""}"' if hint and not problem else "", remove="" if hint and not problem else "hint"
        )


class OddsPage:
    """One person's odds page."""

    def __init__(self) -> None:
        self._fields: Final[dict[str, _Field]] = {}
        self._active = "0"
        self._asked = 0
        self._latest: Answer | None = None
        with ui.element("div").classes("odds"):
            with ui.element("section").classes("odds-question").props('aria-label="Question"'):
                self._hands: Final = ui.element("div").classes("odds-hands")
                with ui.row().classes("odds-buttons"):
                    self._more: Final = ui.button("Add a hand", icon="add", on_click=self._add_hand).props(
                        "flat no-caps"
                    )
                    self._fewer: Final = ui.button("Remove the last", icon="remove", on_click=self._remove_hand)
                    self._fewer.props("flat no-caps")
                self._opponents: Final = ui.number(
                    "Opponents with any two cards", value=0, min=0, max=MOST_PLAYERS - 1, precision=0
                )
                self._opponents.on_value_change(lambda: self._changed()).classes("odds-opponents").props(
                    "dense outlined"
                )
                self._all: Final = ui.label().classes("odds-problem").props("role=alert")
                self._other_fields()
                ui.button("Clear all", icon="clear_all", on_click=self._clear).props("flat no-caps")
            with ui.element("section").classes("odds-picker").props('aria-label="Picker"'):
                self._picking: Final = ui.label().classes("odds-picking").props("role=status")
                self._as_range: Final = ui.switch("Paint a range", on_change=self._switch_picker)
                self._as_range.props('aria-label="Paint a range"')
                self._card_panel: Final = ui.element("div")
                self._range_panel: Final = ui.element("div")
                with self._card_panel:
                    self._card_grid: Final = CardGrid(self._pick)
                with self._range_panel:
                    self._range_grid: Final = RangeGrid(self._painted)
            with ui.element("section").classes("odds-answer").props('aria-label="Answer"'):
                self._answer: Final = ui.html("", tag="div")
                with ui.row().classes("odds-buttons"):
                    self._status: Final = ui.label().classes("odds-status").props("role=status")
                    self._stop: Final = ui.button("Stop", icon="stop", on_click=self._cancel).props(
                        "flat dense no-caps"
                    )
                self._progress: Final = ui.linear_progress(0, show_value=False).props(
                    'aria-label="Sampling" instant-feedback'
                )
        self._rest()
        ui.context.client.on_delete(self._cancel)
        self._add_hand()
        self._add_hand(ANY_TWO)
        self._choose("0")

    def _other_fields(self) -> None:
        for place, title in ((BOARD, "Board"), (DEAD, "Dead cards")):
            self._fields[place] = _Field(place, title, "", self._choose, self._changed)

    @property
    def _hand_fields(self) -> list[_Field]:
        return [field for place, field in self._fields.items() if place.isdigit()]

    def _add_hand(self, value: str = "") -> None:
        place = str(len(self._hand_fields))
        if int(place) >= MOST_PLAYERS:
            return
        with self._hands:
            self._fields[place] = _Field(place, f"Hand {int(place) + 1}", value, self._choose, self._changed)
        self._choose(place)
        self._changed()

    def _remove_hand(self) -> None:
        last = self._hand_fields[-1]
        if last.place == "0":
            return
        last.row.delete()
        del self._fields[last.place]
        self._choose("0")
        self._changed()

    def _clear(self) -> None:
        while len(self._hand_fields) > 1:
            self._remove_hand()
        for field in self._fields.values():
            field.text.value = ""
        self._opponents.value = 0
        self._choose("0")

    def _choose(self, place: str) -> None:
        """From now on clicks go to this field."""
        self._active = place
        field = self._fields[place]
        self._as_range.visible = place.isdigit()
        self._as_range.value = place.isdigit() and field.is_range
        self._show_picker()

    def _switch_picker(self) -> None:
        self._fields[self._active].is_range = bool(self._as_range.value)
        self._show_picker()

    def _show_picker(self) -> None:
        field = self._fields[self._active]
        for place, other in self._fields.items():
            other.row.classes(
                add="active" if place == self._active else "", remove="" if place == self._active else "active"
            )
            other.chooser.props(f"aria-pressed={str(place == self._active).lower()}")
        self._range_panel.visible = field.is_range
        self._card_panel.visible = not field.is_range
        what = "Painting" if field.is_range else "Clicks go to"
        self._picking.text = f"{what}: {field.chooser.text}"
        if field.is_range:
            self._range_grid.show(_range(field.value))
        self._mark_cards()

    def _mark_cards(self) -> None:
        places = {card: f"in {field.chooser.text}" for field in self._fields.values() for card in field.cards}
        self._card_grid.show(places, self._fields[self._active].cards)

    def _pick(self, card: int) -> None:
        """Take a card away from where it lies, else put it into the active field, or the next one with room.

        In the active field cards take the place of a range.
        """
        for field in self._fields.values():
            if card in field.cards:
                field.text.value = format_cards(held for held in field.cards if held != card)
                self._choose(field.place)
                return
        order, active = [*self._hand_fields, self._fields[BOARD], self._fields[DEAD]], self._fields[self._active]
        at = order.index(active)
        if not active.cards:
            active.text.value = ""
        free = next((field for field in (*order[at:], *order[:at]) if field.has_room), None)
        if free is not None:
            free.is_range = False
            free.text.value = format_cards((*free.cards, card))
            if free.place != self._active:
                self._choose(free.place)

    def _painted(self, range_: Range) -> None:
        self._fields[self._active].text.value = to_text(range_) if range_.combos else ANY_TWO

    def _changed(self) -> None:
        """Read the fields, say what is wrong where it stands, and begin to work out the rest."""
        reading = read(
            Question(
                tuple(field.value for field in self._hand_fields),
                self._fields[BOARD].value,
                self._fields[DEAD].value,
                int(self._opponents.value or 0),
            )
        )
        for place, field in self._fields.items():
            field.say(reading.problems.get(place), reading.hints.get(place))
        self._all.text = reading.problems.get(ALL) or reading.hints.get(ALL) or ""
        self._more.enabled = len(self._hand_fields) < MOST_PLAYERS
        self._fewer.enabled = len(self._hand_fields) > 1
        self._mark_cards()
        active = self._fields.get(self._active)
        if active is not None and active.is_range:
            self._range_grid.show(_range(active.value))
        self._asked += 1
        self._latest = None
        if reading.is_ready:
            background_tasks.create(self._work_out(reading, self._asked), name="odds")
        else:
            self._answer.content, self._status.text = "", _WRONG if reading.problems else _TOO_FEW
            self._rest()

    def _rest(self) -> None:
        """Nothing is being worked out."""
        self._stop.visible = self._progress.visible = False

    def _cancel(self) -> None:
        """Let the answer stand as it is."""
        self._asked += 1
        if self._latest is not None:
            self._status.text = how_found(self._latest, is_stopped=True)
        self._rest()

    async def _work_out(self, reading: Reading, number: int) -> None:
        """Show round after round, until the answer is good enough or another question was asked."""
        calculation = Calculation(reading)
        while number == self._asked:
            try:
                answer = await asyncio.to_thread(calculation.improve)
            except ValueError as error:
                if number == self._asked:
                    self._answer.content, self._status.text, self._all.text = "", "", str(error)
                    self._rest()
                return
            if number != self._asked:
                return
            self._latest = answer
            self._answer.content = answer_html(answer)
            self._status.text = how_found(answer)
            self._stop.visible = self._progress.visible = not answer.is_final
            self._progress.value = answer.progress
            if answer.is_final:
                return


def _cards(text: str) -> tuple[int, ...]:
    try:
        return parse_cards(text)
    except ValueError:
        return ()


def _range(text: str) -> Range:
    """What is painted of the range that a text names: nothing where it names none, or leaves everything possible."""
    try:
        player = player_of(text)
    except ValueError:
        return _EMPTY
    return _EMPTY if player.is_random else player


PAGE: Final = Page("/odds", "Odds", "casino", lambda: OddsPage() and None)
