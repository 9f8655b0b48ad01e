"""`poker-agent doctor`: the examination, told as it goes or as one object of JSON."""

import asyncio
import json
import logging
from pathlib import Path

from rich.console import Console

from agent.doctor.examination import examine
from agent.doctor.finding import Finding, Status, Surroundings
from agent.failure import ExitCode, Failure
from agent.terminal import doctor as views


def doctor(out: Console, err: Console, *, takeover: bool, bots: Path | None = None, as_json: bool) -> None:
    """Make every check and print what it found; a `Failure` with exit code 1 when one has failed.

    With a file of `bots` each of them is examined.
    """
    # What is worth saying stands in the findings, with the secrets taken out.
    logging.basicConfig(handlers=[logging.NullHandler()], force=True)
    told_of: list[str | None] = [None]

    def tell(finding: Finding) -> None:
        if finding.bot != told_of[-1]:
            told_of.append(finding.bot)
            out.print(views.heading(finding.bot or ""))
        out.print(views.told(finding))

    with (err if as_json else out).status("Examining") as status:
        findings = asyncio.run(
            examine(
                Surroundings(takeover=takeover),
                bots_file=bots,
                starting=lambda name: status.update(f"Checking {name}"),
                found=lambda finding: None if as_json else tell(finding),
            )
        )
    failures = [finding for finding in findings if finding.status is Status.FAILED]
    if as_json:
        print(json.dumps(_as_json(findings, is_well=not failures)))  # noqa: T201
    else:
        out.print(views.conclusion([finding.status for finding in findings]))
    if failures:
        names = ", ".join(finding.title for finding in failures)
        raise Failure(f"not fit to play: {names}", exit_code=ExitCode.FAILED)


def _as_json(findings: list[Finding], *, is_well: bool) -> dict[str, object]:
    return {"ok": is_well, "findings": [finding.as_dict() for finding in findings]}
