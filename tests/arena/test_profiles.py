"""Profiles and levels: scales, names, and what is refused."""

import pytest

from agent.arena.house.profiles import PROFILES, SKILLS, Level, Profile, parse_level, parse_profile


def test_the_usual_types_are_there() -> None:
    assert list(PROFILES) == [
        "nit",
        "tight_passive",
        "regular",
        "average",
        "station",
        "loose_aggressive",
        "maniac",
    ]


def test_looseness_runs_from_six_to_seventy_six_percent_of_the_hands() -> None:
    assert Profile(0, 0, 0, 0).played_share == pytest.approx(0.06)
    assert Profile(0.5, 0, 0, 0).played_share == pytest.approx(0.41)
    assert Profile(1, 0, 0, 0).played_share == pytest.approx(0.76)


def test_a_maniac_is_looser_and_more_aggressive_than_a_nit_and_a_station_is_passive() -> None:
    nit, station, maniac = PROFILES["nit"], PROFILES["station"], PROFILES["maniac"]
    assert nit.looseness < 0.2 < 0.7 < station.looseness < maniac.looseness
    assert station.aggression < 0.2 < nit.aggression < maniac.aggression
    assert nit.bluffing < 0.1 < 0.8 < maniac.bluffing


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_is_found_by_its_name_and_by_its_numbers(name: str) -> None:
    assert parse_profile(name) == PROFILES[name] == parse_profile(str(PROFILES[name]))


@pytest.mark.parametrize("text", ["shark", "", "0.5", "0.5/0.5/0.5", "0.5/0.5/0.5/high"])
def test_an_unknown_profile_is_refused_with_what_there_is(text: str) -> None:
    with pytest.raises(ValueError, match=rf"'{text}': choose from nit, .*maniac, or give looseness/aggression"):
        parse_profile(text)


@pytest.mark.parametrize("number", [-0.01, 1.01, float("nan")])
def test_a_number_off_the_scale_is_refused_by_name(number: float) -> None:
    with pytest.raises(ValueError, match=f"aggression {number} is not a number from 0 to 1"):
        Profile(0.5, number, 0.5, 0.5)


def test_levels_run_from_beginner_to_master() -> None:
    assert [parse_level(name) for name in ("beginner", "novice", "regular", "expert", "master")] == list(Level)


def test_an_unknown_level_is_refused_with_the_levels_there_are() -> None:
    with pytest.raises(ValueError, match="'pro': choose from beginner, novice, regular, expert, master"):
        parse_level("pro")


def test_every_level_thinks_longer_and_with_less_noise_than_the_one_below() -> None:
    skills = [SKILLS[level] for level in Level]
    assert [skill.trials for skill in skills] == [40, 80, 150, 300, 600]
    assert [skill.noise for skill in skills] == [0.12, 0.08, 0.04, 0.02, 0.0]


def test_only_the_weak_levels_call_too_much_and_they_believe_bets_least() -> None:
    assert SKILLS[Level.BEGINNER].overcall > SKILLS[Level.NOVICE].overcall > 0
    assert [SKILLS[level].overcall for level in (Level.REGULAR, Level.EXPERT, Level.MASTER)] == [0, 0, 0]
    readings = [SKILLS[level].reading for level in Level]
    assert readings == sorted(readings)
    assert readings[0] == 0.5
    assert readings[-1] == 1.0
