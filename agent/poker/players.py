"""Equity of several players at once, each with a hand, a range or any two cards."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import permutations
from typing import Final

import numpy as np
import numpy.typing as npt

from agent.poker.boards import weigh_every_holding
from agent.poker.cards import DECK
from agent.poker.deals import RangedDeals, random_state
from agent.poker.equity import (
    MAX_OPPONENTS,
    Effort,
    check_cards,
    disjoint_pairs,
    estimate_equity,
    exact_cost_ns,
    relative_weights,
    sample,
    sample_cost_ns,
)
from agent.poker.evaluator import CARD_WORDS, CATEGORIES, STRONGEST, TABLES, category
from agent.poker.exact import BOARD_TABLES, count_hands, count_strengths
from agent.poker.preflop import TABLE_OPPONENTS
from agent.poker.ranges import COMBOS, Range
from agent.poker.report import NO_DEAL, EquityReport, exact_report, real_weights

_HANDS_NS: Final = {0: 1.5e6, 3: 60e3, 4: 35e3, 5: 30e3}
_BOARD_NS: Final = {3: 60e6, 4: 2.5e6, 5: 100e3}
_MOST_DEALS: Final = 20_000

Counts = npt.NDArray[np.float64]


def equities(
    players: Sequence[Range], board: tuple[int, ...] = (), effort: Effort | None = None, *, dead: tuple[int, ...] = ()
) -> tuple[EquityReport, ...]:
    """The equity of each of 2 to 9 players on `board` (0, 3, 4 or 5 cards), in their order; they sum to 1.

    Raises `ValueError` for impossible cards and for ranges that leave no deal, and when an enumeration is asked for
    where there is none.
    """
    effort = effort or Effort()
    if not 2 <= len(players) <= MAX_OPPONENTS + 1:
        raise ValueError(f"{len(players)} players: expected 2 to {MAX_OPPONENTS + 1}")
    hands = [_only_hand(player) for player in players]
    check_cards(board, dead, *(hand for hand in hands if hand))
    started = effort.clock() if effort.clock else 0.0
    known_hands = [hand for hand in hands if hand]
    if len(known_hands) == len(players) and _is_worth_it(
        _HANDS_NS[len(board)] * len(players) / 2, len(players), effort
    ):
        reports: Sequence[EquityReport] = _hand_by_hand(known_hands, board, dead)
    else:
        reports = _found(players, _live(players, board, dead), board, dead, effort)
    elapsed_ms = 1_000 * (effort.clock() - started) if effort.clock else None
    return tuple(
        replace(report, ranges=player.text, opponents=len(players) - 1, elapsed_ms=elapsed_ms)
        for player, report in zip(players, reports, strict=True)
    )


def ends_as(hand: tuple[int, int], board: tuple[int, ...] = (), *, dead: tuple[int, ...] = ()) -> dict[str, float]:
    """How often a hand ends in each class, best first, over all boards to come; the shares sum to 1."""
    check_cards(board, dead, hand)
    counts = np.zeros(STRONGEST + 1, dtype=np.int64)
    own, known, gone = (np.array(cards, dtype=np.int64) for cards in (hand, board, dead))
    count_strengths(own, known, gone, counts, BOARD_TABLES)
    by_class = dict.fromkeys(reversed(CATEGORIES), 0.0)
    for value in np.flatnonzero(counts).tolist():
        by_class[CATEGORIES[category(value)]] += float(counts[value]) / float(counts.sum())
    return by_class


def _only_hand(player: Range) -> tuple[int, int] | None:
    """The two cards of a range that is one hand."""
    if player.combos != 1:
        return None
    high, low = COMBOS[int(np.argmax(player.weights))].tolist()
    return high, low


def _live(players: Sequence[Range], board: tuple[int, ...], dead: tuple[int, ...]) -> list[Range]:
    """The ranges without the known cards; none may be left empty."""
    live = [player.without((*board, *dead)) for player in players]
    for player, left in zip(players, live, strict=True):
        if not left.combos:
            raise ValueError(f"the range {player.text} has no holding left once the known cards are out")
    return live


def _is_worth_it(cost_ns: float, players: int, effort: Effort) -> bool:
    """Whether an enumeration is what was asked for, or takes no longer than the sample would."""
    return effort.method == "exact" or (effort.method == "auto" and cost_ns <= sample_cost_ns(effort, players))


def _hand_by_hand(
    hands: Sequence[tuple[int, int]], board: tuple[int, ...], dead: tuple[int, ...]
) -> list[EquityReport]:
    """One hand each: nothing to weigh, only boards to count."""
    return [exact_report(row.tolist(), ranges="") for row in _counted(sum(hands, ()), board, dead)]


def _found(
    players: Sequence[Range], live: list[Range], board: tuple[int, ...], dead: tuple[int, ...], effort: Effort
) -> Sequence[EquityReport]:
    if effort.method != "monte-carlo":
        cost, enumerate_all = _enumeration(players, live, board, dead, effort)
        if enumerate_all and _is_worth_it(cost, len(players), effort):
            return enumerate_all()
        if effort.method == "exact":
            raise ValueError("there is no enumeration for these players that ends in time; sample instead")
    streams = [RangedDeals(tuple(players), board, dead, random_state(effort.seed, i)) for i in range(effort.threads)]
    return sample(streams, effort, ranges="")


def _enumeration(
    players: Sequence[Range], live: list[Range], board: tuple[int, ...], dead: tuple[int, ...], effort: Effort
) -> tuple[float, Callable[[], Sequence[EquityReport]] | None]:
    """The cheapest way to enumerate: about what it takes in nanoseconds, and how; None where there is none."""
    hero = _only_hand(live[0])
    forced = Effort(method="exact", threads=effort.threads)
    if hero and all(player.is_random for player in players[1:]):
        cost, count = exact_cost_ns(board, len(players) - 1, ()), len(players) - 1
        if not board and not dead and (effort.method == "auto" or count > 1) and count <= TABLE_OPPONENTS:
            return 0.0, lambda: _against_alike(estimate_equity(hero, board, count))
        if cost < math.inf:
            return cost, lambda: _against_alike(estimate_equity(hero, board, count, forced, dead=dead))
    if hero and len(players) == 2 and board and live[1].combos > 1:
        one = (live[1],)
        return exact_cost_ns(board, 1, one), lambda: _against_alike(
            estimate_equity(hero, board, one, forced, dead=dead)
        )
    deals = float(np.prod([float(player.combos) for player in live]))
    if len(players) == 2 and board and deals > 1:
        return _BOARD_NS[len(board)], lambda: _range_against_range(live, board, dead)
    if deals <= _MOST_DEALS:
        return deals * _HANDS_NS[len(board)] * len(players) / 2, lambda: _deal_by_deal(live, board, dead)
    return math.inf, None


def _against_alike(hero: EquityReport) -> list[EquityReport]:
    """Hero's report and those of opponents who are all alike: they share what hero leaves, evenly.

    Heads-up the opponent's is the mirror image; of several, hero's side does not tell how often each wins alone.
    """
    other = (1.0 - hero.equity) / hero.opponents
    win, tie, lose = (hero.lose, hero.tie, hero.win) if hero.opponents == 1 else (None, None, None)
    mirrored = replace(hero, equity=other, win=win, tie=tie, lose=lose, wins=None, ties=None, losses=None)
    mirrored = replace(
        mirrored, ci_low=other - (hero.ci_high - hero.equity), ci_high=other + (hero.equity - hero.ci_low)
    )
    return [hero] + [mirrored] * hero.opponents


def _range_against_range(live: list[Range], board: tuple[int, ...], dead: tuple[int, ...]) -> list[EquityReport]:
    """Two ranges on a flop, turn or river: every holding of the first against the whole second."""
    known = np.array(board, dtype=np.int64), np.array(dead, dtype=np.int64)
    possible = ~np.isin(COMBOS, [*board, *dead]).any(axis=1)
    sums = np.zeros((int(possible.sum()), 3))
    own, other = (relative_weights(range_)[possible] for range_ in live)
    weigh_every_holding(*known, COMBOS[possible], other, sums, CARD_WORDS, TABLES)
    left, to_come = len(DECK) - len(board) - len(dead), 5 - len(board)
    most = math.comb(left, to_come) * float(own.sum()) * float(other.sum())
    lost, won, shared = real_weights((own @ sums).tolist(), most)
    pairs = disjoint_pairs(*(COMBOS[range_.weights > 0] for range_ in live))
    deals = pairs * math.comb(left - 4, to_come)
    return [exact_report(shares, ranges="", deals=deals) for shares in ((lost, won, shared), (won, lost, shared))]


def _deal_by_deal(live: list[Range], board: tuple[int, ...], dead: tuple[int, ...]) -> list[EquityReport]:
    """All ways in which the players' holdings fit together, one after the other, each kind of deal worked out once.

    Deals that differ by a swap of suits only, board and dead cards included, are of one kind.
    """
    counts, known = np.zeros((len(live), len(live) + 1)), dict[tuple[int, ...], Counts]()
    choices = [
        list(zip(COMBOS[r.weights > 0].tolist(), relative_weights(r)[r.weights > 0].tolist(), strict=True))
        for r in live
    ]
    swaps = _swaps((*board, *dead))

    dealt = 0

    def deal(player: int, held: tuple[int, ...], weight: float) -> None:
        nonlocal dealt
        if player == len(choices):
            dealt += 1
            kind = min(_kind(held, swap) for swap in swaps)
            if kind not in known:
                known[kind] = _counted(held, board, dead)
            counts[:] += weight * known[kind]
            return
        for cards, own in choices[player]:
            if cards[0] not in held and cards[1] not in held:
                deal(player + 1, (*held, *cards), weight * own)

    deal(0, (), 1.0)
    if not dealt:
        raise ValueError(NO_DEAL)
    total = counts[0].sum()
    alike = all(len(set(player.weights.tolist()) - {0.0}) == 1 for player in live)
    boards = math.comb(len(DECK) - len(board) - len(dead) - 2 * len(live), 5 - len(board))
    rows = [[max(0.0, total - row[1:].sum()), *row[1:].tolist()] for row in counts]
    return [exact_report(row, ranges="", deals=None if alike else dealt * boards) for row in rows]


def _swaps(fixed: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The permutations of suits that leave the fixed cards where they are."""
    return [p for p in permutations(range(4)) if all(card & ~3 | p[card & 3] in fixed for card in fixed)]


def _kind(held: tuple[int, ...], swap: tuple[int, ...]) -> tuple[int, ...]:
    swapped = [card & ~3 | swap[card & 3] for card in held]
    return tuple(card for i in range(0, len(swapped), 2) for card in sorted(swapped[i : i + 2]))


def _counted(held: tuple[int, ...], board: tuple[int, ...], dead: tuple[int, ...]) -> Counts:
    """`count_hands` for hands given one after the other; the boards that a player loses are in place 0."""
    players = len(held) // 2
    counts = np.zeros((players, players + 1), dtype=np.int64)
    hands, known, gone = (np.array(cards, dtype=np.int64) for cards in (held, board, dead))
    count_hands(hands.reshape(players, 2), known, gone, counts, BOARD_TABLES)
    shares = np.array([0.0, *(1 / k for k in range(1, players + 1))])
    total = round(float((counts @ shares).sum()))
    counts[:, 0] = total - counts[:, 1:].sum(axis=1)
    return counts.astype(np.float64)
