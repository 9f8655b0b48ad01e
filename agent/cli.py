"""The command line: `poker-agent demo | play | frames | logs`. Wiring and printing, nothing else."""

import asyncio
import itertools
import json
import logging
import signal
import sys
from collections.abc import Callable, Coroutine
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.logging import RichHandler

from agent.decision.prompt import PromptError
from agent.demo import DemoError, play_demo
from agent.journal.reader import Reader
from agent.journal.schema import JournalError
from agent.llm.stand_in import Mode
from agent.openpoker.contestant import VenueRefused
from agent.openpoker.rest import RestApi
from agent.openpoker.table import HandSummary
from agent.player import Decisions, Player
from agent.redaction import Redaction
from agent.replay import Replay, replay
from agent.settings import Settings, SettingsError
from agent.terminal import logs as log_views
from agent.terminal import play as play_views
from agent.wiring import build_contestant, build_model, build_thinking, open_journal, required_key, warm_up

# Tracebacks with local variables would show keys.
app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False, add_completion=False)
logs_app = typer.Typer(invoke_without_command=True, help="Review hands and decisions.")
app.add_typer(logs_app, name="logs")

out, err = Console(highlight=False), Console(stderr=True, highlight=False)

AsJson = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]
Limit = Annotated[int, typer.Option("-n", "--limit", min=1, help="How many rows.")]
USAGE_ERROR = 2


def main() -> None:
    """Run the command line; expected failures end in one clear message, never in a traceback."""
    try:
        app()
    except (SettingsError, PromptError, JournalError) as error:
        _fail(str(error), USAGE_ERROR)
    except (VenueRefused, DemoError) as error:
        _fail(str(error), 1)
    except KeyboardInterrupt:
        _fail("interrupted", 130)


def _fail(message: str, code: int) -> None:
    err.print(message, style="red", markup=False)
    sys.exit(code)


@app.command()
def demo(
    hands: Annotated[int, typer.Option(min=1, max=1_000_000, help="How many hands to play.")] = 30,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same cards.")] = 1,
    stand_in: Annotated[
        Mode, typer.Option(help="How the stand-in model behaves, when no model is set in the environment.")
    ] = Mode.HEALTHY,
    as_json: AsJson = False,
) -> None:
    """Play in a local arena against five house players. Needs no key and no network."""
    settings = _settings(quiet=True)
    warm_up(err.print)

    def show(number: int, summary: HandSummary, decisions: Decisions) -> None:
        if not as_json:
            out.print(play_views.hand_line(number, summary, decisions))

    result = asdict(asyncio.run(play_demo(settings, hands=hands, seed=seed, stand_in=stand_in, on_hand=show)))
    if as_json:
        print(json.dumps(result))  # noqa: T201
    else:
        play_views.render_summary(out, result)
        out.print(f"Read them again: JOURNAL_PATH={result['journal']} poker-agent logs", markup=False)
    if not result["chips_conserved"]:
        raise DemoError("chips were not conserved in every hand: the arena is broken")


@app.command()
def play() -> None:
    """Play on Open Poker (or wherever OPEN_POKER_WS_URL points) until stopped with Ctrl-C."""
    settings = _settings()
    if settings.llm_provider is None:
        raise SettingsError(
            "LLM_PROVIDER is not set: name the model's provider (see .env.example), or set LLM_PROVIDER=none to play "
            "by the equity rule alone."
        )
    key = required_key(settings)
    warm_up(err.print)
    err.print(f"{asyncio.run(_play(settings, key))}", markup=False)


async def _play(settings: Settings, key: str) -> str:
    model = build_model(settings)
    thinking = build_thinking(settings, model)
    url = settings.open_poker_ws_url
    try:
        with open_journal(settings, thinking, bot="agent", ws_url=url) as journal:
            async with RestApi(settings.open_poker_api_url, key) as rest:
                numbers = itertools.count(1)
                player = Player(thinking, journal)
                player.on_hand = lambda *hand: out.print(play_views.hand_line(next(numbers), *hand))
                contestant = build_contestant(settings, player, rest, ws_url=url, api_key=key)
                return await _until_interrupted(contestant.run(), contestant.drain)
    finally:
        if model is not None:
            await model.aclose()


async def _until_interrupted(run: Coroutine[Any, Any, str], drain: Callable[[], Coroutine[Any, Any, None]]) -> str:
    """Run to the end. The first Ctrl-C finishes the hand and leaves the table, the second one ends at once."""
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
        return "ended at once; the seat may still be held at the venue for a while"


@app.command()
def frames(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, readable=True, help="A recording, JSON lines.")],
    as_json: AsJson = False,
) -> None:
    """Replay a recorded session: check every state hash, tell the hand, decide at each prompt by the rule."""
    settings = _settings(quiet=True)
    thinking = build_thinking(settings, None, seed=settings.agent_seed or 0)
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    found = asyncio.run(replay(lines, thinking))
    if as_json:
        print(json.dumps(_replay_json(found)))  # noqa: T201
    else:
        for table, summary in found.hands:
            play_views.render_hand(out, table, summary)
        for prompt in found.prompts:
            play_views.render_prompt(out, prompt.spot, prompt.decision, prompt.sent)
        out.print(f"{found.frames} frames, {found.hashes_matched} of {found.hashes_checked} state hashes match")
    for problem in found.problems:
        err.print(problem, style="red", markup=False)
    if found.problems or not found.frames:
        raise typer.Exit(1)


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


@logs_app.callback()
def logs(context: typer.Context, limit: Limit = 10) -> None:
    """Without a subcommand: the latest hands and decisions."""
    if context.invoked_subcommand is None:
        with _reader() as reader:
            log_views.render_hands(out, reader.hands(limit))
            log_views.render_decisions(out, reader.decisions(limit))


@logs_app.command("hands")
def logs_hands(limit: Limit = 20, as_json: AsJson = False) -> None:
    """List the latest hands, newest first."""
    with _reader() as reader:
        found = reader.hands(limit)
    if as_json:
        print(json.dumps(log_views.hands_json(found)))  # noqa: T201
    else:
        log_views.render_hands(out, found)


@logs_app.command("decisions")
def logs_decisions(
    limit: Limit = 20,
    source: Annotated[str | None, typer.Option(help="llm, repaired, rule or floor.")] = None,
    street: Annotated[str | None, typer.Option(help="preflop, flop, turn or river.")] = None,
    hand: Annotated[str | None, typer.Option(help="A hand's id, or its beginning or end.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the latest decisions, newest first."""
    with _reader() as reader:
        found = reader.decisions(limit, source=source, street=street, hand=hand)
    if as_json:
        print(json.dumps(log_views.decisions_json(found)))  # noqa: T201
    else:
        log_views.render_decisions(out, found, filtered=bool(source or street or hand))


@logs_app.command("show")
def logs_show(
    decision: Annotated[str, typer.Argument(help="A decision's id, any unique part of its end, or `last`.")],
    as_json: AsJson = False,
) -> None:
    """Show one decision whole: prompt, reply, numbers, choice, source, latency, tokens, outcome."""
    with _reader() as reader:
        story = reader.decision(decision)
    if as_json:
        print(json.dumps(log_views.decision_json(story)))  # noqa: T201
    else:
        log_views.render_decision(out, story)


def _reader() -> Reader:
    return Reader(_settings(quiet=True).journal_path)


def _settings(*, quiet: bool = False) -> Settings:
    """The settings, and logging as they ask for; quiet commands log warnings only unless told otherwise."""
    settings = Settings.load()
    level = settings.agent_log_level
    if quiet and "agent_log_level" not in settings.model_fields_set:
        level = "WARNING"
    handler = RichHandler(console=err, show_path=False, markup=False, rich_tracebacks=False)
    handler.addFilter(Redaction(settings.secrets()))
    logging.basicConfig(level=level, format="%(name)s: %(message)s", handlers=[handler], force=True)
    for library in ("httpx", "httpcore", "httpcore2", "httpx2", "openai", "websockets", "aiohttp", "numba"):
        logging.getLogger(library).setLevel(logging.WARNING)
    return settings
