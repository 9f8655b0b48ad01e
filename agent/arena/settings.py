"""What a local venue can be set to. Every default is what the live venue was last seen to do, without its pauses."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final

from agent.arena.game.dealer import MAX_SEATS
from agent.arena.modes import Format, Pace
from agent.arena.wire.dialect import Dialect

SEASON_S: Final = 14 * 24 * 3_600.0


@dataclass(frozen=True, slots=True)
class ArenaSettings:
    """The rules and timings of one arena; `ValueError` for settings that no table can be run with.

    seed: draws every card, id and house player
    tables: how many may be open at once
    seats: chairs at a table, 2 to 6
    clients_per_table: how many of them clients may take; None allows all
    max_hands: after so many hands at all tables together no more are dealt; None deals for ever
    format: `cash`, or `freezeout`: equal stacks and rising blinds until one player is left
    small_blind_chips: of a cash game
    big_blind_chips: of a cash game
    heads_up_button_posts_small_blind: the usual rule; the live venue was seen to have the button post the big blind
    min_buy_in_chips: least that a client may sit down with, and below which a rebuy is allowed
    max_buy_in_chips: most that a client may sit down with
    default_buy_in_chips: for a wish that is missing or out of bounds, and for house players
    start_chips: balance at the start of a season
    rebuy_chips: credited by a rebuy
    rebuy_penalty_chips: taken off the score by every rebuy (1500 until spring 2026)
    rebuy_cooldown_s: between two rebuys; the first of a season is instant
    competition_rebuys: allowed in a private competition
    max_missed_hands: missed in a row, a client loses its seat
    action_clock_s: from `your_turn` to the automatic check or fold (120 until summer 2026)
    pace_s: pause after every action (3.0 on the live venue)
    between_hands_s: pause between hands (5.0 on the live venue)
    matchmaking_s: from `join_lobby` to the seat (about 10 on the live venue)
    seat_hold_s: how long a disconnected client keeps its seat
    close_idle_table_s: a table with one player left closes after so long; None leaves it open
    leave_folds_at_once: whether the turns of somebody who leaves in mid-hand are folded, or wait for an answer
    season_s: length of a season; None never ends one
    wind_down_s: no hands and no joins so long before its end
    season_number: of the first season
    max_messages_per_s: of one connection; None switches the limit off
    max_connections_per_min: of one address; None switches the limit off. Local clients share their address
    limits_rest_calls: whether the venue's limits on REST calls hold
    query_token: whether `?token=` is accepted beside the header, for the public league
    takeover_close_code: what an older socket of the same client is closed with
    retained_events: public events of a table that a resync can replay
    retained_hands: of one client, for its hand history
    starting_stack_chips: of a freeze-out, and the price of its entry
    registration_s: of a freeze-out, from the first client to the first hand, unless all chairs are taken before
    hands_per_level: of a freeze-out, until the blinds rise
    host: address to listen on
    port: to listen on; 0 takes a free one
    dialect: how the wire is spelled where sources differ
    """

    seed: int = 0
    tables: int = 1
    seats: int = MAX_SEATS
    clients_per_table: int | None = None
    max_hands: int | None = None
    format: Format = Format.CASH
    small_blind_chips: int = 10
    big_blind_chips: int = 20
    heads_up_button_posts_small_blind: bool = False
    min_buy_in_chips: int = 1_000
    max_buy_in_chips: int = 5_000
    default_buy_in_chips: int = 2_000
    start_chips: int = 5_000
    rebuy_chips: int = 1_500
    rebuy_penalty_chips: int = 0
    rebuy_cooldown_s: float = 300.0
    competition_rebuys: int = 0
    max_missed_hands: int = 3
    action_clock_s: float = 45.0
    pace_s: float = 0.0
    between_hands_s: float = 0.0
    matchmaking_s: float = 0.0
    seat_hold_s: float = 120.0
    close_idle_table_s: float | None = 60.0
    leave_folds_at_once: bool = False
    season_s: float | None = SEASON_S
    wind_down_s: float = 300.0
    season_number: int = 1
    max_messages_per_s: int | None = 20
    max_connections_per_min: int | None = None
    limits_rest_calls: bool = False
    query_token: bool = True
    takeover_close_code: int = 4000
    retained_events: int = 256
    retained_hands: int = 200
    starting_stack_chips: int = 2_000
    registration_s: float = 2.0
    hands_per_level: int = 10
    host: str = "127.0.0.1"
    port: int = 0
    dialect: Dialect = field(default_factory=Dialect)

    def __post_init__(self) -> None:
        """Refuse settings that contradict each other."""
        self._check_numbers()
        if not 2 <= self.seats <= MAX_SEATS:
            raise ValueError(f"{self.seats} seats: expected 2 to {MAX_SEATS}")
        if self.clients_per_table is not None and not 1 <= self.clients_per_table <= self.seats:
            raise ValueError(f"{self.clients_per_table} clients_per_table: expected 1 to {self.seats}")
        if self.tables < 1:
            raise ValueError(f"{self.tables} tables: at least one")
        if not 0 < self.small_blind_chips <= self.big_blind_chips:
            raise ValueError(f"blinds {self.small_blind_chips}/{self.big_blind_chips}: the small one comes first")
        low, default, high = self.min_buy_in_chips, self.default_buy_in_chips, self.max_buy_in_chips
        if not self.big_blind_chips <= low <= default <= high:
            raise ValueError(f"buy-ins {low}/{default}/{high}: at least the big blind, and in rising order")
        if self.season_s is not None and self.wind_down_s >= self.season_s:
            raise ValueError(f"wind_down_s {self.wind_down_s:g}: less than season_s, which is {self.season_s:g}")

    @property
    def most_clients(self) -> int:
        """How many clients a table takes."""
        return self.clients_per_table or self.seats

    @property
    def least_entry_chips(self) -> int:
        """What a seat costs at least; with less off the table a rebuy is allowed."""
        return self.starting_stack_chips if self.format is Format.FREEZEOUT else self.min_buy_in_chips

    @property
    def rebuy_credit_chips(self) -> int:
        """What a rebuy credits: enough for a seat in any format."""
        return max(self.rebuy_chips, self.starting_stack_chips) if self.format is Format.FREEZEOUT else self.rebuy_chips

    def _check_numbers(self) -> None:
        """Refuse numbers that are no number, negative, or zero where nothing would ever happen."""
        for setting in fields(self):
            value = getattr(self, setting.name)
            if isinstance(value, bool) or not isinstance(value, int | float):
                continue
            is_too_small = value <= 0 if setting.name in _POSITIVE else value < 0
            if is_too_small or not math.isfinite(value):
                raise ValueError(f"{setting.name} {value}: expected a number{_more_than_zero(setting.name)}")
        if not (self.takeover_close_code in range(3_000, 5_000) or self.takeover_close_code in (1_000, 1_001, 1_008)):
            raise ValueError(
                f"takeover_close_code {self.takeover_close_code}: expected 1000, 1001, 1008 or 3000 to 4999"
            )


# With nothing of these nothing would ever happen.
_POSITIVE: Final = frozenset(
    {"tables", "action_clock_s", "season_s", "max_messages_per_s", "max_connections_per_min", "starting_stack_chips"}
    | {"hands_per_level", "start_chips", "rebuy_chips", "close_idle_table_s", "max_missed_hands"}
)


def _more_than_zero(name: str) -> str:
    return " above 0" if name in _POSITIVE else ", 0 or more"


def describe_settings() -> list[tuple[str, object, str]]:
    """Name, default and meaning of every setting but the dialect, in their order."""
    meanings = dict(_MEANING.findall(ArenaSettings.__doc__ or ""))
    return [(s.name, s.default, meanings[s.name]) for s in fields(ArenaSettings) if s.name != "dialect"]


_MEANING: Final = re.compile(r"^    (\w+): (.+)$", re.MULTILINE)

# Without pauses and limits; and as the live venue was seen in September 2026.
PACES: Final[Mapping[Pace, Mapping[str, Any]]] = {
    Pace.FAST: {"max_messages_per_s": None, "rebuy_cooldown_s": 0.0},
    Pace.LIVE: {
        "pace_s": 3.0,
        "between_hands_s": 5.0,
        "matchmaking_s": 10.0,
        "max_connections_per_min": 10,
        "limits_rest_calls": True,
    },
}
