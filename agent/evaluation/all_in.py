"""All-ins valued by equity: what a hand was worth when its betting ended, not what the last cards made of it.

Once nobody can bet any more, each pot is shared by the equity of those who are eligible for it, over all boards still
to come. All hands at the table are known here, so those that were folded are out of the deck for everybody.
"""

from agent.arena.game.dealer import Hand
from agent.poker.pots import expected_nets


def nets(hand: Hand, board_when_closed: tuple[int, ...] | None) -> dict[int, float]:
    """What each seat won or lost in a hand that is over, in chips; they sum to 0.

    `board_when_closed` is the board on which the betting ended with streets still to come; None where it did not, and
    the chips that really changed hands count. `ValueError` for a hand that is not over.
    """
    settled = hand.settlement
    if settled is None:
        raise ValueError(f"hand {hand.hand_id} is not over")
    if board_when_closed is None:
        return {seat: float(final - settled.start_stacks[seat]) for seat, final in settled.final_stacks.items()}
    live = [seat for seat in settled.start_stacks if not hand.has_folded(seat)]
    return expected_nets(settled.contributions, live, hand.hole_cards, board_when_closed)
