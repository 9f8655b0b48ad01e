"""Where a contestant stands with the venue, and the steps from one place to the next.

A step changes what we know of ourselves and says what to send for it; `agent.openpoker.session` decides which step a
frame or the time calls for.
"""

import logging
import re
from collections.abc import Callable
from enum import StrEnum
from typing import Final

from agent.openpoker import fields, frames
from agent.openpoker.effects import Abandon, Ask, Effect, Effects, Reconnect, Send, Stop
from agent.openpoker.patience import Patience
from agent.openpoker.purse import Join, Purse, Rebuy, Wait
from agent.openpoker.table import Table
from agent.openpoker.turns import TurnKey, Turns
from agent.openpoker.watch import Watch

log = logging.getLogger(__name__)

RESYNCS_PER_HAND: Final = 3
GUESSES: Final = 5
"""How often the table that we were at last is taken for the one where the venue says we sit; later time will tell."""
AUTH_FAILURES: Final = 3
SLOW_DOWN_S: Final = 1.5
LONGEST_HOLD_OFF: Final = 8

# The one case where the text matters: one code for too many connections and for too many messages on one.
_ON_CONNECTING: Final = re.compile(r"connection attempt|(too many|new) connections", re.IGNORECASE)


class Phase(StrEnum):
    """Where we stand with the venue."""

    OUTSIDE = "outside"
    WAITING = "waiting"
    QUEUED = "queued"
    RESYNCING = "resyncing"
    SEATED = "seated"
    LEAVING = "leaving"
    GONE = "gone"


class Standing:
    """The phase, the table with its turns, the purse and the watches; every step returns what it asks for.

    Once `draining`, every way into the lobby is the way out of the venue.
    """

    def __init__(
        self, *, buy_in_chips: int, new_id: Callable[[], str], auto_rebuy: bool, is_private: bool, patience: Patience
    ) -> None:
        self.phase = Phase.OUTSIDE
        self.table: Table | None = None
        self.turns = Turns()
        self.draining = False
        self.patience, self.auto_rebuy = patience, auto_rebuy
        self.purse = Purse(buy_in_chips, patience, new_id, is_private=is_private)
        self.watch = Watch(patience)
        self._auth_failures = self._resyncs = self._held_off = 0
        self._resyncs_of: str | None = None
        self._asks_chips = False
        self._asked_table: str | None = None
        self._last_table: str | None = None
        self._guesses = 0

    # What REST has told

    def learned_active_game(self, table_id: str | None, now: float) -> Effects:
        """Where REST says we sit; None for nowhere, or when it did not answer: then the lobby will tell."""
        if self.phase not in (Phase.OUTSIDE, Phase.QUEUED):
            return []
        if table_id:
            return self._resync(now, table_id, 0)
        if self.phase is Phase.OUTSIDE:
            return self._join(now)
        # Queued, we asked because the venue says that we are seated and not where: most likely where we were last.
        if self._last_table is None or self._guesses >= GUESSES:
            return []
        self._guesses += 1
        return self._resync(now, self._last_table, 0)

    def learned_balance(self, chips: int | None, now: float) -> Effects:
        """The off-table balance after a refused join; None when it could not be read, which is not zero."""
        if self.phase is not Phase.WAITING or not self._asks_chips:
            return []
        self.purse.read(chips)
        match self.purse.next_step(now):
            case Join(wish_chips):
                return self._join(now, wish_chips)
            case Wait(until):
                return self._wait(until, now)
            case Rebuy(request_id):
                self._wait(now + self.patience.rest_s, now)
                return [Send(frames.rebuy(request_id))]

    def overdue_leave(self, now: float) -> Effects:
        """The end of a leave that takes too long, whether there is a socket or not."""
        if not self.draining or not self.watch.is_drain_over(now):
            return []
        return self._gone("the venue did not let us leave in time; the seat may be held for a while")

    # Into the lobby

    def _join(self, now: float, chips: int | None = None) -> Effects:
        """Queue for a seat, for no more than the balance; auto-rebuy is kept per season and set after every join."""
        if self.draining:
            return self._gone("left the table")
        self._enter(Phase.QUEUED, now)
        wish_chips = chips if chips is not None else self.purse.wish_chips()
        self.purse.joined()
        return [Send(frames.join_lobby(wish_chips)), Send(frames.set_auto_rebuy(self.auto_rebuy))]

    def _count_chips(self, now: float) -> Effects:
        """Read the balance before asking for a seat; `learned_balance` goes on."""
        self._wait(now + self.patience.rest_s, now)
        return self.learned_balance(None, now) if self.purse.is_private else [Ask("season")]

    def _wait(self, until: float, now: float, *, asks_chips: bool = True) -> Effects:
        """Sit out until then; after it count the chips, or just join."""
        if self.draining:
            return self._gone("left the table")
        self._asks_chips = asks_chips
        self._enter(Phase.WAITING, now)
        self.watch.wait_until = until
        return []

    def _hold_off(self, now: float, *, is_kick: bool) -> Effects:
        """Join later, and ever later while the venue keeps saying so."""
        if self.table is not None and not is_kick:
            return []
        dropped = self._forget_table()
        self._held_off += 1
        pause_s = self.patience.wind_down_s * min(self._held_off, LONGEST_HOLD_OFF)
        return [*dropped, *self._wait(now + pause_s, now, asks_chips=False)]

    def _slow_down(self, frame: frames.Frame, now: float) -> Effects:
        """Too many connections end this one; of too many messages only the joining needs saying again."""
        if _ON_CONNECTING.search(fields.text(frame, "message") or ""):
            return [Reconnect("too many connections", refused="connection")]
        return self._wait(now + SLOW_DOWN_S, now, asks_chips=False) if self.phase is Phase.QUEUED else []

    def _rebuy_refused(self, frame: frames.Frame, now: float) -> Effects:
        """A rebuy of ours came too early or is not allowed."""
        details = fields.mapping(frame, "details")
        cooldown_s = fields.seconds(frame, "cooldown_seconds") or fields.seconds(details, "cooldown_seconds")
        self.purse.refused(now, cooldown_s)
        return self.learned_balance(self.purse.balance_chips, now)

    def _key_refused(self) -> Effects:
        """One refusal may be a passing fault of the venue; three in a row, minutes apart, are not."""
        self._auth_failures += 1
        if self._auth_failures >= AUTH_FAILURES:
            return [Stop("the venue refuses OPEN_POKER_API_KEY; check it in the dashboard", failed=True)]
        words = f"the venue refuses OPEN_POKER_API_KEY, {self._auth_failures} of {AUTH_FAILURES} times"
        return [Reconnect(words, refused="key")]

    def _ask_again_for_seat(self, now: float) -> Effects:
        """Join again, here or, where the venue has been mute since we joined, on another socket."""
        if not self.watch.is_mute():
            return self._join(now)
        log.warning("the venue has said nothing since we asked for a seat")
        return [Reconnect("no word since joining the lobby")]

    # At the table, and away from it

    def _resync(self, now: float, table_id: str, last_table_seq: int) -> Effects:
        self._asked_table = self._last_table = table_id
        self._enter(Phase.RESYNCING, now)
        return [Send(frames.resync_request(table_id, last_table_seq))]

    def _resync_here(self, now: float, *, counts: bool = True) -> Effects:
        """Resync the present table, never in a loop: for what counts, three times a hand at most."""
        if self.table is None or self.phase not in (Phase.SEATED, Phase.LEAVING):
            return []
        if self.table.hand_id != self._resyncs_of:
            self._resyncs, self._resyncs_of = 0, self.table.hand_id
        if counts and self._resyncs >= RESYNCS_PER_HAND:
            return []
        self._resyncs += counts
        return self._resync(now, self.table.table_id, self.table.watermark)

    def _leave(self, now: float) -> Effects:
        self._enter(Phase.LEAVING, now)
        return [Send(frames.leave_table())]

    def _seat_lost(self, now: float) -> Effects:
        if self.draining:
            return self._gone("left the table")
        return [*self._forget_table(), *self._join(now)]

    def _gone(self, reason: str) -> Effects:
        dropped = self._forget_table()
        self.phase = Phase.GONE
        return [*dropped, Stop(reason)]

    def _forget_table(self) -> list[Effect]:
        """The table is no longer ours, and its turns with it: late words about them must not touch the next table."""
        if self.table is not None:
            self._last_table = self.table.table_id
        dropped, self.turns, self.table = self._drop_open(), Turns(), None
        return dropped

    def _drop_open(self, *, but: TurnKey | None = None) -> list[Effect]:
        """Stop thinking, `but` for one turn: what was being decided is decided."""
        return [Abandon(turn) for turn in self.turns.drop_open(but=but)]

    def _drop_passed(self) -> list[Effect]:
        """Stop thinking about hands that are shown to be over, by whatever frame: the one that says so may be lost."""
        hand = self.table.hand if self.table else None
        return [
            Abandon(turn) for turn in self.turns.drop_open(but_hand=hand.hand_id if hand and not hand.over else None)
        ]

    def _in_hand(self) -> bool:
        return self.table is not None and self.table.in_hand

    def _enter(self, phase: Phase, now: float) -> None:
        self.phase = phase
        if phase is Phase.SEATED:
            self._guesses = 0
        self.watch.entered(now)
