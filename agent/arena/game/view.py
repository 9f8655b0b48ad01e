"""What a recipient may see of a table: the snapshots, with their own cards and nobody else's."""

from typing import TYPE_CHECKING, Any, Protocol

from agent.arena.game.dealer import MAX_SEATS
from agent.arena.game.stream import Stamp
from agent.arena.wire import frames as wire
from agent.openpoker.frames import Frame

if TYPE_CHECKING:
    from agent.arena.game.table import Seat, Table


def in_order(table: "Table") -> list["Seat"]:
    """The occupied seats by number."""
    return [table.seats[number] for number in sorted(table.seats)]


def slug(name: str) -> str:
    """The name as it stands in the address of a profile."""
    return name.lower().replace("_", "-")


def addressed(event: Frame, recipient: "Seat | None") -> Frame:
    """A public event as one recipient gets it: the start of a hand tells them their own seat."""
    if event["type"] != "hand_start":
        return event
    return {**event, "seat": recipient.number if recipient is not None else None}


class Seen(Protocol):
    """The snapshot of one moment for a recipient; a resync adds the token of an open turn."""

    def __call__(self, recipient: "Seat | None", *, with_token: bool = False) -> Frame:
        """The frame that the recipient gets."""
        ...


def snapshots(table: "Table", stamp: Stamp) -> Seen:
    """The table as each recipient may see it, None being a spectator; what all of them see is put together once."""
    hand = table.hand
    is_idle = hand is None or hand.settlement is not None
    head: dict[str, Any] = {"street": "idle" if hand is None or is_idle else str(hand.street)}
    if is_idle:
        head |= _waiting(table)
    head |= {
        "dealer_seat": table.button_seat,
        "small_blind": table.stakes.small_blind_chips,
        "big_blind": table.stakes.big_blind_chips,
        "pot": 0 if hand is None or is_idle else hand.pot_chips,
    }
    if hand is not None and not is_idle:
        head["actor_seat"] = hand.actor_seat
    tail = {
        "board": wire.cards(hand.board) if hand is not None else [],
        "seats": [_seat(table, number) for number in range(MAX_SEATS)],
    }

    def seen_by(recipient: "Seat | None", *, with_token: bool = False) -> Frame:
        hero = _hero(table, recipient, with_token=with_token)
        return wire.state(stamp, {**head, **_price(table, recipient), **tail, "hero": hero})

    return seen_by


def snapshot(table: "Table", recipient: "Seat | None", stamp: Stamp, *, with_token: bool = False) -> Frame:
    """The table as one recipient may see it; a resync adds the token of an open turn."""
    return snapshots(table, stamp)(recipient, with_token=with_token)


def _price(table: "Table", recipient: "Seat | None") -> dict[str, int | None]:
    """What only the actor is told at the top of its snapshot."""
    if table.hand is None or not _may_act(table, recipient):
        return {}
    legal = table.hand.legal()
    return {
        "to_call": legal.call_chips or 0,
        "min_raise_to": legal.min_raise_to_chips,
        "max_raise_to": legal.max_raise_to_chips,
    }


def _may_act(table: "Table", recipient: "Seat | None") -> bool:
    """Whether it is the recipient's turn; not yet while the street that they open is still to be dealt."""
    hand = table.hand
    if hand is None or recipient is None or hand.settlement is not None or hand.is_street_due:
        return False
    return recipient.hole_cards is not None and hand.actor_seat == recipient.number


def _hero(table: "Table", recipient: "Seat | None", *, with_token: bool) -> dict[str, Any] | None:
    if recipient is None:
        return None
    hero: dict[str, Any] = {"seat": recipient.number}
    if recipient.hole_cards is not None:
        hero["hole_cards"] = wire.cards(recipient.hole_cards)
    turn = table.turn
    if with_token and turn is not None and turn.seat is recipient:
        hero["turn_token"] = turn.token
    if table.hand is not None and _may_act(table, recipient):
        hero["valid_actions"] = wire.short_offer(table.hand.legal(), all_in_chips=recipient.stack_chips)
    return hero


def _seat(table: "Table", number: int) -> dict[str, Any]:
    seat, hand = table.seats.get(number), table.hand
    if seat is None:
        return {"seat": number, "name": None, "stack": 0, "bet": 0, "status": "empty", "in_hand": False}
    is_live = hand is not None and hand.settlement is None
    is_in = is_live and seat.hole_cards is not None
    entry: dict[str, Any] = {
        "seat": number,
        "name": seat.name,
        "stack": seat.stack_chips,
        "bet": hand.bet_chips(number) if hand is not None and is_in else 0,
        "status": seat.status,
        "in_hand": is_in,
    }
    if hand is not None and is_live:
        entry["folded"] = is_in and hand.has_folded(number)
    return {**entry, "public_profile_slug": slug(seat.name), "is_pro": False}


def _waiting(table: "Table") -> dict[str, Any]:
    """Why no hand runs; the seconds are floats, as hashed."""
    if table.next_hand_at is not None:
        remaining = (table.next_hand_at - table.now()).total_seconds()
        details: dict[str, Any] = {
            "remaining_seconds": max(0.0, round(remaining, 3)),
            "configured_delay_seconds": float(table.settings.between_hands_s),
        }
        return {"waiting_reason": "between_hands_delay", "waiting_details": details}
    statuses = [seat.status for seat in table.seats.values()]
    eligible = sum(table.is_eligible(seat) for seat in table.seats.values())
    details = {
        "player_count": len(statuses),
        "eligible_players": eligible,
        "min_required": 2,
        "active_players": statuses.count("active"),
        "away_players": statuses.count("away"),
        "disconnected_players": statuses.count("disconnected"),
        "connected_players": len(statuses) - statuses.count("disconnected"),
    }
    reason = "awaiting_hand_start" if eligible >= 2 else "insufficient_players"
    return {"waiting_reason": reason, "waiting_details": details}
