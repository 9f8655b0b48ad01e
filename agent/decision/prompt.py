"""Prompt sets: a folder with a manifest and three templates, loaded once and rendered from facts.

Templates are strict: a variable that does not exist is an error when the set is loaded, not a hole in a prompt.
Opponents appear as P1 to P5 only, clockwise from hero: their names are text that strangers chose.
"""

import hashlib
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, StrictUndefined, Template, TemplateError

from agent.decision.menu import Menu, build_menu
from agent.poker.cards import pretty_cards
from agent.poker.equity import estimate_equity
from agent.poker.facts import Facts, gather
from agent.poker.positions import order_from_button, position_names
from agent.poker.spot import LegalActions, PastAction, Spot, Street, Verb
from agent.poker.spot import Player as SpotPlayer

TEMPLATES: Final = ("system", "turn", "repair")

_SAMPLE: Final = Spot(
    table_id="sample",
    hand_id="sample",
    street=Street.FLOP,
    hero_seat=0,
    hole_cards=(51, 46),
    board=(22, 0, 47),
    button_seat=0,
    small_blind_chips=10,
    big_blind_chips=20,
    pot_chips=180,
    legal=LegalActions(fold=True, call_chips=60, min_raise_to_chips=120, max_raise_to_chips=1_940, all_in=True),
    players=(SpotPlayer(0, "hero", 1_940), SpotPlayer(1, "one", 1_880, 60)),
    actions=(PastAction(1, Street.FLOP, Verb.RAISE, 60, 60),),
)


class PromptError(ValueError):
    """A prompt set that cannot be used; the message names the file and what is wrong with it."""


@dataclass(frozen=True, slots=True)
class PromptSet:
    """A named, versioned set of templates. `hash` covers every file and stands in each log row."""

    name: str
    version: str
    description: str
    hash: str
    system: Template
    turn: Template
    repair: Template

    def render_system(self) -> str:
        """The rules of the game and of the answer; the same on every turn, so that providers can cache it."""
        return self.system.render().strip()

    def render_turn(self, spot: Spot, facts: Facts, menu: Menu, rule_choice: str) -> str:
        """The question of this turn."""
        return self.turn.render(turn_variables(spot, facts, menu, rule_choice)).strip()

    def render_repair(self, problem: str, menu: Menu) -> str:
        """What is said when a reply could not be used."""
        return self.repair.render(problem=problem, ids=[candidate.id for candidate in menu]).strip()


def load_prompt_set(folder: Path) -> PromptSet:
    """The prompt set in `folder`; `PromptError` when a file is missing or broken."""
    if not folder.is_dir():
        others = sorted(p.name for p in folder.parent.glob("*") if p.is_dir()) if folder.parent.is_dir() else []
        raise PromptError(f"there is no prompt set {folder}; found beside it: {', '.join(others) or 'none'}")
    manifest_file = folder / "manifest.toml"
    try:
        manifest = tomllib.loads(manifest_file.read_text(encoding="utf-8"))
        texts = {name: (folder / f"{name}.j2").read_text(encoding="utf-8") for name in TEMPLATES}
    except OSError as error:
        raise PromptError(f"{error.filename}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PromptError(f"{folder}: {error}") from None
    missing = [key for key in ("name", "version", "description") if not isinstance(manifest.get(key), str)]
    if missing:
        raise PromptError(f"{manifest_file}: {', '.join(missing)} must be there as text")
    digest = hashlib.sha256()
    for file_text in (manifest_file.read_text(encoding="utf-8"), *texts.values()):
        digest.update(hashlib.sha256(file_text.encode()).digest())
    templates = {name: _compile(folder / f"{name}.j2", text) for name, text in texts.items()}
    prompts = PromptSet(
        name=manifest["name"],
        version=manifest["version"],
        description=manifest["description"],
        hash=digest.hexdigest()[:16],
        **templates,
    )
    _rehearse(prompts, folder)
    return prompts


def _rehearse(prompts: PromptSet, folder: Path) -> None:
    """Render every template once, so that a misspelt variable is found now and not at the table."""
    menu = build_menu(_SAMPLE)
    facts = gather(_SAMPLE, estimate_equity((51, 46), _SAMPLE.board, 1))
    steps: dict[str, Callable[[], str]] = {
        "system": prompts.render_system,
        "turn": lambda: prompts.render_turn(_SAMPLE, facts, menu, "call"),
        "repair": lambda: prompts.render_repair("an example", menu),
    }
    for name, step in steps.items():
        try:
            step()
        except Exception as error:  # Templates can fail in any way that Python can.
            raise PromptError(f"{folder / name}.j2 does not render: {error}") from None


def _compile(file: Path, text: str) -> Template:
    # Not HTML: prompts are plain text, and the values in them are numbers and our own words.
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)  # noqa: S701
    environment.filters["chips"] = lambda amount: f"{amount:,}"
    try:
        return environment.from_string(text)
    except TemplateError as error:
        raise PromptError(f"{file}: {error}") from None


def turn_variables(spot: Spot, facts: Facts, menu: Menu, rule_choice: str) -> dict[str, Any]:
    """Every variable that a turn template may use."""
    seats = tuple(player.seat for player in spot.players)
    positions = position_names(seats, spot.button_seat, spot.big_blind_seat)
    aliases = _aliases(spot)
    return {
        "facts": facts,
        "equity": facts.equity,
        "hole_cards": pretty_cards(sorted(spot.hole_cards or (), reverse=True)),
        "board": pretty_cards(spot.board),
        "big_blind": spot.big_blind_chips,
        "small_blind": spot.small_blind_chips,
        "hero": spot.hero,
        "players": [
            {"alias": aliases[p.seat], "position": positions[p.seat], "stack": p.stack_chips, "bet": p.bet_chips}
            for p in spot.players
            if p.seat != spot.hero_seat and not p.folded
        ],
        "line": _action_line(spot, aliases),
        "history_complete": spot.history_complete,
        "menu": menu,
        "rule_choice": rule_choice,
    }


def _aliases(spot: Spot) -> dict[int, str]:
    clockwise = order_from_button(tuple(player.seat for player in spot.players), spot.hero_seat)
    names = {seat: f"P{number}" for number, seat in enumerate(clockwise, start=1)}
    return {**names, spot.hero_seat: "you"}


def _action_line(spot: Spot, aliases: dict[int, str]) -> list[dict[str, str]]:
    """The public actions street by street: `P3 raises to 64, P4 folds`."""
    words = {
        Verb.FOLD: "fold",
        Verb.CHECK: "check",
        Verb.CALL: "call",
        Verb.RAISE: "raise to",
        Verb.ALL_IN: "all-in for",
    }
    streets: dict[str, list[str]] = {}
    for act in spot.actions:
        amount = f" {act.to_chips:,}" if act.verb in (Verb.RAISE, Verb.ALL_IN) and act.to_chips is not None else ""
        streets.setdefault(act.street, []).append(f"{aliases.get(act.seat, 'gone')} {words[act.verb]}{amount}")
    return [{"street": street, "actions": ", ".join(acts)} for street, acts in streets.items()]
