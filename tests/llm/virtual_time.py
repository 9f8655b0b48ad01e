"""An event loop with a clock of its own, for tests of deadlines over real sockets that do not wait.

Its time stands still while there is something to do. Once all sockets are quiet, it jumps to the next timer.
"""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")

# So long in real time nothing may happen before the loop takes it for quiet; the SDK works in threads at times.
_QUIET_S = 0.1


class _JumpingSelector(selectors.SelectSelector):
    now_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or timeout <= 0:
            return super().select(timeout)
        ready = super().select(_QUIET_S)
        if not ready:
            self.now_s += timeout
        return ready


class _VirtualTimeLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._clock = _JumpingSelector()
        super().__init__(self._clock)

    def time(self) -> float:
        return self._clock.now_s


def run(test: Coroutine[Any, Any, Result]) -> Result:
    """What `test` returns, run where time costs nothing."""
    with asyncio.Runner(loop_factory=_VirtualTimeLoop) as runner:
        return runner.run(test)


def now_s() -> float:
    """The time of the running loop."""
    return asyncio.get_running_loop().time()
