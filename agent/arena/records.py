"""What an arena tells its local audience: whole hands, and how each client fared."""

from dataclasses import dataclass

from agent.poker.spot import PastAction


@dataclass(frozen=True, slots=True)
class HandRecord:
    """A hand that was played, with every hole card: for local eyes only. Mappings are by seat, stacks in chips."""

    number: int
    hand_id: str
    button_seat: int
    small_blind_chips: int
    big_blind_chips: int
    names: dict[int, str]
    hole_cards: dict[int, tuple[int, int]]
    board: tuple[int, ...]
    actions: tuple[PastAction, ...]
    start_stacks: dict[int, int]
    final_stacks: dict[int, int]
    payouts: dict[int, int]
    table_id: str = ""


@dataclass(frozen=True, slots=True)
class ClientStats:
    """How a client answered.

    Turns offered (`prompts`), actions taken and refused, turns missed, turns that were answered and then answered
    again with another action (`repeated`), and hands dealt to it.
    """

    prompts: int = 0
    accepted: int = 0
    rejected: int = 0
    timeouts: int = 0
    repeated: int = 0
    hands: int = 0
