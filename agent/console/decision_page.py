"""The page of one decision: the prompt beside the reply beside the facts beside what rule and policy would have done."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from nicegui import ui

from agent.console import addresses, decision_words, showing
from agent.console.cells import Cell, Heading, Row
from agent.console.grounding_marks import MARKS, grounding_marks
from agent.console.journal_access import ConsoleReader, JournalAccess
from agent.console.page import Page
from agent.console.records_table import RecordsTable
from agent.console.review_page import Answered, begin
from agent.journal.plain import as_plain
from agent.journal.reader import DecisionStory
from agent.journal.records import AttemptRecord, DecisionRecord
from agent.terminal.text import SHORT_ID_CHARS, action_text, chips, milliseconds, utc
from agent.terminal.words import big_blinds_of, compact_json, cost_words, menu_marks, number

_MENU_NAMES: Final = {
    "ev_chips": "EV",
    "fold_share": "All fold",
    "pot_percent": "% of pot",
    "street_total_chips": "Street total",
}


@dataclass(frozen=True, slots=True)
class ShownDecision:
    """A decision with the number of its hand, and the decisions right before and after it."""

    story: DecisionStory
    hand_number: int
    previous: str | None
    next: str | None


def page(access: JournalAccess) -> Page:
    """The page of this journal."""

    async def build(decision_id: str) -> None:
        def ask(reader: ConsoleReader) -> ShownDecision:
            story = reader.decision(decision_id)
            hand_number = reader.hand_number(story.run.id, story.decision.hand_id)
            return ShownDecision(story, hand_number, *reader.neighbours(story.decision.id))

        if await begin():
            await Answered(access).show(ask, _draw)

    return Page("/decisions/{decision_id}", "Decision", "psychology", build, in_menu=False)


def menu_rows(decision: DecisionRecord) -> tuple[list[Heading], list[Row]]:
    """The menu as it was offered, with who was for which entry; the chosen one is marked."""
    # What holds of no entry takes no column.
    names = list(dict.fromkeys(name for entry in decision.menu for name in entry if _holds(entry[name])))
    headings = [Heading("")]
    for name in names:
        title = _MENU_NAMES.get(name, name.removesuffix("_chips").replace("_", " ").capitalize())
        headings.append(Heading(title, number=name.endswith(("_chips", "_share", "_percent"))))
    return headings, [_menu_row(decision, entry, names) for entry in decision.menu]


def _menu_row(decision: DecisionRecord, entry: Mapping[str, Any], names: Sequence[str]) -> Row:
    is_chosen = entry.get("id") == decision.choice
    marks = Cell(", ".join(menu_marks(decision, entry)), tone="strong" if is_chosen else "")
    values = (Cell(number(name, entry[name]) if _holds(entry.get(name)) else "-") for name in names)
    return Row((marks, *values), marked=is_chosen)


def _holds(value: object) -> bool:
    """Whether there is something to tell; zero is."""
    return value is not None and value is not False


def _draw(shown: ShownDecision) -> None:
    story = shown.story
    decision = story.decision
    _head(shown)
    with ui.element("div").classes("decision"):
        _choices(story)
        _prompt(decision)
        _reply(decision)
        with showing.section("Facts", "decision-facts"):
            showing.pairs(decision_words.facts_of(decision))
    with showing.section("Menu"):
        headings, rows = menu_rows(decision)
        RecordsTable(headings, rows, "The menu")
    _ranges(story)
    _attempts(decision)
    _sent(story)


def _head(shown: ShownDecision) -> None:
    story, decision = shown.story, shown.story.decision
    chosen = action_text(decision.action, decision.raise_to_chips)
    ui.page_title(f"Decision {decision.id[-SHORT_ID_CHARS:]} - poker-agent")
    with ui.element("div").classes("page-head"):
        showing.heading(f"{decision.street.capitalize()}: {chosen}")
        with ui.element("p").classes("spot"):
            showing.cards(decision.hole_cards)
            showing.text("on")
            showing.cards(decision.board, none="no board yet")
            to_call = f"{decision.to_call_chips:,} to call" if decision.to_call_chips else "nothing to call"
            showing.text(f"pot {chips(decision.pot_chips)}, {to_call}")
        showing.text(f"{utc(decision.at)} · took {milliseconds(decision.elapsed_ms)} · {decision.id}", "p", "dim")
    with ui.element("nav").classes("decision-links").props('aria-label="Around this decision"'):
        if shown.previous is not None:
            showing.link("Decision before", addresses.decision_url(shown.previous)).props("rel=prev")
        hand = f"Hand {shown.hand_number}" if shown.hand_number else "Hand"
        if story.hand is not None:
            showing.link(f"{hand}, replayed", addresses.hand_url(story.hand.hand_id, story.run.id))
        if shown.next is not None:
            showing.link("Decision after", addresses.decision_url(shown.next)).props("rel=next")
        showing.copy_button("Copy as JSON", json.dumps(as_plain(story), ensure_ascii=False, indent=2))


def _choices(story: DecisionStory) -> None:
    with showing.section("Why", "decision-why"):
        showing.pairs(decision_words.choices_of(story.decision))
        showing.pairs(decision_words.equity_words(decision_words.equities_of(story.decision)))
        hand = story.hand
        if hand is not None:
            net = f"net {chips(hand.net_chips, signed=True)} {big_blinds_of(hand)}· pot {chips(hand.pot_chips)}"
            showing.pairs([("The hand brought", net)])


def _prompt(decision: DecisionRecord) -> None:
    messages = decision.attempts[0].messages if decision.attempts else ()
    told = "\n\n".join(f"[{role}]\n{content}" for role, content in messages)
    with showing.section("Prompt", "decision-prompt", copied=told or None):
        if not messages:
            showing.text("No model was asked.", "p", "dim")
            return
        showing.text(f"{decision.prompt_set} ({decision.prompt_hash})", "p", "dim")
        for role, content in messages:
            # The system message is the same for every turn.
            _message(role, content, is_open=role != "system")


def _reply(decision: DecisionRecord) -> None:
    answered = [attempt for attempt in decision.attempts if attempt.reply_text is not None]
    with showing.section("Reply", "decision-reply", copied=answered[-1].reply_text if answered else None):
        if not answered:
            showing.text("No reply came." if decision.attempts else "No model was asked.", "p", "dim")
            return
        attempt = answered[-1]
        if len(decision.attempts) > 1:
            showing.text(f"Of attempt {decision.attempts.index(attempt) + 1}; the others are below.", "p", "dim")
        showing.block(attempt.reply_text or "")
        _grounding(decision, attempt)


def _grounding(decision: DecisionRecord, attempt: AttemptRecord) -> None:
    marks = grounding_marks(decision, attempt)
    if not marks:
        return
    showing.heading(f"Grounding: {attempt.grounding or 'not judged'}", 3)
    rows = [
        Row(
            (
                Cell(mark.what),
                Cell(mark.said or "-"),
                Cell(mark.true or "-", kind="cards" if mark.what == "cards" else "text"),
                Cell(MARKS[mark.verdict][0], tone=MARKS[mark.verdict][1]),
            )
        )
        for mark in marks
    ]
    headings = [Heading(""), Heading("The model said"), Heading("True is"), Heading("")]
    RecordsTable(headings, rows, "What the model said that it holds")


def _ranges(story: DecisionStory) -> None:
    positions = {player.seat: player.position for player in story.hand.players} if story.hand else {}
    ranges = decision_words.ranges_of(story.decision, positions)
    if ranges:
        with showing.section("What the policy read"):
            showing.show_ranges(ranges)


def _attempts(decision: DecisionRecord) -> None:
    with showing.section("Attempts"):
        if not decision.attempts:
            showing.text("No model was asked.", "p", "dim")
        for place, attempt in enumerate(decision.attempts, 1):
            _attempt(place, attempt)


def _attempt(place: int, attempt: AttemptRecord) -> None:
    asked = f"{attempt.asked}, which is " if attempt.asked not in (None, attempt.model) else ""
    with ui.element("article").classes("attempt"):
        showing.heading(f"Attempt {place} ({attempt.kind}): {asked}{attempt.model}", 3)
        showing.text(cost_words(attempt), "p")
        if attempt.error is not None:
            showing.text(f"{attempt.failure or 'error'}: {attempt.error}", "p", "bad")
        told = [
            ("Finish reason", attempt.finish_reason or "none given"),
            ("Grounding", attempt.grounding or "not judged"),
        ]
        showing.pairs(told)
        _message("parameters", json.dumps(attempt.parameters, ensure_ascii=False, indent=2), is_open=False)
        if place > 1:
            for role, content in attempt.messages:
                _message(role, content, is_open=False)
        if attempt.reply_text is not None:
            _message("reply", attempt.reply_text, is_open=False)


def _message(title: str, content: str, *, is_open: bool) -> None:
    with ui.element("details").props("open" if is_open else ""):
        showing.text(title, "summary")
        showing.block(content)


def _sent(story: DecisionStory) -> None:
    with showing.section("Sent"):
        for send in story.sends:
            showing.text(f"{utc(send.at, '%H:%M:%S.%f')[:-3]} sent", "p")
            showing.block(compact_json(send.frame))
            if send.error is not None:
                showing.text(f"did not get out: {send.error}", "p", "bad")
        for outcome in story.outcomes:
            code = f" ({outcome.code})" if outcome.code else ""
            tone = "good" if outcome.status == "accepted" else "bad"
            showing.text(f"{utc(outcome.at, '%H:%M:%S.%f')[:-3]} {outcome.status} by the server{code}", "p", tone)
        if not story.sends:
            showing.text("Nothing was sent.", "p", "dim")
        elif not story.outcomes:
            showing.text("The server has not answered.", "p", "dim")
