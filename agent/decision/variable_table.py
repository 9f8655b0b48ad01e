"""The table of template variables: every name that a turn or repair template may use, with its type and meaning.

Names and types are read from the classes themselves, and a name without a meaning is an error, so the table is complete.
"""

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, Final, get_args, get_origin, get_type_hints

from agent.decision.menu import Candidate
from agent.decision.variables import TurnVariables
from agent.poker.facts import Facts, OpponentStack
from agent.poker.report import EquityReport
from agent.poker.spot import Action

Row = tuple[str, str, str]

GUIDANCE: Final[Row] = (
    "guidance",
    "list of str",
    "the fragments for this spot, at most three, the most specific first",
)
REPAIR: Final[tuple[Row, ...]] = (
    ("problem", "str", "what was wrong with the reply, in words"),
    ("ids", "list of str", "the ids of the menu"),
)

_MEANING: Final = re.compile(r"^ +(\w+): (.+)$", re.MULTILINE)

# What the classes of other rooms say in prose, line by line.
_TOLD_ELSEWHERE: Final = {
    Facts: """
        hole_cards: hero's cards, as dealt
        holding: the hand in words, preflop the two cards
        board: the board, empty preflop
        street: preflop, flop, turn, river
        position: hero's: SB, BB, UTG, HJ, CO, BTN; heads-up BTN/SB or BTN/BB
        opponents: how many still hold cards
        opponents_behind: how many of them act after hero on this street
        pot_chips: the whole pot, with the bets of this street
        contestable_pot_chips: the part of it that hero can win
        to_call_chips: what a call costs, 0 where checking is free
        required_equity: the share of the pot that a call must win to break even
        effective_stack_chips: the most hero can win from, or lose to, one opponent
        spr: effective stack over the pot before this street's bets, None without a pot
        equity: the report behind the equity
        in_position: whether nobody will act after hero on later streets
        players_dealt: how many were dealt in
        pot_type: unopened, limped, single-raised, 3-bet, 4-bet or more, unknown
        facing: nothing, the big blind, a bet, a raise, a 3-bet, a 4-bet or more, an all-in; any of them with a short all-in on top, for your whole stack
        facing_fraction: the bet or raise that is faced as a share of the pot, None without one
        last_aggressor_seat: the seat that bet or raised last on any street, None if unknown
        effective_stack_bb: the effective stack in big blinds
        stacks: the effective stack against each opponent
        hand_class: what a reply must repeat: AKo preflop, top pair later
        made: the made hand in words, empty preflop
        plays: which hole cards the best five cards need, empty preflop
        kicker: how good a hole card's kicker is, None where none plays
        draws: draws in words with outs and odds, None without one
        draw_kinds: the names of the draws
        outs: cards that make at least one draw, None preflop and on the river
        beaten_by: the share of unseen holdings that beat hero now, None preflop
        is_nuts: whether nothing beats hero
        nut_note: how many holdings beat hero, in words, empty preflop
        texture: the board in words, None preflop
    """,
    OpponentStack: """
        seat: the seat
        effective_chips: the most hero can win from or lose to it
    """,
    EquityReport: """
        equity: hero's share of the pot at showdown, ties included
        win: the part of all deals that hero wins alone, None where only the equity is known
        tie: the part that is shared
        lose: the part that is lost
        method: exact, monte-carlo, table
        opponents: against how many hands
        ranges: which hands these hold
        trials_asked: how many deals were wanted
        trials: how many were counted, 0 for a table
        wins: deals won, None where deals are not counted
        ties: deals shared
        losses: deals lost
        stderr: the standard error of the equity, 0 when exact
        ci_low: the lower end of its 95 % interval
        ci_high: the upper end
        stop_reason: why counting ended
        seed: the seed of the sample
        elapsed_ms: what it took
        cached: whether it was worked out before
    """,
    Candidate: """
        id: what a reply names
        action: the action in words
        cost_chips: what is paid now
        risk_chips: what of it can be lost: less than the cost where no opponent has as much left
        street_total_chips: what lies in front of hero afterwards
        pot_after_chips: the pot afterwards, as far as hero can win it
        pot_percent: the raise on top of the call, as far as it can be called, in percent of the pot after the call, None without a raise
        ev_chips: what the policy thinks it is worth in chips beside folding now, None where it was not asked
        fold_share: how often everybody folds to it, None without a raise
        braked: whether the policy would not play it whatever its worth, None where it was not asked
    """,
}


def describe_variables() -> tuple[Row, ...]:
    """Name, type and meaning of every variable of a turn template, in their order; lists are written with `[]`."""
    return (*_rows(TurnVariables, ""), GUIDANCE)


@cache
def known_names() -> tuple[str, ...]:
    """Every name that may stand in a template, by itself or after a dot."""
    rows = (*describe_variables(), *REPAIR)
    return tuple(dict.fromkeys(name.replace("[]", "").rpartition(".")[2] for name, _, _ in rows))


def _rows(kind: type, path: str) -> Iterator[Row]:
    assert is_dataclass(kind)
    meanings = dict(_MEANING.findall(_TOLD_ELSEWHERE.get(kind) or kind.__doc__ or ""))
    hints = get_type_hints(kind)
    for field in fields(kind):
        hint = hints[field.name]
        inner = _class_in(hint)
        yield path + field.name, _type_words(hint), meanings[field.name]
        # The same report also stands in the facts.
        if inner is not None and not (kind is Facts and inner is EquityReport):
            yield from _rows(inner, f"{path}{field.name}{'[]' if get_origin(hint) is tuple else ''}.")


def _class_in(hint: Any) -> type | None:
    """The class whose fields a template may go into, directly, in a list, or where there is one; an action is shown by its words."""
    found = get_args(hint)[0] if get_origin(hint) is tuple or isinstance(hint, UnionType) else hint
    return found if isinstance(found, type) and is_dataclass(found) and found is not Action else None


def _type_words(hint: Any) -> str:
    if get_origin(hint) is tuple:
        return f"list of {_type_words(get_args(hint)[0])}"
    if isinstance(hint, UnionType):
        return " or ".join(_type_words(part) for part in get_args(hint))
    return "None" if hint is type(None) else hint.__name__
