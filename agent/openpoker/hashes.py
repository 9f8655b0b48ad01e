"""Snapshots against the hashes that they bear: what a wrong one is worth, and how often it is spoken of."""

import logging
from typing import Final

from agent.openpoker import fields, frames
from agent.openpoker.patience import Patience

log = logging.getLogger(__name__)

TOLD_EVERY_S: Final = 60.0


class Hashes:
    """What the hashes of one venue's snapshots were worth so far. Times are a monotonic clock's seconds."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._right = self._wrong = 0
        self._told_at: float | None = None
        self._resync_at: float | None = None

    def check(self, snapshot: frames.Frame, now: float) -> bool:
        """Hold a snapshot against its hash: True where that is wrong, and worth a resync."""
        matches = frames.hash_matches(snapshot)
        self._right += matches is True
        if matches is not False:
            return False
        self._wrong += 1
        if self._told_at is None or now - self._told_at >= TOLD_EVERY_S:
            self._told_at = now
            number = fields.sequence(snapshot)
            log.warning("state_hash of table_seq %s does not match; wrong ones so far: %d", number, self._wrong)
        # Without one hash that was right before, our own arithmetic is the suspect: asking again cannot help.
        return self._right > 0 and self._may_resync(now)

    def _may_resync(self, now: float) -> bool:
        """Whether a wrong hash may be resynced again; the time counts from now when it may."""
        if self._resync_at is not None and now - self._resync_at < self._patience.hash_resync_s:
            return False
        self._resync_at = now
        return True
