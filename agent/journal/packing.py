"""Long texts made small for their column: deflated, with the words they share with all others known beforehand.

A packed value is a BLOB whose first byte names the dictionary; text is kept as it is, so that old rows stay readable.
Dictionaries are part of the schema: what was packed with one is unpacked with it for ever. Change none, add another.
"""

import zlib
from functools import cache
from importlib.resources import files
from typing import Final

FRAMES: Final = 1
DECISIONS: Final = 2
PROMPTS: Final = 3

_FILES: Final = {FRAMES: "frames_1.txt", DECISIONS: "decisions_1.txt", PROMPTS: "prompts_1.txt"}
_RAW_WINDOW: Final = -14
"""No header, and a window of 16 KB: room for dictionary and text, and a compressor that is copied in microseconds."""
_MEMORY: Final = 5
_SHORT: Final = 64
"""Shorter texts are kept as they are."""


def packed(text: str, dictionary: int) -> str | bytes:
    """The text as a column keeps it: packed, or itself where that is no shorter."""
    if len(text) < _SHORT:
        return text
    plain = text.encode()
    deflating = _deflating(dictionary).copy()
    small = bytes([dictionary]) + deflating.compress(plain) + deflating.flush()
    return small if len(small) < len(plain) else text


def unpacked(value: str | bytes) -> str:
    """The text that a column holds, packed or not; `ValueError` for what was never packed."""
    if isinstance(value, str):
        return value
    if not value or value[0] not in _FILES:
        raise ValueError(f"packed with an unknown dictionary: {value[:1]!r}")
    inflating = zlib.decompressobj(_RAW_WINDOW, zdict=_dictionary(value[0]))
    try:
        text = inflating.decompress(value[1:]).decode()
    except (zlib.error, UnicodeDecodeError) as error:
        raise ValueError(f"a packed text is damaged: {error}") from None
    if not inflating.eof:
        raise ValueError("a packed text is damaged: its end is missing")
    return text


@cache
def _dictionary(number: int) -> bytes:
    return (files(__package__) / "dictionaries" / _FILES[number]).read_bytes()


@cache
def _deflating(number: int) -> "zlib._Compress":
    """A compressor that has read its dictionary, to be copied: reading it costs more than packing a frame."""
    return zlib.compressobj(9, zlib.DEFLATED, _RAW_WINDOW, _MEMORY, zdict=_dictionary(number))
