"""What holds for every test."""

import logging
from collections.abc import Iterator

import pytest

from agent.log_output import end_log


@pytest.fixture(autouse=True)
def log_as_before() -> Iterator[None]:
    """Programs that a test runs in this process set the log up; the next test finds it as it was."""
    level = logging.getLogger().level
    yield
    end_log()
    logging.getLogger().setLevel(level)
