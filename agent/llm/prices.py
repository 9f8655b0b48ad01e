"""What a call to a model costs, from a dated table of list prices and the tokens that the provider reports.

The table is `prices.toml` beside this module; a person's own file (LLM_PRICES) has the same form, and its rows come
before the shipped ones:

    [[price]]
    provider = "openai"            # a name that LLM_PROVIDER takes
    model = "gpt-5-mini"           # as LLM_MODEL has it; a dated name such as gpt-5-mini-2025-08-07 finds it too
    input_usd = 0.25               # dollars per million tokens
    cached_input_usd = 0.025       # may be left out: then the same as input_usd
    output_usd = 2.0
    date = 2025-11-13              # when the price stood there
    source = "https://..."         # where it stands

A price is an estimate of the bill, not the bill: discounts, surcharges for writing a provider's cache, fees of
gateways and taxes are not in it.
"""

import datetime as dt
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

from agent.llm.build import ModelSettingsError
from agent.llm.chat import MOST_TOKENS
from agent.llm.presets import PRESETS

_TOKENS_PER_PRICE: Final = 1_000_000
_DEAREST_USD: Final = 1_000_000
_LONGEST_SHOWN: Final = 40
_REQUIRED: Final = ("provider", "model", "input_usd", "output_usd", "date", "source")
_ALLOWED: Final = (*_REQUIRED, "cached_input_usd")
# Snapshots cost what their model costs: gpt-5-2025-08-07, claude-haiku-4-5-20251001, grok-4-0709, gemini-...-001.
# Any other ending is another model: gpt-5-pro costs twelve times what gpt-5 does.
_SNAPSHOT: Final = re.compile(r"[-@](\d{4}-\d{2}-\d{2}|\d{8}|\d{6}|\d{4}|\d{3})$")
# Gemini: 57 prompt + 2,181 completion tokens, 2,518 in total. xAI: docs.x.ai, "Understanding token usage".
_REASONING_IS_EXTRA: Final = frozenset({"gemini", "xai"})


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per million tokens: of the prompt, of the part of it served from the provider's cache, of the reply."""

    input_usd: float
    cached_input_usd: float
    output_usd: float


FREE: Final = Price(0.0, 0.0, 0.0)
"""What a model on a machine of one's own costs."""


@dataclass(frozen=True, slots=True)
class PriceRow:
    """A price with the day on which it stood at its source."""

    price: Price
    date: dt.date
    source: str


@dataclass(frozen=True, slots=True)
class PriceTable:
    """Prices by provider and model name, both in lower case."""

    rows: Mapping[tuple[str, str], PriceRow]

    @classmethod
    def load(cls, override: Path | None = None) -> "PriceTable":
        """The shipped table, with the rows of `override` in the place of its own.

        Raises `ModelSettingsError`, which names the file, the row and what is allowed there.
        """
        rows = _read(resources.files("agent.llm") / "prices.toml")
        return cls({**rows, **(_read(override) if override else {})})

    @property
    def date(self) -> dt.date:
        """The day of the newest row."""
        return max(row.date for row in self.rows.values())

    def row_of(self, provider: str, model: str) -> PriceRow | None:
        """The row of a model, or of the model that it is a dated snapshot of; None when there is none."""
        provider, model = provider.strip().lower(), model.strip().lower()
        return self.rows.get((provider, model)) or self.rows.get((provider, _SNAPSHOT.sub("", model)))

    def price_of(self, provider: str, model: str) -> Price | None:
        """What a model costs: its row, `FREE` on a local server without one, None where nobody knows."""
        row = self.row_of(provider, model)
        if row is not None:
            return row.price
        preset = PRESETS.get(provider.strip().lower())
        return FREE if preset is not None and preset.is_local else None


def cost_usd(
    price: Price,
    *,
    prompt_tokens: int | None,
    cached_tokens: int | None,
    completion_tokens: int | None,
    reasoning_tokens: int | None,
    provider: str,
    total_tokens: int | None = None,
) -> float | None:
    """What a reply cost in dollars, None where the usage that this takes was not reported.

    `cached_tokens` are part of `prompt_tokens`. `reasoning_tokens` are part of `completion_tokens`, except at Gemini
    and xAI, which report and bill them beside it: where they name no count, it is what `total_tokens` have more than
    the other two, and without that sum the cost is unknown, not small.

    >>> cost_usd(Price(1.0, 0.1, 10.0), prompt_tokens=1_000_000, cached_tokens=500_000, completion_tokens=100_000,
    ...          reasoning_tokens=None, provider="openai")
    1.55
    """
    if price == FREE:
        return 0.0
    if prompt_tokens is None or completion_tokens is None:
        return None
    if max(prompt_tokens, completion_tokens, reasoning_tokens or 0, total_tokens or 0) > MOST_TOKENS:
        return None
    output_tokens = completion_tokens
    # A part cannot be larger than the whole: such a count stands beside it, whoever the provider is.
    if provider in _REASONING_IS_EXTRA or (reasoning_tokens or 0) > completion_tokens:
        if reasoning_tokens is None and total_tokens is not None:
            reasoning_tokens = max(0, total_tokens - prompt_tokens - completion_tokens)
        if reasoning_tokens is None:
            return None
        output_tokens += reasoning_tokens
    cached = min(cached_tokens or 0, prompt_tokens)
    dollars = (prompt_tokens - cached) * price.input_usd + cached * price.cached_input_usd
    return (dollars + output_tokens * price.output_usd) / _TOKENS_PER_PRICE


def most_usd(price: Price, *, prompt_tokens: int, completion_tokens: int) -> float:
    """The most that so many tokens can cost: nothing from the cache, the whole reply used up."""
    input_usd = max(price.input_usd, price.cached_input_usd)
    return (prompt_tokens * input_usd + completion_tokens * price.output_usd) / _TOKENS_PER_PRICE


def _read(source: Path | Traversable) -> dict[tuple[str, str], PriceRow]:
    try:
        content = tomllib.loads(source.read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelSettingsError(f"{source}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise ModelSettingsError(f"{source}: not TOML: {error}") from None
    except RecursionError:
        raise ModelSettingsError(f"{source}: nested too deeply: expected tables [[price]] and nothing else") from None
    entries = content.get("price")
    if set(content) != {"price"} or not isinstance(entries, list) or not all(isinstance(e, dict) for e in entries):
        raise ModelSettingsError(f"{source}: expected tables [[price]] and nothing else")
    rows: dict[tuple[str, str], PriceRow] = {}
    for number, entry in enumerate(entries, 1):
        where = f"{source}, row {number} ({entry.get('provider')}/{entry.get('model')})"
        key, row = _row(where, entry)
        if key in rows:
            raise ModelSettingsError(f"{where}: the file has this model already; one row for each")
        rows[key] = row
    return rows


def _row(where: str, entry: dict[str, Any]) -> tuple[tuple[str, str], PriceRow]:
    unknown = [name for name in entry if name not in _ALLOWED]
    if unknown:
        raise ModelSettingsError(f"{where}: {unknown[0]} is not known; a row has {', '.join(_ALLOWED)}")
    missing = [name for name in _REQUIRED if name not in entry]
    if missing:
        raise ModelSettingsError(f"{where}: {', '.join(missing)} missing; only cached_input_usd may be left out")
    provider = _text(where, entry, "provider").lower()
    if provider not in PRESETS:
        raise ModelSettingsError(f"{where}: provider = {provider!r}: expected one of {', '.join(PRESETS)}")
    date = entry["date"]
    if not isinstance(date, dt.date) or isinstance(date, dt.datetime):
        raise ModelSettingsError(f"{where}: date = {date!r}: expected a day without quotes, such as 2026-01-31")
    entry = {"cached_input_usd": entry["input_usd"], **entry}
    price = Price(**{name: _usd(where, entry, name) for name in ("input_usd", "cached_input_usd", "output_usd")})
    key = (provider, _text(where, entry, "model").lower())
    return key, PriceRow(price, date, _text(where, entry, "source"))


def _text(where: str, entry: dict[str, Any], name: str) -> str:
    value = entry[name]
    if not isinstance(value, str) or not value.strip():
        raise ModelSettingsError(f"{where}: {name} = {value!r}: expected a text that is not empty")
    return value.strip()


def _usd(where: str, entry: dict[str, Any], name: str) -> float:
    value = entry[name]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _DEAREST_USD:
        shown = repr(value)[:_LONGEST_SHOWN]
        raise ModelSettingsError(
            f"{where}: {name} = {shown}: expected dollars per million tokens, 0 or more and at most {_DEAREST_USD:,}"
        )
    return float(value)
