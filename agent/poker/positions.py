"""Where a player sits: position names by distance from the button, and who acts after whom.

The blinds are the next two dealt seats after the button. Heads-up that makes the button the big blind at the
venue, while elsewhere the button posts the small one; `big_blind_seat` tells which rule a hand follows.
"""

from typing import Final

from agent.poker.spot import Spot, Street

_BETWEEN: Final = {3: (), 4: ("CO",), 5: ("HJ", "CO"), 6: ("UTG", "HJ", "CO")}


def order_from_button(seats: tuple[int, ...], button_seat: int) -> tuple[int, ...]:
    """The dealt seats clockwise, the first one after the button first and the button last.

    >>> order_from_button((0, 2, 3, 5), 3)
    (5, 0, 2, 3)
    """
    return tuple(sorted(seats, key=lambda seat: (seat <= button_seat, seat)))


def blinds_then_others(seats: tuple[int, ...], button_seat: int, big_blind_seat: int | None = None) -> tuple[int, ...]:
    """The dealt seats from the small blind on: small blind, big blind, and whoever acts after them.

    >>> blinds_then_others((1, 4), 4), blinds_then_others((1, 4), 4, big_blind_seat=1)
    ((1, 4), (4, 1))
    """
    order = order_from_button(seats, button_seat)
    return order[::-1] if len(order) == 2 and big_blind_seat == order[0] else order


def position_names(seats: tuple[int, ...], button_seat: int, big_blind_seat: int | None = None) -> dict[int, str]:
    """The position of each of 2 to 6 dealt seats: SB, BB, UTG, HJ, CO, BTN; heads-up the button has two names.

    >>> position_names((0, 1, 2, 3), 0)
    {1: 'SB', 2: 'BB', 3: 'CO', 0: 'BTN'}
    >>> position_names((0, 3), 0)
    {3: 'SB', 0: 'BTN/BB'}
    """
    order = blinds_then_others(seats, button_seat, big_blind_seat)
    if len(order) == 2:
        return {
            seat: f"BTN/{blind}" if seat == button_seat else blind
            for seat, blind in zip(order, ("SB", "BB"), strict=True)
        }
    return dict(zip(order, ("SB", "BB", *_BETWEEN[len(order)], "BTN"), strict=True))


def acting_order(spot: Spot) -> tuple[int, ...]:
    """The dealt seats in the order in which they act on this street, folded ones included.

    Preflop the seat after the big blind begins. Later the small blind does, except heads-up: there the big blind.
    """
    seats = tuple(player.seat for player in spot.players)
    order = blinds_then_others(seats, spot.button_seat, spot.big_blind_seat)
    if spot.street is Street.PREFLOP:
        return order[2:] + order[:2]
    return order[::-1] if len(order) == 2 else order


def opponents_behind(spot: Spot) -> int:
    """How many opponents with cards and chips come after hero in this street's order: hero's position in one number.

    0 is the best seat: everybody else acts first.
    """
    order = acting_order(spot)
    behind = order[order.index(spot.hero_seat) + 1 :]
    return sum(1 for player in spot.opponents if player.seat in behind and player.stack_chips > 0)
