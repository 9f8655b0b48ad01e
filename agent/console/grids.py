"""Grids to click on: the 52 cards, and the 13 x 13 classes of a range, to be painted with a weight.

Both can be used with the pointer, by touch and with the keyboard: Tab reaches the grid, arrows move in it, Space presses.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Final

import numpy as np
from nicegui import events, ui
from nicegui.elements.mixins.text_element import TextElement

from agent.poker.cards import DECK, RANKS, SUIT_SYMBOLS, SUITS, format_card, pretty_cards
from agent.poker.ranges import CLASS_OF_COMBO, CLASSES, COMBOS, Range, grid

_SUIT_NAMES: Final = ("clubs", "diamonds", "hearts", "spades")
_SIDE: Final = 13

# Under a finger all events belong to the cell that was touched first: which cell it is over has to be looked up.
_DRAG: Final = """(e) => {
  const cell = document.elementFromPoint(e.clientX, e.clientY)?.closest("[data-cell]");
  if (!cell || (e.type === "pointermove" && (!(e.buttons & 1) || cell === window.paintedCell))) return;
  window.paintedCell = cell;
  emit({ cell: Number(cell.dataset.cell), begins: e.type === "pointerdown" });
}"""
_PRESS: Final = """(e) => {
  const cell = e.target.closest("[data-cell]");
  if (cell && e.detail === 0) emit({ cell: Number(cell.dataset.cell), begins: true });
}"""


class _Cell(TextElement):
    """A button of a grid."""

    def __init__(self, text: str, props: str) -> None:
        super().__init__(tag="button", text=text)
        self.props(f"type=button {props}")


class CardGrid:
    """The 52 cards; `on_pick` is told which one was pressed."""

    def __init__(self, on_pick: Callable[[int], None]) -> None:
        self._places: dict[int, str] = {}
        self._cells: Final[dict[int, _Cell]] = {}
        with ui.element("div").classes("card-grid").props(f'role=group aria-label="Cards" data-columns={_SIDE}'):
            for card in sorted(DECK, key=lambda card: (-(card & 3), -(card >> 2))):
                is_first = not self._cells
                text = RANKS[card >> 2] + SUIT_SYMBOLS[card & 3]
                cell = _Cell(text, f"data-card={format_card(card)} tabindex={0 if is_first else -1}")
                cell.classes(f"card {SUITS[card & 3]}")
                cell.props(f'aria-label="{_spoken(card)}" aria-pressed=false')
                cell.on("click", lambda card=card: on_pick(card))
                self._cells[card] = cell

    def show(self, places: Mapping[int, str], active: Collection[int]) -> None:
        """Mark the cards that lie somewhere, with the words for where; those of the active field stand out."""
        for card, cell in self._cells.items():
            where = places.get(card, "")
            marks = f"{where}{'*' if card in active else ''}"
            if self._places.get(card, "") == marks:
                continue
            self._places[card] = marks
            cell.classes(remove="used active")
            cell.classes("active" if card in active else "used" if where else "")
            lies = f", {where}" if where else ""
            cell.props(f'aria-label="{_spoken(card)}{lies}" aria-pressed={"true" if where else "false"}')


class RangeGrid:
    """The classes of a range, painted with the weight of a slider; `on_change` is told the range after each stroke."""

    def __init__(self, on_change: Callable[[Range], None]) -> None:
        self._on_change: Final = on_change
        self._range = Range(np.zeros(len(COMBOS)))
        self._brush = 1.0
        self._shown = [0.0] * len(CLASSES)
        with ui.row().classes("range-tools"):
            ui.label("Weight").classes("field-label")
            self._weight: Final = ui.slider(min=5, max=100, step=5, value=100).props(
                'label aria-label="Weight in percent"'
            )
            ui.label().bind_text_from(self._weight, "value", lambda value: f"{value:.0f} %").classes("weight-value")
            ui.button("Clear", on_click=lambda: self._change(np.zeros(len(COMBOS)))).props("flat dense no-caps")
        self._total: Final = ui.label().classes("range-total").props("role=status")
        board = ui.element("div").classes("range-grid")
        board.props(
            f'role=group aria-label="Range: pairs on the diagonal, suited above, offsuit below" data-columns={_SIDE}'
        )
        board.on("pointerdown", self._stroke, js_handler=_DRAG)
        board.on("pointermove", self._stroke, js_handler=_DRAG)
        board.on("click", self._stroke, js_handler=_PRESS)
        with board:
            self._cells: Final = [
                _Cell(name, f"data-cell={place} tabindex={-1 if place else 0}").classes(_kind(place))
                for place, name in enumerate(CLASSES)
            ]

    def show(self, range_: Range) -> None:
        """Draw a range; on the way here nobody is told."""
        self._range = range_
        weights = np.minimum(1.0, grid(range_).ravel()).tolist()
        for place, (cell, weight) in enumerate(zip(self._cells, weights, strict=True)):
            if weight != self._shown[place]:
                self._shown[place] = weight
                cell.style(f"--weight:{100 * weight:.0f}%")
                cell.props(f'aria-label="{CLASSES[place]} {100 * weight:.0f} %" aria-pressed={str(weight > 0).lower()}')
        painted = f"{range_.combos:,} of 1,326 holdings, {range_.share:.1f} % with their weights"
        self._total.text = painted if range_.combos else "Nothing is painted: any two cards"

    def _stroke(self, event: events.GenericEventArguments) -> None:
        """A cell that was pressed begins a stroke: it erases where the weight is there already, else it paints."""
        place = event.args["cell"]
        if not isinstance(place, int) or not 0 <= place < len(CLASSES):
            return
        weight = float(self._weight.value) / 100
        if event.args["begins"]:
            self._brush = 0.0 if abs(self._shown[place] - weight) < 1e-6 else weight
        if self._shown[place] != self._brush:
            self._change(np.where(np.equal(CLASS_OF_COMBO, place), self._brush, self._range.weights))

    def _change(self, weights: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]") -> None:
        self.show(Range(weights))
        self._on_change(self._range)


def _spoken(card: int) -> str:
    return f"{pretty_cards([card])} {RANKS[card >> 2]} of {_SUIT_NAMES[card & 3]}"


def _kind(place: int) -> str:
    row, column = divmod(place, _SIDE)
    return "pair" if row == column else "suited" if row < column else "offsuit"
