"""Writing the journal: calls that return at once, and one thread that brings the rows to disk.

A turn must never wait for a disk. Rows stand in a bounded queue; a queue that is full, a disk that stays broken and a
row that the schema refuses cost rows, never time and never an exception. What was lost is counted and said aloud.
The same thread deletes what is too old, a few rows at a time, while nothing else waits for it.
"""

import logging
import math
import shutil
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from agent.journal import rows
from agent.journal.records import (
    DecisionRecord,
    Direction,
    HandRecord,
    OpponentRecord,
    OutcomeRecord,
    RunRecord,
    SendRecord,
)
from agent.journal.retention import FOR_EVER, Retention, give_back
from agent.journal.schema import BUSY_TIMEOUT_SECONDS, JournalError, WritingConnection, open_for_writing, transaction

Row = Callable[[WritingConnection], None]

BATCH_ROWS: Final = 200
SPARE_SHARE: Final = 0.9
"""How much of the queue frames and opponents may fill: whoever floods us with them must not cost the rows of a turn."""
RETRY_DELAYS_SECONDS: Final = (0.2, 1.0, 5.0, 15.0)
LOSSES_TOLD_EVERY_SECONDS: Final = 60.0
SWEEP_EVERY_SECONDS: Final = 3_600.0
SWEEP_PAUSE_SECONDS: Final = 0.05
"""Between two steps of a sweep, which has all day, so that others get at the file and the processor."""
FREE_BYTES_LEFT: Final = 100_000_000
"""What a journal leaves of its disk: a season of frames must not take the last byte from everybody else."""

_log = logging.getLogger(__name__)


def free_bytes(path: Path) -> int | None:
    """The room on the disk of the file at `path`; None when the system does not tell."""
    try:
        return shutil.disk_usage(path.parent).free
    except OSError:
        return None


class Journal:
    """The journal of one run. Opening it raises `JournalError`; after that nothing here raises or waits.

    `hide` takes secrets out of every text that is kept: frames and replies are what others chose to send. `retention` says what is
    deleted, at the start and then every hour, by the time that `now` tells.

    Sends and outcomes belong to a decision given before them. `close` writes what still stands in the queue.
    """

    def __init__(
        self,
        path: Path,
        run: RunRecord,
        *,
        queue_size: int = 10_000,
        busy_timeout_seconds: float = BUSY_TIMEOUT_SECONDS,
        retry_delays_seconds: Sequence[float] = RETRY_DELAYS_SECONDS,
        monotonic: Callable[[], float] = time.monotonic,
        free: Callable[[Path], int | None] = free_bytes,
        hide: Callable[[str], str] | None = None,
        retention: Retention = FOR_EVER,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.path = path
        self._run_id, self._bot = run.id, run.bot
        self._queue_size, self._spare_room = queue_size, math.ceil(queue_size * SPARE_SHARE)
        self._free = free
        self._retry_delays_seconds = retry_delays_seconds
        self._losses = _Losses(path, monotonic)
        self._retention, self._now, self._monotonic = retention, now, monotonic
        self._sweep_at = monotonic() if retention != FOR_EVER else math.inf
        self._waiting: deque[Row] = deque()
        self._closing = False
        self._changed = threading.Condition()
        self._connection = open_for_writing(path, busy_timeout_seconds=busy_timeout_seconds)
        if hide is not None:
            self._connection.hide = hide
        try:
            with transaction(self._connection):
                rows.insert_run(self._connection, run)
        except sqlite3.Error as error:
            self._connection.close()
            raise JournalError(f"The journal {path} does not take the run {run.id}: {error}") from error
        # A daemon, so that a program that dies without `close` does not hang in its last breath.
        self._thread = threading.Thread(target=self._write_all, name="journal", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def lost(self) -> int:
        """How many rows will never be found in the journal."""
        return self._losses.count

    @property
    def waiting(self) -> int:
        """How many rows stand in the queue."""
        return len(self._waiting)

    def frame(self, direction: Direction, frame: Mapping[str, Any], at: datetime) -> None:
        """Keep a frame: `in` from the server, `out` to it."""
        row = partial(rows.insert_frame, run_id=self._run_id, direction=direction, frame=frame, at=at)
        self._put(row, room=self._spare_room)

    def decision(self, decision: DecisionRecord | Callable[[], DecisionRecord]) -> None:
        """Keep a decision with its attempts, prompts and replies; a function that makes it is called in the writer's thread."""
        self._put(lambda connection: rows.insert_decision(connection, self._run_id, _made(decision)))

    def send(self, send: SendRecord) -> None:
        """Keep what was put on the wire for a decision."""
        self._put(partial(rows.insert_send, send=send))

    def outcome(self, outcome: OutcomeRecord) -> None:
        """Keep the server's answer to a decision."""
        self._put(partial(rows.insert_outcome, outcome=outcome))

    def hand(self, hand: HandRecord) -> None:
        """Keep a hand's end; told again it replaces what was known, unless that was complete and this is not."""
        self._put(partial(rows.insert_hand, run_id=self._run_id, hand=hand))

    def opponent(self, opponent: OpponentRecord) -> None:
        """Keep what is known of a player of a hand that is over."""
        self._put(partial(rows.insert_opponent, bot=self._bot, opponent=opponent), room=self._spare_room)

    def close(self, timeout_seconds: float = 30.0) -> None:
        """Write what waits and let go of the file; rows not written within the time are lost and counted.

        The one call here that waits, so that an event loop makes it in a thread. A second call does nothing.
        """
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join(timeout_seconds)
        with self._changed:
            abandoned = len(self._waiting)
            self._waiting.clear()
        if abandoned:
            self._losses.add(abandoned, "the journal was closed before the disk took them")
        self._losses.tell_rest()

    def _put(self, row: Row, *, room: int | None = None) -> None:
        room = self._queue_size if room is None else room
        with self._changed:
            if self._closing:
                problem = "the journal is closed"
            elif len(self._waiting) >= room:
                problem = f"{room} rows are waiting for the disk already"
            else:
                self._waiting.append(row)
                self._changed.notify_all()
                return
        self._losses.add(1, problem)

    def _write_all(self) -> None:
        """The thread: batch after batch until closed and empty, and a step of the sweep wherever nothing waits."""
        while (batch := self._next_batch()) is not None:
            if batch:
                self._write(batch)
            else:
                self._sweep()
        self._connection.close()

    def _next_batch(self) -> list[Row] | None:
        """What waits, at most a batch; empty when it is time to sweep, None when nothing will come any more."""
        with self._changed:
            while not self._waiting:
                if self._closing:
                    return None
                pause_seconds = self._sweep_at - self._monotonic()
                if pause_seconds <= 0:
                    return []
                self._changed.wait(min(pause_seconds, SWEEP_EVERY_SECONDS))
            return [self._waiting.popleft() for _ in range(min(BATCH_ROWS, len(self._waiting)))]

    def _sweep(self) -> None:
        """Delete a few rows that are too old or too many; once there are none, it is over for an hour."""
        try:
            with transaction(self._connection):
                has_more = self._retention.step(self._connection, self._now())
            has_more = has_more or give_back(self._connection)
        except sqlite3.Error as error:
            _log.warning("the oldest rows of %s are not deleted, which is tried again in an hour: %s", self.path, error)
            has_more = False
        self._sweep_at = self._monotonic() + (SWEEP_PAUSE_SECONDS if has_more else SWEEP_EVERY_SECONDS)

    def _write(self, batch: list[Row]) -> None:
        """Commit a batch, trying again while the disk refuses; then it is lost, like what the disk has no room for."""
        room = self._free(self.path)
        if room is not None and room < FREE_BYTES_LEFT:
            self._losses.add(len(batch), f"less than {FREE_BYTES_LEFT // 10**6} MB are left on the disk")
            return
        for delay_seconds in (*self._retry_delays_seconds, None):
            try:
                refusals = self._commit(batch)
            except sqlite3.Error as error:
                problem = str(error)
            else:
                for refusal in refusals:
                    self._losses.add(1, refusal)
                return
            if delay_seconds is not None:
                with self._changed:
                    self._changed.wait_for(lambda: self._closing, delay_seconds)
        self._losses.add(len(batch), problem)

    def _commit(self, batch: list[Row]) -> list[str]:
        """Write a batch in one transaction; what was wrong with the rows that can never be written."""
        refusals = []
        with transaction(self._connection):
            for row in batch:
                self._connection.execute("SAVEPOINT one_row")
                try:
                    row(self._connection)
                except sqlite3.OperationalError:
                    raise
                except Exception as error:  # One row that no column takes must not cost its neighbours.
                    self._connection.execute("ROLLBACK TO one_row")
                    refusals.append(f"a row was refused: {type(error).__name__}: {error}")
                self._connection.execute("RELEASE one_row")
        return refusals


def _made(decision: DecisionRecord | Callable[[], DecisionRecord]) -> DecisionRecord:
    return decision if isinstance(decision, DecisionRecord) else decision()


class _Losses:
    """Counts what was lost and says so, once a minute at most; safe from any thread."""

    def __init__(self, path: Path, monotonic: Callable[[], float]) -> None:
        self.count = 0
        self._path = path
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._problem = ""
        self._told_count = 0
        self._told_at: float | None = None

    def add(self, rows_lost: int, problem: str) -> None:
        """Count rows that are lost because of `problem`."""
        with self._lock:
            self.count += rows_lost
            self._problem = problem
            now = self._monotonic()
            if self._told_at is None or now - self._told_at >= LOSSES_TOLD_EVERY_SECONDS:
                self._told_at = now
                self._tell()

    def tell_rest(self) -> None:
        """Say what was counted since it was last said."""
        with self._lock:
            if self.count > self._told_count:
                self._tell()

    def _tell(self) -> None:
        self._told_count = self.count
        _log.error(
            "JOURNAL LOSES ROWS: %d so far, last because %s. Play goes on; look at the disk and at who holds %s.",
            self.count,
            self._problem,
            self._path,
        )
