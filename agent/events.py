"""The story of a bot as its log tells it: an event a line, with a name and fields for programs beside the words.

An event is whatever a person who follows a bot wants to know without reading frames: where it sits, what it decides,
how hands end, what it pays, and why it is not playing.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from agent.decision.decide import Decision
from agent.openpoker import fields
from agent.openpoker.frames import Frame
from agent.openpoker.table import HandSummary
from agent.poker.cards import format_cards
from agent.poker.spot import Spot

_NAMED_AT_MOST: Final = 40
"""Characters of a word that the venue chose."""


@dataclass(frozen=True, slots=True)
class Event:
    """What happened: its name, the same in words, and its facts as plain values. Chips are whole, times say their unit."""

    name: str
    words: str
    facts: Mapping[str, Any] = field(default_factory=dict)

    def tell(self, log: logging.Logger, level: int = logging.INFO) -> None:
        """Write the event to a log; where it is JSON, the name is under `event` and each fact has its own member."""
        log.log(level, "%s", self.words, extra={"event": self.name, **self.facts})


def venue_said(frame: Frame) -> Event | None:
    """What a frame of the venue tells of our dealings with it away from the cards; None for all other frames."""
    match frame.get("type"):
        case "connected":
            name = fields.text(frame, "name")
            return Event("connected", f"connected; the venue greets {_short(name) or 'us'}", {"name_there": name})
        case "lobby_joined":
            place = fields.sequence(frame, "position")
            words = "in the lobby" if place is None else f"in the lobby, number {place:,} in the queue"
            return Event("joined lobby", words, {"position": place, "wait": fields.text(frame, "estimated_wait")})
        case "auto_rebuy_scheduled":
            wait_s = fields.seconds(frame, "cooldown_seconds")
            words = "the venue buys in again" + (f" in {wait_s:,.0f} s" if wait_s else "")
            return Event("rebuy scheduled", words, {"wait_s": wait_s})
        case "rebuy_confirmed":
            chips = fields.chips(frame, "chip_balance")
            return Event("rebuy", f"bought in again; {_chips(chips)} off the table", {"balance_chips": chips})
        case "busted":
            return Event("busted", "busted")
        case "season_ended":
            return Event("season ended", "the season has ended", {"season": fields.sequence(frame, "season_number")})
    return None


def venue_asked(frame: Frame) -> Event | None:
    """What a frame of ours asks of the venue; None for answers to turns, which are told as decisions."""
    match frame.get("type"):
        case "join_lobby":
            chips = fields.chips(frame, "buy_in")
            return Event("buy-in", f"asking for a seat with {_chips(chips)}", {"buy_in_chips": chips})
        case "rebuy":
            return Event("rebuy asked", "asking for a rebuy")
        case "leave_table":
            return Event("leaving", "asking to leave")
        case "resync_request":
            table_id, after = fields.text(frame, "table_id"), fields.sequence(frame, "last_table_seq")
            words = f"resync: asking for the state of table {_short(table_id)}"
            return Event("resync", words, {"table_id": table_id, "after_table_seq": after})
    return None


def seated(table_id: str, seat: int | None, stack_chips: int | None) -> Event:
    """We have a seat."""
    where = f"table {_short(table_id)}" + ("" if seat is None else f", seat {seat}")
    facts = {"table_id": table_id, "seat": seat, "stack_chips": stack_chips}
    return Event("seated", f"seated at {where} with {_chips(stack_chips)}", facts)


def left(table_id: str, frame: Frame) -> Event:
    """The seat is gone; `frame` is what told us."""
    why = fields.text(frame, "reason") or fields.text(frame, "type")
    return Event("left", f"left table {_short(table_id)}: {_short(why)}", {"table_id": table_id, "reason": why})


def decided(turn_id: str, spot: Spot, decision: Decision) -> Event:
    """A turn was decided: what, by whom, and how long it took."""
    choice, cards, board = (
        decision.id_of(decision.action),
        format_cards(spot.hole_cards or ()),
        format_cards(spot.board),
    )
    why = f" ({decision.reason})" if decision.reason else ""
    words = f"{cards or 'cards unknown'}, {board or 'no board'}: {choice} by {decision.source}{why}"
    facts = {
        "turn_id": turn_id,
        "table_id": spot.table_id,
        "hand_id": spot.hand_id,
        "street": str(spot.street),
        "cards": cards,
        "board": board,
        "pot_chips": spot.pot_chips,
        "to_call_chips": spot.to_call_chips,
        "choice": choice,
        "rule_choice": decision.id_of(decision.rule_choice),
        "source": decision.source,
        "reason": decision.reason,
        "ms": round(decision.elapsed_ms, 1),
    }
    return Event("decision", f"{words}, {decision.elapsed_ms:,.0f} ms", facts)


def hand_over(summary: HandSummary) -> Event:
    """A hand has ended."""
    cards, board = format_cards(summary.hole_cards or ()), format_cards(summary.board)
    net = "net unknown" if summary.net_chips is None else f"net {summary.net_chips:+,}"
    words = f"hand over: {cards or 'no cards'}, {board or 'no board'}, {net}, stack {_chips(summary.stack_chips)}"
    facts = {
        "table_id": summary.table_id,
        "hand_id": summary.hand_id,
        "cards": cards,
        "board": board,
        "pot_chips": summary.pot_chips,
        "net_chips": summary.net_chips,
        "stack_chips": summary.stack_chips,
    }
    return Event("hand over", words, facts)


def _chips(chips: int | None) -> str:
    return "unknown chips" if chips is None else f"{chips:,} chips"


def _short(text: str | None) -> str:
    return (text or "")[:_NAMED_AT_MOST]
