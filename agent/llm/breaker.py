"""A model that is not asked for a while after it has failed several times in a row.

A server that is down costs every turn its whole budget; the breaker saves that time and lets the server recover.
"""

import logging
import math
from collections.abc import Callable

from agent.llm.chat import ChatModel, ChatReply, ChatRequest
from agent.llm.errors import NO_TIME, ModelError, Paused, Rejected, SwitchedOff, Unavailable

log = logging.getLogger(__name__)


class Breaker:
    """A `ChatModel` that passes questions on to `model` unless it is paused.

    After `failures` failures in a row it pauses for `pause_s`, then lets one question through: an answer ends the
    pause, another failure doubles it up to `longest_pause_s`. A `Retry-After` pauses at once for that long, a model
    that is switched off for the longest pause. One rejected request is its own fault and counts for nothing, but
    `failures` of them in a row are a fault of what is set, pause the model too and are an error in the log.
    `clock` gives seconds that never go back. The log says once when asking stops and why, and once when the model
    answers again; a switched-off model is an error there, since only a person can mend it.
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        clock: Callable[[], float],
        failures: int = 3,
        pause_s: float = 60.0,
        longest_pause_s: float = 600.0,
    ) -> None:
        self.last_asked_s: float | None = None
        """When a question was last passed on to the model, by the clock; None before the first."""
        self._model = model
        self._clock = clock
        self._failures_allowed = failures
        self._first_pause_s = pause_s
        self._longest_pause_s = longest_pause_s
        self._trial_runs = False
        self._is_announced = self._is_off = False
        self._reset()

    @property
    def name(self) -> str:
        """Provider and model of the model behind it."""
        return self._model.name

    @property
    def beside(self) -> ChatModel:
        """The same model for questions that no turn waits for: they are put during a pause too and take no turn's trial.

        An answer to one of them ends the pause; a failure is none of the breaker's business.
        """
        return _Beside(self)

    async def ask(self, request: ChatRequest, *, budget_s: float) -> ChatReply:
        """The model's reply within `budget_s` seconds; raises `Paused` at once while it is not to be asked."""
        is_trial = self._paused_until_s > -math.inf
        left_s = max(self._paused_until_s - self._clock(), 0.0)
        if left_s > 0 or (is_trial and self._trial_runs):
            message = (
                f"{self.name} is not asked for another {left_s:.0f} s and then tried again; last failure: {self._why}"
            )
            raise Paused(message, retry_after_s=left_s)
        self._trial_runs = is_trial
        try:
            return await self.put(request, budget_s)
        except ModelError as failure:
            self._note(failure)
            raise
        finally:
            if is_trial:
                self._trial_runs = False

    async def put(self, request: ChatRequest, budget_s: float) -> ChatReply:
        """The model's reply, whether it is paused or not; it ends the pause."""
        self.last_asked_s = self._clock()
        reply = await self._model.ask(request, budget_s=budget_s)
        if self._is_announced:
            log.info("%s answers again", self.name, extra={"event": "model on", "model": self.name})
        self._is_announced = self._is_off = False
        self._reset()
        return reply

    async def aclose(self) -> None:
        """Close the model's connections."""
        await self._model.aclose()

    def _reset(self) -> None:
        self._failures = self._rejections = 0
        self._next_pause_s = self._first_pause_s
        self._paused_until_s = -math.inf
        self._why = ""

    def _note(self, failure: ModelError) -> None:
        now_s, pause_s = self._clock(), 0.0
        is_too_often = self._is_too_often(failure)
        if isinstance(failure, SwitchedOff):
            pause_s = self._longest_pause_s
        elif isinstance(failure, Unavailable):
            pause_s = failure.retry_after_s or 0.0
        # Questions that were under way when the pause began add nothing to it.
        if is_too_often and now_s >= self._paused_until_s:
            pause_s = max(pause_s, self._next_pause_s)
            self._next_pause_s = min(2 * self._next_pause_s, self._longest_pause_s)
        if pause_s > 0:
            self._paused_until_s = max(self._paused_until_s, now_s + min(pause_s, self._longest_pause_s))
            self._why = str(failure)
            self._announce(failure, self._paused_until_s - now_s)

    def _is_too_often(self, failure: ModelError) -> bool:
        """Count a failure; whether it is one too many in a row. Rejections are a row of their own."""
        if isinstance(failure, Rejected):
            # No time to ask in is nothing that the model has refused.
            self._rejections += failure.parameter != NO_TIME
            return self._rejections >= self._failures_allowed
        self._rejections = 0
        self._failures += 1
        return self._failures >= self._failures_allowed

    def _announce(self, failure: ModelError, pause_s: float) -> None:
        """Say once that the model is not asked, and once more when it turns out that a person has to act."""
        facts = {"event": "model off", "model": self.name, "pause_s": round(pause_s, 1), "reason": str(failure)}
        if isinstance(failure, SwitchedOff | Rejected) and not self._is_off:
            self._is_off = self._is_announced = True
            what = "is switched off" if isinstance(failure, SwitchedOff) else "has refused every request"
            log.error("%s %s and is only tried every %.0f s: %s", self.name, what, pause_s, failure, extra=facts)
        elif not self._is_announced:
            self._is_announced = True
            log.warning("%s is not asked for %.0f s: %s", self.name, pause_s, failure, extra=facts)


class _Beside:
    """A breaker's model for what no turn waits for."""

    def __init__(self, breaker: Breaker) -> None:
        self._breaker = breaker

    @property
    def name(self) -> str:
        return self._breaker.name

    async def ask(self, request: ChatRequest, *, budget_s: float) -> ChatReply:
        return await self._breaker.put(request, budget_s)

    async def aclose(self) -> None:
        await self._breaker.aclose()
