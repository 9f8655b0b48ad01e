"""Finished hands for statistics, written as the line that people would tell."""

from collections.abc import Mapping

from agent.arena.game.dealer import Hand
from agent.strategy.statistics import PlayedHand, played_hand, tally
from tests.arena.hands import deck_with, hand_of, play, run_out

SIX = dict.fromkeys(range(6), 2_000)


def told(hand: Hand) -> PlayedHand:
    """A hand of the arena's dealer that is over, as it is counted."""
    assert hand.settlement is not None
    order = hand.order[::-1] if len(hand.order) == 2 else hand.order  # two seats stand with the big blind first
    posted = zip(order, (hand.small_blind_chips, hand.big_blind_chips), strict=False)
    settled = hand.settlement
    found = played_hand(
        complete=True,
        names={player.seat: player.name for player in hand.players},
        button_seat=hand.button_seat,
        big_blind_chips=hand.big_blind_chips,
        blinds={seat: min(chips, settled.start_stacks[seat]) for seat, chips in posted},
        start_stacks=settled.start_stacks,
        actions=hand.actions,
        board=hand.board,
        is_showdown=settled.shown_cards is not None,
        paid_seats=[seat for seat, chips in settled.payouts.items() if chips],
    )
    assert found is not None
    return found


def played(*lines: str, stacks: Mapping[int, int] = SIX, button: int = 0, board: str = "") -> PlayedHand:
    """A hand as the dealer plays it: a line a street, the actions in their order and without seats; what is illegal is refused.

    With the button at seat 0 of six, seat 3 acts first before the flop and seat 1 later. Seat n holds a pair of its own where no board is given: seat 0 aces, seat 1 kings, ..., on a board that helps nobody.
    """
    pairs = {seat: f"{rank}s{rank}h" for seat, rank in enumerate("AKQJT9") if seat in stacks}
    hand = hand_of(stacks, button=button, deck=deck_with(pairs, board or "2c3d4c7d8c"))
    for line in lines:
        play(hand, *line.split(", "))
    run_out(hand)
    return told(hand)


def counts(hand: PlayedHand, name: str) -> dict[int, tuple[int, int]]:
    """(times, chances) of one statistic for each seat that had a chance."""
    found = {seat: statistics.count(name) for seat, statistics in tally(hand).items()}
    return {seat: (count.times, count.chances) for seat, count in found.items() if count.chances}
