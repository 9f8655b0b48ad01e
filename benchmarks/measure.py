"""Timing: medians of repetitions, and percentiles."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a benchmark's table."""

    what: str
    figure: str
    beside: str = ""


def median_seconds(run: Callable[[], object], repetitions: int = 5) -> float:
    """The median time of `run` over the repetitions, after one that is not counted."""
    run()
    times = []
    for _ in range(repetitions):
        began = perf_counter()
        run()
        times.append(perf_counter() - began)
    return statistics.median(times)


def percentile(values: list[float], percent: int) -> float:
    """The value below which `percent` percent of `values` lie."""
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]
