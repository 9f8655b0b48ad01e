"""Prompt sets: a folder with a manifest, three templates and guidance for kinds of spots, loaded once, rendered from facts.

Templates are strict: a variable that does not exist is an error when the set is loaded, not a hole in a prompt. They
are sandboxed (`agent.decision.sandbox`), because sets are passed around.
"""

import difflib
import hashlib
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import islice
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, Final

from jinja2 import Template

from agent.decision.menu import Menu, build_menu
from agent.decision.samples import sample_turns
from agent.decision.sandbox import Sandbox
from agent.decision.turn import Turn
from agent.decision.variable_table import GUIDANCE, REPAIR, describe_variables, known_names
from agent.decision.variables import turn_variables
from agent.strategy.kinds import SPOT_KINDS

MANIFEST: Final = "manifest.toml"
TEMPLATES: Final = ("system.j2", "turn.j2", "repair.j2")
FRAGMENTS: Final = "fragments"
MAX_FRAGMENTS: Final = 3

CHARACTERS_PER_TOKEN: Final = 3
"""Of a prompt of English words and many numbers, as tokenizers count it that give every digit a token of its own."""

MAX_TOKENS: Final = 4_000
"""Of system and turn together: local servers cut what is longer than their window, often 4,096, and do not say so."""

_REQUIRED: Final = ("name", "version", "description")
_OPTIONAL: Final = ("models", "for_play")
_SAMPLE_PROBLEM: Final = 'the id "raise_75" was not offered'


class PromptError(ValueError):
    """A prompt set that cannot be used; the message names the file, `line` the place in it where that is known."""

    def __init__(self, message: str, *, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True, slots=True)
class PromptSet:
    """A named, versioned set of templates.

    `models` says for which models it was written; a set that is not `for_play` asks for more than a clock allows, such as
    explanations for a person who reviews the hand. `texts` are the files as they stand, by their path in `folder`; `hash`
    covers all of them and stands in each log row. `templates` and `fragments` are compiled, the latter by spot kind.
    """

    name: str
    version: str
    description: str
    models: tuple[str, ...]
    for_play: bool
    folder: Path
    texts: Mapping[str, str]
    templates: Mapping[str, Template]
    fragments: Mapping[str, Template]

    @property
    def hash(self) -> str:
        """16 hex digits that change with any file of the set."""
        digest = hashlib.sha256()
        for name, text in sorted(self.texts.items()):
            digest.update(hashlib.sha256(name.encode()).digest() + hashlib.sha256(text.encode()).digest())
        return digest.hexdigest()[:16]

    def render_system(self) -> str:
        """The rules of the game and of the answer; the same on every turn, so that providers can cache it."""
        return self.templates["system.j2"].render().strip()

    def render_turn(self, turn: Turn) -> str:
        """The question of this turn, with the guidance that its spot calls for."""
        variables = turn_variables(turn).as_dict()
        fragments = (self.fragments[kind] for kind in variables["kinds"] if kind in self.fragments)
        # A fragment that renders to nothing leaves its place to the next one.
        guidance = filter(None, (fragment.render(variables).strip() for fragment in fragments))
        first = tuple(islice(guidance, MAX_FRAGMENTS))
        return self.templates["turn.j2"].render(variables, guidance=first).strip()

    def render_repair(self, problem: str, menu: Menu) -> str:
        """What is said when a reply could not be used."""
        return self.templates["repair.j2"].render(problem=problem, ids=[candidate.id for candidate in menu]).strip()


def load_prompt_set(folder: Path) -> PromptSet:
    """The prompt set in `folder`, tried on every sample spot; `PromptError` when a file is missing or broken."""
    prompts = read_prompt_set(folder)
    rehearse(prompts)
    return prompts


def read_prompt_set(folder: Path) -> PromptSet:
    """The prompt set in `folder`, compiled and not yet tried; `PromptError` when a file is missing or does not compile."""
    if not folder.is_dir():
        others = ", ".join(sets_in(folder.parent)) or "none"
        raise PromptError(f"there is no prompt set {folder}; found beside it: {others}")
    texts = {file.relative_to(folder).as_posix(): _text(file) for file in _files(folder)}
    manifest = _manifest(folder / MANIFEST, texts[MANIFEST])
    sandbox = Sandbox()
    compiled = {name: _compile(sandbox, folder / name, text) for name, text in texts.items() if name.endswith(".j2")}
    return PromptSet(
        name=manifest["name"],
        version=manifest["version"],
        description=manifest["description"],
        models=tuple(manifest.get("models", ())),
        for_play=manifest.get("for_play", True),
        folder=folder,
        texts=MappingProxyType(texts),
        templates=MappingProxyType({name: compiled[name] for name in TEMPLATES}),
        fragments=MappingProxyType(
            {Path(name).stem: template for name, template in compiled.items() if name not in TEMPLATES}
        ),
    )


def sets_in(folder: Path) -> tuple[str, ...]:
    """The names of the prompt sets in a folder: those of its folders that hold a manifest."""
    return tuple(sorted(file.parent.name for file in folder.glob(f"*/{MANIFEST}")))


def rehearse(prompts: PromptSet) -> None:
    """Render every template on the sample spots, so that a misspelt variable is found now and not at the table.

    `PromptError` names the template, the line and the sample spot. A fragment is tried on the spots of its kind. A turn must
    offer the menu, have a line to echo, and be no longer than `MAX_TOKENS` with the system prompt.
    """
    _try(prompts, "system.j2", prompts.render_system)
    for name, turn in sample_turns().items():
        _try(prompts, "repair.j2", partial(prompts.render_repair, _SAMPLE_PROBLEM, turn.menu), name)
        for told in (
            turn,
            replace(turn, reads={}),
            replace(turn, judgement=None, ranges={}, menu=build_menu(turn.spot)),
        ):
            variables = turn_variables(told).as_dict()
            fragments = [kind for kind in variables["kinds"] if kind in prompts.fragments]
            for kind in fragments:
                template = prompts.fragments[kind]
                _try(prompts, f"{FRAGMENTS}/{kind}.j2", partial(template.render, variables), name)
            turn_template = prompts.templates["turn.j2"]
            _try(prompts, "turn.j2", partial(turn_template.render, variables, guidance=("an example",)), name)
            _try(prompts, "turn.j2", partial(turn_template.render, variables, guidance=()), name)
    for name, turn in sample_turns().items():
        _examine(prompts, turn, name)


def _examine(prompts: PromptSet, turn: Turn, spot: str) -> None:
    """`PromptError` for a turn that renders and cannot be answered."""
    where, text = prompts.folder / "turn.j2", prompts.render_turn(turn)
    missing = [one.id for one in turn.menu if not re.search(rf"(?<![\w-]){one.id}(?![\w-])", text)]
    if missing:
        raise PromptError(f"{where} does not offer {', '.join(missing)} of the menu (sample spot {spot})")
    echoed = (turn.facts.hand_class, turn_variables(turn).echo_cards)
    if not any(line.startswith("Echo") and all(word in line for word in echoed) for line in text.splitlines()):
        raise PromptError(
            f'{where} has no line that begins with "Echo" and tells facts.hand_class and echo_cards (sample spot {spot})'
        )
    tokens = about_tokens(prompts.render_system() + text)
    if tokens > MAX_TOKENS:
        raise PromptError(
            f"{where} takes about {tokens:,} tokens with system.j2 (sample spot {spot}): at most {MAX_TOKENS:,} are for sure read"
        )


def about_tokens(text: str) -> int:
    """About how many tokens a text of a prompt takes, rather too many than too few."""
    return len(text) // CHARACTERS_PER_TOKEN


def _try(prompts: PromptSet, name: str, render: Callable[[], str], spot: str = "") -> None:
    where = prompts.folder / name
    try:
        text = render()
    except Exception as error:  # Templates can fail in any way that Python can.
        line = _template_line(error)
        on_spot = f" (sample spot {spot})" if spot else ""
        place = f"{where}, line {line}," if line else str(where)
        raise PromptError(
            f"{place} does not render{on_spot}: {error}{_suggestion(str(error), name)}", line=line
        ) from None
    if name in TEMPLATES and not text.strip():
        raise PromptError(f"{where} renders to nothing" + (f" (sample spot {spot})" if spot else ""))


def _suggestion(message: str, template: str) -> str:
    """What may have been meant, when the message is about a name that does not exist in this template."""
    unknown = re.search(r"'(\w+)'(?: is undefined)?$", message)
    if unknown is None:
        return ""
    name, place = unknown[1], template.partition("/")[0]
    if name not in known_names():
        close = difflib.get_close_matches(name, known_names(), n=1)
        return f"; did you mean {close[0]}?" if close else ""
    if name in _homes() and place not in _homes()[name]:
        return f"; {name} is for {_homes()[name]} only"
    path = next(path for path, _, _ in (*describe_variables(), *REPAIR) if path.rpartition(".")[2] == name)
    return f"; did you mean {path}?"


@cache
def _homes() -> Mapping[str, str]:
    """In which templates a name stands by itself."""
    turn = {path: "turn.j2 and fragments" for path, _, _ in describe_variables() if "." not in path}
    return {**turn, GUIDANCE[0]: "turn.j2", **{path: "repair.j2" for path, _, _ in REPAIR}}


def _template_line(error: BaseException) -> int | None:
    """The line of the template at which it broke."""
    stated = getattr(error, "lineno", None)
    if isinstance(stated, int):
        return stated
    line, trace = None, error.__traceback__
    while isinstance(trace, TracebackType):
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _files(folder: Path) -> Iterator[Path]:
    """The files of a set: manifest, templates, fragments. A template that nothing would use is an error."""
    for file in sorted(folder.glob("*.j2")):
        if file.name not in TEMPLATES:
            raise PromptError(f"{file} is not used: a set has {', '.join(TEMPLATES)} and {FRAGMENTS}/<kind>.j2")
    yield folder / MANIFEST
    yield from (folder / name for name in TEMPLATES)
    for file in sorted((folder / FRAGMENTS).glob("*.j2")):
        if file.stem not in SPOT_KINDS:
            raise PromptError(f"{file}: no spot is of the kind {file.stem}; kinds are {', '.join(SPOT_KINDS)}")
        yield file


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")  # Some editors begin files with a byte order mark.
    except OSError as error:
        raise PromptError(f"{file}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise PromptError(f"{file}: {error}") from None


def _manifest(file: Path, text: str) -> dict[str, Any]:
    try:
        manifest = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PromptError(f"{file}: {error}") from None
    missing = [key for key in _REQUIRED if not isinstance(manifest.get(key), str) or not manifest[key].strip()]
    if missing:
        raise PromptError(f"{file}: {', '.join(missing)} must be there as text")
    models = manifest.get("models", [])
    if not isinstance(models, list) or not all(isinstance(model, str) for model in models):
        raise PromptError(f"{file}: models must be a list of texts")
    if not isinstance(manifest.get("for_play", True), bool):
        raise PromptError(f"{file}: for_play must be true or false")
    strange = sorted(set(manifest) - {*_REQUIRED, *_OPTIONAL})
    if strange:
        raise PromptError(f"{file}: unknown {', '.join(strange)}; allowed are {', '.join((*_REQUIRED, *_OPTIONAL))}")
    return manifest


def _compile(sandbox: Sandbox, file: Path, text: str) -> Template:
    try:
        return sandbox.template(text)
    except Exception as error:  # Besides its own errors the compiler lets some of Python's through.
        line = _template_line(error)
        raise PromptError(f"{file}{f', line {line}' if line else ''}: {error}", line=line) from None
