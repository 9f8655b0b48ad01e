import asyncio
from typing import Any

import httpx
import pytest
from starlette.responses import PlainTextResponse

from agent.console.guard import COOKIE, Guard

PASSWORD = "correct horse"


def client(guard: Guard, base_url: str = "http://127.0.0.1:8777") -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(guard), base_url=base_url)


def guarded(password: str | None) -> Guard:
    return Guard(PlainTextResponse("the console"), password)


async def socket_is_open(guard: Guard, **headers: str) -> bool:
    """Whether a socket reaches what is behind the guard."""
    reached, sent = [], []

    async def behind(scope: Any, receive: Any, send: Any) -> None:
        reached.append(scope["path"])

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    guard._app = behind  # type: ignore[misc]
    given = [(name.encode(), value.encode()) for name, value in headers.items()]
    await guard({"type": "websocket", "path": "/_nicegui_ws/", "headers": given}, receive, send)
    assert reached or sent == [{"type": "websocket.close", "code": 1008}]
    return bool(reached)


@pytest.mark.parametrize("host", ["127.0.0.1:8777", "localhost:8777", "[::1]:8777", "127.0.0.1"])
async def test_without_a_password_this_machines_browser_is_let_in(host: str) -> None:
    async with client(guarded(None)) as browser:
        answer = await browser.get("/odds", headers={"host": host})
    assert answer.text == "the console"
    assert answer.headers["x-frame-options"] == "DENY"
    assert await socket_is_open(guarded(None), host=host, origin=f"http://{host}")


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": "evil.example:8777"},
        {"host": "192.168.1.5:8777"},
        {"host": "127.0.0.1:8777", "origin": "http://evil.example"},
        {"host": "127.0.0.1:8777", "origin": "http://127.0.0.1:9000"},
        {"host": "127.0.0.1:8777", "origin": "null"},
        {"host": "[bad", "origin": "http://[bad"},
        {"host": ""},
    ],
)
async def test_without_a_password_other_names_and_other_sites_are_kept_out(headers: dict[str, str]) -> None:
    async with client(guarded(None)) as browser:
        assert (await browser.get("/odds", headers=headers)).status_code == 403
    assert not await socket_is_open(guarded(None), **headers)


async def test_with_a_password_nothing_is_shown_before_the_login() -> None:
    guard = guarded(PASSWORD)
    async with client(guard, "http://10.0.0.7:8777") as browser:
        for path in ("/", "/odds", "/_nicegui/x.js"):
            answer = await browser.get(path)
            assert (answer.status_code, answer.headers["location"]) == (303, "/login")
            assert "console" not in answer.text
        assert "Password" in (await browser.get("/login")).text
    assert not await socket_is_open(guard)
    assert not await socket_is_open(guard, cookie=f"{COOKIE}=")
    assert not await socket_is_open(guard, cookie='x="\x01; =;')


async def test_the_right_password_opens_pages_and_sockets() -> None:
    guard = guarded(PASSWORD)
    async with client(guard) as browser:
        answer = await browser.post("/login", data={"password": PASSWORD})
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert (await browser.get("/odds")).text == "the console"
        session = browser.cookies[COOKIE]
    assert await socket_is_open(guard, cookie=f"other=1; {COOKIE}={session}")


@pytest.mark.parametrize("given", ["", "correct hors", "correct horse ", "pässword 密码", "x" * 10_000])
async def test_a_wrong_password_opens_nothing(given: str) -> None:
    async with client(guarded(PASSWORD)) as browser:
        answer = await browser.post("/login", data={"password": given})
        assert answer.status_code in (401, 413)
        assert "set-cookie" not in answer.headers
        assert (await browser.get("/odds")).status_code == 303


async def test_many_guesses_at_once_are_no_faster() -> None:
    async with client(guarded(PASSWORD)) as browser:
        guesses = [browser.post("/login", data={"password": str(number)}) for number in range(3)]
        began = asyncio.get_running_loop().time()
        await asyncio.gather(*guesses)
        assert asyncio.get_running_loop().time() - began > 1.4
