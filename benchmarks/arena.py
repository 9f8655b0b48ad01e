"""The arena under load: many clients over real sockets from a second process, and its memory over many hands."""

import asyncio
import itertools
import json
import resource
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from agent.arena.arena import Arena
from agent.arena.game.records import HandRecord
from agent.arena.house.field import load_field
from agent.arena.modes import Pace
from agent.arena.report import ArenaReport
from agent.arena.settings import PACES, ArenaSettings
from agent.soak import rss_mb
from benchmarks.measure import Row

LOAD_S = 60.0
SETTLING_S = 5.0
CLIENTS, TABLES = 200, 40
MEMORY_HANDS = 50_000
FOR_EVER_S = 86_400.0


def rows() -> Iterator[Row]:
    """Load first, then memory."""
    yield from asyncio.run(load())
    yield from asyncio.run(memory())


@dataclass(slots=True)
class _Clients:
    """The second process; its line of JSON once it is over."""

    process: asyncio.subprocess.Process

    async def figures(self) -> dict[str, float]:
        out, _ = await self.process.communicate()
        found: dict[str, float] = json.loads(out)
        return found


@asynccontextmanager
async def _clients(arena: Arena, number: int, seconds: float) -> AsyncIterator[_Clients]:
    arguments = ("-m", "benchmarks.arena_clients", arena.ws_url, str(number), str(seconds))
    process = await asyncio.create_subprocess_exec(sys.executable, *arguments, stdout=asyncio.subprocess.PIPE)
    try:
        yield _Clients(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def load(seconds: float = LOAD_S) -> list[Row]:
    """Hands a second and times of actions with 200 clients at 40 tables, the last seat of each a house player."""
    settings = ArenaSettings(seed=1, tables=TABLES, clients_per_table=CLIENTS // TABLES, **PACES[Pace.FAST])
    async with Arena(settings, accounts=None, field=load_field()) as arena:
        async with _clients(arena, CLIENTS, seconds + SETTLING_S) as clients:
            await asyncio.sleep(SETTLING_S)
            began, cpu = arena.report(), _cpu_s()
            await asyncio.sleep(seconds)
            ended, cpu = arena.report(), _cpu_s() - cpu
            seen = await clients.figures()
        return _load_rows(began, ended, cpu, seen)


def _load_rows(began: ArenaReport, ended: ArenaReport, cpu_s: float, seen: dict[str, float]) -> list[Row]:
    seconds, hands = ended.seconds - began.seconds, ended.hands - began.hands
    unwell = sum(client.missed + client.rejected for client in ended.clients)
    return [
        Row(f"{len(ended.clients)} clients at {ended.tables} tables", f"{hands / seconds:.1f} hands/s", "at least 40"),
        Row("actions", f"{(ended.actions - began.actions) / seconds:,.0f} a second"),
        Row("an action handled, median", f"{ended.action_ms_p50:.2f} ms"),
        Row("an action handled, 99th percentile", f"{ended.action_ms_p99:.2f} ms", "under 50 ms"),
        Row("sent to acknowledged, as clients see it, median", f"{seen['ack_ms_p50']:.1f} ms"),
        Row("sent to acknowledged, as clients see it, 99th percentile", f"{seen['ack_ms_p99']:.1f} ms"),
        Row("the server's share of a core", f"{100 * cpu_s / seconds:.0f} %"),
        Row("missed turns and rejected actions", f"{unwell}"),
    ]


async def memory(hands: int = MEMORY_HANDS) -> list[Row]:
    """The server's memory on its way through `hands` hands: a client with two house players at each of ten tables."""
    settings = ArenaSettings(seed=2, tables=10, seats=3, clients_per_table=1, max_hands=hands, **PACES[Pace.FAST])
    marks, taken, passed = [hands // 10, hands // 2, hands], list[float](), itertools.count(1)

    def sample(_: HandRecord) -> None:
        if next(passed) in marks:
            taken.append(rss_mb())

    async with Arena(settings, accounts=None, field=load_field(), on_hand=sample) as arena:
        async with _clients(arena, settings.tables, seconds=FOR_EVER_S):
            await arena.finished()
        end = arena.report()
    passed_by = ", ".join(f"{mark:,}" for mark in marks)
    return [
        Row(f"memory after {passed_by} hands", ", ".join(f"{mb:.0f}" for mb in taken) + " MB", "flat"),
        Row("those hands, one client a table", f"{end.hands_per_s:.0f} hands/s"),
    ]


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
