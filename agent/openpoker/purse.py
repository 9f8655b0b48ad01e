"""Chips off the table: what to sit down with, and when to buy in again. Unknown is None, never zero.

The server may rebuy by itself after a bust; both kinds share one cooldown, so ours never races its own
(protocol V2, section 8).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from agent.openpoker.patience import Patience

MIN_BUY_IN_CHIPS: Final = 1_000
MAX_BUY_IN_CHIPS: Final = 5_000
REBUY_CHIPS: Final = 1_500
UNKNOWN_READS: Final = 3
_LONGEST_WAIT: Final = 10


@dataclass(frozen=True, slots=True)
class Join:
    """Queue for a seat with so many chips."""

    chips: int


@dataclass(frozen=True, slots=True)
class Rebuy:
    """Ask for a rebuy. In a private competition a repeated request with the same id is one rebuy."""

    request_id: str | None


@dataclass(frozen=True, slots=True)
class Wait:
    """Do nothing before that time, then look again."""

    until: float


@dataclass(slots=True)
class Purse:
    """One contestant's chips off the table, as far as they are known.

    `buy_in_chips` is the wish. `new_id` makes ids that never repeat; only private competitions know them. Of these REST
    tells nothing, so that there the answers to our joins must do: first less is asked for, then a rebuy.
    """

    buy_in_chips: int
    patience: Patience
    new_id: Callable[[], str]
    is_private: bool = False
    balance_chips: int | None = None
    _not_before: float | None = None
    _refusals: int = 0
    _joins_refused: int = 0
    _reads_failed: int = 0
    _request_id: str | None = None

    @property
    def server_rebuys(self) -> bool:
        """Whether a rebuy is under way that nobody has confirmed yet."""
        return self._not_before is not None and self._refusals == 0

    def wish_chips(self) -> int:
        """What to ask for: the wish, no more than the balance.

        A balance that stays unknown is the venue's to judge: it is asked for the wish, and for the least, which any balance
        that may play has, only once it has refused a join.
        """
        if self._reads_failed >= UNKNOWN_READS and self._joins_refused:
            return MIN_BUY_IN_CHIPS
        if self.balance_chips is None or self.balance_chips < MIN_BUY_IN_CHIPS:
            return self.buy_in_chips
        return min(self.buy_in_chips, self.balance_chips)

    def too_poor(self) -> None:
        """A join was refused because there are too few chips."""
        self._joins_refused += 1

    def seated(self) -> None:
        """We have a seat."""
        self._joins_refused = 0

    def joined(self) -> None:
        """A seat was asked for: the balance is about to change."""
        self.balance_chips, self._reads_failed = None, 0

    def read(self, chips: int | None) -> None:
        """What REST says lies off the table; None when it could not be read."""
        self._reads_failed = self._reads_failed + 1 if chips is None else 0
        self.balance_chips = chips

    def server_will_rebuy(self, cooldown_s: float, now: float) -> None:
        """The server has announced a rebuy of its own."""
        self._not_before, self._refusals = now + cooldown_s + self.patience.rebuy_grace_s, 0

    def credited(self, balance_chips: int | None) -> None:
        """A rebuy is confirmed."""
        self.balance_chips, self._request_id = balance_chips, None
        self._not_before, self._refusals = None, 0

    def cancelled(self) -> bool:
        """The server will not rebuy; whether it had announced that it would."""
        was_coming = self.server_rebuys
        if was_coming:
            self._not_before = None
        return was_coming

    def refused(self, now: float, cooldown_s: float | None = None) -> None:
        """A rebuy of ours was refused, with the cooldown that is left when it was stated."""
        self._refusals += 1
        wait = (
            cooldown_s
            if cooldown_s is not None
            else self.patience.rebuy_again_s * min(2 ** (self._refusals - 1), _LONGEST_WAIT)
        )
        self._not_before = now + wait

    def next_step(self, now: float) -> Join | Rebuy | Wait:
        """What to do next, without a seat."""
        if self.is_private and self.balance_chips is None:
            if self._joins_refused <= 1:
                return Join(MIN_BUY_IN_CHIPS)
        elif self.balance_chips is None and self._reads_failed < UNKNOWN_READS:
            return Wait(now + self.patience.rest_s)
        elif self.balance_chips is None or self.balance_chips >= MIN_BUY_IN_CHIPS:
            return Join(self.wish_chips())
        if self._not_before is not None and now < self._not_before:
            return Wait(self._not_before)
        if self.is_private:
            self._request_id = self._request_id or self.new_id()
        return Rebuy(self._request_id)
