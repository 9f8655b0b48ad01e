"""Every number of the betting policy that is a belief and not a fact, in one table."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PolicyParameters:
    """What the policy believes of a soft six-max field. Shares and equities are in [0, 1], sizes in pots or big blinds.

    fold_scale: how far the fold rates of opponents are taken at their word, 1 fully
    size_exponent: how much less of a bet is called the larger it is
    raised_before_fold: the most that a player who has bet on this street folds to a raise of usual size, before it falls
        with each raise of theirs
    raised_before_weak: the part of such a player's range that is not counted on to pay a raise, even where fewer fold
    bet_respect: how far the range of such a player is moved to its better part, 0 not at all
    passive_respect: the power to which that grows with the usual aggression over the player's own
    facing_raise_fold: by how much more a raise is folded to than a bet
    soft_edge: how gradually hands go from folding to continuing, as a share of the range
    realisation: how far equity is discounted for streets to come, 0 not at all
    position_bonus: the part of that discount which comes from acting first
    aggressor_bonus: what having bet or raised last adds to the share of equity that is realised
    draw_bonus: the same for a flush or straight draw with cards to come
    multiway_exponent: below 1, hands that beat one opponent beat the next one more often than by chance
    raise_back: how far being raised after a bet is feared, 1 fully
    check_back: what checking keeps of the pot's future bets, as a share of hero's equity in the pot
    all_in_discount: equity taken off a call that is all-in or for most of the stack
    overbet_discount: equity taken off, for each pot of the bet beyond one and a half
    deep_discount: the part of the equity taken off for each doubling of the pot beyond 100 big blinds
    river_discount: equity taken off every call on the river
    third_raise_equity: the equity that a third raise on a street needs
    river_raise_equity: the equity that a raise of a bet on the river needs
    overbet_pots: bets and raises after the flop of more pots need a hand that is near the nuts
    overbet_equity: the equity against what goes on that such a hand has
    largest_pots: the most pots that a bet or raise after the flop has: larger ones are paid by better hands only
    bluff_opponents: how many opponents a bet may have without equity of its own
    bluff_equity: below so much of an even share a bet counts as a bluff
    mixing: EVs within so much of the pot are mixed
    call_margin: the equity beyond the price that a call must have
    isolation_bb: what each limper adds to an open raise
    push_bb: effective stacks up to here push or fold before the flop
    steal_defence: how much more often than their VPIP says players go on against an open raise with any two cards
    chart_raise_bb: before the flop the charts answer a first raise up to this size; a larger one is priced
    chart_stack_share: they answer no raise of a larger share of the effective stack, but for the pushes of short stacks
    preflop_raise_equity: where raises before the flop are priced, the equity against what goes on that they need
    price_folds: before the flop nobody folds more often than so many times the equity that their call needs
    cheap_price: before the flop a call that ends the betting is decided by its price, where it needs no more equity
    """

    fold_scale: float = 0.9
    size_exponent: float = 0.55
    raised_before_fold: float = 0.35
    raised_before_weak: float = 0.6
    bet_respect: float = 0.3
    passive_respect: float = 1.0
    facing_raise_fold: float = 0.06
    soft_edge: float = 0.12
    realisation: float = 0.4
    position_bonus: float = 0.1
    aggressor_bonus: float = 0.03
    draw_bonus: float = 0.05
    multiway_exponent: float = 0.92
    raise_back: float = 1.0
    check_back: float = 0.0
    all_in_discount: float = 0.03
    overbet_discount: float = 0.06
    deep_discount: float = 0.06
    river_discount: float = 0.02
    third_raise_equity: float = 0.6
    river_raise_equity: float = 0.6
    overbet_pots: float = 1.6
    overbet_equity: float = 0.85
    largest_pots: float = 2.5
    bluff_opponents: int = 1
    bluff_equity: float = 0.8
    mixing: float = 0.008
    call_margin: float = 0.01
    isolation_bb: float = 1.0
    push_bb: float = 12.0
    steal_defence: float = 1.4
    chart_raise_bb: float = 12.0
    chart_stack_share: float = 0.4
    preflop_raise_equity: float = 0.5
    price_folds: float = 2.2
    cheap_price: float = 0.38
