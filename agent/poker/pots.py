"""Pots: who can win which chips, and what each pot is worth to whom once nobody can bet any more."""

from collections.abc import Collection, Mapping, Sequence

from agent.poker.equity import Effort
from agent.poker.players import equities
from agent.poker.ranges import Range
from agent.poker.spot import BOARD_CARDS, PastAction


def pots(contributions: Mapping[int, int], live: Collection[int]) -> list[tuple[int, tuple[int, ...]]]:
    """The main pot and the side pots in chips, each with the seats that can win it; the main pot first.

    `contributions` are all chips put in; who is not `live` has folded. Chips that nobody called are a last pot of their owner's.

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


def expected_nets(
    contributions: Mapping[int, int],
    live: Collection[int],
    hole_cards: Mapping[int, tuple[int, int]],
    board: tuple[int, ...],
) -> dict[int, float]:
    """What each seat wins or loses on average in chips, each pot shared by equity over all boards to come; they sum to 0.

    `contributions` are by seat, for all who were dealt in. `hole_cards` must be known of all who are `live`; the others that
    are known are out of the deck.
    """
    won = dict.fromkeys(contributions, 0.0)
    for chips, eligible in pots(contributions, live):
        for seat, share in _shares(hole_cards, eligible, board).items():
            won[seat] += chips * share
    return {seat: won[seat] - paid for seat, paid in contributions.items()}


def board_when_closed(actions: Sequence[PastAction], board: tuple[int, ...]) -> tuple[int, ...] | None:
    """The board on which the betting of a hand that was shown down ended with streets still to come; None if it went on to the end."""
    seen = BOARD_CARDS[actions[-1].street] if actions else 0
    return board[:seen] if seen < len(board) else None


def _shares(
    hole_cards: Mapping[int, tuple[int, int]], eligible: tuple[int, ...], board: tuple[int, ...]
) -> dict[int, float]:
    """The equity of each eligible seat, by enumeration; all other cards that are known are dead."""
    if len(eligible) == 1:
        return {eligible[0]: 1.0}
    dead = tuple(card for seat, cards in hole_cards.items() if seat not in eligible for card in cards)
    hands = [Range.of_hand(*hole_cards[seat]) for seat in eligible]
    reports = equities(hands, board, Effort(method="exact"), dead=dead)
    return {seat: report.equity for seat, report in zip(eligible, reports, strict=True)}
