"""The venue's socket: whether it opens and greets us. No seat is asked for."""

import asyncio
from typing import Final

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI

from agent.checks.case import Case
from agent.checks.finding import Finding, failed, fine, skipped, warning
from agent.checks.reach import shown, why_unreached
from agent.checks.rest import Unreached, ask
from agent.openpoker import fields, frames

_URL: Final = "OPEN_POKER_WS_URL"
_FORM: Final = f"{_URL} should look like wss://openpoker.ai/ws, with /ws at its end"
_REFUSALS: Final = {
    "auth_failed": (
        "the venue refuses the key",
        "copy OPEN_POKER_API_KEY from the dashboard again; is it a key of the venue that OPEN_POKER_WS_URL names?",
    ),
    "competition_not_found": (
        "the venue knows no such competition",
        "copy OPEN_POKER_COMPETITION_ID from the invitation again, or leave it unset for the public league",
    ),
    "scope_connection_already_active": (
        "another program is connected to this competition with the same key",
        "stop it, or let it play on and do not start a second one",
    ),
    "rate_limited": ("the venue wants fewer connections", "wait a minute, then try again"),
}


async def check_socket(case: Case) -> Finding:
    """Whether the socket opens and says `connected`, unless that would end the connection of a bot that plays."""
    if not case.takeover:
        in_the_way = await _who_plays(case)
        if in_the_way is not None:
            return in_the_way
    url = shown(case.settings.open_poker_ws_url)
    try:
        async with asyncio.timeout(case.deadline_s):
            code, name = await _greeting(case)
    except InvalidStatus as refused:
        return _refused_upgrade(refused.response.status_code, url)
    except (InvalidHandshake, InvalidURI) as error:
        what = f"{url} is no WebSocket"
        return failed("socket", what, why=f"the upgrade failed ({type(error).__name__})", remedy=_FORM, url=url)
    except ConnectionClosed as closed:
        received = closed.rcvd.code if closed.rcvd is not None else None
        if received == frames.AUTH_FAILED_CLOSE_CODE:
            return _refused("auth_failed", f"close code {received}", url)
        why = f"it closed before it had greeted us (close code {received})"
        return failed("socket", f"{url} closes at once", why=why, remedy=f"try again later; {_FORM}", url=url)
    except (OSError, TimeoutError) as error:
        why, remedy = why_unreached(error, url, variable=_URL, deadline_s=case.deadline_s)
        return failed("socket", f"{url} cannot be reached", why=why, remedy=remedy, url=url)
    if code is not None:
        return _refused(code, f"error frame {code}", url)
    if name is None:
        why = "the first message is not the venue's `connected`"
        return failed("socket", f"{url} is another service", why=why, remedy=_FORM, url=url)
    return fine("socket", f"connected as {name}, closed again without joining", url=url, bot=name)


async def _who_plays(case: Case) -> Finding | None:
    """The finding that keeps us from connecting; None when no seat of ours is in play."""
    hint = "--takeover tries the socket all the same; a program that plays connects again after half a minute"
    try:
        answer = await ask(case, "/me/active-game")
    except Unreached as error:
        return skipped("socket", f"a bot that plays now would be disconnected, and REST does not say: {error.why}")
    playing = fields.flag(answer.body or {}, "playing") if answer.status == 200 else None
    if playing is None:
        why = f"a bot that plays now would be disconnected, and REST does not say: HTTP {answer.status}"
        return skipped("socket", f"{why}; {hint}")
    if playing:
        why = "the bot sits at a table, and a second connection with its key would end the first"
        return warning("socket", "not tried", why=why, remedy=hint, playing=True)
    return None


async def _greeting(case: Case) -> tuple[str | None, str | None]:
    """The code of a refusal, else the bot's name; both None when something else was said."""
    headers = {"Authorization": f"Bearer {case.key}"}
    async with connect(
        case.settings.venue_url,
        additional_headers=headers,
        max_size=frames.MAX_FRAME_BYTES,
        open_timeout=None,
        close_timeout=1,
    ) as socket:
        try:
            frame = frames.parse(await socket.recv())
        except frames.FrameError:
            return None, None
    if frame["type"] == "error":
        return fields.text(frame, "code") or "without a code", None
    return None, (fields.text(frame, "name") or "unnamed") if frame["type"] == "connected" else None


def _refused_upgrade(status: int, url: str) -> Finding:
    why = f"HTTP {status} to the upgrade"
    if status in (401, 403):
        return _refused("auth_failed", why, url)
    if status == 429:
        return _refused("rate_limited", why, url)
    if status in (404, 405):
        return failed("socket", f"{_URL} has the wrong path", why=f"{why} of {url}", remedy=_FORM, url=url)
    if status >= 500:
        return failed("socket", "the venue is in trouble", why=why, remedy="try again later", url=url)
    return failed("socket", f"{url} is no WebSocket", why=why, remedy=_FORM, url=url)


def _refused(code: str, why: str, url: str) -> Finding:
    unknown = (f"the venue refuses the connection: {code}", "look the code up in the venue's documentation")
    what, remedy = _REFUSALS.get(code, unknown)
    return failed("socket", what, why=why, remedy=remedy, url=url, code=code)
