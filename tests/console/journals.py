"""Journals for the pages: hands of a real demo, and rows made by hand that hold what strangers may write."""

import shutil
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from ulid import ULID

from agent.journal import rows
from agent.journal.records import (
    AttemptRecord,
    DecisionRecord,
    HandPlayer,
    HandRecord,
    OutcomeRecord,
    RunRecord,
    SendRecord,
)
from agent.journal.schema import open_for_writing, transaction
from tests.test_cli import run

STRANGE = "<img src=x onerror=alert(1)>\"'&\n\u202eevil\u202c 🂡 \u05d0\u05d1"
SHOWN = "<img src=x onerror=alert(1)>\"'&\\n\\u202eevil\\u202c 🂡 \u05d0\u05d1"
"""How `STRANGE` is shown in one line: what works unseen is spelled out."""
STRANGE_ID = "<b>h/1?x=#&</b>"
OLD = datetime(2026, 1, 1, tzinfo=UTC)
MANY = 60
"""Hands of an old run, more than a page of a list holds."""


def demo(base: Path) -> Path:
    """The journal of twelve hands of a demo with the stand-in, played once for all tests that share `base`."""
    journal = base / "demo" / "journal.sqlite3"
    if not journal.exists():
        journal.parent.mkdir()
        told = run(journal.parent, "demo", "--hands", "12", "--seed", "1", "--json")
        assert told.returncode == 0, told.stderr
    return journal


def write(
    journal: Path,
    run_record: RunRecord,
    hands: Sequence[HandRecord] = (),
    decisions: Sequence[DecisionRecord] = (),
    frames: Sequence[dict[str, Any]] = (),
) -> None:
    """Add these rows to a journal, in which others may read or write meanwhile."""
    connection = open_for_writing(journal)
    try:
        with transaction(connection):
            if not connection.execute("SELECT 1 FROM run WHERE id = ?", (run_record.id,)).fetchone():
                rows.insert_run(connection, run_record)
            for decision in decisions:
                rows.insert_decision(connection, run_record.id, decision)
                rows.insert_send(connection, SendRecord(decision.id, OLD, {"type": "action"}, error=STRANGE))
                rows.insert_outcome(connection, OutcomeRecord(decision.id, OLD, "rejected", STRANGE))
            for hand in hands:
                rows.insert_hand(connection, run_record.id, hand)
            for frame in frames:
                rows.insert_frame(connection, run_record.id, "in", frame, OLD)
    finally:
        connection.close()


def run_of(bot: str, started_at: datetime = OLD) -> RunRecord:
    """A run of a bot."""
    return RunRecord(str(ULID()), started_at, bot, STRANGE, STRANGE, "hash", 1, "0.1.0", "ws://127.0.0.1/ws")


def strange_decision(hand_id: str = STRANGE_ID, **changes: Any) -> DecisionRecord:
    """A decision in which every text is one that a stranger chose, after two attempts of which the first came to nothing."""
    reply = f'{{"id": "call", "hand": "flush", "cards": "AsKd", "reason": "x"}} {STRANGE}'
    first = AttemptRecord(
        kind="first",
        model=STRANGE,
        messages=(("system", STRANGE), ("user", STRANGE)),
        parameters={"stop": STRANGE},
        reply_text=None,
        finish_reason=None,
        error=STRANGE,
        latency_ms=12.5,
        asked=STRANGE,
        failure="unusable",
    )
    second = AttemptRecord(
        kind="repair",
        model=STRANGE,
        messages=(("system", STRANGE), ("user", f"second {STRANGE}")),
        parameters={},
        reply_text=reply,
        finish_reason=STRANGE,
        error=None,
        latency_ms=3.5,
        asked=STRANGE,
        grounding="misread",
        cost_usd=0.00125,
        prompt_tokens=1_200,
        completion_tokens=30,
    )
    levels = "9" * 13 + "0" * 156
    given: dict[str, Any] = {
        "id": str(ULID()),
        "at": datetime.now(UTC),
        "table_id": STRANGE,
        "hand_id": hand_id,
        "street": "flop",
        "hero_seat": 2,
        "hole_cards": "AsKd",
        "board": "7h2cKs",
        "pot_chips": 120,
        "to_call_chips": 40,
        "facts": {
            "hand_class": "top pair",
            "equity": {"equity": 0.71, "stderr": 0.0},
            "required_equity": 0.25,
            "x": STRANGE,
        },
        "menu": [{"id": "fold", "ev_chips": 0.0}, {"id": "call", "ev_chips": 12.5}, {"id": STRANGE, "ev_chips": None}],
        "rule_choice": "fold",
        "choice": "call",
        "action": "call",
        "raise_to_chips": None,
        "source": "repaired",
        "reason": STRANGE,
        "model_reason": STRANGE,
        "prompt_set": STRANGE,
        "prompt_hash": STRANGE,
        "elapsed_ms": 20.0,
        "attempts": (first, second),
        "policy": {
            "choice": "call",
            "equity": 0.64,
            "reason": STRANGE,
            "ranges": {"4": {"share": 0.1, "hands": STRANGE, "levels": levels}},
        },
        "names": {"2": "Heron", "4": STRANGE},
    }
    return DecisionRecord(**{**given, **changes})


def flop_hand(hand_id: str = STRANGE_ID, at: datetime | None = None, **changes: Any) -> HandRecord:
    """A hand that ends at a showdown: hero calls an all-in on the flop with the best of it, and the board runs out."""
    given: dict[str, Any] = {
        "hand_id": hand_id,
        "at": at or datetime.now(UTC),
        "table_id": STRANGE,
        "hero_seat": 2,
        "hole_cards": "AsKd",
        "board": "7h2cKs3d9c",
        "net_chips": 120,
        "pot_chips": 250,
        "big_blind_chips": 20,
        "result": {
            "payouts": [{"seat": 2, "amount": 250}],
            "winners": [{"seat": 2, "name": STRANGE, "amount": 120, "hand_description": STRANGE}],
        },
        "position": "BTN",
        "complete": True,
        "button_seat": 2,
        "blinds": {"4": 10, "5": 20},
        "actions": (
            (2, "preflop", "call", 20, 20),
            (4, "preflop", "call", 10, 20),
            (5, "preflop", "fold", 0, 20),
            (4, "flop", "all_in", 100, 100),
            (2, "flop", "all_in", 150, 150),
        ),
        "shown": {"2": "AsKd", "4": "QhQd"},
        "players": (
            HandPlayer(2, "Heron", "BTN", 170, 130),
            HandPlayer(4, STRANGE, "SB", 120, -120),
            HandPlayer(5, "Kea", "BB", 2_000, -20),
        ),
    }
    return HandRecord(**{**given, **changes})


def everything(base: Path, folder: Path) -> Path:
    """A demo of twelve hands, an old run of many, and the strange hand, whose run was heard of last."""
    journal = folder / "journal.sqlite3"
    shutil.copy(demo(base), journal)
    old = [flop_hand(f"old-{number}", OLD + timedelta(minutes=number)) for number in range(MANY)]
    write(journal, run_of("Old Bot"), old)
    write(journal, run_of(STRANGE), [flop_hand()], [strange_decision()], [{"type": "connected"}])
    return journal
