"""The whole local venue in one context manager: a table with house players, its socket and its REST port."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import datetime
from types import TracebackType
from typing import Self

from aiohttp import web

from agent.arena.house import HousePlayer
from agent.arena.lobby import Lobby
from agent.arena.loop import run_table
from agent.arena.records import ClientStats, HandRecord
from agent.arena.rest import Rest
from agent.arena.settings import ArenaSettings
from agent.arena.stream import utc_now
from agent.arena.venue import Venue


class Arena:
    """A local Open Poker that serves while its context is open.

    `house` are the players who sit from the start, `accounts` the clients' names by API key. `on_hand` gets every
    finished hand, with all hole cards. The same settings, house and client actions give the same cards, ids and
    house actions.

        async with Arena(settings, house=(("Otter", house_player("tight")),), accounts={"key": "Heron"}) as arena:
            ...  # connect to arena.ws_url
            await arena.finished()
    """

    def __init__(
        self,
        settings: ArenaSettings,
        *,
        house: Sequence[tuple[str, HousePlayer]] = (),
        accounts: Mapping[str, str],
        on_hand: Callable[[HandRecord], None] | None = None,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self._settings = settings
        self._lobby = Lobby(settings, clients=accounts, house=house, on_hand=on_hand, now=now)
        self._ports: tuple[int, int] | None = None
        self._table: asyncio.Task[None] | None = None
        self._opened = AsyncExitStack()

    async def __aenter__(self) -> Self:
        """Open both ports and wait for clients."""
        async with AsyncExitStack() as opened:
            opened.callback(self._lobby.close)
            server = await Venue(self._lobby).start()
            opened.push_async_callback(server.wait_closed)
            opened.callback(server.close)
            runner = web.AppRunner(Rest(self._lobby).application(), access_log=None)
            await runner.setup()
            opened.push_async_callback(runner.cleanup)
            await web.TCPSite(runner, self._settings.host, self._settings.api_port).start()
            self._ports = (server.sockets[0].getsockname()[1], runner.addresses[0][1])
            self._opened = opened.pop_all()
        self._table = asyncio.create_task(run_table(self._lobby.table))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop dealing and close both ports; raises what broke the table, if something did."""
        table = self._running()
        table.cancel()
        await self._opened.aclose()
        await asyncio.wait([table])
        if error is None and not table.cancelled():
            table.result()

    @property
    def ws_url(self) -> str:
        """Where clients connect."""
        return f"ws://{self._settings.host}:{self._open_ports()[0]}/ws"

    @property
    def api_url(self) -> str:
        """Where the REST paths begin; ends with `/api`."""
        return f"http://{self._settings.host}:{self._open_ports()[1]}/api"

    def stats(self, name: str) -> ClientStats:
        """How the client of that name has answered so far; `KeyError` for a name that has no account."""
        return {account.name: account.stats for account in self._lobby.accounts}[name]

    async def finished(self) -> None:
        """Return once `max_hands` hands were played; raises what broke the table, if something did."""
        await asyncio.shield(self._running())

    def _running(self) -> "asyncio.Task[None]":
        if self._table is None:
            raise RuntimeError("the arena is not open: enter it with `async with`")
        return self._table

    def _open_ports(self) -> tuple[int, int]:
        if self._ports is None:
            raise RuntimeError("the arena is not open: enter it with `async with`")
        return self._ports
