"""The filters of a list as a form; whoever holds it is told what is asked for each time that it changes."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final, get_args

from nicegui import ui

from agent.console.filter_query import YES, asked_in
from agent.journal.records import Source
from agent.poker.spot import Street

_TEXTS: Final = {
    "hand": ("Hand", "7 or an id"),
    "opponent": ("Opponent", "a part of the name"),
    "since": ("Since", "12h, 2026-11-30 or an id"),
    "min_pot_bb": ("Pot of at least, bb", ""),
    "model": ("Model", "a part of the name"),
    "prompt": ("Prompt set", "its name"),
    "run": ("Run", "its id"),
}
_CHOICES: Final = {
    "source": ("Decided by", get_args(Source)),
    "street": ("Street", tuple(map(str, Street))),
    "position": ("Position", ("BTN", "SB", "BB", "UTG", "HJ", "CO", "BTN/SB", "BTN/BB")),
}
_ALWAYS_SHOWN: Final = "search"


class FilterForm:
    """The form; `changed` is told what is asked for when Enter is pressed, a field is left or something is chosen.

    What is asked for is named as in an address, and stands in its field even where it is no filter.
    """

    def __init__(self, asked: Mapping[str, str], changed: Callable[[Mapping[str, str]], Awaitable[None]]) -> None:
        self._changed: Final = changed
        self._asked = dict(asked)
        self._fields: Final[dict[str, ui.input | ui.select]] = {}
        with ui.element("div").classes("filters").props("role=search"):
            self._text(_ALWAYS_SHOWN, "Search", "words in prompts, replies, reasons, cards and names")
            is_open = any(name in asked for name in (*_TEXTS, *_CHOICES, "errors"))
            with (
                ui.expansion("More filters", value=is_open).classes("more-filters").props("dense"),
                ui.element("div").classes("filter-fields"),
            ):
                for name, (label, choices) in _CHOICES.items():
                    self._choice(name, label, choices)
                for name, (label, hint) in _TEXTS.items():
                    self._text(name, label, hint)
                self._errors: Final = ui.checkbox(
                    "Something went wrong", value=asked.get("errors") == YES, on_change=self._apply
                )
                ui.button("Clear", icon="clear", on_click=self._clear).props("flat no-caps")

    def _text(self, name: str, label: str, hint: str) -> None:
        shown = ui.input(label, value=self._asked.get(name, ""), placeholder=hint)
        shown.props("dense outlined autocomplete=off spellcheck=false")
        shown.on("keydown.enter", self._apply).on("blur", self._apply).classes(f"filter-{name}")
        self._fields[name] = shown

    def _choice(self, name: str, label: str, choices: tuple[str, ...]) -> None:
        value = self._asked.get(name)
        options = list(dict.fromkeys((*choices, *((value,) if value else ()))))
        shown = ui.select(options, label=label, value=value, clearable=True, on_change=self._apply)
        self._fields[name] = shown.props("dense outlined options-dense").classes(f"filter-{name}")

    async def _clear(self) -> None:
        for shown in self._fields.values():
            shown.value = None if isinstance(shown, ui.select) else ""
        self._errors.value = False
        await self._apply()

    async def _apply(self) -> None:
        given = {name: str(shown.value or "") for name, shown in self._fields.items()}
        asked = asked_in({**given, "errors": YES if self._errors.value else ""})
        if asked != self._asked:
            self._asked = asked
            await self._changed(asked)
