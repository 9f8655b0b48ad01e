"""The lamp: what a careful player would think on the person's turn, from nothing but what the person sees."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from agent.arena.game.dealer import Hand
from agent.arena.game.records import counted_hand, public_hand
from agent.arena.game.seeded import Seeded
from agent.poker.equity import Effort, estimate_equity
from agent.poker.odds import contestable_pot, required_equity
from agent.poker.range_words import RangeWords, range_words
from agent.poker.report import EquityReport
from agent.poker.spot import Action, Spot
from agent.strategy.opponents import Opponents
from agent.strategy.policy.options import Option
from agent.strategy.policy.policy import Policy
from agent.strategy.reading import learn

TRIALS: Final = 20_000


@dataclass(frozen=True, slots=True)
class Advice:
    """What the lamp shows.

    `equity` is the person's against the estimated `ranges` (by name). `required` is what a call must win, 0 when checking is
    free. `options` are all that were priced, with their EV in chips against folding, best first, those that are not advised last; `action` is recommended, `reason` says why.
    """

    equity: EquityReport
    required: float
    action: Action
    reason: str
    options: tuple[Option, ...]
    ranges: Mapping[str, RangeWords]


class Lamp:
    """Keeps the book of a session's opponents, and judges the person's turns with the betting policy."""

    def __init__(self, seed: int) -> None:
        self._seeded: Final = Seeded(seed, "lamp")
        self._policy: Final = Policy()
        self._book: Final = Opponents()

    def shine(self, spot: Spot) -> Advice:
        """The advice for a turn; the same turn after the same session gets the same."""
        if spot.hole_cards is None:
            raise ValueError("the lamp needs the person's cards")
        luck = self._seeded.generator(spot.hand_id, len(spot.actions)).random()
        judged = self._policy.judge(spot, self._book.of, luck, shown_of=self._book.shown_of)
        ranges = [judged.ranges[player.seat] for player in spot.opponents]
        equity = estimate_equity(spot.hole_cards, spot.board, ranges, Effort(trials=TRIALS))
        known = (*spot.hole_cards, *spot.board)
        return Advice(
            equity=equity,
            required=required_equity(spot.to_call_chips, contestable_pot(spot)),
            action=judged.action,
            reason=judged.reason,
            options=tuple(sorted(judged.options, key=lambda option: (option.braked, -option.ev_chips))),
            ranges={p.name: range_words(judged.ranges[p.seat], known) for p in spot.opponents},
        )

    def saw(self, hand: Hand) -> None:
        """Count a hand that is over: what everybody did, and the cards that were shown."""
        learn(self._book, self._policy.reading, counted_hand(hand), public_hand(hand).shown_cards)
