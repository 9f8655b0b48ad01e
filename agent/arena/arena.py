"""The whole local venue in one context manager: its pools, and the port where WebSocket and REST are served."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import datetime
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Final, Self

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from agent.arena.faults.plan import FaultPlan
from agent.arena.game.records import ClientStats, HandRecord, Timings
from agent.arena.game.seeded import Seeded
from agent.arena.game.stream import utc_now
from agent.arena.house.field import Field, Lineup
from agent.arena.house.player import HousePlayer
from agent.arena.league.keys import KeyRing
from agent.arena.league.pools import Pools
from agent.arena.league.season import run_seasons
from agent.arena.report import ArenaReport, report
from agent.arena.server.recording import Recorder
from agent.arena.server.rest import Rest
from agent.arena.server.venue import Venue
from agent.arena.settings import ArenaSettings

SHUTDOWN_WITHIN_S: Final = 1.0


def _is_our_fault(record: logging.LogRecord) -> bool:
    """Whether a failed request is worth a log line: bytes that are no HTTP are answered, and nobody here can act on them."""
    failure = record.exc_info[1] if record.exc_info else None
    return not isinstance(failure, HttpProcessingError | web.RequestPayloadError)


_http_log = logging.getLogger("agent.arena.http")
_http_log.addFilter(_is_our_fault)


class Arena:
    """A local Open Poker that serves while its context is open.

    `accounts` are the clients' names by API key; None accepts any key. The free chairs of a table are filled with
    `house`, players by name, or from `field`, a population. `record_in` is a folder for all sessions and hands.
    `on_hand` gets every finished hand, with all hole cards. The same settings, players and client actions give the
    same cards, ids and house actions.

        async with Arena(settings, field=load_field(), accounts={"key": "Heron"}) as arena:
            ...  # connect to arena.ws_url
            await arena.finished()
    """

    def __init__(
        self,
        settings: ArenaSettings,
        *,
        accounts: Mapping[str, str] | None,
        house: Sequence[tuple[str, HousePlayer]] = (),
        field: Field | None = None,
        faults: FaultPlan | None = None,
        record_in: Path | None = None,
        on_hand: Callable[[HandRecord], None] | None = None,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        names = [*(accounts or {}).values(), *(name for name, _ in house)]
        if len(set(names)) < len(names):
            raise ValueError(f"two players share a name: {', '.join(sorted(names))}")
        self._settings = settings
        self._keys = KeyRing(accounts, Seeded(settings.seed), now)
        self._field = field or Lineup(tuple(house))
        self._faults = faults or FaultPlan()
        self._record_in = record_in
        self._on_hand = on_hand
        self._now = now
        self._timings = Timings()
        self._began = monotonic()
        self._pools: Pools | None = None
        self._recorder: Recorder | None = None
        self._port: int | None = None
        self._opened = AsyncExitStack()

    async def __aenter__(self) -> Self:
        """Open the port and wait for clients."""
        async with AsyncExitStack() as opened:
            if self._record_in is not None:
                self._recorder = Recorder(self._record_in, monotonic)
                opened.callback(self._recorder.close)
            pools = self._pools = Pools(
                self._settings,
                keys=self._keys,
                field=self._field,
                faults=self._faults,
                now=self._now,
                on_hand=self._hand_over,
                timings=self._timings,
            )
            opened.push_async_callback(pools.close)
            seasons = asyncio.create_task(run_seasons(pools.public, self._settings.wind_down_s))
            opened.callback(seasons.cancel)
            application = Rest(pools).application()
            application.router.add_get("/ws", Venue(pools, self._recorder).serve)
            runner = web.AppRunner(application, access_log=None, logger=_http_log, shutdown_timeout=SHUTDOWN_WITHIN_S)
            await runner.setup()
            opened.push_async_callback(runner.cleanup)
            await web.TCPSite(runner, self._settings.host, self._settings.port).start()
            self._port = runner.addresses[0][1]
            self._opened = opened.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop dealing and close the port; raises what broke a table, if something did."""
        ended = [lobby.finished for lobby in self._open_pools().all if lobby.finished.done()]
        failures = [failure for failure in (finished.exception() for finished in ended) if failure is not None]
        await self._opened.aclose()
        if error is None and failures:
            raise failures[0]

    @property
    def ws_url(self) -> str:
        """Where clients connect."""
        return f"ws://{self._settings.host}:{self._open_port()}/ws"

    @property
    def api_url(self) -> str:
        """Where the REST paths begin; ends with `/api`."""
        return f"http://{self._settings.host}:{self._open_port()}/api"

    @property
    def pools(self) -> Pools:
        """What is played, for whoever watches."""
        return self._open_pools()

    def report(self) -> ArenaReport:
        """How it fares so far."""
        return report(self._open_pools().all, monotonic() - self._began, self._timings, self._faults.happened)

    def stats(self, name: str) -> ClientStats:
        """How the client of that name has answered in the public league; `KeyError` for one that never connected."""
        accounts = self._pools.public.accounts if self._pools is not None else ()
        return {account.name: account.stats for account in accounts}[name]

    async def finished(self) -> None:
        """Return once `max_hands` hands were played; raises what broke a table, if something did."""
        await asyncio.shield(self._open_pools().public.finished)

    def _hand_over(self, record: HandRecord) -> None:
        if self._recorder is not None:
            self._recorder.put(record)
        if self._on_hand is not None:
            self._on_hand(record)

    def _open_pools(self) -> Pools:
        if self._pools is None:
            raise RuntimeError("the arena is not open: enter it with `async with`")
        return self._pools

    def _open_port(self) -> int:
        if self._port is None:
            raise RuntimeError("the arena is not open: enter it with `async with`")
        return self._port
