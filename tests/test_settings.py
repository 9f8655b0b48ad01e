import logging
import re
from pathlib import Path

import pytest

from agent.llm.fallbacks import Fallback
from agent.redaction import Redaction, Secrets
from agent.settings import Settings, SettingsError

EXAMPLE = Path(__file__).parents[1] / ".env.example"
NOWHERE = Path("/nonexistent/.env")


def load(environ: dict[str, str], env_file: Path = NOWHERE) -> Settings:
    return Settings.load(environ, env_file)


def test_the_example_file_loads_as_it_is_and_holds_every_default() -> None:
    assert load({}, EXAMPLE) == load({})


def test_the_example_file_names_every_variable() -> None:
    text = EXAMPLE.read_text(encoding="utf-8")

    assert [name for name in Settings.model_fields if f"\n{name.upper()}=" not in text] == []


def test_the_environment_beats_the_file(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text("LLM_MODEL=from-file\nLLM_PROVIDER=openai\n")
    settings = load({"LLM_MODEL": "from-shell"}, file)

    assert (settings.llm_model, settings.llm_provider) == ("from-shell", "openai")


def test_blanks_and_line_ends_around_a_value_are_not_part_of_it() -> None:
    settings = load({"LLM_API_KEY": " sk-1234\n", "LLM_BASE_URL": " http://127.0.0.1:1/v1 ", "LLM_PROVIDER": "OpenAI"})

    assert settings.llm_api_key is not None
    assert settings.llm_api_key.get_secret_value() == "sk-1234"
    assert (settings.llm_base_url, settings.llm_provider) == ("http://127.0.0.1:1/v1", "openai")


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({"LLM_PROVDER": "openai"}, "LLM_PROVDER: unknown variable; did you mean LLM_PROVIDER?"),
        ({"OPEN_POKER_APIKEY": "x"}, "OPEN_POKER_APIKEY: unknown variable; did you mean OPEN_POKER_API_KEY?"),
        ({"LLM_PROVIDER": "gpt"}, "LLM_PROVIDER: 'gpt' cannot be used: must be one of none, anthropic, azure"),
        ({"LLM_TIMEOUT_S": "0"}, "LLM_TIMEOUT_S: '0' cannot be used: .*; allowed is more than 0 to 120"),
        ({"LLM_TIMEOUT_S": "nan"}, "LLM_TIMEOUT_S: 'nan' cannot be used"),
        ({"OPEN_POKER_BUY_IN": "999"}, "OPEN_POKER_BUY_IN: '999' cannot be used: .*; allowed is 1000 to 5000"),
        ({"OPEN_POKER_WS_URL": "https://x"}, "OPEN_POKER_WS_URL: 'https://x' cannot be used: must begin with ws://"),
        ({"OPEN_POKER_AUTO_REBUY": "perhaps"}, "OPEN_POKER_AUTO_REBUY: 'perhaps' cannot be used"),
        ({"LLM_EXTRA_BODY": "{"}, r"LLM_EXTRA_BODY: the value \(not shown\) cannot be used: invalid JSON"),
        ({"LLM_EXTRA_BODY": "[1]"}, "LLM_EXTRA_BODY: .* cannot be used"),
        ({"LLM_EXTRA_BODY": '{"a": [NaN]}'}, "LLM_EXTRA_BODY: .* holds what JSON cannot carry, such as NaN"),
        ({"LLM_EXTRA_BODY": '{"a": -Infinity}'}, "LLM_EXTRA_BODY: .* holds what JSON cannot carry"),
        ({"LLM_BASE_URL": "https://h/v1?api-version=1"}, "LLM_BASE_URL: .* holds a query"),
        ({"LLM_FALLBACKS": "custom/m@https://h/v1?key=x"}, "LLM_FALLBACKS: .* holds a query"),
        ({"LLM_FALLBACKS": "azure/b"}, "azure has no address of its own: write azure/b@URL"),
        ({"LLM_FALLBACKS": "custom/b"}, "custom has no address of its own: write custom/b@URL"),
        ({"LLM_FALLBACKS": "ollama/q@192.168.1.5:11434/v1"}, "where the URL begins with http:// or https://"),
        ({"LLM_FALLBACKS": "ollama/q@localhost"}, "where the URL begins with http:// or https://"),
        ({"LLM_FALLBACKS": "ollama/q@box.lan:11434"}, "where the URL begins with http:// or https://"),
        ({"LLM_FALLBACKS": "ollama/q@HTTP://h/v1"}, "must begin with http:// or https://"),
        ({"LLM_FALLBACKS": "ollama/q@ftp://h/v1"}, "must begin with http:// or https://"),
        ({"OPEN_POKER_WS_URL": "ws://"}, "OPEN_POKER_WS_URL: 'ws://' cannot be used: is no complete address"),
        ({"OPEN_POKER_WS_URL": "ws://[bad"}, "is no complete address"),
        ({"OPEN_POKER_WS_URL": "ws://a:999999/"}, "is no complete address"),
        ({"OPEN_POKER_WS_URL": "ws://h/x#part"}, "is no complete address"),
        ({"OPEN_POKER_API_URL": "http://"}, "OPEN_POKER_API_URL: 'http://' cannot be used: is no complete address"),
        ({"OPEN_POKER_API_KEY": "op-1234\n5678"}, r"OPEN_POKER_API_KEY: the value \(not shown\) cannot be used: holds"),
        ({"OPEN_POKER_API_KEY": '"op-1234"'}, r"OPEN_POKER_API_KEY: the value \(not shown\) .*: stands in quotes"),
        ({"GROQ_API_KEY": "gsk-1234'"}, r"GROQ_API_KEY: the value \(not shown\) .*: stands in quotes"),
        ({"LLM_API_KEY": "“sk-1234”"}, r"LLM_API_KEY: the value \(not shown\) .*: stands in quotes"),
        ({"OPEN_POKER_CLOCK_S": "8"}, "OPEN_POKER_MARGIN_S: '8' cannot be used: must be less than OPEN_POKER_CLOCK_S"),
        ({"OPEN_POKER_MARGIN_S": "45"}, "OPEN_POKER_MARGIN_S: '45' cannot be used: .*, which is 45: no time is left"),
        ({"AGENT_SEEED": "3"}, "AGENT_SEEED: unknown variable; did you mean AGENT_SEED?"),
        ({"PROMPT_SETT": "x"}, "PROMPT_SETT: unknown variable; did you mean PROMPT_SET?"),
        ({"AGENT_LOG_LEVEL": "LOUD"}, "AGENT_LOG_LEVEL: 'LOUD' cannot be used: .*'DEBUG', 'INFO'"),
    ],
)
def test_a_bad_variable_is_named_with_its_value_and_what_is_allowed(environ: dict[str, str], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        load(environ)


def test_every_problem_is_told_at_once() -> None:
    with pytest.raises(SettingsError) as error:
        load({"LLM_PROVDER": "x", "LLM_TIMEOUT_S": "-1", "OPEN_POKER_BUY_IN": "lots"})

    assert str(error.value).count("\n") == 2


def test_a_clock_that_is_no_number_says_nothing_about_the_margin() -> None:
    with pytest.raises(SettingsError) as error:
        load({"OPEN_POKER_CLOCK_S": "soon", "OPEN_POKER_MARGIN_S": "50"})

    assert "\n" not in str(error.value)


def test_a_margin_without_room_is_told_beside_other_faults() -> None:
    with pytest.raises(SettingsError) as error:
        load({"LLM_PROVIDER": "gpt", "OPEN_POKER_MARGIN_S": "50"})

    assert [line.partition(":")[0] for line in str(error.value).splitlines()] == ["LLM_PROVIDER", "OPEN_POKER_MARGIN_S"]


def test_a_survey_names_each_variable_at_fault_and_keeps_the_others(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text('LLM_MODEL="gpt\nLLM_TIMEOUT_S=5\n')
    environ = {"LLM_PROVDER": "openai", "OPEN_POKER_BUY_IN": "lots", "AGENT_SEED": "7"}
    settings, problems = Settings.survey(environ, file, {"OPEN_POKER_API_KEY": "$NOWHERE"})

    assert sorted(problem.variable for problem in problems) == [
        "LLM_MODEL",
        "LLM_PROVIDER",
        "OPEN_POKER_API_KEY",
        "OPEN_POKER_BUY_IN",
    ]
    assert (settings.llm_timeout_s, settings.agent_seed, settings.open_poker_buy_in) == (5.0, 7, 2_000)
    assert (settings.llm_provider, settings.llm_model, settings.open_poker_api_key) == (None, None, None)


def test_an_unknown_variable_in_the_file_is_named_with_the_file(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text("OPENAI_KEY=sk-1234\n")

    with pytest.raises(SettingsError, match=r"OPENAI_KEY in .*\.env: unknown variable") as error:
        load({}, file)
    assert "sk-1234" not in str(error.value)


@pytest.mark.parametrize("line", ['LLM_MODEL="gpt', "LLM_MODEL", "= x"])
def test_a_line_of_the_file_that_says_nothing_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / ".env"
    file.write_text(f"LLM_PROVIDER=none\n{line}\n")

    with pytest.raises(SettingsError, match=r"\.env, line 2: expected NAME=value"):
        load({}, file)


def test_the_file_may_begin_with_a_byte_order_mark_and_end_lines_as_windows_does(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_bytes(b"\xef\xbb\xbfLLM_PROVIDER=none\r\nexport LLM_MODEL='m' # mine\r\n")

    assert (load({}, file).llm_provider, load({}, file).llm_model) == ("none", "m")


def test_an_address_that_may_hold_a_password_is_not_shown() -> None:
    with pytest.raises(SettingsError) as error:
        load({"LLM_BASE_URL": "htp://me:hunter2@h/v1?key=topsecret"})

    assert "LLM_BASE_URL" in str(error.value)
    assert "hunter2" not in str(error.value)
    assert "topsecret" not in str(error.value)


@pytest.mark.parametrize("model", ["claude-sonnet@20250514", "@cf/meta/llama-3.1-8b-instruct", "gemma@2.0", "a/b:free"])
def test_a_model_may_have_an_at_in_its_name(model: str) -> None:
    with_url = load({"LLM_FALLBACKS": f"custom/{model}@http://127.0.0.1:8000/v1"}).llm_fallbacks
    assert with_url == (Fallback("custom", model, "http://127.0.0.1:8000/v1"),)
    assert load({"LLM_FALLBACKS": f"openrouter/{model}"}).llm_fallbacks == (Fallback("openrouter", model),)


def test_passwords_in_addresses_are_secrets_too() -> None:
    environ = {"LLM_BASE_URL": "http://me:pass-one@h/v1", "LLM_FALLBACKS": "custom/m@http://me:pass-two@h/v1"}
    assert load(environ).secrets() == ("pass-one", "pass-two")


def test_other_programs_variables_are_not_ours() -> None:
    assert load({"PATH": "/bin", "PROMPT_COMMAND": "x", "OPENAI_ORG_ID": "y", "AGENT_ID": "7"}) == load({})


def test_a_bad_key_is_not_shown() -> None:
    with pytest.raises(SettingsError) as error:
        load({"LLM_API_KEY": "sk-sécret"})

    assert "LLM_API_KEY" in str(error.value)
    assert "sécret" not in str(error.value)


def test_keys_do_not_show_in_the_settings() -> None:
    settings = load({"LLM_API_KEY": "sk-1234567", "OPEN_POKER_API_KEY": "op-7654321"})

    assert "1234567" not in repr(settings) + str(settings)
    assert settings.secrets() == ("op-7654321", "sk-1234567")


def test_the_log_hides_secrets_in_messages_arguments_and_tracebacks() -> None:
    lines: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(self.format(record))

    handler, logger = Keep(), logging.getLogger("test.redaction")
    handler.addFilter(Redaction(Secrets(["sk-1234567"])))
    logger.addHandler(handler)
    logger.propagate = False
    logger.error("Authorization: Bearer sk-1234567")
    logger.error("key %s", "sk-1234567")
    try:
        raise ValueError("bad key sk-1234567")
    except ValueError:
        logger.exception("failed")

    assert len(lines) == 3
    assert "1234567" not in "".join(lines)
    assert all("[hidden]" in line for line in lines)


def test_the_documentation_lists_every_variable_with_its_default() -> None:
    readme = (EXAMPLE.parent / "docs" / "settings.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([A-Z_]+)` \|(?: `?([^`|]*?)`?)? \|", readme, re.MULTILINE))
    shown = {name: Settings.load({name: value}, NOWHERE) for name, value in rows.items() if value}

    assert set(rows) == {name.upper() for name in Settings.model_fields}
    assert all(settings == load({}) for settings in shown.values())
    without = {name for name, value in rows.items() if not value}
    assert all(getattr(load({}), name.lower()) in (None, {}, ()) for name in without)
