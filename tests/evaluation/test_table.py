import pytest

from agent.evaluation.table import Deal, IllegalChoiceError, Seated, play_hand
from agent.poker.spot import Action, Verb
from agent.strategy.statistics import tally
from tests.evaluation.tables import Scripted, deck_of, folding, passive, play, shoving


def test_everybody_sees_the_hand_and_only_shown_cards() -> None:
    players = [Scripted(folding), Scripted(passive), Scripted(passive)]
    seats = {number: Seated(f"P{number}", player, 2_000) for number, player in enumerate(players)}
    play_hand(Deal("hand", deck_of({}), 0, 10, 20), seats)
    for player in players:
        (seen,) = player.seen
        assert set(seen.public.shown_cards) == {1, 2}
        assert seen.played.showdown_seats == {1, 2}
        assert seen.played.names == {0: "P0", 1: "P1", 2: "P2"}


@pytest.mark.parametrize(
    ("stacks", "button", "blinds"),
    [
        ([500, 500, 500], 0, {1: 10, 2: 20}),
        ([500, 500, 500], 2, {0: 10, 1: 20}),
        ([500, 7, 15], 0, {1: 7, 2: 15}),
        # Heads-up the venue's button posts the big blind.
        ([500, 500], 1, {1: 20, 0: 10}),
    ],
)
def test_the_blinds_are_told_as_they_were_posted(stacks: list[int], button: int, blinds: dict[int, int]) -> None:
    assert play([passive] * len(stacks), stacks=stacks, button=button).played.blinds == blinds


def test_a_hand_that_the_blinds_have_put_all_in_was_closed_before_the_flop() -> None:
    outcome = play([passive, passive], stacks=[20, 10], button=0)
    assert outcome.board_when_closed == ()
    assert outcome.hand.actions == ()


def test_what_was_played_can_be_counted() -> None:
    outcome = play([shoving, passive, folding], button=0)
    counted = tally(outcome.played)
    assert counted[0].pfr.times == counted[0].vpip.times == 1
    assert counted[1].vpip.times == 1
    assert counted[2].vpip.times == 0


def test_an_illegal_choice_is_no_result_but_an_error_that_names_the_player() -> None:
    with pytest.raises(IllegalChoiceError, match="P0 in hand hand"):
        play([lambda _: Action(Verb.RAISE, 25), passive, passive])
