from pathlib import Path

import pytest

from agent.bots import load_bots
from agent.settings import SettingsError

TWO = '[[bot]]\nname = "heron"\nopen_poker_api_key = "$HERON_KEY"\n[[bot]]\nname = "lynx"\n'


def written(folder: Path, text: str) -> Path:
    file = folder / "bots.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_each_bot_has_what_differs_and_shares_the_rest_of_the_environment(tmp_path: Path) -> None:
    file = written(tmp_path, TWO + 'open_poker_api_key = "k2"\nllm_timeout_s = 5\nopen_poker_auto_rebuy = false\n')
    heron, lynx = load_bots(file, {"HERON_KEY": "k1", "LLM_PROVIDER": "none", "LLM_TIMEOUT_S": "9"}, tmp_path / ".env")
    assert (heron.name, heron.settings.secrets(), heron.settings.llm_timeout_s) == ("heron", ("k1",), 9.0)
    assert (lynx.name, lynx.settings.secrets(), lynx.settings.llm_timeout_s) == ("lynx", ("k2",), 5.0)
    assert (heron.settings.open_poker_auto_rebuy, lynx.settings.open_poker_auto_rebuy) == (True, False)
    assert [bot.settings.journal_path.name for bot in (heron, lynx)] == ["heron.sqlite3", "lynx.sqlite3"]
    assert {bot.settings.llm_provider for bot in (heron, lynx)} == {"none"}


def test_what_is_json_or_a_list_in_the_environment_may_be_a_table_or_a_list_here(tmp_path: Path) -> None:
    body = 'llm_extra_body = { service_tier = "priority", top_k = 5, stops = [1, 2] }'
    models = 'llm_fallbacks = ["groq/llama", "custom/qwen@http://127.0.0.1:8000/v1"]'
    file = written(tmp_path, f'[[bot]]\nname = "a"\nopen_poker_api_key = "k"\n{body}\n{models}\n')
    (bot,) = load_bots(file, {}, tmp_path / ".env")

    assert bot.settings.llm_extra_body == {"service_tier": "priority", "top_k": 5, "stops": [1, 2]}
    assert [fallback.model for fallback in bot.settings.llm_fallbacks] == ["llama", "qwen"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "expected tables"),
        ("bot = 3", "expected tables"),
        ("[[bot]]\nname = 3\n", "bot 1: name = 3"),
        ('[[bot]]\nname = "a b"\n', "letters, digits"),
        ('[[bot]]\nname = "a"\n', "open_poker_api_key is missing"),
        ('[[bot]]\nname = "a"\nopen_poker_api_key = "$NOWHERE"\n', "no NOWHERE"),
        ('[[bot]]\nname = "a"\nopen_poker_api_key = "k"\nllm_modell = "x"\n', "llm_modell"),
        ('[[bot]]\nname = "a"\nopen_poker_api_key = "k"\nopen_poker_buy_in = 7\n', "OPEN_POKER_BUY_IN"),
        ('[[bot]]\nname = "a"\nopen_poker_api_key = "k"\nagent_log_file = "x"\n', "for the whole process"),
        ('[[bot]]\nname = "a"\nopen_poker_api_key = "k"\nagent_metrics_port = 1\n', "for the whole process"),
        (TWO + 'open_poker_api_key = "k1"\n', "share their OPEN_POKER_API_KEY"),
        (TWO.replace("lynx", "heron") + 'open_poker_api_key = "k2"\n', "share their name"),
        (TWO + 'open_poker_api_key = "k2"\njournal_path = "heron.sqlite3"\n', "share their JOURNAL_PATH"),
        ("[[bot", "not TOML"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_with_the_bot_and_the_reason(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(SettingsError) as refused:
        load_bots(written(tmp_path, text), {"HERON_KEY": "k1"}, tmp_path / ".env")
    assert said in str(refused.value)
    assert "bots.toml" in str(refused.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        load_bots(tmp_path / "none.toml", {})
