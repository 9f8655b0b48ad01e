"""Everything that can be set from outside: environment variables and `.env`, read here and nowhere else."""

import difflib
import os
from collections.abc import Mapping
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

from agent.llm.presets import DEFAULT_MAX_TOKENS, PRESETS
from agent.openpoker.frames import LIVE_API_URL, LIVE_WS_URL

OUR_PREFIXES: Final = ("OPEN_POKER_", "LLM_", "EQUITY_", "PROMPTS_", "JOURNAL_")
"""What begins like this in the environment is meant for us, so that a misspelt name is an error and not ignored."""

SHARED_PREFIXES: Final = ("AGENT_", "PROMPT_")
"""Other programs use these too (PROMPT_COMMAND): only what is nearly one of our names counts as misspelt."""

BUY_INS: Final[Mapping[str, int]] = {"min": 1_000, "max": 5_000}
PROVIDERS: Final = ("none", *sorted(PRESETS))


_NOT_SHOWN: Final = frozenset({"open_poker_api_key", "llm_api_key", "llm_base_url", "llm_extra_body"})
"""Keys, and what may hold one: an address can carry a password, a request body anything."""


class SettingsError(ValueError):
    """The environment cannot be used; one line for each variable at fault, never with a secret's value."""


def _stripped(value: object) -> object:
    """Keys and addresses pasted with a blank or a line end around them are meant without it."""
    return value.strip() if isinstance(value, str) else value


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


Text = Annotated[str, BeforeValidator(_stripped)]
SocketUrl = Annotated[Text, AfterValidator(_web_socket)]
WebUrl = Annotated[Text, AfterValidator(_web_address)]


def _named_buy_in(value: object) -> object:
    """The smallest and the largest buy-in have names."""
    return BUY_INS.get(value.strip().lower(), value) if isinstance(value, str) else value


BuyIn = Annotated[int, BeforeValidator(_named_buy_in)]


class Settings(BaseModel):
    """The settings of one run. Field names are the variables' names in lower case; the environment beats `.env`.

    An empty value counts as not set.
    """

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    open_poker_api_key: SecretStr | None = None
    open_poker_ws_url: SocketUrl = LIVE_WS_URL
    open_poker_api_url: WebUrl = LIVE_API_URL
    open_poker_competition_id: UUID | None = None
    open_poker_buy_in: BuyIn = Field(default=2_000, ge=1_000, le=5_000)
    open_poker_auto_rebuy: bool = True
    open_poker_clock_s: float = Field(default=45.0, gt=1, le=600)
    open_poker_margin_s: float = Field(default=8.0, ge=0, le=60)

    llm_provider: Text | None = None
    llm_model: Text | None = None
    llm_api_key: SecretStr | None = None
    llm_base_url: WebUrl | None = None
    llm_timeout_s: float = Field(default=12.0, gt=0, le=120)
    llm_max_tokens: int = Field(default=DEFAULT_MAX_TOKENS, ge=16, le=100_000)
    llm_temperature: float | None = Field(default=None, ge=0, le=2)
    llm_extra_body: Json[dict[str, Any]] = Field(default_factory=dict)

    equity_method: Literal["auto", "exact", "monte-carlo"] = "auto"
    equity_margin: float = Field(default=0.03, ge=0, le=0.5)
    equity_trials_preflop: int = Field(default=1_000, ge=100, le=10_000_000)
    equity_trials_flop: int = Field(default=5_000, ge=100, le=10_000_000)
    equity_trials_turn: int = Field(default=3_000, ge=100, le=10_000_000)
    equity_trials_river: int = Field(default=3_000, ge=100, le=10_000_000)

    prompts_dir: Path | None = None
    prompt_set: Text = "default"
    journal_path: Path = Path("journal.sqlite3")
    agent_seed: int | None = Field(default=None, ge=0, lt=2**63)
    agent_log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    agent_log_format: Literal["text", "json"] = "text"
    agent_log_file: Path | None = None
    agent_log_file_mb: int = Field(default=10, ge=1, le=10_000)
    agent_log_files_kept: int = Field(default=5, ge=1, le=1_000)
    agent_metrics_port: int | None = Field(default=None, ge=1, le=65_535)

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

    @field_validator("agent_log_format", mode="before")
    @classmethod
    def _lower(cls, value: object) -> object:
        return value.lower().strip() if isinstance(value, str) else value

    @field_validator("open_poker_api_key", "llm_api_key", mode="before")
    @classmethod
    def _usable_key(cls, value: object) -> object:
        value = _stripped(value)
        if isinstance(value, str) and not (value.isascii() and value.isprintable() and " " not in value):
            raise ValueError("holds a blank, a line break or a character that no key has; copy it again")
        return value

    @property
    def venue_url(self) -> str:
        """Where the socket is opened: the address, with the private competition when there is one."""
        if self.open_poker_competition_id is None:
            return self.open_poker_ws_url
        joint = "&" if urlsplit(self.open_poker_ws_url).query else "?"
        return f"{self.open_poker_ws_url}{joint}competition_id={self.open_poker_competition_id}"

    def secrets(self) -> tuple[str, ...]:
        """The values that must not be shown anywhere."""
        keys = (self.open_poker_api_key, self.llm_api_key)
        return tuple(key.get_secret_value() for key in keys if key is not None)

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
        environment = dict(os.environ if environ is None else environ)
        environment |= {name: _resolved(text, environment) for name, text in (overrides or {}).items()}
        from_file = {k: v for k, v in _read_env_file(env_file).items() if v is not None}
        known = {name.upper() for name in cls.model_fields}
        strangers = [name for name in environment if _is_meant_for_us(name, known)]
        strangers += [k for k in from_file if k not in known and k not in strangers]
        problems = [_unknown(name, known, env_file if name in from_file else None) for name in strangers]
        values: dict[str, Any] = {}
        for name in known:
            text = environment.get(name) or from_file.get(name)
            if text:
                values[name.lower()] = text
        try:
            settings = cls.model_validate(values)
        except ValidationError as errors:
            problems += [_bad_value(error, values) for error in errors.errors()]
        if problems:
            raise SettingsError("\n".join(problems))
        return settings


def _resolved(text: str, environment: Mapping[str, str]) -> str:
    if not text.startswith("$"):
        return text
    if not environment.get(text[1:]):
        raise SettingsError(f"{text} is asked for, and the environment has no {text[1:]}")
    return environment[text[1:]]


def _is_meant_for_us(name: str, known: set[str]) -> bool:
    """Whether an unknown name in the environment is a misspelt one of ours."""
    if name in known:
        return False
    return name.startswith(OUR_PREFIXES) or (
        name.startswith(SHARED_PREFIXES) and bool(difflib.get_close_matches(name, known, n=1, cutoff=0.85))
    )


def _read_env_file(path: Path) -> dict[str, str | None]:
    if not path.is_file():
        return {}
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}") from None
    for statement in parse_stream(StringIO(text)):
        if statement.error or (statement.key is not None and statement.value is None):
            raise SettingsError(f"{path}, line {statement.original.line}: expected NAME=value or a comment")
    return dotenv_values(stream=StringIO(text), interpolate=False)


def _unknown(name: str, known: set[str], file: Path | None) -> str:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    hint = f"did you mean {near[0]}?" if near else "known are " + ", ".join(sorted(known))
    return f"{name}{f' in {file}' if file else ''}: unknown variable; {hint}"


def _bad_value(error: Any, values: Mapping[str, Any]) -> str:
    name = str(error["loc"][0])
    shown = "the value (not shown)" if name in _NOT_SHOWN else repr(values.get(name))
    message = str(error["msg"]).removeprefix("Value error, ")
    return f"{name.upper()}: {shown} cannot be used: {message[0].lower()}{message[1:]}{_allowed(name)}"


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
