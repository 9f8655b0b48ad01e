"""The form before a game: what is played, with whom, for how many chips, and the seed of the cards."""

import secrets
from collections.abc import Callable
from typing import Final

from nicegui import ui

from agent.arena.house.profiles import PROFILES, Level
from agent.arena.modes import Format
from agent.console.sitting import MOST_OPPONENTS, RULES, Plan

_ANYBODY: Final = ""
_FORMATS: Final = {Format.CASH: "Cash, blinds 10/20", Format.FREEZEOUT: "Freeze-out, 2,000 chips, rising blinds"}
_MOST_SEED: Final = 1_000_000


class SitDown:
    """The form; `on_plan` is told the plan once it makes sense."""

    def __init__(self, on_plan: Callable[[Plan], None]) -> None:
        self._on_plan: Final = on_plan
        with ui.element("section").classes("sit-down").props('aria-label="Sit down"'):
            self._format: Final = ui.radio(_FORMATS, value=Format.CASH, on_change=self._fit).props('aria-label="Game"')
            self._buy_in: Final = ui.number(
                f"Buy-in, {RULES.min_buy_in_chips:,} to {RULES.max_buy_in_chips:,}",
                value=RULES.default_buy_in_chips,
                precision=0,
                step=500,
            ).props("outlined dense")
            self._count: Final = ui.number(
                "House players, 1 to 5",
                value=MOST_OPPONENTS,
                min=1,
                max=MOST_OPPONENTS,
                precision=0,
                on_change=self._fit,
            ).props("outlined dense")
            self._kinds: Final = [_Kind(number) for number in range(1, MOST_OPPONENTS + 1)]
            self._seed: Final = ui.number("Seed of the cards", value=secrets.randbelow(_MOST_SEED), min=0, precision=0)
            self._seed.props('outlined dense hint="The same seed gives the same cards and house players"')
            ui.label("Heads-up the button posts the big blind, as on Open Poker.").classes("bet-hint")
            self._problem: Final = ui.label().classes("odds-problem").props("role=alert")
            ui.button("Sit down", icon="event_seat", on_click=self._sit_down).props("no-caps unelevated data-sit-down")
        self._fit()

    def _fit(self) -> None:
        """Show what belongs to the choice."""
        self._buy_in.visible = self._format.value == Format.CASH
        for number, kind in enumerate(self._kinds, 1):
            kind.row.visible = number <= (self._count.value or 0)

    def _sit_down(self) -> None:
        try:
            plan = Plan(
                format=Format(self._format.value),
                opponents=tuple(kind.spec for kind in self._kinds[: int(self._count.value or 0)]),
                buy_in_chips=int(self._buy_in.value or 0),
                seed=int(self._seed.value or 0),
            )
        except ValueError as error:
            self._problem.text = str(error)
            return
        self._on_plan(plan)


class _Kind:
    """Who sits in a seat: anybody of the usual field, or a profile with a level."""

    def __init__(self, number: int) -> None:
        profiles = {_ANYBODY: "Anybody", **{name: name.replace("_", " ").capitalize() for name in PROFILES}}
        with ui.row().classes("sit-down-kind") as self.row:
            self._profile: Final = ui.select(profiles, label=f"Seat {number}", value=_ANYBODY).props("outlined dense")
            levels = {level.value: level.capitalize() for level in Level}
            self._level: Final = ui.select(levels, label="Level", value=Level.REGULAR.value).props("outlined dense")
            self._level.bind_visibility_from(self._profile, "value", bool)

    @property
    def spec(self) -> str:
        """The house player's spec, empty for anybody."""
        return f"{self._profile.value}:{self._level.value}" if self._profile.value else ""
