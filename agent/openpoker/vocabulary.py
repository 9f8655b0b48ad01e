"""The words of the venue's server: every frame type with the fields it is known to carry.

A type or field that is not here is no error, only news: it is logged once and ignored.
"""

import logging
from collections.abc import Mapping
from typing import Any, Final

log = logging.getLogger(__name__)

NEWS_KEPT: Final = 200
_WORD_CHARS: Final = 80

_ENVELOPE: Final = frozenset({"type", "stream", "table_id", "hand_id", "table_seq", "hand_seq", "ts", "state_hash"})
_PLAIN: Final = frozenset({"type"})


def _enveloped(names: str = "") -> frozenset[str]:
    return _ENVELOPE | frozenset(names.split())


def _plain(names: str = "") -> frozenset[str]:
    return _PLAIN | frozenset(names.split())


SERVER_FIELDS: Final[Mapping[str, frozenset[str]]] = {
    "connected": _plain("agent_id name season_mode"),
    "error": _plain("code message table_id seat details cooldown_seconds rebuy_at"),
    "lobby_joined": _plain("position estimated_wait"),
    "auto_rebuy_set": _plain("enabled"),
    "busted": _plain("options"),
    "auto_rebuy_scheduled": _plain("rebuy_at cooldown_seconds"),
    "rebuy_confirmed": _plain("new_stack chip_balance"),
    "chips_skimmed": _plain("excess new_stack new_balance"),
    "season_ended": _plain("season_number next_season_number"),
    "table_joined": _enveloped("seat players"),
    "hand_start": _enveloped("seat dealer_seat blinds"),
    "hole_cards": _enveloped("cards"),
    "your_turn": _enveloped("seat turn_token pot community_cards valid_actions min_raise max_raise players"),
    "table_state": _enveloped(
        "street dealer_seat small_blind big_blind pot actor_seat to_call min_raise_to max_raise_to board seats hero"
        " waiting_reason waiting_details"
    ),
    "player_action": _enveloped(
        "seat name action amount amount_mode reason action_id street stack pot pot_before pot_after to_call_before"
        " stack_before stack_after player_stack_before player_stack_after contribution_delta"
    ),
    "community_cards": _enveloped("street cards"),
    "action_ack": _enveloped("client_action_id status"),
    "action_rejected": _enveloped("code reason details client_action_id"),
    "hand_result": _enveloped(
        "winners pot transferable_pot total_pot pot_kind outcome_kind payouts final_stacks shown_cards actions"
    ),
    "player_joined": _enveloped("seat name stack avatar_url public_profile_slug is_pro"),
    "player_left": _enveloped("seat name reason"),
    "table_closed": _enveloped("reason"),
    "resync_response": _enveloped("role from_table_seq to_table_seq replayed_events snapshot"),
}


def news_in(frame: Mapping[str, Any]) -> frozenset[str]:
    """What a frame holds that the vocabulary does not: `confetti` for a type, `your_turn.colour` for a field.

    >>> sorted(news_in({"type": "busted", "options": [], "colour": 1}))
    ['busted.colour']
    """
    kind = frame["type"]
    known = SERVER_FIELDS.get(kind)
    if known is None:
        return frozenset({f"{kind}"})
    return frozenset(f"{kind}.{name}" for name in frame.keys() - known)


class News:
    """The words that were new, each of which is told once."""

    def __init__(self) -> None:
        self._told: set[str] = set()

    def note(self, frame: Mapping[str, Any]) -> None:
        """Log what the venue says that we have no word for, up to an end: a venue may make words up for ever."""
        if len(self._told) >= NEWS_KEPT:
            return
        for word in sorted({word[:_WORD_CHARS] for word in news_in(frame)} - self._told)[:NEWS_KEPT]:
            self._told.add(word)
            log.warning("the venue says something new, ignored: %r", word)
