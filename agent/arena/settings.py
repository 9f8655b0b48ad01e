"""What a local venue can be set to. Every default is what the live venue was last seen to do, without its pauses."""

from dataclasses import dataclass

from agent.arena.dealer import MAX_SEATS


@dataclass(frozen=True, slots=True)
class ArenaSettings:
    """The rules and timings of one arena; `ValueError` for settings that no table can be run with.

    `pace_s` is the pause after every action (3.0 on the live venue). `max_hands` None deals for ever.
    `max_messages_per_s` None switches the limit off. `whole_board` sends the board so far with each street, else
    the new cards alone. Ports of 0 take any free port.
    """

    seed: int = 0
    seats: int = MAX_SEATS
    small_blind_chips: int = 10
    big_blind_chips: int = 20
    heads_up_button_posts_small_blind: bool = False
    min_buy_in_chips: int = 1_000
    max_buy_in_chips: int = 5_000
    default_buy_in_chips: int = 2_000
    start_chips: int = 5_000
    rebuy_chips: int = 1_500
    max_hands: int | None = None
    max_missed_hands: int = 3
    action_clock_s: float = 45.0
    pace_s: float = 0.0
    between_hands_s: float = 0.0
    matchmaking_s: float = 0.0
    seat_hold_s: float = 120.0
    whole_board: bool = True
    max_messages_per_s: int | None = 20
    retained_events: int = 256
    host: str = "127.0.0.1"
    ws_port: int = 0
    api_port: int = 0

    def __post_init__(self) -> None:
        """Refuse settings that contradict each other."""
        if not 2 <= self.seats <= MAX_SEATS:
            raise ValueError(f"{self.seats} seats: expected 2 to {MAX_SEATS}")
        if not 0 < self.small_blind_chips <= self.big_blind_chips:
            raise ValueError(f"blinds {self.small_blind_chips}/{self.big_blind_chips}: the small one comes first")
        low, default, high = self.min_buy_in_chips, self.default_buy_in_chips, self.max_buy_in_chips
        if not self.big_blind_chips <= low <= default <= high:
            raise ValueError(f"buy-ins {low}/{default}/{high}: at least the big blind, and in rising order")
