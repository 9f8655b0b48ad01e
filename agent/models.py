"""From settings to the models that are asked: the first one and its fallbacks, each with breaker, price and caps."""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Final

from agent.llm.breaker import Breaker
from agent.llm.build import ModelSettingsError, build_chat
from agent.llm.chat import ChatModel
from agent.llm.errors import ModelError
from agent.llm.learned import Learned
from agent.llm.metered import Caps, Metered, Till
from agent.llm.presets import PRESETS
from agent.llm.prices import PriceRow, PriceTable
from agent.llm.warmth import keep_warm, warm_up
from agent.settings import Fallback, Settings, SettingsError

log = logging.getLogger(__name__)

KEPT_WARM_EVERY_S: Final = 240.0
"""Local servers unload a model after about five minutes."""


@dataclass(frozen=True, slots=True)
class Adviser:
    """A model that is asked, the breaker it is behind, and its price; `price` is None where nobody knows it."""

    model: ChatModel
    breaker: Breaker
    price: PriceRow | None
    is_local: bool


def build_advisers(settings: Settings, *, spent_today_usd: float = 0.0) -> tuple[Adviser, ...]:
    """The model of the environment and after it its fallbacks; none for `LLM_PROVIDER=none` and where it is not set.

    They share the caps; `spent_today_usd` is what earlier runs have spent today. Raises `SettingsError`.
    """
    if settings.llm_provider in (None, "none"):
        return ()
    first = Fallback(settings.llm_provider or "", settings.llm_model or "", settings.llm_base_url)
    caps = Caps(settings.llm_cap_hand_usd, settings.llm_cap_day_usd, settings.llm_cap_run_usd)
    try:
        till, prices = Till(caps, spent_today_usd=spent_today_usd), PriceTable.load(settings.llm_prices)
        learned = Learned(settings.llm_learned_path)
        choices = (first, *settings.llm_fallbacks)
        return tuple(_build(settings, choice, till, prices, learned, is_first=choice is first) for choice in choices)
    except ModelSettingsError as error:
        raise SettingsError(str(error)) from None


def _build(
    settings: Settings, choice: Fallback, till: Till, prices: PriceTable, learned: Learned, *, is_first: bool
) -> Adviser:
    """One model; the extra body is the first one's alone, since it is written for one provider."""
    chat = build_chat(
        choice.provider,
        model=choice.model,
        api_key=settings.key_of(choice.provider),
        base_url=choice.base_url,
        max_tokens=settings.llm_max_tokens,
        temperature=settings.llm_temperature,
        reasoning_effort=settings.llm_reasoning_effort,
        extra_body=settings.llm_extra_body if is_first else None,
        learned=learned,
    )
    breaker = guarded(chat)
    price = prices.price_of(choice.provider, choice.model)
    return Adviser(
        model=Metered(breaker, price, till, max_tokens=settings.llm_max_tokens),
        breaker=breaker,
        price=prices.row_of(choice.provider, choice.model),
        is_local=PRESETS[choice.provider].is_local,
    )


def guarded(model: ChatModel) -> Breaker:
    """A model that is left alone for a while after it has failed several times in a row."""
    return Breaker(model, clock=time.monotonic)


@contextlib.asynccontextmanager
async def warmed(advisers: Sequence[Adviser], *, budget_s: float, unless: asyncio.Event) -> AsyncIterator[None]:
    """Models that have been asked a small question before the first turn; local ones stay loaded inside.

    What fails is said in the log and no reason not to play. `unless` ends the wait for them, not their loading.
    """
    tasks = [asyncio.create_task(_warm_up(adviser.model, budget_s)) for adviser in advisers if budget_s]
    waiting: asyncio.Task[object] = asyncio.create_task(unless.wait())
    try:
        for task in tasks:
            await asyncio.wait((task, waiting), return_when=asyncio.FIRST_COMPLETED)
        tasks += [asyncio.create_task(_keep_warm(adviser)) for adviser in advisers if adviser.is_local]
        yield
    finally:
        for open_task in (*tasks, waiting):
            open_task.cancel()
        await asyncio.gather(*tasks, waiting, return_exceptions=True)


async def _keep_warm(adviser: Adviser) -> None:
    def last_asked_s() -> float | None:
        return adviser.breaker.last_asked_s

    await keep_warm(adviser.model, every_s=KEPT_WARM_EVERY_S, last_asked_s=last_asked_s, clock=time.monotonic)


async def _warm_up(model: ChatModel, budget_s: float) -> None:
    try:
        reply = await warm_up(model, budget_s=budget_s)
    except ModelError as failure:
        log.warning("the first question to %s failed, it is asked at the table all the same: %s", model.name, failure)
    else:
        log.info("%s answers after %.1f s", model.name, reply.latency_ms / 1_000)
