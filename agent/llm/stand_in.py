"""A stand-in for a model server: real HTTP on loopback, no language model.

It answers like an OpenAI-compatible provider, well or in one of the ways in which providers fail, so that the agent
can be shown and tested without a key and without the network.
"""

import asyncio
import json
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Final, Self

from aiohttp import web

from agent.llm.modes import Mode
from agent.llm.stand_in_choice import choose, echoed, last_user_text, offered_ids

STAND_IN_MODEL: Final = "stand-in-no-language-model"
STAND_IN_REASON: Final = "stand-in: no language model"
MISREAD_HAND: Final = "royal flush"
MISREAD_CARDS: Final = ("7d2c", "8s3h")
"""What is said to be held when the hand is misread; whoever holds the first is said to hold the second."""
RETRY_AFTER_S: Final = 7

_DRIP_S: Final = 0.5
_CHARACTERS_PER_TOKEN: Final = 4
# Handlers that hang on purpose must not hold up the end.
_SHUTDOWN_S: Final = 0.1


class StandIn:
    """The server, an async context manager; `mode` and `delay_s` may be changed while it runs.

    `delay_s` is how long `Mode.SLOW` waits before it answers. `requests` counts the questions that arrived.
    """

    def __init__(self, mode: Mode | str = Mode.HEALTHY, *, delay_s: float = 0.0) -> None:
        self.mode = Mode(mode)
        self.delay_s = delay_s
        self.requests = 0
        application = web.Application()
        application.router.add_post("/v1/chat/completions", self._complete)
        application.router.add_get("/v1/models", self._models)
        self._runner = web.AppRunner(
            application, access_log=None, shutdown_timeout=_SHUTDOWN_S, handler_cancellation=True
        )

    @property
    def base_url(self) -> str:
        """The address to give to a client, as in http://127.0.0.1:54321/v1; raises RuntimeError before the start."""
        if not self._runner.addresses:
            raise RuntimeError("the stand-in has not been started")
        host, port = self._runner.addresses[0][:2]
        return f"http://{host}:{port}/v1"

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._runner.cleanup()

    async def _models(self, _: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": STAND_IN_MODEL, "object": "model"}]})

    async def _complete(self, http: web.Request) -> web.StreamResponse:
        self.requests += 1
        try:
            request = await http.json()
        except ValueError:
            request = None
        if not isinstance(request, dict):
            return _error(400, "the body is not a JSON object")
        match self.mode:
            case Mode.SLOW:
                await asyncio.sleep(self.delay_s)
            case Mode.SILENT:
                await asyncio.Event().wait()
            case Mode.DRIP:
                return await _drip(http)
            case Mode.RESET if http.transport is not None:
                http.transport.abort()
        return _failure(self.mode, http, request) or web.json_response(_completion(self.mode, request))


def _failure(mode: Mode, http: web.Request, request: Mapping[str, Any]) -> web.Response | None:
    """The response of a mode that gives no completion, None for the others."""
    match mode:
        case Mode.HTML:
            return web.Response(text="<html><body>Welcome</body></html>", content_type="text/html")
        case Mode.NULL_CHOICES:
            return web.json_response({"id": "stand-in", "model": STAND_IN_MODEL, "choices": None})
        case Mode.ERROR_200:
            return web.json_response({"error": {"code": 429, "message": "Provider returned error"}})
        case Mode.RATE_LIMITED:
            wait = {"Retry-After": str(RETRY_AFTER_S)}
            return _error(429, "Rate limit reached", code="rate_limit_exceeded", headers=wait)
        case Mode.QUOTA:
            return _error(429, "You exceeded your current quota", code="insufficient_quota")
        case Mode.UNAUTHORIZED:
            # Like a careless gateway, it repeats what it was given.
            given = http.headers.get("Authorization", "")
            return _error(401, f"Incorrect API key provided: {given}", code="invalid_api_key")
        case Mode.SERVER_ERROR:
            return _error(500, "The server had an error")
        case Mode.BAD_PARAMETER if _wants_schema(request):
            return _error(400, "response_format of type json_schema is not supported", param="response_format")
    return None


def _completion(mode: Mode, request: Mapping[str, Any]) -> dict[str, Any]:
    """A completion in OpenAI's form; the counts are a guess from the number of characters."""
    prompt = last_user_text(request)
    content = _content(mode, offered_ids(request), prompt)
    message: dict[str, Any] = {"role": "assistant", "content": content}
    if request.get("tools") and content:
        call = {"id": "call_1", "type": "function", "function": {"name": "choose", "arguments": content}}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
    prompt_tokens = len(json.dumps(request.get("messages"))) // _CHARACTERS_PER_TOKEN
    completion_tokens = len(content) // _CHARACTERS_PER_TOKEN
    return {
        "id": "stand-in",
        "object": "chat.completion",
        "created": 0,
        "model": STAND_IN_MODEL,
        "choices": [
            {
                "index": 0,
                "message": message,
                "finish_reason": "length" if mode is Mode.TRUNCATED else "stop",
            }
        ],
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": completion_tokens,
            "total_tokens": prompt_tokens + completion_tokens,
        },
    }


def _content(mode: Mode, ids: list[str], prompt: str) -> str:
    """The model's words in a mode: the choice, bare or wrapped in one of the ways models wrap it."""
    choice = choose(ids, prompt) if ids else "none"
    hand, cards = echoed(prompt)
    if mode is Mode.MISREAD:
        hand, cards = MISREAD_HAND, MISREAD_CARDS[cards == MISREAD_CARDS[0]]
    answer = _answer(choice, hand, cards)
    match mode:
        case Mode.GARBLED:
            return answer.replace('"', "").replace(":", ";")
        case Mode.FENCED:
            return f"```json\n{answer}\n```"
        case Mode.THINKING:
            return f"<think>One could play {_answer('fold', hand, cards)}, but no.</think>\n{answer}"
        case Mode.PROSE:
            return f"{answer}\nI chose {choice} because the numbers say so."
        case Mode.ILLEGAL:
            return _answer("not_" + "_".join(ids), hand, cards)
        case Mode.EMPTY:
            return ""
        case Mode.TRUNCATED:
            return answer[: len(answer) // 2]
    return answer


def _answer(choice: str, hand: str, cards: str) -> str:
    return json.dumps({"id": choice, "hand": hand, "cards": cards, "reason": STAND_IN_REASON})


def _wants_schema(request: Mapping[str, Any]) -> bool:
    wanted = request.get("response_format")
    return isinstance(wanted, Mapping) and wanted.get("type") == "json_schema"


def _error(
    status: int,
    message: str,
    *,
    code: str | None = None,
    param: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> web.Response:
    body = {"error": {"message": message, "type": "stand_in_error", "code": code, "param": param}}
    return web.json_response(body, status=status, headers=headers)


async def _drip(http: web.Request) -> web.StreamResponse:
    """White space without end, as overloaded providers send it to keep the connection."""
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(http)
    while True:
        await response.write(b" ")
        await asyncio.sleep(_DRIP_S)
