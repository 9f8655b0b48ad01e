"""A failure that was to be expected: what a person reads, and the program's exit code."""


class Failure(Exception):
    """The command could not do what was asked; the message says why and what to do."""

    def __init__(self, message: str, *, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code
