"""One decision as one page: a file of its own, which asks nothing of the network and runs nothing.

All text is made safe: what works unseen is spelled out, markup is escaped, and each text keeps its direction to itself.
"""

from collections.abc import Iterable, Sequence
from html import escape
from importlib import resources
from typing import Final

from agent.journal.reader import DecisionStory
from agent.journal.records import AttemptRecord
from agent.poker.ranges import CLASSES
from agent.terminal.ranges import SIDE
from agent.terminal.text import action_text, cards, chips, milliseconds, plain, utc
from agent.terminal.words import (
    ReadRange,
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

STYLE: Final = resources.files("agent.export") / "decision.css"

# Nothing is loaded and nothing runs, whatever a model or a stranger has written.
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
_HEAVIEST: Final = 9


def page(story: DecisionStory) -> str:
    """The page of a decision, a whole HTML document."""
    decision = story.decision
    chosen = action_text(decision.action, decision.raise_to_chips)
    title = f"{cards(decision.hole_cards).plain} on the {decision.street}: {chosen}"
    sections = (
        _section("Spot", _pairs(_spot(story))),
        _section("Numbers", _pairs(fact_pairs(decision.facts))),
        _section("Menu", _menu(story)),
        _section("Policy", _policy(story)),
        _section("Model", _attempts(decision.attempts)),
        _section("Sent", _sent(story)),
        _section("Hand", _hand(story)),
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{_escaped(title)}</title>
<style>
{STYLE.read_text("utf-8")}</style>
</head>
<body>
<main>
<h1>{_safe(title)}</h1>
<p class="lead"><strong>{_safe(decision.source)}</strong>: {_safe(decision.reason)}</p>
{_said(decision.model_reason)}
{"".join(sections)}</main>
</body>
</html>
"""


def _escaped(text: str, *, lines: bool = False) -> str:
    return escape(plain(text, lines=lines).plain)


def _safe(text: str) -> str:
    """Text of anybody as a part of a line."""
    return f"<bdi>{_escaped(text)}</bdi>"


def _block(text: str) -> str:
    """Text of anybody with its lines."""
    return f'<pre dir="auto">{_escaped(text, lines=True)}</pre>'


def _section(title: str, content: str) -> str:
    return f"<section>\n<h2>{title}</h2>\n{content}\n</section>\n"


def _pairs(pairs: Iterable[tuple[str, str]]) -> str:
    rows = "".join(f"<dt>{_safe(name)}</dt><dd>{_safe(value)}</dd>\n" for name, value in pairs)
    return f"<dl>\n{rows}</dl>" if rows else "<p>Nothing is known.</p>"


def _said(reason: str | None) -> str:
    return f"<blockquote>{_safe(reason)}</blockquote>" if reason else ""


def _spot(story: DecisionStory) -> Sequence[tuple[str, str]]:
    run, decision, hand = story.run, story.decision, story.hand
    position = hand.position if hand and hand.position else "position unknown"
    return (
        ("decision", decision.id),
        ("time", f"{utc(decision.at)}, took {milliseconds(decision.elapsed_ms)}"),
        ("run", f"{run.id} · {run.bot} · version {run.version} · seed {run.seed}"),
        ("prompt", f"{decision.prompt_set} ({decision.prompt_hash})"),
        ("table", f"{decision.table_id} · seat {decision.hero_seat} ({position})"),
        ("hand", decision.hand_id),
        ("cards", cards(decision.hole_cards).plain),
        ("board", cards(decision.board).plain),
        ("pot", chips(decision.pot_chips)),
        ("to call", chips(decision.to_call_chips)),
        ("choice", f"{action_text(decision.action, decision.raise_to_chips)} ({decision.choice})"),
        ("rule says", rule_words(decision)),
    )


def _menu(story: DecisionStory) -> str:
    decision = story.decision
    names = list(dict.fromkeys(name for entry in decision.menu for name in entry))
    head = "".join(f'<th scope="col">{_safe(name.replace("_", " "))}</th>' for name in names)
    rows = []
    for entry in decision.menu:
        values = "".join(
            f"<td>{_safe('-' if entry.get(name) is None else number(name, entry[name]))}</td>" for name in names
        )
        chosen = ' class="chosen"' if entry.get("id") == decision.choice else ""
        rows.append(f"<tr{chosen}><td>{_safe(' '.join(menu_marks(decision, entry)))}</td>{values}</tr>\n")
    return f'<div class="wide"><table>\n<tr><td></td>{head}</tr>\n{"".join(rows)}</table></div>'


def _policy(story: DecisionStory) -> str:
    advice = story.decision.policy
    if advice is None:
        return "<p>The policy was not asked, or had nothing to say.</p>"
    grids = "".join(map(_grid, read_ranges(story)))
    return f'{_pairs(policy_words(advice))}\n<div class="grids">\n{grids}</div>'


def _grid(read: ReadRange) -> str:
    """The 13 x 13 classes, each as dark as it is likely, with the digit for who sees no shades."""
    rows = []
    for row in range(SIDE):
        cells = []
        for place in range(SIDE * row, SIDE * row + SIDE):
            level = read.levels[place : place + 1]
            weight = int(level) if level.isascii() and level.isdigit() else 0
            shade = f"--weight: {round(100 * weight / _HEAVIEST)}%"
            cells.append(f'<td style="{shade}" title="{CLASSES[place]}: {weight} of 9">{CLASSES[place]}</td>')
        rows.append(f"<tr>{''.join(cells)}</tr>\n")
    caption = f"<strong>{_safe(read.who)}</strong> {_safe(read.text)}"
    return f'<table class="grid">\n<caption>{caption}</caption>\n{"".join(rows)}</table>\n'


def _attempts(attempts: Sequence[AttemptRecord]) -> str:
    if not attempts:
        return "<p>No model was asked.</p>"
    return "\n".join(_attempt(place, attempt) for place, attempt in enumerate(attempts, 1))


def _attempt(place: int, attempt: AttemptRecord) -> str:
    asked = f"{attempt.asked}, which is " if attempt.asked not in (None, attempt.model) else ""
    parts = [f"<h3>{_safe(f'Attempt {place} ({attempt.kind}) · {asked}{attempt.model}')}</h3>"]
    parts.append(f"<p>{_safe(cost_words(attempt))}<br><small>{_safe(compact_json(attempt.parameters))}</small></p>")
    for role, content in attempt.messages:
        parts.append(
            f"<details{' open' if role == 'user' else ''}><summary>{_safe(role)}</summary>{_block(content)}</details>"
        )
    if attempt.reply_text is not None:
        finish = _safe(attempt.finish_reason or "none given")
        parts.append(
            f"<details open><summary>reply (finish reason: {finish})</summary>{_block(attempt.reply_text)}</details>"
        )
    if attempt.grounding is not None:
        parts.append(f"<p>grounding: {_safe(attempt.grounding)}</p>")
    if attempt.error is not None:
        parts.append(f'<p class="error">{_safe(attempt.failure or "error")}: {_safe(attempt.error)}</p>')
    return "\n".join(parts)


def _sent(story: DecisionStory) -> str:
    lines = []
    for send in story.sends:
        error = f"did not get out: {send.error}" if send.error is not None else "sent"
        lines.append(f"{utc(send.at)} {error} {compact_json(send.frame)}")
    for outcome in story.outcomes:
        code = f" ({outcome.code})" if outcome.code else ""
        lines += [f"{utc(outcome.at)} {outcome.status} by the server{code}"]
    items = "".join(f"<li>{_safe(line)}</li>\n" for line in lines)
    return f"<ul>\n{items}</ul>" if items else "<p>Nothing was sent.</p>"


def _hand(story: DecisionStory) -> str:
    hand = story.hand
    if hand is None:
        return "<p>How the hand ended is not in the journal.</p>"
    told = [f"net {chips(hand.net_chips, signed=True)} {big_blinds_of(hand)}· pot {chips(hand.pot_chips)}"]
    told.append(f"board {cards(hand.board).plain}")
    for winner in mappings(hand.result.get("winners")):
        description = winner.get("hand_description") or "no showdown"
        told.append(f"{winner.get('name')} wins {number('amount', winner.get('amount'))} ({description})")
    return "".join(f"<p>{_safe(line)}</p>\n" for line in told)
