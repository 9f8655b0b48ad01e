"""The doctor with seeded misconfigurations, against a real arena, a real model server and real files."""

import asyncio
import json
import shutil
import socket
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession, web
from rich.console import Console

from agent.arena.arena import Arena
from agent.doctor.examination import CHECKS, examine
from agent.doctor.finding import Check, Finding, Surroundings, failed
from agent.doctor.machine import kept
from agent.health import Health
from agent.journal.migrations import VERSION
from agent.journal.schema import open_for_writing
from agent.llm.modes import Mode
from agent.llm.stand_in import StandIn
from agent.metrics import metrics_served
from agent.terminal.doctor import conclusion, told
from tests.arena.served import HERON, arena_of, closed_with, seated
from tests.test_cli import PROGRAM, environment

MODEL_KEY = "sk-key-of-the-model"
SHIPPED_PROMPTS = Path(__file__).parents[1] / "prompts" / "default"


@dataclass(frozen=True)
class Clinic:
    """An arena and a model that are well, and the environment that names them."""

    arena: Arena
    stand_in: StandIn
    folder: Path

    @property
    def environ(self) -> dict[str, str]:
        return {
            "OPEN_POKER_API_KEY": HERON,
            "OPEN_POKER_API_URL": self.arena.api_url,
            "OPEN_POKER_WS_URL": self.arena.ws_url,
            "LLM_PROVIDER": "custom",
            "LLM_MODEL": "stand-in",
            "LLM_API_KEY": MODEL_KEY,
            "LLM_BASE_URL": self.stand_in.base_url,
            "JOURNAL_PATH": str(self.folder / "journal.sqlite3"),
        }

    async def examine(
        self, around: Surroundings | None = None, bots_file: Path | None = None, **changes: str
    ) -> dict[str, Finding]:
        """The findings by title, in an environment that differs by `changes`; an empty value unsets a variable."""
        found = await examine(
            around or Surroundings(),
            environ={**self.environ, **changes},
            env_file=self.folder / ".env",
            bots_file=bots_file,
        )
        return {finding.title: finding for finding in found}


@pytest.fixture
async def clinic(tmp_path: Path) -> AsyncIterator[Clinic]:
    async with arena_of() as arena, StandIn() as stand_in:
        yield Clinic(arena, stand_in, tmp_path)


@asynccontextmanager
async def web_server(answer: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> AsyncIterator[str]:
    """A server that gives the same answer to everything, and its address without the scheme."""
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


async def a_page(_: web.Request) -> web.StreamResponse:
    return web.Response(text="<html><body>Welcome</body></html>", content_type="text/html")


async def an_outage(_: web.Request) -> web.StreamResponse:
    return web.Response(status=503)


async def nothing(_: web.Request) -> web.StreamResponse:
    await asyncio.Event().wait()
    raise AssertionError("never woken")


def closed_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def statuses(findings: Mapping[str, Finding]) -> dict[str, str]:
    return {name: str(finding.status) for name, finding in findings.items()}


def failures(findings: Mapping[str, Finding]) -> list[str]:
    return [name for name, status in statuses(findings).items() if status == "failed"]


async def run(clinic: Clinic, *arguments: str, **changes: str) -> tuple[int | None, str, str]:
    """The program as a user runs it: exit code, output, errors."""
    program = await asyncio.create_subprocess_exec(
        *PROGRAM,
        "doctor",
        *arguments,
        cwd=clinic.folder,
        env=environment(clinic.folder, **{**clinic.environ, **changes}),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await program.communicate()
    return program.returncode, out.decode(), err.decode()


async def test_where_all_is_well_every_check_says_so(clinic: Clinic) -> None:
    findings = await clinic.examine()

    assert {name for name, status in statuses(findings).items() if status != "ok"} == {"fallbacks", "log", "metrics"}
    assert {findings[name].status for name in ("fallbacks", "log", "metrics")} == {"skipped"}
    assert set(findings) == {"environment", *(check.name for check in CHECKS)}
    assert findings["rest"].details["bot"] == "Heron"
    assert findings["season"].details == {"registered": False}
    assert findings["model"].details["form"] == "json_schema"
    assert findings["model"].details["prompt_tokens"] > 0
    assert not list(clinic.folder.iterdir())


async def test_fallbacks_are_asked_too_and_the_one_that_fails_is_named(clinic: Clinic) -> None:
    address = clinic.environ["LLM_BASE_URL"]
    both = f"custom/first@{address},custom/second@{address}"
    well = (await clinic.examine(LLM_FALLBACKS=both))["fallbacks"]
    clinic_findings = await clinic.examine(LLM_FALLBACKS=f"{both},custom/third@http://127.0.0.1:9/v1")

    assert (well.status, "custom/first chooses" in well.what, "custom/second chooses" in well.what) == (
        "ok",
        True,
        True,
    )
    assert failures(clinic_findings) == ["fallbacks"]
    assert "custom/third is not to be had" in clinic_findings["fallbacks"].what


async def test_the_price_of_a_question_is_told_and_an_unknown_one_is_said(clinic: Clinic) -> None:
    prices = clinic.folder / "prices.toml"
    model = clinic.environ["LLM_MODEL"]
    row = f'provider = "custom", model = "{model}", input_usd = 1.0, output_usd = 5.0, date = 2026-11-01, source = "x"'
    prices.write_text(f"price = [{{ {row} }}]")
    known = (await clinic.examine(LLM_PRICES=str(prices)))["model"]
    unknown = (await clinic.examine())["model"]

    assert "$1 in and $5 out a million tokens (list price of 2026-11-01)" in known.what
    tokens = known.details["prompt_tokens"] + 5 * known.details["completion_tokens"]
    assert known.details["cost_usd"] == pytest.approx(tokens / 1_000_000)
    assert "its price is not known" in unknown.what
    assert unknown.details["cost_usd"] is None


async def test_a_cap_without_a_price_is_told(clinic: Clinic) -> None:
    model = (await clinic.examine(LLM_CAP_DAY_USD="1"))["model"]

    assert model.status == "failed"
    assert "LLM_PRICES" in model.what


async def test_a_misspelt_variable_is_named_with_the_one_that_is_meant(clinic: Clinic) -> None:
    findings = await clinic.examine(LLM_TIMEOT_S="3")

    assert failures(findings) == ["environment"]
    assert findings["environment"].why == "LLM_TIMEOT_S: unknown variable; did you mean LLM_TIMEOUT_S?"
    assert findings["model"].why == "it goes by LLM_TIMEOUT_S, see environment"
    assert {name for name, status in statuses(findings).items() if status == "skipped"} == {
        *("time", "model", "fallbacks", "log", "metrics")
    }
    assert findings["socket"].status == findings["prompts"].status == "ok"


async def test_an_unreadable_file_of_settings_leaves_what_goes_by_none(clinic: Clinic) -> None:
    (clinic.folder / ".env").write_bytes(b"\xff\xfe")
    findings = await clinic.examine()

    assert failures(findings) == ["environment"]
    assert [name for name, status in statuses(findings).items() if status == "ok"] == ["versions", "kernels"]


async def test_a_bad_number_is_named_with_what_is_allowed(clinic: Clinic) -> None:
    findings = await clinic.examine(OPEN_POKER_BUY_IN="20", LLM_TIMEOUT_S="soon")

    problems = sorted(findings["environment"].details["problems"])
    assert failures(findings) == ["environment"]
    assert findings["environment"].what == "2 settings cannot be used"
    assert problems[0].startswith("LLM_TIMEOUT_S: 'soon' cannot be used")
    assert problems[1].endswith("allowed is 1000 to 5000")


async def test_a_missing_key_is_told_and_what_needs_it_is_left_out(clinic: Clinic) -> None:
    findings = await clinic.examine(OPEN_POKER_API_KEY="")

    assert failures(findings) == ["key"]
    assert findings["key"].what == "OPEN_POKER_API_KEY is not set"
    assert [findings[name].status for name in ("rest", "season", "socket")] == ["skipped"] * 3
    assert findings["model"].status == "ok"


async def test_a_wrong_key_is_refused_by_rest_and_by_the_socket(clinic: Clinic) -> None:
    findings = await clinic.examine(OPEN_POKER_API_KEY="key-of-nobody")

    assert failures(findings) == ["rest", "socket"]
    assert findings["rest"].what == findings["socket"].what == "the venue refuses the key"
    assert "copy the key again" in findings["rest"].remedy


async def test_a_wrong_rest_path_is_told_from_a_wrong_key(clinic: Clinic) -> None:
    findings = await clinic.examine(OPEN_POKER_API_URL=clinic.arena.api_url + "/v2")

    assert failures(findings) == ["rest"]
    assert "is not where the venue's REST side begins" in findings["rest"].what
    assert "usually ends with /api" in findings["rest"].remedy


async def test_where_nobody_knows_whether_the_bot_plays_the_socket_is_tried_without_the_key(clinic: Clinic) -> None:
    nowhere = f"http://127.0.0.1:{closed_port()}/api"
    async with seated(clinic.arena):
        answers = await clinic.examine(OPEN_POKER_API_URL=nowhere)
        heron = clinic.arena.pools.keys.agent_of(HERON)
        assert heron is not None
        is_still_connected = clinic.arena.pools.public.account_of(heron).is_connected
    silent = await clinic.examine(OPEN_POKER_API_URL=nowhere, OPEN_POKER_WS_URL=f"ws://127.0.0.1:{closed_port()}/ws")
    no_path = await clinic.examine(OPEN_POKER_API_URL=nowhere, OPEN_POKER_WS_URL=clinic.arena.ws_url + "/table")

    assert (failures(answers), answers["socket"].status, is_still_connected) == (["rest"], "warning", True)
    assert "it was not tried with the key" in answers["socket"].what
    assert failures(silent) == failures(no_path) == ["rest", "socket"]
    assert "nothing listens at" in silent["socket"].what
    assert "HTTP 404" in no_path["socket"].why


async def test_a_web_page_in_place_of_the_api_is_recognised(clinic: Clinic) -> None:
    async with web_server(a_page) as address:
        findings = await clinic.examine(OPEN_POKER_API_URL=f"http://{address}")

    assert failures(findings) == ["rest"]
    assert "web page" in f"{findings['rest'].what} {findings['rest'].why}"


@pytest.mark.parametrize(
    ("url", "what"),
    [("http://127.0.0.1:{closed}/api", "nothing listens at"), ("http://venue.invalid/api", "is not known")],
)
async def test_a_rest_side_that_cannot_be_reached_is_told_by_its_reason(clinic: Clinic, url: str, what: str) -> None:
    findings = await clinic.examine(OPEN_POKER_API_URL=url.format(closed=closed_port()))

    assert failures(findings) == ["rest"]
    assert what in findings["rest"].what
    assert "OPEN_POKER_API_URL" in findings["rest"].remedy


async def test_a_rest_side_that_is_silent_is_not_waited_for_long(clinic: Clinic) -> None:
    async with web_server(nothing) as address:
        findings = await clinic.examine(Surroundings(network_s=0.3), OPEN_POKER_API_URL=f"http://{address}")

    assert failures(findings) == ["rest"]
    assert "gave no answer within 0.3 s" in findings["rest"].what


async def test_a_venue_in_trouble_is_no_fault_of_the_settings(clinic: Clinic) -> None:
    async with web_server(an_outage) as address:
        findings = await clinic.examine(OPEN_POKER_API_URL=f"http://{address}")

    assert failures(findings) == ["rest"]
    assert "HTTP 503" in findings["rest"].what


@pytest.mark.parametrize(
    ("ahead_s", "status", "what"),
    [(10, "warning", "ahead of the venue's"), (-60, "failed", "behind the venue's"), (90, "failed", "ahead of")],
)
async def test_a_skewed_clock_is_measured(clinic: Clinic, ahead_s: int, status: str, what: str) -> None:
    def now() -> datetime:
        return datetime.now(UTC) + timedelta(seconds=ahead_s)

    clock = (await clinic.examine(Surroundings(now=now)))["clock"]

    assert clock.status == status
    assert abs(clock.details["skew_s"] - ahead_s) < 2
    assert what in clock.what
    assert "timedatectl" in clock.remedy


async def test_too_few_chips_for_a_seat_are_a_warning(clinic: Clinic) -> None:
    heron = clinic.arena.pools.keys.agent_of(HERON)
    assert heron is not None
    account = clinic.arena.pools.public.account_of(heron)
    account.is_registered, account.chips = True, 400
    findings = await clinic.examine()

    assert failures(findings) == []
    assert findings["season"].status == "warning"
    assert findings["season"].what == "400 chips are fewer than the smallest buy-in of 1,000"


async def test_a_wrong_socket_path_is_told(clinic: Clinic) -> None:
    findings = await clinic.examine(OPEN_POKER_WS_URL=clinic.arena.ws_url + "/table")

    assert failures(findings) == ["socket"]
    assert "HTTP 404" in findings["socket"].why
    assert "OPEN_POKER_WS_URL" in findings["socket"].remedy


async def test_a_socket_that_is_refused_or_silent_or_a_web_page_is_told(clinic: Clinic) -> None:
    refused = await clinic.examine(OPEN_POKER_WS_URL=f"ws://127.0.0.1:{closed_port()}/ws")
    async with web_server(nothing) as address:
        silent = await clinic.examine(Surroundings(network_s=1.0), OPEN_POKER_WS_URL=f"ws://{address}/ws")
    async with web_server(a_page) as address:
        page = await clinic.examine(OPEN_POKER_WS_URL=f"ws://{address}/ws")

    assert [failures(findings) for findings in (refused, silent, page)] == [["socket"]] * 3
    assert "nothing listens at" in refused["socket"].what
    assert "gave no answer within 1 s" in silent["socket"].what
    assert "is no WebSocket" in page["socket"].what


async def test_an_unknown_competition_is_told_by_its_variable(clinic: Clinic) -> None:
    async def refuse(request: web.Request) -> web.StreamResponse:
        venue = web.WebSocketResponse()
        await venue.prepare(request)
        code = "competition_not_found" if "competition_id" in request.query else "not_asked_for"
        await venue.send_json({"type": "error", "code": code, "message": "no such competition"})
        await venue.close(code=1008)
        return venue

    async with web_server(refuse) as address:
        findings = await clinic.examine(
            OPEN_POKER_WS_URL=f"ws://{address}/ws",
            OPEN_POKER_COMPETITION_ID="3f0f1b1a-0000-4000-8000-000000000001",
        )

    assert failures(findings) == ["socket"]
    assert findings["socket"].what == "the venue knows no such competition"
    assert "OPEN_POKER_COMPETITION_ID" in findings["socket"].why


async def test_a_bot_that_plays_is_not_disconnected_unless_asked(clinic: Clinic) -> None:
    async with seated(clinic.arena) as (client, _):
        left_alone = await clinic.examine()
        heron = clinic.arena.pools.keys.agent_of(HERON)
        assert heron is not None
        is_still_connected = clinic.arena.pools.public.account_of(heron).is_connected
        taken_over = await clinic.examine(Surroundings(takeover=True))
        close_code = await closed_with(client.next)

    assert (left_alone["socket"].status, left_alone["socket"].what) == ("warning", "not tried: the bot is playing")
    assert is_still_connected
    assert taken_over["socket"].status == "ok"
    assert close_code == clinic.arena.pools.settings.takeover_close_code


@pytest.mark.parametrize(
    ("mode", "changes", "said"),
    [
        (Mode.HEALTHY, {"LLM_MODEL": ""}, "LLM_MODEL is missing"),
        (Mode.HEALTHY, {"LLM_PROVIDER": ""}, "LLM_PROVIDER is not set"),
        (Mode.HEALTHY, {"LLM_BASE_URL": "{stand_in}/elsewhere"}, "check LLM_MODEL and LLM_BASE_URL"),
        (Mode.UNAUTHORIZED, {}, "check LLM_API_KEY"),
        (Mode.QUOTA, {}, "out of credit"),
        (Mode.RATE_LIMITED, {}, "ask again in 7 s"),
        (Mode.SERVER_ERROR, {}, "HTTP 500"),
        (Mode.RESET, {}, "no response"),
        (Mode.SILENT, {"LLM_TIMEOUT_S": "0.5"}, "no answer in time"),
        (Mode.DRIP, {"LLM_TIMEOUT_S": "0.7"}, "no answer in time"),
        (Mode.EMPTY, {}, "it is blank"),
        (Mode.HTML, {}, "check LLM_BASE_URL"),
        (Mode.GARBLED, {}, "not with one of the offered actions"),
        (Mode.TRUNCATED, {}, "raise LLM_MAX_TOKENS"),
        (Mode.ILLEGAL, {}, "was not offered"),
    ],
)
async def test_each_way_in_which_a_model_fails_has_its_own_words(
    clinic: Clinic, mode: Mode, changes: dict[str, str], said: str
) -> None:
    clinic.stand_in.mode = mode
    filled = {name: value.format(stand_in=clinic.stand_in.base_url) for name, value in changes.items()}
    findings = await clinic.examine(None, None, **filled)
    model = findings["model"]

    assert failures(findings) == ["model"]
    assert said in f"{model.what} {model.why} {model.remedy}"
    assert model.remedy


async def test_the_form_that_the_model_takes_is_told_when_the_first_is_refused(clinic: Clinic) -> None:
    clinic.stand_in.mode = Mode.BAD_PARAMETER
    model = (await clinic.examine())["model"]

    assert model.status == "ok"
    assert model.details["form"] == "json_object (json_schema was refused)"


async def test_a_slow_model_is_a_warning(clinic: Clinic) -> None:
    clinic.stand_in.mode, clinic.stand_in.delay_s = Mode.SLOW, 1.6
    model = (await clinic.examine(LLM_TIMEOUT_S="3"))["model"]

    assert model.status == "warning"
    assert "LLM_TIMEOUT_S" in model.remedy


async def test_a_local_model_has_time_to_load_and_is_judged_by_its_next_answer(clinic: Clinic) -> None:
    async def load_first(http: web.Request) -> web.StreamResponse:
        if not loaded:
            loaded.append(True)
            await asyncio.sleep(1.0)
        url, question = f"{clinic.stand_in.base_url}/chat/completions", await http.json()
        async with ClientSession() as session, session.post(url, json=question) as answer:
            return web.json_response(await answer.json(), status=answer.status)

    loaded: list[bool] = []
    application = web.Application()
    application.router.add_post("/v1/chat/completions", load_first)
    runner = web.AppRunner(application, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    address = f"http://{host}:{port}/v1"
    model = (await clinic.examine(LLM_PROVIDER="ollama", LLM_BASE_URL=address, LLM_TIMEOUT_S="0.8"))["model"]
    await runner.cleanup()

    assert model.status == "ok", model
    assert model.details["latency_ms"] < 400


async def test_playing_without_a_model_is_no_failure(clinic: Clinic) -> None:
    findings = await clinic.examine(LLM_PROVIDER="none")

    assert (failures(findings), findings["model"].status) == ([], "skipped")
    assert clinic.stand_in.requests == 0


@pytest.mark.parametrize(
    ("addition", "line", "why"),
    [("\n{{ equty }}\n", True, "'equty' is undefined"), ("\n{% if %}\n", True, "turn.j2"), (None, False, "turn.j2")],
)
async def test_a_broken_prompt_is_told_with_its_file_and_line(
    clinic: Clinic, addition: str | None, line: bool, why: str
) -> None:
    mine = clinic.folder / "prompts" / "mine"
    shutil.copytree(SHIPPED_PROMPTS, mine)
    template = mine / "turn.j2"
    whole = template.read_text(encoding="utf-8").rstrip("\n")
    if addition is None:
        template.unlink()
    else:
        template.write_text(whole + addition, encoding="utf-8")
    findings = await clinic.examine(PROMPTS_DIR=str(mine.parent), PROMPT_SET="mine")

    assert failures(findings) == ["prompts"]
    assert why in findings["prompts"].why
    assert str(template) in findings["prompts"].why
    assert findings["prompts"].details["line"] == (whole.count("\n") + 2 if line else None)


async def test_a_prompt_set_that_is_not_there_is_told(clinic: Clinic) -> None:
    findings = await clinic.examine(PROMPT_SET="poetry")

    assert failures(findings) == ["prompts"]
    assert "there is no prompt set" in findings["prompts"].why


async def test_a_journal_that_cannot_be_written_is_told(clinic: Clinic) -> None:
    in_the_way = clinic.folder / "file"
    in_the_way.write_text("no folder", encoding="utf-8")
    in_a_file = await clinic.examine(JOURNAL_PATH=str(in_the_way / "journal.sqlite3"))
    a_folder = await clinic.examine(JOURNAL_PATH=str(clinic.folder))
    no_database = await clinic.examine(JOURNAL_PATH=str(in_the_way))

    assert [failures(findings) for findings in (in_a_file, a_folder, no_database)] == [["journal"]] * 3
    assert "nothing can be written in" in in_a_file["journal"].what
    assert "is a folder" in a_folder["journal"].what
    assert "cannot be used as a journal" in no_database["journal"].what


async def test_a_journal_that_another_program_holds_is_told(clinic: Clinic) -> None:
    path = clinic.folder / "journal.sqlite3"
    open_for_writing(path).close()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    try:
        journal = (await clinic.examine())["journal"]
    finally:
        other.close()

    assert (journal.status, journal.what) == ("failed", f"another program holds {path}")
    assert "end that program" in journal.remedy


async def test_a_device_is_no_journal(clinic: Clinic) -> None:
    findings = await clinic.examine(JOURNAL_PATH="/dev/full")

    assert failures(findings) == ["journal"]


async def test_a_log_file_that_cannot_be_written_is_told(clinic: Clinic) -> None:
    in_the_way = clinic.folder / "file"
    in_the_way.touch()
    in_a_file = await clinic.examine(AGENT_LOG_FILE=str(in_the_way / "agent.log"))
    a_folder = await clinic.examine(AGENT_LOG_FILE=str(clinic.folder))
    a_device = await clinic.examine(AGENT_LOG_FILE="/dev/full")
    to_be_made = await clinic.examine(AGENT_LOG_FILE=str(clinic.folder / "logs" / "agent.log"))
    well = await clinic.examine(AGENT_LOG_FILE=str(clinic.folder / "agent.log"))

    assert failures(in_a_file) == failures(a_folder) == ["log"]
    assert "cannot be written" in in_a_file["log"].what
    assert "is a folder" in a_folder["log"].what
    assert [findings["log"].status for findings in (a_device, to_be_made, well)] == ["warning", "warning", "ok"]
    assert [file.name for file in clinic.folder.iterdir()] == ["file"]


async def test_a_metrics_port_that_is_taken_is_told_and_our_own_agent_is_known(clinic: Clinic) -> None:
    async with web_server(a_page) as address:
        taken = await clinic.examine(AGENT_METRICS_PORT=address.rpartition(":")[2])
    async with metrics_served({"agent": Health(lambda: 0.0)}, 0) as port:
        ours = await clinic.examine(AGENT_METRICS_PORT=str(port))
    free = await clinic.examine(AGENT_METRICS_PORT=str(port))

    assert failures(taken) == ["metrics"]
    assert taken["metrics"].why == "Address already in use"
    assert (ours["metrics"].status, "runs already" in ours["metrics"].what) == ("warning", True)
    assert free["metrics"].status == "ok"


async def test_settings_that_leave_the_model_no_time_are_told(clinic: Clinic) -> None:
    short = await clinic.examine(OPEN_POKER_CLOCK_S="15")
    none_at_all = await clinic.examine(OPEN_POKER_CLOCK_S="8")
    by_the_rule = await clinic.examine(OPEN_POKER_CLOCK_S="15", LLM_PROVIDER="none")

    assert (short["time"].status, short["time"].what) == (
        "warning",
        "a turn has 7 s, and the model may think for 12 s",
    )
    assert failures(none_at_all) == ["environment"]
    assert "no time is left to decide" in none_at_all["environment"].why
    assert by_the_rule["time"].status == "ok"


async def test_fallbacks_are_asked_where_the_model_fails(clinic: Clinic) -> None:
    address, nowhere = clinic.environ["LLM_BASE_URL"], f"http://127.0.0.1:{closed_port()}/v1"
    findings = await clinic.examine(LLM_BASE_URL=nowhere, LLM_FALLBACKS=f"custom/first@{address}")

    assert failures(findings) == ["model"]
    assert findings["fallbacks"].status == "ok"


async def test_an_address_with_the_endpoint_in_it_is_told_with_the_one_that_is_meant(clinic: Clinic) -> None:
    address = clinic.environ["LLM_BASE_URL"]
    model = (await clinic.examine(LLM_BASE_URL=f"{address}/chat/completions"))["model"]

    assert (model.status, f"did you mean {address}?" in model.what) == ("failed", True)


async def test_every_bot_of_a_file_is_examined(clinic: Clinic) -> None:
    file = clinic.folder / "bots.toml"
    table = '[[bot]]\nname = "{}"\nopen_poker_api_key = "{}"\njournal_path = "{}/{}.sqlite3"\n{}\n'
    bots = (
        ("heron", HERON, "llm_timeout_s = 5"),
        ("lynx", "key-of-nobody", 'prompt_set = "poetry"'),
        ("otter", "$NOWHERE", "llm_provider = 'none'"),
    )
    file.write_text("".join(table.format(name, key, clinic.folder, name, rest) for name, key, rest in bots))
    findings = await clinic.examine(bots_file=file, OPEN_POKER_API_KEY="")

    assert failures(findings) == ["lynx: rest", "lynx: socket", "lynx: prompts", "otter: environment"]
    assert findings["heron: journal"].what == f"{clinic.folder}/heron.sqlite3 will be made by the first run"
    assert [findings[f"heron: {name}"].status for name in ("key", "rest", "socket", "model", "prompts")] == ["ok"] * 5
    assert findings["otter: environment"].why == "$NOWHERE is asked for, and the environment has no NOWHERE"
    assert findings["otter: key"].status == "skipped"
    assert findings["otter: journal"].status == "ok"
    assert [title for title in findings if ":" not in title] == [
        *("environment", "bots", "versions", "kernels", "log", "metrics", "clock")
    ]
    shown = json.dumps([finding.as_dict() for finding in findings.values()])
    assert not [secret for secret in (HERON, "key-of-nobody") if secret in shown]


async def test_bots_that_share_a_key_or_no_bots_at_all_are_told(clinic: Clinic) -> None:
    file = clinic.folder / "bots.toml"
    one = f'[[bot]]\nname = "{{}}"\nopen_poker_api_key = "{HERON}"\n'
    file.write_text(one.format("heron") + one.format("lynx"))
    shared = await clinic.examine(bots_file=file, LLM_PROVIDER="none")
    nowhere = await clinic.examine(bots_file=clinic.folder / "none.toml")

    assert failures(shared) == failures(nowhere) == ["bots"]
    assert "share their OPEN_POKER_API_KEY" in shared["bots"].what
    assert "cannot be read" in nowhere["bots"].why


async def test_a_journal_folder_that_is_not_there_is_a_warning(clinic: Clinic) -> None:
    journal = (await clinic.examine(JOURNAL_PATH=str(clinic.folder / "logs" / "journal.sqlite3")))["journal"]

    assert journal.status == "warning"
    assert "does not exist" in journal.what
    assert not (clinic.folder / "logs").exists()


async def test_a_journal_of_a_newer_program_is_told_with_both_versions(clinic: Clinic) -> None:
    path = clinic.folder / "journal.sqlite3"
    open_for_writing(path).close()
    now = await clinic.examine()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {VERSION + 3}")
    connection.close()
    newer = await clinic.examine()

    assert (now["journal"].status, now["journal"].details["version"]) == ("ok", VERSION)
    assert failures(newer) == ["journal"]
    assert newer["journal"].why == f"it has journal version {VERSION + 3}, this program knows {VERSION}"


@pytest.mark.parametrize(("free", "status"), [(50_000_000, "failed"), (500_000_000, "warning"), (10**9, "ok")])
async def test_little_room_on_the_disk_is_told(clinic: Clinic, free: int, status: str) -> None:
    disk = (await clinic.examine(Surroundings(free_bytes=lambda _: free)))["disk"]

    assert disk.status == status
    assert disk.details["free_bytes"] == free


def test_kernels_that_cannot_be_kept_compiled_are_a_warning(tmp_path: Path) -> None:
    kernels = kept(str(tmp_path / "nowhere"), 4.25)

    assert kernels.status == "warning"
    assert "NUMBA_CACHE_DIR" in kernels.remedy
    assert kept(str(tmp_path), 4.25).status == "ok"


async def test_a_check_that_breaks_is_a_finding_and_the_others_are_made(tmp_path: Path) -> None:
    async def breaks(_: Surroundings) -> Finding:
        raise ZeroDivisionError("sk-key-of-the-model")

    findings = await examine(
        Surroundings(),
        environ={},
        env_file=tmp_path / ".env",
        checks=(Check("odd", (), breaks), Check("disk", (), CHECKS[-1].run)),
    )

    assert [str(finding.status) for finding in findings] == ["ok", "failed", "ok"]
    assert "ZeroDivisionError" in findings[1].why


async def test_no_finding_shows_a_secret(clinic: Clinic) -> None:
    clinic.stand_in.mode = Mode.UNAUTHORIZED
    address = clinic.arena.ws_url.removeprefix("ws://")
    findings = await clinic.examine(OPEN_POKER_WS_URL=f"ws://me:pass-word@{address}?token=to-ken")
    shown = json.dumps([finding.as_dict() for finding in findings.values()])

    assert "refuses us" in findings["model"].what
    assert not [secret for secret in (HERON, MODEL_KEY, "pass-word", "to-ken") if secret in shown]


def test_secrets_are_hidden_in_details_too() -> None:
    finding = failed("model", "key", why="a key", remedy="no key", given=["key", {"value": "key"}], count=1)
    hidden = finding.without(lambda text: text.replace("key", "[hidden]"))

    assert (hidden.what, hidden.why, hidden.remedy) == ("[hidden]", "a [hidden]", "no [hidden]")
    assert hidden.details == {"given": ["[hidden]", {"value": "[hidden]"}], "count": 1}


async def test_the_program_prints_one_object_and_ends_with_0_where_all_is_well(clinic: Clinic) -> None:
    code, out, err = await run(clinic, "--json")
    told_as: dict[str, Any] = json.loads(out)

    assert (code, err) == (0, "")
    assert told_as["ok"] is True
    assert {finding["status"] for finding in told_as["findings"]} == {"ok", "skipped"}
    assert set(told_as["findings"][0]) == {"name", "status", "what", "why", "remedy", "details", "bot"}


async def test_the_program_ends_with_1_and_says_what_to_do(clinic: Clinic) -> None:
    code, out, err = await run(clinic, OPEN_POKER_API_KEY="key-of-nobody", PROMPT_SET="poetry")
    words = " ".join(out.split())

    assert code == 1
    assert "not fit to play: rest, socket, prompts" in err
    assert "the venue refuses the key" in words
    assert "→ copy the key again from the dashboard" in words
    assert "✓ versions" in words
    assert "key-of-nobody" not in out + err
    assert MODEL_KEY not in out + err


async def test_kernels_without_any_compile_cache_are_told_and_what_needs_them_is_left_out(clinic: Clinic) -> None:
    nowhere = {"NUMBA_CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator", "NUMBA_CACHE_DIR": "/proc/nowhere"}
    code, out, _ = await run(clinic, "--json", **nowhere)
    findings = {finding["name"]: finding for finding in json.loads(out)["findings"]}

    assert code == 1
    assert [name for name, finding in findings.items() if finding["status"] == "failed"] == ["kernels"]
    assert "NUMBA_CACHE_DIR" in findings["kernels"]["remedy"]
    assert findings["model"]["why"] == findings["prompts"]["why"] == "it needs kernels, which failed"


async def test_a_broken_setting_is_a_finding_of_the_program_too(clinic: Clinic) -> None:
    code, out, _ = await run(clinic, "--json", LLM_TIMEOT_S="3")
    told_as = json.loads(out)
    first = told_as["findings"][0]

    assert (code, told_as["ok"]) == (1, False)
    assert (first["name"], first["status"]) == ("environment", "failed")


def test_strangers_text_does_nothing_to_the_terminal() -> None:
    console = Console(width=100, color_system=None)
    with console.capture() as shown:
        console.print(told(failed("rest", "[bold]bad\x1b[31m", why="because", remedy="do this")))
        console.print(conclusion(["ok", "failed"]))

    assert "[bold]bad\\x1b[31m" in shown.get()
    assert "→ do this" in shown.get()
    assert "2 checks: 1 well, 1 failed" in shown.get()
