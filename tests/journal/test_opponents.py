"""Whom bots have met: one row a player and bot, always the latest, whatever they call themselves."""

import logging
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from agent.journal.reader import Reader
from agent.journal.writer import Journal

from .samples import AT, RUN, decision, new_id, opponent, send

LYNX = replace(RUN, id="01M8MZP195C3AY02X4MG88R9KV", bot="Lynx")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


def test_a_player_comes_back_and_what_is_known_later_takes_the_place(path: Path) -> None:
    later = opponent(hands=39, at=AT + timedelta(minutes=1), vpip=(13, 39), showdowns=3)
    with Journal(path, RUN) as journal:
        journal.opponent(opponent())
        journal.opponent(opponent("Stoat"))
        journal.opponent(later)
    with Reader(path) as reader:
        assert [(line.bot, line.opponent) for line in reader.opponents()] == [
            ("Heron", later),
            ("Heron", opponent("Stoat")),
        ]
    assert journal.lost == 0


def test_what_is_known_outlives_the_run(path: Path) -> None:
    with Journal(path, RUN) as journal:
        journal.opponent(opponent())
    with Journal(path, replace(RUN, id=new_id())) as journal:
        journal.opponent(opponent(hands=40))
    with Reader(path) as reader:
        assert reader.latest_opponents("Heron", 10) == [opponent(hands=40)]


def test_two_bots_know_a_player_each_for_itself(path: Path) -> None:
    for run, hands in ((RUN, 10), (LYNX, 20)):
        with Journal(path, run) as journal:
            journal.opponent(opponent(hands=hands))
    with Reader(path) as reader:
        assert [known.hands for known in reader.latest_opponents("Heron", 10)] == [10]
        assert [known.hands for known in reader.latest_opponents("Lynx", 10)] == [20]
        assert [(line.bot, line.opponent.hands) for line in reader.opponents()] == [("Lynx", 20), ("Heron", 10)]


def test_who_was_met_last_comes_first_and_older_ones_are_left(path: Path) -> None:
    with Journal(path, RUN) as journal:
        for minute, name in ((2, "Stoat"), (0, "Otter"), (1, "Lynx")):
            journal.opponent(opponent(name, at=AT + timedelta(minutes=minute)))
    with Reader(path) as reader:
        assert [known.name for known in reader.latest_opponents("Heron", 2)] == ["Stoat", "Lynx"]


HOSTILE = ("'); DROP TABLE opponent; --", "", "%", "x\x00y", "\u202eevil", "[bold]", "Otter' OR 1=1")


def test_names_are_kept_as_they_are(path: Path) -> None:
    with Journal(path, RUN) as journal:
        for name in HOSTILE:
            journal.opponent(opponent(name))
    with Reader(path) as reader:
        assert {known.name for known in reader.latest_opponents("Heron", 100)} == set(HOSTILE)
        assert [line.opponent.name for line in reader.opponents(name="%")] == ["%"]
        assert [line.opponent.name for line in reader.opponents(name="DROP")] == [HOSTILE[0]]
    assert journal.lost == 0


def test_half_a_surrogate_pair_costs_no_row(path: Path) -> None:
    with Journal(path, RUN) as journal:
        journal.opponent(opponent("\ud83d"))
    with Reader(path) as reader:
        assert [known.name for known in reader.latest_opponents("Heron", 100)] == ["\\ud83d"]


def test_players_are_found_by_a_part_of_their_name_in_either_case(path: Path) -> None:
    with Journal(path, RUN) as journal:
        for hands, name in ((10, "SeaOtter"), (30, "otter"), (20, "Stoat")):
            journal.opponent(opponent(name, hands=hands))
    with Reader(path) as reader:
        assert [line.opponent.name for line in reader.opponents(name="OTTER")] == ["otter", "SeaOtter"]
        assert [line.opponent.name for line in reader.opponents(2)] == ["otter", "Stoat"]
        assert reader.opponents(name="Badger") == []


@pytest.mark.parametrize("broken", ["[", "[1]", "7", '"x"', ""])
@pytest.mark.parametrize("column", ["statistics", "shown"])
def test_a_row_that_cannot_be_read_is_left_out_and_told(
    path: Path, column: str, broken: str, caplog: pytest.LogCaptureFixture
) -> None:
    with Journal(path, RUN) as journal:
        journal.opponent(opponent())
        journal.opponent(opponent("Stoat"))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE opponent SET {column} = ? WHERE name = 'Otter'", (broken,))
    with Reader(path) as reader:
        assert [known.name for known in reader.latest_opponents("Heron", 10)] == ["Stoat"]
        assert [line.opponent.name for line in reader.opponents()] == ["Stoat"]
    assert [record.levelno for record in caplog.records] == [logging.WARNING] * 2
    assert "'Otter' is left out" in caplog.text


def test_a_row_without_a_time_is_left_out(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with Journal(path, RUN) as journal:
        journal.opponent(opponent())
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE opponent SET updated_at = 'yesterday'")
    with Reader(path) as reader:
        assert reader.opponents() == []
    assert "'Otter' is left out" in caplog.text


def test_a_flood_of_players_does_not_cost_the_rows_of_a_turn(path: Path) -> None:
    taken = decision()
    with Journal(path, RUN, queue_size=20, retry_delays_seconds=[0.02] * 1_000) as journal:
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            while journal.lost == 0:
                journal.opponent(opponent())
            journal.decision(taken)
            journal.send(send(taken.id))
            other.execute("ROLLBACK")
        lost = journal.lost
    assert (journal.lost, lost) == (1, 1)
    with Reader(path) as reader:
        assert reader.decision("last").sends == (send(taken.id),)
        assert reader.latest_opponents("Heron", 10) == [opponent()]
