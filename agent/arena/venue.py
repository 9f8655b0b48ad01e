"""The WebSocket side of the venue: keys, connections, and the messages of clients."""

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from agent.arena import wire
from agent.arena.account import Account
from agent.arena.lobby import Lobby
from agent.arena.referee import RefusedError, receive_action
from agent.openpoker.frames import AUTH_FAILED_CLOSE_CODE, Frame, FrameError, encode, parse, whole_chips

REPLACED_CLOSE_CODE: Final = 4000
TOO_SLOW_CLOSE_CODE: Final = 1013
MAX_MESSAGE_BYTES: Final = 64 * 1024
MAX_WAITING_FRAMES: Final = 10_000


class Connection:
    """One open socket. Frames wait in its own queue, so that a client that does not read holds up nobody."""

    def __init__(self, socket: ServerConnection) -> None:
        self._socket = socket
        self._outbox: asyncio.Queue[str | tuple[int, str]] = asyncio.Queue()

    def deliver(self, frame: Frame) -> None:
        """Queue a frame; a client that lets too many pile up is cut off."""
        if self._outbox.qsize() == MAX_WAITING_FRAMES:
            self.close(TOO_SLOW_CLOSE_CODE, "too many unread frames")
        elif self._outbox.qsize() < MAX_WAITING_FRAMES:
            self._outbox.put_nowait(encode(frame))

    def close(self, code: int, reason: str) -> None:
        """Close the socket once everything queued before is sent."""
        self._outbox.put_nowait((code, reason))

    async def write(self) -> None:
        """Send what is queued until the socket closes."""
        with contextlib.suppress(ConnectionClosed):
            while isinstance(item := await self._outbox.get(), str):
                await self._socket.send(item)
            await self._socket.close(*item)


class MessageLimit:
    """At most `per_second` messages in any second, by `clock` in seconds; None allows everything."""

    def __init__(self, per_second: int | None, clock: Callable[[], float]) -> None:
        self._per_second = per_second
        self._clock = clock
        self._recent: deque[float] = deque()

    def allows_another(self) -> bool:
        """Whether a message that arrives now is within the limit; it counts only when it is."""
        if self._per_second is None:
            return True
        now = self._clock()
        while self._recent and self._recent[0] <= now - 1.0:
            self._recent.popleft()
        if len(self._recent) >= self._per_second:
            return False
        self._recent.append(now)
        return True


class Venue:
    """Serves `/ws` for one lobby."""

    def __init__(self, lobby: Lobby) -> None:
        self._lobby = lobby
        self._settings = lobby.settings
        self._connections: dict[str, Connection] = {}

    async def start(self) -> Server:
        """Open the port; the returned server tells it and closes it."""
        return await serve(
            self._serve_client,
            self._settings.host,
            self._settings.ws_port,
            process_request=_only_ws,
            max_size=MAX_MESSAGE_BYTES,
            compression=None,
            server_header=None,
        )

    async def _serve_client(self, socket: ServerConnection) -> None:
        account = self._lobby.account_for(_api_key(socket.request)) if socket.request is not None else None
        if account is None:
            await socket.send(encode(wire.error("auth_failed", "the API key is missing or wrong")))
            await socket.close(AUTH_FAILED_CLOSE_CODE, "auth_failed")
            return
        connection = Connection(socket)
        writer = asyncio.create_task(connection.write())
        self._open(account, connection)
        try:
            await self._read(socket, account, connection)
        finally:
            if self._connections.get(account.name) is connection:
                del self._connections[account.name]
                self._lobby.disconnect(account)
            writer.cancel()

    def _open(self, account: Account, connection: Connection) -> None:
        """Make this the client's connection; an older one is closed."""
        older = self._connections.get(account.name)
        if older is not None:
            older.close(REPLACED_CLOSE_CODE, "replaced by a newer connection")
        self._connections[account.name] = connection
        connection.deliver({"type": "connected", "agent_id": account.agent_id, "name": account.name})
        self._lobby.connect(account, connection.deliver)

    async def _read(self, socket: ServerConnection, account: Account, connection: Connection) -> None:
        limit = MessageLimit(self._settings.max_messages_per_s, asyncio.get_running_loop().time)
        with contextlib.suppress(ConnectionClosed):
            async for text in socket:
                if self._connections.get(account.name) is not connection:
                    continue
                if not limit.allows_another():
                    connection.deliver(wire.error("rate_limited", "too many messages in a second"))
                    continue
                self._receive(account, text)

    def _receive(self, account: Account, text: str | bytes) -> None:
        try:
            self._handle(account, parse(text))
        except FrameError as fault:
            account.send(wire.error("invalid_message", str(fault)))
        except RefusedError as refusal:
            account.send(wire.error(refusal.code, refusal.reason, **self._details(account, refusal.code)))

    def _handle(self, account: Account, frame: dict[str, Any]) -> None:
        lobby = self._lobby
        match frame["type"]:
            case "action":
                _check_action(frame)
                receive_action(account, lobby.table_of(account), frame)
            case "join_lobby":
                lobby.join(account, frame.get("buy_in"))
            case "leave_table":
                lobby.leave(account)
            case "set_auto_rebuy":
                lobby.set_auto_rebuy(account, _field(frame, "enabled", bool))
            case "rebuy":
                lobby.rebuy(account)
                account.send(lobby.rebuy_confirmed(account))
            case "resync_request":
                after = frame.get("last_table_seq")
                lobby.resync(account, _field(frame, "table_id", str), whole_chips(after) or 0)
            case unknown:
                raise RefusedError("unknown_message", f"there is no message of type {unknown[:40]!r}")

    def _details(self, account: Account, code: str) -> dict[str, Any]:
        """Where the client sits, for the one refusal that says it."""
        table = self._lobby.table_of(account)
        seat = table.seat_of(account) if table is not None else None
        if code != "already_seated" or table is None or seat is None:
            return {}
        return {"table_id": table.table_id, "seat": seat.number}


def _only_ws(socket: ServerConnection, request: Request) -> Response | None:
    """Refuse every other path with 404."""
    if urlsplit(request.path).path == "/ws":
        return None
    return socket.respond(HTTPStatus.NOT_FOUND, "the venue listens at /ws\n")


def _api_key(request: Request) -> str | None:
    """The key in the header, else in the legacy query."""
    scheme, _, key = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer" and key:
        return key.strip()
    return next(iter(parse_qs(urlsplit(request.path).query).get("token", [])), None)


def _field(frame: Frame, name: str, kind: type[Any]) -> Any:
    if not isinstance(frame.get(name), kind):
        raise FrameError(f"{name} must be a {kind.__name__}")
    return frame[name]


def _check_action(frame: Frame) -> None:
    """Raise `FrameError` where a field of an action has another type than the schema says."""
    for name in ("hand_id", "action", "client_action_id", "turn_token"):
        if frame.get(name) is not None:
            _field(frame, name, str)
    amount = frame.get("amount")
    if amount is not None and (isinstance(amount, bool) or not isinstance(amount, int | float)):
        raise FrameError("amount must be a number")
