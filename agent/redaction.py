"""Keeping secrets out of logs and journal, whoever puts them there."""

import logging
from collections.abc import Iterable
from typing import Final

HIDDEN: Final = "[hidden]"


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


class Redaction(logging.Filter):
    """A filter for handlers: it takes secrets out of messages, arguments and tracebacks."""

    def __init__(self, secrets: Secrets) -> None:
        super().__init__()
        self._secrets = secrets

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record pass, without the secrets."""
        message = record.getMessage()
        if record.exc_info:
            record.exc_text = self._secrets.hide(logging.Formatter().formatException(record.exc_info))
            record.exc_info = None
        record.msg, record.args = self._secrets.hide(message), None
        return True
