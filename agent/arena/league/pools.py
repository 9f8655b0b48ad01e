"""The pools of an arena: the public league, and a private one for every competition that a client names."""

import uuid
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from agent.arena.faults.plan import FaultPlan
from agent.arena.game.records import HandRecord, Timings
from agent.arena.game.seeded import Seeded
from agent.arena.house.field import Field
from agent.arena.league.keys import KeyRing
from agent.arena.league.lobby import Lobby
from agent.arena.settings import ArenaSettings


class Pools:
    """All lobbies of an arena, and the agents that they share."""

    def __init__(
        self,
        settings: ArenaSettings,
        *,
        keys: KeyRing,
        field: Field,
        faults: FaultPlan,
        now: Callable[[], datetime],
        on_hand: Callable[[HandRecord], None],
        timings: Timings,
    ) -> None:
        self.settings = settings
        self.keys = keys
        self.faults = faults
        self.now = now
        self._field = field
        self._on_hand = on_hand
        self._timings = timings
        self._competitions: dict[uuid.UUID, Lobby] = {}
        self.public = self._lobby(settings, Seeded(settings.seed), is_private=False)

    @property
    def all(self) -> tuple[Lobby, ...]:
        """The public lobby, then those of the competitions."""
        return (self.public, *self._competitions.values())

    def competition(self, competition_id: str) -> Lobby | None:
        """The lobby of a private competition, opened when it is first asked for; None when the id is no UUID."""
        try:
            named = uuid.UUID(competition_id)
        except ValueError:
            return None
        if named not in self._competitions:
            endless = replace(self.settings, season_s=None, max_hands=None)
            seeded = Seeded(self.settings.seed, scope=str(named))
            self._competitions[named] = self._lobby(endless, seeded, is_private=True)
        return self._competitions[named]

    async def close(self) -> None:
        """Close every lobby."""
        for lobby in self.all:
            await lobby.close()

    def _lobby(self, settings: ArenaSettings, seeded: Seeded, *, is_private: bool) -> Lobby:
        return Lobby(
            settings,
            seeded=seeded,
            field=self._field,
            faults=self.faults,
            now=self.now,
            is_private=is_private,
            on_hand=self._on_hand,
            timings=self._timings,
        )
