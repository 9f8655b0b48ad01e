"""The books that a player keeps of its own chips, to hold the venue's figures against."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Book:
    """What a player believes of its chips: off the table (None before the season is known) and behind at the table.

    A stale book has missed something, and believes whatever the venue states.
    """

    balance: int | None = None
    stack: int = 0
    is_stale: bool = False
    errors: list[str] = field(default_factory=list)

    def sit(self, stack: int) -> None:
        self.balance = self.balance - stack if self.balance is not None else None
        self.stack = stack

    def stand(self) -> None:
        self.balance = self.balance + self.stack if self.balance is not None else None
        self.stack = 0

    def check_stack(self, what: str, stated: int) -> None:
        if stated != self.stack and not self.is_stale:
            self.errors.append(f"{what} states {stated} chips at the table, the book {self.stack}")
        self.stack = stated

    def check_balance(self, what: str, stated: int, *expected: int) -> None:
        if self.balance is not None and stated not in (expected or (self.balance,)):
            self.errors.append(f"{what} states {stated} chips off the table, the book {self.balance}")
        self.balance = stated
