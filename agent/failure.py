"""A failure that was to be expected: what a person reads, and the program's exit code."""

from enum import IntEnum


class ExitCode(IntEnum):
    """What the program ends with. Starting it again as it is cannot help after `UNUSABLE` and `REFUSED`."""

    DONE = 0
    FAILED = 1
    """Something went wrong, a check failed, or some of several bots could not play on."""
    UNUSABLE = 2
    """The command line, a setting, a prompt set or the journal cannot be used."""
    REFUSED = 3
    """The venue will not have us: it refuses the key, or another client plays with it."""
    INTERRUPTED = 130
    """Ended at once by a second Ctrl-C; the seat may still be held."""


class Failure(Exception):
    """The command could not do what was asked; the message says why and what to do."""

    def __init__(self, message: str, *, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code
