"""A hand told street by street, with our decisions beside what was played."""

from dataclasses import replace

from agent.journal.records import DecisionRecord, HandRecord
from agent.journal.stories import HandStory
from agent.terminal.hand import hand_json, render_hand
from tests.arena.hands import deck_with, hand_of, play

from .hands import kept, three_handed
from .samples import RUN, decision
from .test_terminal_logs import HOSTILE, Screen


def told(hand: HandRecord, *decisions: DecisionRecord) -> list[str]:
    screen = Screen()
    render_hand(screen.console, HandStory(RUN, hand, decisions))
    return screen.lines


def test_the_hand_is_told_with_positions_blinds_sizes_pots_and_cards() -> None:
    lines = told(kept(three_handed()))
    assert lines == [
        "Hand b7e0aaaa-393d52c7",
        f"2026-09-14 09:47:35 UTC · table 0a51bbbb · blinds 10/20 · Heron, run {RUN.id}",
        "seat player chips bb cards",
        lines[3],
        "SB 0 Heron (we) 2,000 100.0 K♠ K♥",
        "BB 1 Wren 2,000 100.0",
        "BTN 2 Otter 1,500 75.0 Q♠ J♦",
        "Preflop · pot 30",
        "Heron posts 10",
        "Wren posts 20",
        "Otter raises to 60 (80% of the pot)",
        "Heron calls 50",
        "Wren folds",
        "Flop 7♥ 2♣ Q♦ · pot 140",
        "Heron checks",
        "Otter bets 100 (71% of the pot)",
        "Heron calls 100",
        "Turn 7♥ 2♣ Q♦ 3♦ · pot 340",
        "Heron checks",
        "Otter checks",
        "River 7♥ 2♣ Q♦ 3♦ 9♣ · pot 340",
        "Heron checks",
        "Otter checks",
        "Showdown",
        "Heron shows K♠ K♥",
        "Otter shows Q♠ J♦",
        "Result · pot 340",
        "Heron wins",
        "Wren: -20 (-1.0 bb)",
        "Otter: -160 (-8.0 bb)",
        "we: +180 (+9.0 bb)",
    ]


def test_a_decision_stands_below_its_action() -> None:
    calls = replace(decision(street="preflop", model_reason=None), action="call", raise_to_chips=None, policy=None)
    checks = replace(decision(source="rule"), action="check", raise_to_chips=None, policy={"choice": "raise_75"})
    lines = told(kept(three_handed()), calls, checks)

    preflop = lines.index("Heron calls 50")
    assert lines[preflop + 1] == (f"▶ llm: call · equity 73% · 40 to call into 120 · rule call · {calls.id[-8:]}")
    assert lines[preflop + 2] == "the model's choice is legal"
    flop = lines.index("Heron checks")
    assert lines[flop + 1].startswith(
        "▶ rule: check · equity 73% · 40 to call into 120 · rule call · policy raise_75 · "
    )
    assert lines[flop + 2] == "top pair"


def test_a_decision_that_nobody_saw_played_is_told_all_the_same() -> None:
    surplus = [replace(decision(street="turn"), reason=f"number {number}", model_reason=None) for number in range(2)]
    lines = told(kept(three_handed()), *surplus)
    assert lines.count("decided, and not seen played:") == 1
    assert lines.index("number 0") < lines.index("decided, and not seen played:") < lines.index("number 1")


def test_an_all_in_and_the_board_that_is_run_out_are_told() -> None:
    deck = deck_with({0: "AsAh", 1: "KsKh"}, "2c 7d 9h 3s 4c")
    hand = hand_of({0: 1_000, 1: 1_000}, button=0, deck=deck)
    play(hand, "raise 1000", "call")
    lines = told(replace(kept(hand), adjusted_net_chips=640.4))
    assert "Wren raises to 1,000 (2450% of the pot), all-in" in lines
    assert "Heron calls 980, all-in" in lines
    assert "River 2♣ 7♦ 9♥ 3♠ 4♣" in lines
    assert lines[-1] == "we: +1,000 (+50.0 bb) · all-ins valued by equity +640.4 (+32.0 bb)"


def test_what_is_not_known_is_said() -> None:
    bare = replace(kept(three_handed()), players=(), blinds={}, actions=(), shown={}, net_chips=None, complete=False)
    lines = told(bare)
    assert "A part of this hand was not seen." in lines
    assert "who was dealt in is not in the journal; we held K♠ K♥" in lines
    assert lines[-1] == "we: unknown"


def test_no_field_of_a_hand_can_reach_the_terminal_s_controls() -> None:
    hand = kept(three_handed())
    players = tuple(replace(player, name=HOSTILE, position=HOSTILE) for player in hand.players)
    hostile = replace(
        hand,
        hand_id=HOSTILE,
        table_id=HOSTILE,
        board=HOSTILE,
        hole_cards=HOSTILE,
        shown={"0": HOSTILE},
        players=players,
        result={"winners": [{"name": HOSTILE, "hand_description": HOSTILE}, None]},
    )
    taken = replace(decision(), reason=HOSTILE, model_reason=HOSTILE, rule_choice=HOSTILE, policy={"choice": HOSTILE})
    screen = Screen(width=2_000)
    render_hand(screen.console, HandStory(replace(RUN, bot=HOSTILE), hostile, (taken,)))
    assert screen.text.count("[bold red]all in[/]") >= 20
    assert not set(screen.text) & set("\x1b\x07\r\b\u202e\u2066\u200b\U000e0041\ud83d")


def test_json_holds_the_hand_and_our_decisions() -> None:
    story = hand_json(HandStory(RUN, kept(three_handed()), (decision(),)))
    assert story["hand"]["players"][2] == {
        "seat": 2, "name": "Otter", "position": "BTN", "start_chips": 1_500, "net_chips": -160
    }  # fmt: skip
    assert story["decisions"][0]["choice"] == "raise_75"
