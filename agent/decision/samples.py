"""Sample spots, one and more of every kind: what prompt sets are rehearsed on, and what `poker-agent prompt render` shows."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from agent.decision.equity_desk import EquityDesk
from agent.decision.turn import Turn, work_out
from agent.poker.spot import Spot
from agent.poker.spot_text import spot_from
from agent.strategy.opponents import Acquaintance, Opponents
from agent.strategy.policy.policy import Policy
from agent.strategy.statistics import Count, Statistics

FOLDER: Final = Path(__file__).parent / "spots"
SEED: Final = 1

_STATION: Final = Statistics(
    hands=86,
    vpip=Count(47, 84),
    pfr=Count(6, 80),
    three_bet=Count(1, 31),
    fold_to_three_bet=Count(1, 3),
    c_bet=Count(2, 5),
    fold_to_c_bet=Count(4, 19),
    fold_to_flop_bet=Count(8, 33),
    fold_to_turn_bet=Count(6, 21),
    fold_to_river_bet=Count(5, 16),
    aggression=Count(14, 71),
    wtsd=Count(19, 45),
    won_at_showdown=Count(9, 19),
)
_HARDLY_KNOWN: Final = Statistics(hands=6, vpip=Count(2, 6), pfr=Count(1, 6))


def turn_of(spot: Spot, desk: EquityDesk) -> Turn:
    """What the agent would put to a model about `spot`, against opponents of whom `sample_reads` are known.

    `ValueError` where nothing can be asked about it.
    """
    if spot.hole_cards is None:
        raise ValueError("hole_cards are missing: a prompt needs the cards that are held")
    if not spot.opponents:
        raise ValueError("players hold no opponent with cards: there is nothing to decide")
    reads, opponents = sample_reads(spot), Opponents()
    for player in spot.opponents:
        opponents.put(player.name, Acquaintance(reads[player.seat]))
    return work_out(spot, desk, Policy(), opponents)


def sample_reads(spot: Spot) -> dict[int, Statistics]:
    """Made-up statistics of every opponent, for trying a prompt set: a station, then somebody hardly known, in turn."""
    return {player.seat: (_STATION, _HARDLY_KNOWN)[n % 2] for n, player in enumerate(spot.opponents)}


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
