"""What a model said that it holds beside what is true, word by word as the program judged it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from agent.console.cells import Tone
from agent.decision.grounding import Verdict, ground
from agent.decision.reply import Reply, read_reply
from agent.journal.records import AttemptRecord, DecisionRecord
from agent.poker.cards import CardError, parse_cards

MARKS: Final[Mapping[Verdict, tuple[str, Tone]]] = {
    "grounded": ("✓ right", "good"),
    "misread": ("✗ wrong", "bad"),
    "not shown": ("– says nothing of it", "dim"),
}
"""What is shown for a verdict, and how it looks."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One thing that the reply names: what it said, what is true, and the verdict."""

    what: str
    said: str
    true: str
    verdict: Verdict


def grounding_marks(decision: DecisionRecord, attempt: AttemptRecord) -> tuple[Mark, ...]:
    """The marks of a reply; none where nothing came, or where it is not known what we held."""
    try:
        hole, board = parse_cards(decision.hole_cards), parse_cards(decision.board)
    except CardError:
        return ()
    if attempt.reply_text is None or len(hole) != 2:
        return ()
    held = str(decision.facts.get("hand_class") or "")
    said = read_reply(attempt.reply_text, tuple(str(entry.get("id")) for entry in decision.menu))
    of_hand = ground(Reply(None, hand=said.hand), (hole[0], hole[1]), board, held)
    of_cards = ground(Reply(None, cards=said.cards), (hole[0], hole[1]), board, held)
    return (
        Mark("hand", said.hand, held or str(decision.facts.get("holding") or ""), of_hand.verdict),
        Mark("cards", said.cards, decision.hole_cards, of_cards.verdict),
    )
