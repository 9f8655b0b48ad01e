"""The venue's socket: connected and closed again, without joining a lobby."""

import asyncio
import time
from typing import Final

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI

from agent.doctor.finding import Finding, Surroundings, failed, ok, skipped, warning
from agent.doctor.reach import Trouble, unreached
from agent.doctor.rest import REFUSED_KEY, Answer, get
from agent.llm.fault import shown_url
from agent.openpoker import fields, frames

_VARIABLE: Final = "OPEN_POKER_WS_URL"
_CHECK_URL: Final = f"check {_VARIABLE}; the live one is {frames.LIVE_WS_URL}"
_UNKNOWN: Final = skipped(
    "socket",
    "not tried",
    why="it is not known whether the bot plays (/me/active-game was not answered), and trying would end its session",
    remedy="see rest, or add --takeover",
)
_REMEDIES: Final = {
    "rate_limited": "wait a minute and try again",
    "scope_connection_already_active": "stop the other client that plays this competition with this key",
}


async def socket(around: Surroundings) -> Finding:
    """Whether the socket opens and the venue greets us on it.

    The venue keeps one connection a key: this one ends another client's. So it is not tried where the bot plays, and
    tried without the key where that cannot be known, unless `takeover` says so.
    """
    playing = None if around.takeover else await _playing(around)
    if playing is not None:
        return playing if playing.holds else await _without_key(around)
    url, started = around.settings.open_poker_ws_url, time.perf_counter()
    try:
        async with asyncio.timeout(around.network_s):
            greeting = await _greeting(around)
    except (OSError, TimeoutError, InvalidHandshake, InvalidURI, ConnectionClosed) as error:
        greeting = _trouble(error, url, around.network_s)
    if isinstance(greeting, Trouble):
        return failed("socket", greeting.what, why=greeting.why, remedy=greeting.remedy, url=shown_url(url))
    took_ms = round((time.perf_counter() - started) * 1000)
    name = fields.text(greeting, "name")
    return ok("socket", f"{shown_url(url)} greets {name or 'us'} after {took_ms} ms", url=shown_url(url), ms=took_ms)


async def _playing(around: Surroundings) -> Finding | None:
    """What keeps us from connecting as the bot: a warning where it plays, `_UNKNOWN` where nobody knows; else None."""
    answer = await get(around, "/me/active-game")
    if isinstance(answer, Answer):
        playing = fields.flag(answer.fields, "playing")
        if playing is False or answer.refuses_key:
            return None
        if playing:
            return warning(
                "socket",
                "not tried: the bot is playing",
                why="the venue keeps one connection a key, so that trying would end the running session's",
                remedy="stop the agent first, or add --takeover",
                table_id=fields.text(answer.fields, "table_id"),
            )
    return _UNKNOWN


async def _without_key(around: Surroundings) -> Finding:
    """Whether the socket opens at all. Nobody's session ends of it, since the venue does not learn who we are."""
    # A query may hold a token.
    url = around.settings.open_poker_ws_url.partition("?")[0]
    try:
        async with asyncio.timeout(around.network_s), connect(url, open_timeout=None, close_timeout=1):
            pass
    except InvalidStatus as refused:
        status = refused.response.status_code
        trouble = None if status in (401, 403) else _refused_upgrade(status, shown_url(url))
    except (OSError, TimeoutError, InvalidHandshake, InvalidURI, ConnectionClosed) as error:
        trouble = _trouble(error, url, around.network_s)
    else:
        trouble = None
    if trouble is not None:
        return failed("socket", trouble.what, why=trouble.why, remedy=trouble.remedy, url=shown_url(url))
    return warning(
        "socket",
        f"{shown_url(url)} answers; it was not tried with the key",
        why=_UNKNOWN.why,
        remedy=_UNKNOWN.remedy,
        url=shown_url(url),
    )


async def _greeting(around: Surroundings) -> frames.Frame | Trouble:
    """The venue's `connected` frame, or what came in its place."""
    key = around.settings.open_poker_api_key
    headers = {"Authorization": f"Bearer {key.get_secret_value()}"} if key is not None else {}
    async with connect(
        around.settings.venue_url,
        additional_headers=headers,
        max_size=frames.MAX_FRAME_BYTES,
        open_timeout=None,
        close_timeout=1,
    ) as venue:
        try:
            return await _first_words(venue)
        except ConnectionClosed:
            return _closed(venue)


async def _first_words(venue: ClientConnection) -> frames.Frame | Trouble:
    """The first frame that tells whether we are in; others may come before it."""
    while True:
        message = await venue.recv()
        try:
            frame = frames.parse(message)
        except frames.FrameError as error:
            return Trouble("the socket opens, but what it says is not Open Poker's", str(error), _CHECK_URL)
        if frame["type"] == "connected":
            return frame
        if frame["type"] == "error":
            return _refusal(frame)


def _refusal(frame: frames.Frame) -> Trouble:
    code = fields.text(frame, "code") or "for no stated reason"
    if code == "auth_failed":
        return REFUSED_KEY
    if code == "competition_not_found":
        return Trouble(
            "the venue knows no such competition",
            "OPEN_POKER_COMPETITION_ID is not one of its private competitions, or not open to this bot",
            "copy the id from the invitation again, or leave it unset for the public league",
        )
    return Trouble(
        f"the venue lets us connect and then refuses us: {code}",
        fields.text(frame, "message") or "it does not say why",
        _REMEDIES.get(code, _CHECK_URL),
    )


def _closed(venue: ClientConnection) -> Trouble:
    if venue.close_code == frames.AUTH_FAILED_CLOSE_CODE:
        return REFUSED_KEY
    return Trouble(
        f"the socket opens and closes at once (code {venue.close_code})",
        "the venue, or something in between, ends it before the greeting",
        f"try again in some minutes; then {_CHECK_URL}",
    )


def _trouble(error: Exception, url: str, waited_s: float) -> Trouble:
    """What it means that the socket did not open."""
    if isinstance(error, InvalidStatus):
        return _refused_upgrade(error.response.status_code, shown_url(url))
    if isinstance(error, InvalidHandshake | InvalidURI):
        return Trouble(
            f"{shown_url(url)} is no WebSocket",
            f"something answers there, but not to the upgrade ({type(error).__name__})",
            _CHECK_URL,
        )
    return unreached(error, url, _VARIABLE, waited_s=waited_s)


def _refused_upgrade(status: int, shown: str) -> Trouble:
    if status in (401, 403):
        return REFUSED_KEY
    if status == 429 or status >= 500:
        return Trouble(
            f"the venue does not open the socket now (HTTP {status})",
            "it limits connections a minute" if status == 429 else "its server has trouble of its own",
            "wait some minutes and try again",
        )
    return Trouble(
        f"{shown} is no WebSocket",
        f"the answer to the upgrade is HTTP {status}: there is no such path, or a web page is there",
        _CHECK_URL,
    )
