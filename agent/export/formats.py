"""The formats of an export. Apart from what writes them, because the command line names them and loads nothing."""

from enum import StrEnum


class Format(StrEnum):
    """`phh` are hands, the others decisions."""

    PHH = "phh"
    JSONL = "jsonl"
    CSV = "csv"
    HTML = "html"
