"""Prompt sets: a folder with a manifest, three templates and guidance for kinds of spots, loaded once, rendered from facts.

Templates are strict: a variable that does not exist is an error when the set is loaded, not a hole in a prompt. They
are sandboxed, because sets are passed around.
"""

import difflib
import hashlib
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, Final

from jinja2 import Environment, StrictUndefined, Template
from jinja2.sandbox import ImmutableSandboxedEnvironment

from agent.decision.menu import Menu
from agent.decision.samples import Turn, sample_turns
from agent.decision.variable_table import known_names
from agent.decision.variables import NO_READS, Reads, sample_reads, turn_variables
from agent.poker.facts import Facts
from agent.poker.spot import Spot
from agent.strategy.kinds import SPOT_KINDS

MANIFEST: Final = "manifest.toml"
TEMPLATES: Final = ("system.j2", "turn.j2", "repair.j2")
FRAGMENTS: Final = "fragments"
MAX_FRAGMENTS: Final = 3

_REQUIRED: Final = ("name", "version", "description")
_SAMPLE_PROBLEM: Final = 'the id "raise_75" was not offered'


class PromptError(ValueError):
    """A prompt set that cannot be used; the message names the file, `line` the place in it where that is known."""

    def __init__(self, message: str, *, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True, slots=True)
class PromptSet:
    """A named, versioned set of templates.

    `models` says for which models it was written. `texts` are the files as they stand, by their path in `folder`; `hash`
    covers all of them and stands in each log row. `templates` and `fragments` are compiled, the latter by spot kind.
    """

    name: str
    version: str
    description: str
    models: tuple[str, ...]
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

    def render_turn(
        self,
        spot: Spot,
        facts: Facts,
        menu: Menu,
        rule_choice: str,
        reads: Reads = NO_READS,
        *,
        rule_margin: float | None = None,
    ) -> str:
        """The question of this turn, with the guidance that its spot calls for; parameters as in `turn_variables`."""
        variables = turn_variables(spot, facts, menu, rule_choice, reads, rule_margin).as_dict()
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
    environment = _environment()
    compiled = {
        name: _compile(environment, folder / name, text) for name, text in texts.items() if name.endswith(".j2")
    }
    return PromptSet(
        name=manifest["name"],
        version=manifest["version"],
        description=manifest["description"],
        models=tuple(manifest.get("models", ())),
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

    `PromptError` names the template, the line and the sample spot. A fragment is tried on the spots of its kind.
    """
    _try(prompts, "system.j2", prompts.render_system)
    for name, turn in sample_turns().items():
        _try(prompts, "repair.j2", partial(prompts.render_repair, _SAMPLE_PROBLEM, turn.menu), name)
        for reads in (NO_READS, sample_reads(turn.spot)):
            variables = _variables(turn, reads)
            fragments = [kind for kind in variables["kinds"] if kind in prompts.fragments]
            for kind in fragments:
                template = prompts.fragments[kind]
                _try(prompts, f"{FRAGMENTS}/{kind}.j2", partial(template.render, variables), name)
            turn_template = prompts.templates["turn.j2"]
            _try(prompts, "turn.j2", partial(turn_template.render, variables, guidance=("an example",)), name)
            _try(prompts, "turn.j2", partial(turn_template.render, variables, guidance=()), name)


def _variables(turn: Turn, reads: Reads) -> dict[str, Any]:
    return turn_variables(turn.spot, turn.facts, turn.menu, turn.rule_choice, reads, turn.rule_margin).as_dict()


def _try(prompts: PromptSet, name: str, render: Callable[[], str], spot: str = "") -> None:
    where = prompts.folder / name
    try:
        text = render()
    except Exception as error:  # Templates can fail in any way that Python can.
        line = _template_line(error)
        on_spot = f" (sample spot {spot})" if spot else ""
        place = f"{where}, line {line}," if line else str(where)
        raise PromptError(f"{place} does not render{on_spot}: {error}{_suggestion(str(error))}", line=line) from None
    if name in TEMPLATES and not text.strip():
        raise PromptError(f"{where} renders to nothing" + (f" (sample spot {spot})" if spot else ""))


def _suggestion(message: str) -> str:
    """A name that may have been meant, when the message is about one that does not exist."""
    unknown = re.search(r"'(\w+)'(?: is undefined)?$", message)
    close = difflib.get_close_matches(unknown[1], known_names(), n=1) if unknown else []
    return f"; did you mean {close[0]}?" if close else ""


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
        return file.read_text(encoding="utf-8")
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
    strange = sorted(set(manifest) - {*_REQUIRED, "models"})
    if strange:
        raise PromptError(f"{file}: unknown {', '.join(strange)}; allowed are {', '.join(_REQUIRED)}, models")
    return manifest


def _environment() -> Environment:
    # Not HTML: prompts are plain text, and the values in them are numbers and our own words.
    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
    )
    environment.filters["chips"] = lambda amount: f"{amount:,}"
    environment.filters["percent"] = lambda share, digits=0: f"{100 * share:.{digits}f} %"
    return environment


def _compile(environment: Environment, file: Path, text: str) -> Template:
    try:
        return environment.from_string(text)
    except Exception as error:  # Besides its own errors the compiler lets some of Python's through.
        line = _template_line(error)
        raise PromptError(f"{file}{f', line {line}' if line else ''}: {error}", line=line) from None
