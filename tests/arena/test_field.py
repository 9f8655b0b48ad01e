"""Fields: who comes, under which name, with what; and how the default field plays."""

import random
from collections import Counter
from pathlib import Path

import pytest

from agent.arena.house.field import NAMES, Entry, FieldError, Lineup, Population, load_field
from agent.arena.house.player import ProfilePlayer, house_player
from agent.arena.house.profiles import Level, Profile
from agent.poker.spot import Street, Verb
from tests.arena.house_tables import played_hands

WHOLE = """
[[player]]
share = 3
profile = "station"
level = "beginner"
buy_in = [1000, 2000]
names = ["Otter", "Badger"]

[[player]]
share = 1.5
profile = { looseness = 0.25, aggression = 1, bluffing = 0.1, adaptivity = 0 }
buy_in = 5000
"""


def field_of(text: str, folder: Path) -> Population:
    path = folder / "field.toml"
    path.write_text(text, encoding="utf-8")
    return load_field(path)


def test_a_field_file_is_read_whole(tmp_path: Path) -> None:
    assert field_of(WHOLE, tmp_path).entries == (
        Entry("station:beginner", 3, (1000, 2000), ("Otter", "Badger")),
        Entry("0.25/1/0.1/0:regular", 1.5, (5000, 5000), NAMES),
    )


def test_a_newcomer_plays_the_profile_and_level_of_its_kind(tmp_path: Path) -> None:
    field, rng = field_of(WHOLE, tmp_path), random.Random(1)
    players = {newcomer.kind: newcomer.player for newcomer in (field.newcomer(rng, ()) for _ in range(50))}
    assert players["0.25/1/0.1/0:regular"] == ProfilePlayer(Profile(0.25, 1, 0.1, 0), Level.REGULAR)
    assert players["station:beginner"] == house_player("station:beginner")


def test_newcomers_come_by_share() -> None:
    field, rng = Population((Entry("nit", 3), Entry("maniac", 1))), random.Random(2)
    kinds = Counter(field.newcomer(rng, ()).kind for _ in range(4_000))
    assert kinds["nit"] == pytest.approx(3_000, abs=100)


def test_every_newcomer_has_a_head_of_its_own() -> None:
    field, rng = Population((Entry("regular", 1),)), random.Random(3)
    first, second = field.newcomer(rng, ()).player, field.newcomer(rng, ()).player
    assert isinstance(first, ProfilePlayer)
    assert isinstance(second, ProfilePlayer)
    assert first.memory is not second.memory


def test_buy_ins_stay_between_the_ends_and_reach_both() -> None:
    field, rng = Population((Entry("nit", 1, (1_000, 1_003)),)), random.Random(4)
    assert {field.newcomer(rng, ()).buy_in_chips for _ in range(100)} == {1_000, 1_001, 1_002, 1_003}


def test_without_a_buy_in_the_table_decides() -> None:
    assert Population((Entry("nit", 1),)).newcomer(random.Random(5), ()).buy_in_chips is None


def test_a_taken_name_is_not_given_again_and_numbers_follow_when_all_are_taken() -> None:
    field, rng = Population((Entry("nit", 1, names=("Otter", "Badger")),)), random.Random(6)
    taken: list[str] = []
    for _ in range(5):
        taken.append(field.newcomer(rng, taken).name)
    assert set(taken[:2]) == {"Otter", "Badger"}
    assert set(taken[2:4]) == {"Otter2", "Badger2"}
    assert taken[4] in {"Otter3", "Badger3"}


def test_the_names_are_distinct_ascii_words() -> None:
    assert len(set(NAMES)) == len(NAMES) >= 100
    assert all(name.isascii() and name.isalpha() for name in NAMES)


def test_the_same_seed_brings_the_same_players() -> None:
    first, second = (
        [(n.name, n.kind) for n in (load_field().newcomer(rng, ()) for _ in range(30))]
        for rng in (random.Random(7), random.Random(7))
    )
    assert first == second


def test_a_lineup_sends_the_first_player_whose_name_is_free_and_then_nobody() -> None:
    nit, maniac, rng = house_player("nit"), house_player("maniac"), random.Random(8)
    lineup = Lineup((("Otter", nit), ("Badger", maniac)))
    first, second = lineup.newcomer(rng, ()), lineup.newcomer(rng, ("Otter",))
    assert first is not None
    assert (first.name, first.player, first.buy_in_chips) == ("Otter", nit, None)
    assert second is not None
    assert (second.name, second.player) == ("Badger", maniac)
    assert lineup.newcomer(rng, ("Badger", "Otter")) is None


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("share = 0", r"player\[0\]\.share is 0: expected a number above 0"),
        ("share = true", r"player\[0\]\.share is True: expected a number above 0"),
        ("share = 1e308", r"player\[0\]\.share is 1e\+308: expected a number above 0, at most 1,000,000"),
        (f"share = {'9' * 401}", r"player\[0\]\.share is 9*\.\.\.: expected a number above 0, at most 1,000,000"),
        (f"share = 0x{'f' * 5_000}", r"player\[0\]\.share is too long to be shown: expected a number above 0"),
        (f"buy_in = {'9' * 401}", r"player\[0\]\.buy_in is 9*\.\.\.: expected whole chips from 1 to 1,000,000,000"),
        ("share = nan", r"player\[0\]\.share is nan: expected a number above 0"),
        ('profile = "shark"', r"player\[0\]\.profile is 'shark': expected nit, .*maniac, or a table with looseness"),
        ("profile = { looseness = 1 }", r"player\[0\]\.profile is \{'looseness': 1\}: expected nit"),
        (
            "profile = { looseness = 2, aggression = 1, bluffing = 1, adaptivity = 0 }",
            r"player\[0\]\.profile\.looseness is 2: expected a number from 0 to 1",
        ),
        ('level = "pro"', r"player\[0\]\.level is 'pro': expected beginner, novice, regular, expert, master"),
        ("buy_in = 0", r"player\[0\]\.buy_in is 0: expected whole chips"),
        ("buy_in = [2000, 1000]", r"player\[0\]\.buy_in is \[2000, 1000\]: expected whole chips"),
        ("buy_in = 1000.5", r"player\[0\]\.buy_in is 1000\.5: expected whole chips"),
        ("buy_in = [1, true]", r"player\[0\]\.buy_in is \[1, True\]: expected whole chips"),
        ("names = []", r"player\[0\]\.names is \[\]: expected a list of one or more names"),
        ('names = ["Zoë"]', r"player\[0\]\.names is \['Zoë'\]: expected a list of one or more names in ASCII"),
        ("skill = 3", r"player\[0\]\.skill is 3: expected only the keys buy_in, level, names, profile, share"),
    ],
)
def test_a_bad_entry_is_refused_with_file_key_value_and_what_is_allowed(
    line: str, complaint: str, tmp_path: Path
) -> None:
    usual = {"share": "share = 1", "profile": 'profile = "nit"'}
    usual[line.split(" = ")[0]] = line
    with pytest.raises(FieldError, match=r"field\.toml: " + complaint):
        field_of("\n".join(["[[player]]", *usual.values()]), tmp_path)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", r"player is missing: expected at least one table \[\[player\]\]"),
        ("player = 3", r"player is 3: expected at least one table \[\[player\]\]"),
        ('[[player]]\nprofile = "nit"', r"player\[0\]\.share is missing: expected a number above 0"),
        ("[[player]]\nshare = 1", r"player\[0\]\.profile is missing: expected nit"),
        ('title = "pool"', r"title is 'pool': expected only the keys player"),
        ("share = ", "not TOML"),
        (f"player = {'[' * 100_000}", "cannot be read: its tables or lists are nested too deeply"),
    ],
)
def test_a_bad_file_is_refused(text: str, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(FieldError, match=r"field\.toml: " + complaint):
        field_of(text, tmp_path)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FieldError, match=r"nowhere\.toml: cannot be read"):
        load_field(tmp_path / "nowhere.toml")


def test_the_default_field_has_stations_maniacs_and_nits_in_realistic_shares() -> None:
    entries = load_field().entries
    total = sum(entry.share for entry in entries)

    def share(profile: str) -> float:
        return sum(entry.share for entry in entries if entry.kind.startswith(f"{profile}:")) / total

    assert 0.08 <= share("station") <= 0.2
    assert 0.04 <= share("maniac") <= 0.1
    assert 0.05 <= share("nit") <= 0.15


def test_the_default_field_plays_32_percent_of_its_hands_and_raises_18() -> None:
    dealt = played = raised = 0
    for hand in played_hands(load_field(), hands=2_400, seed=9, hands_a_table=6):
        dealt += 6
        before_the_flop = [past for past in hand.actions if past.street is Street.PREFLOP]
        played += len({p.seat for p in before_the_flop if p.verb in (Verb.CALL, Verb.RAISE, Verb.ALL_IN)})
        raised += len({p.seat for p in before_the_flop if p.verb is Verb.RAISE})
    assert played / dealt == pytest.approx(0.32, abs=0.03)
    assert raised / dealt == pytest.approx(0.18, abs=0.03)
