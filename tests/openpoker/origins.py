"""Two ways into a hand: seen from the deal, or met in its middle by a resync. What holds for one holds for the other."""

import itertools
from enum import StrEnum
from typing import Any

import pytest

from agent.openpoker.effects import Decide, Effects, HandOver, Send
from agent.openpoker.session import Session
from agent.openpoker.table import HandSummary, Table, joined
from agent.openpoker.turns import Turn
from agent.poker.spot import Action, Verb
from tests.openpoker.script import TABLE, TOKEN, Frame, Script

CALL = Action(Verb.CALL)
OFFER: list[Frame] = [{"action": "fold"}, {"action": "call", "amount": 30}]


class Origin(StrEnum):
    """How we came to know the hand that is being played."""

    DEAL = "from the deal"
    RESYNC = "by a resync"


both_origins = pytest.mark.parametrize("origin", list(Origin), ids=str)


def acting(token: str | None = TOKEN, offer: list[Frame] | None = None, cards: list[str] | None = None) -> Frame:
    """What a snapshot of a resync shows of us when it is our turn; an empty list for unknown cards."""
    hero: Frame = {"seat": 0, "hole_cards": ["Qs", "Jd"] if cards is None else cards}
    hero |= {"valid_actions": OFFER if offer is None else offer}
    return {**hero, "turn_token": token} if token else hero


def new_session(**settings: Any) -> Session:
    """A session that has not dialled; its ids are turn-1, turn-2 and so on."""
    numbers = itertools.count(1)
    return Session(**{"buy_in_chips": 2_000, "new_id": lambda: f"turn-{next(numbers)}", **settings})


def feed(session: Session, *frames: Frame, now: float = 1.0) -> list[Any]:
    """What the session makes of the frames, one after another."""
    return [effect for frame in frames for effect in session.receive(frame, now)]


def sent(effects: Effects) -> list[str]:
    """The types of the frames that are to be sent."""
    return [effect.frame["type"] for effect in effects if isinstance(effect, Send)]


def overs(effects: list[Any]) -> list[HandSummary]:
    """How hands ended of which the effects tell."""
    return [effect.summary for effect in effects if isinstance(effect, HandOver)]


def queued(**settings: Any) -> Session:
    """A session that was greeted and waits in the lobby since 0.0."""
    session = new_session(**settings)
    list(session.opened(0.0))
    feed(session, {"type": "connected", "name": "Heron"}, now=0.0)
    session.learned_active_game(None, 0.0)
    return session


def dialled_cold(**settings: Any) -> Session:
    """A session that has just started, and has asked for the state of the table at which REST says it sits."""
    session = new_session(**settings)
    list(session.opened(0.0))
    session.learned_active_game(TABLE, 0.5)
    return session


def at_table(origin: Origin, script: Script, **settings: Any) -> Session:
    """A session that knows the running hand; the button is to act."""
    frames = script.opening()
    if origin is Origin.DEAL:
        session = new_session(**settings)
        list(session.opened(0.0))
        feed(session, *frames)
        return session
    session = dialled_cold(**settings)
    feed(session, script.resync(script.snapshot(), []))
    return session


def asked(origin: Origin, script: Script, **settings: Any) -> tuple[Session, Turn]:
    """A session at its first prompt, told live or restored by the resync, and the turn to decide."""
    if origin is Origin.DEAL:
        session = new_session(**settings)
        list(session.opened(0.0))
        effects = feed(session, *script.to_first_prompt())
    else:
        session = dialled_cold(**settings)
        script.to_first_prompt()
        effects = feed(session, script.resync(script.snapshot(actor=0, hero=acting()), []))
    return session, decided(effects)


def decided(effects: Effects) -> Turn:
    """The one turn that is to be decided."""
    (turn,) = [effect.turn for effect in effects if isinstance(effect, Decide)]
    return turn


def answered(origin: Origin, script: Script, now: float = 2.0, **settings: Any) -> tuple[Session, Turn, Frame]:
    """A session whose answer to the first prompt has left the socket."""
    session, turn = asked(origin, script, **settings)
    frame = session.choose(turn, CALL)
    assert frame is not None
    session.sent(frame, now)
    return session, turn, frame


def table_at(origin: Origin, script: Script) -> Table:
    """The table with the running hand; the button is to act."""
    frames = script.opening()
    if origin is Origin.RESYNC:
        return Table(TABLE).resynced(script.resync(script.snapshot(), []))
    table = joined(frames[0])
    assert table is not None
    return after(table, *frames[1:])


def after(table: Table, *frames: Frame) -> Table:
    """The table once the frames are applied."""
    for frame in frames:
        table = table.after(frame)
    return table
