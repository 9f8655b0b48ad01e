"""Lists, filters, and how a decision is named."""

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from agent.journal.filters import Filter
from agent.journal.reader import Reader
from agent.journal.schema import JournalError
from agent.journal.writer import Journal

from .samples import AT, RUN, decision, hand

FIRST_ID = "01M8MZP195C3AY02X4MG88R9KT"
SECOND_ID = "01M8MZP2AAAAAAAAAAAAAAR9KT"
THIRD_ID = "01M8MZQ3BBBBBBBBBBBBBBBBBB"
LATEST_RUN = "01M8MZP195C3AY02X4MG88R9KV"


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    path = tmp_path / "journal.db"
    with Journal(path, RUN) as journal:
        journal.decision(decision(FIRST_ID, hand_id="hand-000001", street="preflop"))
        journal.decision(decision(SECOND_ID, hand_id="hand-000001", street="river", source="rule", attempts=()))
        journal.decision(decision(THIRD_ID, hand_id="hand-000002", street="river"))
        journal.hand(hand("hand-000001", at=AT, net_chips=-60))
        journal.hand(hand("hand-000002", at=AT + timedelta(minutes=1), net_chips=None, complete=False))
    with Reader(path) as opened:
        yield opened


def test_the_newest_decisions_come_first(reader: Reader) -> None:
    assert [line.id for line in reader.decisions()] == [THIRD_ID, SECOND_ID, FIRST_ID]
    assert [line.id for line in reader.decisions(2)] == [THIRD_ID, SECOND_ID]


def test_a_line_names_the_model_asked_and_the_net_of_the_hand(reader: Reader) -> None:
    assert [(line.model, line.net_chips) for line in reader.decisions()] == [
        ("gpt-5-mini", None),
        (None, -60),
        ("gpt-5-mini", -60),
    ]


def test_decisions_are_found_by_source_street_and_hand(reader: Reader) -> None:
    def ids(**filters: str) -> list[str]:
        return [line.id for line in reader.decisions(where=Filter(**filters))]  # type: ignore[arg-type]

    assert ids(source="rule") == [SECOND_ID]
    assert ids(street="river") == [THIRD_ID, SECOND_ID]
    assert ids(hand="hand-000001") == [SECOND_ID, FIRST_ID]
    assert ids(hand="000002") == [THIRD_ID]
    assert ids(street="river", source="llm", hand="hand") == [THIRD_ID]
    assert ids(street="turn") == []


def test_the_newest_hands_come_first_with_their_decisions_counted(reader: Reader) -> None:
    found = [(line.hand.hand_id, line.hand.net_chips, line.hand.complete, line.decisions) for line in reader.hands()]
    assert found == [("hand-000002", None, False, 1), ("hand-000001", -60, True, 2)]
    assert [line.hand.hand_id for line in reader.hands(1)] == ["hand-000002"]


@pytest.mark.parametrize("fragment", [FIRST_ID, "01M8MZP1", "88R9KT", "88r9kt"])
def test_any_unique_beginning_or_end_names_a_decision(reader: Reader, fragment: str) -> None:
    assert reader.decision(fragment).decision.id == FIRST_ID


def test_last_is_the_newest(reader: Reader) -> None:
    assert reader.decision("last").decision.id == THIRD_ID


@pytest.mark.parametrize("fragment", ["R9KT", "01M8MZP"])
def test_a_fragment_of_two_decisions_lists_both(reader: Reader, fragment: str) -> None:
    with pytest.raises(JournalError, match=f"More than one decision .*{fragment}.*: {SECOND_ID}, {FIRST_ID}$"):
        reader.decision(fragment)


@pytest.mark.parametrize("fragment", ["ZZZZ", "", "%", "'", "X4MG"])
def test_a_fragment_of_none_lists_the_newest(reader: Reader, fragment: str) -> None:
    with pytest.raises(
        JournalError, match=f"No decision begins or ends .*newest are: {THIRD_ID}, {SECOND_ID}, {FIRST_ID}$"
    ):
        reader.decision(fragment)


def test_a_long_list_of_candidates_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal(path, RUN) as journal:
        for number in range(20):
            journal.decision(decision(f"01M8MZP195C3AY02X4MG8800{number:02}"))
    with Reader(path) as reader, pytest.raises(JournalError, match=r"880019, .*880012 and more$"):
        reader.decision("01M8")


def test_an_empty_journal_says_how_to_fill_it(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    Journal(path, RUN).close()
    with Reader(path) as reader, pytest.raises(JournalError, match=r"No decisions yet. `poker-agent demo` makes some."):
        reader.decision("last")


def test_a_file_that_breaks_while_read_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    Journal(path, RUN).close()
    with Reader(path) as reader:
        connection = sqlite3.connect(path)
        connection.execute("DROP TABLE hand")
        connection.close()
        with pytest.raises(JournalError, match=r"journal.db cannot be read: no such table: hand"):
            reader.hands()


def test_a_hand_is_named_by_its_number_in_the_latest_run(reader: Reader) -> None:
    assert reader.hand("#1").hand.hand_id == "hand-000001"
    assert reader.hand("#2").hand.hand_id == "hand-000002"
    assert reader.hand_numbers(reader.hands()) == [2, 1]
    assert [line.hand_id for line in reader.decisions(where=Filter(hand="#2"))] == ["hand-000002"]
    assert reader.meant(Filter(hand="last")) == Filter(hand="hand-000002", run=RUN.id)
    assert reader.meant(Filter(hand="hand", since="3d")) == Filter(hand="hand", since="3d")


@pytest.mark.parametrize("number", ["#0", "#3", "#999999999999999"])
def test_a_number_that_no_hand_has_is_said(reader: Reader, number: str) -> None:
    with pytest.raises(JournalError, match=f"There is no hand {number} in the latest run: hands are counted from 1"):
        reader.hand(number)


def test_numbers_begin_anew_with_each_run(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    for number, run_id in enumerate((RUN.id, "01M8MZP195C3AY02X4MG88R9KV")):
        with Journal(path, replace(RUN, id=run_id)) as journal:
            journal.hand(hand(f"h-{number}", at=AT + timedelta(minutes=number)))
    with Reader(path) as opened:
        assert opened.hand_numbers(opened.hands()) == [1, 1]
        assert opened.hand("#1").hand.hand_id == "h-1"
        assert opened.hand("#1", RUN.id).hand.hand_id == "h-0"
        assert [line.hand.hand_id for line in opened.hands(where=Filter(hand="#1", run=RUN.id))] == ["h-0"]


@pytest.fixture
def numbered(tmp_path: Path) -> Iterator[Reader]:
    """A run of two hands, and the latest one of eleven whose ids end with other numbers than theirs."""
    path = tmp_path / "journal.db"
    with Journal(path, RUN) as journal:
        for number, hand_id in enumerate(("old-7", "12")):
            journal.hand(hand(hand_id, at=AT + timedelta(minutes=number)))
    with Journal(path, replace(RUN, id=LATEST_RUN)) as journal:
        for number in range(1, 12):
            taken = f"new-{10 * number + 7}"
            journal.decision(decision(hand_id=taken))
            journal.hand(hand(taken, at=AT + timedelta(hours=number)))
    with Reader(path) as opened:
        yield opened


@pytest.mark.parametrize(
    ("fragment", "run", "found"),
    [
        ("7", None, "new-77"),
        ("#7", None, "new-77"),
        ("11", None, "new-117"),
        # The latest run has no such hand: these end an id, in whatever run.
        ("12", None, "12"),
        ("107", None, "new-107"),
        # Nobody writes a number so.
        ("07", None, "new-107"),
        ("1", RUN.id, "old-7"),
        ("2", RUN.id, "12"),
        ("7", RUN.id, "old-7"),
        ("12", RUN.id, "12"),
    ],
)
def test_a_small_number_is_the_hand_s_where_there_is_such_a_hand_else_a_part_of_its_id(
    numbered: Reader, fragment: str, run: str | None, found: str
) -> None:
    assert numbered.hand(fragment, run).hand.hand_id == found


def test_a_small_number_means_the_same_hand_in_lists(numbered: Reader) -> None:
    assert numbered.meant(Filter(hand="7")) == Filter(hand="new-77", run=LATEST_RUN)
    assert [line.hand_id for line in numbered.decisions(where=Filter(hand="7"))] == ["new-77"]
    assert [line.hand.hand_id for line in numbered.hands(where=Filter(hand="7"))] == ["new-77"]
    assert [line.hand.hand_id for line in numbered.hands(where=Filter(hand="77"))] == ["new-77"]
    assert [line.hand.hand_id for line in numbered.hands(where=Filter(hand="1", run=RUN.id))] == ["old-7"]


def test_a_filter_that_names_one_hand_goes_on_meaning_it(numbered: Reader) -> None:
    meant = numbered.meant(Filter(hand="2", run=RUN.id))
    assert meant == Filter(hand="12", run=RUN.id)
    assert numbered.meant(meant) == meant


@pytest.mark.parametrize("fragment", ["new", "17", "99", "x"])
def test_whoever_finds_no_hand_is_told_of_numbers(numbered: Reader, fragment: str) -> None:
    with pytest.raises(JournalError, match=r"hand begins or ends with .* is found as 7 or '#7', the latter in quotes"):
        numbered.hand(fragment)


@pytest.mark.parametrize("cursor", ["", "zzzz", FIRST_ID, "2026-13-40 r h", "2026-09-14 r h", "yesterday run hand"])
def test_a_cursor_of_no_hand_is_refused(reader: Reader, cursor: str) -> None:
    with pytest.raises(JournalError, match="is no place in a list of hands"):
        reader.hands(before=cursor)


def test_a_cursor_of_no_decision_is_refused(reader: Reader) -> None:
    for cursor in ("", "zzzz", reader.hands()[0].cursor):
        with pytest.raises(JournalError, match="is no place in a list of decisions"):
            reader.decisions(before=cursor)


@pytest.mark.parametrize(
    "since",
    ["2026-13-40", "yesterday", "2026-11-30T14:00+99:00", "0001-01-01T00:00+14:00", "12 o'clock", "2026-11-30T25:00"],
)
def test_what_is_no_time_says_what_one_looks_like(reader: Reader, since: str) -> None:
    with pytest.raises(JournalError, match=r"is no time, and no decision .* A time is 2026-11-30, 2026-11-30T10:00"):
        reader.decisions(where=Filter(since=since))
