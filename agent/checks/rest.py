"""The venue's REST side: whether it can be reached, whether it takes the key, what we own, and whose clock is right."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

import httpx

from agent.checks.case import Answer, Case
from agent.checks.finding import Finding, failed, fine, skipped, warning
from agent.checks.reach import shown, why_unreached
from agent.openpoker import fields
from agent.settings import BUY_INS

SKEW_WARNED_S: Final = 2.0
SKEW_FAILED_S: Final = 30.0
_URL: Final = "OPEN_POKER_API_URL"
_COPY_KEY: Final = (
    "copy OPEN_POKER_API_KEY from the dashboard again; a key exported in the shell wins over the one in .env"
)


class Unreached(Exception):
    """No answer came; why, and what to do."""

    def __init__(self, why: str, remedy: str) -> None:
        super().__init__(why)
        self.why = why
        self.remedy = remedy


async def ask(case: Case, path: str) -> Answer:
    """The venue's answer to a GET with our key; `Unreached` when none came in time."""
    base = case.settings.open_poker_api_url.rstrip("/")
    # Redirects are not followed, so that the key goes to no other host.
    headers = {"Authorization": f"Bearer {case.key}"}
    try:
        async with (
            asyncio.timeout(case.deadline_s),
            httpx.AsyncClient(headers=headers, timeout=None, follow_redirects=False) as client,  # noqa: S113
        ):
            asked_at = case.now()
            response = await client.get(base + path)
            answered_at = case.now()
    except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, OSError) as error:
        why, remedy = why_unreached(error, base, variable=_URL, deadline_s=case.deadline_s)
        raise Unreached(why, remedy) from None
    return Answer(
        url=shown(base + path),
        status=response.status_code,
        body=_object(response),
        is_page="html" in response.headers.get("content-type", ""),
        date=_date(response.headers.get("date")),
        asked_at=asked_at,
        answered_at=answered_at,
    )


async def check_rest(case: Case) -> Finding:
    """Whether the venue answers and accepts the key."""
    try:
        case.profile = answer = await ask(case, "/me")
    except Unreached as error:
        url = shown(case.settings.open_poker_api_url)
        return failed("REST", f"{url} cannot be reached", why=error.why, remedy=error.remedy, url=url)
    details = {"url": answer.url, "http_status": answer.status, "latency_ms": _latency_ms(answer)}
    if answer.status == 200 and answer.body is not None and fields.text(answer.body, "agent_id"):
        bot = fields.text(answer.body, "name") or "unnamed"
        return fine("REST", f"the venue knows the key as {bot}", **details, bot=bot)
    what, why, remedy = _complaint(answer)
    return failed("REST", what, why=why, remedy=remedy, **details)


def _complaint(answer: Answer) -> tuple[str, str, str]:
    """What is wrong with an answer that is no profile, why we think so, and what to do."""
    status, said = answer.status, f"HTTP {answer.status} from {answer.url}"
    form = f"{_URL} should look like https://api.openpoker.ai/api, with /api at its end"
    if status in (401, 403):
        return "the venue refuses the key", said, _COPY_KEY
    if status == 429:
        return "the venue wants fewer calls", said, "wait a minute; stop other programs that use this key"
    if status >= 500:
        return "the venue is in trouble", said, "try again later; if it goes on, ask at https://openpoker.ai"
    if 300 <= status < 400:
        return f"{_URL} leads elsewhere", f"{said}, a redirect, which is not followed with a key", form
    if answer.is_page:
        return f"{_URL} is a web site and no API", f"{said} with a web page instead of JSON", form
    if status in (404, 405):
        return f"{_URL} has the wrong path", said, form
    return f"{_URL} is not the venue's API", f"{said} without a bot's profile in it", form


async def check_season(case: Case) -> Finding:
    """Whether the bot owns enough to sit down."""
    if case.settings.open_poker_competition_id is not None:
        return skipped("season", "chips of a private competition are told at its table only")
    try:
        answer = await ask(case, "/season/me")
    except Unreached as error:
        return warning("season", "the balance is unknown", why=error.why, remedy=error.remedy)
    if answer.status == 404:
        return fine("season", "not registered for this season yet; the first seat does that", registered=False)
    chips = fields.chips(answer.body or {}, "chip_balance")
    if answer.status != 200 or chips is None:
        why = f"HTTP {answer.status} from {answer.url}, without a chip_balance"
        return warning("season", "the balance is unknown", why=why, remedy="try again later")
    at_table = fields.chips(answer.body or {}, "chips_at_table")
    details = {"registered": True, "balance_chips": chips, "at_table_chips": at_table}
    if chips < BUY_INS["min"] and not at_table:
        return warning(
            "season",
            f"{chips:,} chips are not enough to sit down",
            why=f"the smallest buy-in is {BUY_INS['min']:,}",
            remedy="with OPEN_POKER_AUTO_REBUY=true the agent buys in again by itself, which costs score",
            **details,
        )
    return fine("season", f"{chips:,} chips off the table", **details)


async def check_clock(case: Case) -> Finding:
    """How far our clock is from the venue's, by the Date of its answer: whole seconds, half a second on average."""
    answer = case.profile
    if answer is None or answer.date is None:
        return skipped("clock", "the venue told no date")
    ours = (answer.asked_at + answer.answered_at) / 2
    skew_s = ours - (answer.date.timestamp() + 0.5)
    size, direction = abs(skew_s), "ahead of" if skew_s > 0 else "behind"
    details = {"skew_s": round(skew_s, 1)}
    # What the journey took may all have been on one way.
    if size <= SKEW_WARNED_S + (answer.answered_at - answer.asked_at) / 2:
        return fine("clock", "agrees with the venue's", **details)
    judge = failed if size > SKEW_FAILED_S else warning
    return judge(
        "clock",
        f"{size:,.1f} s {direction} the venue's",
        why="the venue's Date header and this computer's clock differ; the journal's times and what a restart finds "
        "in it would be wrong, and certificates may seem invalid",
        remedy="switch on time synchronisation, such as `timedatectl set-ntp true`",
        **details,
    )


def _object(response: httpx.Response) -> Mapping[str, Any] | None:
    try:
        body = response.json()
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None


def _date(text: str | None) -> datetime | None:
    try:
        date = parsedate_to_datetime(text or "")
    except ValueError:
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)


def _latency_ms(answer: Answer) -> int:
    return round((answer.answered_at - answer.asked_at) * 1000)
