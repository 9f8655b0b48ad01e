"""Hands of the journal in PHH: pokerkit replays each to the chips that everybody had."""

import random
from dataclasses import replace

import pytest
from pokerkit import HandHistory

from agent.export.phh import NotReplayable, phh_of
from agent.journal.records import HandRecord
from tests.arena.test_phh import random_played_hand, replayed
from tests.journal.hands import kept, three_handed


def test_a_hand_is_told_with_the_cards_that_were_seen() -> None:
    assert phh_of(kept(three_handed()), 7).splitlines() == [
        "variant = 'NT'",
        "ante_trimming_status = false",
        "antes = [0, 0, 0]",
        "blinds_or_straddles = [10, 20, 0]",
        "min_bet = 20",
        "starting_stacks = [2000, 2000, 1500]",
        "actions = ['d dh p1 KsKh', 'd dh p2 ????', 'd dh p3 QsJd', 'p3 cbr 60', 'p1 cc', 'p2 f', "
        "'d db 7h2cQd', 'p1 cc', 'p3 cbr 100', 'p1 cc', 'd db 3d', 'p1 cc', 'p3 cc', 'd db 9c', 'p1 cc', 'p3 cc', "
        "'p1 sm KsKh', 'p3 sm QsJd']",
        "hand = 7",
        "seats = [0, 1, 2]",
        "table = '0a51bbbb'",
        "players = ['Heron', 'Wren', 'Otter']",
        "finishing_stacks = [2180, 1980, 1340]",
        "winnings = [340, 0, 0]",
        "_hand_id = 'b7e0aaaa-393d52c7'",
    ]


def test_whoever_lost_unseen_has_mucked() -> None:
    history = HandHistory.loads(phh_of(kept(three_handed(), shows=frozenset({0})), 1))
    assert history.actions[-2:] == ["p1 sm KsKh", "p3 sm"]
    assert replayed(history).stacks == history.finishing_stacks


def test_random_hands_are_replayed_to_the_same_chips() -> None:
    rng = random.Random(11)
    for _ in range(200):
        hand = random_played_hand(rng)
        assert hand.settlement is not None
        hero = rng.choice(sorted(hand.settlement.start_stacks))
        record = kept(hand, hero=hero)
        history = HandHistory.loads(phh_of(record, 1))
        assert history.seats is not None
        final = {player.seat: player.start_chips + (player.net_chips or 0) for player in record.players}
        assert replayed(history).stacks == [final[seat] for seat in history.seats]


def unknown_net(hand: HandRecord) -> HandRecord:
    return replace(hand, players=(*hand.players[:2], replace(hand.players[2], net_chips=None)))


def other_chips(hand: HandRecord) -> HandRecord:
    return replace(hand, players=(*hand.players[:2], replace(hand.players[2], net_chips=-150)))


def a_fold_too_many(hand: HandRecord) -> HandRecord:
    return replace(hand, actions=(*hand.actions, (2, "river", "fold", 0, 0)))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda hand: replace(hand, complete=False), "a part was not seen"),
        (lambda hand: replace(hand, players=()), "seats or chips are not known"),
        (lambda hand: replace(hand, button_seat=None), "seats or chips are not known"),
        (unknown_net, "seats or chips are not known"),
        (other_chips, "pokerkit ends with other chips"),
        (a_fold_too_many, "pokerkit refuses the betting"),
        (lambda hand: replace(hand, actions=((9, "preflop", "fold", 0, 0),)), "pokerkit refuses the betting"),
        (lambda hand: replace(hand, board="ZzXx"), "a part is damaged"),
        (lambda hand: replace(hand, shown={"2": 7}), "a part is damaged"),
        (lambda hand: replace(hand, actions=((0, "preflop", "dance", 0, 0),)), "a part is damaged"),
    ],
)
def test_a_hand_that_cannot_be_replayed_says_why(change, why: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(NotReplayable, match=why):
        phh_of(change(kept(three_handed())), 1)
