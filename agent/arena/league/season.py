"""The season: when it ends, how it winds down, and the standings of those that are over (protocol V2, section 2.4)."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Protocol

from agent.arena.game.seeded import Seeded
from agent.arena.settings import ArenaSettings

RETAINED_SEASONS: Final = 20


@dataclass(frozen=True, slots=True)
class Standing:
    """A client's place in a season."""

    rank: int
    name: str
    score: int
    hands: int
    win_rate: float


@dataclass(frozen=True, slots=True)
class PastSeason:
    """A season that is over, with its frozen standings."""

    number: int
    season_id: str
    started_at: datetime
    ended_at: datetime
    standings: tuple[Standing, ...]


class Season:
    """The present season of one pool, and the past ones, oldest first."""

    def __init__(self, settings: ArenaSettings, seeded: Seeded, now: Callable[[], datetime]) -> None:
        self.number = settings.season_number
        self.started_at = now()
        self.is_winding_down = False
        self.past: list[PastSeason] = []
        self._settings = settings
        self._seeded = seeded
        self._now = now

    @property
    def season_id(self) -> str:
        """The id of the present season."""
        return self._seeded.id("season", self.number)

    @property
    def ends_at(self) -> datetime | None:
        """When the present season ends; None for one without end."""
        if self._settings.season_s is None:
            return None
        return self.started_at + timedelta(seconds=self._settings.season_s)

    @property
    def remaining_s(self) -> float | None:
        """Seconds until the end; None for a season without one."""
        return None if self.ends_at is None else max(0.0, (self.ends_at - self._now()).total_seconds())

    def end(self, standings: Sequence[Standing]) -> int:
        """Freeze the standings and begin the next season; the number of the one that ended."""
        ended = PastSeason(self.number, self.season_id, self.started_at, self._now(), tuple(standings))
        self.past = [*self.past, ended][-RETAINED_SEASONS:]
        self.number, self.started_at, self.is_winding_down = ended.number + 1, ended.ended_at, False
        return ended.number


class SeasonHost(Protocol):
    """Whoever closes the tables when a season ends."""

    season: Season

    def wind_down(self) -> None:
        """No new hands and no joins from now on."""

    async def end_season(self) -> None:
        """Close every table and begin the next season."""


async def run_seasons(host: SeasonHost, wind_down_s: float) -> None:
    """End one season after the other, each after its wind-down; for ever, unless a season has no end."""
    while (remaining := host.season.remaining_s) is not None:
        await asyncio.sleep(max(0.0, remaining - wind_down_s))
        host.wind_down()
        await asyncio.sleep(host.season.remaining_s or 0.0)
        await host.end_season()
