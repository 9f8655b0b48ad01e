"""What a turn template may use: the facts of a spot, and the table and the line of the hand in a prompt's words.

Opponents appear as P1 to P5 only, clockwise from hero: their names are text that strangers chose.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from itertools import groupby
from typing import Any, Final

from agent.decision.menu import Menu, id_of
from agent.decision.turn import Turn
from agent.poker.cards import format_cards, pretty_cards
from agent.poker.facts import Facts
from agent.poker.line import LineAction, StreetLine, line
from agent.poker.positions import acting_order, order_from_button, position_names
from agent.poker.report import EquityReport
from agent.poker.spot import Player, Spot, Street, Verb
from agent.strategy.kinds import spot_kinds
from agent.strategy.policy.policy import Judgement
from agent.strategy.statistics import Statistics

MIN_HANDS: Final = 15
"""Below so many hands, what an opponent has done says next to nothing and is left out."""

GONE: Final = "a player who left"

_PREFLOP_READS: Final = {"vpip": "VPIP", "pfr": "PFR", "three_bet": "3-bet", "fold_to_three_bet": "fold to 3-bet"}
_FLOP_READS: Final = {"c_bet": "c-bet", "fold_to_c_bet": "fold to c-bet"}
_LATE_READS: Final = {"aggression": "aggression", "wtsd": "WTSD", "won_at_showdown": "won at showdown"}


@dataclass(frozen=True, slots=True)
class Read:
    """One habit of an opponent.

    name: what is counted: VPIP, PFR, 3-bet, fold to 3-bet; later c-bet, fold to a bet, aggression, WTSD, won at showdown
    share: how often, in [0, 1], drawn towards the field's while chances are few
    times: how often it was seen
    chances: how often it could have been
    """

    name: str
    share: float
    times: int
    chances: int


@dataclass(frozen=True, slots=True)
class Opponent:
    """An opponent who still holds cards.

    alias: P1 to P5, clockwise from hero
    position: SB, BB, UTG, HJ, CO, BTN
    stack_chips: what is left in front of them
    bet_chips: their bet on this street
    effective_chips: the most hero can win from or lose to them
    acts_behind: whether they come after hero in this street's order
    hands: hands seen with them, 0 for a stranger
    reads: what they do on this street; empty below 15 hands
    range: what they hold by the policy's reading, None where that knows nothing: about 14 %: 77+,A7s+,K9s+,ATo+
    """

    alias: str
    position: str
    stack_chips: int
    bet_chips: int
    effective_chips: int
    acts_behind: bool
    hands: int
    reads: tuple[Read, ...]
    range: str | None


@dataclass(frozen=True, slots=True)
class StreetWords:
    """The actions of one street.

    street: preflop, flop, turn, river
    pot_chips: the pot before the first of them, None when the hand was not seen from its beginning
    actions: in words, with sizes as a share of the pot
    """

    street: str
    pot_chips: int | None
    actions: str


@dataclass(frozen=True, slots=True)
class Advice:
    """What the betting policy recommends.

    choice: the id that it would play
    ev_chips: what that is worth in chips beside folding now, None where charts chose
    lead_chips: how much more that is than the best other choice, below 0 where close choices are mixed, None where charts chose
    equity: hero's equity against the ranges as read, None where charts chose
    reason: why, in words
    """

    choice: str
    ev_chips: float | None
    lead_chips: float | None
    equity: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class TurnVariables:
    """Every variable of a turn template, except `guidance`: the fragments, which are rendered from the others.

    facts: what is true of the spot, see below
    equity: the report behind the equity, the same as facts.equity
    hole_cards: hero's cards for people, the higher first
    echo_cards: the same cards as a reply must repeat them
    board: the board for people, empty preflop
    small_blind: chips
    big_blind: chips
    stack_chips: what is left in front of hero
    bet_chips: hero's bet on this street
    opponents: those who still hold cards
    last_aggressor: who bet or raised last on any street: you, an alias, None
    own_action: what hero did last on this street: check, call, raise, all_in, None before the first action
    call_is_last: whether hero has nothing left to decide after a call: hero, or every opponent, is all-in then
    line: the actions street by street
    history_complete: False when the beginning of the hand was not seen
    kinds: the kinds of this spot, the most specific first
    menu: what may be chosen
    rule_choice: the id that the pure equity rule would choose
    rule_margin: how far equity is above what the rule wants for a call, None where checking is free
    policy: what the betting policy recommends, None where it has nothing to say
    """

    facts: Facts
    equity: EquityReport
    hole_cards: str
    echo_cards: str
    board: str
    small_blind: int
    big_blind: int
    stack_chips: int
    bet_chips: int
    opponents: tuple[Opponent, ...]
    last_aggressor: str | None
    own_action: str | None
    call_is_last: bool
    line: tuple[StreetWords, ...]
    history_complete: bool
    kinds: tuple[str, ...]
    menu: Menu
    rule_choice: str
    rule_margin: float | None
    policy: Advice | None

    def as_dict(self) -> dict[str, Any]:
        """The variables by name; their values stay objects, so that templates can go into them."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def turn_variables(turn: Turn) -> TurnVariables:
    """The variables of this turn."""
    spot, facts = turn.spot, turn.facts
    aliases = _aliases(spot)
    # A seat that has left the table since it acted has no alias.
    aggressor = facts.last_aggressor_seat
    return TurnVariables(
        facts=facts,
        equity=facts.equity,
        hole_cards=pretty_cards(_high_first(spot)),
        echo_cards=format_cards(_high_first(spot)),
        board=pretty_cards(spot.board),
        small_blind=spot.small_blind_chips,
        big_blind=spot.big_blind_chips,
        stack_chips=spot.hero.stack_chips,
        bet_chips=spot.hero.bet_chips,
        opponents=_opponents(turn, aliases),
        last_aggressor=None if aggressor is None else aliases.get(aggressor, GONE),
        own_action=_own_action(spot),
        call_is_last=spot.to_call_chips >= spot.hero.stack_chips or not any(p.stack_chips for p in spot.opponents),
        line=tuple(_street_words(told, aliases) for told in line(spot)),
        history_complete=spot.history_complete,
        kinds=spot_kinds(spot, facts),
        menu=turn.menu,
        rule_choice=id_of(turn.menu, turn.rule_choice),
        rule_margin=turn.rule_margin,
        policy=None if turn.judgement is None else _advice(turn.judgement, turn.menu),
    )


def _advice(judgement: Judgement, menu: Menu) -> Advice:
    chosen = id_of(menu, judgement.action)
    priced = () if judgement.equity is None else judgement.options
    worth = {option.action: option.ev_chips for option in priced if not option.braked}
    own = worth.pop(judgement.action, None)
    lead = own - max(worth.values()) if own is not None and worth else None
    return Advice(chosen, own, lead, judgement.equity, judgement.reason)


def _own_action(spot: Spot) -> str | None:
    own = [past for past in spot.actions if past.seat == spot.hero_seat and past.street is spot.street]
    return str(own[-1].verb) if own else None


def _high_first(spot: Spot) -> list[int]:
    return sorted(spot.hole_cards or (), reverse=True)


def _aliases(spot: Spot) -> dict[int, str]:
    clockwise = order_from_button(tuple(player.seat for player in spot.players), spot.hero_seat)
    names = {seat: f"P{number}" for number, seat in enumerate(clockwise, start=1)}
    return {**names, spot.hero_seat: "you"}


def _opponents(turn: Turn, aliases: Mapping[int, str]) -> tuple[Opponent, ...]:
    spot, facts = turn.spot, turn.facts
    seats = tuple(player.seat for player in spot.players)
    positions = position_names(seats, spot.button_seat, spot.big_blind_seat)
    effective = {stack.seat: stack.effective_chips for stack in facts.stacks}
    order = acting_order(spot)
    behind = set(order[order.index(spot.hero_seat) + 1 :])

    def told(player: Player) -> Opponent:
        known = turn.reads.get(player.seat)
        return Opponent(
            alias=aliases[player.seat],
            position=positions[player.seat],
            stack_chips=player.stack_chips,
            bet_chips=player.bet_chips,
            effective_chips=effective[player.seat],
            acts_behind=player.seat in behind and player.stack_chips > 0,
            hands=known.hands if known else 0,
            reads=_reads(known, spot.street) if known and known.hands >= MIN_HANDS else (),
            range=turn.ranges[player.seat].text if player.seat in turn.ranges else None,
        )

    return tuple(sorted((told(player) for player in spot.opponents), key=lambda opponent: opponent.alias))


def _street_words(told: StreetLine, aliases: Mapping[int, str]) -> StreetWords:
    parts, is_open = [], told.street is not Street.PREFLOP
    for verb, actions in groupby(told.actions, key=lambda action: action.verb):
        together = list(actions)
        if verb in (Verb.FOLD, Verb.CHECK):
            parts.append(f"{', '.join(aliases.get(action.seat, GONE) for action in together)} {verb}")
            continue
        for action in together:
            parts.append(f"{aliases.get(action.seat, GONE)} {_action_words(action, is_bet=is_open)}")
            is_open = is_open and action.pot_fraction is None
    return StreetWords(told.street, told.pot_chips, "; ".join(parts))


def _action_words(action: LineAction, *, is_bet: bool) -> str:
    """What was done, with the size of a bet or raise as a share of the pot: `raise to 60 (67 % pot)`."""
    size = "" if action.pot_fraction is None else f" ({100 * action.pot_fraction:.0f} % pot)"
    amount = "" if action.to_chips is None else f" {action.to_chips:,}"
    if action.verb is Verb.ALL_IN:
        return f"all-in for{amount}{size}" if amount else "all-in"
    if action.verb is Verb.RAISE:
        words = f"bet{amount}{size}" if is_bet else f"raise to{amount}{size}"
    else:
        words = f"{action.verb}{amount}"
    return f"{words} all-in" if action.all_in else words


def _reads(known: Statistics, street: Street) -> tuple[Read, ...]:
    """What matters on this street, of what there was a chance to see."""
    if street is Street.PREFLOP:
        names = _PREFLOP_READS
    else:
        on_flop = _FLOP_READS if street is Street.FLOP else {}
        names = {"vpip": "VPIP", **on_flop, f"fold_to_{street}_bet": f"fold to {street} bet", **_LATE_READS}
    counts = {name: known.count(name) for name in names}
    return tuple(
        Read(names[name], known.shrunk(name), count.times, count.chances)
        for name, count in counts.items()
        if count.chances
    )
