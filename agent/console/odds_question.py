"""What the odds page asks, read from its fields, and the answer that grows better with every round of sampling.

The engine and the way hands are written are those of `poker-agent odds`.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from agent.odds import THREADS, hand_of, player_of
from agent.poker.cards import parse_cards, pretty_cards
from agent.poker.equity import MAX_OPPONENTS, Effort
from agent.poker.players import ends_as, equities
from agent.poker.ranges import Range
from agent.poker.report import EquityReport

MOST_PLAYERS: Final = MAX_OPPONENTS + 1
BOARD, DEAD, ALL = "board", "dead", "all"
"""Where a problem stands beside the hands, which are named by their numbers from 0."""

ROUNDS: Final = (5_000, 100_000, 2_000_000, *[1_000_000] * 8)
"""The deals of each round. An enumeration is made instead as soon as it costs no more than the round."""

ENOUGH_STDERR: Final = 1e-4


@dataclass(frozen=True, slots=True)
class Question:
    """The fields as they are filled in: hands or ranges, board, dead cards, and how many more players have any two cards."""

    hands: tuple[str, ...]
    board: str = ""
    dead: str = ""
    opponents: int = 0


@dataclass(frozen=True, slots=True)
class Reading:
    """What the fields say. `problems` are faults and `hints` what is still missing, each by the field it stands at."""

    players: tuple[Range, ...]
    labels: tuple[str, ...]
    board: tuple[int, ...]
    dead: tuple[int, ...]
    problems: Mapping[str, str]
    hints: Mapping[str, str]

    @property
    def is_ready(self) -> bool:
        """Whether there is something to work out."""
        return not self.problems and not self.hints


def read(question: Question) -> Reading:
    """Read all fields, and say at each what is wrong with it.

    >>> read(Question(("AsKd", "QQ+"), board="As 7h 2c")).problems
    {'board': 'A♠ lies twice: in hand 1 and on the board'}
    """
    problems, hints = dict[str, str](), dict[str, str]()
    players = [_player(str(number), text, problems, hints) for number, text in enumerate(question.hands)]
    board = _cards(BOARD, question.board, problems)
    dead = _cards(DEAD, question.dead, problems)
    if len(board) in (1, 2):
        hints[BOARD] = "a flop has three cards"
    elif len(board) > 5:
        problems.setdefault(BOARD, "a board has at most five cards")
    _find_twice(players, board, dead, problems)
    _find_emptied(players, (*board, *dead), problems)
    known = [player for player in players if player is not None]
    count = len(players) + question.opponents
    if question.opponents < 0:
        problems[ALL] = f"{question.opponents} opponents: 0 or more can sit with any two cards"
    elif count < 2:
        hints[ALL] = "add a hand or an opponent"
    elif count > MOST_PLAYERS:
        problems[ALL] = f"{count} players: at most {MOST_PLAYERS} fit at a table"
    return Reading(
        players=(*known, *[Range.random()] * question.opponents),
        labels=(*map(label, known), *["any two cards"] * question.opponents),
        board=board,
        dead=dead,
        problems=problems,
        hints=hints,
    )


def label(player: Range) -> str:
    """What a player holds, for people."""
    if player.combos == 1:
        return pretty_cards(hand_of(player))
    return "any two cards" if player.is_random else player.text


def _player(place: str, text: str, problems: dict[str, str], hints: dict[str, str]) -> Range | None:
    """The range of a field; None while it is empty or wrong."""
    if not text.strip():
        hints[place] = "pick two cards, or write a range"
        return None
    try:
        if len(parse_cards(text)) == 1:
            hints[place] = "one more card"
            return None
    except ValueError:
        pass  # It may be a range.
    try:
        player = player_of(text)
    except ValueError as error:
        problems[place] = str(error)
        return None
    if not player.combos:
        hints[place] = "this range is empty"
        return None
    return player


def _cards(place: str, text: str, problems: dict[str, str]) -> tuple[int, ...]:
    try:
        return parse_cards(text)
    except ValueError as error:
        problems[place] = str(error)
        return ()


def _find_twice(
    players: Sequence[Range | None], board: Sequence[int], dead: Sequence[int], problems: dict[str, str]
) -> None:
    """Tell at the later one of two fields which card lies in both."""
    fields = [
        (str(number), f"in hand {number + 1}", hand_of(player))
        for number, player in enumerate(players)
        if player is not None and player.combos == 1
    ]
    lies = dict[int, str]()
    for place, words, cards in (*fields, (BOARD, "on the board", board), (DEAD, "among the dead cards", dead)):
        for card in cards:
            if card in lies:
                problems.setdefault(place, f"{pretty_cards([card])} lies twice: {lies[card]} and {words}")
            lies.setdefault(card, words)


def _find_emptied(players: Sequence[Range | None], gone: tuple[int, ...], problems: dict[str, str]) -> None:
    for number, player in enumerate(players):
        if player is not None and player.combos > 1 and not player.without(gone).combos:
            problems.setdefault(str(number), "no holding of this range is left: its cards lie on the board or are dead")


@dataclass(frozen=True, slots=True)
class Answer:
    """The equity of each player so far. `is_final` says that more rounds would change nothing worth showing.

    `progress` is the share of the rounds that were made, in [0, 1]. `ends_as` is how often the first hand ends in each class, empty for a range.
    """

    labels: tuple[str, ...]
    reports: tuple[EquityReport, ...]
    is_final: bool
    progress: float
    ends_as: Mapping[str, float] = field(default_factory=dict)

    @property
    def is_exact(self) -> bool:
        """Whether nothing was sampled."""
        return self.reports[0].method != "monte-carlo"


class Calculation:
    """Answers a reading that is ready, round by round."""

    def __init__(self, reading: Reading) -> None:
        self._reading: Final = reading
        self._round = 0
        self._so_far: tuple[EquityReport, ...] = ()
        self._ends_as: Mapping[str, float] = {}

    def improve(self) -> Answer:
        """The answer after one more round, a second or two at most; `ValueError` where no deal is possible."""
        reading, trials = self._reading, ROUNDS[self._round]
        if self._round == 0 and reading.players[0].combos == 1:
            self._ends_as = ends_as(hand_of(reading.players[0]), reading.board, dead=reading.dead)
        effort = Effort(trials=trials, seed=self._round, threads=THREADS, clock=time.perf_counter)
        found = equities(reading.players, reading.board, effort, dead=reading.dead)
        self._round += 1
        is_sampled = found[0].method == "monte-carlo"
        if is_sampled and self._so_far:
            found = tuple(merged(one, other) for one, other in zip(self._so_far, found, strict=True))
        self._so_far = found
        enough = found[0].stderr <= ENOUGH_STDERR and found[0].trials >= ROUNDS[1]
        is_final = not is_sampled or enough or self._round == len(ROUNDS)
        return Answer(reading.labels, found, is_final, self._round / len(ROUNDS), self._ends_as)


def merged(one: EquityReport, other: EquityReport) -> EquityReport:
    """Two samples of the same deal as one."""
    trials = one.trials + other.trials

    def mean(name: str) -> float:
        return float(one.trials * getattr(one, name) + other.trials * getattr(other, name)) / trials

    equity = mean("equity")
    stderr = ((one.trials * one.stderr) ** 2 + (other.trials * other.stderr) ** 2) ** 0.5 / trials
    slack = 1.96 * stderr if stderr else 3 / trials
    return replace(
        one,
        equity=equity,
        win=mean("win"),
        tie=mean("tie"),
        lose=mean("lose"),
        trials=trials,
        trials_asked=one.trials_asked + other.trials_asked,
        wins=(one.wins or 0) + (other.wins or 0),
        ties=(one.ties or 0) + (other.ties or 0),
        losses=(one.losses or 0) + (other.losses or 0),
        stderr=stderr,
        ci_low=max(0.0, equity - slack),
        ci_high=min(1.0, equity + slack),
        elapsed_ms=(one.elapsed_ms or 0.0) + (other.elapsed_ms or 0.0),
    )
