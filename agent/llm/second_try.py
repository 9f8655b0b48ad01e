"""Whether asking once more can help after a question came to nothing, and how to ask then."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, Literal

from agent.llm.completion import Completion
from agent.llm.errors import ModelError, Rejected, Unavailable
from agent.llm.request_shape import RequestShape

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
    shape: RequestShape, failure: ModelError, said: Completion | None, *, sent: Collection[str]
) -> SecondTry | None:
    """How to ask again after `failure`, None when it would come to the same.

    `said` is the reply when there was one, with no words in it; `sent` are the parameters that were sent in `shape`.
    A model that filled its cap with thinking gets more room, one that says nothing in a form is asked in the next one.
    """
    if said is not None:
        other = shape.roomier() if said.was_cut else shape.lower()
        return SecondTry(other, "silent") if other != shape else None
    match failure:
        case Rejected(parameter=str(parameter)) if parameter in sent:
            return SecondTry(shape.without(parameter), "refused")
        case Unavailable(retry_after_s=float(wait_s)) if wait_s <= LONGEST_WAIT_S:
            return SecondTry(shape, "busy", wait_s)
    return None
