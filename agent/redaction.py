"""Keeping secrets out of logs and journal, whoever puts them there."""

import logging
import math
from collections.abc import Iterable, Mapping
from typing import Any, Final

HIDDEN: Final = "[hidden]"
DEEPEST: Final = 6
_OWN_FIELDS: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class Secrets:
    """The texts that nobody may see."""

    def __init__(self, secrets: Iterable[str]) -> None:
        # Longest first, so that a secret which holds another one goes whole.
        self._secrets = sorted({secret for secret in secrets if len(secret) >= 4}, key=len, reverse=True)

    def hide(self, text: str) -> str:
        """The text without them."""
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        return text

    def hide_in(self, value: object, depth: int = 0) -> Any:
        """The value as JSON can hold it, without them: whatever is no number, text, list or object becomes its text."""
        if value is None or isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
            return value
        if isinstance(value, Mapping) and depth < DEEPEST:
            return {self.hide(_text(key)): self.hide_in(inner, depth + 1) for key, inner in value.items()}
        if isinstance(value, list | tuple | set | frozenset) and depth < DEEPEST:
            return [self.hide_in(inner, depth + 1) for inner in value]
        return self.hide(_text(value))


class Redaction(logging.Filter):
    """A filter for handlers: it takes secrets out of messages, arguments, tracebacks, stacks and extras.

    It never raises: a log line that is itself at fault costs whoever wrote it nothing.
    """

    def __init__(self, secrets: Secrets) -> None:
        super().__init__()
        self._secrets = secrets

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record pass, without the secrets."""
        message = _message(record)
        if record.exc_info:
            record.exc_text = logging.Formatter().formatException(record.exc_info)
            record.exc_info = None
        record.exc_text = self._secrets.hide(record.exc_text) if record.exc_text else None
        record.stack_info = self._secrets.hide(record.stack_info) if record.stack_info else None
        record.msg, record.args = self._secrets.hide(message), None
        vars(record).update({name: self._secrets.hide_in(value) for name, value in extras(record).items()})
        return True


def extras(record: logging.LogRecord) -> dict[str, Any]:
    """What was logged beside the message: the values of `extra=`."""
    return {name: value for name, value in vars(record).items() if name not in _OWN_FIELDS}


def _message(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except Exception:
        return f"{_text(record.msg)} (its arguments do not fit it: {_text(record.args)})"


def _text(value: object) -> str:
    try:
        return str(value)
    except Exception as error:
        return f"a {type(value).__name__} without a text: {type(error).__name__}"
