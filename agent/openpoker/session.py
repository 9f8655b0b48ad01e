"""The contestant's protocol core: frames and ticks in, effects out. No socket, no clock, no task.

The session knows where we stand (lobby, table, leaving), keeps the table and the turns, and says what to do next;
`agent.openpoker.contestant` does it. Every rule about lobby, resync, rejects and once-only answers is here.
"""

import logging
from collections.abc import Callable
from enum import StrEnum
from typing import Any, Final

from agent.openpoker import fields, frames
from agent.openpoker.effects import (
    Abandon,
    Ask,
    Decide,
    Effect,
    Effects,
    HandOver,
    Reconnect,
    Send,
    Settled,
    Stop,
)
from agent.openpoker.table import Table, joined
from agent.openpoker.turns import Stage, Turn, Turns
from agent.openpoker.vocabulary import SERVER_FIELDS, news_in

log = logging.getLogger(__name__)

ACK_WAIT_S: Final = 4.0
RESYNC_WAIT_S: Final = 10.0
QUEUE_WAIT_S: Final = 120.0
REST_WAIT_S: Final = 15.0
SILENCE_S: Final = 180.0
LEAVE_WAIT_S: Final = 10.0
DRAIN_LIMIT_S: Final = 240.0
HASH_RESYNC_S: Final = 60.0
RESYNCS_PER_HAND: Final = 3
AUTH_FAILURES: Final = 3
MIN_BUY_IN_CHIPS: Final = 1_000
REBUY_CHIPS: Final = 1_500
NEWS_KEPT: Final = 200


class Phase(StrEnum):
    """Where we stand with the venue."""

    OUTSIDE = "outside"
    QUEUED = "queued"
    RESYNCING = "resyncing"
    SEATED = "seated"
    LEAVING = "leaving"
    GONE = "gone"


_STALE: Final = frozenset({"stale_turn_token", "stale_hand_action", "not_your_turn", "no_hand_in_progress"})
_SEAT_LOST: Final = frozenset({"not_at_table", "table_not_found"})
_TOO_POOR: Final = frozenset({"insufficient_funds", "insufficient_season_chips"})
_WAIT_AND_SEE: Final = frozenset({"already_in_lobby", "leave_pending", "winding_down", "flood_warning"})


class Session:
    """One contestant's dealings with the venue, across reconnects. `new_id` makes ids that never repeat."""

    def __init__(self, *, buy_in_chips: int, new_id: Callable[[], str], auto_rebuy: bool = True) -> None:
        self.buy_in_chips, self.auto_rebuy, self._new_id = buy_in_chips, auto_rebuy, new_id
        self.phase, self.table, self.turns = Phase.OUTSIDE, None, Turns()
        self.name: str | None = None
        self.balance_chips: int | None = None
        self.draining = False
        self._since = self._last_frame = self._drain_began = 0.0
        self._auth_failures = self._hashes_right = self._resyncs = 0
        self._hash_resync_at: float | None = None
        self._rebuy_scheduled = False
        self._asked_table: str | None = None
        self._news: set[str] = set()

    phase: Phase
    table: Table | None

    def opened(self, now: float) -> Effects:
        """What to send first on a new socket: a table we know is taken up again, else we ask where we sit."""
        self._last_frame = now
        if self.table is not None:
            return self._resync(now, self.table.table_id, self.table.watermark)
        if self.draining:
            return [Stop("left before being seated")]
        self._enter(Phase.OUTSIDE, now)
        return [Ask("active-game")]

    def learned_active_game(self, table_id: str | None, now: float) -> Effects:
        """Where REST says we sit; None for nowhere, or when it did not answer: then the lobby will tell."""
        if self.phase not in (Phase.OUTSIDE, Phase.QUEUED):
            return []
        if table_id:
            return self._resync(now, table_id, 0)
        # Queued, we asked because the venue says we are seated and not where; it will settle that with time.
        return self._join(now) if self.phase is Phase.OUTSIDE else []

    def learned_balance(self, chips: int | None, now: float) -> Effects:
        """The off-table balance after a refused join; None when it could not be read, which is not zero."""
        if self.phase is not Phase.OUTSIDE:
            return []
        self.balance_chips = chips
        if chips is not None and chips < MIN_BUY_IN_CHIPS:
            self._enter(Phase.QUEUED, now)
            return [Send({"type": "rebuy", "amount": REBUY_CHIPS})]
        if chips is None:
            self._enter(Phase.QUEUED, now)
            return []
        return self._join(now)

    def leave(self, now: float, *, connected: bool = True) -> Effects:
        """Finish the hand, then leave the table; `Stop` follows when the venue has confirmed.

        Without a connection there is no queue to leave either: who loses the socket there is out of it.
        """
        self.draining, self._drain_began = True, now
        if not connected:
            return [Stop("left before being seated")] if self.phase in (Phase.OUTSIDE, Phase.QUEUED) else []
        if self.phase is Phase.SEATED and self.table is not None:
            return [] if self.table.in_hand else self._leave(now)
        if self.phase in (Phase.RESYNCING, Phase.LEAVING):
            return []
        # In the lobby: leave_table is also the only way out of the queue.
        return self._leave(now) if self.phase is Phase.QUEUED else [Stop("left before being seated")]

    def choose(self, turn: Turn, action: Any) -> dict[str, Any] | None:
        """The frame that answers `turn` with `action`; None when the turn is no longer open."""
        return self.turns.choose(turn, action)

    def sent(self, frame: frames.Frame, now: float) -> None:
        """Note that `frame` left the socket: only now the turn counts as answered."""
        if frame.get("type") == "action":
            self.turns.sent(frame, now)

    def tick(self, now: float) -> Effects:
        """What time alone makes due."""
        waited = now - self._since
        if self.draining and now - self._drain_began > DRAIN_LIMIT_S:
            return self._gone("the venue did not let us leave in time; the seat may be held for a while")
        if self.phase is Phase.RESYNCING and waited > RESYNC_WAIT_S:
            return [Reconnect("no answer to a resync")]
        if self.phase is Phase.QUEUED and waited > QUEUE_WAIT_S:
            return self._join(now)
        if self.phase is Phase.OUTSIDE and waited > REST_WAIT_S:
            return self._join(now)
        if self.phase is Phase.LEAVING and waited > LEAVE_WAIT_S and not (self.table and self.table.in_hand):
            return self._gone("left; the venue did not confirm it")
        late = self.turns.overdue(now, ACK_WAIT_S)
        if late is not None:
            frame, times = late
            return [Send(frame)] if times <= 1 else self._resync_here(now)
        if self.phase is Phase.SEATED and now - self._last_frame > SILENCE_S:
            self._last_frame = now
            return [Reconnect("nothing heard from the table")]
        return []

    def receive(self, frame: frames.Frame, now: float) -> Effects:
        """What a frame asks of us. Unknown types and fields are logged once and change nothing."""
        kind = frame["type"]
        self._note_news(frame)
        if fields.text(frame, "table_id"):
            self._last_frame = now
        handler = getattr(self, f"_on_{kind}", None) if kind in SERVER_FIELDS else None
        if handler is not None:
            effects: Effects = handler(frame, now)
            return effects
        if self.table is not None:
            self.table = self.table.after(frame)
        return []

    def _note_news(self, frame: frames.Frame) -> None:
        """Log what the venue says that we have no word for, once each."""
        for word in sorted(news_in(frame) - self._news):
            if len(self._news) < NEWS_KEPT:
                self._news.add(word)
                log.warning("the venue says something new, ignored: %.80r", word)

    # Lobby and account -----------------------------------------------------------------------------------------

    def _on_connected(self, frame: frames.Frame, now: float) -> Effects:
        self.name, self._auth_failures = fields.text(frame, "name"), 0
        return []

    def _on_table_joined(self, frame: frames.Frame, now: float) -> Effects:
        table, known = joined(frame), self.table
        if table is None or (known and known.table_id == table.table_id and table.watermark <= known.watermark):
            return []
        dropped = self._forget_table()
        self.table = table
        self._enter(Phase.SEATED, now)
        return [*dropped, *self._leave(now)] if self.draining else dropped

    def _on_auto_rebuy_scheduled(self, frame: frames.Frame, now: float) -> Effects:
        self._rebuy_scheduled = True
        return []

    def _on_rebuy_confirmed(self, frame: frames.Frame, now: float) -> Effects:
        self.balance_chips, self._rebuy_scheduled = fields.chips(frame, "chip_balance"), False
        return [] if self.table is not None or self.draining else self._join(now)

    def _on_busted(self, frame: frames.Frame, now: float) -> Effects:
        """The seat is gone and no rebuy comes by itself, because there are chips left or it is switched off."""
        if self.draining:
            return self._gone("busted")
        if self.table is None or self.table.in_hand:
            return []
        return [*self._forget_table(), *self._count_chips(now)]

    def _on_player_left(self, frame: frames.Frame, now: float) -> Effects:
        if not self._applied(frame) or self.table is None or fields.seat(frame) != self.table.hero_seat:
            return []
        if self.draining:
            return self._gone("left the table")
        reason, dropped = frame.get("reason"), self._forget_table()
        log.info("removed from the table: %.40s", reason)
        if self._rebuy_scheduled:
            self._enter(Phase.QUEUED, now)
            return dropped
        broke = reason == "busted" and self.balance_chips is None
        return [*dropped, *(self._count_chips(now) if broke else self._join(now))]

    def _on_table_closed(self, frame: frames.Frame, now: float) -> Effects:
        if self.table is None or fields.text(frame, "table_id") not in (None, self.table.table_id):
            return []
        if self.phase is Phase.LEAVING:
            # The closing may overtake our leave: one more makes sure that no half-released seat stays behind.
            return [Send(frames.leave_table())]
        return [*self._forget_table(), *self._join(now)]

    def _on_season_ended(self, frame: frames.Frame, now: float) -> Effects:
        self.balance_chips, dropped = None, self._forget_table()
        return [*dropped, *(self._gone("the season ended") if self.draining else self._join(now))]

    def _on_error(self, frame: frames.Frame, now: float) -> Effects:
        code = fields.text(frame, "code") or "unknown"
        log.log(logging.DEBUG if code in _WAIT_AND_SEE else logging.WARNING, "the venue says %.60s", code)
        if code == "auth_failed":
            self._auth_failures += 1
            if self._auth_failures >= AUTH_FAILURES:
                return [Stop("the venue refuses OPEN_POKER_API_KEY; check it in the dashboard", failed=True)]
            return [Reconnect("authentication failed", refused=True)]
        if code == "rate_limited" and "connect" in str(frame.get("message")).lower():
            return [Reconnect("too many connections", refused=True)]
        if code == "already_seated":
            table_id = fields.text(frame, "table_id") or fields.text(fields.mapping(frame, "details"), "table_id")
            return self._resync(now, table_id, 0) if table_id else [Ask("active-game")]
        if code in _SEAT_LOST:
            # In a hand this may be a late word about an earlier table: a resync shows where we are.
            in_hand = self.phase is Phase.SEATED and self.table is not None and self.table.in_hand
            return (self._resync_here(now) if in_hand else []) or self._seat_lost(now)
        if code in _TOO_POOR:
            return self._count_chips(now)
        if code == "flood_kick":
            # Queued without a message: the wait for the queue is the time to back off.
            dropped = self._forget_table()
            self._enter(Phase.QUEUED, now)
            return dropped
        if code == "not_registered_for_season" and self.table is None:
            return self._join(now)
        return []

    # The table -------------------------------------------------------------------------------------------------

    def _on_table_state(self, frame: frames.Frame, now: float) -> Effects:
        verified, table = frames.hash_matches(frame), self.table
        if table is None or fields.text(frame, "table_id") not in (None, table.table_id):
            return []
        self.table = table.after(frame)
        self._hashes_right += verified is True
        if verified is not False:
            return []
        log.warning("state_hash of table_seq %s does not match", frame.get("table_seq"))
        # Without one hash that was right before, our own arithmetic is the suspect: asking again cannot help.
        if not self._hashes_right or (self._hash_resync_at is not None and now - self._hash_resync_at < HASH_RESYNC_S):
            return []
        self._hash_resync_at = now
        return self._resync_here(now)

    def _on_hand_start(self, frame: frames.Frame, now: float) -> Effects:
        if not self._applied(frame):
            return []
        self._resyncs = 0
        return self._drop_open()

    def _on_your_turn(self, frame: frames.Frame, now: float) -> Effects:
        return self._prompted(now) if self._applied(frame) else []

    def _on_player_action(self, frame: frames.Frame, now: float) -> Effects:
        if not self._applied(frame) or self.table is None or fields.seat(frame) != self.table.hero_seat:
            return []
        turn_id = self.turns.settle(fields.text(frame, "action_id") or "", Stage.ACCEPTED)
        return [] if turn_id else self._drop_open()

    def _on_hand_result(self, frame: frames.Frame, now: float) -> Effects:
        table = self.table
        if table is None or not self._applied(frame):
            return []
        effects, summary = self._drop_open(), table.summary(frame)
        if summary is not None:
            effects.append(HandOver(summary))
        return [*effects, *self._leave(now)] if self.draining and self.phase is Phase.SEATED else effects

    def _on_action_ack(self, frame: frames.Frame, now: float) -> Effects:
        turn_id = self.turns.settle(fields.text(frame, "client_action_id"), Stage.ACCEPTED)
        return [Settled(turn_id, accepted=True)] if turn_id else []

    def _on_action_rejected(self, frame: frames.Frame, now: float) -> Effects:
        code, answer_id = fields.text(frame, "code") or "unknown", fields.text(frame, "client_action_id")
        log.warning("the venue rejected our action: %.60s", code)
        turn_id = self.turns.settle(answer_id, Stage.REJECTED)
        settled: list[Effect] = [Settled(turn_id, accepted=False, code=code)] if turn_id else []
        if code in _SEAT_LOST:
            # Of an answer that no turn here belongs to, the seat that is lost is an earlier one.
            return [*settled, *self._seat_lost(now)] if turn_id else []
        if code not in _STALE:
            floor = self.turns.fall_back(answer_id)
            if floor is not None:
                return [*settled, Send(floor)]
        return [*settled, *self._resync_here(now)]

    def _on_resync_response(self, frame: frames.Frame, now: float) -> Effects:
        asked = self.table.table_id if self.table else self._asked_table
        if asked is None or (self.phase is not Phase.RESYNCING and self.table is None):
            return []
        if fields.text(frame, "table_id") not in (None, asked):
            return []
        if frame.get("role") != "player" or not fields.mapping(frame, "snapshot"):
            return self._seat_lost(now)
        self.table = (self.table or Table(asked)).resynced(frame)
        self._enter(Phase.SEATED, now)
        if self.table.prompt is not None:
            unanswered = self.turns.unanswered(self.table.prompt)
            return [Send(unanswered)] if unanswered else self._prompted(now)
        dropped = self._drop_open()
        return [*dropped, *self._leave(now)] if self.draining and not self.table.in_hand else dropped

    def _applied(self, frame: frames.Frame) -> bool:
        """Whether the table took the frame; old numbers and other tables' frames it leaves alone."""
        before = self.table
        if before is not None:
            self.table = before.after(frame)
        return self.table is not before

    # Common steps ----------------------------------------------------------------------------------------------

    def _prompted(self, now: float) -> Effects:
        """Decide the open prompt, unless it is known already."""
        table = self.table
        spot = table.spot() if table else None
        if table is None or table.prompt is None or spot is None:
            return []
        turn = self.turns.begin(table.prompt, spot, turn_id=self._new_id(), now=now)
        return [Decide(turn)] if turn else []

    def _drop_open(self) -> list[Effect]:
        """Stop thinking: what was being decided is decided."""
        return [Abandon(turn) for turn in self.turns.drop_open()]

    def _forget_table(self) -> list[Effect]:
        """The table is no longer ours, and its turns with it: late words about them must not touch the next table."""
        dropped, self.turns, self.table = self._drop_open(), Turns(), None
        return dropped

    def _join(self, now: float) -> Effects:
        """Queue for a seat, for no more than the balance; auto-rebuy is kept per season and set after every join."""
        if self.draining:
            return self._gone("left the table")
        self._enter(Phase.QUEUED, now)
        chips = self.buy_in_chips
        if self.balance_chips is not None and self.balance_chips >= MIN_BUY_IN_CHIPS:
            chips = min(chips, self.balance_chips)
        self.balance_chips = None
        return [Send(frames.join_lobby(chips)), Send(frames.set_auto_rebuy(self.auto_rebuy))]

    def _count_chips(self, now: float) -> Effects:
        """Read the balance before asking for a seat; `learned_balance` goes on."""
        self._enter(Phase.OUTSIDE, now)
        return [Ask("season")]

    def _leave(self, now: float) -> Effects:
        self._enter(Phase.LEAVING, now)
        return [Send(frames.leave_table())]

    def _gone(self, reason: str) -> Effects:
        dropped = self._forget_table()
        self.phase = Phase.GONE
        return [*dropped, Stop(reason)]

    def _seat_lost(self, now: float) -> Effects:
        if self.phase is Phase.LEAVING:
            return self._gone("left the table")
        return [*self._forget_table(), *self._join(now)]

    def _resync(self, now: float, table_id: str, last_table_seq: int) -> Effects:
        self._asked_table = table_id
        self._enter(Phase.RESYNCING, now)
        return [Send(frames.resync_request(table_id, last_table_seq))]

    def _resync_here(self, now: float) -> Effects:
        """Resync the present table, never in a loop: three times a hand at most."""
        if self.table is None or self.phase is not Phase.SEATED or self._resyncs >= RESYNCS_PER_HAND:
            return []
        self._resyncs += 1
        return self._resync(now, self.table.table_id, self.table.watermark)

    def _enter(self, phase: Phase, now: float) -> None:
        self.phase, self._since = phase, now
