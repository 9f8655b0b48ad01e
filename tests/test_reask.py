"""A decision asked again: over real HTTP, of the stand-in for a model, from the journal of a demo."""

import asyncio
import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from agent.demo import play_demo
from agent.export.phh import phh_of
from agent.failure import Failure
from agent.journal.reader import DecisionStory, Reader
from agent.llm.modes import Mode
from agent.llm.stand_in import STAND_IN_MODEL, STAND_IN_REASON, StandIn
from agent.poker.spot import Spot
from agent.reask import ReaskOptions, reask
from agent.remembered import spot_of
from agent.settings import Settings, SettingsError
from tests.model_server import environment, model_server

PRICE = """
[[price]]
provider = "custom"
model = "m"
input_usd = 1.0
output_usd = 2.0
date = 2026-01-31
source = "a test"
"""
HANDS = 8


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Spot]]:
    """The journal of some hands in the arena, and the spots that were decided in them."""
    journal, spots = tmp_path_factory.mktemp("demo") / "journal.sqlite3", list[Spot]()
    settings = Settings.load({"JOURNAL_PATH": str(journal)}, Path("/nonexistent/.env"))

    def told(_: int, __: object, decisions: Any) -> None:
        spots.extend(spot for spot, _ in decisions)

    asyncio.run(play_demo(settings, hands=HANDS, seed=1, stand_in=Mode.HEALTHY, on_hand=told))
    return journal, spots


@pytest.fixture
def server() -> Iterator[StandIn]:
    with model_server() as server:
        yield server


def settings_for(server: StandIn, folder: Path, journal: Path, **changes: str) -> Settings:
    told = {**environment(server, folder), "JOURNAL_PATH": str(journal), **changes}
    return Settings.load(told, Path("/nonexistent/.env"))


def stories(journal: Path) -> list[DecisionStory]:
    """All decisions, oldest first."""
    with Reader(journal) as reader:
        return [reader.decision(line.id) for line in reader.decisions(1_000)][::-1]


def asked(
    settings: Settings, capsys: pytest.CaptureFixture[str], *, decision: str = "last", **changes: Any
) -> tuple[dict[str, Any], str]:
    """What is told as JSON, and on the side."""
    options = ReaskOptions(**{"decision": decision, "model": None, "prompt": None, "yes": True, **changes})
    side = StringIO()
    reask(settings, Console(), Console(file=side, width=400), options, as_json=True)
    return json.loads(capsys.readouterr().out), side.getvalue()


def test_every_spot_of_a_demo_is_found_again_as_it_was(played: tuple[Path, list[Spot]]) -> None:
    journal, spots = played
    with Reader(journal) as reader:
        found = [spot_of(story.decision, reader.frames_before(story)) for story in stories(journal)]
    assert len(found) > HANDS
    assert found == spots


def test_every_hand_of_a_demo_is_replayed_by_pokerkit(played: tuple[Path, list[Spot]]) -> None:
    with Reader(played[0]) as reader:
        hands = [reader.hand(line.hand.hand_id, line.run_id).hand for line in reader.hands(HANDS)]
    texts = [phh_of(hand, number) for number, hand in enumerate(hands, 1)]
    assert len(texts) == HANDS


def test_another_model_gets_the_question_word_for_word(
    server: StandIn, tmp_path: Path, played: tuple[Path, list[Spot]], capsys: pytest.CaptureFixture[str]
) -> None:
    told, side = asked(settings_for(server, tmp_path, played[0]), capsys)
    last = stories(played[0])[-1].decision

    assert server.requests == 1
    assert told["question"] == "word for word as it was asked then"
    assert (told["decision"], told["played"]) == (last.id, last.choice)
    assert told["then"] == {
        "model": f"custom/{STAND_IN_MODEL}",
        "prompt": "default",
        "choice": last.choice,
        "reason": STAND_IN_REASON,
        "grounding": "grounded",
        "problem": None,
        "latency_ms": last.attempts[-1].latency_ms,
        "prompt_tokens": last.attempts[-1].prompt_tokens,
        "completion_tokens": last.attempts[-1].completion_tokens,
        "cost_usd": None,
    }
    same = ("choice", "reason", "grounding", "prompt", "prompt_tokens", "completion_tokens")
    assert [told["now"][name] for name in same] == [told["then"][name] for name in same]
    assert told["now"]["model"] == "custom/m"
    assert "custom/m is asked, word for word as it was asked then; what that costs is not known." in side


def test_another_prompt_set_renders_the_spot_anew(
    server: StandIn, tmp_path: Path, played: tuple[Path, list[Spot]], capsys: pytest.CaptureFixture[str]
) -> None:
    told, _ = asked(settings_for(server, tmp_path, played[0]), capsys, prompt="coach")

    assert told["question"].startswith("rendered anew with coach ")
    assert (told["then"]["prompt"], told["now"]["prompt"]) == ("default", "coach")
    assert told["now"]["grounding"] == "grounded"
    assert told["now"]["prompt_tokens"] > told["then"]["prompt_tokens"]


def test_nothing_of_it_is_kept(
    server: StandIn, tmp_path: Path, played: tuple[Path, list[Spot]], capsys: pytest.CaptureFixture[str]
) -> None:
    before = stories(played[0])
    asked(settings_for(server, tmp_path, played[0]), capsys)
    assert stories(played[0]) == before


@pytest.mark.parametrize(
    ("answer", "why", "requests"), [("n\n", "nothing was asked", 0), ("", "add --yes", 0), ("y\n", None, 1)]
)
def test_before_it_may_cost_something_it_waits_for_a_yes(
    server: StandIn,
    tmp_path: Path,
    played: tuple[Path, list[Spot]],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    answer: str,
    why: str | None,
    requests: int,
) -> None:
    monkeypatch.setattr("sys.stdin", StringIO(answer))
    (tmp_path / "prices.toml").write_text(PRICE)
    settings = settings_for(server, tmp_path, played[0], LLM_PRICES=str(tmp_path / "prices.toml"))
    if why is None:
        told, side = asked(settings, capsys, yes=False)
        price = told["now"]["cost_usd"]
        assert price == (told["now"]["prompt_tokens"] + 2 * told["now"]["completion_tokens"]) / 1e6
        most = float(side.partition("costs $")[2].partition(" at most")[0])
        assert 0 < price < most
    else:
        with pytest.raises(Failure, match=why):
            asked(settings, capsys, yes=False)
    assert server.requests == requests


def test_a_free_model_is_asked_without_a_question(
    server: StandIn,
    tmp_path: Path,
    played: tuple[Path, list[Spot]],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.stdin", StringIO(""))
    settings = settings_for(server, tmp_path, played[0], LLM_PROVIDER="ollama")
    told, side = asked(settings, capsys, yes=False)
    assert "; free." in side
    assert told["now"]["model"] == "ollama/m"


def test_an_answer_that_cannot_be_played_is_told_and_fails(
    server: StandIn, tmp_path: Path, played: tuple[Path, list[Spot]], capsys: pytest.CaptureFixture[str]
) -> None:
    for mode, problem in ((Mode.MISREAD, "which is not what you hold"), (Mode.GARBLED, "no complete JSON object")):
        server.mode = mode
        with pytest.raises(Failure, match="no choice that can be played"):
            asked(settings_for(server, tmp_path, played[0]), capsys)
        assert problem in json.loads(capsys.readouterr().out)["now"]["problem"]


def test_whom_to_ask_and_with_what_has_to_be_known(
    server: StandIn, tmp_path: Path, played: tuple[Path, list[Spot]], capsys: pytest.CaptureFixture[str]
) -> None:
    settings = settings_for(server, tmp_path, played[0])
    with pytest.raises(Failure, match="expected PROVIDER/MODEL"):
        asked(settings, capsys, model="gpt")
    with pytest.raises(Failure, match="OPENAI_API_KEY is missing"):
        asked(settings, capsys, model="openai/gpt-5-mini")
    with pytest.raises(Failure, match="there is no prompt set 'poetry'"):
        asked(settings, capsys, prompt="poetry")
    with pytest.raises(SettingsError, match="there is no model to ask"):
        asked(settings.model_copy(update={"llm_provider": None}), capsys)
    assert server.requests == 0


def test_the_difference_is_shown_side_by_side(server: StandIn, tmp_path: Path, played: tuple[Path, list[Spot]]) -> None:
    screen = StringIO()
    settings = settings_for(server, tmp_path, played[0])
    options = ReaskOptions("last", None, None, yes=True)
    reask(settings, Console(file=screen, width=120), Console(file=StringIO()), options, as_json=False)
    lines = [" ".join(line.split()) for line in screen.getvalue().splitlines()]
    last = stories(played[0])[-1].decision

    assert f"Decision {last.id}: {last.choice} was played (llm)" in lines
    assert f"model custom/{STAND_IN_MODEL} custom/m" in lines
    assert f"choice {last.choice} {last.choice}" in lines
    assert f"The same: {last.choice}." in lines
