"""Prompt sets on the command line: what there is, what is in it, how it reads on a spot, and whether it works."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from agent.decision.equity_desk import EquityDesk
from agent.decision.prompt import PromptError, PromptSet, about_tokens, load_prompt_set, read_prompt_set, sets_in
from agent.decision.prompt_sets import set_folder
from agent.decision.samples import SEED, sample_names, sample_turns, turn_of
from agent.decision.turn import Turn
from agent.decision.variable_table import REPAIR, describe_variables
from agent.failure import Failure
from agent.kernels import warm_up
from agent.poker.spot_text import SpotError, spot_from
from agent.settings import Settings
from agent.terminal import prompts as views
from agent.wiring import prompts_folder

DEFAULT_SPOT: Final = "turn_barrel"
SAMPLE_PROBLEM: Final = 'the id "raise_75" was not offered'

_READERS: Final = {".toml": tomllib.loads, ".json": json.loads}


def list_sets(settings: Settings, out: Console, *, as_json: bool) -> None:
    """Print every prompt set of the folder in use; one that cannot be read is listed with what is wrong."""
    folder = prompts_folder(settings)
    rows = [_summary(folder / name, in_use=name in settings.prompt_sets) for name in sets_in(folder)]
    if as_json:
        print(json.dumps(rows))  # noqa: T201
        return
    views.render_sets(out, folder, rows)


def _summary(folder: Path, *, in_use: bool) -> dict[str, Any]:
    try:
        prompts = read_prompt_set(folder)
    except PromptError as error:
        return {"set": folder.name, "in_use": in_use, "problem": str(error)}
    return {"set": folder.name, "in_use": in_use, "problem": None, **_manifest(prompts)}


def _manifest(prompts: PromptSet) -> dict[str, Any]:
    return {
        "name": prompts.name,
        "version": prompts.version,
        "description": prompts.description,
        "models": list(prompts.models),
        "for_play": prompts.for_play,
        "hash": prompts.hash,
        "fragments": sorted(prompts.fragments),
    }


def show(settings: Settings, out: Console, name: str, *, as_json: bool) -> None:
    """Print a set's manifest and all of its templates as they are written."""
    prompts = _read(settings, name)
    told = {**_manifest(prompts), "folder": str(prompts.folder), "files": dict(prompts.texts)}
    if as_json:
        print(json.dumps(told))  # noqa: T201
    else:
        views.render_set(out, told)


def render(
    settings: Settings, out: Console, err: Console, *, name: str | None, spot: str | None, as_json: bool
) -> None:
    """Print the prompt of a spot: what a model would be sent, and what it would be told after a bad answer."""
    folder = set_folder_of(settings, name)
    warm_up(err.print)
    turn = _turn(settings, spot or DEFAULT_SPOT)
    try:
        prompts = load_prompt_set(folder)
    except PromptError as error:
        raise Failure(str(error), exit_code=2) from None
    texts = {
        "system": prompts.render_system(),
        "turn": prompts.render_turn(turn),
        "repair": prompts.render_repair(SAMPLE_PROBLEM, turn.menu),
    }
    tokens = about_tokens(texts["system"] + texts["turn"])
    if as_json:
        print(json.dumps({"set": prompts.name, "hash": prompts.hash, **texts, "about_tokens": tokens}))  # noqa: T201
    else:
        views.render_prompt(out, prompts.name, texts, tokens)


def check(settings: Settings, out: Console, err: Console, names: Sequence[str], *, as_json: bool) -> None:
    """Try sets on every sample spot, all of the folder when none is named. A broken one ends in exit code 1."""
    folder = prompts_folder(settings)
    folders = [set_folder_of(settings, name) for name in names] or [folder / name for name in sets_in(folder)]
    if not folders:
        raise Failure(f"there is no prompt set in {folder}: a set is a folder with a manifest.toml", exit_code=2)
    warm_up(err.print)
    rows = [_checked(one) for one in folders]
    if as_json:
        print(json.dumps(rows))  # noqa: T201
    else:
        views.render_checks(out, rows)
    broken = [row["set"] for row in rows if row["problem"]]
    if broken:
        raise Failure(f"not fit to play: {', '.join(broken)}", exit_code=1)


def _checked(folder: Path) -> dict[str, Any]:
    try:
        prompts = load_prompt_set(folder)
    except PromptError as error:
        return {"set": folder.name, "problem": str(error)}
    system = prompts.render_system()
    tokens = {name: about_tokens(system + prompts.render_turn(turn)) for name, turn in sample_turns().items()}
    longest = max(tokens, key=lambda name: tokens[name])
    return {
        "set": folder.name,
        "problem": None,
        **_manifest(prompts),
        "spots": len(tokens),
        "longest_spot": longest,
        "about_tokens": tokens[longest],
    }


def variables(out: Console, *, as_json: bool) -> None:
    """Print every variable that a template may use."""
    told = {"turn": describe_variables(), "repair": REPAIR}
    if as_json:
        keys = ("name", "type", "meaning")
        print(json.dumps({name: [dict(zip(keys, row, strict=True)) for row in rows] for name, rows in told.items()}))  # noqa: T201
    else:
        views.render_variables(out, told)


def set_folder_of(settings: Settings, name: str | None) -> Path:
    """The folder of a set, the first of `PROMPT_SET` without a name; `Failure` names the sets that there are."""
    try:
        return set_folder(prompts_folder(settings), next(iter(settings.prompt_sets), "") if name is None else name)
    except PromptError as error:
        raise Failure(str(error), exit_code=2) from None


def _read(settings: Settings, name: str) -> PromptSet:
    try:
        return read_prompt_set(set_folder_of(settings, name))
    except PromptError as error:
        raise Failure(str(error), exit_code=2) from None


def _turn(settings: Settings, spot: str) -> Turn:
    """The turn of a sample spot, by its name, or of one from a file."""
    if spot in sample_names():
        return sample_turns()[spot]
    values = _values(Path(spot))
    try:
        return turn_of(spot_from(values), EquityDesk(SEED, lambda: 0.0, margin=settings.equity_margin))
    except ValueError as error:
        what = "no spot" if isinstance(error, SpotError) else "no turn"
        raise Failure(f"{spot} is {what}: {error}", exit_code=2) from None


def _values(file: Path) -> Mapping[str, Any]:
    read = _READERS.get(file.suffix.lower())
    if read is None or not file.is_file():
        samples = ", ".join(sample_names())
        raise Failure(
            f"there is no spot {file}; expected a .toml or .json file, or one of the samples {samples}", exit_code=2
        )
    try:
        values = read(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise Failure(f"{file} cannot be read: {error}", exit_code=2) from None
    except RecursionError:
        raise Failure(f"{file} cannot be read: its tables or lists are nested too deeply", exit_code=2) from None
    if not isinstance(values, dict):
        raise Failure(f"{file} holds no table of keys and values", exit_code=2)
    return values
