"""A journal of many decisions, made as the benchmark makes one: whole, small, and lists that cost no more as it grows."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from agent.journal.filters import Filter, conditions
from agent.journal.reader import Reader
from agent.journal.stories import HandStory
from benchmarks.journal import RARE, make_journal

from .samples import FIRST, REPOSITORY, RUN, decision, hand

GOLDEN = REPOSITORY / "tests" / "decision" / "golden" / "default"
DECISIONS = 400


def played() -> list[HandStory]:
    """Hands of two decisions each, with prompts of the default set."""
    system = (GOLDEN / "system.txt").read_text()
    turns = [path.read_text() for path in sorted(GOLDEN.glob("*.txt")) if path.stem not in ("system", "repair")]
    asked = [replace(FIRST, messages=(("system", system), ("user", turn))) for turn in turns]
    taken = [decision(street="river", attempts=(attempt,)) for attempt in asked]
    return [
        HandStory(RUN, hand(habits={"vpip": (1, 1)}), (replace(one, street="preflop"), two))
        for one, two in zip(taken[::2], taken[1::2], strict=False)
    ]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("journal") / "journal.db"
    lost, costs = make_journal(made, played(), decisions=DECISIONS)
    assert (lost, len(costs)) == (0, DECISIONS)
    return made


@pytest.fixture(scope="module")
def larger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("larger") / "journal.db"
    make_journal(made, played(), decisions=2 * DECISIONS)
    return made


def test_pages_lead_through_all_of_it(path: Path) -> None:
    with Reader(path) as reader:
        seen, before = list[str](), None
        while page := reader.decisions(70, before=before):
            seen += [line.id for line in page]
            before = page[-1].id
        hands, cursor = list[str](), None
        while lines := reader.hands(70, before=cursor):
            hands += [line.hand.hand_id for line in lines]
            cursor = lines[-1].cursor
    assert len(set(seen)) == DECISIONS
    assert seen == sorted(seen, reverse=True)
    assert len(set(hands)) == len(hands) == DECISIONS // 2


def test_figures_are_of_all_of_it(path: Path) -> None:
    with Reader(path) as reader:
        found = reader.statistics()
        curve = reader.net_curve()
        lines = reader.hands(DECISIONS)
    net = sum(line.hand.net_chips or 0 for line in lines)
    assert (found.decisions, found.total.hands, found.total.net_chips) == (DECISIONS, DECISIONS // 2, net)
    assert curve[-1].net_bb == pytest.approx(net / 20)
    assert sum(found.sources.values()) == DECISIONS
    assert sum(group.hands for group in found.by_street.values()) == DECISIONS // 2


def test_a_decision_takes_less_than_six_kilobytes(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert path.stat().st_size / DECISIONS < 6_000


@pytest.mark.parametrize(
    "where",
    [
        Filter(),
        Filter(source="llm", street="river"),
        Filter(min_pot_bb=1),
        Filter(since="9999w"),
    ],
)
def test_a_page_costs_no_more_in_a_journal_of_twice_the_size(path: Path, larger: Path, where: Filter) -> None:
    for ask in (lambda reader: reader.decisions(20, where), lambda reader: reader.hands(20, where)):
        assert steps(larger, ask) < 1.5 * steps(path, ask)


def steps(path: Path, ask: Callable[[Reader], object]) -> int:
    """How far SQLite's machine had to run, in hundreds of its instructions."""
    count = 0

    def step() -> None:
        nonlocal count
        count += 1

    with Reader(path) as reader:
        reader._connection.set_progress_handler(step, 100)
        ask(reader)
    return max(count, 10)


def test_a_rare_word_is_found(path: Path) -> None:
    with Reader(path) as reader:
        assert len(reader.decisions(10, Filter(search="equity"))) == 10
        rare = reader.decisions(10, Filter(search=RARE))
    assert all(line.source in ("llm", "repaired") for line in rare)


@pytest.mark.parametrize(
    "where",
    [
        Filter(search="equity"),
        Filter(search="sticky aces", street="river"),
        Filter(search="nowhere"),
        Filter(opponent="otter"),
        Filter(search="pay", opponent="o", source="rule"),
    ],
)
def test_what_is_found_often_is_looked_for_in_another_way_and_is_the_same(path: Path, where: Filter) -> None:
    gathered, asked_each = conditions(where), conditions(where, often=("search", "opponent"))
    assert gathered.for_decisions != asked_each.for_decisions
    queries = {
        "SELECT decision.id FROM decision LEFT JOIN hand USING (run_id, hand_id) WHERE {} ORDER BY 1": "for_decisions",
        "SELECT hand_id FROM hand WHERE {} ORDER BY 1": "for_hands",
    }
    with closing(sqlite3.connect(path)) as connection:
        for query, part in queries.items():
            one, other = (
                connection.execute(query.format(getattr(form, part)), dict(form.values)).fetchall()
                for form in (gathered, asked_each)
            )
            assert one == other
