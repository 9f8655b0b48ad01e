import asyncio
import io
import logging
from collections.abc import Callable
from dataclasses import replace

import pytest
from rich.console import Console

from agent.decision.asking import Attempt, Failure
from agent.decision.decide import Decision, Source
from agent.health import CODES_KEPT, LATENCIES_KEPT, Health, Latency, WinRate
from agent.llm.chat import ChatReply
from agent.openpoker.table import HandSummary
from agent.poker.spot import Action, Verb
from agent.terminal.status import hands_console, status_line, status_numbers, status_shown
from tests.spots import heads_up

FOLD = Action(Verb.FOLD)
RULE = Decision(FOLD, "rule", "no model is set", (), None, FOLD)
REPLY = ChatReply("{}", "m", None, 500.0, None, None, None, None, {})
JOINED = {"type": "table_joined", "table_id": "t-1", "seat": 0, "players": []}


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def hand(net_chips: int | None, *, stack_chips: int | None = 2_000, table_id: str = "t-1") -> HandSummary:
    return HandSummary("h", table_id, 0, None, (), 0, (0, 1), 1, 20, 40, net_chips, True, {}, stack_chips)


def _failure(reply: ChatReply | None, number: int, source: Source) -> tuple[str | None, Failure | None]:
    if reply is None:
        return "no answer in time", "late"
    is_played = source == "llm" or (source == "repaired" and number == 1)
    return (None, None) if is_played else ("no JSON", "unusable")


def asked(*seconds: float, source: Source = "llm", reply: ChatReply | None = REPLY) -> Decision:
    attempts = tuple(
        Attempt("repair" if number else "first", "x/m", (), 1_000 * s, reply, *_failure(reply, number, source))
        for number, s in enumerate(seconds)
    )
    return replace(RULE, source=source, attempts=attempts)


def test_nothing_is_known_before_the_first_frame() -> None:
    health = Health(Clock())

    assert (health.is_connected, health.table_id, health.stack_chips, health.frame_age_s) == (False, None, None, None)
    assert (health.win_rate.bb_per_100, health.model.latency.median_s) == (None, None)


def test_the_age_of_the_last_frame_counts_frames_of_the_venue_only() -> None:
    clock = Clock()
    health = Health(clock)
    health.frame("in", {"type": "connected"})
    clock.now += 7
    health.frame("out", {"type": "join_lobby"})

    assert health.frame_age_s == 7


def test_a_bot_is_silent_after_five_minutes_without_a_frame_from_the_start_too() -> None:
    clock = Clock()
    health = Health(clock)
    clock.now += 299
    before = health.is_silent
    clock.now += 1
    at_five_minutes = health.is_silent
    health.frame("in", {"type": "connected"})

    assert (before, at_five_minutes, health.is_silent) == (False, True, False)


def test_connections_after_the_first_are_reconnects_and_requests_for_a_resync_are_counted() -> None:
    health = Health(Clock())
    for _ in range(3):
        health.frame("in", {"type": "connected"})
        health.frame("out", {"type": "resync_request"})
        health.disconnected()

    assert (health.is_connected, health.reconnects, health.resyncs) == (False, 2, 3)


@pytest.mark.parametrize(
    ("frame", "table"),
    [
        ({"type": "table_closed", "table_id": "t-1"}, None),
        ({"type": "table_closed", "table_id": "t-0"}, "t-1"),
        ({"type": "player_left", "table_id": "t-1", "seat": 0}, None),
        ({"type": "player_left", "table_id": "t-1", "seat": 4}, "t-1"),
        ({"type": "busted"}, None),
        ({"type": "season_ended"}, None),
    ],
)
def test_a_table_is_ours_until_we_have_left_it(frame: dict[str, object], table: str | None) -> None:
    health = Health(Clock())
    health.frame("in", JOINED)
    health.frame("in", frame)

    assert health.table_id == table


def test_the_stack_is_that_of_the_latest_turn_or_hand() -> None:
    health = Health(Clock())
    health.turn(heads_up(stack=1_200))
    assert health.stack_chips == 1_200
    health.hand_over(hand(None, stack_chips=1_350))
    assert health.stack_chips == 1_350
    health.hand_over(hand(None, stack_chips=9, table_id="another"))
    assert health.stack_chips == 1_350


def test_a_hand_whose_result_is_not_known_counts_and_is_no_part_of_the_sample() -> None:
    health = Health(Clock())
    for net_chips in (60, None, -20):
        health.hand_over(hand(net_chips))

    assert (health.hands, health.net_chips, health.win_rate.hands) == (3, 40, 2)
    assert health.win_rate.bb_per_100 == 100


def test_the_margin_of_the_win_rate_is_1_96_standard_errors() -> None:
    rate = WinRate()
    rate.add(3)
    assert rate.margin is None
    rate.add(-1)

    # Standard deviation of 3 and -1: the root of 8; divided by the root of 2 hands: 2.
    assert rate.margin == pytest.approx(392)


def test_median_and_95th_percentile_are_those_of_the_latest_replies() -> None:
    latency = Latency()
    latency.add(1_000)
    for tenths in range(1, LATENCIES_KEPT + 1):
        latency.add(tenths / 10)

    assert (latency.median_s, latency.p95_s) == (10.05, 19.0)
    assert len(latency.recent_s) == LATENCIES_KEPT


def test_a_latency_falls_into_the_bucket_whose_bound_it_does_not_exceed() -> None:
    latency = Latency()
    for seconds in (0.1, 0.11, 40.0, 40.1):
        latency.add(seconds)

    assert latency.buckets == [1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1]


def test_attempts_that_were_not_played_are_failures_by_kind() -> None:
    health = Health(Clock())
    health.decided(asked(0.5))
    health.decided(asked(0.5, 0.7, source="repaired"))
    health.decided(asked(0.5, 0.7, source="rule"))
    health.decided(asked(12.0, source="rule", reply=None))

    assert health.decisions == {"llm": 1, "repaired": 1, "rule": 2}
    assert health.model.questions == {"first": 4, "repair": 2}
    assert health.model.failures == {"unusable": 3, "late": 1}
    assert health.model.calls == 6


def test_costs_are_summed_where_they_are_known_and_questions_not_asked_are_no_calls() -> None:
    health = Health(Clock())
    health.decided(asked(0.5, reply=replace(REPLY, cost_usd=0.002)))
    health.decided(asked(0.5))
    paused = Attempt("first", "x/m", (), 0.0, None, "left alone", "paused")
    health.decided(replace(RULE, attempts=(paused,)))

    assert (health.model.cost_usd, health.model.unpriced, health.model.calls) == (0.002, 1, 2)


def test_a_question_without_a_reply_says_nothing_about_the_speed_of_replies() -> None:
    health = Health(Clock())
    health.decided(asked(12.0, source="rule", reply=None))

    assert health.model.latency.median_s is None


def test_answers_are_counted_by_what_became_of_them() -> None:
    health = Health(Clock())
    health.sent(None)
    health.sent("no connection")
    health.settled(True, None)
    health.settled(False, "not_your_turn")
    health.settled(False, None)

    assert (health.answers.sent, health.answers.not_sent, health.answers.accepted) == (1, 1, 1)
    assert health.answers.rejected == {"not_your_turn": 1, "unknown": 1}


def test_an_answer_that_the_socket_did_not_take_means_that_the_connection_is_gone() -> None:
    health = Health(Clock())
    health.frame("in", JOINED)
    health.sent("no connection")

    assert (health.is_connected, health.table_id) == (False, "t-1")


def test_a_venue_that_invents_codes_fills_no_memory() -> None:
    health = Health(Clock())
    for number in range(1_000):
        health.settled(False, f"code-{number}")

    rejected = health.answers.rejected
    assert (len(rejected), rejected["other"]) == (CODES_KEPT + 1, 1_000 - CODES_KEPT)


def played() -> Health:
    clock = Clock()
    health = Health(clock)
    health.frame("in", {"type": "connected"})
    health.frame("in", JOINED)
    health.turn(heads_up())
    health.decided(asked(0.5, 1.5, source="repaired"))
    health.hand_over(hand(60, stack_chips=2_060))
    health.hand_over(hand(-20, stack_chips=2_040))
    clock.now += 4
    return health


def test_the_status_line_names_table_stack_hands_net_rate_model_and_age() -> None:
    assert status_line("heron", played()).plain == (
        "heron · table t-1 · stack 2,040 · 2 hands · net +40 · +100.0 bb/100 ± 392.0 (2 hands) · "
        "model 1.0 s (95 % under 1.5 s), 1 of 2 failed · last frame 4 s ago"
    )


def test_the_status_line_of_a_bot_that_has_not_begun_claims_nothing() -> None:
    assert status_line("heron", Health(Clock())).plain == (
        "heron · not connected · no table · stack unknown · 0 hands · net 0 · no frame yet"
    )


def test_a_table_name_cannot_work_on_the_terminal() -> None:
    health = Health(Clock())
    health.frame("in", {**JOINED, "table_id": "\x1b[2J"})

    assert "table \\x1b[2J" in status_line("heron", health).plain


def test_rows_that_the_journal_lost_stand_in_the_status_line() -> None:
    health = Health(Clock())
    health.journal_rows_lost = 1_200

    assert status_line("heron", health).plain.endswith("1,200 journal rows lost")


async def until(condition: Callable[[], object]) -> None:
    while not condition():  # noqa: ASYNC110 - what is waited for has no event
        await asyncio.sleep(0.001)


async def test_without_a_terminal_the_status_is_logged_with_its_numbers(caplog: pytest.LogCaptureFixture) -> None:
    health, err = played(), Console(file=io.StringIO())
    with caplog.at_level(logging.INFO, "agent.terminal.status"):
        async with status_shown({"heron": health}, err, logged_every_s=0.001):
            await until(lambda: caplog.records)
    record = caplog.records[0]

    assert record.getMessage() == status_line("heron", health).plain
    assert status_numbers(health).items() <= vars(record).items()
    assert vars(record)["stack_chips"] == 2_040


async def test_on_a_terminal_the_status_stays_below_what_is_printed() -> None:
    file = io.StringIO()
    err = Console(file=file, force_terminal=True, width=200, color_system=None)
    async with status_shown({"heron": played()}, err, refresh_s=0.001):
        await until(lambda: "last frame 4 s ago" in file.getvalue())
        begun = len(file.getvalue())
        err.print("hand 3")
        after = file.getvalue()[begun:]

    assert after.index("hand 3") < after.rindex("heron · table t-1")


@pytest.mark.parametrize(
    ("out_is_terminal", "err_is_terminal", "chosen"),
    [(True, True, "err"), (False, True, "out"), (True, False, "out"), (False, False, "out")],
)
def test_hands_go_above_the_status_where_both_are_on_the_terminal(
    out_is_terminal: bool, err_is_terminal: bool, chosen: str
) -> None:
    environ = {"TERM": "xterm"}
    out = Console(file=io.StringIO(), force_terminal=out_is_terminal, _environ=environ)
    err = Console(file=io.StringIO(), force_terminal=err_is_terminal, _environ=environ)

    assert hands_console(out, err) is {"out": out, "err": err}[chosen]
