"""The REST side of the venue: the calls that clients make around their WebSocket session."""

from http import HTTPStatus
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler

from agent.arena.account import Account
from agent.arena.lobby import Lobby
from agent.arena.referee import RefusedError


class Rest:
    """Answers for one lobby; every error is `{"detail": text}`."""

    def __init__(self, lobby: Lobby) -> None:
        self._lobby = lobby

    def application(self) -> web.Application:
        """The routes, ready to be served."""
        application = web.Application(middlewares=[_errors_as_json])
        application.add_routes(
            [
                web.get("/health", self._health),
                web.get("/api/me", self._me),
                web.get("/api/me/active-game", self._active_game),
                web.get("/api/season/me", self._season_entry),
                web.post("/api/season/rebuy", self._rebuy),
            ]
        )
        return application

    async def _health(self, _: web.Request) -> web.Response:
        return web.json_response({"status": "ok"})

    async def _me(self, request: web.Request) -> web.Response:
        account = self._account(request)
        return web.json_response(
            {
                "agent_id": account.agent_id,
                "email": f"{account.agent_id}@arena.invalid",
                "name": account.name,
                "balance": 0.0,
                "created_at": self._lobby.started_at.isoformat(),
                "onboarded": True,
            }
        )

    async def _active_game(self, request: web.Request) -> web.Response:
        account = self._account(request)
        table = self._lobby.table_of(account)
        seat = table.seat_of(account) if table is not None else None
        return web.json_response(
            {
                "playing": seat is not None,
                "table_id": table.table_id if table is not None else None,
                "seat": seat.number if seat is not None else None,
                "stack_chips": table.chips_of(account) if table is not None else None,
            }
        )

    async def _season_entry(self, request: web.Request) -> web.Response:
        account = self._account(request)
        if not account.is_registered:
            raise web.HTTPNotFound(text="not registered for this season")
        return web.json_response(self._entry(account))

    async def _rebuy(self, request: web.Request) -> web.Response:
        account = self._account(request)
        try:
            self._lobby.rebuy(account)
        except RefusedError as refusal:
            kind = web.HTTPBadRequest if account.is_registered else web.HTTPNotFound
            raise kind(text=refusal.reason) from None
        return web.json_response(self._entry(account))

    def _account(self, request: web.Request) -> Account:
        """Whose key the request carries; raises 401 without one."""
        scheme, _, key = request.headers.get("Authorization", "").partition(" ")
        account = self._lobby.account_for(key.strip()) if scheme.lower() == "bearer" else None
        if account is None:
            raise web.HTTPUnauthorized(text="the API key is missing or wrong")
        return account

    def _entry(self, account: Account) -> dict[str, Any]:
        scores = sorted((self._score(other) for other in self._lobby.accounts if other.is_registered), reverse=True)
        return {
            "season_id": self._lobby.seeded.id("season"),
            "chip_balance": account.chips,
            "chips_at_table": self._at_table(account),
            "score": self._score(account),
            "rank": scores.index(self._score(account)) + 1,
            "total_participants": len(scores),
            "rebuy_penalty": 0,
            "auto_rebuy": account.auto_rebuy,
            "starting_chips": self._lobby.settings.start_chips,
            "hands_played": account.stats.hands,
        }

    def _score(self, account: Account) -> int:
        return account.chips + self._at_table(account)

    def _at_table(self, account: Account) -> int:
        table = self._lobby.table_of(account)
        return table.chips_of(account) if table is not None else 0


@web.middleware
async def _errors_as_json(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        return await handler(request)
    except web.HTTPException as failure:
        return web.json_response({"detail": failure.text}, status=HTTPStatus(failure.status))
