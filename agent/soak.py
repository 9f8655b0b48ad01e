"""The soak: the agent in a local arena where everything goes wrong at times, for as many hands as one likes.

It goes out, plays, leaves and comes back as a bot with quiet hours does, at a table where others come and go. What
counts is told by both sides: missed, doubled and refused actions by the arena, chips by both.
"""

import asyncio
import contextlib
import logging
import random
import resource
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from time import perf_counter
from typing import Any, Final, Literal

from agent.arena.arena import Arena
from agent.arena.faults.plan import FaultName, parse_faults
from agent.arena.game.records import HandRecord
from agent.arena.game.seeded import Seeded
from agent.arena.house.field import load_field
from agent.arena.modes import Pace
from agent.arena.report import percentile
from agent.arena.settings import PACES, ArenaSettings
from agent.demo import until_played
from agent.llm.build import build_chat
from agent.llm.modes import Mode
from agent.llm.stand_in import STAND_IN_MODEL, StandIn
from agent.models import guarded
from agent.openpoker.contestant import Timing
from agent.openpoker.frames import Frame
from agent.openpoker.patience import Patience
from agent.openpoker.rest import RestApi
from agent.openpoker.table import HandSummary
from agent.player import Decisions, Player
from agent.settings import Settings
from agent.wiring import build_contestant, build_thinking, open_journal

log = logging.getLogger(__name__)

HERO: Final = "Heron"
SOAK_KEY: Final = "soak-key-for-the-local-arena"

MODEL_TIME_S: Final = 2.0
UNCOMPARED_KEPT: Final = 1_000
LAG_EVERY_S: Final = 0.01
STATM: Final = Path("/proc/self/statm")

# Hands from a cold start until we leave, and the share of hands after which a house player makes way for a newcomer.
OUTING_HANDS: Final = 50
HOUSE_LEAVES: Final = 0.1

# How often things go wrong. What every frame can meet is rarer than in a bad week of the live venue; what has few
# occasions (a call to REST, a leave, a newcomer, a join with a seat) is more frequent, so that a long soak meets it.
RATES: Final[Mapping[FaultName, float]] = {
    FaultName.DROP_FRAME: 0.002,
    FaultName.DUPLICATE_FRAME: 0.01,
    FaultName.REORDER_FRAMES: 0.005,
    FaultName.DELAY_FRAME: 0.005,
    FaultName.LOST_ACK: 0.02,
    FaultName.CUT_BEFORE_ACTION: 0.01,
    FaultName.CUT_AFTER_ACTION: 0.01,
    FaultName.DUPLICATE_PROMPT: 0.02,
    FaultName.STALE_TOKEN: 0.01,
    FaultName.WRONG_HASH: 0.002,
    FaultName.SPECTATOR_RESYNC: 0.05,
    FaultName.NULL_SNAPSHOT: 0.05,
    FaultName.LATE_TABLE_CLOSED: 0.5,
    FaultName.SILENT_REMOVAL: 0.002,
    FaultName.ROSTER_ORDER: 0.2,
    FaultName.FLIP_DISCONNECTED: 0.05,
    FaultName.ALREADY_SEATED_IN_DETAILS: 0.5,
    FaultName.ALREADY_SEATED_NOWHERE: 0.3,
    FaultName.REST_429: 0.2,
    FaultName.REST_500: 0.2,
    FaultName.REST_TIMEOUT: 0.2,
    FaultName.NON_ASCII_NAMES: 0.2,
    FaultName.HUGE_STACKS: 0.05,
    FaultName.UNKNOWN_FRAMES: 0.01,
    FaultName.UNKNOWN_FIELDS: 0.05,
    FaultName.SLOW_SERVER: 0.05,
}
SECONDS: Final = {FaultName.DELAY_FRAME: 0.3, FaultName.SLOW_SERVER: 0.05, FaultName.REST_TIMEOUT: 2.0}

# A fast arena does in a second what takes the live one a minute: whoever plays there must wait less as well.
CLOCK_S: Final = 10.0
TIMING: Final = Timing(
    action_clock_s=CLOCK_S,
    margin_s=3.0,
    longest_backoff_s=2.0,
    refusal_pause_s=0.5,
    takeover_pause_s=0.5,
    healthy_s=1.0,
    tick_s=0.05,
    leave_offline_s=2.0,
)
PATIENCE: Final = Patience(
    ack_s=0.5,
    prompt_s=0.5,
    resync_s=1.0,
    rest_s=1.0,
    queue_s=3.0,
    wind_down_s=0.5,
    rebuy_grace_s=1.0,
    rebuy_again_s=1.0,
    silence_s=6.0,
    hand_s=8.0,
    leave_s=2.0,
    drain_s=20.0,
    hash_resync_s=1.0,
    unseen_s=1.0,
)


@dataclass(frozen=True, slots=True)
class SoakResult:
    """What the soak came to.

    `missed_turns`, `double_actions` and `rejected` are the arena's counts; `illegal_actions` are the rejected ones that
    were not in the offer. `reconnects` are sockets dialled again, cold starts not among them. `faults` names every fault
    of the plan, with 0 for one that never struck. `chips_reconciled`: both sides named the same stack and the same net
    chips after every hand that both saw. `resent_s_p95`: from a cut socket to the answer sent again.
    """

    hands: int
    turns: int
    missed_turns: int
    double_actions: int
    illegal_actions: int
    rejected: int
    reconnects: int
    resyncs: int
    faults: dict[str, int]
    by_source: dict[str, int]
    net_chips: int
    chips_reconciled: bool
    resent_s_p95: float | None
    rss_growth_mb: float
    loop_lag_p99_ms: float
    seconds: float
    seed: int

    @property
    def holds(self) -> bool:
        """Whether nothing happened that must never happen."""
        return self.chips_reconciled and not (self.missed_turns or self.double_actions or self.illegal_actions)


class _Ledger:
    """Both sides' word on every hand, until they can be compared.

    `outing_over` is set every `outing_hands` hands of ours, and once all `hands` are played.
    """

    def __init__(self, hands: int, outing_hands: int, on_hand: Callable[[int], None]) -> None:
        self.hands = self.net_chips = 0
        self.reconciled = True
        self.outing_over = asyncio.Event()
        self.warm_rss_mb: float | None = None
        self._wanted, self._warm = hands, min(1_000, max(1, hands // 10))
        self._outing_hands = outing_hands
        self._on_hand = on_hand
        self._settled: dict[str, tuple[int, int]] = {}

    @property
    def is_full(self) -> bool:
        """Whether all hands are played."""
        return self.hands >= self._wanted

    def settled(self, record: HandRecord) -> None:
        """The arena's word: our stack after the hand, and what it won or lost."""
        seat = next((seat for seat, name in record.names.items() if name == HERO), None)
        if seat is None:
            return
        net = record.final_stacks[seat] - record.start_stacks[seat]
        self._settled[record.hand_id] = (record.final_stacks[seat], net)
        if len(self._settled) > UNCOMPARED_KEPT:
            del self._settled[next(iter(self._settled))]
        self.hands, self.net_chips = self.hands + 1, self.net_chips + net
        if self.hands == self._warm:
            self.warm_rss_mb = rss_mb()
        if self.is_full or self.hands % self._outing_hands == 0:
            self.outing_over.set()
        self._on_hand(self.hands)

    def told(self, summary: HandSummary, _: Decisions) -> None:
        """The agent's word on the same."""
        stack, net = self._settled.pop(summary.hand_id, (None, None))
        agrees = summary.net_chips in (None, net) and summary.stack_chips in (None, stack)
        if net is not None and not agrees:
            log.error(
                "hand %s: we say %s chips, %s won; the arena says %s and %s",
                summary.hand_id,
                summary.stack_chips,
                summary.net_chips,
                stack,
                net,
            )
            self.reconciled = False


async def soak(
    settings: Settings,
    *,
    hands: int,
    seed: int,
    on_hand: Callable[[int], None],
    rates: Mapping[FaultName, float] = RATES,
    outing_hands: int = OUTING_HANDS,
) -> SoakResult:
    """Play `hands` hands with the faults of `rates`, in outings; `on_hand` is told how many are over."""
    began, ledger, lags, outings = perf_counter(), _Ledger(hands, outing_hands, on_hand), list[float](), 0
    arena = _faulty_arena(rates, seed, ledger)
    async with StandIn(Mode.HEALTHY) as server, arena, RestApi(arena.api_url, SOAK_KEY, timeout_s=1.0) as rest:
        chat = build_chat("custom", model=STAND_IN_MODEL, base_url=server.base_url)
        async with contextlib.aclosing(guarded(chat)) as model:
            thinking = replace(build_thinking(settings, (model,), seed=seed), model_time_s=MODEL_TIME_S)
            with open_journal(settings, thinking, bot=HERO, ws_url=arena.ws_url) as journal:
                player = _Counting(thinking, journal, on_hand=ledger.told)
                measuring = asyncio.create_task(_measure_lag(lags))
                while not ledger.is_full:
                    outings += 1
                    ledger.outing_over.clear()
                    contestant = build_contestant(
                        settings, player, rest, ws_url=arena.ws_url, api_key=SOAK_KEY, timing=TIMING, patience=PATIENCE
                    )
                    playing = asyncio.create_task(contestant.run())
                    await until_played(playing, ledger.outing_over.wait(), contestant.drain)
                measuring.cancel()
                await player.learned()
        report = arena.report()
    hero = report.clients[0]
    return SoakResult(
        hands=ledger.hands,
        turns=hero.turns,
        missed_turns=hero.missed,
        double_actions=hero.repeated,
        illegal_actions=hero.rejections.get("invalid_action", 0),
        rejected=hero.rejected,
        reconnects=max(0, player.frames["in", "connected"] - outings),
        resyncs=player.frames["out", "resync_request"],
        faults={str(name): report.faults.get(name, 0) for name in rates},
        by_source=dict(player.by_source),
        net_chips=ledger.net_chips,
        chips_reconciled=ledger.reconciled,
        resent_s_p95=report.resent_s_p95,
        rss_growth_mb=round(rss_mb() - (ledger.warm_rss_mb or 0.0), 1),
        loop_lag_p99_ms=percentile(lags, 0.99, scale=1_000) or 0.0,
        seconds=round(perf_counter() - began, 1),
        seed=seed,
    )


def _faulty_arena(rates: Mapping[FaultName, float], seed: int, ledger: _Ledger) -> Arena:
    """An arena with these faults whose house comes and goes, and which tells `ledger` of every hand."""
    leavers = Seeded(seed).generator("leavers")

    def hand_over(record: HandRecord) -> None:
        ledger.settled(record)
        if leavers.random() < HOUSE_LEAVES:
            _see_one_off(arena, leavers)

    rules = ArenaSettings(seed=seed, action_clock_s=CLOCK_S, seat_hold_s=CLOCK_S, **PACES[Pace.FAST])
    plan = parse_faults({str(name): _fault(name, rate) for name, rate in rates.items()}, seed=seed)
    arena = Arena(rules, field=load_field(), accounts={SOAK_KEY: HERO}, faults=plan, on_hand=hand_over)
    return arena


def _see_one_off(arena: Arena, rng: random.Random) -> None:
    """Let a house player get up; before the next hand the arena seats a newcomer."""
    for table in arena.pools.public.floor.tables:
        table.leave(rng.choice([seat for seat in table.seats.values() if seat.player is not None]), "left")


class _Counting(Player):
    """The agent's player, with a count of frames by direction and type."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.frames: Counter[tuple[str, str]] = Counter()

    def frame(self, direction: Literal["in", "out"], frame: Frame, at: datetime) -> None:
        """Count the frame, and keep it."""
        self.frames[direction, frame["type"]] += 1
        super().frame(direction, frame, at)


def rss_mb() -> float:
    """The memory of this process in MB."""
    return int(STATM.read_text().split()[1]) * resource.getpagesize() / 2**20


def _fault(name: FaultName, rate: float) -> dict[str, float]:
    return {"rate": rate} | ({"seconds": SECONDS[name]} if name in SECONDS else {})


async def _measure_lag(lags: list[float]) -> None:
    """How much later than asked the event loop comes round."""
    while True:
        began = perf_counter()
        await asyncio.sleep(LAG_EVERY_S)
        lags.append(perf_counter() - began - LAG_EVERY_S)
