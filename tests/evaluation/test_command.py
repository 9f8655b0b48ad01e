import json
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from rich.console import Console

from agent.evaluation.command import MatchOptions, match, report
from agent.evaluation.match import Block, MatchPlan, Side
from agent.evaluation.outcome import MatchResult
from agent.evaluation.views import render_match
from agent.failure import ExitCode, Failure
from agent.strategy.statistics import Statistics
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
    assert ", 1 block\n" in text
    assert " s in this run; kept in " in text
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
    assert [line["seconds"] for line in lines] == [None, None]
    assert not (tmp_path / "match.svg").exists()


@pytest.mark.parametrize(
    ("names", "changes", "message"),
    [
        (("equity",), {}, "a match takes two players, got 1"),
        (("equity", "equity"), {"freezeout": 2}, "a freeze-out takes one player, got 2"),
        (("equity",), {"freezeout": 2, "field": Path("x.toml")}, "--field does not go with --freezeout"),
        (("equity", "equity"), {"stack": "deep"}, "--stack 'deep': expected big blinds"),
        (
            ("equity", "equity"),
            {"stack": "9" * 5_000},
            r"--stack '9*\.\.\.: expected big blinds from 1 to 100,000, such as",
        ),
        (("equity", "equity"), {"stack": f"{10**30}bb"}, "expected big blinds from 1 to 100,000, such as 100bb"),
        (("equity", "equity"), {"stack": "100001bb"}, "stack of 100,001 big blinds: expected 1 to 100,000"),
        (("equity", "equity"), {"hands": 10_000_001}, "--hands 10,000,001: expected 1 to 10,000,000"),
        (("equity",), {"freezeout": 10**30}, "--freezeout 1,000,.*: expected 1 to 100,000"),
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


def test_nobody_wins_nothing_below_zero() -> None:
    plan = MatchPlan("a", "b", seats=2, hands_per_block=2)
    side = Side(2, -1e-6, 0, 0, {}, Statistics())
    out = Console(file=StringIO(), width=100)
    render_match(out, MatchResult(plan, (Block(side, side, 0),) * 2))
    assert isinstance(out.file, StringIO)
    assert "a against b: +0.0 bb/100" in out.file.getvalue()
    assert "-0.0" not in out.file.getvalue()


def test_a_line_that_is_damaged_is_named_by_the_match_and_the_report(tmp_path: Path) -> None:
    chosen = options(tmp_path, "published", "house:maniac:novice", seats=2, hands=240)
    told(chosen)
    first, second = (json.loads(line) for line in chosen.file.read_text(encoding="utf-8").splitlines())
    second["result"]["b"]["net_chips"] = "x"
    chosen.file.write_text(f"{json.dumps(first)}\n{json.dumps(second)}\n", encoding="utf-8")
    message = (
        r"match\.jsonl, line 2: result: b: net_chips: 'x': expected a number; name another file, or remove this line"
    )
    for command in (
        lambda: told(chosen),
        lambda: report(chosen.file, None, Console(file=StringIO()), as_json=False),
    ):
        with pytest.raises(Failure, match=message) as failure:
            command()
        assert failure.value.exit_code == ExitCode.UNUSABLE


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ({"kind": "match", "b": "y"}, "plan: a is missing"),
        ({"kind": ["match"]}, r"plan: kind: \['match'\]: expected match or freezeout"),
        ({}, "plan: kind: None: expected match or freezeout"),
        ({"kind": "match", "a": "x", "b": "y", "seats": 3}, "plan: 3 seats need a field"),
    ],
)
def test_a_report_names_the_line_of_a_plan_that_is_none(tmp_path: Path, plan: dict[str, object], message: str) -> None:
    file = tmp_path / "match.jsonl"
    file.write_text(json.dumps({"plan": plan, "block": 0, "result": {}}) + "\n", encoding="utf-8")
    with pytest.raises(Failure, match=rf"match\.jsonl, line 1: {message}"):
        report(file, None, Console(file=StringIO()), as_json=True)


def test_a_chart_is_not_written_where_something_else_belongs(tmp_path: Path) -> None:
    chosen = options(tmp_path, "published", "house:maniac:novice", seats=2, file=tmp_path / "match.svg")
    told(chosen)
    kept, quiet = chosen.file.read_bytes(), Console(file=StringIO())
    with pytest.raises(Failure, match=r"--plot .*x\.png: charts are SVG, name a file that ends in \.svg"):
        report(chosen.file, tmp_path / "x.png", quiet, as_json=False)
    for plot in (None, chosen.file):
        with pytest.raises(Failure, match=r"match\.svg holds the match: name another file with --plot"):
            report(chosen.file, plot, quiet, as_json=False)
    assert chosen.file.read_bytes() == kept
    report(chosen.file, tmp_path / "X.SVG", quiet, as_json=False)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["X.SVG", "match.svg"]
