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

import reprlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

from agent.poker.cards import CardError, distinct, format_cards, parse_cards
from agent.poker.line import moves
from agent.poker.replay import Replay, SpotError, words
from agent.poker.spot import BOARD_CARDS, LegalActions, PastAction, Player, Spot, Street, Verb

__all__ = ["SEATS", "SpotError", "spot_as_dict", "spot_from"]

SEATS: Final = range(6)

_LONG: Final = frozenset(field.name for field in fields(Spot)) - {"street"}
_SHORT: Final = _LONG - {"players", "pot_chips", "history_complete"} | {"start_stacks"}
_PLAYER: Final = frozenset(field.name for field in fields(Player))
_ACTION: Final = frozenset(field.name for field in fields(PastAction))
_LEGAL: Final = frozenset(field.name for field in fields(LegalActions))


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
        table = _replayed(values, hero, button, (small, big), big_blind_seat, street)
    else:
        table = _stated(values, street)
    seats = {player.seat for player in table.players}
    for key, seat in (("hero_seat", hero), ("button_seat", button)):
        if seat not in seats:
            raise SpotError(f"{key} is {seat}: expected one of {words(seats)}")
    legal = _offer(_Values("legal.", values.mapping("legal"), _LEGAL)) if "legal" in given else None
    spot = Spot(
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
    _check_turn(spot)
    return spot


@dataclass(frozen=True, slots=True)
class _Values:
    """Given values under a path, which the messages name; a key that is not among `allowed` is refused at once."""

    path: str
    given: Mapping[str, Any]
    allowed: frozenset[str]

    def __post_init__(self) -> None:
        for key in self.given:
            if key not in self.allowed:
                raise SpotError(f"{self.path}{key} is no key: expected {words(self.allowed)}")

    def wrong(self, key: str, expected: str) -> SpotError:
        if key not in self.given:
            return SpotError(f"{self.path}{key} is missing: expected {expected}")
        # Bounded, because what is given may be nested as deep as a file can nest it.
        return SpotError(f"{self.path}{key} is {reprlib.repr(self.given[key])}: expected {expected}")

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
            raise self.wrong(key, words(names))
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
    values: _Values, hero: int, button: int, blinds: tuple[int, int], big_blind_seat: int | None, street: Street
) -> _Table:
    """The table after the blinds and the actions of the short form, each of which must be possible; hero is to act."""
    stacks = values.mapping("start_stacks")
    dealt = _Values("start_stacks.", {str(seat): chips for seat, chips in stacks.items()}, frozenset(map(str, SEATS)))
    seats = {int(seat): dealt.chips(seat) for seat in sorted(dealt.given)}
    if len(seats) < 2 or button not in seats or not all(seats.values()):
        raise values.wrong("start_stacks", "the chips, not 0, of two to six seats, the button's among them")
    hand = Replay(seats, button, blinds, big_blind_seat)
    streets = tuple(BOARD_CARDS)[: tuple(BOARD_CARDS).index(street) + 1]
    told = _Values("actions.", values.mapping("actions"), frozenset(BOARD_CARDS))
    for name in told.given:
        if name not in streets:
            raise SpotError(f"actions.{name} lies beyond the board: expected {words(streets)}")
    for name in streets:
        if name != Street.PREFLOP:
            hand.next_street(f"actions.{streets[streets.index(name) - 1]}")
        for text in filter(None, map(str.strip, told.text(name, "").split(","))):
            hand.act(Street(name), text, f"actions.{name}")
    players = tuple(
        Player(seat, f"seat {seat}", hand.stacks[seat], hand.bets.get(seat, 0), seat in hand.folded) for seat in seats
    )
    if hero not in hand.folded and hero != hand.to_act() and hero in seats:
        turn = hand.to_act()
        whose = f"the betting of the {street} is over" if turn is None else f"it is the turn of seat {turn}"
        raise SpotError(f"hero_seat is {hero}, but {whose} after these actions")
    return _Table(players, hand.pot, tuple(hand.actions), big_blind_seat=hand.order[1])


def _check_turn(spot: Spot) -> None:
    """`SpotError` where hero has nothing to decide, or could not have come to it."""
    hero, here = spot.hero, [past for past in spot.actions if past.street is spot.street]
    if hero.folded or any(past.seat == hero.seat and past.verb is Verb.FOLD for past in spot.actions):
        raise SpotError(f"hero_seat is {hero.seat}, who has folded: expected a player who must act")
    if not hero.stack_chips:
        raise SpotError(f"hero_seat is {hero.seat}, who has no chips left: expected a player who must act")
    highest = max(player.bet_chips for player in spot.players)
    if any(past.seat == hero.seat for past in here) and hero.bet_chips >= highest:
        raise SpotError(f"hero_seat is {hero.seat}, who has acted on the {spot.street} and faces nothing since")
    added = sum(past.added_chips for past in spot.actions)
    if spot.pot_chips < added:
        raise SpotError(f"pot_chips is {spot.pot_chips}: expected at least what the actions added, {added}")
    stacks = {player.seat: player.stack_chips for player in spot.players}
    for number, move in enumerate(moves(spot.actions, spot.big_blind_chips) if spot.history_complete else ()):
        past, least = move.past, move.highest_chips + spot.big_blind_chips
        # Below a big blind more only a whole stack may go.
        if past.verb is Verb.RAISE and past.to_chips is not None and past.to_chips < least and stacks.get(past.seat):
            raise SpotError(f"actions[{number}].to_chips is {past.to_chips}: expected a street total from {least} on")
    _check_offer(spot.legal, hero)


def _check_offer(legal: LegalActions, hero: Player) -> None:
    everything = hero.stack_chips + hero.bet_chips
    low, high = legal.min_raise_to_chips, legal.max_raise_to_chips
    if legal == LegalActions():
        raise SpotError("legal offers nothing: expected at least fold or check")
    if legal.call_chips is not None and legal.call_chips > hero.stack_chips:
        raise SpotError(f"legal.call_chips is {legal.call_chips}: expected at most hero's stack, {hero.stack_chips}")
    if (low is None) != (high is None) or not hero.bet_chips <= (low or everything) <= (
        high or everything
    ) <= everything:
        raise SpotError(
            f"legal.min_raise_to_chips is {low} and max_raise_to_chips {high}: expected street totals, the first not above the "
            f"second, and that not above {everything}"
        )
