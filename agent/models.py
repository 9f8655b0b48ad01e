"""From settings to the models that are asked: the first one and its fallbacks, each with breaker, price and caps."""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import zip_longest
from typing import Any, Final

from agent.failure import ExitCode, Failure
from agent.journal.reader import Reader
from agent.journal.schema import JournalError
from agent.llm.breaker import Breaker
from agent.llm.build import ModelSettingsError, build_chat
from agent.llm.chat import ChatModel
from agent.llm.errors import ModelError
from agent.llm.fallbacks import Fallback
from agent.llm.learned import Learned
from agent.llm.metered import Caps, Metered, Till
from agent.llm.presets import PRESETS
from agent.llm.prices import PriceRow, PriceTable
from agent.llm.warmth import LOADING_S, keep_warm, warm_up
from agent.settings import PROVIDERS, Settings, SettingsError

log = logging.getLogger(__name__)

KEPT_WARM_EVERY_S: Final = 240.0
"""Local servers unload a model after about five minutes."""


@dataclass(frozen=True, slots=True)
class Adviser:
    """A model that is asked, the breaker it is behind, and its price; `price` is None where nobody knows it.

    `unhurried` is the same model for what no turn waits for, loading it and keeping it loaded: it is asked during a
    pause too, and its failures pause nothing.
    """

    model: Metered
    unhurried: Metered
    breaker: Breaker
    price: PriceRow | None
    is_local: bool

    def first_answer_s(self, settings: Settings) -> float:
        """How long its first answer may take: on a machine of one's own the model may have to be loaded before."""
        turn_s = settings.llm_timeout_s
        return max(turn_s, settings.llm_warm_up_s) if self.is_local else turn_s


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
        _refuse_twins(choices)
        return tuple(_build(settings, choice, till, prices, learned, first=first) for choice in choices)
    except ModelSettingsError as error:
        raise SettingsError(str(error)) from None


def with_model(settings: Settings, model: str | None) -> Settings:
    """The settings with one model, PROVIDER/MODEL, and nothing that is asked in its place; None for the model that they name.

    What belongs to another provider is left out. A `Failure` says what --model can be.
    """
    if model is None:
        return settings.model_copy(update={"llm_fallbacks": ()})
    provider, _, name = model.partition("/")
    if provider not in PROVIDERS or provider == "none" or not name:
        known = ", ".join(name for name in PROVIDERS if name != "none")
        raise Failure(f"--model {model}: expected PROVIDER/MODEL with one of {known}", exit_code=ExitCode.UNUSABLE)
    chosen: dict[str, Any] = {"llm_provider": provider, "llm_model": name, "llm_fallbacks": ()}
    if provider != settings.llm_provider:
        preset = PRESETS[provider]
        if preset.needs_key and settings.own_key_of(provider) is None:
            why = f"{preset.key_name} is missing (LLM_API_KEY goes to LLM_PROVIDER alone)"
            raise Failure(f"--model {model}: {why}", exit_code=ExitCode.UNUSABLE)
        chosen |= {"llm_base_url": None, "llm_api_key": None, "llm_extra_body": {}}
    return settings.model_copy(update=chosen)


def spent_today_usd(settings: Settings, bot: str) -> float:
    """What the bot's earlier runs have spent since midnight UTC, by its journal; 0 where there is none yet.

    A journal that cannot be read is a warning: what it holds is then not counted against the day's cap.
    """
    if not settings.journal_path.exists():
        return 0.0
    midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    try:
        with Reader(settings.journal_path) as reader:
            return reader.spent_usd(bot, midnight)
    except JournalError as error:
        log.warning("what %s has spent today is not known and counts as nothing for LLM_CAP_DAY_USD: %s", bot, error)
        return 0.0


def _refuse_twins(choices: Sequence[Fallback]) -> None:
    """Raise `SettingsError` when a model is to be asked twice: what it cannot do once, it cannot do again."""
    seen: set[tuple[str, str]] = set()
    for choice in choices:
        if (choice.address, choice.model) in seen:
            name = f"{choice.provider}/{choice.model}"
            raise SettingsError(
                f"LLM_FALLBACKS names {name} at an address where it is asked already; name another model"
            )
        seen.add((choice.address, choice.model))


def _build(
    settings: Settings, choice: Fallback, till: Till, prices: PriceTable, learned: Learned, *, first: Fallback
) -> Adviser:
    """One model; the extra body is the first one's alone, since it is written for one provider."""
    chat = build_chat(
        choice.provider,
        model=choice.model,
        api_key=_key(settings, choice, first),
        base_url=choice.base_url,
        max_tokens=settings.llm_max_tokens,
        temperature=settings.llm_temperature,
        reasoning_effort=settings.llm_reasoning_effort,
        extra_body=settings.llm_extra_body if choice is first else None,
        learned=learned,
    )
    breaker = guarded(chat)
    price = prices.price_of(choice.provider, choice.model)

    def cap() -> int:
        return chat.cap

    return Adviser(
        model=Metered(breaker, price, till, cap=cap),
        unhurried=Metered(breaker.beside, price, till, cap=cap),
        breaker=breaker,
        price=prices.row_of(choice.provider, choice.model),
        is_local=PRESETS[choice.provider].is_local,
    )


def _key(settings: Settings, choice: Fallback, first: Fallback) -> str | None:
    """The key that is meant for a model, None where there is none; raises `SettingsError` where one has to be named.

    `LLM_API_KEY` is for `LLM_PROVIDER` at its address and goes nowhere else; a provider's own variable is for the other
    addresses that are named with it.
    """
    preset, own = PRESETS[choice.provider], settings.own_key_of(choice.provider)
    name, is_there = f"{choice.provider}/{choice.model}", choice.address == first.address
    if choice.provider == first.provider and is_there:
        return settings.llm_api_key.get_secret_value() if settings.llm_api_key else own
    if own is None and preset.needs_key:
        raise SettingsError(f"{preset.key_name} is missing: {name} of LLM_FALLBACKS needs it")
    is_lent = choice.provider == first.provider and choice.base_url is None and settings.llm_api_key is None
    if own is not None and is_lent:
        raise SettingsError(
            f"{name} of LLM_FALLBACKS is at {choice.address}, and {preset.key_name} is the key for LLM_BASE_URL: put "
            f"that one into LLM_API_KEY, or write {name}@URL"
        )
    return own


def guarded(model: ChatModel) -> Breaker:
    """A model that is left alone for a while after it has failed several times in a row."""
    return Breaker(model, clock=time.monotonic)


@contextlib.asynccontextmanager
async def warmed(advisers: Sequence[Adviser], *, budget_s: float, unless: asyncio.Event) -> AsyncIterator[None]:
    """Models that have been asked a small question before the first turn; local ones stay loaded inside.

    What fails is said in the log and no reason not to play. `budget_s` and `unless` end the wait for local models, not
    their loading.
    """
    asking = [asyncio.create_task(_warm_up(adviser, budget_s)) for adviser in advisers if budget_s]
    keeping = [
        asyncio.create_task(_keep_warm(adviser, loading))
        for adviser, loading in zip_longest(advisers, asking)
        if adviser.is_local
    ]
    waiting: asyncio.Task[object] = asyncio.create_task(unless.wait())
    try:
        if asking:
            await asyncio.wait(
                (asyncio.gather(*asking), waiting), timeout=budget_s, return_when=asyncio.FIRST_COMPLETED
            )
            names = [adviser.model.name for adviser, task in zip(advisers, asking, strict=True) if not task.done()]
            if names:
                log.info("%s: no answer yet, loading goes on while play begins", ", ".join(names))
        yield
    finally:
        for open_task in (*asking, *keeping, waiting):
            open_task.cancel()
        await asyncio.gather(*asking, *keeping, waiting, return_exceptions=True)


async def _keep_warm(adviser: Adviser, loading: asyncio.Task[None] | None) -> None:
    def last_asked_s() -> float | None:
        return adviser.breaker.last_asked_s

    if loading is not None:
        await asyncio.wait((loading,))
    await keep_warm(adviser.unhurried, every_s=KEPT_WARM_EVERY_S, last_asked_s=last_asked_s, clock=time.monotonic)


async def _warm_up(adviser: Adviser, budget_s: float) -> None:
    """Ask the first question. A local server goes on loading while it is waited for, also when turns have begun."""
    model = adviser.unhurried if adviser.is_local else adviser.model
    try:
        reply = await warm_up(model, budget_s=max(budget_s, LOADING_S) if adviser.is_local else budget_s)
    except ModelError as failure:
        log.warning("the first question to %s failed, it is asked at the table all the same: %s", model.name, failure)
    else:
        log.info("%s answers after %.1f s", model.name, reply.latency_ms / 1_000)
