"""The facts of a spot: every number and word that a decision may lean on, computed so that nobody has to guess."""

from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from agent.poker import draws as postflop
from agent.poker.cards import format_cards, pretty_cards
from agent.poker.hands import RANK_NAMES, describe_holding
from agent.poker.line import Move, line, moves, pot_type
from agent.poker.odds import contestable_pot, effective_stack, required_equity, stack_to_pot
from agent.poker.positions import opponents_behind, position_names
from agent.poker.ranges import class_of, combo_index
from agent.poker.report import EquityReport
from agent.poker.small_hands import Nutness, nutness
from agent.poker.spot import Spot, Street

_LEVELS: Final = ("a bet", "a raise", "a 3-bet", "a 4-bet or more")
"""What is faced after one raise on a street, two, ... where the first is a bet; the big blind counts as one preflop."""

_ON_TOP: Final = " with a short all-in on top"


@dataclass(frozen=True, slots=True)
class OpponentStack:
    """The most hero can still win from, or lose to, the opponent in this seat, this street's bets included."""

    seat: int
    effective_chips: int


@dataclass(frozen=True, slots=True)
class Facts:
    """What is true of a spot. Chips are whole numbers; equities and shares are in [0, 1].

    `opponents` still hold cards; `opponents_behind` of them act after hero on this street. `in_position` says that none
    of them will act after hero on a later street. `spr` is None where there is no pot to compare with.

    `pot_type` is `unopened`, `limped`, `single-raised`, `3-bet` or `4-bet or more` by the betting before the flop, `unknown`
    when it was not seen. `facing` are words for what hero must answer (`nothing`, `the big blind`, `a bet`, `a raise`,
    `a 3-bet`, `a 4-bet or more`, `an all-in`, any of them `with a short all-in on top` where somebody went all-in for less than a
    full raise more, any of them `for your whole stack`), and `facing_fraction` is the size of that bet or raise as a share of the
    pot (`LineAction.pot_fraction`), None where nothing or several are faced, or the bet was not seen. `last_aggressor_seat` bet or raised last
    on any street, None if nobody is known to have; an all-in below a full raise is no aggression.

    `hand_class` names the hand in the words that a reply must echo: `AKo` preflop, `top pair` later. The rest is about the
    board and empty or None without one: `made` tells the hand, `plays` which hole cards its best five need, `kicker` how good a
    kicker is where a hole card is one, `draws` the draws with outs and odds and `draw_kinds` their names, `outs` the cards
    that make at least one of them. `beaten_by` is the share of all unseen holdings that beat hero now, `nut_note` the same in words.
    """

    hole_cards: str
    holding: str
    board: str
    street: str
    position: str
    opponents: int
    opponents_behind: int
    pot_chips: int
    contestable_pot_chips: int
    to_call_chips: int
    required_equity: float
    effective_stack_chips: int
    spr: float | None
    equity: EquityReport
    in_position: bool
    players_dealt: int
    pot_type: str
    facing: str
    facing_fraction: float | None
    last_aggressor_seat: int | None
    effective_stack_bb: float
    stacks: tuple[OpponentStack, ...]
    hand_class: str
    made: str = ""
    plays: str = ""
    kicker: str | None = None
    draws: str | None = None
    draw_kinds: tuple[str, ...] = ()
    outs: int | None = None
    beaten_by: float | None = None
    is_nuts: bool = False
    nut_note: str = ""
    texture: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """The facts as plain values, for records."""
        return asdict(self)


def gather(spot: Spot, equity: EquityReport) -> Facts:
    """The facts of `spot`, whose equity was found before; the hole cards must be known."""
    if spot.hole_cards is None:
        raise ValueError("a spot without hole cards has no facts")
    contestable, effective = contestable_pot(spot), effective_stack(spot)
    names = position_names(tuple(p.seat for p in spot.players), spot.button_seat, spot.big_blind_seat)
    return Facts(
        hole_cards=format_cards(spot.hole_cards),
        holding=describe_holding(spot.hole_cards, spot.board),
        board=format_cards(spot.board),
        street=spot.street,
        position=names[spot.hero_seat],
        opponents=len(spot.opponents),
        opponents_behind=opponents_behind(spot),
        pot_chips=spot.pot_chips,
        contestable_pot_chips=contestable,
        to_call_chips=spot.to_call_chips,
        required_equity=required_equity(spot.to_call_chips, contestable),
        effective_stack_chips=effective,
        spr=stack_to_pot(spot),
        equity=equity,
        in_position=opponents_behind(replace(spot, street=Street.RIVER)) == 0,
        players_dealt=len(spot.players),
        effective_stack_bb=round(effective / spot.big_blind_chips, 1),
        stacks=_stacks(spot),
        **_betting(spot),
        **_cards(spot.hole_cards, spot.board),
    )


def _stacks(spot: Spot) -> tuple[OpponentStack, ...]:
    own = spot.hero.stack_chips + spot.hero.bet_chips
    return tuple(OpponentStack(p.seat, min(own, p.stack_chips + p.bet_chips)) for p in spot.opponents)


def _betting(spot: Spot) -> dict[str, Any]:
    """The facts that the line tells."""
    told = moves(spot.actions, spot.big_blind_chips)
    raised = [move for move in told if move.is_raise]
    facing = _facing(spot, [move for move in raised if move.past.street is spot.street])
    return {
        "pot_type": pot_type(told) if spot.history_complete else "unknown",
        "facing": facing,
        "facing_fraction": None if _ON_TOP in facing else _facing_fraction(spot),
        "last_aggressor_seat": raised[-1].past.seat if raised else None,
    }


def _facing(spot: Spot, raised: list[Move]) -> str:
    """What hero must answer, in words; `raised` are the bets and raises of this street."""
    if not spot.to_call_chips:
        return "nothing"
    preflop, highest = spot.street is Street.PREFLOP, max(spot.players, key=lambda player: player.bet_chips)
    level, bettor = len(raised) + preflop, highest
    if raised:
        # Nobody answers a raise of their own: what is faced then is the short all-in on top of it.
        seat = raised[-1].past.seat
        bettor = next((p for p in spot.players if p.seat == seat != spot.hero_seat), highest)
    elif not preflop or highest.bet_chips > spot.big_blind_chips:
        level += 1  # a bet or raise that was not seen
    if not bettor.stack_chips:
        words = "an all-in"
    else:
        words = "the big blind" if preflop and level == 1 else _LEVELS[min(level, len(_LEVELS)) - 1]
    if bettor.bet_chips < highest.bet_chips and not highest.stack_chips:
        words += _ON_TOP
    return f"{words} for your whole stack" if spot.to_call_chips >= spot.hero.stack_chips else words


def _facing_fraction(spot: Spot) -> float | None:
    street = next((told for told in line(spot) if told.street is spot.street), None)
    sizes = [action.pot_fraction for action in street.actions if action.pot_fraction is not None] if street else []
    return round(sizes[-1], 3) if sizes and spot.to_call_chips else None


def _cards(hole: tuple[int, int], board: tuple[int, ...]) -> dict[str, Any]:
    """The facts that the cards tell."""
    if not board:
        return {"hand_class": class_of(combo_index(*hole))}
    made, drawing, standing = postflop.made_hand(hole, board), postflop.draws(hole, board), nutness(hole, board)
    return {
        "hand_class": str(made.kind),
        "made": str(made),
        "plays": _plays(made),
        "kicker": _kicker(made, board),
        "draws": str(drawing) if drawing.draws else None,
        "draw_kinds": tuple(str(draw.kind) for draw in drawing.draws),
        "outs": len(drawing.outs) if drawing.cards_to_come else None,
        "beaten_by": round(standing.beaten_by / standing.holdings, 4),
        "is_nuts": standing.is_nuts,
        "nut_note": _nut_note(standing),
        "texture": str(postflop.texture(board)),
    }


def _plays(made: postflop.MadeHand) -> str:
    match made.playing:
        case ():
            return "the board plays"
        case (card,):
            return f"only {pretty_cards((card,))} plays"
        case _:
            return "both hole cards play"


def _kicker(made: postflop.MadeHand, board: tuple[int, ...]) -> str | None:
    """The kicker with the number of ranks that would be a better one: those on the board are everybody's."""
    if made.kicker is None:
        return None
    taken = {card >> 2 for card in board} | set(made.value.ranks)
    better = sum(rank not in taken for rank in range(made.kicker + 1, len(RANK_NAMES)))
    return f"{RANK_NAMES[made.kicker]}, " + (f"{better} better possible" if better else "the best possible")


def _nut_note(standing: Nutness) -> str:
    if standing.is_nuts:
        return str(standing)
    ties = f", {standing.ties} tie" if standing.ties else ""
    return f"{standing.beaten_by} of {standing.holdings} holdings beat you{ties}"
