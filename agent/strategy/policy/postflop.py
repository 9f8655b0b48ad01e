"""What each action after the flop is worth in chips, against the ranges that opponents have shown.

A bet wins the pot when all fold, else hero's equity in the larger pot against what goes on, less what it costs when
somebody raises. Equity is taken off for the streets to come, most where hero acts first (realisation). Against several
who go on, hero has to beat each of them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2, prod, sqrt

import numpy as np

from agent.poker.line import moves
from agent.poker.odds import contestable_pot, reach, required_equity
from agent.poker.positions import opponents_behind
from agent.poker.spot import Action, Player, Spot, Street, Verb
from agent.strategy.policy.options import Option
from agent.strategy.policy.parameters import PolicyParameters
from agent.strategy.policy.responses import Answer, Bettor, Weights, answer, fold_rate, places_in
from agent.strategy.policy.stakes import Stakes
from agent.strategy.statistics import PRIORS, Statistics

_STREET_WEIGHT = {Street.PREFLOP: 1.0, Street.FLOP: 0.75, Street.TURN: 0.4, Street.RIVER: 0.0}

_LEAST_AGGRESSION = 0.1

_FULL_DOUBT = 5.0
"""The discounts of calls count fully where hero's equity differs by 0.2 over a range, as it usually does."""


@dataclass(frozen=True, slots=True)
class Board:
    """What the numbers of a spot rest on.

    `ranges` are the weights (1326,) of each live opponent by seat, `versus` hero's equity against each holding, NaN for
    impossible ones, `strength` the place of each holding among all on this board, and `has_draw` whether hero has a
    flush or straight draw.
    """

    spot: Spot
    ranges: Mapping[int, Weights]
    versus: Weights
    strength: Weights
    statistics: Mapping[int, Statistics]
    has_draw: bool = False


def equity_against(weights: Weights, versus: Weights) -> float:
    """Hero's equity against one weighted range; 0.5 against an empty one."""
    total = float(weights.sum())
    return float(np.dot(weights, versus) / total) if total > 0 else 0.5


def spread_against(weights: Weights, versus: Weights) -> float:
    """The standard deviation of hero's equity over the holdings of a range."""
    return sqrt(max(0.0, equity_against(weights, versus**2) - equity_against(weights, versus) ** 2))


def values(board: Board, actions: Sequence[Action], parameters: PolicyParameters) -> tuple[tuple[Option, ...], float]:
    """The worth of each of `actions`, in their order, and hero's equity against the ranges as they are believed."""
    table = _Table(board, parameters)
    return tuple(table.value(action) for action in actions), table.equity


class _Table:
    """The spot with what several of its actions need, worked out once."""

    def __init__(self, board: Board, parameters: PolicyParameters) -> None:
        self._board, self._parameters = board, parameters
        self._spot = spot = board.spot
        self._versus = np.nan_to_num(board.versus)
        self._opponents = spot.opponents
        told = [m for m in moves(spot.actions, spot.big_blind_chips) if m.past.street is spot.street]
        self._raises = sum(move.is_raise for move in told)
        self._before = {
            player.seat: Bettor(
                raises=sum(move.is_raise and move.past.seat == player.seat for move in told),
                called_all_in=any(m.past.seat == player.seat and m.past.verb is Verb.ALL_IN for m in told),
            )
            for player in self._opponents
        }
        self._limpers = {m.past.seat for m in told if not m.raises_before and m.past.verb is Verb.CALL}
        self._is_last = opponents_behind(spot) == 0
        self._ranges = {player.seat: self._believed(player.seat) for player in self._opponents}
        self._places = {seat: places_in(weights, board.strength) for seat, weights in self._ranges.items()}
        self._equities = {seat: equity_against(weights, self._versus) for seat, weights in self._ranges.items()}
        self._stakes = Stakes.of(spot)
        self.equity = self._all(self._equities.values())

    def _believed(self, seat: int) -> Weights:
        """An opponent's range; after the flop one who has bet on this street holds more of its better part than read."""
        weights, parameters = self._board.ranges[seat], self._parameters
        if not self._spot.board or not self._before[seat].raises:
            return weights
        usual, own = PRIORS["aggression"].rate, self._board.statistics[seat].shrunk("aggression")
        respect = parameters.bet_respect * (usual / max(_LEAST_AGGRESSION, own)) ** parameters.passive_respect
        return np.asarray(weights * places_in(weights, self._board.strength) ** respect)

    def value(self, action: Action) -> Option:
        match action.verb:
            case Verb.FOLD:
                return Option(action, 0.0)
            case Verb.CHECK:
                return self._check(action)
            case Verb.CALL:
                return self._call(action)
            case Verb.ALL_IN:
                total = self._spot.hero.bet_chips + self._spot.hero.stack_chips
                highest = max(player.bet_chips for player in self._spot.players)
                return self._call(action) if total <= highest else self._raise(action, total)
            case Verb.RAISE:
                return self._raise(action, action.raise_to_chips or 0)

    def _check(self, action: Action) -> Option:
        equity = self.equity
        kept = self._realised(equity, aggressor=False) + self._parameters.check_back * equity
        return Option(action, kept * self._spot.pot_chips, None, equity)

    def _call(self, action: Action) -> Option:
        spot, parameters = self._spot, self._parameters
        cost = min(spot.to_call_chips, spot.hero.stack_chips)
        pot = contestable_pot(spot)
        deep_bb = (pot + cost) / spot.big_blind_chips
        deep = min(1.0, parameters.deep_discount * max(0.0, log2(max(1.0, deep_bb / 100))))
        doubt, discount = self._doubt(), self._call_discount(cost, pot)
        is_over = spot.street is Street.RIVER or self._is_all_in_after(cost)
        equities = self._equities_called(cost)

        def share(equity: float) -> float:
            believed = max(0.0, equity - doubt * (equity * deep + discount))
            return believed if is_over else self._realised(believed, aggressor=False)

        won = self._won({spot.hero_seat: cost}, equities, share)
        return Option(action, won - cost, None, self._all(equities.values()))

    def _equities_called(self, cost: int) -> Mapping[int, float]:
        """Hero's equity against each opponent after a call; before the flop those behind who fold to the bet count for as much less."""
        spot = self._spot
        if spot.board:
            return self._equities
        highest = spot.hero.bet_chips + cost
        acted = {past.seat for past in spot.actions}
        behind = {p.seat: p for p in self._opponents if p.stack_chips and p.bet_chips < highest and p.seat not in acted}
        stays = {seat: 1 - self._preflop_fold(player, highest) for seat, player in behind.items()}
        return {seat: equity ** stays.get(seat, 1.0) for seat, equity in self._equities.items()}

    def _won(self, added: Mapping[int, int], equities: Mapping[int, float], share: Callable[[float], float]) -> float:
        """What hero wins on average of all pots against these opponents; `share` turns equity into what is won of a pot."""
        layers = self._stakes.layers(added, tuple(equities))
        return sum(
            chips * (share(self._all(equities[seat] for seat in rivals)) if rivals else 1.0) for chips, rivals in layers
        )

    def _doubt(self) -> float:
        """How much it matters that ranges may be misread: 0 where every holding leaves hero the same equity, at most 1."""
        spreads = (spread_against(weights, self._versus) for weights in self._ranges.values())
        return min(1.0, _FULL_DOUBT * max(spreads, default=0.0))

    def _call_discount(self, cost: int, pot: int) -> float:
        """The equity by which calls of this kind were found to be over-estimated."""
        spot, parameters = self._spot, self._parameters
        before = max(1, pot - cost)
        discount = parameters.call_margin + (parameters.river_discount if spot.street is Street.RIVER else 0.0)
        if cost >= 0.6 * spot.hero.stack_chips:
            discount += parameters.all_in_discount
        return discount + parameters.overbet_discount * max(0.0, min(2.5, cost / before) - 1.5)

    def _raise(self, action: Action, total: int) -> Option:
        spot = self._spot
        matched = spot.hero.bet_chips + spot.to_call_chips
        pots = (min(total, reach(spot)) - matched) / max(1, spot.pot_chips + spot.to_call_chips)
        answers = {player.seat: self._answer(player, total, pots) for player in self._opponents}
        all_fold = prod(answers[player.seat].fold for player in self._opponents if player.stack_chips)
        called, equity = self._called(answers, total)
        value = all_fold * self._against(total, (), answers)[0] + (1 - all_fold) * called
        return Option(action, value, all_fold, equity, self._is_braked(pots, equity, answers))

    def _answer(self, player: Player, total: int, pots: float) -> Answer:
        board, spot = self._board, self._spot
        weights = self._ranges[player.seat]
        if not player.stack_chips:
            return Answer(0.0, weights, 0.0)
        if spot.street is Street.PREFLOP:
            folds = min(self._preflop_fold(player, total), self._most_folds(player, total))
            return answer(weights, self._places[player.seat], folds, spot.street, self._parameters)
        folds = fold_rate(
            board.statistics[player.seat],
            spot.street,
            min(pots, (player.stack_chips + player.bet_chips) / max(1, spot.pot_chips)),
            is_raise=self._raises > 0,
            before=self._before[player.seat],
            parameters=self._parameters,
        )
        found = answer(weights, self._places[player.seat], folds, spot.street, self._parameters)
        weak = self._parameters.raised_before_weak
        if not self._before[player.seat].raises or folds >= weak:
            return found
        # Who has bet folds less than the weak part of the range, but hero is not to count on being paid by it.
        paying = answer(weights, self._places[player.seat], weak, spot.street, self._parameters)
        return Answer(found.fold, paying.continuing, found.raising)

    def _most_folds(self, player: Player, total: int) -> float:
        """The most that a player folds to a raise to `total`, by the price that it offers: nobody folds for next to nothing."""
        hero, bet = self._spot.hero, min(total, player.stack_chips + player.bet_chips)
        price = required_equity(max(0, bet - player.bet_chips), self._spot.pot_chips + bet - hero.bet_chips)
        return self._parameters.price_folds * price

    def _preflop_fold(self, player: Player, total: int) -> float:
        """How often a player gives up to a raise before the flop, by what they have done in it and their statistics."""
        own = self._board.statistics[player.seat]
        size_bb = total / self._spot.big_blind_chips
        if self._before[player.seat].raises:
            return float(min(0.95, own.shrunk("fold_to_three_bet") * (size_bb / 9) ** 0.2))
        if self._raises:
            return 1 - min(0.6, 1.5 * own.shrunk("three_bet") + 0.15 * own.shrunk("vpip"))
        plays = own.shrunk("vpip") * (2.5 / max(1.0, size_bb)) ** 0.35
        has_limped = player.bet_chips >= self._spot.big_blind_chips and player.seat in self._limpers
        return 1 - float(min(0.9, 0.55 * (4 / max(1.0, size_bb)) ** 0.5 if has_limped else plays))

    def _called(self, answers: Mapping[int, Answer], total: int) -> tuple[float, float]:
        """What the raise is worth when not all fold, and hero's equity then, over who goes on: one, or the likeliest two.

        Whoever is all-in stays in beside them.
        """
        stays = {player: 1 - answers[player.seat].fold for player in self._opponents if player.stack_chips}
        none = prod(1 - share for share in stays.values())
        chances: list[tuple[tuple[Player, ...], float]] = [
            ((caller,), share * none / max(1e-9, 1 - share)) for caller, share in stays.items()
        ]
        rest = max(0.0, 1 - none - sum(chance for _, chance in chances))
        if len(stays) > 1:
            likeliest = sorted(stays, key=lambda player: -stays[player])[:2]
            chances.append((tuple(likeliest), rest))
        worth = weight = equity_sum = 0.0
        for callers, chance in chances:
            value, equity = self._against(total, callers, answers)
            worth, equity_sum, weight = worth + chance * value, equity_sum + chance * equity, weight + chance
        if weight <= 0:
            return 0.0, 0.5
        return worth / weight, equity_sum / weight

    def _against(self, total: int, callers: Sequence[Player], answers: Mapping[int, Answer]) -> tuple[float, float]:
        """The worth of a raise to `total` that these players go on against, and hero's equity then; all-in players stay in."""
        spot, hero = self._spot, self._spot.hero
        staying = (*callers, *(player for player in self._opponents if not player.stack_chips))
        equities = {p.seat: equity_against(answers[p.seat].continuing, self._versus) for p in staying}
        deepest = max((p.bet_chips + p.stack_chips for p in staying), default=hero.bet_chips)
        matched = min(total, deepest)
        cost = max(0, matched - hero.bet_chips)
        added = {p.seat: min(p.stack_chips, max(0, matched - p.bet_chips)) for p in callers} | {spot.hero_seat: cost}
        left = min(hero.stack_chips - cost, deepest - matched) if callers else 0
        is_over = spot.street is Street.RIVER or left <= 0

        def share(equity: float) -> float:
            return equity if is_over else self._realised(equity, aggressor=True)

        calls = self._won(added, equities, share) - cost
        equity = self._all(equities.values())
        raising = self._parameters.raise_back * max(answers[p.seat].raising for p in callers) if left > 0 else 0.0
        if not raising:
            return calls, equity
        # A raise of about three times: hero gives up, or goes on where the squared equity pays for it.
        pot, more = spot.pot_chips + sum(added.values()), min(left, 2 * cost)
        raised = max(-cost, equity**2 * (pot + 2 * more) - cost - more)
        return (1 - raising) * calls + raising * raised, equity

    def _is_braked(self, pots: float, equity: float, answers: Mapping[int, Answer]) -> bool:
        """Whether a bet or raise is of a kind that bots are known to lose with."""
        spot, parameters = self._spot, self._parameters
        if not spot.board:
            return equity < parameters.preflop_raise_equity
        even, needed = 1 / (len(answers) + 1), 0.0
        if self._raises >= 2:
            needed = parameters.third_raise_equity
        elif self._raises == 1 and spot.street is Street.RIVER:
            needed = parameters.river_raise_equity
        if pots > parameters.overbet_pots:
            needed = max(needed, parameters.overbet_equity)
        is_bluff = equity < parameters.bluff_equity * even
        too_many = is_bluff and len(answers) > parameters.bluff_opponents
        too_large = pots > parameters.largest_pots
        return equity < needed or too_many or too_large

    def _realised(self, equity: float, *, aggressor: bool) -> float:
        """The share of the pot that an equity comes to once the streets to come are played, after SvanBot's curve."""
        parameters = self._parameters
        position = 1.0 if self._is_last else 1.0 - parameters.position_bonus
        curve = (0.4 + 1.2 * equity - 0.55 * equity**2) * position - 1
        factor = 1 + curve * parameters.realisation * _STREET_WEIGHT.get(self._spot.street, 0.0)
        if aggressor:
            factor = min(1.1, factor + parameters.aggressor_bonus)
        if self._board.has_draw and self._spot.street is not Street.RIVER:
            factor += parameters.draw_bonus
        return equity * factor

    def _is_all_in_after(self, cost: int) -> bool:
        spot = self._spot
        return cost >= spot.hero.stack_chips or all(not player.stack_chips for player in self._opponents)

    def _all(self, equities: Iterable[float]) -> float:
        """Hero's equity against several, from that against each."""
        found = list(equities)
        if not found:
            return 1.0
        return prod(found) ** (1.0 if len(found) == 1 else self._parameters.multiway_exponent)
