"""The table page: sit down against house players, and play by buttons or keys."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final
from xml.etree.ElementTree import Element, SubElement

from nicegui import app, background_tasks, ui

from agent.console.bet_controls import BetControls
from agent.console.felt import felt_html
from agent.console.lamp_panel import advice_html
from agent.console.markup import markup
from agent.console.page import Page
from agent.console.session import Scene, Session
from agent.console.sit_down import SitDown
from agent.console.sitting import RULES, Plan, Sitting
from agent.console.telling import PERSON, Told
from agent.poker.spot import Action, Spot

_KEPT_AS: Final = "sitting"
_PAUSES: Final = {0.0: "none", 0.3: "short", 0.7: "medium", 1.5: "long"}
_DOUBLE_PRESS_S: Final = 0.4
"""So soon after a press no new turn is offered: the second press of two would play it unseen."""
_TELLS: Final = "Keys: F fold, C check or call, R bet or raise, arrows change the amount, Enter deals the next hand."

# A select that keeps the focus takes the keys with which the person plays.
_TO_THE_TABLE: Final = 'document.querySelector(".table-game").focus({ preventScroll: true })'


async def build() -> None:
    """The form to sit down, or the game that this tab has already begun."""
    client = ui.context.client
    await client.connected()
    if not client.has_socket_connection:
        return  # Whoever asked has never opened the page in a browser.
    kept = app.storage.tab
    place = ui.element("div").classes("table-page")

    def sit_down(plan: Plan) -> None:
        kept[_KEPT_AS] = Session(Sitting(plan))
        show()

    def leave() -> None:
        kept.pop(_KEPT_AS, None)
        show()

    def show() -> None:
        place.clear()
        with place:
            session = kept.get(_KEPT_AS)
            if isinstance(session, Session):
                TablePage(session, leave)
            else:
                SitDown(sit_down)

    show()


class TablePage:
    """The view of a session: it asks for one step after the other, and draws what came of it."""

    def __init__(self, session: Session, leave: Callable[[], None]) -> None:
        self._session: Final = session
        self._is_busy = False
        self._rests_until = 0.0
        self._spot: Spot | None = None
        self._earlier_shown: object = ()
        with ui.element("div").classes("table"):
            with ui.element("section").classes("table-game").props('aria-label="Game" tabindex=-1'):
                self._felt: Final = ui.html("").classes("felt-place")
                self._said: Final = ui.label().classes("table-said").props("role=status")
                self._controls: Final = BetControls(self._act)
                with ui.row().classes("table-between"):
                    self._next: Final = ui.button(
                        "Next hand", icon="play_arrow", on_click=lambda: self._start(self._deal)
                    )
                    self._next.props("no-caps unelevated data-key=Enter")
                    self._chips: Final = ui.number("Chips", value=RULES.rebuy_chips, precision=0, step=500)
                    self._chips.props("dense outlined").classes("table-rebuy")
                    self._rebuy: Final = ui.button(
                        "Buy in again", icon="add_card", on_click=lambda: self._start(self._buy_in)
                    ).props("no-caps")
                    ui.button("Leave the table", icon="logout", on_click=leave).props("flat no-caps")
                ui.label(_TELLS).classes("table-keys")
            with ui.element("section").classes("table-side").props('aria-label="Lamp and history"'):
                self._result: Final = ui.label().classes("table-result").props("role=status")
                with ui.row().classes("table-settings"):
                    self._lamp: Final = ui.switch("Lamp", value=True, on_change=self._shine)
                    self._lamp.props("aria-label=Lamp")
                    self._pause: Final = ui.select(_PAUSES, value=0.7, label="Pause after each step")
                    self._pause.props("dense outlined").classes("table-pause")
                    self._pause.on_value_change(lambda: ui.run_javascript(_TO_THE_TABLE))
                self._advice: Final = ui.html("")
                self._now: Final = ui.html("").classes("story-now")
                self._earlier: Final = ui.element("div").classes("table-earlier")
        self._begin(self._look)

    def _start(self, work: Callable[[], Awaitable[Scene]]) -> None:
        """Do what was pressed and go on from there; what is pressed meanwhile was meant for another moment."""
        if not self._is_busy:
            self._rests_until = asyncio.get_running_loop().time() + _DOUBLE_PRESS_S
            self._begin(work)

    def _begin(self, work: Callable[[], Awaitable[Scene]]) -> None:
        self._is_busy = True
        self._controls.show(None)
        background_tasks.create(self._go_on(work), name="table")

    async def _go_on(self, work: Callable[[], Awaitable[Scene]]) -> None:
        """Do it, and step until the table waits for the person, with a pause after each step."""
        try:
            await self._play(work)
        except ValueError as error:
            # Another page of this game may have played since.
            await self._play(self._look)
            if self._spot is None and not self._said.is_deleted:
                self._said.text = str(error)
        finally:
            self._is_busy = False
        await self._shine()

    async def _play(self, work: Callable[[], Awaitable[Scene]]) -> None:
        while True:
            scene = await work()
            if scene.spot is not None:
                await asyncio.sleep(self._rests_until - asyncio.get_running_loop().time())
            if self._felt.is_deleted:
                # Whoever looked has left.
                return
            self._draw(scene)
            if scene.spot is not None or not scene.is_running:
                # From here on the person may act: nothing is waited for between the drawing and the end of being busy.
                return
            if self._pause.value:
                await asyncio.sleep(self._pause.value)
            work = self._session.step

    async def _look(self) -> Scene:
        return await self._session.scene()

    async def _deal(self) -> Scene:
        return await self._session.next_hand()

    async def _buy_in(self) -> Scene:
        return await self._session.rebuy(int(self._chips.value or 0))

    def _act(self, action: Action) -> None:
        self._start(lambda: self._session.act(action))

    async def _shine(self) -> None:
        """Light the lamp, if it is on and the person has to decide."""
        spot = self._spot
        advice = await self._session.advice() if self._lamp.value and spot is not None else None
        if spot is self._spot and not self._advice.is_deleted:
            self._advice.content = advice_html(advice, spot) if advice and spot and self._lamp.value else ""

    def _draw(self, scene: Scene) -> None:
        """Show the table as it is now."""
        self._spot = scene.spot
        self._felt.content = felt_html(scene.view)
        self._controls.show(scene.spot)
        if scene.spot is None:
            self._advice.content = ""
        self._said.text, self._result.text = _said(scene), _result(scene)
        self._next.visible = not (scene.is_running or scene.needs_rebuy or scene.is_over)
        self._next.text = "Next hand" if scene.told else "Deal the first hand"
        self._chips.visible = self._rebuy.visible = scene.needs_rebuy
        self._now.content = _hand_html(scene.told)
        if scene.earlier != self._earlier_shown:
            self._earlier_shown = scene.earlier
            self._show_earlier(scene)

    def _show_earlier(self, scene: Scene) -> None:
        """The hands before the one that is told in full, each to be opened."""
        self._earlier.clear()
        with self._earlier:
            for number, (net, story) in enumerate(scene.earlier, 1):
                title = f"{number} hand{'s' if number > 1 else ''} before: {signed(net)}"
                with ui.expansion(title).classes("table-story").props("dense"):
                    ui.html(_hand_html(story))


def signed(chips: int) -> str:
    """Chips won or lost, with their sign.

    >>> signed(1_200), signed(-5), signed(0)
    ('+1,200', '-5', '0')
    """
    return f"{chips:+,}" if chips else "0"


def _said(scene: Scene) -> str:
    """What happened last, and what the table waits for."""
    if scene.is_over:
        return f"The freeze-out is over: you took place {scene.places[PERSON]} of {len(scene.places)}."
    if scene.needs_rebuy:
        return "You have lost your chips: buy in again."
    if not scene.told:
        return "Deal the first hand."
    last = next((part.lines[-1] for part in reversed(scene.told) if part.lines), "")
    if scene.spot is not None:
        cost = f"{scene.spot.to_call_chips:,} to call" if scene.spot.to_call_chips else "checking is free"
        return f"{last} Your turn: {cost}, pot {scene.spot.pot_chips:,}."
    if PERSON in scene.places and not scene.is_running:
        return f"{last} You are out, place {scene.places[PERSON]}; the others play on."
    return last


def _result(scene: Scene) -> str:
    """The running result in one line."""
    result, (small, big) = scene.result, scene.blinds
    pace = "" if result.bb_per_100 is None else f", {result.bb_per_100:+,.1f} bb/100"
    left = "" if scene.players_left is None else f", {scene.players_left} players left"
    hands = f"{result.hands:,} hand{'' if result.hands == 1 else 's'}"
    return f"Blinds {small:,}/{big:,}{left}. {hands}, net {signed(result.net_chips)}{pace}"


def _hand_html(told: tuple[Told, ...]) -> str:
    """A hand in words, as HTML."""
    root = Element("div", {"class": "story"})
    for part in told:
        SubElement(root, "h3").text = part.heading
        for line in part.lines:
            SubElement(root, "p").text = line
    return markup(root)


PAGE: Final = Page("/table", "Table", "table_bar", build)
