import json
from pathlib import Path

import pytest

from tests.test_cli import run


def odds(folder: Path, *arguments: str) -> list[dict[str, object]]:
    done = run(folder, "odds", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    players: list[dict[str, object]] = json.loads(done.stdout)["players"]
    return players


def test_a_single_hand_plays_against_one_random_hand(tmp_path: Path) -> None:
    hero, other = odds(tmp_path, "As Kd", "--board", "7h 2c Ks")

    assert (hero["hand"], other["hand"]) == ("AsKd", "random")
    assert (hero["method"], hero["trials"], hero["stop_reason"]) == ("exact", 1_070_190, "enumerated")
    assert hero["equity"] == pytest.approx(0.896664, abs=1e-6)
    assert set(hero) == {
        "hand",
        "equity",
        "win",
        "tie",
        "lose",
        "stderr",
        "ci_low",
        "ci_high",
        "method",
        "trials",
        "elapsed_ms",
        "stop_reason",
        "seed",
    }


def test_several_hands_share_the_pot(tmp_path: Path) -> None:
    players = odds(tmp_path, "AsKd", "QhQs", "JcTc")

    assert [player["hand"] for player in players] == ["AsKd", "QhQs", "JcTc"]
    assert sum(float(str(player["equity"])) for player in players) == pytest.approx(1.0)


def test_ranges_opponents_dead_cards_and_a_target_error(tmp_path: Path) -> None:
    (hero, *_) = odds(
        tmp_path, "AsKd", "--versus", "QQ+,AKs@0.5", "--opponents", "1", "--dead", "Ac", "--error", "0.005"
    )

    assert (hero["method"], hero["stop_reason"]) == ("monte-carlo", "error reached")
    assert float(str(hero["stderr"])) <= 0.005


def test_the_same_seed_gives_the_same_sample(tmp_path: Path) -> None:
    def equity(seed: str) -> object:
        return odds(tmp_path, "AsKd", "--opponents", "3", "--trials", "30000", "--seed", seed)[0]["equity"]

    assert equity("5") == equity("5") != equity("6")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["AsKd", "AsQd"], "As comes twice"),
        (["AsKd", "--board", "7h2c"], "a board has 0, 3, 4 or 5 cards, got 2"),
        (["KQx"], "'KQx' is no hand class"),
        (["AsKd", "--versus", "A5s:2"], "'2' in 'A5s:2' is no weight"),
        (["AsKdQh"], "'AsKdQh' has 6 cards|'AsKdQh'"),
        (["AA", "AA", "AA"], "no deal is possible"),
        (["AsKd", "--trials", "10", "--exact"], "choose one of --trials, --exact and --error"),
        (["AsKd", "--error", "-1"], "not above zero"),
    ],
)
def test_impossible_questions_get_a_clear_word_and_code_2(tmp_path: Path, arguments: list[str], message: str) -> None:
    failed = run(tmp_path, "odds", *arguments)

    assert failed.returncode == 2
    assert any(part in " ".join(failed.stderr.split()) for part in message.split("|"))
    assert "Traceback" not in failed.stderr


def test_the_table_shows_what_the_hand_ends_as(tmp_path: Path) -> None:
    shown = run(tmp_path, "odds", "AsKd", "--board", "7h2cKs").stdout

    assert "89.67 %" in shown
    assert "The first hand ends as: four of a kind 0.1 %" in shown
