"""Whether a bot is playing, and where it sits with how much, from the frames that the journal has of it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from agent.console.cells import Tone
from agent.health import SILENT_AFTER_S
from agent.openpoker import fields
from agent.openpoker.frames import Frame

PLAYING_WITHIN: Final = timedelta(seconds=60)
"""Hands and heartbeats bring frames more often than that."""
_GONE: Final = frozenset({"table_closed", "busted", "season_ended"})


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a bot sits, both None without a seat; `chips` are those of the latest frame that told them."""

    table_id: str | None = None
    chips: int | None = None


def standing(frames: Iterable[Frame]) -> Standing:
    """Where the bot sits after these frames of the venue, the oldest first."""
    found, seat = Standing(), None
    for frame in frames:
        kind = frame.get("type")
        snapshot = fields.mapping(frame, "snapshot") if kind == "resync_response" else frame
        hero = fields.seat(fields.mapping(snapshot, "hero"))
        if hero is not None:
            seat = hero
            ours = next((entry for entry in fields.objects(snapshot, "seats") if fields.seat(entry) == seat), {})
            found = Standing(fields.text(frame, "table_id"), fields.chips(ours, "stack"))
        elif kind in _GONE or (kind == "player_left" and seat is not None and fields.seat(frame) == seat):
            found = Standing()
    return found


def pulse(last_frame_at: datetime | None, now: datetime, *, is_seated: bool) -> tuple[Tone, str]:
    """Whether frames are coming: how that looks, and in words. Silence is bad only where a seat waits for an answer.

    >>> from datetime import UTC
    >>> now = datetime(2026, 11, 30, 12, tzinfo=UTC)
    >>> pulse(now - timedelta(seconds=20), now, is_seated=True)
    ('good', 'Running: frames are coming.')
    """
    if last_frame_at is None:
        return "dim", "Not running: it has never spoken to a venue."
    age = now - last_frame_at
    if age <= PLAYING_WITHIN:
        return "good", "Running: frames are coming."
    if age.total_seconds() <= SILENT_AFTER_S:
        return "dim", "Quiet: no frame for more than a minute."
    return "bad" if is_seated else "dim", f"Not running: no frame since {last_frame_at:%Y-%m-%d %H:%M} UTC."
