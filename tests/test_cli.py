import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from agent.arena.arena import Arena
from agent.arena.house.player import house_player
from agent.arena.settings import ArenaSettings
from agent.journal.schema import open_for_writing
from tests.openpoker.script import Script

PROGRAM = [sys.executable, "-c", "from agent.cli import main; main()"]


def environment(folder: Path, **changes: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("LLM_", "OPEN_POKER_", "EQUITY_", "JOURNAL_"))}
    return {**kept, "JOURNAL_PATH": str(folder / "journal.sqlite3"), "COLUMNS": "160", **changes}


def run(folder: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run the program in `folder`, where no `.env` is."""
    return subprocess.run(
        [*PROGRAM, *arguments],
        cwd=folder,
        env=environment(folder, **environ),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def recording(folder: Path, *, broken: bool = False) -> Path:
    """A hand of this project's own, in the form of a recorded session."""
    script = Script()
    frames = [*script.to_first_prompt()]
    if broken:
        frames[3] = {**frames[3], "pot": 31}
    answer = {"type": "action", "hand_id": "h-1", "action": "fold", "turn_token": "token-1", "client_action_id": "c"}
    lines = [{"t": i, "dir": "in", "msg": frame} for i, frame in enumerate(frames)]
    lines.append({"t": 50, "dir": "out", "msg": answer})
    lines.append({"t": 51, "dir": "in", "msg": script.action(0, "fold")})
    lines.append({"t": 52, "dir": "in", "msg": script.snapshot("idle", None)})
    lines.append({"t": 53, "dir": "in", "msg": script.hand_result({0: 1_980, 2: 2_430, 4: 1_490})})
    file = folder / "session.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file


def test_the_demo_ends_with_one_line_of_json_and_the_journal_can_be_read(tmp_path: Path) -> None:
    demo = run(tmp_path, "demo", "--hands", "3", "--seed", "1", "--json")
    result = json.loads(demo.stdout.splitlines()[-1])

    assert demo.returncode == 0
    assert result["hands"] == 3
    assert {
        "hands",
        "turns",
        "actions_sent",
        "missed_turns",
        "rejected",
        "double_actions",
        "by_source",
        "net_chips",
        "net_bb_per_100",
        "llm_calls",
        "journal",
        "seconds",
    } <= set(result)

    assert len(json.loads(run(tmp_path, "logs", "hands", "--json").stdout)) == 3
    listed = json.loads(run(tmp_path, "logs", "decisions", "--json").stdout)
    assert len(listed) == result["turns"]
    met = json.loads(run(tmp_path, "logs", "opponents", "--name", "OTTER", "--json").stdout)
    assert [(player["bot"], player["name"], player["hands"]) for player in met] == [("Heron", "Otter", 3)]
    shown = run(tmp_path, "logs", "show", "last")
    assert "Equity" in shown.stdout
    assert "accepted" in shown.stdout


def test_a_recorded_demo_replays_with_every_hash_right(tmp_path: Path) -> None:
    run(tmp_path, "demo", "--hands", "4")
    file = tmp_path / "recorded.jsonl"
    file.write_text(run(tmp_path, "logs", "recording").stdout, encoding="utf-8")
    found = json.loads(run(tmp_path, "frames", str(file), "--json").stdout)

    assert (len(found["hands"]), found["problems"]) == (4, [])
    assert found["hashes_matched"] == found["hashes_checked"] > 20
    assert all(prompt["sent"] for prompt in found["prompts"])


def test_a_demo_whose_journal_loses_rows_does_not_claim_that_all_is_there(tmp_path: Path) -> None:
    with closing(open_for_writing(tmp_path / "journal.sqlite3")) as connection:
        connection.execute("CREATE TRIGGER refuse BEFORE INSERT ON frame BEGIN SELECT RAISE(ABORT, 'no frames'); END")
    shown = run(tmp_path, "demo", "--hands", "3")
    result = json.loads(run(tmp_path, "demo", "--hands", "3", "--json").stdout.splitlines()[-1])
    words = " ".join(shown.stdout.split())

    assert (shown.returncode, shown.stdout.count("#")) == (0, 3)
    assert re.search(
        r"Journal rows lost \d{3,} (\d+) rows of the journal were lost: not everything is in .*3\. Why", words
    )
    assert "Every prompt" not in words
    assert "JOURNAL LOSES ROWS" in shown.stderr
    assert result["journal_rows_lost"] > 100


def test_the_demo_prints_a_line_a_hand_and_a_summary(tmp_path: Path) -> None:
    shown = run(tmp_path, "demo", "--hands", "3").stdout

    assert all(f"#{number}" in shown for number in (1, 2, 3))
    assert "(llm)" in shown
    assert "stand-in-no-language-model" in shown
    assert "Chips conserved" in shown


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({"LLM_PROVIDER": "gpt"}, "LLM_PROVIDER: 'gpt' cannot be used: must be one of"),
        ({"LLM_TIMEOT_S": "3"}, "LLM_TIMEOT_S: unknown variable; did you mean LLM_TIMEOUT_S?"),
        ({"LLM_PROVIDER": "openai", "LLM_API_KEY": "sk-1234567"}, "LLM_MODEL is missing"),
        ({"PROMPT_SET": "poetry"}, "there is no prompt set"),
        ({"JOURNAL_PATH": "/"}, "JOURNAL_PATH must name a file"),
    ],
)
def test_a_bad_environment_ends_with_a_message_and_code_2(
    tmp_path: Path, environ: dict[str, str], message: str
) -> None:
    failed = run(tmp_path, "demo", "--hands", "1", **environ)

    assert failed.returncode == 2
    assert message in " ".join(failed.stderr.split())
    assert "Traceback" not in failed.stderr
    assert "1234567" not in failed.stdout + failed.stderr


def test_playing_without_a_key_says_which_variable_and_where_to_get_one(tmp_path: Path) -> None:
    failed = run(tmp_path, "play", LLM_PROVIDER="none")

    assert failed.returncode == 2
    assert "OPEN_POKER_API_KEY is not set" in failed.stderr
    assert "https://openpoker.ai" in failed.stderr


def test_playing_without_a_provider_says_how_to_choose_one(tmp_path: Path) -> None:
    failed = run(tmp_path, "play", OPEN_POKER_API_KEY="op-1234567")

    assert failed.returncode == 2
    assert "LLM_PROVIDER is not set" in failed.stderr


def test_logs_without_a_journal_say_how_to_make_one(tmp_path: Path) -> None:
    failed = run(tmp_path, "logs")

    assert failed.returncode == 2
    assert "poker-agent demo" in failed.stderr


def test_a_recording_is_replayed_with_its_hashes_its_hand_and_our_decision(tmp_path: Path) -> None:
    shown = run(tmp_path, "frames", str(recording(tmp_path)))

    assert shown.returncode == 0, shown.stderr
    assert "4 of 4 state hashes match" in shown.stdout
    assert "facing 30 into 80, 1 raise in front" in shown.stdout
    assert "sent then: fold" in shown.stdout
    assert "net -20" in shown.stdout


def test_a_recording_as_json_names_the_spot(tmp_path: Path) -> None:
    (prompt,) = json.loads(run(tmp_path, "frames", str(recording(tmp_path)), "--json").stdout)["prompts"]

    assert (prompt["seat"], prompt["to_call_chips"], prompt["pot_chips"]) == (0, 30, 80)
    assert prompt["facts"]["hole_cards"] == "QsJd"
    assert prompt["source"] == "rule"


def test_a_recording_with_a_wrong_hash_and_broken_lines_fails_and_says_where(tmp_path: Path) -> None:
    file = recording(tmp_path, broken=True)
    file.write_text(file.read_text(encoding="utf-8") + "{oops\n[]\n", encoding="utf-8")
    failed = run(tmp_path, "frames", str(file))

    assert failed.returncode == 1
    assert "line 4: the state_hash of table_state does not match" in failed.stderr
    assert "line 14: " in failed.stderr
    assert "line 15: " in failed.stderr


@pytest.mark.parametrize(
    "line",
    [
        '{"msg":' * 50_000,
        '{"msg": {"type": "table_state", "state_hash": "x", "a": ' + "[" * 900 + "]" * 900 + "}}",
        '{"msg": 7}',
        '{"msg": null}',
        "\x00\xff",
    ],
)
def test_a_recording_of_anything_is_no_traceback(tmp_path: Path, line: str) -> None:
    file = tmp_path / "odd.jsonl"
    file.write_text(line + "\n", encoding="utf-8")
    failed = run(tmp_path, "frames", str(file))

    assert failed.returncode == 1
    assert "Traceback" not in failed.stderr
    assert "line 1: " in failed.stderr


def test_a_snapshot_without_a_type_in_a_recording_is_a_problem_and_no_traceback(tmp_path: Path) -> None:
    file = tmp_path / "odd.jsonl"
    response = {"type": "resync_response", "table_id": "T", "role": "player", "snapshot": {"state_hash": "sha256:00"}}
    file.write_text("\ufeff" + json.dumps(response) + "\n", encoding="utf-8")
    failed = run(tmp_path, "frames", str(file))

    assert failed.returncode == 1
    assert "line 1: the state_hash of None does not match" in failed.stderr


async def test_play_meets_our_own_arena_and_leaves_on_ctrl_c(tmp_path: Path) -> None:
    house = tuple((f"House {i}", house_player("calling_station")) for i in range(2))
    dealt = asyncio.Event()
    settings = ArenaSettings(seed=3, between_hands_s=0.05, max_messages_per_s=None)
    async with Arena(settings, house=house, accounts={"op-key-1234": "Heron"}, on_hand=lambda _: dealt.set()) as arena:
        environ = environment(
            tmp_path,
            OPEN_POKER_API_KEY="op-key-1234",
            OPEN_POKER_WS_URL=arena.ws_url,
            OPEN_POKER_API_URL=arena.api_url,
            LLM_PROVIDER="none",
        )
        program = await asyncio.create_subprocess_exec(
            *PROGRAM, "play", cwd=tmp_path, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        await asyncio.wait_for(dealt.wait(), 60)
        program.send_signal(signal.SIGINT)
        out, err = await asyncio.wait_for(program.communicate(), 30)
        stats = arena.stats("Heron")

    assert program.returncode == 0, err.decode()
    assert "#1" in out.decode()
    assert "left the table" in err.decode()
    assert (stats.timeouts, stats.rejected, stats.repeated) == (0, 0, 0)
    assert b"op-key-1234" not in out + err
