"""`poker-agent logs`: what it lists, tells and counts, from the journal that the settings name."""

import json
from typing import Any

from rich.console import Console

from agent.journal.filters import Filter
from agent.journal.reader import Reader
from agent.settings import Settings
from agent.terminal import decision as decision_view
from agent.terminal import hand as hand_view
from agent.terminal import logs as list_views
from agent.terminal import opponents as met_views
from agent.terminal import stats as stats_view


def latest(settings: Settings, out: Console, where: Filter, limit: int) -> None:
    """Print the latest hands and decisions."""
    with Reader(settings.journal_path) as reader:
        found = reader.hands(limit, where)
        list_views.render_hands(out, found, reader.hand_numbers(found), filtered=where != Filter())
        out.print()
        list_views.render_decisions(out, reader.decisions(limit, where), filtered=where != Filter())


def hands(settings: Settings, out: Console, where: Filter, limit: int, before: str | None, *, as_json: bool) -> None:
    """Print a page of hands."""
    with Reader(settings.journal_path) as reader:
        found = reader.hands(limit, where, before)
        numbers = reader.hand_numbers(found)
    if as_json:
        _print_json(list_views.hands_json(found, numbers))
    else:
        list_views.render_hands(out, found, numbers, filtered=where != Filter() or before is not None)


def decisions(
    settings: Settings, out: Console, where: Filter, limit: int, before: str | None, *, as_json: bool
) -> None:
    """Print a page of decisions."""
    with Reader(settings.journal_path) as reader:
        found = reader.decisions(limit, where, before)
    if as_json:
        _print_json(list_views.decisions_json(found))
    else:
        list_views.render_decisions(out, found, filtered=where != Filter() or before is not None)


def show(settings: Settings, out: Console, fragment: str, *, as_json: bool) -> None:
    """Print one decision whole."""
    with Reader(settings.journal_path) as reader:
        story = reader.decision(fragment)
    if as_json:
        _print_json(decision_view.decision_json(story))
    else:
        decision_view.render_decision(out, story)


def hand(settings: Settings, out: Console, fragment: str, *, as_json: bool) -> None:
    """Print one hand street by street."""
    with Reader(settings.journal_path) as reader:
        story = reader.hand(fragment)
    if as_json:
        _print_json(hand_view.hand_json(story))
    else:
        hand_view.render_hand(out, story)


def stats(settings: Settings, out: Console, where: Filter, opponents_shown: int, *, as_json: bool) -> None:
    """Print the figures of all that the filters let through."""
    with Reader(settings.journal_path) as reader:
        found = reader.statistics(where)
    if as_json:
        _print_json(stats_view.statistics_json(found))
    else:
        stats_view.render_statistics(out, found, opponents=opponents_shown)


def opponents(settings: Settings, out: Console, limit: int, name: str | None, *, as_json: bool) -> None:
    """Print whom we have met."""
    with Reader(settings.journal_path) as reader:
        players = met_views.met(reader.opponents(limit, name=name))
    if as_json:
        _print_json(met_views.opponents_json(players))
    else:
        met_views.render_opponents(out, players, filtered=name is not None)


def recording(settings: Settings, run: str | None) -> None:
    """Print the frames of a run, one JSON object a line."""
    with Reader(settings.journal_path) as reader:
        for line in reader.recording(run):
            _print_json(line)


def _print_json(told: Any) -> None:
    print(json.dumps(told))  # noqa: T201
