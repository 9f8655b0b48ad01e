"""Files that people write for an arena: read as TOML, refused with the file's name."""

import tomllib
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any


def read_toml(source: Path | Traversable, refusal: type[Exception], *, hint: str = "") -> dict[str, Any]:
    """What the file holds; a file that cannot be read or is no TOML raises `refusal`, whose text names the file.

    `hint` closes the text: what the file should hold.
    """
    try:
        return tomllib.loads(source.read_text(encoding="utf-8"))
    except OSError as error:
        raise refusal(f"{source}: cannot be read: {error.strerror}{hint}") from None
    except ValueError as error:
        raise refusal(f"{source}: not TOML: {error}{hint}") from None
