"""Where blocks are played: in this process, in a pool of processes, or on a Dask cluster. The numbers are the same."""

import multiprocessing
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from importlib import import_module
from typing import Any, Final, Protocol

from agent.evaluation.ledger import Ledger, code_version

_ADDRESS: Final = re.compile(r"(?:(?:tcp|tls|ws|wss)://)?(?:[^\s/:\[\]]+|\[[0-9a-fA-F:.]+\]):([0-9]{1,5})/?")
_LAST_PORT: Final = 65_535

Result = dict[str, Any]
Played = tuple[int, Result]


class Plan(Protocol):
    """What can be played block by block, each of them on its own."""

    def play(self, index: int) -> Result:
        """The result of the block of that number, as plain values."""
        ...

    def as_dict(self) -> Mapping[str, Any]:
        """Every parameter, as plain values."""
        ...

    def check(self, result: Any) -> None:
        """Raise `ValueError` for what is no result of a block."""
        ...


Workers = Callable[[Plan, Sequence[int]], Iterator[Played]]
"""Plays the blocks of these numbers; they come as they end, in any order."""


class ClusterError(RuntimeError):
    """A cluster that cannot play; the message says what to do."""


def play_all(plan: Plan, blocks: int, workers: Workers, ledger: Ledger, on_block: Callable[[], None]) -> list[Result]:
    """The first `blocks` blocks in their order; those in the ledger are not played again, others are added to it.

    `on_block` is called once for each of them. `LedgerError` for a ledger that cannot be used, before anything is played.
    """
    parameters = dict(plan.as_dict())
    found = {index: result for index, result in ledger.blocks_of(parameters, plan.check).items() if index < blocks}
    for _ in found:
        on_block()
    for index, result in workers(plan, [index for index in range(blocks) if index not in found]):
        ledger.add(parameters, index, result)
        found[index] = result
        on_block()
    return [found[index] for index in range(blocks)]


def in_process(plan: Plan, indices: Sequence[int]) -> Iterator[Played]:
    """One block after the other, here."""
    for index in indices:
        yield index, plan.play(index)


def in_pool(jobs: int) -> Workers:
    """On so many processes of this machine."""

    def run(plan: Plan, indices: Sequence[int]) -> Iterator[Played]:
        if not indices:
            return
        # A fork would copy the threads of a progress bar in the middle of what they do.
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(min(jobs, len(indices)), mp_context=context) as pool:
            open_ = {pool.submit(_play, plan, index) for index in indices}
            try:
                while open_:
                    done, open_ = wait(open_, return_when=FIRST_COMPLETED)
                    for future in done:
                        yield future.result()
            finally:
                pool.shutdown(wait=False, cancel_futures=True)

    return run


def on_dask(address: str, connect_within_s: float = 10.0) -> Workers:
    """On the cluster whose scheduler has that address; `ClusterError` for what is no address, and one that cannot play."""
    _check_address(address)

    def run(plan: Plan, indices: Sequence[int]) -> Iterator[Played]:
        try:
            distributed = import_module("distributed")
        except ImportError:
            raise ClusterError("Dask is not installed: pip install 'open-poker-agent[dask]'") from None
        if address.startswith("tls:") and not distributed.Security().get_connection_args("client").get("ssl_context"):
            raise ClusterError(f"no certificates for {address}: name them in Dask's settings, distributed.comm.tls")
        try:
            client = distributed.Client(address, timeout=connect_within_s, set_as_default=False)
        except (OSError, ValueError) as error:
            raise ClusterError(f"no Dask scheduler answers at {address}: {error}") from None
        with client:
            _check_code(client.run(code_version))
            futures = client.map(_play, [plan] * len(indices), list(indices), pure=False)
            for _, played in distributed.as_completed(futures, loop=client.loop, with_results=True):
                yield played

    return run


def _check_address(address: str) -> None:
    """Refuse what is no address here: a client that cannot make anything of one is never closed, and hangs at the end."""
    named = _ADDRESS.fullmatch(address)
    if named is None or not 1 <= int(named[1]) <= _LAST_PORT:
        raise ClusterError(f"{address!r} is no address of a Dask scheduler: expected one such as tcp://127.0.0.1:8786")


def _check_code(versions: Mapping[str, str]) -> None:
    if not versions:
        raise ClusterError("the Dask cluster has no workers: start some with `dask worker ADDRESS`")
    for worker, version in versions.items():
        if version != code_version():
            raise ClusterError(f"worker {worker} runs other code ({version}, here {code_version()}): install the same")


def _play(plan: Plan, index: int) -> Played:
    return index, plan.play(index)
