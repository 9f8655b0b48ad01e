"""Several bots in one process: a file that lists them, each with what differs from the environment.

    [[bot]]
    name = "heron"                          # names the bot in its journal, and the journal file itself: heron.sqlite3
    open_poker_api_key = "$HERON_KEY"       # a variable of the environment, or the key itself

    [[bot]]
    name = "otter"
    open_poker_api_key = "$OTTER_KEY"
    llm_model = "gpt-5"
    prompt_set = "minimal"

Any variable of `.env.example` may stand there in lower case, but for those of the whole process: the log and the
metrics. Bots share nothing while they play: each has its own
socket, model, journal and record.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from agent.settings import Settings, SettingsError

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,32}")


@dataclass(frozen=True, slots=True)
class Bot:
    """One bot with its settings."""

    name: str
    settings: Settings


def load_bots(path: Path, environ: Mapping[str, str] | None = None, env_file: Path = Path(".env")) -> tuple[Bot, ...]:
    """The bots of a file; `SettingsError` names the file, the bot and what is wrong with it."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise SettingsError(f"{path}: not TOML: {error}") from None
    entries = content.get("bot")
    if set(content) != {"bot"} or not isinstance(entries, list) or not all(isinstance(e, dict) for e in entries):
        raise SettingsError(f"{path}: expected tables [[bot]] and nothing else")
    bots = tuple(_bot(path, number, entry, environ, env_file) for number, entry in enumerate(entries, 1))
    for what, values in (
        ("name", [bot.name for bot in bots]),
        ("OPEN_POKER_API_KEY", [bot.settings.secrets()[:1] for bot in bots]),
        ("JOURNAL_PATH", [bot.settings.journal_path.absolute() for bot in bots]),
    ):
        if len(set(values)) < len(bots):
            raise SettingsError(f"{path}: two bots share their {what}; each needs its own")
    return bots


def _bot(path: Path, number: int, entry: dict[str, Any], environ: Mapping[str, str] | None, env_file: Path) -> Bot:
    name = entry.get("name")
    where = f"{path}, bot {number}"
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise SettingsError(f"{where}: name = {name!r}: expected 1 to 32 letters, digits, _ or -")
    overrides = {"JOURNAL_PATH": f"{name}.sqlite3"} | {
        key.upper(): _text(value) for key, value in entry.items() if key != "name"
    }
    shared = [key for key in overrides if key.startswith(("AGENT_LOG_", "AGENT_METRICS_"))]
    if shared:
        raise SettingsError(
            f"{where} ({name}): {shared[0].lower()} is for the whole process; set it in the environment"
        )
    unknown = [key for key in overrides if key.lower() not in Settings.model_fields]
    if unknown:
        raise SettingsError(f"{where} ({name}): {unknown[0].lower()} is no variable of .env.example")
    try:
        settings = Settings.load(environ, env_file, overrides)
    except SettingsError as error:
        raise SettingsError(f"{where} ({name}): {error}") from None
    if settings.open_poker_api_key is None:
        raise SettingsError(f"{where} ({name}): open_poker_api_key is missing")
    return Bot(name, settings)


def _text(value: Any) -> str:
    """A value of TOML as the environment would hold it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
