"""What a monitor reads: `/metrics` for Prometheus and `/healthz` for everybody else, on this machine only.

The pages are served by the event loop that plays: what they show fits together, and a loop that hangs calls itself
healthy to nobody.
"""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from itertools import accumulate
from typing import Any, Final

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from agent.health import LATENCY_BOUNDS_S, Health

LOOPBACK: Final = "127.0.0.1"
PREFIX: Final = "poker_agent_"
CLOSING_S: Final = 1.0

Number = float | None
Counts = Mapping[str, int]

_GAUGES: Final[Mapping[str, tuple[str, Callable[[Health], Number]]]] = {
    "connected": ("1 while the venue hears us, else 0.", lambda h: h.is_connected),
    "last_frame_age_seconds": ("Seconds since the venue's latest frame.", lambda h: h.frame_age_s),
    "seated": ("1 while we have a seat, else 0.", lambda h: h.table_id is not None),
    "stack_chips": ("Chips at the table.", lambda h: h.stack_chips),
    "net_chips": ("Chips won since the start, negative when lost.", lambda h: h.net_chips),
    "net_bb_per_100": ("Big blinds won in a hundred hands.", lambda h: h.win_rate.bb_per_100),
    "net_bb_per_100_margin": ("Half the width of its 95 % interval.", lambda h: h.win_rate.margin),
}
_COUNTERS: Final[Mapping[str, tuple[str, Callable[[Health], float]]]] = {
    "hands": ("Hands that have ended.", lambda h: h.hands),
    "turns": ("Turns that were ours.", lambda h: h.turns),
    "answers_sent": ("Answers that the socket took.", lambda h: h.answers.sent),
    "answers_not_sent": ("Answers that it did not take; they are sent again.", lambda h: h.answers.not_sent),
    "answers_accepted": ("Answers that the venue accepted.", lambda h: h.answers.accepted),
    "reconnects": ("Connections after the first.", lambda h: h.reconnects),
    "resyncs": ("Requests for the state of the table.", lambda h: h.resyncs),
    "model_cost_usd": ("What model replies of known cost have cost, in US dollars.", lambda h: h.model.cost_usd),
    "model_replies_unpriced": ("Model replies whose cost is not known.", lambda h: h.model.unpriced),
    "journal_rows_lost": ("Rows that will never be in the journal.", lambda h: h.journal_rows_lost),
}
_LABELLED: Final[Mapping[str, tuple[str, str, Callable[[Health], Mapping[Any, int]]]]] = {
    "decisions": ("Decisions by who took them.", "source", lambda h: h.decisions),
    "model_questions": ("Questions to the model.", "kind", lambda h: h.model.questions),
    "model_failures": ("Questions that brought nothing to play.", "kind", lambda h: h.model.failures),
    "answers_rejected": ("Answers that the venue rejected.", "code", lambda h: h.answers.rejected),
    "frames": ("Frames that passed the socket.", "direction", lambda h: h.frames),
}


class HealthCollector(Collector):
    """The health of bots as metrics, each bot under its label; what is not known has no sample."""

    def __init__(self, healths: Mapping[str, Health]) -> None:
        self._healths = healths

    def collect(self) -> Iterator[Metric]:
        """Every metric, with the samples of now."""
        for name, (text, number) in _GAUGES.items():
            gauge = GaugeMetricFamily(PREFIX + name, text, labels=("bot",))
            for bot, health in self._healths.items():
                value = number(health)
                if value is not None:
                    gauge.add_metric((bot,), float(value))
            yield gauge
        for name, (text, count) in _COUNTERS.items():
            counter = CounterMetricFamily(PREFIX + name, text, labels=("bot",))
            for bot, health in self._healths.items():
                counter.add_metric((bot,), count(health))
            yield counter
        for name, (text, label, counts) in _LABELLED.items():
            counter = CounterMetricFamily(PREFIX + name, text, labels=("bot", label))
            for bot, health in self._healths.items():
                for value, times in counts(health).items():
                    counter.add_metric((bot, value), times)
            yield counter
        yield self._latency()

    def _latency(self) -> Metric:
        text = "Seconds from a question to the model's reply."
        histogram = HistogramMetricFamily(PREFIX + "model_latency_seconds", text, labels=("bot",))
        bounds = (*(str(bound_s) for bound_s in LATENCY_BOUNDS_S), "+Inf")
        for bot, health in self._healths.items():
            latency = health.model.latency
            cumulative = list(zip(bounds, accumulate(latency.buckets), strict=True))
            histogram.add_metric((bot,), cumulative, latency.sum_s)
        return histogram


def metrics_text(healths: Mapping[str, Health]) -> bytes:
    """The health of bots in Prometheus' text format."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(HealthCollector(healths))
    return generate_latest(registry)


@asynccontextmanager
async def metrics_served(
    healths: Mapping[str, Health], port: int, *, is_resting: Callable[[], bool] = lambda: False
) -> AsyncIterator[int]:
    """Serve both pages while the block runs, and say on which port; 0 takes a free one. Raises `OSError`.

    `/healthz` answers 503 when a bot is silent that is not `is_resting` (in its quiet hours).
    """

    async def metrics(_: web.Request) -> web.Response:
        return web.Response(body=metrics_text(healths), headers={"Content-Type": CONTENT_TYPE_LATEST})

    async def healthz(_: web.Request) -> web.Response:
        silent = set() if is_resting() else {bot for bot, health in healths.items() if health.is_silent}
        states = {bot: "silent" if bot in silent else "ok" for bot in healths}
        return web.json_response(states, status=503 if silent else 200)

    app = web.Application()
    app.add_routes([web.get("/metrics", metrics), web.get("/healthz", healthz)])
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=CLOSING_S)
    await runner.setup()
    try:
        await web.TCPSite(runner, LOOPBACK, port).start()
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()
