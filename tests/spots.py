"""Spots to decide, written by hand."""

from agent.poker.cards import parse_cards
from agent.poker.spot import LegalActions, PastAction, Player, Spot, Street, Verb

BOARDS = {"preflop": "", "flop": "7h2cKs", "turn": "7h2cKs3d", "river": "7h2cKs3d9c"}


def with_players(
    stacks: dict[int, int],
    *,
    button: int,
    hero: int = 0,
    street: str = "preflop",
    folded: tuple[int, ...] = (),
    pot: int = 30,
    bets: dict[int, int] | None = None,
    legal: LegalActions | None = None,
    hole: str = "AsKd",
    actions: tuple[PastAction, ...] = (),
) -> Spot:
    """A spot with these stacks by seat."""
    cards = parse_cards(hole)
    return Spot(
        table_id="t-1",
        hand_id="h-1",
        street=Street(street),
        hero_seat=hero,
        hole_cards=(cards[0], cards[1]) if cards else None,
        board=parse_cards(BOARDS[street]),
        button_seat=button,
        small_blind_chips=10,
        big_blind_chips=20,
        pot_chips=pot,
        legal=legal or LegalActions(fold=True, check=True, min_raise_to_chips=20, max_raise_to_chips=stacks[hero]),
        players=tuple(
            Player(seat, f"name {seat}", stack, (bets or {}).get(seat, 0), seat in folded)
            for seat, stack in sorted(stacks.items())
        ),
        actions=actions,
    )


def heads_up(*, street: str = "preflop", button: int = 3, pot: int = 40, stack: int = 1_000) -> Spot:
    """Seats 0 (hero) and 3, nothing to call."""
    legal = LegalActions(fold=True, check=True, min_raise_to_chips=20, max_raise_to_chips=stack, all_in=True)
    return with_players({0: stack, 3: stack}, button=button, street=street, pot=pot, legal=legal)


def facing_a_raise(
    *, hero_stack: int = 1_000, villain_bet: int = 60, pot: int = 90, call: int | None = 60, hole: str = "AsKd"
) -> Spot:
    """Hero on the button (seat 0) with nothing in, the blinds folded, seat 3 has bet."""
    big_enough = call is not None and hero_stack > villain_bet
    return with_players(
        {0: hero_stack, 1: 990, 2: 980, 3: 2_000},
        button=0,
        folded=(1, 2),
        pot=pot,
        bets={1: 10, 2: 20, 3: villain_bet},
        hole=hole,
        legal=LegalActions(
            fold=True,
            call_chips=call,
            min_raise_to_chips=min(hero_stack, 2 * villain_bet) if big_enough else None,
            max_raise_to_chips=hero_stack if big_enough else None,
            all_in=True,
        ),
        actions=(
            PastAction(3, Street.PREFLOP, Verb.RAISE, villain_bet, villain_bet),
            PastAction(1, Street.PREFLOP, Verb.FOLD, 0, 10),
            PastAction(2, Street.PREFLOP, Verb.FOLD, 0, 20),
        ),
    )
