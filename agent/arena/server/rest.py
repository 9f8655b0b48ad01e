"""The REST side of the venue: the calls that clients make around their WebSocket session (protocol V2, section 11)."""

import asyncio
import json
from collections.abc import Callable
from http import HTTPStatus
from math import ceil
from typing import Any, Final

from aiohttp import web
from aiohttp.typedefs import Handler

from agent.arena.faults.plan import FaultDice, FaultName
from agent.arena.game.account import Account, PlayedHand
from agent.arena.game.refusal import RefusedError
from agent.arena.league.keys import Agent, NameTakenError, RegistrationError
from agent.arena.league.pools import Pools
from agent.arena.league.season import PastSeason, Standing
from agent.arena.server.limits import Window
from agent.arena.server.venue import MINUTE_S, bearer_key
from agent.poker.cards import format_card

MAX_BODY_BYTES: Final = 64 * 1024

# Calls a minute, and whether of one address or of one key.
CALLS_PER_MINUTE: Final = {
    ("GET", "/api/me"): (60, "address"),
    ("PATCH", "/api/me"): (10, "key"),
    ("POST", "/api/me/regenerate-key"): (5, "key"),
    ("GET", "/api/me/hand-history"): (30, "key"),
    ("GET", "/api/season/current"): (60, "address"),
    ("GET", "/api/season/leaderboard"): (30, "address"),
    ("POST", "/api/season/rebuy"): (10, "key"),
    ("POST", "/api/register"): (5, "address"),
}
_SORTS: Final[dict[str, Callable[[Standing], float]]] = {
    "score": lambda standing: standing.score,
    "hands_played": lambda standing: standing.hands,
    "win_rate": lambda standing: standing.win_rate,
}


class Rest:
    """Answers for the public league; every error is `{"detail": ...}`."""

    def __init__(self, pools: Pools) -> None:
        self._pools = pools
        self._lobby = pools.public
        self._dice = FaultDice(pools.faults, "rest")
        self._windows: dict[tuple[str, str, str], Window] = {}

    def application(self) -> web.Application:
        """The routes, ready to be served."""
        application = web.Application(
            middlewares=[_errors_as_json, self._faulty, self._limited], client_max_size=MAX_BODY_BYTES
        )
        application.add_routes(
            [
                web.get("/health", self._health),
                web.post("/api/register", self._register),
                web.get("/api/me", self._me),
                web.patch("/api/me", self._rename),
                web.get("/api/me/active-game", self._active_game),
                web.post("/api/me/regenerate-key", self._regenerate_key),
                web.get("/api/me/hand-history", self._hand_history),
                web.get("/api/season/current", self._current_season),
                web.get("/api/season/list", self._seasons),
                web.get("/api/season/leaderboard", self._leaderboard),
                web.get("/api/season/me", self._season_entry),
                web.patch("/api/season/me", self._change_entry),
                web.post("/api/season/rebuy", self._rebuy),
                web.get("/api/season/{season}", self._past_season),
                web.get("/api/season/{season}/leaderboard", self._past_leaderboard),
                web.get("/api/freezeouts", self._freezeouts),
            ]
        )
        return application

    # Agents

    async def _health(self, _: web.Request) -> web.Response:
        return web.json_response({"status": "ok"})

    async def _register(self, request: web.Request) -> web.Response:
        body = await _body(request)
        name, email, wallet_address = (_text(body, field) for field in ("name", "email", "wallet_address"))
        if name is None:
            raise _unprocessable("name", "a string is required")
        if body.get("terms_accepted") is not True:
            raise web.HTTPBadRequest(text="terms_accepted must be true")
        agent, key = self._pools.keys.register(name, email)
        answer = {"agent_id": agent.agent_id, "api_key": key, "email": agent.email, "name": agent.name}
        return web.json_response(answer | {"wallet_address": wallet_address}, status=HTTPStatus.CREATED)

    async def _me(self, request: web.Request) -> web.Response:
        return web.json_response(_profile(self._agent(request)))

    async def _rename(self, request: web.Request) -> web.Response:
        agent = self._agent(request)
        name = _text(await _body(request), "name")
        return web.json_response(_profile(self._pools.keys.rename(agent, agent.name if name is None else name)))

    async def _regenerate_key(self, request: web.Request) -> web.Response:
        return web.json_response({"api_key": self._pools.keys.regenerate(self._agent(request))})

    async def _active_game(self, request: web.Request) -> web.Response:
        account = self._account(request)
        seated = self._lobby.seat_of(account)
        if seated is None:
            return web.json_response({"playing": False, "table_id": None, "seat": None, "stack_chips": None})
        table, seat = seated
        game = {"table_id": table.table_id, "seat": seat.number, "stack_chips": table.chips_of(account)}
        return web.json_response({"playing": True, **game})

    async def _hand_history(self, request: web.Request) -> web.Response:
        account = self._account(request)
        limit, offset = _number(request, "limit", 50, 1, 200), _number(request, "offset", 0, 0)
        newest_first = list(reversed(account.history))
        return web.json_response([_history_row(played) for played in newest_first[offset : offset + limit]])

    # The season

    async def _current_season(self, _: web.Request) -> web.Response:
        season = self._lobby.season
        return web.json_response(
            {
                "season_id": season.season_id,
                "season_number": season.number,
                "status": "active",
                "start_date": season.started_at.isoformat(),
                "end_date": season.ends_at.isoformat() if season.ends_at is not None else None,
                "winding_down": season.is_winding_down,
                "time_remaining_seconds": season.remaining_s,
            }
        )

    async def _seasons(self, _: web.Request) -> web.Response:
        season = self._lobby.season
        active = {"season_number": season.number, "season_id": season.season_id, "status": "active"}
        return web.json_response([active, *(_past(past) for past in reversed(season.past))])

    async def _leaderboard(self, request: web.Request) -> web.Response:
        return web.json_response(_rows(request, self._lobby.leaderboard()))

    async def _past_season(self, request: web.Request) -> web.Response:
        return web.json_response(_past(self._find_season(request)))

    async def _past_leaderboard(self, request: web.Request) -> web.Response:
        return web.json_response(_rows(request, self._find_season(request).standings))

    async def _season_entry(self, request: web.Request) -> web.Response:
        return web.json_response(self._entry(self._registered(request)))

    async def _change_entry(self, request: web.Request) -> web.Response:
        account = self._registered(request)
        enabled = (await _body(request)).get("auto_rebuy", account.auto_rebuy)
        if not isinstance(enabled, bool):
            raise _unprocessable("auto_rebuy", "expected true or false")
        if enabled != account.auto_rebuy:
            self._lobby.bank.set_auto_rebuy(account, enabled)
        return web.json_response(self._entry(account))

    async def _rebuy(self, request: web.Request) -> web.Response:
        account = self._account(request)
        try:
            self._lobby.bank.rebuy(account)
        except RefusedError as refusal:
            if refusal.code == "not_registered_for_season":
                raise web.HTTPNotFound(text=refusal.reason) from None
            if refusal.code == "rebuy_cooldown":
                raise _too_many(refusal.reason, refusal.details["cooldown_seconds"]) from None
            raise web.HTTPBadRequest(text=refusal.reason) from None
        return web.json_response(self._entry(account))

    async def _freezeouts(self, _: web.Request) -> web.Response:
        """Not a call of the live venue: places and payouts of the freeze-outs that are over, the newest first."""
        freezeouts = self._lobby.freezeouts
        over = reversed(freezeouts.results) if freezeouts is not None else ()
        return web.json_response(
            [
                {
                    "table_id": result.table_id,
                    "entries": len(result.entrants),
                    "pool": result.pool_chips,
                    "hands": result.hands,
                    "places": [
                        {"place": place.place, "name": place.name, "payout": place.payout_chips}
                        for place in reversed(result.places)
                    ],
                }
                for result in over
            ]
        )

    # Inside

    def _agent(self, request: web.Request) -> Agent:
        """Whose key the request carries; raises 401 without one."""
        agent = self._pools.keys.agent_of(bearer_key(request))
        if agent is None:
            raise web.HTTPUnauthorized(text="the API key is missing or wrong")
        return agent

    def _account(self, request: web.Request) -> Account:
        return self._lobby.account_of(self._agent(request))

    def _registered(self, request: web.Request) -> Account:
        account = self._account(request)
        if not account.is_registered:
            raise web.HTTPNotFound(text="not registered for this season")
        return account

    def _find_season(self, request: web.Request) -> PastSeason:
        named = request.match_info["season"]
        for past in self._lobby.season.past:
            if named in (past.season_id, str(past.number)):
                return past
        raise web.HTTPNotFound(text=f"no season {named[:40]} is over")

    def _entry(self, account: Account) -> dict[str, Any]:
        lobby = self._lobby
        standings = lobby.leaderboard()
        return {
            "season_id": lobby.season.season_id,
            "season_number": lobby.season.number,
            "chip_balance": account.chips,
            "chips_at_table": lobby.chips_at_table(account),
            "score": lobby.score(account),
            "rank": next(standing.rank for standing in standings if standing.name == account.name),
            "total_participants": len(standings),
            "rebuys": account.rebuys,
            "rebuy_penalty": account.rebuys * lobby.settings.rebuy_penalty_chips,
            "pro_tier": False,
            "auto_rebuy": account.auto_rebuy,
            "starting_chips": lobby.settings.start_chips,
            "hands_played": account.hands,
        }

    @web.middleware
    async def _limited(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """429 for more calls a minute than the live venue takes, where the settings ask for it."""
        found = CALLS_PER_MINUTE.get((request.method, request.path))
        if found is None or not self._pools.settings.limits_rest_calls:
            return await handler(request)
        limit, whose = found
        caller = (whose == "key" and bearer_key(request)) or request.remote or ""
        clock = asyncio.get_running_loop().time
        window = self._windows.setdefault((request.method, request.path, caller), Window(limit, MINUTE_S, clock))
        if not window.allows_another():
            raise _too_many("too many calls in a minute", ceil(window.retry_after_s))
        return await handler(request)

    @web.middleware
    async def _faulty(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """The faults of REST calls."""
        if not request.path.startswith("/api"):
            return await handler(request)
        if self._dice.strikes(FaultName.REST_429):
            raise _too_many("too many calls in a minute", ceil(self._dice.seconds(FaultName.REST_429)))
        if self._dice.strikes(FaultName.REST_500):
            raise web.HTTPInternalServerError(text="something broke")
        if self._dice.strikes(FaultName.REST_TIMEOUT):
            await asyncio.sleep(self._dice.seconds(FaultName.REST_TIMEOUT))
        return await handler(request)


@web.middleware
async def _errors_as_json(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        return await handler(request)
    except NameTakenError as taken:
        return web.json_response({"detail": str(taken)}, status=HTTPStatus.CONFLICT)
    except RegistrationError as wrong:
        detail = _unprocessable("name", str(wrong)).details
        return web.json_response({"detail": detail}, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    except _Unprocessable as wrong:
        return web.json_response({"detail": wrong.details}, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    except web.HTTPException as failure:
        retry = {"Retry-After": failure.headers["Retry-After"]} if "Retry-After" in failure.headers else None
        return web.json_response({"detail": failure.text}, status=HTTPStatus(failure.status), headers=retry)


class _Unprocessable(Exception):
    """A body or a query with a wrong field."""

    def __init__(self, details: list[dict[str, Any]]) -> None:
        super().__init__(details)
        self.details = details


def _unprocessable(field: str, message: str, where: str = "body") -> _Unprocessable:
    return _Unprocessable([{"loc": [where, field], "msg": message, "type": "value_error"}])


def _too_many(reason: str, retry_after_s: int) -> web.HTTPTooManyRequests:
    return web.HTTPTooManyRequests(text=reason, headers={"Retry-After": str(retry_after_s)})


async def _body(request: web.Request) -> dict[str, Any]:
    """The JSON object in the body, empty for none; 422 for anything else."""
    try:
        text = await request.read()
    except (web.RequestPayloadError, ConnectionError):
        raise _unprocessable("", "not readable") from None
    try:
        body = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        raise _unprocessable("", "not JSON") from None
    if not isinstance(body, dict):
        raise _unprocessable("", "expected an object")
    return body


def _text(body: dict[str, Any], field: str) -> str | None:
    """A text of the body, None without one; 422 for anything else."""
    text = body.get(field)
    if text is not None and not isinstance(text, str):
        raise _unprocessable(field, "expected a string")
    return text


def _number(request: web.Request, name: str, default: int, low: int, high: int | None = None) -> int:
    """A whole number of the query; 422 when it is none or out of bounds."""
    text = request.query.get(name, str(default))
    value = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
    if value is None or value < low or (high is not None and value > high):
        bounds = f"{low} to {high}" if high is not None else f"{low} or more"
        raise _unprocessable(name, f"expected a number, {bounds}", "query")
    return value


def _rows(request: web.Request, standings: "list[Standing] | tuple[Standing, ...]") -> list[dict[str, Any]]:
    """The part of a leaderboard that the query asks for; ranks are those by score."""
    limit, offset = _number(request, "limit", 50, 1, 1_000), _number(request, "offset", 0, 0)
    min_hands = _number(request, "min_hands", 0, 0)
    sort_by = request.query.get("sort_by", "score")
    if sort_by not in _SORTS:
        raise _unprocessable("sort_by", f"expected one of {', '.join(_SORTS)}", "query")
    chosen = sorted((s for s in standings if s.hands >= min_hands), key=_SORTS[sort_by], reverse=True)
    return [
        {
            "rank": standing.rank,
            "name": standing.name,
            "score": standing.score,
            "hands_played": standing.hands,
            "win_rate": round(standing.win_rate, 4),
        }
        for standing in chosen[offset : offset + limit]
    ]


def _profile(agent: Agent) -> dict[str, Any]:
    return {
        "agent_id": agent.agent_id,
        "email": agent.email,
        "name": agent.name,
        "balance": 0.0,
        "created_at": agent.created_at.isoformat(),
        "owner_id": None,
        "wallet_address": None,
        "pro_seasons_remaining": 0,
        "onboarded": True,
        "avatar_url": None,
        "avatar_pending_url": None,
        "avatar_review_state": "none",
        "public_profile_slug": agent.name.lower().replace("_", "-"),
        "portfolio_slot": 1,
        "portfolio_role": "primary",
        "portfolio_status": "active",
        "desired_public_runtime": "self_hosted",
        "runtime_generation": 1,
    }


def _past(season: PastSeason) -> dict[str, Any]:
    return {
        "season_number": season.number,
        "season_id": season.season_id,
        "status": "ended",
        "start_date": season.started_at.isoformat(),
        "end_date": season.ended_at.isoformat(),
        "total_participants": len(season.standings),
    }


def _history_row(played: PlayedHand) -> dict[str, Any]:
    """A hand of the client's own; the live venue's row is not known."""
    hand, seat = played.record, played.seat
    return {
        "hand_id": hand.hand_id,
        "table_id": hand.table_id,
        "ended_at": played.ended_at.isoformat(),
        "seat": seat,
        "hole_cards": [format_card(card) for card in hand.hole_cards[seat]],
        "board": [format_card(card) for card in hand.board],
        "start_stack": hand.start_stacks[seat],
        "final_stack": hand.final_stacks[seat],
        "net_chips": hand.final_stacks[seat] - hand.start_stacks[seat],
    }
