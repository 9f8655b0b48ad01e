"""`poker-agent spots`: put players to the test on spots in which good players agree, and read those spots."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter
from typing import Any, Final

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from agent.decision.asking import Attempt
from agent.decision.decide import Decision
from agent.decision.prompt import PromptError
from agent.evaluation.registry import contender
from agent.evaluation.spot_suite import FOLDER, PASS_SHARE, SuiteError, SuiteSpot, Verdict, load_suite
from agent.failure import ExitCode, Failure
from agent.kernels import warm_up
from agent.models import with_model
from agent.poker.cards import format_cards
from agent.poker.positions import position_names
from agent.poker.spot import Street
from agent.poker.spot_text import spot_as_dict
from agent.rivals import AGENT, Agents, check_names, notice
from agent.settings import Settings
from agent.strategy.opponents import Acquaintance, Opponents
from agent.strategy.policy.policy import Policy
from agent.terminal.progress import progress
from agent.terminal.text import cards, plain

DRAWS: Final = 20
"""How often a player without a model is asked in each spot; an agent is asked once."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What a player did in a spot; `decisions` are an agent's own accounts of its draws."""

    verdict: Verdict
    decisions: tuple[Decision, ...] = ()

    @property
    def is_unanswered(self) -> bool:
        """Whether a model was asked and something else had to decide, which is no merit of the model."""
        return any(taken.attempts and taken.source not in ("llm", "repaired") for taken in self.decisions)

    @property
    def passes(self) -> bool:
        """Whether the player passes the spot; one that its model left unanswered it does not."""
        return self.verdict.passes and not self.is_unanswered

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """Every question to a model."""
        return tuple(attempt for taken in self.decisions for attempt in taken.attempts)


Player = Callable[[SuiteSpot], Trial]


@dataclass(frozen=True, slots=True)
class Report:
    """How one player did; `behind` tells an agent's model and prompts, and is empty for everybody else."""

    player: str
    behind: str
    trials: tuple[Trial, ...]

    @property
    def passed(self) -> int:
        """How many spots were passed."""
        return sum(trial.passes for trial in self.trials)

    def as_dict(self) -> dict[str, Any]:
        """The whole of it in one flat object; what only models have is left out for others."""
        told: dict[str, Any] = {"player": self.player, "passed": self.passed, "spots": len(self.trials)}
        told["themes"] = {theme: list(counts) for theme, counts in themes_of(self.trials).items()}
        return told | ({"behind": self.behind, **self._model()} if self.behind else {})

    def _model(self) -> dict[str, Any]:
        attempts = [attempt for trial in self.trials for attempt in trial.attempts]
        replies = [attempt.reply for attempt in attempts if attempt.reply is not None]
        times = [sum(attempt.latency_ms for attempt in trial.attempts) for trial in self.trials if trial.attempts]
        costs = [reply.cost_usd for reply in replies]
        known = [cost for cost in costs if cost is not None]
        return {
            "sources": dict(Counter(taken.source for trial in self.trials for taken in trial.decisions)),
            "unanswered": sum(trial.is_unanswered for trial in self.trials),
            "questions": len(attempts),
            "failures": dict(Counter(attempt.failure for attempt in attempts if attempt.failure)),
            "latency_ms_p50": round(median(times), 1) if times else None,
            "latency_ms_p95": round(quantiles(times, n=20, method="inclusive")[-1], 1) if len(times) > 1 else None,
            "prompt_tokens": sum(reply.prompt_tokens or 0 for reply in replies),
            "completion_tokens": sum(reply.completion_tokens or 0 for reply in replies),
            "cost_usd": round(sum(known), 6) if known and len(known) == len(costs) else None,
        }


def themes_of(trials: Iterable[Trial]) -> dict[str, tuple[int, int]]:
    """For each theme how many spots were passed, and how many there are."""
    found: dict[str, tuple[int, int]] = {}
    for trial in trials:
        passed, total = found.get(trial.verdict.spot.theme, (0, 0))
        found[trial.verdict.spot.theme] = passed + trial.passes, total + 1
    return found


@dataclass(frozen=True, slots=True)
class SpotsOptions:
    """What the command line asks for. `draws` is None for the usual number, `model` PROVIDER/MODEL in place of the settings'."""

    players: tuple[str, ...]
    model: str | None
    folder: Path | None
    draws: int | None
    exit_zero: bool


def run(options: SpotsOptions, settings: Settings, out: Console, err: Console, *, as_json: bool) -> None:
    """Play the suite and print how it went; a `Failure` with exit code 1 where somebody fails a spot, unless told otherwise."""
    suite = suite_of(options.folder)
    settings = with_model(settings, options.model)
    names = options.players or ((f"{AGENT}:{settings.prompt_set}",) if options.model else ("policy",))
    prompts = check_names(names)
    if options.model and not prompts:
        raise Failure("--model is for agents, and none plays: name agent:PROMPT", exit_code=ExitCode.UNUSABLE)
    began = perf_counter()
    with ExitStack() as stack:
        players = [(name, *_player(name, settings, options.draws, stack)) for name in names]
        behind = tuple((name, what) for name, what, _ in players if what)
        if behind:
            err.print(notice(behind, settings, f"{(options.draws or 1) * len(suite):,} questions"), markup=False)
        warm_up(err.print)
        with progress(err, "spots", len(names) * len(suite)) as advance:
            reports = []
            for name, what, player in players:
                trials = []
                for spot in suite:
                    trials.append(player(spot))
                    advance()
                reports.append(Report(name, what, tuple(trials)))
    _tell(reports, perf_counter() - began, out, as_json=as_json)
    failed = sum(len(report.trials) - report.passed for report in reports)
    if failed and not options.exit_zero:
        raise Failure(f"{failed} of {len(names) * len(suite)} spots failed", exit_code=ExitCode.FAILED)


def suite_of(folder: Path | None) -> tuple[SuiteSpot, ...]:
    """The spots of a folder, of the program's own suite without one; a `Failure` for a folder that holds none."""
    try:
        return load_suite(folder or FOLDER)
    except SuiteError as error:
        raise Failure(str(error), exit_code=ExitCode.UNUSABLE) from None


def list_spots(folder: Path | None, out: Console, *, as_json: bool) -> None:
    """Print every spot of a suite in a line."""
    suite = suite_of(folder)
    if as_json:
        for spot in suite:
            print(json.dumps({"spot": spot.id, "theme": spot.theme, "acceptable": spot.accepted}))  # noqa: T201
        return
    table = Table(box=SIMPLE_HEAD)
    for column in ("theme", "spot", "hand", "board", "acceptable"):
        table.add_column(column)
    for spot in suite:
        hand, board = (cards(format_cards(held)) for held in (spot.spot.hole_cards or (), spot.spot.board))
        table.add_row(plain(spot.theme), plain(spot.id), hand, board, plain(spot.accepted))
    out.print(table)


def show(folder: Path | None, name: str, out: Console, *, as_json: bool) -> None:
    """Print one spot whole; a `Failure` for a name that no spot has."""
    found = next((spot for spot in suite_of(folder) if spot.id == name), None)
    if found is None:
        raise Failure(f"no spot is called {name}: `poker-agent spots list` names them", exit_code=ExitCode.UNUSABLE)
    told = {"spot": found.id, "theme": found.theme, "acceptable": found.accepted, "why": found.why}
    if as_json:
        known = {player: statistics.as_dict() for player, statistics in found.known.items()}
        print(json.dumps({**told, "known": known, "values": spot_as_dict(found.spot)}))  # noqa: T201
        return
    spot = found.spot
    positions = position_names(tuple(player.seat for player in spot.players), spot.button_seat, spot.big_blind_seat)
    table = Table(box=None, show_header=False)
    rows: list[tuple[str, Any]] = [(key, plain(value)) for key, value in told.items()]
    rows += [
        ("hand", cards(format_cards(spot.hole_cards or ()))),
        ("board", cards(format_cards(spot.board))),
        ("hero", f"seat {spot.hero_seat}, {positions[spot.hero_seat]}, {spot.hero.stack_chips:,} chips"),
        ("pot", f"{spot.pot_chips:,} chips, {spot.to_call_chips:,} to call"),
    ]
    rows += [(street, _line(found, street, positions)) for street in Street if _line(found, street, positions)]
    rows += [
        (
            player,
            f"known from {statistics.hands:,} hands: VPIP {statistics.shrunk('vpip'):.0%}, "
            f"PFR {statistics.shrunk('pfr'):.0%}, aggression {statistics.shrunk('aggression'):.0%}",
        )
        for player, statistics in found.known.items()
    ]
    for key, value in rows:
        table.add_row(key, value)
    out.print(table)


def _line(spot: SuiteSpot, street: Street, positions: Mapping[int, str]) -> str:
    """The actions of a street in words."""
    return ", ".join(
        f"{positions[past.seat]} {past.verb}" + (f" {past.to_chips:,}" if past.verb in ("raise", "all_in") else "")
        for past in spot.spot.actions
        if past.street is street
    )


def _player(name: str, settings: Settings, draws: int | None, stack: ExitStack) -> tuple[str, Player]:
    """What plays behind a name, in words where the name does not tell it, and the player; `stack` ends what it opens."""
    kind, _, variant = name.partition(":")
    if kind != AGENT:
        return "", _policy(draws or DRAWS) if kind == "policy" else _contender(name, draws or DRAWS)
    agents = Agents(settings)
    stack.callback(agents.close)
    try:
        return agents.behind(variant), _agent(agents, variant, draws or 1)
    except PromptError as error:
        raise Failure(f"{name} cannot play: {error}", exit_code=ExitCode.UNUSABLE) from None


def _policy(draws: int) -> Player:
    """The policy, with its luck spread evenly: every draw stands for an equal share of what it plays."""
    policy = Policy(prices_charts=False)

    def play(spot: SuiteSpot) -> Trial:
        book = _book(spot)
        lucks = [(draw + 0.5) / draws for draw in range(draws)]
        played = [policy.judge(spot.spot, book.of, luck, shown_of=book.shown_of).action for luck in lucks]
        return Trial(Verdict(spot, tuple(played)))

    return play


def _contender(name: str, draws: int) -> Player:
    """A contender that has met nobody, with another seed for each draw."""

    def play(spot: SuiteSpot) -> Trial:
        return Trial(Verdict(spot, tuple(contender(name, seed).decide(spot.spot) for seed in range(draws))))

    return play


def _agent(agents: Agents, prompt: str, draws: int) -> Player:
    """A full agent; what it plays where its model fails is judged like all it plays, and told."""
    thinkings = [agents.thinking(prompt, seed) for seed in range(draws)]

    def play(spot: SuiteSpot) -> Trial:
        known = [replace(thinking, opponents=_book(spot)) for thinking in thinkings]
        decisions = [agents.decide(spot.spot, thinking) for thinking in known]
        played = tuple(taken.action for taken in decisions if taken.action is not None)
        return Trial(Verdict(spot, played), tuple(decisions))

    return play


def _book(spot: SuiteSpot) -> Opponents:
    """The opponents of a spot as somebody knows them who has met them."""
    book = Opponents()
    for name, statistics in spot.known.items():
        book.put(name, Acquaintance(statistics))
    return book


def _tell(reports: Sequence[Report], seconds: float, out: Console, *, as_json: bool) -> None:
    if as_json:
        for report in reports:
            for trial in report.trials:
                print(json.dumps(_told(report.player, trial)))  # noqa: T201
        print(json.dumps({"players": [report.as_dict() for report in reports], "seconds": round(seconds, 2)}))  # noqa: T201
        return
    out.print(_themes(reports))
    for report in reports:
        failures = [trial for trial in report.trials if not trial.passes]
        if failures:
            out.print(_failures(report.player, failures))
        if report.behind:
            out.print(plain(_model_line(report)))
    out.print(f"A spot is passed when at least {PASS_SHARE:.0%} of the draws are acceptable. {seconds:,.1f} s")


def _model_line(report: Report) -> str:
    """How the model of an agent did: what it left to others, its time, tokens and cost."""
    told = report.as_dict()
    if not told["questions"]:
        return f"{report.player}: its model was not asked"
    failures = ", ".join(f"{kind} {times:,}" for kind, times in told["failures"].items()) or "none"
    p95_ms, cost_usd = told["latency_ms_p95"], told["cost_usd"]
    return (
        f"{report.player}: {told['questions']:,} questions, failures: {failures}; {told['unanswered']:,} spots were decided "
        f"by something else after it was asked; {told['latency_ms_p50']:,.0f} ms a spot in the middle"
        + (f", {p95_ms:,.0f} ms at the 95th percentile" if p95_ms is not None else "")
        + f"; {told['prompt_tokens']:,} tokens in, {told['completion_tokens']:,} out; "
        + (f"{cost_usd:.4f} dollars" if cost_usd is not None else "cost not known")
    )


def _told(player: str, trial: Trial) -> dict[str, Any]:
    verdict = trial.verdict
    told = {
        "player": player,
        "spot": verdict.spot.id,
        "theme": verdict.spot.theme,
        "passed": trial.passes,
        "played": verdict.counts,
        "acceptable": verdict.spot.accepted,
        "acceptable_share": verdict.acceptable_share,
        "why": verdict.spot.why,
    }
    if not trial.decisions:
        return told
    return told | {
        "sources": dict(Counter(taken.source for taken in trial.decisions)),
        "unanswered": trial.is_unanswered,
        "latency_ms": round(sum(attempt.latency_ms for attempt in trial.attempts), 1),
        "errors": [attempt.error for attempt in trial.attempts if attempt.error],
        "model_reasons": [taken.model_reason for taken in trial.decisions if taken.model_reason],
    }


def _themes(reports: Sequence[Report]) -> Table:
    """How many spots of each theme everybody passed."""
    table = Table(box=SIMPLE_HEAD)
    table.add_column("theme")
    for report in reports:
        table.add_column(plain(report.player), justify="right")
    themes = [themes_of(report.trials) for report in reports]
    for theme in themes[0]:
        table.add_row(plain(theme), *(f"{found[theme][0]} of {found[theme][1]}" for found in themes))
    table.add_section()
    table.add_row("all", *(f"{report.passed} of {len(report.trials)}" for report in reports))
    return table


def _failures(player: str, failures: Sequence[Trial]) -> Table:
    """What was not passed, what was played there, and what is right and why."""
    table = Table(title=plain(f"{player} fails"), box=SIMPLE_HEAD, title_justify="left")
    for column in ("spot", "played", "acceptable", "why"):
        table.add_column(column, overflow="fold")
    for trial in failures:
        verdict = trial.verdict
        draws = len(verdict.played)
        played = ", ".join(
            f"{action} {times}/{draws}" if draws > 1 else action for action, times in verdict.counts.items()
        )
        if trial.is_unanswered:
            played += "; its model did not decide"
        table.add_row(*map(plain, (verdict.spot.id, played, verdict.spot.accepted, verdict.spot.why)))
    return table
