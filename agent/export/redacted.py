"""A hand and its decisions without the names of people and the venue's ids.

Players are called as prompts call them: `P1` is the next one clockwise from us, and we are `you`. So the same person has
another name in another seat, and what a prompt says of P1 is about the P1 of the export.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from agent.journal.reader import DecisionStory
from agent.journal.records import AttemptRecord, DecisionRecord, HandRecord, RunRecord
from agent.journal.stories import HandStory
from agent.poker.positions import order_from_button

OURSELVES: Final = "you"
SOMEBODY: Final = "somebody"
HIDDEN: Final = "[hidden]"

_NAMES: Final = frozenset({"name"})
_IDS: Final = frozenset({"table_id", "hand_id"})
_TOKENS: Final = frozenset({"turn_token", "client_action_id"})
_HASH_CHARS: Final = 12


def redacted_decision(story: DecisionStory) -> DecisionStory:
    """The decision, and all that belongs to it, without names and ids."""
    decision, hand = story.decision, story.hand
    names = {int(seat): name for seat, name in decision.names.items()} or _names(hand)
    redaction = _redaction(story.run, names, decision.hero_seat)
    sends = (
        replace(send, frame=redaction.frame(send.frame), error=redaction.perhaps(send.error)) for send in story.sends
    )
    return DecisionStory(
        run=redaction.run(story.run),
        decision=redaction.decision(decision),
        sends=tuple(sends),
        outcomes=story.outcomes,
        hand=None if hand is None else redaction.hand(hand),
    )


def redacted_hand(story: HandStory) -> HandStory:
    """The hand with our decisions in it without names and ids."""
    redaction = _redaction(story.run, _names(story.hand), story.hand.hero_seat)
    decisions = tuple(map(redaction.decision, story.decisions))
    return HandStory(redaction.run(story.run), redaction.hand(story.hand), decisions)


def hashed(identifier: str) -> str:
    """The same short text for the same id, from which nobody reads the id; empty for an empty one."""
    return (
        hashlib.sha256(identifier.encode("utf-8", "backslashreplace")).hexdigest()[:_HASH_CHARS] if identifier else ""
    )


def _names(hand: HandRecord | None) -> dict[int, str]:
    return {player.seat: player.name for player in hand.players} if hand is not None else {}


def _redaction(run: RunRecord, names: Mapping[int, str], hero_seat: int | None) -> "_Redaction":
    anchor = hero_seat if hero_seat is not None else min(names, default=0)
    clockwise = [seat for seat in order_from_button(tuple(names), anchor) if seat != hero_seat]
    aliases = {names[seat]: f"P{place}" for place, seat in enumerate(clockwise, start=1)}
    own = {run.bot, *(name for seat, name in names.items() if seat == hero_seat)}
    return _Redaction({**aliases, **dict.fromkeys(own, OURSELVES)})


@dataclass(frozen=True, slots=True)
class _Redaction:
    """What stands in the place of each name."""

    aliases: Mapping[str, str]

    def name(self, name: str) -> str:
        return self.aliases.get(name, SOMEBODY)

    def text(self, text: str) -> str:
        """Words without the names in them, where a name is not a part of a longer word."""
        # The longer name first, so that one which holds another goes whole.
        names = sorted(filter(None, self.aliases), key=len, reverse=True)
        named = rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)"
        return re.sub(named, lambda found: self.aliases[found[0]], text) if names else text

    def perhaps(self, text: str | None) -> str | None:
        return None if text is None else self.text(text)

    def run(self, run: RunRecord) -> RunRecord:
        return replace(run, bot=OURSELVES, ws_url=HIDDEN)

    def decision(self, decision: DecisionRecord) -> DecisionRecord:
        return replace(
            decision,
            table_id=hashed(decision.table_id),
            hand_id=hashed(decision.hand_id),
            names={seat: self.name(name) for seat, name in decision.names.items()},
            reason=self.text(decision.reason),
            model_reason=self.perhaps(decision.model_reason),
            attempts=tuple(map(self.attempt, decision.attempts)),
        )

    def attempt(self, attempt: AttemptRecord) -> AttemptRecord:
        messages = tuple((role, self.text(content)) for role, content in attempt.messages)
        reply, error = self.perhaps(attempt.reply_text), self.perhaps(attempt.error)
        return replace(attempt, messages=messages, reply_text=reply, error=error)

    def hand(self, hand: HandRecord) -> HandRecord:
        players = tuple(replace(player, name=self.name(player.name)) for player in hand.players)
        hand_id, table_id = hashed(hand.hand_id), hashed(hand.table_id)
        return replace(hand, hand_id=hand_id, table_id=table_id, players=players, result=self.frame(hand.result))

    def frame(self, value: Any, key: str = "") -> Any:
        """A frame of the venue, or a part of it; what a text is shows in its key."""
        if isinstance(value, Mapping):
            return {name: self.frame(inner, str(name)) for name, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self.frame(inner, key) for inner in value]
        if not isinstance(value, str):
            return value
        if key in _NAMES:
            return self.name(value)
        if key in _IDS:
            return hashed(value)
        return HIDDEN if key in _TOKENS else self.text(value)
