"""Everything that looks random, drawn from one seed: the same seed gives the same ids, decks and house players."""

import random
import uuid
from dataclasses import dataclass

from agent.poker.cards import DECK

_NAMESPACE = uuid.UUID("5d1f2b6c-3a0e-4c58-9b7d-6f24c1a8e093")


@dataclass(frozen=True, slots=True)
class Seeded:
    """The ids and generators of one seed. A purpose (words and numbers) always gets the same one.

    A `scope` keeps all of them apart from those of other scopes.
    """

    seed: int
    scope: str = ""

    def id(self, *purpose: str | int) -> str:
        """A UUID for `purpose`."""
        return str(uuid.uuid5(_NAMESPACE, self._label(purpose)))

    def generator(self, *purpose: str | int) -> random.Random:
        """A fresh random generator for `purpose`."""
        return random.Random(self._label(purpose))  # noqa: S311 - cards of play chips, and they must be repeatable

    def deck(self, *purpose: str | int) -> list[int]:
        """A shuffled deck for `purpose`."""
        cards = list(DECK)
        self.generator("deck", *purpose).shuffle(cards)
        return cards

    def _label(self, purpose: tuple[str | int, ...]) -> str:
        return ":".join(map(str, (self.seed, *([self.scope] if self.scope else []), *purpose)))
