"""The venue's REST side, as far as a contestant needs it: where we sit and what we own."""

import asyncio
import logging
from types import TracebackType
from typing import Any, Self

import httpx

from agent.openpoker import fields

log = logging.getLogger(__name__)


class RestApi:
    """Reads over HTTPS with the bot's key. A read that fails is None: unknown is never zero or "nowhere"."""

    def __init__(self, base_url: str, api_key: str, *, timeout_s: float = 5.0) -> None:
        self._timeout_s = timeout_s
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
        """The bot's off-table chips in this season; None when not registered yet or the read failed."""
        answer = await self._get("/season/me")
        return fields.chips(answer, "chip_balance") if answer else None

    async def _get(self, path: str) -> dict[str, Any] | None:
        try:
            # The client's own timeout is one for each read; a server that drips would never reach it.
            async with asyncio.timeout(self._timeout_s):
                response = await self._client.get(path)
            answer = response.raise_for_status().json()
        except httpx.HTTPStatusError as error:
            log.warning("GET %s: HTTP %s", path, error.response.status_code)
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
