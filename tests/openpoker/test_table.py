import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.openpoker.table import Table, joined
from agent.poker.cards import format_cards, parse_cards
from agent.poker.spot import PastAction, Street, Verb
from tests.openpoker.script import HAND, TABLE, Frame, Script


def after(frames: list[Frame]) -> Table:
    table = joined(frames[0])
    assert table is not None
    for frame in frames[1:]:
        table = table.after(frame)
    return table


def test_a_prompt_becomes_a_complete_spot() -> None:
    spot = after(Script().to_first_prompt()).spot()

    assert spot is not None
    assert (spot.street, spot.hero_seat, spot.button_seat, spot.big_blind_seat) == (Street.PREFLOP, 0, 2, 0)
    assert (spot.pot_chips, spot.to_call_chips, format_cards(spot.hole_cards or ())) == (80, 30, "QsJd")
    assert [(p.seat, p.stack_chips, p.bet_chips, p.folded) for p in spot.players] == [
        (0, 1_980, 20, False),
        (2, 2_350, 50, False),
        (4, 1_490, 10, True),
    ]
    assert spot.actions == (
        PastAction(2, Street.PREFLOP, Verb.RAISE, 50, 50),
        PastAction(4, Street.PREFLOP, Verb.FOLD, 0, 10),
    )
    assert spot.history_complete


def test_a_snapshot_with_an_offer_gives_no_authority() -> None:
    script = Script()
    frames = [*script.opening(), script.snapshot(actor=0, hero={"seat": 0, "valid_actions": [{"action": "fold"}]})]

    assert after(frames).spot() is None


def test_a_frame_seen_before_changes_nothing() -> None:
    frames = Script().to_first_prompt()
    table = after(frames)

    for frame in frames[1:-1]:
        assert table.after(frame) is table


def test_a_gap_in_the_numbers_is_no_reason_to_wait() -> None:
    script = Script()
    frames = script.opening()
    script.table_seq += 500

    assert len(after([*frames, script.action(2, "raise", 50)]).hand.actions) == 1  # type: ignore[union-attr]


def test_frames_of_another_table_are_not_ours() -> None:
    table = after(Script().opening())

    assert table.after({**Script(9_000).snapshot(), "table_id": "t-2"}) is table


def test_a_closing_call_is_filed_under_the_street_it_belongs_to() -> None:
    script = Script()
    frames = [*script.to_first_prompt(), script.action(0, "call", 30, street="flop")]
    frames += [script.snapshot("flop", actor=None), script.community_cards("flop", "2h", "7h", "Kc")]
    frames += [script.snapshot("flop", actor=0), script.action(0, "check", street="flop")]
    hand = after(frames).hand

    assert hand is not None
    assert [(act.street, act.verb) for act in hand.actions[-2:]] == [
        (Street.PREFLOP, Verb.CALL),
        (Street.FLOP, Verb.CHECK),
    ]


@pytest.mark.parametrize("turn_cards", [("2h", "7h", "Kc", "9s"), ("9s",)])
def test_the_turn_may_come_as_the_whole_board_or_as_one_card(turn_cards: tuple[str, ...]) -> None:
    script = Script()
    frames = [*script.opening(), script.community_cards("flop", "2h", "7h", "Kc")]
    frames.append(script.community_cards("turn", *turn_cards))
    hand = after(frames).hand

    assert hand is not None
    assert format_cards(hand.board) == "2h7hKc9s"


def test_an_empty_board_in_a_snapshot_does_not_take_cards_back() -> None:
    script = Script()
    frames = [*script.opening(), script.community_cards("flop", "2h", "7h", "Kc"), script.snapshot("flop", board=[])]
    hand = after(frames).hand

    assert hand is not None
    assert format_cards(hand.board) == "2h7hKc"


@pytest.mark.parametrize(
    "fields",
    [
        {"amount": 0},
        {"amount": None, "contribution_delta": None},
        {"amount": None, "contribution_delta": 0, "pot_before": None},
        {"amount": 0, "contribution_delta": None, "pot_before": None, "stack_before": 0, "stack_after": 0},
    ],
)
def test_the_chips_of_an_all_in_are_found_whatever_the_frame_leaves_out(fields: dict[str, Any]) -> None:
    script = Script()
    hand = after([*script.opening(), script.action(2, "all_in", 2_400, **fields)]).hand

    assert hand is not None
    assert hand.actions[-1] == PastAction(2, Street.PREFLOP, Verb.ALL_IN, 2_400, 2_400)


def test_a_raise_is_a_street_total() -> None:
    script = Script()
    blank: dict[str, Any] = {"contribution_delta": None, "pot_before": None, "stack_before": None}
    frames = [*script.opening(), script.action(4, "raise", 50, **blank)]
    hand = after(frames).hand

    assert hand is not None
    assert hand.actions[-1] == PastAction(4, Street.PREFLOP, Verb.RAISE, 50, 60)


def test_the_net_result_comes_from_the_final_stacks() -> None:
    script = Script()
    table = after(script.to_first_prompt())
    summary = table.summary(script.hand_result({0: 2_060, 2: 2_350, 4: 1_490}))

    assert summary is not None
    assert (summary.net_chips, summary.hand_id, summary.dealt_seats, summary.complete) == (60, HAND, (0, 2, 4), True)


def test_the_summary_keeps_the_public_hand_with_those_who_have_left() -> None:
    script = Script()
    frames = [*script.to_first_prompt(), script.action(0, "fold")]
    left = script.envelope("player_left", state_hash=None, seat=4, name="Lynx", reason="left")
    came = script.envelope("player_joined", state_hash=None, seat=4, name="Stoat", stack=2_000)
    payouts = [{"seat": 2, "amount": 80}, {"seat": 0, "amount": 0}]
    summary = after([*frames, left, came]).summary(script.hand_result({0: 1_980, 2: 2_430, 4: 1_490}, payouts=payouts))

    assert summary is not None
    assert summary.names == {0: "Heron", 2: "Otter", 4: "Lynx"}
    assert (summary.blinds, summary.start_stacks) == ({0: 20, 4: 10}, {0: 2_000, 2: 2_400, 4: 1_500})
    assert [(past.seat, past.verb) for past in summary.actions] == [(2, "raise"), (4, "fold"), (0, "fold")]
    assert (summary.is_showdown, summary.paid_seats) == (False, (2,))


def test_the_summary_knows_a_showdown_and_takes_the_winners_where_no_payouts_are_told() -> None:
    script = Script()
    shown = {"0": ["Qs", "Jd"], "2": ["Ad", "9c"]}
    summary = after(script.to_first_prompt()).summary(script.hand_result({0: 2_060, 2: 2_350}, shown_cards=shown))

    assert summary is not None
    assert (summary.is_showdown, summary.paid_seats) == (True, (0,))
    assert summary.shown_cards == {0: parse_cards("QsJd"), 2: parse_cards("Ad9c")}


@pytest.mark.parametrize(
    "shown",
    [
        None,
        {},
        {"2": None, "4": []},
        {"2": ["Ad"], "4": ["Kd", "Ks", "Kh"]},
        {"2": ["Ad", "Ad"]},
        {"2": ["Ad", "horse"], "horse": ["Kd", "Ks"], "9": ["Kd", "Ks"]},
        {"2": ["Ad", "Kc"]},
        {"2": ["Ad", "9c"], "4": ["9c", "9d"]},
        ["Ad", "9c"],
    ],
)
def test_cards_that_nobody_can_have_shown_are_none(shown: Any) -> None:
    script = Script()
    frames = [*script.to_first_prompt(), script.community_cards("flop", "2h", "7h", "Kc")]
    summary = after(frames).summary(script.hand_result({0: 2_060, 2: 2_350}, shown_cards=shown))

    assert summary is not None
    assert summary.shown_cards == {}


def test_who_mucked_has_shown_nothing_and_the_others_have() -> None:
    script = Script()
    shown = {"0": ["Qs", "Jd"], "2": None, "4": ["Ad", "9c"]}
    summary = after(script.to_first_prompt()).summary(script.hand_result({0: 2_060, 2: 2_350}, shown_cards=shown))

    assert summary is not None
    assert summary.shown_cards == {0: parse_cards("QsJd"), 4: parse_cards("Ad9c")}


def test_a_hand_without_our_seat_has_no_net_result() -> None:
    script = Script()
    summary = after(script.opening()).summary(script.hand_result({2: 2_410, 4: 1_490}))

    assert summary is not None
    assert summary.net_chips is None


def test_a_newcomer_in_mid_hand_is_not_dealt_in() -> None:
    script = Script()
    frames = script.opening()
    joined_late = script.envelope("player_joined", state_hash=None, seat=1, name="Stoat", stack=2_000)
    raised = [joined_late, script.action(2, "raise", 50), script.action(4, "fold"), script.your_turn()]
    spot = after([*frames, *raised]).spot()

    assert spot is not None
    assert [player.seat for player in spot.players] == [0, 2, 4]


def test_a_player_stays_dealt_when_the_server_clears_in_hand_on_the_fold() -> None:
    script = Script()
    frames = [*script.opening(), script.action(4, "fold")]
    snapshot = script.snapshot(actor=0)
    snapshot["seats"][4] = {**snapshot["seats"][4], "in_hand": False}
    del snapshot["seats"][4]["folded"]
    spot = after([*frames, snapshot, script.your_turn()]).spot()

    assert spot is not None
    assert [(player.seat, player.folded) for player in spot.players] == [(0, False), (2, False), (4, True)]


def test_a_prompt_without_players_and_pot_still_makes_a_spot() -> None:
    script = Script()
    opening = script.opening()
    bare = {key: value for key, value in script.your_turn().items() if key not in ("players", "pot", "community_cards")}
    spot = after([*opening, bare]).spot()

    assert spot is not None
    assert (len(spot.players), spot.pot_chips, spot.legal.fold) == (3, 30, True)


class TestResync:
    def test_shuffled_and_doubled_events_are_applied_once_and_in_order(self) -> None:
        script = Script()
        opening = script.opening()
        events = [script.action(2, "raise", 50), script.action(4, "fold")]
        snapshot = script.snapshot(actor=0)
        table = after(opening).resynced(script.resync(snapshot, [events[1], events[0], events[1], events[0]]))

        assert table.hand is not None
        assert [act.seat for act in table.hand.actions] == [2, 4]
        assert table.pot_chips == 80

    def test_the_snapshots_token_restores_the_turn(self) -> None:
        script = Script()
        opening = script.opening()
        offer = [{"action": "fold"}, {"action": "call", "amount": 30}]
        hero = {"seat": 0, "hole_cards": ["Qs", "Jd"], "turn_token": "again", "valid_actions": offer}
        table = after(opening).resynced(script.resync(script.snapshot(actor=0, hero=hero), []))

        assert table.prompt is not None
        assert table.prompt.turn_token == "again"
        assert table.spot() is not None

    def test_the_watermark_never_goes_down(self) -> None:
        script = Script()
        table = after(script.to_first_prompt())
        old = {**script.resync(None, []), "to_table_seq": 7}

        assert table.resynced(old).watermark == table.watermark

    def test_a_snapshot_that_live_frames_have_overtaken_is_not_installed(self) -> None:
        script = Script()
        opening = script.opening()
        stale = script.snapshot(actor=2)
        table = after([*opening, script.action(2, "raise", 50), script.action(4, "fold"), script.your_turn()])

        assert table.resynced(script.resync(stale, [])) is table

    def test_a_hand_met_in_its_middle_is_marked_incomplete(self) -> None:
        script = Script()
        table = Table(TABLE).resynced(script.resync(script.snapshot(actor=2), []))

        assert table.hand is not None
        assert (table.hand.complete, table.hero_seat) == (False, 0)
        assert format_cards(table.hand.hole_cards or ()) == "QsJd"


HOSTILE: list[Any] = [
    None,
    -1,
    2**63 - 1,
    1e308,
    float("nan"),
    "Zz",
    "",
    [],
    {},
    [{}],
    [None],
    ["2h", "7h"],
    True,
    "🂡🂡",
    {"seat": -7},
]


@settings(max_examples=300, deadline=None)
@given(st.randoms(use_true_random=False))
def test_no_mutilated_session_breaks_the_reducer(rng: random.Random) -> None:
    script = Script()
    frames = script.to_first_prompt()
    frames += [script.action(0, "call", 30, street="flop"), script.community_cards("flop", "2h", "7h", "Kc")]
    frames += [script.snapshot("flop", actor=0), script.your_turn("token-2"), script.hand_result({0: 2_000})]
    table = joined(frames[0])
    for frame in rng.choices(frames, k=30):
        hostile = dict(frame)
        for key in rng.sample(sorted(hostile), k=rng.randrange(4)):
            if key != "type":
                hostile[key] = rng.choice(HOSTILE)
        assert table is not None
        table = table.after(hostile)
        table = table.resynced({"replayed_events": [hostile, rng.choice(HOSTILE)], "snapshot": hostile})
        table.spot()
        table.summary(hostile)
