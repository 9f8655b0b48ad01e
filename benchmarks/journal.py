"""A journal of 100,000 decisions: how long lists, searches and figures take, and what a decision costs in time and room."""

import asyncio
import os
import random
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from time import perf_counter, sleep
from typing import Final

from ulid import ULID

from agent.demo import play_demo
from agent.journal.filters import ALL, Filter
from agent.journal.reader import Reader
from agent.journal.records import AttemptRecord, DecisionRecord, OutcomeRecord, RunRecord, SendRecord, Source
from agent.journal.stories import HandStory
from agent.journal.writer import Journal
from agent.llm.modes import Mode
from agent.settings import Settings
from benchmarks.measure import Row, percentile

DECISIONS: Final = 100_000
HANDS_PLAYED: Final = 300
REPETITIONS: Final = 20
QUEUE: Final = 2_000

BEGAN: Final = datetime(2026, 9, 14, 9, 0, tzinfo=UTC)
HAND_EVERY: Final = timedelta(seconds=45)
SOURCES: Final[tuple[Source, ...]] = ("llm", "llm", "llm", "llm", "repaired", "policy", "rule", "floor")
MODELS: Final = ("openai/gpt-5-mini", "anthropic/claude-haiku", "ollama/qwen3")
RARE: Final = "marmalade"
RARE_EVERY: Final = 5_000

_NUMBER: Final = re.compile(r"(?<![\w.♠♥♦♣])\d[\d,]*(?:\.\d+)?(?![\w♠♥♦♣])")

SEARCHES: Final = {
    "a list page": ALL,
    "a search, a common word": Filter(search="equity"),
    "a search, a rare word": Filter(search=RARE),
    "a search, the beginning of a word": Filter(search="rai"),
    "a search, two cards": Filter(search="AsKd"),
    "a search, an opponent's name": Filter(search="otter"),
    "a search, three words": Filter(search="otter river bluff"),
    "a search with filters": Filter(search="raise", street="river", source="llm", model="haiku"),
    "an opponent's hands": Filter(opponent="lynx", min_pot_bb=100),
    "errors": Filter(errors=True, street="turn"),
    "nothing found": Filter(source="llm", prompt="no such set"),
}


def rows(folder: Path) -> Iterator[Row]:
    """Room by a journal of real play, then times by one of 100,000 decisions."""
    played = _played(folder / "played.sqlite3")
    yield from _room("of real play", folder / "played.sqlite3")
    path = folder / "many.sqlite3"
    lost, costs = make_journal(path, played, decisions=DECISIONS)
    yield Row("writing, of a turn's time, 99th percentile", f"{percentile(costs, 99):.3f} ms", "under 1 ms")
    yield from _room(f"of {DECISIONS:,}", path)
    with Reader(path) as reader:
        for what, where in SEARCHES.items():
            yield _timed(f"decisions: {what}", partial(reader.decisions, 50, where), 300)
            yield _timed(f"hands: {what}", partial(reader.hands, 50, where), 300)
        yield _timed("figures of everything", reader.statistics, 2_000, repetitions=10)
        yield _timed("figures of a search", partial(reader.statistics, Filter(search="equity")), 2_000, repetitions=10)
        yield _timed("the net curve", reader.net_curve, 2_000, repetitions=10)
        yield _timed("a decision by the end of its id", partial(reader.decision, reader.decisions(1)[0].id[-8:]), 300)
    yield _timed("`logs stats`, the whole program", partial(_logs_stats, path), 2_000, percent=50)
    yield Row("rows lost", f"{lost}")


def _logs_stats(path: Path) -> None:
    """What a person waits for who asks for the figures, from the start of the program to its end."""
    program = [sys.executable, "-c", "from agent.cli import main; main()", "logs", "stats"]
    subprocess.run(program, env={**os.environ, "JOURNAL_PATH": str(path)}, check=True, stdout=subprocess.DEVNULL)  # noqa: S603


def _played(path: Path) -> list[HandStory]:
    """Hands of a demo with a stand-in for the model, whole: real prompts of the default set, facts and ranges."""
    settings = Settings.load({"JOURNAL_PATH": str(path)}, path.parent / ".env")
    asyncio.run(play_demo(settings, hands=HANDS_PLAYED, seed=11, stand_in=Mode.HEALTHY, on_hand=lambda *_: None))
    with Reader(path) as reader:
        hands = [reader.hand(line.hand.hand_id) for line in reader.hands(HANDS_PLAYED)]
    return [hand for hand in hands if hand.decisions]


def make_journal(path: Path, played: Sequence[HandStory], *, decisions: int, seed: int = 1) -> tuple[int, list[float]]:
    """Write so many decisions with their hands, made from those `played` with other numbers, ids, times and models.

    The rows that were lost, and what each call to keep a decision took, in milliseconds.
    """
    chance, costs, at, taken = random.Random(seed), list[float](), BEGAN, 0
    run = RunRecord(_id(at, chance), at, "Heron", MODELS[0], "default", "3f5a9c", seed, "0.1.0", "ws://127.0.0.1/ws")
    with Journal(path, run, queue_size=10 * QUEUE) as journal:
        while taken < decisions:
            at += HAND_EVERY
            hand = _varied_hand(chance.choice(played), at, chance)
            for decision in hand.decisions:
                began = perf_counter()
                journal.decision(decision)
                costs.append(1_000 * (perf_counter() - began))
                journal.send(SendRecord(decision.id, decision.at, {"type": "action", "action": decision.action}))
                journal.outcome(OutcomeRecord(decision.id, decision.at, "accepted"))
            journal.hand(hand.hand)
            taken += len(hand.decisions)
            if taken % QUEUE < len(hand.decisions):
                _let_write(journal)
        _let_write(journal)
        journal.close(timeout_seconds=600)
    return journal.lost, costs


def _let_write(journal: Journal) -> None:
    while journal.waiting > QUEUE:
        sleep(0.01)


def _varied_hand(story: HandStory, at: datetime, chance: random.Random) -> HandStory:
    """The hand once more, at another time, for other chips; what it is about stays."""
    hand_id = str(ULID.from_timestamp(at.timestamp()))
    net = None if story.hand.net_chips is None else round(story.hand.net_chips * chance.uniform(0.5, 1.5))
    hand = replace(story.hand, hand_id=hand_id, at=at, net_chips=net)
    decisions = (
        _varied(decision, hand_id, at - HAND_EVERY / 2 + timedelta(seconds=number), chance)
        for number, decision in enumerate(story.decisions)
    )
    return HandStory(story.run, hand, tuple(decisions))


def _varied(decision: DecisionRecord, hand_id: str, at: datetime, chance: random.Random) -> DecisionRecord:
    source = chance.choice(SOURCES)
    model = chance.choice(MODELS)
    attempts = decision.attempts if source in ("llm", "repaired") else ()
    return replace(
        decision,
        id=_id(at, chance),
        at=at,
        hand_id=hand_id,
        source=source,
        elapsed_ms=decision.elapsed_ms * chance.uniform(0.5, 20),
        attempts=tuple(_varied_attempt(attempt, model, chance) for attempt in attempts),
    )


def _varied_attempt(attempt: AttemptRecord, model: str, chance: random.Random) -> AttemptRecord:
    told, reply = attempt.messages, attempt.reply_text
    if chance.randrange(RARE_EVERY) == 0:
        reply = f'{{"id": "call", "reason": "{RARE}"}}'
    failed = chance.random() < 0.02
    return replace(
        attempt,
        asked=model,
        model=model.partition("/")[2],
        messages=tuple((role, text if role == "system" else _varied_text(text, chance)) for role, text in told),
        reply_text=reply,
        error="no choice could be read" if failed else None,
        failure="unusable" if failed else None,
        latency_ms=chance.lognormvariate(6.5, 0.5),
        prompt_tokens=900,
        completion_tokens=40,
        cost_usd=0.0004,
    )


def _varied_text(text: str, chance: random.Random) -> str:
    """The text with other numbers of about the same size in it."""

    def other(found: re.Match[str]) -> str:
        if "." in found[0]:
            return f"{float(found[0].replace(',', '')) * chance.uniform(0.7, 1.4):.3f}"
        return f"{round(int(found[0].replace(',', '')) * chance.uniform(0.7, 1.4)):,}"

    return _NUMBER.sub(other, text)


def _id(at: datetime, chance: random.Random) -> str:
    return str(ULID.from_bytes(int(at.timestamp() * 1_000).to_bytes(6) + chance.randbytes(10)))


def _timed(
    what: str, run: Callable[[], object], limit_ms: int, *, repetitions: int = REPETITIONS, percent: int = 95
) -> Row:
    """A percentile of the repetitions; the first one is among them."""
    taken = []
    for _ in range(repetitions):
        began = perf_counter()
        run()
        taken.append(1_000 * (perf_counter() - began))
    which = "median" if percent == 50 else f"{percent}th percentile"
    return Row(f"{what}, {which}", f"{percentile(taken, percent):.0f} ms", f"under {limit_ms:,} ms")


def _room(what: str, path: Path) -> Iterator[Row]:
    """Bytes on disk for each decision, by what takes them."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        decisions = connection.execute("SELECT count(*) FROM decision").fetchone()[0]
        whole = path.stat().st_size
        frames = connection.execute("SELECT total(pgsize) FROM dbstat WHERE name = 'frame'").fetchone()[0]
    without = f"{(whole - frames) / decisions:,.0f} bytes"
    yield Row(f"a decision {what} on disk, frames aside", without, "under 6,000 bytes")
    if frames > whole / 100:
        yield Row(f"its share of the venue's frames {what}", f"{frames / decisions:,.0f} bytes")
