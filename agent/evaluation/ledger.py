"""The ledger: a file of JSON lines with every block that was played, so that an interrupted match goes on.

A line holds all parameters of the match (`plan`), the number of the `block`, and what came of it (`result`). Lines of several matches may
stand in one file; a block belongs to a match when all parameters are the same, the version of the code among them.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

from agent.evaluation import told

PLAYING_CODE: Final = ("arena", "decision", "evaluation", "poker", "strategy")
_READ: Final = (".py", ".toml", ".txt", ".npz")
_BEGINNING: Final = b'{"plan"'


class LedgerError(ValueError):
    """A file that is no ledger; names the file and the line, and says what to do."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a ledger, by its `number` counted from 1."""

    number: int
    plan: Mapping[str, Any]
    block: int
    result: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ledger:
    """The blocks in a file, which need not exist yet."""

    path: Path

    def blocks_of(self, plan: Mapping[str, Any], check: Callable[[Any], None]) -> dict[int, dict[str, Any]]:
        """The blocks of the match with these parameters, by number.

        `check` raises `ValueError` for what is no result of theirs. `LedgerError` for a file that is no ledger.
        """
        found = {}
        for line in self.lines():
            if line.plan == plan:
                with self.naming(line.number, "result: "):
                    check(line.result)
                found[line.block] = line.result
        return found

    def add(self, plan: Mapping[str, Any], block: int, result: Mapping[str, Any]) -> None:
        """Append a block that was played."""
        line = json.dumps({"plan": plan, "block": block, "result": result})
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a+b") as file:
            # A run that was killed may have left half a line behind, which must not swallow this one.
            if file.tell() and not self._ends_whole():
                file.write(b"\n")
            file.write(f"{line}\n".encode())

    def lines(self) -> Iterable[Line]:
        """Every whole line, oldest first; what a killed run left of one is passed over, and so are empty lines."""
        if not self.path.exists():
            return
        if not self.path.is_file():
            raise LedgerError(
                f"{self.path} is no regular file: blocks can be kept in a regular file only, name another"
            )
        with self.path.open("rb") as file:
            for number, content in enumerate(file, 1):
                with self.naming(number):
                    values = _values(content.strip())
                if values is not None:
                    yield Line(number, values["plan"], values["block"], values["result"])

    @contextmanager
    def naming(self, number: int, where: str = "") -> Iterator[None]:
        """Turn a `ValueError` about the line of that number into a `LedgerError` that names it, and the place in it."""
        try:
            yield
        except ValueError as error:
            raise LedgerError(
                f"{self.path}, line {number}: {where}{error}; name another file, or remove this line"
            ) from None

    def _ends_whole(self) -> bool:
        with self.path.open("rb") as file:
            file.seek(-1, 2)
            return file.read(1) == b"\n"


def _values(content: bytes) -> dict[str, Any] | None:
    """What a line holds, None for an empty one and for the first part of one; `ValueError` for any other."""
    if not content:
        return None
    try:
        values = json.loads(content.decode())
    except UnicodeDecodeError:
        raise ValueError("not UTF-8, so this is no file of a match") from None
    except RecursionError:
        raise ValueError("nested too deeply for a file of a match") from None
    except ValueError:
        if content.startswith(_BEGINNING) or _BEGINNING.startswith(content):
            return None
        raise ValueError("no JSON, so this is no file of a match") from None
    return told.table(values, {"plan": told.mapping, "block": told.whole(0), "result": told.mapping})


@cache
def code_version() -> str:
    """A short digest of the code that plays: what was played by other code is another result."""
    digest = hashlib.blake2b(digest_size=6)
    for package in PLAYING_CODE:
        for name, content in sorted(_contents(files("agent").joinpath(package), package)):
            digest.update(name.encode() + b"\0" + content)
    return digest.hexdigest()


def _contents(folder: Traversable, name: str) -> Iterable[tuple[str, bytes]]:
    for entry in folder.iterdir():
        path = f"{name}/{entry.name}"
        if entry.is_dir():
            yield from _contents(entry, path)
        elif entry.name.endswith(_READ):
            yield path, entry.read_bytes()
