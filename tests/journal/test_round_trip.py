"""What is written can be read again, unchanged."""

import hashlib
import json
import sqlite3
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from agent.journal.packing import unpacked
from agent.journal.reader import Reader
from agent.journal.records import AttemptRecord, OutcomeRecord
from agent.journal.writer import Journal

from .samples import AT, FIRST, RUN, SYSTEM, accepted, decision, hand, new_id, send


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


def rows(path: Path, query: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(path)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def test_a_decision_comes_back_with_all_that_belongs_to_it(path: Path) -> None:
    silent = AttemptRecord(
        kind="repair",
        model="gpt-5-mini",
        messages=(*FIRST.messages, ("assistant", "I raise!"), ("user", "Answer with an id.")),
        parameters={},
        reply_text=None,
        finish_reason=None,
        error="Unavailable: openai gave no answer within 4.0 s",
        latency_ms=4000.0,
    )
    taken = decision(attempts=(FIRST, silent))
    refused = OutcomeRecord(taken.id, AT, "rejected", "invalid_action")
    with Journal(path, RUN) as journal:
        journal.decision(taken)
        journal.send(send(taken.id, error="the socket was closed"))
        journal.send(send(taken.id))
        journal.outcome(refused)
        journal.outcome(accepted(taken.id))
        journal.hand(hand())
    with Reader(path) as reader:
        story = reader.decision(taken.id)
    assert journal.lost == 0
    assert story.run == RUN
    assert story.decision == taken
    assert story.sends == (send(taken.id, error="the socket was closed"), send(taken.id))
    assert story.outcomes == (refused, accepted(taken.id))
    assert story.hand == hand()


def test_a_decision_without_model_cards_or_outcome_comes_back_with_its_gaps(path: Path) -> None:
    taken = replace(decision(attempts=(), model_reason=None), hole_cards="", board="", raise_to_chips=None)
    with Journal(path, replace(RUN, model=None)) as journal:
        journal.decision(taken)
    with Reader(path) as reader:
        story = reader.decision(taken.id)
    assert (story.decision, story.sends, story.outcomes, story.hand) == (taken, (), (), None)
    assert story.run.model is None


def test_frames_are_kept_as_they_passed_in_both_directions(path: Path) -> None:
    seen = {"type": "table_state", "hand_id": "h1", "table_id": "t1", "delay": 5.0, "pot": 5, "name": "Ä♠😀"}
    odd = {"type": ["no text"], "hand_id": None}
    with Journal(path, RUN) as journal:
        journal.frame("in", seen, AT)
        journal.frame("out", odd, AT + timedelta(seconds=1))
    first, second = rows(path, "SELECT run_id, at, direction, type, body FROM frame ORDER BY id")
    assert first[:4] == (RUN.id, "2026-09-14T09:47:35.262893+00:00", "in", "table_state")
    assert (
        unpacked(first[4]) == '{"type":"table_state","hand_id":"h1","table_id":"t1","delay":5.0,"pot":5,"name":"Ä♠😀"}'
    )
    assert second[1:4] == ("2026-09-14T09:47:36.262893+00:00", "out", None)
    assert json.loads(str(second[4])) == odd


def test_a_prompt_that_repeats_is_stored_once(path: Path) -> None:
    with Journal(path, RUN) as journal:
        for _ in range(50):
            journal.decision(decision())
    digest = hashlib.sha256(SYSTEM.encode()).hexdigest()
    assert rows(path, f"SELECT count(*) FROM text WHERE sha256 = '{digest}'") == [(1,)]
    assert rows(path, "SELECT count(*) FROM text") == [(3,)]
    assert rows(path, "SELECT count(*) FROM message") == [(100,)]


def test_times_of_another_zone_are_stored_in_utc(path: Path) -> None:
    berlin = datetime(2026, 9, 14, 11, 47, 35, tzinfo=timezone(timedelta(hours=2)))
    with Journal(path, RUN) as journal:
        journal.hand(hand(at=berlin))
    assert rows(path, "SELECT at FROM hand") == [("2026-09-14T09:47:35.000000+00:00",)]


def test_text_that_no_database_likes_comes_back(path: Path) -> None:
    nasty = "nul \x00, escape \x1b[2J, four bytes 🂡, right to left \u202eשלום, quotes '\"; DROP TABLE run; --"
    taken = decision(attempts=(replace(FIRST, reply_text=nasty),), model_reason=nasty)
    with Journal(path, RUN) as journal:
        journal.decision(taken)
    with Reader(path) as reader:
        assert reader.decision("last").decision == taken


def test_half_a_surrogate_pair_is_kept_as_its_escape_in_text_and_exactly_in_json(path: Path) -> None:
    taken = decision(attempts=(replace(FIRST, reply_text="half \ud83d"),), facts={"name": "half \ud83d"})
    with Journal(path, RUN) as journal:
        journal.decision(taken)
    with Reader(path) as reader:
        found = reader.decision("last").decision
    assert journal.lost == 0
    assert found.attempts[0].reply_text == "half \\ud83d"
    assert found.facts == {"name": "half \ud83d"}


def test_a_hand_told_twice_is_kept_once_and_the_complete_telling_wins(path: Path) -> None:
    with Journal(path, RUN) as journal:
        journal.hand(hand("h1", net_chips=None, complete=False))
        journal.hand(hand("h1", net_chips=190))
        journal.hand(hand("h1", net_chips=None, complete=False))
    with Reader(path) as reader:
        (line,) = reader.hands()
        story = reader.hand("h1")
    assert story.hand == hand("h1", net_chips=190)
    assert line.hand == replace(story.hand, players=())


def test_runs_share_a_file_and_keep_their_hands_apart(path: Path) -> None:
    other = replace(RUN, id=new_id(), bot="Lynx")
    one, two = decision(), decision()
    with Journal(path, RUN) as journal:
        journal.decision(one)
        journal.hand(hand(net_chips=190))
    with Journal(path, other) as journal:
        journal.decision(two)
        journal.hand(hand(net_chips=-40, at=AT + timedelta(days=1)))
    with Reader(path) as reader:
        stories = {story.run.bot: story for story in map(reader.decision, (one.id, two.id))}
        assert [(line.run_id, line.decisions) for line in reader.hands()] == [(other.id, 1), (RUN.id, 1)]
    assert {bot: story.hand and story.hand.net_chips for bot, story in stories.items()} == {"Heron": 190, "Lynx": -40}


def test_what_models_have_cost_is_counted_by_bot_and_time_at_most_where_it_is_unknown(path: Path) -> None:
    unknown = replace(FIRST, cost_usd=None, held_usd=0.002)
    free = replace(FIRST, cost_usd=None, held_usd=None)
    with Journal(path, RUN) as journal:
        journal.decision(decision(attempts=(FIRST, unknown, free)))
    with Journal(path, replace(RUN, id=new_id(), bot="Otter")) as journal:
        journal.decision(decision(attempts=(FIRST,)))

    with Reader(path) as reader:
        assert reader.spent_usd("Heron", AT) == pytest.approx(0.00041 + 0.002)
        assert reader.spent_usd("Otter", AT) == pytest.approx(0.00041)
        assert reader.spent_usd("Heron", AT + timedelta(seconds=1)) == 0.0
        assert reader.spent_usd("Lynx", AT) == 0.0


def test_the_last_frame_of_a_bot_is_known(path: Path) -> None:
    with Journal(path, RUN) as journal:
        journal.frame("in", {"type": "connected"}, AT)
        journal.frame("out", {"type": "join_lobby"}, AT + timedelta(seconds=2))

    with Reader(path) as reader:
        assert reader.last_frame_at("Heron") == AT + timedelta(seconds=2)
        assert reader.last_frame_at("Lynx") is None
