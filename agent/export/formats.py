"""The formats of an export. Apart from what writes them, because the command line names them and loads nothing."""

from enum import StrEnum
from typing import Final

REDACT_HELP: Final = (
    "Names of players become P1, P2, ... and ours you, ids of tables and hands hashes, also inside of prompts, replies and errors. "
    "What stays: ids of runs and decisions, seeds, times, and in texts a name that is a word or number of the game (Call, 7)."
)


class Format(StrEnum):
    """`phh` are hands, the others decisions."""

    PHH = "phh"
    JSONL = "jsonl"
    CSV = "csv"
    HTML = "html"
