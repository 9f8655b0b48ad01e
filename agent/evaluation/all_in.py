"""All-ins valued by equity: what a hand was worth when its betting ended, not what the last cards made of it.

Once nobody can bet any more, each pot is shared by the equity of those who are eligible for it, over all boards still
to come. All hands at the table are known here, so those that were folded are out of the deck for everybody.
"""

from collections.abc import Collection, Mapping

from agent.arena.game.dealer import Hand
from agent.poker.equity import Effort
from agent.poker.players import equities
from agent.poker.ranges import Range


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
    won = dict.fromkeys(settled.start_stacks, 0.0)
    for chips, eligible in pots(settled.contributions, live):
        for seat, share in _shares(hand.hole_cards, eligible, board_when_closed).items():
            won[seat] += chips * share
    return {seat: won[seat] - paid for seat, paid in settled.contributions.items()}


def pots(contributions: Mapping[int, int], live: Collection[int]) -> list[tuple[int, tuple[int, ...]]]:
    """The main pot and the side pots in chips, each with the seats that can win it; the main pot first.

    `contributions` are all chips put in, uncalled ones excluded; who is not `live` has folded.

    >>> pots({0: 50, 1: 200, 2: 200, 3: 20}, live=(0, 1, 2))
    [(170, (0, 1, 2)), (300, (1, 2))]
    """
    found, below = [], 0
    levels = sorted({contributions[seat] for seat in live})
    for level in levels:
        # Nobody live has more than the last level: whatever else was put in belongs to its pot.
        top = level if level != levels[-1] else max(contributions.values())
        chips = sum(min(paid, top) - min(paid, below) for paid in contributions.values())
        found.append((chips, tuple(seat for seat in sorted(live) if contributions[seat] >= level)))
        below = top
    return found


def _shares(
    hole_cards: Mapping[int, tuple[int, int]], eligible: tuple[int, ...], board: tuple[int, ...]
) -> dict[int, float]:
    """The equity of each eligible seat, by enumeration; all other cards that were dealt are dead."""
    if len(eligible) == 1:
        return {eligible[0]: 1.0}
    dead = tuple(card for seat, cards in hole_cards.items() if seat not in eligible for card in cards)
    hands = [Range.of_hand(*hole_cards[seat]) for seat in eligible]
    reports = equities(hands, board, Effort(method="exact"), dead=dead)
    return {seat: report.equity for seat, report in zip(eligible, reports, strict=True)}
