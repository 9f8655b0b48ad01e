"""Hands of the journal in PHH, each tried before it is given away: pokerkit must replay it to the chips that everybody had."""

import warnings
from collections.abc import Mapping
from itertools import chain
from typing import Any, Final

from pokerkit import HandHistory

from agent.arena.game.phh import to_phh
from agent.arena.game.records import HandRecord as TableRecord
from agent.journal.records import HandRecord
from agent.poker.cards import parse_cards
from agent.poker.positions import blinds_then_others
from agent.poker.spot import PastAction, Street, Verb

DAMAGED: Final = "a part is damaged"


class NotReplayable(ValueError):
    """A hand that PHH cannot tell; the message says why, in the same words for the same cause."""


def phh_of(hand: HandRecord, number: int) -> str:
    """The hand in PHH, the `number`-th of its file; `NotReplayable` where not all of it is known, or pokerkit ends elsewhere.

    Cards that were never shown are unknown in it.
    """
    try:
        record = _record(hand, number)
    except NotReplayable:
        raise
    except Exception as error:  # Cards that are none, numbers that are text: what was never written so.
        raise NotReplayable(DAMAGED) from error
    try:
        text = to_phh(record)
        ends_right = _ends_right(text)
    except Exception as error:  # pokerkit refuses in many ways what another venue has allowed.
        raise NotReplayable("pokerkit refuses the betting") from error
    if not ends_right:
        raise NotReplayable("pokerkit ends with other chips")
    return text


def _record(hand: HandRecord, number: int) -> TableRecord:
    """The hand as the arena keeps its own."""
    nets = {player.seat: player.net_chips for player in hand.players}
    if not hand.complete:
        raise NotReplayable("a part was not seen")
    if len(nets) < 2 or hand.button_seat is None or None in nets.values():
        raise NotReplayable("seats or chips are not known")
    start = {player.seat: player.start_chips for player in hand.players}
    small_blind = _small_blind_chips(hand, start)
    return TableRecord(
        number=number,
        hand_id=hand.hand_id,
        button_seat=hand.button_seat,
        small_blind_chips=small_blind,
        big_blind_chips=hand.big_blind_chips,
        names={player.seat: player.name for player in hand.players},
        hole_cards=_known_cards(hand),
        board=parse_cards(hand.board),
        actions=tuple(
            PastAction(seat, Street(street), Verb(verb), added, total)
            for seat, street, verb, added, total in hand.actions
        ),
        start_stacks=start,
        final_stacks={seat: start[seat] + (net or 0) for seat, net in nets.items()},
        payouts=_payouts(hand.result),
        table_id=hand.table_id,
    )


def _small_blind_chips(hand: HandRecord, start: Mapping[int, int]) -> int:
    """What was posted; a stack shorter than that does not tell, and then it is half a big blind as everywhere."""
    posted = {int(seat): chips for seat, chips in hand.blinds.items()}
    assert hand.button_seat is not None
    big_blind_seat = max(posted, key=lambda seat: posted[seat], default=None)
    small_blind_seat = blinds_then_others(tuple(start), hand.button_seat, big_blind_seat)[0]
    chips = posted.get(small_blind_seat, 0)
    return chips if 0 < chips < start[small_blind_seat] else max(1, hand.big_blind_chips // 2)


def _known_cards(hand: HandRecord) -> dict[int, tuple[int, int]]:
    told = {int(seat): parse_cards(text) for seat, text in hand.shown.items()}
    if hand.hero_seat is not None:
        told[hand.hero_seat] = parse_cards(hand.hole_cards)
    return {seat: (held[0], held[1]) for seat, held in told.items() if len(held) == 2}


def _payouts(result: Mapping[str, Any]) -> dict[int, int]:
    """Chips out of the pot by seat, where the venue told them."""
    told = result.get("payouts")
    paid = [entry for entry in told if isinstance(entry, Mapping)] if isinstance(told, list) else []
    return {
        entry["seat"]: entry["amount"]
        for entry in paid
        if isinstance(entry.get("seat"), int) and isinstance(entry.get("amount"), int)
    }


def _ends_right(text: str) -> bool:
    """Whether a replay needs nothing that is not in the text, and ends with the chips that the text states."""
    history = HandHistory.loads(text)
    with warnings.catch_warnings():
        # Folding where checking is free is odd, and allowed.
        warnings.simplefilter("ignore")
        steps = list(history.state_actions)
    state, _ = steps[-1]
    told = list(chain([None], history.actions))
    return [action for _, action in steps] == told and not state.status and state.stacks == history.finishing_stacks
