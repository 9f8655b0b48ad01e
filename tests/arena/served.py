"""A served arena and its clients, for the tests that go over real sockets."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import httpx
from websockets.exceptions import ConnectionClosed

from agent.arena.arena import Arena
from agent.arena.faults.plan import parse_faults
from agent.arena.game.records import HandRecord
from agent.arena.house.player import HousePlayer, house_player
from agent.arena.modes import Pace
from agent.arena.settings import PACES, ArenaSettings
from tests.arena.plain_client import Frame, PlainClient, check_or_call

HERON, LYNX, STORK, VOLE = "key-of-heron", "-key-of-lynx", "key-of-stork", "key-of-vole"
ACCOUNTS: Final = {HERON: "Heron", LYNX: "Lynx", STORK: "Stork", VOLE: "Vole"}


def lineup(kind: str, size: int) -> tuple[tuple[str, HousePlayer], ...]:
    """House players of one kind: Otter0, Otter1 and so on."""
    return tuple((f"Otter{number}", house_player(kind)) for number in range(size))


@asynccontextmanager
async def arena_of(
    kind: str = "calling_station",
    *,
    house: int = 12,
    players: tuple[tuple[str, HousePlayer], ...] | None = None,
    accounts: Mapping[str, str] | None = ACCOUNTS,
    faults: Mapping[str, object] | None = None,
    record_in: Path | None = None,
    on_hand: Callable[[HandRecord], None] | None = None,
    **settings: Any,
) -> AsyncIterator[Arena]:
    """An arena without pauses: house players of one kind, or those named, and four accounts."""
    rules = ArenaSettings(**{"seed": 1, **PACES[Pace.FAST], "action_clock_s": 5.0, "registration_s": 0.0, **settings})
    async with Arena(
        rules,
        house=lineup(kind, house) if players is None else players,
        accounts=accounts,
        faults=parse_faults(faults or {}),
        record_in=record_in,
        on_hand=on_hand,
    ) as arena:
        yield arena


@asynccontextmanager
async def client_of(arena: Arena, key: str = HERON, *, competition: str | None = None) -> AsyncIterator[PlainClient]:
    """A connected client of the public league, or of one competition."""
    query = f"?competition_id={competition}" if competition is not None else ""
    client = PlainClient(arena.ws_url + query, key)
    await client.connect()
    try:
        yield client
    finally:
        await client.close()


@asynccontextmanager
async def seated(arena: Arena, key: str = HERON) -> AsyncIterator[tuple[PlainClient, Frame]]:
    """A client with a seat, and its first turn."""
    async with client_of(arena, key) as client:
        await client.join()
        yield client, await client.until("your_turn")


@asynccontextmanager
async def api_of(arena: Arena, key: str = HERON) -> AsyncIterator[httpx.AsyncClient]:
    """The REST side, called with somebody's key; paths begin after `/api`."""
    headers = {"Authorization": f"Bearer {key}"}
    # Nothing is encrypted here, and loading the usual certificates would take longer than most tests.
    encryption = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    async with httpx.AsyncClient(base_url=arena.api_url, headers=headers, verify=encryption) as api:
        yield api


@contextmanager
def playing(client: PlainClient, choose: Callable[[Frame], Frame] = check_or_call) -> Iterator[asyncio.Task[None]]:
    """The client answers its turns on its own while the context is open, until its socket closes."""
    task = asyncio.create_task(_play(client, choose))
    try:
        yield task
    finally:
        task.cancel()


async def _play(client: PlainClient, choose: Callable[[Frame], Frame]) -> None:
    with suppress(ConnectionClosed):
        await client.play_until("season_ended", choose)


async def closed_with(receive: Callable[[], Awaitable[object]]) -> int | None:
    """The code of the server's close frame, after whatever still came; None when the socket was cut without one."""
    try:
        while True:
            await receive()
    except ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd is not None else None


async def becomes(is_so: Callable[[], bool]) -> None:
    """Return once something is so that no frame tells; a test that waits in vain times out."""
    async with asyncio.timeout(10):
        while not is_so():  # noqa: ASYNC110 - what is watched has no event
            await asyncio.sleep(0.005)
