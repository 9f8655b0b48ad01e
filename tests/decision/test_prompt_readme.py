"""The tables of prompts/README.md are those of the code."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from agent.decision.variable_table import REPAIR, Row, describe_variables, known_names
from agent.strategy.kinds import SPOT_KINDS

README = (Path(__file__).parents[2] / "prompts" / "README.md").read_text(encoding="utf-8")


def table(rows: Iterable[Row]) -> str:
    lines: list[Sequence[str]] = [("variable", "type", "meaning"), ("---",) * 3]
    lines += [(f"`{name}`", kind, meaning) for name, kind, meaning in rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


EXPECTED = {
    "kinds": ", ".join(f"`{kind}`" for kind in SPOT_KINDS),
    "turn": table(describe_variables()),
    "repair": table(REPAIR),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_the_readme_tells_what_the_code_has(name: str) -> None:
    _, _, rest = README.partition(f"<!-- {name} -->\n")
    written, _, _ = rest.partition("\n<!-- end -->")
    assert written == EXPECTED[name], f"prompts/README.md, below <!-- {name} -->, should read:\n{EXPECTED[name]}"


def test_every_variable_is_told_once_and_with_its_type() -> None:
    told = {name: kind for name, kind, _ in describe_variables()}

    assert len(told) == len(describe_variables())
    assert told["facts.outs"] == "int or None"
    assert told["opponents[].reads[].share"] == "float"
    assert told["menu"] == "list of Candidate"
    assert {"equity", "guidance", "problem", "alias"} <= set(known_names())
