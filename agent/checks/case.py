"""What the checks look at: the environment, and what earlier checks have learned."""

import os
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from agent.settings import Settings


def free_bytes(folder: Path) -> int:
    """How much this user may still write to the disk of `folder`."""
    return shutil.disk_usage(folder).free


@dataclass(frozen=True, slots=True)
class Answer:
    """What the venue's REST side said: `body` is None where it is no JSON object, `date` where it states none.

    `is_page` tells a web page. `asked_at` and `answered_at` are by our clock, in seconds since 1970.
    """

    url: str
    status: int
    body: Mapping[str, Any] | None
    is_page: bool
    date: datetime | None
    asked_at: float
    answered_at: float


@dataclass(slots=True)
class Case:
    """One examination. `now` gives the seconds since 1970, `free_bytes` the room on the disk of a folder.

    With `takeover` the socket is tried although that ends the connection of a program that plays with the same key.
    `deadline_s` is how long the venue may take to answer anything.
    """

    environ: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    env_file: Path = Path(".env")
    takeover: bool = False
    now: Callable[[], float] = time.time
    free_bytes: Callable[[Path], int] = free_bytes
    deadline_s: float = 8.0
    loaded: Settings | None = field(default=None, repr=False)
    profile: Answer | None = field(default=None, repr=False)
    """The answer to the first REST call, which the clock is compared with, whatever else it says."""

    @property
    def settings(self) -> Settings:
        """The settings; the check of the environment comes first, and those that need them are left out without it."""
        if self.loaded is None:
            raise RuntimeError("the settings were not loaded")
        return self.loaded

    @property
    def key(self) -> str:
        """The venue's key; empty where there is none."""
        secret = self.settings.open_poker_api_key
        return secret.get_secret_value() if secret else ""
