"""What can go wrong when a model is asked.

ModelError
├── Unavailable     try later: deadlines, dropped connections, 5xx, rate limits   (.retry_after_s, .status, .is_late)
│   └── Paused      the breaker did not ask at all: too many failures in a row
├── Rejected        never as it stands: the request itself was refused            (.parameter, .most_tokens)
├── SwitchedOff     not until a person acts: key, credit, model name, address
├── OverBudget      not asked: the answer might have cost more than a cap allows
└── NoAnswer        200 without a usable answer: empty, refused, unreadable       (.finish_reason, .is_refusal)

Every message names provider and model, how long it took and what to do. None holds a key, and none carries the
exception of a library, whose request headers would hold one.
"""

from typing import Final

NO_TIME: Final = "budget_s"
"""The `parameter` of a question that was not put, because no time was left for it."""


class ModelError(Exception):
    """A model was asked and gave no answer; the subclass says whether asking again can help.

    `held_usd` is what counts against the caps, because the question may have cost something; None where it did not.
    """

    held_usd: float | None = None


class Unavailable(ModelError):
    """The far side gave no answer now but may later; `retry_after_s` is the wait it asked for, when it named one.

    `status` is the HTTP status it refused with, None when no response came. `is_late` tells an answer that did not come
    within the budget.
    """

    def __init__(
        self, message: str, *, retry_after_s: float | None = None, status: int | None = None, is_late: bool = False
    ) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s
        self.status = status
        self.is_late = is_late


class Paused(Unavailable):
    """The model was not asked, because it failed too often; `retry_after_s` is what is left of the pause."""


class Rejected(ModelError):
    """The request was refused and will be again as it stands; `parameter` is the part at fault, when it was named.

    `most_tokens` is the largest cap on the reply that would be taken, where a larger one was what was refused.
    """

    def __init__(self, message: str, *, parameter: str | None = None, most_tokens: int | None = None) -> None:
        super().__init__(message)
        self.parameter = parameter
        self.most_tokens = most_tokens


class SwitchedOff(ModelError):
    """Asking cannot help until a person has changed the key, the credit, the model name or the address."""


class NoAnswer(ModelError):
    """The model replied without a usable answer; `finish_reason` is the provider's word for how the reply ended.

    `is_refusal` tells a model or a filter that will not answer this: the same question comes to nothing again.
    """

    def __init__(self, message: str, *, finish_reason: str | None = None, is_refusal: bool = False) -> None:
        super().__init__(message)
        self.finish_reason = finish_reason
        self.is_refusal = is_refusal


class OverBudget(ModelError):
    """The model was not asked, because its answer might have cost more than a cap leaves."""
