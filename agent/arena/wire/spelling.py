"""Frames as text: in the arena's dialect, by a fast encoder, and each public event once for everybody who gets it."""

import hashlib

import orjson

from agent.arena.wire.dialect import Dialect
from agent.openpoker.frames import Frame, state_hash
from agent.openpoker.frames import encode as slow_encode

_DEL = b"\x7f"


class Spelling:
    """Spells frames in one dialect, and remembers the last one, which several sockets are often sent in a row."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._last: Frame | None = None
        self._spelled: tuple[Frame, bytes] = ({}, b"")

    def spell(self, frame: Frame) -> tuple[Frame, bytes]:
        """The frame in the dialect, and its text in UTF-8."""
        if frame is not self._last:
            respelled = self._dialect.respell(frame)
            self._last, self._spelled = frame, (respelled, encode(respelled))
        return self._spelled


def encode(frame: Frame) -> bytes:
    """The frame as JSON in UTF-8. The arena's own floats have three decimals and are spelled as Python would.

    What the fast encoder refuses, such as a client's number beyond 64 bits said back to it, takes the slow way.
    """
    try:
        return orjson.dumps(frame)
    except TypeError:
        return slow_encode(frame).encode()


def own_hash(body: Frame) -> str:
    """The `state_hash` of a body that this arena has put together, without its moving keys.

    The fast encoder spells ASCII text, 64-bit integers and numbers of three decimals as Python does, which is all
    that is hashed here but for names; a body with other text takes the reference's way.
    """
    try:
        text = orjson.dumps(body, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return state_hash(body)
    if not text.isascii() or _DEL in text:
        return state_hash(body)
    return "sha256:" + hashlib.sha256(text).hexdigest()
