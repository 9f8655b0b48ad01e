"""One hand of the sample bot, event by event; each test changes what it is about."""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from ulid import ULID

from agent.journal.records import (
    AttemptRecord,
    DecisionRecord,
    HandPlayer,
    HandRecord,
    OpponentRecord,
    OutcomeRecord,
    RunRecord,
    SendRecord,
)

AT = datetime(2026, 9, 14, 9, 47, 35, 262893, tzinfo=UTC)
REPOSITORY = Path(__file__).parents[2]

SYSTEM = "You play no-limit hold'em. Answer with the id of one menu entry."

RUN = RunRecord(
    id="01M8MZP195C3AY02X4MG88R9KT",
    started_at=AT,
    bot="Heron",
    model="gpt-5-mini",
    prompt_set="default",
    prompt_hash="3f5a9c",
    seed=2**80 + 1,
    version="0.1.0",
    ws_url="ws://127.0.0.1:8765/ws",
)

FIRST = AttemptRecord(
    kind="first",
    model="gpt-5-mini",
    messages=(("system", SYSTEM), ("user", "You hold AsKd and must call 40 into 120.")),
    parameters={"max_completion_tokens": 400, "response_format": {"type": "json_object"}},
    reply_text='{"id": "raise_75", "why": "top pair"}',
    finish_reason="stop",
    error=None,
    latency_ms=812.5,
    prompt_tokens=1204,
    completion_tokens=31,
    reasoning_tokens=0,
    cached_tokens=1024,
    asked="openai/gpt-5-mini",
    failure="unusable",
    grounding=None,
    cost_usd=0.00041,
)

FACTS = {
    "equity": {"equity": 0.7312, "stderr": 0.0063, "method": "monte carlo", "trials": 5000, "seed": 123456},
    "required_equity": 0.25,
    "pot_chips": 12000,
}

MENU = [
    {"id": "fold", "label": "Fold", "cost_chips": 0},
    {"id": "call", "label": "Call 40", "cost_chips": 40},
    {"id": "raise_75", "label": "Raise to 1,120", "raise_to_chips": 1120, "cost_chips": 1120},
]

POLICY = {
    "choice": "call",
    "equity": 0.6812,
    "reason": "worth +61 chips against folding, equity 68%",
    "ranges": {"2": {"share": 0.14, "hands": "77+,A9s+,KQs,AJo+", "levels": "9" * 40 + "0" * 129}},
}

PLAYERS = (HandPlayer(0, "Heron", "BTN", 2000, 190), HandPlayer(2, "Otter", "BB", 2200, -190))

HAND_RESULT = {
    "type": "hand_result",
    "hand_id": "b7e0aaaa-393d52c7",
    "winners": [{"seat": 0, "name": "Heron", "amount": 190, "hand_description": "Two Pair"}],
    "final_stacks": {"0": 2190, "2": 2220},
    "shown_cards": None,
}


def new_id() -> str:
    return str(ULID())


def decision(
    identifier: str | None = None,
    *,
    hand_id: str = "b7e0aaaa-393d52c7",
    street: str = "flop",
    source: str = "llm",
    attempts: tuple[AttemptRecord, ...] = (FIRST,),
    model_reason: str | None = "top pair",
    pot_chips: int = 120,
    facts: dict[str, object] | None = None,
) -> DecisionRecord:
    return DecisionRecord(
        id=identifier or new_id(),
        at=AT,
        table_id="0a51bbbb",
        hand_id=hand_id,
        street=street,
        hero_seat=0,
        hole_cards="AsKd",
        board="7h2cKs",
        pot_chips=pot_chips,
        to_call_chips=40,
        facts=FACTS if facts is None else facts,
        menu=MENU,
        rule_choice="call",
        choice="raise_75",
        action="raise",
        raise_to_chips=1120,
        source=source,  # type: ignore[arg-type]
        reason="the model's choice is legal",
        model_reason=model_reason,
        prompt_set="default",
        prompt_hash="3f5a9c",
        elapsed_ms=845.25,
        attempts=attempts,
        rule_margin=0.4512,
        policy=POLICY,
        names={"0": "Heron", "2": "Otter"},
    )


def send(decision_id: str, error: str | None = None) -> SendRecord:
    return SendRecord(decision_id, AT, {"type": "action", "action": "raise", "amount": 1120}, error)


def accepted(decision_id: str) -> OutcomeRecord:
    return OutcomeRecord(decision_id, AT, "accepted")


def hand(
    hand_id: str = "b7e0aaaa-393d52c7",
    *,
    at: datetime = AT,
    net_chips: int | None = 190,
    complete: bool = True,
    position: str | None = "BTN",
    players: tuple[HandPlayer, ...] = PLAYERS,
    habits: dict[str, tuple[int, int]] | None = None,
    adjusted_net_chips: float | None = None,
    pot_chips: int = 370,
) -> HandRecord:
    return HandRecord(
        hand_id=hand_id,
        at=at,
        table_id="0a51bbbb",
        hero_seat=0,
        hole_cards="AsKd",
        board="7h2cKs3d9c",
        net_chips=net_chips,
        pot_chips=pot_chips,
        big_blind_chips=20,
        result=HAND_RESULT,
        position=position,
        complete=complete,
        button_seat=0,
        blinds={"0": 10, "2": 20},
        actions=((0, "preflop", "raise", 40, 50), (2, "preflop", "call", 30, 50), (2, "flop", "check", 0, None)),
        shown={"0": "AsKd", "2": "QsQh"},
        adjusted_net_chips=adjusted_net_chips,
        players=players,
        habits={name: list(counted) for name, counted in (habits or {}).items()},
    )


def opponent(
    name: str = "Otter", *, hands: int = 38, at: datetime = AT, vpip: tuple[int, int] = (12, 38), showdowns: int = 2
) -> OpponentRecord:
    return OpponentRecord(
        name=name,
        updated_at=at,
        hands=hands,
        statistics={"hands": hands, "vpip": list(vpip), "pfr": [6, 37]},
        shown={"showdowns": showdowns, "early": 0.25, "late": -0.125},
    )


def wait_until(holds: Callable[[], bool], *, seconds: float = 20.0) -> None:
    """Return as soon as `holds` does; waiting for a thread or process has no other end."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {seconds} s")
        time.sleep(0.005)
