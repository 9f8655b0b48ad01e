from collections import Counter
from pathlib import Path

import pytest

from agent.decision.prompt import PromptError, load_prompt_set
from agent.decision.prompt_sets import PromptSets, load_prompt_sets

PROMPTS = Path(__file__).parents[2] / "prompts"
BOTH = load_prompt_sets(PROMPTS, ("default", "minimal"), seed=7)
HANDS = [f"hand-{number}" for number in range(2_000)]


def test_one_set_plays_every_hand_under_its_own_name_and_hash() -> None:
    one = load_prompt_sets(PROMPTS, ("minimal",))

    assert {one.for_hand(hand).name for hand in HANDS} == {"minimal"}
    assert (one.name, one.hash) == ("minimal", load_prompt_set(PROMPTS / "minimal").hash)


def test_two_sets_divide_the_hands_evenly() -> None:
    played = Counter(BOTH.for_hand(hand).name for hand in HANDS)

    # Four standard errors of a fair coin.
    assert abs(played["default"] - 1_000) < 90
    assert played.total() == 2_000


def test_a_hand_keeps_its_set_and_another_seed_divides_them_otherwise() -> None:
    again, other = PromptSets(BOTH.sets, seed=7), PromptSets(BOTH.sets, seed=8)

    assert all(again.for_hand(hand) is BOTH.for_hand(hand) for hand in HANDS)
    assert 800 < sum(other.for_hand(hand) is not BOTH.for_hand(hand) for hand in HANDS) < 1_200


def test_the_run_of_two_sets_has_a_name_and_hash_of_its_own() -> None:
    assert BOTH.name == "default,minimal"
    assert BOTH.hash not in {prompts.hash for prompts in BOTH.sets}


def test_two_sets_that_could_not_be_told_apart_are_refused() -> None:
    with pytest.raises(PromptError, match="two prompt sets call themselves default"):
        PromptSets((BOTH.sets[0], BOTH.sets[0]))


@pytest.mark.parametrize("name", ["poetry", "", "..", "../prompts/default", "/"])
def test_a_name_that_is_no_set_is_refused_with_those_there_are(name: str) -> None:
    with pytest.raises(PromptError, match=r"there is no prompt set .* found there: coach, default, minimal"):
        load_prompt_sets(PROMPTS, (name,))


def test_a_set_that_is_not_for_play_loads_and_is_not_played() -> None:
    assert not load_prompt_set(PROMPTS / "coach").for_play
    with pytest.raises(PromptError, match=r"the prompt set coach is not for play .* name another one in PROMPT_SET"):
        load_prompt_sets(PROMPTS, ("default", "coach"))


def test_no_set_at_all_is_refused() -> None:
    with pytest.raises(PromptError, match="no prompt set is named"):
        load_prompt_sets(PROMPTS, ())
