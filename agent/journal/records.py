"""What the journal takes in: plain values that say what happened, one dataclass for each kind of event.

Times are aware datetimes, chips whole numbers, cards text for machines (`AsKd`, empty when there are none).
Mappings hold what JSON can hold and are handed over: nobody changes them afterwards.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

Direction = Literal["in", "out"]
Source = Literal["llm", "repaired", "policy", "rule", "floor"]


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One start of the program, with all that is needed to play its decisions again.

    `model` is None when no model is asked. `ws_url` carries no credentials.
    """

    id: str
    started_at: datetime
    bot: str
    model: str | None
    prompt_set: str
    prompt_hash: str
    seed: int
    version: str
    ws_url: str


@dataclass(frozen=True, slots=True)
class AttemptRecord:
    """One request to a model and what came back.

    `messages` are (role, content) in the order sent. `asked` is who was asked, `model` the name in the reply.
    `reply_text` is None when nothing came. `error` says why nothing could be played, `failure` is its kind; both None
    for a choice that could. `grounding` is "grounded", "misread" or "not shown", None where there is no choice. Token
    counts are None when the provider does not report them, `cost_usd` when they or the price are unknown; `held_usd`
    then is the most it can have been, where something can have been.
    """

    kind: Literal["first", "repair", "failover"]
    model: str
    messages: tuple[tuple[str, str], ...]
    parameters: Mapping[str, Any]
    reply_text: str | None
    finish_reason: str | None
    error: str | None
    latency_ms: float
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    cached_tokens: int | None = None
    asked: str | None = None
    failure: str | None = None
    grounding: str | None = None
    cost_usd: float | None = None
    held_usd: float | None = None


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """One turn: the situation, what was computed, what could be played, what was chosen and by whom.

    `id` is a ULID, so that ids sort by time. `choice` and `rule_choice` are ids of `menu`. `raise_to_chips` is a
    street total. `reason` says why `source` had the last word, `model_reason` what the model gave as its own.
    `rule_margin` is how far equity was above what the rule asks of a call, None where checking was free. `policy` is what the
    betting policy made of the turn, None where it had nothing: its `choice` as a menu id, `equity` against the ranges
    it read, its `reason`, and `ranges` by seat, each with `share`, `hands` and `levels` (`agent.poker.range_words`).
    `names` are those of all who were dealt in, by seat.
    """

    id: str
    at: datetime
    table_id: str
    hand_id: str
    street: str
    hero_seat: int
    hole_cards: str
    board: str
    pot_chips: int
    to_call_chips: int
    facts: Mapping[str, Any]
    menu: Sequence[Mapping[str, Any]]
    rule_choice: str
    choice: str
    action: str
    raise_to_chips: int | None
    source: Source
    reason: str
    model_reason: str | None
    prompt_set: str
    prompt_hash: str
    elapsed_ms: float
    attempts: tuple[AttemptRecord, ...] = ()
    rule_margin: float | None = None
    policy: Mapping[str, Any] | None = None
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SendRecord:
    """An action put on the wire for a decision; `error` says why it did not get there."""

    decision_id: str
    at: datetime
    frame: Mapping[str, Any]
    error: str | None = None


@dataclass(frozen=True, slots=True)
class OutcomeRecord:
    """The server's answer to an action; `code` is its reason for a rejection."""

    decision_id: str
    at: datetime
    status: Literal["accepted", "rejected"]
    code: str | None = None


@dataclass(frozen=True, slots=True)
class HandPlayer:
    """Somebody who was dealt into a hand, hero too. `name` is text that a stranger chose; `net_chips` is None when unknown."""

    seat: int
    name: str
    position: str | None
    start_chips: int
    net_chips: int | None


@dataclass(frozen=True, slots=True)
class HandRecord:
    """A finished hand. `net_chips` and `hero_seat` are None when unknown, `result` is the server's `hand_result`.

    `complete` is False when a part of the hand was not seen. `position` is the hero's, such as `BTN`. `actions` are the public
    ones in order, each as [seat, street, verb, chips added, street total or None], `blinds` the chips posted by seat, `shown` the
    hole cards that the table saw at the end by seat. `adjusted_net_chips` is the net with all-ins valued by equity, None
    where the cards for that were not seen; `players` are all who were dealt in. `habits` are what hero did, as [times, chances] by
    the name of the statistic, empty for a hand that cannot be counted.
    """

    hand_id: str
    at: datetime
    table_id: str
    hero_seat: int | None
    hole_cards: str
    board: str
    net_chips: int | None
    pot_chips: int
    big_blind_chips: int
    result: Mapping[str, Any]
    position: str | None
    complete: bool
    button_seat: int | None = None
    blinds: Mapping[str, int] = field(default_factory=dict)
    actions: Sequence[tuple[int, str, str, int, int | None]] = ()
    shown: Mapping[str, str] = field(default_factory=dict)
    adjusted_net_chips: float | None = None
    players: tuple[HandPlayer, ...] = ()
    habits: Mapping[str, Sequence[int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OpponentRecord:
    """What is known of a player by name, in the place of what was known before: counts over `hands`, and what they showed.

    `name` is text that a stranger chose.
    """

    name: str
    updated_at: datetime
    hands: int
    statistics: Mapping[str, Any]
    shown: Mapping[str, Any]
