"""What an earlier run of the program, killed in mid-hand, has left for the next one."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from agent.openpoker import fields
from agent.openpoker.frames import Frame
from agent.openpoker.turns import TurnKey


@dataclass(frozen=True, slots=True)
class Earlier:
    """The earlier run's turns; times are seconds of the contestant's clock.

    `answers` are frames that it sent or was about to send and that nobody confirmed: where such a turn is still open its
    answer is sent again, and not thought about again. `prompted_at` tells since when the server's clock of a turn runs, at
    the earliest. `heard_at` is when it last heard its table: a turn that it did not know has opened later.
    """

    answers: Mapping[TurnKey, dict[str, Any]] = field(default_factory=dict)
    prompted_at: Mapping[TurnKey, float] = field(default_factory=dict)
    heard_at: float | None = None


def left_behind(passed: Iterable[tuple[float, str, Frame]], answers: Iterable[dict[str, Any]] = ()) -> Earlier:
    """What the frames that passed an earlier run's socket tell: when, `in` or `out`, and the frame, in order.

    A turn that a resync restored has opened after what was heard before the resync was asked for.
    """
    prompted_at = dict[TurnKey, float]()
    heard_at, before_resync, is_asking = None, None, False
    for at, direction, frame in passed:
        kind = frame.get("type")
        if before_resync is None:
            before_resync = at
        if direction == "out":
            if kind == "resync_request" and not is_asking:
                before_resync, is_asking = before_resync if heard_at is None else heard_at, True
            continue
        if kind == "resync_response":
            is_asking = False
        key, opened_at = _turn_in(frame), before_resync if kind == "resync_response" else at
        if key is not None:
            prompted_at.setdefault(key, opened_at)
        if fields.text(frame, "table_id") is not None:
            heard_at = at
    return Earlier(
        {(frame["hand_id"], frame["turn_token"]): frame for frame in answers},
        prompted_at,
        before_resync if is_asking else heard_at,
    )


def _turn_in(frame: Frame) -> TurnKey | None:
    """The turn that a prompt opens or a resync restores."""
    if frame.get("type") == "your_turn":
        hand_id, token = fields.text(frame, "hand_id"), fields.text(frame, "turn_token")
    else:
        snapshot = fields.mapping(frame, "snapshot")
        hand_id, token = fields.text(snapshot, "hand_id"), fields.text(fields.mapping(snapshot, "hero"), "turn_token")
    return (hand_id, token) if hand_id and token else None
