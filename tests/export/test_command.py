"""`poker-agent logs export`: what is written where, and what is said about it."""

import csv
import json
import os
import sqlite3
import subprocess
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from pokerkit import HandHistory
from rich.console import Console

from agent.export.command import ExportOptions, export
from agent.export.formats import Format
from agent.export.redacted import hashed
from agent.failure import Failure
from agent.journal.filters import Filter
from agent.journal.reader import Reader
from agent.journal.schema import JournalError
from agent.journal.writer import Journal
from agent.settings import Settings
from tests.journal.hands import kept, three_handed
from tests.journal.samples import AT, FIRST, RUN, accepted, decision, send
from tests.test_cli import PROGRAM, environment

HANDS = 5
KEY = "op-secret-1234"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """The settings of a journal with five whole hands, one of them seen in part, and a decision in each."""
    path = tmp_path / "journal.sqlite3"
    with Journal(path, RUN) as journal:
        for number in range(HANDS):
            taken = decision(hand_id=f"h-{number}", model_reason="=1+1" if number == 0 else "top pair")
            journal.decision(taken)
            journal.send(send(taken.id))
            journal.outcome(accepted(taken.id))
            hand = replace(kept(three_handed()), hand_id=f"h-{number}", at=AT + timedelta(minutes=number))
            journal.hand(replace(hand, complete=number != 3))
    return Settings.load({"JOURNAL_PATH": str(path), "OPEN_POKER_API_KEY": KEY}, env_file=tmp_path / "none")


def told(settings: Settings, form: Format, to: Path | None = None, **changes: object) -> str:
    """What is said on the side while it is exported."""
    words = StringIO()
    options = replace(ExportOptions(form, Filter(), None, to, redact=False), **changes)  # type: ignore[arg-type]
    export(settings, Console(file=words, width=400), options)
    return words.getvalue().strip()


def test_a_phhs_file_holds_all_whole_hands_and_the_others_are_counted(settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "hands.phhs"
    assert told(settings, Format.PHH, file) == f"{file}: 4 hands, and 1 left out: 1 where a part was not seen"
    with file.open("rb") as opened:
        histories = list(HandHistory.load_all(opened))
    assert [history.hand for history in histories] == [1, 2, 3, 4]
    assert [list(history)[-1].stacks for history in histories] == [history.finishing_stacks for history in histories]


def test_a_folder_holds_a_phh_file_for_each_hand(settings: Settings, tmp_path: Path) -> None:
    folder = tmp_path / "hands"
    told(settings, Format.PHH, folder)
    assert sorted(file.name for file in folder.iterdir()) == ["h-0.phh", "h-1.phh", "h-2.phh", "h-4.phh"]
    with (folder / "h-2.phh").open("rb") as opened:
        history = HandHistory.load(opened)
    assert list(history)[-1].stacks == history.finishing_stacks == [2_180, 1_980, 1_340]


def test_a_phh_file_takes_one_hand(settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "one.phh"
    told(settings, Format.PHH, file, where=Filter(hand="h-2"))
    with file.open("rb") as opened:
        assert HandHistory.load(opened).user_defined_fields["_hand_id"] == "h-2"
    with pytest.raises(Failure, match="takes one hand"):
        told(settings, Format.PHH, file)


def contents(folder: Path) -> dict[str, str]:
    return {str(file.relative_to(folder)): file.read_text("utf-8") for file in folder.rglob("*") if file.is_file()}


def test_a_refused_export_leaves_the_file_as_it_was(settings: Settings, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    (folder / "one.phh").write_text("mine")
    for where, why in ((Filter(), "takes one hand"), (Filter(hand="nobody's"), "Nothing is written")):
        with pytest.raises(Failure, match=why):
            told(settings, Format.PHH, folder / "one.phh", where=where)
    with pytest.raises(JournalError):
        told(settings, Format.CSV, folder / "new.csv", decision="nobody's")
    assert contents(folder) == {"one.phh": "mine"}
    assert [place.name for place in folder.iterdir()] == ["one.phh"]


def test_a_refused_export_makes_no_folder(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(Failure, match="takes one hand"):
        told(settings, Format.PHH, tmp_path / "no" / "such" / "one.phh")
    with pytest.raises(JournalError):
        told(settings, Format.PHH, tmp_path / "no" / "such" / "hands", where=Filter(hand="#99"))
    for form in (Format.CSV, Format.JSONL, Format.HTML):
        with pytest.raises(JournalError):
            told(settings, form, tmp_path / "no" / "such" / "folder", decision="nobody's")
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize("form", [Format.PHH, Format.JSONL, Format.CSV])
def test_an_export_that_breaks_off_half_way_leaves_nothing(settings: Settings, tmp_path: Path, form: Format) -> None:
    with closing(sqlite3.connect(settings.journal_path)) as file, file:
        # Ids that are no text, of which the decision's is the last.
        file.execute("UPDATE decision SET id = CAST(x'2dff' AS TEXT) WHERE hand_id = 'h-1'")
        file.execute("UPDATE hand SET hand_id = CAST(x'ff' AS TEXT) WHERE hand_id = 'h-1'")
    for target in (tmp_path / "new" / "export.out", tmp_path / "new" / "folder"):
        with pytest.raises(JournalError):
            told(settings, form, target, page_rows=1)
        assert not (tmp_path / "new").exists()


def damage(settings: Settings, *statements: str) -> None:
    """Change rows of the hand `h-1` as no program of ours does."""
    with closing(sqlite3.connect(settings.journal_path)) as file, file:
        for statement in statements:
            assert file.execute(f"UPDATE {statement} WHERE hand_id = 'h-1'").rowcount


HAND_DAMAGES = (
    "hand SET board = 'ZzXx'",
    "hand SET hole_cards = 'ZzXx'",
    'hand SET shown = \'{"2": "Q"}\'',
    "hand SET result = '{'",
    "hand SET result = '[1]'",
    'hand SET actions = \'[[0, "preflop", "dance", 1, 2]]\'',
    "hand SET actions = '[7]'",
    "hand SET blinds = '{\"small\": 10}'",
    "hand SET at = 'yesterday'",
    "hand SET table_id = CAST(x'ff' AS TEXT)",
    "hand_player SET start_chips = 'many'",
)
DECISION_DAMAGES = (
    "decision SET facts = '{'",
    "decision SET menu = x'00'",
    "decision SET at = 'yesterday'",
    "decision SET reason = CAST(x'ff' AS TEXT)",
    "decision SET run_id = 'nobody'",
    "hand SET result = '{'",
    "hand SET at = 'yesterday'",
)


@pytest.mark.parametrize("redact", [False, True])
@pytest.mark.parametrize("change", HAND_DAMAGES)
def test_a_damaged_hand_is_counted_and_the_others_get_out(
    settings: Settings, tmp_path: Path, change: str, redact: bool
) -> None:
    damage(settings, change)
    file = tmp_path / "hands.phhs"
    said = told(settings, Format.PHH, file, redact=redact)
    assert said.startswith(f"{file}: 3 hands, and 2 left out: 1 where ")
    assert "1 where a part is damaged" in said
    with file.open("rb") as opened:
        assert [history.hand for history in HandHistory.load_all(opened)] == [1, 2, 3]


@pytest.mark.parametrize("form", [Format.JSONL, Format.CSV])
@pytest.mark.parametrize("change", DECISION_DAMAGES)
def test_a_damaged_decision_is_counted_and_the_others_get_out(
    settings: Settings, tmp_path: Path, form: Format, change: str
) -> None:
    damage(settings, change)
    file = tmp_path / "decisions.out"
    assert told(settings, form, file) == f"{file}: 4 decisions, and 1 left out: 1 where a part is damaged"
    text = file.read_text("utf-8")
    assert [name for name in ("h-0", "h-1", "h-2", "h-3", "h-4") if name in text] == ["h-0", "h-2", "h-3", "h-4"]


@pytest.mark.parametrize("form", [Format.JSONL, Format.CSV])
def test_names_that_are_none_keep_a_decision_from_being_redacted(
    settings: Settings, tmp_path: Path, form: Format
) -> None:
    damage(settings, "decision SET names = '[\"Otter\"]'")
    file = tmp_path / "decisions.out"
    assert "4 decisions, and 1 left out" in told(settings, form, file, redact=True)
    assert "Otter" not in file.read_text("utf-8")


@pytest.mark.parametrize("change", [*DECISION_DAMAGES, "decision SET policy = '[1]'"])
def test_a_damaged_decision_makes_no_page_and_no_traceback(settings: Settings, tmp_path: Path, change: str) -> None:
    with Reader(settings.journal_path) as reader:
        (only,) = reader.decisions(where=Filter(hand="h-1"))
    damage(settings, change)
    for chosen in ({"decision": only.id}, {"where": Filter(hand="h-1")}):
        with pytest.raises((Failure, JournalError)):
            told(settings, Format.HTML, tmp_path / "page.html", **chosen)
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize("form", list(Format))
@pytest.mark.parametrize("name", ["export.out", "folder", None])
def test_where_nothing_matches_nothing_is_written(
    settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str], form: Format, name: str | None
) -> None:
    to = None if name is None else tmp_path / name
    with pytest.raises(Failure, match=r"No (hand|decision) matches these filters|no decision matches these filters"):
        told(settings, form, to, where=Filter(source="floor"))
    assert to is None or not to.exists()
    assert capsys.readouterr().out == ""


def test_where_every_hand_is_left_out_it_is_said_why(settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "hands.phhs"
    file.write_text("mine")
    with pytest.raises(Failure, match="Nothing is written, and 1 left out: 1 where a part was not seen"):
        told(settings, Format.PHH, file, where=Filter(hand="h-3"))
    assert file.read_text() == "mine"


@pytest.mark.parametrize("arguments", ["logs", "logs export --format csv", "logs export --format phh --hand h-1"])
def test_a_reader_who_has_had_enough_is_told_nothing(settings: Settings, arguments: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with closing(os.fdopen(writing, "w")) as nobody:
        ended = subprocess.run(
            [*PROGRAM, *arguments.split()],
            env=environment(settings.journal_path.parent),
            stdout=nobody,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
        )
    assert (ended.returncode, ended.stderr) == (1, "")


def test_folders_that_are_missing_are_made(settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "no" / "such" / "all.csv"
    assert told(settings, Format.CSV, file) == f"{file}: 5 decisions"
    assert contents(tmp_path / "no").keys() == {"such/all.csv"}


def test_an_export_takes_the_place_of_the_one_before(settings: Settings, tmp_path: Path) -> None:
    file, link = tmp_path / "real.csv", tmp_path / "link.csv"
    file.write_text("old")
    file.chmod(0o600)
    link.symlink_to(file)
    told(settings, Format.CSV, link)
    assert link.is_symlink()
    assert file.read_text("utf-8").startswith("id,")
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_device_is_written_as_it_is(settings: Settings) -> None:
    assert told(settings, Format.CSV, Path("/dev/null")) == "/dev/null: 5 decisions"
    for form in (Format.PHH, Format.JSONL, Format.CSV):
        with pytest.raises(Failure, match="cannot be written: /dev/full: No space left on device"):
            told(settings, form, Path("/dev/full"))


def test_the_file_in_a_folder_is_named(settings: Settings, tmp_path: Path) -> None:
    assert told(settings, Format.CSV, tmp_path) == f"{tmp_path / 'decisions.csv'}: 5 decisions"
    assert told(settings, Format.JSONL, tmp_path) == f"{tmp_path / 'decisions.jsonl'}: 5 decisions"
    assert told(settings, Format.HTML, tmp_path, decision="last").startswith(f"{tmp_path / 'decision-'}")


def test_the_last_hand_and_a_numbered_one_are_exported(settings: Settings, tmp_path: Path) -> None:
    for name, hand_id in (("last", "h-4"), ("#2", "h-1")):
        told(settings, Format.PHH, tmp_path / "one.phh", where=Filter(hand=name))
        assert f"'{hand_id}'" in (tmp_path / "one.phh").read_text("utf-8")


def test_json_lines_hold_everything_of_each_decision(settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    assert told(settings, Format.JSONL, file) == f"{file}: 5 decisions"
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert [line["decision"]["hand_id"] for line in lines] == ["h-4", "h-3", "h-2", "h-1", "h-0"]
    first = lines[0]
    assert first["decision"]["attempts"][0]["messages"] == [list(message) for message in FIRST.messages]
    assert first["outcomes"][0]["status"] == "accepted"
    assert first["hand"]["players"][2]["name"] == "Otter"
    assert first["run"]["bot"] == "Heron"


def test_pages_follow_one_another_without_a_gap(settings: Settings, tmp_path: Path) -> None:
    told(settings, Format.JSONL, tmp_path / "all.jsonl", page_rows=2)
    told(settings, Format.PHH, tmp_path / "all.phhs", page_rows=2)
    lines = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text("utf-8").splitlines()]
    assert [line["hand"]["hand_id"] for line in lines] == ["h-4", "h-3", "h-2", "h-1", "h-0"]
    assert (tmp_path / "all.phhs").read_text("utf-8").count("_hand_id") == 4


def test_csv_has_a_row_for_each_decision_that_no_spreadsheet_runs(settings: Settings, tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    told(settings, Format.CSV, folder)
    with (folder / "decisions.csv").open(newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert len(rows) == 5
    last = rows[-1]
    assert last["model_reason"] == "'=1+1"
    assert (last["hand_id"], last["position"], last["equity"], last["choice"], last["outcome"], last["sent"]) == (
        ("h-0", "SB", "0.7312", "raise_75", "accepted", "True")
    )
    assert (last["net_chips"], last["cost_usd"], last["prompt_tokens"], last["policy_choice"]) == (
        ("180", "0.00041", "1204", "call")
    )


def test_filters_choose_what_is_exported(settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "one.csv"
    assert told(settings, Format.CSV, file, where=Filter(hand="h-1")) == f"{file}: 1 decision"
    assert len(file.read_text().splitlines()) == 2
    assert told(settings, Format.CSV, file, where=Filter(street="flop")) == f"{file}: 5 decisions"


def test_without_a_file_it_goes_to_the_terminal(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    assert told(settings, Format.JSONL) == "5 decisions"
    assert len(capsys.readouterr().out.splitlines()) == 5


def test_a_page_is_of_one_decision(settings: Settings, tmp_path: Path) -> None:
    told(settings, Format.HTML, tmp_path / "page.html", decision="last")
    assert "<!doctype html>" in (tmp_path / "page.html").read_text("utf-8")
    told(settings, Format.HTML, tmp_path / "pages", where=Filter(hand="h-2"))
    (page,) = (tmp_path / "pages").iterdir()
    assert "h-2" in page.read_text("utf-8")
    with pytest.raises(Failure, match="more than one decision matches these filters"):
        told(settings, Format.HTML, tmp_path / "page.html")
    with pytest.raises(Failure, match="no decision matches these filters"):
        told(settings, Format.HTML, tmp_path / "page.html", where=Filter(source="floor"))


@pytest.mark.parametrize("form", list(Format))
def test_redacted_exports_name_nobody(settings: Settings, tmp_path: Path, form: Format) -> None:
    file = tmp_path / f"export.{'phhs' if form is Format.PHH else form}"
    told(settings, form, file, redact=True, decision="last" if form is not Format.PHH else None)
    text = file.read_text("utf-8")
    assert not [name for name in ("Heron", "Wren", "Otter", "0a51bbbb") if name in text]
    assert hashed("0a51bbbb") in text
    assert "P1" in text


@pytest.mark.parametrize("form", list(Format))
def test_secrets_never_leave(settings: Settings, tmp_path: Path, form: Format) -> None:
    with Journal(settings.journal_path, replace(RUN, id="01M8MZP195C3AY02X4MG88R9KV", bot=KEY)) as journal:
        journal.decision(replace(decision(hand_id="leak"), reason=KEY, names={"0": KEY}))
        players = tuple(replace(player, name=KEY) for player in kept(three_handed()).players)
        journal.hand(replace(kept(three_handed()), hand_id="leak", players=players))
    file = tmp_path / f"export.{'phhs' if form is Format.PHH else form}"
    told(settings, form, file, where=Filter(hand="leak"))
    assert KEY not in file.read_text("utf-8")
    assert "[hidden]" in file.read_text("utf-8")


@pytest.mark.parametrize("form", list(Format))
def test_names_of_any_kind_are_written_and_read_back(settings: Settings, tmp_path: Path, form: Format) -> None:
    odd = 'Zoë, "赤い狐" \ud83d\n\u202e\x1b[2J🦊'
    with Journal(settings.journal_path, replace(RUN, id="01M8MZP195C3AY02X4MG88R9KV")) as journal:
        journal.decision(replace(decision(hand_id="odd"), model_reason=odd, names={"2": odd}))
        hand = kept(three_handed())
        players = (*hand.players[:2], replace(hand.players[2], name=odd))
        journal.hand(replace(hand, hand_id="odd", players=players, result={**hand.result, "note": odd}))
    file = tmp_path / f"export.{'phhs' if form is Format.PHH else form}"
    assert "left out" not in told(settings, form, file, where=Filter(hand="odd"))
    text = file.read_text("utf-8")
    if form is Format.JSONL:
        read = json.loads(text)
        assert read["hand"]["result"]["note"] == odd
        assert read["decision"]["model_reason"] == odd.replace("\ud83d", "\\ud83d")
    elif form is Format.CSV:
        (row,) = csv.DictReader(StringIO(text, newline=""))
        assert row["model_reason"] == odd.replace("\ud83d", "\\ud83d")
    else:
        assert "赤い狐" in text
        assert "🦊" in text


def test_what_cannot_be_written_is_said(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(Failure, match=r"the export cannot be written: .*taken: this is a file and no folder"):
        told(settings, Format.CSV, tmp_path / "taken" / "file.csv")
    with pytest.raises(Failure, match="phh holds hands"):
        told(settings, Format.PHH, tmp_path / "x.phhs", decision="last")
