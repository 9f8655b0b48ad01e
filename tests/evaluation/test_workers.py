from pathlib import Path

import distributed
import pytest

from agent.evaluation.ledger import Ledger
from agent.evaluation.match import MatchPlan
from agent.evaluation.workers import ClusterError, Workers, in_pool, in_process, on_dask, play_all

PLAN = MatchPlan("published", "house:regular:regular", field=(("station:beginner", 1.0),), hands_per_block=6)
BLOCKS = 4


def played(workers: Workers, folder: Path) -> list[dict[str, object]]:
    return play_all(PLAN, BLOCKS, workers, Ledger(folder / "match.jsonl"), lambda: None)


def test_a_pool_of_processes_plays_what_one_process_plays(tmp_path: Path) -> None:
    assert played(in_pool(2), tmp_path / "pool") == played(in_process, tmp_path / "one")


def test_two_dask_workers_play_what_one_process_plays(tmp_path: Path) -> None:
    with distributed.LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=2, threads_per_worker=1, dashboard_address=None, local_directory=str(tmp_path)
    ) as cluster:
        assert played(on_dask(cluster.scheduler_address), tmp_path / "dask") == played(in_process, tmp_path / "one")


def test_a_failure_in_a_worker_is_the_failure_of_the_match(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="invalid"):
        list(in_pool(1)(Broken(), [0, 1]))


class Broken:
    """A plan that cannot be played."""

    def play(self, index: int) -> dict[str, object]:
        raise ValueError(f"block {index} is invalid")

    def as_dict(self) -> dict[str, object]:
        return {}

    def check(self, result: object) -> None:
        raise NotImplementedError


def test_a_scheduler_that_does_not_answer_is_told() -> None:
    with pytest.raises(ClusterError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"):
        list(on_dask("tcp://127.0.0.1:9", connect_within_s=0.3)(PLAN, [0]))


@pytest.mark.parametrize(
    "address",
    [
        "",
        "foo",
        "garbage://foo",
        "garbage://127.0.0.1:8786",
        "tcp://",
        "tcp://127.0.0.1",
        "127.0.0.1:0",
        "h:99999",
        "h:٣",
    ],
)
def test_what_is_no_address_is_refused_before_anybody_is_asked(address: str) -> None:
    with pytest.raises(ClusterError, match="is no address of a Dask scheduler: expected one such as tcp://127"):
        on_dask(address)


@pytest.mark.parametrize(
    "address", ["127.0.0.1:8786", "tcp://scheduler:8786", "tls://[::1]:8786/", "wss://dask.example.org:443"]
)
def test_addresses_of_every_kind_are_taken(address: str) -> None:
    assert callable(on_dask(address))


def test_an_address_that_needs_certificates_says_where_they_belong() -> None:
    with pytest.raises(ClusterError, match=r"no certificates for tls://127\.0\.0\.1:9"):
        list(on_dask("tls://127.0.0.1:9", connect_within_s=0.3)(PLAN, [0]))
