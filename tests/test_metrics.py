import socket
from collections.abc import Iterator

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from agent.decision.asking import Attempt
from agent.decision.decide import Decision
from agent.health import Health
from agent.llm.chat import ChatReply
from agent.metrics import metrics_served, metrics_text
from agent.poker.spot import Action, Verb

FOLD = Action(Verb.FOLD)
REPLY = ChatReply("{}", "m", None, 600.0, None, None, None, None, {})
UNUSABLE = Attempt("first", "x/m", (), 600.0, REPLY, "no JSON", "unusable")
LATE = Attempt("repair", "x/m", (), 9_000.0, None, "no answer in time", "late")


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def played(clock: Clock) -> Health:
    health = Health(clock)
    health.frame("in", {"type": "connected"})
    health.decided(Decision(FOLD, "rule", "late", (), None, FOLD, attempts=(UNUSABLE, LATE)))
    health.settled(False, 'a "code"\nof strangers')
    clock.now += 3
    return health


def samples(text: bytes) -> Iterator[tuple[str, dict[str, str], float]]:
    for family in text_string_to_metric_families(text.decode()):
        for sample in family.samples:
            yield sample.name, sample.labels, sample.value


def test_a_scrape_holds_the_numbers_of_each_bot_under_its_label() -> None:
    found = list(samples(metrics_text({"heron": played(Clock()), "otter": Health(Clock())})))
    heron = {"bot": "heron"}

    assert ("poker_agent_connected", heron, 1) in found
    assert ("poker_agent_connected", {"bot": "otter"}, 0) in found
    assert ("poker_agent_last_frame_age_seconds", heron, 3) in found
    assert ("poker_agent_decisions_total", {**heron, "source": "rule"}, 1) in found
    assert ("poker_agent_model_failures_total", {**heron, "kind": "late"}, 1) in found


def test_a_value_that_is_not_known_has_no_line() -> None:
    found = list(samples(metrics_text({"otter": Health(Clock())})))

    assert not [name for name, _, _ in found if name in ("poker_agent_stack_chips", "poker_agent_net_bb_per_100")]


def test_the_histogram_counts_up_to_each_bound() -> None:
    found = {
        (name, labels.get("le", "")): value
        for name, labels, value in samples(metrics_text({"heron": played(Clock())}))
        if name.startswith("poker_agent_model_latency_seconds")
    }

    assert found["poker_agent_model_latency_seconds_bucket", "0.5"] == 0
    assert found["poker_agent_model_latency_seconds_bucket", "1.0"] == 1
    assert found["poker_agent_model_latency_seconds_bucket", "+Inf"] == 1
    assert found["poker_agent_model_latency_seconds_count", ""] == 1
    assert found["poker_agent_model_latency_seconds_sum", ""] == 0.6


def test_text_of_strangers_is_a_label_and_nothing_else() -> None:
    found = list(samples(metrics_text({"heron": played(Clock())})))

    labels = {"bot": "heron", "code": 'a "code"\nof strangers'}
    assert ("poker_agent_answers_rejected_total", labels, 1) in found


def test_every_metric_has_our_prefix_a_help_and_a_type() -> None:
    families = list(text_string_to_metric_families(metrics_text({"heron": played(Clock())}).decode()))

    assert len(families) == 23
    assert all(family.name.startswith("poker_agent_") for family in families)
    assert all(family.documentation.endswith(".") for family in families)
    assert {family.type for family in families} == {"gauge", "counter", "histogram"}


async def test_metrics_and_health_are_served_on_loopback_while_the_block_runs() -> None:
    clock, healths = Clock(), dict[str, Health]()
    async with metrics_served(healths, 0) as port, httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
        healths["heron"] = played(clock)
        scraped = await client.get("/metrics")
        well = await client.get("/healthz")
        clock.now += 300
        ill = await client.get("/healthz")
        reached = socket.socket()
        with reached:
            assert reached.connect_ex(("127.0.0.2", port)) != 0

    assert scraped.headers["Content-Type"].startswith("text/plain; version=")
    assert b'poker_agent_reconnects_total{bot="heron"} 0.0' in scraped.content
    assert (well.status_code, well.json()) == (200, {"heron": "ok"})
    assert (ill.status_code, ill.json()) == (503, {"heron": "silent"})
    async with httpx.AsyncClient() as client:
        with pytest.raises(httpx.ConnectError):
            await client.get(f"http://127.0.0.1:{port}/metrics")


async def test_a_bot_that_rests_may_be_silent() -> None:
    clock, healths = Clock(), dict[str, Health]()
    async with (
        metrics_served(healths, 0, is_resting=lambda: True) as port,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client,
    ):
        healths["heron"] = played(clock)
        clock.now += 8 * 3_600
        assert (await client.get("/healthz")).status_code == 200


async def test_a_port_that_is_taken_is_an_error() -> None:
    async with metrics_served({}, 0) as port:
        with pytest.raises(OSError, match="address already in use"):
            async with metrics_served({}, port):
                pass
