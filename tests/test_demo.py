import asyncio
import json
import re
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest
from aiohttp import web

from agent.demo import DemoResult, play_demo
from agent.journal.reader import DecisionLine, Reader
from agent.journal.schema import open_for_writing
from agent.llm.modes import Mode
from agent.llm.stand_in import STAND_IN_MODEL, StandIn
from agent.openpoker.table import HandSummary
from agent.openpoker.vocabulary import news_in
from agent.player import Decisions
from agent.settings import Settings


def demo(
    folder: Path, *, hands: int = 12, seed: int = 1, stand_in: Mode = Mode.HEALTHY, **environ: str
) -> tuple[DemoResult, list[DecisionLine], list[tuple[int, HandSummary, Decisions]]]:
    """Play a demo into a journal of its own: what it came to, the journal's decisions, and the hands as told."""
    journal, told = folder / "journal.sqlite3", list[tuple[int, HandSummary, Decisions]]()
    settings = Settings.load({"JOURNAL_PATH": str(journal), **environ}, Path("/nonexistent/.env"))
    result = asyncio.run(
        play_demo(settings, hands=hands, seed=seed, stand_in=stand_in, on_hand=lambda *hand: told.append(hand))
    )
    with Reader(journal) as reader:
        return result, reader.decisions(10_000)[::-1], told


def refuse_frames(journal: Path) -> None:
    """Make a journal that takes everything but frames."""
    with closing(open_for_writing(journal)) as connection:
        connection.execute("CREATE TRIGGER refuse BEFORE INSERT ON frame BEGIN SELECT RAISE(ABORT, 'no frames'); END")


def plays(decisions: list[DecisionLine]) -> list[tuple[str, str, str, int | None, str]]:
    return [(d.hand_id, d.hole_cards, d.action, d.raise_to_chips, d.source) for d in decisions]


def clean(result: DemoResult) -> bool:
    faults = (result.missed_turns, result.rejected, result.double_actions, result.journal_rows_lost)
    return not any(faults) and result.chips_conserved


def test_every_turn_is_answered_by_the_healthy_stand_in(tmp_path: Path) -> None:
    result, decisions, told = demo(tmp_path, hands=25)

    assert clean(result)
    assert (result.hands, len(told)) == (25, 25)
    assert result.turns == result.actions_sent == len(decisions) == result.by_source["llm"] == result.llm_calls > 25
    assert result.net_chips == sum(summary.net_chips or 0 for _, summary, _ in told)
    assert result.net_bb_per_100 == round(result.net_chips / 20 / 25 * 100, 2)


def test_the_same_seed_gives_the_same_cards_and_actions(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "c").mkdir()
    first, again = demo(tmp_path / "a", seed=5), demo(tmp_path / "b", seed=5)
    other = demo(tmp_path / "c", seed=6)

    assert plays(first[1]) == plays(again[1])
    assert first[0].net_chips == again[0].net_chips
    assert [s.hole_cards for _, s, _ in first[2]] != [s.hole_cards for _, s, _ in other[2]]


def test_the_same_seed_gives_the_same_actions_whoever_was_met_before(tmp_path: Path) -> None:
    (first, plays_first, _), (again, both, _) = (
        demo(tmp_path, hands=25, seed=5, LLM_PROVIDER="none", FALLBACK="policy") for _ in range(2)
    )
    with Reader(tmp_path / "journal.sqlite3") as reader:
        met = reader.opponents()

    assert plays(both) == plays(plays_first) * 2
    assert (again.net_chips, again.by_source) == (first.net_chips, first.by_source)
    assert (len(met), {line.opponent.hands for line in met}) == (5, {25}), "the second demo's own"


def test_rows_that_the_journal_loses_are_told_again_and_again_and_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    refuse_frames(tmp_path / "journal.sqlite3")
    result, decisions, told = demo(tmp_path, hands=12)

    said = [int(found[1]) for message in caplog.messages if (found := re.search(r"ROWS: (\d+) so far, after", message))]
    assert len(told) == 12
    assert len(decisions) == result.turns > 0
    assert len(said) >= 2
    assert all(later >= 2 * earlier for earlier, later in pairwise(said))
    assert 100 < said[-1] <= result.journal_rows_lost


def test_a_silent_model_leaves_every_turn_to_the_rule(tmp_path: Path) -> None:
    result, decisions, _ = demo(tmp_path, hands=15, stand_in=Mode.SILENT, LLM_TIMEOUT_S="0.2")

    assert clean(result)
    assert result.by_source == {"llm": 0, "repaired": 0, "policy": 0, "rule": result.turns, "floor": 0}
    assert {d.choice for d in decisions} <= {"fold", "check", "call", "all_in"}
    assert result.llm_calls == 3


@pytest.mark.parametrize(
    ("mode", "source"),
    [
        (Mode.FENCED, "llm"),
        (Mode.THINKING, "llm"),
        (Mode.PROSE, "llm"),
        (Mode.BAD_PARAMETER, "llm"),
        (Mode.ILLEGAL, "rule"),
        (Mode.GARBLED, "rule"),
        (Mode.EMPTY, "rule"),
        (Mode.SERVER_ERROR, "rule"),
        (Mode.UNAUTHORIZED, "rule"),
        (Mode.RESET, "rule"),
        (Mode.DRIP, "rule"),
    ],
)
def test_whatever_the_model_does_no_turn_is_missed(tmp_path: Path, mode: Mode, source: str) -> None:
    result, _, _ = demo(tmp_path, hands=5, stand_in=mode, LLM_TIMEOUT_S="12" if source == "llm" else "0.3")

    assert clean(result)
    assert result.by_source[source] == result.turns > 0


def test_the_environments_model_is_used_when_one_is_set(tmp_path: Path) -> None:
    async def against_a_server_of_our_own() -> tuple[DemoResult, int]:
        async with StandIn() as server:
            environ = {"LLM_PROVIDER": "custom", "LLM_BASE_URL": server.base_url, "LLM_API_KEY": "key-12345678"}
            environ |= {"LLM_MODEL": STAND_IN_MODEL, "JOURNAL_PATH": str(tmp_path / "journal.sqlite3")}
            settings = Settings.load(environ, Path("/nonexistent/.env"))
            result = await play_demo(settings, hands=5, seed=1, stand_in=Mode.SILENT, on_hand=lambda *_: None)
            return result, server.requests

    result, requests = asyncio.run(against_a_server_of_our_own())

    assert requests - 1 == result.llm_calls == result.turns == result.by_source["llm"], "it is asked once before play"
    assert b"12345678" not in (tmp_path / "journal.sqlite3").read_bytes()


def test_with_the_provider_none_the_rule_plays_alone(tmp_path: Path) -> None:
    result, _, _ = demo(tmp_path, hands=5, LLM_PROVIDER="none")

    assert (result.llm_calls, result.by_source["rule"], result.model) == (0, result.turns, "none")


def test_a_decision_can_be_read_whole_afterwards(tmp_path: Path) -> None:
    _, decisions, _ = demo(tmp_path, hands=5)
    with Reader(tmp_path / "journal.sqlite3") as reader:
        story = reader.decision(decisions[0].id[-8:])
    (attempt,) = story.decision.attempts
    prompt = attempt.messages[-1][1]

    assert [role for role, _ in attempt.messages] == ["system", "user"]
    assert f"Equity: {story.decision.facts['equity']['equity']:.3f}" in prompt
    assert "Trial report: " in prompt
    assert attempt.reply_text is not None
    assert story.decision.choice in attempt.reply_text
    assert [(send.error, send.frame["client_action_id"]) for send in story.sends] == [(None, story.decision.id)]
    assert [outcome.status for outcome in story.outcomes] == ["accepted"]
    assert story.hand is not None
    assert story.hand.complete


def test_the_arena_says_nothing_that_the_venues_vocabulary_does_not_hold(tmp_path: Path) -> None:
    demo(tmp_path, hands=10)
    with Reader(tmp_path / "journal.sqlite3") as reader:
        received = [line["msg"] for line in reader.recording() if line["dir"] == "in"]

    assert len(received) > 100
    assert frozenset[str]().union(*map(news_in, received)) == frozenset()


def test_a_model_that_is_silent_until_the_turns_deadline_leaves_it_to_the_rule(tmp_path: Path) -> None:
    result, decisions, _ = demo(
        tmp_path,
        hands=6,
        stand_in=Mode.SILENT,
        OPEN_POKER_CLOCK_S="2",
        OPEN_POKER_MARGIN_S="1",
        LLM_TIMEOUT_S="12",
    )

    assert clean(result)
    assert result.by_source["rule"] == result.turns == len(decisions)
    assert result.llm_calls == 3


def test_a_key_that_comes_back_in_a_reply_is_not_kept(tmp_path: Path) -> None:
    async def echo(request: web.Request) -> web.Response:
        reason = request.headers["Authorization"]
        message = {"role": "assistant", "content": json.dumps({"id": "fold", "reason": reason})}
        return web.json_response({"choices": [{"message": message, "finish_reason": "stop"}], "model": reason})

    async def against_the_echo() -> DemoResult:
        application = web.Application()
        application.router.add_post("/v1/chat/completions", echo)
        runner = web.AppRunner(application)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        environ = {"LLM_PROVIDER": "custom", "LLM_BASE_URL": f"http://127.0.0.1:{runner.addresses[0][1]}/v1"}
        environ |= {"LLM_API_KEY": "key-12345678", "LLM_MODEL": "echo", "JOURNAL_PATH": str(tmp_path / "j.sqlite3")}
        settings = Settings.load(environ, Path("/nonexistent/.env"))
        try:
            return await play_demo(settings, hands=5, seed=1, stand_in=Mode.HEALTHY, on_hand=lambda *_: None)
        finally:
            await runner.cleanup()

    result = asyncio.run(against_the_echo())

    assert result.by_source["llm"] > 0
    assert b"12345678" not in (tmp_path / "j.sqlite3").read_bytes()
    with Reader(tmp_path / "j.sqlite3") as reader:
        assert "[hidden]" in (reader.decision("last").decision.model_reason or "")


def test_the_environments_model_is_asked_before_play_and_the_day_s_cap_counts_earlier_demos(tmp_path: Path) -> None:
    usage = {"prompt_tokens": 1_000, "completion_tokens": 100}
    asked: list[str] = []

    async def answer(request: web.Request) -> web.Response:
        asked.append((await request.json())["messages"][-1]["content"])
        message = {"role": "assistant", "content": '{"id": "fold"}'}
        return web.json_response({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage})

    async def against_the_server() -> None:
        application = web.Application()
        application.router.add_post("/v1/chat/completions", answer)
        runner = web.AppRunner(application, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        host, port = runner.addresses[0][:2]
        environ = {
            "LLM_PROVIDER": "openai",
            "LLM_MODEL": "gpt-4o",
            "OPENAI_API_KEY": "sk-fake-for-tests",
            "LLM_BASE_URL": f"http://{host}:{port}/v1",
            "LLM_CAP_DAY_USD": "0.12",
            "LLM_LEARNED_PATH": str(tmp_path / "learned.json"),
            "JOURNAL_PATH": str(tmp_path / "journal.sqlite3"),
        }
        settings = Settings.load(environ, Path("/nonexistent/.env"))
        for _ in range(2):
            await play_demo(settings, hands=12, seed=1, stand_in=Mode.HEALTHY, on_hand=lambda *_: None)
            counts.append(len(asked))
        await runner.cleanup()

    counts: list[int] = []
    asyncio.run(against_the_server())
    assert "Echo: hand" in asked[0]
    assert asked[0].startswith("You hold A♠ A♥ and checking is free.")
    first, second = counts[0], counts[1] - counts[0]
    assert second < first
