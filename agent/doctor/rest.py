"""The venue over REST: whether it is reached, takes the key, knows the bot, and agrees with our clock."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, Final

import httpx

from agent.doctor.finding import Finding, Surroundings, failed, ok, skipped, warning
from agent.doctor.reach import Trouble, unreached
from agent.llm.fault import shown_url
from agent.openpoker import fields
from agent.openpoker.frames import LIVE_API_URL
from agent.openpoker.purse import MIN_BUY_IN_CHIPS

SKEW_WARNING_S: Final = 2.0
SKEW_FAILED_S: Final = 30.0

REFUSED_KEY: Final = Trouble(
    "the venue refuses the key",
    "the key in OPEN_POKER_API_KEY belongs to no bot: it is mistyped, cut short, or was replaced by a newer one",
    "copy the key again from the dashboard at https://openpoker.ai into .env; a key exported in the shell wins over "
    ".env, so check that one too",
)

_VARIABLE: Final = "OPEN_POKER_API_URL"
_OK, _UNAUTHORIZED, _FORBIDDEN, _NOT_FOUND, _TOO_MANY = 200, 401, 403, 404, 429


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: `body` is the JSON, None where `is_json` is false; `at` is our time in the middle of the call.

    `date` is the server's time, to the second; None when it states none.
    """

    status: int
    body: Any
    is_json: bool
    location: str | None
    date: datetime | None
    at: datetime

    @property
    def refuses_key(self) -> bool:
        """Whether the venue itself says no to the key; a 403 with a web page is something in front of it."""
        return self.status == _UNAUTHORIZED or (self.status == _FORBIDDEN and self.is_json)

    @property
    def fields(self) -> Mapping[str, Any]:
        """The body of a 200 that is an object; empty for all else."""
        return self.body if self.status == _OK and isinstance(self.body, dict) else {}


async def get(around: Surroundings, path: str) -> Answer | Trouble:
    """What the venue answers to `path`, or why it gives no answer within the time."""
    settings = around.settings
    key = settings.open_poker_api_key
    headers = {"Authorization": f"Bearer {key.get_secret_value()}"} if key is not None else {}
    base_url = settings.open_poker_api_url.rstrip("/")
    asked_at = around.now()
    try:
        async with asyncio.timeout(around.network_s), httpx.AsyncClient(timeout=None) as client:  # noqa: S113
            response = await client.get(base_url + path, headers=headers, follow_redirects=False)
    except (httpx.HTTPError, httpx.InvalidURL, OSError, TimeoutError) as error:
        return unreached(error, settings.open_poker_api_url, _VARIABLE, waited_s=around.network_s)
    return _read(response, asked_at + (around.now() - asked_at) / 2)


def _read(response: httpx.Response, at: datetime) -> Answer:
    try:
        body, is_json = response.json(), True
    except (ValueError, RecursionError):
        body, is_json = None, False
    return Answer(
        response.status_code, body, is_json, response.headers.get("location"), _date(response.headers.get("date")), at
    )


def _date(text: str | None) -> datetime | None:
    try:
        date = parsedate_to_datetime(text or "")
    except ValueError:
        return None
    return date if date.tzinfo is not None else date.replace(tzinfo=UTC)


async def key(around: Surroundings) -> Finding:
    """Whether there is a key at all."""
    if around.settings.open_poker_api_key is None:
        return failed(
            "key",
            "OPEN_POKER_API_KEY is not set",
            why="the venue knows a bot by its key",
            remedy="register a bot at https://openpoker.ai and copy its key from the dashboard into .env; "
            "poker-agent demo plays without one",
        )
    return ok("key", "OPEN_POKER_API_KEY is set")


async def rest(around: Surroundings) -> Finding:
    """Whether the venue's REST side is reached and takes the key."""
    url = around.settings.open_poker_api_url
    answer = await get(around, "/me")
    if isinstance(answer, Answer) and answer.status == _TOO_MANY:
        return warning(
            "rest",
            "the venue answers that we ask too often (HTTP 429)",
            why="it limits calls a minute, so that the key could not be tried",
            remedy="wait a minute and try again",
            url=shown_url(url),
        )
    trouble = answer if isinstance(answer, Trouble) else _trouble(answer, url)
    if trouble is not None:
        return _failure("rest", trouble, url)
    name = fields.text(answer.fields, "name") if isinstance(answer, Answer) else None
    return ok("rest", f"{shown_url(url)} takes the key; the bot is {name}", url=shown_url(url), bot=name)


def _failure(name: str, trouble: Trouble, url: str) -> Finding:
    return failed(name, trouble.what, why=trouble.why, remedy=trouble.remedy, url=shown_url(url))


def _trouble(answer: Answer, url: str) -> Trouble | None:
    """What is wrong with the answer to `/me`, None when it is the profile of a bot."""
    status, shown = answer.status, shown_url(url)
    if answer.refuses_key:
        return REFUSED_KEY
    if status == _NOT_FOUND:
        return Trouble(
            f"{shown} is not where the venue's REST side begins",
            "its answer to /me is HTTP 404: there is no such path",
            f"{_VARIABLE} holds everything before /me and usually ends with /api; the live one is {LIVE_API_URL}",
        )
    if 300 <= status < 400:
        target = f" to {shown_url(answer.location)}" if answer.location and "://" in answer.location else ""
        return Trouble(
            f"{shown} sends us elsewhere{target}",
            f"it answers HTTP {status}, a redirect, which is not followed so that the key goes nowhere else",
            f"set {_VARIABLE} to the final address; the live one is {LIVE_API_URL}",
        )
    if status >= 500:
        return Trouble(
            f"the venue has trouble of its own (HTTP {status})",
            "its server, or the gateway in front of it, could not answer",
            "try again in some minutes; nothing on this machine can help",
        )
    return _stranger(answer, shown)


def _stranger(answer: Answer, shown: str) -> Trouble | None:
    """What is wrong when somebody else than the venue seems to answer."""
    if not answer.is_json:
        return Trouble(
            f"{shown} answers with something that is not JSON (HTTP {answer.status})",
            "a web page or a proxy answers, not the venue's REST side",
            f"check {_VARIABLE} (the live one is {LIVE_API_URL}) and whether a proxy or firewall stands in between",
        )
    if answer.status != _OK or fields.text(answer.fields, "name") is None:
        return Trouble(
            f"{shown} answers, but not as Open Poker does (HTTP {answer.status})",
            "its answer to /me is not the profile of a bot",
            f"check {_VARIABLE}; the live one is {LIVE_API_URL}",
        )
    return None


async def season(around: Surroundings) -> Finding:
    """Whether the bot is entered in the season and can afford a seat."""
    answer = await get(around, "/season/me")
    if isinstance(answer, Trouble):
        return warning("season", answer.what, why=answer.why, remedy=answer.remedy)
    if answer.is_json and (answer.status == _NOT_FOUND or (answer.status == _OK and answer.body is None)):
        return ok("season", "no entry in this season yet; the first join makes one", registered=False)
    balance, at_table = fields.chips(answer.fields, "chip_balance"), fields.chips(answer.fields, "chips_at_table")
    if balance is None:
        return warning(
            "season",
            f"the balance is unknown (HTTP {answer.status})",
            why="the venue's answer to /season/me states none",
            remedy="look at the dashboard; the agent buys in for OPEN_POKER_BUY_IN while it does not know better",
        )
    if balance + (at_table or 0) < MIN_BUY_IN_CHIPS:
        return _too_few(balance, at_table, auto_rebuy=around.settings.open_poker_auto_rebuy)
    shown = f"{balance:,} chips off the table" + (f", {at_table:,} on it" if at_table else "")
    return ok("season", shown, registered=True, balance_chips=balance, at_table_chips=at_table)


def _too_few(balance: int, at_table: int | None, *, auto_rebuy: bool) -> Finding:
    return warning(
        "season",
        f"{balance:,} chips are fewer than the smallest buy-in of {MIN_BUY_IN_CHIPS:,}",
        why="no table can be joined before a rebuy",
        remedy="the agent rebuys by itself as soon as the venue lets it"
        if auto_rebuy
        else "rebuy in the dashboard, or set OPEN_POKER_AUTO_REBUY=true",
        registered=True,
        balance_chips=balance,
        at_table_chips=at_table,
    )


async def clock(around: Surroundings) -> Finding:
    """How far this machine's clock is from the venue's."""
    answer = await get(around, "/season/current")
    if isinstance(answer, Trouble):
        return skipped("clock", "not compared", why=f"the venue was not reached: {answer.what}")
    if answer.date is None:
        return skipped("clock", "not compared", why="the venue's answer states no time")
    # The header counts whole seconds: on average half a second has passed since.
    skew_s = (answer.at - answer.date - timedelta(seconds=0.5)).total_seconds()
    if abs(skew_s) <= SKEW_WARNING_S:
        return ok("clock", "this machine's clock agrees with the venue's", skew_s=round(skew_s, 1))
    tell = failed if abs(skew_s) > SKEW_FAILED_S else warning
    return tell(
        "clock",
        f"this machine's clock is {abs(skew_s):,.0f} s {'ahead of' if skew_s > 0 else 'behind'} the venue's",
        why="the journal's times and the quiet hours are off by as much, and certificates may seem invalid",
        remedy="switch on time synchronisation: sudo timedatectl set-ntp true",
        skew_s=round(skew_s, 1),
    )
