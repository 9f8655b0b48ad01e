"""The server's half of the wire format: frames with the venue's keys, nulls and order (protocol V2, section 5)."""

from collections.abc import Mapping
from typing import Any

from agent.arena.game.dealer import Hand, Settlement, TakenAction
from agent.arena.game.stream import Stamp
from agent.arena.wire.spelling import own_hash
from agent.openpoker.frames import Frame, offer
from agent.poker.cards import format_card
from agent.poker.spot import LegalActions, PastAction, Verb


def cards(numbers: tuple[int, ...]) -> list[str]:
    """The cards as the wire spells them."""
    return [format_card(card) for card in numbers]


def event(stamp: Stamp, kind: str, **body: Any) -> Frame:
    """A discrete event of a table."""
    return {
        "stream": "event",
        "table_id": stamp.table_id,
        "hand_id": stamp.hand_id,
        "table_seq": stamp.table_seq,
        "hand_seq": stamp.hand_seq,
        "ts": stamp.ts,
        "state_hash": None,
        "type": kind,
        **body,
    }


def state(stamp: Stamp, body: Frame) -> Frame:
    """A snapshot with its hash; the body is the table as the recipient may see it."""
    hashed = {
        "stream": "state",
        "table_id": stamp.table_id,
        "hand_id": stamp.hand_id,
        "type": "table_state",
        **body,
    }
    return {
        **hashed,
        "table_seq": stamp.table_seq,
        "hand_seq": stamp.hand_seq,
        "ts": stamp.ts,
        "state_hash": own_hash(hashed),
    }


def table_joined(stamp: Stamp, seat: int, players: list[dict[str, Any]]) -> Frame:
    """The recipient's seat, with everybody who sits at the table."""
    return {
        "type": "table_joined",
        "table_id": stamp.table_id,
        "seat": seat,
        "players": players,
        "stream": "event",
        **_place(stamp),
    }


def table_closed(stamp: Stamp, reason: str, *, has_envelope: bool) -> Frame:
    """Nobody plays at the table any more; sources differ on whether it has the envelope."""
    if has_envelope:
        return event(stamp, "table_closed", reason=reason)
    return {"type": "table_closed", "table_id": stamp.table_id, "reason": reason}


def action_ack(stamp: Stamp, client_action_id: str) -> Frame:
    """An action was accepted."""
    return {
        "stream": "event",
        "table_id": stamp.table_id,
        "type": "action_ack",
        "client_action_id": client_action_id,
        "status": "accepted",
        **_place(stamp),
    }


def action_rejected(code: str, reason: str, request: Frame, table_id: str | None) -> Frame:
    """An action was refused; the turn stays open and its clock runs on."""
    frame: dict[str, Any] = {"type": "action_rejected", "code": code, "reason": reason, "details": {"code": code}}
    known = {
        "client_action_id": request.get("client_action_id"),
        "hand_id": request.get("hand_id"),
        "table_id": table_id,
    }
    return {**frame, **{key: value for key, value in known.items() if value is not None}}


def error(code: str, message: str, **details: Any) -> Frame:
    """Something else went wrong."""
    return {"type": "error", "code": code, "message": message, **details}


def player(seat: int, name: str, stack: int, slug: str | None) -> dict[str, Any]:
    """A player in the lists of `table_joined` and `your_turn`; the latter never tells the slug."""
    return {
        "seat": seat,
        "name": name,
        "stack": stack,
        "avatar_url": None,
        "public_profile_slug": slug,
        "is_pro": False,
    }


def short_offer(legal: LegalActions, *, all_in_chips: int) -> list[dict[str, Any]]:
    """`hero.valid_actions` of a snapshot: the offer without its nulls."""
    return [{k: v for k, v in entry.items() if v is not None} for entry in offer(legal, all_in_chips=all_in_chips)]


def your_turn(stamp: Stamp, hand: Hand, seat: int, token: str) -> Frame:
    """The authority to act."""
    legal = hand.legal()
    return event(
        stamp,
        "your_turn",
        valid_actions=offer(legal, all_in_chips=hand.stack_chips(seat)),
        pot=hand.pot_chips,
        community_cards=cards(hand.board),
        players=[player(p.seat, p.name, hand.stack_chips(p.seat), None) for p in hand.players],
        min_raise=legal.min_raise_to_chips,
        max_raise=legal.max_raise_to_chips,
        turn_token=token,
        seat=seat,
    )


def player_action(
    stamp: Stamp, taken: TakenAction, *, name: str, action_id: str, reason: str | None, street_after: str
) -> Frame:
    """An action as everybody sees it, labelled with the street after it."""
    return event(
        stamp,
        "player_action",
        seat=taken.past.seat,
        name=name,
        action=str(taken.past.verb),
        amount=_stated_amount(taken.past),
        reason=reason,
        action_id=action_id,
        amount_mode="to_total" if taken.past.verb is Verb.RAISE else "incremental",
        street=street_after,
        stack=taken.stack_after_chips,
        pot=taken.pot_after_chips,
        pot_before=taken.pot_before_chips,
        pot_after=taken.pot_after_chips,
        to_call_before=taken.to_call_chips or None,
        stack_before=taken.stack_before_chips,
        stack_after=taken.stack_after_chips,
        contribution_delta=taken.past.added_chips,
        player_stack_before=taken.stack_before_chips,
        player_stack_after=taken.stack_after_chips,
    )


def hand_result(
    stamp: Stamp, settled: Settlement, *, names: Mapping[int, str], actions: tuple[PastAction, ...]
) -> Frame:
    """Who won what: net gains of the winners, gross payouts, and the cards of a showdown."""
    described = settled.hand_descriptions or {}
    shown = settled.shown_cards
    return event(
        stamp,
        "hand_result",
        winners=[
            {
                "seat": seat,
                "name": names[seat],
                "stack": settled.final_stacks[seat],
                "amount": gain,
                "hand_description": described.get(seat),
            }
            for seat, gain in settled.winners.items()
        ],
        pot=settled.transferred_chips,
        total_pot=settled.total_pot_chips,
        transferable_pot=settled.transferred_chips,
        actions=[
            {"seat": past.seat, "action": str(past.verb), "amount": _stated_amount(past), "street": str(past.street)}
            for past in actions
        ],
        payouts=[{"seat": seat, "amount": amount} for seat, amount in settled.payouts.items()],
        final_stacks={str(seat): stack for seat, stack in settled.final_stacks.items()},
        pot_kind="transferable",
        outcome_kind="win",
        shown_cards={str(seat): cards(hole) for seat, hole in shown.items()} if shown is not None else None,
    )


def resync_response(stamp: Stamp, *, role: str, after: int, events: list[Frame], snapshot: Frame | None) -> Frame:
    """What a client missed, and the table as it is."""
    return {
        "type": "resync_response",
        "stream": "state",
        "table_id": stamp.table_id,
        "role": role,
        "from_table_seq": after + 1,
        "to_table_seq": stamp.table_seq,
        "replayed_events": events,
        "snapshot": snapshot,
        "table_seq": stamp.table_seq,
        "hand_seq": stamp.hand_seq,
        "ts": stamp.ts,
    }


def unknown_table(table_id: str) -> Frame:
    """The answer to a resync for a table that is not, or no longer, there."""
    return {
        "type": "resync_response",
        "stream": "state",
        "table_id": table_id,
        "role": "spectator",
        "from_table_seq": None,
        "to_table_seq": None,
        "replayed_events": [],
        "snapshot": None,
        "table_seq": None,
        "hand_seq": None,
        "ts": None,
    }


def _place(stamp: Stamp) -> dict[str, Any]:
    return {
        "hand_id": stamp.hand_id,
        "table_seq": stamp.table_seq,
        "hand_seq": stamp.hand_seq,
        "ts": stamp.ts,
    }


def _stated_amount(past: PastAction) -> int | None:
    """A raise states its street total, an all-in 0, and nothing else an amount."""
    if past.verb is Verb.RAISE:
        return past.to_chips
    return 0 if past.verb is Verb.ALL_IN else None
