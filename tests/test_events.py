import asyncio
import logging
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection

from agent.events import Event, left, seated, venue_asked, venue_said
from agent.openpoker.contestant import Timing
from tests.openpoker.test_contestant import Memory, call, contestant, venue


@pytest.mark.parametrize(
    ("frame", "name", "words", "facts"),
    [
        ({"type": "rebuy_confirmed", "chip_balance": 1_500}, "rebuy", "1,500 chips", {"balance_chips": 1_500}),
        ({"type": "rebuy_confirmed", "chip_balance": None}, "rebuy", "unknown chips", {"balance_chips": None}),
        ({"type": "auto_rebuy_scheduled", "cooldown_seconds": 600}, "rebuy scheduled", "in 600 s", {"wait_s": 600.0}),
        ({"type": "busted"}, "busted", "busted", {}),
        ({"type": "season_ended", "season_number": 3}, "season ended", "the season has ended", {"season": 3}),
        ({"type": "lobby_joined"}, "joined lobby", "in the lobby", {"position": None, "wait": None}),
    ],
)
def test_what_the_venue_says_of_us_is_an_event(
    frame: dict[str, Any], name: str, words: str, facts: dict[str, Any]
) -> None:
    event = venue_said(frame)

    assert event is not None
    assert (event.name, event.facts) == (name, facts)
    assert words in event.words


def test_what_we_ask_of_the_venue_is_an_event_and_an_answer_to_a_turn_is_none() -> None:
    asked = [
        venue_asked(frame)
        for frame in (
            {"type": "join_lobby", "buy_in": 2_000},
            {"type": "resync_request", "table_id": "T", "last_table_seq": 7},
            {"type": "rebuy", "amount": 1_500},
            {"type": "leave_table"},
            {"type": "action", "action": "fold"},
        )
    ]

    assert [event.name if event else None for event in asked] == ["buy-in", "resync", "rebuy asked", "leaving", None]
    assert asked[1] is not None
    assert asked[1].facts == {"table_id": "T", "after_table_seq": 7}


def test_cards_and_play_of_others_are_no_events() -> None:
    kinds = ("hole_cards", "your_turn", "table_state", "player_action", "player_left", "hand_result", "confetti")

    assert [venue_said({"type": kind}) for kind in kinds] == [None] * len(kinds)


def test_a_seat_that_comes_and_goes_is_told_with_the_reason() -> None:
    assert seated("T", 0, None).words == "seated at table T, seat 0 with unknown chips"
    assert left("T", {"type": "player_left", "reason": "busted"}).facts["reason"] == "busted"
    assert left("T", {"type": "table_closed"}).facts["reason"] == "table_closed"


def test_an_event_is_logged_with_its_name_and_its_facts(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    Event("left", "left table 100%", {"table_id": "T"}).tell(logging.getLogger("agent.test"))
    (record,) = caplog.records

    assert (record.getMessage(), vars(record)["event"], vars(record)["table_id"]) == ("left table 100%", "left", "T")


async def test_a_lost_connection_is_told_with_the_reason_and_the_pause(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    came_back, calls = asyncio.Event(), 0

    async def drop_the_first(socket: ServerConnection) -> None:
        nonlocal calls
        calls += 1
        if calls > 1:
            came_back.set()
            await socket.wait_closed()

    timing = Timing(longest_backoff_s=0.01)
    async with venue(drop_the_first) as url, contestant(url, Memory(call), timing=timing):
        await asyncio.wait_for(came_back.wait(), 10)
    (told,) = [vars(record) for record in caplog.records if "event" in vars(record)]

    assert (told["event"], told["reason"]) == ("disconnected", "the socket closed with code 1000")
    assert 0 <= told["pause_s"] <= 0.1
    assert told["message"].startswith("connection lost (the socket closed with code 1000); dialling again in ")
