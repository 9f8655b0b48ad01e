"""Tables for the tests: contenders that follow a script, and hands with chosen cards."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from agent.evaluation.contender import FinishedHand
from agent.evaluation.table import Deal, Outcome, Seated, play_hand
from agent.poker.cards import DECK, parse_cards
from agent.poker.spot import Action, Spot, Verb

FOLD, CHECK, CALL, ALL_IN = (Action(verb) for verb in (Verb.FOLD, Verb.CHECK, Verb.CALL, Verb.ALL_IN))


class Scripted:
    """Plays what a function says, and remembers what it saw."""

    def __init__(self, choose: Callable[[Spot], Action]) -> None:
        self.sources: Counter[str] = Counter()
        self.spots: list[Spot] = []
        self.seen: list[FinishedHand] = []
        self._choose = choose

    def decide(self, spot: Spot) -> Action:
        self.spots.append(spot)
        self.sources["script"] += 1
        return self._choose(spot)

    def hand_over(self, hand: FinishedHand) -> None:
        self.seen.append(hand)


def passive(spot: Spot) -> Action:
    """Check or call everything."""
    if spot.legal.check:
        return CHECK
    return CALL if spot.legal.call_chips is not None else ALL_IN


def shoving(spot: Spot) -> Action:
    """All-in whenever that is offered, else call or check."""
    return ALL_IN if spot.legal.all_in else passive(spot)


def folding(spot: Spot) -> Action:
    """Check, else fold."""
    return CHECK if spot.legal.check else FOLD


def deck_of(holes: Mapping[int, str], board: str = "") -> tuple[int, ...]:
    """A deck that gives the seats these cards, and the board as far as it is named."""
    wanted = {2 * seat + place: card for seat, text in holes.items() for place, card in enumerate(parse_cards(text))}
    wanted |= {12 + place: card for place, card in enumerate(parse_cards(board))}
    rest = iter([card for card in DECK if card not in wanted.values()])
    return tuple(wanted[place] if place in wanted else next(rest) for place in range(52))


def play(
    choices: Sequence[Callable[[Spot], Action]],
    holes: Mapping[int, str] | None = None,
    board: str = "",
    *,
    stacks: Sequence[int] | None = None,
    button: int = 0,
) -> Outcome:
    """A hand at 10/20 among players who follow these scripts, in seats 0, 1, ..."""
    chips = stacks or [2_000] * len(choices)
    seats = {
        number: Seated(f"P{number}", Scripted(choose), stack)
        for number, (choose, stack) in enumerate(zip(choices, chips, strict=True))
    }
    return play_hand(Deal("hand", deck_of(holes or {}, board), button, 10, 20), seats)
