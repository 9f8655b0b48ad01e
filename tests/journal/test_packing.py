"""Packed columns: what goes in comes out, and what was packed once can be unpacked for ever."""

import hashlib
import sqlite3
from contextlib import closing
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.journal import packing
from agent.journal.packing import packed, unpacked
from agent.journal.reader import Reader
from agent.journal.schema import JournalError
from agent.journal.writer import Journal

from .samples import RUN, decision, hand

DICTIONARIES = (packing.FRAMES, packing.DECISIONS, packing.PROMPTS)
FROZEN = {
    "frames_1.txt": "2d4677acd0de32a955fc7d744104aa3ac261a14688dc1230e6b8ade3006fd921",
    "decisions_1.txt": "9df0cef2663daa2f1c228670a3e21062942e66147f4de4a5db28b8691a047787",
    "prompts_1.txt": "dd0ed4992cd44bb57c59767c118940e9efab050ffd4f30c69541456b86de7d47",
}


@pytest.mark.parametrize("dictionary", DICTIONARIES)
@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=3_000))
def test_what_is_packed_comes_out_again(dictionary: int, text: str) -> None:
    assert unpacked(packed(text, dictionary)) == text


def test_a_text_that_is_like_the_dictionary_takes_little_room() -> None:
    text = (files("agent.journal") / "dictionaries" / "frames_1.txt").read_text().splitlines()[-1]
    assert len(text) > 1_000
    assert len(packed(text, packing.FRAMES)) < 50


def test_a_text_that_would_not_get_shorter_is_kept_as_it_is() -> None:
    assert packed("river", packing.PROMPTS) == "river"
    assert unpacked("river") == "river"


@pytest.mark.parametrize(("name", "digest"), FROZEN.items())
def test_a_dictionary_never_changes(name: str, digest: str) -> None:
    held = (files("agent.journal") / "dictionaries" / name).read_bytes()
    assert hashlib.sha256(held).hexdigest() == digest, "journals packed with it could not be read any more: add another"


def test_what_an_earlier_program_packed_is_read() -> None:
    assert (
        unpacked(bytes.fromhex("0373a374924901b28e86a8b2c50800"))
        == "Flop, blinds 10/20, 6 players dealt in. You are BTN, in position. Pot: 370 (single-raised); last aggressor: P2"
    )


@pytest.mark.parametrize("value", [b"", b"\x09abc", b"\x01\xff\xff\xff", packed("a word " * 40, 2)[:-4]])
def test_what_was_never_packed_is_an_error(value: bytes) -> None:
    with pytest.raises(ValueError, match=r"packed with an unknown dictionary|a packed text is damaged"):
        unpacked(value)


def test_plain_text_in_packed_columns_is_read_as_it_stands(tmp_path: Path) -> None:
    path, taken = tmp_path / "journal.db", decision()
    with Journal(path, RUN) as journal:
        journal.decision(taken)
        journal.hand(hand())
    with closing(sqlite3.connect(path)) as connection:
        connection.create_function("plain", 1, unpacked)
        connection.execute("UPDATE decision SET facts = plain(facts), menu = plain(menu), policy = plain(policy)")
        connection.execute("UPDATE text SET content = plain(content)")
        connection.execute("UPDATE hand SET result = plain(result), actions = plain(actions)")
        connection.commit()
    with Reader(path) as reader:
        story = reader.decision("last")
    assert (story.decision, story.hand) == (taken, hand())


def test_a_damaged_column_is_an_error_that_says_so(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal(path, RUN) as journal:
        journal.decision(decision())
    for value in (b"\x02\xff\xff", "{no JSON"):
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("UPDATE decision SET facts = ?", (value,))
            connection.commit()
        with Reader(path) as reader, pytest.raises(JournalError, match="a row of the journal is damaged"):
            reader.decision("last")
