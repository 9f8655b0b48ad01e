import asyncio
from pathlib import Path

import pytest

from agent.decision.decide import Thinking, decide
from agent.decision.equity_desk import EquityDesk
from agent.decision.prompt import PromptError, load_prompt_set
from agent.poker.spot import LegalActions, PastAction, Spot, Street, Verb
from tests.spots import facing_a_raise, with_players

PROMPTS = Path(__file__).parents[2] / "prompts"
GOLDEN = Path(__file__).parent / "golden"

SPOTS = {
    "preflop_facing_a_raise": facing_a_raise(),
    "river_short_all_in": with_players(
        {0: 380, 1: 0, 4: 2_200},
        button=4,
        street="river",
        pot=1_240,
        bets={1: 520},
        hole="KhQd",
        legal=LegalActions(fold=True, call_chips=380, all_in=True),
        actions=(
            PastAction(0, Street.FLOP, Verb.CHECK, 0, 0),
            PastAction(1, Street.FLOP, Verb.RAISE, 60, 60),
            PastAction(4, Street.FLOP, Verb.CALL, 60, 60),
            PastAction(0, Street.FLOP, Verb.CALL, 60, 60),
            PastAction(1, Street.RIVER, Verb.ALL_IN, 520, 520),
            PastAction(4, Street.RIVER, Verb.FOLD, 0, 0),
        ),
        folded=(4,),
    ),
}


def rendered(spot: Spot) -> str:
    prompts = load_prompt_set(PROMPTS / "default")
    decision = asyncio.run(decide(spot, Thinking(None, prompts, EquityDesk(1, lambda: 0.0), lambda: 0.0), deadline=1.0))
    assert decision.facts is not None
    return prompts.render_turn(spot, decision.facts, decision.menu, decision.id_of(decision.rule_choice))


@pytest.mark.parametrize("name", SPOTS)
def test_the_default_prompt_renders_as_its_golden_file(name: str) -> None:
    assert rendered(SPOTS[name]) + "\n" == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")


def test_the_system_prompt_is_the_same_on_every_turn_and_asks_for_json() -> None:
    prompts = load_prompt_set(PROMPTS / "default")

    assert prompts.render_system() == prompts.render_system()
    assert '{"id":' in prompts.render_system()


def test_names_of_opponents_never_reach_the_prompt() -> None:
    assert "name" not in rendered(SPOTS["preflop_facing_a_raise"])


def copy_of_default(folder: Path, **changes: str) -> Path:
    folder.mkdir()
    for file in (PROMPTS / "default").iterdir():
        (folder / file.name).write_text(changes.get(file.stem, file.read_text(encoding="utf-8")), encoding="utf-8")
    return folder


def test_the_hash_changes_with_any_file(tmp_path: Path) -> None:
    same, other = copy_of_default(tmp_path / "a"), copy_of_default(tmp_path / "b", repair="{{ problem }}! {{ ids }}")

    assert load_prompt_set(same).hash == load_prompt_set(PROMPTS / "default").hash
    assert load_prompt_set(other).hash != load_prompt_set(same).hash


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"turn": "{{ facts."}, "turn.j2"),
        ({"manifest": "name = "}, "Invalid value"),
        ({"manifest": 'name = "x"'}, "version, description must be there"),
        ({"turn": "{{ facts.equitty }}"}, "equitty"),
        ({"system": "{{ secret }}"}, "secret"),
    ],
)
def test_a_broken_set_is_refused_when_it_is_loaded(tmp_path: Path, changes: dict[str, str], message: str) -> None:
    with pytest.raises(PromptError, match=message):
        load_prompt_set(copy_of_default(tmp_path / "broken", **changes))


def test_a_missing_set_names_those_that_exist(tmp_path: Path) -> None:
    copy_of_default(tmp_path / "mine")

    with pytest.raises(PromptError, match=r"there is no prompt set .*other; found beside it: mine"):
        load_prompt_set(tmp_path / "other")
