"""Sample spots, one and more of every kind: what prompt sets are rehearsed on, and what `poker-agent prompt render` shows."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from agent.decision.equity_desk import EquityDesk
from agent.decision.menu import Menu, build_menu, matching
from agent.poker.facts import Facts, gather
from agent.poker.spot import Spot
from agent.poker.spot_text import spot_from
from agent.strategy.rules import call_threshold, pure_equity_rule

FOLDER: Final = Path(__file__).parent / "spots"
SEED: Final = 1


@dataclass(frozen=True, slots=True)
class Turn:
    """A spot with all that a prompt says about it; `rule_margin` as `turn_variables` takes it."""

    spot: Spot
    facts: Facts
    menu: Menu
    rule_choice: str
    rule_margin: float | None


def turn_of(spot: Spot, desk: EquityDesk) -> Turn:
    """What the agent would put to a model about `spot`. `ValueError` where nothing can be asked about it."""
    if spot.hole_cards is None:
        raise ValueError("hole_cards are missing: a prompt needs the cards that are held")
    if not spot.opponents:
        raise ValueError("players hold no opponent with cards: there is nothing to decide")
    report, menu, threshold = desk.measure(spot), build_menu(spot), call_threshold(spot, desk.margin)
    rule = pure_equity_rule(spot, report.equity, desk.margin)
    candidate = matching(menu, rule) if rule else None
    return Turn(
        spot=spot,
        facts=gather(spot, report),
        menu=menu,
        rule_choice=candidate.id if candidate else "nothing",
        rule_margin=None if threshold is None else report.equity - threshold,
    )


def sample_names() -> tuple[str, ...]:
    """The names of the sample spots."""
    return tuple(sorted(file.stem for file in FOLDER.glob("*.toml")))


@cache
def sample_turns() -> Mapping[str, Turn]:
    """The sample spots by name, each as a turn. Computed once, with the same seed for the same numbers."""
    desk = EquityDesk(SEED, lambda: 0.0)
    texts = {name: (FOLDER / f"{name}.toml").read_text(encoding="utf-8") for name in sample_names()}
    turns = {name: turn_of(spot_from(tomllib.loads(text)), desk) for name, text in texts.items()}
    return MappingProxyType(turns)
