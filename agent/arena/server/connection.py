"""One open socket: what is sent on it, in the wire's spelling, with the faults of its line."""

import asyncio
from typing import Final

from aiohttp import web

from agent.arena.faults.line import Cut, Delivery, Line
from agent.arena.faults.plan import FaultDice
from agent.arena.server.recording import SessionRecorder
from agent.arena.wire.spelling import Spelling, encode
from agent.openpoker.frames import Frame

TOO_SLOW_CLOSE_CODE: Final = 1013
MAX_UNSENT_BYTES: Final = 16 * 1024 * 1024
# How long a closing handshake may take before the socket is dropped.
CLOSE_WITHIN_S: Final = 2.0
# How long a line may be silent before the frames that its faults hold back go out.
SILENCE_S: Final = 0.25


class Connection:
    """Sends without waiting, so that a client that does not read holds up nobody.

    The frames of one moment leave in one write: a system call per frame would cost more than all else together.
    """

    def __init__(
        self,
        socket: web.WebSocketResponse,
        transport: asyncio.Transport,
        spelling: Spelling,
        dice: FaultDice,
        recorder: SessionRecorder | None,
    ) -> None:
        self._socket = socket
        self._transport = transport
        self._spelling = spelling
        self._line = Line(dice) if dice.has_faults else None
        self._recorder = recorder
        self._loop = asyncio.get_running_loop()
        self._unsent: list[bytes] = []
        self._flush: asyncio.TimerHandle | None = None
        self._closing: asyncio.Task[None] | None = None

    def deliver(self, frame: Frame) -> None:
        """Send a frame, as the line's faults have it."""
        spelled, text = self._spelling.spell(frame)
        if self._line is None:
            self._send(spelled, text)
            return
        self._deliver_all(self._line.outgoing(spelled))
        if self._flush is not None:
            self._flush.cancel()
        self._flush = self._loop.call_later(SILENCE_S, self._flush_line)

    def receive(self, frame: Frame) -> Cut:
        """Take note of a client's message; whether its faults cut the socket over it."""
        if self._recorder is not None:
            self._recorder.received(frame)
        return self._line.incoming(frame) if self._line is not None else Cut.NONE

    def close(self, code: int, reason: str) -> None:
        """Close the socket once everything before is sent; nothing is sent after."""
        if self._closing is None:
            self._write()
            self._closing = self._loop.create_task(self._shake_hands(code, reason))

    def cut(self) -> None:
        """Drop the socket without a word."""
        self.stop()
        self._transport.abort()

    def stop(self) -> None:
        """Send and record nothing more."""
        self._unsent.clear()
        if self._recorder is not None:
            self._recorder.close()
        if self._flush is not None:
            self._flush.cancel()

    async def _shake_hands(self, code: int, reason: str) -> None:
        """The closing handshake; a client that does not read what was sent before it cannot hold it up for ever."""
        try:
            async with asyncio.timeout(CLOSE_WITHIN_S):
                await self._socket.close(code=code, message=reason.encode())
        except TimeoutError:
            self._transport.abort()

    def _send(self, frame: Frame, text: bytes | None = None) -> None:
        if self._closing is not None or self._transport.is_closing():
            return
        if not self._unsent:
            self._loop.call_soon(self._write)
        self._unsent.append(text_frame(text if text is not None else encode(frame)))
        if self._recorder is not None:
            self._recorder.sent(frame)

    def _write(self) -> None:
        if not self._unsent or self._transport.is_closing():
            return
        self._transport.write(b"".join(self._unsent))
        self._unsent.clear()
        if self._transport.get_write_buffer_size() > MAX_UNSENT_BYTES:
            self.close(TOO_SLOW_CLOSE_CODE, "too many unread frames")

    def _flush_line(self) -> None:
        if self._line is not None:
            self._deliver_all(self._line.flush())

    def _deliver_all(self, deliveries: list[Delivery]) -> None:
        for delivery in deliveries:
            if delivery.after_s:
                self._loop.call_later(delivery.after_s, self._send, delivery.frame)
            else:
                self._send(delivery.frame)


def text_frame(payload: bytes) -> bytes:
    r"""A whole text message as a server sends it: final, unmasked, the length in 7, 16 or 64 bits (RFC 6455, 5.2).

    >>> text_frame(b"{}")
    b'\x81\x02{}'
    """
    size = len(payload)
    if size < 126:
        return bytes((0x81, size)) + payload
    if size < 1 << 16:
        return b"\x81\x7e" + size.to_bytes(2, "big") + payload
    return b"\x81\x7f" + size.to_bytes(8, "big") + payload
