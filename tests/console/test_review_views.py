import asyncio
import sqlite3
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType
from urllib.parse import parse_qsl

import pytest
from nicegui import Client, ui
from nicegui.helpers import warnings
from starlette.requests import Request

from agent.console import decisions_page, figures, hands_page, models_page, overview_page
from agent.console.addresses import url
from agent.console.charts import EquityPoint, equity_chart, interval_bar, net_chart, nice_ticks
from agent.console.decision_page import menu_rows
from agent.console.decision_words import choices_of, equities_of, facts_of, ranges_of
from agent.console.filter_query import asked_in, filter_from
from agent.console.grounding_marks import grounding_marks
from agent.console.hands_page import listed, rows_of
from agent.console.journal_access import ConsoleReader, JournalAccess
from agent.console.markup import markup
from agent.console.models_page import contenders, read_statistics
from agent.console.overview_parts import read_overview
from agent.console.replay_reading import RestedReadings, StepReading, step_reading
from agent.console.replay_steps import Step, steps
from agent.console.standing import Standing, pulse, standing
from agent.journal.filters import ALL, Filter
from agent.journal.records import HandPlayer, OpponentRecord
from agent.journal.schema import JournalError, open_for_writing
from agent.journal.stories import CurvePoint, Habit, HandStory
from agent.poker.cards import parse_cards
from agent.poker.range_words import range_words
from agent.remembered import book_of, spot_of
from agent.strategy.opponents import STRANGER, Opponents
from agent.strategy.reading import Reading
from agent.strategy.statistics import Statistics
from tests.console.journals import OLD, STRANGE_ID, demo, flop_hand, run_of, strange_decision, write

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return demo(tmp_path_factory.getbasetemp())


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """One run with three hands, and a decision in the last of them."""
    path = tmp_path / "journal.sqlite3"
    hands = [flop_hand(name, OLD + timedelta(minutes=number)) for number, name in enumerate(("c", "a", STRANGE_ID))]
    write(path, run_of("Heron"), hands, [strange_decision(), strange_decision(), strange_decision()])
    return path


def story(**changes: object) -> HandStory:
    return HandStory(run_of("Heron"), flop_hand(**changes), (strange_decision(),))  # type: ignore[arg-type]


def test_a_hand_is_replayed_step_by_step() -> None:
    told = steps(story())

    assert [(step.street.value, step.words) for step in told if "evil" not in step.words] == [
        ("preflop", "Blinds 10/20. Heron holds A♠ K♦."),
        ("preflop", "Heron calls 20."),
        ("preflop", "Kea folds."),
        ("flop", "Flop: 7♥ 2♣ K♠, pot 60."),
        ("flop", "Heron is to act: 40 to call, pot 120."),
        ("flop", "Heron raises to 150 all in."),
        ("turn", "Turn: 7♥ 2♣ K♠ 3♦, pot 260."),
        ("river", "River: 7♥ 2♣ K♠ 3♦ 9♣, pot 260."),
    ]
    assert [seat.seat for seat in told[0].view.seats] == [2, 4, 5]
    assert [step.decision is not None for step in told[6:9]] == [True, True, False]


def test_what_nobody_called_goes_back_and_cards_are_shown_at_the_showdown_only() -> None:
    told = steps(story())
    at_turn, showdown, end = told[8].view, told[-2].view, told[-1].view

    assert at_turn.seats[0].stack_chips == 50
    assert [seat.cards for seat in at_turn.seats] == [parse_cards("AsKd"), (), ()]
    assert [seat.hidden for seat in at_turn.seats] == [False, True, False]
    assert showdown.seats[1].cards == parse_cards("QhQd")
    assert (end.pots, [seat.won_chips for seat in end.seats]) == ((), [250, 0, 0])
    assert [seat.stack_chips for seat in end.seats] == [300, 0, 1_980]


def test_no_step_of_a_played_hand_makes_or_loses_chips(played: Path) -> None:
    with ConsoleReader(played) as reader:
        stories = [reader.hand(line.hand.hand_id, line.run_id) for line in reader.hands(20)]
    for hand in stories:
        dealt = sum(player.start_chips for player in hand.hand.players)
        *before, end = steps(hand)
        for step in before:
            seats = step.view.seats
            assert sum((seat.stack_chips or 0) + seat.bet_chips for seat in seats) + sum(step.view.pots) == dealt
        assert sum(seat.stack_chips or 0 for seat in end.view.seats) == dealt
        assert {step.decision.id for step in before if step.decision} == {decision.id for decision in hand.decisions}
    assert len(stories) == 12


def test_a_decision_that_was_not_seen_played_is_told_and_unknown_players_are_not_drawn() -> None:
    unseen = steps(story(actions=()))

    assert [step.words for step in unseen if step.decision] == ["What was decided here was not seen played."]
    assert [step.view.board for step in unseen if step.decision] == [parse_cards("7h2cKs")]
    assert steps(story(players=())) == ()


def read_all(hand: HandStory, book: Opponents | None = None) -> list[tuple[Step, StepReading]]:
    reading, known = Reading(), book or Opponents()
    return [(step, step_reading(hand.hand, step, known, reading)) for step in steps(hand)]


def test_each_step_has_our_equity_against_what_the_acts_so_far_tell() -> None:
    told = read_all(story())
    equities = [read.equity_words[0][1] for _, read in told]

    assert len(told) == 12
    assert all(read.why == "" for _, read in told)
    assert [len(read.ranges) for _, read in told] == [2, 2, 2, *[1] * 9]
    assert equities[0].endswith("% against the ranges read, exact")
    assert equities[-2:] == ["100.0% against the cards shown, exact"] * 2
    before, after = told[4][1], told[5][1]
    assert (told[5][0].words[-7:], before.ranges[0][0]) == ("all in.", after.ranges[0][0])
    assert after.ranges[0][1].share < before.ranges[0][1].share
    assert told[-1][1].ranges[0][0].endswith("(SB), shows Q♥ Q♦")
    assert [read for _, read in told] == [read for _, read in read_all(story())]


def test_a_step_is_read_as_the_turn_itself_was(played: Path) -> None:
    compared = 0
    with ConsoleReader(played) as reader:
        for line in reader.hands(20):
            hand = reader.hand(line.hand.hand_id, line.run_id)
            book = book_of(reader.latest_opponents(hand.run.bot, 10))
            turns = [(step, read) for step, read in read_all(hand, book) if step.decision and step.view.seats[0].to_act]
            for step, read in turns:
                assert step.decision is not None
                decided = reader.decision(step.decision.id)
                spot = spot_of(decided.decision, reader.frames_before(decided))
                assert spot is not None
                assert spot.hole_cards is not None
                live = Reading().ranges(spot, book.of, book.shown_of)
                known = (*spot.hole_cards, *spot.board)
                assert dict(read.ranges) == {
                    f"{seat.name} ({seat.position})": range_words(live[seat.seat], known)
                    for seat in step.view.seats
                    if seat.seat in live
                }
                assert read.known.startswith("with all that the journal knows of them today: ")
                assert read.equity is not None
                compared += 1
    assert compared > 12


def test_after_our_fold_the_others_are_still_read() -> None:
    folded = story(
        actions=(
            (2, "preflop", "fold", 0, 0),
            (4, "preflop", "call", 10, 20),
            (5, "preflop", "check", 0, 20),
            (4, "flop", "raise", 40, 40),
            (5, "flop", "fold", 0, 0),
        ),
        shown={},
        result={"payouts": [{"seat": 4, "amount": 80}]},
    )
    told = read_all(replace(folded, decisions=()))

    assert [read.equity is not None for _, read in told] == [True, *[False] * (len(told) - 1)]
    assert {read.why for _, read in told[1:]} == {"We have folded, so we have no equity."}
    assert [len(read.ranges) for _, read in told] == [2, 2, 2, 2, 2, 2, 1, 1, 1, 1]


def test_there_is_no_equity_where_we_are_alone_or_where_it_is_not_known_what_we_held() -> None:
    walk = ((2, "preflop", "raise", 60, 60), (4, "preflop", "fold", 0, 10), (5, "preflop", "fold", 0, 20))
    told = read_all(replace(story(actions=walk, shown={}, board=""), decisions=()))
    assert [read.why for _, read in told[-2:]] == ["Nobody else holds cards."] * 2
    assert told[0][1].equity is not None

    hidden = [read for _, read in read_all(story(hole_cards=""))]
    assert {read.why for read in hidden} == {"Our cards are not in the journal, so we have no equity."}
    assert all(read.ranges for read in hidden)
    apart = [read for _, read in read_all(replace(story(hero_seat=None), decisions=()))]
    assert {read.why for read in apart} == {"Which seat was ours is not in the journal, so we have no equity."}
    assert len(apart[0].ranges) == 3


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ({"complete": False}, "A part of this hand was not seen, so nothing can be read from what they did."),
        ({"button_seat": None}, "does not fit together"),
        ({"result": {}}, "does not fit together"),
        ({"blinds": {}}, "does not fit together"),
        ({"big_blind_chips": 0}, "does not fit together"),
        ({"actions": ((7, "preflop", "call", 20, 20),)}, "does not fit together"),
        ({"actions": ((4, "preflop", "fold", 0, 0), (5, "preflop", "fold", 0, 0))}, "does not fit together"),
        ({"players": (HandPlayer(2, "Heron", None, 170, None),)}, "does not fit together"),
        ({"hole_cards": "7hKd"}, "No equity: "),
        ({"shown": {"2": "AsKd", "4": "QhAs"}}, "No equity: "),
    ],
)
def test_a_hand_that_cannot_be_read_says_why(damage: dict[str, object], told: str) -> None:
    *_, (_, last) = read_all(replace(story(**damage), decisions=()))
    assert told in last.why
    assert last.equity is None


def test_whom_the_journal_does_not_know_is_read_as_a_stranger() -> None:
    known = replace(STRANGER, statistics=Statistics(hands=1_200)).as_dict()

    def met(name: str, statistics: dict[str, object]) -> OpponentRecord:
        return OpponentRecord(name, NOW, 1_200, statistics, known["shown"])

    book = book_of([met("Kea", known["statistics"]), met("X", {"a": 1})])
    assert (book.of("Kea").hands, "X" in book) == (1_200, False)
    hand = replace(
        story(players=(*story().hand.players[:1], HandPlayer(4, "X", "SB", 120, -120), *story().hand.players[2:]))
    )
    first = read_all(hand, book)[0][1]
    assert first.known == "with all that the journal knows of them today: Kea 1,200 hands; as strangers: X"


def test_hands_are_numbered_as_they_were_played_and_found_by_their_number(journal: Path, played: Path) -> None:
    with ConsoleReader(journal) as reader:
        assert [hand.number for hand in reader.numbered(reader.hands())] == [3, 2, 1]
        assert [reader.hand_number(line.run_id, line.hand.hand_id) for line in reader.hands()] == [3, 2, 1]
        where = reader.meant(Filter(hand="#2"))
        assert [line.hand.hand_id for line in reader.hands(where=where)] == ["a"]
        assert reader.meant(Filter(hand="a")) == Filter(hand="a")
        for nothing in ("#0", "#4", f"#{10**30}"):
            with pytest.raises(JournalError, match="counted from 1"):
                reader.meant(Filter(hand=nothing))
    with ConsoleReader(played) as reader:
        rows = rows_of(listed(reader, 20, ALL, None))
    assert [row.cells[0].text for row in rows[1:]] == [f"#{number}" for number in range(12, 0, -1)]
    seventh = rows[-7]
    assert (seventh.cells[1].text, seventh.cells[3].text, seventh.cells[4].text) == (
        "AdTc",
        "call 20, fold (llm)",
        "-20",
    )


def test_decisions_have_neighbours_and_failures_are_found(journal: Path) -> None:
    with ConsoleReader(journal) as reader:
        newest, middle, oldest = (line.id for line in reader.decisions())
        assert reader.neighbours(middle) == (oldest, newest)
        assert (reader.neighbours(oldest)[0], reader.neighbours(newest)[1]) == (None, None)
        failure = reader.latest_failure()
        assert failure is not None
        assert (failure.decision_id, failure.failure) == (newest, "unusable")
        assert reader.latest_failure("another run") is None


def test_the_mark_changes_with_the_journal_alone(journal: Path) -> None:
    with ConsoleReader(journal) as reader:
        before = reader.mark()
        assert reader.mark() == before
        write(journal, run_of("Otter"), frames=[{"type": "connected"}])
        assert reader.mark() != before
        latest = reader.latest_run()
        assert latest is not None
        assert latest.bot == "Otter"


def test_an_empty_journal_has_an_overview(tmp_path: Path) -> None:
    open_for_writing(tmp_path / "journal.sqlite3").close()
    with ConsoleReader(tmp_path / "journal.sqlite3") as reader:
        overview = read_overview(reader, ALL, reader.latest_run())
    assert (overview.run, overview.curve, overview.hands, overview.standing) == (None, (), (), Standing())


@pytest.mark.parametrize("damage", ["UPDATE hand SET board = '7h2cK'", "UPDATE hand SET at = 'yesterday'"])
def test_a_row_that_cannot_be_understood_is_a_journal_error(journal: Path, damage: str) -> None:
    with sqlite3.connect(journal) as connection:
        connection.execute(damage)
    connection.close()
    access = JournalAccess(lambda: journal)
    with pytest.raises(JournalError, match="cannot be understood"):
        asyncio.run(access.ask(lambda reader: [steps(reader.hand(hand_id)) for _, hand_id in reader.hand_keys(page=9)]))


def test_a_filter_survives_its_address() -> None:
    asked = {
        "source": "rule",
        "model": "a/b",
        "street": "river",
        "opponent": "Ö & <b>",
        "hand": "#7",
        "errors": "yes",
        "min_pot_bb": "12.5",
        "search": "top pair?",
    }
    where = Filter(**{**asked, "errors": True, "min_pot_bb": 12.5})  # type: ignore[arg-type]
    address = url("/hands", **asked)
    assert filter_from(asked_in(dict(parse_qsl(address.partition("?")[2])))) == where
    assert filter_from(asked_in({"source": "  ", "since": ""})) == ALL
    assert filter_from({"errors": "no"}) == ALL


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        *(("min_pot_bb", value, f"{value!r} is no pot in big blinds") for value in ("1e999", "abc", "-5", "nan")),
        ("errors", "banana", "'banana' is neither yes nor no"),
        ("min_pot", "5", "There is no filter 'min_pot': there are source, .*min_pot_bb"),
    ],
)
def test_what_is_no_filter_is_told(name: str, value: str, problem: str) -> None:
    with pytest.raises(JournalError, match=problem):
        filter_from({"source": "rule", name: value})


def test_the_stacks_among_the_facts_are_told_by_name_or_seat() -> None:
    facts = {"pot_chips": 30, "stacks": [{"seat": 4, "effective_chips": 1_200}, {"seat": 9, "effective_chips": 0}]}
    told = dict(facts_of(replace(strange_decision(), facts=facts, names={"4": "Otter"})))
    assert told == {"pot chips": "30", "stacks": "Otter: 1,200, seat 9: 0"}
    assert dict(facts_of(replace(strange_decision(), facts={"stacks": [{"seat": 4}]})))["stacks"] == '{"seat":4}'


def test_the_marks_say_which_words_of_a_reply_are_true() -> None:
    decision = strange_decision()
    marks = grounding_marks(decision, decision.attempts[1])

    assert [(mark.what, mark.said, mark.true, mark.verdict) for mark in marks] == [
        ("hand", "flush", "top pair", "misread"),
        ("cards", "AsKd", "AsKd", "grounded"),
    ]
    assert grounding_marks(decision, decision.attempts[0]) == ()
    assert grounding_marks(replace(decision, hole_cards=""), decision.attempts[1]) == ()
    silent = replace(decision.attempts[1], reply_text='{"id": "call"}')
    assert {mark.verdict for mark in grounding_marks(decision, silent)} == {"not shown"}


def test_what_is_said_of_a_decision() -> None:
    decision = strange_decision(reason="asked twice", model_reason="top pair", rule_margin=0.1)

    assert dict(choices_of(decision))["Decided by"] == "the model, asked once more (repaired): asked twice"
    assert dict(choices_of(decision))["Rule"] == "fold (equity +10.0% from its threshold)"
    assert dict(choices_of(replace(decision, policy=None)))["Policy"] == "not asked, or nothing to say"
    assert equities_of(decision) == EquityPoint("flop", 0.71, 0.64, 0.25)
    assert equities_of(replace(decision, facts={}, policy=None, to_call_chips=0)) == EquityPoint(
        "flop", None, None, None
    )
    assert [who for who, _ in ranges_of(replace(decision, names={"4": "Otter"}), {4: "SB"})] == ["Otter (SB)"]
    broken = {"ranges": {"4": {"levels": "9" * 168}, "x": {"levels": "9" * 169}}}
    assert [who for who, _ in ranges_of(replace(decision, policy=broken), {})] == ["seat x"]


def test_the_menu_marks_what_was_chosen_and_leaves_out_what_holds_of_nothing() -> None:
    menu = [{"id": "fold", "ev_chips": 0.0, "braked": False}, {"id": "call", "ev_chips": 12.5, "braked": False}]
    headings, rows = menu_rows(strange_decision(menu=menu))

    assert [heading.text for heading in headings] == ["", "Id", "EV"]
    assert [(row.cells[0].text, row.marked) for row in rows] == [("rule", False), ("▶ chosen, policy", True)]
    assert [row.cells[2].text for row in rows] == ["0", "12.5"]


def test_where_a_bot_sits_follows_the_frames() -> None:
    joined = {"type": "table_joined", "table_id": "t", "hero": {"seat": 2}, "seats": [{"seat": 2, "stack": 1_900}]}
    somebody_left = {"type": "player_left", "table_id": "t", "seat": 4}
    we_left = {"type": "player_left", "table_id": "t", "seat": 2}
    resynced = {
        "type": "resync_response",
        "table_id": "t2",
        "snapshot": {"hero": {"seat": 0}, "seats": [{"seat": 0, "stack": 5}]},
    }

    assert standing([joined, somebody_left, {"type": "pong"}]) == Standing("t", 1_900)
    assert standing([joined, we_left]) == Standing()
    assert standing([joined, {"type": "busted"}]) == Standing()
    assert standing([joined, we_left, resynced]) == Standing("t2", 5)
    assert standing([]) == Standing()


@pytest.mark.parametrize(
    ("age_s", "is_seated", "told"),
    [
        (5, True, ("good", "Running")),
        (120, True, ("dim", "Quiet")),
        (400, True, ("bad", "Not running")),
        (400, False, ("dim", "Not running")),
    ],
)
def test_silence_alarms_where_a_seat_waits(age_s: int, is_seated: bool, told: tuple[str, str]) -> None:
    tone, words = pulse(NOW - timedelta(seconds=age_s), NOW, is_seated=is_seated)
    assert (tone, words.split(":")[0]) == told
    assert pulse(None, NOW, is_seated=False)[0] == "dim"


def test_the_pictures_say_in_words_what_they_show() -> None:
    curve = [CurvePoint(NOW, 1, 10, 10, 10), CurvePoint(NOW, 40, -20.5, -320, 280)]
    net = net_chart(curve)
    assert net.get("aria-label") == "Net -20.5 big blinds after 40 hands, 95 % interval -320.0 to +280.0"
    assert "+200" in [text.text for text in net.iter("text")]
    equity = equity_chart([EquityPoint("preflop", 0.44, None, 0.4), EquityPoint("flop", 0.9, 0.8, None)])
    assert equity.get("aria-label") == (
        "Equity by street: preflop any hands 44%, price of a call 40%; flop any hands 90%, the ranges read 80%"
    )
    assert "nan" not in markup(net) + markup(equity) + markup(interval_bar(0, 0, 0, 0))


@pytest.mark.parametrize(("low", "high"), [(0, 0), (-1e-9, 1e-9), (-5, 0), (0, 1), (-123_456, 7_890_123)])
def test_ticks_are_few_and_cover_zero(low: float, high: float) -> None:
    ticks = nice_ticks(low, high, 5)
    assert 0 in ticks
    assert 1 <= len(ticks) <= 8


def test_a_chart_of_hands_that_brought_nothing_can_be_drawn() -> None:
    assert "nan" not in markup(net_chart([CurvePoint(NOW, 1, 0, 0, 0)]))


def test_models_and_prompt_sets_are_compared(played: Path, journal: Path) -> None:
    with ConsoleReader(played) as reader:
        (one,) = contenders(read_statistics(reader, ALL))
    assert (one.model, one.prompt, one.use.failures) == ("custom/stand-in-no-language-model", "default", {})
    assert one.won is not None
    assert one.won.hands == 12

    attempt = replace(strange_decision().attempts[1], model="otter-1", asked="otter-1")
    for prompt in ("mine", "yours"):
        asked = strange_decision(prompt, prompt_set=prompt, attempts=(attempt,))
        write(journal, run_of("Otter"), [flop_hand(prompt)], [asked])
    with ConsoleReader(journal) as reader:
        found = contenders(read_statistics(reader, Filter(model="otter-1")))
    assert [(rival.model, rival.prompt, rival.use.questions, rival.use.differed) for rival in found] == [
        ("otter-1", "all prompt sets", 2, 2),
        ("otter-1", "mine", 1, 1),
        ("otter-1", "yours", 1, 1),
    ]


def test_a_model_with_one_prompt_set_among_several_is_one_row(journal: Path) -> None:
    attempt = replace(strange_decision().attempts[1], model="otter-1", asked="otter-1")
    write(journal, run_of("Otter"), [flop_hand("o")], [strange_decision("o", prompt_set="mine", attempts=(attempt,))])
    with ConsoleReader(journal) as reader:
        found = contenders(read_statistics(reader, ALL))
    assert [rival.prompt for rival in found if rival.model == "otter-1"] == ["mine"]


def test_a_habit_outside_of_its_band_is_marked() -> None:
    sound, odd = figures.habit_rows(
        [Habit("vpip", 25, 100, 0.15, 0.35, is_alarming=False), Habit("af", 900, 100, 1.5, 4.0, is_alarming=True)]
    )
    assert [cell.text for cell in sound.cells[1:]] == ["25 %", "100", "15 % to 35 %", ""]
    assert [cell.text for cell in odd.cells] == ["af", "9.0", "100", "1.5 to 4.0", "alarm"]
    assert (sound.marked, odd.marked) == (False, True)


def test_an_unpriced_model_is_not_free() -> None:
    assert (figures.cost_text(None), figures.cost_text(0.5)) == ("unknown", "$0.5000")


@pytest.mark.parametrize("of", [overview_page, hands_page, decisions_page, models_page])
def test_who_leaves_while_a_page_is_built_leaves_no_warning(
    of: ModuleType, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    page = of.page(JournalAccess(lambda: tmp_path / "none"))

    async def leave() -> None:
        request = Request({"type": "http", "path": page.path, "query_string": b"", "headers": []})
        client = Client(ui.page(page.path), request=request)
        with client:
            asyncio.get_running_loop().call_later(0.05, client.delete)
            await page.build(request)

    warnings.reset()
    asyncio.run(leave())
    assert caplog.records == []


def test_a_step_is_read_where_the_replay_rests_and_once() -> None:
    asked = list[int]()

    def read(at: int) -> StepReading:
        asked.append(at)
        return StepReading(why=f"step {at}")

    async def go() -> None:
        readings = RestedReadings(read, rests_s=0.0)
        passed = await asyncio.gather(*map(readings.after_going_to, (0, 1, 2, 3, 2, 29)))
        assert passed == [None] * 5 + [StepReading(why="step 29")]
        assert await readings.after_going_to(3) == StepReading(why="step 3")
        assert await readings.after_going_to(29) == StepReading(why="step 29")

    asyncio.run(go())
    assert asked == [29, 3]


def test_a_reading_that_comes_after_the_replay_went_on_is_dropped_and_kept() -> None:
    begun, goes_on, asked = threading.Event(), threading.Event(), list[int]()

    def read(at: int) -> StepReading:
        asked.append(at)
        begun.set()
        assert goes_on.wait(10)
        return StepReading(why=f"step {at}")

    async def go() -> None:
        readings = RestedReadings(read, rests_s=0.0)
        slow = asyncio.ensure_future(readings.after_going_to(4))
        assert await asyncio.to_thread(begun.wait, 10)
        gone_on = readings.after_going_to(5)
        goes_on.set()
        assert [await slow, await gone_on] == [None, StepReading(why="step 5")]
        assert await readings.after_going_to(4) == StepReading(why="step 4")

    asyncio.run(go())
    assert asked == [4, 5]
