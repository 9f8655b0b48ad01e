"""How the venue says no: a code, a reason for people, and what else belongs to the code."""

from typing import Any


class RefusedError(Exception):
    """A request that the venue answers with a code; `details` stand beside it in an `error` frame."""

    def __init__(self, code: str, reason: str, **details: Any) -> None:
        super().__init__(f"{code}: {reason}")
        self.code = code
        self.reason = reason
        self.details = details
