"""Matches in process: how many hands a core plays in a second, and what a second process adds."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Final

from agent.arena.house.field import NAMES, load_field
from agent.evaluation.ledger import Ledger
from agent.evaluation.match import MatchPlan, Shares
from agent.evaluation.registry import contender
from agent.evaluation.table import Seated
from agent.evaluation.workers import Workers, in_pool, in_process, play_all
from benchmarks.measure import Row

SIX_ALIKE: Final[Shares] = (("regular:regular", 1.0),)
BLOCKS: Final = 12


def rows() -> Iterator[Row]:
    """Matches of a kind each, then the first of them on two processes."""
    field = tuple((entry.kind, entry.share) for entry in load_field().entries)
    published = MatchPlan("published", "published", field)
    yield Row("published against five of the default field", _speed(published, in_process), "at least 100 hands/s")
    yield Row("the same, two processes with their start", _speed(published, in_pool(2)))
    policy = MatchPlan("policy", "policy", field)
    yield Row("the policy in their place", _speed(policy, in_process), "at least 100 hands/s")
    yield Row("six policies at a table", _six_policies(policy), "at least 25 hands/s")
    yield Row("the pure equity rule in their place", _speed(MatchPlan("equity", "equity", field), in_process))
    alike = MatchPlan("house:regular:regular", "house:regular:regular", SIX_ALIKE)
    yield Row("six regulars", _speed(alike, in_process))
    heads_up = MatchPlan("published", "house:regular:master", seats=2)
    yield Row("heads-up, published against a master", _speed(heads_up, in_process))


def _speed(plan: MatchPlan, workers: Workers) -> str:
    plan.play(BLOCKS)  # loads the kernels
    with tempfile.TemporaryDirectory() as folder:
        began = perf_counter()
        played = play_all(plan, BLOCKS, workers, Ledger(Path(folder) / "match.jsonl"), lambda: None)
        seconds = perf_counter() - began
    hands = sum(block["a"]["hands"] for block in played) * (1 if plan.is_duel else 2)
    return f"{hands / seconds:,.0f} hands/s"


def _six_policies(plan: MatchPlan) -> str:
    table = [Seated(name, contender("policy", plan.seed), 2_000) for name in NAMES[: plan.seats]]
    began = perf_counter()
    hands = sum(1 for _ in plan.hands(0, table))
    return f"{hands / (perf_counter() - began):,.0f} hands/s"
