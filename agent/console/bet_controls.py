"""The buttons of a turn: fold, check or call, bet or raise with a slider, a number and the usual sizes."""

from collections.abc import Callable
from functools import partial
from typing import Final

from nicegui import ui

from agent.poker.spot import Action, Spot, Verb

_SHARES: Final = (("½ pot", 0.5), ("Pot", 1.0))


class BetControls:
    """The controls; `on_action` is told what the person plays. They rest while `show` has no spot."""

    def __init__(self, on_action: Callable[[Action], None]) -> None:
        self._on_action: Final = on_action
        self._spot: Spot | None = None
        with ui.element("div").classes("bet-controls").props('role=group aria-label="Your turn"'):
            with ui.row().classes("bet-row"):
                self._fold: Final = self._button("Fold", "f", self._play_fold, "negative")
                self._call: Final = self._button("Check", "c", self._play_call, "primary")
                self._raise: Final = self._button("Raise", "r", self._play_raise, "positive")
            with ui.row().classes("bet-row bet-sizes") as self._sizes:
                for name, share in _SHARES:
                    self._size_button(name, partial(self._take_share, share))
                self._size_button("All in", lambda: self._set(self._high))
                self._less: Final = self._step_button("remove", "Less", "ArrowLeft ArrowDown", -1)
                self._more: Final = self._step_button("add", "More", "ArrowRight ArrowUp", 1)
                self._amount: Final = ui.number(value=0, precision=0, on_change=self._typed, validation=self._fault)
                self._amount.props('dense outlined aria-label="Bet or raise to"').classes("bet-amount")
            self._slider: Final = ui.slider(min=0, max=1, value=0, on_change=self._slid).props(
                'aria-label="Bet or raise to"'
            )
            self._free: Final = ui.label("Checking is free: there is nothing to fold to, and F does nothing.")
            self._free.classes("bet-hint")
        self.show(None)

    def show(self, spot: Spot | None) -> None:
        """Offer what `spot` allows; nothing for None."""
        is_new, self._spot = spot != self._spot, spot
        legal = spot.legal if spot is not None else None
        self._fold.enabled = bool(legal and legal.fold and not legal.check)
        self._call.enabled = bool(legal and (legal.check or legal.call_chips is not None))
        can_raise = legal is not None and legal.min_raise_to_chips is not None
        self._raise.enabled = can_raise
        for part in (self._sizes, self._slider):
            part.classes(add="" if can_raise else "resting", remove="resting" if can_raise else "")
        self._slider.enabled = self._amount.enabled = can_raise
        self._free.classes(
            add="" if legal and legal.check else "resting", remove="resting" if legal and legal.check else ""
        )
        if spot is None or legal is None:
            self._call.text, self._raise.text = "Check or call", "Bet or raise"
            return
        everything = spot.hero.stack_chips
        if legal.check:
            self._call.text = "Check"
        else:
            self._call.text = f"Call {spot.to_call_chips:,}{' all in' if spot.to_call_chips >= everything else ''}"
        if can_raise and is_new:
            self._slider.props(f"min={self._low} max={max(self._high, self._low + 1)}")
            self._set(self._low)

    @property
    def _low(self) -> int:
        return (self._spot.legal.min_raise_to_chips if self._spot else None) or 0

    @property
    def _high(self) -> int:
        return (self._spot.legal.max_raise_to_chips if self._spot else None) or 0

    @property
    def _chosen(self) -> int | None:
        """The total that is chosen, None where the number is none that may be bet."""
        value = self._amount.value
        return int(value) if value is not None and self._low <= value <= self._high else None

    def _set(self, total: int) -> None:
        """Choose a total, as near as the rules allow."""
        total = min(self._high, max(self._low, total))
        self._amount.value = total
        self._slider.value = total
        self._name_raise()

    def _slid(self) -> None:
        if self._spot is not None and self._slider.value is not None and self._slider.value != self._amount.value:
            self._amount.value = int(self._slider.value)

    def _typed(self) -> None:
        if self._chosen is not None:
            self._slider.value = self._chosen
        self._name_raise()

    def _fault(self, _: float | None) -> str | None:
        """What is wrong with the number, None where nothing is."""
        return f"{self._low:,} to {self._high:,}" if self._raise.enabled and self._chosen is None else None

    def _name_raise(self) -> None:
        if self._spot is None:
            return
        verb = "Raise to" if any(player.bet_chips for player in self._spot.players) else "Bet"
        chosen = self._chosen
        amount = f" {chosen:,}{' all in' if chosen == self._high else ''}" if chosen is not None else ""
        self._raise.text = verb + amount

    def _take_share(self, share: float) -> None:
        """Bet this share of the pot, for a raise of the pot after the call."""
        spot = self._spot
        if spot is not None:
            pot = spot.pot_chips + spot.to_call_chips
            self._set(spot.hero.bet_chips + spot.to_call_chips + round(share * pot))

    def _step(self, direction: int) -> None:
        if self._spot is not None:
            self._set(int(self._slider.value or 0) + direction * self._spot.big_blind_chips)

    def _play_fold(self) -> None:
        if self._spot is not None and not self._spot.legal.check:
            self._on_action(Action(Verb.FOLD))

    def _play_call(self) -> None:
        if self._spot is not None:
            self._on_action(Action(Verb.CHECK if self._spot.legal.check else Verb.CALL))

    def _play_raise(self) -> None:
        if self._chosen is not None and self._raise.enabled:
            self._on_action(Action(Verb.RAISE, self._chosen))

    @staticmethod
    def _button(text: str, key: str, on_click: Callable[[], None], color: str) -> ui.button:
        button = ui.button(text, on_click=on_click, color=color).classes("bet-button")
        return button.props(f"no-caps unelevated data-key={key} aria-keyshortcuts={key.upper()}")

    @staticmethod
    def _size_button(text: str, on_click: Callable[[], None]) -> None:
        ui.button(text, on_click=on_click).props("outline dense no-caps").classes("bet-size")

    def _step_button(self, icon: str, text: str, keys: str, direction: int) -> ui.button:
        button = ui.button(icon=icon, on_click=lambda: self._step(direction)).props("outline dense")
        return button.props(f'aria-label="{text}" data-key="{keys}"')
