"""How much to raise to before the flop, in big blinds; whoever sends it rounds and clamps it to what is legal."""

from typing import Final

# Below so many big blinds raises get smaller, because they commit; beyond so many they get larger out of position.
_SHORT_BB: Final = 40.0
_DEEP_BB: Final = 200.0
_AFTER_THE_FLOP: Final = ("SB", "BB", "UTG", "HJ", "CO", "BTN")


def open_to_bb(position: str, limpers: int = 0, depth_bb: float = 100.0) -> float:
    """What to open to, or to raise limpers to: 2.5 and one more for each limper, and from the blinds one more.

    >>> open_to_bb("CO"), open_to_bb("BTN", 2), open_to_bb("BB", 1)
    (2.5, 4.5, 4.5)
    """
    first_in = 2.2 if depth_bb <= _SHORT_BB else 2.5
    out_of_position = position in {"SB", "BB"} and limpers > 0
    return first_in + limpers + out_of_position


def three_bet_to_bb(hero: str, opener: str, open_bb: float, callers: int = 0, depth_bb: float = 100.0) -> float:
    """What to re-raise an open to: 3 times in position and 3.8 out of it, and one open more for each caller.

    >>> three_bet_to_bb("BTN", "CO", 2.5), three_bet_to_bb("BB", "BTN", 2.5, callers=1)
    (7.5, 12.0)
    """
    times = 3.0 if in_position(hero, opener) else 3.8
    if depth_bb <= _SHORT_BB:
        times -= 0.5
    elif depth_bb >= _DEEP_BB and times > 3:
        times += 0.4
    return round((times + callers) * open_bb, 2)


def four_bet_to_bb(raise_bb: float, depth_bb: float = 100.0) -> float:
    """What to raise a 3-bet to, or any later raise: 2.3 times, and 2.5 times where stacks are deep.

    >>> four_bet_to_bb(10)
    23.0
    """
    return round((2.5 if depth_bb >= _DEEP_BB else 2.3) * raise_bb, 2)


def in_position(hero: str, other: str) -> bool:
    """Whether hero acts after the other seat once the flop is dealt; heads-up the small blind does.

    >>> in_position("BTN", "BB"), in_position("SB", "BB"), in_position("SB", "BTN/BB")
    (True, False, True)
    """
    if "/" in hero + other:
        return "SB" in hero
    return _AFTER_THE_FLOP.index(hero) > _AFTER_THE_FLOP.index(other)
