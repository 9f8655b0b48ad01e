"""The body of a response: as much of it as a reply can need, whatever the server sends.

A body may have no end, come in a million pieces, or unfold from a few kilobytes to gigabytes. It is read piece by
piece up to a cap, and other tasks get their turn in between, so that the deadline of a question holds.
"""

import asyncio
import math
import zlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

MOST_BYTES: Final = 262_144
"""No reply of ours is as large: a menu id, two echoes and a reason, with room for a long thought before them."""

_PIECES_AT_ONCE: Final = 16
_PACKED: Final = ("gzip", "x-gzip", "deflate")
# Either header, of gzip or of zlib, tells what follows.
_ANY_HEADER: Final = 47
_FIRST_UNWANTED_STATUS: Final = 300


class Response(Protocol):
    """What is used of a response of the SDK's HTTP library, whichever that is."""

    @property
    def status_code(self) -> int:
        """The HTTP status."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers, found under any case."""
        ...

    def aiter_raw(self) -> AsyncIterator[bytes]:
        """The body's pieces as they arrive."""
        ...


@dataclass(frozen=True, slots=True)
class Answered:
    """A response that was read: `is_whole` tells whether `text` is all of its body."""

    status: int
    text: str
    is_whole: bool
    retry_after_s: float | None = None
    moved_to: str | None = None


class BrokenOffError(Exception):
    """The body cannot be had; the message says why and holds nothing of it."""


class RefusedError(Exception):
    """A response with an error or a redirection instead of an answer."""

    def __init__(self, answered: Answered) -> None:
        super().__init__(f"HTTP {answered.status}")
        self.answered = answered


async def read(response: Response) -> Answered:
    """The response with its body as text; raises `BrokenOffError`.

    JSON is UTF-8, whatever character set a header claims.
    """
    body = await _read_bytes(response)
    return Answered(
        status=response.status_code,
        text=body[:MOST_BYTES].decode("utf-8-sig", errors="replace"),
        is_whole=len(body) <= MOST_BYTES,
        retry_after_s=_retry_after_s(response.headers),
        moved_to=response.headers.get("location"),
    )


async def take_refusal(response: Response) -> None:
    """Raise `RefusedError` for a response without an answer, before the SDK reads its body without a bound.

    Redirections are among them: neither key nor prompt goes to an address that nobody has set.
    """
    if response.status_code >= _FIRST_UNWANTED_STATUS:
        raise RefusedError(await read(response))


async def _read_bytes(response: Response) -> bytes:
    """The body, unpacked where it came packed unasked; one byte more than the cap where it is larger."""
    packing = response.headers.get("content-encoding", "").strip().lower()
    unpacker = zlib.decompressobj(_ANY_HEADER) if packing in _PACKED else None
    body, pieces = bytearray(), 0
    try:
        async for piece in response.aiter_raw():
            room = MOST_BYTES + 1 - len(body)
            body += unpacker.decompress(piece, room) if unpacker else piece[:room]
            if len(body) > MOST_BYTES:
                break
            pieces += 1
            # Pieces that have arrived already are given out without a pause, in which no deadline could end this.
            if pieces % _PIECES_AT_ONCE == 0:
                await asyncio.sleep(0)
    except Exception as error:
        raise BrokenOffError(f"the body broke off ({type(error).__name__})") from None
    return bytes(body)


def _retry_after_s(headers: Mapping[str, str]) -> float | None:
    """The wait a response asks for, in seconds; None when it names none or names a date."""
    for header, per_second in (("retry-after-ms", 1000), ("retry-after", 1)):
        try:
            wait_s = float(headers.get(header, "")) / per_second
        except ValueError:
            continue
        if math.isfinite(wait_s) and wait_s >= 0:
            return wait_s
    return None
