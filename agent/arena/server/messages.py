"""What clients say: one connection's messages, checked against the schema and passed on to the lobby or the table."""

import asyncio
from collections.abc import Callable
from typing import Any, Final

from agent.arena.faults.plan import FaultName
from agent.arena.game.account import Account
from agent.arena.game.referee import receive_action
from agent.arena.game.refusal import RefusedError
from agent.arena.league.lobby import Lobby
from agent.arena.server.limits import Flood, FloodWatch, Window
from agent.arena.wire import frames as wire
from agent.openpoker.frames import Frame, FrameError, parse, whole_chips

LONGEST_TEXT: Final = 200


class Messages:
    """Handles what one connection receives; `is_current` tells whether no newer connection has replaced it."""

    def __init__(self, lobby: Lobby, account: Account, flood: FloodWatch, *, is_current: Callable[[], bool]) -> None:
        self._lobby = lobby
        self._account = account
        self._flood = flood
        self._is_current = is_current
        self._clock = asyncio.get_running_loop().time
        self._limit = Window(lobby.settings.max_messages_per_s, 1.0, self._clock)

    def parsed(self, text: str | bytes) -> dict[str, Any] | None:
        """The frame in a message; None for one that is not to be handled, which the client is told."""
        if not self._is_current():
            return None
        if not self._limit.allows_another():
            self._account.send(wire.error("rate_limited", "too many messages in a second"))
            return None
        try:
            return parse(text)
        except FrameError as fault:
            self._account.send(wire.error("invalid_message", str(fault)))
            return None

    def cut(self, *, is_action_lost: bool) -> None:
        """Note that the socket is about to be cut over an action."""
        if is_action_lost:
            self._account.cut_at = self._clock()

    def handle(self, frame: dict[str, Any]) -> None:
        """Do what a message asks for, and answer it."""
        try:
            self._dispatch(frame)
        except FrameError as fault:
            self._account.send(wire.error("invalid_message", str(fault)))
        except RefusedError as refusal:
            self._account.send(wire.error(refusal.code, refusal.reason, **refusal.details))

    def _dispatch(self, frame: dict[str, Any]) -> None:
        lobby, account = self._lobby, self._account
        match frame["type"]:
            case "action":
                self._act(frame)
            case "join_lobby":
                lobby.join(account, frame.get("buy_in"))
            case "leave_table":
                lobby.leave(account)
            case "set_auto_rebuy":
                lobby.bank.set_auto_rebuy(account, _field(frame, "enabled", bool))
            case "rebuy":
                account.send(lobby.bank.rebuy(account, _optional(frame, "request_id", str)))
            case "resync_request":
                lobby.resync(account, _field(frame, "table_id", str), _sequence(frame))
            case unknown:
                raise RefusedError("unknown_message", f"there is no message of type {unknown[:40]!r}")

    def _act(self, frame: dict[str, Any]) -> None:
        _check_action(frame)
        if self._account.cut_at is not None:
            self._lobby.timings.resent_s.append(self._clock() - self._account.cut_at)
            self._account.cut_at = None
        table = self._account.table
        if table is not None and table.awaits(self._account):
            is_stale = self._lobby.dice_of(self._account).strikes(FaultName.STALE_TOKEN)
            if is_stale:
                table.renew_token()
        began = self._clock()
        is_accepted = receive_action(self._account, table, frame)
        self._lobby.timings.actions_s.append(self._clock() - began)
        if is_accepted:
            return
        flood = self._flood.refused()
        if flood is Flood.WARNING:
            self._account.send(wire.error(flood, "too many invalid actions: ten more lose the seat"))
        if flood is Flood.KICK:
            self._account.send(wire.error(flood, "too many invalid actions: removed from the table"))
            self._lobby.kick(self._account)


def _field(frame: Frame, name: str, kind: type[Any]) -> Any:
    if not isinstance(frame.get(name), kind):
        raise FrameError(f"{name} must be a {kind.__name__}")
    return frame[name]


def _optional(frame: Frame, name: str, kind: type[Any]) -> Any:
    return _field(frame, name, kind) if frame.get(name) is not None else None


def _sequence(frame: Frame) -> int:
    """`last_table_seq`, 0 when it is missing; `FrameError` for what no table counts to."""
    stated = frame.get("last_table_seq")
    number = 0 if stated is None else whole_chips(stated)
    if number is None or not 0 <= number < 2**53:
        raise FrameError("last_table_seq must be a whole number, 0 or more")
    return number


def _check_action(frame: Frame) -> None:
    """Raise `FrameError` where a field of an action has another type than the schema says."""
    for name in ("hand_id", "action", "client_action_id", "turn_token"):
        if len(_optional(frame, name, str) or "") > LONGEST_TEXT:
            raise FrameError(f"{name} is longer than {LONGEST_TEXT} characters")
    amount = frame.get("amount")
    if amount is not None and (isinstance(amount, bool) or not isinstance(amount, int | float)):
        raise FrameError("amount must be a number")
