"""Streams of random deals: each one owns its random numbers and its counts, so that threads share nothing."""

import hashlib
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from agent.poker.cards import DECK
from agent.poker.evaluator import CARD_WORDS, TABLES
from agent.poker.ranges import COMBOS, Range
from agent.poker.report import NO_DEAL
from agent.poker.sampling import alias_table, sample_against_random, sample_ranges

ATTEMPTS_PER_TRIAL = 1_000
"""How often holdings may be drawn for one deal that fits, before the ranges count as shutting each other out."""


class Stream(Protocol):
    """A stream of deals. `counts[player, k]`: deals that the player shares with k - 1 others, k = 0: lost ones."""

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """One row a counted player."""
        ...

    def run(self, trials: int) -> None:
        """Deal so many times more."""
        ...


def random_state(seed: int, stream: int) -> npt.NDArray[np.uint64]:
    """The start of one of the independent random streams of a seed."""
    digest = hashlib.blake2b(f"{seed}/{stream}".encode(), digest_size=8).digest()
    return np.array([int.from_bytes(digest)], dtype=np.uint64)


class RandomDeals:
    """Hero's hand against opponents with any cards; only hero's row is counted."""

    def __init__(
        self, hole: tuple[int, int], board: tuple[int, ...], dead: tuple[int, ...], opponents: int, state: Any
    ) -> None:
        known = {*hole, *board, *dead}
        self._deck = np.array([card for card in DECK if card not in known], dtype=np.int64)
        if len(self._deck) < 5 - len(board) + 2 * opponents:
            raise ValueError(f"{len(self._deck)} cards are too few for {opponents} opponents and the board")
        self._board_sums = CARD_WORDS[list(board)].sum(axis=0)
        self._hole_sums = CARD_WORDS[list(hole)].sum(axis=0)
        self._to_come, self._state = 5 - len(board), state
        self._shares = np.zeros(opponents + 2, dtype=np.int64)

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """Hero's row."""
        return self._shares[np.newaxis]

    def run(self, trials: int) -> None:
        """Deal so many times more."""
        words, masks = self._board_sums
        sample_against_random(
            words,
            masks,
            self._hole_sums,
            self._deck,
            self._to_come,
            self._shares,
            trials,
            self._state,
            CARD_WORDS,
            TABLES,
        )


class RangedDeals:
    """Players with ranges, all of them counted, the ones with any cards last in the deal and in their own place here."""

    def __init__(self, players: tuple[Range, ...], board: tuple[int, ...], dead: tuple[int, ...], state: Any) -> None:
        live = _live_ranges(players, (*board, *dead))
        self._order = sorted(range(len(live)), key=lambda i: players[i].is_random)
        self._ranges = _alias_tables([live[i] for i in self._order if not players[i].is_random])
        self._randoms = sum(player.is_random for player in players)
        self._blocked = np.uint64(sum(1 << card for card in (*board, *dead)))
        self._board_sums = CARD_WORDS[list(board)].sum(axis=0)
        self._to_come, self._state = 5 - len(board), state
        if 2 * len(players) + self._to_come > 52 - len(board) - len(dead):
            raise ValueError(f"the deck is too small for {len(players)} players and the board")
        self._dealt = np.zeros((len(players), len(players) + 1), dtype=np.int64)

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """The counts in the order in which the players were given."""
        return self._dealt[np.argsort(self._order)]

    def run(self, trials: int) -> None:
        """Deal so many times more; `ValueError` when the ranges practically never fit together."""
        limits = np.array([trials, ATTEMPTS_PER_TRIAL * (trials + 100)], dtype=np.int64)
        fitted = sample_ranges(
            self._ranges,
            self._randoms,
            self._blocked,
            self._board_sums,
            self._to_come,
            self._dealt,
            limits,
            self._state,
            CARD_WORDS,
            TABLES,
        )
        if not fitted:
            raise ValueError(NO_DEAL)


def _live_ranges(players: tuple[Range, ...], known: tuple[int, ...]) -> list[Range]:
    """The ranges without the known cards, and without the cards of players who have one holding only.

    Leaving out beforehand what could never fit changes no result and saves most of the deals that would be thrown away.
    """
    live = [player.without(known) for player in players]
    for i, left in enumerate(live):
        if left.combos == 1:
            held = COMBOS[int(left.weights.argmax())].tolist()
            live = [other if j == i else other.without(held) for j, other in enumerate(live)]
    for player, left in zip(players, live, strict=True):
        if not left.combos:
            raise ValueError(
                f"no deal is possible: the range {player.text} has no holding left once the known cards are out"
            )
    return live


def _alias_tables(ranges: list[Range]) -> tuple[Any, ...]:
    """(keep, alias, sizes, bits, words, masks) as `sample_ranges` takes them, one row a player."""
    widest = max((range_.combos for range_ in ranges), default=1)
    shape = (len(ranges), widest)
    keep, alias, sizes = np.ones(shape), np.zeros(shape, dtype=np.int64), np.zeros(len(ranges), dtype=np.int64)
    bits, words, masks = (np.zeros(shape, dtype=np.uint64) for _ in range(3))
    for row, range_ in enumerate(ranges):
        possible = np.flatnonzero(range_.weights)
        cards, size = COMBOS[possible], len(possible)
        alias_table(range_.weights[possible] / range_.weights.max(), keep[row], alias[row])
        sizes[row] = size
        bits[row, :size] = (np.uint64(1) << cards.astype(np.uint64)).sum(axis=1)
        words[row, :size] = CARD_WORDS[cards, 0].sum(axis=1)
        masks[row, :size] = CARD_WORDS[cards, 1].sum(axis=1)
    return keep, alias, sizes, bits, words, masks
