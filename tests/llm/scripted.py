"""A provider that replies as a test has written it down, over real HTTP on loopback."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, ClassVar, Self

from aiohttp import web

from agent.llm.chat import ChatReply, ChatRequest, Message
from agent.llm.errors import ModelError

KEY = "sk-do-not-show-me-5f2c91"

REQUEST = ChatRequest(
    messages=(
        Message("system", "Answer with one JSON object."),
        Message(
            "user",
            "Equity: 0.632\nRequired equity: 0.250\n- fold: give up\n- call: pay 40\n- raise_120: to 120\n"
            'Echo: hand "AKo", cards "AsKd"',
        ),
    ),
    choices=("fold", "call", "raise_120"),
)


def completion(message: dict[str, Any], *, finish_reason: str | None = "stop", usage: object = None) -> dict[str, Any]:
    """A completion that holds `message`."""
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted-1",
        "choices": [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish_reason}],
        "usage": usage,
    }


CALL = completion({"content": '{"id": "call"}'})


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something that another task brings about."""
    while not condition():  # noqa: ASYNC110
        await asyncio.sleep(0.01)


@dataclass
class Reply:
    """One response: a body that is sent as JSON unless it is text already."""

    status: int
    body: object = ""
    headers: dict[str, str] = field(default_factory=dict)


class Provider:
    """Gives its replies in order, the last one for ever, and keeps what it was sent."""

    prefix: ClassVar = "/v1"
    """The path its address ends in."""

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.sent: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        application = web.Application()
        application.router.add_post(f"{self.prefix}/chat/completions", self._reply)
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)

    @property
    def base_url(self) -> str:
        host, port = self._runner.addresses[0][:2]
        return f"http://{host}:{port}{self.prefix}"

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._runner.cleanup()

    def next_reply(self, request: dict[str, Any]) -> Reply:
        """What to say to a request."""
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]

    async def _reply(self, http: web.Request) -> web.StreamResponse:
        self.sent.append(await http.json())
        self.headers.append(dict(http.headers))
        reply = self.next_reply(self.sent[-1])
        text = reply.body if isinstance(reply.body, str) else json.dumps(reply.body)
        headers = {"Content-Type": "application/json", **reply.headers}
        return web.Response(status=reply.status, text=text, headers=headers)


class Scripted:
    """A model whose outcomes are written down; the last one lasts. It can be held up by `gate`."""

    def __init__(self, *outcomes: ChatReply | ModelError, name: str = "fake/m1") -> None:
        self.name = name
        self.outcomes = list(outcomes)
        self.asked = 0
        self.closed = False
        self.gate = asyncio.Event()
        self.gate.set()

    async def ask(self, request: ChatRequest, *, budget_s: float) -> ChatReply:
        self.asked += 1
        outcome = self.outcomes.pop(0) if len(self.outcomes) > 1 else self.outcomes[0]
        await self.gate.wait()
        if isinstance(outcome, ModelError):
            raise outcome
        return outcome

    async def aclose(self) -> None:
        self.closed = True
