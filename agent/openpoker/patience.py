"""How long a contestant waits for the venue before it asks again, asks differently, or gives up."""

from dataclasses import dataclass
from typing import Final

UNSEEN_S: Final = 20.0
"""What leaves enough of the live clock of 45 s for a decision, and is little to lose of what a restart takes."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds, all of them.

    greeting_s: for the first word on a new socket, before it is given up
    ack_s: for the acknowledgement of an answer, before the same answer is sent again, and again before a resync
    prompt_s: for the authority to act, once a snapshot shows that it is our turn
    facts_s: for our cards, the board and who plays, where a prompt finds us without, before we decide as well as we can
    resync_s: for the answer to a resync, before the socket is given up
    rest_s: for a REST call, before it is asked again
    queue_s: for a seat, before joining again; on another socket, where this one has been mute since
    wind_down_s: between two attempts to join while a season winds down or the venue has kicked us
    rebuy_grace_s: beyond the time of the server's own rebuy, before one of ours
    rebuy_again_s: between two rebuys of ours that were refused; doubles up to ten times of it
    silence_s: without any frame of our table, before the socket is given up
    hand_s: without a hand that begins or ends, before a resync, and again before another table is looked for
    leave_s: for the confirmation of a leave, before it is taken for done
    drain_s: for leaving as a whole, when asked to
    hash_resync_s: between two resyncs for wrong hashes
    unseen_s: how long a prompt that is first met in a cold resync may have been open already, where nothing tells
    """

    greeting_s: float = 10.0
    ack_s: float = 4.0
    prompt_s: float = 6.0
    facts_s: float = 3.0
    resync_s: float = 10.0
    rest_s: float = 15.0
    queue_s: float = 120.0
    wind_down_s: float = 30.0
    rebuy_grace_s: float = 30.0
    rebuy_again_s: float = 60.0
    silence_s: float = 180.0
    hand_s: float = 300.0
    leave_s: float = 10.0
    drain_s: float = 240.0
    hash_resync_s: float = 60.0
    unseen_s: float = UNSEEN_S
