"""Fault plans: what a file may ask for, and dice that roll the same way every time."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.arena.faults.plan import (
    Fault,
    FaultDice,
    FaultError,
    FaultName,
    FaultPlan,
    description,
    disguised,
    load_faults,
    parse_faults,
    swollen,
)

ACK, DROP, SLOW = FaultName.LOST_ACK, FaultName.DROP_FRAME, FaultName.SLOW_SERVER


def plan_of(**rates: float) -> FaultPlan:
    return parse_faults({name: {"rate": rate} for name, rate in rates.items()}, seed=7)


def strikes(dice: FaultDice, name: FaultName, rolls: int) -> list[bool]:
    return [dice.strikes(name) for _ in range(rolls)]


def test_a_file_gives_rate_seed_and_seconds(tmp_path: Path) -> None:
    file = tmp_path / "faults.toml"
    file.write_text("[lost_ack]\nrate = 0.02\nseed = 9\n\n[slow_server]\nrate = 1\nseconds = 0.25\n")
    assert load_faults(file, seed=7).faults == {
        ACK: Fault(ACK, 0.02, 9, None),
        SLOW: Fault(SLOW, 1, 7, 0.25),
    }


def test_an_empty_file_is_a_plan_without_faults(tmp_path: Path) -> None:
    file = tmp_path / "faults.toml"
    file.write_text("")
    assert load_faults(file) == FaultPlan()


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        ({"lost_ac": {"rate": 0.1}}, r"\[lost_ac\]: there is no such fault: choose from drop_frame, .*, slow_server"),
        ({"lost_ack": 0.1}, r"\[lost_ack\]: 0.1 is no table: write `\[lost_ack\]`"),
        ({"lost_ack": {}}, r"\[lost_ack\] rate: missing: expected a number from 0 to 1"),
        ({"lost_ack": {"rate": 1.5}}, r"\[lost_ack\] rate = 1.5: expected a number from 0 to 1"),
        ({"lost_ack": {"rate": -0.1}}, r"\[lost_ack\] rate = -0.1: expected a number from 0 to 1"),
        ({"lost_ack": {"rate": True}}, r"\[lost_ack\] rate = True: expected a number from 0 to 1"),
        ({"lost_ack": {"rate": "often"}}, r"\[lost_ack\] rate = 'often': expected a number from 0 to 1"),
        ({"lost_ack": {"rate": float("nan")}}, r"\[lost_ack\] rate = nan: expected a number from 0 to 1"),
        ({"lost_ack": {"rate": 0.1, "seed": 1.5}}, r"\[lost_ack\] seed = 1.5: expected an integer"),
        ({"lost_ack": {"rate": 0.1, "sead": 1}}, r"\[lost_ack\] sead = 1: a fault has rate, seed, seconds"),
        ({"delay_frame": {"rate": 0.1, "seconds": -1}}, r"\[delay_frame\] seconds = -1: expected a number from 0 up"),
        ({"lost_ack": {"rate": 0.1, "seconds": 1}}, r"\[lost_ack\] seconds = 1: expected none; only delay_frame, "),
    ],
)
def test_a_wrong_entry_is_refused_with_its_name_value_and_what_is_allowed(
    table: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(FaultError, match=f"^my.toml: {complaint}"):
        parse_faults(table, source="my.toml")


def test_a_file_that_is_not_toml_is_refused_by_name(tmp_path: Path) -> None:
    file = tmp_path / "faults.toml"
    file.write_text("[lost_ack\n")
    with pytest.raises(FaultError, match=r"faults\.toml: not TOML: "):
        load_faults(file)


def test_a_file_that_is_not_there_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(FaultError, match=r"faults\.toml: cannot be read: No such file"):
        load_faults(tmp_path / "faults.toml")


@pytest.mark.parametrize("name", FaultName)
def test_every_fault_is_described_in_one_sentence(name: FaultName) -> None:
    assert description(name).endswith(".")
    assert ". " not in description(name)


def test_a_rate_of_one_always_strikes_and_a_rate_of_nought_never() -> None:
    dice = FaultDice(plan_of(lost_ack=1.0, drop_frame=0.0))
    assert all(strikes(dice, ACK, 50))
    assert not any(strikes(dice, DROP, 50))


def test_a_rate_is_kept_in_the_long_run() -> None:
    struck = sum(strikes(FaultDice(plan_of(lost_ack=0.2)), ACK, 10_000))
    assert 1_850 < struck < 2_150


@given(st.integers(), st.text(max_size=8), st.floats(0, 1))
def test_the_same_plan_purpose_and_calls_give_the_same_strikes(seed: int, purpose: str, rate: float) -> None:
    first, second = (
        strikes(FaultDice(parse_faults({"lost_ack": {"rate": rate}}, seed=seed), purpose, 1), ACK, 20) for _ in range(2)
    )
    assert first == second


def test_every_purpose_and_every_seed_has_its_own_strikes() -> None:
    plan, other = plan_of(lost_ack=0.5), parse_faults({"lost_ack": {"rate": 0.5}}, seed=8)
    rolled = [strikes(dice, ACK, 64) for dice in (FaultDice(plan, 1), FaultDice(plan, 2), FaultDice(other, 1))]
    assert rolled[0] != rolled[1]
    assert rolled[0] != rolled[2]


def test_one_fault_switched_on_moves_no_other() -> None:
    alone = strikes(FaultDice(plan_of(lost_ack=0.5)), ACK, 64)
    both = FaultDice(plan_of(lost_ack=0.5, drop_frame=0.5))
    assert [both.strikes(ACK) for _ in range(64) if both.strikes(DROP) in (True, False)] == alone


def test_the_plan_counts_what_happened_on_all_dice() -> None:
    plan = plan_of(lost_ack=1.0, drop_frame=0.0)
    for dice in (FaultDice(plan, 1), FaultDice(plan, 2)):
        strikes(dice, ACK, 3)
        strikes(dice, DROP, 3)
    assert plan.happened == {ACK: 6}


def test_seconds_are_the_plans_else_the_defaults() -> None:
    stated = parse_faults({"slow_server": {"rate": 1, "seconds": 0.1}})
    assert FaultDice(stated).seconds(SLOW) == 0.1
    assert FaultDice(plan_of(slow_server=1.0)).seconds(SLOW) == 0.5
    assert FaultDice(FaultPlan()).seconds(FaultName.REST_TIMEOUT) == 30.0


def test_dice_know_when_nothing_can_happen() -> None:
    assert not FaultDice(FaultPlan()).has_faults
    assert not FaultDice(plan_of(lost_ack=0.0)).has_faults
    assert FaultDice(plan_of(lost_ack=0.01)).has_faults


def test_a_disguised_name_has_accents_and_an_astral_character() -> None:
    name = disguised("Otter", FaultDice(plan_of(non_ascii_names=1.0)))
    assert name.startswith("Öttér")
    assert len(name) == 6
    assert ord(name[-1]) > 0xFFFF


def test_disguised_names_stay_apart() -> None:
    dice = FaultDice(plan_of(non_ascii_names=1.0))
    assert len({disguised(name, dice) for name in ("Otter", "Otters", "otter", "Heron")}) == 4


def test_a_swollen_stack_is_above_a_thousand_million_whole_chips() -> None:
    stack = swollen(0, FaultDice(plan_of(huge_stacks=1.0)))
    assert isinstance(stack, int)
    assert 10**9 < stack < 2**53


def test_names_and_stacks_stay_as_they_are_unless_the_fault_strikes() -> None:
    dice = FaultDice(FaultPlan())
    assert (disguised("Otter", dice), swollen(2_000, dice)) == ("Otter", 2_000)
