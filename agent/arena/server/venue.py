"""The WebSocket side of the venue: who may connect, connections, and takeovers."""

import asyncio
import contextlib
from typing import Final

from aiohttp import WSMsgType, web

from agent.arena.faults.line import Cut
from agent.arena.game.account import Account
from agent.arena.game.refusal import RefusedError
from agent.arena.league.keys import Agent
from agent.arena.league.lobby import Lobby
from agent.arena.league.pools import Pools
from agent.arena.server.connection import CLOSE_WITHIN_S, Connection
from agent.arena.server.limits import FloodWatch, Window
from agent.arena.server.messages import Messages
from agent.arena.server.recording import Recorder
from agent.arena.wire import frames as wire
from agent.arena.wire.spelling import Spelling
from agent.openpoker.frames import AUTH_FAILED_CLOSE_CODE, encode

REFUSED_CLOSE_CODE: Final = 1008
MAX_MESSAGE_BYTES: Final = 64 * 1024
MINUTE_S: Final = 60.0


class Venue:
    """Serves `/ws` for every pool."""

    def __init__(self, pools: Pools, recorder: Recorder | None) -> None:
        self._pools = pools
        self._settings = pools.settings
        self._recorder = recorder
        self._spelling = Spelling(pools.settings.dialect)
        self._connections: dict[Account, Connection] = {}
        self._floods: dict[Account, FloodWatch] = {}
        self._upgrades: dict[str | None, Window] = {}

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        """One client, from the upgrade to the end of its connection."""
        socket = web.WebSocketResponse(max_msg_size=MAX_MESSAGE_BYTES, compress=False, timeout=CLOSE_WITHIN_S)
        await socket.prepare(request)
        try:
            lobby, account = self._admit(request)
        except RefusedError as refusal:
            is_key = refusal.code == "auth_failed"
            with contextlib.suppress(ConnectionError):
                await socket.send_str(encode(wire.error(refusal.code, refusal.reason)))
                code = AUTH_FAILED_CLOSE_CODE if is_key else REFUSED_CLOSE_CODE
                await socket.close(code=code, message=refusal.code.encode())
            return socket
        await self._serve_client(request, socket, lobby, account)
        return socket

    def _admit(self, request: web.Request) -> tuple[Lobby, Account]:
        """Where the client plays and as whom; `RefusedError` for one that may not connect."""
        window = self._upgrades.setdefault(
            request.remote,
            Window(self._settings.max_connections_per_min, MINUTE_S, asyncio.get_running_loop().time),
        )
        if not window.allows_another():
            raise RefusedError("rate_limited", "too many connection attempts for the play pool; try again later")
        competition_id = request.query.get("competition_id")
        agent = self._agent(request, takes_query_token=competition_id is None and self._settings.query_token)
        if agent is None:
            raise RefusedError("auth_failed", "the API key is missing or wrong")
        if competition_id is None:
            return self._pools.public, self._pools.public.account_of(agent)
        lobby = self._pools.competition(competition_id)
        if lobby is None:
            raise RefusedError("competition_not_found", "competition_id must be the UUID of a competition")
        account = lobby.account_of(agent)
        if account in self._connections:
            raise RefusedError("scope_connection_already_active", "you are connected to this competition already")
        return lobby, account

    def _agent(self, request: web.Request, *, takes_query_token: bool) -> Agent | None:
        key = bearer_key(request)
        if key is None and takes_query_token:
            key = request.query.get("token")
        return self._pools.keys.agent_of(key)

    async def _serve_client(
        self, request: web.Request, socket: web.WebSocketResponse, lobby: Lobby, account: Account
    ) -> None:
        transport = request.transport
        if not isinstance(transport, asyncio.Transport):
            return
        recorder = self._recorder.session(account.name) if self._recorder is not None else None
        connection = Connection(socket, transport, self._spelling, lobby.dice_of(account), recorder)
        self._open(lobby, account, connection)
        try:
            await self._read(socket, connection, self._messages(lobby, account, connection))
        finally:
            if self._connections.get(account) is connection:
                del self._connections[account]
                lobby.disconnect(account)
            connection.stop()

    def _open(self, lobby: Lobby, account: Account, connection: Connection) -> None:
        """Make this the client's connection; an older one is closed."""
        older = self._connections.get(account)
        if older is not None:
            older.close(self._settings.takeover_close_code, "replaced by a newer connection")
        self._connections[account] = connection
        connection.deliver({"type": "connected", "agent_id": account.agent_id, "name": account.name})
        lobby.connect(account, connection.deliver)

    def _messages(self, lobby: Lobby, account: Account, connection: Connection) -> Messages:
        flood = self._floods.setdefault(account, FloodWatch(asyncio.get_running_loop().time))
        return Messages(lobby, account, flood, is_current=lambda: self._connections.get(account) is connection)

    async def _read(self, socket: web.WebSocketResponse, connection: Connection, messages: Messages) -> None:
        """Handle messages until the client goes, or until a fault cuts its socket."""
        async for message in socket:
            if message.type not in (WSMsgType.TEXT, WSMsgType.BINARY):
                return
            frame = messages.parsed(message.data)
            if frame is None:
                continue
            cut = connection.receive(frame)
            if cut is not Cut.BEFORE:
                messages.handle(frame)
            if cut is not Cut.NONE:
                messages.cut(is_action_lost=cut is Cut.BEFORE)
                connection.cut()
                return


def bearer_key(request: web.Request) -> str | None:
    """The key in the Authorization header, None without one."""
    scheme, _, key = request.headers.get("Authorization", "").partition(" ")
    return key.strip() or None if scheme.lower() == "bearer" else None
