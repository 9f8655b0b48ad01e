"""Who may see the console: with a password whoever knows it, without one only this machine's own browser.

An ASGI layer in front of everything, pages, assets and sockets alike. It answers only what the console's own pages ask:
another site open in the same browser can neither read it nor open its socket. Without a password it also answers only requests
that name this machine as their host, so that no other name that is pointed here leads to it.
"""

import asyncio
import hmac
import html
import ipaddress
import re
import secrets
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from typing import Final
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent.console.attempts import PAUSE_S, Attempts

COOKIE: Final = "poker_agent_console"
LOGIN: Final = "/login"
_MOST_FORM_BYTES: Final = 4_096
# Two slashes at the beginning, of either kind, name another host.
_OWN_PATH: Final = re.compile(r"/(?![/\\])[^\s\\]*")
_SAFE_HEADERS: Final[Mapping[str, str]] = {
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
}


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Guard:
    """Lets through to `app` what may see it. `password` None: whatever comes from this machine's own browser."""

    def __init__(self, app: ASGIApp, password: str | None) -> None:
        self._app: Final = app
        self._password: Final = password
        self._sessions: Final = set[str]()
        self._attempts: Final = Attempts()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request or a socket."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = await self._refusal(scope, receive)
        if refusal is None:
            await self._app(scope, receive, _safely(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await refusal(scope, receive, _safely(send))

    async def _refusal(self, scope: Scope, receive: Receive) -> Response | None:
        """What is answered in the place of the console, None for the console itself."""
        headers = Headers(scope=scope)
        if not _is_own_page(headers):
            return PlainTextResponse("Only the console's own pages may ask it for anything.\n", 403)
        if self._password is None:
            is_here = _names_this_machine(headers)
            return None if is_here else PlainTextResponse("Only this machine may open the console.\n", 403)
        if scope["path"] == LOGIN and scope["type"] == "http":
            return await self._login(Request(scope, receive))
        return None if _session(headers) in self._sessions else RedirectResponse(_login_url(scope), 303)

    async def _login(self, request: Request) -> Response:
        if request.method != "POST":
            return _login_page()
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > _MOST_FORM_BYTES:
                return _login_page("That is no password.", status=413)
        given = parse_qs(body.decode("utf-8", "replace")).get("password", [""])[0]
        wait_s = self._attempts.wait_s(request.client.host if request.client else "", asyncio.get_running_loop().time())
        if wait_s is None:
            return _login_page("Too many attempts at once: try again in a few seconds.", status=429)
        await asyncio.sleep(wait_s)
        if not hmac.compare_digest(given.encode(), (self._password or "").encode()):
            await asyncio.sleep(PAUSE_S)
            return _login_page("That is not the password.", status=401)
        session = secrets.token_urlsafe(32)
        self._sessions.add(session)
        answer = RedirectResponse(_asked_for(request), 303)
        is_secure = request.url.scheme == "https"
        answer.set_cookie(COOKIE, session, httponly=True, samesite="strict", secure=is_secure)
        return answer


def _login_url(scope: Scope) -> str:
    """The login that afterwards leads to what a request asked for."""
    query = scope.get("query_string", b"").decode("latin-1")
    asked = quote(scope["path"]) + (f"?{query}" if query else "")
    return LOGIN if asked == "/" else f"{LOGIN}?{urlencode({'next': asked})}"


def _asked_for(request: Request) -> str:
    """Where a login leads: to a page of the console, never anywhere else."""
    asked = request.query_params.get("next", "/")
    return asked if _OWN_PATH.fullmatch(asked) and urlsplit(asked).path != LOGIN else "/"


def _is_own_page(headers: Headers) -> bool:
    """Whether no other site's page made a request. Browsers name the page's origin wherever another one could have made it."""
    origin = headers.get("origin")
    try:
        return origin is None or urlsplit(origin).netloc == headers.get("host", "")
    except ValueError:
        return False


def _names_this_machine(headers: Headers) -> bool:
    """Whether a request names this machine as its host."""
    try:
        return is_loopback(urlsplit(f"//{headers.get('host', '')}").hostname or "")
    except ValueError:
        return False


def _session(headers: Headers) -> str:
    """The session that a request belongs to, empty for none."""
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""


def _safely(send: Send) -> Send:
    """Send with headers that keep other sites from framing the console."""

    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(_SAFE_HEADERS)
        await send(message)

    return with_headers


def _login_page(problem: str = "", *, status: int = 200) -> HTMLResponse:
    """The page that asks for the password; it needs nothing from anywhere."""
    told = f'<p id="problem" role="alert">{html.escape(problem)}</p>' if problem else ""
    described = ' aria-describedby="problem" aria-invalid="true"' if problem else ""
    return HTMLResponse(_LOGIN_HTML.format(told=told, described=described), status)


_LOGIN_HTML: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Log in - poker-agent</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<style>
  body {{ font: 1rem/1.5 system-ui, sans-serif; display: grid; place-items: center; min-height: 90vh; margin: 0 1rem; }}
  form {{ display: grid; gap: .75rem; width: min(20rem, 100%); }}
  input, button {{ font: inherit; padding: .5rem .75rem; }}
  [role=alert] {{ margin: 0; color: light-dark(#b00020, #ff8a8a); }}
</style></head>
<body><main><form method="post">
  <h1>poker-agent</h1>
  <label for="password">Password of this console</label>
  <input id="password" name="password" type="password" autocomplete="current-password" required autofocus{described}>
  {told}
  <button type="submit">Log in</button>
</form></main></body></html>
"""
