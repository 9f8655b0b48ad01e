"""Keeping secrets out of the log, whoever logs them."""

import logging
from collections.abc import Iterable
from typing import Final

HIDDEN: Final = "[hidden]"


class Redaction(logging.Filter):
    """A filter for handlers: it replaces the given secrets in messages, arguments and tracebacks."""

    def __init__(self, secrets: Iterable[str]) -> None:
        super().__init__()
        # Longest first, so that a secret which holds another one goes whole.
        self._secrets = sorted({secret for secret in secrets if len(secret) >= 4}, key=len, reverse=True)

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record pass, without the secrets."""
        message = record.getMessage()
        if record.exc_info:
            record.exc_text = self._without(logging.Formatter().formatException(record.exc_info))
            record.exc_info = None
        record.msg, record.args = self._without(message), None
        return True

    def _without(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        return text
