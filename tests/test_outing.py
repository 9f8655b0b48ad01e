from datetime import datetime

import pytest

from agent.outing import Limits, Outing, quiet_hours


@pytest.mark.parametrize(
    ("limits", "nets", "now", "reason"),
    [
        (Limits(), [-5_000] * 10, 1e6, None),
        (Limits(hands=3), [10, 10], 0.0, None),
        (Limits(hands=3), [10, 10, None], 0.0, "3 hands are played"),
        (Limits(minutes=1.5), [], 189.0, None),
        (Limits(minutes=1.5), [], 190.0, "1.5 minutes have passed"),
        (Limits(stop_loss_chips=500), [-400, -99], 0.0, None),
        (Limits(stop_loss_chips=500), [-400, -100], 0.0, "500 chips are lost"),
        (Limits(stop_win_chips=500), [-400, 900], 0.0, "500 chips are won"),
    ],
)
def test_an_outing_ends_when_a_limit_is_reached(
    limits: Limits, nets: list[int | None], now: float, reason: str | None
) -> None:
    outing = Outing(limits, began=100.0)
    for net in nets:
        outing.hand_over(net)
    assert outing.end(now) == reason


@pytest.mark.parametrize(
    ("hours", "clock", "left"),
    [
        ("02:00-06:30", "01:59", 0.0),
        ("02:00-06:30", "02:00", 16_200.0),
        ("02:00-06:30", "06:30", 0.0),
        ("23:00-01:00", "23:30", 5_400.0),
        ("23:00-01:00", "00:30", 1_800.0),
        ("23:00-01:00", "12:00", 0.0),
    ],
)
def test_quiet_hours_may_pass_midnight(hours: str, clock: str, left: float) -> None:
    assert quiet_hours(hours).seconds_left(datetime.fromisoformat(f"2026-09-20T{clock}")) == left


@pytest.mark.parametrize("text", ["", "2-6", "02:00", "02:00-24:00", "02:00-02:00", "02:60-03:00", "02:00 - 03:00"])
def test_other_text_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="02:00-06:30"):
        quiet_hours(text)
