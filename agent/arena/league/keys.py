"""Whose key it is: the agents of an arena, known by a file, by registration, or by any key at all."""

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Final

from agent.arena.game.seeded import Seeded
from agent.arena.toml_file import read_toml

_NAME: Final = re.compile(r"[A-Za-z0-9_]{3,32}")
# Longer keys may be real ones, which must not stand in every frame as a name.
_MAX_KEY_AS_NAME: Final = 16


class KeyFileError(ValueError):
    """A file of keys that cannot be used; the message names the file and what it should hold."""


class RegistrationError(ValueError):
    """A name that cannot be registered."""


class NameTakenError(RegistrationError):
    """The name belongs to another agent."""


@dataclass(frozen=True, slots=True)
class Agent:
    """Who a key belongs to."""

    name: str
    agent_id: str
    created_at: datetime
    email: str


class KeyRing:
    """The agents by key. `keys` maps keys to names; None accepts any key and lets it name its own agent.

    A key of up to 16 letters, digits or underscores is its agent's name; any other gives `Bot_` and six hex digits.
    A name that an agent ever had stays its own: ids are made of names, and nobody may inherit another's.
    """

    def __init__(self, keys: Mapping[str, str] | None, seeded: Seeded, now: Callable[[], datetime]) -> None:
        self._is_open = keys is None
        self._seeded = seeded
        self._now = now
        self._agents: dict[str, Agent] = {}
        self._dead: set[str] = set()
        self._owner_ids: dict[str, str] = {}
        for key, name in (keys or {}).items():
            self._add(key, name)

    def agent_of(self, key: str | None) -> Agent | None:
        """Whose key this is; None for one that is not accepted."""
        if not key or key in self._dead:
            return None
        if key not in self._agents and self._is_open:
            self._add(key, self._own_name(key))
        return self._agents.get(key)

    def register(self, name: str, email: str | None = None) -> tuple[Agent, str]:
        """A new agent with its key; `RegistrationError` for a name that is malformed or taken."""
        self._check_name(name)
        key = "op_arena_" + self._seeded.id("key", name, len(self._agents)).replace("-", "")
        return self._add(key, name, email), key

    def rename(self, agent: Agent, name: str) -> Agent:
        """Give an agent another name from its next season entry on; `RegistrationError` as for a new one."""
        if name != agent.name:
            self._check_name(name, agent)
        renamed = replace(agent, name=name)
        self._agents[self._key_of(agent)] = renamed
        self._owner_ids[name.lower()] = agent.agent_id
        return renamed

    def regenerate(self, agent: Agent) -> str:
        """A new key for an agent; the old one is dead at once."""
        old = self._key_of(agent)
        key = "op_arena_" + self._seeded.id("key", agent.agent_id, old).replace("-", "")
        self._agents[key] = self._agents.pop(old)
        self._dead.add(old)
        return key

    def _key_of(self, agent: Agent) -> str:
        return next(key for key, other in self._agents.items() if other.agent_id == agent.agent_id)

    def _check_name(self, name: str, agent: Agent | None = None) -> None:
        if not _NAME.fullmatch(name):
            raise RegistrationError("name: 3 to 32 letters, digits or underscores")
        owner_id = self._owner_ids.get(name.lower())
        if owner_id is not None and (agent is None or owner_id != agent.agent_id):
            raise NameTakenError(f"the name {name} is taken")

    def _add(self, key: str, name: str, email: str | None = None) -> Agent:
        agent_id = self._seeded.id("agent", name)
        agent = Agent(name, agent_id, self._now(), email or f"{agent_id}@arena.invalid")
        self._agents[key] = agent
        self._owner_ids[name.lower()] = agent_id
        return agent

    def _own_name(self, key: str) -> str:
        digest = hashlib.sha256(key.encode("utf-8", errors="surrogateescape")).hexdigest()
        name = key if len(key) <= _MAX_KEY_AS_NAME and _NAME.fullmatch(key) else f"Bot_{digest[:6]}"
        return name if name.lower() not in self._owner_ids else f"{name}_{digest[:8]}"


def load_keys(path: Path) -> dict[str, str]:
    """The names by key of a TOML file with lines `Name = "key"`; `KeyFileError` for anything else."""
    entries = read_toml(path, KeyFileError, hint='. Expected lines such as Heron = "its-key"')
    wrong = [name for name, key in entries.items() if not isinstance(key, str) or not key or not _NAME.fullmatch(name)]
    if wrong or not entries:
        named = f"{wrong[0]!r} is none" if wrong else "there is none"
        raise KeyFileError(
            f'{path}: expected lines such as Heron = "its-key", the name 3 to 32 letters, digits or underscores; {named}'
        )
    if len(set(entries.values())) < len(entries) or len({name.lower() for name in entries}) < len(entries):
        raise KeyFileError(f"{path}: two agents share a key or a name")
    return {key: name for name, key in entries.items()}
