"""A person's sitting as the console keeps it: its work is done in threads, one piece after the other, whichever page asks."""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from agent.arena.modes import Format
from agent.console.felt import FeltView
from agent.console.lamp import Advice
from agent.console.sitting import Result, Sitting
from agent.console.telling import Told
from agent.poker.spot import Action, Spot

HANDS_TOLD: Final = 10


@dataclass(frozen=True, slots=True)
class Scene:
    """The table at one moment, all that a page shows of it.

    `spot` is the person's turn, None while it is not theirs. `earlier` are the hands before the one that is `told`, the latest
    first, each with its net for the person. `players_left` is None in a cash game, and once a freeze-out is over.
    """

    view: FeltView
    told: tuple[Told, ...]
    spot: Spot | None
    is_running: bool
    needs_rebuy: bool
    is_over: bool
    blinds: tuple[int, int]
    result: Result
    places: Mapping[str, int]
    players_left: int | None
    earlier: tuple[tuple[int, tuple[Told, ...]], ...]


class Session:
    """A sitting that several pages may use: all of its methods wait for one another."""

    def __init__(self, sitting: Sitting) -> None:
        self._sitting: Final = sitting
        self._lock: Final = asyncio.Lock()
        self._over: Final = deque[tuple[int, tuple[Told, ...]]](maxlen=HANDS_TOLD)

    async def scene(self) -> Scene:
        """The table as it is."""
        return await self._do(lambda: None)

    async def next_hand(self) -> Scene:
        """Deal the next hand; `SittingError` where none can be dealt."""
        return await self._do(self._deal)

    async def step(self) -> Scene:
        """Let one thing happen, unless the table waits for the person or the hand is over."""
        return await self._do(self._sitting.step)

    async def act(self, action: Action) -> Scene:
        """Play the person's action; `SittingError` when it cannot be played."""
        return await self._do(lambda: self._sitting.act(action))

    async def rebuy(self, chips: int) -> Scene:
        """Buy in again; `ValueError` where that cannot be."""
        return await self._do(lambda: self._sitting.rebuy(chips))

    async def advice(self) -> Advice | None:
        """What the lamp says; None while it is not the person's turn."""
        async with self._lock:
            return await asyncio.to_thread(self._sitting.lamp)

    async def _do(self, work: Callable[[], object]) -> Scene:
        def work_and_see() -> Scene:
            work()
            return self._seen()

        async with self._lock:
            return await asyncio.to_thread(work_and_see)

    def _deal(self) -> None:
        told, net = self._sitting.history(), self._sitting.last_net_chips
        self._sitting.next_hand()
        if told:
            self._over.appendleft((net, told))

    def _seen(self) -> Scene:
        sitting = self._sitting
        is_cash = sitting.plan.format is Format.CASH
        return Scene(
            view=sitting.view(),
            told=sitting.history(),
            spot=sitting.spot(),
            is_running=sitting.is_running,
            needs_rebuy=sitting.needs_rebuy,
            is_over=sitting.is_over,
            blinds=sitting.blinds,
            result=sitting.result,
            places=dict(sitting.places),
            players_left=None if is_cash or sitting.is_over else len(sitting.stacks) - len(sitting.places),
            earlier=tuple(self._over),
        )
