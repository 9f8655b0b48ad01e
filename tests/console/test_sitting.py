import random
from dataclasses import replace

import pytest

from agent.arena.modes import Format
from agent.console.sitting import PERSON_SEAT, Plan, Sitting, SittingError
from agent.console.telling import PERSON
from agent.poker.cards import DECK
from agent.poker.spot import Action, Spot, Verb

CHEAP = ("station:beginner", "random", "maniac:beginner")


def some_action(spot: Spot, rng: random.Random) -> Action:
    """Anything that is allowed."""
    legal = spot.legal
    found = [Action(Verb.FOLD)] if legal.fold else []
    found += [Action(Verb.CHECK)] if legal.check else []
    found += [Action(Verb.CALL)] * 2 if legal.call_chips is not None else []
    found += [Action(Verb.ALL_IN)] if legal.all_in else []
    if legal.min_raise_to_chips is not None and legal.max_raise_to_chips is not None:
        found.append(Action(Verb.RAISE, rng.randint(legal.min_raise_to_chips, legal.max_raise_to_chips)))
    return rng.choice(found)


def passive(spot: Spot) -> Action:
    return Action(Verb.CHECK) if spot.legal.check else Action(Verb.CALL)


def deal(sitting: Sitting) -> None:
    """Deal the next hand, with new chips where the old ones are lost, and step to the person's turn."""
    if sitting.needs_rebuy:
        sitting.rebuy()
    sitting.next_hand()
    sitting.run()


def to_the_end(sitting: Sitting, rng: random.Random | None = None) -> None:
    """Play the hand that runs."""
    sitting.run()
    while (spot := sitting.spot()) is not None:
        sitting.act(some_action(spot, rng) if rng else passive(spot))
        sitting.run()


def test_no_chip_is_made_or_lost_in_500_hands_of_random_actions() -> None:
    sitting, rng = Sitting(Plan(opponents=CHEAP, seed=11)), random.Random(11)
    rebuys = 0
    for _ in range(500):
        if sitting.needs_rebuy:
            sitting.rebuy()
            rebuys += 1
        sitting.next_hand()
        to_the_end(sitting, rng)
        assert sum(sitting.stacks.values()) == sitting.bought_chips
    assert rebuys > 10
    assert sitting.result.hands == 500
    assert sitting.result.net_chips == sitting.stacks[PERSON] - 2_000 - 1_500 * rebuys
    assert sitting.result.net_bb == pytest.approx(sitting.result.net_chips / 20)


def test_the_same_plan_and_actions_give_the_same_hands() -> None:
    def told(seed: int) -> list[object]:
        sitting = Sitting(Plan(seed=seed))
        for _ in range(3):
            deal(sitting)
            to_the_end(sitting)
        return [sitting.opponents, sitting.stacks, sitting.history()]

    assert told(4) == told(4) != told(5)


def test_a_freeze_out_ends_with_one_player_who_has_all_chips() -> None:
    plan = Plan(Format.FREEZEOUT, CHEAP, seed=2, hands_per_level=2)
    sitting, rng = Sitting(plan), random.Random(2)
    blinds = set()
    while not sitting.is_over:
        sitting.next_hand()
        blinds.add(sitting.blinds)
        to_the_end(sitting, rng)

    assert sorted(sitting.stacks.values()) == [0, 0, 0, 8_000]
    assert sorted(sitting.places.values()) == [1, 2, 3, 4]
    assert next(name for name, place in sitting.places.items() if place == 1) == max(
        sitting.stacks, key=lambda name: sitting.stacks[name]
    )
    assert {(10, 20), (15, 30)} < blinds
    with pytest.raises(SittingError, match="over"):
        sitting.next_hand()
    with pytest.raises(SittingError, match="cash game"):
        sitting.rebuy()


def test_whoever_is_broke_buys_in_again_before_the_next_hand() -> None:
    sitting = Sitting(Plan(opponents=("maniac:beginner",), seed=1))
    rng = random.Random(1)
    while not sitting.needs_rebuy:
        sitting.next_hand()
        to_the_end(sitting, rng)
    with pytest.raises(SittingError, match="buy in again"):
        sitting.next_hand()
    with pytest.raises(ValueError, match="999 chips: expected 1,000 to 5,000"):
        sitting.rebuy(999)
    sitting.rebuy(3_000)
    assert sitting.view().seats[0].stack_chips == 3_000
    sitting.next_hand()

    assert sum(sitting.stacks.values()) + (sitting.hand.pot_chips if sitting.hand else 0) == sitting.bought_chips
    assert sitting.view().seats[0].stack_chips in (2_980, 2_990)


def test_only_the_persons_legal_actions_on_their_turn_are_played() -> None:
    sitting = Sitting(Plan(opponents=("station:beginner",), seed=3))
    with pytest.raises(SittingError, match="not your turn"):
        sitting.act(Action(Verb.FOLD))
    sitting.next_hand()
    with pytest.raises(SittingError, match="not over"):
        sitting.next_hand()
    sitting.run()
    assert sitting.is_persons_turn
    with pytest.raises(SittingError, match="raise to 1 is not allowed"):
        sitting.act(Action(Verb.RAISE, 1))
    assert not sitting.step()


@pytest.mark.parametrize("wrong", [{"opponents": ()}, {"opponents": ("x",)}, {"buy_in_chips": 6_000}])
def test_what_no_table_offers_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"expected|no house player"):
        replace(Plan(), **wrong)  # type: ignore[arg-type]


def test_the_lamp_says_the_same_whatever_the_others_hold() -> None:
    """Everybody else's cards and those to come are swapped under its eyes."""
    sitting = Sitting(Plan(seed=6))
    advised = 0
    for _ in range(6):
        deal(sitting)
        while (spot := sitting.spot()) is not None:
            hand, advice = sitting.hand, sitting.lamp()
            assert hand is not None
            others = [seat for seat in hand.hole_cards if seat != PERSON_SEAT]
            dealt, known = dict(hand.hole_cards), {*hand.hole_cards[PERSON_SEAT], *hand.board}
            rest = random.Random(advised).sample([card for card in DECK if card not in known], 2 * len(others))
            hand.hole_cards.update({seat: (rest[2 * i], rest[2 * i + 1]) for i, seat in enumerate(others)})
            assert sitting.lamp() == advice
            hand.hole_cards.update(dealt)
            sitting.act(passive(spot))
            sitting.run()
            advised += 1
    assert advised > 10


def test_the_lamp_learns_from_finished_hands() -> None:
    sitting = Sitting(Plan(opponents=("maniac:regular",), seed=1))

    def first_width() -> float:
        deal(sitting)
        while (spot := sitting.spot()) is not None:
            advice = sitting.lamp()
            assert advice is not None
            (read,) = advice.ranges.values()
            if read.share < 0.99:
                to_the_end(sitting)
                return read.share
            sitting.act(passive(spot))
            sitting.run()
        return 0.0

    widths = [first_width() for _ in range(40)]
    seen = [width for width in widths if width]
    assert sum(seen[-5:]) > sum(seen[:5])


def test_hidden_cards_are_in_no_view_and_no_history_before_they_are_shown() -> None:
    sitting = Sitting(Plan(opponents=("station:beginner",) * 3, seed=8))
    sitting.next_hand()
    sitting.run()
    assert sitting.spot() is not None
    seats = sitting.view().seats
    assert [bool(seat.cards) for seat in seats] == [True, False, False, False]
    assert all(seat.hidden or seat.folded for seat in seats[1:])
    assert [line for part in sitting.history() for line in part.lines if "hold" in line or "show" in line] == [
        next(line for line in sitting.history()[0].lines if line.startswith("You hold"))
    ]


def test_a_hand_is_told_street_by_street_with_the_cards_that_were_shown() -> None:
    sitting = Sitting(Plan(opponents=("station:beginner",), seed=3))
    sitting.next_hand()
    to_the_end(sitting)
    told = sitting.history()
    headings = [part.heading.partition(":")[0] for part in told]

    assert headings == ["Preflop", "Flop", "Turn", "River", "Showdown"]
    assert sum("show" in line for line in told[-1].lines) == 2
    assert told[-1].lines[-1].endswith(".")
    assert "win" in told[-1].lines[-1]


def test_all_seats_of_a_view_stand_in_their_order_with_pots_and_winner() -> None:
    sitting = Sitting(Plan(seed=3))
    before = sitting.view()
    sitting.next_hand()
    to_the_end(sitting)
    after = sitting.view()

    assert [seat.name for seat in before.seats] == [seat.name for seat in after.seats] == [PERSON, *sitting.opponents]
    assert sum(seat.won_chips for seat in after.seats) == sum(after.pots)
    assert not any(seat.to_act for seat in after.seats)
