"""How much reading tells: bits gained about what house players really held, by street, beside simpler guesses.

Run as `python -m benchmarks.reading [--hands N] [--seed S]`. A bit gained is a halving of the holdings that come into
question: the binary logarithm of the weight that a range gives the real holding, over that of any two cards. It is taken
at the end of each street for everybody who acted and still holds cards, from a stranger's chair: nobody's cards are known.
"""

import argparse
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Final

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from agent.arena.game.seeded import Seeded
from agent.arena.house.field import load_field
from agent.evaluation.contender import Contender, FinishedHand, HouseContender
from agent.evaluation.table import Deal, Seated, play_hand
from agent.poker.ranges import Range, combo_index
from agent.poker.spot import BOARD_CARDS, Action, Spot, Street
from agent.strategy.acts import Act, Told, acts
from agent.strategy.likelihoods import soft_top
from agent.strategy.opponents import Opponents
from agent.strategy.percentile import PREFLOP_TOP
from agent.strategy.reading import Reading
from agent.strategy.showdowns import Shown
from agent.strategy.statistics import PRIORS, PlayedHand, Statistics
from benchmarks.measure import percentile

HANDS_A_TABLE: Final = 150
_BIG_BLIND: Final = 20
_STACKS_BB: Final = (30, 250)
_PLAYERS_DEALT: Final = (6, 6, 6, 6, 6, 5, 4, 3, 2)


@dataclass(frozen=True, slots=True)
class Watched:
    """A hand with all that was dealt, and what was known of everybody before it."""

    hand: PlayedHand
    hole_cards: Mapping[int, tuple[int, int]]
    statistics: Mapping[str, Statistics]
    shown: Mapping[str, Shown]


@dataclass(frozen=True, slots=True)
class Seen:
    """One player at the end of one street: the board, what they did up to there, and what they hold."""

    street: Street
    board: tuple[int, ...]
    own: tuple[Act, ...]
    combo: int
    statistics: Statistics
    shown: Shown


class Timed:
    """A house player whose every decision is preceded by a reading of its opponents, which is timed."""

    def __init__(self, player: HouseContender, read: Callable[[Spot], object], spent_ms: list[float]) -> None:
        self.sources: Counter[str] = player.sources
        self._player, self._read, self._spent_ms = player, read, spent_ms

    def decide(self, spot: Spot) -> Action:
        """What the house player does."""
        began = perf_counter()
        self._read(spot)
        self._spent_ms.append(1_000 * (perf_counter() - began))
        return self._player.decide(spot)

    def hand_over(self, hand: FinishedHand) -> None:
        """Tell the house player."""
        self._player.hand_over(hand)


class Watcher:
    """House players of the default field at one table after another; their book is begun anew at each."""

    def __init__(self, seed: int, reading: Reading) -> None:
        self.decisions_ms: Final[list[float]] = []
        self._seed, self._reading = seed, reading

    def hands(self, count: int) -> Iterator[Watched]:
        """So many hands, stacks drawn anew for each."""
        for table in range(math.ceil(count / HANDS_A_TABLE)):
            left = count - table * HANDS_A_TABLE
            yield from self._table(Seeded(self._seed, f"reading-{table}"), min(HANDS_A_TABLE, left))

    def _table(self, seeded: Seeded, count: int) -> Iterator[Watched]:
        rng, book, shown = seeded.generator("table"), Opponents(), defaultdict[str, Shown](Shown)
        people: dict[str, Contender] = {}
        field = load_field()
        seats = sorted(rng.sample(range(6), rng.choice(_PLAYERS_DEALT)))
        for seat in seats:
            came = field.newcomer(rng, people)
            people[came.name] = HouseContender(came.player, seed=seat)
        first, player = next(iter(people.items()))
        if isinstance(player, HouseContender):
            people[first] = Timed(
                player, lambda spot: self._reading.ranges(spot, book.of, shown.__getitem__), self.decisions_ms
            )
        for number in range(count):
            deal = Deal(
                hand_id=seeded.id("hand", number),
                deck=tuple(seeded.deck(number)),
                button_seat=seats[number % len(seats)],
                small_blind_chips=_BIG_BLIND // 2,
                big_blind_chips=_BIG_BLIND,
            )
            sitting = zip(seats, people.items(), strict=True)
            stacks = {seat: rng.randint(*_STACKS_BB) * _BIG_BLIND for seat in seats}
            played = play_hand(deal, {seat: Seated(*who, stacks[seat]) for seat, who in sitting})
            cards, hand = played.hand.hole_cards, played.played
            yield Watched(hand, cards, {name: book.of(name) for name in people}, {name: shown[name] for name in people})
            told = {seat: cards[seat] for seat in hand.showdown_seats}
            for seat, new in self._reading.observed_showdown(hand, told, book.of, shown.__getitem__).items():
                shown[hand.names[seat]] += new
            book.seen(hand)


def seen_in(watched: Watched) -> Iterator[Seen]:
    """Everybody who acted and still holds cards, at the end of each street that ended with two or more of them."""
    told = Told.of_hand(watched.hand)
    for street in Street:
        until = [number for number, past in enumerate(told.actions, 1) if past.street is street]
        if not until:
            continue
        lines = acts(replace(told, actions=told.actions[: until[-1]]))
        for seat, own in lines.items():
            if own and len(lines) > 1:
                name, board = watched.hand.names[seat], told.board[: BOARD_CARDS[street]]
                combo = combo_index(*watched.hole_cards[seat])
                yield Seen(street, board, own, combo, watched.statistics[name], watched.shown[name])


Guess = Callable[[Seen], Range]


def guesses(reading: Reading) -> dict[str, Guess]:
    """The guesses that are compared, each a range for a player who was seen."""
    usual = Range(soft_top(PREFLOP_TOP, PRIORS["vpip"].rate, reading.parameters.preflop_edge))

    def preflop(seen: Seen) -> tuple[Act, ...]:
        return tuple(act for act in seen.own if act.street is Street.PREFLOP)

    return {
        "static range": lambda _: usual,
        "preflop acts of a stranger": lambda seen: reading.range_after(preflop(seen), Statistics()),
        "preflop acts": lambda seen: reading.range_after(preflop(seen), seen.statistics),
        "all acts of a stranger": lambda seen: reading.range_after(seen.own, Statistics()),
        "all acts": lambda seen: reading.range_after(seen.own, seen.statistics),
        "all acts and showdowns": lambda seen: reading.range_after(seen.own, seen.statistics, seen.shown),
    }


def bits(range_: Range, seen: Seen) -> float:
    """What the range tells of the real holding beside any two cards."""
    possible = range_.without(seen.board)
    share = possible.weights[seen.combo] / possible.total
    left = math.comb(52 - len(seen.board), 2)
    return math.log2(share * left)


def main() -> None:
    """Deal, read and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=6_000)
    parser.add_argument("--seed", type=int, default=2)
    asked = parser.parse_args()
    watcher = Watcher(asked.seed, Reading())
    reading = Reading()
    gained: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for watched in watcher.hands(asked.hands):
        for seen in seen_in(watched):
            at_showdown = seen.street is watched.hand.actions[-1].street and watched.hand.showdown_seats
            for name, guess in guesses(reading).items():
                found = bits(guess(seen), seen)
                for row in (str(seen.street), *(["showdown"] if at_showdown else [])):
                    gained[name][row].append(found)
    _print(asked.hands, asked.seed, gained, watcher.decisions_ms)


def _print(hands: int, seed: int, gained: Mapping[str, Mapping[str, list[float]]], decisions_ms: list[float]) -> None:
    console = Console(highlight=False, width=130)
    table = Table(title=f"Bits gained over any two cards, {hands:,} hands, seed {seed}", box=SIMPLE_HEAD)
    rows = [*Street, "showdown"]
    table.add_column("range by")
    for row in rows:
        table.add_column(f"{row} ({len(next(iter(gained.values()))[row]):,})", justify="right")
    for name, by_row in gained.items():
        table.add_row(name, *(_mean(by_row[row]) for row in rows))
    console.print(table)
    console.print(
        f"one decision: median {percentile(decisions_ms, 50):.2f} ms, 95th percentile {percentile(decisions_ms, 95):.2f} ms "
        f"({len(decisions_ms):,} decisions)"
    )


def _mean(values: list[float]) -> str:
    if len(values) < 2:
        return "-"
    return f"{np.mean(values):+.2f} ± {1.96 * np.std(values) / math.sqrt(len(values)):.2f}"


if __name__ == "__main__":
    main()
