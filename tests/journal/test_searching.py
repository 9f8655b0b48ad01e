"""Words that are looked for: in prompts, replies, reasons, cards and names, and never as anything but words."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.journal.filters import Filter
from agent.journal.reader import Reader
from agent.journal.schema import open_for_writing, transaction
from agent.journal.searching import forget_decision
from agent.journal.writer import Journal

from .samples import FIRST, RUN, decision, hand

ONE, TWO, THREE = (f"01M8MZP195C3AY02X4MG88R9K{letter}" for letter in "ABC")

ASKED = replace(
    FIRST,
    messages=(("system", "Answer with platypus."), ("user", "Board: T♣ 7♦ 2h. Menu: raise_75 costs 1,120")),
    reply_text='{"id": "raise_75", "reason": "Ein später Bluff"}',
)
REPAIRED = replace(ASKED, kind="repair", reply_text="I cannot decide")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("journal") / "journal.db"
    silent = replace(
        decision(TWO, attempts=(), model_reason=None), hole_cards="AhAc", board="", names={"1": "Ötterling_9"}
    )
    with Journal(made, RUN) as journal:
        journal.decision(decision(ONE, attempts=(ASKED, REPAIRED)))
        journal.decision(replace(silent, reason="no time was left", hand_id="another hand"))
        journal.hand(hand())
    return made


@pytest.fixture
def reader(path: Path) -> Iterator[Reader]:
    with Reader(path) as opened:
        yield opened


def found(reader: Reader, search: str) -> list[str]:
    return [line.id for line in reader.decisions(where=Filter(search=search))]


@pytest.mark.parametrize(
    ("search", "ids"),
    [
        ("menu", [ONE]),
        ("cannot", [ONE]),
        ("BLUFF", [ONE]),
        ("spater", [ONE]),
        ("später bluff", [ONE]),
        ("bluff menu cannot", [ONE]),
        ("legal", [ONE]),
        ("pair", [ONE]),
        ("rais", [ONE]),
        ("raise_75", [ONE]),
        ("1,120", [ONE]),
        ("aise", []),
        ("bluff nowhere", []),
        ("Tc", [ONE]),
        ("T♣ 7d", [ONE]),
        ("AsKd", [ONE]),
        ("KdAs", [ONE]),
        ("Kd7h2c", [ONE]),
        ("as", []),
        ("Ah", [TWO]),
        ("otter", [TWO, ONE]),
        ("ÖTTERLING 9", [TWO]),
        ("time left", [TWO]),
        ("platypus", []),
    ],
)
def test_words_are_found_where_they_stand(reader: Reader, search: str, ids: list[str]) -> None:
    assert found(reader, search) == ids


def test_hands_are_found_by_the_words_of_their_decisions(reader: Reader) -> None:
    assert [line.hand.hand_id for line in reader.hands(where=Filter(search="bluff"))] == [hand().hand_id]
    assert reader.hands(where=Filter(search="nowhere")) == []


def test_blanks_ask_for_nothing_and_signs_alone_are_found_nowhere(reader: Reader) -> None:
    assert found(reader, "  ") == [TWO, ONE]
    assert found(reader, "-- ; ♠ 🂡") == []


@pytest.mark.parametrize(
    "search", ['"', "a OR b", "NEAR(a b)", "words:menu", "^menu", "me*nu", "(", "'; DROP TABLE run", "a\0b"]
)
def test_what_looks_like_syntax_is_only_words(reader: Reader, search: str) -> None:
    found(reader, search)


@settings(max_examples=300)
@given(search=st.text(st.characters(), max_size=40))
def test_no_text_is_an_error(path: Path, search: str) -> None:
    with Reader(path) as reader:
        found(reader, search)


def test_a_decision_that_is_taken_out_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal(path, RUN) as journal:
        journal.decision(decision(ONE, attempts=(ASKED, REPAIRED)))
        journal.decision(decision(THREE))
    with closing(open_for_writing(path)) as connection:
        with transaction(connection):
            forget_decision(connection, ONE)
            forget_decision(connection, THREE)
        rows = connection.execute("SELECT count(*) FROM search_document").fetchone()
        words = connection.execute("SELECT rowid FROM search_index WHERE search_index MATCH 'menu OR pair OR otter'")
        assert (rows, words.fetchall()) == ((0,), [])
        connection.execute("INSERT INTO search_index (search_index) VALUES ('integrity-check')")


def test_secrets_that_are_hidden_in_texts_are_not_found(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal(path, RUN, hide=lambda text: text.replace("sesame", "***")) as journal:
        journal.decision(decision(ONE, attempts=(replace(ASKED, reply_text="open sesame"),)))
    with Reader(path) as reader:
        assert found(reader, "open") == [ONE]
        assert found(reader, "sesame") == []
