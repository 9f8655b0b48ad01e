"""Records of the journal as JSON can hold them: for programs, and for files."""

import json
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def as_plain(record: "DataclassInstance") -> dict[str, Any]:
    """The record and all that is in it as plain values; times become ISO 8601 text."""
    told: dict[str, Any] = json.loads(json.dumps(asdict(record), default=_text))
    return told


def _text(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
