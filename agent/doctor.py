"""`poker-agent doctor`: everything that the agent needs, checked one by one before it plays."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Final

from rich.console import Console

from agent.checks.case import Case
from agent.checks.finding import Finding, Status, failed, skipped
from agent.checks.machine import check_disk, check_environment, check_journal, check_key, check_versions
from agent.checks.rest import check_clock, check_rest, check_season
from agent.checks.upgrade import check_socket
from agent.failure import Failure
from agent.redaction import Secrets
from agent.terminal.doctor import render_findings


@dataclass(frozen=True, slots=True)
class Check:
    """One check: it is left out when one of those it `needs` has failed or was left out itself."""

    name: str
    run: Callable[[Case], Awaitable[Finding]]
    needs: tuple[str, ...] = ()


def _of_thinking(function: str) -> Callable[[Case], Awaitable[Finding]]:
    """A check whose module loads the compiled kernels: that takes seconds, and fails where they cannot be cached."""

    async def run(case: Case) -> Finding:
        module = await asyncio.to_thread(import_module, "agent.checks.thinking")
        finding: Finding = await getattr(module, function)(case)
        return finding

    return run


CHECKS: Final = (
    Check("versions", check_versions),
    Check("environment", check_environment),
    Check("key", check_key, ("environment",)),
    Check("REST", check_rest, ("key",)),
    Check("clock", check_clock, ("key",)),
    Check("season", check_season, ("REST",)),
    Check("socket", check_socket, ("key",)),
    Check("journal", check_journal, ("environment",)),
    Check("disk", check_disk, ("environment",)),
    Check("kernels", _of_thinking("check_kernels")),
    Check("prompts", _of_thinking("check_prompts"), ("environment", "kernels")),
    Check("model", _of_thinking("check_model"), ("environment", "kernels")),
)
"""In the order in which they run."""


async def examine(case: Case, *, tell: Callable[[str], None]) -> list[Finding]:
    """What every check finds, without secrets; `tell` hears the name of each as it begins."""
    findings: dict[str, Finding] = {}
    for check in CHECKS:
        lacking = [name for name in check.needs if findings[name].status in (Status.FAILED, Status.SKIPPED)]
        if lacking:
            findings[check.name] = skipped(check.name, f"needs {lacking[0]}")
            continue
        tell(check.name)
        finding = await _run(check, case)
        secrets = Secrets(case.loaded.secrets() if case.loaded is not None else ())
        findings[check.name] = finding.without(secrets.hide)
    return list(findings.values())


async def _run(check: Check, case: Case) -> Finding:
    """The check's finding; one that breaks is a finding too, so that the others are still told."""
    try:
        return await check.run(case)
    except Exception as error:
        if "cannot cache function" in str(error):
            remedy = "set NUMBA_CACHE_DIR to a folder that this user may write"
            return failed(check.name, "the compiled kernels have no place", why=str(error), remedy=remedy)
        why = f"{type(error).__name__}: {error}"
        return failed(check.name, "the check itself broke", why=why, remedy="please report this with the whole output")


def doctor(out: Console, err: Console, *, takeover: bool, as_json: bool) -> None:
    """Examine this computer's settings and print the findings; a `Failure` when one of them is a failure."""
    with err.status("Checking") as spinner:
        case = Case(takeover=takeover)
        findings = asyncio.run(examine(case, tell=lambda name: spinner.update(f"Checking: {name}")))
    told = [finding.as_dict() for finding in findings]
    broken = [finding.name for finding in findings if finding.status is Status.FAILED]
    if as_json:
        print(json.dumps({"ok": not broken, "findings": told}))  # noqa: T201
    else:
        render_findings(out, told)
    if broken:
        raise Failure(f"failed: {', '.join(broken)}", exit_code=1)
