import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

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

    def check(self, result: Any) -> None:
        if "number" not in result:
            raise ValueError("number is missing")


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
    assert sorted(ledger.blocks_of(plan.as_dict(), plan.check)) == [0, 1, 2]


@pytest.mark.parametrize("length", [0, 1, 5, 30, -1])
def test_a_run_that_was_killed_in_its_first_line_goes_on(ledger: Ledger, length: int) -> None:
    plan = Counting()
    play_all(plan, 1, in_process, ledger, lambda: None)
    whole = ledger.path.read_bytes().rstrip()
    ledger.path.write_bytes(whole[:length])
    assert play_all(plan, 2, in_process, ledger, lambda: None) == [{"number": 0}, {"number": 1}]
    assert plan.played == [0, 0, 1]
    assert play_all(plan, 2, in_process, ledger, lambda: None) == [{"number": 0}, {"number": 1}]
    assert plan.played == [0, 0, 1]


def test_empty_lines_say_nothing(ledger: Ledger) -> None:
    play_all(Counting(), 2, in_process, ledger, lambda: None)
    ledger.path.write_bytes(b"\n" + ledger.path.read_bytes().replace(b"\n", b"\r\n\n"))
    assert [(line.number, line.block) for line in ledger.lines()] == [(2, 0), (4, 1)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"no json", "no JSON, so this is no file of a match"),
        (b"[1, 2]", r"\[1, 2\]: expected keys and values"),
        (b'{"plan": {}}', "block is missing"),
        (b'{"plan": [], "block": 1, "result": {}}', r"plan: \[\]: expected keys and values"),
        (b'{"plan": {}, "block": "x", "result": {}}', "block: 'x': expected a whole number from 0"),
        (b'{"plan": {}, "block": [1], "result": {}}', r"block: \[1\]: expected a whole number"),
        (b'{"plan": {}, "block": -1, "result": {}}', "block: -1: expected a whole number"),
        (b'{"plan": {}, "block": true, "result": {}}', "block: True: expected a whole number"),
        (b'{"plan": {}, "block": 1, "result": 3}', "result: 3: expected keys and values"),
        (b'{"plan": {}, "block": 1, "result": {}, "luck": 1}', "'luck' is no known key: another version"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
@pytest.mark.parametrize("lines_before", [0, 2])
def test_a_line_of_no_ledger_is_refused_wherever_it_stands(
    ledger: Ledger, content: bytes, message: str, lines_before: int
) -> None:
    ledger.path.parent.mkdir()
    ledger.path.write_bytes(b'{"plan": {}, "block": 0, "result": {}}\n' * lines_before + content + b"\n")
    place = rf"match\.jsonl, line {lines_before + 1}: {message}.*; name another file, or remove this line"
    with pytest.raises(LedgerError, match=place):
        list(ledger.lines())


def test_a_result_that_is_none_of_the_match_is_refused_before_anything_is_played(ledger: Ledger) -> None:
    plan = Counting()
    ledger.add(plan.as_dict(), 0, {"number": 0})
    ledger.add(plan.as_dict(), 1, {})
    with pytest.raises(LedgerError, match=r"match\.jsonl, line 2: result: number is missing"):
        play_all(plan, 3, in_process, ledger, lambda: None)
    assert plan.played == []


def test_only_a_regular_file_can_be_a_ledger(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(LedgerError, match=f"{path} is no regular file"):
            list(Ledger(path).lines())


def test_the_version_names_the_code_that_plays() -> None:
    assert len(code_version()) == 12
    assert code_version() == code_version.__wrapped__()
