"""What a turn costs before the model is asked, and what asking costs beside the model's own time."""

import asyncio
import itertools
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import monotonic, perf_counter

from agent.decision.decide import Thinking, decide
from agent.decision.menu import build_menu
from agent.decision.turn import work_out
from agent.demo import play_demo
from agent.journal.reader import Reader
from agent.llm.build import build_chat
from agent.llm.modes import Mode
from agent.llm.stand_in import STAND_IN_MODEL, StandIn
from agent.models import guarded
from agent.openpoker import frames
from agent.openpoker.effects import Decide
from agent.openpoker.session import Session
from agent.poker.spot import Spot
from agent.settings import Settings
from agent.strategy.opponents import Opponents
from agent.strategy.policy.policy import Policy
from agent.wiring import build_thinking
from benchmarks.measure import Row, percentile

HANDS = 150
# Of a drip, a hang, a reset and a late answer: so many turns each, with this budget.
BAD_TURNS = 10
BAD_BUDGET_S = 0.6


def rows(folder: Path) -> Iterator[Row]:
    """Percentiles over every turn of a demo's recorded frames, through the real parser, session, kernels and client."""
    settings = Settings.load({"JOURNAL_PATH": str(folder / "journal.sqlite3"), "LLM_PROVIDER": "none"}, folder / ".env")
    asyncio.run(play_demo(settings, hands=HANDS, seed=11, stand_in=Mode.HEALTHY, on_hand=lambda *_: None))
    with Reader(settings.journal_path) as reader:
        received = [json.dumps(line["msg"]) for line in reader.recording() if line["dir"] == "in"]
    taken = _turns(received, build_thinking(settings, seed=1))
    for percent in (50, 95, 99):
        yield Row(f"frame in to prompt ready, {percent}th percentile", f"{percentile(taken, percent):.2f} ms")
    spots = list(_spots(received))
    judged = _judged(spots, Policy())
    for percent in (50, 95):
        yield Row(f"of it the policy with its ranges, {percent}th percentile", f"{percentile(judged, percent):.2f} ms")
    added = asyncio.run(_added_by_model(spots, build_thinking(settings, seed=1)))
    for percent in (50, 95, 99):
        yield Row(f"a model that answers at once adds, {percent}th percentile", f"{percentile(added, percent):.2f} ms")
    for mode in (Mode.DRIP, Mode.SILENT, Mode.RESET, Mode.SLOW):
        over = asyncio.run(_over_budget(spots[:BAD_TURNS], build_thinking(settings, seed=1), mode))
        yield Row(f"server that is {mode}: most time beyond the budget", f"{max(over):.1f} ms")
    yield Row("turns measured", f"{len(taken):,}")


def _judged(spots: list[Spot], policy: Policy) -> list[float]:
    """Milliseconds that the policy takes for each turn: ranges brought up to date, and every action priced."""
    taken, book = [], Opponents()
    for spot in spots:
        began = perf_counter()
        policy.judge(spot, book.of, 0.5)
        taken.append(1_000 * (perf_counter() - began))
    return taken


async def _added_by_model(spots: list[Spot], thinking: Thinking) -> list[float]:
    """Milliseconds that asking adds to each decision: prompt, request, reply and its check, on a real connection."""
    added = []
    async with StandIn(Mode.HEALTHY) as server:
        model = guarded(build_chat("custom", model=STAND_IN_MODEL, base_url=server.base_url))
        asking = replace(thinking, model=model)
        for spot in spots:
            alone = (await decide(spot, thinking, deadline=monotonic() + 30)).elapsed_ms
            added.append((await decide(spot, asking, deadline=monotonic() + 30)).elapsed_ms - alone)
        await model.aclose()
    return added


async def _over_budget(spots: list[Spot], thinking: Thinking, mode: Mode) -> list[float]:
    """Milliseconds by which each decision took longer than the model's budget; negative when it took less."""
    over = []
    async with StandIn(mode, delay_s=2 * BAD_BUDGET_S) as server:
        for spot in spots:
            chat = build_chat("custom", model=STAND_IN_MODEL, base_url=server.base_url)
            began = perf_counter()
            await decide(spot, replace(thinking, model=chat, model_time_s=BAD_BUDGET_S), deadline=monotonic() + 30)
            over.append(1_000 * (perf_counter() - began - BAD_BUDGET_S))
            await chat.aclose()
    return over


def _spots(received: list[str]) -> Iterator[Spot]:
    """The spot of every turn in which there is a choice."""
    numbers = itertools.count()
    session = Session(buy_in_chips=2_000, new_id=lambda: f"turn-{next(numbers)}")
    for text in received:
        for effect in session.receive(frames.parse(text), perf_counter()):
            if isinstance(effect, Decide) and len(build_menu(effect.turn.spot)) > 1:
                yield effect.turn.spot


def _turns(received: list[str], thinking: Thinking) -> list[float]:
    """Milliseconds of each turn; the frames between turns are applied but not counted."""
    numbers = itertools.count()
    session = Session(buy_in_chips=2_000, new_id=lambda: f"turn-{next(numbers)}")
    taken = []
    for text in received:
        began = perf_counter()
        for effect in session.receive(frames.parse(text), began):
            if isinstance(effect, Decide):
                _prompt(effect.turn.spot, thinking)
                taken.append(1_000 * (perf_counter() - began))
    return taken


def _prompt(spot: Spot, thinking: Thinking) -> tuple[str, str]:
    turn, prompts = (
        work_out(spot, thinking.equity, thinking.policy, thinking.opponents),
        thinking.prompts.for_hand(spot.hand_id),
    )
    return prompts.render_system(), prompts.render_turn(turn)
