"""How a house player plays: by hand class and position before the flop, by equity and price after it.

Every number here is a habit, chosen so that the field of `agent.arena.house.field` plays like the people it stands for.
Opponents' cards are never known: equity is taken against random hands, then cut by the strength that the opponents
have shown by betting.
"""

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from agent.arena.house.memory import USUAL, Memory
from agent.arena.house.profiles import Profile, Skill
from agent.poker.equity import Effort, estimate_equity
from agent.poker.line import Move, moves
from agent.poker.odds import contestable_pot, required_equity
from agent.poker.positions import opponents_behind, position_names
from agent.poker.preflop_table import PREFLOP_EQUITIES
from agent.poker.ranges import CLASS_OF_COMBO, CLASS_SIZES, CLASSES, class_of, combo_index
from agent.poker.spot import Action, Spot, Street, Verb

_USUAL_OPPONENTS: Final = 3
"""Hands are put in order by their equity against so many: more would only please the suited ones further."""

_POSITION: Final[Mapping[str, float]] = {"UTG": 0.65, "HJ": 0.8, "CO": 1.0, "BTN": 1.35, "SB": 1.0, "BB": 1.0}
"""How the hands that are played grow towards the button."""
_HEADS_UP: Final = 1.6
_CONTINUED: Final = {1: 0.7, 2: 0.36, 3: 0.2}
"""The part of the hands it plays with which a player stays in, by the raises in front of it; more count as three."""
_RERAISED: Final = {1: 0.36, 2: 0.4, 3: 0.5}
"""The part of those that it raises again, for a player who raises everything it can (aggression 1)."""
_USUAL_PRICE: Final = 0.36
"""What a call of a raise before the flop must win, as `required_equity` says: a better price is called with more."""
_USUAL_SIZE_BB: Final = {1: 3.0, 2: 9.5, 3: 22.0}
_SIZES: Final[Mapping[Street, tuple[float, ...]]] = {
    Street.FLOP: (0.33, 0.5, 0.66),
    Street.TURN: (0.5, 0.66, 0.8),
    Street.RIVER: (0.5, 0.75, 1.2),
}
"""Bets in pots after the call; which of them is chosen says nothing about the hand."""
_COMMITTED: Final = 0.6
"""From this part of the stack on a raise is all-in."""


@dataclass(frozen=True, slots=True)
class Thinker:
    """A player's head: what it likes, what it can, and whom it remembers."""

    profile: Profile
    skill: Skill
    memory: Memory

    def choose(self, spot: Spot, rng: random.Random) -> Action:
        """A legal action for `spot`, whose hole cards must be known."""
        if spot.hole_cards is None:
            raise ValueError("a house player needs its hole cards")
        if spot.street is Street.PREFLOP:
            return _play_preflop(self, spot, _felt_rank(spot.hole_cards, self.skill, rng), rng)
        return _play_postflop(self, spot, _felt_equity(self, spot, spot.hole_cards, rng), rng)


def _hand_ranks() -> dict[str, float]:
    """The place of every hand class among all holdings, 0 the best and 1 the worst, by equity against three hands.

    >>> ranks = _hand_ranks()
    >>> ranks["AA"] < 0.01 < ranks["AJs"] < 0.05 < ranks["98s"] < 0.3 < 0.95 < ranks["32o"]
    True
    """
    ranks, better = {}, 0
    for place in sorted(range(len(CLASSES)), key=lambda i: -PREFLOP_EQUITIES[CLASSES[i]][_USUAL_OPPONENTS - 1][0]):
        ranks[CLASSES[place]] = float((better + CLASS_SIZES[place] / 2) / len(CLASS_OF_COMBO))
        better += CLASS_SIZES[place]
    return ranks


_RANKS: Final = _hand_ranks()


def _call(spot: Spot) -> Action:
    """The call, all-in where that is the only one; a check where there is nothing to call."""
    if spot.legal.check:
        return Action(Verb.CHECK)
    if spot.legal.call_chips is None and spot.legal.all_in:
        return Action(Verb.ALL_IN)
    return Action(Verb.CALL) if spot.legal.call_chips is not None else _give_up(spot)


def _give_up(spot: Spot) -> Action:
    """The check where it is free, else the fold."""
    floor = spot.legal.floor
    if floor is None:
        raise ValueError(f"the offer holds neither check nor fold: {spot.legal}")
    return floor


def _raise_to(spot: Spot, chips: float) -> Action:
    """A raise to about that street total, all-in where it would take most of the stack; a call where none is offered."""
    low, high = spot.legal.min_raise_to_chips, spot.legal.max_raise_to_chips
    if low is None or high is None:
        return _call(spot)
    most = spot.hero.stack_chips + spot.hero.bet_chips
    wish = high if chips >= _COMMITTED * most else round(chips)
    return Action(Verb.RAISE, min(high, max(low, wish)))


def _felt_rank(hole: tuple[int, int], skill: Skill, rng: random.Random) -> float:
    """The rank of the hand as this player sees it."""
    return _RANKS[class_of(combo_index(*hole))] * (1 + 2 * skill.noise * rng.gauss(0, 1))


def _play_preflop(mind: Thinker, spot: Spot, rank: float, rng: random.Random) -> Action:
    """Open with the top of what is played, limp or check with the rest; a raise in front has an answer of its own."""
    past = tuple(moves(spot.actions, spot.big_blind_chips))
    raises = sum(move.is_raise for move in past)
    share = _playing_share(mind, spot)
    if raises:
        return _answer_raise(mind, spot, rank, share, past, rng)
    limpers = sum(move.past.verb in (Verb.CALL, Verb.ALL_IN) for move in past)
    raised = share * mind.profile.aggression * (0.9 if limpers else 1.0)
    if rank < raised:
        return _raise_to(spot, (2.5 + limpers) * spot.big_blind_chips * _whim(mind.skill, rng))
    return _call(spot) if rank < share else _give_up(spot)


def _playing_share(mind: Thinker, spot: Spot) -> float:
    """The part of all holdings that this player plays from here when nobody has raised."""
    seats = tuple(player.seat for player in spot.players)
    name = position_names(seats, spot.button_seat, spot.big_blind_seat)[spot.hero_seat]
    position = _HEADS_UP if len(seats) == 2 else _POSITION[name]
    return min(0.95, (mind.profile.played_share + mind.skill.overcall) * position)


def _answer_raise(
    mind: Thinker, spot: Spot, rank: float, share: float, past: tuple[Move, ...], rng: random.Random
) -> Action:
    """Raise again with the top of what is played on, call with the rest, seldom bluff with what is just too weak."""
    raises = [move for move in past if move.is_raise]
    depth = min(3, len(raises))
    highest = max(player.bet_chips for player in spot.players)
    size = highest / spot.big_blind_chips / _USUAL_SIZE_BB[depth]
    opener = mind.memory.read(_name_at(spot, raises[-1].past.seat))
    trust = 1 + mind.profile.adaptivity * (opener.vpip - USUAL.vpip)
    bargain = _USUAL_PRICE / max(0.12, required_equity(spot.to_call_chips, contestable_pot(spot)))
    calls = 1.25 - 0.4 * mind.profile.aggression
    continued = share * calls * _CONTINUED[depth] * min(1.2, size**-0.5) * bargain * trust
    can_bluff = spot.legal.min_raise_to_chips is not None and depth == 1
    bluffs = can_bluff and continued < rank < 2 * continued and rng.random() < 0.2 * mind.profile.bluffing
    if bluffs or rank < continued * mind.profile.aggression * _RERAISED[depth]:
        multiple = 2.3 if depth > 1 else 3.0 if spot.hero.bet_chips == 0 else 3.8
        return _raise_to(spot, highest * multiple * _whim(mind.skill, rng))
    return _call(spot) if rank < continued else _give_up(spot)


def _whim(skill: Skill, rng: random.Random) -> float:
    """How far a size before the flop is off the usual one: the worse a player, the wilder."""
    return 1 + 4 * skill.noise * rng.random()


def _felt_equity(mind: Thinker, spot: Spot, hole: tuple[int, int], rng: random.Random) -> float:
    """The equity as this player sees it: sampled, blurred, and cut by the strength that it believes to be shown."""
    effort = Effort(trials=mind.skill.trials, seed=rng.getrandbits(32))
    equity = estimate_equity(hole, spot.board, len(spot.opponents), effort).equity
    blurred = min(1.0, max(0.0, equity + mind.skill.noise * rng.gauss(0, 1)))
    return float(blurred ** (1 + mind.skill.reading * _shown_strength(mind, spot)))


def _shown_strength(mind: Thinker, spot: Spot) -> float:
    """What the bets and raises of the live opponents say about their hands, 0 nothing and 3 a lot.

    From somebody who is remembered as aggressive they say less.
    """
    live = {player.seat: player.name for player in spot.opponents}
    shown = 0.0
    for move in moves(spot.actions, spot.big_blind_chips):
        if not move.is_raise or move.past.seat not in live:
            continue
        usual = 0.35 if move.past.street is Street.PREFLOP else 1.0
        seen = mind.memory.read(live[move.past.seat]).aggression / USUAL.aggression
        shown += usual * (1 + move.raises_before) * seen**-mind.profile.adaptivity
    return min(3.0, shown)


def _play_postflop(mind: Thinker, spot: Spot, equity: float, rng: random.Random) -> Action:
    if spot.legal.check:
        return _bet_or_check(mind, spot, equity, rng)
    return _answer_bet(mind, spot, equity, rng)


def _bet_or_check(mind: Thinker, spot: Spot, equity: float, rng: random.Random) -> Action:
    """Bet for value, as the raiser of before the flop, or as a bluff; else check."""
    profile, luck = mind.profile, rng.random()
    if equity >= _value_line(spot, 0.36 - 0.25 * profile.aggression):
        wanted = 0.45 + 0.55 * profile.aggression
    elif spot.street is Street.FLOP and _raised_last_preflop(spot):
        wanted = (0.35 * profile.aggression + 0.2 * profile.bluffing) * _bluff_appeal(mind, spot)
    else:
        is_draw = spot.street is not Street.RIVER and equity >= 0.6 / (len(spot.opponents) + 1)
        wanted = profile.bluffing * (0.45 if is_draw else 0.3) * _bluff_appeal(mind, spot)
    return _bet(spot, rng) if luck < wanted else _give_up(spot)


def _answer_bet(mind: Thinker, spot: Spot, equity: float, rng: random.Random) -> Action:
    """Raise the best hands and a few bluffs, call what the price allows, fold the rest."""
    profile, luck = mind.profile, rng.random()
    raises = sum(m.is_raise for m in moves(spot.actions, spot.big_blind_chips) if m.past.street is spot.street)
    is_strong = equity >= _value_line(spot, min(0.9, 0.5 - 0.25 * profile.aggression + 0.15 * (raises - 1)))
    if is_strong and luck < 0.2 + 0.6 * profile.aggression:
        return _bet(spot, rng)
    can_bluff = spot.legal.min_raise_to_chips is not None and raises == 1
    if not is_strong and can_bluff and luck < 0.12 * profile.bluffing * _bluff_appeal(mind, spot):
        return _bet(spot, rng)
    price = required_equity(spot.to_call_chips, contestable_pot(spot))
    margin = 0.12 - 0.25 * profile.looseness - mind.skill.overcall
    return _call(spot) if equity > price + margin else _give_up(spot)


def _value_line(spot: Spot, part: float) -> float:
    """The equity that lies `part` of the way from an even share of the pot to all of it."""
    even = 1 / (len(spot.opponents) + 1)
    return even + (1 - even) * part


def _bluff_appeal(mind: Thinker, spot: Spot) -> float:
    """How good a bluff looks: 1 against one stranger, less against more, and by how often these are known to fold."""
    folds = [mind.memory.read(player.name).fold_to_bet / USUAL.fold_to_bet for player in spot.opponents]
    known = math.pow(math.prod(folds), 2 * mind.profile.adaptivity)
    in_position = 1.15 if opponents_behind(spot) == 0 else 1.0
    return known * in_position / math.pow(len(folds), 0.7)


def _bet(spot: Spot, rng: random.Random) -> Action:
    """A bet or raise of 33 to 120 % of the pot after the call, by street."""
    called = spot.hero.bet_chips + spot.to_call_chips
    return _raise_to(spot, called + rng.choice(_SIZES[spot.street]) * (spot.pot_chips + spot.to_call_chips))


def _raised_last_preflop(spot: Spot) -> bool:
    """Whether the last raise before the flop was this player's."""
    raisers = [
        move.past.seat
        for move in moves(spot.actions, spot.big_blind_chips)
        if move.is_raise and move.past.street is Street.PREFLOP
    ]
    return raisers[-1:] == [spot.hero_seat]


def _name_at(spot: Spot, seat: int) -> str:
    """Who sits there."""
    return next(player.name for player in spot.players if player.seat == seat)
