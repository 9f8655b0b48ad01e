"""Chips off the table: rebuys by hand and by themselves, their cooldown, and what a competition allows."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from agent.arena.game.account import Account
from agent.arena.game.refusal import RefusedError
from agent.arena.league.bank import Bank
from agent.arena.settings import ArenaSettings
from agent.openpoker.frames import Frame

NOON = datetime(2026, 9, 20, 12, tzinfo=UTC)


class HandClock:
    """A time of day that passes only when a test says so."""

    def __init__(self) -> None:
        self.time = NOON

    def __call__(self) -> datetime:
        return self.time

    def pass_s(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)


def bank_of(clock: HandClock, *, is_private: bool = False, **settings: Any) -> Bank:
    return Bank(ArenaSettings(**settings), is_private=is_private, now=clock)


def account_of(chips: int) -> tuple[Account, list[Frame]]:
    """A registered client with that balance, and what it is sent."""
    told: list[Frame] = []
    return Account("Heron", "id-of-heron", chips, deliver=told.append, is_registered=True), told


def refused(bank: Bank, account: Account) -> RefusedError:
    with pytest.raises(RefusedError) as refusal:
        bank.rebuy(account)
    return refusal.value


# By hand


def test_the_first_rebuy_is_instant_and_lies_off_the_table() -> None:
    account, _ = account_of(120)
    confirmed = bank_of(HandClock()).rebuy(account)
    assert confirmed == {"type": "rebuy_confirmed", "new_stack": 0, "chip_balance": 1_620}
    assert (account.chips, account.rebuys) == (1_620, 1)


def test_without_a_season_entry_there_is_no_rebuy() -> None:
    account, _ = account_of(0)
    account.is_registered = False
    assert refused(bank_of(HandClock()), account).code == "not_registered_for_season"


def test_whoever_can_pay_the_smallest_buy_in_needs_no_rebuy() -> None:
    bank = bank_of(HandClock())
    rich, _ = account_of(1_000)
    assert refused(bank, rich).code == "rebuy_not_allowed"
    poor, _ = account_of(999)
    assert bank.rebuy(poor)["chip_balance"] == 2_499


def test_a_second_rebuy_waits_for_the_cooldown_and_is_told_how_long() -> None:
    clock = HandClock()
    bank, (account, _) = bank_of(clock), account_of(0)
    bank.rebuy(account)
    account.chips = 0
    clock.pass_s(60.5)
    refusal = refused(bank, account)
    assert (refusal.code, refusal.details) == (
        "rebuy_cooldown",
        {"rebuy_at": "2026-09-20T12:05:00Z", "cooldown_seconds": 240},
    )
    clock.pass_s(239.5)
    assert bank.rebuy(account)["chip_balance"] == 1_500


def test_a_retry_with_the_same_request_id_is_answered_and_not_credited_again() -> None:
    bank, (account, _) = bank_of(HandClock()), account_of(0)
    first = bank.rebuy(account, "r-1")
    assert bank.rebuy(account, "r-1") == first
    assert (account.chips, account.rebuys) == (1_500, 1)


def test_the_same_request_id_of_another_client_is_another_request() -> None:
    bank, (heron, _) = bank_of(HandClock()), account_of(0)
    lynx = Account("Lynx", "id-of-lynx", 0, is_registered=True)
    bank.rebuy(heron, "r-1")
    assert bank.rebuy(lynx, "r-1")["chip_balance"] == 1_500


def test_a_new_season_forgets_cooldown_and_count() -> None:
    bank, (account, _) = bank_of(HandClock()), account_of(0)
    bank.rebuy(account)
    account.begin_season(0)
    account.is_registered = True
    assert bank.rebuy(account)["chip_balance"] == 1_500
    assert account.rebuys == 1


# In a private competition


def test_a_competition_allows_no_rebuy_unless_it_is_set_to() -> None:
    account, _ = account_of(0)
    assert refused(bank_of(HandClock(), is_private=True), account).code == "rebuy_not_allowed"


def test_a_competition_allows_as_many_rebuys_as_it_is_set_to() -> None:
    bank = bank_of(HandClock(), is_private=True, competition_rebuys=2, rebuy_cooldown_s=0.0)
    account, _ = account_of(0)
    for _ in range(2):
        bank.rebuy(account)
        account.chips = 0
    assert refused(bank, account).reason == "this competition allows 2 rebuys"


def test_a_competition_has_no_automatic_rebuy() -> None:
    bank, (account, told) = bank_of(HandClock(), is_private=True, competition_rebuys=5), account_of(0)
    bank.set_auto_rebuy(account, True)
    assert told == [{"type": "auto_rebuy_set", "enabled": False}]
    assert not bank.schedules(account, 0)


# By themselves


def test_auto_rebuy_is_for_those_with_a_season_entry() -> None:
    account, _ = account_of(0)
    account.is_registered = False
    with pytest.raises(RefusedError, match="not_registered_for_season"):
        bank_of(HandClock()).set_auto_rebuy(account, True)


def test_nothing_is_scheduled_for_whoever_did_not_ask_or_has_enough_left() -> None:
    bank, (account, told) = bank_of(HandClock()), account_of(0)
    assert not bank.schedules(account, 0)
    account.auto_rebuy, account.chips = True, 990
    assert not bank.schedules(account, 10)
    assert told == []


def test_the_first_automatic_rebuy_is_announced_and_comes_at_once() -> None:
    bank, (account, told) = bank_of(HandClock()), account_of(15)
    account.auto_rebuy = True
    assert bank.schedules(account, 15)
    bank.buy_back(account)
    assert told == [
        {"type": "auto_rebuy_scheduled", "rebuy_at": "2026-09-20T12:00:00Z", "cooldown_seconds": 0},
        {"type": "rebuy_confirmed", "new_stack": 0, "chip_balance": 1_515},
    ]


async def test_a_later_automatic_rebuy_comes_when_the_cooldown_is_over() -> None:
    bank, (account, told) = bank_of(HandClock(), rebuy_cooldown_s=0.02), account_of(0)
    arrivals = asyncio.Queue[Frame]()
    account.auto_rebuy = True
    bank.rebuy(account)
    account.chips = 0
    assert bank.schedules(account, 0)
    bank.buy_back(account)
    assert [frame["type"] for frame in told] == ["auto_rebuy_scheduled"]
    account.deliver = arrivals.put_nowait
    async with asyncio.timeout(10):
        assert await arrivals.get() == {"type": "rebuy_confirmed", "new_stack": 0, "chip_balance": 1_500}


async def test_a_rebuy_by_hand_cannot_overtake_the_one_that_is_due() -> None:
    bank, (account, _) = bank_of(HandClock()), account_of(0)
    account.auto_rebuy = True
    bank.rebuy(account)
    account.chips = 0
    bank.schedules(account, 0)
    bank.buy_back(account)
    assert refused(bank, account).code == "rebuy_cooldown"
    bank.close()


async def test_switching_auto_rebuy_off_cancels_the_one_that_is_due_and_tells_the_bust() -> None:
    bank, (account, told) = bank_of(HandClock(), rebuy_cooldown_s=0.01), account_of(0)
    account.auto_rebuy = True
    bank.rebuy(account)
    account.chips = 0
    bank.schedules(account, 0)
    bank.buy_back(account)
    told.clear()
    bank.set_auto_rebuy(account, False)
    assert told == [
        {"type": "auto_rebuy_set", "enabled": False},
        {"type": "busted", "options": ["rebuy", "leave"]},
    ]
    await asyncio.sleep(0.02)
    assert account.chips == 0


async def test_a_closed_bank_credits_nothing_that_was_due() -> None:
    bank, (account, _) = bank_of(HandClock(), rebuy_cooldown_s=0.01), account_of(0)
    account.auto_rebuy = True
    bank.rebuy(account)
    account.chips = 0
    bank.buy_back(account)
    bank.close()
    await asyncio.sleep(0.02)
    assert (account.chips, account.rebuys) == (0, 1)
