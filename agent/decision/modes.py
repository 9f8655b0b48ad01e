"""Whether the model is asked. Apart from what asks it, because settings name the modes and load nothing."""

from enum import StrEnum


class AskMode(StrEnum):
    """On which turns the model is asked: on all, only where the decision is close or the pot large, or on none."""

    ALWAYS = "always"
    GREY = "grey"
    NEVER = "never"
