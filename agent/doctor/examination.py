"""The whole examination: every check in its order, each only where what it needs holds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from agent.bots import Bot, Entry, read_entries, shared_by
from agent.doctor import machine, process, rest, thinking, upgrade
from agent.doctor.finding import Check, Finding, Status, Surroundings, failed, ok, skipped
from agent.llm.presets import PRESETS
from agent.redaction import Secrets
from agent.settings import Problem, Settings, SettingsError

ENVIRONMENT: Final = "environment"
BOTS: Final = "bots"

_MODEL_KEYS: Final = frozenset(preset.key_name for preset in PRESETS.values() if preset.key_name)
_MODEL: Final = _MODEL_KEYS | {
    f"LLM_{name}"
    for name in (
        *("PROVIDER", "MODEL", "API_KEY", "BASE_URL", "TIMEOUT_S", "MAX_TOKENS", "TEMPERATURE", "REASONING_EFFORT"),
        *("EXTRA_BODY", "LEARNED_PATH", "PRICES", "CAP_HAND_USD", "CAP_DAY_USD", "CAP_RUN_USD", "FALLBACKS"),
    )
}
_TIME: Final = frozenset({"OPEN_POKER_CLOCK_S", "OPEN_POKER_MARGIN_S", "LLM_TIMEOUT_S", "LLM_PROVIDER", "LLM_MODE"})
_API: Final = frozenset({"OPEN_POKER_API_URL"})
_SOCKET: Final = _API | {"OPEN_POKER_WS_URL", "OPEN_POKER_COMPETITION_ID"}
_JOURNAL: Final = frozenset({"JOURNAL_PATH"})

CHECKS: Final[Sequence[Check]] = (
    Check("versions", (), machine.versions, of_bot=False),
    Check("kernels", (), machine.kernels, of_bot=False),
    Check("log", (), process.log, frozenset({"AGENT_LOG_FILE"}), of_bot=False),
    Check("metrics", (), process.metrics, frozenset({"AGENT_METRICS_PORT"}), of_bot=False),
    Check("clock", (), rest.clock, _API, of_bot=False),
    Check("key", (), rest.key, frozenset({"OPEN_POKER_API_KEY"})),
    Check("rest", ("key",), rest.rest, _API),
    Check("season", ("rest",), rest.season),
    Check("socket", ("key",), upgrade.socket, _SOCKET),
    Check("time", (), thinking.time_to_think, _TIME),
    Check("prompts", ("kernels",), thinking.prompts, frozenset({"PROMPTS_DIR", "PROMPT_SET"})),
    Check("model", ("kernels",), thinking.model, _MODEL),
    Check("fallbacks", ("kernels",), thinking.fallbacks, _MODEL),
    Check("journal", (), machine.journal, _JOURNAL),
    Check("disk", (), machine.disk, _JOURNAL),
)


@dataclass(frozen=True, slots=True)
class _Patient:
    """What is examined: the process, with its only bot or without any, or one of several bots.

    `bot` is None for the process, `first` what is known before any check, `in_doubt` the variables that are at fault.
    """

    bot: str | None
    around: Surroundings
    first: Sequence[Finding]
    in_doubt: frozenset[str]


async def examine(
    around: Surroundings,
    *,
    environ: Mapping[str, str] | None = None,
    env_file: Path = Path(".env"),
    bots_file: Path | None = None,
    checks: Sequence[Check] = CHECKS,
    starting: Callable[[str], None] = lambda _: None,
    found: Callable[[Finding], None] = lambda _: None,
) -> list[Finding]:
    """The findings of all checks, the environment's first; the settings of `around` are replaced by those it holds.

    With a `bots_file` what is `of_bot` is checked for each of its bots. `starting` gets the name of each check before
    it begins, `found` each finding once it is there. No finding holds a secret.
    """
    patients = _patients(around, environ, env_file, bots_file)
    secrets = Secrets(secret for patient in patients for secret in patient.around.settings.secrets())
    findings, shared = list[Finding](), dict[str, Finding]()

    def keep(finding: Finding, bot: str | None) -> Finding:
        finding = replace(finding.without(secrets.hide), bot=bot)
        findings.append(finding)
        found(finding)
        return finding

    for patient in patients:
        mine = {**shared, **{finding.name: keep(finding, patient.bot) for finding in patient.first}}
        for check in checks:
            if bots_file is None or check.of_bot is (patient.bot is not None):
                starting(check.name if patient.bot is None else f"{check.name} of {patient.bot}")
                mine[check.name] = keep(await _finding(check, patient, mine), patient.bot)
        shared = shared or mine
    return findings


def _patients(
    around: Surroundings, environ: Mapping[str, str] | None, env_file: Path, bots_file: Path | None
) -> list[_Patient]:
    """The process first, and the bots of the file where there is one."""
    try:
        settings, problems = Settings.survey(environ, env_file)
    except SettingsError as error:
        settings, problems = around.settings, [Problem(name.upper(), str(error)) for name in Settings.model_fields]
    first = [_environment(settings, problems, env_file)]
    bots: list[_Patient] = []
    if bots_file is not None:
        whole, bots = _bots(bots_file, around, environ, env_file)
        first.append(whole)
    return [_Patient(None, replace(around, settings=settings), first, _variables(problems)), *bots]


def _environment(settings: Settings, problems: Sequence[Problem], env_file: Path) -> Finding:
    """Whether the settings load; every variable at fault is named."""
    if problems:
        remedy = f"correct the shell's environment or {env_file}; .env.example lists every variable"
        return _at_fault([problem.text for problem in problems], remedy)
    names = sorted(name.upper() for name in settings.model_fields_set)
    file = str(env_file.absolute()) if env_file.is_file() else None
    where = f"the shell and {file}" if file else "the shell (there is no .env here)"
    return ok(ENVIRONMENT, f"{len(names)} variables set, from {where}", variables=names, env_file=file)


def _bots(
    file: Path, around: Surroundings, environ: Mapping[str, str] | None, env_file: Path
) -> tuple[Finding, list[_Patient]]:
    """What the file as a whole is worth, and its bots with their settings."""
    remedy = f"correct {file}; the README shows one"
    try:
        entries = read_entries(file)
        surveys = [(entry, *Settings.survey(environ, env_file, entry.overrides)) for entry in entries]
    except SettingsError as error:
        return failed(BOTS, f"{file} cannot be used", why=str(error), remedy=remedy), []
    patients = [
        _Patient(
            entry.name,
            replace(around, settings=settings),
            [_entry(entry, problems, remedy)],
            _variables(problems),
        )
        for entry, settings, problems in surveys
    ]
    shared = shared_by([Bot(entry.name, settings) for entry, settings, _ in surveys])
    if shared is not None:
        why = "at the venue each would end the other's connection, or both would write one file"
        return failed(BOTS, f"{file}: {shared}", why=why, remedy=remedy), patients
    names = [entry.name for entry in entries]
    return ok(BOTS, f"{file} lists {' and '.join(names)}", names=names), patients


def _entry(entry: Entry, problems: Sequence[Problem], remedy: str) -> Finding:
    """Whether what the file says of one bot can be used."""
    texts = [problem.text for problem in problems]
    texts += [text for name, text in entry.strangers.items() if not any(known.startswith(name) for known in texts)]
    if texts:
        return _at_fault(texts, remedy)
    names = sorted(entry.overrides)
    return ok(ENVIRONMENT, f"{len(names)} variables of its own", variables=names)


def _at_fault(texts: Sequence[str], remedy: str) -> Finding:
    problems = list(dict.fromkeys(texts))
    what = "the settings do not load" if len(problems) == 1 else f"{len(problems)} settings cannot be used"
    return failed(ENVIRONMENT, what, why="\n".join(problems), remedy=remedy, problems=problems)


def _variables(problems: Sequence[Problem]) -> frozenset[str]:
    return frozenset(problem.variable for problem in problems)


async def _finding(check: Check, patient: _Patient, findings: Mapping[str, Finding]) -> Finding:
    """What the check finds, or why it was not made."""
    in_doubt = sorted(check.variables & patient.in_doubt)
    if in_doubt:
        return skipped(check.name, "not checked", why=f"it goes by {' and '.join(in_doubt)}, see {ENVIRONMENT}")
    missing = next((name for name in check.needs if not findings[name].holds), None)
    if missing is not None:
        return skipped(check.name, "not checked", why=f"it needs {missing}, which {_ended(findings[missing])}")
    try:
        return await check.run(patient.around)
    except Exception as error:  # A check that breaks must not keep the others from being made.
        return failed(
            check.name,
            "the check itself broke",
            why=f"it met a {type(error).__name__} that it does not know",
            remedy="report this with the output of poker-agent doctor --json",
        )


def _ended(finding: Finding) -> str:
    return f"was {finding.status}" if finding.status is Status.SKIPPED else str(finding.status)
