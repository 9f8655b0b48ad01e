import json
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from rich.console import Console

from agent.evaluation.command import MatchOptions, match, report
from agent.failure import ExitCode, Failure
from tests.test_cli import run

FIELD = '[[player]]\nshare = 1\nprofile = "station"\nlevel = "beginner"\n'


def options(folder: Path, *names: str, **changes: object) -> MatchOptions:
    usual: dict[str, object] = {
        "field": None,
        "hands": 120,
        "seed": 1,
        "stack": "100bb",
        "seats": 6,
        "jobs": 1,
        "dask": None,
        "file": folder / "match.jsonl",
        "freezeout": None,
    }
    return MatchOptions(names=names, **{**usual, **changes})  # type: ignore[arg-type]


def told(chosen: MatchOptions) -> str:
    """What a match prints for people."""
    out = Console(file=StringIO(), width=80)
    match(chosen, out, Console(file=StringIO()), as_json=False)
    assert isinstance(out.file, StringIO)
    return out.file.getvalue()


def test_the_program_plays_a_match_and_ends_with_one_line_of_json(tmp_path: Path) -> None:
    played = run(tmp_path, "match", "published", "house:station:master", "--hands", "200", "--seed", "4", "--json")
    result = json.loads(played.stdout.splitlines()[-1])
    assert played.returncode == 0
    assert (result["a"], result["b"], result["hands"], result["blocks"]) == (
        "published",
        "house:station:master",
        240,
        2,
    )
    assert result["ci_low_bb_per_100"] < result["diff_bb_per_100"] < result["ci_high_bb_per_100"]
    assert {"a_bb_per_100", "b_bb_per_100", "seconds", "differing_share", "a_busts", "b_vpip", "a_af"} <= set(result)
    again = run(tmp_path, "match", "published", "house:station:master", "--hands", "200", "--seed", "4", "--json")
    assert {**json.loads(again.stdout), "seconds": 0} == {**result, "seconds": 0}
    assert len((tmp_path / "match.jsonl").read_text(encoding="utf-8").splitlines()) == 2


def test_the_program_says_who_can_play(tmp_path: Path) -> None:
    refused = run(tmp_path, "match", "published", "house:calling:master")
    assert refused.returncode == ExitCode.UNUSABLE
    assert "station" in refused.stderr
    assert "house:calling:master" in refused.stderr


def test_people_read_both_players_and_the_difference(tmp_path: Path) -> None:
    (tmp_path / "field.toml").write_text(FIELD, encoding="utf-8")
    text = told(options(tmp_path, "house:regular:master", "published", field=tmp_path / "field.toml", hands=240))
    assert "house:regular:master against published: " in text
    assert "(240 hands each)" in text
    assert "of the hands differed" in text
    assert "6 seats, 100 bb in every hand, seed 1, 2 blocks" in text


def test_heads_up_without_a_field_the_two_play_each_other(tmp_path: Path) -> None:
    text = told(options(tmp_path, "published", "house:maniac:novice", seats=2, stack="20bb"))
    assert "one block has no interval" in text
    assert "2 seats, 20 bb in every hand" in text
    assert "differed" not in text


def test_freeze_outs_and_matches_stand_in_one_file_and_one_report(tmp_path: Path) -> None:
    text = told(options(tmp_path, "house:regular:master", freezeout=3))
    assert "of 3 freeze-outs" in text
    told(options(tmp_path, "published", "house:maniac:novice", seats=2))
    out = Console(file=StringIO(), width=100)
    report(tmp_path / "match.jsonl", None, out, as_json=False)
    assert isinstance(out.file, StringIO)
    assert "of 3 freeze-outs" in out.file.getvalue()
    assert "published against house:maniac:novice" in out.file.getvalue()
    drawn = ET.parse(tmp_path / "match.svg").getroot()
    assert len(drawn.findall("{http://www.w3.org/2000/svg}g")) == 2


def test_a_report_for_machines_has_a_line_for_each_match(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for seed in (1, 2):
        told(options(tmp_path, "published", "house:maniac:novice", seats=2, seed=seed))
    report(tmp_path / "match.jsonl", None, Console(file=StringIO()), as_json=True)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["seed"] for line in lines] == [1, 2]
    assert not (tmp_path / "match.svg").exists()


@pytest.mark.parametrize(
    ("names", "changes", "message"),
    [
        (("equity",), {}, "a match takes two players, got 1"),
        (("equity", "equity"), {"freezeout": 2}, "a freeze-out takes one player, got 2"),
        (("equity",), {"freezeout": 2, "field": Path("x.toml")}, "--field does not go with --freezeout"),
        (("equity", "equity"), {"stack": "deep"}, "--stack deep: expected big blinds"),
        (("equity", "equity"), {"field": Path("missing.toml")}, "missing.toml"),
    ],
)
def test_what_cannot_be_played_is_told_before_it_begins(
    tmp_path: Path, names: tuple[str, ...], changes: dict[str, object], message: str
) -> None:
    with pytest.raises(Failure, match=message) as failure:
        told(options(tmp_path, *names, **changes))
    assert failure.value.exit_code == ExitCode.UNUSABLE


def test_a_report_of_nothing_says_how_to_play(tmp_path: Path) -> None:
    with pytest.raises(Failure, match="holds no match"):
        report(tmp_path / "none.jsonl", None, Console(file=StringIO()), as_json=False)
