"""`poker-agent match`: play a match or freeze-outs, go on with what was begun, and report what was played."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from rich.console import Console

from agent.arena.house.field import load_field
from agent.evaluation import views
from agent.evaluation.chart import Panel, svg
from agent.evaluation.freezeout import FreezeoutPlan, FreezeoutResult
from agent.evaluation.ledger import Ledger, LedgerError, code_version
from agent.evaluation.match import MOST_STACK_BB, Behind, Block, MatchPlan, Shares
from agent.evaluation.outcome import MatchResult
from agent.evaluation.registry import Contenders, contender
from agent.evaluation.told import shown
from agent.evaluation.workers import ClusterError, Plan, Workers, in_pool, in_process, on_dask, play_all
from agent.failure import ExitCode, Failure
from agent.kernels import warm_up
from agent.terminal.progress import progress
from agent.terminal.text import plain

MOST_HANDS: Final = 10_000_000
MOST_TOURNAMENTS: Final = 100_000
"""What one match can be: its results are held in memory, and more than these would say no more."""

_Result = MatchResult | FreezeoutResult


@dataclass(frozen=True, slots=True)
class MatchOptions:
    """What the command line asks for. `freezeout` is a number of tournaments, None for a match of `hands`.

    Of a `field` a match takes the kinds of players and their shares: everybody has `stack`, whatever `buy_in` says.
    `contenders` seats players by name, `behind` tells what a plan has to keep of them; both as a `MatchPlan` takes them.
    """

    names: tuple[str, ...]
    field: Path | None
    hands: int
    seed: int
    stack: str
    seats: int
    jobs: int
    dask: str | None
    file: Path
    freezeout: int | None
    contenders: Contenders = contender
    behind: Behind = ()


def match(options: MatchOptions, out: Console, err: Console, *, as_json: bool) -> None:
    """Play what is missing of a match and print the whole of it; a `Failure` says what cannot be played."""
    with _told_clearly(ValueError):
        plan, blocks = _planned(options)
        plan.look_up_names()
    warm_up(err.print)
    with _told_clearly(LedgerError, OSError, ClusterError):
        began = perf_counter()
        with progress(err, "freeze-outs" if options.freezeout else "blocks", blocks) as advance:
            played = play_all(plan, blocks, _workers(options), Ledger(options.file), advance)
    result, seconds = _result(plan, played), perf_counter() - began
    if not as_json:
        _render(out, result)
        out.print(plain(f"{seconds:,.1f} s in this run; kept in {options.file}"))
    else:
        print(json.dumps(result.as_dict(seconds=seconds)))  # noqa: T201


def report(file: Path, plot: Path | None, out: Console, *, as_json: bool) -> None:
    """Print every match in a file, and draw its running difference; a `Failure` for a file that holds none."""
    target = _drawing(file, plot)
    with _told_clearly(LedgerError, OSError):
        results = list(_read(Ledger(file)))
    if not results:
        raise Failure(f"{file} holds no match: play one with --out {file}", exit_code=ExitCode.UNUSABLE)
    if as_json:
        for result in results:
            print(json.dumps(result.as_dict(seconds=None)))  # noqa: T201
        return
    for result in results:
        _render(out, result)
    with _told_clearly(OSError):
        target.write_text(svg([_panel(result) for result in results]), encoding="utf-8")
    out.print(plain(f"Drawn in {target}"))


def _drawing(file: Path, plot: Path | None) -> Path:
    """Where a report is drawn; a `Failure` for a file that is to hold something else."""
    target = plot or file.parent / f"{file.stem}.svg"
    if plot is not None and plot.suffix.lower() != ".svg":
        raise Failure(f"--plot {plot}: charts are SVG, name a file that ends in .svg", exit_code=ExitCode.UNUSABLE)
    if target.resolve() == file.resolve():
        raise Failure(f"{target} holds the match: name another file with --plot", exit_code=ExitCode.UNUSABLE)
    return target


def _planned(options: MatchOptions) -> tuple[MatchPlan | FreezeoutPlan, int]:
    """The plan, and how many of its blocks are wanted."""
    wanted = 1 if options.freezeout else 2
    if len(options.names) != wanted:
        what = "a freeze-out takes one player" if options.freezeout else "a match takes two players"
        raise ValueError(f"{what}, got {len(options.names)}: {', '.join(options.names) or 'nobody'}")
    if options.freezeout:
        if options.field is not None:
            raise ValueError("--field does not go with --freezeout, whose opponents are masters")
        _check_count("--freezeout", options.freezeout, MOST_TOURNAMENTS)
        tournaments = FreezeoutPlan(
            options.names[0],
            seed=options.seed,
            code=code_version(),
            behind=options.behind,
            contenders=options.contenders,
        )
        return tournaments, options.freezeout
    _check_count("--hands", options.hands, MOST_HANDS)
    a, b = options.names
    plan = MatchPlan(
        a,
        b,
        field=_field(options),
        seed=options.seed,
        seats=options.seats,
        stack_bb=_stack_bb(options.stack),
        code=code_version(),
        behind=options.behind,
        contenders=options.contenders,
    )
    return plan, plan.blocks_for(options.hands)


def _check_count(option: str, count: int, most: int) -> None:
    if not 1 <= count <= most:
        raise ValueError(f"{option} {count:,}: expected 1 to {most:,}")


def _field(options: MatchOptions) -> Shares:
    """Whom opponents are drawn from; nobody heads-up, where the two play each other unless a field is asked for."""
    if options.field is None and options.seats == 2:
        return ()
    return tuple((entry.kind, float(entry.share)) for entry in load_field(options.field).entries)


def _stack_bb(text: str) -> int:
    """A stack such as `100bb`, in big blinds.

    >>> _stack_bb("100bb")
    100
    """
    number = text.strip().lower().removesuffix("bb")
    if not number.isascii() or not number.isdigit() or len(number) > len(str(MOST_STACK_BB)):
        raise ValueError(f"--stack {shown(text)}: expected big blinds from 1 to {MOST_STACK_BB:,}, such as 100bb")
    return int(number)


def _workers(options: MatchOptions) -> Workers:
    if options.dask is not None:
        return on_dask(options.dask)
    jobs = options.jobs or os.cpu_count() or 1
    return in_pool(jobs) if jobs > 1 else in_process


def _result(plan: Plan, played: list[dict[str, Any]]) -> _Result:
    if isinstance(plan, MatchPlan):
        return MatchResult(plan, tuple(Block.from_dict(block) for block in played))
    if isinstance(plan, FreezeoutPlan):
        places, hands = tuple(one["place"] for one in played), sum(one["hands"] for one in played)
        return FreezeoutResult(plan, places, hands)
    raise TypeError(f"{type(plan).__name__} has no result")


def _read(ledger: Ledger) -> Iterator[_Result]:
    """Every match of a file, in the order in which they were begun."""
    found: list[tuple[Mapping[str, Any], Plan, dict[int, dict[str, Any]]]] = []
    for line in ledger.lines():
        known = next((match for match in found if match[0] == line.plan), None)
        if known is None:
            with ledger.naming(line.number, "plan: "):
                known = (line.plan, _plan(line.plan), {})
            found.append(known)
        _, plan, blocks = known
        with ledger.naming(line.number, "result: "):
            plan.check(line.result)
        blocks[line.block] = line.result
    for _, plan, blocks in found:
        yield _result(plan, [blocks[index] for index in sorted(blocks)])


def _plan(told: Mapping[str, Any]) -> Plan:
    """The plan that `as_dict` told; `ValueError` for what is none."""
    for kind in (MatchPlan, FreezeoutPlan):
        if told.get("kind") == kind.kind:
            return kind.from_dict(told)
    raise ValueError(f"kind: {shown(told.get('kind'))}: expected {MatchPlan.kind} or {FreezeoutPlan.kind}")


def _render(out: Console, result: _Result) -> None:
    if isinstance(result, MatchResult):
        views.render_match(out, result)
    else:
        views.render_freezeout(out, result)


def _panel(result: _Result) -> Panel:
    return views.match_panel(result) if isinstance(result, MatchResult) else views.freezeout_panel(result)


@contextmanager
def _told_clearly(*expected: type[Exception]) -> Iterator[None]:
    """Turn what can be expected to go wrong into a `Failure`."""
    try:
        yield
    except expected as error:
        code = ExitCode.FAILED if isinstance(error, ClusterError) else ExitCode.UNUSABLE
        raise Failure(str(error), exit_code=code) from None
