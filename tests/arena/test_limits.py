"""Sliding windows and the count of refused actions, under a clock that is moved by hand."""

from agent.arena.server.limits import Flood, FloodWatch, Window


class HandClock:
    """Seconds that pass only when a test says so."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def test_a_window_allows_its_limit_and_no_more() -> None:
    window = Window(3, 1.0, HandClock())
    assert [window.allows_another() for _ in range(5)] == [True, True, True, False, False]


def test_a_window_slides_with_each_event_rather_than_starting_anew() -> None:
    clock = HandClock()
    window = Window(2, 1.0, clock)
    assert window.allows_another()
    clock.now += 0.6
    assert window.allows_another()
    clock.now += 0.3
    assert not window.allows_another()
    clock.now += 0.1
    assert window.allows_another()
    assert not window.allows_another()


def test_what_was_refused_does_not_count_against_the_limit() -> None:
    clock = HandClock()
    window = Window(1, 1.0, clock)
    assert window.allows_another()
    clock.now += 0.9
    assert not window.allows_another()
    clock.now += 0.1
    assert window.allows_another()


def test_a_full_window_tells_when_the_oldest_event_leaves_it() -> None:
    clock = HandClock()
    window = Window(2, 60.0, clock)
    assert window.retry_after_s == 0.0
    window.allows_another()
    clock.now += 20.0
    assert window.retry_after_s == 0.0
    window.allows_another()
    assert window.retry_after_s == 40.0
    clock.now += 45.0
    assert window.retry_after_s == 0.0


def test_no_limit_allows_everything() -> None:
    window = Window(None, 1.0, HandClock())
    assert all(window.allows_another() for _ in range(1_000))
    assert window.retry_after_s == 0.0


def test_a_limit_of_zero_allows_nothing() -> None:
    assert not Window(0, 1.0, HandClock()).allows_another()


def test_the_tenth_refused_action_is_warned_about_and_the_twentieth_costs_the_seat() -> None:
    flood = FloodWatch(HandClock())
    verdicts = [flood.refused() for _ in range(20)]
    assert {number: verdict for number, verdict in enumerate(verdicts, 1) if verdict} == {
        10: Flood.WARNING,
        20: Flood.KICK,
    }


def test_refused_actions_are_forgotten_after_five_seconds() -> None:
    clock = HandClock()
    flood = FloodWatch(clock)
    for _ in range(9):
        assert flood.refused() is None
    clock.now += 5.0
    assert flood.refused() is None


def test_a_slow_trickle_of_refused_actions_is_never_warned_about() -> None:
    clock = HandClock()
    flood = FloodWatch(clock)
    for _ in range(100):
        assert flood.refused() is None
        clock.now += 0.6


def test_after_a_kick_the_count_begins_again() -> None:
    flood = FloodWatch(HandClock())
    for _ in range(20):
        flood.refused()
    assert [flood.refused() for _ in range(10)] == [None] * 9 + [Flood.WARNING]
