"""Each filter lets through what it says, of decisions and of hands; pages follow each other without gap or repetition."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from agent.journal.filters import Filter
from agent.journal.reader import Reader
from agent.journal.records import HandPlayer, OutcomeRecord
from agent.journal.schema import JournalError
from agent.journal.writer import Journal

from .samples import AT, FIRST, RUN, decision, hand, send

A, B, C, D = (f"01M8MZP195C3AY02X4MG88R9K{letter}" for letter in "ABCD")
OTHER_RUN = replace(RUN, id="01M8MZP195C3AY02X4MG88R9KV", bot="Lynx")
NOW = AT + timedelta(hours=10)

FAILED = replace(FIRST, error="the reply holds no choice", failure="unusable")
HAIKU = replace(FIRST, model="claude-haiku-2026", asked="anthropic/claude-haiku")


def table(*names: str) -> tuple[HandPlayer, ...]:
    """Hero in seat 0 and these beside him."""
    return tuple(HandPlayer(seat, name, None, 2000, 0) for seat, name in enumerate(("Heron", *names)))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two hands of one run (decisions A and B, then C) and one of another (D), three hours apart."""
    made = tmp_path_factory.mktemp("journal") / "journal.db"
    with Journal(made, RUN) as journal:
        journal.decision(replace(decision(A, hand_id="hand-1", street="preflop", source="rule", attempts=()), at=AT))
        journal.decision(replace(decision(B, hand_id="hand-1", street="river"), at=AT))
        late = AT + timedelta(hours=3)
        asked = decision(C, hand_id="hand-2", street="river", source="rule", attempts=(FAILED, HAIKU))
        journal.decision(replace(asked, at=late, prompt_set="coach"))
        journal.send(send(B, error="the socket was closed"))
        journal.outcome(OutcomeRecord(C, late, "accepted"))
        journal.hand(hand("hand-1", at=AT, players=table("Otter", "Stoat"), pot_chips=2_000))
        journal.hand(hand("hand-2", at=late, players=table("Lynx"), position="BB", pot_chips=90))
    with Journal(made, OTHER_RUN) as journal:
        late = AT + timedelta(hours=6)
        journal.decision(replace(decision(D, hand_id="hand-3", street="turn", source="policy", attempts=()), at=late))
        journal.outcome(OutcomeRecord(D, late, "rejected", "not_your_turn"))
    return made


@pytest.fixture
def reader(path: Path) -> Iterator[Reader]:
    with Reader(path, now=lambda: NOW) as opened:
        yield opened


def decisions(reader: Reader, **asked: Any) -> list[str]:
    return [line.id for line in reader.decisions(where=Filter(**asked))]


def hands(reader: Reader, **asked: Any) -> list[str]:
    return [line.hand.hand_id for line in reader.hands(where=Filter(**asked))]


@pytest.mark.parametrize(
    ("asked", "decided", "played"),
    [
        ({}, [D, C, B, A], ["hand-2", "hand-1"]),
        ({"source": "rule"}, [C, A], ["hand-2", "hand-1"]),
        ({"source": "policy"}, [D], []),
        ({"street": "river"}, [C, B], ["hand-2", "hand-1"]),
        ({"street": "preflop", "source": "rule"}, [A], ["hand-1"]),
        # Hand 1 has a rule's decision and a river, but no decision on the river by the rule.
        ({"street": "river", "source": "rule"}, [C], ["hand-2"]),
        ({"model": "gpt-5"}, [C, B], ["hand-2", "hand-1"]),
        ({"model": "Anthropic/"}, [C], ["hand-2"]),
        ({"model": "haiku-2026"}, [C], ["hand-2"]),
        ({"prompt": "coach"}, [C], ["hand-2"]),
        ({"errors": True}, [D, C, B], ["hand-2", "hand-1"]),
        ({"errors": True, "street": "turn"}, [D], []),
        ({"position": "bb"}, [C], ["hand-2"]),
        ({"opponent": "sto"}, [B, A], ["hand-1"]),
        ({"opponent": "LYNX"}, [C], ["hand-2"]),
        ({"opponent": "Heron"}, [], []),
        ({"min_pot_bb": 100}, [B, A], ["hand-1"]),
        ({"min_pot_bb": 100.1}, [], []),
        ({"hand": "hand-1"}, [B, A], ["hand-1"]),
        ({"hand": "2"}, [C], ["hand-2"]),
        ({"run": OTHER_RUN.id}, [D], []),
        ({"run": RUN.id, "street": "river"}, [C, B], ["hand-2", "hand-1"]),
        ({"search": "pair", "opponent": "otter"}, [B, A], ["hand-1"]),
        ({"since": "5h"}, [D], []),
        ({"since": "7H"}, [D, C], ["hand-2"]),
        ({"since": "600m"}, [D, C, B, A], ["hand-2", "hand-1"]),
        ({"since": "1d"}, [D, C, B, A], ["hand-2", "hand-1"]),
        ({"since": "999999999999w"}, [D, C, B, A], ["hand-2", "hand-1"]),
        ({"since": "2026-09-14"}, [D, C, B, A], ["hand-2", "hand-1"]),
        ({"since": "2026-09-15"}, [], []),
        ({"since": "2026-09-14T12:00"}, [D, C], ["hand-2"]),
        ({"since": "2026-09-14T14:00+02:00"}, [D, C], ["hand-2"]),
        ({"since": C}, [D, C], ["hand-2"]),
        ({"since": C[-3:]}, [D, C], ["hand-2"]),
        ({"since": "last"}, [D], []),
    ],
)
def test_a_filter_lets_through_what_it_says(
    reader: Reader, asked: dict[str, Any], decided: list[str], played: list[str]
) -> None:
    assert decisions(reader, **asked) == decided
    assert hands(reader, **asked) == played


def test_a_since_that_is_neither_time_nor_decision_says_so(reader: Reader) -> None:
    for since in ("yesterday", "2026-99-99", "5 parsecs"):
        with pytest.raises(JournalError, match=f"^'{since}' is no time, and no decision begins"):
            reader.decisions(where=Filter(since=since))


@pytest.mark.parametrize("name", ["source", "model", "prompt", "street", "position", "opponent", "hand", "run"])
@pytest.mark.parametrize("text", ["'", '"', "%", "_", "') OR 1=1 --", ":run", "a\0b", "🂡"])
def test_text_in_a_filter_is_never_sql(reader: Reader, name: str, text: str) -> None:
    asked: dict[str, Any] = {name: text}
    assert decisions(reader, **asked) == []
    assert hands(reader, **asked) == []
    assert reader.statistics(Filter(**asked)).decisions == 0


def test_pages_follow_each_other(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    ids = [f"01M8MZP195C3AY02X4MG8800{number:02}" for number in range(25)]
    with Journal(path, RUN) as journal:
        for number, identifier in enumerate(ids):
            journal.decision(decision(identifier, hand_id=f"hand {number}"))
            # Several tables end hands at the same time.
            journal.hand(hand(f"hand {number}", at=AT + timedelta(minutes=number // 4)))
    with Reader(path) as reader:
        seen, before = list[str](), None
        while page := reader.decisions(4, before=before):
            seen += [line.id for line in page]
            before = page[-1].id
        told, cursor = list[str](), None
        while lines := reader.hands(3, before=cursor):
            told += [line.hand.hand_id for line in lines]
            cursor = lines[-1].cursor
        assert seen == ids[::-1]
        assert sorted(told) == sorted(f"hand {number}" for number in range(25))
        assert told == [line.hand.hand_id for line in reader.hands(100)]


def test_a_hand_is_told_whole_by_its_id_or_a_part_of_it(reader: Reader) -> None:
    story = reader.hand("hand-1")
    assert (story.run, story.hand.players) == (RUN, table("Otter", "Stoat"))
    assert [taken.id for taken in story.decisions] == [A, B]
    assert story.decisions[1].attempts == (FIRST,)
    assert reader.hand("last").hand.hand_id == "hand-2"
    assert reader.hand("-2").hand.hand_id == "hand-2"


def test_a_hand_that_is_not_there_or_not_the_only_one_says_which_there_are(reader: Reader, tmp_path: Path) -> None:
    with pytest.raises(JournalError, match=r"No hand begins or ends with 'x'\. The newest are: hand-2, hand-1"):
        reader.hand("x")
    with pytest.raises(JournalError, match="No hand begins or ends with ''"):
        reader.hand("")
    with pytest.raises(JournalError, match="More than one hand begins or ends with 'hand': hand-2, hand-1"):
        reader.hand("hand")
    Journal(tmp_path / "empty.db", RUN).close()
    with Reader(tmp_path / "empty.db") as empty, pytest.raises(JournalError, match="No hands yet"):
        empty.hand("last")


def test_a_hand_of_two_bots_is_the_one_that_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    for run, net in ((RUN, 100), (OTHER_RUN, -100)):
        with Journal(path, run) as journal:
            journal.hand(hand(net_chips=net))
    with Reader(path) as reader:
        assert reader.hand("b7e0").hand.net_chips == -100
        assert reader.hand("b7e0", run=RUN.id).hand.net_chips == 100
