"""What the commands share: where they print, the settings they begin with, and options that mean the same everywhere."""

from typing import Annotated, Final

import typer
from rich.console import Console

from agent.log_output import start_log
from agent.settings import Settings

# Names such as house:station:master are no emoji.
out: Final = Console(highlight=False, emoji=False)
err: Final = Console(stderr=True, highlight=False, emoji=False)

MAX_ROWS: Final = 1_000_000
AsJson = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]
Limit = Annotated[int, typer.Option("-n", "--limit", min=1, max=MAX_ROWS, help="How many rows.")]
LOADING: Final = "Loading; the first start compiles the equity kernels, which takes some seconds."


def quiet_settings() -> Settings:
    """The settings, and a log of warnings only unless they ask for more."""
    settings = Settings.load()
    level = settings.agent_log_level if "agent_log_level" in settings.model_fields_set else "WARNING"
    start_log(settings, err, secrets=settings.secrets(), level=level, to_file=False)
    return settings
