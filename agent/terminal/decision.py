"""One decision whole in the terminal: spot, numbers, menu, policy, prompts and replies, what was sent and what came of it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from agent.journal.plain import as_plain
from agent.journal.reader import DecisionStory
from agent.journal.records import AttemptRecord, DecisionRecord, HandRecord
from agent.terminal.ranges import GRID_WIDTH, grid_text, levels_grid
from agent.terminal.tables import plain_table, print_pairs, print_title
from agent.terminal.text import action_text, cards, chips, milliseconds, plain, source_text, utc
from agent.terminal.words import (
    big_blinds_of,
    compact_json,
    cost_words,
    fact_pairs,
    mappings,
    menu_marks,
    number,
    policy_words,
    read_ranges,
    rule_words,
)

_BETWEEN_GRIDS: Final = 3
_GROUNDING_STYLES: Final = {"grounded": "green", "misread": "red"}


def render_decision(console: Console, story: DecisionStory) -> None:
    """Print one decision whole: spot, numbers, menu, prompts and replies, what was sent and what came of it."""
    decision = story.decision
    _print_header(console, story)
    print_title(console, "Numbers")
    print_pairs(console, [(name, plain(value)) for name, value in fact_pairs(decision.facts)])
    print_title(console, "Menu")
    _print_menu(console, decision)
    print_title(console, "Policy")
    _print_policy(console, story)
    print_title(console, "Model")
    _print_attempts(console, decision)
    print_title(console, "Sent")
    _print_sends(console, story)
    print_title(console, "Hand")
    _print_hand(console, story.hand)


def decision_json(story: DecisionStory) -> dict[str, Any]:
    """One decision whole as JSON can hold it."""
    return as_plain(story)


def _print_header(console: Console, story: DecisionStory) -> None:
    run, decision = story.run, story.decision
    position = story.hand.position if story.hand and story.hand.position else "position unknown"
    chosen = f"{action_text(decision.action, decision.raise_to_chips)} ({decision.choice})"
    price = f"pot {chips(decision.pot_chips)} · to call {chips(decision.to_call_chips)}"
    spot = Text(" · ").join(
        (plain(decision.street), cards(decision.hole_cards), Text("board ") + cards(decision.board), Text(price))
    )
    pairs = [
        ("decision", plain(decision.id, "bold")),
        ("time", Text(f"{utc(decision.at)}, took {milliseconds(decision.elapsed_ms)}")),
        ("run", plain(f"{run.id} · {run.bot} · version {run.version} · seed {run.seed}")),
        ("prompt", plain(f"{decision.prompt_set} ({decision.prompt_hash})")),
        ("table", plain(f"{decision.table_id} · seat {decision.hero_seat} ({position})")),
        ("hand", plain(decision.hand_id)),
        ("spot", spot),
        ("choice", plain(chosen, "bold")),
        ("source", Text.assemble(source_text(decision.source), ": ", plain(decision.reason))),
        ("rule says", plain(rule_words(decision))),
    ]
    if decision.model_reason is not None:
        pairs.append(("model says", plain(decision.model_reason)))
    print_pairs(console, pairs)


def _print_menu(console: Console, decision: DecisionRecord) -> None:
    # In the order of first appearance; entries need not have the same keys.
    names = list(dict.fromkeys(name for entry in decision.menu for name in entry))
    table = plain_table()
    for title in ("", *names):
        table.add_column(plain(title.replace("_", " ")))
    for entry in decision.menu:
        chosen, mark = entry.get("id") == decision.choice, " ".join(menu_marks(decision, entry))
        values = (plain("-" if entry.get(name) is None else number(name, entry[name])) for name in names)
        table.add_row(Text(mark), *values, style="bold" if chosen else "")
    console.print(table)


def _print_policy(console: Console, story: DecisionStory) -> None:
    advice = story.decision.policy
    if advice is None:
        console.print(Text("The policy was not asked, or had nothing to say."))
        return
    print_pairs(console, [(name, plain(value)) for name, value in policy_words(advice)])
    ranges = read_ranges(story)
    for read in ranges:
        console.print(plain(f"{read.who}: {read.text}"))
    grids = [(read.who, grid_text(weights)) for read in ranges if (weights := levels_grid(read.levels)) is not None]
    beside = max(1, (console.width + _BETWEEN_GRIDS) // (GRID_WIDTH + _BETWEEN_GRIDS))
    for first in range(0, len(grids), beside):
        shown = grids[first : first + beside]
        row = Table.grid(padding=(1, _BETWEEN_GRIDS, 0, 0))
        row.add_row(*(Text("\n").join((plain(who, "bold"), drawn)) for who, drawn in shown))
        console.print(row)


def _print_attempts(console: Console, decision: DecisionRecord) -> None:
    if not decision.attempts:
        console.print(Text("No model was asked."))
    before: tuple[tuple[str, str], ...] = ()
    for place, attempt in enumerate(decision.attempts, 1):
        _print_attempt(console, place, attempt, already_shown=_common_start(before, attempt.messages))
        before = attempt.messages


def _print_attempt(console: Console, place: int, attempt: AttemptRecord, *, already_shown: int) -> None:
    asked = f"{attempt.asked}, which is " if attempt.asked not in (None, attempt.model) else ""
    console.print(plain(f"Attempt {place} ({attempt.kind}) · {asked}{attempt.model} · {cost_words(attempt)}"))
    console.print(plain(f"parameters {compact_json(attempt.parameters)}", "dim"))
    if already_shown:
        console.print(Text(f"messages 1 to {already_shown} as in the attempt before", style="dim"))
    for position, (role, content) in enumerate(attempt.messages[already_shown:], already_shown + 1):
        console.print(_panel(f"message {position}: {role}", content))
    if attempt.reply_text is not None:
        console.print(_panel(f"reply (finish reason: {attempt.finish_reason or 'none given'})", attempt.reply_text))
    if attempt.grounding is not None:
        console.print(plain(f"grounding: {attempt.grounding}", _GROUNDING_STYLES.get(attempt.grounding, "")))
    if attempt.error is not None:
        console.print(plain(f"{attempt.failure or 'error'}: {attempt.error}", "red"))


def _print_sends(console: Console, story: DecisionStory) -> None:
    if not story.sends:
        console.print(Text("Nothing was sent."))
    for send in story.sends:
        console.print(plain(f"{_clock(send.at)} sent {compact_json(send.frame)}"))
        if send.error is not None:
            console.print(plain(f"{_clock(send.at)} did not get out: {send.error}", "red"))
    for outcome in story.outcomes:
        code = f" ({outcome.code})" if outcome.code else ""
        style = "green" if outcome.status == "accepted" else "red"
        console.print(plain(f"{_clock(outcome.at)} {outcome.status} by the server{code}", style))
    if story.sends and not story.outcomes:
        console.print(Text("The server has not answered."))


def _print_hand(console: Console, hand: HandRecord | None) -> None:
    if hand is None:
        console.print(Text("How the hand ended is not in the journal."))
        return
    net = f"net {chips(hand.net_chips, signed=True)} {big_blinds_of(hand)}· pot {chips(hand.pot_chips)} · board "
    console.print(Text(net) + cards(hand.board))
    for winner in mappings(hand.result.get("winners")):
        won = f"{winner.get('name')} wins {number('amount', winner.get('amount'))}"
        console.print(plain(f"{won} ({winner.get('hand_description') or 'no showdown'})"))
    if not hand.complete:
        console.print(Text("A part of this hand was not seen.", style="yellow"))


def _panel(title: str, content: str) -> Panel:
    return Panel(plain(content, lines=True), title=plain(title), title_align="left")


def _common_start(left: Sequence[object], right: Sequence[object]) -> int:
    """How many items both begin with."""
    for position, (one, other) in enumerate(zip(left, right, strict=False)):
        if one != other:
            return position
    return min(len(left), len(right))


def _clock(at: datetime) -> str:
    return utc(at, "%H:%M:%S.%f")[:-3]
