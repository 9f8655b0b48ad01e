"""This machine: versions, compiled kernels, the journal's file and the room on its disk."""

import platform
import re
import tempfile
import time
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Final

from agent.doctor.finding import Finding, Surroundings, failed, ok, warning
from agent.journal.migrations import VERSION
from agent.journal.schema import JournalError, writable_version

DISTRIBUTION: Final = "open-poker-agent"
LITTLE_BYTES: Final = 1_000_000_000
TOO_LITTLE_BYTES: Final = 100_000_000

_IS_LOCKED: Final = re.compile(r"\b(locked|busy)\b")
_SET_JOURNAL_PATH: Final = "set JOURNAL_PATH to a file that this user may write, on a disk with room"


async def versions(_: Surroundings) -> Finding:
    """Which Python and which packages run here."""
    try:
        own, needed = version(DISTRIBUTION), requires(DISTRIBUTION) or []
        packages = {name: version(name) for name in map(_name, needed) if name is not None}
    except PackageNotFoundError as missing:
        return failed(
            "versions",
            f"the package {missing.name} is not installed",
            why="the program was not installed as a whole",
            remedy="install it again: make venv, or pip install open-poker-agent",
            python=platform.python_version(),
        )
    python = platform.python_version()
    return ok("versions", f"{DISTRIBUTION} {own} on Python {python}", version=own, python=python, packages=packages)


def _name(requirement: str) -> str | None:
    """The package that is always needed; None for one that only development or benchmarks need."""
    found = re.match(r"[\w.-]+", requirement)
    return found[0] if found and "extra ==" not in requirement else None


async def kernels(_: Surroundings) -> Finding:
    """Whether the equity kernels compile, or load from a compile cache that can be written."""
    started = time.perf_counter()
    try:
        # Imported here because this is what fails where no cache can be written.
        from agent.kernels import warm_up
        from agent.poker.sampling import sample_against_random

        warm_up(lambda _: None)
    except (ImportError, OSError, RuntimeError) as error:
        return failed(
            "kernels",
            "the equity kernels do not load",
            why=" ".join(str(error).split()),
            remedy="set NUMBA_CACHE_DIR to a folder that this user may write; if that is not it, install again",
        )
    seconds = time.perf_counter() - started
    cache = str(sample_against_random.stats.cache_path)
    return kept(cache, seconds)


def kept(cache: str, seconds: float) -> Finding:
    """Whether kernels that are ready after so many seconds are kept for the next start in the folder `cache`."""
    try:
        tempfile.TemporaryFile(dir=cache).close()
    except OSError as error:
        return warning(
            "kernels",
            f"ready after {seconds:.1f} s, but not kept for the next start",
            why=f"the compile cache {cache} cannot be written: {error.strerror}",
            remedy="set NUMBA_CACHE_DIR to a folder that this user may write",
            seconds=round(seconds, 2),
            cache=cache,
        )
    return ok("kernels", f"ready after {seconds:.1f} s", seconds=round(seconds, 2), cache=cache)


async def disk(around: Surroundings) -> Finding:
    """Whether the journal has room to grow."""
    folder = nearest_folder(around.settings.journal_path)
    try:
        free = around.free_bytes(folder)
    except OSError as error:
        return failed("disk", f"{folder} cannot be looked at", why=error.strerror or "", remedy=_SET_JOURNAL_PATH)
    shown = f"{free / 1e9:,.1f} GB free at {folder}"
    if free >= LITTLE_BYTES:
        return ok("disk", shown, free_bytes=free, folder=str(folder))
    tell = failed if free < TOO_LITTLE_BYTES else warning
    return tell(
        "disk",
        f"only {free / 1e6:,.0f} MB are free at {folder}",
        why="a season's journal takes hundreds of megabytes; on a full disk its rows are lost",
        remedy="make room, or set JOURNAL_PATH to a file on another disk",
        free_bytes=free,
        folder=str(folder),
    )


async def journal(around: Surroundings) -> Finding:
    """Whether the journal can be written, by this version of the program. Nothing in it is changed."""
    path = around.settings.journal_path
    if path.is_dir():
        return _unwritable(path, f"{path} is a folder", "JOURNAL_PATH must name a file")
    if path.exists() and not path.is_file():
        return _unwritable(path, f"{path} is no file that keeps anything", "JOURNAL_PATH must name an ordinary file")
    folder = nearest_folder(path)
    try:
        tempfile.TemporaryFile(dir=folder).close()
        found = writable_version(path) if path.exists() else None
    except OSError as error:
        return _unwritable(path, f"nothing can be written in {folder}", error.strerror or type(error).__name__)
    except JournalError as error:
        if _IS_LOCKED.search(str(error)):
            return failed(
                "journal",
                f"another program holds {path}",
                why=f"it has locked the file for writing ({error})",
                remedy="end that program (a database browser, a backup, a poker-agent that hangs), or set JOURNAL_PATH "
                "to another file",
                path=str(path),
            )
        return _unwritable(path, f"{path} cannot be used as a journal", str(error))
    if found is not None:
        return _judged(path, found)
    if folder != path.absolute().parent:
        return warning(
            "journal",
            f"the folder {path.parent} does not exist",
            why="the first run makes it, which may not be where you look for the journal",
            remedy="check JOURNAL_PATH, or make the folder",
            path=str(path),
            version=None,
        )
    return ok("journal", f"{path} will be made by the first run", path=str(path), version=None)


def _judged(path: Path, found: int) -> Finding:
    if found > VERSION:
        return failed(
            "journal",
            f"{path} was written by a newer program",
            why=f"it has journal version {found}, this program knows {VERSION}",
            remedy="install the newer program, or set JOURNAL_PATH to another file",
            path=str(path),
            version=found,
        )
    then = "" if found == VERSION else f"; the next run brings it from version {found} to {VERSION}"
    return ok("journal", f"{path} can be written{then}", path=str(path), version=found)


def _unwritable(path: Path, what: str, why: str) -> Finding:
    return failed("journal", what, why=why, remedy=_SET_JOURNAL_PATH, path=str(path))


def nearest_folder(path: Path) -> Path:
    """The folder of the file, or the nearest above it that exists; a file in its way stands for itself."""
    return next(folder for folder in path.absolute().parents if folder.exists())
