"""The ledger: a file of JSON lines with every block that was played, so that an interrupted match goes on.

A line holds all parameters of the match, the number of the block, and what came of it. Lines of several matches may
stand in one file; a block belongs to a match when all parameters are the same, the version of the code among them.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

PLAYING_CODE: Final = ("arena", "decision", "evaluation", "poker", "strategy")
_READ: Final = (".py", ".toml", ".txt", ".npz")


class LedgerError(ValueError):
    """A file that is no ledger; names the file and the line."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """The blocks in a file, which need not exist yet."""

    path: Path

    def blocks_of(self, plan: Mapping[str, Any]) -> dict[int, dict[str, Any]]:
        """The blocks of the match with these parameters, by number; `LedgerError` for a file that is none."""
        return {line["block"]: line["result"] for line in self.lines() if line["plan"] == plan}

    def add(self, plan: Mapping[str, Any], block: int, result: Mapping[str, Any]) -> None:
        """Append a block that was played."""
        line = json.dumps({"plan": plan, "block": block, "result": result})
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a+b") as file:
            # A run that was killed may have left half a line behind, which must not swallow this one.
            if file.tell() and not self._ends_whole():
                file.write(b"\n")
            file.write(f"{line}\n".encode())

    def lines(self) -> Iterable[dict[str, Any]]:
        """Every whole line, oldest first; what a killed run left of one is passed over."""
        if not self.path.exists():
            return
        for number, text in enumerate(self.path.read_text(encoding="utf-8").splitlines(), 1):
            try:
                line = json.loads(text)
            except ValueError:
                if number == 1:
                    raise LedgerError(f"{self.path}, line 1: no JSON, so this is no file of a match") from None
                continue
            if not isinstance(line, dict) or not {"plan", "block", "result"} <= set(line):
                raise LedgerError(f"{self.path}, line {number}: expected plan, block and result")
            yield line

    def _ends_whole(self) -> bool:
        with self.path.open("rb") as file:
            file.seek(-1, 2)
            return file.read(1) == b"\n"


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
