"""`poker-agent logs`: its filters, pages and errors, on a journal that is written here."""

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, get_args

import pytest
import typer
from typer.testing import CliRunner

from agent.failure import ExitCode, Failure
from agent.filter_options import Position, filtered
from agent.journal.filters import Filter
from agent.journal.writer import Journal
from agent.logs_cli import app
from agent.poker.positions import position_names
from tests.journal.hands import kept, three_handed
from tests.journal.samples import AT, RUN, accepted, decision, hand, send

HANDS = ("h-1", "h-2", "h-3")


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three hands: the model decided in two, and in the last one the rule, on the river."""
    path = tmp_path / "journal.sqlite3"
    with Journal(path, RUN) as journal:
        for number, hand_id in enumerate(HANDS):
            rules = hand_id == "h-3"
            taken = decision(
                hand_id=hand_id,
                street="river" if rules else "flop",
                source="rule" if rules else "llm",
                attempts=() if rules else decision().attempts,
            )
            journal.decision(taken)
            journal.send(send(taken.id))
            journal.outcome(accepted(taken.id))
            journal.hand(hand(hand_id, at=AT + timedelta(minutes=number), position="SB" if rules else "BTN"))
    for name in ("LLM_PROVIDER", "LLM_MODEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("JOURNAL_PATH", str(path))
    monkeypatch.chdir(tmp_path)
    return path


def run(*arguments: str) -> Any:
    """What a command prints as JSON."""
    result = CliRunner().invoke(app, [*arguments, "--json"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def hands_found(*arguments: str) -> list[str]:
    return [line["hand_id"] for line in run(*arguments)]


def test_every_filter_is_an_option_of_lists_statistics_and_exports() -> None:
    asked: list[tuple[Filter, int]] = []
    app = typer.Typer()

    @app.command()
    @filtered
    def count(where: Filter, limit: int = 7) -> None:
        asked.append((where, limit))

    options = "--source rule --model gpt --prompt default --street river --position BTN --opponent Otter --error"
    more = "--min-pot 12.5 --since 3d --search call --hand h-1 --run r-1"
    CliRunner().invoke(app, [*options.split(), *more.split(), "--limit", "3"], catch_exceptions=False)
    CliRunner().invoke(app, [], catch_exceptions=False)
    given = Filter("rule", "gpt", "default", "river", "BTN", "Otter", "h-1", "r-1", True, 12.5, "3d", "call")
    assert asked == [(given, 3), (Filter(), 7)]


@pytest.mark.usefixtures("journal")
@pytest.mark.parametrize(
    ("options", "found"),
    [
        ((), ["h-3", "h-2", "h-1"]),
        (("--source", "rule"), ["h-3"]),
        (("--street", "flop"), ["h-2", "h-1"]),
        (("--position", "SB"), ["h-3"]),
        (("--position", "sb"), ["h-3"]),
        (("--hand", "h-2"), ["h-2"]),
        (("--hand", "#2"), ["h-2"]),
        (("--hand", "2"), ["h-2"]),
        (("--hand", "last"), ["h-3"]),
        (("--model", "GPT-5"), ["h-2", "h-1"]),
        (("--error",), []),
        (("--min-pot", "18.5"), ["h-3", "h-2", "h-1"]),
        (("--min-pot", "18.6"), []),
        (("--search", "pair"), ["h-3", "h-2", "h-1"]),
        (("-n", "2"), ["h-3", "h-2"]),
    ],
)
@pytest.mark.parametrize("what", ["hands", "decisions"])
def test_lists_are_filtered(what: str, options: tuple[str, ...], found: list[str]) -> None:
    assert hands_found(what, *options) == found


@pytest.mark.usefixtures("journal")
@pytest.mark.parametrize("what", ["hands", "decisions"])
def test_the_cursor_of_a_page_leads_to_the_next(what: str) -> None:
    first = run(what, "-n", "2")
    second = run(what, "-n", "2", "--before", first[-1]["cursor"])
    assert [line["hand_id"] for line in first + second] == ["h-3", "h-2", "h-1"]
    assert run(what, "-n", "2", "--before", second[-1]["cursor"]) == []


@pytest.mark.usefixtures("journal")
def test_without_a_subcommand_both_lists_are_filtered() -> None:
    shown = CliRunner().invoke(app, ["--source", "floor"], catch_exceptions=False).output
    assert shown.split("\n")[:3] == ["No hand matches these filters.", "", "No decision matches these filters."]


@pytest.mark.usefixtures("journal")
def test_filters_before_a_subcommand_are_not_lost_without_a_word() -> None:
    with pytest.raises(Failure, match="write the filters behind hands"):
        run("--source", "floor", "hands")


def test_a_hand_is_found_by_the_end_of_its_id_and_by_last(journal: Path) -> None:
    with Journal(journal, replace(RUN, id="01M8MZP195C3AY02X4MG88R9KV")) as writing:
        writing.hand(kept(three_handed()))
    assert run("hand", "393d52c7")["hand"]["hand_id"] == "b7e0aaaa-393d52c7"
    assert run("hand", "last")["hand"]["hand_id"] == "h-3"
    for number in ("#1", "1"):
        assert run("hand", number)["hand"]["hand_id"] == "b7e0aaaa-393d52c7"
    told = CliRunner().invoke(app, ["hand", "393d52c7"], catch_exceptions=False).output
    assert "Otter raises to 60 (80% of the pot)" in told


@pytest.mark.usefixtures("journal")
def test_a_hand_that_the_shell_took_for_a_comment_is_asked_for() -> None:
    with pytest.raises(Failure, match=r"which one\? 7 or '#7' .*quotes, as a shell takes # for a comment") as failure:
        CliRunner().invoke(app, ["hand"], catch_exceptions=False)
    assert failure.value.exit_code == ExitCode.UNUSABLE


@pytest.mark.usefixtures("journal")
def test_statistics_are_of_what_the_filters_let_through() -> None:
    assert run("stats")["total"]["hands"] == 3
    assert run("stats", "--source", "rule")["total"]["hands"] == 1
    assert run("stats", "--source", "rule")["sources"] == {"rule": 1}
    assert "No hand and no decision" in CliRunner().invoke(app, ["stats", "--street", "turn"]).output


@pytest.mark.usefixtures("journal")
@pytest.mark.parametrize(
    "options", [("--street", "fifth"), ("--source", "me"), ("--min-pot", "-1"), ("--position", "nowhere")]
)
def test_a_filter_that_cannot_be_says_what_can(options: tuple[str, ...]) -> None:
    result = CliRunner().invoke(app, ["decisions", *options])
    assert result.exit_code == 2


@pytest.mark.usefixtures("journal")
@pytest.mark.parametrize("number", ["0", "1000001", "9223372036854775808", "99999999999999999999"])
@pytest.mark.parametrize("what", ["hands", "decisions", "opponents"])
def test_a_number_of_rows_that_cannot_be_says_what_can(what: str, number: str) -> None:
    result = CliRunner().invoke(app, [what, "-n", number])
    assert result.exit_code == 2
    assert "Invalid value for" in result.output


@pytest.mark.usefixtures("journal")
def test_hands_are_listed_with_their_numbers() -> None:
    assert [(line["hand_id"], line["number"]) for line in run("hands")] == [("h-3", 3), ("h-2", 2), ("h-1", 1)]
    assert "#3" in CliRunner().invoke(app, ["hands"], catch_exceptions=False).output


def test_every_position_that_a_seat_can_have_can_be_asked_for() -> None:
    known = {
        name
        for count in range(2, 7)
        for big_blind in (None, 1)
        for name in position_names(tuple(range(count)), 0, big_blind if count == 2 else None).values()
    }
    assert known == set(get_args(Position))
