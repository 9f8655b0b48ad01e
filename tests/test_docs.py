"""The tables of the documentation are those of the code."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from agent.arena.faults.plan import FaultName, description
from agent.arena.house.profiles import PROFILES
from agent.arena.league.freezeout import LEVELS, PAYOUTS
from agent.arena.settings import describe_settings
from agent.arena.wire.dialect import Dialect
from agent.llm.presets import PRESETS

ARENA = (Path(__file__).parents[1] / "docs" / "arena.md").read_text(encoding="utf-8")


def table(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines)


def described(rows: Iterable[tuple[str, object, str]]) -> str:
    return table(
        ("setting", "default", "meaning"), ((f"`{name}`", f"`{default}`", text) for name, default, text in rows)
    )


EXPECTED = {
    "settings": described(describe_settings()),
    "dialect": described(Dialect.describe()),
    "faults": table(("fault", "what happens"), ((f"`{name}`", description(name)) for name in FaultName)),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_the_tables_of_the_arena_are_those_of_the_code(name: str) -> None:
    _, _, rest = ARENA.partition(f"<!-- {name} -->\n")
    written, _, _ = rest.partition("\n<!-- end -->")
    assert written == EXPECTED[name], f"docs/arena.md, below <!-- {name} -->, should read:\n{EXPECTED[name]}"


def test_the_freeze_out_is_told_as_it_is_played() -> None:
    text = " ".join(ARENA.split())
    assert ", ".join(f"{small:,}/{big:,}" for small, big in LEVELS) in text
    for shares in PAYOUTS.values():
        assert ", ".join(f"{share} %" for share in shares) in text


def test_the_profiles_are_named() -> None:
    assert ", ".join(f"`{name}`" for name in PROFILES) in " ".join(ARENA.split())


def test_the_readme_says_of_every_provider_how_it_is_set_up_and_asked() -> None:
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in readme.splitlines() if line.startswith("| `")]
    told = {name.strip("`"): (key, form) for name, key, form, _ in (row for row in rows[1:] if len(row) == 4)}

    assert list(told) == list(PRESETS)
    for name, (key, form) in told.items():
        preset = PRESETS[name]
        assert form == f"`{preset.structured}`"
        assert preset.key_name is None or f"`{preset.key_name}`" in key
        assert preset.base_url is not None or "`LLM_BASE_URL`" in key
        assert not preset.is_local or f"port {str(preset.base_url).rpartition(':')[2].removesuffix('/v1')}" in key
