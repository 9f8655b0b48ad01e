"""The ways in which the stand-in model can answer: well, or as providers fail."""

from enum import StrEnum


class Mode(StrEnum):
    """How the stand-in answers."""

    HEALTHY = "healthy"
    SLOW = "slow"
    SILENT = "silent"
    DRIP = "drip"
    RESET = "reset"
    GARBLED = "garbled"
    FENCED = "fenced"
    THINKING = "thinking"
    PROSE = "prose"
    ILLEGAL = "illegal"
    MISREAD = "misread"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    HTML = "html"
    NULL_CHOICES = "null_choices"
    ERROR_200 = "error_200"
    RATE_LIMITED = "rate_limited"
    QUOTA = "quota"
    UNAUTHORIZED = "unauthorized"
    SERVER_ERROR = "server_error"
    BAD_PARAMETER = "bad_parameter"
