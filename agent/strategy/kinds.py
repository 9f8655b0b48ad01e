"""Kinds of spots: the poker player's names for what is to be decided, so that advice can be kept for each."""

from collections.abc import Iterator
from typing import Final

from agent.poker.draws import STRAIGHT_DRAWS, DrawKind
from agent.poker.facts import Facts
from agent.poker.line import Move, moves
from agent.poker.positions import acting_order
from agent.poker.spot import Spot, Street, Verb

SPOT_KINDS: Final = (
    "facing_all_in",
    "river_bluff_catch",
    "facing_4bet",
    "facing_3bet",
    "blind_defence",
    "facing_open",
    "isolate",
    "open",
    "free_check_bb",
    "facing_raise",
    "facing_c_bet",
    "facing_bet",
    "c_bet",
    "barrel",
    "probe",
    "draw",
    "short_stack",
    "low_spr",
    "multiway",
    "deep",
)
"""All kinds, the most specific first.

An all-in below a full raise is no raise (`agent.poker.line.Move`). Whoever has acted and faces nothing but such an all-in may
only fold or call: for that there is no kind but `facing_all_in`.

* `open`, `isolate`, `free_check_bb`: preflop and nobody has raised; nobody has limped, somebody has, the big blind checks free.
* `facing_open`, `blind_defence`: one raise, hero elsewhere or in a blind. `facing_3bet`, `facing_4bet`: two raises, more.
* `c_bet`, `barrel`: nobody has bet; hero raised last before the flop, bet or raised last on the street before.
* `probe`: nobody has bet, hero was not the last aggressor, and whoever bet or raised last on the street before has since given up
  the lead: not when they are still to speak, or all-in.
* `facing_c_bet`, `facing_bet`, `facing_raise`: after the flop; the first bet of the preflop raiser on the flop, another bet, a raise.
* `river_bluff_catch`: a river bet to a hand that beats bluffs and little else.
* `facing_all_in`: the bet to answer is all-in, or calling it is; others may still have chips. `draw`: a flush or straight draw, no backdoor.
* `short_stack`, `deep`, `low_spr`, `multiway`: below 20 and above 150 big blinds; SPR below 2, two opponents or more, both after the flop.
"""

SHORT_BB: Final = 20
DEEP_BB: Final = 150
LOW_SPR: Final = 2
BLUFF_CATCHER: Final = (0.15, 0.60)
"""A hand is a bluff-catcher when the share of holdings that beat it lies between these: below top pair with a kicker, above air."""

_REAL_DRAWS: Final = frozenset({DrawKind.FLUSH, *STRAIGHT_DRAWS})


def spot_kinds(spot: Spot, facts: Facts) -> tuple[str, ...]:
    """What kinds of spot this is, in the order of `SPOT_KINDS`; a kind that needs a history not seen is left out."""
    told = moves(spot.actions, spot.big_blind_chips)
    if not spot.board:
        main = _preflop(spot, told, facts) if spot.history_complete else None
    elif spot.to_call_chips:
        main = _facing(spot, told)
    else:
        main = _unbet(spot, told, facts) if spot.history_complete else None
    kinds = {main, *_sizes(spot, facts), *_hands(spot, facts)}
    return tuple(kind for kind in SPOT_KINDS if kind in kinds)


def _preflop(spot: Spot, told: tuple[Move, ...], facts: Facts) -> str | None:
    if _is_closed(spot, told):
        return None
    raises = sum(move.is_raise for move in told)
    if raises > 1:
        return "facing_3bet" if raises == 2 else "facing_4bet"
    if raises:
        return "blind_defence" if {"SB", "BB"}.intersection(facts.position.split("/")) else "facing_open"
    if not spot.to_call_chips:
        return "free_check_bb"
    return "isolate" if any(move.past.verb is not Verb.FOLD for move in told) else "open"


def _is_closed(spot: Spot, told: tuple[Move, ...]) -> bool:
    """Whether hero has acted on this street and nobody has raised since."""
    here = [move for move in told if move.past.street is spot.street]
    since = next((n for n, move in enumerate(reversed(here)) if move.past.seat == spot.hero_seat), None)
    return since is not None and not any(move.is_raise for move in here[len(here) - since :])


def _facing(spot: Spot, told: tuple[Move, ...]) -> str | None:
    if _is_closed(spot, told):
        return None
    raised = [move for move in told if move.is_raise and move.past.street is spot.street]
    if len(raised) > 1:
        return "facing_raise"
    raiser = _last_raiser(told, Street.PREFLOP)
    c_bet = spot.street is Street.FLOP and raised and spot.history_complete and raised[0].past.seat == raiser
    return "facing_c_bet" if c_bet else "facing_bet"


def _unbet(spot: Spot, told: tuple[Move, ...], facts: Facts) -> str | None:
    streets = list(Street)
    leader = _last_raiser(told, streets[streets.index(spot.street) - 1])
    if leader == spot.hero_seat:
        return "c_bet" if spot.street is Street.FLOP else "barrel"
    order = acting_order(spot)
    behind = order[order.index(spot.hero_seat) + 1 :]
    leading = {p.seat for p in spot.opponents if p.seat in behind or not p.stack_chips}
    return None if leader in leading or facts.last_aggressor_seat == spot.hero_seat else "probe"


def _last_raiser(told: tuple[Move, ...], street: Street) -> int | None:
    return next((move.past.seat for move in reversed(told) if move.is_raise and move.past.street is street), None)


def _sizes(spot: Spot, facts: Facts) -> Iterator[str]:
    if spot.to_call_chips and (facts.facing.startswith("an all-in") or "whole stack" in facts.facing):
        yield "facing_all_in"
    if facts.effective_stack_bb < SHORT_BB:
        yield "short_stack"
    if facts.effective_stack_bb > DEEP_BB:
        yield "deep"
    if spot.board and facts.spr is not None and facts.spr < LOW_SPR:
        yield "low_spr"
    if spot.board and facts.opponents > 1:
        yield "multiway"


def _hands(spot: Spot, facts: Facts) -> Iterator[str]:
    if _REAL_DRAWS.intersection(facts.draw_kinds):
        yield "draw"
    low, high = BLUFF_CATCHER
    if (
        spot.street is Street.RIVER
        and spot.to_call_chips
        and facts.beaten_by is not None
        and low < facts.beaten_by < high
    ):
        yield "river_bluff_catch"
