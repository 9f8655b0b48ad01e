"""What people see of the journal in a terminal, and what programs get as JSON."""

import json
from dataclasses import replace
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from agent.journal.reader import DecisionStory, Reader
from agent.journal.records import OutcomeRecord, RunRecord
from agent.journal.writer import Journal
from agent.terminal.decision import decision_json, render_decision
from agent.terminal.logs import decisions_json, hands_json, render_decisions, render_hands
from agent.terminal.text import cards, name_text, plain

from .samples import AT, FIRST, MENU, RUN, SYSTEM, accepted, decision, hand, send

ESCAPE = "\x1b"


class Screen:
    """A console whose output a test can read; colours only where it asks for them."""

    def __init__(self, width: int = 160, *, colours: bool = False) -> None:
        self._file = StringIO()
        self.console = Console(
            file=self._file,
            width=width,
            force_terminal=colours,
            color_system="truecolor" if colours else None,
            _environ={},
        )

    @property
    def text(self) -> str:
        return self._file.getvalue()

    @property
    def lines(self) -> list[str]:
        return [" ".join(line.split()) for line in self.text.splitlines() if line.strip()]


def show_hands(screen: Screen, reader: Reader) -> None:
    found = reader.hands()
    render_hands(screen.console, found, reader.hand_numbers(found))


def hand_lines(reader: Reader, limit: int = 20, before: str | None = None) -> list[dict[str, Any]]:
    found = reader.hands(limit, before=before)
    return hands_json(found, reader.hand_numbers(found))


def story(**changes: object) -> DecisionStory:
    taken = decision("01M8MZP195C3AY02X4MG88R9KT")
    told = DecisionStory(RUN, taken, (send(taken.id),), (accepted(taken.id),), hand())
    return replace(told, **changes)  # type: ignore[arg-type]


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    path = tmp_path / "journal.db"
    with Journal(path, RUN) as journal:
        journal.decision(decision("01M8MZP195C3AY02X4MG88R9KT", pot_chips=1234))
        journal.hand(hand())
    return Reader(path)


def test_a_decision_in_the_list_is_one_line_of_all_that_matters(reader: Reader) -> None:
    screen = Screen()
    with reader:
        render_decisions(screen.console, reader.decisions())
    assert screen.lines[0] == "id time (UTC) hand street cards board pot to call choice source model latency net"
    assert screen.lines[-1] == (
        "MG88R9KT 09-14 09:47:35 393d52c7 flop A♠ K♦ 7♥ 2♣ K♠ 1,234 40 raise to 1,120 llm gpt-5-mini 845 ms +190"
    )


def test_a_narrow_terminal_keeps_the_columns_that_matter_most(reader: Reader) -> None:
    screen = Screen(width=80)
    with reader:
        render_decisions(screen.console, reader.decisions())
    assert screen.lines[-1] == "MG88R9KT 09-14 09:47:35 flop A♠ K♦ raise to 1,120 llm +190"


def test_a_hand_in_the_list_is_one_line(reader: Reader) -> None:
    screen = Screen()
    with reader:
        show_hands(screen, reader)
    assert screen.lines[-1] == "#1 393d52c7 09-14 09:47:35 BTN A♠ K♦ 7♥ 2♣ K♠ 3♦ 9♣ 370 +190 1 whole 0a51bbbb"


def test_a_very_long_model_s_name_costs_no_column_and_stands_whole_in_json_and_in_its_decision(tmp_path: Path) -> None:
    path, name = tmp_path / "journal.db", "m" * 5_000
    with Journal(path, RUN) as journal:
        journal.decision(decision(attempts=(replace(FIRST, model=name),)))
    screen, whole = Screen(width=200), Screen(width=200)
    with Reader(path) as reader:
        listed, story = reader.decisions(), reader.decision("last")
    render_decisions(screen.console, listed)
    render_decision(whole.console, story)
    assert f"llm {'m' * 39}… 845 ms unknown" in screen.lines[-1]
    assert decisions_json(listed)[0]["model"] == name
    assert name in "".join(whole.text.split())


@pytest.mark.parametrize(
    "name", ["x" * 50, "\x1b" * 50, "e\u0301" * 50, "🂡" * 50, "牌" * 50, "\U0001f469\u200d" * 5_000]
)
def test_a_name_takes_no_more_room_than_it_may(name: str) -> None:
    shown = name_text(name)
    assert shown.plain.endswith("…")
    assert shown.cell_len <= 40
    assert len(shown.plain) <= 40


def test_a_name_of_a_usual_length_is_whole() -> None:
    assert name_text("a" * 40).plain == "a" * 40
    assert name_text(HOSTILE[:30]).plain == plain(HOSTILE[:30]).plain


def test_an_unknown_net_is_not_shown_as_zero(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal(path, RUN) as journal:
        journal.hand(hand(net_chips=None, complete=False, position=None))
    screen = Screen()
    with Reader(path) as reader:
        show_hands(screen, reader)
    assert "370 unknown 0 in part" in screen.lines[-1]


def test_empty_lists_say_what_to_do() -> None:
    screen = Screen()
    render_hands(screen.console, [], [])
    render_decisions(screen.console, [])
    render_hands(screen.console, [], [], filtered=True)
    render_decisions(screen.console, [], filtered=True)
    assert screen.lines == [
        "No hands yet. `poker-agent demo` makes some.",
        "No decisions yet. `poker-agent demo` makes some.",
        "No hand matches these filters.",
        "No decision matches these filters.",
    ]


@pytest.mark.parametrize(
    ("source", "code"), [("llm", "[32m"), ("repaired", "[33m"), ("rule", "[36m"), ("floor", "[31m")]
)
def test_each_source_has_its_colour(source: str, code: str) -> None:
    screen = Screen(colours=True)
    render_decision(screen.console, story(decision=decision(source=source)))
    assert f"{ESCAPE}{code}{source}{ESCAPE}[0m" in screen.text


def test_a_whole_decision_tells_the_spot_and_who_chose() -> None:
    screen = Screen()
    render_decision(screen.console, story())
    for line in (
        "decision 01M8MZP195C3AY02X4MG88R9KT",
        "time 2026-09-14 09:47:35 UTC, took 845 ms",
        f"run {RUN.id} · Heron · version 0.1.0 · seed 1208925819614629174706177",
        "prompt default (3f5a9c)",
        "table 0a51bbbb · seat 0 (BTN)",
        "spot flop · A♠ K♦ · board 7♥ 2♣ K♠ · pot 120 · to call 40",
        "choice raise to 1,120 (raise_75)",
        "source llm: the model's choice is legal",
        "rule says call (equity +45.1% from its threshold)",
        "model says top pair",
    ):
        assert line in screen.lines


def test_numbers_carry_their_units_and_their_error() -> None:
    screen = Screen()
    render_decision(screen.console, story())
    numbers = screen.lines[screen.lines.index("Numbers") + 1 : screen.lines.index("Menu")]
    assert numbers == [
        "equity 73.1% ± 0.6% standard error, 5,000 trials",
        "equity · method monte carlo",
        "equity · trials 5,000",
        "equity · seed 123456",
        "required equity 25.0%",
        "pot chips 12,000",
    ]


def test_an_exact_equity_says_so() -> None:
    screen = Screen()
    facts = {"equity": {"equity": 0.25, "stderr": 0.0, "method": "table", "trials": 0, "win": 0.2}}
    render_decision(screen.console, story(decision=replace(decision(), facts=facts)))

    assert "equity 25.0%, exact" in screen.lines
    assert "equity · win 20.0%" in screen.lines


def test_the_menu_marks_the_choice_and_what_the_rule_would_play() -> None:
    screen = Screen()
    render_decision(screen.console, story())
    menu = screen.lines[screen.lines.index("Menu") + 1 : screen.lines.index("Policy")]
    assert menu[0] == "id label cost chips raise to chips"
    assert menu[2:] == [
        "fold Fold 0 -",
        "rule policy call Call 40 40 -",
        "▶ chosen raise_75 Raise to 1,120 1,120 1,120",
    ]


def test_a_choice_that_is_the_rule_s_bears_both_marks() -> None:
    screen = Screen()
    render_decision(screen.console, story(decision=replace(decision(), rule_choice="raise_75", menu=MENU[2:])))
    assert any(line.startswith("▶ chosen rule raise_75") for line in screen.lines)


def test_prompts_and_replies_are_shown_in_full_and_repeated_messages_once() -> None:
    long = "\n".join(f"line {number} of the prompt" for number in range(200))
    first = replace(FIRST, messages=(("system", SYSTEM), ("user", long)), reply_text="I raise!")
    repair = replace(
        FIRST,
        kind="repair",
        messages=(*first.messages, ("assistant", "I raise!"), ("user", "Answer with an id.")),
        reply_text='{"id": "raise_75"}',
        cached_tokens=None,
    )
    screen = Screen()
    render_decision(screen.console, story(decision=decision(attempts=(first, repair))))
    assert all(screen.text.count(f"line {number} of the prompt") == 1 for number in range(200))
    assert screen.text.count(SYSTEM) == 1
    assert "messages 1 to 2 as in the attempt before" in screen.lines
    assert "Answer with an id." in screen.text
    assert '{"id": "raise_75"}' in screen.text
    assert (
        "Attempt 1 (first) · openai/gpt-5-mini, which is gpt-5-mini · 812 ms · tokens 1,204 in, 1,024 cached, 31 out, 0 "
        "reasoning · $0.00041" in screen.lines
    )
    assert (
        "Attempt 2 (repair) · openai/gpt-5-mini, which is gpt-5-mini · 812 ms · tokens 1,204 in, 31 out, 0 reasoning · $0.00041"
        in screen.lines
    )
    assert "reply (finish reason: stop)" in screen.text


def test_an_attempt_that_failed_says_why() -> None:
    failed = replace(
        FIRST,
        reply_text=None,
        error="Unavailable: openai, 12.0 s",
        failure="late",
        model="openai/gpt-5-mini",
        cost_usd=None,
        prompt_tokens=None,
        completion_tokens=None,
        reasoning_tokens=None,
        cached_tokens=None,
    )
    screen = Screen()
    render_decision(screen.console, story(decision=decision(attempts=(failed,), source="rule")))
    assert "late: Unavailable: openai, 12.0 s" in screen.lines
    assert "Attempt 1 (first) · openai/gpt-5-mini · 812 ms · tokens unknown" in screen.lines
    assert "reply" not in screen.text


def test_a_reply_says_whether_the_model_knew_its_hand_and_whether_its_cost_is_known() -> None:
    misread = replace(FIRST, grounding="misread", failure="misread", error='"hand" is "flush"', cost_usd=None)
    screen = Screen()
    render_decision(screen.console, story(decision=decision(attempts=(misread,))))

    assert "grounding: misread" in screen.lines
    assert 'misread: "hand" is "flush"' in screen.lines
    assert "cost unknown" in screen.text


def test_what_was_sent_and_what_came_of_it_is_told() -> None:
    taken = decision()
    screen = Screen()
    sends = (send(taken.id, error="the socket was closed"), send(taken.id))
    outcomes = (OutcomeRecord(taken.id, AT, "rejected", "stale_turn"), accepted(taken.id))
    render_decision(screen.console, story(sends=sends, outcomes=outcomes))
    sent = screen.lines[screen.lines.index("Sent") + 1 :]
    assert sent == [
        '09:47:35.262 sent {"type":"action","action":"raise","amount":1120}',
        "09:47:35.262 did not get out: the socket was closed",
        '09:47:35.262 sent {"type":"action","action":"raise","amount":1120}',
        "09:47:35.262 rejected by the server (stale_turn)",
        "09:47:35.262 accepted by the server",
        "Hand",
        "net +190 (+9.5 bb) · pot 370 · board 7♥ 2♣ K♠ 3♦ 9♣",
        "Heron wins 190 (Two Pair)",
    ]


def test_what_is_missing_is_said() -> None:
    screen = Screen()
    silent = story(decision=replace(decision(attempts=()), policy=None), sends=(), outcomes=(), hand=None)
    render_decision(screen.console, silent)
    assert "The policy was not asked, or had nothing to say." in screen.lines
    assert "No model was asked." in screen.lines
    assert "Nothing was sent." in screen.lines
    assert "How the hand ended is not in the journal." in screen.lines
    unanswered = Screen()
    render_decision(unanswered.console, story(outcomes=(), hand=hand(net_chips=None, complete=False)))
    assert "The server has not answered." in unanswered.lines
    assert "net unknown · pot 370 · board 7♥ 2♣ K♠ 3♦ 9♣" in unanswered.lines
    assert "A part of this hand was not seen." in unanswered.lines


HOSTILE = "[bold red]all in[/] [/nothing] \x1b[2J\x1b]0;owned\x07 \r\b 🂡 שלום \u202eevil\u2066 \u200b \U000e0041 \ud83d :smile:"
SHOWN = (
    "[bold red]all in[/] [/nothing] \\x1b[2J\\x1b]0;owned\\x07 \\r\\x08 🂡 שלום \\u202eevil\\u2066 \\u200b \\U000e0041 "
    "\\ud83d :smile:"
)


def test_hostile_text_is_shown_as_text() -> None:
    assert plain(HOSTILE).plain == SHOWN


def test_line_ends_work_where_lines_are_wanted_only() -> None:
    assert plain("a\nb\tc").plain == "a\\nb\\tc"
    assert plain("a\nb\tc\r\n", lines=True).plain == "a\nb\tc\\r\n"


def test_families_of_emoji_stay_together() -> None:
    assert plain("👩\u200d👧").plain == "👩\u200d👧"


def hostile_story() -> DecisionStory:
    attempt = replace(
        FIRST,
        model=HOSTILE,
        messages=((HOSTILE, HOSTILE),),
        reply_text=HOSTILE,
        finish_reason=HOSTILE,
        error=HOSTILE,
        parameters={HOSTILE: HOSTILE},
    )
    taken = replace(
        decision(attempts=(attempt,), facts={HOSTILE: {HOSTILE: [HOSTILE]}}),
        table_id=HOSTILE,
        hand_id=HOSTILE,
        hole_cards=HOSTILE,
        board=HOSTILE,
        menu=[{"id": HOSTILE, HOSTILE: HOSTILE}],
        choice=HOSTILE,
        rule_choice=HOSTILE,
        action=HOSTILE,
        reason=HOSTILE,
        model_reason=HOSTILE,
        policy={
            "choice": HOSTILE,
            "reason": HOSTILE,
            "ranges": {HOSTILE: {"share": 0.1, "hands": HOSTILE, "levels": HOSTILE}},
        },
        names={HOSTILE: HOSTILE},
    )
    sent = replace(send(taken.id, error=HOSTILE), frame={HOSTILE: HOSTILE})
    winners = [{"name": HOSTILE, "amount": HOSTILE, "hand_description": HOSTILE}, HOSTILE, None]
    ended = replace(hand(), result={"winners": winners}, position=HOSTILE, board=HOSTILE)
    run: RunRecord = replace(RUN, bot=HOSTILE, version=HOSTILE)
    return DecisionStory(run, taken, (sent,), (OutcomeRecord(taken.id, AT, "rejected", HOSTILE),), ended)


def test_no_field_of_a_decision_can_reach_the_terminal_s_controls() -> None:
    screen = Screen(width=2_000)
    render_decision(screen.console, hostile_story())
    assert screen.text.count("[bold red]all in[/]") >= 20
    assert not set(screen.text) & set("\x1b\x07\r\b\u202e\u2066\u200b\U000e0041\ud83d")
    screen.text.encode()


def test_no_field_of_a_list_can_reach_the_terminal_s_controls(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    told = hostile_story()
    with Journal(path, RUN) as journal:
        journal.decision(told.decision)
        journal.hand(replace(hand(HOSTILE), board=HOSTILE, position=HOSTILE, table_id=HOSTILE))
    screen = Screen(width=2_000)
    with Reader(path) as reader:
        render_decisions(screen.console, reader.decisions())
        show_hands(screen, reader)
    assert screen.text.count("[bold red]all in[/]") >= 5
    assert not set(screen.text) & set("\x1b\x07\r\b\u202e\u2066\u200b\U000e0041\ud83d")


def test_a_hand_result_of_any_shape_is_survived() -> None:
    for result in ({}, {"winners": None}, {"winners": 7}, {"winners": [[], {}, "x"]}):
        screen = Screen()
        render_decision(screen.console, story(hand=replace(hand(), result=result)))
        assert "net +190 (+9.5 bb) · pot 370 · board 7♥ 2♣ K♠ 3♦ 9♣" in screen.lines


def test_cards_have_suits_for_people() -> None:
    assert [cards(text).plain for text in ("AsKd", "", "no cards")] == ["A♠ K♦", "-", "no cards"]


def test_every_line_of_a_list_says_where_the_next_page_begins(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal(path, RUN) as journal:
        for number in range(5):
            journal.decision(decision(hand_id=f"h-{number}"))
            journal.hand(hand(f"h-{number}", at=AT + timedelta(minutes=number)))
    with Reader(path) as reader:
        first = hand_lines(reader, 2)
        then = hand_lines(reader, 2, first[-1]["cursor"])
        latest = decisions_json(reader.decisions(2))
        earlier = decisions_json(reader.decisions(2, before=latest[-1]["cursor"]))
    assert [line["hand_id"] for line in first + then] == ["h-4", "h-3", "h-2", "h-1"]
    assert [line["hand_id"] for line in latest + earlier] == ["h-4", "h-3", "h-2", "h-1"]


def test_json_holds_everything_in_plain_values(reader: Reader) -> None:
    with reader:
        listed = decisions_json(reader.decisions())
        whole = decision_json(reader.decision("last"))
        hands = hand_lines(reader)
    assert json.loads(json.dumps([listed, whole, hands])) == [listed, whole, hands]
    assert (listed[0]["id"], listed[0]["net_chips"]) == ("01M8MZP195C3AY02X4MG88R9KT", 190)
    assert whole["decision"]["at"] == "2026-09-14T09:47:35.262893+00:00"
    assert whole["decision"]["attempts"][0]["messages"][0] == ["system", SYSTEM]
    assert whole["hand"]["result"]["shown_cards"] is None
    assert (hands[0]["hand_id"], hands[0]["decisions"]) == ("b7e0aaaa-393d52c7", 1)
