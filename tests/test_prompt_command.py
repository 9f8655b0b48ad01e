import json
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from agent import prompt_command as command
from agent.failure import Failure
from agent.settings import Settings
from tests.test_cli import run

SHIPPED = Path(__file__).parents[1] / "prompts"
SPOT = {"hole_cards": "AsKd", "hero_seat": 0, "button_seat": 3, "start_stacks": {"0": 2_000, "3": 1_500}}


def settings(**values: object) -> Settings:
    return Settings.model_validate({"prompts_dir": SHIPPED, **values})


def console() -> Console:
    return Console(file=StringIO(), width=160, highlight=False)


def text_of(shown: Console) -> str:
    assert isinstance(shown.file, StringIO)
    return shown.file.getvalue()


def own_sets(folder: Path, **extra: str) -> Path:
    """Folders with a copy of `minimal` each, to whose turn the text is added."""
    for name, text in extra.items():
        (folder / name).mkdir(parents=True)
        for file in (SHIPPED / "minimal").iterdir():
            added = text if file.name == "turn.j2" else ""
            (folder / name / file.name).write_text(file.read_text(encoding="utf-8") + added, encoding="utf-8")
    return folder


def spot_file(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def test_the_program_lists_renders_and_checks_the_sets_that_came_with_it(tmp_path: Path) -> None:
    listed = json.loads(run(tmp_path, "prompt", "list", "--json", PROMPT_SET="default,coach").stdout)
    spot = spot_file(tmp_path, "spot.json", json.dumps(SPOT))
    rendered = run(tmp_path, "prompt", "render", "--set", "minimal", "--spot", spot)
    checked = run(tmp_path, "prompt", "check")

    assert {row["set"]: row["in_use"] for row in listed} == {"coach": True, "default": True, "minimal": False}
    assert 'Echo: hand "AKo", cards "AsKd"' in rendered.stdout
    assert checked.returncode == 0
    assert checked.stdout.count("✓") == 3


def test_the_program_ends_with_code_2_and_one_line_for_a_set_that_is_not_there(tmp_path: Path) -> None:
    failed = run(tmp_path, "prompt", "show", "poetry", COLUMNS="400")

    assert (failed.returncode, failed.stdout) == (2, "")
    assert failed.stderr.splitlines()[-1].endswith("found there: coach, default, minimal")


def test_a_broken_set_is_listed_with_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = own_sets(tmp_path, fine="", torn="{% if %}")
    command.list_sets(settings(prompts_dir=folder), console(), as_json=True)
    fine, torn = json.loads(capsys.readouterr().out)

    assert (fine["set"], fine["problem"], fine["name"]) == ("fine", None, "minimal")
    assert torn["set"] == "torn"
    assert "turn.j2, line 22: Expected an expression" in torn["problem"]


def test_show_prints_every_file_as_it_is_written() -> None:
    shown = console()
    command.show(settings(), shown, "default", as_json=False)

    for file in SHIPPED.glob("default/**/*.j2"):
        assert file.read_text(encoding="utf-8").strip() in text_of(shown)


def test_render_shows_the_first_set_in_use_and_all_its_messages(capsys: pytest.CaptureFixture[str]) -> None:
    command.render(
        settings(prompt_set="coach,minimal"), console(), console(), name=None, spot="facing_3bet", as_json=True
    )
    told = json.loads(capsys.readouterr().out)

    assert told["set"] == "coach"
    assert 'hand "AQo", cards "AcQd"' in told["turn"]
    assert "raise_75" in told["repair"]
    assert told["about_tokens"] > 1_000


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("spot.yaml", "", "expected a .toml or .json file, or one of the samples c_bet_heads_up, "),
        ("spot.toml", 'hole_cards = "As', "spot.toml cannot be read: Unterminated string"),
        ("spot.json", "[" * 100_000, "spot.json cannot be read: its tables or lists are nested too deeply"),
        ("spot.toml", "a = " + "[" * 100_000, "spot.toml cannot be read: its tables or lists are nested too deeply"),
        ("spot.json", json.dumps({**SPOT, "hero_seat": 3}), "is no spot: hero_seat is 3, but it is the turn of seat 0"),
        ("spot.json", "[]", "spot.json holds no table of keys and values"),
        ("spot.json", json.dumps({**SPOT, "board": "As7h2c"}), "spot.json is no spot: board: As comes twice"),
        ("spot.json", json.dumps({**SPOT, "hole_cards": None}), "is no spot: hole_cards is None"),
        (
            "spot.toml",
            "hero_seat = 0\nbutton_seat = 3\nstart_stacks = { 0 = 90, 3 = 80 }",
            "is no turn: hole_cards are missing",
        ),
    ],
)
def test_a_spot_that_cannot_be_rendered_is_told_in_one_line(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(Failure) as failure:
        command.render(settings(), console(), console(), name=None, spot=spot_file(tmp_path, name, text), as_json=False)

    assert message in str(failure.value)
    assert "\n" not in str(failure.value)
    assert failure.value.exit_code == 2


def test_check_tells_of_every_set_and_fails_when_one_is_broken(tmp_path: Path) -> None:
    shown, folder = console(), own_sets(tmp_path, fine="", torn="{{ facts.positoin }}")
    with pytest.raises(Failure, match="not fit to play: torn") as failure:
        command.check(settings(prompts_dir=folder), shown, console(), (), as_json=False)

    assert failure.value.exit_code == 1
    assert "✓ fine: minimal 3, hash " in text_of(shown)
    assert "✗ torn: " in text_of(shown)
    assert "did you mean position?" in text_of(shown)
    command.check(settings(prompts_dir=folder), shown, console(), ("fine",), as_json=False)


def test_a_folder_without_a_set_is_told(tmp_path: Path) -> None:
    shown = console()
    command.list_sets(settings(prompts_dir=tmp_path), shown, as_json=False)

    assert "none: a set is a folder with a manifest.toml" in text_of(shown)
    with pytest.raises(Failure, match="there is no prompt set in"):
        command.check(settings(prompts_dir=tmp_path), shown, console(), (), as_json=False)


def test_variables_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    command.variables(console(), as_json=True)
    told = json.loads(capsys.readouterr().out)

    assert {"name": "facts.spr", "type": "float or None"}.items() <= next(
        row for row in told["turn"] if row["name"] == "facts.spr"
    ).items()
    assert [row["name"] for row in told["repair"]] == ["problem", "ids"]
