"""The spot of a decision once more, from the frames that the journal holds."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from agent.journal.records import DecisionRecord
from agent.openpoker.table import Table
from agent.poker.cards import format_cards
from agent.poker.spot import Spot

PassedFrame = tuple[datetime, str, dict[str, Any]]
"""When a frame passed, `in` or `out`, and the frame."""


def spot_of(decision: DecisionRecord, frames: Iterable[PassedFrame]) -> Spot | None:
    """The spot in which the decision was taken; None where these frames do not lead to it.

    `frames` are those of its hand, oldest first; what came after the decision changes nothing.
    """
    table, prompted, spot = Table(decision.table_id, hero_seat=decision.hero_seat), None, None
    for at, direction, frame in frames:
        if at > decision.at:
            break
        if direction != "in":
            continue
        is_resync = frame.get("type") == "resync_response"
        table = table.resynced(frame) if is_resync else table.after(frame)
        prompt = table.prompt
        key = (prompt.hand_id, prompt.turn_token) if prompt else None
        # A prompt is decided as the table was when it came, or when a resync has told what it lacked.
        if prompt and (key != prompted or is_resync):
            prompted, spot = key, table.spot()
    return spot if spot is not None and _is_that_of(decision, spot) else None


def _is_that_of(decision: DecisionRecord, spot: Spot) -> bool:
    """Whether the spot is what the record tells of."""
    seen = (spot.hand_id, spot.street, format_cards(spot.hole_cards or ()), format_cards(spot.board))
    told = (decision.hand_id, decision.street, decision.hole_cards, decision.board)
    return seen == told and (spot.pot_chips, spot.to_call_chips) == (decision.pot_chips, decision.to_call_chips)
