"""What two hole cards are on a board: the made hand, the draws with their outs, and the texture of the board itself.

Everything is counted over the cards that are unseen. How many holdings beat a hand is `agent.poker.small_hands`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
import numpy.typing as npt

from agent.poker.cards import DECK
from agent.poker.evaluator import CATEGORIES
from agent.poker.hands import HandValue, hand_value
from agent.poker.ranges import COMBOS, holding_any
from agent.poker.small_hands import categories, code_of, codes_of, dealt, straight_tops, without_kickers

Cards = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_PAIR, _TWO_PAIR, _TRIPS, _STRAIGHT, _FLUSH, _FULL_HOUSE, _QUADS, _STRAIGHT_FLUSH = range(1, len(CATEGORIES))


class Made(StrEnum):
    """The classes of made hands, weakest first; a pair is told by its place among the ranks of the board."""

    HIGH_CARD = "high card"
    PAIR_ON_BOARD = "pair on the board"
    UNDERPAIR = "underpair"
    BOTTOM_PAIR = "bottom pair"
    MIDDLE_PAIR = "middle pair"
    POCKET_PAIR = "pocket pair below the top card"
    TOP_PAIR = "top pair"
    OVERPAIR = "overpair"
    TWO_PAIR_ON_BOARD = "two pair on the board"
    PAIR_AND_BOARD_PAIR = "pair and the pair on the board"
    TWO_PAIR = "two pair"
    TRIPS_ON_BOARD = "trips on the board"
    TRIPS = "trips"
    SET = "set"
    STRAIGHT = "straight"
    FLUSH = "flush"
    FULL_HOUSE = "full house"
    QUADS = "four of a kind"
    STRAIGHT_FLUSH = "straight flush"


@dataclass(frozen=True, slots=True)
class MadeHand:
    """What hole cards and board make.

    `pair` is the place of hero's own pair, in one pair and in `PAIR_AND_BOARD_PAIR`; else None. `playing` are the
    hole cards that the best five cards need: as few as will do. `kicker` is the rank (0 to 12) of a hole card that
    plays as a kicker, None where none does.
    """

    kind: Made
    value: HandValue
    pair: Made | None
    kicker: int | None
    playing: tuple[int, ...]

    @property
    def board_plays(self) -> bool:
        """Whether the hole cards add nothing to the five cards of the board."""
        return not self.playing

    def __str__(self) -> str:
        """The hand in words, such as `top pair: pair of kings, ace kicker`."""
        if self.board_plays:
            return f"{self.value} (the board plays)"
        if self.kind in {Made.STRAIGHT, Made.FLUSH} and len(self.playing) == 1:
            return f"{self.value} with one hole card"
        if self.kind == CATEGORIES[self.value.category]:
            return str(self.value)
        if self.kind is Made.PAIR_AND_BOARD_PAIR:
            return f"{self.pair} and the pair on the board: {self.value}"
        return f"{self.kind}: {self.value}"


def made_hand(hole: tuple[int, int], board: tuple[int, ...]) -> MadeHand:
    """What the hole cards make on a flop, turn or river.

    >>> from agent.poker.cards import parse_cards
    >>> str(made_hand(parse_cards("AsKd"), parse_cards("7h2cKs")))
    'top pair: pair of kings, ace kicker'
    """
    value = hand_value(dealt(board, hole))
    playing = _playing(hole, board)
    making = {_PAIR: 1, _TWO_PAIR: 2, _TRIPS: 1, _QUADS: 1}.get(value.category, 0)
    kickers = [card >> 2 for card in playing if making and card >> 2 not in value.ranks[:making]]
    on_board = Counter(card >> 2 for card in board)
    own = [rank for rank in value.ranks[:making] if on_board[rank] < 2]
    has_own_pair = value.category in {_PAIR, _TWO_PAIR} and len(own) == 1
    return MadeHand(
        kind=_kind(value, on_board),
        value=value,
        pair=_place(own[0], on_board) if has_own_pair else None,
        kicker=max(kickers, default=None),
        playing=playing,
    )


def _playing(hole: tuple[int, int], board: tuple[int, ...]) -> tuple[int, ...]:
    """The fewest hole cards that make the best hand with the board; of two that would do alone, the higher."""
    best = code_of((*hole, *board))
    for fewer in ((), (max(hole),), (min(hole),)):
        if len(fewer) + len(board) >= 5 and code_of((*fewer, *board)) == best:
            return fewer
    return hole


def _kind(value: HandValue, on_board: Counter[int]) -> Made:
    counts = [on_board[rank] for rank in value.ranks]
    match CATEGORIES[value.category]:
        case "pair":
            return Made.PAIR_ON_BOARD if counts[0] == 2 else _place(value.ranks[0], on_board)
        case "two pair":
            return (Made.TWO_PAIR, Made.PAIR_AND_BOARD_PAIR, Made.TWO_PAIR_ON_BOARD)[counts[:2].count(2)]
        case "three of a kind":
            return (Made.SET, Made.TRIPS, Made.TRIPS_ON_BOARD)[counts[0] - 1]
        case name:
            return Made(name)


def _place(pair: int, on_board: Iterable[int]) -> Made:
    """Where a pair of this rank, made with at least one hole card, stands among the ranks of the board."""
    ranks = set(on_board)
    low, high = min(ranks), max(ranks)
    if pair in ranks:
        return Made.TOP_PAIR if pair == high else Made.BOTTOM_PAIR if pair == low else Made.MIDDLE_PAIR
    return Made.OVERPAIR if pair > high else Made.UNDERPAIR if pair < low else Made.POCKET_PAIR


class DrawKind(StrEnum):
    """What a hand can become that is better than what it is."""

    FLUSH = "flush draw"
    OPEN_ENDED = "open-ended straight draw"
    DOUBLE_GUTSHOT = "double gutshot"
    GUTSHOT = "gutshot"
    FULL_HOUSE = "full house draw"
    TWO_PAIR_OR_TRIPS = "draw to two pair or trips"
    SET = "set draw"
    OVERCARDS = "overcards"
    BACKDOOR_FLUSH = "backdoor flush draw"


STRAIGHT_DRAWS: Final = frozenset({DrawKind.OPEN_ENDED, DrawKind.DOUBLE_GUTSHOT, DrawKind.GUTSHOT})


@dataclass(frozen=True, slots=True)
class Draw:
    """One draw: the cards that make it at once, and how likely it comes with the next card and by the river.

    Chances are in [0, 1]; the river's counts every run-out that makes it, with or without an out, and none on which
    the board alone is as good. `high` is the rank (0 to 12) of hero's best card in a flush draw, `is_nut` whether no
    unseen card of that suit is higher; None and False elsewhere.
    """

    kind: DrawKind
    outs: tuple[int, ...]
    next_card: float
    by_river: float
    cards_to_come: int
    high: int | None = None
    is_nut: bool = False

    def __str__(self) -> str:
        """The draw in words, such as `flush draw (king high), 9 outs: 35 % by the river, 19 % next card`."""
        high = "" if self.high is None else f" ({HandValue(0, (self.high,))})"
        outs = f", {_count_of_outs(self.outs)}" if self.outs else ""
        return f"{'nut ' if self.is_nut else ''}{self.kind}{high}{outs}: {_chances(self)}"


@dataclass(frozen=True, slots=True)
class Draws:
    """All draws of a hand: `outs` are the distinct cards that make at least one of them, the chances likewise."""

    draws: tuple[Draw, ...]
    outs: tuple[int, ...]
    next_card: float
    by_river: float
    cards_to_come: int

    @property
    def kinds(self) -> frozenset[DrawKind]:
        """Which draws these are."""
        return frozenset(draw.kind for draw in self.draws)

    @property
    def is_combo(self) -> bool:
        """Whether it is a flush draw and a straight draw at once."""
        return DrawKind.FLUSH in self.kinds and bool(self.kinds & STRAIGHT_DRAWS)

    def __str__(self) -> str:
        """The draws in words, the sum of them last where there are several."""
        if not self.draws:
            return "no draw"
        total = f"in all {_count_of_outs(self.outs)}: {_chances(self)}"
        return "; ".join([*map(str, self.draws), *([total] if len(self.draws) > 1 else [])])


def _count_of_outs(outs: tuple[int, ...]) -> str:
    return f"{len(outs)} out" + ("" if len(outs) == 1 else "s")


def _chances(of: Draw | Draws) -> str:
    by_river, next_card = (f"{100 * chance:.0f} %" for chance in (of.by_river, of.next_card))
    if of.cards_to_come == 1:
        return f"{next_card} on the river"
    return f"{by_river} by the river" + (f", {next_card} next card" if of.outs else "")


@dataclass(frozen=True, slots=True)
class _Ahead:
    """Cards that may come, a row each, and what they make of hand and board."""

    coming: Cards
    hands: Cards
    boards: Cards

    @classmethod
    def of(cls, hole: tuple[int, int], board: tuple[int, ...], coming: Cards) -> "_Ahead":
        """Hand and board after each row of `coming`."""
        boards = np.hstack([np.tile(np.array(board), (len(coming), 1)), coming])
        return cls(coming, np.hstack([np.tile(np.array(hole), (len(coming), 1)), boards]), boards)

    def makes(self, *wanted: int) -> Flags:
        """Where the hand is of one of these categories, and better than what everybody has on the board."""
        codes = codes_of(self.hands)
        beats_board = without_kickers(codes) > without_kickers(codes_of(self.boards))
        return np.asarray(np.isin(categories(codes), wanted) & beats_board)

    def makes_straight(self) -> Flags:
        """Where ranks make a straight, under a flush or not, that the board does not have."""
        return np.asarray(straight_tops(self.hands) > straight_tops(self.boards))

    def brings(self, ranks: Iterable[int]) -> Flags:
        """Where at least one card has one of these ranks."""
        return np.asarray(np.isin(self.coming >> 2, list(ranks)).any(axis=1))


def draws(hole: tuple[int, int], board: tuple[int, ...]) -> Draws:
    """The draws of a hand on a flop or turn; none on a river.

    >>> from agent.poker.cards import parse_cards
    >>> str(draws(parse_cards("KhQh"), parse_cards("7h2cAh3d")))
    'nut flush draw (king high), 9 outs: 20 % on the river'
    """
    known = dealt(board, hole)
    to_come = 5 - len(board)
    if not to_come:
        return Draws((), (), 0.0, 0.0, to_come)
    unseen = np.array([card for card in DECK if card not in known])
    one = _Ahead.of(hole, board, unseen[:, np.newaxis])
    two = _Ahead.of(hole, board, COMBOS[~holding_any(known)]) if to_come == 2 else one
    found, at_once, in_time = [], np.zeros(len(one.coming), np.bool_), np.zeros(len(two.coming), np.bool_)
    for target, comes in _targets(hole, board):
        next_card, river = comes(one), comes(two)
        outs = tuple(unseen[next_card].tolist())
        kind = _draw_kind(target, outs, known)
        if outs or (kind is DrawKind.BACKDOOR_FLUSH and river.any()):
            high, is_nut = _flush_rank(hole, known) if target is DrawKind.FLUSH else (None, False)
            found.append(Draw(kind, outs, float(next_card.mean()), float(river.mean()), to_come, high, is_nut))
            at_once, in_time = at_once | next_card, in_time | river
    outs = tuple(unseen[at_once].tolist())
    return Draws(tuple(found), outs, float(at_once.mean()), float(in_time.mean()), to_come)


def _targets(hole: tuple[int, int], board: tuple[int, ...]) -> Iterator[tuple[DrawKind, Callable[[_Ahead], Flags]]]:
    """Every hand that would be better than the present one, by its simplest draw, and the test whether it comes."""
    made, ranks = made_hand(hole, board), {card >> 2 for card in hole}
    if made.value.category < _FLUSH:
        yield DrawKind.FLUSH, lambda ahead: ahead.makes(_FLUSH, _STRAIGHT_FLUSH)
    if made.value.category < _STRAIGHT:
        yield DrawKind.GUTSHOT, _Ahead.makes_straight
    if made.value.category in {_TWO_PAIR, _TRIPS}:
        yield DrawKind.FULL_HOUSE, lambda ahead: ahead.makes(_FULL_HOUSE, _QUADS)
    if made.value.category == _PAIR and made.pair:
        yield DrawKind.SET if len(ranks) == 1 else DrawKind.TWO_PAIR_OR_TRIPS, lambda ahead: ahead.brings(ranks)
    if made.kind in {Made.HIGH_CARD, Made.PAIR_ON_BOARD, Made.TWO_PAIR_ON_BOARD}:
        over = {rank for rank in ranks if rank > max(board) >> 2}
        yield DrawKind.OVERCARDS, lambda ahead: ahead.brings(over)


def _draw_kind(target: DrawKind, outs: tuple[int, ...], known: tuple[int, ...]) -> DrawKind:
    """The draw that these outs make it: a flush without outs is a backdoor, a straight with more ranks no gutshot."""
    held, ranks = {card >> 2 for card in known}, {card >> 2 for card in outs}
    if target is DrawKind.FLUSH and not outs:
        return DrawKind.BACKDOOR_FLUSH
    if target is not DrawKind.GUTSHOT or len(ranks) < 2:
        return target
    # Below four in a row from the deuce lies the ace, 12: one below 0 in steps around the ranks.
    ends = ((low, low + 5) for low in range(-1, 8) if held.issuperset(range(low + 1, low + 5)))
    is_open = any(low % 13 in ranks and high in ranks for low, high in ends)
    return DrawKind.OPEN_ENDED if is_open else DrawKind.DOUBLE_GUTSHOT


def _flush_rank(hole: tuple[int, int], known: tuple[int, ...]) -> tuple[int, bool]:
    """Hero's highest rank in the suit of a flush draw, and whether no unseen card of it is higher."""
    suit = max((card & 3 for card in hole), key=[card & 3 for card in known].count)
    high = max(card >> 2 for card in hole if card & 3 == suit)
    return high, all(4 * rank + suit in known for rank in range(high + 1, 13))


class Wetness(StrEnum):
    """How much a board offers to draw to; `Texture.wetness` has the rule."""

    DRY = "dry"
    MEDIUM = "medium"
    WET = "wet"


@dataclass(frozen=True, slots=True)
class Texture:
    """What a board offers to anybody.

    `high` is the rank (0 to 12) of its highest card, `repeats` how often each rank comes, most often first
    ((2, 1) is a paired flop), `suited` the largest number of cards of one suit, `connected` the largest number of
    different ranks within one straight, `open_ended` whether two hole cards can have an open-ended straight draw.
    """

    high: int
    repeats: tuple[int, ...]
    suited: int
    connected: int
    open_ended: bool

    @property
    def cards(self) -> int:
        """How many cards the board has."""
        return sum(self.repeats)

    @property
    def is_paired(self) -> bool:
        """Whether any rank comes twice or more."""
        return self.repeats[0] > 1

    @property
    def flush_possible(self) -> bool:
        """Whether two hole cards can have a flush."""
        return self.suited >= 3

    @property
    def flush_draw_possible(self) -> bool:
        """Whether two hole cards can have a flush draw."""
        return self.cards < 5 and self.suited >= 2

    @property
    def straight_possible(self) -> bool:
        """Whether two hole cards can have a straight."""
        return self.connected >= 3

    @property
    def wetness(self) -> Wetness:
        """Wet: two cards can have a flush or a straight, or there are both flush draws and open-ended ones to have.

        Dry: neither of the two draws. Medium: one of them.
        """
        draws_to_have = self.flush_draw_possible + self.open_ended
        if self.flush_possible or self.straight_possible or draws_to_have == 2:
            return Wetness.WET
        return Wetness.MEDIUM if draws_to_have else Wetness.DRY

    def __str__(self) -> str:
        """The board in words, such as `king high, unpaired, rainbow, no straight possible: dry`."""
        high = str(HandValue(0, (self.high,)))
        return f"{high}, {self._pairing()}, {self._suits()}, {self._straights()}: {self.wetness}"

    def _pairing(self) -> str:
        match self.repeats:
            case (4, *_):
                return "four of a kind"
            case (3, 2):
                return "full house"
            case (3, *_):
                return "trips"
            case (2, 2, *_):
                return "two pair"
            case (2, *_):
                return "paired"
            case _:
                return "unpaired"

    def _suits(self) -> str:
        if self.suited == self.cards:
            return "monotone"
        if self.suited >= 3:
            return f"{('three', 'four')[self.suited - 3]} of a suit"
        if self.cards == 5:
            return "no flush possible"
        return "two-tone" if self.suited == 2 else "rainbow"

    def _straights(self) -> str:
        if self.straight_possible:
            return ("straight possible", "four to a straight", "straight on the board")[self.connected - 3]
        return "open-ended draws possible" if self.open_ended else "no straight possible"


def texture(board: tuple[int, ...]) -> Texture:
    """The texture of a flop, turn or river.

    >>> from agent.poker.cards import parse_cards
    >>> str(texture(parse_cards("7h2cKs")))
    'king high, unpaired, rainbow, no straight possible: dry'
    """
    dealt(board)
    ranks = {card >> 2 for card in board}
    around = ranks | ({-1} if 12 in ranks else set())  # the ace is also one below the deuce
    within = [len(around.intersection(range(low, low + 5))) for low in range(-1, 9)]
    # Four in a row that an ace neither begins nor ends are open at both ends.
    in_a_row = [len(ranks.intersection(range(low, low + 4))) for low in range(9)]
    return Texture(
        high=max(ranks),
        repeats=tuple(sorted(Counter(card >> 2 for card in board).values(), reverse=True)),
        suited=max(Counter(card & 3 for card in board).values()),
        connected=max(within),
        open_ended=len(board) < 5 and max(in_a_row) >= 2,
    )
