"""Records of the journal as JSON can hold them: for programs, and for files."""

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def as_plain(record: "DataclassInstance") -> dict[str, Any]:
    """The record and all that is in it as plain values; times become ISO 8601 text."""
    told: dict[str, Any] = json.loads(as_json(record))
    return told


def as_json(record: "DataclassInstance") -> str:
    """The same as JSON in one line."""
    return json.dumps(record, ensure_ascii=False, default=_plain)


def _plain(value: object) -> object:
    """What JSON does not know, one step nearer to what it does."""
    # Without `asdict`, which copies the whole record before anybody has asked for it.
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, datetime):
        return value.isoformat()
    return dict(value) if isinstance(value, Mapping) else str(value)
