"""Hands in PHH: pokerkit reads them back and arrives at the same chips."""

import random
import warnings
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pokerkit import HandHistory, State

from agent.arena.game.dealer import Hand
from agent.arena.game.phh import PhhFile, to_phh
from agent.arena.game.records import HandRecord
from agent.poker.cards import DECK
from tests.arena.hands import deck_with, hand_of, play, random_action, run_out

ACES_BEAT_KINGS = deck_with({0: "AsAh", 1: "KsKh", 2: "QsQh", 3: "JsJh"}, "2c 7d 9h 3s 4c")


def test_a_hand_is_told_in_the_order_of_pokerkit() -> None:
    hand = hand_of({0: 1_000, 1: 900, 3: 800}, button=3, deck=ACES_BEAT_KINGS)
    play(hand, "raise 60", "call", "fold", "check", "raise 100", "call", "check", "check", "all_in", "fold")
    assert to_phh(record_of(hand)).splitlines() == [
        "variant = 'NT'",
        "ante_trimming_status = false",
        "antes = [0, 0, 0]",
        "blinds_or_straddles = [10, 20, 0]",
        "min_bet = 20",
        "starting_stacks = [1000, 900, 800]",
        "actions = ['d dh p1 AsAh', 'd dh p2 KsKh', 'd dh p3 JsJh', "
        "'p3 cbr 60', 'p1 cc', 'p2 f', 'd db 2c7d9h', 'p1 cc', 'p3 cbr 100', 'p1 cc', 'd db 3s', 'p1 cc', 'p3 cc', "
        "'d db 4c', 'p1 cbr 840', 'p3 f']",
        "hand = 7",
        "seats = [0, 1, 3]",
        "table = 'table-1'",
        "players = ['Player 0', 'Player 1', 'Player 3']",
        "finishing_stacks = [1180, 880, 640]",
        "winnings = [340, 0, 0]",
        "_hand_id = 'hand-7'",
    ]


def test_a_showdown_shows_every_hand() -> None:
    hand = hand_of({0: 1_000, 1: 1_000}, button=0, deck=ACES_BEAT_KINGS)
    play(hand, "call", "check", *["check"] * 6)
    assert actions_of(hand)[-4:] == ["p1 cc", "p2 cc", "p1 sm AsAh", "p2 sm KsKh"]


def test_cards_are_shown_before_the_streets_that_an_all_in_runs_out() -> None:
    hand = hand_of({0: 1_000, 1: 1_000}, button=0, deck=ACES_BEAT_KINGS)
    play(hand, "all_in", "call")
    assert actions_of(hand)[2:] == [
        *("p2 cbr 1000", "p1 cc"),
        *("p1 sm AsAh", "p2 sm KsKh"),
        *("d db 2c7d9h", "d db 3s", "d db 4c"),
    ]


def test_an_all_in_for_less_is_a_call() -> None:
    hand = hand_of({0: 1_000, 1: 150, 2: 1_000}, button=0, deck=ACES_BEAT_KINGS)
    play(hand, "raise 300", "all_in", "fold")
    assert actions_of(hand)[3:6] == ["p3 cbr 300", "p1 cc", "p2 f"]


def test_an_all_in_above_a_short_blind_is_a_bet() -> None:
    hand = hand_of({0: 25, 1: 1_000, 2: 15}, button=0, deck=ACES_BEAT_KINGS)
    play(hand, "all_in", "call")
    assert actions_of(hand)[3:5] == ["p3 cbr 25", "p1 cc"]


def test_a_player_whom_the_venue_does_not_ask_checks() -> None:
    deck = deck_with({0: "2s2h", 1: "KsKh", 2: "QsQh"}, "9c 7d Th 3s 4c")
    hand = hand_of({0: 100, 1: 1_000, 2: 1_000}, button=0, deck=deck)
    play(hand, "all_in", "raise 300", "call", "fold")
    assert actions_of(hand)[6:] == ["d db 9c7dTh", "p1 f", "p2 cc", "p2 sm QsQh", "p3 sm 2s2h", "d db 3s", "d db 4c"]


def test_heads_up_the_big_blind_comes_first_whoever_posts_it() -> None:
    for is_standard, first in ((False, "Player 0"), (True, "Player 1")):
        hand = hand_of({0: 1_000, 1: 1_000}, button=0, standard=is_standard)
        play(hand, "raise 60", "fold")
        history = HandHistory.loads(to_phh(record_of(hand)))
        assert history.players is not None
        assert history.players[0] == first
        assert replayed(history).stacks == history.finishing_stacks


@pytest.mark.parametrize("is_standard", [False, True])
def test_a_hand_in_which_nobody_can_act_has_no_actions_but_a_showdown(is_standard: bool) -> None:
    hand = hand_of({0: 1_000, 1: 7}, button=0, standard=is_standard, deck=ACES_BEAT_KINGS)
    run_out(hand)
    history = HandHistory.loads(to_phh(record_of(hand)))
    assert [line[:5] for line in history.actions] == ["d dh ", "d dh ", "p1 sm", "p2 sm", "d db ", "d db ", "d db "]
    assert replayed(history).stacks == history.finishing_stacks == [1_007, 0]


def test_side_pots_are_paid_alike() -> None:
    hand = hand_of({0: 100, 1: 300, 2: 1_000, 3: 1_000}, button=3, deck=ACES_BEAT_KINGS)
    play(hand, "all_in", "all_in", "all_in", "all_in")
    history = HandHistory.loads(to_phh(record_of(hand)))
    assert replayed(history).stacks == history.finishing_stacks == [400, 600, 1_400, 0]
    assert history.winnings == [400, 600, 1_400, 0]


def test_random_hands_are_replayed_to_the_same_chips_without_a_guess() -> None:
    rng = random.Random(3)
    for _ in range(400):
        hand = random_played_hand(rng)
        history = HandHistory.loads(to_phh(record_of(hand)))
        assert replayed(history).stacks == history.finishing_stacks


@given(st.text())
@example("Zoë")
@example("赤い狐 🦊")
@example('O\'Hara \\ "Slim"')
@example("''''")
@example("a'''b''")
@example("'")
def test_any_name_can_be_read_back(name: str) -> None:
    hand = hand_of({0: 1_000, 1: 1_000}, button=0)
    play(hand, "fold")
    record = record_of(hand, names={0: name, 1: "Wren"})
    history = HandHistory.loads(to_phh(record))
    assert history.players is not None
    read, _ = history.players
    assert len(read) == len(name)
    if name.isprintable() and "'''" not in name:
        assert read == name


def test_a_file_holds_many_hands_and_each_is_on_disk_at_once(tmp_path: Path) -> None:
    path = tmp_path / "session.phhs"
    rng = random.Random(8)
    records = [record_of(random_played_hand(rng), names=dict.fromkeys(range(6), "Zoë")) for _ in range(3)]
    with PhhFile(path) as file:
        for count, record in enumerate(records, start=1):
            file.append(record)
            assert len(histories(path)) == count
    for record, history in zip(records, histories(path), strict=True):
        assert history.seats is not None
        assert history.players == ["Zoë"] * len(history.seats)
        assert [record.final_stacks[seat] for seat in history.seats] == replayed(history).stacks


def test_an_existing_file_is_continued(tmp_path: Path) -> None:
    path = tmp_path / "session.phhs"
    record = record_of(random_played_hand(random.Random(8)))
    for _ in range(2):
        with PhhFile(path) as file:
            file.append(record)
    sections = [line for line in path.read_text("utf-8").splitlines() if line.startswith("[")]
    assert sections == ["[1]", "[2]"]
    assert len(histories(path)) == 2


def record_of(hand: Hand, names: dict[int, str] | None = None) -> HandRecord:
    """The record that a table would keep of a hand that is over."""
    settled = hand.settlement
    assert settled is not None
    return HandRecord(
        number=7,
        hand_id="hand-7",
        table_id="table-1",
        button_seat=hand.button_seat,
        small_blind_chips=hand.small_blind_chips,
        big_blind_chips=hand.big_blind_chips,
        names=names or {player.seat: f"Player {player.seat}" for player in hand.players},
        hole_cards=dict(hand.hole_cards),
        board=hand.board,
        actions=hand.actions,
        start_stacks=settled.start_stacks,
        final_stacks=settled.final_stacks,
        payouts=settled.payouts,
    )


def actions_of(hand: Hand) -> list[str]:
    return HandHistory.loads(to_phh(record_of(hand))).actions


def histories(path: Path) -> list[HandHistory]:
    with path.open("rb") as file:
        return list(HandHistory.load_all(file))


def replayed(history: HandHistory) -> State:
    """The end of a replay in which pokerkit had to add nothing of its own."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="There is no reason for this player to fold")
        steps = list(history.state_actions)
    assert [action for _, action in steps] == [None, *history.actions]
    state, _ = steps[-1]
    assert not state.status
    return state


def random_played_hand(rng: random.Random) -> Hand:
    """A hand of two to six seats from a single chip to a million, played by legal actions."""
    seats = rng.sample(range(6), rng.randint(2, 6))
    stacks = {seat: rng.choice((1, 7, 10, 15, 20, 25, 60, 150, 380, 1_000, 17_600, 1_000_003)) for seat in seats}
    deck = rng.sample(DECK, 52)
    hand = hand_of(stacks, button=rng.choice(seats), deck=deck, standard=rng.random() < 0.5)
    run_out(hand)
    while hand.settlement is None:
        hand.apply(random_action(hand.legal(), rng))
        run_out(hand)
    return hand
