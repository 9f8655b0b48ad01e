"""In what third parties' bots differ although all of them play on the live venue, and how they choose at random."""

import random
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

Frame = dict[str, Any]

_WEIGHTS: Final = {"fold": 3, "check": 8, "call": 8, "raise": 3, "all_in": 1}


@dataclass(frozen=True, slots=True)
class Habits:
    """What differs between bots that all play on the live venue; the rates are chances at each occasion."""

    chips: type[int] | type[float] = int
    amounts: Literal["absent", "null"] = "absent"
    ids: Literal["counter", "uuid"] = "counter"
    key_in_query: bool = False
    speaks_before_greeting: bool = False
    auto_rebuy: bool = True
    lost_ack_rate: float = 0.0
    cut_rate: float = 0.0
    leave_rate: float = 0.0

    def spelled(self, choice: Frame) -> Frame:
        """The choice with its amount as this bot writes it."""
        if "amount" in choice:
            return {**choice, "amount": self.chips(choice["amount"])}
        return choice if self.amounts == "absent" else {**choice, "amount": None}

    def action_id(self, number: int, rng: random.Random) -> str:
        """An id for its action of that number."""
        return f"c-{number:06}" if self.ids == "counter" else str(uuid.UUID(int=rng.getrandbits(128), version=4))


def random_choice(turn: Mapping[str, Any], rng: random.Random) -> Frame:
    """A legal action, never the fold of a free check; most raises are small."""
    offer = {entry["action"]: entry for entry in turn["valid_actions"]}
    verbs = [verb for verb in offer if verb != "fold" or "check" not in offer]
    verb = rng.choices(verbs, [_WEIGHTS[verb] for verb in verbs])[0]
    if verb != "raise":
        return {"action": verb}
    low, high = offer[verb]["min"], offer[verb]["max"]
    return {"action": verb, "amount": low + int((high - low) * rng.random() ** 4)}
