from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from agent.llm.openai_chat import OpenAIChat
from agent.llm.presets import PRESETS
from agent.llm.stand_in import StandIn

from .scripted import KEY

MakeChat = Callable[..., OpenAIChat]


@pytest.fixture
async def stand_in() -> AsyncIterator[StandIn]:
    async with StandIn() as server:
        yield server


@pytest.fixture
async def make_chat() -> AsyncIterator[MakeChat]:
    """Builds chats against an address with the fake key, and closes them after the test."""
    chats: list[OpenAIChat] = []

    def make(base_url: str, *, preset: str = "custom", **options: Any) -> OpenAIChat:
        settings = {"model": "m1", "api_key": KEY, "max_tokens": 256, **options}
        chats.append(OpenAIChat(PRESETS[preset], base_url=base_url, **settings))
        return chats[-1]

    yield make
    for chat in chats:
        await chat.aclose()
