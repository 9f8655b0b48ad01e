"""The contestant's protocol core: frames and ticks in, effects out. No socket, no clock, no task.

The session knows where we stand (lobby, table, leaving), keeps the table and the turns, and says what to do next;
`agent.openpoker.contestant` does it. Every rule about lobby, resync, rejects and once-only answers is here.
"""

import logging
from collections.abc import Callable
from typing import Any, Final

from agent.openpoker import fields, frames
from agent.openpoker.earlier import Earlier
from agent.openpoker.effects import (
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
from agent.openpoker.hashes import Hashes
from agent.openpoker.patience import Patience
from agent.openpoker.standing import Phase, Standing
from agent.openpoker.table import NOTHING, Table, joined
from agent.openpoker.turns import FLOOR_SUFFIX, Stage, Turn, TurnKey
from agent.openpoker.vocabulary import SERVER_FIELDS, News

log = logging.getLogger(__name__)

CODE_CHARS: Final = 60

_STALE: Final = frozenset({"stale_turn_token", "stale_hand_action", "not_your_turn", "no_hand_in_progress"})
_SEAT_LOST: Final = frozenset({"not_at_table", "table_not_found"})
_TOO_POOR: Final = frozenset({"insufficient_funds", "insufficient_season_chips"})
_NOT_YET: Final = frozenset({"winding_down", "portfolio_pro_required", "flood_kick"})
_FOR_PLAYERS: Final = frozenset({"hole_cards", "your_turn"})
_WAIT_AND_SEE: Final = _NOT_YET | {"already_in_lobby", "leave_pending", "flood_warning"}


class Session(Standing):
    """One contestant's dealings with the venue, across reconnects.

    `new_id` makes ids that never repeat. `earlier` is what a run of the program that was killed has left behind.
    """

    def __init__(
        self,
        *,
        buy_in_chips: int,
        new_id: Callable[[], str],
        auto_rebuy: bool = True,
        is_private: bool = False,
        patience: Patience | None = None,
        earlier: Earlier | None = None,
    ) -> None:
        super().__init__(
            buy_in_chips=buy_in_chips,
            new_id=new_id,
            auto_rebuy=auto_rebuy,
            is_private=is_private,
            patience=patience or Patience(),
        )
        self.name: str | None = None
        self._new_id = new_id
        self._hashes, self._news = Hashes(self.patience), News()
        earlier = earlier or Earlier()
        self._earlier_answers, self._prompted_at = dict(earlier.answers), earlier.prompted_at
        self.watch.heard_earlier = earlier.heard_at
        self._held_until: float | None = None
        self._blind_in: str | None = None
        self._offered_nothing: TurnKey | None = None
        self._hand_told: str | None = None

    def opened(self, now: float) -> Effects:
        """What to send first on a new socket: a table we know is taken up again, else we ask where we sit."""
        self.watch.opened(now)
        if self.table is not None:
            return self._resync(now, self.table.table_id, self.table.watermark)
        if self.draining:
            return [Stop("left before being seated")]
        self._enter(Phase.OUTSIDE, now)
        # REST knows the public league only; in a competition the lobby tells when we have a seat already.
        return self._join(now) if self.purse.is_private else [Ask("active-game")]

    def leave(self, now: float, *, connected: bool = True) -> Effects:
        """Finish the hand, then leave the table; `Stop` follows when the venue has confirmed.

        Without a connection there is no queue to leave either: who loses the socket there is out of it.
        """
        self.draining, self.watch.drain_began = True, now
        outside = (Phase.OUTSIDE, Phase.WAITING)
        if not connected:
            return [Stop("left before being seated")] if self.phase in (*outside, Phase.QUEUED) else []
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
        if overdue := self.overdue_leave(now):
            return overdue
        if self.watch.is_ungreeted(now):
            log.warning("the venue has not said a word on this socket")
            return [Reconnect("no greeting")]
        if self._held_until is not None and now >= self._held_until:
            self._held_until = None
            return self._prompted(now, opened_at=now)
        match self.phase:
            case Phase.RESYNCING if self.watch.waited(now) > self.patience.resync_s:
                return [Reconnect("no answer to a resync")]
            case Phase.QUEUED if self.watch.waited(now) > self.patience.queue_s:
                return self._ask_again_for_seat(now)
            case Phase.OUTSIDE if self.watch.waited(now) > self.patience.rest_s:
                return self._join(now)
            case Phase.WAITING if self.watch.is_wait_over(now):
                return self._count_chips(now) if self._asks_chips else self._join(now)
            case Phase.LEAVING if self.watch.waited(now) > self.patience.leave_s and not self._in_hand():
                return self._gone("left; the venue did not confirm it") if self.draining else self._seat_lost(now)
            case Phase.SEATED | Phase.LEAVING:
                return self._tick_at_table(now)
        return []

    def _tick_at_table(self, now: float) -> Effects:
        late = self.turns.overdue(now, self.patience.ack_s)
        if late is not None:
            frame, times = late
            return [Send(frame)] if times <= 1 else self._resync_here(now, counts=False)
        if self.watch.is_prompt_late(now):
            log.warning("it is our turn, and no prompt has come; asking for it")
            self.watch.prompted()
            return self._resync_here(now)
        if self.watch.is_silent(now):
            self.watch.heard(now)
            return [Reconnect("nothing heard from the table")]
        if self.phase is Phase.SEATED and self.watch.is_hand_late(now):
            return self._table_is_dead(now)
        return []

    def _table_is_dead(self, now: float) -> Effects:
        """No hand for long: first a resync, which may show that the seat is lost; the second time another table."""
        if self.watch.asked_for_hand(now) <= 1:
            return self._resync_here(now, counts=False)
        log.warning("no hand has been played for %.0f s; looking for another table", self.patience.hand_s * 2)
        return self._leave(now)

    def receive(self, frame: frames.Frame, now: float) -> Effects:
        """What a frame asks of us. Unknown types and fields are logged once and change nothing."""
        kind = frame["type"]
        self._news.note(frame)
        if kind in SERVER_FIELDS:
            self.watch.spoken(now)
        handler = getattr(self, f"_on_{kind}", None) if kind in SERVER_FIELDS else None
        effects: Effects = []
        table_id = fields.text(frame, "table_id")
        if self.table is None and kind in _FOR_PLAYERS and self.phase in (Phase.OUTSIDE, Phase.QUEUED):
            # A table that we do not know speaks to us as to a player: we were seated unnoticed.
            effects = self._resync(now, table_id, 0) if table_id else []
        elif handler is not None:
            effects = handler(frame, now)
        elif self.table is not None:
            self.table = self.table.after(frame)
        if self.table is not None and "table_id" in frame and table_id in (None, self.table.table_id):
            self.watch.heard(now)
        return [*self._drop_passed(), *effects]

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
        self.purse.seated()
        self._enter(Phase.SEATED, now)
        self.watch.hand_passed(now)
        return [*dropped, *self._leave(now)] if self.draining else dropped

    def _on_lobby_joined(self, frame: frames.Frame, now: float) -> Effects:
        self._held_off = 0
        return []

    def _on_auto_rebuy_scheduled(self, frame: frames.Frame, now: float) -> Effects:
        cooldown_s = fields.seconds(frame, "cooldown_seconds")
        self.purse.server_will_rebuy(cooldown_s or 0.0, now)
        if self.phase is Phase.WAITING and self._asks_chips:
            return self._wait(now + (cooldown_s or 0.0) + self.patience.rebuy_grace_s, now)
        return []

    def _on_rebuy_confirmed(self, frame: frames.Frame, now: float) -> Effects:
        self.purse.credited(fields.chips(frame, "chip_balance"))
        return [] if self.table is not None or self.draining else self._join(now)

    def _on_busted(self, frame: frames.Frame, now: float) -> Effects:
        """The seat is gone and no rebuy comes by itself, because there are chips left or it is switched off."""
        was_coming = self.purse.cancelled()
        if self.draining:
            return self._gone("busted")
        if self._in_hand() or (self.table is None and not was_coming):
            return []
        return [*self._forget_table(), *self._count_chips(now)]

    def _on_player_left(self, frame: frames.Frame, now: float) -> Effects:
        if not self._applied(frame) or self.table is None or fields.seat(frame) != self.table.hero_seat:
            return []
        if self.draining:
            return self._gone("left the table")
        reason, dropped = frame.get("reason"), self._forget_table()
        log.info("removed from the table: %.40s", reason)
        if reason == "busted" and self.purse.balance_chips is None:
            wait = self.purse.server_rebuys
            return [*dropped, *(self._wait(now + self.patience.rebuy_grace_s, now) if wait else self._count_chips(now))]
        return [*dropped, *self._join(now)]

    def _on_table_closed(self, frame: frames.Frame, now: float) -> Effects:
        if self.table is None or fields.text(frame, "table_id") not in (None, self.table.table_id):
            return []
        if self.phase is Phase.LEAVING:
            # The closing may overtake our leave: one more makes sure that no half-released seat stays behind.
            return [Send(frames.leave_table())]
        return [*self._forget_table(), *self._join(now)]

    def _on_season_ended(self, frame: frames.Frame, now: float) -> Effects:
        self.purse.joined()
        dropped = self._forget_table()
        return [*dropped, *(self._gone("the season ended") if self.draining else self._join(now))]

    def _on_error(self, frame: frames.Frame, now: float) -> Effects:
        code = fields.text(frame, "code") or "unknown"
        log.log(logging.DEBUG if code in _WAIT_AND_SEE else logging.WARNING, "the venue says %.60s", code)
        if code == "auth_failed":
            return self._key_refused()
        if code == "rate_limited":
            return self._slow_down(frame, now)
        if code == "already_seated":
            table_id = fields.text(frame, "table_id") or fields.text(fields.mapping(frame, "details"), "table_id")
            return self._resync(now, table_id, 0) if table_id else [Ask("active-game")]
        if code in _SEAT_LOST:
            # In a hand this may be a late word about an earlier table: a resync shows where we are.
            in_hand = self.phase is Phase.SEATED and self._in_hand()
            return (self._resync_here(now) if in_hand else []) or self._seat_lost(now)
        if code in _TOO_POOR:
            self.purse.too_poor()
            return self._count_chips(now)
        if code in _NOT_YET:
            return self._hold_off(now, is_kick=code == "flood_kick")
        if code == "not_registered_for_season" and self.table is None:
            return self._join(now)
        if self.phase is Phase.WAITING and self._asks_chips:
            return self._rebuy_refused(frame, now)
        return []

    # The table -------------------------------------------------------------------------------------------------

    def _on_table_state(self, frame: frames.Frame, now: float) -> Effects:
        table = self.table
        if table is None or fields.text(frame, "table_id") not in (None, table.table_id):
            return []
        self.table = table.after(frame)
        self.watch.shown(self.table.is_ours_unprompted, now)
        return self._resync_here(now) if self._hashes.check(frame, now) else []

    def _on_hand_start(self, frame: frames.Frame, now: float) -> Effects:
        before = self.table
        if not self._applied(frame):
            return []
        self.watch.hand_passed(now)
        self._note_lost_result(before)
        return self._drop_open()

    def _on_your_turn(self, frame: frames.Frame, now: float) -> Effects:
        return self._prompted(now, opened_at=now) if self._applied(frame) else []

    def _on_player_action(self, frame: frames.Frame, now: float) -> Effects:
        if not self._applied(frame) or self.table is None or fields.seat(frame) != self.table.hero_seat:
            return []
        self.watch.prompted()
        turn_id = self.turns.settle(fields.text(frame, "action_id") or "", Stage.ACCEPTED)
        if turn_id:
            return [Settled(turn_id, accepted=True)]
        # The server has acted for us: what was sent, if anything, came too late or never arrived.
        return [*self._drop_open(), *(Settled(late, accepted=False, code="too_late") for late in self.turns.close())]

    def _on_hand_result(self, frame: frames.Frame, now: float) -> Effects:
        if not self._applied(frame) or self.table is None:
            return []
        self.watch.hand_passed(now)
        effects = [*self._drop_open(), *self._told_result(self.table, frame)]
        return [*effects, *self._leave(now)] if self.draining and self.phase is Phase.SEATED else effects

    def _on_action_ack(self, frame: frames.Frame, now: float) -> Effects:
        turn_id = self.turns.settle(fields.text(frame, "client_action_id"), Stage.ACCEPTED)
        return [Settled(turn_id, accepted=True)] if turn_id else []

    def _on_action_rejected(self, frame: frames.Frame, now: float) -> Effects:
        code = (fields.text(frame, "code") or "unknown")[:CODE_CHARS]
        answer_id = fields.text(frame, "client_action_id")
        if self.turns.is_over(answer_id):
            log.info("the venue rejects an answer to a turn that is over: %s", code)
            return []
        log.warning("the venue rejected our action: %s", code)
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
        before, opened_at = self.table, self.watch.prompt_opened_at(now, is_cold=self.table is None)
        self.table = (before or Table(asked)).resynced(frame)
        self._hashes.check(fields.mapping(frame, "snapshot"), now)
        self._enter(Phase.SEATED, now)
        if before is None or before.hand_id != self.table.hand_id:
            self.watch.hand_passed(now)
        missed = self._missed_results(before, frame)
        if self.table.prompt is not None:
            unanswered = self.turns.unanswered(self.table.prompt)
            return [*missed, *([Send(unanswered)] if unanswered else self._prompted(now, opened_at=opened_at))]
        self.watch.shown(self.table.is_ours_unprompted, now)
        left = self._leave(now) if self.draining and not self.table.in_hand else []
        return [*missed, *self._drop_open(), *left]

    def _missed_results(self, before: Table | None, response: frames.Frame) -> list[Effect]:
        """How hands ended of which a resync tells; what was played before we knew the table is not ours to tell."""
        if before is None:
            return []
        replayed = before.replayed(response)
        ends = [(event, table) for event, table in replayed if event.get("type") == "hand_result"]
        told = [effect for event, table in ends for effect in self._told_result(table, event)]
        self._note_lost_result(before)
        return told

    def _told_result(self, table: Table, result: frames.Frame) -> list[Effect]:
        summary = table.summary(result)
        if summary is None:
            return []
        self._hand_told = summary.hand_id
        return [HandOver(summary)]

    def _note_lost_result(self, before: Table | None) -> None:
        """Say so once where another hand has begun and nobody has told how ours ended: its decisions stay without a result."""
        played, present = before.hand if before else None, self.table.hand_id if self.table else None
        if played and played.hole_cards and played.hand_id not in (present, self._hand_told):
            log.warning("the result of hand %s never came", played.hand_id)

    def _applied(self, frame: frames.Frame) -> bool:
        """Whether the table took the frame; old numbers and other tables' frames it leaves alone."""
        before = self.table
        if before is not None:
            self.table = before.after(frame)
        return self.table is not before

    def _prompted(self, now: float, *, opened_at: float) -> Effects:
        """Decide the open prompt, unless it is known already; the server's clock runs since `opened_at`.

        Where facts are lacking, or every offer, it is held until a resync has told them or a while is over: once, or we might
        never act.
        """
        self.watch.prompted()
        table = self.table
        spot = table.spot() if table else None
        if table is None or table.prompt is None or spot is None:
            return []
        key = (table.prompt.hand_id, table.prompt.turn_token)
        earlier, opened_at = self._earlier_answers.pop(key, None), min(now, self._prompted_at.get(key, opened_at))
        turn_id = self._new_id() if earlier is None else str(earlier["client_action_id"]).removesuffix(FLOOR_SUFFIX)
        turn = self.turns.begin(table.prompt, spot, turn_id=turn_id, now=opened_at)
        if turn is None:
            return []
        dropped = self._drop_open(but=turn.key)
        if earlier is not None:
            return [*dropped, Send(self.turns.adopt(turn, earlier))]
        if self._lacks_what_a_resync_tells(table, turn):
            self._held_until = now + self.patience.facts_s
            self.turns.hold(turn)
            return [*dropped, *self._resync_here(now, counts=False)]
        return [*dropped, Decide(turn)]

    def _lacks_what_a_resync_tells(self, table: Table, turn: Turn) -> bool:
        """Whether facts are lacking that were not asked for in this hand, or anything to play that was not in this turn."""
        is_blind = table.lacks_facts and self._blind_in != turn.spot.hand_id
        is_idle = turn.spot.legal == NOTHING and self._offered_nothing != turn.key
        if is_blind:
            self._blind_in = turn.spot.hand_id
        if is_idle:
            self._offered_nothing = turn.key
        return is_blind or is_idle
