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
metrics. `llm_extra_body` may be a table, and what is a list with commas there may be a list here. Bots share nothing
while they play: each has its own socket, model, journal and record.
"""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
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


@dataclass(frozen=True, slots=True)
class Entry:
    """One bot as the file has it: `overrides` are variables as the environment would hold them, `where` is for messages."""

    name: str
    where: str
    overrides: Mapping[str, str]

    @property
    def strangers(self) -> Mapping[str, str]:
        """What may not stand there at all, by variable, and why."""
        found = {}
        for name in self.overrides:
            if name.startswith(("AGENT_LOG_", "AGENT_METRICS_")):
                found[name] = f"{name.lower()} is for the whole process; set it in the environment"
            elif name.lower() not in Settings.model_fields:
                found[name] = f"{name.lower()} is no variable of .env.example"
        return found


def load_bots(path: Path, environ: Mapping[str, str] | None = None, env_file: Path = Path(".env")) -> tuple[Bot, ...]:
    """The bots of a file; `SettingsError` names the file, the bot and what is wrong with it."""
    bots = tuple(_bot(entry, environ, env_file) for entry in read_entries(path))
    shared = shared_by(bots)
    if shared:
        raise SettingsError(f"{path}: {shared}")
    return bots


def read_entries(path: Path) -> tuple[Entry, ...]:
    """The bots as the file has them; `SettingsError` where it is no list of named bots."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise SettingsError(f"{path}: not TOML: {error}") from None
    tables = content.get("bot")
    if set(content) != {"bot"} or not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise SettingsError(f"{path}: expected tables [[bot]] and nothing else")
    return tuple(_entry(path, number, table) for number, table in enumerate(tables, 1))


def shared_by(bots: Sequence[Bot]) -> str | None:
    """What two bots have in common that each needs for itself; None where they share nothing."""
    for what, values in (
        ("name", [bot.name for bot in bots]),
        ("OPEN_POKER_API_KEY", [bot.settings.open_poker_api_key for bot in bots]),
        ("JOURNAL_PATH", [bot.settings.journal_path.absolute() for bot in bots]),
    ):
        known = [value for value in values if value is not None]
        if len(set(known)) < len(known):
            return f"two bots share their {what}; each needs its own"
    return None


def _entry(path: Path, number: int, table: Mapping[str, Any]) -> Entry:
    name = table.get("name")
    where = f"{path}, bot {number}"
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise SettingsError(f"{where}: name = {name!r}: expected 1 to 32 letters, digits, _ or -")
    overrides = {"JOURNAL_PATH": f"{name}.sqlite3"} | {
        key.upper(): _text(value) for key, value in table.items() if key != "name"
    }
    return Entry(name, f"{where} ({name})", overrides)


def _bot(entry: Entry, environ: Mapping[str, str] | None, env_file: Path) -> Bot:
    for why in entry.strangers.values():
        raise SettingsError(f"{entry.where}: {why}")
    try:
        settings = Settings.load(environ, env_file, entry.overrides)
    except SettingsError as error:
        raise SettingsError(f"{entry.where}: {error}") from None
    if settings.open_poker_api_key is None:
        raise SettingsError(f"{entry.where}: open_poker_api_key is missing")
    return Bot(entry.name, settings)


def _text(value: Any) -> str:
    """A value of TOML as the environment would hold it."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ",".join(value)
    if isinstance(value, dict | list):
        return json.dumps(value, default=str)
    return str(value).lower() if isinstance(value, bool) else str(value)
