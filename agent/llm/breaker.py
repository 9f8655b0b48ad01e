"""A model that is not asked for a while after it has failed several times in a row.

A server that is down costs every turn its whole budget; the breaker saves that time and lets the server recover.
"""

import logging
import math
from collections.abc import Callable

from agent.llm.chat import ChatModel, ChatReply, ChatRequest
from agent.llm.errors import ModelError, Paused, Rejected, SwitchedOff, Unavailable

log = logging.getLogger(__name__)


class Breaker:
    """A `ChatModel` that passes questions on to `model` unless it is paused.

    After `failures` failures in a row it pauses for `pause_s`, then lets one question through: an answer ends the
    pause, another failure doubles it up to `longest_pause_s`. A `Retry-After` pauses at once for that long, a model
    that is switched off for the longest pause. A rejected request is its own fault and counts for nothing.
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
        self.calls = 0
        """How many questions were passed on to the model."""
        self.last_asked_s: float | None = None
        """When the last of them was, by the clock; None before the first."""
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
        self.calls += 1
        self.last_asked_s = self._clock()
        try:
            reply = await self._model.ask(request, budget_s=budget_s)
        except ModelError as failure:
            self._note(failure)
            raise
        finally:
            if is_trial:
                self._trial_runs = False
        if self._is_announced:
            log.info("%s answers again", self.name)
        self._is_announced = self._is_off = False
        self._reset()
        return reply

    async def aclose(self) -> None:
        """Close the model's connections."""
        await self._model.aclose()

    def _reset(self) -> None:
        self._failures = 0
        self._next_pause_s = self._first_pause_s
        self._paused_until_s = -math.inf
        self._why = ""

    def _note(self, failure: ModelError) -> None:
        if isinstance(failure, Rejected):
            return
        self._failures += 1
        now_s = self._clock()
        pause_s = 0.0
        if isinstance(failure, SwitchedOff):
            pause_s = self._longest_pause_s
        elif isinstance(failure, Unavailable):
            pause_s = failure.retry_after_s or 0.0
        # Questions that were under way when the pause began add nothing to it.
        if self._failures >= self._failures_allowed and now_s >= self._paused_until_s:
            pause_s = max(pause_s, self._next_pause_s)
            self._next_pause_s = min(2 * self._next_pause_s, self._longest_pause_s)
        if pause_s > 0:
            self._paused_until_s = max(self._paused_until_s, now_s + min(pause_s, self._longest_pause_s))
            self._why = str(failure)
            self._announce(failure, self._paused_until_s - now_s)

    def _announce(self, failure: ModelError, pause_s: float) -> None:
        """Say once that the model is not asked, and once more when it turns out that a person has to act."""
        if isinstance(failure, SwitchedOff) and not self._is_off:
            self._is_off = self._is_announced = True
            log.error("%s is switched off and only tried every %.0f s: %s", self.name, pause_s, failure)
        elif not self._is_announced:
            self._is_announced = True
            log.warning("%s is not asked for %.0f s: %s", self.name, pause_s, failure)
