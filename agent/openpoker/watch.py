"""The contestant's watches: since when we wait for what, and whether that is too long. Clock readings come in."""

from dataclasses import dataclass

from agent.openpoker.patience import Patience


@dataclass(slots=True)
class Watch:
    """What happened last, by a monotonic clock in seconds, against what `patience` allows.

    `heard_earlier` is when an earlier run of the program last heard the venue, where that is known.
    """

    patience: Patience
    heard_earlier: float | None = None
    wait_until: float = 0.0
    drain_began: float = 0.0
    _phase_began: float = 0.0
    _is_greeted: bool = False
    _opened_at: float = 0.0
    _spoken_at: float | None = None
    _last_frame: float | None = None
    _heard_before: float | None = None
    _last_hand: float = 0.0
    _hand_asked: int = 0
    _shown_at: float | None = None

    def opened(self, now: float) -> None:
        """A socket is open; what the server said before is the last that we know of."""
        self._heard_before, self._last_frame, self._shown_at = self._last_frame, now, None
        self._opened_at, self._is_greeted = now, False

    def spoken(self, now: float) -> None:
        """The venue has said something that we understand, of whatever table or none."""
        self._spoken_at, self._is_greeted = now, True

    def entered(self, now: float) -> None:
        """Another phase has begun."""
        self._phase_began = now

    def heard(self, now: float) -> None:
        """A frame of our table has come."""
        self._last_frame = now

    def shown(self, is_ours_unprompted: bool, now: float) -> None:
        """A snapshot shows whether we are to act without having been asked yet."""
        if not is_ours_unprompted:
            self._shown_at = None
        elif self._shown_at is None:
            self._shown_at = now

    def prompted(self) -> None:
        """We have been asked to act, or the turn has passed."""
        self._shown_at = None

    def hand_passed(self, now: float) -> None:
        """A hand has begun or ended, or we have sat down and wait for one."""
        self._last_hand, self._hand_asked = now, 0

    def asked_for_hand(self, now: float) -> int:
        """We ask why no hand is played: the how-manieth time in a row."""
        self._last_hand, self._hand_asked = now, self._hand_asked + 1
        return self._hand_asked

    def prompt_opened_at(self, now: float, *, is_cold: bool) -> float:
        """The earliest time at which a prompt can have opened that a resync shows first."""
        if is_cold:
            # What an earlier run had heard was before the prompt, or it would know it.
            since = now - self.patience.unseen_s
            return since if self.heard_earlier is None else min(now, max(since, self.heard_earlier))
        known = [at for at in (self._shown_at, self._heard_before) if at is not None]
        self._heard_before = None
        return min([now, *known])

    def waited(self, now: float) -> float:
        """Seconds in this phase."""
        return now - self._phase_began

    def is_wait_over(self, now: float) -> bool:
        """Whether the time to sit out has passed."""
        return now >= self.wait_until

    def is_drain_over(self, now: float) -> bool:
        """Whether leaving takes too long."""
        return now - self.drain_began > self.patience.drain_s

    def is_ungreeted(self, now: float) -> bool:
        """Whether a new socket has been mute for too long."""
        return not self._is_greeted and now - self._opened_at > self.patience.greeting_s

    def is_mute(self) -> bool:
        """Whether the venue has said nothing at all in this phase."""
        return self._spoken_at is None or self._spoken_at < self._phase_began

    def is_silent(self, now: float) -> bool:
        """Whether the table has said nothing for too long."""
        return self._last_frame is not None and now - self._last_frame > self.patience.silence_s

    def is_hand_late(self, now: float) -> bool:
        """Whether no hand has begun or ended for too long."""
        return now - self._last_hand > self.patience.hand_s

    def is_prompt_late(self, now: float) -> bool:
        """Whether it has been our turn for too long without a prompt."""
        return self._shown_at is not None and now - self._shown_at > self.patience.prompt_s
