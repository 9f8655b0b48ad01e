"""What is counted, and the keys of hands and decisions, which need nothing else of a row."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from agent.journal.filters import Filter
from agent.journal.reader import Reader
from agent.journal.schema import JournalError
from agent.journal.writer import Journal

from .samples import AT, RUN, decision, hand

FILTERS = (
    Filter(),
    Filter(source="rule"),
    Filter(street="river", position="BTN"),
    Filter(opponent="otter"),
    Filter(hand="#2"),
    Filter(min_pot_bb=10),
    Filter(search="top pair"),
    Filter(source="floor"),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Seven hands of one or two decisions, two of them at the same time, and a decision whose hand has not ended."""
    made = tmp_path / "journal.db"
    with Journal(made, RUN) as journal:
        for number in range(7):
            for street in ("flop", "river")[number % 2 :]:
                source = "rule" if number < 3 else "llm"
                journal.decision(decision(hand_id=f"h-{number}", street=street, source=source))
            journal.hand(hand(f"h-{number}", at=AT + timedelta(minutes=number // 2)))
        journal.decision(decision(hand_id="h-7"))
    return made


@pytest.fixture
def reader(path: Path) -> Iterator[Reader]:
    with Reader(path) as opened:
        yield opened


@pytest.mark.parametrize("where", FILTERS)
def test_a_count_is_that_of_the_figures_and_of_the_list(reader: Reader, where: Filter) -> None:
    counted = reader.count_decisions(where)
    assert counted == reader.statistics(where).decisions == len(reader.decisions(100, where))


def test_every_decision_is_counted(reader: Reader) -> None:
    assert [reader.count_decisions(where) for where in FILTERS[:3]] == [12, 5, 7]


@pytest.mark.parametrize("where", FILTERS)
@pytest.mark.parametrize("page", [1, 2, 100])
def test_keys_are_those_of_the_lists_in_their_order(reader: Reader, where: Filter, page: int) -> None:
    hands = [(line.run_id, line.hand.hand_id) for line in reader.hands(100, where)]
    assert list(reader.hand_keys(where, page=page)) == hands
    assert list(reader.decision_ids(where, page=page)) == [line.id for line in reader.decisions(100, where)]


def test_a_damaged_row_has_a_key_all_the_same(path: Path, reader: Reader) -> None:
    ids = list(reader.decision_ids(page=3))
    with closing(sqlite3.connect(path)) as file, file:
        file.execute(
            "UPDATE hand SET result = '{', board = CAST(x'ff' AS TEXT), at = 'yesterday' WHERE hand_id = 'h-4'"
        )
        file.execute("UPDATE decision SET facts = '{', at = 'yesterday', reason = CAST(x'ff' AS TEXT)")
    assert {hand_id for _, hand_id in reader.hand_keys(page=1)} == {f"h-{number}" for number in range(7)}
    assert list(reader.decision_ids(page=3)) == ids
    assert reader.count_decisions() == len(ids)


def test_a_damaged_row_is_left_out_of_lists_and_an_error_of_figures(path: Path, reader: Reader) -> None:
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("UPDATE hand SET at = 'yesterday', net_chips = 'much' WHERE hand_id = 'h-4'")
        file.execute("UPDATE decision SET at = 'yesterday' WHERE hand_id = 'h-5'")
    assert {line.hand.hand_id for line in reader.hands()} == {f"h-{number}" for number in range(7)} - {"h-4"}
    assert {line.hand_id for line in reader.decisions()} == {f"h-{number}" for number in range(8)} - {"h-5"}
    # A page is as long as it was asked to be: whoever leafs through a list takes a shorter one for its end.
    assert [len(reader.hands(limit)) for limit in range(1, 8)] == [1, 2, 3, 4, 5, 6, 6]
    assert [len(reader.decisions(limit)) for limit in (3, 4, 9)] == [3, 4, 9]
    for asked in (reader.statistics, reader.net_curve, lambda: reader.hand("h-4")):
        with pytest.raises(JournalError, match=r"A row of the journal .* cannot be understood"):
            asked()
