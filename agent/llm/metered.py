"""A model that is asked only while there is money for it: caps a hand, a day and a run, kept beforehand.

Before a question the most that it can cost is set aside; afterwards what it did cost takes that place. So two questions
under way at once cannot pass a cap together, and a reply whose usage nobody knows counts as dear as it could have been.
"""

import dataclasses
import datetime as dt
import json
import logging
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from agent.llm.build import ModelSettingsError
from agent.llm.chat import ChatModel, ChatReply, ChatRequest
from agent.llm.errors import ModelError, OverBudget, Paused, Rejected, SwitchedOff, Unavailable
from agent.llm.presets import DEFAULT_MAX_TOKENS
from agent.llm.prices import Price, cost_usd, most_usd
from agent.llm.request_shape import Lesson, RequestShape

log = logging.getLogger(__name__)

# English has four characters to a token; cards, numbers and symbols have fewer, and here too much is better.
_BYTES_PER_TOKEN: Final = 2
# What surrounds each message.
_TOKENS_PER_MESSAGE: Final = 8
# Hands follow one another; a late reply belongs to one of the latest.
_HANDS_KEPT: Final = 64
# The gateway gave up on a model that may have been at work.
_TIMED_OUT: Final = frozenset({408, 504, 524})
# Sums of many small amounts are not exact.
_ROUNDING_USD: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Caps:
    """The most that may be spent on one hand, one day (UTC) and one run of the program; None is no cap."""

    hand_usd: float | None = None
    day_usd: float | None = None
    run_usd: float | None = None

    def __post_init__(self) -> None:
        if not all(usd is None or 0 <= usd < math.inf for usd in (self.hand_usd, self.day_usd, self.run_usd)):
            raise ValueError("a cap is a number of dollars, 0 or more")

    @property
    def is_any(self) -> bool:
        """Whether there is a cap at all."""
        return self != Caps()


@dataclass(frozen=True, slots=True)
class Reservation:
    """Money set aside for one question; give it back once, with `Till.settle` or `Till.release`."""

    hand_id: str
    day: dt.date
    usd: float


def _utc_now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


class Till:
    """What was spent and set aside on each hand, on this day and in this run, and whether a question still fits.

    Several models may share one. `spent_today_usd` is what earlier runs spent today. A question counts to the day on
    which it was asked, and one without a hand to no hand.
    """

    def __init__(
        self, caps: Caps, *, clock: Callable[[], dt.datetime] = _utc_now, spent_today_usd: float = 0.0
    ) -> None:
        self.caps = caps
        self._clock = clock
        self._day = self._today()
        self._day_usd = spent_today_usd
        self._run_usd = 0.0
        self._hands_usd: dict[str, float] = {}
        self._told: set[str] = set()

    @property
    def run_usd(self) -> float:
        """Spent and set aside in this run."""
        return self._run_usd

    @property
    def day_usd(self) -> float:
        """Spent and set aside on this day, earlier runs included."""
        self._turn_day()
        return self._day_usd

    def reserve(self, hand_id: str, most: float) -> Reservation:
        """Set aside the `most` dollars that a question may cost; raises `OverBudget` when a cap has no room for it."""
        self._turn_day()
        hand_usd = self._hands_usd.get(hand_id, 0.0)
        for name, cap, counted, again in (
            ("run", self.caps.run_usd, self._run_usd, "when the program is started again"),
            ("day", self.caps.day_usd, self._day_usd, "at 00:00 UTC"),
            ("hand", self.caps.hand_usd if hand_id else None, hand_usd, "in the next hand"),
        ):
            # What costs nothing fits always, also when a dearer model has used up the day.
            if cap is not None and most > 0 and counted + most > cap + _ROUNDING_USD:
                raise self._refusal(name, cap, counted, most, again)
        if hand_id:
            self._hands_usd.setdefault(hand_id, 0.0)
            if len(self._hands_usd) > _HANDS_KEPT:
                del self._hands_usd[next(iter(self._hands_usd))]
        reservation = Reservation(hand_id, self._day, most)
        self._add(reservation, most)
        return reservation

    def settle(self, reservation: Reservation, cost: float | None) -> None:
        """Put what a question did cost in the place of what was set aside; None, not known, leaves that counted."""
        if cost is not None:
            self._add(reservation, cost - reservation.usd)

    def release(self, reservation: Reservation) -> None:
        """Give back what was set aside for a question that cost nothing."""
        self._add(reservation, -reservation.usd)

    def _add(self, reservation: Reservation, usd: float) -> None:
        self._turn_day()
        self._run_usd += usd
        if reservation.day == self._day:
            self._day_usd += usd
        if reservation.hand_id in self._hands_usd:
            self._hands_usd[reservation.hand_id] += usd

    def _refusal(self, name: str, cap: float, counted: float, most: float, again: str) -> OverBudget:
        variable = f"LLM_CAP_{name.upper()}_USD"
        if most > cap:
            again = f"when {variable} is raised or LLM_MAX_TOKENS lowered, since one question alone may cost more"
        message = (
            f"{counted:.4f} dollars are spent or set aside for this {name}, the question may cost {most:.4f}, and "
            f"{variable} is {cap:g}; the model plays again {again}"
        )
        if name not in self._told:
            self._told.add(name)
            log.error("over budget: %s; until then the rule plays", message)
        return OverBudget(message)

    def _turn_day(self) -> None:
        today = self._today()
        # A clock that is set back over midnight does not open the day before again.
        if today > self._day:
            self._day = today
            self._day_usd = 0.0
            self._told -= {"day", "hand"}

    def _today(self) -> dt.date:
        return self._clock().astimezone(dt.UTC).date()


class Metered:
    """A `ChatModel` that asks `model` only while the till has room, and writes into each reply what it cost.

    Errors for which nobody bills give the money back. After a timeout, a lost connection, a cancelled question or a
    reply without usage it stays counted, since the provider may have done the work. Around a `Breaker`, not inside
    one: being over budget is no failure of the model. `cap` says how many tokens the next reply may have, which changes
    with what is learned about the model. What is set aside covers the second try of a model that filled its cap with
    thinking.
    """

    def __init__(
        self, model: ChatModel, price: Price | None, till: Till, *, cap: Callable[[], int] = lambda: DEFAULT_MAX_TOKENS
    ) -> None:
        if price is None and till.caps.is_any:
            raise ModelSettingsError(
                f"the price of {model.name} is not known, so the caps LLM_CAP_..._USD cannot be kept: put it into a "
                "file and name that in LLM_PRICES, or unset the caps"
            )
        self.spent_usd = 0.0
        """What the replies with a known cost did cost, in dollars."""
        self.unknown_calls = 0
        """How many questions may have cost something that nobody knows."""
        self._model = model
        self._price = price
        self._till = till
        self._cap = cap
        self._provider = model.name.partition("/")[0]

    @property
    def name(self) -> str:
        """Provider and model of the model behind it."""
        return self._model.name

    async def ask(self, request: ChatRequest, *, budget_s: float) -> ChatReply:
        """The model's reply with its `cost_usd`; raises `OverBudget` at once when it might pass a cap."""
        reservation = self._reserve(request)
        try:
            reply = await self._model.ask(request, budget_s=budget_s)
        except ModelError as failure:
            if _costs_nothing(failure):
                self._till.release(reservation)
            else:
                self.unknown_calls += 1
                failure.held_usd = reservation.usd
            raise
        except BaseException:  # Cancelled, or a fault of ours: the question may be on its way all the same.
            self.unknown_calls += 1
            raise
        return self._settle(reservation, reply)

    async def aclose(self) -> None:
        """Close the model's connections."""
        await self._model.aclose()

    def most_usd(self, request: ChatRequest) -> float | None:
        """The most that a question may cost in dollars; None where the price is not known."""
        if self._price is None:
            return None
        # A reply without words is paid for, and asked for once more with as much room as there is.
        first = self._cap()
        second = RequestShape(Lesson("plain", "max_tokens"), first).roomier().cap
        return most_usd(self._price, prompt_tokens=2 * _most_prompt_tokens(request), completion_tokens=first + second)

    def _reserve(self, request: ChatRequest) -> Reservation:
        try:
            return self._till.reserve(request.hand_id, self.most_usd(request) or 0.0)
        except OverBudget as refusal:
            raise OverBudget(f"{self.name} is not asked: {refusal}") from None

    def _settle(self, reservation: Reservation, reply: ChatReply) -> ChatReply:
        cost = None
        if self._price is not None:
            cost = cost_usd(
                self._price,
                prompt_tokens=reply.prompt_tokens,
                cached_tokens=reply.cached_tokens,
                completion_tokens=reply.completion_tokens,
                reasoning_tokens=reply.reasoning_tokens,
                provider=self._provider,
                total_tokens=reply.total_tokens,
            )
        self._till.settle(reservation, cost)
        if cost is None:
            self.unknown_calls += 1
        else:
            self.spent_usd += cost
        return dataclasses.replace(reply, cost_usd=cost, held_usd=reservation.usd if cost is None else None)


def _costs_nothing(failure: ModelError) -> bool:
    """Whether a provider bills nothing for a question that failed so: it refused before the model began."""
    if isinstance(failure, Rejected | SwitchedOff | OverBudget | Paused):
        return True
    # A provider that answered with a rate limit or an overload has not let the model begin.
    return isinstance(failure, Unavailable) and failure.status is not None and failure.status not in _TIMED_OUT


def _most_prompt_tokens(request: ChatRequest) -> int:
    """More tokens than the prompt has, with the schema, which some providers count."""
    texts = [message.content for message in request.messages] + [json.dumps(request.schema)]
    return sum(len(text.encode()) // _BYTES_PER_TOKEN + _TOKENS_PER_MESSAGE for text in texts)
