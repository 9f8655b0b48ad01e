"""Replaying a recorded session: every state hash checked, the hand followed, our decision at each prompt."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from agent.decision.decide import Decision, Thinking, decide
from agent.openpoker import frames
from agent.openpoker.table import HandSummary, Table, joined
from agent.poker.spot import Spot


@dataclass(frozen=True, slots=True)
class ReplayedPrompt:
    """A prompt of the recording: the spot, what we would do, and the action that was sent then, if any."""

    line: int
    spot: Spot
    decision: Decision
    sent: str | None


@dataclass(slots=True)
class Replay:
    """What a recording holds. `problems` are lines that are no frames and hashes that do not match."""

    frames: int = 0
    hashes_checked: int = 0
    hashes_matched: int = 0
    prompts: list[ReplayedPrompt] = field(default_factory=list)
    hands: list[tuple[Table, HandSummary]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


async def replay(text: str, thinking: Thinking) -> Replay:
    """Follow a recording of one JSON object a line: a frame, or `{"t", "dir", "msg"}` around one."""
    found, table, open_prompts = Replay(), None, dict[tuple[str, str], int]()
    for number, direction, frame in _recorded(text, found):
        found.frames += 1
        if direction == "out":
            _note_answer(found, open_prompts, frame)
            continue
        _check_hash(found, number, frame)
        if frame["type"] == "table_joined":
            table = joined(frame)
        if table is None:
            continue
        before, table = table, table.after(frame)
        prompt = table.prompt
        if frame["type"] == "resync_response":
            table = table.resynced(frame)
            prompt = table.prompt
        if prompt and (prompt.hand_id, prompt.turn_token) not in open_prompts:
            spot = table.spot()
            if spot is not None:
                decision = await decide(spot, thinking, deadline=thinking.clock() + 3_600)
                open_prompts[prompt.hand_id, prompt.turn_token] = len(found.prompts)
                found.prompts.append(ReplayedPrompt(number, spot, decision, None))
        if frame["type"] == "hand_result":
            summary = before.summary(frame)
            if summary is not None:
                found.hands.append((before, summary))
    return found


def _recorded(text: str, found: Replay) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """(line number, direction, frame) of each usable line; the others become problems.

    Lines end at a line feed only: names may hold other characters that count as line ends.
    """
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
            # Through the parser of the wire, so that a recorded frame is held to what a live one is.
            frame = frames.parse(json.dumps(entry["msg"])) if "msg" in entry else frames.parse(line)
        except (ValueError, TypeError, RecursionError) as error:
            found.problems.append(f"line {number}: {error}")
            continue
        yield number, str(entry.get("dir", "in")), frame


def _check_hash(found: Replay, number: int, frame: frames.Frame) -> None:
    snapshot = frame.get("snapshot")
    for body in (frame, snapshot) if isinstance(snapshot, dict) else (frame,):
        matches = frames.hash_matches(body)
        if matches is None:
            continue
        found.hashes_checked += 1
        found.hashes_matched += matches
        if not matches:
            found.problems.append(f"line {number}: the state_hash of {body.get('type')} does not match")


def _note_answer(found: Replay, open_prompts: dict[tuple[str, str], int], frame: frames.Frame) -> None:
    place = open_prompts.get((str(frame.get("hand_id")), str(frame.get("turn_token"))))
    if frame["type"] == "action" and place is not None:
        amount = frame.get("amount")
        known = found.prompts[place]
        sent = f"{frame.get('action')}" + (f" to {amount}" if amount is not None else "")
        found.prompts[place] = ReplayedPrompt(known.line, known.spot, known.decision, sent)
