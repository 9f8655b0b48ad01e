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
from typing import Any, Final

from agent.journal.reader import Reader
from agent.journal.schema import JournalError
from agent.openpoker.contestant import Contestant
from agent.openpoker.rest import RestApi
from agent.openpoker.table import HandSummary
from agent.openpoker.turns import TurnKey
from agent.outing import Limits, Outing
from agent.player import Decisions, Player
from agent.settings import Settings
from agent.wiring import build_contestant, build_model, build_thinking, open_journal, required_key

log = logging.getLogger(__name__)

CHECK_EVERY_S: Final = 1.0
# Longer than any action clock: an older turn is closed.
ANSWERS_LOOKED_BACK: Final = timedelta(minutes=15)


@dataclass(slots=True)
class Stint:
    """One bot's run. `on_hand` is told of every hand; `on_start` gets the player once all is built."""

    settings: Settings
    bot: str
    limits: Limits
    on_hand: Callable[[HandSummary, Decisions], None]
    on_start: Callable[[Player], None] = lambda _: None
    local_time: Callable[[], datetime] = lambda: datetime.now(UTC).astimezone()
    _contestant: Contestant | None = None
    _is_leaving: bool = False
    _woken: asyncio.Event = field(default_factory=asyncio.Event)
    _hand_ended: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self) -> str:
        """Play until the limits, a `drain`, or a refusal; the reason why it is over.

        Raises `SettingsError` without a key, `PromptError`, `JournalError`, and `VenueRefused`.
        """
        key, earlier = required_key(self.settings), self._earlier_answers()
        model = build_model(self.settings)
        try:
            thinking = build_thinking(self.settings, model)
            outing = Outing(self.limits, time.monotonic())
            with open_journal(self.settings, thinking, bot=self.bot, ws_url=self.settings.open_poker_ws_url) as journal:
                async with RestApi(self.settings.open_poker_api_url, key) as rest:
                    player = Player(thinking, journal, on_hand=lambda hand, mine: self._hand_over(outing, hand, mine))
                    self.on_start(player)
                    return await self._play(outing, lambda: self._build(player, rest, key, earlier))
        finally:
            if model is not None:
                await model.aclose()

    async def drain(self) -> None:
        """Finish the hand and leave; while sitting out there is nothing to leave."""
        self._is_leaving = True
        self._woken.set()
        if self._contestant is not None:
            await self._contestant.drain()

    def _build(self, player: Player, rest: RestApi, key: str, earlier: dict[TurnKey, dict[str, Any]]) -> Contestant:
        url = self.settings.venue_url
        return build_contestant(self.settings, player, rest, ws_url=url, api_key=key, earlier_answers=earlier)

    async def _play(self, outing: Outing, build: Callable[[], Contestant]) -> str:
        """Contestant after contestant, with the quiet hours between them."""
        while True:
            await self._sit_out()
            if self._is_leaving:
                return "asked to stop"
            self._contestant = build()
            try:
                reason = await self._until_over(self._contestant, outing)
            finally:
                self._contestant = None
            ended = outing.end(time.monotonic())
            if ended is not None:
                return f"{reason}: {ended}"
            if self._is_leaving or not self._is_quiet():
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
        while outing.end(time.monotonic()) is None and not self._is_quiet():
            self._hand_ended.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._hand_ended.wait(), CHECK_EVERY_S)
        await contestant.drain()

    def _hand_over(self, outing: Outing, hand: HandSummary, mine: Decisions) -> None:
        outing.hand_over(hand.net_chips)
        self._hand_ended.set()
        self.on_hand(hand, mine)

    def _is_quiet(self) -> bool:
        return self.limits.quiet is not None and self.limits.quiet.contains(self.local_time())

    async def _sit_out(self) -> None:
        if self.limits.quiet is None:
            return
        seconds = self.limits.quiet.seconds_left(self.local_time())
        if seconds:
            log.info("quiet hours: back in %.0f minutes", seconds / 60)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), seconds)

    def _earlier_answers(self) -> dict[TurnKey, dict[str, Any]]:
        """What an earlier run that was killed had answered and nobody confirmed; nothing when there is no journal."""
        if not self.settings.journal_path.exists():
            return {}
        try:
            with Reader(self.settings.journal_path) as reader:
                frames = reader.unconfirmed(self.bot, datetime.now(UTC) - ANSWERS_LOOKED_BACK)
        except JournalError:
            # An older file is brought up to date when it is opened for writing; its answers are too old anyway.
            return {}
        return {(frame["hand_id"], frame["turn_token"]): frame for frame in frames}
