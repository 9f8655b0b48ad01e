"""Whether asking once more can help after a question came to nothing, and how to ask then."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from agent.llm.completion import Completion
from agent.llm.errors import ModelError, Rejected, Unavailable
from agent.llm.request_shape import TOKEN_LIMITS, RequestShape

LONGEST_WAIT_S: Final = 2.0
"""A longer wait than this is for a later turn."""


@dataclass(frozen=True, slots=True)
class SecondTry:
    """A way to ask again: in which shape, after which wait, and what the first try came to.

    A refusal costs nothing and each leads to a smaller shape, so there may be several; a reply without words is paid
    for, and a busy provider is to be left in peace: after those one more try is all.
    """

    shape: RequestShape
    after: Literal["refused", "silent", "busy"]
    wait_s: float = 0.0


def second_try(
    shape: RequestShape,
    failure: ModelError,
    said: Completion | None,
    *,
    sent: Mapping[str, object],
    accepted_cap: int | None = None,
) -> SecondTry | None:
    """How to ask again after `failure`, None when it would come to the same.

    `said` is the reply when there was one, with no words in it; `sent` are the parameters that were sent in `shape`.
    `accepted_cap` is the cap that the model last answered under. A model that filled its cap with thinking gets more
    room, one that says nothing in a form is asked in the next one, and a cap that has grown too large is taken back.
    """
    if said is not None:
        other = shape.roomier() if said.was_cut else shape.lower()
        return SecondTry(other, "silent") if other != shape else None
    match failure:
        case Rejected():
            smaller = _allowed_cap(shape, failure, sent, accepted_cap)
            if smaller is not None:
                return SecondTry(shape.capped(smaller), "refused")
            if failure.parameter is not None and failure.parameter in sent:
                return SecondTry(shape.without(failure.parameter), "refused")
        case Unavailable(retry_after_s=float(wait_s)) if wait_s <= LONGEST_WAIT_S:
            return SecondTry(shape, "busy", wait_s)
    return None


def _allowed_cap(
    shape: RequestShape, failure: Rejected, sent: Mapping[str, object], accepted_cap: int | None
) -> int | None:
    """The smaller cap that a refusal leaves, None where it is not about the size of ours.

    One that was taken before under a smaller cap is not about the parameter's name, and one of a prompt that is too
    long may be about the room that the cap takes from it.
    """
    cap = shape.cap
    if cap not in (sent.get(name) for name in TOKEN_LIMITS):
        return None
    if failure.most_tokens is not None:
        return failure.most_tokens if failure.most_tokens < cap else None
    is_about_size = failure.parameter in (*TOKEN_LIMITS, "messages")
    return accepted_cap if is_about_size and accepted_cap is not None and accepted_cap < cap else None
