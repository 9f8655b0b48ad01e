"""The choices that an arena offers by name."""

from enum import StrEnum


class Format(StrEnum):
    """What is played at the tables."""

    CASH = "cash"
    FREEZEOUT = "freezeout"


class Pace(StrEnum):
    """Without pauses and limits, or with those of the live venue."""

    FAST = "fast"
    LIVE = "live"
