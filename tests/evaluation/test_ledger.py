from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from agent.evaluation.ledger import Ledger, LedgerError, code_version
from agent.evaluation.workers import Plan, Played, in_process, play_all


class Counting:
    """A plan whose blocks are their own numbers."""

    def __init__(self, name: str = "counting") -> None:
        self.name = name
        self.played: list[int] = []

    def play(self, index: int) -> dict[str, int]:
        self.played.append(index)
        return {"number": index}

    def as_dict(self) -> dict[str, object]:
        return {"name": self.name, "field": [["station", 1.0]]}


def backwards(plan: Plan, indices: Sequence[int]) -> Iterator[Played]:
    for index in reversed(indices):
        yield index, plan.play(index)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "deep" / "match.jsonl")


def test_a_match_goes_on_where_it_was_stopped(ledger: Ledger) -> None:
    def stopped(plan: Plan, indices: Sequence[int]) -> Iterator[Played]:
        yield from in_process(plan, indices[:2])
        raise KeyboardInterrupt

    plan, told = Counting(), list[None]()
    with pytest.raises(KeyboardInterrupt):
        play_all(plan, 4, stopped, ledger, lambda: told.append(None))
    results = play_all(plan, 5, in_process, ledger, lambda: told.append(None))
    assert plan.played == [0, 1, 2, 3, 4]
    assert results == [{"number": number} for number in range(5)]
    assert len(told) == 2 + 5
    assert play_all(plan, 2, in_process, ledger, lambda: None) == results[:2]
    assert plan.played == [0, 1, 2, 3, 4]


def test_blocks_come_in_their_order_whoever_ends_first(ledger: Ledger) -> None:
    results = play_all(Counting(), 3, backwards, ledger, lambda: None)
    assert results == [{"number": 0}, {"number": 1}, {"number": 2}]


def test_other_parameters_are_another_match(ledger: Ledger) -> None:
    one, other = Counting("one"), Counting("other")
    play_all(one, 2, in_process, ledger, lambda: None)
    play_all(other, 2, in_process, ledger, lambda: None)
    assert other.played == [0, 1]
    assert len(list(ledger.lines())) == 4


def test_half_a_line_of_a_killed_run_is_passed_over_and_swallows_nothing(ledger: Ledger) -> None:
    plan = Counting()
    play_all(plan, 2, in_process, ledger, lambda: None)
    text = ledger.path.read_text(encoding="utf-8")
    ledger.path.write_text(text[:-20], encoding="utf-8")
    play_all(plan, 3, in_process, ledger, lambda: None)
    assert plan.played == [0, 1, 1, 2]
    assert sorted(ledger.blocks_of(plan.as_dict())) == [0, 1, 2]


@pytest.mark.parametrize("text", ["no json\n", "[1, 2]\n", '{"plan": {}}\n'])
def test_a_file_that_is_no_ledger_is_refused(ledger: Ledger, text: str) -> None:
    ledger.path.parent.mkdir()
    ledger.path.write_text(text, encoding="utf-8")
    with pytest.raises(LedgerError, match=r"match\.jsonl, line 1"):
        list(ledger.lines())


def test_the_version_names_the_code_that_plays() -> None:
    assert len(code_version()) == 12
    assert code_version() == code_version.__wrapped__()
