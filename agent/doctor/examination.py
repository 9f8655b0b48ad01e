"""The whole examination: every check in its order, each only where what it needs holds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from agent.doctor import machine, rest, thinking, upgrade
from agent.doctor.finding import Check, Finding, Status, Surroundings, failed, ok, skipped
from agent.redaction import Secrets
from agent.settings import Settings, SettingsError

ENVIRONMENT: Final = "environment"

CHECKS: Final[Sequence[Check]] = (
    Check("versions", (), machine.versions),
    Check("kernels", (), machine.kernels),
    Check("key", (ENVIRONMENT,), rest.key),
    Check("rest", ("key",), rest.rest),
    Check("season", ("rest",), rest.season),
    Check("clock", (ENVIRONMENT,), rest.clock),
    Check("socket", ("key",), upgrade.socket),
    Check("prompts", (ENVIRONMENT, "kernels"), thinking.prompts),
    Check("model", (ENVIRONMENT, "kernels"), thinking.model),
    Check("journal", (ENVIRONMENT,), machine.journal),
    Check("disk", (ENVIRONMENT,), machine.disk),
)


async def examine(
    around: Surroundings,
    *,
    environ: Mapping[str, str] | None = None,
    env_file: Path = Path(".env"),
    checks: Sequence[Check] = CHECKS,
    starting: Callable[[str], None] = lambda _: None,
    found: Callable[[Finding], None] = lambda _: None,
) -> list[Finding]:
    """The findings of all checks, the environment's first; the settings of `around` are replaced by those it holds.

    `starting` gets the name of each check before it begins, `found` each finding once it is there. No finding holds
    a secret.
    """
    starting(ENVIRONMENT)
    first, settings = environment(environ, env_file)
    around = replace(around, settings=settings or around.settings)
    secrets = Secrets(around.settings.secrets())
    findings = {ENVIRONMENT: first}
    found(first)
    for check in checks:
        starting(check.name)
        finding = (await _finding(check, around, findings)).without(secrets.hide)
        findings[check.name] = finding
        found(finding)
    return list(findings.values())


def environment(environ: Mapping[str, str] | None, env_file: Path) -> tuple[Finding, Settings | None]:
    """Whether the settings load, and the settings; every variable at fault is named."""
    try:
        settings = Settings.load(environ, env_file)
    except SettingsError as error:
        problems = str(error).splitlines()
        return (
            failed(
                ENVIRONMENT,
                "the settings do not load" if len(problems) == 1 else f"{len(problems)} settings cannot be used",
                why="\n".join(problems),
                remedy=f"correct the shell's environment or {env_file}; .env.example lists every variable",
                problems=problems,
            ),
            None,
        )
    names = sorted(name.upper() for name in settings.model_fields_set)
    file = str(env_file.absolute()) if env_file.is_file() else None
    where = f"the shell and {file}" if file else "the shell (there is no .env here)"
    return ok(ENVIRONMENT, f"{len(names)} variables set, from {where}", variables=names, env_file=file), settings


async def _finding(check: Check, around: Surroundings, findings: Mapping[str, Finding]) -> Finding:
    """What the check finds, or why it was not made."""
    missing = next((name for name in check.needs if not findings[name].holds), None)
    if missing is not None:
        return skipped(check.name, "not checked", why=f"it needs {missing}, which {_ended(findings[missing])}")
    try:
        return await check.run(around)
    except Exception as error:  # A check that breaks must not keep the others from being made.
        return failed(
            check.name,
            "the check itself broke",
            why=f"it met a {type(error).__name__} that it does not know",
            remedy="report this with the output of poker-agent doctor --json",
        )


def _ended(finding: Finding) -> str:
    return f"was {finding.status}" if finding.status is Status.SKIPPED else str(finding.status)
