"""How the venue spells what its documents and recordings tell differently, or do not tell.

Every switch of `Dialect` stands for one such place; its default is what this project takes for the live venue, and
what the arena says unless told otherwise.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, Literal, TypeVar, get_args, get_origin, get_type_hints

from agent.arena.wire.rehash import rehashed
from agent.openpoker.frames import Frame

Setting = bool | str | None

_Choice = TypeVar("_Choice", bound=Setting)

_RAISE_BOUNDS: Final = frozenset({"min_raise", "max_raise", "min_raise_to", "max_raise_to"})
_LOW_BALANCE_CODES: Final = frozenset({"insufficient_funds", "insufficient_season_chips"})
_CHIPS: Final = _RAISE_BOUNDS | {
    *("amount", "min", "max", "bet", "stack", "small_blind", "big_blind", "to_call", "to_call_before"),
    *("pot", "pot_before", "pot_after", "total_pot", "transferable_pot", "contribution_delta"),
    *("stack_before", "stack_after", "player_stack_before", "player_stack_after"),
    *("new_stack", "chip_balance", "excess", "new_balance"),
}


def _switch(default: _Choice, meaning: str) -> _Choice:
    chosen: _Choice = field(default=default, metadata={"meaning": meaning})
    return chosen


@dataclass(frozen=True, slots=True)
class Dialect:
    """One spelling of the server's frames; `describe` tells what each switch means. `ValueError` for unknown words."""

    call_amount_null: bool = _switch(
        True, "`player_action.amount` of a call is null; else the chips that the call added."
    )
    folded_stay_in_hand: bool = _switch(
        True, "`seats[].in_hand` stays true after a fold; else it turns false, beside `folded: true`."
    )
    winners_net: bool = _switch(True, "`winners[].amount` is the net gain; else the gross payout, as in `payouts[]`.")
    offer_with_nulls: bool = _switch(
        True, "Entries of `your_turn.valid_actions` have all four keys; else those that are null are left out."
    )
    raise_bounds_null: bool = _switch(
        True, "Without a legal raise `min_raise`, `max_raise` and their `_to` twins are null; else they are left out."
    )
    whole_board: bool = _switch(True, "`community_cards.cards` is the board so far; else the new cards alone.")
    float_chips: bool = _switch(False, "Every chip amount is a float (60.0); else an integer.")
    all_in_verb: Literal["all_in", "raise"] = _switch(
        "all_in",
        "What `player_action` calls an all-in. `raise`: one above the price is a raise, its `amount` the chips it added"
        " and its `amount_mode` incremental; any other is a call. `hand_result.actions` keeps `all_in`.",
    )
    all_in_amount: Literal["zero", "absent"] = _switch(
        "zero", "The `amount` of an action called `all_in`: 0, or no such key."
    )
    connected_season_mode: bool = _switch(False, "`connected` says `season_mode: true`; else the key is absent.")
    low_balance_code: Literal["insufficient_funds", "insufficient_season_chips"] = _switch(
        "insufficient_funds", "The error code of a buy-in above the balance."
    )
    auto_action_reason: str | None = _switch(
        "timeout", "The `reason` of a `player_action` that the server took for a silent client; may be null."
    )
    split_outcome_kind: str = _switch("win", "The `outcome_kind` of a `hand_result` with more than one winner.")
    gone_table: Literal["null_snapshot", "table_not_found"] = _switch(
        "null_snapshot",
        "The answer to a resync of a table that is gone: `resync_response` without snapshot, or that error.",
    )
    resync_hash: bool = _switch(
        False, "`resync_response` states a `state_hash` of its own; else only its snapshot does."
    )
    table_closed_envelope: bool = _switch(
        False, "`table_closed` has the envelope, which the table adds, as only it knows the numbers; else none of it."
    )

    def __post_init__(self) -> None:
        """Refuse words that no server says."""
        for name, kind in get_type_hints(type(self)).items():
            chosen, words = getattr(self, name), get_args(kind) if get_origin(kind) is Literal else ()
            if words and chosen not in words:
                raise ValueError(f"{name} = {chosen!r}: expected {' or '.join(words)}")

    @classmethod
    def describe(cls) -> list[tuple[str, Setting, str]]:
        """Name, default and meaning of every switch, in their order."""
        return [(switch.name, getattr(_DEFAULT, switch.name), switch.metadata["meaning"]) for switch in fields(cls)]

    def respell(self, frame: Frame) -> Frame:
        """The frame as this dialect spells it, with hashes to match; the default dialect returns `frame` itself."""
        if self == _DEFAULT:
            return frame
        spell = _SPELLINGS.get(frame["type"])
        spelled = spell(self, frame) if spell is not None else frame
        return rehashed(_with_float_chips(spelled) if self.float_chips else spelled)


_DEFAULT: Final = Dialect()


def _connected(dialect: Dialect, frame: Frame) -> Frame:
    return {**frame, "season_mode": True} if dialect.connected_season_mode else frame


def _error(dialect: Dialect, frame: Frame) -> Frame:
    return {**frame, "code": dialect.low_balance_code} if frame["code"] in _LOW_BALANCE_CODES else frame


def _your_turn(dialect: Dialect, frame: Frame) -> Frame:
    if not dialect.offer_with_nulls:
        offer = [{key: value for key, value in entry.items() if value is not None} for entry in frame["valid_actions"]]
        frame = {**frame, "valid_actions": offer}
    return _raise_bounds(dialect, frame)


def _table_state(dialect: Dialect, frame: Frame) -> Frame:
    if not dialect.folded_stay_in_hand:
        seats = [{**entry, "in_hand": False} if entry.get("folded") else entry for entry in frame["seats"]]
        frame = {**frame, "seats": seats}
    return _raise_bounds(dialect, frame)


def _raise_bounds(dialect: Dialect, frame: Frame) -> Frame:
    if dialect.raise_bounds_null:
        return frame
    return {key: value for key, value in frame.items() if value is not None or key not in _RAISE_BOUNDS}


def _player_action(dialect: Dialect, frame: Frame) -> Frame:
    if frame["action"] == "all_in" and dialect.all_in_verb == "raise":
        frame = _all_in_by_price(frame)
    if frame["action"] == "call" and not dialect.call_amount_null:
        frame = {**frame, "amount": frame["contribution_delta"]}
    if frame["reason"] is not None:
        frame = {**frame, "reason": dialect.auto_action_reason}
    return _all_in_amount(dialect, frame)


def _all_in_by_price(frame: Frame) -> Frame:
    """The all-in as a raise or a call; one frame cannot tell its total for the street, only what it added."""
    added_chips = frame["contribution_delta"]
    if added_chips > (frame["to_call_before"] or 0):
        return {**frame, "action": "raise", "amount": added_chips, "amount_mode": "incremental"}
    return {**frame, "action": "call", "amount": None}


def _all_in_amount(dialect: Dialect, action: Frame) -> Frame:
    if action["action"] != "all_in" or dialect.all_in_amount == "zero":
        return action
    return {key: value for key, value in action.items() if key != "amount"}


def _community_cards(dialect: Dialect, frame: Frame) -> Frame:
    is_later_street = len(frame["cards"]) > 3
    return frame if dialect.whole_board or not is_later_street else {**frame, "cards": frame["cards"][-1:]}


def _hand_result(dialect: Dialect, frame: Frame) -> Frame:
    if not dialect.winners_net:
        gross = {payout["seat"]: payout["amount"] for payout in frame["payouts"]}
        frame = {**frame, "winners": [{**winner, "amount": gross[winner["seat"]]} for winner in frame["winners"]]}
    if len(frame["winners"]) > 1:
        frame = {**frame, "outcome_kind": dialect.split_outcome_kind}
    return {**frame, "actions": [_all_in_amount(dialect, action) for action in frame["actions"]]}


def _resync_response(dialect: Dialect, frame: Frame) -> Frame:
    if frame["snapshot"] is None:
        if dialect.gone_table == "table_not_found":
            return {"type": "error", "code": "table_not_found", "message": "there is no such table"}
        return frame
    events = [dialect.respell(event) for event in frame["replayed_events"]]
    inside = {**frame, "replayed_events": events, "snapshot": dialect.respell(frame["snapshot"])}
    return {**inside, "state_hash": ""} if dialect.resync_hash else inside


_SPELLINGS: Final[Mapping[str, Callable[[Dialect, Frame], Frame]]] = {
    "connected": _connected,
    "error": _error,
    "your_turn": _your_turn,
    "table_state": _table_state,
    "player_action": _player_action,
    "community_cards": _community_cards,
    "hand_result": _hand_result,
    "resync_response": _resync_response,
}


def _with_float_chips(frame: Frame) -> dict[str, Any]:
    """The frame with every chip amount as a float, nested objects and stacks by seat included."""
    return {key: _float_chips(key, value) for key, value in frame.items()}


def _float_chips(key: str, value: Any) -> Any:
    if key == "final_stacks":
        return {seat: float(stack) for seat, stack in value.items()}
    if key == "snapshot" or key == "replayed_events":
        return value
    if isinstance(value, dict):
        return _with_float_chips(value)
    if isinstance(value, list):
        return [_float_chips(key, item) for item in value]
    return float(value) if key in _CHIPS and isinstance(value, int) else value
