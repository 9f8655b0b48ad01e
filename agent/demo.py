"""The demo: a local arena, five house players and the agent at one table, over a real socket, with real prompts.

It uses the model of the environment when one is set there, else the stand-in, which is no language model.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any, Final

from agent.arena.arena import Arena
from agent.arena.game.records import HandRecord
from agent.arena.house.player import HOUSE_KINDS, house_player
from agent.arena.modes import Pace
from agent.arena.settings import PACES, ArenaSettings
from agent.decision.modes import AskMode
from agent.journal.writer import Journal
from agent.llm.build import build_chat
from agent.llm.chat import ChatModel
from agent.llm.modes import Mode
from agent.llm.stand_in import STAND_IN_MODEL, StandIn
from agent.models import Adviser, build_advisers, guarded, spent_today_usd, warmed
from agent.openpoker.rest import RestApi
from agent.openpoker.table import HandSummary
from agent.player import Decisions, Player
from agent.settings import Settings
from agent.wiring import build_contestant, build_thinking, open_journal

HERO: Final = "Heron"
DEMO_KEY: Final = "demo-key-for-the-local-arena"
HOUSE_NAMES: Final = ("Otter", "Badger", "Lynx", "Stoat", "Marten")
LEAVE_WITHIN_S: Final = 15.0

log = logging.getLogger(__name__)


class DemoError(RuntimeError):
    """The demo could not be played to its end; the message says why."""


@dataclass(frozen=True, slots=True)
class DemoResult:
    """What the demo came to. Missed, rejected and double turns are the arena's own counts.

    `journal_rows_lost` counts what will never be found in the journal; without any, all that happened is there.
    """

    hands: int
    turns: int
    actions_sent: int
    missed_turns: int
    rejected: int
    double_actions: int
    by_source: dict[str, int]
    net_chips: int
    net_bb_per_100: float
    llm_calls: int
    journal: str
    seconds: float
    seed: int
    model: str
    chips_conserved: bool
    journal_rows_lost: int


@dataclass(slots=True)
class _Audience:
    """Collects what happens, from the agent's side and from the table's."""

    on_hand: Callable[[int, HandSummary, Decisions], None]
    hands: int = 0
    net_chips: int = 0
    conserved: bool = True
    lost_told: int = 1

    def hand_over(self, journal: Journal, summary: HandSummary, decisions: Decisions) -> None:
        self.hands += 1
        self.net_chips += summary.net_chips or 0
        self.on_hand(self.hands, summary, decisions)
        # The journal says its first loss and then waits a minute, which is longer than most demos.
        if journal.lost >= 2 * self.lost_told:
            self.lost_told = journal.lost
            log.error("JOURNAL LOSES ROWS: %d so far, after hand %d of the demo", self.lost_told, self.hands)

    def settled(self, hand: HandRecord) -> None:
        self.conserved &= sum(hand.start_stacks.values()) == sum(hand.final_stacks.values())


async def play_demo(
    settings: Settings, *, hands: int, seed: int, stand_in: Mode, on_hand: Callable[[int, HandSummary, Decisions], None]
) -> DemoResult:
    """Play `hands` hands and report. `on_hand` is told each one as it ends: its number, its end, our decisions."""
    began, audience = perf_counter(), _Audience(on_hand)
    house = tuple((name, house_player(kind)) for name, kind in zip(HOUSE_NAMES, HOUSE_KINDS, strict=True))
    arena_settings = ArenaSettings(seed=seed, max_hands=hands, **PACES[Pace.FAST])
    async with _models(settings, stand_in) as models:
        thinking = build_thinking(settings, models, seed=seed)
        arena = Arena(arena_settings, house=house, accounts={DEMO_KEY: HERO}, on_hand=audience.settled)
        async with arena, RestApi(arena.api_url, DEMO_KEY) as rest:
            with open_journal(settings, thinking, bot=HERO, ws_url=arena.ws_url) as journal:
                player = Player(thinking, journal, on_hand=partial(audience.hand_over, journal))
                contestant = build_contestant(settings, player, rest, ws_url=arena.ws_url, api_key=DEMO_KEY)
                await until_played(asyncio.create_task(contestant.run()), arena.finished(), contestant.drain)
                await player.learned()
            stats = arena.stats(HERO)
    return DemoResult(
        hands=audience.hands,
        turns=stats.prompts,
        actions_sent=stats.accepted + stats.rejected,
        missed_turns=stats.timeouts,
        rejected=stats.rejected,
        double_actions=stats.repeated,
        by_source={source: player.by_source[source] for source in ("llm", "repaired", "policy", "rule", "floor")},
        net_chips=audience.net_chips,
        net_bb_per_100=round(100 * audience.net_chips / arena_settings.big_blind_chips / max(1, audience.hands), 2),
        llm_calls=player.health.model.calls,
        journal=str(settings.journal_path),
        seconds=round(perf_counter() - began, 2),
        seed=seed,
        model=models[0].name if models else "none",
        chips_conserved=audience.conserved,
        journal_rows_lost=journal.lost,
    )


async def until_played(playing: asyncio.Task[str], played: Any, leave: Callable[[], Any]) -> None:
    """Wait for the last hand, then leave the table; a contestant that ends before is an error."""
    finished = asyncio.ensure_future(played)
    try:
        await asyncio.wait({playing, finished}, return_when=asyncio.FIRST_COMPLETED)
        if playing.done():
            failure = playing.exception()
            raise DemoError(f"the agent stopped before the last hand: {failure or playing.result()}")
        await leave()
        await asyncio.wait_for(playing, LEAVE_WITHIN_S)
    except TimeoutError:
        raise DemoError("the agent did not get away from the table") from None
    finally:
        for task in (finished, playing):
            task.cancel()
        await asyncio.gather(finished, playing, return_exceptions=True)


@contextlib.asynccontextmanager
async def _models(settings: Settings, stand_in: Mode) -> AsyncIterator[tuple[ChatModel, ...]]:
    """The environment's models, asked once before play; nobody for `none`, else the stand-in with its server."""
    advisers: tuple[Adviser, ...] = ()
    async with contextlib.AsyncExitStack() as stack:
        if settings.llm_provider is not None:
            advisers = build_advisers(settings, spent_today_usd=spent_today_usd(settings, HERO))
            models: tuple[ChatModel, ...] = tuple(adviser.model for adviser in advisers)
        else:
            server = await stack.enter_async_context(StandIn(stand_in))
            models = (guarded(build_chat("custom", model=STAND_IN_MODEL, base_url=server.base_url)),)
        for model in models:
            stack.push_async_callback(model.aclose)
        if settings.llm_mode is not AskMode.NEVER:
            warm = warmed(advisers, budget_s=settings.llm_warm_up_s, unless=asyncio.Event())
            await stack.enter_async_context(warm)
        yield models
