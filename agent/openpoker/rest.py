"""The venue's REST side, as far as a contestant needs it: where we sit and what we own."""

import asyncio
import logging
import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Any, Final, Self

import httpx

from agent.openpoker import fields

log = logging.getLogger(__name__)

LONGEST_WAIT_S: Final = 30.0
"""How long a wait that the venue asks for is kept at most: whoever asks here has no seat as yet."""


class RestApi:
    """Reads over HTTPS with the bot's key. A read that fails is None: unknown is never zero or "nowhere".

    Where the venue asks us to wait (429), nothing is asked until then, by `clock` in seconds.
    """

    def __init__(
        self, base_url: str, api_key: str, *, timeout_s: float = 5.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._timeout_s = timeout_s
        self._clock, self._not_before = clock, 0.0
        # Redirects are refused so that the key is never forwarded to another host.
        self._client = httpx.AsyncClient(
            base_url=base_url.rstrip("/"),
            headers={"Authorization": f"Bearer {api_key}"},
            timeout=timeout_s,
            follow_redirects=False,
        )

    async def active_table(self) -> str | None:
        """The id of the table at which the bot sits; None when it sits nowhere or the read failed."""
        answer = await self._get("/me/active-game")
        return fields.text(answer, "table_id") if answer and answer.get("playing") is True else None

    async def balance_chips(self) -> int | None:
        """The bot's off-table chips in this season; None when not registered yet or the read failed.

        Asked by who has no seat: chips that still count as at a table are on their way, and what they add is not known yet.
        """
        answer = await self._get("/season/me")
        return None if not answer or fields.chips(answer, "chips_at_table") else fields.chips(answer, "chip_balance")

    async def _get(self, path: str) -> dict[str, Any] | None:
        if self._clock() < self._not_before:
            return None
        try:
            # The client's own timeout is one for each read; a server that drips would never reach it.
            async with asyncio.timeout(self._timeout_s):
                response = await self._client.get(path)
            answer = response.raise_for_status().json()
        except httpx.HTTPStatusError as error:
            log.warning("GET %s: HTTP %s", path, error.response.status_code)
            if error.response.status_code == httpx.codes.TOO_MANY_REQUESTS:
                self._not_before = self._clock() + _wait_s(error.response.headers.get("Retry-After", ""))
            return None
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, ValueError, RecursionError) as error:
            log.warning("GET %s failed: %s", path, type(error).__name__)
            return None
        return answer if isinstance(answer, dict) else None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.aclose()


def _wait_s(retry_after: str) -> float:
    """The seconds in a Retry-After header, which holds their number or a date; none when it holds neither.

    >>> _wait_s("7"), _wait_s("86400"), _wait_s("soon"), _wait_s("Sun, 20 Sep 2026 12:00:00")
    (7.0, 30.0, 0.0, 0.0)
    """
    try:
        seconds = float(retry_after)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(retry_after) - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError):
            return 0.0
    return min(max(0.0, seconds), LONGEST_WAIT_S)
