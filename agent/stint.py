"""A bot at the venue: one run of the program for one bot, from the journal's first row to the last confirmed leave.

It joins, plays until its limits say so, sits out the quiet hours and comes back, and takes up what an earlier run that
was killed has left behind.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from agent.decision.modes import AskMode
from agent.events import Event
from agent.journal.reader import Reader
from agent.journal.schema import JournalError
from agent.models import build_advisers, spent_today_usd, warmed
from agent.openpoker.contestant import Contestant, Timing
from agent.openpoker.earlier import Earlier, left_behind
from agent.openpoker.rest import RestApi
from agent.openpoker.table import HandSummary
from agent.outing import Limits, Outing
from agent.player import Decisions, Player
from agent.settings import Settings
from agent.wiring import build_contestant, build_thinking, open_journal, recalled_opponents, required_key

log = logging.getLogger(__name__)

CHECK_EVERY_S: Final = 1.0
# Longer than any action clock: an older turn is closed.
ANSWERS_LOOKED_BACK: Final = timedelta(minutes=15)
# Several hands: a turn that is still open was asked in the latest one.
FRAMES_LOOKED_BACK: Final = 1_000
# The venue gives a lost seat away after three hands that it missed.
SEAT_HELD: Final = timedelta(minutes=5)


@dataclass(slots=True)
class Stint:
    """One bot's run. `on_hand` is told of every hand; `on_start` gets the player once all is built.

    `timing` is that of the settings unless it is given.
    """

    settings: Settings
    bot: str
    limits: Limits
    on_hand: Callable[[HandSummary, Decisions], None]
    on_start: Callable[[Player], None] = lambda _: None
    local_time: Callable[[], datetime] = lambda: datetime.now(UTC).astimezone()
    timing: Timing | None = None
    _contestant: Contestant | None = None
    _is_leaving: bool = False
    _is_resting: bool = False
    _limit: str | None = None
    _woken: asyncio.Event = field(default_factory=asyncio.Event)
    _has_no_time: asyncio.Event = field(default_factory=asyncio.Event)
    _hand_ended: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self) -> str:
        """Play until the limits, a `drain`, or a refusal; the reason why it is over.

        Raises `SettingsError` without a key, `PromptError`, `JournalError`, and `VenueRefused`.
        """
        key, earlier = required_key(self.settings), self._earlier()
        advisers = build_advisers(self.settings, spent_today_usd=spent_today_usd(self.settings, self.bot))
        async with contextlib.AsyncExitStack() as stack:
            for adviser in advisers:
                stack.push_async_callback(adviser.model.aclose)
            thinking = build_thinking(self.settings, [adviser.model for adviser in advisers])
            url = self.settings.open_poker_ws_url
            journal = stack.enter_context(open_journal(self.settings, thinking, bot=self.bot, ws_url=url))
            thinking.opponents = recalled_opponents(self.settings, bot=self.bot)
            rest = await stack.enter_async_context(RestApi(self.settings.open_poker_api_url, key))
            player = Player(thinking, journal, on_hand=lambda hand, mine: self._hand_over(outing, hand, mine))
            stack.push_async_callback(player.learned)
            if self.settings.llm_mode is not AskMode.NEVER:
                if earlier.may_be_seated:
                    self._has_no_time.set()
                budget_s = self.settings.llm_warm_up_s
                await stack.enter_async_context(warmed(advisers, budget_s=budget_s, unless=self._has_no_time))
            outing = Outing(self.limits, time.monotonic())
            self.on_start(player)
            return await self._play(outing, lambda: self._build(player, rest, key, earlier.turns))

    async def drain(self) -> None:
        """Finish the hand and leave; while sitting out there is nothing to leave."""
        self._is_leaving = True
        self._woken.set()
        self._has_no_time.set()
        if self._contestant is not None:
            await self._contestant.drain()

    def _build(self, player: Player, rest: RestApi, key: str, earlier: Earlier) -> Contestant:
        url = self.settings.venue_url
        return build_contestant(
            self.settings, player, rest, ws_url=url, api_key=key, timing=self.timing, earlier=earlier
        )

    async def _play(self, outing: Outing, build: Callable[[], Contestant]) -> str:
        """Contestant after contestant, with the quiet hours between them."""
        while True:
            await self._sit_out()
            if self._is_leaving:
                return "asked to stop"
            ended = outing.end(time.monotonic())
            if ended is not None:
                return ended
            self._contestant, self._is_resting = build(), False
            try:
                reason = await self._until_over(self._contestant, outing)
            finally:
                self._contestant = None
            # The last hand may have won back what was too much to lose.
            ended = outing.end(time.monotonic()) or self._limit
            if ended is not None:
                return f"{reason}: {ended}"
            if self._is_leaving or not self._is_resting:
                return reason

    async def _until_over(self, contestant: Contestant, outing: Outing) -> str:
        """Let it play until it has left; it is asked to when a limit is reached or the quiet hours begin."""
        playing = asyncio.create_task(contestant.run())
        watching = asyncio.create_task(self._watch(contestant, outing))
        try:
            return await playing
        finally:
            for task in (watching, playing):
                task.cancel()
            await asyncio.gather(watching, playing, return_exceptions=True)

    async def _watch(self, contestant: Contestant, outing: Outing) -> None:
        """Ask it to leave once a limit is reached or the hours are quiet, and remember which it was.

        The hours may be over before the hand is: it comes back all the same.
        """
        while (limit := outing.end(time.monotonic())) is None and not self._is_quiet():
            self._hand_ended.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._hand_ended.wait(), CHECK_EVERY_S)
        self._limit = limit
        if limit is not None:
            Event("limit reached", f"limit reached: {limit}", {"reason": limit}).tell(log)
        else:
            self._is_resting = True
            words = f"quiet hours begin: leaving the table until {self._quiet_end()}"
            Event("quiet hours begin", words, {"until": self._quiet_end()}).tell(log)
        await contestant.drain()

    def _hand_over(self, outing: Outing, hand: HandSummary, mine: Decisions) -> None:
        outing.hand_over(hand.net_chips)
        self._hand_ended.set()
        self.on_hand(hand, mine)

    def _is_quiet(self) -> bool:
        return self.limits.quiet is not None and self.limits.quiet.contains(self.local_time())

    def _quiet_end(self) -> str:
        return f"{self.limits.quiet.ends:%H:%M}" if self.limits.quiet is not None else ""

    async def _sit_out(self) -> None:
        """Wait until the quiet hours are over, or until asked to leave.

        The clock on the wall is looked at again and again: the machine may have slept, or the clock been put right.
        """
        if self.limits.quiet is None or not self._is_quiet():
            return
        Event("sitting out", f"quiet hours: back at {self._quiet_end()}", {"until": self._quiet_end()}).tell(log)
        while not self._is_leaving and (seconds := self.limits.quiet.seconds_left(self.local_time())):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), min(seconds, CHECK_EVERY_S))
        if not self._is_leaving:
            Event("quiet hours end", "quiet hours are over").tell(log)

    def _earlier(self) -> "_Earlier":
        """What earlier runs of the bot left behind; nothing when there is no journal."""
        if not self.settings.journal_path.exists():
            return _Earlier()
        now = datetime.now(UTC)
        try:
            with Reader(self.settings.journal_path) as reader:
                answers = reader.unconfirmed(self.bot, now - ANSWERS_LOOKED_BACK)
                passed = reader.latest_frames(self.bot, now - ANSWERS_LOOKED_BACK, limit=FRAMES_LOOKED_BACK)
                heard_at = reader.last_frame_at(self.bot)
        except JournalError:
            # An older file is brought up to date when it is opened for writing; its answers are too old anyway.
            return _Earlier()

        def monotonic(at: datetime) -> float:
            return time.monotonic() - (now - at).total_seconds()

        return _Earlier(
            turns=left_behind([(monotonic(at), way, frame) for at, way, frame in passed], answers),
            may_be_seated=heard_at is not None and now - heard_at < SEAT_HELD,
        )


@dataclass(frozen=True, slots=True)
class _Earlier:
    """What a run that was killed has left of its turns.

    `may_be_seated` tells that the bot played so lately that the venue may still hold its seat: then nothing may wait.
    """

    turns: Earlier = field(default_factory=Earlier)
    may_be_seated: bool = False
