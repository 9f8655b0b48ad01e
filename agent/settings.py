"""Everything that can be set from outside: environment variables and `.env`, read here and nowhere else."""

import difflib
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self
from urllib.parse import urlsplit
from uuid import UUID

from dotenv import dotenv_values
from dotenv.parser import parse_stream
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    Json,
    SecretStr,
    ValidationError,
    field_validator,
)

from agent.decision.modes import AskMode
from agent.llm.fallbacks import Fallback, read_fallback
from agent.llm.presets import DEFAULT_MAX_TOKENS, PRESETS
from agent.llm.request_shape import LEAST_MAX_TOKENS, MOST_MAX_TOKENS
from agent.openpoker.frames import LIVE_API_URL, LIVE_WS_URL

OUR_PREFIXES: Final = ("OPEN_POKER_", "LLM_", "EQUITY_", "PROMPTS_", "JOURNAL_")
"""What begins like this in the environment is meant for us, so that a misspelt name is an error and not ignored."""

SHARED_PREFIXES: Final = ("AGENT_", "PROMPT_", "CONSOLE_")
"""Other programs use these too (PROMPT_COMMAND): only what is nearly one of our names counts as misspelt."""

BUY_INS: Final[Mapping[str, int]] = {"min": 1_000, "max": 5_000}
PROVIDERS: Final = ("none", *sorted(PRESETS))
LEAST_PASSWORD_CHARS: Final = 8


_MAY_HOLD_A_SECRET: Final = frozenset({"llm_base_url", "llm_extra_body", "llm_fallbacks", "console_password"})
"""Beside the keys themselves: an address can carry a password, a request body anything."""

_NAME: Final = re.compile(r"\s*(?:export\s+)?([A-Za-z_]\w*)")
_QUOTES: Final = frozenset("\"'`“”‘’„")


class SettingsError(ValueError):
    """The environment cannot be used; one line for each variable at fault, never with a secret's value."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with the environment, in one line; `variable` is put in doubt by it, empty where none is known."""

    variable: str
    text: str


def _stripped(value: object) -> object:
    """Keys and addresses pasted with a blank or a line end around them are meant without it."""
    return value.strip() if isinstance(value, str) else value


def _usable_key(value: object) -> object:
    """A key as it is sent, without what copying leaves around it; quotes are told, since somebody put them there."""
    value = _stripped(value)
    if not isinstance(value, str):
        return value
    if value and (value[0] in _QUOTES or value[-1] in _QUOTES):
        raise ValueError("stands in quotes; write it without them")
    if not (value.isascii() and value.isprintable() and " " not in value):
        raise ValueError("holds a blank, a line break or a character that no key has; copy it again")
    return value


def _long_enough(value: SecretStr) -> SecretStr:
    """A password that takes more than a few guesses."""
    if len(value.get_secret_value()) < LEAST_PASSWORD_CHARS:
        raise ValueError(f"is shorter than {LEAST_PASSWORD_CHARS} characters")
    return value


def _address(value: str, schemes: tuple[str, str]) -> str:
    if not value.startswith(tuple(f"{scheme}://" for scheme in schemes)):
        raise ValueError(f"must begin with {schemes[0]}:// or {schemes[1]}://")
    try:
        parts = urlsplit(value)
        complete = bool(parts.hostname) and (parts.port is None or parts.port > 0) and not parts.fragment
    except ValueError:
        complete = False
    if not complete or not value.isprintable() or " " in value:
        raise ValueError(f"is no complete address; expected something like {schemes[1]}://host/path")
    return value


def _web_socket(value: str) -> str:
    return _address(value, ("ws", "wss"))


def _web_address(value: str) -> str:
    return _address(value, ("http", "https"))


def _provider_address(value: str) -> str:
    """An address to which paths are added, so that a query at its end would end up in the middle."""
    value = _web_address(value)
    if urlsplit(value).query:
        raise ValueError("holds a query (?...), which no request would carry; leave it out")
    return value


def _sendable(value: object) -> object:
    """A body as JSON can carry it: Python's reader also takes NaN, Infinity and halves of characters."""
    try:
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise ValueError("holds what JSON cannot carry, such as NaN or Infinity") from None
    return value


Text = Annotated[str, BeforeValidator(_stripped)]
SocketUrl = Annotated[Text, AfterValidator(_web_socket)]
WebUrl = Annotated[Text, AfterValidator(_web_address)]
ProviderUrl = Annotated[Text, AfterValidator(_provider_address)]
Key = Annotated[SecretStr, BeforeValidator(_usable_key)]
Password = Annotated[SecretStr, BeforeValidator(_stripped), AfterValidator(_long_enough)]


def _named_buy_in(value: object) -> object:
    """The smallest and the largest buy-in have names."""
    return BUY_INS.get(value.strip().lower(), value) if isinstance(value, str) else value


BuyIn = Annotated[int, BeforeValidator(_named_buy_in)]


def _fallbacks(value: object) -> object:
    """The models of a list such as `groq/llama-3.3-70b-versatile, custom/qwen3@http://127.0.0.1:8000/v1`."""
    if not isinstance(value, str):
        return value
    found = [read_fallback(part.strip()) for part in value.split(",") if part.strip()]
    for fallback in found:
        _provider_address(fallback.address)
    return found


Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh"]


class Settings(BaseModel):
    """The settings of one run. Field names are the variables' names in lower case; the environment beats `.env`.

    An empty value counts as not set.
    """

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    open_poker_api_key: Key | None = None
    open_poker_ws_url: SocketUrl = LIVE_WS_URL
    open_poker_api_url: WebUrl = LIVE_API_URL
    open_poker_competition_id: UUID | None = None
    open_poker_buy_in: BuyIn = Field(default=2_000, ge=1_000, le=5_000)
    open_poker_auto_rebuy: bool = True
    open_poker_clock_s: float = Field(default=45.0, gt=1, le=600)
    open_poker_margin_s: float = Field(default=8.0, ge=0, le=60)

    llm_provider: Text | None = None
    llm_model: Text | None = None
    llm_api_key: Key | None = None
    llm_base_url: ProviderUrl | None = None
    llm_timeout_s: float = Field(default=12.0, gt=0, le=120)
    llm_max_tokens: int = Field(default=DEFAULT_MAX_TOKENS, ge=LEAST_MAX_TOKENS, le=MOST_MAX_TOKENS)
    llm_temperature: float | None = Field(default=None, ge=0, le=2)
    llm_reasoning_effort: Effort | None = None
    llm_extra_body: Annotated[Json[dict[str, Any]], AfterValidator(_sendable)] = Field(default_factory=dict)
    llm_fallbacks: Annotated[tuple[Fallback, ...], BeforeValidator(_fallbacks)] = ()
    llm_warm_up_s: float = Field(default=60.0, ge=0, le=600)
    llm_learned_path: Path = Path("llm-learned.json")
    llm_mode: AskMode = AskMode.ALWAYS
    llm_grey_margin: float = Field(default=0.08, ge=0, le=0.5)
    llm_grey_pot_bb: float = Field(default=20.0, ge=0, le=10_000)
    llm_prices: Path | None = None
    llm_cap_hand_usd: float | None = Field(default=None, gt=0, le=1_000_000)
    llm_cap_day_usd: float | None = Field(default=None, gt=0, le=1_000_000)
    llm_cap_run_usd: float | None = Field(default=None, gt=0, le=1_000_000)

    openai_api_key: Key | None = None
    anthropic_api_key: Key | None = None
    gemini_api_key: Key | None = None
    deepseek_api_key: Key | None = None
    mistral_api_key: Key | None = None
    groq_api_key: Key | None = None
    openrouter_api_key: Key | None = None
    together_api_key: Key | None = None
    xai_api_key: Key | None = None
    azure_openai_api_key: Key | None = None
    custom_api_key: Key | None = None

    equity_method: Literal["auto", "exact", "monte-carlo"] = "auto"
    equity_margin: float = Field(default=0.03, ge=0, le=0.5)
    equity_trials_preflop: int = Field(default=1_000, ge=100, le=10_000_000)
    equity_trials_flop: int = Field(default=5_000, ge=100, le=10_000_000)
    equity_trials_turn: int = Field(default=3_000, ge=100, le=10_000_000)
    equity_trials_river: int = Field(default=3_000, ge=100, le=10_000_000)

    prompts_dir: Path | None = None
    prompt_set: Text = "default"
    journal_path: Path = Path("journal.sqlite3")
    journal_keep_days: float | None = Field(default=None, ge=1, le=36_500)
    journal_max_mb: int | None = Field(default=None, ge=50, le=10_000_000)
    fallback: Literal["equity", "policy"] = "equity"
    agent_seed: int | None = Field(default=None, ge=0, lt=2**63)
    agent_log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    agent_log_format: Literal["text", "json"] = "text"
    agent_log_file: Path | None = None
    agent_log_file_mb: int = Field(default=10, ge=1, le=10_000)
    agent_log_files_kept: int = Field(default=5, ge=1, le=1_000)
    agent_metrics_port: int | None = Field(default=None, ge=1, le=65_535)
    console_password: Password | None = None

    @field_validator("llm_provider")
    @classmethod
    def _known_provider(cls, value: str | None) -> str | None:
        if value is not None and value.lower() not in PROVIDERS:
            raise ValueError(f"must be one of {', '.join(PROVIDERS)}")
        return value.lower() if value else value

    @field_validator("agent_log_level", mode="before")
    @classmethod
    def _upper(cls, value: object) -> object:
        return value.upper().strip() if isinstance(value, str) else value

    @field_validator("agent_log_format", "llm_mode", "llm_reasoning_effort", "fallback", mode="before")
    @classmethod
    def _lower(cls, value: object) -> object:
        return value.lower().strip() if isinstance(value, str) else value

    @property
    def venue_url(self) -> str:
        """Where the socket is opened: the address, with the private competition when there is one."""
        if self.open_poker_competition_id is None:
            return self.open_poker_ws_url
        joint = "&" if urlsplit(self.open_poker_ws_url).query else "?"
        return f"{self.open_poker_ws_url}{joint}competition_id={self.open_poker_competition_id}"

    @property
    def prompt_sets(self) -> tuple[str, ...]:
        """The prompt sets that hands are played with; more than one are compared hand by hand."""
        return tuple(dict.fromkeys(name.strip() for name in self.prompt_set.split(",") if name.strip()))

    def own_key_of(self, provider: str) -> str | None:
        """The key that stands in the provider's usual variable."""
        name = PRESETS[provider].key_name
        key = getattr(self, name.lower()) if name else None
        return key.get_secret_value() if key else None

    def secrets(self) -> tuple[str, ...]:
        """The values that must not be shown anywhere: keys, and passwords in addresses."""
        values = (getattr(self, name) for name in type(self).model_fields)
        keys = [value.get_secret_value() for value in values if isinstance(value, SecretStr)]
        addresses = [self.llm_base_url, *(fallback.base_url for fallback in self.llm_fallbacks)]
        passwords = [urlsplit(address).password for address in addresses if address]
        return (*keys, *(password for password in passwords if password))

    @classmethod
    def load(
        cls,
        environ: Mapping[str, str] | None = None,
        env_file: Path = Path(".env"),
        overrides: Mapping[str, str] | None = None,
    ) -> Self:
        """The settings of this process; `SettingsError` names every variable that is unknown or has a bad value.

        `overrides` are variables that win over the environment; one whose value is `$NAME` takes that of NAME.
        """
        settings, problems = cls.survey(environ, env_file, overrides)
        if problems:
            raise SettingsError("\n".join(problem.text for problem in problems))
        return settings

    @classmethod
    def survey(
        cls,
        environ: Mapping[str, str] | None = None,
        env_file: Path = Path(".env"),
        overrides: Mapping[str, str] | None = None,
    ) -> tuple[Self, list[Problem]]:
        """The settings as far as they can be used, and what is wrong; a variable at fault has its default in them.

        The arguments are those of `load`. Raises `SettingsError` only for an `env_file` that cannot be read.
        """
        environment = dict(os.environ if environ is None else environ)
        given, problems = _resolved(overrides or {}, environment)
        environment |= given
        lines, faults = _read_env_file(env_file)
        from_file = {name: text for name, text in lines.items() if text is not None}
        known = {name.upper() for name in cls.model_fields}
        strangers = [name for name in environment if _is_meant_for_us(name, known)]
        strangers += [name for name in from_file if name not in known and name not in strangers]
        problems += [*faults, *(_unknown(name, known, env_file if name in from_file else None) for name in strangers)]
        values: dict[str, Any] = {}
        for name in known - {problem.variable for problem in problems}:
            text = environment.get(name) or from_file.get(name)
            if text:
                values[name.lower()] = text
        try:
            settings = cls.model_validate(values)
        except ValidationError as errors:
            problems += [_bad_value(error, values) for error in errors.errors()]
            at_fault = {problem.variable for problem in problems}
            settings = cls.model_validate({name: text for name, text in values.items() if name.upper() not in at_fault})
        return settings, problems + _without_time(settings, problems)


def _resolved(overrides: Mapping[str, str], environment: Mapping[str, str]) -> tuple[dict[str, str], list[Problem]]:
    """The overrides with `$NAME` replaced by what the environment holds for NAME, and those where it holds nothing."""
    missing = {name: text for name, text in overrides.items() if text.startswith("$") and not environment.get(text[1:])}
    given = {
        name: environment[text[1:]] if text.startswith("$") else text
        for name, text in overrides.items()
        if name not in missing
    }
    return given, [
        Problem(name, f"{text} is asked for, and the environment has no {text[1:]}") for name, text in missing.items()
    ]


def _without_time(settings: Settings, problems: Sequence[Problem]) -> list[Problem]:
    """Whether the answer would have to be sent before the prompt has come, where both times are what was meant."""
    clock_s, margin_s = settings.open_poker_clock_s, settings.open_poker_margin_s
    in_doubt = {"OPEN_POKER_CLOCK_S", "OPEN_POKER_MARGIN_S"} & {problem.variable for problem in problems}
    if margin_s < clock_s or in_doubt:
        return []
    why = f"must be less than OPEN_POKER_CLOCK_S, which is {clock_s:g}: no time is left to decide"
    return [Problem("OPEN_POKER_MARGIN_S", f"OPEN_POKER_MARGIN_S: '{margin_s:g}' cannot be used: {why}")]


def _is_meant_for_us(name: str, known: set[str]) -> bool:
    """Whether an unknown name in the environment is a misspelt one of ours."""
    if name in known:
        return False
    return name.startswith(OUR_PREFIXES) or (
        name.startswith(SHARED_PREFIXES) and bool(difflib.get_close_matches(name, known, n=1, cutoff=0.85))
    )


def _read_env_file(path: Path) -> tuple[dict[str, str | None], list[Problem]]:
    """What the file sets, and the lines that set nothing."""
    if not path.is_file():
        return {}, []
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}") from None
    problems = []
    for statement in parse_stream(StringIO(text)):
        if statement.error or (statement.key is not None and statement.value is None):
            name = _NAME.match(statement.original.string)
            what = f"{path}, line {statement.original.line}: expected NAME=value or a comment"
            problems.append(Problem(name[1].upper() if name else "", what))
    return dotenv_values(stream=StringIO(text), interpolate=False), problems


def _unknown(name: str, known: set[str], file: Path | None) -> Problem:
    """A name that nobody knows; what it puts in doubt is the variable that is meant."""
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    hint = f"did you mean {near[0]}?" if near else "known are " + ", ".join(sorted(known))
    return Problem(near[0] if near else "", f"{name}{f' in {file}' if file else ''}: unknown variable; {hint}")


def _bad_value(error: Any, values: Mapping[str, Any]) -> Problem:
    name = str(error["loc"][0])
    is_secret = name.endswith("_api_key") or name in _MAY_HOLD_A_SECRET
    shown = "the value (not shown)" if is_secret else repr(values.get(name))
    message = str(error["msg"]).removeprefix("Value error, ")
    text = f"{name.upper()}: {shown} cannot be used: {message[0].lower()}{message[1:]}{_allowed(name)}"
    return Problem(name.upper(), text)


def _allowed(name: str) -> str:
    """What a number may be, in words; other kinds of values say it in their own messages."""
    limits = {type(rule).__name__: rule for rule in Settings.model_fields[name].metadata}
    low, high = limits.get("Ge") or limits.get("Gt"), limits.get("Le") or limits.get("Lt")
    if low is None or high is None:
        return ""
    at_least, at_most = getattr(low, "ge", None), getattr(high, "le", None)
    from_text = f"{at_least}" if at_least is not None else f"more than {getattr(low, 'gt', None)}"
    to_text = f"{at_most}" if at_most is not None else f"less than {getattr(high, 'lt', None)}"
    return f"; allowed is {from_text} to {to_text}"
