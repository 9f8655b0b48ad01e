"""`poker-agent logs`: options and nothing else; the work is in `logs_command`, `export` and `reask`."""

from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Annotated

import typer

from agent.cli_options import LOADING, MAX_ROWS, AsJson, Limit, err, out, quiet_settings
from agent.export.formats import REDACT_HELP, Format
from agent.failure import ExitCode, Failure
from agent.filter_options import HAND_HELP, filtered
from agent.journal.filters import Filter

app = typer.Typer(invoke_without_command=True, help="Review hands and decisions: list, read, count, export, ask again.")

Before = Annotated[
    str | None, typer.Option(metavar="CURSOR", help="The next page: the `cursor` of the last entry in --json.")
]
DecisionId = Annotated[str, typer.Argument(help="A decision's id, any unique part of its end, or `last`.")]


@app.callback()
@filtered
def logs(context: typer.Context, where: Filter, limit: Limit = 10) -> None:
    """Without a subcommand: the latest hands and decisions."""
    if context.invoked_subcommand is None:
        _logs().latest(quiet_settings(), out, where, limit)
    elif where != Filter():
        what = context.invoked_subcommand
        raise Failure(f"write the filters behind {what}: logs {what} --source ...", exit_code=ExitCode.UNUSABLE)


@app.command("hands")
@filtered
def hands(where: Filter, limit: Limit = 20, before: Before = None, as_json: AsJson = False) -> None:
    """List the latest hands, newest first; filters ask for hands with a decision of that kind."""
    _logs().hands(quiet_settings(), out, where, limit, before, as_json=as_json)


@app.command("decisions")
@filtered
def decisions(where: Filter, limit: Limit = 20, before: Before = None, as_json: AsJson = False) -> None:
    """List the latest decisions, newest first."""
    _logs().decisions(quiet_settings(), out, where, limit, before, as_json=as_json)


@app.command("show")
def show(decision: DecisionId, as_json: AsJson = False) -> None:
    """Show one decision whole: prompt, reply, numbers, policy, choice, source, latency, tokens, outcome."""
    _logs().show(quiet_settings(), out, decision, as_json=as_json)


@app.command("hand")
def hand(
    identifier: Annotated[str | None, typer.Argument(help=HAND_HELP, metavar="HAND")] = None,
    as_json: AsJson = False,
) -> None:
    """Tell one hand street by street, with what we decided and why."""
    if identifier is None:
        # As a shell leaves it of `logs hand #7`.
        raise Failure(f"logs hand: which one? {HAND_HELP}", exit_code=ExitCode.UNUSABLE)
    _logs().hand(quiet_settings(), out, identifier, as_json=as_json)


@app.command("stats")
@filtered
def stats(
    where: Filter,
    limit: Annotated[int, typer.Option("-n", "--limit", min=0, max=MAX_ROWS, help="How many opponents.")] = 10,
    as_json: AsJson = False,
) -> None:
    """What was won, where and by whom, with intervals; our habits, the models, their time and their cost."""
    _logs().stats(quiet_settings(), out, where, limit, as_json=as_json)


@app.command("export")
@filtered
def export(
    where: Filter,
    form: Annotated[
        Format,
        typer.Option(
            "--format",
            help="phh: hands for pokerkit; jsonl: all of each decision; csv: a row each; html: one decision.",
        ),
    ],
    decision: Annotated[str | None, typer.Option(metavar="ID", help="The one decision of html, or `last`.")] = None,
    to: Annotated[
        Path | None,
        typer.Option("--out", help="A file or a folder, made if missing; else the terminal, and for html a file here."),
    ] = None,
    redact: Annotated[bool, typer.Option("--redact", help=REDACT_HELP)] = False,
) -> None:
    """Write hands or decisions to a file that other programs read, or one decision as a page."""
    command = _loaded("agent.export.command")
    command.export(quiet_settings(), err, command.ExportOptions(form, where, decision, to, redact))


@app.command("reask")
def reask(
    decision: DecisionId,
    model: Annotated[
        str | None, typer.Option(help="PROVIDER/MODEL in the place of LLM_PROVIDER and LLM_MODEL.")
    ] = None,
    prompt: Annotated[str | None, typer.Option(metavar="NAME", help="Another prompt set.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before spending.")] = False,
    as_json: AsJson = False,
) -> None:
    """Put the spot of a decision to a model again, and show the difference. Nothing is written to the journal."""
    command = _loaded("agent.reask")
    command.reask(quiet_settings(), out, err, command.ReaskOptions(decision, model, prompt, yes), as_json=as_json)


@app.command("opponents")
def opponents(
    limit: Limit = 20,
    name: Annotated[str | None, typer.Option(help="A part of the name.")] = None,
    as_json: AsJson = False,
) -> None:
    """List who was met, most hands first: how they play, with the counts behind it."""
    _logs().opponents(quiet_settings(), out, limit, name, as_json=as_json)


@app.command("recording")
def recording(run: Annotated[str | None, typer.Option(help="A run's id; the latest run otherwise.")] = None) -> None:
    """Print the frames of a run as a recorded session, one JSON object a line, for `poker-agent frames`."""
    _logs().recording(quiet_settings(), run)


def _logs() -> ModuleType:
    return import_module("agent.logs_command")


def _loaded(module: str) -> ModuleType:
    with err.status(LOADING):
        return import_module(module)
