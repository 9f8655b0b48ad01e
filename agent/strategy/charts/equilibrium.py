"""Push or fold worked out: equilibria of games in which one player goes all in or folds, and others call or fold.

With one caller a game is exact: all class equities and the removal of cards are counted. With several callers each
answers as if nobody else would call, and the first call ends the game. That leaves out calls behind a call, which
are rare, and makes a push from an early seat a little too good where many short stacks follow.

The method is CFR+: strategies in proportion to positive regrets, updated in turn, averaged with rising weights.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from agent.poker.ranges import CLASSES, to_text
from agent.strategy.charts.class_equities import Matrix, class_equities, class_pairs
from agent.strategy.charts.tables import Classes, as_range, chart, classes

ITERATIONS: Final = 5_000
MOST_BEHIND: Final = 5
RESHOVE_OPEN_BB: Final = 2.5

_HALF_STEPS: Final = tuple(halves / 2 for halves in range(2, 20))
_WHOLE_STEPS: Final = tuple(float(bb) for bb in range(1, 10))
_DEEPER: Final = (*(float(bb) for bb in range(10, 21)), 25.0)
_RESHOVE_BB: Final = (3.0, 4.0, 6.0, 8.0, 10.0, 12.0, 15.0, 20.0, 25.0, 30.0, 40.0)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who may call: what is in the pot if he does, and what he has lost if he folds, in big blinds."""

    pot_bb: float
    fold_bb: float


@dataclass(frozen=True, slots=True)
class Game:
    """Who may push how much; all results are in big blinds and count from before the blinds were posted.

    `fold_bb` is the pusher's result if he folds, `steal_bb` if everybody else does. `callers` come in the order of
    acting; `callers_hold` is what they may hold, by class.
    """

    stack_bb: float
    fold_bb: float
    steal_bb: float
    callers: tuple[Caller, ...]
    callers_hold: Classes = field(default_factory=lambda: np.ones(len(CLASSES)))


@dataclass(frozen=True, slots=True)
class Equilibrium:
    """How often each class pushes and, by caller, calls; the pusher's result; and what a better answer would gain.

    `exploitability_bb` sums what the pusher and each caller could gain alone, in the game as it is modelled.
    """

    push: Classes
    calls: tuple[Classes, ...]
    value_bb: float
    exploitability_bb: float


def first_in(behind: int, stack_bb: float) -> Game:
    """All have folded to a player with 1 to 5 behind him, who all have as much: the blinds are the last two.

    With one behind it is the small blind against the big one, as heads-up.
    """
    if behind == 1:
        return Game(stack_bb, fold_bb=-0.5, steal_bb=1.0, callers=(Caller(2 * stack_bb, -1.0),))
    posted = (*(0.0,) * (behind - 2), 0.5, 1.0)
    callers = tuple(Caller(2 * stack_bb + 1.5 - own, -own) for own in posted)
    return Game(stack_bb, fold_bb=0.0, steal_bb=1.5, callers=callers)


def re_raise(opener: str, stack_bb: float) -> Game:
    """The big blind against an open of 2.5 big blinds, the small blind's chips dead unless he is the opener."""
    dead = 0.0 if opener in {"SB", "HU"} else 0.5
    return Game(
        stack_bb,
        fold_bb=-1.0,
        steal_bb=RESHOVE_OPEN_BB + dead,
        callers=(Caller(2 * stack_bb + dead, -RESHOVE_OPEN_BB),),
        callers_hold=classes(chart("opening")[opener]["100"]),
    )


def solve(game: Game, iterations: int = ITERATIONS) -> Equilibrium:
    """The equilibrium of a game, by CFR+."""
    table = _Table(game)
    pusher, callers = _Regrets(1), _Regrets(len(game.callers))
    for _ in range(iterations):
        pusher.update(table.gain_of_push(callers.now))
        callers.update(table.gains_of_calls(pusher.now[0]))
    return table.judged(pusher.average[0], callers.average)


class _Regrets:
    """The regrets of players with two actions each; `now` and `average` are how often they take the first one."""

    def __init__(self, players: int) -> None:
        shape = (players, len(CLASSES))
        self._act, self._fold, self._sum = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        self._rounds = 0
        self.now = np.full(shape, 0.5)

    def update(self, gains: Matrix) -> None:
        """Take in what acting gains over folding, a row a player."""
        self._act = np.maximum(0.0, self._act + (1 - self.now) * gains)
        self._fold = np.maximum(0.0, self._fold - self.now * gains)
        total = self._act + self._fold
        self.now = np.divide(self._act, total, out=np.full_like(total, 0.5), where=total > 0)
        self._rounds += 1
        self._sum += self._rounds * self.now

    @property
    def average(self) -> Matrix:
        """The average strategy, later rounds weighing more."""
        return self._sum / (self._rounds * (self._rounds + 1) / 2)


class _Table:
    """The arithmetic of a game: what every class gains by acting, against given strategies of the others."""

    def __init__(self, game: Game) -> None:
        self._game = game
        pairs = class_pairs() * game.callers_hold
        self._pusher_holds = pairs.sum(axis=1) / pairs.sum()
        self._caller_holds = pairs.sum(axis=0) / pairs.sum()
        self._they_hold = pairs / pairs.sum(axis=1, keepdims=True)
        self._they_win = self._they_hold * class_equities()
        he_holds = class_pairs() / class_pairs().sum(axis=1, keepdims=True)
        self._he_holds, self._he_loses = he_holds, he_holds * class_equities()

    def gain_of_push(self, calls: Matrix) -> Matrix:
        """What pushing gains over folding, by class, in one row."""
        nobody, gain = np.ones(len(CLASSES)), np.full(len(CLASSES), -self._game.fold_bb)
        called, won = calls @ self._they_hold.T, calls @ self._they_win.T
        for i, caller in enumerate(self._game.callers):
            gain += nobody * (won[i] * caller.pot_bb - called[i] * self._game.stack_bb)
            nobody = nobody * (1 - called[i])
        return (gain + nobody * self._game.steal_bb)[np.newaxis]

    def gains_of_calls(self, push: Classes) -> Matrix:
        """What calling gains over folding, by caller and class, as often as there is a push to call."""
        pushed, won = self._he_holds @ push, self._he_loses @ push
        gains = [c.pot_bb * won - (self._game.stack_bb + c.fold_bb) * pushed for c in self._game.callers]
        return np.array(gains)

    def judged(self, push: Classes, calls: Matrix) -> Equilibrium:
        """These strategies, with what they are worth and what better ones would gain."""
        own, theirs = self.gain_of_push(calls)[0], self.gains_of_calls(push)
        missed = (np.maximum(own, 0) - push * own) @ self._pusher_holds
        missed += ((np.maximum(theirs, 0) - calls * theirs) @ self._caller_holds).sum()
        value = self._game.fold_bb + float((push * own) @ self._pusher_holds)
        return Equilibrium(push, tuple(calls), value, float(missed))


def push_fold_games() -> Iterator[tuple[int, float, Game]]:
    """The games of the stored chart: players behind, depth in big blinds, game."""
    for behind in range(1, MOST_BEHIND + 1):
        for stack_bb in (*(_HALF_STEPS if behind == 1 else _WHOLE_STEPS), *_DEEPER):
            yield behind, stack_bb, first_in(behind, stack_bb)


def reshove_games() -> Iterator[tuple[str, float, Game]]:
    """The games of the stored chart: opener, depth in big blinds, game."""
    for opener in chart("opening"):
        for stack_bb in _RESHOVE_BB:
            yield opener, stack_bb, re_raise(opener, stack_bb)


def push_fold_entry(behind: int, stack_bb: float, found: Equilibrium) -> str:
    """The part of `push_fold.toml` that holds this equilibrium."""
    calls = "".join(f'  "{_text(call)}",\n' for call in found.calls)
    return f'\n[{behind}."{stack_bb:g}"]\npush = "{_text(found.push)}"\ncalls = [\n{calls}]\n'


def reshove_entry(opener: str, stack_bb: float, found: Equilibrium) -> str:
    """The part of `reshove.toml` that holds this equilibrium; what the opener calls goes for hands beside the chart too."""
    push, call = _text(found.push), _text(found.calls[0])
    return f'\n[{opener}."{stack_bb:g}"]\npush = "{push}"\ncall = "{call}"\n'


PUSH_FOLD_HEAD: Final = """\
# Push or fold, first in, all stacks alike: [players behind."big blinds"]. `calls` are those of the players behind in the
# order of acting, the big blind's last. Worked out by `poker-agent push-fold-chart`; not edited by hand.
"""
RESHOVE_HEAD: Final = """\
# All in or fold for the big blind against an open of 2.5 big blinds: [opener."big blinds"], and what the opener calls.
# Worked out by `poker-agent push-fold-chart`; not edited by hand.
"""


def _text(weights: Classes) -> str:
    """The notation, with weights to two decimals."""
    return to_text(as_range(np.round(weights, 2)))
