"""What the journal's rows lead to once more: the spot of a decision, from its frames, and the book of the opponents met."""

import logging
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from agent.journal.records import DecisionRecord, OpponentRecord
from agent.openpoker.table import Table
from agent.poker.cards import format_cards
from agent.poker.spot import Spot
from agent.strategy.opponents import Acquaintance, Opponents

PassedFrame = tuple[datetime, str, dict[str, Any]]
"""When a frame passed, `in` or `out`, and the frame."""

log = logging.getLogger(__name__)


def book_of(met: Iterable[OpponentRecord]) -> Opponents:
    """The book of these opponents, the one met last at the end; who cannot be read is a stranger again, and told in the log."""
    book = Opponents()
    for opponent in met:
        try:
            known = Acquaintance.from_dict({"statistics": opponent.statistics, "shown": opponent.shown})
        except ValueError as error:
            log.warning("%.200r is a stranger again, for what the journal holds is unusable: %s", opponent.name, error)
        else:
            book.put(opponent.name, known)
    return book


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
