import asyncio
from typing import Any

import httpx
import pytest
from starlette.responses import PlainTextResponse

from agent.console.attempts import MOST_ADDRESSES, Attempts
from agent.console.guard import COOKIE, Guard

PASSWORD = "correct horse"


def client(guard: Guard, base_url: str = "http://127.0.0.1:8777", address: str = "127.0.0.1") -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(guard, client=(address, 50_000)), base_url=base_url)


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
        for path, login in (
            ("/", "/login"),
            ("/odds", "/login?next=%2Fodds"),
            ("/_nicegui/x.js", "/login?next=%2F_nicegui%2Fx.js"),
            ("/hands?street=river&search=a%20b", "/login?next=%2Fhands%3Fstreet%3Driver%26search%3Da%2520b"),
        ):
            answer = await browser.get(path)
            assert (answer.status_code, answer.headers["location"]) == (303, login)
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


@pytest.mark.parametrize(
    ("asked", "leads_to"),
    [
        ("/hands?street=river&search=a%20b", "/hands?street=river&search=a%20b"),
        ("/decisions/01M8%F0%9F%82%A1", "/decisions/01M8%F0%9F%82%A1"),
        ("//evil.example", "/"),
        ("/\\evil.example", "/"),
        ("/\t/evil.example", "/"),
        ("https://evil.example", "/"),
        ("javascript:alert(1)", "/"),
        ("", "/"),
        ("/login?next=/login", "/"),
    ],
)
async def test_the_login_leads_to_the_page_that_was_asked_for_and_to_no_other_host(asked: str, leads_to: str) -> None:
    async with client(guarded(PASSWORD)) as browser:
        answer = await browser.post("/login", params={"next": asked}, data={"password": PASSWORD})
    assert (answer.status_code, answer.headers["location"]) == (303, leads_to)


@pytest.mark.parametrize("origin", ["http://evil.example", "http://10.0.0.7:9000", "null", "http://[bad"])
async def test_with_a_password_other_sites_are_kept_out_too(origin: str) -> None:
    guard = guarded(PASSWORD)
    async with client(guard, "http://10.0.0.7:8777") as browser:
        foreign = await browser.post("/login", data={"password": PASSWORD}, headers={"origin": origin})
        assert (foreign.status_code, "set-cookie" in foreign.headers) == (403, False)
        own = "http://10.0.0.7:8777"
        await browser.post("/login", data={"password": PASSWORD}, headers={"origin": own})
        assert (await browser.get("/odds", headers={"origin": own})).text == "the console"
        assert (await browser.get("/odds", headers={"origin": origin})).status_code == 403
        cookie = f"{COOKIE}={browser.cookies[COOKIE]}"
    assert await socket_is_open(guard, host="10.0.0.7:8777", origin=own, cookie=cookie)
    assert not await socket_is_open(guard, host="10.0.0.7:8777", origin=origin, cookie=cookie)


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


async def test_wrong_guesses_hold_up_nobody_at_another_address() -> None:
    guard = guarded(PASSWORD)
    async with client(guard, address="10.0.0.66") as guesser, client(guard, address="10.0.0.7") as person:
        guesses = [asyncio.create_task(guesser.post("/login", data={"password": str(n)})) for n in range(20)]
        await asyncio.sleep(0)
        assert (await person.post("/login", data={"password": PASSWORD})).status_code == 303
        assert not any(guess.done() and guess.result().status_code == 401 for guess in guesses)
        codes = [answer.status_code for answer in await asyncio.gather(*guesses)]
    assert codes.count(401) == 5
    assert codes.count(429) == 15


def test_attempts_from_one_address_come_one_after_the_other() -> None:
    attempts = Attempts()
    assert [attempts.wait_s("10.0.0.7", 100.0) for _ in range(6)] == [0.0, 0.5, 1.0, 1.5, 2.0, None]
    assert attempts.wait_s("10.0.0.7", 102.5) == 0.0
    assert [attempts.wait_s(f"2001:db8::{n}", 100.0) for n in (1, 2)] == [0.0, 0.5]


def test_attempts_from_ever_new_addresses_fill_no_memory_and_share_a_turn_in_the_end() -> None:
    attempts = Attempts()
    waits = [attempts.wait_s(f"10.0.{n // 256}.{n % 256}", 100.0) for n in range(MOST_ADDRESSES + 7)]
    assert waits == [*[0.0] * MOST_ADDRESSES, 0.0, 0.5, 1.0, 1.5, 2.0, None, None]
    assert len(attempts._free_at) == MOST_ADDRESSES + 1
    assert attempts.wait_s("10.0.0.1", 103.0) == 0.0
    assert len(attempts._free_at) == 1
