"""The contestant: the socket, the clock and the tasks around a `Session`. The only I/O of the venue's client.

The reader never waits for a decision: each turn is thought about in a task of its own, which outlives a lost
socket. A turn has one absolute deadline, taken when its prompt arrived.
"""

import asyncio
import contextlib
import json
import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any, Literal, Protocol

from tenacity import AsyncRetrying, retry_if_exception, wait_random_exponential
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI
from websockets.http11 import Response

from agent.openpoker import frames
from agent.openpoker.effects import Abandon, Ask, Decide, Effects, HandOver, Reconnect, Send, Settled, Stop
from agent.openpoker.rest import RestApi
from agent.openpoker.session import Session
from agent.openpoker.table import HandSummary
from agent.openpoker.turns import Turn
from agent.poker.spot import Action

log = logging.getLogger(__name__)

OVERRUN_S = 1.0
"""How far past its deadline a decision may run before the floor is played; `Timing.margin_s` is there for that."""
PAUSE_EVERY_S = 0.01
"""How long frames are read in a row before everybody else gets a turn."""
TAKEOVERS = 3
_TAKEN_OVER_CODE = 4000
_TAKEN_OVER = re.compile(r"replaced|taken? ?over|another (connection|session|client)", re.IGNORECASE)


class Decider(Protocol):
    """Whoever plays. It should answer by `deadline` (the contestant's clock) and never raise."""

    async def decide(self, turn_id: str, spot: Any, *, deadline: float) -> Action | None:
        """The action for `spot`, or None when nothing in its offer may be played."""
        ...

    def give_up(self, turn_id: str, spot: Any, why: str) -> Action | None:
        """The action where `decide` has failed or overrun: the floor, None when there is none."""
        ...


class Recorder(Protocol):
    """Whoever keeps the record. No call may block or raise."""

    def frame(self, direction: Literal["in", "out"], frame: frames.Frame, at: datetime) -> None:
        """A frame passed the socket."""
        ...

    def sent(self, turn_id: str, frame: frames.Frame, at: datetime, error: str | None) -> None:
        """An answer was sent, or could not be."""
        ...

    def settled(self, turn_id: str, accepted: bool, code: str | None, at: datetime) -> None:
        """The venue accepted or rejected an answer."""
        ...

    def hand_over(self, summary: HandSummary, at: datetime) -> None:
        """A hand has ended."""
        ...

    def disconnected(self) -> None:
        """The socket is gone."""
        ...


class Dropped(Exception):
    """The socket is gone, or is to be given up; connecting again can help, after `pause_s` at least."""

    def __init__(self, reason: str, *, pause_s: float = 0.0) -> None:
        super().__init__(reason)
        self.pause_s = pause_s


class VenueRefused(Exception):
    """The venue will not have us; the message says what to check."""


def is_retryable(failure: BaseException) -> bool:
    """Whether connecting again can help; a refused key or a wrong address cannot, a dropped socket can."""
    if isinstance(failure, VenueRefused | InvalidURI):
        return False
    return isinstance(failure, Dropped | ConnectionClosed | InvalidHandshake | OSError | TimeoutError)


@dataclass(frozen=True, slots=True)
class Timing:
    """How long things may take, in seconds.

    A turn must be answered `margin_s` before the server's clock ends. Dialling again waits up to
    `longest_backoff_s`, at least `refusal_pause_s` after a connection was refused, `key_pause_s` after the key was, so that
    no hiccup of the venue is taken for its last word, and `takeover_pause_s` after another connection with our key has
    replaced ours; a connection of `healthy_s` begins the count anew. Asked to leave without a connection, it is tried for
    `leave_offline_s` to get one. The session hears the time every `tick_s`.
    """

    action_clock_s: float = 45.0
    margin_s: float = 8.0
    longest_backoff_s: float = 60.0
    refusal_pause_s: float = 5.0
    key_pause_s: float = 90.0
    takeover_pause_s: float = 30.0
    healthy_s: float = 60.0
    tick_s: float = 0.5
    leave_offline_s: float = 20.0

    def deadline(self, received_at: float) -> float:
        """When a turn received at `received_at` must be answered."""
        return received_at + max(1.0, self.action_clock_s - self.margin_s)


class Contestant:
    """Plays one bot's season over one socket at a time, until it has left or is refused."""

    def __init__(
        self,
        *,
        url: str,
        api_key: str,
        session: Session,
        decider: Decider,
        recorder: Recorder,
        rest: RestApi,
        clock: Callable[[], float],
        timing: Timing | None = None,
    ) -> None:
        self._url, self._api_key, self._session = url, api_key, session
        self._decider, self._recorder, self._rest, self._clock = decider, recorder, rest, clock
        self._timing = timing or Timing()
        self._socket: ClientConnection | None = None
        self._thinking: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._stopped: Stop | None = None
        self._woken, self._reached = asyncio.Event(), asyncio.Event()
        self._errands: set[asyncio.Task[None]] = set()
        self._takeovers = 0

    async def run(self) -> str:
        """Play until we have left; the reason why. Raises `VenueRefused` when trying again cannot help."""
        retries = AsyncRetrying(
            retry=retry_if_exception(is_retryable),
            wait=self._pause,
            sleep=self._sleep,
            before_sleep=_tell_lost,
            reraise=True,
        )
        try:
            async for attempt in retries:
                with attempt:
                    began = self._clock()
                    try:
                        return await self._connection()
                    finally:
                        if self._clock() - began >= self._timing.healthy_s:
                            attempt.retry_state.attempt_number = 1
                            self._takeovers = 0
        finally:
            self._reached.set()
            await self._cancel(*self._thinking.values(), *self._errands)
        raise AssertionError("unreachable: the retries end by return or raise")

    async def drain(self) -> None:
        """Finish the hand, leave the table and let `run` return. Waits for a socket to leave through where there is none."""
        await self._perform(self._session.leave(self._clock(), connected=self._socket is not None))
        self._woken.set()
        if self._socket is not None or self._stopped is not None:
            return
        try:
            await asyncio.wait_for(self._reached.wait(), self._timing.leave_offline_s)
        except TimeoutError:
            self._stopped = Stop("the venue cannot be reached; the seat may be held for a while")
            self._woken.set()

    async def _sleep(self, seconds: float) -> None:
        """Wait before dialling again, or until asked to leave: then it is tried at once."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._woken.wait(), seconds)
        self._woken.clear()

    def _pause(self, state: Any) -> float:
        failure = state.outcome.exception() if state.outcome else None
        least = failure.pause_s if isinstance(failure, Dropped) else 0.0
        backoff: float = wait_random_exponential(multiplier=1, max=self._timing.longest_backoff_s)(state)
        return max(least, backoff)

    async def _connection(self) -> str:
        """One socket from upgrade to end; the reason when we are done, `Dropped` when it is to be dialled again."""
        await self._perform(self._session.overdue_leave(self._clock()))
        if self._stopped:
            return self._finish(self._stopped)
        headers = {"Authorization": f"Bearer {self._api_key}"}
        try:
            async with connect(
                self._url,
                additional_headers=headers,
                max_size=frames.MAX_FRAME_BYTES,
                ping_interval=20,
                ping_timeout=20,
                open_timeout=10,
                close_timeout=2,
            ) as socket:
                self._socket = socket
                self._reached.set()
                ticker = asyncio.create_task(self._tick())
                try:
                    await self._perform(self._session.opened(self._clock()))
                    return await self._read(socket)
                finally:
                    self._socket = None
                    self._reached.clear()
                    self._recorder.disconnected()
                    await self._cancel(ticker)
        except InvalidStatus as refused:
            if _refuses_key(refused.response):
                await self._perform(self._received({"type": "error", "code": "auth_failed"}))
            if self._stopped:
                return self._finish(self._stopped)
            words = f"HTTP {refused.response.status_code} to the upgrade"
            raise Dropped(words, pause_s=self._timing.refusal_pause_s) from None

    async def _read(self, socket: ClientConnection) -> str:
        paused_at = self._clock()
        try:
            async for message in socket:
                # Frames that are there already are handed out without a pause: whoever floods us must not starve the rest.
                if self._clock() - paused_at >= PAUSE_EVERY_S:
                    await asyncio.sleep(0)
                    paused_at = self._clock()
                try:
                    frame = frames.parse(message)
                except frames.FrameError as error:
                    log.warning("malformed frame ignored: %s", error)
                    continue
                kept = frame if len(message) <= frames.LARGE_CHARS else frames.shortened(frame)
                self._recorder.frame("in", kept, _now())
                await self._perform(self._received(frame))
                if self._stopped:
                    break
        except ConnectionClosed:
            pass
        if socket.close_code == frames.AUTH_FAILED_CLOSE_CODE:
            await self._perform(self._received({"type": "error", "code": "auth_failed"}))
        if self._stopped:
            return self._finish(self._stopped)
        raise self._lost(socket)

    def _lost(self, socket: ClientConnection) -> Dropped | VenueRefused:
        """Why the socket closed: two clients with one key would replace each other for ever, so one of them stops."""
        code, reason = socket.close_code, socket.close_reason or ""
        if code != _TAKEN_OVER_CODE and not _TAKEN_OVER.search(reason):
            return Dropped(f"the socket closed with code {code}")
        self._takeovers += 1
        if self._takeovers >= TAKEOVERS:
            return VenueRefused("another client plays with this OPEN_POKER_API_KEY; stop one of them")
        return Dropped("another connection with our key has replaced ours", pause_s=self._timing.takeover_pause_s)

    def _received(self, frame: frames.Frame) -> Effects:
        """What the session makes of a frame; one that it stumbles over is logged and costs nothing else."""
        try:
            return self._session.receive(frame, self._clock())
        except Exception:
            log.exception("a %.40s frame could not be handled; ignored", frame.get("type"))
            return []

    def _finish(self, stop: Stop) -> str:
        if stop.failed:
            raise VenueRefused(stop.reason)
        return stop.reason

    async def _tick(self) -> None:
        """Let time act on the session. A reconnect closes the socket, which ends the reader."""
        while True:
            await asyncio.sleep(self._timing.tick_s)
            try:
                await self._perform(self._session.tick(self._clock()))
            except Dropped as reason:
                log.warning("giving up the socket: %s", reason)
                if self._socket is not None:
                    await self._socket.close()
            if self._stopped and self._socket is not None:
                await self._socket.close()

    async def _perform(self, effects: Effects) -> None:
        for effect in effects:
            match effect:
                case Send(frame):
                    await self._send(frame)
                case Decide(turn):
                    self._thinking[turn.key] = asyncio.create_task(self._think(turn))
                case Abandon(turn):
                    self._abandon(turn)
                case Settled(turn_id, accepted, code):
                    self._recorder.settled(turn_id, accepted, code, _now())
                case HandOver(summary):
                    self._recorder.hand_over(summary, _now())
                case Ask(what):
                    self._errand(what)
                case Reconnect(reason, refused):
                    pauses = {"connection": self._timing.refusal_pause_s, "key": self._timing.key_pause_s, None: 0.0}
                    raise Dropped(reason, pause_s=pauses[refused])
                case Stop():
                    self._stopped = effect

    def _abandon(self, turn: Turn) -> None:
        log.info("the server moved on from turn %s", turn.id)
        task = self._thinking.pop(turn.key, None)
        if task is not None:
            task.cancel()

    def _errand(self, what: str) -> None:
        task = asyncio.create_task(self._ask(what))
        self._errands.add(task)
        task.add_done_callback(self._errands.discard)

    async def _ask(self, what: str) -> None:
        """Ask REST beside the socket, so that the reader goes on."""
        if what == "season":
            chips = await self._rest.balance_chips()
            effects = self._session.learned_balance(chips, self._clock())
        else:
            effects = self._session.learned_active_game(await self._rest.active_table(), self._clock())
        await self._perform(effects)

    async def _think(self, turn: Turn) -> None:
        """Get the answer to a turn and send it; whatever goes wrong, the floor is played."""
        deadline = self._timing.deadline(turn.received_at)
        try:
            async with asyncio.timeout(max(0.0, deadline + OVERRUN_S - self._clock())):
                action = await self._decider.decide(turn.id, turn.spot, deadline=deadline)
            if action is not None and not turn.spot.legal.allows(action):
                log.error("%s is not offered; playing the floor", action)
                action = turn.spot.legal.floor
        except TimeoutError:
            log.error("no decision by the deadline; playing the floor")
            action = self._decider.give_up(turn.id, turn.spot, "no decision by the deadline")
        except Exception as error:
            log.exception("the decision failed; playing the floor")
            action = self._decider.give_up(turn.id, turn.spot, f"the decision failed: {type(error).__name__}")
        self._thinking.pop(turn.key, None)
        if action is None:
            log.error("nothing in the offer may be played unasked; leaving the turn to the server")
            return
        frame = self._session.choose(turn, action)
        if frame is not None:
            await self._send(frame)

    async def _send(self, frame: dict[str, Any]) -> None:
        """Send, and count as sent only what the socket took; what it did not is sent again after the resync."""
        error: str | None = None
        try:
            if self._socket is None:
                raise OSError("no connection")
            await self._socket.send(frames.encode(frame))
        except (ConnectionClosed, OSError) as failure:
            error = str(failure) or type(failure).__name__
            log.warning("%s not sent: %s", frame["type"], error)
        else:
            self._session.sent(frame, self._clock())
            self._recorder.frame("out", frame, _now())
        if frame["type"] == "action":
            answer_id = frame["client_action_id"]
            self._recorder.sent(self._session.turns.turn_id(answer_id) or answer_id, frame, _now(), error)

    @staticmethod
    async def _cancel(*tasks: asyncio.Task[None]) -> None:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _refuses_key(response: Response) -> bool:
    """Whether an answer to the upgrade is the venue's word on the key; a 403 with a page is of something in front of it."""
    if response.status_code != HTTPStatus.FORBIDDEN:
        return response.status_code == HTTPStatus.UNAUTHORIZED
    try:
        json.loads(response.body or b"")
    except (ValueError, RecursionError):
        return False
    return True


def _now() -> datetime:
    return datetime.now(UTC)


def _tell_lost(state: Any) -> None:
    reason, pause_s = _reason(state.outcome), round(state.upcoming_sleep, 1)
    facts = {"event": "disconnected", "reason": reason, "pause_s": pause_s}
    log.warning("connection lost (%s); dialling again in %.1f s", reason, pause_s, extra=facts)


def _reason(outcome: Any) -> str:
    failure = outcome.exception() if outcome else None
    return str(failure) or type(failure).__name__
