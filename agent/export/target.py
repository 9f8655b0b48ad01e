"""Where an export goes: the terminal, a file, or a folder. Files get their names when they are whole; a failure leaves nothing behind."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import TextIO


def is_folder(to: Path | None) -> bool:
    """Whether a folder is meant: one that is there, or a name without an ending of which nothing is there."""
    return to is not None and (to.is_dir() or not (to.suffix or to.exists()))


def file_in(to: Path | None, name: str) -> Path | None:
    """The file that is meant, None for the terminal; `name` is its name in a folder."""
    return to / name if to is not None and is_folder(to) else to


@contextmanager
def opened(path: Path | None) -> Iterator[TextIO]:
    """A file to write, or the terminal; what had the name before keeps it until the file is whole."""
    if path is None:
        yield sys.stdout
        # Here, where it can be told: what fails when the program ends is not heard.
        sys.stdout.flush()
    elif path.exists() and not path.is_file():
        # A device or a pipe keeps nothing, and nothing else may take its name.
        with _written(path) as file:
            yield file
    else:
        # A link stays one: what it leads to is written.
        path = Path(os.path.realpath(path))
        with staged(path.parent) as folder, _written(folder / path.name) as file:
            if path.exists():
                shutil.copymode(path, folder / path.name)
            yield file


@contextmanager
def staged(folder: Path) -> Iterator[Path]:
    """A folder inside of `folder`: the files that are written there move up at the end, and go when an error ends it.

    Folders that are missing are made, and go likewise.
    """
    made = _made(folder)
    stage: Path | None = None
    try:
        stage = Path(mkdtemp(prefix=".export-", dir=folder))
        yield stage
        for file in stage.iterdir():
            file.replace(folder / file.name)
        stage.rmdir()
    except BaseException:
        if stage is not None:
            shutil.rmtree(stage, ignore_errors=True)
        with suppress(OSError):
            for empty in made:
                empty.rmdir()
        raise


def _made(folder: Path) -> list[Path]:
    """Make the folder; those that were missing, the innermost first."""
    missing = []
    for place in (folder, *folder.parents):
        if place.is_dir():
            break
        if place.exists():
            raise NotADirectoryError(None, "this is a file and no folder", str(place))
        missing.append(place)
    folder.mkdir(parents=True, exist_ok=True)
    return missing


def _written(path: Path) -> TextIO:
    return path.open("w", encoding="utf-8", newline="")
