"""Play in the terminal: a line a hand while it runs, a table when it is over, and a recording told street by street."""

from collections.abc import Mapping
from typing import Any, Final

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from agent.decision.decide import Decision
from agent.openpoker.table import HandSummary
from agent.openpoker.table import Table as VenueTable
from agent.poker.cards import format_cards
from agent.poker.positions import position_names
from agent.poker.spot import Action, Spot, Street
from agent.terminal.text import SOURCE_STYLES, cards, chips, plain

Decisions = tuple[tuple[Spot, Decision], ...]

_LABELS: Final = {
    "hands": "Hands",
    "turns": "Turns",
    "actions_sent": "Actions sent",
    "missed_turns": "Missed turns",
    "rejected": "Rejected actions",
    "double_actions": "Double actions",
    "net_chips": "Net chips",
    "net_bb_per_100": "Net bb/100",
    "model": "Model",
    "llm_calls": "Model calls",
    "seed": "Seed",
    "seconds": "Seconds",
    "journal": "Journal",
}


def hand_line(number: int, summary: HandSummary, decisions: Decisions) -> Text:
    """One finished hand in one line: cards, board, what we did and who decided it, net chips."""
    line = Text(f"#{number:<4}", style="dim")
    line.append_text(_padded(cards(format_cards(sorted(summary.hole_cards or (), reverse=True))), 6))
    line.append(" | ", style="dim")
    line.append_text(_padded(cards(format_cards(summary.board), none="no board"), 15))
    line.append(" | ", style="dim")
    for i, (spot, decision) in enumerate(decisions):
        line.append(", " if i else "")
        line.append(f"{action_words(decision.action, spot)} ")
        line.append(f"({decision.source})", style=SOURCE_STYLES[decision.source])
    if not decisions:
        line.append("no decision needed", style="dim")
    line.append(" | ", style="dim")
    net = summary.net_chips
    style = "green" if (net or 0) > 0 else "red" if (net or 0) < 0 else ""
    line.append(f"{chips(net, signed=True)}", style=style)
    return line


def action_words(action: Action | None, spot: Spot) -> str:
    """An action with its chips: `call 40`, `raise to 120`, `all-in 980`."""
    if action is None:
        return "nothing"
    match action.verb:
        case "call":
            return f"call {spot.to_call_chips:,}"
        case "raise":
            return f"raise to {action.raise_to_chips:,}"
        case "all_in":
            return f"all-in {spot.hero.stack_chips:,}"
        case verb:
            return str(verb)


def render_summary(console: Console, result: Mapping[str, Any]) -> None:
    """Print what a demo came to."""
    table = Table(box=SIMPLE_HEAD, show_header=False)
    table.add_column("what", style="bold")
    table.add_column("value", justify="right", overflow="fold")
    for key, label in _LABELS.items():
        value = result[key]
        text = chips(value, signed=key == "net_chips") if isinstance(value, int) and key != "seed" else f"{value}"
        table.add_row(label, plain(text))
    by_source = result["by_source"]
    table.add_row("Decided by", Text(", ".join(f"{source} {count:,}" for source, count in by_source.items() if count)))
    table.add_row("Chips conserved", "yes" if result["chips_conserved"] else "NO")
    if result["journal_rows_lost"]:
        table.add_row("Journal rows lost", Text(f"{result['journal_rows_lost']:,}", style="bold red"))
    console.print(table)


def whereabouts(result: Mapping[str, Any], command: str) -> Text:
    """Where all that a demo did can be read, with which command; in red how much of it cannot."""
    journal, lost = result["journal"], result["journal_rows_lost"]
    if not lost:
        return plain(f"Every prompt, reply and number is in {journal}. Read it: {command}")
    rows = "1 row of the journal was" if lost == 1 else f"{lost:,} rows of the journal were"
    return plain(
        f"{rows} lost: not everything is in {journal}. Why is said above; look at the disk and at who holds the file. "
        f"Read what is there: {command}",
        "bold red",
    )


def render_soak(console: Console, result: Mapping[str, Any]) -> None:
    """Print what a soak came to, the faults last: how often each struck, or that it never did."""
    table = Table(box=SIMPLE_HEAD, show_header=False)
    table.add_column("what", style="bold")
    table.add_column("value", justify="right", overflow="fold")
    for key, value in result.items():
        if not isinstance(value, dict):
            text = "yes" if value is True else "NO" if value is False else f"{value:,}" if value is not None else "-"
            table.add_row(key.replace("_", " "), text)
    table.add_row("decided by", ", ".join(f"{source} {count:,}" for source, count in result["by_source"].items()))
    for name, count in result["faults"].items():
        table.add_row(Text(f"  {name}", style="dim"), f"{count:,}" if count else "never")
    console.print(table)


def render_prompt(console: Console, spot: Spot, decision: Decision, sent: str | None) -> None:
    """Print one prompt of a recording: the spot, our numbers, our decision and what was sent then."""
    when = spot.street if spot.street is Street.PREFLOP else f"on the {spot.street}"
    header = Text(f"Seat {spot.hero_seat} to act {when}: ", style="bold")
    header.append_text(cards(format_cards(sorted(spot.hole_cards or (), reverse=True)), none="unknown cards"))
    header.append(" on ")
    header.append_text(cards(format_cards(spot.board), none="no board"))
    console.print(header)
    raises = sum(act.verb in ("raise", "all_in") for act in spot.actions if act.street == spot.street)
    behind = f"{raises} raise{'s' if raises != 1 else ''} in front"
    console.print(f"  facing {chips(spot.to_call_chips)} into {chips(spot.pot_chips)}, {behind}")
    if decision.facts:
        facts, report = decision.facts, decision.facts.equity
        console.print(
            f"  equity {report.equity:.3f} ± {1.96 * report.stderr:.3f} against {report.opponents} {report.ranges} "
            f"({report.method}, {report.trials:,} trials), required {facts.required_equity:.3f}"
        )
    ours = Text("  we: ")
    ours.append(action_words(decision.action, spot), style="bold")
    ours.append(f" ({decision.source}: {decision.reason})")
    console.print(ours)
    if sent:
        console.print(Text("  sent then: ").append_text(plain(sent)))


def render_hand(console: Console, table: VenueTable, summary: HandSummary) -> None:
    """Print a finished hand street by street, with names, positions and chips."""
    hand = table.hand
    if hand is None:
        return
    names = {seat.seat: seat.name for seat in table.seats}
    button = summary.button_seat if summary.button_seat is not None else -1
    seats = summary.dealt_seats
    positions = position_names(seats, button, summary.big_blind_seat) if len(seats) > 1 else {}
    console.print(Text(f"Hand {summary.hand_id}", style="bold"))
    for street in Street:
        actions = [act for act in hand.actions if act.street is street]
        if not actions:
            continue
        line = Text(f"  {street.capitalize():8} ")
        dealt = {"flop": 3, "turn": 4, "river": 5}.get(street, 0)
        if dealt:
            line.append_text(cards(format_cards(summary.board[:dealt]))).append("  ")
        for i, act in enumerate(actions):
            line.append("; " if i else "")
            line.append_text(plain(names.get(act.seat, f"seat {act.seat}")))
            line.append(f" ({positions.get(act.seat, '?')}) {act.verb}")
            line.append(f" to {act.to_chips:,}" if act.verb in ("raise", "all_in") and act.to_chips else "")
        console.print(line)
    console.print(f"  Pot {chips(summary.pot_chips)}, net {chips(summary.net_chips, signed=True)}")


def _padded(text: Text, width: int) -> Text:
    text.pad_right(max(0, width - text.cell_len))
    return text
