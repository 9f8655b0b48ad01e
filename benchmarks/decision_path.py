"""From the text of a prompt frame to a rendered prompt: all that a turn costs before the model is asked."""

import asyncio
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from agent.decision.decide import Thinking
from agent.decision.menu import build_menu, matching
from agent.demo import play_demo
from agent.journal.reader import Reader
from agent.llm.modes import Mode
from agent.openpoker import frames
from agent.openpoker.effects import Decide
from agent.openpoker.session import Session
from agent.poker.facts import gather
from agent.poker.spot import Spot
from agent.settings import Settings
from agent.strategy.rules import pure_equity_rule
from agent.wiring import build_thinking
from benchmarks.measure import Row, percentile

HANDS = 150


def rows(folder: Path) -> Iterator[Row]:
    """Percentiles over every turn of a demo's recorded frames, through the real parser, session and kernels."""
    settings = Settings.load({"JOURNAL_PATH": str(folder / "journal.sqlite3"), "LLM_PROVIDER": "none"}, folder / ".env")
    asyncio.run(play_demo(settings, hands=HANDS, seed=11, stand_in=Mode.HEALTHY, on_hand=lambda *_: None))
    with Reader(settings.journal_path) as reader:
        received = [json.dumps(line["msg"]) for line in reader.recording() if line["dir"] == "in"]
    taken = _turns(received, build_thinking(settings, None, seed=1))
    for percent in (50, 95, 99):
        yield Row(f"frame in to prompt ready, {percent}th percentile", f"{percentile(taken, percent):.2f} ms")
    yield Row("turns measured", f"{len(taken):,}")


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
    equity = thinking.equity.measure(spot)
    facts, menu, rule = gather(spot, equity), build_menu(spot), pure_equity_rule(spot, equity.equity)
    choice = matching(menu, rule) if rule else None
    return thinking.prompts.render_system(), thinking.prompts.render_turn(
        spot, facts, menu, choice.id if choice else ""
    )
