"""The agent as one player: it decides a turn and keeps the record of everything around it.

Here the rooms meet that do not know each other: `decision` thinks, `openpoker` plays, `journal` remembers.
"""

import logging
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from agent import events
from agent.decision.asking import Attempt
from agent.decision.decide import Decision, Thinking, decide
from agent.decision.menu import build_menu
from agent.health import Health
from agent.journal.records import AttemptRecord, DecisionRecord, HandRecord, OutcomeRecord, SendRecord
from agent.journal.writer import Journal
from agent.openpoker.frames import Frame
from agent.openpoker.table import HandSummary
from agent.poker.cards import format_cards
from agent.poker.positions import position_names
from agent.poker.spot import Action, Spot
from agent.strategy.statistics import PlayedHand, played_hand

log = logging.getLogger(__name__)

Decisions = tuple[tuple[Spot, Decision], ...]


@dataclass(slots=True)
class Player:
    """Decides turns and writes each decision into the journal before it is sent; what happens is told in the log.

    `on_hand` is told of each finished hand with the decisions taken in it. `health` is told of everything.
    """

    thinking: Thinking
    journal: Journal
    on_hand: Callable[[HandSummary, Decisions], None] | None = None
    health: Health = field(init=False)
    _in_hand: list[tuple[Spot, Decision]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.health = Health(self.thinking.clock)

    @property
    def by_source(self) -> Counter[str]:
        """How many decisions were taken, by who took them."""
        return self.health.decisions

    async def decide(self, turn_id: str, spot: Spot, *, deadline: float) -> Action | None:
        """The action for `spot`; the decision behind it is in the journal under `turn_id`."""
        self.health.turn(spot)
        decision = await decide(spot, self.thinking, deadline=deadline)
        self._keep(turn_id, spot, decision)
        return decision.action

    def give_up(self, turn_id: str, spot: Spot, why: str) -> Action | None:
        """The floor, where no decision came about; kept in the journal like one."""
        floor = spot.legal.floor
        decision = Decision(floor, "floor", why, build_menu(spot), None, floor)
        self._keep(turn_id, spot, decision)
        return floor

    def _keep(self, turn_id: str, spot: Spot, decision: Decision) -> None:
        self.health.decided(decision)
        self.journal.decision(decision_record(turn_id, spot, decision, self.thinking))
        self._in_hand.append((spot, decision))
        events.decided(turn_id, spot, decision).tell(log)

    def frame(self, direction: Literal["in", "out"], frame: Frame, at: datetime) -> None:
        """Keep a frame that passed the socket, and tell what it means for us."""
        table_id = self.health.table_id
        self.health.frame(direction, frame)
        self.journal.frame(direction, frame, at)
        self.health.journal_rows_lost = self.journal.lost
        log.debug("%s %s", direction, frame.get("type"), extra={"direction": direction, "frame": frame})
        event = events.venue_said(frame) if direction == "in" else events.venue_asked(frame)
        if event is not None:
            event.tell(log)
        self._tell_seat(table_id, frame)

    def _tell_seat(self, table_id_before: str | None, frame: Frame) -> None:
        """Tell what a frame changed of where we sit."""
        table_id = self.health.table_id
        if table_id == table_id_before:
            return
        if table_id_before is not None:
            events.left(table_id_before, frame).tell(log)
        if table_id is not None:
            events.seated(table_id, self.health.seat, self.health.stack_chips).tell(log)

    def sent(self, turn_id: str, frame: Frame, at: datetime, error: str | None) -> None:
        """Keep that an answer was sent, or why not."""
        self.health.sent(error)
        self.journal.send(SendRecord(turn_id, at, frame, error))

    def settled(self, turn_id: str, accepted: bool, code: str | None, at: datetime) -> None:
        """Keep the venue's word on an answer."""
        self.health.settled(accepted, code)
        self.journal.outcome(OutcomeRecord(turn_id, at, "accepted" if accepted else "rejected", code))

    def disconnected(self) -> None:
        """Count that the socket is gone."""
        self.health.disconnected()

    def hand_over(self, summary: HandSummary, at: datetime) -> None:
        """Keep how a hand ended."""
        self.health.hand_over(summary)
        events.hand_over(summary).tell(log)
        self.journal.hand(hand_record(summary, at))
        played = public_hand(summary)
        if played is not None:
            self.thinking.opponents.seen(played)
        mine = tuple(taken for taken in self._in_hand if taken[0].hand_id == summary.hand_id)
        self._in_hand = []
        if self.on_hand:
            self.on_hand(summary, mine)


def decision_record(turn_id: str, spot: Spot, decision: Decision, thinking: Thinking) -> DecisionRecord:
    """A decision as the journal takes it."""
    action, prompts = decision.action, decision.prompts or thinking.prompts
    return DecisionRecord(
        id=turn_id,
        at=datetime.now(UTC),
        table_id=spot.table_id,
        hand_id=spot.hand_id,
        street=spot.street,
        hero_seat=spot.hero_seat,
        hole_cards=format_cards(spot.hole_cards or ()),
        board=format_cards(spot.board),
        pot_chips=spot.pot_chips,
        to_call_chips=spot.to_call_chips,
        facts=decision.facts.as_dict() if decision.facts else {},
        menu=[candidate.as_dict() for candidate in decision.menu],
        rule_choice=decision.id_of(decision.rule_choice),
        choice=decision.id_of(action),
        action=str(action.verb) if action else "none",
        raise_to_chips=action.raise_to_chips if action else None,
        source=decision.source,
        reason=decision.reason,
        model_reason=decision.model_reason,
        prompt_set=prompts.name,
        prompt_hash=prompts.hash,
        elapsed_ms=decision.elapsed_ms,
        attempts=tuple(map(attempt_record, decision.attempts)),
        rule_margin=decision.rule_margin,
    )


def attempt_record(attempt: Attempt) -> AttemptRecord:
    """A question to a model as the journal takes it; who was asked stands where no reply names its model."""
    reply = attempt.reply
    return AttemptRecord(
        kind=attempt.kind,
        model=reply.model if reply else attempt.model,
        messages=tuple((message.role, message.content) for message in attempt.messages),
        parameters=reply.parameters if reply else {},
        reply_text=reply.text if reply else None,
        finish_reason=reply.finish_reason if reply else None,
        error=attempt.error,
        latency_ms=attempt.latency_ms,
        prompt_tokens=reply.prompt_tokens if reply else None,
        completion_tokens=reply.completion_tokens if reply else None,
        reasoning_tokens=reply.reasoning_tokens if reply else None,
        cached_tokens=reply.cached_tokens if reply else None,
        asked=attempt.model,
        failure=attempt.failure,
        grounding=attempt.grounding.verdict if attempt.grounding else None,
        cost_usd=reply.cost_usd if reply else None,
        held_usd=reply.held_usd if reply else attempt.held_usd,
    )


def public_hand(summary: HandSummary) -> PlayedHand | None:
    """A finished hand as everybody at the table saw it; None when not all of it was seen."""
    return played_hand(
        complete=summary.complete,
        names=summary.names,
        button_seat=summary.button_seat,
        big_blind_chips=summary.big_blind_chips,
        blinds=summary.blinds,
        start_stacks=summary.start_stacks,
        actions=summary.actions,
        board=summary.board,
        is_showdown=summary.is_showdown,
        paid_seats=summary.paid_seats,
    )


def hand_record(summary: HandSummary, at: datetime) -> HandRecord:
    """A finished hand as the journal takes it."""
    position = None
    if summary.hero_seat in summary.dealt_seats and len(summary.dealt_seats) > 1 and summary.button_seat is not None:
        names = position_names(summary.dealt_seats, summary.button_seat, summary.big_blind_seat)
        position = names[summary.hero_seat]
    return HandRecord(
        hand_id=summary.hand_id,
        at=at,
        table_id=summary.table_id,
        hero_seat=summary.hero_seat,
        hole_cards=format_cards(summary.hole_cards or ()),
        board=format_cards(summary.board),
        net_chips=summary.net_chips,
        pot_chips=summary.pot_chips,
        big_blind_chips=summary.big_blind_chips,
        result=summary.result,
        position=position,
        complete=summary.complete,
    )
