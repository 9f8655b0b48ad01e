"""The price table is dated and checked, a person's file comes before it, and a cost is never made up."""

import datetime as dt
from pathlib import Path

import pytest

from agent.llm.build import ModelSettingsError
from agent.llm.presets import PRESETS
from agent.llm.prices import FREE, Price, PriceTable, cost_usd, most_usd

PRICE = Price(input_usd=1.0, cached_input_usd=0.1, output_usd=10.0)

ROW = """
[[price]]
provider = "openai"
model = "gpt-5-mini"
input_usd = 1
output_usd = 4.5
date = 2026-01-31
source = "the contract"
"""


@pytest.fixture(scope="module")
def table() -> PriceTable:
    return PriceTable.load()


def cost(
    *, prompt: int | None, completion: int | None, cached: int | None = None, reasoning: int | None = None, at: str
) -> float | None:
    return cost_usd(
        PRICE,
        prompt_tokens=prompt,
        cached_tokens=cached,
        completion_tokens=completion,
        reasoning_tokens=reasoning,
        provider=at,
    )


def test_every_row_names_its_day_and_the_vendors_page(table: PriceTable) -> None:
    assert table.date == max(row.date for row in table.rows.values())
    for (provider, _), row in table.rows.items():
        assert provider in PRESETS
        assert dt.date(2025, 1, 1) <= row.date <= table.date
        assert row.source.startswith("https://")
        assert row.price.cached_input_usd <= row.price.input_usd <= row.price.output_usd


def test_every_provider_with_model_names_of_its_own_has_a_row(table: PriceTable) -> None:
    hosted = {name for name, preset in PRESETS.items() if preset.needs_key} - {"azure"}
    assert {provider for provider, _ in table.rows} == hosted


@pytest.mark.parametrize(
    ("provider", "model", "price"),
    [
        ("openai", "gpt-5-mini", Price(0.25, 0.025, 2.0)),
        ("openai", "gpt-5-mini-2025-08-07", Price(0.25, 0.025, 2.0)),
        (" OpenAI", "GPT-5-Mini ", Price(0.25, 0.025, 2.0)),
        ("anthropic", "claude-haiku-4-5-20251001", Price(1.0, 0.1, 5.0)),
        ("anthropic", "claude-haiku-4-5@20251001", Price(1.0, 0.1, 5.0)),
        ("deepseek", "deepseek-v4-pro-0813", Price(1.32, 0.044, 3.96)),
        ("gemini", "gemini-2.5-flash-001", Price(0.3, 0.03, 2.5)),
        ("mistral", "mistral-small-2603", Price(0.15, 0.015, 0.6)),
        ("groq", "llama-3.1-8b-instant", Price(0.05, 0.05, 0.08)),
    ],
)
def test_a_model_is_found_by_its_name_and_by_that_of_a_snapshot(
    table: PriceTable, provider: str, model: str, price: Price
) -> None:
    assert table.price_of(provider, model) == price


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        ("openai", "gpt-5-pro"),
        ("openai", "gpt-5-mini-latest"),
        ("openai", "gpt-5-mini:free"),
        ("anthropic", "claude-opus-5-7"),
        ("mistral", "mistral-small-2409"),
        ("azure", "gpt-5-mini"),
        ("custom", "gpt-5-mini"),
        ("nobody", "gpt-5-mini"),
    ],
)
def test_a_name_that_only_begins_like_a_known_one_has_no_price(table: PriceTable, provider: str, model: str) -> None:
    assert table.price_of(provider, model) is None


@pytest.mark.parametrize("provider", ["ollama", "vllm", "lmstudio", "llamacpp"])
def test_a_model_on_a_machine_of_ones_own_is_free(table: PriceTable, provider: str) -> None:
    assert table.price_of(provider, "qwen3:4b") == FREE


def test_rows_of_a_persons_own_file_come_first_and_the_others_stay(tmp_path: Path, table: PriceTable) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(ROW + ROW.replace("openai", "ollama").replace("gpt-5-mini", "qwen3:4b"))
    mine = PriceTable.load(file)
    assert mine.price_of("openai", "gpt-5-mini-2025-08-07") == Price(1.0, 1.0, 4.5)
    assert mine.price_of("ollama", "qwen3:4b") == Price(1.0, 1.0, 4.5)
    assert mine.price_of("openai", "gpt-5") == table.price_of("openai", "gpt-5")
    row = mine.row_of("openai", "gpt-5-mini")
    assert row is not None
    assert (row.date, row.source) == (dt.date(2026, 1, 31), "the contract")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"openai"', '"opnai"', "row 1 (opnai/gpt-5-mini): provider = 'opnai': expected one of openai, anthropic"),
        ('"gpt-5-mini"', '" "', "model = ' ': expected a text that is not empty"),
        ("input_usd = 1", "input_usd = -1", "input_usd = -1: expected dollars per million tokens, 0 or more"),
        ("input_usd = 1", "input_usd = nan", "input_usd = nan: expected dollars per million tokens"),
        ("output_usd = 4.5", "output_usd = inf", "output_usd = inf: expected dollars per million tokens"),
        ("output_usd = 4.5", 'output_usd = "4.5"', "output_usd = '4.5': expected dollars per million tokens"),
        ("output_usd = 4.5", "output_usd = true", "output_usd = True: expected dollars per million tokens"),
        ("output_usd = 4.5", "output = 4.5", "output is not known; a row has provider, model, input_usd, output_usd"),
        ("output_usd = 4.5", "", "output_usd missing; only cached_input_usd may be left out"),
        ("2026-01-31", '"2026-01-31"', "date = '2026-01-31': expected a day without quotes, such as 2026-01-31"),
        ("2026-01-31", "2026-01-31T10:00:00", "expected a day without quotes"),
        ('"the contract"', '""', "source = '': expected a text that is not empty"),
        ("[[price]]", "[price]", "expected tables [[price]] and nothing else"),
        ("[[price]]", "[[prices]]", "expected tables [[price]] and nothing else"),
        ("[[price]]", "version = 1\n[[price]]", "expected tables [[price]] and nothing else"),
        ("[[price]]", "[[price]", "not TOML"),
    ],
)
def test_a_wrong_file_is_refused_with_its_name_the_row_and_what_is_allowed(
    tmp_path: Path, old: str, new: str, words: str
) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(ROW.replace(old, new, 1))
    with pytest.raises(ModelSettingsError) as caught:
        PriceTable.load(file)
    assert str(caught.value).startswith(str(file))
    assert words in str(caught.value)


def test_a_model_that_stands_twice_in_a_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(ROW + ROW.replace("gpt-5-mini", "GPT-5-mini"))
    with pytest.raises(ModelSettingsError, match=r"row 2 \(openai/GPT-5-mini\): the file has this model already"):
        PriceTable.load(file)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelSettingsError, match=r"nowhere\.toml: cannot be read: No such file"):
        PriceTable.load(tmp_path / "nowhere.toml")


def test_prompt_and_reply_are_paid_at_their_own_prices() -> None:
    assert cost(prompt=1_000, completion=200, at="openai") == pytest.approx(0.001 + 0.002)


def test_the_cached_part_of_the_prompt_is_cheaper() -> None:
    assert cost(prompt=1_000, cached=600, completion=0, at="openai") == pytest.approx(0.0004 + 0.00006)


def test_more_cached_than_prompted_counts_as_all_of_it() -> None:
    assert cost(prompt=1_000, cached=5_000, completion=0, at="openai") == pytest.approx(0.0001)


@pytest.mark.parametrize("provider", ["openai", "groq", "deepseek", "openrouter", "custom"])
def test_reasoning_is_a_part_of_the_reply(provider: str) -> None:
    assert cost(prompt=0, completion=500, reasoning=400, at=provider) == pytest.approx(0.005)


@pytest.mark.parametrize("provider", ["gemini", "xai"])
def test_reasoning_stands_beside_the_reply_at_gemini_and_xai(provider: str) -> None:
    assert cost(prompt=0, completion=100, reasoning=400, at=provider) == pytest.approx(0.005)
    assert cost(prompt=0, completion=100, reasoning=0, at=provider) == pytest.approx(0.001)
    assert cost(prompt=0, completion=100, reasoning=None, at=provider) is None


def test_more_reasoning_than_reply_stands_beside_it_anywhere() -> None:
    assert cost(prompt=0, completion=124, reasoning=1_097, at="custom") == pytest.approx(0.01221)


@pytest.mark.parametrize(("prompt", "completion"), [(None, 100), (100, None), (None, None)])
def test_without_usage_the_cost_is_not_known(prompt: int | None, completion: int | None) -> None:
    assert cost(prompt=prompt, completion=completion, at="openai") is None


def test_what_is_free_costs_nothing_even_without_usage() -> None:
    nothing = cost_usd(
        FREE, prompt_tokens=None, cached_tokens=None, completion_tokens=None, reasoning_tokens=None, provider="ollama"
    )
    assert nothing == 0.0


def test_the_most_counts_on_no_cache_and_a_full_reply() -> None:
    assert most_usd(PRICE, prompt_tokens=1_000, completion_tokens=2_000) == pytest.approx(0.001 + 0.02)
    assert most_usd(Price(1.0, 2.0, 10.0), prompt_tokens=1_000, completion_tokens=0) == pytest.approx(0.002)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a = " + "[" * 3_000 + "]" * 3_000, "nested too deeply"),
        (ROW.replace("4.5", "9" * 400), "output_usd = 9999.*: expected dollars"),
        (ROW.replace("4.5", "9" * 5_000), "not TOML"),
        (ROW.replace("4.5", "1_000_000.5"), "at most 1,000,000"),
    ],
    ids=["deep", "long", "too long", "dear"],
)
def test_a_file_that_no_reader_can_bear_is_told_in_a_few_words(text: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(text)
    with pytest.raises(ModelSettingsError, match=words) as caught:
        PriceTable.load(file)
    assert len(str(caught.value)) < 400
