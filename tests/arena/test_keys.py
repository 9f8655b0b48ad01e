"""Whose key it is: files of keys, registration, renaming, and keys that name themselves."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agent.arena.game.seeded import Seeded
from agent.arena.league.keys import Agent, KeyFileError, KeyRing, NameTakenError, RegistrationError, load_keys

NOON = datetime(2026, 9, 20, 12, tzinfo=UTC)


def ring(keys: Mapping[str, str] | None = None) -> KeyRing:
    return KeyRing(keys, Seeded(7), lambda: NOON)


def known(keys: KeyRing, key: str) -> Agent:
    agent = keys.agent_of(key)
    assert agent is not None
    return agent


# Keys of a file


def test_a_listed_key_belongs_to_its_name_and_any_other_to_nobody() -> None:
    keys = ring({"-k1": "Heron"})
    assert known(keys, "-k1").name == "Heron"
    assert [keys.agent_of(key) for key in ("k1", "-K1", "", None)] == [None] * 4


def test_an_agent_keeps_its_id_and_two_agents_have_two() -> None:
    keys = ring({"k1": "Heron", "k2": "Lynx"})
    assert known(keys, "k1") == known(ring({"k1": "Heron"}), "k1")
    assert known(keys, "k1").agent_id != known(keys, "k2").agent_id
    assert known(keys, "k1").created_at == NOON


# Keys that name themselves


@pytest.mark.parametrize("key", ["Heron", "my_bot_7", "abc", "A" * 16])
def test_in_an_open_arena_a_short_plain_key_is_the_name(key: str) -> None:
    assert known(ring(), key).name == key


@pytest.mark.parametrize("key", ["A" * 17, "op_live_0123456789abcdef", "-dash", "ab", "söt", "two words", "\udcff"])
def test_in_an_open_arena_any_other_key_is_not_shown_in_the_name(key: str) -> None:
    name = known(ring(), key).name
    assert name.startswith("Bot_")
    assert len(name) == 10
    assert key not in name


def test_in_an_open_arena_no_key_is_still_nobody() -> None:
    assert [ring().agent_of(key) for key in ("", None)] == [None, None]


def test_in_an_open_arena_two_keys_are_never_one_agent() -> None:
    keys = ring()
    first, second = known(keys, "heron"), known(keys, "Heron")
    assert first.name == "heron"
    assert second.name.startswith("Heron_")
    assert first.agent_id != second.agent_id
    assert known(keys, "heron") == first


# Registration


def test_a_registered_agent_is_known_by_the_key_it_was_given() -> None:
    keys = ring({})
    agent, key = keys.register("Heron", "heron@example.org")
    assert (agent.name, agent.email) == ("Heron", "heron@example.org")
    assert known(keys, key) == agent


def test_two_arenas_of_one_seed_give_the_same_keys_and_those_of_another_seed_others() -> None:
    assert ring({}).register("Heron")[1] == ring({}).register("Heron")[1]
    assert ring({}).register("Heron")[1] != KeyRing({}, Seeded(8), lambda: NOON).register("Heron")[1]


@pytest.mark.parametrize("name", ["", "ab", "a" * 33, "two words", "söt", "Heron!", "Heron\n"])
def test_a_name_that_no_agent_may_have_is_refused(name: str) -> None:
    with pytest.raises(RegistrationError, match="3 to 32 letters, digits or underscores"):
        ring({}).register(name)


def test_a_name_is_taken_in_any_spelling() -> None:
    keys = ring({"k1": "Heron"})
    with pytest.raises(NameTakenError, match="hERON"):
        keys.register("hERON")


# Renaming and new keys


def test_a_renamed_agent_keeps_its_key_and_id() -> None:
    keys = ring({"k1": "Heron"})
    before = known(keys, "k1")
    assert keys.rename(before, "Stork").agent_id == before.agent_id
    assert known(keys, "k1").name == "Stork"


def test_an_agent_may_change_the_spelling_of_its_name_and_take_its_old_name_back() -> None:
    keys = ring({"k1": "Heron"})
    keys.rename(known(keys, "k1"), "HERON")
    keys.rename(known(keys, "k1"), "Stork")
    keys.rename(known(keys, "k1"), "Heron")
    assert known(keys, "k1").name == "Heron"


def test_nobody_gets_the_name_or_the_id_that_another_agent_once_had() -> None:
    keys = ring({"k1": "Heron", "k2": "Lynx"})
    keys.rename(known(keys, "k1"), "Stork")
    with pytest.raises(NameTakenError):
        keys.register("Heron")
    with pytest.raises(NameTakenError):
        keys.rename(known(keys, "k2"), "Heron")


def test_a_new_key_replaces_the_old_one() -> None:
    keys = ring({"k1": "Heron"})
    agent = known(keys, "k1")
    key = keys.regenerate(agent)
    assert keys.agent_of("k1") is None
    assert known(keys, key) == agent
    assert keys.regenerate(agent) != key


def test_a_replaced_key_is_dead_in_an_open_arena_too() -> None:
    keys = ring()
    keys.regenerate(known(keys, "Heron"))
    assert keys.agent_of("Heron") is None


# Files


def test_a_file_of_keys_maps_keys_to_names(tmp_path: Path) -> None:
    file = tmp_path / "keys.toml"
    file.write_text('Heron = "-k1"\nLynx_2 = "k 2"\n', encoding="utf-8")
    assert load_keys(file) == {"-k1": "Heron", "k 2": "Lynx_2"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "there is none"),
        ("Heron = 7", "'Heron' is none"),
        ('Heron = ""', "'Heron' is none"),
        ('ab = "k1"', "'ab' is none"),
        ('"two words" = "k1"', "'two words' is none"),
        ('[keys]\nHeron = "k1"', "'keys' is none"),
        ("Heron", "Expected lines such as"),
        ('Heron = "k1"\nLynx = "k1"', "share a key or a name"),
        ('Heron = "k1"\nheron = "k2"', "share a key or a name"),
    ],
)
def test_a_file_that_holds_no_keys_is_refused_by_name(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "keys.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(KeyFileError, match=said) as refused:
        load_keys(file)
    assert str(file) in str(refused.value)


def test_a_file_that_is_not_there_or_not_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(KeyFileError, match="No such file"):
        load_keys(tmp_path / "none.toml")
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe")
    with pytest.raises(KeyFileError, match=r"binary\.toml"):
        load_keys(binary)
