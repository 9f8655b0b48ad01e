"""Spots as plain values, to be written by hand in TOML or JSON, and kept.

Two forms. The short one tells the hand from its beginning, and everything else follows from it:

    hole_cards = "AsKd"
    board = "7h 2c Ks"                                     # left out preflop
    hero_seat = 0
    button_seat = 0
    start_stacks = { 0 = 2000, 3 = 1500, 4 = 2000 }        # chips of all who were dealt in, before the blinds
    [actions]                                              # by street: seat, verb, and the street total of a raise
    preflop = "0 raise 60, 3 fold, 4 call"
    flop = "4 raise 90"

The long one states what lies on the table, as a server would, whatever was seen of the hand (`spot_as_dict` writes it):
`players` and `pot_chips` instead of `start_stacks`, and `actions` as a list. Both take `small_blind_chips` (10), `big_blind_chips` (20),
`big_blind_seat` (by the button), `legal` (by the stacks and the betting), `table_id` and `hand_id`.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

from agent.poker.cards import CardError, distinct, format_cards, parse_cards
from agent.poker.line import moves
from agent.poker.positions import blinds_then_others
from agent.poker.spot import BOARD_CARDS, LegalActions, PastAction, Player, Spot, Street, Verb

SEATS: Final = range(6)

_LONG: Final = frozenset(field.name for field in fields(Spot)) - {"street"}
_SHORT: Final = _LONG - {"players", "pot_chips", "history_complete"} | {"start_stacks"}
_PLAYER: Final = frozenset(field.name for field in fields(Player))
_ACTION: Final = frozenset(field.name for field in fields(PastAction))
_LEGAL: Final = frozenset(field.name for field in fields(LegalActions))


class SpotError(ValueError):
    """Values that make no spot; the message names the key and what is allowed there."""


def spot_as_dict(spot: Spot) -> dict[str, Any]:
    """The spot in its long form, as plain values without nulls: `spot_from` reads it back as it was."""
    told = {field.name: getattr(spot, field.name) for field in fields(Spot)}
    told |= {
        "hole_cards": format_cards(spot.hole_cards) if spot.hole_cards else None,
        "board": format_cards(spot.board),
        "legal": _known(asdict(spot.legal)),
        "players": [_known(asdict(player)) for player in spot.players],
        "actions": [
            {**_known(asdict(past)), "street": str(past.street), "verb": str(past.verb)} for past in spot.actions
        ],
    }
    del told["street"]
    return _known(told)


def _known(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


def spot_from(given: Mapping[str, Any]) -> Spot:
    """The spot of these values, in either form; `SpotError` for values that make none.

    >>> stacks = {"0": 2000, "3": 2000}
    >>> spot = spot_from({"hole_cards": "AsKd", "hero_seat": 0, "button_seat": 3, "start_stacks": stacks})
    >>> spot.to_call_chips, spot.legal.min_raise_to_chips
    (10, 40)
    """
    form = _SHORT if "start_stacks" in given else _LONG
    values = _Values("", given, form)
    hero, button = values.seat("hero_seat"), values.seat("button_seat")
    small, big = values.chips("small_blind_chips", 10), values.chips("big_blind_chips", 20)
    if not 0 < small <= big:
        raise SpotError(f"big_blind_chips is {big}: expected at least small_blind_chips, {small}, and that above 0")
    hole, board, street = _cards(values)
    big_blind_seat = values.seat("big_blind_seat") if "big_blind_seat" in given else None
    if form is _SHORT:
        table = _replayed(values, button, (small, big), big_blind_seat, street)
    else:
        table = _stated(values, street)
    seats = {player.seat for player in table.players}
    for key, seat in (("hero_seat", hero), ("button_seat", button)):
        if seat not in seats:
            raise SpotError(f"{key} is {seat}: expected one of {_words(seats)}")
    legal = _offer(_Values("legal.", values.mapping("legal"), _LEGAL)) if "legal" in given else None
    return Spot(
        table_id=values.text("table_id", "spot"),
        hand_id=values.text("hand_id", "spot"),
        street=street,
        hero_seat=hero,
        hole_cards=hole,
        board=board,
        button_seat=button,
        small_blind_chips=small,
        big_blind_chips=big,
        pot_chips=table.pot_chips,
        legal=_legal(table, hero, street, big) if legal is None else legal,
        players=table.players,
        actions=table.actions,
        history_complete=table.history_complete,
        big_blind_seat=table.big_blind_seat if big_blind_seat is None else big_blind_seat,
    )


@dataclass(frozen=True, slots=True)
class _Values:
    """Given values under a path, which the messages name; a key that is not among `allowed` is refused at once."""

    path: str
    given: Mapping[str, Any]
    allowed: frozenset[str]

    def __post_init__(self) -> None:
        for key in self.given:
            if key not in self.allowed:
                raise SpotError(f"{self.path}{key} is no key: expected {_words(self.allowed)}")

    def wrong(self, key: str, expected: str) -> SpotError:
        if key not in self.given:
            return SpotError(f"{self.path}{key} is missing: expected {expected}")
        return SpotError(f"{self.path}{key} is {self.given[key]!r}: expected {expected}")

    def chips(self, key: str, default: int | None = None) -> int:
        value = self.given.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise self.wrong(key, "a whole number of chips")
        return value

    def maybe_chips(self, key: str) -> int | None:
        return self.chips(key) if key in self.given else None

    def seat(self, key: str) -> int:
        value = self.given.get(key)
        if isinstance(value, bool) or not isinstance(value, int) or value not in SEATS:
            raise self.wrong(key, f"a seat from {SEATS[0]} to {SEATS[-1]}")
        return value

    def flag(self, key: str, default: bool) -> bool:
        value = self.given.get(key, default)
        if not isinstance(value, bool):
            raise self.wrong(key, "true or false")
        return value

    def text(self, key: str, default: str) -> str:
        value = self.given.get(key, default)
        if not isinstance(value, str):
            raise self.wrong(key, "text")
        return value

    def one_of(self, key: str, names: tuple[str, ...]) -> str:
        value = self.text(key, "")
        if value not in names:
            raise self.wrong(key, _words(names))
        return value

    def mapping(self, key: str) -> Mapping[str, Any]:
        value = self.given.get(key, {})
        if not isinstance(value, Mapping):
            raise self.wrong(key, "a table of keys and values")
        return value

    def entries(self, key: str, allowed: frozenset[str]) -> list["_Values"]:
        value = self.given.get(key, [])
        if not isinstance(value, list | tuple) or not all(isinstance(entry, Mapping) for entry in value):
            raise self.wrong(key, "a list of tables")
        return [_Values(f"{key}[{number}].", entry, allowed) for number, entry in enumerate(value)]


def _words(names: Any) -> str:
    return ", ".join(map(str, sorted(names) if isinstance(names, set | frozenset) else names))


def _cards(values: _Values) -> tuple[tuple[int, int] | None, tuple[int, ...], Street]:
    """Hole cards (None when not given), board and the street that the board makes it."""
    found = {}
    for key in ("hole_cards", "board"):
        try:
            found[key] = parse_cards(values.text(key, ""))
        except CardError as error:
            raise SpotError(f"{key}: {error}") from None
    hole, board = found["hole_cards"], found["board"]
    if len(hole) not in (0, 2) or (not hole and "hole_cards" in values.given):
        raise values.wrong("hole_cards", "two cards, such as AsKd")
    streets = {count: Street(name) for name, count in BOARD_CARDS.items()}
    if len(board) not in streets:
        raise values.wrong("board", "no card, or the three to five of a flop, turn or river")
    try:
        distinct((*hole, *board))
    except CardError as error:
        raise SpotError(f"board: {error}, in hole_cards and here") from None
    return (hole[0], hole[1]) if hole else None, board, streets[len(board)]


@dataclass(frozen=True, slots=True)
class _Table:
    """What lies on the table, however it was told."""

    players: tuple[Player, ...]
    pot_chips: int
    actions: tuple[PastAction, ...]
    history_complete: bool = True
    big_blind_seat: int | None = None


def _stated(values: _Values, street: Street) -> _Table:
    players = tuple(
        Player(
            seat=entry.seat("seat"),
            name=entry.text("name", f"seat {entry.seat('seat')}"),
            stack_chips=entry.chips("stack_chips"),
            bet_chips=entry.chips("bet_chips", 0),
            folded=entry.flag("folded", False),
        )
        for entry in values.entries("players", _PLAYER)
    )
    seats = [player.seat for player in players]
    if not 2 <= len(set(seats)) == len(seats):
        raise values.wrong(
            "players", "two to six tables with a seat each and stack_chips, or start_stacks in place of it"
        )
    pot, bets = values.chips("pot_chips"), sum(player.bet_chips for player in players)
    if pot < bets:
        raise values.wrong("pot_chips", f"at least the bets of this street, {bets}")
    names = tuple(BOARD_CARDS)[: tuple(BOARD_CARDS).index(street) + 1]
    actions = tuple(
        PastAction(
            seat=entry.seat("seat"),
            street=Street(entry.one_of("street", names)),
            verb=Verb(entry.one_of("verb", tuple(Verb))),
            added_chips=entry.chips("added_chips", 0),
            to_chips=entry.maybe_chips("to_chips"),
        )
        for entry in values.entries("actions", _ACTION)
    )
    ordered = tuple(sorted(players, key=lambda player: player.seat))
    return _Table(ordered, pot, actions, values.flag("history_complete", True))


def _offer(values: _Values) -> LegalActions:
    return LegalActions(
        fold=values.flag("fold", False),
        check=values.flag("check", False),
        call_chips=values.maybe_chips("call_chips"),
        min_raise_to_chips=values.maybe_chips("min_raise_to_chips"),
        max_raise_to_chips=values.maybe_chips("max_raise_to_chips"),
        all_in=values.flag("all_in", False),
    )


def _legal(table: _Table, hero_seat: int, street: Street, big_blind_chips: int) -> LegalActions:
    """What a server would offer: a raise where chips beyond the call, an opponent to answer it and the betting allow one."""
    hero = next(player for player in table.players if player.seat == hero_seat)
    others = [player for player in table.players if player.seat != hero_seat and not player.folded]
    highest = max((player.bet_chips for player in table.players), default=0)
    if street is Street.PREFLOP:
        highest = max(highest, big_blind_chips)
    to_call, everything = min(hero.stack_chips, max(0, highest - hero.bet_chips)), hero.stack_chips + hero.bet_chips
    here = [move for move in moves(table.actions, big_blind_chips) if move.past.street is street]
    full_raise = big_blind_chips
    for move in here:
        if move.is_raise and move.past.to_chips is not None:
            full_raise = max(full_raise, move.past.to_chips - move.highest_chips)
    is_closed = any(move.past.seat == hero_seat for move in here) and highest - hero.bet_chips < full_raise
    can_raise = everything > highest and not is_closed and any(p.stack_chips + p.bet_chips > highest for p in others)
    return LegalActions(
        fold=True,
        check=not to_call,
        call_chips=to_call or None,
        min_raise_to_chips=min(everything, highest + full_raise) if can_raise else None,
        max_raise_to_chips=everything if can_raise else None,
        all_in=can_raise or (0 < hero.stack_chips == to_call),
    )


def _replayed(
    values: _Values, button: int, blinds: tuple[int, int], big_blind_seat: int | None, street: Street
) -> _Table:
    """The table after the blinds and the actions of the short form, each of which must be possible."""
    stacks = values.mapping("start_stacks")
    dealt = _Values("start_stacks.", {str(seat): chips for seat, chips in stacks.items()}, frozenset(map(str, SEATS)))
    hand = _Replay({int(seat): dealt.chips(seat) for seat in sorted(dealt.given)})
    seats = tuple(hand.stacks)
    if len(seats) < 2 or button not in seats or not all(hand.stacks.values()):
        raise values.wrong("start_stacks", "the chips, not 0, of two to six seats, the button's among them")
    order = blinds_then_others(seats, button, big_blind_seat)
    for seat, chips in zip(order, blinds, strict=False):
        hand.pay(seat, min(chips, hand.stacks[seat]))
    hand.highest = blinds[1]
    streets = tuple(BOARD_CARDS)[: tuple(BOARD_CARDS).index(street) + 1]
    told = _Values("actions.", values.mapping("actions"), frozenset(BOARD_CARDS))
    for name in told.given:
        if name not in streets:
            raise SpotError(f"actions.{name} lies beyond the board: expected {_words(streets)}")
    for name in streets:
        if name != Street.PREFLOP:
            hand.next_street(f"actions.{streets[streets.index(name) - 1]}")
        for text in filter(None, map(str.strip, told.text(name, "").split(","))):
            hand.act(Street(name), text, f"actions.{name}")
    players = tuple(
        Player(seat, f"seat {seat}", hand.stacks[seat], hand.bets.get(seat, 0), seat in hand.folded) for seat in seats
    )
    return _Table(players, hand.pot, tuple(hand.actions), big_blind_seat=order[1])


class _Replay:
    """A hand played over from the blinds: stacks, bets of the street, pot, and who folded."""

    def __init__(self, stacks: dict[int, int]) -> None:
        self.stacks, self.bets, self.folded = stacks, dict[int, int](), set[int]()
        self.pot = self.highest = 0
        self.actions: list[PastAction] = []

    def pay(self, seat: int, chips: int) -> int:
        """Put chips in; the seat's street total afterwards."""
        self.stacks[seat] -= chips
        self.pot += chips
        self.bets[seat] = self.bets.get(seat, 0) + chips
        self.highest = max(self.highest, self.bets[seat])
        return self.bets[seat]

    def next_street(self, path: str) -> None:
        """Collect the bets, once everybody has answered the highest."""
        for seat, stack in self.stacks.items():
            if stack and seat not in self.folded and self.bets.get(seat, 0) < self.highest:
                raise SpotError(
                    f"{path}: seat {seat} has not answered {self.highest}: expected its fold, call or raise"
                )
        self.bets.clear()
        self.highest = 0

    def act(self, street: Street, text: str, path: str) -> None:
        """Play one action such as `3 raise 60`."""
        seat_text, _, rest = text.partition(" ")
        word, _, amount = rest.strip().partition(" ")
        playing = [seat for seat, stack in self.stacks.items() if stack and seat not in self.folded]
        if not seat_text.isdecimal() or int(seat_text) not in playing:
            raise SpotError(f"{path}: {text!r} names no seat that can act: expected one of {_words(playing)}")
        if word not in tuple(Verb) or (word == Verb.RAISE) != bool(amount):
            raise SpotError(f"{path}: {text!r} is no action: expected SEAT fold, check, call, all_in or raise TOTAL")
        seat, verb = int(seat_text), Verb(word)
        had, stack = self.bets.get(seat, 0), self.stacks[seat]
        to_call = min(stack, self.highest - had)
        low, high = self.highest + 1, had + stack
        if verb is Verb.RAISE and not (amount.isdecimal() and low <= int(amount) <= high):
            raise SpotError(f"{path}: {text!r}: expected a street total from {low} to {high}")
        if (verb is Verb.CHECK and to_call) or (verb is Verb.CALL and not to_call):
            raise SpotError(f"{path}: {text!r} with {to_call} to call: expected {'call' if to_call else 'check'}")
        added = {Verb.CALL: to_call, Verb.RAISE: int(amount or 0) - had, Verb.ALL_IN: stack}.get(verb, 0)
        if verb is Verb.FOLD:
            self.folded.add(seat)
        self.actions.append(PastAction(seat, street, verb, added, self.pay(seat, added)))
