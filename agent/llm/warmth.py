"""A model that is ready when the turn comes: asked once before play, and again before a local server unloads it.

A local server may need a minute to load a model, and stops loading when the client goes away: with the short budget of
a turn it would never get there.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from agent.llm.chat import ChatModel, ChatReply, ChatRequest, Message
from agent.llm.errors import ModelError

log = logging.getLogger(__name__)

LOADING_S: Final = 300.0
"""How long a local server is given to load a model; play does not wait for it."""

QUESTION: Final = ChatRequest(
    messages=(
        Message(
            "system",
            "You play no-limit hold'em. Answer with one JSON object and nothing else: "
            '{"id": "...", "hand": "...", "cards": "...", "reason": "..."}. The id is one of the offered ones, hand and '
            "cards repeat what is printed after Echo, the reason has at most ten words.",
        ),
        Message(
            "user",
            'You hold A♠ A♥ and checking is free.\nEcho: hand "AA", cards "AsAh"\n- check: cost 0\n- raise_80: cost 80',
        ),
    ),
    choices=("check", "raise_80"),
)
"""A small question in the form of a real one; any of its choices is a good answer."""


async def warm_up(model: ChatModel, *, budget_s: float) -> ChatReply:
    """The reply to one small question, for which a model is loaded and the request's form is learned.

    Raises `ModelError`. `budget_s` is the time to load and has nothing to do with that of a turn.
    """
    return await model.ask(QUESTION, budget_s=budget_s)


async def keep_warm(
    model: ChatModel,
    *,
    every_s: float,
    last_asked_s: Callable[[], float | None],
    clock: Callable[[], float],
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    budget_s: float = LOADING_S,
) -> None:
    """Ask the small question whenever nothing else was asked for `every_s`; runs until it is cancelled.

    For local servers that unload an idle model. `last_asked_s` is when the model was last asked, by `clock`, as a
    `Breaker` knows it. A failure is for the turns to report; the next try comes after another `every_s`.
    """
    asked_s = clock()
    while True:
        others_s = last_asked_s()
        left_s = max(asked_s, asked_s if others_s is None else others_s) + every_s - clock()
        if left_s > 0:
            await sleep(left_s)
            continue
        try:
            await model.ask(QUESTION, budget_s=budget_s)
        except ModelError as failure:
            log.debug("keeping %s warm failed: %s", model.name, failure)
        asked_s = clock()
