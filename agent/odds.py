"""The odds calculator: from texts to equities and back, with the same engine that plays."""

import json
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from agent.failure import Failure
from agent.poker import preflop
from agent.poker.cards import CardError, parse_cards
from agent.poker.equity import MOST_TRIALS, Effort
from agent.poker.players import ends_as, equities
from agent.poker.ranges import CLASSES, COMBOS, Range, parse_range
from agent.poker.report import Method
from agent.strategy.charts import class_equities, equilibrium
from agent.terminal import odds as views

DEFAULT_TRIALS = 2_000_000
THREADS = 2


def odds(
    out: Console,
    names: Sequence[str],
    board: str,
    opponents: int | None,
    *,
    dead: str,
    trials: int | None,
    exact: bool,
    error: float | None,
    seed: int,
    as_json: bool,
) -> None:
    """Print the equity of the named hands and ranges, against `opponents` more with any cards.

    A single hand without opponents plays against one. Raises `Failure` for what is no card, no range or no deal.
    """
    more = opponents if opponents is not None else int(len(names) == 1)
    method: Method = "exact" if exact else "monte-carlo" if trials else "auto"
    try:
        players = [player_of(name) for name in names] + [Range.random()] * more
        known, gone = parse_cards(board), parse_cards(dead)
        effort = Effort(
            trials=trials or (MOST_TRIALS if error else DEFAULT_TRIALS),
            error=error,
            seed=seed,
            threads=THREADS,
            method=method,
            clock=time.perf_counter,
        )
        _warm_up(players, known, gone)
        reports = equities(players, known, effort, dead=gone)
        classes = ends_as(hand_of(players[0]), known, dead=gone) if players[0].combos == 1 else {}
    except ValueError as wrong:
        raise Failure(str(wrong), exit_code=2) from None
    labels = [player.text for player in players]
    if as_json:
        print(json.dumps(views.odds_json(labels, reports)))  # noqa: T201
    else:
        views.render_odds(out, labels, reports, known, classes)


def _warm_up(players: Sequence[Range], board: tuple[int, ...], dead: tuple[int, ...]) -> None:
    """Load or compile what the question needs, so that the time shown is the computation's alone.

    A few deals of the question itself, then rivers: they use the same kernels and take no time.
    """
    equities(players, board, Effort(trials=64, threads=THREADS, method="monte-carlo"), dead=dead)
    hand, other = parse_range("AsKd"), parse_range("QhQc")
    many: list[list[Range]] = [[hand, other], [hand, Range.random()], [hand, Range.random(), Range.random()]]
    many += [[hand, parse_range("QQ,JJ:0.5")], [parse_range("QQ,JJ"), parse_range("TT,99:0.5")]]
    for some in many:
        equities(some, parse_cards("7h2cKs3d9c"), Effort(method="exact"))


def player_of(name: str) -> Range:
    """A hand such as `As Kd`, else a range; `ValueError` for what is neither.

    >>> player_of("As Kd").combos, player_of("AK").combos
    (1, 16)
    """
    try:
        cards = parse_cards(name)
    except CardError:
        return parse_range(name)
    if len(cards) != 2:
        raise CardError(f"{name!r} has {len(cards)} cards: a hand has two")
    return Range.of_hand(*cards)


def hand_of(player: Range) -> tuple[int, int]:
    """The two cards of a player who holds exactly these, else the likeliest."""
    high, low = COMBOS[int(player.weights.argmax())].tolist()
    return high, low


def write_preflop_table(err: Console) -> None:
    """Work out all 169 classes on two threads, with a bar, and write the module that holds them."""
    target = Path(preflop.__file__).with_name("preflop_table.py")
    with Progress(console=err) as bar, ThreadPoolExecutor(THREADS) as pool:
        task = bar.add_task("169 classes", total=len(CLASSES))
        rows = {}
        for name, row in zip(CLASSES, pool.map(preflop.row_of, CLASSES), strict=True):
            rows[name] = row
            bar.advance(task)
    target.write_text(preflop.table_source(rows), encoding="utf-8")
    err.print(f"Written: {target}", markup=False)


def write_push_fold_charts(err: Console) -> None:
    """Work out the equities between classes and the push-or-fold charts, with bars, and write the files of both."""
    folder = Path(equilibrium.__file__).parent
    push_fold, reshove = list(equilibrium.push_fold_games()), list(equilibrium.reshove_games())
    with Progress(console=err) as bar, ThreadPoolExecutor(THREADS) as pool:
        found = pool.map(class_equities.equities_against, CLASSES)
        rows = dict(zip(CLASSES, bar.track(found, total=len(CLASSES), description="169 classes"), strict=True))
        (folder / class_equities.FILE).write_text(class_equities.table_text(rows), encoding="ascii")
        class_equities.class_equities.cache_clear()

        text = equilibrium.PUSH_FOLD_HEAD
        for behind, stack_bb, game in bar.track(push_fold, description="push or fold"):
            text += equilibrium.push_fold_entry(behind, stack_bb, equilibrium.solve(game))
        (folder / "push_fold.toml").write_text(text, encoding="utf-8")
        text = equilibrium.RESHOVE_HEAD
        for opener, stack_bb, game in bar.track(reshove, description="re-raise all in or fold"):
            text += equilibrium.reshove_entry(opener, stack_bb, equilibrium.solve(game))
        (folder / "reshove.toml").write_text(text, encoding="utf-8")
    err.print(f"Written: {folder}", markup=False)
