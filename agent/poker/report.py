"""The equity report: an equity, how it was found and how well it is known."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from agent.poker.spot import Street

Method = Literal["auto", "exact", "monte-carlo"]
METHODS: Final = ("auto", "exact", "monte-carlo")
NO_DEAL: Final = "no deal is possible: the ranges leave no holdings that fit together"


@dataclass(frozen=True, slots=True)
class TrialsPerStreet:
    """How many trials a full-sized pot is worth on each street, where nothing exact costs less."""

    preflop: int = 1_000
    flop: int = 5_000
    turn: int = 3_000
    river: int = 3_000

    def for_pot(self, street: Street, pot_chips: int, big_blind_chips: int) -> int:
        """The trials for a pot of this size: all from ten big blinds up, in proportion below, never under a fifth.

        >>> TrialsPerStreet().for_pot(Street.FLOP, 100, 20)
        2500
        """
        full: int = getattr(self, street)
        share = min(1.0, max(0.2, pot_chips / (10 * big_blind_chips)))
        return max(1, round(full * share))


@dataclass(frozen=True, slots=True)
class EquityReport:
    """An equity and the deals behind it.

    `equity` is `win` plus the shares of ties (a tie of k hands counts 1/k), all in [0, 1]; `win`, `tie` and `lose`
    are parts of all deals, None where only the equity is known. `stderr` is the standard error of `equity` (0 when exact) and `ci_low`..`ci_high` its 95 %
    interval. `method` is `exact`, `monte-carlo` or `table`. `trials` counts deals, `wins`, `ties` and `losses` those
    among them; they are None where deals have weights, or are not counted. `cached` says that the report was worked
    out before; `elapsed_ms` is what it took then.
    """

    equity: float
    win: float | None
    tie: float | None
    lose: float | None
    method: str
    opponents: int
    ranges: str
    trials_asked: int
    trials: int
    wins: int | None
    ties: int | None
    losses: int | None
    stderr: float
    ci_low: float
    ci_high: float
    stop_reason: str
    seed: int
    elapsed_ms: float | None = None
    cached: bool = False


def exact_report(shares: Sequence[float], *, ranges: str, seed: int = 0, deals: int | None = None) -> EquityReport:
    """The report of an enumeration: `shares[0]` deals are lost, `shares[k]` shared by k.

    Where shares are weights and no counts, `deals` is the number of deals that they were summed over.
    """
    total, equity = _total_and_equity(shares)
    whole = deals is None
    ties = sum(shares[2:])
    return EquityReport(
        equity=equity,
        win=shares[1] / total,
        tie=ties / total,
        lose=shares[0] / total,
        method="exact",
        opponents=len(shares) - 2,
        ranges=ranges,
        trials_asked=int(total) if deals is None else deals,
        trials=int(total) if deals is None else deals,
        wins=int(shares[1]) if whole else None,
        ties=int(ties) if whole else None,
        losses=int(shares[0]) if whole else None,
        stderr=0.0,
        ci_low=equity,
        ci_high=equity,
        stop_reason="enumerated",
        seed=seed,
    )


def sampled_report(shares: Sequence[int], *, ranges: str, asked: int, stop_reason: str, seed: int) -> EquityReport:
    """The report of a sample, with `shares` as in `exact_report`."""
    total, equity = _total_and_equity(shares)
    variance = max(0.0, sum(count / k**2 for k, count in enumerate(shares) if k) / total - equity**2)
    stderr = math.sqrt(variance / total)
    # The normal interval collapses when every deal came out alike; then the "rule of three" bounds what was not seen.
    slack = 3 / total if variance == 0 else 1.96 * stderr
    wins, ties, losses = int(shares[1]), int(sum(shares[2:])), int(shares[0])
    return EquityReport(
        equity=equity,
        win=wins / total,
        tie=ties / total,
        lose=losses / total,
        method="monte-carlo",
        opponents=len(shares) - 2,
        ranges=ranges,
        trials_asked=asked,
        trials=int(total),
        wins=wins,
        ties=ties,
        losses=losses,
        stderr=stderr,
        ci_low=max(0.0, equity - slack),
        ci_high=min(1.0, equity + slack),
        stop_reason=stop_reason,
        seed=seed,
    )


CRUMBS: Final = 1e-13
"""Below this part of what it was taken from, a weight is what rounding left behind and not a deal."""


def real_weights(sums: Sequence[float], most: float) -> list[float]:
    """Summed weights without the crumbs that rounding leaves; `most` is what they would be if everything fitted together.

    Raises `ValueError` when nothing but crumbs is left.
    """
    if sum(sums) <= CRUMBS * most:
        raise ValueError(NO_DEAL)
    return [weight if weight > CRUMBS * most else 0.0 for weight in sums]


def _total_and_equity(shares: Sequence[float]) -> tuple[float, float]:
    """All deals and the mean share of the pot. Plain sums: counts before the flop do not fit into 64 bits."""
    total, won = shares[0], 0.0
    for sharing in range(1, len(shares)):
        total += shares[sharing]
        won += shares[sharing] / sharing
    if total <= 0:
        raise ValueError(NO_DEAL)
    return total, won / total
