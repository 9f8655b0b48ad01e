"""The agent as one player: it decides a turn and keeps the record of everything around it.

Here the rooms meet that do not know each other: `decision` thinks, `openpoker` plays, `journal` remembers.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final, Literal

from agent import events
from agent.decision.asking import Attempt
from agent.decision.decide import Decision, Thinking, decide
from agent.decision.menu import build_menu
from agent.health import Health
from agent.journal.records import (
    AttemptRecord,
    DecisionRecord,
    HandPlayer,
    HandRecord,
    OpponentRecord,
    OutcomeRecord,
    SendRecord,
)
from agent.journal.writer import Journal
from agent.openpoker import fields
from agent.openpoker.frames import Frame
from agent.openpoker.table import HandSummary
from agent.poker.cards import format_cards
from agent.poker.positions import position_names
from agent.poker.pots import board_when_closed, expected_nets
from agent.poker.spot import Action, Spot
from agent.strategy.opponents import Acquaintance
from agent.strategy.policy.policy import Judgement
from agent.strategy.reading import Reading
from agent.strategy.showdowns import Shown
from agent.strategy.statistics import PlayedHand, played_hand, tally

log = logging.getLogger(__name__)

Decisions = tuple[tuple[Spot, Decision], ...]

LESSON_WAIT_S: Final = 0.5
"""How long a turn waits for the hands before it to be counted; a showdown takes some milliseconds, in a thread."""


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
    _reading: Reading = field(init=False)
    _lesson: asyncio.Task[None] | None = None

    def __post_init__(self) -> None:
        self.health = Health(self.thinking.clock)
        self._reading = self.thinking.policy.reading if self.thinking.policy is not None else Reading()

    @property
    def by_source(self) -> Counter[str]:
        """How many decisions were taken, by who took them."""
        return self.health.decisions

    async def decide(self, turn_id: str, spot: Spot, *, deadline: float) -> Action | None:
        """The action for `spot`; the decision behind it is in the journal under `turn_id`."""
        self.health.turn(spot)
        await self.learned()
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
        # Ranges take milliseconds to put in words: in the journal's thread, not before the answer is sent.
        self.journal.decision(partial(decision_record, turn_id, spot, decision, self.thinking, datetime.now(UTC)))
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
        """Keep how a hand ended, and learn from it what those at the table are like."""
        self.health.hand_over(summary)
        events.hand_over(summary).tell(log)
        played = public_hand(summary)
        self.journal.hand(hand_record(summary, at, played))
        if played is not None:
            self._lesson = asyncio.create_task(self._learn(played, summary, at, self._lesson))
        mine = tuple(taken for taken in self._in_hand if taken[0].hand_id == summary.hand_id)
        self._in_hand = []
        if self.on_hand:
            self.on_hand(summary, mine)

    async def learned(self) -> None:
        """Wait until the hands that are over are counted and with the journal, `LESSON_WAIT_S` at most; raises nothing."""
        if self._lesson is not None:
            await asyncio.wait({self._lesson}, timeout=LESSON_WAIT_S)

    async def _learn(
        self, played: PlayedHand, summary: HandSummary, at: datetime, before: asyncio.Task[None] | None
    ) -> None:
        """Count a hand for those who were in it, one hand after the other; what fails costs this lesson only."""
        if before is not None:
            await asyncio.wait({before})
        try:
            book = self.thinking.opponents
            book.seen(played, await self._observed(played, summary))
            for seat, name in played.names.items():
                if seat != summary.hero_seat and name in book:
                    self.journal.opponent(opponent_record(name, book.known(name), at))
        except Exception:
            log.exception("nothing is learned from hand %s", summary.hand_id)
        await self._value(played, summary, at)

    async def _value(self, played: PlayedHand, summary: HandSummary, at: datetime) -> None:
        """Keep the hand once more with its all-in valued by equity, where it had one; a failure costs that value only."""
        all_in = all_in_of(played, summary)
        if all_in is None:
            return
        try:
            # Before the flop there are a million boards to go through.
            net = await asyncio.to_thread(all_in)
        except Exception:
            log.exception("the all-in of hand %s is not valued", summary.hand_id)
        else:
            self.journal.hand(replace(hand_record(summary, at, played), adjusted_net_chips=net))

    async def _observed(self, played: PlayedHand, summary: HandSummary) -> dict[int, Shown]:
        """What the cards that opponents showed say of them; nothing where that fails."""
        theirs = played.showdown_seats - {summary.hero_seat}
        cards = {seat: held for seat, held in summary.shown_cards.items() if seat in theirs}
        if not cards:
            return {}
        observe, book = self._reading.observed_showdown, self.thinking.opponents
        try:
            # On a board that no decision has met this takes too long for the loop.
            return await asyncio.to_thread(observe, played, cards, book.of, book.shown_of)
        except Exception:
            log.exception("nothing is learned from the showdown of hand %s", summary.hand_id)
            return {}


def decision_record(turn_id: str, spot: Spot, decision: Decision, thinking: Thinking, at: datetime) -> DecisionRecord:
    """A decision as the journal takes it."""
    action, prompts = decision.action, decision.prompts or thinking.prompts
    return DecisionRecord(
        id=turn_id,
        at=at,
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
        policy=policy_record(decision, decision.judgement) if decision.judgement else None,
        names={str(player.seat): player.name for player in spot.players},
    )


def policy_record(decision: Decision, judgement: Judgement) -> dict[str, Any]:
    """What the betting policy made of a turn as the journal takes it."""
    return {
        "choice": decision.id_of(judgement.action),
        "equity": None if judgement.equity is None else round(judgement.equity, 4),
        "reason": judgement.reason,
        "ranges": {
            str(seat): {"share": round(words.share, 4), "hands": words.hands, "levels": words.levels}
            for seat, words in decision.ranges.items()
        },
    }


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


def opponent_record(name: str, known: Acquaintance, at: datetime) -> OpponentRecord:
    """What is known of a player as the journal takes it."""
    return OpponentRecord(
        name=name,
        updated_at=at,
        hands=known.statistics.hands,
        statistics=known.statistics.as_dict(),
        shown=known.shown.as_dict(),
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


def hand_record(summary: HandSummary, at: datetime, played: PlayedHand | None) -> HandRecord:
    """A finished hand as the journal takes it; our all-in with cards to come is not valued yet."""
    positions = _positions(summary)
    final = fields.by_seat(summary.result, "final_stacks")
    is_valued = played is not None and (_closed_on(played) is None or summary.hero_seat not in played.showdown_seats)
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
        position=None if summary.hero_seat is None else positions.get(summary.hero_seat),
        complete=summary.complete,
        button_seat=summary.button_seat,
        blinds={str(seat): chips for seat, chips in summary.blinds.items()},
        actions=tuple((a.seat, a.street.value, a.verb.value, a.added_chips, a.to_chips) for a in summary.actions),
        shown={str(seat): format_cards(cards) for seat, cards in summary.shown_cards.items()},
        adjusted_net_chips=summary.net_chips if is_valued else None,
        players=tuple(
            HandPlayer(
                seat=seat,
                name=summary.names.get(seat, f"seat {seat}"),
                position=positions.get(seat),
                start_chips=chips,
                net_chips=final[seat] - chips if seat in final else None,
            )
            for seat, chips in sorted(summary.start_stacks.items())
        ),
        habits=_habits(summary, played),
    )


def all_in_of(played: PlayedHand, summary: HandSummary) -> Callable[[], float] | None:
    """What works out what hero could expect of an all-in with cards to come, in chips.

    None where there was none, where not all hands are known, or where the chips that were seen do not explain what was lost.
    """
    board, hero = _closed_on(played), summary.hero_seat
    cards = dict(summary.shown_cards)
    if hero is not None and summary.hole_cards is not None:
        cards[hero] = summary.hole_cards
    if board is None or hero is None or summary.net_chips is None:
        return None
    if hero not in played.showdown_seats or not played.showdown_seats <= set(cards):
        return None
    paid = {seat: played.blinds.get(seat, 0) for seat in played.names}
    for past in played.actions:
        paid[past.seat] += past.added_chips
    final = fields.by_seat(summary.result, "final_stacks")
    folded = set(paid) - played.showdown_seats
    if any(seat in final and played.start_stacks[seat] - final[seat] != paid[seat] for seat in folded):
        return None
    return lambda: expected_nets(paid, played.showdown_seats, cards, board)[hero]


def _closed_on(played: PlayedHand) -> tuple[int, ...] | None:
    """The board on which everybody was all-in, or all but one; None where nobody was before the last card."""
    return board_when_closed(played.actions, played.board) if played.showdown_seats else None


def _positions(summary: HandSummary) -> dict[int, str]:
    """Positions by seat, as far as it is known who was dealt in and where the button was."""
    if len(summary.dealt_seats) < 2 or summary.button_seat is None:
        return {}
    return position_names(summary.dealt_seats, summary.button_seat, summary.big_blind_seat)


def _habits(summary: HandSummary, played: PlayedHand | None) -> dict[str, list[int]]:
    """What hero did that trackers count, without what there was no chance for."""
    if played is None or summary.hero_seat is None or summary.hero_seat not in played.names:
        return {}
    told = tally(played)[summary.hero_seat].as_dict()
    return {name: counted for name, counted in told.items() if isinstance(counted, list) and counted[1]}
