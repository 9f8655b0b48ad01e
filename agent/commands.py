"""What the playing commands do: demo, play and replay, wired from settings and told in the terminal.

Apart from `agent.cli` because loading the arena, the models and the compiled kernels takes seconds, for which
reading the journal should not wait.
"""

import asyncio
import itertools
import json
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeVar

from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress
from rich.text import Text

from agent.bots import Bot
from agent.decision.prompt import PromptError
from agent.demo import DemoError, play_demo
from agent.events import Event
from agent.failure import ExitCode, Failure
from agent.health import Health
from agent.journal.schema import JournalError
from agent.kernels import warm_up
from agent.llm.modes import Mode
from agent.log_output import bot_name
from agent.metrics import metrics_served
from agent.openpoker.contestant import Timing, VenueRefused
from agent.openpoker.table import HandSummary
from agent.outing import Limits
from agent.player import Decisions, Player
from agent.replay import Replay, replay
from agent.settings import Settings, SettingsError
from agent.soak import soak as play_soak
from agent.stint import Stint
from agent.terminal import play as views
from agent.terminal.status import hands_console, status_shown
from agent.wiring import build_thinking, required_key

PROBLEMS_SHOWN = 20

Result = TypeVar("Result")

log = logging.getLogger(__name__)

_EXPECTED: Final[Mapping[type[Exception], ExitCode]] = {
    SettingsError: ExitCode.UNUSABLE,
    PromptError: ExitCode.UNUSABLE,
    JournalError: ExitCode.UNUSABLE,
    VenueRefused: ExitCode.REFUSED,
    DemoError: ExitCode.FAILED,
}


@contextmanager
def _told_clearly() -> Iterator[None]:
    """Turn what can be expected to go wrong into a `Failure`: one message, one exit code."""
    try:
        yield
    except tuple(_EXPECTED) as error:
        raise Failure(str(error), exit_code=_code_of(error)) from None


def _code_of(error: Exception) -> ExitCode:
    return next((code for kind, code in _EXPECTED.items() if isinstance(error, kind)), ExitCode.FAILED)


def demo(
    settings: Settings, out: Console, err: Console, *, hands: int, seed: int, stand_in: str, as_json: bool
) -> None:
    """Play a demo and print it: a line a hand and a table, or one line of JSON."""
    warm_up(err.print)
    if settings.llm_provider is not None and stand_in != Mode.HEALTHY:
        err.print(f"--stand-in {stand_in} is not used: the environment sets LLM_PROVIDER={settings.llm_provider}.")

    def show(number: int, summary: HandSummary, decisions: Decisions) -> None:
        if not as_json:
            out.print(views.hand_line(number, summary, decisions))

    with _told_clearly():
        result = asdict(asyncio.run(play_demo(settings, hands=hands, seed=seed, stand_in=Mode(stand_in), on_hand=show)))
    if as_json:
        print(json.dumps(result))  # noqa: T201
    else:
        views.render_summary(out, result)
        out.print(views.whereabouts(result, f"{sys.argv[0]} logs"))
    if not result["chips_conserved"]:
        raise Failure("chips were not conserved in every hand: the arena is broken", exit_code=ExitCode.FAILED)


def soak(settings: Settings, out: Console, err: Console, *, hands: int, seed: int, as_json: bool) -> None:
    """Play through every fault and print what it came to; a `Failure` when something happened that never must."""
    warm_up(err.print)
    if "agent_log_level" not in settings.model_fields_set:
        # What goes wrong here is meant to, and would drown what is not.
        logging.getLogger("agent").setLevel(logging.ERROR)
    with _told_clearly(), Progress(*Progress.get_default_columns(), MofNCompleteColumn(), console=err) as progress:
        task = progress.add_task("hands with faults", total=hands)
        result = asyncio.run(
            play_soak(settings, hands=hands, seed=seed, on_hand=lambda n: progress.update(task, completed=n))
        )
    if as_json:
        print(json.dumps(asdict(result)))  # noqa: T201
    else:
        views.render_soak(out, asdict(result))
    if not result.holds:
        raise Failure(
            "a turn was missed or doubled, an action was illegal, or chips do not add up", exit_code=ExitCode.FAILED
        )


def play(bots: Sequence[Bot], limits: Limits, out: Console, err: Console, metrics_port: int | None = None) -> None:
    """Play at the venue until Ctrl-C or the limits, a line a hand; several bots play side by side.

    How they fare is shown all the while, and served on `metrics_port` of this machine when one is given.
    """
    for bot in bots:
        if bot.settings.llm_provider is None:
            raise SettingsError(
                f"LLM_PROVIDER is not set for {bot.name}: name the model's provider (see .env.example), or set "
                "LLM_PROVIDER=none to play by the equity rule alone."
            )
        required_key(bot.settings)
    with _told_clearly():
        warm_up(err.print)
        ends = asyncio.run(_play(bots, limits, out, err, metrics_port))
    if ends is None:
        raise Failure(
            "ended at once; the seat may still be held at the venue for a while", exit_code=ExitCode.INTERRUPTED
        )
    _conclude(ends, err)


@dataclass(frozen=True, slots=True)
class _End:
    """How a bot's run ended: why, and the exit code that this would be if it had played alone."""

    bot: str
    reason: str
    code: ExitCode = ExitCode.DONE


def _conclude(ends: Sequence[_End], err: Console) -> None:
    """Say how each bot's run ended; a `Failure` when one could not play on.

    The exit code says that starting again cannot help only where that is so for every bot.
    """
    told = [(end, f"{end.bot}: {end.reason}" if len(ends) > 1 else end.reason) for end in ends]
    for end, words in told:
        if end.code is ExitCode.DONE:
            err.print(words, markup=False)
    failures = [words for end, words in told if end.code is not ExitCode.DONE]
    if failures:
        codes = {end.code for end in ends}
        is_final = codes <= {ExitCode.UNUSABLE, ExitCode.REFUSED}
        raise Failure("\n".join(failures), exit_code=max(codes) if is_final else ExitCode.FAILED)


async def _play(
    bots: Sequence[Bot],
    limits: Limits,
    out: Console,
    err: Console,
    metrics_port: int | None,
    timing: Timing | None = None,
) -> list[_End] | None:
    """The ends of all bots, in their order; None when a second Ctrl-C ended them at once."""
    numbers, healths, screen = itertools.count(1), dict[str, Health](), hands_console(out, err)

    def show(bot: Bot) -> Callable[[HandSummary, Decisions], None]:
        name = f"{bot.name}  " if len(bots) > 1 else ""
        return lambda hand, mine: _print(
            screen, lambda: Text(name).append_text(views.hand_line(next(numbers), hand, mine))
        )

    def watch(bot: Bot) -> Callable[[Player], None]:
        return lambda player: healths.update({bot.name: player.health})

    stints = [Stint(bot.settings, bot.name, limits, show(bot), watch(bot), timing=timing) for bot in bots]

    async def run(stint: Stint) -> _End:
        if len(stints) > 1:
            bot_name.set(stint.bot)
        return await _until_its_end(stint)

    async def run_all() -> list[_End]:
        return await asyncio.gather(*(run(stint) for stint in stints))

    async def drain_all() -> None:
        await asyncio.gather(*(stint.drain() for stint in stints))

    async with _served(healths, metrics_port, limits), status_shown(healths, err):
        return await _until_interrupted(run_all(), drain_all, err)


async def _until_its_end(stint: Stint) -> _End:
    """One bot's run. Whatever ends it is told, and costs the other bots nothing."""
    try:
        end = _End(stint.bot, await stint.run())
    except tuple(_EXPECTED) as error:
        end = _End(stint.bot, str(error), _code_of(error))
    except Exception as error:
        log.exception("%s met what nobody expected", stint.bot)
        end = _End(stint.bot, f"broke with {type(error).__name__}; the log has the traceback", ExitCode.FAILED)
    event = Event("end", f"the end: {end.reason}", {"reason": end.reason, "exit_code": int(end.code)})
    event.tell(log, logging.INFO if end.code is ExitCode.DONE else logging.ERROR)
    return end


def _print(screen: Console, line: Callable[[], Text]) -> None:
    """Show a line. A view that fails must not end a hand, nor a pipe that nobody reads any more."""
    try:
        screen.print(line())
    except (OSError, SystemExit) as error:
        # Rich leaves the program when a pipe breaks.
        screen.quiet = True
        log.warning("hands are not shown any more: %s", error if isinstance(error, OSError) else "the pipe is closed")
    except Exception:
        log.exception("a hand could not be shown")


@asynccontextmanager
async def _served(healths: Mapping[str, Health], port: int | None, limits: Limits) -> AsyncIterator[None]:
    """Metrics on `port`, or none; `SettingsError` when they cannot be served there."""

    def is_resting() -> bool:
        return limits.quiet is not None and limits.quiet.contains(datetime.now(UTC).astimezone())

    async with AsyncExitStack() as stack:
        if port is not None:
            try:
                await stack.enter_async_context(metrics_served(healths, port, is_resting=is_resting))
            except OSError as error:
                why = os.strerror(error.errno) if error.errno else str(error)
                raise SettingsError(f"AGENT_METRICS_PORT: '{port}' cannot be used: {why}") from None
        yield


async def _until_interrupted(
    run: Coroutine[Any, Any, Result], drain: Callable[[], Coroutine[Any, Any, None]], err: Console
) -> Result | None:
    """Run to the end. The first Ctrl-C finishes the hand and leaves the table, the second one ends at once: None."""
    loop, playing, leaving = asyncio.get_running_loop(), asyncio.ensure_future(run), set[asyncio.Task[None]]()

    def interrupt() -> None:
        if leaving:
            playing.cancel()
            return
        err.print("Finishing the hand, then leaving the table. Ctrl-C again ends at once.")
        leaving.add(asyncio.create_task(drain()))

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, interrupt)
    try:
        return await playing
    except asyncio.CancelledError:
        return None


def replay_recording(settings: Settings, out: Console, err: Console, *, file: Path, as_json: bool) -> None:
    """Replay a recorded session and print it; a `Failure` when a line or a hash is wrong."""
    with _told_clearly():
        thinking = build_thinking(settings, seed=settings.agent_seed or 0)
    found = asyncio.run(replay(file.read_bytes().decode("utf-8", errors="replace"), thinking))
    if as_json:
        print(json.dumps(_replay_json(found)))  # noqa: T201
    else:
        for table, summary in found.hands:
            views.render_hand(out, table, summary)
        for prompt in found.prompts:
            views.render_prompt(out, prompt.spot, prompt.decision, prompt.sent)
        out.print(f"{found.frames} frames, {found.hashes_matched} of {found.hashes_checked} state hashes match")
    if found.problems:
        more = len(found.problems) - PROBLEMS_SHOWN
        shown = found.problems[:PROBLEMS_SHOWN] + ([f"and {more:,} more"] if more > 0 else [])
        raise Failure("\n".join(shown), exit_code=ExitCode.FAILED)
    if not found.frames:
        raise Failure(f"{file} holds no frames: one JSON object a line is expected", exit_code=ExitCode.FAILED)


def _replay_json(found: Replay) -> dict[str, Any]:
    return {
        "frames": found.frames,
        "hashes_checked": found.hashes_checked,
        "hashes_matched": found.hashes_matched,
        "problems": found.problems,
        "hands": [{"hand_id": s.hand_id, "net_chips": s.net_chips, "pot_chips": s.pot_chips} for _, s in found.hands],
        "prompts": [
            {
                "line": p.line,
                "hand_id": p.spot.hand_id,
                "seat": p.spot.hero_seat,
                "pot_chips": p.spot.pot_chips,
                "to_call_chips": p.spot.to_call_chips,
                "facts": p.decision.facts.as_dict() if p.decision.facts else None,
                "decision": p.decision.id_of(p.decision.action),
                "source": p.decision.source,
                "reason": p.decision.reason,
                "sent": p.sent,
            }
            for p in found.prompts
        ],
    }
