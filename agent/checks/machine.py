"""The computer: settings, key, journal, disk, and what is installed."""

import os
import platform
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from agent.checks.case import Case
from agent.checks.finding import Finding, failed, fine, warning
from agent.journal.schema import VERSION, JournalError, open_for_reading, open_for_writing
from agent.settings import Settings, SettingsError

DISK_WARNED_BYTES: Final = 10**9
DISK_FAILED_BYTES: Final = 10**8
_PACKAGES: Final = ("open-poker-agent", "openai", "httpx", "websockets", "numba", "numpy", "pydantic", "jinja2")


async def check_environment(case: Case) -> Finding:
    """Whether the settings load; every variable at fault is named."""
    try:
        case.loaded = Settings.load(case.environ, case.env_file)
    except SettingsError as error:
        problems = str(error).splitlines()
        return failed(
            "environment",
            f"{len(problems)} setting{'s' if len(problems) > 1 else ''} cannot be used",
            why="\n".join(problems),
            remedy="correct it in the environment or in .env; .env.example lists every variable",
            problems=problems,
        )
    where = f"{case.env_file}" if case.env_file.is_file() else "none"
    return fine("environment", f"{len(case.settings.model_fields_set)} settings given, .env file: {where}")


async def check_key(case: Case) -> Finding:
    """Whether there is a key for the venue; REST says whether it is the right one."""
    if case.key:
        return fine("key", "OPEN_POKER_API_KEY is set")
    return failed(
        "key",
        "OPEN_POKER_API_KEY is not set",
        why=f"neither the environment nor {case.env_file} has one",
        remedy="register a bot at https://openpoker.ai and copy its key from the dashboard into .env",
    )


async def check_journal(case: Case) -> Finding:
    """Whether the journal can be written where it is to be, and read if it is there. It is not touched."""
    path = case.settings.journal_path
    folder = nearest_folder(path)
    details = {"path": str(path)}
    remedy = "set JOURNAL_PATH to a file that this user may write"
    try:
        if path.is_dir():
            raise JournalError(f"{path} is a folder, and JOURNAL_PATH must name a file")
        if path.exists() and not os.access(path, os.W_OK):
            raise JournalError(f"this user may not write {path}")
        _rehearse(folder)
        # An empty file is as good as none: it becomes a journal when it is opened to write.
        exists = path.exists() and path.stat().st_size > 0
        if exists:
            open_for_reading(path).close()
    except (OSError, JournalError) as error:
        what = f"the journal {path} cannot be used"
        return failed("journal", what, why=str(error), remedy=remedy, **details)
    if exists:
        return fine("journal", f"{path}, version {VERSION}", **details, version=VERSION)
    return fine("journal", f"{path} will be made", **details)


def _rehearse(folder: Path) -> None:
    """Make a journal beside ours and throw it away: some network disks take files, but no database."""
    with tempfile.TemporaryDirectory(dir=folder, prefix=".journal-") as beside:
        open_for_writing(Path(beside) / "rehearsal.sqlite3").close()


async def check_disk(case: Case) -> Finding:
    """Whether the journal's disk has room."""
    folder = nearest_folder(case.settings.journal_path)
    try:
        free = case.free_bytes(folder)
    except OSError as error:
        remedy = "set JOURNAL_PATH to a file on a disk of this computer"
        return failed("disk", f"the disk of {folder} cannot be asked", why=str(error), remedy=remedy)
    details = {"folder": str(folder), "free_bytes": free}
    if free >= DISK_WARNED_BYTES:
        return fine("disk", f"{free / 1e9:,.1f} GB free", **details)
    judge = failed if free < DISK_FAILED_BYTES else warning
    return judge(
        "disk",
        f"{free / 1e6:,.0f} MB free",
        why="the journal keeps every frame and prompt; on a full disk it loses rows",
        remedy=f"make room on the disk of {folder}, or set JOURNAL_PATH to another one",
        **details,
    )


async def check_versions(_: Case) -> Finding:
    """Which Python and packages run here, for whoever is asked for help."""
    versions = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            return failed(
                "versions",
                f"{package} is not installed",
                why=f"{sys.executable} does not find it",
                remedy="install the agent again: pip install open-poker-agent",
            )
    return fine("versions", ", ".join(f"{name} {number}" for name, number in versions.items()), **versions)


def nearest_folder(path: Path) -> Path:
    """The folder that holds `path`, or will: the nearest part of the way to it that exists.

    >>> nearest_folder(Path("/nowhere/at/all.sqlite3"))
    PosixPath('/')
    """
    return next(parent for parent in path.absolute().parents if parent.exists())
