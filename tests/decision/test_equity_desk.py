from dataclasses import replace
from itertools import count

import pytest

from agent.decision.equity_desk import KEPT, EquityDesk
from agent.poker.report import Method, TrialsPerStreet
from tests.spots import facing_a_raise, heads_up, with_players

SPOT = facing_a_raise(hole="QhJh")


def desk(seed: int = 7) -> EquityDesk:
    ticks = count()
    return EquityDesk(seed, lambda: float(next(ticks)), method="monte-carlo")


def test_the_same_turn_is_worked_out_once() -> None:
    at_work = desk()
    first, again = at_work.measure(SPOT), at_work.measure(SPOT)

    assert (first.cached, again.cached) == (False, True)
    assert replace(again, cached=False) == first
    assert first.elapsed_ms == 1_000.0


def test_another_desk_with_the_same_seed_gives_the_same_report() -> None:
    assert desk().measure(SPOT) == desk().measure(SPOT)
    assert desk(8).measure(SPOT).seed != desk().measure(SPOT).seed


def test_other_turns_have_other_seeds() -> None:
    at_work = desk()
    later = replace(SPOT, actions=SPOT.actions[:1])

    assert len({at_work.measure(spot).seed for spot in (SPOT, later, replace(SPOT, hand_id="h-2"))}) == 3


def test_a_new_hand_clears_what_was_kept() -> None:
    at_work = desk()
    at_work.measure(SPOT)
    at_work.measure(replace(SPOT, hand_id="h-2"))

    assert not at_work.measure(SPOT).cached


def test_what_is_kept_is_bounded() -> None:
    at_work = desk()
    spots = [replace(SPOT, actions=SPOT.actions * n) for n in range(KEPT + 1)]
    for spot in spots:
        at_work.measure(spot)

    assert at_work.measure(spots[-1]).cached
    assert not at_work.measure(spots[0]).cached


def test_the_trials_are_those_of_the_street_and_the_pot() -> None:
    at_work = EquityDesk(7, lambda: 0.0, trials=TrialsPerStreet(flop=4_000), method="monte-carlo")

    assert at_work.measure(heads_up(street="flop", pot=400)).trials_asked == 4_000
    assert at_work.measure(heads_up(street="flop", pot=50)).trials_asked == 1_000


@pytest.mark.parametrize(("method", "found"), [("exact", {"table", "exact"}), ("monte-carlo", {"monte-carlo"})])
@pytest.mark.parametrize("street", ["preflop", "flop", "turn", "river"])
@pytest.mark.parametrize("opponents", range(1, 6))
def test_every_method_has_an_answer_on_every_street(
    method: Method, found: set[str], street: str, opponents: int
) -> None:
    spot = with_players(dict.fromkeys(range(opponents + 1), 1_000), button=0, street=street)
    report = EquityDesk(7, lambda: 0.0, method=method).measure(spot)

    assert report.method in found
    assert report.opponents == opponents


def test_without_hole_cards_there_is_no_equity() -> None:
    with pytest.raises(ValueError, match="hole cards"):
        desk().measure(replace(SPOT, hole_cards=None))
