"""`poker-agent arena serve`: a local Open Poker for any client, until Ctrl-C."""

import asyncio
import contextlib
import json
import signal
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Protocol, get_type_hints

from pydantic import TypeAdapter, ValidationError
from rich.console import Console
from rich.live import Live

from agent.arena.arena import Arena
from agent.arena.faults.plan import FaultError, FaultName, description, load_faults
from agent.arena.game.records import HandRecord
from agent.arena.house.field import FieldError, load_field
from agent.arena.league.keys import KeyFileError, load_keys
from agent.arena.modes import Pace
from agent.arena.report import ArenaReport
from agent.arena.settings import PACES, ArenaSettings, describe_settings
from agent.arena.wire.dialect import Dialect
from agent.failure import Failure
from agent.kernels import warm_up
from agent.terminal.arena import listing, standing, welcome

USAGE_ERROR: Final = 2
REFRESH_S: Final = 1.0


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """What the command line asks for; `chosen` are settings by name that win over the pace."""

    pace: Pace
    chosen: Mapping[str, Any]
    overrides: Sequence[str] = ()
    field: Path | None = None
    faults: Path | None = None
    keys: Path | None = None
    record: Path | None = None


def arena_settings(pace: Pace, chosen: Mapping[str, Any], overrides: Sequence[str] = ()) -> ArenaSettings:
    """The settings of a pace, with what was chosen, and with overrides such as `action_clock_s=10`.

    A `Failure` names the setting that is unknown or does not fit. `none` stands for no value.

    >>> arena_settings(Pace.LIVE, {"tables": 3}, ["action_clock_s=120", "float_chips=true"]).action_clock_s
    120.0
    """
    own, spoken = get_type_hints(ArenaSettings), get_type_hints(Dialect)
    settings, dialect = {**PACES[pace], **chosen}, dict[str, Any]()
    for override in overrides:
        name, equals, text = override.partition("=")
        known = own if name in own and name != "dialect" else spoken
        if not equals or name not in known:
            raise Failure(
                f"--set {override}: expected NAME=VALUE; `poker-agent arena settings` lists the names",
                exit_code=USAGE_ERROR,
            )
        (settings if known is own else dialect)[name] = _value(override, known[name], text)
    try:
        return ArenaSettings(**{**settings, "dialect": Dialect(**dialect)})
    except ValueError as error:
        raise Failure(str(error), exit_code=USAGE_ERROR) from None


def _value(override: str, kind: Any, text: str) -> Any:
    try:
        return TypeAdapter(kind).validate_python(None if text == "none" else text)
    except ValidationError as error:
        raise Failure(f"--set {override}: {error.errors()[0]['msg']}", exit_code=USAGE_ERROR) from None


def serve(options: ServeOptions, out: Console, err: Console, *, as_json: bool) -> None:
    """Serve until Ctrl-C and report; a `Failure` for files that cannot be used and ports that are taken."""
    settings = arena_settings(options.pace, options.chosen, options.overrides)
    warm_up(err.print)
    audience = _Json() if as_json else _Terminal(settings, out)
    try:
        arena = Arena(
            settings,
            accounts=load_keys(options.keys) if options.keys is not None else None,
            field=load_field(options.field),
            faults=load_faults(options.faults, seed=settings.seed) if options.faults is not None else None,
            record_in=options.record,
            on_hand=audience.hand_over,
        )
        asyncio.run(_serve(arena, audience))
    except (FieldError, FaultError, KeyFileError) as error:
        raise Failure(str(error), exit_code=USAGE_ERROR) from None
    except OSError as error:
        raise Failure(f"cannot serve: {error}", exit_code=1) from None


def list_settings(out: Console, *, as_json: bool) -> None:
    """Print every setting with its default and its meaning."""
    rows = [*describe_settings(), *Dialect.describe()]
    if as_json:
        print(json.dumps([{"name": name, "default": default, "meaning": text} for name, default, text in rows]))  # noqa: T201
    else:
        out.print(listing(("setting", "default", "meaning"), rows))


def list_faults(out: Console, *, as_json: bool) -> None:
    """Print every fault with its description."""
    rows = [(str(name), description(name)) for name in FaultName]
    if as_json:
        print(json.dumps([{"name": name, "meaning": text} for name, text in rows]))  # noqa: T201
    else:
        out.print(listing(("fault", "what happens"), rows))


class _Audience(Protocol):
    """Whoever is told about a serving arena."""

    def opened(self, arena: Arena) -> None: ...

    def hand_over(self, record: HandRecord) -> None: ...

    def stands(self, report: ArenaReport) -> None: ...

    def closed(self, report: ArenaReport) -> None: ...


class _Terminal:
    """Shows where the arena listens, and a table that renews itself where the output is a terminal."""

    def __init__(self, settings: ArenaSettings, out: Console) -> None:
        self._settings = settings
        self._out = out
        self._live = Live(console=out, auto_refresh=False, transient=True)

    def opened(self, arena: Arena) -> None:
        self._out.print(welcome(self._settings, arena.ws_url, arena.api_url))
        if self._out.is_terminal:
            self._live.start()

    def hand_over(self, record: HandRecord) -> None:
        """Hands pass too fast to be told one by one."""

    def stands(self, report: ArenaReport) -> None:
        if self._live.is_started:
            self._live.update(standing(report), refresh=True)

    def closed(self, report: ArenaReport) -> None:
        self._live.stop()
        self._out.print(standing(report))


class _Json:
    """Prints one line of JSON for the opening, for every hand, and for the end."""

    def opened(self, arena: Arena) -> None:
        self._say({"event": "listening", "ws_url": arena.ws_url, "api_url": arena.api_url})

    def hand_over(self, record: HandRecord) -> None:
        net = {name: record.final_stacks[seat] - record.start_stacks[seat] for seat, name in record.names.items()}
        self._say({"event": "hand", "table_id": record.table_id, "hand_id": record.hand_id, "net_chips": net})

    def stands(self, report: ArenaReport) -> None:
        """The end tells it all."""

    def closed(self, report: ArenaReport) -> None:
        self._say({"event": "closed", **asdict(report)})

    @staticmethod
    def _say(event: Mapping[str, Any]) -> None:
        print(json.dumps(event), flush=True)  # noqa: T201


async def _serve(arena: Arena, audience: _Audience) -> None:
    stopped, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    async with arena:
        audience.opened(arena)
        while not stopped.is_set():
            audience.stands(arena.report())
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(REFRESH_S):
                    await stopped.wait()
        audience.closed(arena.report())
