"""Chips off the table: who may buy in again, when, and the rebuys that happen by themselves (protocol V2, section 8)."""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta
from math import ceil

from agent.arena.game.account import Account
from agent.arena.game.refusal import RefusedError
from agent.arena.settings import ArenaSettings
from agent.openpoker.frames import Frame


class Bank:
    """The rebuys of one season. The first is instant; `rebuy_cooldown_s` lies between any two after it.

    In a private competition they are `competition_rebuys` at most, and none happens by itself.
    """

    def __init__(
        self,
        settings: ArenaSettings,
        *,
        is_private: bool,
        now: Callable[[], datetime],
    ) -> None:
        self._settings = settings
        self._is_private = is_private
        self._now = now
        self._due: dict[Account, asyncio.TimerHandle] = {}
        self._requests: dict[tuple[str, str], Frame] = {}

    def rebuy(self, account: Account, request_id: str | None = None) -> Frame:
        """Credit a rebuy and confirm it; the same `request_id` gets the same answer again.

        Raises `RefusedError`: without a season entry, with a seat or with enough chips for one, too early, too often.
        """
        if request_id is not None and (account.agent_id, request_id) in self._requests:
            return self._requests[account.agent_id, request_id]
        if not account.is_registered:
            raise RefusedError("not_registered_for_season", "join the lobby first")
        if account.table is not None or account.chips >= self._settings.least_entry_chips:
            raise RefusedError("rebuy_not_allowed", "a rebuy needs no seat and less than the smallest buy-in")
        if self._is_private and account.rebuys >= self._settings.competition_rebuys:
            raise RefusedError(
                "rebuy_not_allowed", f"this competition allows {self._settings.competition_rebuys} rebuys"
            )
        wait = self._cooldown_s(account)
        if wait > 0:
            raise RefusedError("rebuy_cooldown", "the last rebuy was not long ago", **self._when(wait))
        self._credit(account)
        confirmed = rebuy_confirmed(account)
        if request_id is not None:
            self._requests[account.agent_id, request_id] = confirmed
        return confirmed

    def set_auto_rebuy(self, account: Account, enabled: bool) -> None:
        """Whether a bust at the table buys in again by itself; switching it off cancels a rebuy that is due."""
        if not account.is_registered:
            raise RefusedError("not_registered_for_season", "join the lobby first")
        account.auto_rebuy = enabled and not self._is_private
        account.send({"type": "auto_rebuy_set", "enabled": account.auto_rebuy})
        if not enabled and account in self._due:
            self._due.pop(account).cancel()
            account.send(busted())

    def schedules(self, account: Account, stack_chips: int) -> bool:
        """Announce the automatic rebuy of somebody who busts with `stack_chips` left; False when there is none."""
        is_poor = account.chips + stack_chips < self._settings.least_entry_chips
        if not (account.auto_rebuy and is_poor):
            return False
        account.send({"type": "auto_rebuy_scheduled", **self._when(self._cooldown_s(account))})
        return True

    def buy_back(self, account: Account) -> None:
        """Carry out what `schedules` announced: at once, or when the cooldown is over."""
        wait = self._cooldown_s(account)
        if wait <= 0:
            self._buy_back_now(account)
        else:
            self._due[account] = asyncio.get_running_loop().call_later(wait, self._buy_back_now, account)

    def close(self) -> None:
        """Forget every rebuy that is due, and those that were asked for."""
        self._requests.clear()
        for due in self._due.values():
            due.cancel()
        self._due.clear()

    def _buy_back_now(self, account: Account) -> None:
        self._due.pop(account, None)
        self._credit(account)
        account.send(rebuy_confirmed(account))

    def _credit(self, account: Account) -> None:
        account.chips += self._settings.rebuy_credit_chips
        account.rebuys += 1
        account.next_rebuy_at = self._now() + timedelta(seconds=self._settings.rebuy_cooldown_s)

    def _cooldown_s(self, account: Account) -> float:
        if account.next_rebuy_at is None:
            return 0.0
        return max(0.0, (account.next_rebuy_at - self._now()).total_seconds())

    def _when(self, wait_s: float) -> Frame:
        due = self._now() + timedelta(seconds=wait_s)
        stated = due.isoformat(timespec="seconds").replace("+00:00", "Z")
        return {"rebuy_at": stated, "cooldown_seconds": ceil(wait_s)}


def rebuy_confirmed(account: Account) -> Frame:
    """The chips of a rebuy lie off the table."""
    return {"type": "rebuy_confirmed", "new_stack": 0, "chip_balance": account.chips}


def busted() -> Frame:
    """Too few chips for the big blind, and no rebuy that happens by itself."""
    return {"type": "busted", "options": ["rebuy", "leave"]}
