"""Pot odds: what a call costs against what it can win.

All amounts are whole chips as the server states them; nothing here is rebuilt from old events.
"""

from agent.poker.spot import Spot


def required_equity(to_call_chips: int, contestable_pot_chips: int) -> float:
    """Share of the pot a call must win to break even, in [0, 1].

    `contestable_pot_chips` is what can be won now, without chips that no stack of ours covers.
    Zero when the call is free. Source: call / (pot + call).

    >>> required_equity(100, 300)
    0.25
    >>> required_equity(0, 300)
    0.0
    """
    if to_call_chips <= 0:
        return 0.0
    return to_call_chips / (contestable_pot_chips + to_call_chips)


def contestable_pot(spot: Spot) -> int:
    """The chips hero can win by calling: the server's pot less what opponents bet beyond hero's reach.

    Only this street's bets can be out of reach: whoever must act has covered the earlier streets in full.
    """
    called = spot.hero.bet_chips + spot.to_call_chips
    return spot.pot_chips - sum(max(0, player.bet_chips - called) for player in spot.players)


def effective_stack(spot: Spot) -> int:
    """The most hero can still win or lose against one live opponent, this street's bets included."""
    hero = spot.hero.stack_chips + spot.hero.bet_chips
    return min(hero, max((p.stack_chips + p.bet_chips for p in spot.opponents), default=0))


def reach(spot: Spot) -> int:
    """The street total up to which an opponent can match hero; never less than what a call makes it."""
    called = spot.hero.bet_chips + spot.to_call_chips
    return max([called, *(player.stack_chips + player.bet_chips for player in spot.opponents)])


def stack_to_pot(spot: Spot) -> float | None:
    """SPR: effective stack over the pot before this street's bets; None where that pot is empty.

    Preflop, where all of the pot is bets, it is taken over the whole pot.
    """
    bets = sum(player.bet_chips for player in spot.players)
    pot = spot.pot_chips if not spot.board else spot.pot_chips - bets
    return effective_stack(spot) / pot if pot > 0 else None
