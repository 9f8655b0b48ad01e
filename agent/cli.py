"""The command line: `poker-agent demo | play | doctor | frames | odds | prompt | match | spots | console | logs`. Options and printing, nothing else."""

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from agent.arena.modes import Format, Pace
from agent.bots import Bot, load_bots
from agent.cli_options import LOADING, AsJson, err, out, quiet_settings
from agent.failure import ExitCode, Failure
from agent.journal.schema import JournalError
from agent.llm.modes import Mode
from agent.log_output import start_log
from agent.logs_cli import app as logs_app
from agent.outing import Limits
from agent.outing import quiet_hours as parse_quiet_hours
from agent.settings import Settings, SettingsError


class MatchGroup(TyperGroup):
    """Commands of which `play` may be left out: `match A B`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put `play` in front of what begins with no command."""
        if args and args[0] not in (*self.commands, "--help"):
            args = ["play", *args]
        return super().parse_args(ctx, args)


# Tracebacks with local variables would show keys.
app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False, add_completion=False)
arena_app = typer.Typer(no_args_is_help=True, help="A local Open Poker for any client.")
prompt_app = typer.Typer(no_args_is_help=True, help="Prompt sets: list, read, try and check them.")
match_app = typer.Typer(
    cls=MatchGroup, no_args_is_help=True, help="Compare two players: `match A B`, or `match report`."
)
spots_app = typer.Typer(no_args_is_help=True, help="Spots in which good players agree: run, list and read them.")
app.add_typer(arena_app, name="arena")
app.add_typer(prompt_app, name="prompt")
app.add_typer(logs_app, name="logs")
app.add_typer(match_app, name="match")
app.add_typer(spots_app, name="spots")

SpotsFolder = Annotated[
    Path | None, typer.Option("--file", help="A folder of TOML files; else the program's own spots.")
]
EXIT_CODES = (
    "Exit codes: 0 done; 1 something failed; 2 the command line, a setting, a prompt set or the journal cannot be used; "
    "3 the venue refuses us for good; 130 ended at once by Ctrl-C."
)
SPOTS_EXIT_CODES = (
    "Exit codes: 0 every spot is passed; 1 a spot is failed; 2 a name, a setting or the suite cannot be used."
)
MATCH_FILE = Path("match.jsonl")


def main() -> None:
    """Run the command line; expected failures end in one clear message, never in a traceback."""
    try:
        app()
    except (SettingsError, JournalError) as error:
        _fail(str(error), ExitCode.UNUSABLE)
    except Failure as failure:
        _fail(str(failure), failure.exit_code)
    except KeyboardInterrupt:
        _fail("interrupted", ExitCode.INTERRUPTED)
    except OSError as error:
        _fail(f"{error.filename or 'the output'}: {error.strerror or error}", ExitCode.FAILED)


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
    settings = quiet_settings()
    _commands().demo(settings, out, err, hands=hands, seed=seed, stand_in=stand_in, as_json=as_json)


@app.command()
def soak(
    hands: Annotated[int, typer.Option(min=1, max=1_000_000, help="How many hands to play.")] = 1_000,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same cards and faults.")] = 7,
    as_json: AsJson = False,
) -> None:
    """Play in a local arena where frames get lost, sockets are cut and everything else goes wrong at times."""
    _commands().soak(quiet_settings(), out, err, hands=hands, seed=seed, as_json=as_json)


@app.command(epilog=EXIT_CODES)
def play(
    hands: Annotated[int | None, typer.Option(min=1, help="Leave after so many hands.")] = None,
    minutes: Annotated[float | None, typer.Option(min=0.1, help="Leave after so many minutes.")] = None,
    stop_loss: Annotated[int | None, typer.Option(min=1, help="Leave once so many chips are lost.")] = None,
    stop_win: Annotated[int | None, typer.Option(min=1, help="Leave once so many chips are won.")] = None,
    quiet_hours: Annotated[
        str | None, typer.Option(help="Sit out every day in these hours, local time, such as 02:00-06:30.")
    ] = None,
    bots: Annotated[Path | None, typer.Option(help="Several bots at once, from a TOML file.")] = None,
) -> None:
    """Play on Open Poker (or wherever OPEN_POKER_WS_URL points) until stopped with Ctrl-C or by a limit."""
    settings = Settings.load()
    try:
        quiet = parse_quiet_hours(quiet_hours) if quiet_hours is not None else None
    except ValueError as error:
        raise Failure(f"--quiet-hours {error}", exit_code=ExitCode.UNUSABLE) from None
    players = load_bots(bots) if bots is not None else (Bot("agent", settings),)
    secrets = [secret for used in (settings, *(bot.settings for bot in players)) for secret in used.secrets()]
    start_log(settings, err, secrets=secrets, level=settings.agent_log_level, to_file=True)
    _commands().play(players, Limits(hands, minutes, stop_loss, stop_win, quiet), out, err, settings.agent_metrics_port)


@app.command()
def doctor(
    takeover: Annotated[
        bool, typer.Option("--takeover", help="Try the socket also where that ends a running session with this key.")
    ] = False,
    bots: Annotated[
        Path | None, typer.Option(help="Examine each bot of a TOML file, as `play --bots` takes it.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check all that playing needs, from the key to the disk: what is wrong, why, and what to do."""
    with err.status(LOADING):
        command = import_module("agent.doctor.command")
    command.doctor(out, err, takeover=takeover, bots=bots, as_json=as_json)


@app.command()
def frames(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, readable=True, help="A recording, JSON lines.")],
    as_json: AsJson = False,
) -> None:
    """Replay a recorded session: check every state hash, tell the hand, decide at each prompt by the rule."""
    settings = quiet_settings()
    _commands().replay_recording(settings, out, err, file=file, as_json=as_json)


@app.command()
def odds(
    hands: Annotated[list[str], typer.Argument(help='Hands or ranges, such as "As Kd", QhQs or "QQ+,AKs".')],
    board: Annotated[str, typer.Option(help="The board: 3, 4 or 5 cards.")] = "",
    opponents: Annotated[
        int | None, typer.Option(min=1, max=8, help="So many more players with any two cards.")
    ] = None,
    versus: Annotated[list[str] | None, typer.Option(help="A range to play against; may be given again.")] = None,
    dead: Annotated[str, typer.Option(help="Cards that are out of the deck.")] = "",
    trials: Annotated[int | None, typer.Option(min=1, max=10**12, help="Sample so many deals.")] = None,
    exact: Annotated[bool, typer.Option("--exact", help="Enumerate; refused where that would take very long.")] = False,
    error: Annotated[float | None, typer.Option(help="Sample down to this standard error, such as 0.001.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same sample.")] = 0,
    as_json: AsJson = False,
) -> None:
    """The equity of hands and ranges: exact where that takes no longer than a good sample, else sampled."""
    if sum(option is not None for option in (trials, error)) + exact > 1:
        raise Failure("choose one of --trials, --exact and --error", exit_code=ExitCode.UNUSABLE)
    with err.status(LOADING):
        odds_command = import_module("agent.odds")
    names = (*hands, *(versus or ()))
    odds_command.odds(
        out, names, board, opponents, dead=dead, trials=trials, exact=exact, error=error, seed=seed, as_json=as_json
    )


@app.command()
def console(
    host: Annotated[str, typer.Option(help="The address to listen on; other than loopback needs CONSOLE_PASSWORD.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Where to listen; 0 takes a free port.")] = 8777,
    open_browser: Annotated[bool, typer.Option("--open/--no-open", help="Open the pages in the browser.")] = True,
) -> None:
    """Serve the web pages until Ctrl-C: overview, hands, decisions and models of the journal, odds, and a table to play at."""
    settings = quiet_settings()
    with err.status(LOADING):
        server = import_module("agent.console.server")
    password = settings.console_password
    server.serve(
        host,
        port,
        password=password.get_secret_value() if password is not None else None,
        open_browser=open_browser,
        tell=lambda text: err.print(text, markup=False),
    )


@app.command("preflop-table")
def preflop_table() -> None:
    """Work out the table of preflop equities again (some minutes) and write it into the source."""
    import_module("agent.odds").write_preflop_table(err)


@app.command("push-fold-chart")
def push_fold_chart() -> None:
    """Work out the push-or-fold charts again (some minutes) and write them into the source."""
    import_module("agent.odds").write_push_fold_charts(err)


@arena_app.command("serve")
def arena_serve(
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Where to listen; 0 takes a free port.")] = 8765,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    tables: Annotated[int, typer.Option(min=1, help="How many may be open at once.")] = 10,
    pace: Annotated[Pace, typer.Option(help="Without pauses and limits, or with those of the live venue.")] = Pace.FAST,
    game: Annotated[Format, typer.Option("--format", help="What is played.")] = Format.CASH,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same cards and house players.")] = 0,
    field: Annotated[Path | None, typer.Option(help="The house players, as TOML.")] = None,
    faults: Annotated[Path | None, typer.Option(help="What goes wrong, and how often, as TOML.")] = None,
    keys: Annotated[Path | None, typer.Option(help='The keys that are accepted, as TOML: Name = "key".')] = None,
    record: Annotated[Path | None, typer.Option(help="A folder for all sessions (JSON lines) and hands (PHH).")] = None,
    overrides: Annotated[
        list[str] | None, typer.Option("--set", help="Any setting, such as action_clock_s=10.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Serve tables with house players until Ctrl-C. Any key is accepted, and names its own bot."""
    with err.status(LOADING):
        command = import_module("agent.serve")
    chosen = {"host": host, "port": port, "tables": tables, "format": game, "seed": seed}
    files = {"field": field, "faults": faults, "keys": keys, "record": record}
    options = command.ServeOptions(pace=pace, chosen=chosen, overrides=tuple(overrides or ()), **files)
    command.serve(options, out, err, as_json=as_json)


@arena_app.command("settings")
def arena_settings(as_json: AsJson = False) -> None:
    """List what --set can change: the rules and timings, and how the wire is spelled where sources differ."""
    import_module("agent.serve").list_settings(out, as_json=as_json)


@arena_app.command("faults")
def arena_faults(as_json: AsJson = False) -> None:
    """List the faults that a --faults file can ask for."""
    import_module("agent.serve").list_faults(out, as_json=as_json)


@prompt_app.command("list")
def prompt_list(as_json: AsJson = False) -> None:
    """List the prompt sets of PROMPTS_DIR, or those that came with the program."""
    _prompts().list_sets(quiet_settings(), out, as_json=as_json)


@prompt_app.command("show")
def prompt_show(
    name: Annotated[str, typer.Argument(help="The set's folder.", metavar="NAME")], as_json: AsJson = False
) -> None:
    """Show the files of a prompt set."""
    _prompts().show(quiet_settings(), out, name, as_json=as_json)


@prompt_app.command("render")
def prompt_render(
    name: Annotated[str | None, typer.Option("--set", help="The set's folder; else that of PROMPT_SET.")] = None,
    spot: Annotated[str | None, typer.Option(help="A spot as TOML or JSON, or the name of a sample.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show the prompt of a spot as a model would get it, with made-up statistics of the opponents."""
    _prompts().render(quiet_settings(), out, err, name=name, spot=spot, as_json=as_json)


@prompt_app.command("check")
def prompt_check(
    names: Annotated[list[str] | None, typer.Argument(help="The sets' folders; all of them otherwise.")] = None,
    as_json: AsJson = False,
) -> None:
    """Try prompt sets on every sample spot; exit code 1 when one cannot be used."""
    _prompts().check(quiet_settings(), out, err, names or (), as_json=as_json)


@prompt_app.command("variables")
def prompt_variables(as_json: AsJson = False) -> None:
    """List every variable that a template may use."""
    _prompts().variables(out, as_json=as_json)


@match_app.command("play", help="Play a match; `play` may be left out.")
def match_play(
    players: Annotated[
        list[str],
        typer.Argument(
            help="Two players (one for freeze-outs): policy, equity, published, house:PROFILE:LEVEL, agent:PROMPT."
        ),
    ],
    field: Annotated[
        Path | None,
        typer.Option(help="Whom opponents are drawn from, as TOML. Its buy_in and names do not count: see --stack."),
    ] = None,
    hands: Annotated[int, typer.Option(min=1, help="At least so many hands of each player.")] = 2_400,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same deals and opponents.")] = 1,
    stack: Annotated[str, typer.Option(help="What everybody has before every hand.")] = "100bb",
    seats: Annotated[int, typer.Option(min=2, max=6, help="With 2 and no field the two play each other.")] = 6,
    jobs: Annotated[int, typer.Option(min=0, help="So many processes; 0 for one a core.")] = 1,
    dask: Annotated[str | None, typer.Option(help="The address of a Dask scheduler to play on.")] = None,
    file: Annotated[Path, typer.Option("--out", help="Where blocks are kept; the same match goes on.")] = MATCH_FILE,
    freezeout: Annotated[int | None, typer.Option(min=1, help="So many tournaments against five masters.")] = None,
    as_json: AsJson = False,
) -> None:
    """Play two players on the same deals, or one in freeze-outs. agent:PROMPT asks the model of the settings."""
    command, rivals = _match(), _rivals()
    seated = rivals.rivals_of(players)
    if seated.behind:
        how_often = f"{freezeout} tournaments" if freezeout else f"{hands:,} hands, about two questions each"
        err.print(rivals.notice(seated.behind, quiet_settings(), how_often), markup=False)
    options = command.MatchOptions(
        tuple(players), field, hands, seed, stack, seats, jobs, dask, file, freezeout, seated, seated.behind
    )
    command.match(options, out, err, as_json=as_json)


@match_app.command("report")
def match_report(
    file: Annotated[Path, typer.Argument(help="The file of one or more matches.")] = MATCH_FILE,
    plot: Annotated[Path | None, typer.Option(help="Where to draw, as SVG; else beside the file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Print what was played, and draw the running difference."""
    _match().report(file, plot, out, as_json=as_json)


@spots_app.command("run", epilog=SPOTS_EXIT_CODES)
def spots_run(
    players: Annotated[
        list[str] | None,
        typer.Argument(help="Who is tested: policy (the default), any player of `match`, agent:PROMPT."),
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="PROVIDER/MODEL for the agents, in the place of LLM_PROVIDER and LLM_MODEL.")
    ] = None,
    folder: SpotsFolder = None,
    draws: Annotated[
        int | None, typer.Option(min=1, max=1_000, help="How often each spot is asked; usually 20, agents once.")
    ] = None,
    exit_zero: Annotated[bool, typer.Option("--exit-zero", help="Exit code 0 also where a spot fails.")] = False,
    as_json: AsJson = False,
) -> None:
    """Put players to the test: a spot is passed when at least 80 % of the draws are acceptable.

    An agent asks its model alone, without LLM_FALLBACKS, and fails where something else had to decide for it.
    """
    command = _spots()
    options = command.SpotsOptions(tuple(players or ()), model, folder, draws, exit_zero)
    command.run(options, quiet_settings(), out, err, as_json=as_json)


@spots_app.command("list")
def spots_list(folder: SpotsFolder = None, as_json: AsJson = False) -> None:
    """List the spots with what is acceptable."""
    _spots().list_spots(folder, out, as_json=as_json)


@spots_app.command("show")
def spots_show(
    name: Annotated[str, typer.Argument(help="The spot's id.", metavar="ID")],
    folder: SpotsFolder = None,
    as_json: AsJson = False,
) -> None:
    """Show one spot: the hand so far, what is acceptable, and why."""
    _spots().show(folder, name, out, as_json=as_json)


def _match() -> ModuleType:
    with err.status(LOADING):
        return import_module("agent.evaluation.command")


def _rivals() -> ModuleType:
    with err.status(LOADING):
        return import_module("agent.rivals")


def _spots() -> ModuleType:
    with err.status(LOADING):
        return import_module("agent.spots_command")


def _prompts() -> ModuleType:
    with err.status(LOADING):
        return import_module("agent.prompt_command")


def _commands() -> ModuleType:
    """The playing commands, whose import loads the compiled kernels; the first time ever compiles them."""
    with err.status(LOADING):
        return import_module("agent.commands")
